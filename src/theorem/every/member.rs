//! A program with many threads as one of a family: what holds for every value of the constant that numbers them holds
//! of it, and no relations are built for all of its threads.
//!
//! Disciplines and visible steps are those of a small instance, said of this program's threads and variables. That they
//! are the ones of the derivation is all that matters: the hypotheses were shown for them, whatever they are.

use super::instance::Instance;
use super::kinds::Kind;
use super::{Asked, Derived, Template, derived};
use crate::algebra::Theory;
use crate::base::control::{Control, ParseLimits, Stop};
use crate::base::results::{EveryReport, Hypothesis, Inferred};
use crate::engine::reach::Blocked;
use crate::model::program::{
    Class, Closing, Eyes, OpenDiscipline, Program, Protection, ThreadId, elaborate,
};
use crate::model::text::{ast, parse_model};
use crate::theorem::check::Prepared;
use rustc_hash::FxHashSet;

/// A program as one of a family to which a theorem applies.
pub(in crate::theorem) struct Member {
    /// The program with its disciplines, and its visible steps.
    pub prepared: Prepared,
    /// What was inferred on the instance. It may not stand here.
    pub inferred: Vec<Inferred>,
    /// The hypotheses.
    pub hypotheses: Vec<Hypothesis>,
    /// What holds for every value.
    pub report: EveryReport,
}

/// The constants that number threads, in the order of the text.
pub fn numbering(tree: &ast::Model) -> Vec<String> {
    fn mentioned<'t>(e: &'t ast::Expr, names: &mut FxHashSet<&'t str>) {
        match &e.kind {
            ast::ExprKind::Place(place) => {
                names.insert(&place.name.text);
            }
            ast::ExprKind::Unary(_, e) => mentioned(e, names),
            ast::ExprKind::Binary(_, left, right) => {
                mentioned(left, names);
                mentioned(right, names);
            }
            _ => {}
        }
    }
    let mut names = FxHashSet::default();
    for decl in &tree.decls {
        if let ast::Decl::Thread(thread) = decl
            && let Some((_, low, high)) = &thread.family
        {
            mentioned(low, &mut names);
            mentioned(high, &mut names);
        }
    }
    let constants = tree.decls.iter().filter_map(|d| match d {
        ast::Decl::Const { name, .. } => Some(&name.text),
        _ => None,
    });
    let numbers = constants.filter(|name| names.contains(name.as_str()));
    numbers.cloned().collect()
}

/// A program as one of a family, if the theorem applies to that by what is derived for a smaller instance.
///
/// # Errors
/// Any [`Stop`], but for [`Stop::Effort`]: if `control` has no more work to give, nothing is known.
pub(in crate::theorem) fn member(
    name: &str,
    program: &Program,
    theory: &Theory,
    control: &Control,
) -> Result<Option<Member>, Stop> {
    let (tree, _) = parse_model(&program.source, ParseLimits::default());
    let defines = program.defines();
    let numbering = numbering(&tree);
    if numbering.is_empty() || !is_of_text(program, &tree, &defines) {
        return Ok(None);
    }
    for constant in &numbering {
        let mut constants = program.constants.iter();
        let Some((_, _, value)) = constants.find(|(name, _, _)| name == constant) else {
            continue;
        };
        let asked = Asked {
            name,
            model: Template {
                tree: &tree,
                source: &program.source,
                defines: &defines,
                constant,
            },
            theory,
            certificate: false,
            sums: false,
        };
        let (report, found) = derived(&asked, control);
        match control.check() {
            Ok(()) => {}
            Err(Stop::Effort) => return Ok(None),
            Err(stop) => return Err(stop),
        }
        let from = report.from.as_ref().and_then(|n| n.parse::<i64>().ok());
        let (Some(from), Some((instance, derived))) = (from, found) else {
            continue;
        };
        if from.max(instance.value) >= *value {
            continue;
        }
        if let Some(prepared) = instance.at_value(program, *value, &derived) {
            return Ok(Some(Member {
                prepared,
                inferred: derived.inferred,
                hypotheses: derived.hypotheses,
                report,
            }));
        }
    }
    Ok(None)
}

