//! Structs that are passed and returned by value, and what else gcc accesses without announcing it.
//!
//! gcc puts its calls before assignments only (see [`gimple`](super::gimple)). Where a call passes or returns a struct
//! in memory that others see, the accesses are looked for in the assembly, between this call and the next jump, label
//! or call on each side, and announced there. These are all accesses that no call before has announced, and there must
//! be as many as the statement has structs. If anything is not understood, or the program was optimized, the answer
//! names the statement instead.

use super::gimple::{self, Call, Function, Sight};
use super::registers::{Access, Effect, Machine, Where};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The compiler's output, with announcements put into it.
#[derive(Debug)]
pub struct Treated {
    /// The assembly.
    pub text: String,
    /// What is accessed without being announced.
    pub missed: Vec<String>,
}

/// What gcc tells of a file.
pub struct Dump {
    /// The functions that are not optimized, behind the pass that puts calls before accesses.
    pub plain: String,
    /// The others.
    pub optimized: String,
    /// The table of symbols.
    pub symbols: String,
    /// Whether the file is in C++, where structs may be empty.
    pub cxx: bool,
}

/// So many statements of a file are named.
const NAMED: usize = 3;

/// Announces what gcc has not announced, as far as that can be done.
pub fn treat(file: &str, text: &str, dump: Option<&Dump>) -> Treated {
    let lines: Vec<&str> = text.lines().collect();
    let mut missed = Vec::new();
    let mut put: BTreeMap<usize, String> = BTreeMap::new();
    let read = |text: fn(&Dump) -> &str| {
        dump.map_or_else(Vec::new, |d| gimple::functions(text(d), &d.symbols))
    };
    let (plain, optimized) = (read(|d| &d.plain), read(|d| &d.optimized));
    // Only a nested function whose address is taken may run in another thread.
    let all = plain.iter().chain(&optimized).flat_map(|f| &f.calls);
    let mut names = all.filter_map(|call| call.callee.as_deref());
    let given_away = names.any(|name| name == "__builtin_init_trampoline");
    let known = |functions: &[Function], name: &str| functions.iter().position(|f| f.name == name);
    let both = || plain.iter().chain(&optimized);
    let in_place: BTreeSet<&str> = both()
        .filter(|f| f.by_reference)
        .map(|f| f.name.as_str())
        .collect();
    for body in bodies(&lines) {
        // Optimizations make copies and pieces.
        let whole = body.name.split('.').next().unwrap_or("");
        let copy = body.name.strip_suffix(".cold").unwrap_or(body.name);
        let simple = known(&plain, body.name).map(|i| &plain[i]);
        let other = || {
            let names = [body.name, copy, whole];
            names.iter().find_map(|name| known(&optimized, name))
        };
        let name = body.name;
        let Some(function) = simple.or_else(|| other().map(|i| &optimized[i])) else {
            missed.push(match dump {
                None => format!("which structs `{name}` in {file} passes or returns by value, which this compiler does \
                    not tell,"),
                Some(_) => format!("what `{name}` in {file} accesses (gcc is told not to announce it)"),
            });
            continue;
        };
        if function.strange {
            missed.push(format!("which structs `{name}` in {file} passes or returns by value (gcc tells it in a way \
                that is not understood)"));
        }
        if function.nested && given_away {
            missed.push(format!(
                "what `{name}` in {file} accesses of the function around it"
            ));
        }
        let mut open: BTreeSet<usize> = (0..function.calls.len())
            .filter(|&i| sees(&function.calls[i], &in_place))
            .collect();
        if simple.is_some() && !open.is_empty() {
            let cxx = dump.is_some_and(|d| d.cxx);
            announce(&lines, &body, (function, cxx), &mut open, &mut put);
        }
        for (i, call) in function.calls.iter().enumerate() {
            if let Some(why) = inside(call).filter(|_| !is_called(call, &lines, &body, function)) {
                missed.push(format!("`{}`{} ({why})", call.text, at(call, file)));
            } else if open.contains(&i) {
                missed.push(unannounced(call, file));
            }
        }
    }
    if missed.len() > NAMED {
        let more = missed.len() - NAMED;
        missed.truncate(NAMED);
        missed.push(format!("more of that kind in {file} ({more})"));
    }
    let mut out = String::with_capacity(text.len() + 256);
    for (n, line) in lines.iter().enumerate() {
        out.push_str(put.get(&n).map_or("", |before| before));
        out.push_str(line);
        out.push('\n');
    }
    Treated { text: out, missed }
}

