//! What the program's own debug information says: the lines and functions of its code, its variables and their types
//! (DWARF 5, sections 2 to 5), and where the variables of a function lie on the stack (section 6.4).

mod read;
mod types;

pub use types::{TypeId, Types, is_number, number};

use crate::ctest::cxx;
use crate::ctest::shared::{FILE_HEAD, FILES, FILES_AT, MAX_THREADS, PIPE_SIZE, PIPES, PIPES_AT};
use addr2line::Context;
use gimli::{
    self, BaseAddresses, CfaRule, Dwarf, EhFrame, EndianArcSlice, LittleEndian, UnwindContext,
    UnwindSection, X86_64,
};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Reader = EndianArcSlice<LittleEndian>;

/// A variable that has one place.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The first byte.
    pub start: u64,
    /// Bytes; 0 if that is not known.
    pub size: u64,
    /// Its name.
    pub name: String,
    /// Its type, if that is known.
    pub of: Option<TypeId>,
}

/// From where the places of a function's variables are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameBase {
    /// What the stack pointer was before the function was called.
    Canonical,
    /// The register for frames.
    Register,
}

/// A function of the program.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its code.
    pub range: Range<u64>,
    /// From where places are counted.
    pub base: FrameBase,
    /// Its variables on the stack.
    pub locals: Vec<Local>,
}

/// A variable on the stack.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub offset: i64,
    /// Its type.
    pub of: TypeId,
    /// The code for which it is there.
    pub scope: Range<u64>,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The file: from the present directory, where it is below that.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1; 0 if it is not known.
    pub column: usize,
}

/// A program's debug information.
pub struct Debug {
    /// Its types.
    pub types: Types,
    /// The names of blocks that it claims to be atomic.
    pub claims: BTreeSet<String>,
    functions: Vec<Function>,
    variables: Vec<Variable>,
    constants: Range<u64>,
    lines: Option<Context<Reader>>,
    unwinding: Option<(EhFrame<Reader>, BaseAddresses)>,
    unwinder: RefCell<UnwindContext<usize>>,
    here: PathBuf,
    sources: RefCell<BTreeMap<String, Vec<String>>>,
    libraries: RefCell<FxHashMap<u64, bool>>,
}

impl Debug {
    /// Reads an executable; of what it does not say, nothing is known.
    pub fn new(program: &Path) -> Debug {
        let mut debug = Debug {
            types: Types::default(),
            claims: BTreeSet::new(),
            functions: Vec::new(),
            variables: Vec::new(),
            constants: 0..0,
            lines: None,
            unwinding: None,
            unwinder: RefCell::new(UnwindContext::new()),
            here: std::env::current_dir().unwrap_or_default(),
            sources: RefCell::default(),
            libraries: RefCell::default(),
        };
        let bytes = std::fs::read(program).unwrap_or_default();
        let Ok(file) = object::File::parse(&*bytes) else {
            return debug;
        };
        let load = |id: gimli::SectionId| -> Result<Reader, gimli::Error> {
            let section = file.section_by_name(id.name());
            let data = section.and_then(|s| s.data().ok()).unwrap_or_default();
            Ok(EndianArcSlice::new(Arc::from(data), LittleEndian))
        };
        if let Ok(dwarf) = Dwarf::load(load) {
            let read = read::read(&dwarf);
            (debug.types, debug.functions) = (read.types, read.functions);
            debug.variables = read.variables;
            debug.lines = Context::from_dwarf(dwarf).ok();
        }
        let address = |name| file.section_by_name(name).map(|s| s.address());
        if let (Some(frames), Some(text), Ok(section)) = (
            address(".eh_frame"),
            address(".text"),
            load(gimli::SectionId::EhFrame),
        ) {
            let bases = BaseAddresses::default().set_eh_frame(frames).set_text(text);
            debug.unwinding = Some((EhFrame::from(section), bases));
        }
        debug.claims = claims(&file);
        if let Some(section) = file.section_by_name(".rodata") {
            debug.constants = section.address()..section.address() + section.size();
        }
        debug.add_symbols(&file);
        debug
    }