/// Whether a program is the one of its text, disciplines included.
fn is_of_text(program: &Program, tree: &ast::Model, defines: &[(String, String)]) -> bool {
    let Ok((again, _)) = elaborate(tree, &program.source, defines) else {
        return false;
    };
    let disciplines = |p: &Program| -> Vec<_> {
        let all = p.protections.iter();
        all.map(|x| (x.cell, x.predicates.clone(), x.readers.clone()))
            .collect()
    };
    again.moves_as(program) && disciplines(&again) == disciplines(program)
}

impl Instance {
    /// The program at a larger value, with the disciplines and visible steps of a derivation; none if its threads or
    /// variables are not those of the family.
    fn at_value(&self, program: &Program, value: i64, derived: &Derived) -> Option<Prepared> {
        let closing = Closing {
            open: &self.parametric,
            instance: &self.program,
            program,
            value,
        };
        let mut like = Vec::new();
        for thread in 0..program.threads.len() {
            let of = |kind: &&Kind| kind.has(&closing, thread) == Some(true);
            let mut kinds = self.kinds.iter().filter(of);
            let (Some(kind), None) = (kinds.next(), kinds.next()) else {
                return None;
            };
            if !closing.has_text(thread, kind.like()) {
                return None;
            }
            like.push(kind.like());
        }
        let mut done = program.clone();
        let declared = self.parametric.open.disciplines.len();
        for discipline in derived.disciplines.get(declared..)? {
            add(&closing, discipline, &like, &mut done)?;
        }
        done.protections.sort_by_key(|x| x.cell);
        let visible = like.iter().map(|t| derived.prepared.visible[*t].clone());
        Some(Prepared {
            program: done,
            visible: visible.collect(),
            when_blocked: Blocked::Ends,
            plain: None,
        })
    }
}

