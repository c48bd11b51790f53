//! What gcc has made of the program when it has put its calls before accesses: the calls of functions, read from the
//! dump of that pass.
//!
//! gcc announces what assignments access, and not what calls do: a struct that is passed by value is read by the call
//! itself, one that is returned is written by it. The dump (`-fdump-tree-tsan0-lineno-uid`) says which calls these are.
//! Anything that is not understood counts as memory that others see.

use std::collections::{BTreeMap, BTreeSet};

/// A function of the dump.
#[derive(Debug, Default)]
pub struct Function {
    /// As the assembler knows it.
    pub name: String,
    /// In the order of the text.
    pub calls: Vec<Call>,
    /// Whether it accesses variables of the function around it: no call announces these.
    pub nested: bool,
    /// Whether there is something that can't be read (names of files with brackets).
    pub strange: bool,
    /// Whether it is told where its result is to be, and makes it there by calls and assignments that are announced: so
    /// it is with classes of C++ that can't be copied byte by byte.
    pub by_reference: bool,
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// The statement, for the user.
    pub text: String,
    /// File and line.
    pub place: String,
    /// The function's name, if it is called by its name.
    pub callee: Option<String>,
    /// Where the result goes.
    pub result: Sight,
    /// Whether the function may write its result there itself.
    pub in_place: bool,
    /// What is passed.
    pub arguments: Vec<Sight>,
}

/// Who sees what a call names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// It is no memory, or none that others see.
    Nobody,
    /// On the own stack, but its address was given away.
    Exposed,
    /// Everybody.
    Others,
}

/// The names of functions, and of nothing else, of gcc's table of symbols (`-fdump-ipa-cgraph`): a function that is
/// passed to another one looks like a variable.
///
/// Where a symbol is introduced it has the name that people know, in lists the assembler's, both with its number.
fn addresses(symbols: &str) -> BTreeSet<&str> {
    let mut number = "";
    let (mut functions, mut others) = (BTreeSet::new(), BTreeSet::new());
    let mut names: BTreeSet<(&str, &str)> = BTreeSet::new();
    for line in symbols.lines() {
        if let Some(kind) = line.strip_prefix("  Type: ") {
            if kind.starts_with("function") {
                &mut functions
            } else {
                &mut others
            }
            .insert(number);
        } else if line.starts_with("  ") {
            let listed = line.split(' ').filter_map(|word| word.rsplit_once('/'));
            names.extend(listed.map(|(name, number)| (number, name)));
        } else if let Some((name, behind)) = introduced(line) {
            number = behind;
            names.insert((number, name));
        }
    }
    let named = |numbers: &BTreeSet<&str>| -> BTreeSet<&str> {
        let all = names.iter().filter(|(number, _)| numbers.contains(number));
        all.map(|(_, name)| *name).collect()
    };
    &named(&functions) - &named(&others)
}

