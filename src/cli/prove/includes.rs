//! The files that problems in TPTP's form include.
//!
//! A problem may come from anywhere, so its includes lead nowhere but where TPTP has its axioms: into the folder of the
//! file, the folders above it, and `$TPTP`.

use super::{Refused, read_text};
use coarsen::algebra::files::Text;
use std::path::{Component, Path, PathBuf};

/// The file that `include('path')` in the file `from` speaks of: beside it, in the folders above, or in `$TPTP`.
///
/// # Errors
/// Why there is none, without a word of what any file says.
pub(super) fn included(path: &str, from: &str) -> Result<Text, String> {
    let goes_down = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(path).components().all(goes_down) {
        return Err("a path that is absolute or has `..` is not followed".into());
    }
    let places = folders(from);
    let Some(folder) = places.iter().find(|folder| folder.join(path).is_file()) else {
        let there = places.iter().any(|folder| folder.join(path).exists());
        let why = ["there is no such file", "it is no regular file"][usize::from(there)];
        return Err(why.into());
    };
    let file = folder.join(path).canonicalize();
    let file = file.map_err(|error| error.to_string())?;
    if !file.starts_with(folder) {
        return Err("a link that leads out of its folder is not followed".into());
    }
    match read_text(&short(&file)) {
        Ok(text) => Ok(text),
        Err(Refused::Unreadable(error)) => Err(error.to_string()),
        Err(Refused::NotAModel(_, diagnostic)) => Err(diagnostic.message),
    }
}

/// Where the includes of a file are looked for, in this order; above `$TPTP` nothing is.
fn folders(from: &str) -> Vec<PathBuf> {
    let tptp =
        std::env::var_os("TPTP").and_then(|folder| PathBuf::from(folder).canonicalize().ok());
    let own = match Path::new(from).parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let own = own.canonicalize().ok();
    let mut all = Vec::new();
    for folder in own.iter().flat_map(|own| own.ancestors()) {
        all.push(folder.to_path_buf());
        if tptp.as_deref() == Some(folder) {
            break;
        }
    }
    all.extend(tptp);
    all
}

/// The path as seen from the working folder.
fn short(file: &Path) -> String {
    let here = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let below = here.ok().and_then(|folder| file.strip_prefix(folder).ok());
    below.unwrap_or(file).to_string_lossy().into_owned()
}
