//! What a worker does with a state that is new to it: it is counted, looked at, queued and written.

use super::known::News;
use super::levels::Writer;
use super::tell::{Candidate, Counted, nearer};
use crate::engine::compiled::{GOOD, Machine, POINT, QUEUED, Task};

/// What becomes of news.
pub(super) struct Taking<'w> {
    pub task: &'w Task<'w>,
    pub machine: &'w Machine<'w>,
    pub level: u64,
    pub counted: &'w mut Counted,
    pub writer: Option<&'w mut Writer>,
    pub queued: &'w mut u64,
}

impl Taking<'_> {
    #[inline]
    pub fn take(&mut self, news: News) -> std::io::Result<()> {
        let News {
            head,
            state,
            fresh,
            gained,
        } = news;
        let (task, level) = (self.task, self.level);
        let here = || Candidate {
            level,
            state: state.to_vec(),
            head,
        };
        let Counted { tally, found, .. } = &mut *self.counted;
        if fresh {
            tally.fresh(task, self.machine, state, &mut |question| {
                let nearest = &mut found[question];
                // Made only where it may be nearer: most are not.
                if nearest
                    .as_ref()
                    .is_none_or(|n| (n.level, &n.state[..]) > (level, state))
                {
                    *nearest = Some(here());
                }
            });
        }
        if head & GOOD == 0 && !task.plain {
            tally.violated = true;
            for (question, found) in found.iter_mut().enumerate() {
                if task.asks_for_violations(question)
                    && found.as_ref().is_none_or(|f| f.level >= level)
                {
                    nearer(found, Some(&here()));
                }
            }
        }
        if gained & POINT != 0 {
            tally.point(task, state);
        }
        let queued = gained & QUEUED != 0 || task.plain && fresh;
        *self.queued += u64::from(queued);
        if (fresh || gained != 0)
            && let Some(writer) = &mut self.writer
        {
            writer.push(head, state)?;
        }
        Ok(())
    }
}