/// A symbol's name and number, where it is introduced: `NAME/NUMBER (NAME) @ADDRESS`.
fn introduced(line: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    while let Some(at) = line[from..].find('/') {
        let at = from + at;
        let rest = &line[at + 1..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0
            && let Some(again) = rest[digits..].strip_prefix(" (")
        {
            let name = again.split(") @").next().unwrap_or(again);
            return Some((name, &rest[..digits]));
        }
        from = at + 1;
    }
    None
}

/// The functions of a dump.
pub fn functions(dump: &str, symbols: &str) -> Vec<Function> {
    let addresses = addresses(symbols);
    let mut functions: Vec<Function> = Vec::new();
    let mut body = Vec::new();
    let mut name = None;
    for line in dump.lines() {
        if let Some(header) = line.strip_prefix(";; Function ") {
            // Names that people know may have brackets and commas in C++.
            let named = header.split(", funcdef_no=").next().unwrap_or(header);
            let label = named.rsplit_once('(').map_or("", |(_, label)| label);
            let label = label.trim_end_matches(')');
            name = Some(label.trim_start_matches('*').to_string());
            body.clear();
        } else if line == "}" {
            if let Some(name) = name.take() {
                functions.push(function(name, &body, &addresses));
            }
            body.clear();
        } else {
            body.push(line);
        }
    }
    functions
}

/// A statement: its place, its text, and the block it is in.
struct Statement {
    place: String,
    text: String,
    block: usize,
}

fn function(name: String, lines: &[&str], addresses: &BTreeSet<&str>) -> Function {
    let open = lines.iter().rposition(|line| *line == "{");
    let open = open.unwrap_or(lines.len());
    let begin = |line: &&str| line.trim_start().starts_with("<bb ");
    let first = lines.iter().position(begin).unwrap_or(lines.len());
    let mut locals = BTreeSet::new();
    let signature = lines[..open].iter().map(|line| line.trim());
    let declared = lines.get(open..first).unwrap_or_default().iter();
    let declared = declared.map(|line| line.trim()).filter(|line| {
        !line.starts_with("static ") && !line.starts_with("extern ") && !line.contains("value-expr")
    });
    for line in signature.chain(declared) {
        locals.extend(numbers(line));
    }
    let mut statements = Vec::new();
    // The blocks by their numbers, and where each one may lead.
    let mut blocks: BTreeMap<String, usize> = BTreeMap::new();
    let mut leads: Vec<Vec<String>> = Vec::new();
    let mut anywhere = BTreeSet::new();
    let (mut nested, mut strange) = (false, false);
    for line in &lines[first..] {
        let (place, text) = without_places(line.trim());
        if let Some(rest) = text.strip_prefix("<bb ") {
            let number = rest.split(['>', ' ']).next().unwrap_or("");
            blocks.insert(number.into(), leads.len());
            leads.push(Vec::new());
            continue;
        }
        let Some(block) = leads.len().checked_sub(1) else {
            continue;
        };
        if let Some(rest) = text.split("goto <bb ").nth(1) {
            let number = rest.split('>').next().unwrap_or("");
            leads[block].push(number.into());
        } else if text.starts_with("goto ") || text.starts_with("switch ") {
            anywhere.insert(block);
        }
        strange |= text.starts_with('[') || is_unknown(&text);
        nested |= text.contains("CHAIN.") && text.contains("->");
        statements.push(Statement { place, text, block });
    }
    let slot = statements.iter().find_map(|s| returned(&s.text));
    // It is declared as a reference.
    let slot = slot.filter(|slot| {
        let declared = lines.get(open..first).unwrap_or_default().iter();
        let place = format!("& {slot};");
        declared.into_iter().any(|line| line.ends_with(&place))
    });
    let next = |block: usize| -> Vec<usize> {
        if anywhere.contains(&block) {
            return (0..leads.len()).collect();
        }
        let named = leads[block].iter().filter_map(|to| blocks.get(to).copied());
        named
            .chain((block + 1 < leads.len()).then_some(block + 1))
            .collect()
    };
    let before = exposed(&statements, leads.len(), &locals, &next);
    let calls = statements.iter().zip(before);
    let calls = calls.filter_map(|(s, exposed)| {
        let names = Names {
            locals: &locals,
            exposed: &exposed,
            addresses,
            slot,
        };
        call(s, &names)
    });
    Function {
        name,
        calls: calls.collect(),
        nested,
        strange,
        by_reference: slot.is_some(),
    }
}

/// The place that a function returns without having made it: where its caller wants the result. It has no name, and no
/// other value from outside is without one.
fn returned(text: &str) -> Option<&str> {
    let slot = text.strip_prefix("return ")?.strip_suffix(';')?;
    let digits = slot.strip_prefix('_')?.strip_suffix("(D)")?;
    digits.bytes().all(|b| b.is_ascii_digit()).then_some(slot)
}

/// For each statement, the locals whose address was taken on some way to it (and by it), and that have not ended since.
fn exposed(
    statements: &[Statement],
    blocks: usize,
    locals: &BTreeSet<u64>,
    next: &dyn Fn(usize) -> Vec<usize>,
) -> Vec<BTreeSet<u64>> {
    let mut enters: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); blocks];
    loop {
        let mut before = Vec::with_capacity(statements.len());
        let mut at = 0;
        let mut changed = false;
        for block in 0..blocks {
            let mut now = enters[block].clone();
            while let Some(s) = statements.get(at).filter(|s| s.block == block) {
                take(&s.text, locals, &mut now);
                before.push(now.clone());
                at += 1;
            }
            for to in next(block) {
                let all = enters[to].len();
                enters[to].extend(&now);
                changed |= enters[to].len() > all;
            }
        }
        if !changed {
            return before;
        }
    }
}

