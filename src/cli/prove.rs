//! `coarsen prove`: statements of files and directories, like a test runner.

mod includes;
mod problem;

use super::args::{Format, ProveArgs, ShowAs};
use super::exit::Exit;
use super::failure::tell_diagnostics;
use super::input::{self, Refused};
use super::output::{Output, say};
use super::progress::Progress;
use super::suggest;
use super::supervise::{Ended, Interrupts, supervise};
use coarsen::algebra::coq;
use coarsen::algebra::files::{Also, Flawed, Text, load_suite, prove_items, untried};
use coarsen::base::control::{Control, Stop};
use coarsen::base::diagnostic::Diagnostic;
use coarsen::kernel::Development;
use coarsen::report::ci::{self, Case};
use coarsen::report::derivation;
use coarsen::report::json::{self, Blamed};
use coarsen::report::page;
use coarsen::report::proofs::{self, Detail};
use coarsen::results::proofs::{Proof, Tally};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Proves what `args` ask for.
pub fn run(args: &ProveArgs, output: &mut Output) -> Exit {
    if input::repeats_stdin(&args.files) {
        say("coarsen: standard input can be read only once");
        return Exit::Usage;
    }
    if let Some(other) = args.to.first().filter(|to| *to != "coq") {
        say(&format!(
            "coarsen: `--to {other}`: there is no such checker; there is: coq"
        ));
        return Exit::Usage;
    }
    let mut session = Run {
        args,
        output,
        interrupts: Interrupts::install(),
        tally: Tally::default(),
        objects: Vec::new(),
        exit: Exit::Holds,
        problems: Exit::Holds,
        matched: BTreeSet::new(),
        statements: 0,
        names: BTreeSet::new(),
        written: BTreeSet::new(),
        shown: false,
        paged: Vec::new(),
    };
    for file in &args.files {
        session.argument(file);
    }
    session.conclude()
}

struct Run<'a, 'w> {
    args: &'a ProveArgs,
    output: &'a mut Output<'w>,
    interrupts: Interrupts,
    tally: Tally,
    /// The JSON form: what is to be in the list.
    objects: Vec<serde_json::Result<String>>,
    exit: Exit,
    /// What the answers for problems say.
    problems: Exit,
    /// Which of the names asked for are those of a statement.
    matched: BTreeSet<usize>,
    /// How many statements there are.
    statements: usize,
    /// All names met, for suggestions.
    names: BTreeSet<String>,
    written: BTreeSet<PathBuf>,
    /// Whether something has been printed.
    shown: bool,
    /// Proofs for a page.
    paged: Vec<Proof>,
}

/// What a worker leaves, also when it is left behind.
#[derive(Default)]
struct Answers {
    /// The statements to be tried, then the answers in their place.
    proofs: Vec<Proof>,
    done: usize,
    /// How many statements the file has, and their names.
    names: Vec<String>,
    /// What is odd about the file.
    warnings: Vec<Diagnostic>,
}

/// What was proved, in some form.
struct Exported {
    folder: PathBuf,
    /// What the name ends with: `cert`, or `v` for Coq.
    form: &'static str,
    text: Result<String, String>,
    theorems: usize,
}

/// What a worker returns.
enum Worked {
    Flawed(Box<Flawed>),
    Proved {
        files: Vec<Exported>,
        stopped: Option<Stop>,
    },
}

impl Run<'_, '_> {
    fn argument(&mut self, path: &str) {
        let before = self.statements;
        let errors = self.exit;
        let several = self.args.files.len() > 1 || Path::new(path).is_dir();
        if Path::new(path).is_dir() {
            let mut files = Vec::new();
            if let Err((folder, error)) =
                input::files_below(Path::new(path), &["thy", "txt", "p"], &mut files)
            {
                self.trouble(
                    &folder.to_string_lossy(),
                    format!("can't read the directory: {error}"),
                );
            }
            files.sort();
            for file in files {
                self.file(&file.to_string_lossy(), several);
            }
        } else {
            self.file(path, several);
        }
        // Files with errors have been told about.
        if self.statements == before && self.exit == errors && !self.interrupts.pending() {
            say(&format!(
                "coarsen: {}: no statements to be proved",
                input::name(path)
            ));
            self.exit = self.exit.and(Exit::Usage);
        }
    }

