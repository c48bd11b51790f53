//! Hypotheses derived from facts: which are, from how many, and whether what they rest on is true.

use crate::{every, random, shipped, twin};

use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::engine::relations::{Encoding, Evaluator, Ground, GroundAtom, Meaning};
use coarsen::kernel::{self, Id, Index, Node};
use coarsen::model::program::ThreadId;
use coarsen::results::{Discharge as How, Report, Status, Verdict};
use coarsen::theorem::{By, Discharge, Generic, Ladder, Letter, Rung};
use coarsen::{CheckOptions, Session, theory};
use proptest::strategy::{Strategy, ValueTree};
use twin::generate::samples;

fn options(discharge: By) -> CheckOptions {
    CheckOptions {
        discharge,
        properties: vec!["discipline".into()],
        ..CheckOptions::thorough()
    }
}

fn session(name: &str, source: &str, defines: &[(&str, usize)]) -> Session {
    let defines: Vec<(String, String)> = defines
        .iter()
        .map(|(n, v)| (n.to_string(), v.to_string()))
        .collect();
    match Session::load(name, source, &defines, ParseLimits::default()) {
        Ok((session, _)) => session,
        Err(errors) => panic!("{name}: {errors:?}"),
    }
}

fn run(session: &Session, by: By) -> (Report, Discharge) {
    run_with(session, by, Generic::Never)
}

fn run_with(session: &Session, by: By, generic: Generic) -> (Report, Discharge) {
    let theory = theory("stoller-cohen").expect("the default theorem");
    let options = CheckOptions {
        generic,
        ..options(by)
    };
    session.check_with_facts(&theory, &options, &Control::default())
}

