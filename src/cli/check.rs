//! `coarsen check`: each model in turn, going on after a bad one.

use super::args::{CheckArgs, DEFAULT_THEOREM, Format, ReduceName, ReductionName};
use super::backend::{Backend, Options};
use super::certificate_file::{Evidence, NOTHING_HOLDS};
use super::every;
use super::exit::Exit;
use super::failure::refuse;
use super::input::{self, Input, Refused};
use super::memory;
use super::model_run::{ModelRun, Work, Worked};
use super::output::{Output, say, stdout_colour};
use super::suggest::hint;
use super::supervise::Interrupts;
use super::theorem::{Chosen, chosen};
use super::together::{self, Plan};
use super::trace_file::TraceFile;
use coarsen::base::control::{Control, Hit};
use coarsen::candidates;
use coarsen::command::coverage::ALWAYS;
use coarsen::report::diagnostics::Colour;
use coarsen::report::text::Detail;
use coarsen::report::{ci, coverage, json, page, text};
use coarsen::results::{CheckReason, MoversReport, Note, Report, Verdict};
use coarsen::theorem::{By, ForEvery, Generic, Reduce, Until};
use std::path::Path;

/// Work on what holds for every value that nobody asked for, in pairs of BDD nodes: about two hundredths of a second.
const EVERY: u64 = 1 << 19;

/// Checks the models of `args`; what is said of each goes to `output`.
pub fn run<B: Backend>(backend: &B, args: &CheckArgs, output: &mut Output) -> Exit {
    let args = match input::expanded(&args.models, &["cor", "dve"]) {
        Ok(models) => &args.of(models),
        Err(message) => {
            say(&format!("coarsen: {message}"));
            return Exit::Usage;
        }
    };
    if let Err(message) = usable(args) {
        say(&format!("coarsen: {message}"));
        return Exit::Usage;
    }
    let how = (args.limits.depth, args.format());
    let theorem = match chosen(args.theorem.as_deref(), how, output) {
        Ok(theorem) => theorem,
        Err(exit) => return exit,
    };
    let plan = match plan(args) {
        Ok(plan) => plan,
        Err(message) => {
            say(&format!("coarsen: {message}"));
            return Exit::Usage;
        }
    };
    if let Some(constant) = &args.every {
        return every::run(args, &theorem, constant, output);
    }
    // Everything is read before Ctrl-C is caught, so that it still ends a run that waits for standard input.
    let inputs: Vec<_> = args.models.iter().map(|path| input::read(path)).collect();
    let named = args.models.iter().map(|path| input::name(path)).zip(inputs);
    let mut session = Session::new(backend, (args, theorem), Interrupts::install());
    session.plan = plan;
    session.all(named, output)
}

/// The processes that explore together, if there are several, or levels are kept.
fn plan(args: &CheckArgs) -> Result<Option<Plan>, String> {
    let Some(plan) = Plan::of(&args.together, &args.models, &args.limits, args.cores)? else {
        return match args.cores {
            Some(_) => {
                Err("--cores is for a search with --distribute, --checkpoint or --resume".into())
            }
            None => Ok(None),
        };
    };
    let alone = [
        (args.every.is_some(), "--every, which explores nothing"),
        (args.expect, "--expect; `coarsen reach` has it with them"),
        (args.cross_check, "--cross-check"),
        (
            args.certificate.is_some(),
            "--certificate: no process has all states",
        ),
        (args.print_discipline, "--print-discipline"),
        (args.print_order, "--print-order"),
        (
            args.reduce == ReduceName::First,
            "--reduce first: one system is explored",
        ),
    ];
    plan.unless(&alone).map(Some)
}

/// What is asked, as all processes have to ask it, and those who go on from its levels.
fn about(args: &CheckArgs) -> String {
    let flags = [(args.strict, "--strict")];
    let mut all = together::begun("check", &args.defines.defines, &flags);
    all.extend(args.theorem.iter().map(|t| format!("--theorem {t}")));
    let named =
        |option: &str, value: &dyn std::fmt::Debug| format!("{option} {value:?}").to_lowercase();
    all.push(named("--reduce", &args.reduce));
    all.extend(args.reductions.iter().map(|r| named("--reductions", r)));
    all.extend(args.discharge.iter().map(|d| named("--discharge", d)));
    all.extend(args.property.iter().map(|p| format!("--property {p}")));
    // A reduction is asked for by it.
    all.extend((args.detail() == Detail::Steps).then(|| "--explain-visible".to_string()));
    all.join(" ")
}

