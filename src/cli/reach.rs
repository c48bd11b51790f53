//! `coarsen reach`: the reachable states of models, one after the other.

use super::args::{EngineName, Format, ReachArgs, ReductionName, SearchName, TraceFormat};
use super::certificate_file::{Evidence, NOTHING_HOLDS};
use super::exit::Exit;
use super::input;
use super::memory;
use super::model_run::{ModelRun, Work, Worked, Wrong};
use super::output::{Output, say};
use super::suggest::hint;
use super::supervise::Interrupts;
use super::theorem::{Chosen, chosen};
use super::together::{self, Plan};
use super::trace_file;
use coarsen::Session;
use coarsen::base::control::{Control, Hit, ParseLimits};
use coarsen::command::reach::{Engine, Order, ReachOptions};
use coarsen::engine::Heuristic;
use coarsen::engine::compiled::Mode;
use coarsen::engine::partial_order::{Por, Technique};
use coarsen::engine::quotients::Quotient;
use coarsen::report::text::{render_expected, render_reach, verdict_words};
use coarsen::report::{ci, json};
use coarsen::results::{Note, PropertyKind, ReachReason, ReachReport};

/// The order that the engine chooses itself.
const BEST: &str = "best";

/// How a condition is called in diagnostics.
const CONDITION: &str = "<condition>";

/// What the worker returns.
enum ReachAnswer {
    Order(Vec<String>),
    Explored(Box<ReachReport>),
}

/// Explores the models of `args`.
pub fn run(args: &ReachArgs, output: &mut Output) -> Exit {
    let args = match input::expanded(&args.models, &["cor", "dve"]) {
        Ok(models) => &args.of(models),
        Err(message) => {
            say(&format!("coarsen: {message}"));
            return Exit::Usage;
        }
    };
    if args.models.len() > 1 && (args.certificate.is_some() || args.trace.is_some()) {
        say("coarsen: --certificate and --trace write a file about one model; there are several");
        return Exit::Usage;
    }
    let how = (args.limits.depth, args.format());
    let theorem = match chosen(args.theorem.as_deref(), how, output) {
        Ok(theorem) => theorem,
        Err(exit) => return exit,
    };
    let por = match por(args) {
        Ok(por) => por,
        Err(why) => {
            say(&format!(
                "coarsen: {why} (docs/por.md says what may be combined)"
            ));
            return Exit::Usage;
        }
    };
    let explicit = matches!(args.engine, EngineName::Auto | EngineName::Explicit);
    let exchanged = explicit && args.por.is_empty();
    let quotients = match ReductionName::chosen(&args.reductions, exchanged) {
        Ok(quotients) => quotients,
        Err(why) => {
            say(&format!("coarsen: {why}"));
            return Exit::Usage;
        }
    };
    if let (Some(_), Some(technique)) = (&args.certificate, args.por.first()) {
        say(&format!(
            "coarsen: there is no evidence for what `--por {}` does not find: no set of states shows it; leave out \
             --por, or --certificate",
            technique.name()
        ));
        return Exit::Usage;
    }
    let plan = match plan(args) {
        Ok(plan) => plan,
        Err(why) => {
            say(&format!("coarsen: {why}"));
            return Exit::Usage;
        }
    };
    let order_file = match order_file(args) {
        Ok(file) => file,
        Err(message) => {
            say(&format!("coarsen: {message}"));
            return Exit::Usage;
        }
    };
    let interrupts = Interrupts::install();
    let mut exit = Exit::Holds;
    for model in &args.models {
        let chosen = (por.clone(), quotients.clone());
        let job = job(
            (args, theorem.clone()),
            chosen,
            (order_file.clone(), plan.clone()),
        );
        let first = plan.as_ref().is_none_or(Plan::is_first);
        exit = exit.and(one((model, first), args, job, &interrupts, output));
        if interrupts.pending() {
            break;
        }
    }
    exit
}

/// Has one model explored. Of several processes the first tells the answer.
fn one(
    (model, first): (&str, bool),
    args: &ReachArgs,
    job: impl Work<ReachAnswer>,
    interrupts: &Interrupts,
    output: &mut Output,
) -> Exit {
    let run = ModelRun {
        quiet: args.quiet || !first,
        ..ModelRun::read(model, args.format(), &args.limits)
    };
    let name = run.name;
    match run.work(interrupts, output, job) {
        Ok((Worked::Done(ReachAnswer::Explored(report)), _)) => match &report.refused {
            Some(why) => {
                say(&format!("coarsen: {name}: {why}"));
                Exit::Usage
            }
            None if first => show(*report, args, output),
            None => {
                together::tell(name, report.distributed.as_ref());
                answer(&report, args)
            }
        },
        Ok((Worked::Done(ReachAnswer::Order(order)), _)) => {
            match args.format() {
                Format::Json => output.line(json::variable_order(name, &order)),
                Format::Text => order.iter().for_each(|v| output.write(&format!("{v}\n"))),
            }
            Exit::Holds
        }
        Ok((Worked::Abandoned { stop, phase, .. }, _)) => {
            let hit = Hit::Abandoned(stop, phase);
            let engine = Engine::from(args.engine).name();
            let mut report = ReachReport::undecided(name, engine);
            report.reason = ReachReason::Abandoned(hit.clone());
            report.limits.hit = Some(hit);
            show(report, args, output)
        }
        Err(exit) => exit,
    }
}

