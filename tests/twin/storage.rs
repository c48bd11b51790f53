//! Where the values are: every variable and object of a program as cells with names, types and disciplines.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{
    Discipline, Field, Kind, NOBODY, Object, Program, Root, Shared, StmtKind, Type, Variable,
};
use super::compile::{started, surviving};

/// One value of a state.
pub struct Cell {
    /// As in reports: `a[2].x`, `l[1].reading[0]`, `worker(0).f.a`.
    pub name: String,
    /// All values of its type.
    pub domain: Vec<i64>,
    /// Its initial values.
    pub initial: Vec<i64>,
}

/// Where a program's values are.
///
/// Whatever has a name is an array of storages, one for what is declared without a size.
#[derive(Default)]
pub struct Layout {
    pub cells: Vec<Cell>,
    pub protected: Vec<Protected>,
    /// The cells of shared variables for which no discipline word holds.
    pub wordless: Vec<usize>,
    pub shared: Vec<Array>,
    pub objects: Vec<Array>,
    pub pools: Vec<PoolCells>,
    /// By thread and number of the local variable.
    pub locals: Vec<Vec<Array>>,
    /// The parameters and locals of the procedures, by thread and procedure.
    pub frames: BTreeMap<(usize, usize), Vec<Array>>,
    /// `t.started` of each thread that some `start` names.
    pub started: BTreeMap<usize, usize>,
}

pub type Array = Vec<Storage>;

#[derive(Clone, Debug)]
pub enum Storage {
    Data(Data),
    Object(ObjectCells),
    /// The fields of a record.
    Record(Vec<Array>),
}

#[derive(Clone, Copy, Debug)]
pub struct Data {
    pub cell: usize,
    pub ty: Type,
    pub access: Access,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Local,
    Unprotected,
    /// The number of the protected cell.
    Protected(usize),
}

/// The cells of one synchronisation object; which it has depends on its kind.
#[derive(Clone, Copy, Debug)]
pub struct ObjectCells {
    pub kind: Kind,
    /// `m.owner`, `l.writer`, `s.value`: the first cell.
    pub first: usize,
    /// `m.depth`
    pub depth: usize,
    /// `l.reading[0]`, `c.waiting[0]`, `b.waiting[0]`, `m.saved[0]`: one cell per thread from here.
    pub per_thread: usize,
}

pub struct PoolCells {
    /// `P.allocated[0]`; one cell per slot from here.
    pub allocated: usize,
    pub slots: Array,
}

/// A protected cell.
#[derive(Clone, Debug)]
pub struct Protected {
    pub cell: usize,
    pub discipline: Discipline,
    /// The cell's index, `k` in the discipline.
    pub parameter: i64,
    /// In how many records the discipline's word stands.
    depth: usize,
    /// If it stands at a field, the fields of the innermost of these records.
    pub object: Option<Vec<Array>>,
}

/// A discipline word that holds for a cell: where it stands, and for which index there.
#[derive(Clone, Copy)]
struct Word<'a> {
    discipline: &'a Discipline,
    parameter: i64,
    depth: usize,
}

/// Whose a variable is.
#[derive(Clone, Copy)]
enum Owner<'a> {
    Thread,
    /// A procedure's copy for a thread: without an initial value it has the lowest of its type.
    Call,
    /// All threads', with the word at the record variable around it.
    All(Option<Word<'a>>),
}

struct Builder<'a> {
    program: &'a Program,
    threads: usize,
    /// The reentrant mutexes that some thread waits with, as objects and as fields of records.
    waited: BTreeSet<(Option<usize>, usize)>,
    /// In how many records we are.
    depth: usize,
    layout: Layout,
}

