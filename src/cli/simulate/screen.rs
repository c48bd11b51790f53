//! A walk by hand: the steps that can be taken, the state, and the way so far.

use super::{SimulateArgs, WALK, states};
use crate::cli::args::TraceFormat;
use crate::cli::supervise::Interrupts;
use crate::cli::trace_file;
use coarsen::Session;
use coarsen::base::control::{Control, Stop};
use coarsen::command::simulate::{Offer, Walk};
use coarsen::report::{itf, plain};
use coarsen::results::{Change, Ended};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, List, ListState, Paragraph};
use ratatui::{DefaultTerminal, Frame};
use std::io;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Columns below which things stand below each other.
const NARROW: u16 = 70;

/// How long a way is looked for.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is looked whether someone wants to end.
const TICK: Duration = Duration::from_millis(100);

const KEYS: &str = "Enter take  b back  r random  g goal  s save  l load  q quit";

/// Has the user walk through a model.
///
/// # Errors
/// What the terminal says.
pub fn run(session: &Session, args: &SimulateArgs, interrupts: &Interrupts) -> io::Result<()> {
    let Some(mut app) = App::new(session, args, interrupts) else {
        return Err(io::Error::other("the model has no initial state"));
    };
    let mut terminal = ratatui::try_init()?;
    let result = app.run(&mut terminal);
    ratatui::try_restore()?;
    result
}

/// What a line is being typed for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prompt {
    Goal,
    Save,
    Load,
}

impl Prompt {
    fn words(self) -> &'static str {
        match self {
            Prompt::Goal => "go to a state with: ",
            Prompt::Save => "save to the file: ",
            Prompt::Load => "load from the file: ",
        }
    }
}

struct App<'s> {
    session: &'s Session,
    args: &'s SimulateArgs,
    interrupts: &'s Interrupts,
    walk: Walk<'s>,
    offers: Vec<Offer>,
    /// The step that would be taken.
    chosen: usize,
    /// Names and values, and whether the last step changed them.
    state: Vec<(String, String, bool)>,
    /// The way so far, a line each.
    way: Vec<String>,
    prompt: Option<(Prompt, String)>,
    message: String,
    seed: u64,
}

impl<'s> App<'s> {
    fn new(
        session: &'s Session,
        args: &'s SimulateArgs,
        interrupts: &'s Interrupts,
    ) -> Option<Self> {
        let walk = Walk::new(session.program())?;
        let mut app = App {
            session,
            args,
            interrupts,
            walk,
            offers: Vec::new(),
            chosen: 0,
            state: Vec::new(),
            way: Vec::new(),
            prompt: None,
            message: String::new(),
            seed: args.seed,
        };
        app.look();
        Some(app)
    }

    fn run(&mut self, terminal: &mut DefaultTerminal) -> io::Result<()> {
        loop {
            terminal.draw(|frame| self.draw(frame))?;
            while !event::poll(TICK)? {
                if self.interrupts.pending() {
                    return Ok(());
                }
            }
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
                && self.key(key)
            {
                return Ok(());
            }
        }
    }

    /// Looks at the present state anew.
    fn look(&mut self) {
        let told = plain::state(&self.walk.state());
        let changed = |at: usize, value: &String| {
            let before = self.state.get(at);
            before.is_some_and(|(_, old, _)| old != value)
        };
        let told = told.into_iter().enumerate();
        self.state = told
            .map(|(at, (name, value))| {
                let new = changed(at, &value);
                (name, value, new)
            })
            .collect();
        self.offers = self.walk.offers();
        self.chosen = self.chosen.min(self.offers.len().saturating_sub(1));
        self.message = match self.walk.end() {
            Some(Ended::Wrong) => "something went wrong in this step".to_string(),
            Some(Ended::Deadlock) => {
                "a deadlock: no step is enabled, and a thread waits".to_string()
            }
            Some(Ended::Rest) => "all threads have come to rest".to_string(),
            _ => String::new(),
        };
    }

    /// What the walk is now, told from its beginning.
    fn retell(&mut self) {
        let steps = self.walk.trace().map(|t| t.steps).unwrap_or_default();
        let tell = |s: &coarsen::results::TraceStep| {
            let violation = s.violation.as_ref().map(ToString::to_string);
            line(&s.step.thread, &plain::step(&s.step), &s.changes, violation)
        };
        self.way = steps.iter().map(tell).collect();
        self.look();
    }

