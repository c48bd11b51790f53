//! The front door of the library: read a model, check it, evaluate statements on it.

use crate::algebra::files::{Text, load_suite};
use crate::algebra::prove::{Limits, prove};
use crate::algebra::text::parse_statement;
pub use crate::algebra::text::theory;
use crate::algebra::{Form, Statement, Term, Theory, library};
use crate::base::control::Control;
use crate::base::control::ParseLimits;
use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::evidence::Bundle;
use crate::base::nearest;
use crate::base::results::{
    CompareReport, CompareRow, EvalReport, EveryReport, MoversReport, ReachReport, Report, Status,
};
use crate::command::compare::compare;
use crate::command::coverage::coverage;
use crate::command::movers::movers;
use crate::command::reach::{self, ReachOptions};
use crate::command::together;
use crate::distributed::Together;
use crate::engine::relations::{Item, Layout};
use crate::engine::{Heuristic, Variable};
use crate::kernel;
use crate::model::program::{Expr, Fronts, Program, elaborate, elaborate_with};
use crate::model::text::ast;
use crate::model::text::parse_model;
use crate::model::{Loaded, dve};
use crate::theorem::{self, CheckOptions, Discharge, ForEvery, numbering, uses};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Mutex, OnceLock};

/// The theorems that are chosen from. (Those about movers on one side only are parts of the second.)
const CANDIDATES: [&str; 2] = ["stoller-cohen", "flanagan-qadeer"];

/// The theorems that `auto` chooses from, the default one first.
pub fn candidates() -> Vec<Theory> {
    CANDIDATES.iter().filter_map(|name| theory(name)).collect()
}