/// Which addresses a statement takes, and whose life it ends. What gcc's own calls are told goes nowhere.
fn take(text: &str, locals: &BTreeSet<u64>, now: &mut BTreeSet<u64>) {
    if text.starts_with("__builtin___tsan_") || text.starts_with("__tsan_") {
        return;
    }
    if let Some((ended, _)) = text.split_once(" ={v} {CLOBBER") {
        for number in numbers(ended) {
            now.remove(&number);
        }
    }
    for place in text.split('&').skip(1) {
        let end = place.find([' ', ',', ')', ';']).unwrap_or(place.len());
        let found = numbers(&place[..end]);
        now.extend(found.iter().filter(|number| locals.contains(number)));
    }
}

/// The numbers of all that is named (`xD.1234`).
fn numbers(text: &str) -> Vec<u64> {
    let digits = |part: &str| {
        let end = part.find(|c: char| !c.is_ascii_digit());
        part[..end.unwrap_or(part.len())].parse().ok()
    };
    text.split("D.").skip(1).filter_map(digits).collect()
}

/// The names alone.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split("D.");
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let named = out.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if digits == 0 || !named {
            out.push_str("D.");
            out.push_str(part);
        } else {
            out.push_str(&part[digits..]);
        }
    }
    out
}

/// The first place (`[file.c:3:5] `) of a statement, and the statement without any.
fn without_places(line: &str) -> (String, String) {
    let mut first = None;
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    let mut quoted = false;
    while let Some(c) = rest.chars().next() {
        if c == '['
            && !quoted
            && let Some((inside, behind)) = rest[1..].split_once("] ")
            && !inside.contains('[')
            && let Some(place) = place(inside)
        {
            first.get_or_insert(place);
            rest = behind;
            continue;
        }
        if c == '\\' && quoted {
            let two = rest.chars().take(2).map(char::len_utf8).sum();
            out.push_str(&rest[..two]);
            rest = &rest[two..];
            continue;
        }
        quoted ^= c == '"';
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    (first.unwrap_or_default(), out)
}

/// `file.c:3` of `file.c:3:5` or `file.c:3:5 discrim 2`; nothing of `0:0`.
fn place(text: &str) -> Option<String> {
    if text == "0:0" {
        return Some(String::new());
    }
    let text = text.split(" discrim ").next()?;
    let (line, column) = text.rsplit_once(':')?;
    let (_, number) = line.rsplit_once(':')?;
    let is_number = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    (is_number(number) && is_number(column)).then(|| line.to_string())
}

/// The parts of a text at the top level: outside of brackets and strings.
fn split<'a>(text: &'a str, at: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut depth, mut from, mut skip) = (0_i32, 0, 0);
    let mut quoted = None;
    for (i, c) in text.char_indices() {
        if i < skip {
            continue;
        }
        if let Some(quote) = quoted {
            match c {
                '\\' => skip = i + 2,
                _ if c == quote => quoted = None,
                _ => {}
            }
            continue;
        }
        if depth == 0 && text[i..].starts_with(at) {
            parts.push(&text[from..i]);
            from = i + at.len();
            skip = from;
            if !at.starts_with('(') && !at.ends_with('(') {
                continue;
            }
        }
        match c {
            '"' | '\'' => quoted = Some(c),
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if text[..i].ends_with('-') => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// What names stand for, in a statement.
struct Names<'a> {
    locals: &'a BTreeSet<u64>,
    exposed: &'a BTreeSet<u64>,
    addresses: &'a BTreeSet<&'a str>,
    /// Where the result is to be, if the caller says so.
    slot: Option<&'a str>,
}

/// What is no function, though something in brackets follows.
const KEYWORDS: [&str; 7] = [
    "if",
    "switch",
    "while",
    "return",
    "goto",
    "resx",
    "__complex__",
];

/// The sides of a statement that may be a call, and its remarks: where the result goes, what is called, and arguments.
type Sides<'a> = (Option<&'a str>, &'a str, &'a str, &'a str);

fn sides(whole: &str) -> Option<Sides<'_>> {
    let end = whole.rfind(");")?;
    let (text, remarks) = (&whole[..end], whole[end + 2..].trim());
    if !remarks.is_empty() && !remarks.starts_with('[') {
        return None;
    }
    let mut sides = split(text, " = ");
    if sides.len() == 1 {
        sides = split(text, " ={v} ");
    }
    let (to, from) = match sides.as_slice() {
        [from] => (None, *from),
        [to, from] => (Some(to.trim()), *from),
        _ => return None,
    };
    let (callee, arguments) = from.split_once(" (")?;
    let callee = callee.trim();
    let is_cast = callee.starts_with('(') || callee.is_empty();
    (!is_cast && !KEYWORDS.contains(&callee)).then_some((to, callee, arguments, remarks))
}