    fn trouble(&mut self, file: &str, reason: String) {
        say(&format!("coarsen: {file}: {reason}"));
        self.fail(file, &reason, "", &[], Exit::Internal);
    }

    /// A file that could not be read, as an answer.
    fn fail(
        &mut self,
        file: &str,
        reason: &str,
        source: &str,
        diagnostics: &[Diagnostic],
        exit: Exit,
    ) {
        self.output.cases(|| match diagnostics {
            [] => vec![Case::broken(file, reason)],
            some => ci::of_diagnostics(file, source, some),
        });
        match self.args.format() {
            Format::Text => self
                .output
                .write(&coarsen::report::text::headline(file, "error", reason)),
            Format::Json => {
                self.objects
                    .push(json::fault(Blamed::File(file), reason, source, diagnostics))
            }
        }
        self.exit = self.exit.and(exit);
    }

    fn file(&mut self, path: &str, several: bool) {
        if self.interrupts.pending() {
            return;
        }
        if problem::is_problem(Path::new(path)) {
            return self.problem(path);
        }
        let text = match read_text(path) {
            Ok(text) => text,
            Err(Refused::Unreadable(error)) => {
                let name = input::name(path);
                return self.trouble(name, format!("can't read the file: {error}"));
            }
            Err(Refused::NotAModel(input, diagnostic)) => {
                let file = Text {
                    name: input.name,
                    text: input.source,
                };
                return self.flawed(&Flawed {
                    file,
                    diagnostics: vec![*diagnostic],
                });
            }
        };
        let (name, source) = (text.name.clone(), text.text.clone());
        let control = Arc::new(Control::default());
        let answers = Arc::new(Mutex::new(Answers::default()));
        let ended = supervise(
            job(self.args, text, Arc::clone(&answers)),
            &control,
            &self.args.limits,
            &self.interrupts,
            &mut Progress::on_stderr(),
        );
        // A worker that panicked has left what it had.
        let mut answers = answers.lock().unwrap_or_else(|e| e.into_inner());
        let stopped = match ended {
            Ended::Done(Worked::Flawed(flawed)) => return self.flawed(&flawed),
            Ended::Done(Worked::Proved { files, stopped }) => {
                for file in &files {
                    self.export(&name, file);
                }
                stopped
            }
            Ended::Abandoned(why) => Some(why),
            Ended::Broken(why) => return self.trouble(&name, why.to_string()),
        };
        tell_diagnostics((&name, &source), &answers.warnings);
        let done = answers.done;
        if let Some(why) = stopped {
            let first = answers.proofs.get_mut(done..).unwrap_or_default();
            for proof in first {
                proof.why = vec![format!("stopped by {why}")];
            }
        }
        self.statements += answers.names.len();
        self.names.extend(answers.names.iter().cloned());
        self.matched_by(&answers.names);
        self.show(&name, &answers.proofs, several);
    }

    fn flawed(&mut self, flawed: &Flawed) {
        let source = (flawed.file.name.as_str(), flawed.file.text.as_str());
        tell_diagnostics(source, &flawed.diagnostics);
        let reason = proofs::summary(&flawed.diagnostics);
        self.fail(
            source.0,
            &reason,
            source.1,
            &flawed.diagnostics,
            Exit::Input,
        );
    }

    fn matched_by(&mut self, names: &[String]) {
        for (n, pattern) in self.args.wanted().into_iter().enumerate() {
            if names.iter().any(|name| fits(pattern, name)) {
                self.matched.insert(n);
            }
        }
    }

    fn show(&mut self, file: &str, proofs: &[Proof], several: bool) {
        let detail = self.args.detail();
        for proof in proofs {
            self.tally.add(proof);
        }
        self.output
            .cases(|| proofs.iter().map(ci::of_proof).collect());
        if self.args.format() == Format::Json {
            self.objects.extend(proofs.iter().map(json::object));
            return;
        }
        match self.args.show_as {
            ShowAs::Text => {}
            ShowAs::Html => {
                // One page has the proofs of all files.
                self.paged.extend(proofs.iter().cloned());
                return;
            }
            ShowAs::Latex => {
                let all: String = proofs.iter().map(derivation::latex).collect();
                return self.output.write(&all);
            }
        }
        let width = proofs.iter().map(|p| p.name.chars().count()).max();
        let width = width.unwrap_or(0).min(40);
        let lines: String = proofs.iter().map(|p| p.render(detail, width)).collect();
        if lines.is_empty() {
            return;
        }
        if several {
            let gap = if self.shown { "\n" } else { "" };
            self.output.write(&format!("{gap}{file}:\n"));
        }
        self.output.write(&lines);
        for proof in proofs {
            self.output.write(&derivation::text(proof));
        }
        self.shown = true;
    }

