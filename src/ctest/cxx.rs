//! Programs in C++: what of its library is compiled with the program, what is used as it is, and what is refused.
//!
//! The compiler's headers have most of the library. Of the rest, what acts on threads, on memory, or on what threads
//! share is `runtime/cxx.cpp`, which is compiled as the program is. Exceptions, run-time types and output are taken
//! from libstdc++: they touch what is the thread's own, or what no program reads back.

use super::units::Unit;
use std::io;
use std::path::Path;

const SUPPORT: &str = include_str!("../../runtime/cxx.cpp");
const HEADER: &str = include_str!("../../runtime/cxx.h");
/// What the two are called beside a program.
pub const SUPPORT_FILE: &str = "coarsen_cxx.cpp";
pub const HEADER_FILE: &str = "coarsen_cxx.h";

/// What it takes to link. Where a part of the library comes in that has what we have, too, ours is first.
pub const LINKED: [&str; 3] = [
    "-Wl,--allow-multiple-definition",
    // Ours looks at the object, and calls the library's.
    "-Wl,--defsym=coarsen_dynamic_cast=__dynamic_cast",
    "-lstdc++",
];

/// Whether a file is in C++, by its name or the options it is compiled with.
pub fn is_cxx(unit: &Unit) -> bool {
    let mut options = unit.flags.iter().map(String::as_str);
    let mut language = None;
    while let Some(option) = options.next() {
        language = match option.strip_prefix("-x") {
            Some("") => options.next(),
            Some(joined) => Some(joined),
            None => continue,
        };
    }
    match language {
        Some(language) => language.starts_with("c++"),
        None => is_cxx_file(&unit.file),
    }
}

/// Whether a file is in C++ by its name.
pub fn is_cxx_file(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|e| e.to_str());
    matches!(
        extension,
        Some("cc" | "cp" | "cxx" | "cpp" | "c++" | "C" | "ii")
    )
}

/// Writes down what programs in C++ are compiled with.
pub fn write(at: &Path) -> io::Result<()> {
    std::fs::write(at.join(SUPPORT_FILE), SUPPORT)?;
    std::fs::write(at.join(HEADER_FILE), HEADER)
}

/// Whether a name is one of libraries of C++.
pub fn is_library(name: &str) -> bool {
    let begins = [
        "_ZSt", "_ZNSt", "_ZNKSt", "_ZNSo", "_ZNSi", "_ZNSd", "_ZNSs", "_Zn", "_Zd", "_ZTTSt",
        "_ZTTNSt", "__cxa_", "_ZGV",
    ];
    begins.iter().any(|b| name.starts_with(b))
}

/// Of the library, what is used as it is: functions, by how their names begin.
const TAKEN: &[&str] = &[
    // Exceptions are the thread's own until another thread is given one, and that is by what is seen.
    "_Unwind_Resume",
    "__gxx_personality_v0",
    "__dso_handle",
    "__cxa_allocate_exception",
    "__cxa_free_exception",
    "__cxa_init_primary_exception",
    "__cxa_allocate_dependent_exception",
    "__cxa_free_dependent_exception",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_get_exception_ptr",
    "__cxa_call_unexpected",
    "__cxa_call_terminate",
    "__cxa_uncaught_exception",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    "__cxa_pure_virtual",
    "__cxa_deleted_virtual",
    "_ZSt18uncaught_exceptionv",
    "_ZSt19uncaught_exceptionsv",
    "_ZSt17current_exceptionv",
    "_ZSt17rethrow_exception",
    "_ZNSt15__exception_ptr",
    "_ZNKSt15__exception_ptr",
    "_ZSt9terminatev",
    "_ZSt13set_terminate",
    "__cxa_current_exception_type",
    // Types at run time, of exceptions among others.
    "_ZTI",
    "_ZTV",
    "_ZTS",
    "_ZNSt9type_info",
    "_ZNKSt9type_info",
    "_ZNKSt10error_code",
    "_ZNSt3_V2",
    "_ZSt15future_category",
    "_ZNSt13__future_base12_Result_base",
    "_ZSt7nothrow",
    // What is called once: `pthread_once` is seen.
    "_ZSt15__once_callable",
    "_ZSt11__once_call",
    "_ZSt12__once_proxy",
    "coarsen_dynamic_cast",
    "__once_proxy",
    // Output: nobody reads it back.
    "_ZSt4cout",
    "_ZSt4cerr",
    "_ZSt4clog",
    "_ZNSolsE",
    "_ZNSo3putE",
    "_ZNSo5writeE",
    "_ZNSo5flushE",
    "_ZNSo9_M_insert",
    "_ZStlsI",
    "_ZSt4endl",
    "_ZSt5flush",
    "_ZSt16__ostream_insert",
    "_ZNSt8ios_base4Init",
    "_ZSt21ios_base_library_init",
];