/// The name of what the text gives its label.
fn unlabelled(callee: &str) -> &str {
    callee.strip_prefix('*').unwrap_or(callee)
}

/// Whether what is called can be named: a function, a variable, or an entry of a class's table.
fn is_callee(callee: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || "_.$()".contains(c);
    unlabelled(callee).chars().all(word) || callee.starts_with("OBJ_TYPE_REF(")
}

/// Whether a statement looks like a call, and is not understood.
fn is_unknown(text: &str) -> bool {
    sides(text).is_some_and(|(_, callee, _, _)| {
        !is_callee(callee) && callee.contains("D.") && !callee.starts_with("__asm__")
    })
}

/// Reads a statement that is a call: `[TO = ]FUNCTION (ARGUMENTS);`, with remarks in brackets behind it.
fn call(statement: &Statement, names: &Names) -> Option<Call> {
    let whole = statement.text.as_str();
    let (to, callee, arguments, remarks) = sides(whole)?;
    if !is_callee(callee) {
        return None;
    }
    let arguments = split(arguments, ",").into_iter().map(str::trim);
    let sight = |text| sight(text, names);
    let by_name = callee.starts_with('.') || !numbers(callee).is_empty();
    let by_name = by_name && !callee.starts_with("OBJ_TYPE_REF(");
    Some(Call {
        text: without_numbers(whole[..whole.len() - remarks.len()].trim_end_matches([' ', ';'])),
        place: statement.place.clone(),
        callee: by_name.then(|| without_numbers(unlabelled(callee))),
        result: to.map_or(Sight::Nobody, sight),
        in_place: remarks.contains("return slot"),
        arguments: arguments.map(sight).collect(),
    })
}

