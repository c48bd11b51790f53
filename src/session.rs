//! The front door of the library: read a model, check it, evaluate statements on it.

use crate::algebra::prove::{Limits, prove};
use crate::algebra::{Statement, Term, Theory, library};
use crate::bundle::Bundle;
use crate::compare::compare;
use crate::control::Control;
use crate::dve;
use crate::explore::Heuristic;
use crate::explore::diagrams::Variable;
use crate::kernel;
use crate::movers::movers;
use crate::program::{Expr, Program, elaborate};
use crate::reach::{self, ReachOptions};
use crate::reduction::{self, CheckOptions, Discharge};
use crate::report::{CompareReport, EvalReport, MoversReport, ReachReport, Report};
use crate::suites::{Text, load_suite};
use crate::syntax::ast::{self, Decl, Name, PropertyKind};
use crate::syntax::diagnostic::{Diagnostic, Severity, Span};
use crate::syntax::theory::parse_statement;
pub use crate::syntax::theory::theory;
use crate::syntax::{ParseLimits, nearest, parse_model, print_model};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

/// The theorems that are chosen from. (Those about movers on one side only are parts of the second.)
const CANDIDATES: [&str; 2] = ["stoller-cohen", "flanagan-qadeer"];

/// A model without errors.
#[derive(Clone, Debug)]
pub struct Session {
    name: String,
    tree: ast::Model,
    defines: Vec<(String, String)>,
    limits: ParseLimits,
    program: Program,
    /// Seconds that reading it took.
    front_end: f64,
}

impl Session {
    /// Reads a model. `defines` override constants, as `-D NAME=VALUE` does. Also returns warnings.
    ///
    /// # Errors
    /// All diagnostics, if one of them is an error.
    pub fn load(
        name: &str,
        source: &str,
        defines: &[(String, String)],
        limits: ParseLimits,
    ) -> Result<(Session, Vec<Diagnostic>), Vec<Diagnostic>> {
        let begun = Instant::now();
        if dve::is_dve(name) {
            return Self::foreign(name, source, defines, limits, begun);
        }
        let (tree, mut diagnostics) = parse_model(source, limits);
        if diagnostics.iter().any(|d| d.severity == Severity::Error) {
            if let Err(more) = elaborate(&tree, source, defines) {
                let unrelated = more
                    .into_iter()
                    .filter(|d| is_unrelated(source, d, &diagnostics));
                diagnostics.extend(unrelated.collect::<Vec<_>>());
            }
            return Err(diagnostics);
        }
        let (program, warnings) = elaborate(&tree, source, defines)?;
        diagnostics.extend(warnings);
        let session = Session {
            name: name.to_string(),
            tree,
            defines: defines.to_vec(),
            limits,
            program,
            front_end: begun.elapsed().as_secs_f64(),
        };
        Ok((session, diagnostics))
    }

    /// Reads a model in DVE. What the elaboration warns of is about our form of it, and is not told.
    fn foreign(
        name: &str,
        source: &str,
        defines: &[(String, String)],
        limits: ParseLimits,
        begun: Instant,
    ) -> Result<(Session, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (tree, warnings) = dve::load(source, limits)?;
        let (mut program, _) = elaborate(&tree, source, defines)?;
        program.errors_end = true;
        let session = Session {
            name: name.to_string(),
            tree,
            defines: defines.to_vec(),
            limits,
            program,
            front_end: begun.elapsed().as_secs_f64(),
        };
        Ok((session, warnings))
    }