    fn export(&mut self, file: &str, exported: &Exported) {
        let Exported { folder, form, .. } = exported;
        let coq = *form == "v";
        let named = |stem: &str| match coq {
            true => folder.join(format!("{}.v", coq::module(stem))),
            false => folder.join(format!("{stem}.{form}")),
        };
        let stem = Path::new(file).file_stem().unwrap_or_default();
        let mut target = named(&stem.to_string_lossy());
        if self.written.contains(&target) {
            // Two files of one name: the whole path tells them apart.
            target = named(&file.replace(['/', '\\'], "_"));
        }
        let shown = target.display().to_string();
        let text = match &exported.text {
            Ok(text) => text,
            Err(why) => {
                say(&format!("coarsen: {shown} is not written: {why}"));
                self.exit = self.exit.and(Exit::Unknown);
                return;
            }
        };
        let library = match coq {
            true => std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::write(folder.join(coq::LIBRARY_NAME), coq::LIBRARY)),
            false => std::fs::create_dir_all(folder),
        };
        let written = library.and_then(|()| std::fs::write(&target, text));
        self.written.insert(target);
        match written {
            Ok(()) => {
                let theorems = exported.theorems;
                let s = if theorems == 1 { "" } else { "s" };
                say(&format!("{theorems} theorem{s} written to {shown}"));
            }
            Err(error) => {
                say(&format!("coarsen: can't write {shown}: {error}"));
                self.exit = self.exit.and(Exit::Internal);
            }
        }
    }

    fn conclude(mut self) -> Exit {
        // Where files could not be read, the names may stand in them.
        if self.exit == Exit::Holds {
            for (n, pattern) in self.args.wanted().into_iter().enumerate() {
                if !self.matched.contains(&n) {
                    let hint = suggest::hint(pattern, self.names.iter().map(String::as_str));
                    say(&format!(
                        "coarsen: no statement is called `{pattern}`{hint}"
                    ));
                    self.exit = self.exit.and(Exit::Usage);
                }
            }
        }
        match self.args.format() {
            Format::Text if self.args.show_as == ShowAs::Html => {
                let title = self.args.files.join(", ");
                self.output.write(&page::derivations(&title, &self.paged));
            }
            Format::Text if self.args.show_as == ShowAs::Latex => {}
            Format::Text if self.tally.total() > 0 => {
                if self.shown && self.args.detail() != Detail::Quiet {
                    self.output.write("\n");
                }
                self.output.write(&self.tally.render());
            }
            Format::Text => {}
            Format::Json => {
                let all: serde_json::Result<Vec<String>> = self.objects.drain(..).collect();
                let list = all.map(|all| format!("[{}]", all.join(",\n")));
                self.output.line(list);
            }
        }
        let answer = match self.tally {
            t if t.rejected > 0 => Exit::EvidenceRejected,
            t if t.as_declared == t.total() => Exit::Holds,
            t if t.wrong > 0 => Exit::Refuted,
            _ => Exit::Unknown,
        };
        self.exit.and(answer).and(self.problems)
    }
}

/// A file as a text with its name.
fn read_text(path: &str) -> Result<Text, Refused> {
    input::read(path).map(|input| Text {
        name: input.name,
        text: input.source,
    })
}

