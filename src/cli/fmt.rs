//! `coarsen fmt`: models in the usual layout.

use super::args::{FmtArgs, Format};
use super::exit::Exit;
use super::input;
use super::model_run::{ModelRun, Worked};
use super::output::{Output, say};
use super::supervise::Interrupts;
use coarsen::base::control::ParseLimits;
use coarsen::model::{dve, text::format_model};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Formats the models of `args`, or says which are not formatted.
pub fn run(args: &FmtArgs, output: &mut Output) -> Exit {
    let models = match input::expanded(&args.models, &["cor"]) {
        Ok(models) => models,
        Err(message) => {
            say(&format!("coarsen: {message}"));
            return Exit::Usage;
        }
    };
    if let Some(foreign) = models.iter().find(|m| dve::is_dve(m)) {
        say(&format!(
            "coarsen: {foreign} is a model in DVE; only `.cor` is formatted (`coarsen convert` makes one of it)"
        ));
        return Exit::Usage;
    }
    let interrupts = Interrupts::install();
    let mut exit = Exit::Holds;
    for model in &models {
        exit = exit.and(one(model, args, &interrupts, output));
        if interrupts.pending() {
            break;
        }
    }
    exit
}

fn one(model: &str, args: &FmtArgs, interrupts: &Interrupts, output: &mut Output) -> Exit {
    let depth = args.limits.depth;
    let run = ModelRun {
        quiet: true,
        ..ModelRun::read(model, Format::Text, &args.limits)
    };
    let name = run.name;
    let worked = run.work(interrupts, output, move |_, source, _| {
        let text = format_model(source, ParseLimits { depth })?;
        Ok((Vec::new(), text))
    });
    let (text, source) = match worked {
        Ok((Worked::Done(text), source)) => (text, source),
        Ok((Worked::Abandoned { stop, .. }, _)) => {
            say(&format!("coarsen: {name}: stopped by {stop}"));
            return Exit::Unknown;
        }
        Err(exit) => return exit,
    };
    let changed = *text != *source;
    match (args.check, model) {
        (true, _) if changed => {
            output.write(&format!("{name}: not formatted\n"));
            Exit::Refuted
        }
        (false, "-") => {
            output.write(&text);
            Exit::Holds
        }
        (false, _) if changed => match replace(Path::new(model), &text) {
            Ok(()) => {
                output.write(&format!("{name}: formatted\n"));
                Exit::Holds
            }
            Err(error) => {
                say(&format!("coarsen: {name}: can't write the file: {error}"));
                Exit::Internal
            }
        },
        _ => Exit::Holds,
    }
}

/// Puts a text into a file's place, all or nothing: a full disk must not cost the text that was there.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    // A link stays one.
    let file = file.canonicalize()?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let permissions = fs::metadata(&file)?.permissions();
    if permissions.readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let written = fs::File::create(&beside).and_then(|mut new| {
        new.write_all(text.as_bytes())?;
        new.set_permissions(permissions)?;
        new.sync_all()
    });
    let placed = written.and_then(|()| fs::rename(&beside, &file));
    if placed.is_err() {
        let _ = fs::remove_file(&beside);
    }
    placed
}