fn at(call: &Call, file: &str) -> String {
    match call.place.as_str() {
        "" => format!(" in {file}"),
        place => format!(" at {place}"),
    }
}

fn unannounced(call: &Call, file: &str) -> String {
    format!(
        "the struct passed or returned by value in `{}`{} (gcc does not announce this access: copy it to or from a \
         local variable first)",
        call.text,
        at(call, file)
    )
}

/// Whether a call passes or returns what others see. What functions make in place they announce themselves.
fn sees(call: &Call, in_place: &BTreeSet<&str>) -> bool {
    let is_made = call
        .callee
        .as_deref()
        .is_some_and(|name| in_place.contains(name));
    let result = (!is_made).then_some(&call.result);
    let mut all = call.arguments.iter().chain(result);
    all.any(|sight| *sight != Sight::Nobody)
}

/// What a function of the compiler accesses that it may turn into instructions.
fn inside(call: &Call) -> Option<&'static str> {
    let name = call.callee.as_deref()?;
    let any = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if let Some(plain) = name.strip_prefix("__builtin_") {
        let plain = plain.trim_start_matches('_');
        let families = [
            "mem",
            "str",
            "stp",
            "bcopy",
            "bzero",
            "bcmp",
            "index",
            "rindex",
            "clear_padding",
        ];
        if families.iter().any(|family| plain.starts_with(family)) {
            return Some(
                "gcc does not announce what its own function accesses: call that of the C library",
            );
        }
        let jumps = ["setjmp", "longjmp", "nonlocal", "apply"];
        if jumps.iter().any(|jump| plain.starts_with(jump)) {
            return Some("it can't be followed");
        }
        let wide = [
            "load", "store", "mov", "gather", "scatter", "save", "restore",
        ];
        if plain.starts_with("ia32_") && any(&wide) {
            return Some("gcc does not announce what this instruction accesses");
        }
    }
    let wide = ["LOAD", "STORE", "GATHER", "SCATTER", "ATOMIC"];
    let told = name.starts_with('.') && any(&wide);
    told.then_some("gcc does not announce what this instruction accesses")
}

/// Whether a function of the compiler is called as that of the C library, wherever it is used here. (Those that the
/// compiler calls of its own accord can't be told apart.)
fn is_called(call: &Call, lines: &[&str], body: &Body, function: &Function) -> bool {
    let plain = |call: &Call| {
        let name = call.callee.as_deref()?;
        Some(name.strip_prefix("__builtin_").unwrap_or(name).to_string())
    };
    let Some(name) = plain(call) else {
        return false;
    };
    let meant = function
        .calls
        .iter()
        .filter(|c| plain(c).as_ref() == Some(&name));
    let there = lines[body.lines.clone()]
        .iter()
        .filter(|line| called(line) == Some(&name));
    !["memcpy", "memmove", "memset"].contains(&name.as_str()) && meant.count() == there.count()
}

/// A function of the assembly, and its lines.
struct Body<'a> {
    name: &'a str,
    lines: std::ops::Range<usize>,
}

/// The functions of the assembly.
fn bodies<'a>(lines: &[&'a str]) -> Vec<Body<'a>> {
    let mut bodies: Vec<Body> = Vec::new();
    let mut typed = None;
    for (n, line) in lines.iter().enumerate() {
        if let Some(rest) = line.strip_prefix("\t.type\t")
            && let Some((name, "@function")) = rest.split_once(", ")
        {
            typed = Some(name);
        }
        if let Some(name) = line.strip_suffix(':')
            && typed == Some(name)
        {
            let lines = n + 1..lines.len();
            bodies.push(Body { name, lines });
            typed = None;
        }
        if line.starts_with("\t.size\t")
            && let Some(body) = bodies.last_mut()
            && body.lines.end == lines.len()
        {
            body.lines.end = n;
        }
    }
    bodies
}

/// The function that an instruction calls; `*` if it has no name.
fn called(line: &str) -> Option<&str> {
    let target = line.trim().strip_prefix("call\t")?;
    if target.starts_with('*') {
        return Some("*");
    }
    Some(target.split('@').next().unwrap_or(target))
}

