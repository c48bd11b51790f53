//! Building the program: compiled with a call before each access, its `main` and the thread functions renamed, linked
//! with the runtime.

use super::aggregates::{self, Dump};
use super::assembly;
use super::cxx;
use super::library::{is_safe, refused, synchronises};
use super::units::{Unit, units};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// The runtime, compiled when this package was.
const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/coarsen_runtime.o"));
/// The header that programs may include.
const HEADER: &str = include_str!("../../runtime/coarsen.h");
/// What programs for GenMC include.
const GENMC: &str = include_str!("../../runtime/genmc.h");
/// clang's header, which others write their programs for, includes these; gcc's does not.
const STDATOMIC: &str = "#include <stddef.h>\n#include <stdint.h>\n#include_next <stdatomic.h>\n";

/// What to build.
#[derive(Clone, Debug)]
pub struct Sources {
    /// C files, and what [`units`] takes besides.
    pub files: Vec<String>,
    /// Options for the compiler.
    pub cflags: Vec<String>,
    /// The compiler; if there is none, `gcc`, else `clang`.
    pub compiler: Option<String>,
}

/// A program that was built.
#[derive(Debug)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// What it uses that is not controlled.
    pub uncontrolled: Vec<String>,
    /// Whether all its state is in memory, as far as is known.
    pub reset: bool,
    /// Whether it calls what an error is (`reach_error`).
    pub names_errors: bool,
    /// Whether it has thread-local variables.
    thread_local: bool,
    /// Whether parts of it are in C++.
    has_cxx: bool,
    directory: PathBuf,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// Why there is no program.
#[derive(Debug)]
pub enum NotBuilt {
    /// A tool is missing, or this machine can't do it.
    Missing(String),
    /// The compiler or linker rejects the program, and says why.
    Rejected(String),
    /// The program uses what can't be controlled.
    Refused(String),
    /// Files can't be written.
    Failed(String),
}

impl From<io::Error> for NotBuilt {
    fn from(error: io::Error) -> Self {
        NotBuilt::Failed(error.to_string())
    }
}

/// Builds the program.
///
/// # Errors
/// Why it can't be built.
pub fn build(sources: &Sources) -> Result<Program, NotBuilt> {
    if RUNTIME.is_empty() {
        return Err(NotBuilt::Missing(
            "programs can be tested on x86-64 Linux only".into(),
        ));
    }
    let compiler = compiler(sources.compiler.as_deref())?;
    let mut units = units(&sources.files)?;
    for tool in ["objcopy", "nm"] {
        require(tool, "install binutils (`apt-get install binutils`)")?;
    }
    let directory = fresh_directory()?;
    let mut program = Program {
        path: directory.join("program"),
        uncontrolled: Vec::new(),
        reset: true,
        names_errors: false,
        thread_local: false,
        has_cxx: false,
        directory,
    };
    let at = program.directory.clone();
    std::fs::write(at.join("runtime.o"), RUNTIME)?;
    std::fs::write(at.join("coarsen.h"), HEADER)?;
    std::fs::write(at.join("genmc.h"), GENMC)?;
    std::fs::write(at.join("stdatomic.h"), STDATOMIC)?;
    let has_cxx = units.iter().any(cxx::is_cxx);
    program.has_cxx = has_cxx;
    if has_cxx {
        // The library has some: the exceptions that a thread is about, for one.
        program.thread_local = true;
        cxx::write(&at)?;
        units.push(Unit {
            file: cxx::SUPPORT_FILE.into(),
            directory: at.clone(),
            flags: Vec::new(),
        });
    }
    let clang = is_clang(&compiler);
    if compiler != "gcc" {
        self_test(&compiler, clang, &at)?;
    }
    let tool = |options| Tool {
        compiler: &compiler,
        clang,
        options,
    };
    let made = objects(&tool(&[]), sources, &units, &at, &mut program)
        .and_then(|objects| link(&compiler, &objects, sources, &at, &mut program));
    match made {
        // Before C99 `inline` meant something else, and a program that counts on it lacks functions now.
        Err(NotBuilt::Rejected(text)) if text.contains("undefined reference") => {
            program.uncontrolled.clear();
            let old = tool(&["-fgnu89-inline"]);
            let objects = objects(&old, sources, &units, &at, &mut program);
            let again = objects.and_then(|o| link(&compiler, &o, sources, &at, &mut program));
            again.map_err(|_| NotBuilt::Rejected(text))?;
        }
        made => made?,
    }
    Ok(program)
}