/// Classes of exceptions: what makes and destroys them is used as it is.
const EXCEPTIONS: &[&str] = &[
    "exception",
    "bad_exception",
    "bad_alloc",
    "bad_array_new_length",
    "bad_cast",
    "bad_typeid",
    "bad_function_call",
    "bad_weak_ptr",
    "bad_variant_access",
    "bad_optional_access",
    "bad_any_cast",
    "logic_error",
    "runtime_error",
    "domain_error",
    "invalid_argument",
    "length_error",
    "out_of_range",
    "range_error",
    "overflow_error",
    "underflow_error",
    "system_error",
    "future_error",
];

/// Whether a function or variable of libraries of C++ is used as it is.
pub fn is_taken(name: &str) -> bool {
    TAKEN.iter().any(|t| name.starts_with(t)) || throws(name) || is_exception(name)
}

/// Whether a function throws what it is named for: `std::__throw_length_error(char const*)`.
fn throws(name: &str) -> bool {
    let rest = name.strip_prefix("_ZSt").unwrap_or_default();
    rest.trim_start_matches(|c: char| c.is_ascii_digit())
        .starts_with("__throw_")
}

fn is_exception(name: &str) -> bool {
    let rest = name
        .strip_prefix("_ZNSt")
        .or_else(|| name.strip_prefix("_ZNKSt"));
    let class = rest.and_then(|rest| {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let length: usize = rest[..digits].parse().ok()?;
        rest[digits..].get(..length)
    });
    class.is_some_and(|class| EXCEPTIONS.contains(&class))
}

/// A type's name as people write it.
pub fn type_name(name: &str) -> String {
    let told = demangled(&format!("_ZTS{name}"));
    let plain = told.strip_prefix("typeinfo name for ");
    plain.unwrap_or(name).to_string()
}

/// Whether a file is one of a library: of the compiler's, the system's, or what we write anew.
pub fn is_library_file(file: &str) -> bool {
    let folders = ["/include/c++/", "/lib/gcc/"];
    let begins = ["c++/", "/usr/include/"];
    begins.iter().any(|b| file.starts_with(b)) || folders.iter().any(|f| file.contains(f))
}

/// A name as people write it.
pub fn demangled(name: &str) -> String {
    let symbol = cpp_demangle::Symbol::new(name).ok();
    let written = symbol.and_then(|s| s.demangle().ok());
    written.unwrap_or_else(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_library() {
        for name in [
            "_ZSt20__throw_length_errorPKc",
            "_ZNSt13runtime_errorC1EPKc",
            "_ZNKSt9exception4whatEv",
            "_ZTVSt12future_error",
            "__cxa_throw",
        ] {
            assert!(is_taken(name), "{name}");
        }
        for name in [
            "_ZNSt6thread4joinEv",
            "_ZNSt13random_device7_M_initE",
            "__cxa_thread_atexit",
            "_Znwm",
        ] {
            assert!(is_library(name) && !is_taken(name), "{name}");
        }
    }

    #[test]
    fn the_language_of_a_file() {
        let unit = |file: &str, flags: &[&str]| Unit {
            file: file.into(),
            directory: "".into(),
            flags: flags.iter().map(|f| f.to_string()).collect(),
        };
        assert!(is_cxx(&unit("a.cpp", &[])) && is_cxx(&unit("a.c", &["-x", "c++"])));
        assert!(!is_cxx(&unit("a.c", &[])) && !is_cxx(&unit("a.cpp", &["-xc"])));
    }
}