/// The name under which a function of the dump is called.
fn label(call: &Call) -> Option<&str> {
    let Some(name) = call.callee.as_deref() else {
        return Some("*");
    };
    if name.starts_with("__builtin___tsan_") {
        return name.strip_prefix("__builtin_");
    }
    (!name.starts_with("__builtin_") && !name.starts_with('.')).then_some(name)
}

/// Which instruction is which call of the dump; none if the two differ.
fn matched(lines: &[&str], body: &Body, function: &Function) -> Option<BTreeMap<usize, usize>> {
    let there = body.lines.clone();
    let there: Vec<_> = there.filter_map(|n| Some((n, called(lines[n])?))).collect();
    let meant = function.calls.iter().enumerate();
    let meant: Vec<_> = meant.filter_map(|(i, c)| Some((i, label(c)?))).collect();
    let names: BTreeSet<_> = there.iter().map(|(_, name)| *name).collect();
    let wanted: BTreeSet<_> = meant.iter().map(|(_, name)| *name).collect();
    let there = there.iter().filter(|(_, name)| wanted.contains(name));
    let meant = meant.iter().filter(|(_, name)| names.contains(name));
    let same = there.clone().map(|t| t.1).eq(meant.clone().map(|m| m.1));
    same.then(|| there.map(|t| t.0).zip(meant.map(|m| m.0)).collect())
}

/// What a call before an access has announced, byte by byte.
struct Announced {
    access: Access,
    taken: Vec<bool>,
}

impl Announced {
    /// Whether an access is this one, or a part of it that was not made yet.
    fn covers(&mut self, access: &Access) -> bool {
        if access.address.terms != self.access.address.terms {
            return false;
        }
        if access.write != self.access.write {
            // A part of a word is written by reading all of it first.
            let first = access.address.number - self.access.address.number;
            let inside = first >= 0 && first < self.taken.len() as i64;
            return self.access.write && inside && self.taken.iter().all(|taken| !taken);
        }
        let Some(size) = access.size else {
            return true;
        };
        let first = access.address.number - self.access.address.number;
        let bytes = usize::try_from(first).and_then(|first| Ok((first, usize::try_from(size)?)));
        let Ok((first, size)) = bytes else {
            return false;
        };
        match self.taken.get_mut(first..first + size) {
            Some(bytes) if bytes.iter().all(|taken| !taken) => {
                bytes.fill(true);
                true
            }
            _ => false,
        }
    }
}

/// What stands between two calls, labels or jumps.
#[derive(Default)]
struct Stretch {
    /// The instructions, each with what it does, and which of its accesses were announced.
    steps: Vec<(usize, Effect, Vec<bool>)>,
    /// The call before it, and the one behind it.
    before: Option<usize>,
    behind: Option<usize>,
}

/// Which accesses a call announces that gcc has put there.
fn announces(name: &str, machine: &mut Machine) -> Option<Access> {
    let name = name.strip_prefix("__tsan_")?;
    let name = name.strip_prefix("unaligned_").unwrap_or(name);
    let name = name.strip_prefix("volatile_").unwrap_or(name);
    let read = name.strip_prefix("read");
    let size = read.or_else(|| name.strip_prefix("write"))?;
    let size = match size {
        "_range" => {
            let size = machine.holds("rsi");
            size.terms.is_empty().then_some(size.number)?
        }
        size => size.parse().ok()?,
    };
    Some(Access {
        address: machine.holds("rdi"),
        size: Some(size),
        write: read.is_none(),
        place: Where::Elsewhere,
        operand: String::new(),
    })
}

