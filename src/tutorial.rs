//! A tour of the library, in five steps that are run by the tests.
//!
//! 1. [`a_text`]: a model is checked.
//! 2. [`a_model`]: a model is made in Rust.
//! 3. [`an_execution`]: why something is refuted.
//! 4. [`evidence`]: what holds is shown, and the evidence is replayed.
//! 5. [`a_theorem`]: a law of algebra is proved, and its certificate checked.

/// # A text
///
/// [`Session::load`](crate::Session::load) reads a model and returns warnings with it, or all that is wrong. Everything
/// is asked of the session. [`Control`](crate::base::control::Control) has the limits; what could not be decided within
/// them is [`Status::Unknown`](crate::results::Status), and says why.
///
/// ```
/// use coarsen::base::control::{Budget, Control, ParseLimits};
/// use coarsen::results::Verdict;
/// use coarsen::{CheckOptions, Session, theory};
///
/// let text = "
///     mutex m;
///     var x: 0..2 = 0;
///     thread worker(i in 0..1) { lock(m); x = x + 1; unlock(m); }
///     invariant small: x <= 2;";
/// let (session, warnings) = Session::load("twice.cor", text, &[], ParseLimits::default())?;
/// assert!(warnings.is_empty());
///
/// let theory = theory("stoller-cohen").expect("it comes with the library");
/// let control = Control::new(Budget { states: 10_000, ..Budget::default() });
/// let report = session.check(&theory, &CheckOptions::default(), &control);
/// assert_eq!(report.verdict, Verdict::Holds);
/// // What was found to protect what.
/// assert_eq!(report.discipline[0].variable, "x");
/// assert_eq!(report.discipline[0].discipline.to_string(), "protected by m");
/// # Ok::<(), Vec<coarsen::base::diagnostic::Diagnostic>>(())
/// ```
pub mod a_text {}

/// # A model
///
/// [`builder`](crate::builder) makes models in Rust. Here each of some threads takes two locks, in the order that it is
/// given.
///
/// ```
/// use coarsen::builder::{Expr, Model};
/// use coarsen::results::Status;
///
/// let model = |orders: &[(i64, i64)]| {
///     let mut model = Model::new("locks");
///     let m = model.mutexes("m", 2);
///     for (n, (first, second)) in orders.iter().enumerate() {
///         model.thread(&format!("t{n}"), |t| {
///             t.lock(&m.at(*first));
///             t.lock(&m.at(*second));
///             t.unlock(&m.at(*second));
///             t.unlock(&m.at(*first));
///         });
///     }
///     model.deadlock_free();
///     model
/// };
/// let answer = |model: &Model| {
///     let report = model.check().unwrap_or_else(|wrong| panic!("{wrong}"));
///     report.properties.iter().find(|p| p.name == "deadlock_free").map(|p| p.verdict)
/// };
/// assert_eq!(answer(&model(&[(0, 1), (0, 1)])), Some(Status::Holds));
/// assert_eq!(answer(&model(&[(0, 1), (1, 0)])), Some(Status::Refuted));
/// // The text that was made of it.
/// assert!(model(&[(0, 1)]).text().starts_with("mutex m[2];\n"));
/// ```
pub mod a_model {}

/// # An execution
///
/// What is refuted has a [`Trace`](crate::results::Trace) that the interpreter has repeated on the program as it is,
/// step by step.
///
/// ```
/// use coarsen::builder::{Model, Type};
///
/// let mut model = Model::new("race");
/// let x = model.variable("x", Type::range(0, 2), 0).unprotected().declare();
/// model.threads("worker", "i", 0, 1, |t, _| {
///     let seen = t.local("seen", Type::range(0, 2), 0);
///     t.assign(&seen, &x);
///     t.assign(&x, &seen + 1);
/// });
/// model.thread("observer", |t| {
///     t.call("join", [coarsen::builder::Expr::member("worker", 0)]);
///     t.call("join", [coarsen::builder::Expr::member("worker", 1)]);
///     t.assert(x.is(2));
/// });
/// let report = model.check().unwrap_or_else(|wrong| panic!("{wrong}"));
/// let refuted = report.properties.iter().find(|p| p.name == "assertions").expect("asked");
/// let trace = refuted.trace.as_ref().expect("refuted");
/// let steps: Vec<String> = trace
///     .steps
///     .iter()
///     .map(|step| format!("{}: {}", step.step.thread, step.step.text))
///     .collect();
/// // Both threads read before the second write.
/// assert_eq!(steps.iter().filter(|s| s.contains("seen = x;")).count(), 2);
/// assert!(steps.last().is_some_and(|s| s.starts_with("observer: assert")));
/// ```
pub mod an_execution {}

/// # Evidence
///
/// With [`CheckOptions::certificate`](crate::CheckOptions) a report has a bundle: facts, derivations, the theorem's
/// proof, an invariant. [`certificate::write`](crate::certificate::write) makes a text of it, and
/// [`certificate::verify`](crate::certificate::verify) replays such a text, with nothing of what found it.
///
/// ```
/// use coarsen::base::control::{Control, ParseLimits};
/// use coarsen::certificate::{verify, write};
/// use coarsen::{CheckOptions, Session, theory};
///
/// let text = "mutex m; var x: 0..2 = 0 protected by m;
///     thread t(i in 0..1) { lock(m); x = x + 1; unlock(m); }";
/// let (session, _) = Session::load("twice.cor", text, &[], ParseLimits::default())?;
/// let options = CheckOptions { certificate: true, ..CheckOptions::default() };
/// let theory = theory("stoller-cohen").expect("it comes with the library");
/// let report = session.check(&theory, &options, &Control::default());
///
/// let evidence = write(report.bundle.as_deref().expect("it holds"));
/// let verdict = verify(&evidence, None, &[], &Control::default());
/// assert_eq!(verdict.rejected, None);
/// // A changed letter is noticed.
/// let forged = evidence.replace("x = x + 1", "x = x + 2");
/// assert!(verify(&forged, None, &[], &Control::default()).rejected.is_some());
/// # Ok::<(), Vec<coarsen::base::diagnostic::Diagnostic>>(())
/// ```
pub mod evidence {}

/// # A theorem
///
/// Laws of omega algebra are proved from a text as well, and the kernel reads the proofs back.
///
/// ```
/// use coarsen::algebra::files::{Also, Text, load_suite, prove_item};
/// use coarsen::algebra::prove::Limits;
/// use coarsen::kernel;
/// use coarsen::results::proofs::Status;
///
/// let text = "action x, y;\nidentity sliding: x (y x)* = (x y)* x;\n";
/// let file = Text { name: "laws.thy".into(), text: text.into() };
/// let mut suite = load_suite(file, 100, &mut |_, _| Err("no other files".into()))
///     .unwrap_or_else(|wrong| panic!("{wrong:?}"));
/// let proof = prove_item(&mut suite, 0, &Limits::default(), Also::default());
/// assert_eq!(proof.status, Status::Proved);
///
/// let certificate = kernel::write(&suite.development);
/// let again = kernel::read(&certificate).unwrap_or_else(|rejected| panic!("{rejected}"));
/// assert!(again.hypotheses().is_empty());
/// ```
pub mod a_theorem {}