/// The compiler, and options that are needed in addition.
struct Tool<'a> {
    compiler: &'a str,
    clang: bool,
    options: &'a [&'a str],
}

/// Compiles all files.
fn objects(
    tool: &Tool,
    sources: &Sources,
    units: &[Unit],
    at: &Path,
    program: &mut Program,
) -> Result<Vec<PathBuf>, NotBuilt> {
    let mut texts = Vec::new();
    for (i, unit) in units.iter().enumerate() {
        texts.push(compile(tool, sources, unit, i, at, program)?);
    }
    let own: BTreeSet<&str> = texts.iter().flat_map(|t| assembly::defined(t)).collect();
    let own = |name: &str| own.contains(name);
    let mut objects = Vec::new();
    for (i, (unit, text)) in units.iter().zip(&texts).enumerate() {
        objects.push(assemble(tool, &unit.file, text, &own, i, at, program)?);
    }
    rename(&objects, at, program)?;
    Ok(objects)
}

fn fresh_directory() -> io::Result<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("coarsen-{}-{n}", std::process::id());
        let path = std::env::temp_dir().join(name);
        match std::fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
}

fn require(tool: &str, advice: &str) -> Result<(), NotBuilt> {
    match Command::new(tool).arg("--version").output() {
        Ok(_) => Ok(()),
        Err(_) => Err(NotBuilt::Missing(format!(
            "`{tool}` is not there: {advice}"
        ))),
    }
}

fn compiler(wanted: Option<&str>) -> Result<String, NotBuilt> {
    let there = |name: &str| Command::new(name).arg("--version").output().is_ok();
    match wanted {
        Some(name) if there(name) => Ok(name.into()),
        Some(name) => Err(NotBuilt::Missing(format!(
            "the compiler `{name}` is not there"
        ))),
        None => ["gcc", "clang"]
            .into_iter()
            .find(|name| there(name))
            .map(Into::into)
            .ok_or_else(|| {
                NotBuilt::Missing(
                    "neither `gcc` nor `clang` is there: install one (`apt-get install gcc`)"
                        .into(),
                )
            }),
    }
}

/// Has a call put before each access, against all options of the user.
fn instrument(command: &mut Command, clang: bool) {
    command.args(["-fsanitize=thread", "-fno-builtin", "-fno-pie"]);
    command.args(["-fno-stack-protector", "-U_FORTIFY_SOURCE", "-pthread"]);
    if clang {
        // Else it leaves out the read of `x++`.
        command.args(["-mllvm", "-tsan-instrument-read-before-write=1"]);
    }
}

/// Makes sure, on a small file, that a compiler puts a call before each access: executions would be missed if it did
/// not.
fn self_test(compiler: &str, clang: bool, at: &Path) -> Result<(), NotBuilt> {
    let (source, assembly) = (at.join("self_test.c"), at.join("self_test.s"));
    std::fs::write(&source, "int x; void f(void) { x++; }\n")?;
    let mut command = Command::new(compiler);
    command.args(["-S", "-O0", "-w"]);
    instrument(&mut command, clang);
    run(command.arg(&source).arg("-o").arg(&assembly))?;
    let text = String::from_utf8_lossy(&std::fs::read(&assembly)?).into_owned();
    for (hook, what) in [("__tsan_read4", "reads"), ("__tsan_write4", "writes")] {
        if !text.contains(hook) {
            return Err(NotBuilt::Missing(format!(
                "`{compiler}` puts no call before the place where `x++` {what} x, so schedules would be missed: use \
                 gcc, or a clang that knows -tsan-instrument-read-before-write (14 or later)"
            )));
        }
    }
    Ok(())
}

fn is_clang(compiler: &str) -> bool {
    let version = Command::new(compiler).arg("--version").output();
    version.is_ok_and(|v| String::from_utf8_lossy(&v.stdout).contains("clang"))
}