/// The stretches of a function.
fn stretches(lines: &[&str], body: &Body) -> Vec<Stretch> {
    let mut machine = Machine::default();
    let mut announced: Vec<Announced> = Vec::new();
    let mut stretches = Vec::new();
    let mut now = Stretch::default();
    for n in body.lines.clone() {
        let line = lines[n];
        if line.ends_with(':') {
            // Debug information has labels, too.
            let debug = [".LVL", ".LBB", ".LBE", ".LFB", ".LFE", ".LEHB", ".LEHE"];
            if !debug.iter().any(|d| line.starts_with(d)) {
                machine.forget();
                announced.clear();
                stretches.push(std::mem::take(&mut now));
            }
            continue;
        }
        let word = line.split_whitespace().next().unwrap_or("");
        if word.is_empty() || word.starts_with(['.', '#']) {
            continue;
        }
        if let Some(name) = called(line) {
            let said = announces(name, &mut machine);
            let hook = name.starts_with("__tsan_");
            if let Some(access) = said {
                // A copy is announced twice before it is made.
                announced.retain(|a| {
                    a.access.write != access.write && a.taken.iter().all(|taken| !taken)
                });
                let taken = vec![false; access.size.unwrap_or(0).clamp(0, 1 << 20) as usize];
                announced.push(Announced { access, taken });
            } else {
                announced.clear();
            }
            machine.called(hook);
            now.behind = Some(n);
            stretches.push(std::mem::take(&mut now));
            now.before = Some(n);
            continue;
        }
        if word.starts_with('j') || word == "ret" || word == "leave" {
            machine.forget();
            announced.clear();
            stretches.push(std::mem::take(&mut now));
            continue;
        }
        let effect = machine.step(line);
        let covered = effect.accesses.iter();
        let covered = covered.map(|access| announced.iter_mut().any(|a| a.covers(access)));
        let covered = covered.collect();
        now.steps.push((n, effect, covered));
    }
    stretches.push(now);
    stretches
}

/// Accesses of one struct.
struct Group {
    write: bool,
    /// The step before which it is announced, and the access there.
    step: usize,
    first: Access,
    from: i64,
    to: i64,
    bytes: BTreeSet<i64>,
    /// Whether its middle is copied by one instruction, after its ends.
    ends: bool,
    /// How many bytes between two accesses may be its padding.
    padding: i64,
}

impl Group {
    fn new(step: usize, access: &Access, ends: bool, padding: i64) -> Option<Group> {
        let at = access.address.number;
        let mut group = Group {
            write: access.write,
            step,
            first: access.clone(),
            from: at,
            to: at,
            bytes: BTreeSet::new(),
            ends,
            padding,
        };
        access.size?;
        group.joins(access).then_some(group)
    }

    /// Takes an access that goes on where others have been, but for padding, and repeats none.
    fn joins(&mut self, access: &Access) -> bool {
        if access.address.terms != self.first.address.terms {
            return false;
        }
        let Some(size) = access.size else {
            return true;
        };
        let from = access.address.number;
        let to = from + size;
        let padding = self.padding;
        let near = self.ends || from <= self.to + padding && to >= self.from - padding;
        let new = self.write || (from..to).all(|byte| !self.bytes.contains(&byte));
        if near && new {
            self.bytes.extend(from..to);
            self.from = self.from.min(from);
            self.to = self.to.max(to);
        }
        near && new
    }
}

/// Puts announcements where a function passes and returns structs that others see, and takes the statements that it has
/// understood out of `open`.
fn announce(
    lines: &[&str],
    body: &Body,
    (function, cxx): (&Function, bool),
    open: &mut BTreeSet<usize>,
    put: &mut BTreeMap<usize, String>,
) {
    let framed = body.lines.clone().any(|n| lines[n] == "\tmovq\t%rsp, %rbp");
    let Some(matched) = matched(lines, body, function).filter(|_| framed) else {
        return;
    };
    let stretches = stretches(lines, body);
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    let (mut done, mut failed) = (BTreeSet::new(), BTreeSet::new());
    for stretch in &stretches {
        let call = |n: Option<usize>| n.and_then(|n| matched.get(&n).copied());
        let wanted = |call: Option<usize>| call.filter(|i| open.contains(i));
        let (before, behind) = (wanted(call(stretch.before)), wanted(call(stretch.behind)));
        let result = before.map(|i| &function.calls[i]);
        let passed = behind.map_or(&[][..], |i| &function.calls[i].arguments);
        let ends: Vec<usize> = before.into_iter().chain(behind).collect();
        let needed = result.is_some_and(|c| c.result != Sight::Nobody)
            || passed.iter().any(|sight| *sight != Sight::Nobody);
        if !needed {
            done.extend(ends);
            continue;
        }
        match stretch.announcements(result, passed, cxx) {
            Some(texts) => {
                for (n, text) in texts {
                    found.entry(n).or_default().push_str(&text);
                }
                done.extend(ends);
            }
            None => failed.extend(ends),
        }
    }
    open.retain(|i| failed.contains(i) || !done.contains(i));
    // What is named is told twice at most, by an announcement that is not needed.
    put.extend(found);
}

