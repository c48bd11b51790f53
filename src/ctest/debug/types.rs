//! The types of a program, and with them what a piece of memory is called and how its value is written.

/// A type, by its number in [`Types`].
pub type TypeId = usize;

/// All types of a program.
#[derive(Debug, Default)]
pub struct Types {
    pub(super) all: Vec<Type>,
}

/// A type.
#[derive(Clone, Debug, Default)]
pub(super) struct Type {
    pub name: String,
    /// Bytes; 0 if that is not known.
    pub size: u64,
    pub form: Form,
}

/// What a type is made of.
#[derive(Clone, Debug, Default)]
pub(super) enum Form {
    #[default]
    Unknown,
    Number {
        signed: bool,
    },
    Bool,
    Char,
    /// Also a reference; of `void *` nothing is known.
    Pointer(Option<TypeId>),
    Array {
        of: TypeId,
        /// None of a flexible array.
        count: Option<u64>,
    },
    /// A structure, union or class.
    Members(Vec<Member>),
    Enumeration(Vec<(String, i64)>),
    /// Another name, or a qualifier.
    Alias(TypeId),
}

/// A member of a structure, union or class.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Empty of anonymous ones and of base classes.
    pub name: String,
    pub offset: u64,
    pub of: TypeId,
    pub is_bits: bool,
}

/// Types that a program uses as a whole: what they are made of is the library's.
const WHOLE: [&str; 15] = [
    "pthread_mutex_t",
    "pthread_cond_t",
    "pthread_rwlock_t",
    "pthread_barrier_t",
    "pthread_spinlock_t",
    "pthread_once_t",
    "sem_t",
    "mtx_t",
    "cnd_t",
    "once_flag",
    "mutex",
    "recursive_mutex",
    "timed_mutex",
    "shared_mutex",
    "condition_variable",
];

/// What is looked for in a value.
struct Wanted {
    size: u32,
    /// Its type, if that is known.
    of: Option<TypeId>,
}

/// Whether a value of this many bytes can be a number.
pub fn is_number(size: u32) -> bool {
    matches!(size, 1 | 2 | 4 | 8)
}

/// A value of an unknown type: small negative numbers are negative.
pub fn number(value: u64, size: u32) -> String {
    let bits = 8 * size.min(8);
    if bits == 0 {
        return value.to_string();
    }
    let shifted = signed(value, bits);
    if (-65536..0).contains(&shifted) {
        return shifted.to_string();
    }
    match unsigned(value, bits) {
        large if large > 1 << 32 => format!("{large:#x}"),
        small => small.to_string(),
    }
}

fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

fn unsigned(value: u64, bits: u32) -> u64 {
    value << (64 - bits) >> (64 - bits)
}

impl Types {
    /// A type without its other names.
    fn plain(&self, mut id: TypeId) -> TypeId {
        // Debug information may go round in circles.
        for _ in 0..100 {
            match self.all.get(id).map(|t| &t.form) {
                Some(&Form::Alias(of)) => id = of,
                _ => break,
            }
        }
        id
    }

    fn form(&self, id: TypeId) -> &Form {
        self.all
            .get(self.plain(id))
            .map_or(&Form::Unknown, |t| &t.form)
    }

    /// Bytes; 0 if that is not known.
    pub fn size(&self, id: TypeId) -> u64 {
        match (self.form(id), self.all.get(self.plain(id))) {
            (&Form::Array { of, count }, _) => {
                self.size(of).saturating_mul(count.unwrap_or_default())
            }
            (_, Some(known)) => known.size,
            _ => 0,
        }
    }

    /// As the program calls it, as far as it does: the first of its names.
    pub fn name(&self, mut id: TypeId) -> Option<&str> {
        for _ in 0..100 {
            let known = self.all.get(id)?;
            match known.form {
                _ if !known.name.is_empty() => return Some(&known.name),
                Form::Alias(of) | Form::Array { of, .. } => id = of,
                _ => return None,
            }
        }
        None
    }