impl Layout {
    pub fn new(program: &Program) -> Layout {
        let threads = program.threads();
        let mut builder = Builder {
            program,
            threads: threads.len(),
            waited: BTreeSet::new(),
            depth: 0,
            layout: Layout::default(),
        };
        let mut frames = BTreeSet::new();
        for thread in 0..threads.len() {
            for stmt in surviving(program, thread) {
                match &stmt.kind {
                    StmtKind::Call { procedure, .. } => {
                        frames.insert((thread, *procedure));
                    }
                    StmtKind::Wait(_, mutex) => {
                        builder.waited.extend(match mutex.root {
                            Root::Object(number) => Some((None, number)),
                            Root::Field { record, field, .. } => Some((Some(record), field)),
                            _ => None,
                        });
                    }
                    _ => {}
                }
            }
        }
        for shared in &program.shared {
            let array = builder.shared(&shared.variable.name, shared, None);
            builder.layout.shared.push(array);
        }
        for (number, thread) in threads.iter().enumerate() {
            let name = program.thread_name(number);
            let locals = program.families[thread.family].locals.iter();
            let locals = locals
                .map(|local| {
                    builder.variable(&format!("{name}.{}", local.name), local, Owner::Thread)
                })
                .collect();
            builder.layout.locals.push(locals);
        }
        for (thread, number) in frames {
            let procedure = &program.procedures[number];
            let name = format!("{}.{}", program.thread_name(thread), procedure.name);
            let variables = procedure.variables.iter();
            let frame = variables
                .map(|variable| {
                    builder.variable(&format!("{name}.{}", variable.name), variable, Owner::Call)
                })
                .collect();
            builder.layout.frames.insert((thread, number), frame);
        }
        for (number, object) in program.objects.iter().enumerate() {
            let array = builder.objects(&object.name, object, (None, number));
            builder.layout.objects.push(array);
        }
        for pool in &program.pools {
            let mut slots = Vec::new();
            for slot in 0..pool.size {
                let name = format!("{}[{slot}]", pool.name);
                slots.push(builder.record(&name, pool.record, Owner::All(None)));
            }
            let allocated = builder.layout.cells.len();
            for slot in 0..pool.size {
                let name = format!("{}.allocated[{slot}]", pool.name);
                builder.cell(name, vec![0, 1], vec![0]);
            }
            builder.layout.pools.push(PoolCells { allocated, slots });
        }
        for thread in started(program) {
            let name = format!("{}.started", program.thread_name(thread));
            let cell = builder.cell(name, vec![0, 1], vec![0]);
            builder.layout.started.insert(thread, cell);
        }
        builder.layout
    }
}

impl<'a> Builder<'a> {
    fn cell(&mut self, name: String, domain: Vec<i64>, initial: Vec<i64>) -> usize {
        self.layout.cells.push(Cell {
            name,
            domain,
            initial,
        });
        self.layout.cells.len() - 1
    }

    /// One boolean cell per thread, false initially; yields the first.
    fn per_thread(&mut self, name: &str) -> usize {
        let first = self.layout.cells.len();
        for thread in 0..self.threads {
            self.cell(format!("{name}[{thread}]"), vec![0, 1], vec![0]);
        }
        first
    }

    /// A shared variable, or a field; its own word counts before the one around it.
    fn shared(&mut self, name: &str, declared: &'a Shared, around: Option<Word<'a>>) -> Array {
        let Shared {
            variable,
            discipline,
        } = declared;
        let mut array = Vec::new();
        for (index, name) in names(name, variable.size).into_iter().enumerate() {
            let word = match discipline {
                Discipline::Omitted => around,
                _ => Some(Word {
                    discipline,
                    parameter: index as i64,
                    depth: self.depth,
                }),
            };
            array.push(self.element(&name, variable, Owner::All(word)));
        }
        array
    }

    fn variable(&mut self, name: &str, variable: &Variable, owner: Owner<'a>) -> Array {
        names(name, variable.size)
            .iter()
            .map(|name| self.element(name, variable, owner))
            .collect()
    }

