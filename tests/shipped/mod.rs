//! The shipped models, and a brute-force reduced system to hold the tool's against.

#![allow(dead_code, reason = "every test file uses its own part")]

pub mod coarse;

use crate::random;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::results::Report;
use coarsen::{CheckOptions, Session};

/// A model file under `models/`.
pub struct Shipped {
    /// Relative to the repository, such as `models/classic/peterson.cor`.
    pub name: String,
    pub source: String,
}

/// Models whose arrays are too large for the BDDs of `check`: they are for `reach`.
const LARGE: [&str; 4] = ["robots", "shared_array", "shared_ptr", "cmis"];

/// Models that take long, mostly in what tests do with them: the long suite looks at them.
const SLOW: [&str; 5] = [
    "bounded_buffer",
    "master_workers",
    "memory_reuse",
    "rw_cache",
    "thread_pool",
];

/// All models in the long suite, else those that do not take long.
pub fn models() -> Vec<Shipped> {
    let mut all = all();
    all.retain(|m| random::long() || !SLOW.iter().any(|s| m.name.contains(s)));
    all
}

/// All models in the long suite, else every fourth of the quick ones: for tests that say the same of each model.
pub fn some() -> Vec<Shipped> {
    let mut number = 0..;
    let mut some = models();
    some.retain(|_| number.next().is_some_and(random::picked));
    some
}

/// All model files but the large ones, by name.
pub fn all() -> Vec<Shipped> {
    let mut all = files();
    all.retain(|m| !is_large(m));
    all
}

/// All model files, for tests that read texts and explore nothing.
pub fn texts() -> Vec<Shipped> {
    files()
}

/// The large ones.
pub fn large() -> Vec<Shipped> {
    let mut all = files();
    all.retain(is_large);
    assert_eq!(all.len(), LARGE.len());
    all
}

fn is_large(model: &Shipped) -> bool {
    let named = |name| model.name == format!("models/gueta/{name}.cor");
    LARGE.into_iter().any(named)
}

fn files() -> Vec<Shipped> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join("models"), &mut files);
    files.sort();
    let shipped = |path: PathBuf| Shipped {
        name: path
            .strip_prefix(root)
            .expect("under the root")
            .display()
            .to_string(),
        source: fs::read_to_string(&path).expect("a readable model"),
    };
    let all: Vec<Shipped> = files.into_iter().map(shipped).collect();
    assert!(all.len() >= 20, "the models have been found");
    all
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|e| e == "cor") {
            into.push(path);
        }
    }
}

/// The model of this name, without `models/` and `.cor`.
pub fn model(name: &str) -> Shipped {
    let file = format!("models/{name}.cor");
    files()
        .into_iter()
        .find(|m| m.name == file)
        .unwrap_or_else(|| panic!("no model {file}"))
}

/// Reports that have been made, by model and by how they were made.
type Reports = HashMap<(String, &'static str), Arc<OnceLock<Report>>>;

impl Shipped {
    /// The report on the model as it stands, cross-checked; made once, as many tests look at it.
    pub fn report(&self, strict: bool) -> Report {
        let how = if strict { "strict" } else { "cross-checked" };
        self.once(how, || check(&self.load(&[]), strict))
    }

    /// The report by the theorem of Flanagan & Qadeer, by facts as on relations, with its bundle; made once, as it
    /// takes long. The bundle is the one of a check by facts where that can.
    pub fn by_flanagan_qadeer(&self) -> Report {
        self.once("flanagan-qadeer", || {
            let theory = coarsen::theory("flanagan-qadeer").expect("shipped");
            let options = CheckOptions {
                certificate: true,
                claims_by: Some("flanagan-qadeer".into()),
                ..CheckOptions::thorough()
            };
            let session = self.load(&[]);
            session.check(&theory, &options, &Control::default())
        })
    }

    /// The report made like this, which the first test that asks for it makes.
    pub fn once(&self, how: &'static str, make: impl FnOnce() -> Report) -> Report {
        static KNOWN: OnceLock<Mutex<Reports>> = OnceLock::new();
        let known = KNOWN.get_or_init(Mutex::default);
        let cell = known
            .lock()
            .expect("no test panics here")
            .entry((self.name.clone(), how))
            .or_default()
            .clone();
        cell.get_or_init(make).clone()
    }

    /// The model with these constants; it has neither errors nor warnings.
    pub fn load(&self, defines: &[(&str, i64)]) -> Session {
        let defines: Vec<(String, String)> = defines
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        match Session::load(&self.name, &self.source, &defines, ParseLimits::default()) {
            Ok((session, warnings)) => {
                assert!(warnings.is_empty(), "{}: {warnings:?}", self.name);
                session
            }
            Err(errors) => panic!("{}: {errors:?}", self.name),
        }
    }
}

/// The report on a model, cross-checked.
pub fn check(session: &Session, strict: bool) -> Report {
    let theory = coarsen::theory("stoller-cohen").expect("the default theorem");
    let options = CheckOptions {
        cross_check: true,
        strict,
        ..CheckOptions::thorough()
    };
    let report = session.check(&theory, &options, &Control::default());
    assert!(!report.is_contradicted(), "{report:#?}");
    report
}