    /// Whether the user wants to end.
    fn key(&mut self, key: KeyEvent) -> bool {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return true;
        }
        if let Some((prompt, mut text)) = self.prompt.take() {
            match key.code {
                KeyCode::Enter => self.asked(prompt, text.trim()),
                KeyCode::Esc => {}
                KeyCode::Backspace => {
                    text.pop();
                    self.prompt = Some((prompt, text));
                }
                KeyCode::Char(c) => {
                    text.push(c);
                    self.prompt = Some((prompt, text));
                }
                _ => self.prompt = Some((prompt, text)),
            }
            return false;
        }
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return true,
            KeyCode::Down | KeyCode::Char('j') => {
                self.chosen = (self.chosen + 1).min(self.offers.len().saturating_sub(1));
            }
            KeyCode::Up | KeyCode::Char('k') => self.chosen = self.chosen.saturating_sub(1),
            KeyCode::Enter | KeyCode::Right => self.take(self.chosen),
            KeyCode::Char('b') | KeyCode::Left | KeyCode::Backspace => {
                self.back();
            }
            KeyCode::Char('r') => {
                self.seed = self.seed.wrapping_add(1);
                self.walk.random(1, self.seed);
                self.retell();
            }
            KeyCode::Char('g') => self.prompt = Some((Prompt::Goal, String::new())),
            KeyCode::Char('s') => self.prompt = Some((Prompt::Save, String::new())),
            KeyCode::Char('l') => self.prompt = Some((Prompt::Load, String::new())),
            KeyCode::Char(c) => {
                if let Some(n) = c.to_digit(10).and_then(|d| (d as usize).checked_sub(1)) {
                    self.take(n);
                }
            }
            _ => {}
        }
        false
    }

    fn back(&mut self) {
        if self.walk.back() {
            self.way.pop();
            self.look();
        }
    }

    fn take(&mut self, n: usize) {
        if n >= self.offers.len() {
            return;
        }
        let offer = self.offers.swap_remove(n);
        let violation = offer.violation.as_ref().map(ToString::to_string);
        let told = plain::step(&offer.step);
        self.way
            .push(line(&offer.step.thread, &told, &offer.changes, violation));
        self.walk.take(offer);
        self.look();
    }

    /// Does what a line was typed for.
    fn asked(&mut self, prompt: Prompt, text: &str) {
        if text.is_empty() {
            return;
        }
        let done = match prompt {
            Prompt::Goal => self.go(text),
            Prompt::Save => self.save(Path::new(text)),
            Prompt::Load => self.load(Path::new(text)),
        };
        self.message = done.unwrap_or_else(|why| why);
    }

    fn go(&mut self, text: &str) -> Result<String, String> {
        let goal = self.session.state_expression(text).map_err(|errors| {
            let first = errors.first().map(|d| d.message.clone());
            first.unwrap_or_default()
        })?;
        let before = self.walk.steps();
        let found = self.patiently(|walk, control| walk.towards(&goal, control))?;
        if !found {
            return Err(format!("from here no state satisfies {text}"));
        }
        self.retell();
        Ok(format!("after {} steps {text}", self.walk.steps() - before))
    }

    /// Does what may take long, until the user's patience ends or someone ends the command.
    fn patiently<T>(
        &mut self,
        work: impl FnOnce(&mut Walk<'s>, &Control) -> Result<T, Stop>,
    ) -> Result<T, String> {
        let control = Control::new(self.args.limits.budget);
        let (done, ends) = mpsc::channel::<()>();
        let (walk, interrupts) = (&mut self.walk, self.interrupts);
        let control = &control;
        let result = thread::scope(|scope| {
            // It ends with the work, however that ends.
            let _done = done;
            scope.spawn(move || {
                let begun = Instant::now();
                while let Err(RecvTimeoutError::Timeout) = ends.recv_timeout(TICK) {
                    if interrupts.pending() {
                        control.stop(Stop::Interrupt);
                    }
                    if begun.elapsed() > PATIENCE {
                        control.stop(Stop::Time);
                    }
                }
            });
            work(walk, control)
        });
        result.map_err(|stop| format!("stopped by {stop}"))
    }

    fn save(&self, file: &Path) -> Result<String, String> {
        let trace = self.walk.trace().ok_or("the walk is too long to be told")?;
        let model = &self.args.model;
        trace_file::save((file, TraceFormat::of(file)), model, WALK, &trace)
            .map(|()| format!("saved to {}", file.display()))
            .map_err(|error| format!("{}: {error}", file.display()))
    }

    fn load(&mut self, file: &Path) -> Result<String, String> {
        let states = states(file).map_err(|(why, _)| why)?;
        let is = |n: usize, names: &[_], values: &[_]| itf::is_state(&states[n], names, values);
        let mut loaded = self.walk.clone();
        std::mem::swap(&mut self.walk, &mut loaded);
        let followed = self
            .patiently(|walk, control| walk.follow(states.len(), &is, control))
            .and_then(|done| done.map_err(|n| format!("no step leads to state {n} of the trace")));
        if let Err(why) = followed {
            self.walk = loaded;
            return Err(why);
        }
        self.retell();
        Ok(format!("{} steps", self.walk.steps()))
    }

    fn draw(&self, frame: &mut Frame) {
        let whole = Layout::vertical([
            Constraint::Length(1),
            Constraint::Min(6),
            Constraint::Percentage(30),
            Constraint::Length(1),
            Constraint::Length(1),
        ]);
        let [head, middle, way, message, keys] = whole.areas(frame.area());
        let title = format!("{}: after {} steps", self.args.model, self.walk.steps());
        frame.render_widget(Paragraph::new(title).style(bold()), head);
        let parts = [Constraint::Percentage(55), Constraint::Percentage(45)];
        let [steps, state] = match frame.area().width < NARROW {
            true => Layout::vertical(parts).areas(middle),
            false => Layout::horizontal(parts).areas(middle),
        };
        self.draw_steps(frame, steps);
        let values = self.state.iter().map(|(name, value, new)| {
            let style = if *new { bold() } else { Style::default() };
            Line::styled(format!("{name} = {value}"), style)
        });
        let values = Paragraph::new(values.collect::<Vec<_>>());
        frame.render_widget(values.block(Block::bordered().title("state")), state);
        let fits = usize::from(way.height.saturating_sub(2));
        let from = self.way.len().saturating_sub(fits);
        let told = self.way[from..].iter().enumerate();
        let told = told.map(|(n, line)| Line::raw(format!("{:4}. {line}", from + n + 1)));
        let told = Paragraph::new(told.collect::<Vec<_>>());
        frame.render_widget(told.block(Block::bordered().title("way")), way);
        let line = match &self.prompt {
            Some((prompt, text)) => format!("{}{text}_", prompt.words()),
            None => self.message.clone(),
        };
        frame.render_widget(Paragraph::new(line).style(bold()), message);
        frame.render_widget(Paragraph::new(KEYS), keys);
    }

    fn draw_steps(&self, frame: &mut Frame, area: Rect) {
        let rows = self.offers.iter().enumerate().map(|(n, o)| {
            let violation = o.violation.as_ref().map(ToString::to_string);
            let told = line(&o.step.thread, &plain::step(&o.step), &o.changes, violation);
            format!("{} {told}", n + 1)
        });
        let list = List::new(rows)
            .block(Block::bordered().title("steps"))
            .highlight_style(Style::default().add_modifier(Modifier::REVERSED));
        let mut at = ListState::default();
        at.select((!self.offers.is_empty()).then_some(self.chosen));
        frame.render_stateful_widget(list, area, &mut at);
    }
}

