//! Problems in TPTP's form among the files of `coarsen prove`.

use super::super::args::{Format, ProveArgs};
use super::super::exit::Exit;
use super::super::failure::tell_diagnostics;
use super::super::input::{self, Refused};
use super::super::output::say;
use super::super::progress::Progress;
use super::super::supervise::{Ended, supervise};
use super::includes::included;
use super::{Exported, Run, exports, fits, read_text};
use coarsen::algebra::files::{Flawed, Text};
use coarsen::algebra::tptp::{self, Szs};
use coarsen::base::control::{Control, Stop};
use coarsen::report::json::{self, Blamed};
use coarsen::report::problems::status_line;
use coarsen::report::proofs::{self, Detail};
use coarsen::report::text::headline;
use coarsen::results::problems::Answer;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Whether a file is a problem, by its name.
pub fn is_problem(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "p" || e == "tptp")
}

/// What a worker returns.
enum Worked {
    Flawed(Box<Flawed>),
    /// It is not one of the problems asked for.
    NotAsked,
    Solved {
        answer: Box<Answer>,
        files: Vec<Exported>,
    },
    Stopped(Stop),
}

impl Run<'_, '_> {
    pub(super) fn problem(&mut self, path: &str) {
        let text = match read_text(path) {
            Ok(text) => text,
            Err(Refused::Unreadable(error)) => {
                let reason = format!("can't read the file: {error}");
                return self.unread(input::name(path), &reason, Exit::Internal);
            }
            Err(Refused::NotAModel(input, diagnostic)) => {
                let file = Text {
                    name: input.name,
                    text: input.source,
                };
                let diagnostics = vec![*diagnostic];
                return self.flawed_problem(path, &Flawed { file, diagnostics });
            }
        };
        let control = Arc::new(Control::default());
        let begun: Arc<Mutex<Option<Answer>>> = Arc::default();
        let ended = supervise(
            job(self.args, text, Arc::clone(&begun)),
            &control,
            &self.args.limits,
            &self.interrupts,
            &mut Progress::on_stderr(),
        );
        let begun = begun.lock().unwrap_or_else(|e| e.into_inner()).take();
        let names: Vec<String> = begun.iter().map(|a| a.name.clone()).collect();
        self.statements += 1;
        self.names.extend(names.iter().cloned());
        self.matched_by(&names);
        let stopped = |why: Stop| {
            let mut answer = begun?;
            if why == Stop::Time {
                answer.szs = Szs::Timeout;
            }
            answer.reason = format!("stopped by {why}");
            Some(answer)
        };
        let answer = match ended {
            Ended::Done(Worked::Flawed(flawed)) => return self.flawed_problem(path, &flawed),
            Ended::Done(Worked::NotAsked) => return,
            Ended::Done(Worked::Solved { answer, files }) => {
                for file in &files {
                    self.export(path, file);
                }
                Some(*answer)
            }
            Ended::Done(Worked::Stopped(why)) | Ended::Abandoned(why) => stopped(why),
            Ended::Broken(why) => return self.unread(path, &why.to_string(), Exit::Internal),
        };
        match answer {
            Some(answer) => self.answered(&answer),
            // It was stopped before the file was read.
            None => self.unread(path, "stopped while the file was read", Exit::Unknown),
        }
    }

    fn answered(&mut self, answer: &Answer) {
        let exit = match answer.szs {
            _ if answer.is_rejected() => Exit::EvidenceRejected,
            Szs::Theorem | Szs::Unsatisfiable => Exit::Holds,
            Szs::CounterSatisfiable | Szs::Satisfiable => Exit::Refuted,
            _ => Exit::Unknown,
        };
        self.problems = self.problems.and(exit);
        if self.args.format() == Format::Json {
            self.objects.push(json::object(answer));
            return;
        }
        let detail = self.args.detail();
        let gap = if self.shown && detail != Detail::Quiet {
            "\n"
        } else {
            ""
        };
        self.output
            .write(&format!("{gap}{}", answer.render(detail)));
        self.shown = true;
    }

    fn flawed_problem(&mut self, path: &str, flawed: &Flawed) {
        let Flawed { file, diagnostics } = flawed;
        tell_diagnostics((&file.name, &file.text), diagnostics);
        let reason = proofs::summary(diagnostics);
        let object = || {
            json::fault(
                Blamed::Problem(&file.name),
                &reason,
                &file.text,
                diagnostics,
            )
        };
        self.refused(path, &file.name, &reason, object, Exit::Input);
    }

    fn unread(&mut self, path: &str, reason: &str, exit: Exit) {
        say(&format!("coarsen: {path}: {reason}"));
        let object = || json::fault(Blamed::Problem(path), reason, "", &[]);
        self.refused(path, path, reason, object, exit);
    }

    fn refused(
        &mut self,
        path: &str,
        file: &str,
        reason: &str,
        object: impl Fn() -> serde_json::Result<String>,
        exit: Exit,
    ) {
        match self.args.format() {
            Format::Text => {
                let stem = Path::new(path).file_stem().unwrap_or(OsStr::new(path));
                let line = status_line(Szs::InputError, &stem.to_string_lossy());
                self.output.write(&line);
                if self.args.detail() != Detail::Quiet {
                    self.output.write(&headline(file, "error", reason));
                }
            }
            Format::Json => self.objects.push(object()),
        }
        self.exit = self.exit.and(exit);
    }
}

/// What the worker does.
fn job(
    args: &ProveArgs,
    text: Text,
    begun: Arc<Mutex<Option<Answer>>>,
) -> impl FnOnce(&Control) -> Worked + Send + 'static + use<> {
    let args = args.clone();
    move |control| {
        control.enter(format!("reading {}", text.name));
        let problem = match tptp::load(text, args.limits.depth, &mut included) {
            Ok(problem) => problem,
            Err(flawed) => return Worked::Flawed(flawed),
        };
        let unknown = Answer::unknown(&problem, Szs::GaveUp, String::new());
        *begun.lock().unwrap_or_else(|e| e.into_inner()) = Some(unknown);
        if !args.only.is_empty() && !args.only.iter().any(|p| fits(p, &problem.name)) {
            return Worked::NotAsked;
        }
        let clock = Instant::now();
        let mut solution = match tptp::solve(&problem, &args.limits.prover, control) {
            Ok(solution) => solution,
            Err(why) => return Worked::Stopped(why),
        };
        let answer = Answer::of(&problem, &solution, clock.elapsed().as_secs_f64());
        let files = exports(&args, &mut solution.development, &problem.name, control);
        Worked::Solved {
            answer: Box::new(answer),
            files,
        }
    }
}