/// A model without errors, and what can be asked of it.
#[derive(Clone, Debug)]
pub struct Session {
    model: Loaded,
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
        let (model, warnings) = Loaded::load(name, source, defines, limits)?;
        Ok((Session { model }, warnings))
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.model.program
    }

    /// The model as text of our language.
    pub fn printed(&self) -> String {
        self.model.printed()
    }

    /// Names of all properties, as [`Loaded::property_names`] has them.
    pub fn property_names(&self) -> Vec<String> {
        self.model.property_names()
    }

    /// A state expression, as [`Loaded::state_expression`] reads it.
    ///
    /// # Errors
    /// Diagnostics whose spans lie in `text`.
    pub fn state_expression(&self, text: &str) -> Result<Expr, Vec<Diagnostic>> {
        self.model.state_expression(text)
    }

    /// The state's components from the top of the variable order to its bottom.
    pub fn variable_order(&self) -> Vec<String> {
        Layout::new(&self.model.program, 0)
            .order()
            .iter()
            .map(|item| match item {
                Item::Violated => "q (discipline violated)".to_string(),
                Item::Of(Variable::Location(t)) => {
                    format!("location of {}", self.model.program.threads[*t].name)
                }
                Item::Of(Variable::Cell(c)) => self.model.program.cells[*c].name.clone(),
            })
            .collect()
    }

    /// Checks the discipline and all properties under a theorem.
    pub fn check(&self, theory: &Theory, options: &CheckOptions, control: &Control) -> Report {
        self.check_with_facts(theory, options, control).0
    }

    /// The same, where the exploration is that of several processes, each of which does this.
    pub fn check_together(
        &self,
        theory: &Theory,
        options: &CheckOptions,
        together: &Together,
        control: &Control,
    ) -> Report {
        let how = (theory, options);
        let mut report = together::check(
            &self.model.name,
            &self.model.program,
            how,
            together,
            control,
        );
        self.complete(&mut report, &self.model.program, (theory, options), control);
        report
    }

    /// The same, with what was derived: the facts, and the proofs that rest on them.
    pub fn check_with_facts(
        &self,
        theory: &Theory,
        options: &CheckOptions,
        control: &Control,
    ) -> (Report, Discharge) {
        // Disciplines are written into a text of our language.
        let again = (options.annotate && dve::is_dve(&self.model.name)).then(|| {
            let text = self.printed();
            let (tree, _) = parse_model(&text, self.model.limits);
            elaborate(&tree, &text, &self.model.defines)
        });
        let program = match &again {
            Some(Ok((program, _))) => program,
            _ => &self.model.program,
        };
        let (mut report, discharge) =
            theorem::check_with_facts(&self.model.name, program, theory, options, control);
        if let Some(Err(_)) = again {
            report.annotated = None;
        }
        with_proofs(report.bundle.as_deref_mut(), theory, control);
        self.complete(&mut report, program, (theory, options), control);
        (report, discharge)
    }

    /// Adds what is known of the text, and what is executed.
    fn complete(
        &self,
        report: &mut Report,
        program: &Program,
        (theory, options): (&Theory, &CheckOptions),
        control: &Control,
    ) {
        if options.coverage > 0 && control.check().is_ok() {
            // Without it nothing is said; whatever stopped it has stopped the rest, too.
            report.coverage = coverage(program, options.coverage, control).ok();
        }
        let is_of_this = !options.chooses || report.theorem == theory.name;
        if uses(theory).is_none() && is_of_this && control.check().is_ok() {
            // Whoever waits for an answer has it.
            control.publish(report);
            let known = std::mem::take(&mut report.every);
            report.every = match options.every {
                ForEvery::Never => Vec::new(),
                ForEvery::Within(_) if !applies(report) => Vec::new(),
                ForEvery::Within(work) => {
                    let all = self.for_every(theory, &known, &control.worth(work));
                    all.into_iter().map(EveryReport::unasked).collect()
                }
                ForEvery::Always => self.for_every(theory, &known, &control.worth(u64::MAX)),
            };
        }
        report.declared = self.model.declared();
        report.timing.front_end = self.model.front_end;
        report.timing.total += self.model.front_end;
    }

    /// What is known for every value of each constant that numbers threads; of some it is known already.
    fn for_every(
        &self,
        theory: &Theory,
        known: &[EveryReport],
        control: &Control,
    ) -> Vec<EveryReport> {
        let all = numbering(&self.model.tree).into_iter();
        all.map(
            |constant| match known.iter().find(|e| e.constant == constant) {
                Some(known) => known.clone(),
                None => self.every(theory, &constant, false, control),
            },
        )
        .collect()
    }

    /// The constants whose value is an integer, by name.
    pub fn constants(&self) -> Vec<String> {
        let names = self.model.tree.decls.iter().filter_map(|d| match d {
            ast::Decl::Const { name, .. } => Some(name.text.clone()),
            _ => None,
        });
        names.collect()
    }

    /// Says for which values of a constant the hypotheses of a theorem hold, and whether the discipline is kept for
    /// all of them. With `certificate`, what shows it is gathered.
    pub fn every(
        &self,
        theory: &Theory,
        constant: &str,
        certificate: bool,
        control: &Control,
    ) -> EveryReport {
        let asked = theorem::EveryAsked {
            name: &self.model.name,
            model: theorem::EveryTemplate {
                tree: &self.model.tree,
                source: &self.model.program.source,
                defines: &self.model.defines,
                constant,
            },
            theory,
            certificate,
            sums: true,
        };
        let mut report = theorem::every(&asked, control);
        with_proofs(report.bundle.as_deref_mut(), theory, control);
        report
    }

    /// Compares all techniques; `told` is given each row as soon as it is known.
    pub fn compare(
        &self,
        theory: &Theory,
        control: &Control,
        told: &mut dyn FnMut(&CompareRow),
    ) -> CompareReport {
        compare(
            &self.model.name,
            &self.model.program,
            theory,
            (control, told),
        )
    }

    /// Says what each action is as a mover, and how long transactions can be; of one theorem, or of all.
    pub fn movers(
        &self,
        theory: &Theory,
        only: Option<&Theory>,
        control: &Control,
    ) -> MoversReport {
        let program = |tree: &ast::Model| {
            let source = &self.model.program.source;
            // Statements are blocks that may begin with a loop.
            let fronts = Fronts::Separate(None);
            let elaborated = elaborate_with(tree, source, &self.model.defines, fronts);
            elaborated.ok().map(|(program, _)| program)
        };
        movers(
            &self.model.name,
            &self.model.tree,
            &program,
            theory,
            only,
            control,
        )
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
        let parsed = parse_statement(statement, self.model.limits.depth).map_err(|d| vec![d])?;
        let states = self.state_expressions(statement, &parsed)?;
        theorem::eval(
            &self.model.name,
            &self.model.program,
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

    /// Explores the reachable states, of the original program or of a theorem's reduced system.
    pub fn reach(&self, theory: &Theory, options: &ReachOptions, control: &Control) -> ReachReport {
        let mut report = reach::reach(
            &self.model.name,
            &self.model.program,
            theory,
            options,
            control,
        );
        with_proofs(report.bundle.as_deref_mut(), theory, control);
        report.timing.front_end = self.model.front_end;
        report.timing.total += self.model.front_end;
        report
    }

    /// The variables from the top of an order to its bottom, by name.
    pub fn order_names(&self, order: &[Variable]) -> Vec<String> {
        let name = |v: &Variable| match *v {
            Variable::Location(t) => format!("location of {}", self.model.program.threads[t].name),
            Variable::Cell(c) => self.model.program.cells[c].name.clone(),
        };
        order.iter().map(name).collect()
    }

    /// The order that a list of names gives, one on a line, as [`Session::order_names`] has them; empty lines and `//`
    /// comments are skipped.
    ///
    /// # Errors
    /// What is wrong with it: a name that is not known or comes twice, or variables that are missing.
    pub fn order_from(&self, text: &str) -> Result<Vec<Variable>, String> {
        let all = Heuristic::Declared.order(&self.model.program);
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
fn with_proofs(bundle: Option<&mut Bundle>, theory: &Theory, control: &Control) {
    for part in bundle.into_iter().flat_map(|bundle| &mut bundle.parts) {
        control.enter("the theorem's proof");
        match &theory.own {
            Some(own) if part.theorem.as_ref() == Some(&theory.name) => {
                part.proof.clone_from(&own.proof);
                part.digest = Some(own.digest.clone());
            }
            _ => part.proof = part.theorem.as_deref().and_then(theorem_proof),
        }
    }
}

fn states_of(t: &Term, into: &mut Vec<String>) {
    match &t.form {
        Form::State(text) => into.push(text.clone()),
        Form::Zero | Form::One | Form::Top | Form::Atom(_) => {}
        Form::Not(x)
        | Form::Star(x)
        | Form::Omega(x)
        | Form::Applied(_, x)
        | Form::SumOver(_, x)
        | Form::ProductOver(_, x) => {
            states_of(x, into);
        }
        Form::Sum(all) | Form::Product(all) => all.iter().for_each(|x| states_of(x, into)),
        Form::Hash(x, y) => {
            states_of(x, into);
            states_of(y, into);
        }
    }
}

/// The proof of a theorem that comes with the tool, as the kernel writes it, with its corollaries if there are any. It
/// is found once.
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

/// Whether the hypotheses of a theorem hold, and say something about the model.
fn applies(report: &Report) -> bool {
    let mut all = report.well_formedness.iter().chain(&report.hypotheses);
    all.all(|h| h.status == Status::Holds) && !report.hypotheses.iter().all(|h| h.vacuous)
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
/// assert_eq!(report.verdict, coarsen::results::Verdict::Holds);
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