impl Stretch {
    /// What to put before which lines, if all that the call before it returns and the one behind it is passed is found.
    fn announcements(
        &self,
        result: Option<&Call>,
        passed: &[Sight],
        cxx: bool,
    ) -> Option<Vec<(usize, String)>> {
        if self.steps.iter().any(|(_, effect, _)| !effect.known) {
            return None;
        }
        let returns = result.map_or(Sight::Nobody, |call| call.result);
        let count = |sight| passed.iter().filter(|s| **s == sight).count();
        if returns == Sight::Exposed && result.is_some_and(|call| call.in_place) {
            // The function itself writes it.
            return None;
        }
        let (mut written, mut read) = (Vec::<Group>::new(), Vec::<Group>::new());
        let all = || {
            let steps = self.steps.iter().enumerate();
            steps.flat_map(|(at, (_, effect, covered))| {
                let accesses = effect.accesses.iter().zip(covered);
                accesses.map(move |(access, covered)| (at, access, *covered))
            })
        };
        let elsewhere = |access: &Access| access.place == Where::Elsewhere;
        let stores = all().filter(|(_, a, covered)| !covered && a.write && elsewhere(a));
        let last = stores.map(|(at, _, _)| at).next_back();
        if last.is_some() != (returns == Sight::Others) {
            return None;
        }
        for (at, access, covered) in all() {
            let own = access.place == Where::Frame
                && if access.write {
                    returns == Sight::Exposed
                } else {
                    count(Sight::Exposed) > 0
                };
            if covered && (elsewhere(access) || own) && !(written.is_empty() && read.is_empty()) {
                // It was announced before, and would come too late.
                return None;
            }
            if covered || !elsewhere(access) && !own {
                continue;
            }
            // What is read before the last store is a part of a word that is written.
            let writes = access.write || elsewhere(access) && last.is_some_and(|l| at <= l);
            let groups = if writes { &mut written } else { &mut read };
            // Structs are accessed one after the other.
            if !groups.last_mut().is_some_and(|group| group.joins(access)) {
                let middle = |(_, a, _): (usize, &Access, bool)| {
                    let same = a.write == access.write && a.address.terms == access.address.terms;
                    same && a.size.is_none()
                };
                // Objects of C++ often lie side by side on a stack: what is between two may be a third.
                let padding = if cxx && own { 0 } else { 15 };
                let mut group = Group::new(at, access, all().any(middle), padding)?;
                group.write = writes;
                groups.push(group);
            }
        }
        let frames = |groups: &[Group]| {
            let own = groups.iter().filter(|g| g.first.place == Where::Frame);
            own.count()
        };
        let (own_written, own_read) = (frames(&written), frames(&read));
        let enough = written.len() - own_written == usize::from(returns == Sight::Others)
            && own_written >= usize::from(returns == Sight::Exposed)
            && read.len() - own_read == count(Sight::Others)
            // An empty one is not read at all.
            && (cxx || own_read >= count(Sight::Exposed));
        if !enough {
            return None;
        }
        // What is not written yet holds what was left there: it must not count as the thread's state.
        let until = written.iter().chain(&read).map(|g| g.step).max();
        let until = until.unwrap_or(0);
        let mut texts = Vec::new();
        for (n, effect, _) in &self.steps[..until] {
            if (1..=1024).contains(&effect.grows) {
                let words = (0..effect.grows / 8).map(|i| format!("\tmovq\t$0, {}(%rsp)\n", 8 * i));
                texts.push((n + 1, words.collect()));
            }
        }
        for group in written.iter().chain(&read) {
            texts.push((self.steps[group.step].0, self.announcement(group)?));
        }
        Some(texts)
    }