/// Gives all cells of a variable a discipline.
fn add(
    closing: &Closing,
    discipline: &OpenDiscipline,
    like: &[ThreadId],
    done: &mut Program,
) -> Option<()> {
    let array = closing.array(discipline.array, None)?;
    for cell in done.cells_of(array) {
        if done.cells[cell].class != (Class::Unprotected { declared: false }) {
            return None;
        }
        let index = done.indices(cell).into_iter().map(|i| i as i64);
        let binders: Vec<_> = discipline.binders.iter().copied().zip(index).collect();
        let (mut predicates, mut readers) = (Vec::new(), Vec::new());
        for (thread, &like) in like.iter().enumerate() {
            let eyes = Eyes {
                thread,
                like,
                binders: &binders,
            };
            let (exclusive, reading) = discipline.predicates.get(like)?;
            predicates.push(closing.expr(exclusive, eyes)?);
            readers.push(closing.expr(reading, eyes)?);
        }
        done.cells[cell].class = Class::Protected;
        done.protections.push(Protection {
            cell,
            readers: (readers != predicates).then_some(readers),
            predicates,
            regional: false,
            span: discipline.span,
        });
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::text::theory;
    use crate::base::results::Status;
    use crate::engine::relations::Encoding;
    use crate::model::program::Expr;
    use crate::model::text::ast::BinaryOp;
    use crate::theorem::discharge::derive::Deriver;
    use crate::theorem::discharge::facts::Discharge;
    use crate::theorem::discharge::{By, hypotheses, settle};
    use crate::theorem::every::as_prepared;
    use crate::theorem::every::disciplines::{parts, with_parts};
    use crate::theorem::invariants::Ladder;
    use crate::theorem::read::{Model, Names};

    fn shipped(name: &str) -> String {
        let root = env!("CARGO_MANIFEST_DIR");
        let path = format!("{root}/models/{name}.cor");
        std::fs::read_to_string(path).expect("a shipped model")
    }

    /// What is derived, and the program at a value with that.
    fn at(source: &str, value: Option<i64>) -> (Derived, Instance, Option<Prepared>) {
        let (tree, _) = parse_model(source, ParseLimits::default());
        let theory = theory("stoller-cohen").expect("the default theorem");
        let asked = Asked {
            name: "m.cor",
            model: Template {
                tree: &tree,
                source,
                defines: &[],
                constant: "N",
            },
            theory: &theory,
            certificate: false,
            sums: true,
        };
        let (report, found) = derived(&asked, &Control::default());
        let (instance, derived) = found.unwrap_or_else(|| panic!("{report:?}"));
        assert!(report.from.is_some(), "{report:?}");
        let value = value.unwrap_or(instance.value);
        let defines = [("N".to_string(), value.to_string())];
        let (program, _) = elaborate(&tree, source, &defines).expect("a program");
        let prepared = instance.at_value(&program, value, &derived);
        (derived, instance, prepared)
    }

    /// On the relations of a larger value, all hypotheses hold of the disciplines and visible steps said of it.
    fn holds_on_relations(source: &str, value: i64) {
        let prepared = at(source, Some(value)).2.expect("one of the family");
        let control = Control::default();
        let e = Encoding::new(&prepared.program, &control).expect("small");
        let visibility = as_prepared(&e, &prepared);
        let theory = theory("stoller-cohen").expect("the default theorem");
        let model = Model {
            encoding: &e,
            visibility: &visibility,
            theory: &theory,
            states: Vec::new(),
            phased: None,
            names: Names::Variables,
        };
        let (mut ladder, mut discharge) = (Ladder::new(&e), Discharge::new(&model));
        let mut deriver = Deriver::new(&model, &mut ladder, &mut discharge, false).expect("small");
        let mut vacuous = true;
        for hypothesis in &theory.hypotheses {
            let mut pairs = hypotheses::Pairs::default();
            let found = settle(&mut deriver, hypothesis, By::Relations, &mut pairs);
            let found = found.unwrap_or_else(|why| panic!("{why}"));
            assert_eq!(found.status, Status::Holds, "({}) {source}", found.id);
            vacuous &= found.vacuous;
        }
        assert!(!vacuous || prepared.visible.iter().flatten().all(|v| *v));
    }

    const GUESSED: [&str; 7] = [
        "const N = 2; mutex m; var x: 0..3 = 0;
         thread w(i in 0..N-1) { var t: 0..3 = 0; lock(m); t = x; x = (t + 1) % 4; unlock(m); }",
        "const N = 2; mutex m[N]; var acc[N]: 0..3 = 1;
         thread w(i in 0..N-1) { var a: 0..N-1 = 0; var b: 0..N-1 = 0; while (true) { havoc a; havoc b;
           if (a < b) { lock(m[a]); lock(m[b]);
             if (acc[a] > 0 && acc[b] < 3) { acc[a] = acc[a] - 1; acc[b] = acc[b] + 1; }
             unlock(m[b]); unlock(m[a]); } } }",
        "const N = 2; mutex m[2]; var x[2]: 0..3 = 0;
         thread w(i in 0..N-1) { var k: 0..1 = 0; while (true) {
           havoc k; lock(m[k]); x[k] = (x[k] + 1) % 4; unlock(m[k]); } }",
        "const N = 2; mutex m; var top: 0..2 = 0; var data[2]: 0..N = 0;
         thread w(i in 0..N-1) { var t: 0..N = 0; var k: 0..2 = 0; while (true) {
           k = 0; while (k < 2) { k = k + 1; }
           lock(m); if (top < 2) { data[top] = i; top = top + 1; } unlock(m);
           lock(m); if (top > 0) { top = top - 1; t = data[top]; data[top] = 0; t = 0; } unlock(m); } }",
        "const N = 2; mutex m; var x: 0..3 = 0; var y[N]: 0..1 = 0;
         thread a(i in 0..N-1) { lock(m); x = 1; x = 0; unlock(m); y[i] = 1; y[i] = 0; }
         thread b(i in 0..N) { lock(m); if (x > 0) { x = x - 1; } unlock(m); }",
        "const N = 2; mutex m; var x: 0..3 = 0; var ready: bool = false unprotected;
         thread first { x = 1; x = 2; ready = true; }
         thread w(i in 0..N-1) { var t: 0..3 = 0; when (ready) skip; t = x; t = x; }",
        "const N = 2; mutex m[N]; var x[N]: bool = false;
         thread w(i in 0..N-1) { while (true) { lock(m[i]); lock(m[(i + 1) % N]);
           x[i] = !x[(i + 1) % N]; unlock(m[(i + 1) % N]); unlock(m[i]); } }",
    ];

    #[test]
    fn what_was_derived_holds_on_relations_of_larger_values() {
        for source in GUESSED {
            holds_on_relations(source, 3);
            holds_on_relations(source, 4);
        }
        holds_on_relations(&shipped("section6/memory_reuse"), 3);
        holds_on_relations(&shipped("section6/semaphore_driver"), 3);
        holds_on_relations(&shipped("monitors/snapshot"), 3);
    }

    /// Without `|| false`.
    fn folded(e: &Expr) -> Expr {
        let parts = parts(e).into_iter().map(folded).collect();
        match with_parts(e, parts) {
            Expr::Binary(BinaryOp::Or, x, y) if *y == Expr::FALSE => *x,
            other => other,
        }
    }

    /// At the value at which they were found, the disciplines say what they were found to be.
    #[test]
    fn the_instance_has_its_own_disciplines() {
        let (mut cells, mut of_readers) = (0, 0);
        let models = [
            "section6/memory_reuse",
            "section6/semaphore_driver",
            "monitors/snapshot",
        ];
        let models: Vec<String> = models.into_iter().map(shipped).collect();
        for source in GUESSED.into_iter().chain(models.iter().map(String::as_str)) {
            let (derived, _, prepared) = at(source, None);
            let prepared = prepared.expect("one of the family");
            assert_eq!(prepared.visible, derived.prepared.visible, "{source}");
            let (one, other) = (&prepared.program, &derived.prepared.program);
            assert_eq!(one.protections.len(), other.protections.len(), "{source}");
            for (x, y) in one.protections.iter().zip(&other.protections) {
                let name = &one.cells[x.cell].name;
                assert_eq!(x.cell, y.cell, "{name} in {source}");
                let folded = |all: &[Expr]| -> Vec<Expr> { all.iter().map(folded).collect() };
                let readers = |x: &Protection| x.readers.as_deref().map(folded);
                assert_eq!(
                    folded(&x.predicates),
                    folded(&y.predicates),
                    "{name} in {source}"
                );
                assert_eq!(readers(x), readers(y), "{name} in {source}");
                cells += 1;
                of_readers += usize::from(x.readers.is_some());
            }
        }
        assert!(cells > 15 && of_readers > 0, "{cells} {of_readers}");
    }

    /// A program that is not the one of its text, or whose threads are not those of the family, is not one of it.
    #[test]
    fn other_programs_are_none_of_the_family() {
        let theory = theory("stoller-cohen").expect("the default theorem");
        let control = Control::default();
        let (tree, _) = parse_model(GUESSED[0], ParseLimits::default());
        let defines = [("N".to_string(), "5".to_string())];
        let (program, _) = elaborate(&tree, GUESSED[0], &defines).expect("a program");
        let is_one = |p: &Program| {
            let found = member("m.cor", p, &theory, &control);
            found.expect("within the limits").is_some()
        };
        assert!(is_one(&program));
        let changes: [fn(&mut Program); 5] = [
            |p| p.source = p.source.replace("t + 1", "t + 2"),
            |p| p.overridden = vec!["N=6".into()],
            |p| p.threads[4].locations[1].edges.clear(),
            |p| p.threads.truncate(4),
            |p| p.constants.clear(),
        ];
        for (n, change) in changes.iter().enumerate() {
            let mut other = program.clone();
            change(&mut other);
            assert!(!is_one(&other), "change {n}");
        }
        // Not larger than the instance.
        let (program, _) = elaborate(&tree, GUESSED[0], &[]).expect("a program");
        assert!(!is_one(&program));
    }
}