    /// What a pointer points to, if this is one and that is known.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.form(id) {
            &Form::Pointer(of) => of,
            _ => None,
        }
    }

    /// Whether it is a pointer.
    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.form(id), Form::Pointer(_))
    }

    /// Whether its last member is a flexible array.
    pub fn is_open(&self, id: TypeId) -> bool {
        match self.form(id) {
            Form::Members(members) => members.last().is_some_and(|m| self.size(m.of) == 0),
            _ => false,
        }
    }

    fn is_whole(&self, id: TypeId) -> bool {
        self.name(id).is_some_and(|name| WHOLE.contains(&name))
    }

    /// The piece of a value of type `id` that has `size` bytes at `offset`, as `.field[3]`, and its type. An object
    /// of synchronisation has no size.
    pub fn piece(&self, id: TypeId, offset: u64, size: u32) -> (String, Option<TypeId>) {
        let mut path = String::new();
        let wanted = Wanted { size, of: None };
        let of = self.descend(id, offset, &wanted, &mut path, 0);
        (path, of)
    }

    /// The piece to which a pointer of a type points.
    pub fn pointed(&self, id: TypeId, offset: u64, pointer: Option<TypeId>) -> String {
        let mut path = String::new();
        let of = pointer.and_then(|p| self.pointee(p));
        let wanted = Wanted {
            size: 0,
            of: of.map(|of| self.plain(of)),
        };
        self.descend(id, offset, &wanted, &mut path, 0);
        path
    }

    fn descend(
        &self,
        id: TypeId,
        offset: u64,
        wanted: &Wanted,
        path: &mut String,
        depth: usize,
    ) -> Option<TypeId> {
        let size = wanted.size;
        let is_wanted = wanted.of == Some(self.plain(id));
        let long = u64::from(size) == self.size(id) && !is_number(size);
        let whole = offset == 0 && (long || is_wanted);
        // Debug information may go round in circles.
        if whole || offset == 0 && size == 0 && self.is_whole(id) || depth > 50 {
            return Some(id);
        }
        match self.form(id) {
            Form::Members(members) => self.member(members, offset, wanted, path, depth),
            &Form::Array { of, count } => {
                let each = self.size(of);
                let at = offset.checked_div(each)?;
                if count.is_some_and(|count| at >= count) {
                    return None;
                }
                *path += &format!("[{at}]");
                self.descend(of, offset % each, wanted, path, depth + 1)
            }
            _ if offset == 0 => Some(id),
            _ => {
                *path += &format!("+{offset}");
                None
            }
        }
    }

    /// Of several members in one place (of a union, say) one that has the size is taken, else the first.
    fn member(
        &self,
        members: &[Member],
        offset: u64,
        wanted: &Wanted,
        path: &mut String,
        depth: usize,
    ) -> Option<TypeId> {
        let size = wanted.size;
        let end = offset + u64::from(size.max(1));
        let bits = members
            .iter()
            .filter(|m| m.is_bits && (offset..end).contains(&m.offset));
        let bits: Vec<&str> = bits.map(|m| m.name.as_str()).collect();
        if !bits.is_empty() {
            *path += &format!(".{}", bits.join("/"));
            return None;
        }
        let mut first = None;
        for (n, m) in members.iter().enumerate() {
            let long = self.size(m.of);
            // A flexible array has no size, and is the last one.
            let open = long == 0 && n + 1 == members.len();
            if offset < m.offset || offset >= m.offset + long && !open {
                continue;
            }
            let mut piece = match m.name.as_str() {
                "" => String::new(),
                name => format!(".{name}"),
            };
            let of = self.descend(m.of, offset - m.offset, wanted, &mut piece, depth + 1);
            if of.is_some_and(|of| size == 0 || self.size(of) == u64::from(size)) {
                *path += &piece;
                return of;
            }
            first.get_or_insert((piece, of));
        }
        let (piece, of) = first?;
        *path += &piece;
        of
    }

    /// A value as the program would write it; `pointer` names what a pointer points to.
    pub fn value(
        &self,
        id: Option<TypeId>,
        value: u64,
        size: u32,
        pointer: &dyn Fn(u64) -> Option<String>,
    ) -> String {
        let bits = 8 * size.clamp(1, 8);
        let plain = unsigned(value, bits);
        let form = id.map_or(&Form::Unknown, |id| self.form(id));
        match form {
            Form::Pointer(_) if plain == 0 => "NULL".into(),
            Form::Pointer(_) => pointer(plain).unwrap_or_else(|| format!("{plain:#x}")),
            Form::Number { signed: true } => signed(value, bits).to_string(),
            Form::Number { signed: false } => plain.to_string(),
            Form::Bool if plain < 2 => (plain == 1).to_string(),
            Form::Char => match u8::try_from(plain) {
                Ok(c) if c.is_ascii_graphic() || c == b' ' => format!("'{}'", char::from(c)),
                _ => signed(value, bits).to_string(),
            },
            Form::Enumeration(names) => {
                let number = signed(value, bits);
                let named = names
                    .iter()
                    .find(|(_, n)| *n == number || *n as u64 == plain);
                named.map_or_else(|| number.to_string(), |(name, _)| name.clone())
            }
            _ if size == 8 && plain > 1 << 32 => {
                pointer(plain).unwrap_or_else(|| number(value, size))
            }
            _ => number(value, size),
        }
    }
}