fn heuristic(name: &str) -> Option<Heuristic> {
    let mut all = Heuristic::ALL.iter();
    all.find(|(_, n, _)| *n == name).map(|(h, ..)| *h)
}

/// The text of the file that gives the order, if one does.
fn order_file(args: &ReachArgs) -> Result<Option<String>, String> {
    let Some(order) = &args.order else {
        return Ok(None);
    };
    if order == BEST || heuristic(order).is_some() {
        return Ok(None);
    }
    std::fs::read_to_string(order).map(Some).map_err(|error| {
        let names = || Heuristic::ALL.iter().map(|(_, n, _)| *n).chain([BEST]);
        let known: Vec<&str> = names().collect();
        format!(
            "`{order}` is no order ({}){}, and no file that can be read: {error}",
            known.join(", "),
            hint(order, names()),
        )
    })
}

/// The techniques of partial-order reduction that were asked for, if they go together.
fn por(args: &ReachArgs) -> Result<Option<Por>, String> {
    if args.por.is_empty() {
        return Ok(None);
    }
    let explicit = matches!(args.engine, EngineName::Auto | EngineName::Explicit);
    if !explicit || args.order.is_some() || args.search == SearchName::Depth {
        return Err(
            "--por explores state by state, in its own order: it does not go with another --engine, nor with --order \
             or --search"
                .into(),
        );
    }
    let por = Por {
        techniques: args.por.clone(),
        depth: args.depth.map(|n| n as usize),
        extend: args.extend.unwrap_or_default(),
        // Filled in with those of the machine, if none are given.
        cores: 0,
        discipline: false,
    };
    por.check()?;
    if args.extend.is_some() && !por.techniques.contains(&Technique::Cartesian) {
        return Err("--extend is for `--por cartesian`: the others have no prefixes".into());
    }
    Ok(Some(por))
}

fn job(
    (args, theorem): (&ReachArgs, Chosen),
    (por, quotients): (Option<Por>, Vec<Quotient>),
    (order_file, plan): (Option<String>, Option<Plan>),
) -> impl Work<ReachAnswer> + use<> {
    let args = args.clone();
    move |name: &str, source: &str, control: &Control| {
        let depth = args.limits.depth;
        let limits = ParseLimits { depth };
        let (model, warnings) = Session::load(name, source, &args.defines.defines, limits)?;
        let about = about(&args, order_file.as_deref());
        let order = order(&args, order_file, &model).map_err(Wrong::Usage)?;
        if args.print_order {
            control.enter("the variable order");
            let program = model.program();
            let order = match order {
                Order::Best => Heuristic::ALL[0].0.order(program),
                Order::By(heuristic) => heuristic.order(program),
                Order::Given(_, order) => order,
            };
            return Ok((warnings, ReachAnswer::Order(model.order_names(&order))));
        }
        let program = model.program();
        let named = || program.properties.iter().chain(&program.lemmas);
        for wanted in &args.invariant {
            if !named().any(|p| p.name == *wanted) {
                let names = || named().map(|p| p.name.as_str());
                let known: Vec<&str> = names().collect();
                let there = match known.as_slice() {
                    [] => "there are none".to_string(),
                    some => format!("there are: {}", some.join(", ")),
                };
                return Err(Wrong::Usage(format!(
                    "the model has no property `{wanted}`{}; {there}",
                    hint(wanted, names()),
                )));
            }
        }
        let mut find = Vec::new();
        for text in &args.find {
            match model.state_expression(text) {
                Ok(expr) => find.push((text.trim().to_string(), expr)),
                Err(diagnostics) => {
                    return Err(Wrong::Argument(CONDITION, text.clone(), diagnostics));
                }
            }
        }
        let together = match plan {
            Some(plan) => Some(plan.meet(source, about, control)?),
            None => None,
        };
        let (theory, others) = theorem.theories().ok_or(Wrong::NoTheorem)?;
        let options = ReachOptions {
            others,
            together,
            engine: args.engine.into(),
            order,
            reduced: args.reduced,
            por,
            quotients,
            deadlock: args.deadlock,
            find,
            invariants: args.invariant.clone(),
            operations: args.limits.operations,
            facts: !args.no_facts,
            stress: false,
            search: match args.search {
                SearchName::Breadth => Mode::Breadth,
                SearchName::Depth => Mode::Depth,
            },
            cores: args.cores.map_or(0, usize::from),
            certificate: args.certificate.is_some(),
            expect: args.expect,
        };
        let report = model.reach(&theory, &options, control);
        Ok((warnings, ReachAnswer::Explored(Box::new(report))))
    }
}

