//! `coarsen verify`: certificates, replayed.

use super::args::{Format, VerifyArgs};
use super::exit::Exit;
use super::input::{self, Refused};
use super::limits::Limits;
use super::output::{Output, say};
use super::progress::Progress;
use super::supervise::{Ended, Interrupts, supervise};
use coarsen::control::{Budget, Control};
use coarsen::report::proofs::{self, Certificate};
use std::sync::Arc;

/// The kernel bounds its own work; there is nothing to be set.
const LIMITS: Limits = Limits {
    budget: Budget {
        nodes: usize::MAX,
        states: usize::MAX,
    },
    time: None,
    memory: None,
    depth: 0,
};

/// Verifies the files of `args`.
pub fn run(args: &VerifyArgs, output: &mut Output) -> Exit {
    if input::repeats_stdin(&args.files) {
        say("coarsen: standard input can be read only once");
        return Exit::Usage;
    }
    let interrupts = Interrupts::install();
    let mut exit = Exit::Holds;
    let mut objects = Vec::new();
    for path in &args.files {
        let name = input::name(path).to_string();
        let (found, code) = match answer(path, &interrupts) {
            Ok(certificate) => {
                let code = match certificate.status {
                    "accepted" => Exit::Holds,
                    _ => Exit::EvidenceRejected,
                };
                if args.format == Format::Text {
                    output.write(&certificate.render(args.quiet));
                }
                (proofs::json(&certificate), code)
            }
            Err((reason, code)) => {
                say(&format!("coarsen: {name}: {reason}"));
                if args.format == Format::Text {
                    output.write(&coarsen::report::text::headline(&name, "error", &reason));
                }
                (proofs::fault(&name, &reason, "", &[]), code)
            }
        };
        objects.push(found);
        exit = exit.and(code);
    }
    if args.format == Format::Json {
        let all: serde_json::Result<Vec<String>> = objects.into_iter().collect();
        output.line(all.map(|all| format!("[{}]", all.join(",\n"))));
    }
    exit
}

fn answer(path: &str, interrupts: &Interrupts) -> Result<Certificate, (String, Exit)> {
    let input = match input::read(path) {
        Ok(input) => input,
        Err(Refused::Unreadable(error)) => {
            return Err((format!("can't read the file: {error}"), Exit::Internal));
        }
        Err(Refused::NotAModel(_, diagnostic)) => return Err((diagnostic.message, Exit::Input)),
    };
    let control = Arc::new(Control::default());
    let ended = supervise(
        move |control: &Control| {
            control.enter(format!("checking {}", input.name));
            Certificate::of(&input.name, &input.source)
        },
        &control,
        &LIMITS,
        interrupts,
        &mut Progress::on_stderr(),
    );
    match ended {
        Ended::Done(certificate) => Ok(certificate),
        Ended::Abandoned(why) => Err((format!("stopped by {why}"), Exit::Unknown)),
        Ended::Panicked => Err((
            "internal error: this is a bug in coarsen; please report it with the file and the text above".into(),
            Exit::Internal,
        )),
        Ended::NotStarted(error) => Err((format!("can't start a thread: {error}"), Exit::Internal)),
    }
}