    /// The announcement of a struct: what registers hold is kept on the stack, where it counts as the thread's state.
    fn announcement(&self, group: &Group) -> Option<String> {
        let behind = &self.steps[group.step..];
        let mut live: BTreeSet<&String> = BTreeSet::new();
        for (_, effect, _) in &self.steps[..group.step] {
            live.extend(&effect.writes);
        }
        let mut written = BTreeSet::new();
        for (_, effect, _) in behind {
            live.extend(effect.reads.iter().filter(|r| !written.contains(r)));
            written.extend(&effect.writes);
        }
        let returned = ["rax", "rdx", "xmm0", "xmm1"].map(String::from);
        if self.behind.is_none() && self.before.is_some() {
            live.extend(&returned);
        }
        let operand = group.first.operand.as_str();
        if operand.contains("%rsp") {
            return None;
        }
        let (mut text, mut back) = (String::new(), String::new());
        let held = behind.iter().scan(0, |sum, (_, effect, _)| {
            *sum += effect.floats;
            Some(*sum)
        });
        match held.min()? {
            0.. => {}
            -1 => {
                text += "\tpushq\t$0\n\tpushq\t$0\n\tfstpt\t(%rsp)\n";
                back += "\tfldt\t(%rsp)\n\tleaq\t16(%rsp), %rsp\n";
            }
            _ => return None,
        }
        for register in live {
            let (save, load) = if register.starts_with("xmm") {
                (
                    format!("\tleaq\t-16(%rsp), %rsp\n\tmovups\t%{register}, (%rsp)\n"),
                    format!("\tmovups\t(%rsp), %{register}\n\tleaq\t16(%rsp), %rsp\n"),
                )
            } else {
                (
                    format!("\tpushq\t%{register}\n"),
                    format!("\tpopq\t%{register}\n"),
                )
            };
            text += &save;
            back.insert_str(0, &load);
        }
        let kind = if group.write { "write" } else { "read" };
        let _ = writeln!(text, "\tleaq\t{operand}, %rdi");
        if group.from != group.first.address.number {
            let before = group.from - group.first.address.number;
            let _ = writeln!(text, "\tleaq\t{before}(%rdi), %rdi");
        }
        let size = group.to - group.from;
        let _ = writeln!(
            text,
            "\tmovl\t${size}, %esi\n\tcall\tcoarsen_by_value_{kind}"
        );
        Some(text + &back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What gcc 12 writes for `h(v[0], v[1])`.
    const TWO: &str = "\t.type\trun, @function\nrun:\n\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n\tcall\t__tsan_func_entry\n\
        \tmovq\tv+8(%rip), %rdx\n\tmovq\tv(%rip), %rax\n\tmovq\t%rdx, %rsi\n\tmovq\t%rax, \
        %rdi\n\tcall\th\n\tleave\n\tret\n\t.size\trun, .-run\n";

    #[test]
    fn two_structs_side_by_side_are_not_taken_for_one() {
        let call = |passed: &str| {
            let dump = Dump {
                plain: format!(
                    ";; Function run (run, funcdef_no=0)\nvoidD.53 runD.7 ()\n{{\n  <bb 2> :\n  \
                     __builtin___tsan_func_entryD.9 (_4);\n  [a.c:3:5] hD.4 ({passed});\n}}\n"
                ),
                optimized: String::new(),
                symbols: String::new(),
                cxx: false,
            };
            treat("a.c", TWO, Some(&dump))
        };
        let two = call("[a.c:3:5] vD.1[0], [a.c:3:5] vD.1[1]");
        assert_eq!(two.missed.len(), 1);
        assert!(
            two.missed[0].contains("`h (v[0], v[1])` at a.c:3"),
            "{two:?}"
        );
        assert_eq!(two.text, TWO);
        let one = call("vD.1");
        assert!(one.missed.is_empty());
        assert!(
            one.text.contains(
                "\tleaq\tv+8(%rip), %rdi\n\tleaq\t-8(%rdi), %rdi\n\tmovl\t$16, \
            %esi\n\tcall\tcoarsen_by_value_read\n"
            ),
            "{}",
            one.text
        );
    }

    /// A struct on the own stack whose address somebody has, and no instruction that reads it: in C++ it may be empty.
    #[test]
    fn a_struct_that_nothing_reads_is_named_in_c() {
        let text = "\t.type\trun, @function\nrun:\n\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n\tleaq\t-8(%rbp), \
            %rdi\n\tcall\tg\n\tmovl\t$1, %edi\n\tcall\th\n\tleave\n\tret\n\t.size\trun, .-run\n";
        for cxx in [false, true] {
            let dump = Dump {
                plain: ";; Function run (run, funcdef_no=0)\nvoidD.53 runD.7 ()\n{\n  struct S sD.9;\n\n  <bb 2> :\n  \
                        gD.3 (&sD.9);\n  hD.4 (1, sD.9);\n}\n"
                    .into(),
                optimized: String::new(),
                symbols: String::new(),
                cxx,
            };
            let treated = treat("a.c", text, Some(&dump));
            assert_eq!(treated.missed.is_empty(), cxx, "{treated:?}");
            assert_eq!(treated.text, text);
        }
    }
}