/// What the worker does.
fn job(
    args: &ProveArgs,
    text: Text,
    answers: Arc<Mutex<Answers>>,
) -> impl FnOnce(&Control) -> Worked + Send + 'static + use<> {
    let args = args.clone();
    move |control| {
        let file = text.name.clone();
        control.enter(format!("reading {file}"));
        let mut suite = match load_suite(text, args.limits.depth, &mut load) {
            Ok(suite) => suite,
            Err(flawed) => return Worked::Flawed(flawed),
        };
        let patterns = args.wanted();
        let asked = |name: &String| patterns.is_empty() || patterns.iter().any(|p| fits(p, name));
        let own = suite.items.iter().enumerate().filter(|(_, i)| i.asked);
        let wanted: Vec<usize> = own
            .clone()
            .filter(|(_, i)| asked(&i.name))
            .map(|(n, _)| n)
            .collect();
        {
            let mut shared = answers.lock().unwrap_or_else(|e| e.into_inner());
            shared.warnings = std::mem::take(&mut suite.warnings);
            shared.names = own.map(|(_, i)| i.name.clone()).collect();
            shared.proofs = wanted.iter().map(|n| untried(&suite.items[*n])).collect();
        }
        let mut tell = |proof: Proof| {
            let mut shared = answers.lock().unwrap_or_else(|e| e.into_inner());
            let done = shared.done;
            if let Some(place) = shared.proofs.get_mut(done) {
                *place = proof;
            }
            shared.done += 1;
        };
        let limits = &args.limits.prover;
        let also = Also {
            ablate: args.ablate,
            derivation: !args.show.is_empty(),
            suggestions: args.suggest,
        };
        let ended = prove_items(&mut suite, &wanted, limits, also, control, &mut tell);
        let files = exports(&args, &mut suite.development, &file, control);
        Worked::Proved {
            files,
            stopped: ended.err(),
        }
    }
}

/// What was proved, in the forms that are asked for.
fn exports(
    args: &ProveArgs,
    development: &mut Development,
    file: &str,
    control: &Control,
) -> Vec<Exported> {
    let theorems = development.theorems().len();
    let mut files = Vec::new();
    let mut put = |folder: &Path, form, text| {
        files.push(Exported {
            folder: folder.to_path_buf(),
            form,
            text,
            theorems,
        });
    };
    if let Some(folder) = &args.certificate {
        put(folder, "cert", Ok(coarsen::kernel::write(development)));
    }
    if let Some(folder) = args.to.get(1) {
        control.enter(format!("{file}: writing it for Coq"));
        let text = coq::export(development, file);
        put(Path::new(folder), "v", text.map_err(|e| e.to_string()));
    }
    files
}

/// The file that `use "path";` in the file `from` speaks of. Errors quote what it says, so its name, links followed, is
/// that of a theory or suite.
pub(super) fn load(path: &str, from: &str) -> Result<Text, String> {
    load_one(path, from, &["thy", "txt"])
}

/// The same, where what the kernel has written will do, too.
pub(super) fn load_proof(path: &str, from: &str) -> Result<Text, String> {
    load_one(path, from, &["thy", "txt", "cert"])
}

fn load_one(path: &str, from: &str, kinds: &[&str]) -> Result<Text, String> {
    let folder = Path::new(from).parent().unwrap_or(Path::new(""));
    let mut whole = PathBuf::new();
    for part in folder.join(path).components() {
        // `a/../b` is `b`, so that a file has one name.
        let into = matches!(whole.components().next_back(), Some(Component::Normal(_)));
        if part == Component::ParentDir && into {
            whole.pop();
        } else {
            whole.push(part);
        }
    }
    let file = whole.canonicalize().map_err(|e| e.to_string())?;
    if !file.is_file()
        || !file
            .extension()
            .is_some_and(|e| kinds.iter().any(|k| e == *k))
    {
        let kinds: Vec<String> = kinds.iter().map(|k| format!(".{k}")).collect();
        let kinds = kinds.join(" or ");
        return Err(format!(
            "it is no regular file with a name that ends in {kinds}"
        ));
    }
    match read_text(&whole.to_string_lossy()) {
        Ok(text) => Ok(text),
        Err(Refused::Unreadable(error)) => Err(error.to_string()),
        Err(Refused::NotAModel(_, diagnostic)) => Err(diagnostic.message),
    }
}

/// Whether a name is the one asked for; `*` at either end stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    if pattern == "*" {
        return true;
    }
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(_), Some(_)) => name.contains(&pattern[1..pattern.len() - 1]),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("*b*", "abc", true),
            ("*", "", true),
            ("**", "x", true),
            ("*d*", "abc", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