    /// The model as text of our language.
    pub fn printed(&self) -> String {
        print_model(&self.tree)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Names of all properties: `discipline`, `assertions`, `deadlock_free` if it is asked for, and the declared ones.
    pub fn property_names(&self) -> Vec<String> {
        let built_in = ["discipline", "assertions"].into_iter().map(String::from);
        let deadlock = self
            .program
            .deadlock_free
            .map(|_| "deadlock_free".to_string());
        built_in
            .chain(deadlock)
            .chain(self.program.properties.iter().map(|p| p.name.clone()))
            .chain(self.program.claims.iter().map(|c| c.name.clone()))
            .collect()
    }

    /// The state's components from the top of the variable order to its bottom.
    pub fn variable_order(&self) -> Vec<String> {
        crate::relation::Layout::new(&self.program, 0)
            .order()
            .iter()
            .map(|item| match item {
                crate::relation::Item::Violated => "q (discipline violated)".to_string(),
                crate::relation::Item::Location(t) => {
                    format!("location of {}", self.program.threads[*t].name)
                }
                crate::relation::Item::Cell(c) => self.program.cells[*c].name.clone(),
            })
            .collect()
    }

    /// Checks the discipline and all properties under a theorem.
    pub fn check(&self, theory: &Theory, options: &CheckOptions, control: &Control) -> Report {
        self.check_with_facts(theory, options, control).0
    }

    /// The same, with what was derived: the facts, and the proofs that rest on them.
    pub fn check_with_facts(
        &self,
        theory: &Theory,
        options: &CheckOptions,
        control: &Control,
    ) -> (Report, Discharge) {
        // Disciplines are written into a text of our language.
        let again = (options.annotate && dve::is_dve(&self.name)).then(|| {
            let text = self.printed();
            let (tree, _) = parse_model(&text, self.limits);
            elaborate(&tree, &text, &self.defines)
        });
        let program = match &again {
            Some(Ok((program, _))) => program,
            _ => &self.program,
        };
        let (mut report, discharge) =
            reduction::check_with_facts(&self.name, program, theory, options, control);
        if let Some(Err(_)) = again {
            report.annotated = None;
        }
        with_proofs(report.bundle.as_deref_mut(), control);
        report.timing.front_end = self.front_end;
        report.timing.total += self.front_end;
        (report, discharge)
    }

    /// The theorem that applies with the smaller estimated reduced system, and why it is that; with `deadlock`, deadlocks are asked for.
    pub fn choose(&self, deadlock: bool, control: &Control) -> (Option<Theory>, String) {
        let mut program = self.program.clone();
        if deadlock {
            program.deadlock_free.get_or_insert(Span::default());
        }
        let theories: Vec<Theory> = CANDIDATES.iter().filter_map(|name| theory(name)).collect();
        let (chosen, why) = reduction::choose(&self.name, &program, &theories, control);
        (theories.into_iter().nth(chosen), why)
    }

    /// Compares all techniques.
    pub fn compare(&self, theory: &Theory, control: &Control) -> CompareReport {
        compare(&self.name, &self.program, theory, control)
    }

    /// Says what each action is as a mover, and how long transactions can be; of one theorem, or of all.
    pub fn movers(&self, theory: &Theory, only: Option<&str>, control: &Control) -> MoversReport {
        let program = |tree: &ast::Model| {
            let source = &self.program.source;
            let elaborated = elaborate(tree, source, &self.defines);
            elaborated.ok().map(|(program, _)| program)
        };
        movers(&self.name, &self.tree, &program, theory, only, control)
    }

    /// Evaluates an inclusion or equation on this model.
    ///
    /// # Errors
    /// Diagnostics whose spans lie in `statement`.
    pub fn eval(
        &self,
        statement: &str,
        theory: &Theory,
        control: &Control,
    ) -> Result<EvalReport, Vec<Diagnostic>> {
        let parsed = parse_statement(statement, self.limits.depth).map_err(|d| vec![d])?;
        let states = self.state_expressions(statement, &parsed)?;
        reduction::eval(
            &self.name,
            &self.program,
            theory,
            (statement, &parsed),
            &states,
            control,
        )
        .map_err(|d| vec![d])
    }

    /// The state expressions `{ e }` of a statement, elaborated as properties of the model would be.
    fn state_expressions(
        &self,
        text: &str,
        statement: &Statement,
    ) -> Result<Vec<(String, Expr)>, Vec<Diagnostic>> {
        let mut found = Vec::new();
        statement
            .sides
            .iter()
            .for_each(|t| states_of(t, &mut found));
        found.dedup();
        let mut all = Vec::new();
        for state in found {
            let start = text.find(&format!("{{{state}}}")).map_or(0, |at| at + 1);
            let shift = |mut d: Diagnostic| {
                let place = |at: usize| (start + at).min(text.len());
                d.span = Span::new(place(d.span.start), place(d.span.end));
                d
            };
            let expr = self
                .state_expression(&state)
                .map_err(|errors| errors.into_iter().map(shift).collect::<Vec<_>>())?;
            all.push((state, expr));
        }
        Ok(all)
    }

    /// A state expression, elaborated as a property of the model would be.
    ///
    /// # Errors
    /// Diagnostics whose spans lie in `state`.
    pub fn state_expression(&self, state: &str) -> Result<Expr, Vec<Diagnostic>> {
        const BEFORE: &str = "invariant x: ";
        let shift = |mut d: Diagnostic| {
            let place = |at: usize| at.saturating_sub(BEFORE.len()).min(state.len());
            d.span = Span::new(place(d.span.start), place(d.span.end));
            d
        };
        let (property, errors) = parse_model(&format!("{BEFORE}{state};"), self.limits);
        // The text is a model without a thread, which is its only fault.
        let errors: Vec<Diagnostic> = errors
            .into_iter()
            .filter(|d| d.code != "E0119")
            .map(shift)
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let none = || {
            let span = Span::new(0, state.len());
            let help = "write one condition over the model's variables, such as x[0] == 1";
            vec![Diagnostic::error(
                "E0401",
                span,
                "no state expression",
                "a condition",
                help,
            )]
        };
        let mut decls = property.decls.into_iter();
        let (Some(Decl::Property { expr, .. }), None) = (decls.next(), decls.next()) else {
            return Err(none());
        };
        let mut tree = self.tree.clone();
        let name = Name {
            text: "{state expression}".into(),
            span: Span::default(),
        };
        tree.decls.push(Decl::Property {
            kind: PropertyKind::Invariant,
            name,
            expr,
        });
        let (program, _) = elaborate(&tree, &self.program.source, &self.defines)
            .map_err(|errors| errors.into_iter().map(shift).collect::<Vec<_>>())?;
        let expr = program.properties.into_iter().next_back().map(|p| p.expr);
        expr.ok_or_else(none)
    }

    /// Explores the reachable states, of the original program or of a theorem's reduced system.
    pub fn reach(&self, theory: &Theory, options: &ReachOptions, control: &Control) -> ReachReport {
        let mut report = reach::reach(&self.name, &self.program, theory, options, control);
        with_proofs(report.bundle.as_deref_mut(), control);
        report.timing.front_end = self.front_end;
        report.timing.total += self.front_end;
        report
    }

    /// The variables from the top of an order to its bottom, by name.
    pub fn order_names(&self, order: &[Variable]) -> Vec<String> {
        let name = |v: &Variable| match *v {
            Variable::Location(t) => format!("location of {}", self.program.threads[t].name),
            Variable::Cell(c) => self.program.cells[c].name.clone(),
        };
        order.iter().map(name).collect()
    }

    /// The order that a list of names gives, one on a line, as [`Session::order_names`] has them; empty lines and `//` comments
    /// are skipped.
    ///
    /// # Errors
    /// What is wrong with it: a name that is not known or comes twice, or variables that are missing.
    pub fn order_from(&self, text: &str) -> Result<Vec<Variable>, String> {
        let all = Heuristic::Declared.order(&self.program);
        let names = self.order_names(&all);
        let known: FxHashMap<&str, Variable> = names
            .iter()
            .map(String::as_str)
            .zip(all.iter().copied())
            .collect();
        let mut seen: FxHashSet<Variable> = FxHashSet::default();
        let mut order = Vec::new();
        for (n, line) in text.lines().enumerate() {
            let line = line.trim();
            // What `check --print-order` says besides.
            let besides = line == "q (discipline violated)" || line.ends_with(": variable order");
            if line.is_empty() || line.starts_with("//") || besides {
                continue;
            }
            let number = n + 1;
            let Some(&v) = known.get(line) else {
                let near = nearest(line, known.keys().copied())
                    .map_or(String::new(), |c| format!(" (did you mean `{c}`?)"));
                return Err(format!(
                    "line {number}: there is no variable `{line}`{near}"
                ));
            };
            if !seen.insert(v) {
                return Err(format!("line {number}: `{line}` stands there twice"));
            }
            order.push(v);
        }
        let missing: Vec<&str> = all
            .iter()
            .zip(&names)
            .filter(|(v, _)| !seen.contains(v))
            .map(|(_, name)| name.as_str())
            .collect();
        match missing.as_slice() {
            [] => Ok(order),
            [one] => Err(format!("`{one}` is missing")),
            [first, rest @ ..] => Err(format!("`{first}` and {} more are missing", rest.len())),
        }
    }
}

/// Puts the proofs of the theorems into a bundle.
fn with_proofs(bundle: Option<&mut Bundle>, control: &Control) {
    for part in bundle.into_iter().flat_map(|bundle| &mut bundle.parts) {
        control.enter("the theorem's proof");
        part.proof = part.theorem.as_deref().and_then(theorem_proof);
    }
}

/// Whether an error of names or types is one of its own, and not a consequence of the syntax errors: it does not lie in a
/// statement that could not be read, and misses no name that stands in one.
fn is_unrelated(source: &str, error: &Diagnostic, syntax: &[Diagnostic]) -> bool {
    // What was left out or put in for something unreadable may look like these.
    if error.severity != Severity::Error || ["E0209", "E0210", "E0217"].contains(&error.code) {
        return false;
    }
    let ends = |c: char| matches!(c, ';' | '{' | '}' | '\n');
    let name = source
        .get(error.span.start..error.span.end)
        .unwrap_or_default();
    let misses_a_name = matches!(error.code, "E0201" | "E0212" | "E0214" | "E0216");
    syntax.iter().all(|s| {
        let at = s.span.start.min(source.len());
        let start = source[..at].rfind(ends).map_or(0, |before| before + 1);
        let end = s.span.end.clamp(at, source.len());
        let end = source[end..].find(ends).map_or(source.len(), |n| end + n);
        let apart = error.span.end <= start || error.span.start >= end;
        let mut words = source[start..end].split(|c: char| !c.is_alphanumeric() && c != '_');
        apart && !(misses_a_name && words.any(|word| word == name))
    })
}

fn states_of(t: &Term, into: &mut Vec<String>) {
    match t {
        Term::State(text) => into.push(text.clone()),
        Term::Zero | Term::One | Term::Top | Term::Atom(_) => {}
        Term::Not(x)
        | Term::Star(x)
        | Term::Omega(x)
        | Term::SumOver(_, x)
        | Term::ProductOver(_, x) => {
            states_of(x, into);
        }
        Term::Sum(all) | Term::Product(all) => all.iter().for_each(|x| states_of(x, into)),
        Term::Hash(x, y) => {
            states_of(x, into);
            states_of(y, into);
        }
    }
}

/// The proof of a theorem that comes with the tool, as the kernel writes it, with its corollaries if there are any. It is found once.
fn theorem_proof(name: &str) -> Option<String> {
    type Proofs = Vec<(String, Option<String>)>;
    static KNOWN: OnceLock<Mutex<Proofs>> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().ok()?;
    if let Some((_, proof)) = known.iter().find(|(n, _)| n == name) {
        return proof.clone();
    }
    let file = ["corollaries", "proof"].into_iter().find_map(|part| {
        let wanted = format!("{name}-{part}");
        library().iter().find(|(n, _, _)| *n == wanted)
    });
    let proof = file.and_then(|(_, path, text)| {
        let file = Text {
            name: (*path).to_string(),
            text: (*text).to_string(),
        };
        let mut none = |_: &str, _: &str| Err("shipped files use shipped files".to_string());
        let depth = ParseLimits::default().depth;
        let mut suite = load_suite(file, depth, &mut none).ok()?;
        for item in 0..suite.items.len() {
            prove(&mut suite, item, &Limits::default());
        }
        Some(kernel::write(&suite.development))
    });
    known.push((name.to_string(), proof.clone()));
    proof
}

/// Reads and checks a model under Stoller & Cohen's theorem: everything in one call.
///
/// ```
/// let report = coarsen::check_source(
///     "twice.cor",
///     "mutex m; var x: 0..2 = 0 protected x by m;
///      thread t(i in 0..1) { lock(m); x = x + 1; unlock(m); }",
///     &coarsen::CheckOptions::default(),
/// )
/// .unwrap();
/// assert_eq!(report.verdict, coarsen::report::Verdict::Holds);
/// ```
///
/// # Errors
/// The diagnostics of a model with errors.
pub fn check_source(
    name: &str,
    source: &str,
    options: &CheckOptions,
) -> Result<Report, Vec<Diagnostic>> {
    let (session, _) = Session::load(name, source, &[], ParseLimits::default())?;
    let theory = theory("stoller-cohen").ok_or_else(Vec::new)?;
    Ok(session.check(&theory, options, &Control::default()))
}