fn run(command: &mut Command) -> Result<Output, NotBuilt> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(output);
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(NotBuilt::Rejected(text))
}

fn compile(
    tool: &Tool,
    sources: &Sources,
    unit: &Unit,
    i: usize,
    at: &Path,
    program: &mut Program,
) -> Result<String, NotBuilt> {
    let file = unit.file.as_str();
    if let Err(error) = std::fs::metadata(unit.directory.join(file)) {
        return Err(NotBuilt::Failed(format!("{file}: {error}")));
    }
    let assembly = at.join(format!("{i}.s"));
    let mut command = Command::new(tool.compiler);
    if !unit.directory.as_os_str().is_empty() {
        command.current_dir(&unit.directory);
    }
    command
        .args(["-S", "-g", "-O0", "-w", "-fcommon"])
        .args(&unit.flags)
        .args(&sources.cflags);
    instrument(&mut command, tool.clang);
    // Functions that are atomic by their names must stay functions.
    command.args(["-fno-inline", "-fno-optimize-sibling-calls"]);
    // A local array that is too large must meet the end of the stack, and not jump over it. The comparisons of a
    // `switch` are read off the assembly.
    command.args(["-fstack-clash-protection", "-fno-jump-tables"]);
    command.args(tool.options);
    let is_cxx = cxx::is_cxx(unit);
    if file == cxx::SUPPORT_FILE {
        // It is of the library, for whoever reads where a step is.
        let map = format!("-fdebug-prefix-map={}=c++", at.display());
        command.arg(map);
    } else if is_cxx {
        command.arg("-include").arg(at.join(cxx::HEADER_FILE));
    }
    command.arg("-I").arg(at).arg(file).arg("-o").arg(&assembly);
    let mut dump = None;
    if tool.clang {
        run(&mut command)?;
    } else {
        dump = dumped(&mut command, at, i, is_cxx)?;
    }
    let text = String::from_utf8_lossy(&std::fs::read(&assembly)?).into_owned();
    if tool.clang {
        return Ok(text);
    }
    let treated = aggregates::treat(file, &text, dump.as_ref());
    program.uncontrolled.extend(treated.missed);
    Ok(treated.text)
}

/// Makes an object of the compiler's output, with what is put into it.
fn assemble(
    tool: &Tool,
    file: &str,
    text: &str,
    own: &dyn Fn(&str) -> bool,
    i: usize,
    at: &Path,
    program: &mut Program,
) -> Result<PathBuf, NotBuilt> {
    let assembly = at.join(format!("{i}.s"));
    let object = at.join(format!("{i}.o"));
    let prepared = assembly::prepare(text, own);
    if let Some(what) = &prepared.inline {
        program
            .uncontrolled
            .push(format!("inline assembly in {file} (`{what}`)"));
    }
    program.thread_local |= prepared.thread_local;
    std::fs::write(&assembly, prepared.text)?;
    run(Command::new(tool.compiler)
        .args(["-c"])
        .arg(&assembly)
        .arg("-o")
        .arg(&object))?;
    Ok(object)
}

/// Compiles, and reads what gcc tells of the program: the pass that puts calls has one name at `-O0` and another one
/// above. None if it does not tell.
fn dumped(
    command: &mut Command,
    at: &Path,
    i: usize,
    is_cxx: bool,
) -> Result<Option<Dump>, NotBuilt> {
    let names = [
        "tree-tsan0-lineno-uid",
        "tree-tsan-lineno-uid",
        "ipa-cgraph",
    ];
    let paths = names.map(|name| at.join(format!("{i}.{name}")));
    for (name, path) in names.iter().zip(&paths) {
        // In C++ a function is called otherwise in the text and in the assembly.
        let more = match is_cxx && name.starts_with("tree") {
            true => "-asmname",
            false => "",
        };
        let mut option = std::ffi::OsString::from(format!("-fdump-{name}{more}="));
        option.push(path);
        command.arg(option);
    }
    run(command)?;
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let [plain, optimized, symbols] = paths.each_ref().map(read);
    if plain.is_none() && optimized.is_none() {
        return Ok(None);
    }
    Ok(Some(Dump {
        plain: plain.unwrap_or_default(),
        optimized: optimized.unwrap_or_default(),
        symbols: symbols.unwrap_or_default(),
        cxx: is_cxx,
    }))
}