fn usable(args: &CheckArgs) -> Result<(), String> {
    if args.certificate.is_some() && args.models.len() > 1 {
        return Err("--certificate writes the evidence for one model; there are several".into());
    }
    if (args.html.is_some() || args.coverage.is_some()) && args.models.len() > 1 {
        return Err("--html and --coverage write a file about one model; there are several".into());
    }
    let quotients = ReductionName::chosen(&args.reductions, false)?;
    if let Some(quotient) = quotients.first() {
        let name = quotient.name();
        if args.certificate.is_some() {
            return Err(format!(
                "a certificate is about the reduced system as it is: leave out --certificate, or `--reductions {name}`"
            ));
        }
        if args
            .theorem
            .as_deref()
            .is_some_and(|t| t != DEFAULT_THEOREM)
        {
            return Err(format!(
                "`--reductions {name}` goes with {DEFAULT_THEOREM} here; `coarsen reach --reduced` takes any theorem"
            ));
        }
    }
    Ok(())
}

/// What the worker returns for a model without errors.
enum ModelAnswer {
    /// The model has no property of the names asked for.
    Unmatched,
    /// Its variable order.
    Order(Vec<String>),
    /// The report, and the movers if a page is to show them.
    Checked(Box<Report>, Option<Box<MoversReport>>),
}

/// The names of a model's properties, and its answer.
type Named = (Vec<String>, ModelAnswer);

/// What lasts over all models.
struct Session<'a, B> {
    backend: &'a B,
    args: &'a CheckArgs,
    /// The theorem that governs the exploration.
    theorem: Chosen,
    interrupts: Interrupts,
    /// Those who explore together.
    plan: Option<Plan>,
    trace: TraceFile,
    /// The properties asked for that no model has had yet, and all that models have.
    unmatched: Vec<String>,
    properties: Vec<String>,
    /// Why no further model is begun.
    over: Option<CheckReason>,
}