    /// Names of what has no debug information.
    fn add_symbols(&mut self, file: &object::File) {
        let known = |v: &[Variable], at| v.binary_search_by_key(&at, |v| v.start).is_ok();
        let symbols = file.symbols().filter(|s| s.kind() == SymbolKind::Data);
        let unknown: Vec<Variable> = symbols
            .filter(|s| s.size() > 0 && !known(&self.variables, s.address()))
            .filter_map(|s| {
                Some(Variable {
                    start: s.address(),
                    size: s.size(),
                    name: s.name().ok()?.to_string(),
                    of: None,
                })
            })
            .collect();
        self.variables.extend(unknown);
        self.variables.sort_by_key(|v| v.start);
        let named = file
            .symbols()
            .filter(|s| s.kind() == SymbolKind::Text && s.size() > 0);
        let ranges: Vec<Function> = named
            .filter(|s| self.function(s.address()).is_none())
            .filter_map(|s| {
                Some(Function {
                    name: s.name().ok()?.to_string(),
                    range: s.address()..s.address() + s.size(),
                    base: FrameBase::Canonical,
                    locals: Vec::new(),
                })
            })
            .collect();
        self.functions.extend(ranges);
        self.functions.sort_by_key(|f| f.range.start);
    }

    /// The place of the call that returns to `pc`.
    pub fn line(&self, pc: u64) -> Option<Line> {
        // A call returns behind itself; what it belongs to is before.
        let pc = pc.checked_sub(1)?;
        let lines = self.lines.as_ref()?;
        let line = |at: addr2line::Location| {
            let file = Path::new(at.file?);
            let file = file.strip_prefix(&self.here).unwrap_or(file);
            Some(Line {
                file: file.display().to_string(),
                line: at.line? as usize,
                column: at.column.unwrap_or(0) as usize,
            })
        };
        let inner = line(lines.find_location(pc).ok()??)?;
        if !cxx::is_library_file(&inner.file) {
            return Some(inner);
        }
        // A function of the library that was put into one of the program is told where it is called.
        let mut frames = lines.find_frames(pc).skip_all_loads().ok()?;
        while let Ok(Some(frame)) = frames.next() {
            let own = frame.location.and_then(line);
            let own = own.filter(|line| !cxx::is_library_file(&line.file));
            if own.is_some() {
                return own;
            }
        }
        Some(inner)
    }

    /// Whether the code at an address is of a library, as inline functions of headers are.
    pub fn is_library(&self, pc: u64) -> bool {
        let mut known = self.libraries.borrow_mut();
        *known.entry(pc).or_insert_with(|| {
            let line = self.line(pc);
            line.is_some_and(|line| cxx::is_library_file(&line.file))
        })
    }

    /// Where something at an address is told: there, or where the program has called the library that it is in.
    pub fn told_at(&self, pc: u64, called: impl FnOnce() -> u64) -> u64 {
        let site = if self.is_library(pc) { called() } else { 0 };
        if site == 0 { pc } else { site }
    }

    /// `file:line`, or the address.
    pub fn place(&self, pc: u64) -> String {
        match self.line(pc) {
            Some(line) => format!("{}:{}", line.file, line.line),
            None if pc == 0 => "?".into(),
            None => format!("{pc:#x}"),
        }
    }

    /// What the function at an address is called in the program, or the address.
    pub fn called(&self, pc: u64) -> String {
        match self.function(pc) {
            Some(function) if function.name == "coarsen_user_main" => "main".into(),
            Some(function) => function.name.clone(),
            None => format!("{pc:#x}"),
        }
    }