fn bold() -> Style {
    Style::default().add_modifier(Modifier::BOLD)
}

/// `worker(0)  line 7: x = 1;  x: 0 -> 1`
fn line(thread: &str, said: &str, changes: &[Change], violation: Option<String>) -> String {
    let mut line = format!("{thread}  {said}");
    for c in changes {
        line += &format!("  {}: {} -> {}", c.name, c.old, c.new);
    }
    if let Some(violation) = violation {
        line += &format!("  ! {violation}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Arguments, Command};
    use clap::Parser;
    use coarsen::base::control::ParseLimits;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    const MODEL: &str =
        "var x: 0..3 = 0;\nthread a { x = x + 1; x = 3; }\nthread b { when (x == 3) x = 0; }\n";

    fn seen(app: &App, width: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, 24)).expect("a terminal");
        terminal.draw(|frame| app.draw(frame)).expect("drawn");
        terminal.backend().to_string()
    }

    fn press(app: &mut App, keys: &str) {
        for c in keys.chars() {
            let code = match c {
                '\n' => KeyCode::Enter,
                c => KeyCode::Char(c),
            };
            assert!(!app.key(KeyEvent::new(code, KeyModifiers::NONE)));
        }
    }

    /// Steps are taken, taken back, found, saved and loaded; nothing is lost where there is little room.
    #[test]
    fn a_model_is_walked_through() {
        let (session, _) =
            Session::load("m.cor", MODEL, &[], ParseLimits::default()).expect("loads");
        let Command::Simulate(args) =
            Arguments::parse_from(["coarsen", "simulate", "m.cor"]).command
        else {
            panic!("simulate");
        };
        let interrupts = Interrupts::default();
        let mut app = App::new(&session, &args, &interrupts).expect("a state");
        for width in [40, 80, 120] {
            let screen = seen(&app, width);
            assert!(screen.contains("1 a  line 2: x = x + 1;"), "{screen}");
            assert!(screen.contains("x = 0"), "{screen}");
        }
        press(&mut app, "\n");
        assert_eq!(app.walk.steps(), 1);
        assert!(seen(&app, 80).contains("x: 0 -> 1"));
        press(&mut app, "b");
        assert_eq!((app.walk.steps(), app.way.len()), (0, 0));
        press(&mut app, "gx == 3\n");
        assert_eq!((app.walk.steps(), app.way.len()), (2, 2));
        assert!(app.message.contains("after 2 steps"), "{}", app.message);
        press(&mut app, "gx == 2\n");
        assert!(app.message.contains("no state"), "{}", app.message);
        press(&mut app, "gx ==\n");
        assert!(!app.message.is_empty() && app.walk.steps() == 2);
        press(&mut app, "rrr");
        assert_eq!(app.walk.steps(), 3);
        assert!(seen(&app, 40).contains("come to rest"));
        let file = std::env::temp_dir().join(format!("coarsen-walk-{}.json", std::process::id()));
        let path = file.display().to_string();
        press(&mut app, &format!("s{path}\n"));
        assert!(app.message.starts_with("saved"), "{}", app.message);
        press(&mut app, "bbb");
        press(&mut app, &format!("l{path}\n"));
        assert_eq!((app.walk.steps(), app.way.len()), (3, 3), "{}", app.message);
        std::fs::remove_file(file).expect("removed");
        assert!(app.key(KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE)));
    }
}