fn sight(text: &str, names: &Names) -> Sight {
    let leads = text.contains("->") || text.contains('*') || text.contains("MEM");
    if text.is_empty() || text.starts_with(['&', '"', '-', '{']) {
        return Sight::Nobody;
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) || text.starts_with("__complex__ ") {
        return Sight::Nobody;
    }
    let slot = text.strip_prefix('*');
    if text == "<retval>" || text.starts_with("<retval>.") || (slot.is_some() && slot == names.slot)
    {
        // The caller's, who answers for it.
        return Sight::Nobody;
    }
    match numbers(text).first() {
        _ if leads => Sight::Others,
        None if text.contains('[') || text.contains('<') => Sight::Others,
        // A value, not memory.
        None => Sight::Nobody,
        Some(_) if !text.starts_with(|c: char| c.is_alphabetic() || "_$".contains(c)) => {
            Sight::Others
        }
        Some(number) if !names.locals.contains(number) => {
            if names.addresses.contains(without_numbers(text).as_str()) {
                Sight::Nobody
            } else {
                Sight::Others
            }
        }
        Some(number) if names.exposed.contains(number) => Sight::Exposed,
        Some(_) => Sight::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(declared: &str, body: &str) -> Vec<Call> {
        let symbols = "cmp/9 (cmp) @0x7\n  Type: function\nboth/1 (both) @0x7\n  Type: function\nboth/2 (both.0) \
            @0x8\n  Type: variable\nboth/3 (both) @0x8\n  Type: variable\n";
        let dump = format!(
            ";; Function t (t, funcdef_no=0, decl_uid=7)\n\nvoidD.53 tD.7 (intD.6 iD.8, struct S \
             xD.9)\n{{\n{declared}\n  <bb 2> :\n{body}\n}}\n"
        );
        let mut functions = functions(&dump, symbols);
        assert_eq!(functions.len(), 1);
        functions.remove(0).calls
    }

    fn sights(declared: &str, statement: &str) -> (Sight, Vec<Sight>) {
        let mut calls = calls(declared, statement);
        assert_eq!(calls.len(), 1, "{statement}");
        let call = calls.remove(0);
        (call.result, call.arguments)
    }

    #[test]
    fn what_calls_access() {
        use Sight::{Nobody, Others};
        for (statement, result, passed) in [
            ("  [s.c:3:20] aD.1 = fD.2 ();", Others, vec![Nobody]),
            (
                "  [s.c:3:21] [s.c:3:16] *p.0_1 = fD.2 ();",
                Others,
                vec![Nobody],
            ),
            (
                "  hD.3 (aD.1, [s.c:3:5] *q_1(D), i_6(D), 2.5e+0);",
                Nobody,
                vec![Others, Others, Nobody, Nobody],
            ),
            (
                "  [s.c:3:5] hD.3 ([s.c:3:5] vD.1[0], [s.c:3:5] vD.1[1]);",
                Nobody,
                vec![Others, Others],
            ),
            (
                "  np.0_1->sD.4 = fp.2_3 ([s.c:3:5] arrD.1[i_6(D)]);",
                Others,
                vec![Others],
            ),
            (
                "  _3 = fD.2 (&aD.1, \"a, (b\", 0B, -1,  Inf, __complex__ (0.0, 1.0e+0));",
                Nobody,
                vec![Nobody; 6],
            ),
            (
                "  qsortD.1 (a_2(D), 3, 4, cmpD.5);",
                Nobody,
                vec![Nobody; 4],
            ),
            (
                "  qsortD.1 (a_2(D), 3, 4, bothD.5);",
                Nobody,
                vec![Nobody, Nobody, Nobody, Others],
            ),
            (
                "  lD.20 = fD.2 (xD.9, lD.20.mD.4); [return slot optimization]",
                Nobody,
                vec![Nobody, Nobody],
            ),
            ("  stD.21 = fD.2 (lD.1);", Others, vec![Others]),
            ("  vsD.1 ={v} fD.2 ();", Others, vec![Nobody]),
            (
                "  hD.3 (MEM[(struct S *)b.19_8], _4->sD.3, VIEW_CONVERT_EXPR<struct S>(kD.5));",
                Nobody,
                vec![Others; 3],
            ),
            (
                "  <retval> = fD.2 (); [return slot optimization]",
                Nobody,
                vec![Nobody],
            ),
            ("  hD.3 (D.30, iftmp.10D.31);", Nobody, vec![Nobody, Nobody]),
        ] {
            let declared = "  struct S lD.20;\n  static struct S stD.21;\n  struct S D.30;\n  struct S \
                iftmp.10D.31;\n  struct S vlaD.32[0:D.3102] [value-expr: *vla.22];\n";
            assert_eq!(sights(declared, statement), (result, passed), "{statement}");
        }
    }

    #[test]
    fn what_is_no_call() {
        for statement in [
            "  _4 = x_1(D) < y_2(D);",
            "  _5 = (long int) x_2(D);",
            "  _1 = (fooD.2 (*) (intD.6)) p_3(D);",
            "  if (_12 == 1)",
            "  aD.1 = __complex__ (1.0e+0, 1.0e+0);",
            "  __asm__ __volatile__(\"pause\");",
            "  lD.20 ={v} {CLOBBER(eol)};",
            "  # _3 = PHI <[c.c:3:69] _14(5), _21(9)>",
        ] {
            assert!(calls("", statement).is_empty(), "{statement}");
        }
    }

    #[test]
    fn a_local_is_seen_once_its_address_is_taken() {
        let last = |body: &str| {
            let calls = calls("  struct S lD.20;\n", body);
            calls.last().map(|call| (call.result, call.arguments[0]))
        };
        let exposed = Some((Sight::Exposed, Sight::Exposed));
        let own = Some((Sight::Nobody, Sight::Nobody));
        assert_eq!(last("  lD.20 = fD.2 (lD.20);"), own);
        assert_eq!(
            last("  p_1 = &lD.20.xD.3;\n  lD.20 = fD.2 (lD.20);"),
            exposed
        );
        assert_eq!(
            last("  __builtin___tsan_read4D.9 (&lD.20);\n  lD.20 = fD.2 (lD.20);"),
            own
        );
        let ended = "  p_1 = &lD.20;\n  lD.20 ={v} {CLOBBER(eol)};\n  lD.20 = fD.2 (lD.20);";
        assert_eq!(last(ended), own);
        // Round a loop.
        let round = |end: &str| {
            format!(
                "  goto <bb 3>; [INV]\n\n  <bb 3> :\n  lD.20 = fD.2 (lD.20);\n  p_1 = &lD.20;\n{end}  goto <bb 3>; \
                 [INV]\n"
            )
        };
        assert_eq!(last(&round("")), exposed);
        assert_eq!(last(&round("  lD.20 ={v} {CLOBBER(eol)};\n")), own);
    }

    /// As gcc 12 writes a function of C++ that returns a string, and one of C that forgets to return its number.
    #[test]
    fn results_that_are_made_in_place() {
        let function = |declared: &str| {
            let dump = format!(
                ";; Function S::f (_ZN1S1fEi, funcdef_no=1, decl_uid=7)\n\nstruct stringD.19 S::fD.7 (intD.9 \
                 iD.8)\n{{\n  {declared};\n\n  <bb 2> :\n  *_10(D) = _ZN1S1gEvD.4 (); [return slot optimization]\n  \
                 return _10(D);\n}}\n"
            );
            functions(&dump, "").remove(0)
        };
        let made = function("struct stringD.19 & _10(D)");
        assert_eq!((made.name.as_str(), made.by_reference), ("_ZN1S1fEi", true));
        assert_eq!(made.calls[0].result, Sight::Nobody);
        assert_eq!(made.calls[0].callee.as_deref(), Some("_ZN1S1gEv"));
        let other = function("intD.9 _10(D)");
        assert!(!other.by_reference);
        assert_eq!(other.calls[0].result, Sight::Others);
    }

    #[test]
    fn calls_that_are_not_understood_are_noticed() {
        for (text, unknown) in [
            ("foo<int, int>D.3 (_1);", true),
            ("_1 = operator+D.3 (_1, _2);", true),
            ("_ZN1SpLEiD.3 (_1, 1);", false),
            (
                "_3 = OBJ_TYPE_REF(_2;(struct A)a_1(D)->1B) (a_1(D));",
                false,
            ),
            ("_1 = (void (*T) (int)) f_2(D);", false),
        ] {
            assert_eq!(is_unknown(text), unknown, "{text}");
        }
    }

    #[test]
    fn functions_have_other_names_where_they_are_introduced() {
        let symbols = "void S::f(int)/12 (void S::f(int)) @0x7\n  Type: function definition\n  Calls: \
            _Z1gv/13 (1.00 per call)\nint g()/13 (int g()) @0x8\n  Type: function\n  Called by: \
            _ZN1S1fEi/12\nint x/14 (int x) @0x9\n  Type: variable\n  Referring: _ZN1S1fEi/12 (read)\n";
        let found = addresses(symbols);
        assert!(found.contains("_Z1gv") && found.contains("_ZN1S1fEi") && !found.contains("int x"));
    }
}
