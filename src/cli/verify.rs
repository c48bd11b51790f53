//! `coarsen verify`: certificates, replayed.

use super::args::{Format, VerifyArgs};
use super::exit::Exit;
use super::failure::tell_diagnostics;
use super::input::{self, Refused};
use super::output::{Output, say};
use super::progress::Progress;
use super::prove::load;
use super::supervise::{Ended, Interrupts, supervise};
use super::theorem::given;
use coarsen::algebra::Theory;
use coarsen::algebra::files::{Flawed, Text, load_suite};
use coarsen::base::control::Control;
use coarsen::certificate;
use coarsen::certificate as leaf;
use coarsen::report::json::{self, Blamed};
use coarsen::results::proofs::{Acceptance, Certificate};
use coarsen::results::replayed::BundleAnswer;
use std::sync::Arc;

/// Verifies the files of `args`.
pub fn run(args: &VerifyArgs, output: &mut Output) -> Exit {
    if input::repeats_stdin(&args.files) {
        say("coarsen: standard input can be read only once");
        return Exit::Usage;
    }
    let wanted = match wanted(args) {
        Ok(wanted) => wanted,
        Err((why, code)) => {
            say(&format!("coarsen: {why}"));
            return code;
        }
    };
    let how = (args.limits.depth, args.format);
    let theorems = args.theorem.iter().map(|path| given(path, how, output));
    let theorems: Vec<Theory> = match theorems.collect() {
        Ok(theorems) => theorems,
        Err(exit) => return exit,
    };
    let interrupts = Interrupts::install();
    let mut exit = Exit::Holds;
    let mut objects = Vec::new();
    for path in &args.files {
        let name = input::name(path).to_string();
        let (found, code) = match answer(path, (wanted.as_ref(), &theorems), args, &interrupts) {
            Ok(found) => {
                let (status, proves_all) = match &found {
                    Found::Algebra(c) => (c.status, c.proves_all()),
                    Found::Bundle(b) => (b.status, true),
                };
                let (shown, object) = match &found {
                    Found::Algebra(c) => (c.render(args.quiet), json::object(c)),
                    Found::Bundle(b) => (b.render(args.quiet), json::object(b)),
                };
                let code = match status {
                    Acceptance::Accepted if proves_all => Exit::Holds,
                    Acceptance::Unknown => Exit::Unknown,
                    _ => Exit::EvidenceRejected,
                };
                if args.format == Format::Text {
                    output.write(&shown);
                }
                (object, code)
            }
            Err((reason, code)) => {
                say(&format!("coarsen: {name}: {reason}"));
                if args.format == Format::Text {
                    output.write(&coarsen::report::text::headline(&name, "error", &reason));
                }
                (json::fault(Blamed::File(&name), &reason, "", &[]), code)
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

/// The model that bundles have to be about, if one is given.
fn wanted(args: &VerifyArgs) -> Result<Option<leaf::Wanted>, (String, Exit)> {
    let Some(path) = &args.model else {
        return match args.defines.defines.is_empty() {
            true => Ok(None),
            false => Err((
                "-D says which constants the model of --model has; give both".into(),
                Exit::Usage,
            )),
        };
    };
    if path == "-" && args.files.iter().any(|f| f == "-") {
        return Err(("standard input can be read only once".into(), Exit::Usage));
    }
    let input = read(path).map_err(|(why, code)| (format!("{path}: {why}"), code))?;
    Ok(Some(leaf::Wanted {
        name: input.name,
        text: input.source,
        defines: args.defines.defines.clone(),
    }))
}

fn read(path: &str) -> Result<input::Input, (String, Exit)> {
    input::read(path).map_err(|refused| match refused {
        Refused::Unreadable(error) => (format!("can't read the file: {error}"), Exit::Internal),
        Refused::NotAModel(_, diagnostic) => (diagnostic.message, Exit::Input),
    })
}

/// What was found in a file.
enum Found {
    /// Theorems.
    Algebra(Certificate),
    /// The evidence for a model's properties.
    Bundle(BundleAnswer),
}

fn answer(
    path: &str,
    (wanted, theorems): (Option<&leaf::Wanted>, &[Theory]),
    args: &VerifyArgs,
    interrupts: &Interrupts,
) -> Result<Found, (String, Exit)> {
    let theories = args.theory.iter().map(|path| {
        let text = load(path, "").map_err(|e| (format!("can't read {path}: {e}"), Exit::Internal));
        text.map(|t| Text {
            name: path.clone(),
            ..t
        })
    });
    let theories: Vec<Text> = theories.collect::<Result<_, _>>()?;
    let (limits, depth) = (args.limits, args.limits.depth);
    let input = read(path)?;
    let (wanted, theorems) = (wanted.cloned(), theorems.to_vec());
    let control = Arc::new(Control::new(limits.budget));
    let ended = supervise(
        move |control: &Control| -> Result<Found, Box<Flawed>> {
            control.enter(format!("checking {}", input.name));
            if certificate::is_one(&input.source) {
                let verdict = leaf::verify(&input.source, wanted.as_ref(), &theorems, control);
                return Ok(Found::Bundle(BundleAnswer::of(&input.name, &verdict)));
            }
            let suites = theories
                .into_iter()
                .map(|text| load_suite(text, depth, &mut load));
            let suites: Vec<_> = suites.collect::<Result<_, Box<Flawed>>>()?;
            let (name, text) = (&input.name, &input.source);
            let operations = limits.operations.unwrap_or(coarsen::kernel::WORK);
            let answer = Certificate::of(name, text, operations, &suites);
            Ok(Found::Algebra(answer))
        },
        &control,
        &limits,
        interrupts,
        &mut Progress::on_stderr(),
    );
    match ended {
        Ended::Done(Ok(found)) => Ok(found),
        Ended::Done(Err(flawed)) => {
            let (name, text) = (&flawed.file.name, &flawed.file.text);
            tell_diagnostics((name, text), &flawed.diagnostics);
            Err((format!("{name} has errors"), Exit::Input))
        }
        Ended::Abandoned(why) => Err((format!("stopped by {why}"), Exit::Unknown)),
        Ended::Broken(why) => Err((why.to_string(), Exit::Internal)),
    }
}