fn model(name: &str, defines: &[(&str, usize)]) -> Session {
    let path = format!("{}/models/{name}", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(&path).expect(name);
    session(name, &source, defines)
}

/// Everything is derived, nothing is vacuous, and there are as many instances as pairs of different threads.
fn derives_everything(name: &str, defines: &[(&str, usize)]) -> (Report, Discharge) {
    let session = model(name, defines);
    let n = session.program().threads.len();
    let (report, discharge) = run(&session, By::Algebra);
    assert_eq!(report.verdict, Verdict::Holds, "{name} {defines:?}");
    for h in &report.hypotheses {
        let of_pairs = ["12", "13", "14", "15"].contains(&h.id.as_str());
        let instances = if of_pairs { n * (n - 1) } else { n };
        assert_eq!(h.status, Status::Holds, "{name} ({}): {}", h.id, h.evidence);
        assert_eq!(h.discharge, How::Derived);
        assert_eq!(h.instances, instances.to_string());
        assert!(!h.vacuous && h.evidence.to_string().starts_with("derived from "));
    }
    (report, discharge)
}

#[test]
fn algebra_alone_derives_section_7_its_family_and_the_ring() {
    let (report, _) = derives_everything("stoller_cohen/two_locks_barrier.cor", &[]);
    // Three invisible and six visible steps of each of two threads.
    let facts: Vec<&str> = report.hypotheses.iter().map(|h| h.facts.as_str()).collect();
    assert_eq!(facts, ["2", "6", "12", "54", "36", "18", "2", "6"]);
    for k in [1, 2, 5, 9] {
        derives_everything("stoller_cohen/two_locks_barrier_k.cor", &[("K", k)]);
    }
    for n in [4, 16, 32] {
        let (report, discharge) = derives_everything("classic/locked_ring.cor", &[("N", n)]);
        let of = |id| report.hypotheses.iter().find(|h| h.id == id).expect("15");
        assert_eq!(of("15").facts, (4 * n * (n - 1)).to_string());
        // One proof for all pairs.
        let proofs = discharge.derived.iter().filter(|d| d.hypothesis == "15");
        assert_eq!(proofs.count(), 1);
    }
}

/// The certificate of what was derived can be written, read and is accepted; the facts are its hypotheses.
fn replays(discharge: &Discharge) {
    let d = &discharge.development;
    assert_eq!(d.hypotheses().len(), discharge.facts.len());
    assert_eq!(
        d.theorems().len(),
        discharge.lemmas + discharge.derived.len()
    );
    assert_eq!(d.terms.symbols().len(), discharge.letters.len());
    let read = kernel::read(&kernel::write(d)).expect("an accepted certificate");
    assert_eq!(read.theorems().len(), d.theorems().len());
}

fn ground(
    (e, d): (&Encoding, &Discharge),
    t: Id,
    threads: &[ThreadId],
    atoms: &mut Vec<GroundAtom>,
) -> Ground {
    let mut each = |all: &[Id]| -> Vec<Ground> {
        all.iter()
            .map(|x| ground((e, d), *x, threads, atoms))
            .collect()
    };
    match d.development.terms.node(t) {
        Node::Zero => Ground::Zero,
        Node::One => Ground::One,
        Node::Top => Ground::Top,
        Node::Sum(all) => Ground::Sum(each(all)),
        Node::Product(all) => Ground::Product(each(all)),
        Node::Not(x) => Ground::Not(Box::new(ground((e, d), *x, threads, atoms))),
        Node::Omega(x) => Ground::Omega(Box::new(ground((e, d), *x, threads, atoms))),
        Node::Atom(s, indices) => {
            let actions = |class: usize, group: usize| -> Vec<usize> {
                let Some(Index::Var(v)) = indices.first() else {
                    panic!("a letter without a thread");
                };
                let locations = &d.classes[class].group(group).locations;
                let at = |a: &usize| locations.contains(&e.actions[*a].location);
                let all: Vec<usize> = e.of_thread(threads[*v as usize]).filter(at).collect();
                assert_eq!(all.len(), locations.len());
                all
            };
            let meaning = match d.letters[*s as usize] {
                Letter::Action(c, g) => Meaning::Actions(actions(c, g)),
                Letter::Enabled(c, g) => {
                    let some = actions(c, g).into_iter().fold(e.m.no(), |some, a| {
                        e.m.or(&some, &e.actions[a].enabled).expect("no limit")
                    });
                    Meaning::Test(some)
                }
                Letter::Violated => Meaning::Test(e.q()),
                Letter::Access(_, cell, right) => {
                    let Some(Index::Var(v)) = indices.first() else {
                        panic!("a letter without a thread");
                    };
                    let x = e.program.protection_of(cell).expect("a protected cell");
                    Meaning::Test(e.access(x, threads[*v as usize], right).clone())
                }
                Letter::Schematic => panic!("a letter of a lemma in a fact"),
                Letter::Phase(..) | Letter::Initial => panic!("a phase without phases"),
            };
            atoms.push(GroundAtom {
                name: format!("{t}"),
                meaning,
            });
            Ground::Atom(atoms.len() - 1)
        }
        other => panic!("{other:?} in a fact"),
    }
}

/// Every fact, for every choice of threads, evaluated anew and as a whole. How many choices there were.
fn facts_are_true(session: &Session, discharge: &Discharge) -> usize {
    let control = Control::default();
    let e = Encoding::new(session.program(), &control).expect("no limit");
    let mut ladder = Ladder::new(&e);
    let mut evaluated = 0;
    for (fact, (_, statement)) in discharge
        .facts
        .iter()
        .zip(discharge.development.hypotheses())
    {
        let rung = fact.on.highest();
        let assumption = match rung {
            Rung::True => None,
            _ => ladder.ask(rung).expect("no limit").cloned(),
        };
        let mut choices: Vec<Vec<ThreadId>> = vec![vec![0; 4]];
        for (var, class) in &fact.threads {
            let members = &discharge.classes[*class].threads;
            let longer = choices.iter().flat_map(|c| {
                members.iter().map(|t| {
                    let mut c = c.clone();
                    c[*var as usize] = *t;
                    c
                })
            });
            choices = longer.collect();
        }
        let differ = |c: &&Vec<ThreadId>| match fact.threads.as_slice() {
            [(i, _), (j, _)] => c[*i as usize] != c[*j as usize],
            _ => true,
        };
        let choices: Vec<&Vec<ThreadId>> = choices.iter().filter(differ).collect();
        assert_eq!(choices.len(), fact.on.all(), "{}", fact.text);
        for threads in choices {
            for (l, r) in &statement.parts {
                let mut atoms = Vec::new();
                // As a sum with nothing, so that no part of it is skipped.
                let l = ground((&e, discharge), *l, threads, &mut atoms);
                let l = Ground::Product(vec![Ground::Sum(vec![l]), Ground::One]);
                let r = ground((&e, discharge), *r, threads, &mut atoms);
                let evaluator = Evaluator {
                    encoding: &e,
                    atoms: &atoms,
                    assumption: assumption.as_ref(),
                };
                let outcome = evaluator.included(&l, &r).expect("no limit");
                assert!(outcome.failure.is_none(), "{} {threads:?}", fact.text);
                evaluated += 1;
            }
        }
    }
    evaluated
}

#[test]
fn facts_of_shipped_models_are_true_and_their_proofs_replay() {
    let mut evaluated = 0;
    for (n, shipped) in shipped::some().into_iter().enumerate() {
        // Where disciplines are guessed, the program that was checked is another one.
        let session = session(&shipped.name, &shipped.source, &[]);
        let generic = [Generic::Never, Generic::First][n % 2];
        let (report, discharge) = run_with(&session, By::Both, generic);
        assert!(
            !report.is_contradicted(),
            "{}: {}",
            shipped.name,
            report.reason
        );
        replays(&discharge);
        // Its invariant takes ten seconds.
        let is_long = shipped.name.ends_with("memory_reuse_annotated.cor");
        if report.discipline.is_empty() && !is_long {
            evaluated += facts_are_true(&session, &discharge);
        }
    }
    assert!(random::enough(evaluated, 5_000), "{evaluated}");
}

#[test]
fn random_programs_are_mostly_derived_and_never_wrongly() {
    let mut runner = random::runner(1);
    let (mut derived, mut held, mut all) = (0, 0, 0);
    for n in 0..random::cases(150) {
        let sample = samples().new_tree(&mut runner).expect("a sample").current();
        let session = session("sample.cor", &sample.source, &[]);
        let generic = [Generic::Never, Generic::First][n as usize % 2];
        let (report, discharge) = run_with(&session, By::Both, generic);
        assert!(
            !report.is_contradicted(),
            "{}\n{}",
            report.reason,
            sample.source
        );
        replays(&discharge);
        if report.discipline.is_empty() {
            facts_are_true(&session, &discharge);
        }
        let (relations, _) = run(&session, By::Relations);
        for (b, r) in report.hypotheses.iter().zip(&relations.hypotheses) {
            let said = |h: &coarsen::results::Hypothesis| (h.status, h.vacuous, h.invariant);
            assert_eq!(said(b), said(r), "({}) {}", b.id, sample.source);
            all += 1;
            held += usize::from(r.status == Status::Holds);
            derived += usize::from(b.discharge == How::Derived);
        }
    }
    eprintln!("of {all} hypotheses {held} hold, and {derived} of these are derived");
    assert!(
        random::any_number() || 10 * derived > 9 * held,
        "{derived} of {held}"
    );
}

#[test]
fn what_is_not_derived_is_unknown_and_names_the_missing_fact() {
    let session = model("hypotheses/taken_away.cor", &[]);
    let (report, _) = run(&session, By::Algebra);
    let h = report.hypotheses.iter().find(|h| h.id == "15").expect("15");
    assert_eq!((h.status, h.discharge), (Status::Unknown, How::None));
    let wanted = "not derived: `thief.Take writer.Use <= ";
    assert!(h.evidence.to_string().starts_with(wanted), "{}", h.evidence);
    assert!(
        h.evidence
            .to_string()
            .ends_with("is no fact for writer and thief")
    );
    assert_eq!(report.verdict, Verdict::Unknown);
    // A missing fact refutes nothing; the relations do.
    let (report, _) = run(&session, By::Either);
    assert_eq!(report.verdict, Verdict::HypothesisRefuted);
}

#[test]
fn that_a_loop_ends_for_its_data_is_one_fact() {
    let source = "mutex m; var x: 0..3 = 0 protected x by m;
        thread a { var n: 0..3 = 0; lock(m); n = 0; while (n < 3) { n = n + 1; x = n; } unlock(m); }
        thread b { lock(m); x = 0; unlock(m); }";
    let session = session("loop.cor", source, &[]);
    let (report, _) = run(&session, By::Both);
    let of = |id: &str| report.hypotheses.iter().find(|h| h.id == id).expect("11");
    // That the loop ends is one fact about it: its control alone does not show it.
    for id in ["11", "14"] {
        assert_eq!(
            (of(id).status, of(id).discharge),
            (Status::Holds, How::Derived)
        );
    }
}

#[test]
fn threads_that_are_alike_are_evaluated_once() {
    let source = "mutex m; var x: 0..3 = 0 protected x by m;
        thread w(i in 0..9) { lock(m); x = 1; x = 2; unlock(m); }";
    let session = session("alike.cor", source, &[]);
    let (report, discharge) = run(&session, By::Algebra);
    assert_eq!(report.verdict, Verdict::Holds);
    let meets = |f: &&coarsen::theorem::Fact| f.on.all() == 90 && f.independent == 0;
    let facts: Vec<_> = discharge.facts.iter().filter(meets).collect();
    assert!(facts.len() >= 2, "{}", facts.len());
    // Only which of the two comes first in the order of bits makes a difference.
    for fact in facts {
        assert!(fact.alike >= 80, "{} {}", fact.text, fact.alike);
    }
    facts_are_true(&session, &discharge);
}

/// What is a fact about generic threads is one about each choice of threads.
#[test]
fn facts_about_generic_threads_are_true_of_all() {
    let mut runner = random::runner(2);
    let (mut generic, mut evaluated) = (0, 0);
    for _ in 0..random::cases(60) {
        let numbers = proptest::collection::vec(0usize..1000, 60);
        let numbers = numbers.new_tree(&mut runner).expect("numbers").current();
        let mut stream = numbers.into_iter().cycle();
        let source = every::family(|n| stream.next().unwrap_or(0) % n);
        let source = source.replace("const N = 3", "const N = 4");
        let loaded = Session::load("family.cor", &source, &[], ParseLimits::default());
        let Ok((session, _)) = loaded else { continue };
        let (report, discharge) = run_with(&session, By::Both, Generic::First);
        assert!(!report.is_contradicted(), "{}\n{source}", report.reason);
        let facts = discharge.facts.iter();
        generic += facts.map(|f| f.generic).sum::<usize>();
        evaluated += facts_are_true(&session, &discharge);
    }
    eprintln!("{generic} choices of threads are instances of generic facts");
    assert!(random::enough(generic, 500), "{generic} of {evaluated}");
}

/// Predicates that differ from cell to cell are told apart by the cell's number.
#[test]
fn generic_threads_know_of_each_cell() {
    let session = model("section6/master_workers.cor", &[("N", 3)]);
    let (report, discharge) = run_with(&session, By::Both, Generic::First);
    assert!(!report.is_contradicted(), "{}", report.reason);
    let facts = discharge.facts.iter().filter(|f| f.generic > 0);
    assert!(facts.count() >= 10);
}

/// What a property says of some threads only may be why a step of one commits and that of another does not. What a fact
/// says of one is not known of the other then, although the two may be exchanged.
#[test]
fn phases_may_tell_threads_apart() {
    let some = "mutex m; var x: 0..2 = 0 unprotected; var b[3]: 0..1 unprotected;
        reach cells: b[0] == 1 && b[1] == 1;
        thread w(i in 0..2) { var t: 0..1 = 0; b[i] = 1; unlock(m); t = x; }
        thread o { lock(m); x = 1; unlock(m); }";
    let one =
        "mutex m; var x: 0..2 = 0 unprotected; var b[3]: 0..1 unprotected; reach cell: b[1] == 1;
        thread w(i in 0..1) { var t: 0..1; b[i] = 1; assert(m.owner == self); x = b[i]; t = x; }";
    for (source, name) in [
        (some, "lipton"),
        (some, "flanagan-qadeer"),
        (one, "flanagan-qadeer"),
    ] {
        let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
        let (session, _) = loaded.expect("a model");
        let theory = theory(name).expect("shipped");
        let statuses = |discharge: By| {
            let options = CheckOptions {
                discharge,
                ..CheckOptions::thorough()
            };
            let report = session.check(&theory, &options, &Control::default());
            let all = report.hypotheses.iter();
            let settled = |h: &coarsen::results::Hypothesis| {
                assert!(h.contradiction.is_none(), "{name}: {}", h.id);
                (h.id.clone(), h.status, h.invariant)
            };
            all.map(settled).collect::<Vec<_>>()
        };
        let all = statuses(By::Relations);
        assert_eq!(statuses(By::Both), all, "{name}");
        assert_eq!(statuses(By::Either), all, "{name}");
    }
}