    /// What has an address in every execution, or the address.
    pub fn object(&self, addr: u64) -> String {
        match self.variable(addr) {
            Some(Variable {
                name,
                start,
                of: Some(of),
                ..
            }) => {
                format!("{name}{}", self.types.piece(*of, addr - start, 0).0)
            }
            Some(v) if v.start == addr => v.name.clone(),
            Some(v) => format!("{}+{}", v.name, addr - v.start),
            None => Self::elsewhere(addr),
        }
    }

    /// What an address is that no variable has.
    pub fn elsewhere(addr: u64) -> String {
        let files = FILES_AT as u64..(FILES_AT + FILES * FILE_HEAD) as u64;
        let pipe = addr
            .checked_sub(PIPES_AT as u64)
            .map(|n| n / PIPE_SIZE as u64);
        match pipe {
            _ if files.contains(&addr) => "file operations".into(),
            Some(n) if n < (MAX_THREADS * PIPES) as u64 => {
                format!("pipe {} of T{}", n % PIPES as u64 + 1, n / PIPES as u64)
            }
            _ => format!("{addr:#x}"),
        }
    }

    /// A line of a source file; nothing, if it can't be read.
    pub fn source(&self, file: &str, line: usize) -> String {
        let mut sources = self.sources.borrow_mut();
        let lines = sources.entry(file.to_string()).or_insert_with(|| {
            let bytes = std::fs::read(self.here.join(file)).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            text.lines().map(|l| l.trim().to_string()).collect()
        });
        let line = line.checked_sub(1).and_then(|n| lines.get(n));
        line.cloned().unwrap_or_default()
    }

    /// The function at an address.
    pub fn function(&self, pc: u64) -> Option<&Function> {
        let n = self.functions.partition_point(|f| f.range.start <= pc);
        let found = self.functions.get(n.checked_sub(1)?)?;
        found.range.contains(&pc).then_some(found)
    }

    /// The variable that has a byte.
    pub fn variable(&self, addr: u64) -> Option<&Variable> {
        let n = self.variables.partition_point(|v| v.start <= addr);
        let found = self.variables.get(n.checked_sub(1)?)?;
        (addr < found.start + found.size.max(1)).then_some(found)
    }

    /// Whether nothing can be written at an address, as in a string of the program's text.
    pub fn is_constant(&self, addr: u64) -> bool {
        self.constants.contains(&addr)
    }

    /// What the stack pointer was before the function was called that calls at `pc`, where both registers are so.
    pub fn canonical_frame(&self, pc: u64, sp: u64, bp: u64) -> Option<u64> {
        let (frames, bases) = self.unwinding.as_ref()?;
        let mut unwinder = self.unwinder.borrow_mut();
        let row =
            frames.unwind_info_for_address(bases, &mut unwinder, pc, EhFrame::cie_from_offset);
        match row.ok()?.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => match *register {
                X86_64::RSP => Some(sp.wrapping_add_signed(*offset)),
                X86_64::RBP => Some(bp.wrapping_add_signed(*offset)),
                _ => None,
            },
            CfaRule::Expression(_) => None,
        }
    }
}

/// The names that stand where `coarsen.h` puts pointers to them.
fn claims(file: &object::File) -> BTreeSet<String> {
    let section = file.section_by_name("coarsen_claims");
    let pointers = section.and_then(|s| s.data().ok()).unwrap_or_default();
    let (pointers, _) = pointers.as_chunks::<8>();
    let text = |addr: u64| {
        let has = |s: &object::Section| (s.address()..s.address() + s.size()).contains(&addr);
        let section = file.sections().find(has)?;
        let from = usize::try_from(addr - section.address()).ok()?;
        let text = section
            .data()
            .ok()?
            .get(from..)?
            .split(|b| *b == 0)
            .next()?;
        Some(String::from_utf8_lossy(text).into_owned())
    };
    pointers
        .iter()
        .filter_map(|p| text(u64::from_le_bytes(*p)))
        .collect()
}
