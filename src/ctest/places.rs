//! Addresses as people know them: a line of the program, the name of a variable.

use rustc_hash::FxHashMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What addresses of one program are called.
pub struct Places {
    lines: FxHashMap<u64, (String, String)>,
    variables: Vec<(u64, u64, String)>,
}

impl Places {
    /// Looks up the lines of the code at `pcs` (addresses to which calls return), and the variables.
    pub fn new(program: &Path, pcs: &mut Vec<u64>) -> Places {
        pcs.sort_unstable();
        pcs.dedup();
        Places {
            lines: lines(program, pcs).unwrap_or_default(),
            variables: variables(program).unwrap_or_default(),
        }
    }

    /// `file:line`, or the address.
    pub fn line(&self, pc: u64) -> String {
        match self.lines.get(&pc) {
            Some((_, line)) => line.clone(),
            None if pc == 0 => "?".into(),
            None => format!("{pc:#x}"),
        }
    }

    /// The function, or the address.
    pub fn function(&self, pc: u64) -> String {
        match self.lines.get(&pc) {
            Some((name, _)) if name == "coarsen_user_main" => "main".into(),
            Some((name, _)) => name.clone(),
            None => format!("{pc:#x}"),
        }
    }

    /// The variable at an address.
    pub fn object(&self, addr: u64) -> String {
        let i = self.variables.partition_point(|v| v.0 <= addr);
        if let Some((start, size, name)) = i.checked_sub(1).and_then(|i| self.variables.get(i)) {
            let offset = addr - start;
            if offset == 0 {
                return name.clone();
            }
            if offset < *size {
                return format!("{name}+{offset}");
            }
        }
        const ARENA: u64 = 0x2100_0000_0000;
        const STACKS: u64 = 0x2300_0000_0000;
        if (ARENA..ARENA + (1 << 40)).contains(&addr) {
            return format!(
                "heap {:#x} of T{}",
                addr & 0xFFFF_FFFF,
                (addr - ARENA) >> 32
            );
        }
        if (STACKS..STACKS + (1 << 31)).contains(&addr) {
            let thread = (addr - STACKS) >> 23;
            let depth = STACKS + ((thread + 1) << 23) - addr;
            return format!("local {depth:#x} of T{thread}");
        }
        format!("{addr:#x}")
    }
}

/// Function and line of addresses.
fn lines(program: &Path, pcs: &[u64]) -> Option<FxHashMap<u64, (String, String)>> {
    let mut child = Command::new("addr2line")
        .args(["-f", "-e"])
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // A call returns behind itself; what it belongs to is before.
    let input: String = pcs
        .iter()
        .map(|pc| format!("{:#x}\n", pc.saturating_sub(1)))
        .collect();
    let mut stdin = child.stdin.take()?;
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().ok()?;
    let _ = writer.join();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut found = FxHashMap::default();
    let mut told = text.lines();
    for &pc in pcs {
        let (name, line) = (told.next()?, told.next()?);
        if !line.starts_with("??") && !line.ends_with(":?") {
            let line = line.split(" (").next().unwrap_or(line);
            let line = line.rsplit('/').next().unwrap_or(line);
            found.insert(pc, (name.to_string(), line.to_string()));
        }
    }
    Some(found)
}

fn variables(program: &Path) -> Option<Vec<(u64, u64, String)>> {
    let output = Command::new("nm")
        .args(["-n", "-S"])
        .arg(program)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let variables = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[start, size, kind, name] = words.as_slice() else {
            return None;
        };
        let number = |s| u64::from_str_radix(s, 16).ok();
        let (start, size) = (number(start)?, number(size)?);
        // Below are thread-local variables: there each thread's own block begins at 0.
        let kinds = ["b", "B", "d", "D", "r", "R", "C"];
        (kinds.contains(&kind) && start > 0xFFFF).then_some((start, size, name.to_string()))
    });
    Some(variables.collect())
}