impl<'a, B: Backend> Session<'a, B> {
    fn new(
        backend: &'a B,
        (args, theorem): (&'a CheckArgs, Chosen),
        interrupts: Interrupts,
    ) -> Self {
        Session {
            backend,
            args,
            theorem,
            interrupts,
            plan: None,
            trace: TraceFile::new(args.trace.clone(), args.trace_format, args.property.clone()),
            unmatched: args.property.clone(),
            properties: Vec::new(),
            over: None,
        }
    }

    fn all<'m>(
        mut self,
        models: impl Iterator<Item = (&'m str, Result<Input, Refused>)>,
        output: &mut Output,
    ) -> Exit {
        let mut exit = Exit::Holds;
        for (name, input) in models {
            exit = exit.and(self.model(name, input, output));
        }
        self.finish(exit)
    }

    fn model(&mut self, name: &str, input: Result<Input, Refused>, output: &mut Output) -> Exit {
        let input = match input {
            Ok(input) => input,
            Err(refused) => return refuse(name, &refused, self.args.format(), output),
        };
        if let Some(why) = &self.over {
            self.unmatched.clear();
            let mut report = Report::undecided(name, self.theorem.name());
            report.reason = why.clone();
            return self.show(&mut report, output);
        }
        let run = ModelRun {
            name,
            input: Ok(input),
            format: self.args.format(),
            limits: &self.args.limits,
            quiet: self.args.detail() == Detail::Quiet || !self.tells(),
        };
        let worked = run.work(&self.interrupts, output, self.job());
        if self.interrupts.pending() {
            self.over = Some(CheckReason::Interrupted);
        }
        match worked {
            Ok((Worked::Done((names, answer)), source)) => {
                self.unmatched.retain(|wanted| !names.contains(wanted));
                self.properties.extend(names);
                self.answer(name, answer, &source, output)
            }
            Ok((
                Worked::Abandoned {
                    stop,
                    phase,
                    snapshot,
                },
                source,
            )) => {
                // The worker still holds its memory and one core, so measurements of another model would mean nothing.
                self.over.get_or_insert(CheckReason::Occupied);
                self.unmatched.clear();
                let undecided = || Report::undecided(name, self.theorem.name());
                let report = snapshot.map_or_else(undecided, |known| *known);
                let mut report = cut_short(report, Hit::Abandoned(stop, phase));
                let exit = self.show(&mut report, output);
                exit.and(self.files(&report, &source, None))
            }
            Err(exit) => exit,
        }
    }

    /// What the worker does with one model.
    fn job(&self) -> impl Work<Named> + use<B> {
        let (backend, args) = (self.backend.clone(), self.args.clone());
        let theorem = self.theorem.clone();
        let plan = self.plan.clone();
        move |name: &str, source: &str, control: &Control| {
            let defines = &args.defines.defines;
            let (model, warnings) = backend.load(name, source, defines, args.limits.depth)?;
            let names = backend.property_names(&model);
            let mut properties = args.property.clone();
            properties.retain(|wanted| names.contains(wanted));
            if properties.is_empty() && !args.property.is_empty() {
                return Ok((warnings, (names, ModelAnswer::Unmatched)));
            }
            if args.print_order {
                let order = backend.variable_order(&model);
                return Ok((warnings, (names, ModelAnswer::Order(order))));
            }
            let options = Options {
                generic: Generic::default(),
                cross_check: args.cross_check,
                coverage: match args.coverage {
                    Some(_) => usize::MAX,
                    None => ALWAYS,
                },
                expected: args.expect,
                strict: args.strict,
                properties,
                annotate: args.print_discipline,
                certificate: args.certificate.is_some(),
                discharge: args.discharge.map_or(By::Either, By::from),
                every: match args.detail() {
                    Detail::Verbose => ForEvery::Always,
                    Detail::Quiet => ForEvery::Never,
                    _ => ForEvery::Within(EVERY),
                },
                claims_by: match (&args.theorem, &theorem) {
                    (Some(_), Chosen::Theorem(theory)) => Some(theory.name.clone()),
                    _ => None,
                },
                until: Until::Verdict,
                others: match &args.theorem {
                    Some(_) => Vec::new(),
                    None => candidates().split_off(1),
                },
                chooses: false,
                reduce: match (&args.theorem, args.reduce, args.detail()) {
                    // Each step, and whether it is visible.
                    (_, _, Detail::Steps) => Reduce::Always,
                    (None, ReduceName::Auto, _) => Reduce::Auto,
                    (None, ReduceName::First, _) => Reduce::First,
                    (None, ReduceName::Last, _) => Reduce::Last,
                    _ => Reduce::Always,
                },
                quotients: ReductionName::chosen(&args.reductions, false).unwrap_or_default(),
            };
            let together = match plan {
                Some(plan) => Some(plan.meet(source, about(&args), control)?),
                None => None,
            };
            let how = (&options, together.as_ref());
            let report = Box::new(backend.check(&model, &theorem, how, control));
            let movers = args.html.as_ref().map(|_| backend.movers(&model, control));
            let answer = ModelAnswer::Checked(report, movers.map(Box::new));
            Ok((warnings, (names, answer)))
        }
    }

    fn answer(
        &mut self,
        name: &str,
        answer: ModelAnswer,
        source: &str,
        output: &mut Output,
    ) -> Exit {
        match answer {
            ModelAnswer::Unmatched => return Exit::Holds,
            ModelAnswer::Checked(mut report, movers) => {
                let exit = self.show(&mut report, output);
                return exit.and(self.files(&report, source, movers.as_deref()));
            }
            ModelAnswer::Order(order) => match self.args.format() {
                Format::Json => output.line(json::variable_order(name, &order)),
                Format::Text => {
                    output.write(&format!("{name}: variable order\n"));
                    order.iter().for_each(|v| output.write(&format!("  {v}\n")));
                }
            },
        }
        Exit::Holds
    }

    /// Whether this process tells the answer, if there are several.
    fn tells(&self) -> bool {
        self.plan.as_ref().is_none_or(Plan::is_first)
    }

    fn show(&mut self, report: &mut Report, output: &mut Output) -> Exit {
        if !self.tells() {
            together::tell(&report.model, report.distributed.as_ref());
            return Exit::from(&*report);
        }
        self.state_limits(report);
        output.cases(|| match report.expectations.as_slice() {
            lines @ [_, ..] if self.args.expect => ci::of_expected(&report.model, lines),
            _ => ci::of_check(report),
        });
        match self.args.format() {
            Format::Json => output.line(json::object(report)),
            Format::Text => match &report.annotated {
                // The answer goes to where the reader looks, and not into the file that the text may go to.
                Some(annotated) => {
                    output.write(annotated);
                    say(text::render(report, Detail::Quiet).trim_end());
                }
                None if self.args.expect => {
                    let (found, lines) =
                        (text::verdict_words(report.verdict), &report.expectations);
                    output.write(&text::render_expected(&report.model, found, lines));
                }
                None => {
                    let told = text::render(report, self.args.detail());
                    output.write(&match stdout_colour() {
                        Colour::Coloured => text::coloured(report, &told),
                        Colour::Plain => told,
                    });
                }
            },
        }
        let certified = match &self.args.certificate {
            Some(file) => {
                let properties = report.properties.iter();
                Evidence {
                    model: &report.model,
                    asked: properties.map(|p| p.name.as_str()).collect(),
                    bundle: report.bundle.as_deref(),
                    missing: report.no_bundle.as_ref(),
                    nothing: NOTHING_HOLDS,
                }
                .write(file)
            }
            None => Exit::Holds,
        };
        let answer = match self.args.expect {
            true => Exit::from(&*report).expected(&report.expectations),
            false => Exit::from(&*report),
        };
        let exit = answer.and(certified);
        exit.and(self.trace.offer(report))
    }

    /// Writes the page, and how often statements are executed, if that was asked for.
    fn files(&self, report: &Report, source: &str, movers: Option<&MoversReport>) -> Exit {
        if !self.tells() {
            return Exit::Holds;
        }
        let page = match &self.args.html {
            Some(file) => written(file, &page::check(report, source, movers)),
            None => Exit::Holds,
        };
        let Some(file) = &self.args.coverage else {
            return page;
        };
        let Some(coverage) = &report.coverage else {
            say("coarsen: a limit was hit before it was known what is executed");
            return page.and(Exit::Unknown);
        };
        let is_lcov = file.extension().is_some_and(|e| e == "info");
        let text = match is_lcov {
            true => coverage::lcov(&report.model, coverage),
            false => coverage::annotated(&report.model, source, coverage),
        };
        page.and(written(file, &text))
    }

    /// The library keeps nodes and states; time and memory are kept, and stated, here.
    fn state_limits(&self, report: &mut Report) {
        let asked = &self.args.limits;
        report.limits.nodes = Some(asked.budget.nodes.to_string());
        report.limits.states = Some(asked.budget.states.to_string());
        report.limits.time = asked.time.map(|t| t.as_secs_f64());
        let kept = asked.memory.filter(|_| memory::resident().is_some());
        report.limits.memory = kept.map(|bytes| bytes.to_string());
        if asked.memory.is_some() && kept.is_none() {
            report.notes.push(Note::MemoryUnlimited);
        }
    }

    /// After the last model, when their exit codes make `exit`.
    fn finish(self, exit: Exit) -> Exit {
        if self.args.detail() != Detail::Quiet && !self.args.print_order {
            self.trace.conclude();
        }
        match self.unmatched.first() {
            // Where a model could not be read it may have the property: then that is what went wrong.
            Some(wanted) if !matches!(exit, Exit::Input | Exit::Internal) => {
                let mut known = self.properties;
                known.sort_unstable();
                known.dedup();
                say(&format!(
                    "coarsen: no model given has a property `{wanted}`{}; there are: {}",
                    hint(wanted, known.iter().map(String::as_str)),
                    known.join(", ")
                ));
                Exit::Usage
            }
            _ => exit,
        }
    }
}

/// Writes a file about a model.
fn written(file: &Path, text: &str) -> Exit {
    match std::fs::write(file, text) {
        Ok(()) => Exit::Holds,
        Err(error) => {
            let shown = file.display();
            say(&format!("coarsen: can't write {shown}: {error}"));
            Exit::Internal
        }
    }
}

/// What was last known of a model, with the limit that ended the work.
fn cut_short(mut report: Report, hit: Hit) -> Report {
    report.verdict = Verdict::Unknown;
    report.reason = CheckReason::Abandoned(hit.clone());
    report.limits.hit = Some(hit);
    report
}

#[cfg(test)]
mod tests;