/// The symbols of an object: the letter that `nm` has for what it is, and the name.
fn symbols(object: &Path) -> Result<Vec<(char, String)>, NotBuilt> {
    let output = run(Command::new("nm").args(["-P"]).arg(object))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (name, kind) = (words.next()?, words.next()?);
            Some((kind.chars().next()?, name.to_string()))
        })
        .collect())
}

/// What becomes of a name that the program uses, and does not have itself.
enum Wanted {
    /// We stand for it, under this name.
    Ours(String),
    /// It can be used as it is.
    AsItIs,
    /// It ends an execution that calls it, with this reason.
    Refused(String),
    /// Nobody knows what it does.
    Unknown(String),
}

impl Wanted {
    fn of(name: &str, ours: &BTreeSet<String>) -> Result<Wanted, NotBuilt> {
        let versions = ["__isoc99_", "__isoc23_"];
        let stripped = versions.iter().find_map(|prefix| name.strip_prefix(prefix));
        let plain = stripped.unwrap_or(name);
        let renamed = format!("coarsen_c_{plain}");
        if ours.contains(&renamed) {
            return Ok(Wanted::Ours(renamed));
        }
        if cxx::is_taken(name) {
            return Ok(Wanted::AsItIs);
        }
        if cxx::is_library(name) {
            let called = cxx::demangled(name).replace('"', "'");
            return match called.contains('(') {
                true => Ok(Wanted::Refused(format!(
                    "`{called}`: this function of C++'s library can't be controlled"
                ))),
                // What is no function may be looked at anywhere.
                false => Err(NotBuilt::Refused(format!(
                    "the program needs `{called}` of C++'s library, which can't be controlled"
                ))),
            };
        }
        if let Some(what) = refused(plain) {
            return Ok(Wanted::Refused(format!(
                "`{plain}`: {what} can't be controlled"
            )));
        }
        if ours.contains(name) || is_safe(plain) {
            return Ok(Wanted::AsItIs);
        }
        if name.starts_with("__tsan_") {
            return Err(NotBuilt::Refused(format!(
                "the program needs `{name}`, an access that can't be controlled"
            )));
        }
        Ok(match synchronises(plain) {
            true => Wanted::Refused(format!("`{plain}`: this function can't be controlled")),
            false => Wanted::Unknown(plain.to_string()),
        })
    }
}