    /// One cell, or one record, of a variable.
    fn element(&mut self, name: &str, variable: &Variable, owner: Owner<'a>) -> Storage {
        if let Type::Record(record) = variable.ty {
            return self.record(name, record, owner);
        }
        let domain = variable.ty.values();
        let initial = match (variable.initial, owner) {
            (Some(value), _) => vec![value],
            (None, Owner::Call) => vec![domain[0]],
            (None, _) => domain.clone(),
        };
        let cell = self.cell(name.to_owned(), domain, initial);
        let access = match owner {
            Owner::Thread | Owner::Call => Access::Local,
            Owner::All(Some(
                word @ Word {
                    discipline: Discipline::Protected { .. },
                    ..
                },
            )) => {
                self.layout.protected.push(Protected {
                    cell,
                    discipline: word.discipline.clone(),
                    parameter: word.parameter,
                    depth: word.depth,
                    object: None,
                });
                Access::Protected(self.layout.protected.len() - 1)
            }
            Owner::All(word) => {
                if word.is_none() {
                    self.layout.wordless.push(cell);
                }
                Access::Unprotected
            }
        };
        Storage::Data(Data {
            cell,
            ty: variable.ty,
            access,
        })
    }

    fn record(&mut self, name: &str, record: usize, owner: Owner<'a>) -> Storage {
        self.depth += 1;
        let before = self.layout.protected.len();
        let mut fields = Vec::new();
        for (number, field) in self.program.records[record].fields.iter().enumerate() {
            fields.push(match (field, owner) {
                (Field::Object(object), _) => {
                    let name = format!("{name}.{}", object.name);
                    self.objects(&name, object, (Some(record), number))
                }
                (Field::Data(data), Owner::All(around)) => {
                    let name = format!("{name}.{}", data.variable.name);
                    self.shared(&name, data, around)
                }
                (Field::Data(data), _) => {
                    let name = format!("{name}.{}", data.variable.name);
                    self.variable(&name, &data.variable, owner)
                }
            });
        }
        for protected in &mut self.layout.protected[before..] {
            if protected.depth == self.depth {
                protected.object = Some(fields.clone());
            }
        }
        self.depth -= 1;
        Storage::Record(fields)
    }

    fn objects(&mut self, name: &str, object: &Object, declared: (Option<usize>, usize)) -> Array {
        let mut array = Vec::new();
        for name in names(name, object.size) {
            let first = self.layout.cells.len();
            let mut cells = ObjectCells {
                kind: object.kind,
                first,
                depth: first,
                per_thread: first,
            };
            let owners: Vec<i64> = (NOBODY..self.threads as i64).collect();
            match object.kind {
                Kind::Mutex => {
                    self.cell(format!("{name}.owner"), owners, vec![NOBODY]);
                }
                Kind::Reentrant(bound) => {
                    let depths: Vec<i64> = (0..=bound).collect();
                    self.cell(format!("{name}.owner"), owners, vec![NOBODY]);
                    cells.depth = self.cell(format!("{name}.depth"), depths.clone(), vec![0]);
                    cells.per_thread = self.layout.cells.len();
                    if self.waited.contains(&declared) {
                        for thread in 0..self.threads {
                            let name = format!("{name}.saved[{thread}]");
                            self.cell(name, depths.clone(), vec![0]);
                        }
                    }
                }
                Kind::RwLock => {
                    self.cell(format!("{name}.writer"), owners, vec![NOBODY]);
                    cells.per_thread = self.per_thread(&format!("{name}.reading"));
                }
                Kind::Cond | Kind::Barrier(_) => {
                    self.per_thread(&format!("{name}.waiting"));
                }
                Kind::Semaphore { highest, initial } => {
                    let values = (0..=highest).collect();
                    self.cell(format!("{name}.value"), values, vec![initial]);
                }
            }
            array.push(Storage::Object(cells));
        }
        array
    }
}

/// `x`, or `x[0]`, `x[1]`, ..
fn names(name: &str, size: Option<usize>) -> Vec<String> {
    match size {
        None => vec![name.to_owned()],
        Some(size) => (0..size).map(|index| format!("{name}[{index}]")).collect(),
    }
}