/// The processes that explore together, if there are several, or levels are kept.
fn plan(args: &ReachArgs) -> Result<Option<Plan>, String> {
    let Some(plan) = Plan::of(&args.together, &args.models, &args.limits, args.cores)? else {
        return Ok(None);
    };
    let explicit = matches!(args.engine, EngineName::Auto | EngineName::Explicit);
    let alone = [
        (!explicit, "another --engine: it explores state by state"),
        (
            !args.por.is_empty(),
            "--por: its proviso needs the stack of one search",
        ),
        (
            args.search == SearchName::Depth,
            "--search depth: it goes by levels",
        ),
        (
            args.certificate.is_some(),
            "--certificate: no process has all states",
        ),
        (args.print_order, "--print-order"),
    ];
    plan.unless(&alone).map(Some)
}

/// What is asked, as all processes have to ask it, and as those who go on from its levels.
fn about(args: &ReachArgs, order_file: Option<&str>) -> String {
    let flags = [
        (args.reduced, "--reduced"),
        (args.deadlock, "--deadlock"),
        (args.expect, "--expect"),
    ];
    let mut all = together::begun("reach", &args.defines.defines, &flags);
    let named = [("--theorem", &args.theorem), ("--order", &args.order)];
    all.extend(
        named
            .iter()
            .filter_map(|(o, value)| Some(format!("{o} {}", value.as_ref()?))),
    );
    all.extend(order_file.map(|text| {
        format!(
            "(order {})",
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        )
    }));
    all.extend(
        args.reductions
            .iter()
            .map(|r| format!("--reductions {r:?}").to_lowercase()),
    );
    all.extend(
        args.invariant
            .iter()
            .map(|name| format!("--invariant {name}")),
    );
    all.extend(args.find.iter().map(|text| format!("--find '{text}'")));
    all.join(" ")
}

fn order(args: &ReachArgs, file: Option<String>, model: &Session) -> Result<Order, String> {
    match (&args.order, file) {
        (Some(name), Some(text)) => model
            .order_from(&text)
            .map(|order| Order::Given(name.clone(), order))
            .map_err(|why| format!("{name} gives no order of this model's variables: {why}")),
        (Some(name), None) => Ok(heuristic(name).map_or(Order::Best, Order::By)),
        (None, _) => Ok(Order::Best),
    }
}

fn show(mut report: ReachReport, args: &ReachArgs, output: &mut Output) -> Exit {
    let asked = &args.limits;
    report.limits.nodes = Some(asked.budget.nodes.to_string());
    report.limits.states = Some(asked.budget.states.to_string());
    report.limits.operations = args.limits.operations.map(|n| n.to_string());
    report.limits.time = asked.time.map(|t| t.as_secs_f64());
    let kept = asked.memory.filter(|_| memory::resident().is_some());
    report.limits.memory = kept.map(|bytes| bytes.to_string());
    if asked.memory.is_some() && kept.is_none() {
        report.notes.push(Note::MemoryUnlimited);
    }
    output.cases(|| match report.expectations.as_slice() {
        lines @ [_, ..] => ci::of_expected(&report.model, lines),
        _ => ci::of_reach(&report),
    });
    match args.format() {
        Format::Json => output.line(json::object(&report)),
        Format::Text if args.expect => {
            let (found, lines) = (verdict_words(report.verdict), &report.expectations);
            output.write(&render_expected(&report.model, found, lines));
        }
        Format::Text => output.write(&render_reach(&report, args.detail())),
    }
    let exit = answer(&report, args).and(trace(&report, args));
    exit.and(certify(&report, args))
}

/// The exit code of an answer.
fn answer(report: &ReachReport, args: &ReachArgs) -> Exit {
    match args.expect {
        true => Exit::from(report).expected(&report.expectations),
        false => Exit::from(report),
    }
}

/// Writes the certificate, if that was asked for.
fn certify(report: &ReachReport, args: &ReachArgs) -> Exit {
    let Some(file) = &args.certificate else {
        return Exit::Holds;
    };
    let questions = report.questions.iter().map(|q| match q.kind {
        PropertyKind::Deadlock => "deadlock_free".to_string(),
        PropertyKind::Find if !args.invariant.contains(&q.name) => format!("find {}", q.name),
        _ => q.name.clone(),
    });
    let questions: Vec<String> = questions.collect();
    Evidence {
        model: &report.model,
        asked: questions.iter().map(String::as_str).collect(),
        bundle: report.bundle.as_deref(),
        missing: report.no_bundle.as_ref(),
        nothing: NOTHING_HOLDS,
    }
    .write(file)
}

/// Writes the trace of the first question that has one, if that was asked for.
fn trace(report: &ReachReport, args: &ReachArgs) -> Exit {
    let Some(file) = &args.trace else {
        return Exit::Holds;
    };
    let found = report
        .questions
        .iter()
        .find_map(|q| Some((q.name.as_str(), q.trace.as_ref()?)));
    let Some((name, trace)) = found else {
        if !args.quiet {
            say(&format!(
                "no question has a trace: {} was not written",
                file.display()
            ));
        }
        return Exit::Holds;
    };
    let format = args.trace_format.unwrap_or_else(|| TraceFormat::of(file));
    trace_file::write((file, format), &report.model, name, trace)
}