/// Renames, in all objects, what the runtime stands for.
fn rename(objects: &[PathBuf], at: &Path, program: &mut Program) -> Result<(), NotBuilt> {
    let elsewhere = |kind| matches!(kind, 'U' | 'w' | 'v');
    let (taken, ours): (Vec<_>, Vec<_>) = symbols(&at.join("runtime.o"))?
        .into_iter()
        .partition(|&(kind, _)| elsewhere(kind));
    let taken: BTreeSet<String> = taken.into_iter().map(|(_, name)| name).collect();
    let mut ours: BTreeSet<String> = ours.into_iter().map(|(_, name)| name).collect();
    let mut defined = BTreeSet::new();
    let mut wanted = BTreeSet::new();
    let mut functions = BTreeSet::new();
    for object in objects {
        for (kind, name) in symbols(object)? {
            if matches!(kind, 'T' | 'W') {
                functions.insert(name.clone());
            }
            if elsewhere(kind) {
                wanted.insert(name);
                continue;
            }
            if name.starts_with("coarsen_c_") {
                ours.insert(name.clone());
            }
            defined.insert(name);
        }
    }
    if !defined.contains("main") {
        return Err(NotBuilt::Rejected("the program has no `main`\n".into()));
    }
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    names.insert("main", "coarsen_user_main".into());
    // A function of the program may have the name of one in the C library. We and the library itself must not call it.
    let library = |name: &str| {
        taken.contains(name)
            || is_safe(name)
            || refused(name).is_some()
            || ours.contains(&format!("coarsen_c_{name}"))
    };
    for name in &functions {
        let special = ["__VERIFIER", "coarsen_", "reach_error"];
        if library(name) && !special.iter().any(|s| name.starts_with(s)) {
            names.insert(name, format!("{name}.own"));
        }
    }
    // In SV-COMP's programs only what is called an error is one.
    let errors = ["reach_error", "__VERIFIER_error"];
    let is_property = errors
        .iter()
        .any(|&e| defined.contains(e) || wanted.contains(e));
    program.names_errors = is_property;
    if is_property && wanted.remove("abort") && !defined.contains("abort") {
        names.insert("abort", "coarsen_c_assume_abort".into());
    }
    let mut unknown = Vec::new();
    // Functions that end an execution if they are called.
    let mut stubs: BTreeMap<&str, String> = BTreeMap::new();
    for name in wanted.difference(&defined) {
        match Wanted::of(name, &ours)? {
            Wanted::Ours(instead) => {
                names.insert(name, instead);
            }
            Wanted::AsItIs => {}
            Wanted::Refused(what) => {
                stubs.insert(name, what);
            }
            Wanted::Unknown(plain) => unknown.push(plain),
        }
    }
    if program.has_cxx && wanted.contains("syscall") {
        names.insert("syscall", "coarsen_cxx_syscall".into());
    }
    if !unknown.is_empty() {
        // Who knows what they keep outside of memory.
        program.reset = false;
    }
    program
        .uncontrolled
        .extend(unknown.into_iter().map(|name| format!("`{name}`")));
    write_stubs(&stubs, at)?;
    names.extend(stubs.keys().map(|&name| (name, stub(name))));
    let list: String = names.iter().map(|(a, b)| format!("{a} {b}\n")).collect();
    let file = at.join("names");
    std::fs::write(&file, list)?;
    for object in objects {
        let mut option = std::ffi::OsString::from("--redefine-syms=");
        option.push(&file);
        run(Command::new("objcopy").arg(option).arg(object))?;
    }
    Ok(())
}

/// What a function is called that ends an execution.
fn stub(name: &str) -> String {
    format!("coarsen_refused.{name}")
}

/// Writes functions that can't be controlled: each says what it is.
fn write_stubs(stubs: &BTreeMap<&str, String>, at: &Path) -> io::Result<()> {
    let each = stubs.iter().map(|(name, what)| {
        let name = stub(name);
        format!(
            "\t.globl\t{name}\n{name}:\n\tleaq\t1f(%rip), %rdi\n\tjmp\tcoarsen_refused\n1:\t.asciz\t\"{what}\"\n"
        )
    });
    let end = "\t.section\t.note.GNU-stack,\"\",@progbits\n";
    let text = format!("\t.text\n{}{end}", each.collect::<String>());
    std::fs::write(at.join("refused.s"), text)
}

fn link(
    compiler: &str,
    objects: &[PathBuf],
    sources: &Sources,
    at: &Path,
    program: &mut Program,
) -> Result<(), NotBuilt> {
    let libraries = sources
        .cflags
        .iter()
        .filter(|f| f.starts_with("-l") || f.starts_with("-L"));
    let command = |still: bool| {
        let mut command = Command::new(compiler);
        if still {
            command.arg("-static");
        }
        let local = u8::from(program.thread_local);
        command
            .arg("-no-pie")
            .arg(format!("-Wl,--defsym=coarsen_has_tls={local}"))
            .args(objects)
            .arg(at.join("refused.s"))
            .arg(at.join("runtime.o"));
        command
            .args(libraries.clone())
            .args(program.has_cxx.then_some(cxx::LINKED).into_iter().flatten())
            .args(["-lpthread", "-lm", "-o"]);
        command.arg(&program.path);
        command
    };
    if run(&mut command(true)).is_err() {
        // Without a static C library its state is elsewhere, and each execution needs a process.
        run(&mut command(false))?;
        if program.thread_local {
            return Err(NotBuilt::Refused(
                "thread-local variables (`__thread`) need a C library that can be linked statically (libc.a)".into(),
            ));
        }
        program.reset = false;
    }
    Ok(())
}
