//! Debug information, read: functions, variables and their types.

use super::types::{Form, Member, Type, TypeId, Types};
use super::{FrameBase, Function, Local, Reader, Variable};
use gimli::{
    self, AttributeValue, DW_AT_abstract_origin, DW_AT_bit_size, DW_AT_byte_size,
    DW_AT_const_value, DW_AT_count, DW_AT_data_bit_offset, DW_AT_data_member_location,
    DW_AT_encoding, DW_AT_frame_base, DW_AT_high_pc, DW_AT_location, DW_AT_low_pc, DW_AT_name,
    DW_AT_specification, DW_AT_type, DW_AT_upper_bound, DebuggingInformationEntry, Dwarf,
    EntriesTreeNode, Operation, Unit, UnitOffset,
};
use rustc_hash::FxHashMap;
use std::ops::Range;

type Entry = DebuggingInformationEntry<Reader>;
type Found<T> = Result<T, gimli::Error>;

/// What is read of a program.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub types: Types,
    pub functions: Vec<Function>,
    pub variables: Vec<Variable>,
}

/// Reads all units; what is wrong with one of them ends that one only.
pub(super) fn read(dwarf: &Dwarf<Reader>) -> Read {
    let mut read = Read::default();
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        let Ok(unit) = dwarf.unit(header) else {
            continue;
        };
        let mut reading = Reading {
            dwarf,
            unit: &unit,
            read: &mut read,
            known: FxHashMap::default(),
        };
        let _ = reading.all();
    }
    read.variables.sort_by_key(|v| v.start);
    read.functions.sort_by_key(|f| f.range.start);
    read
}

/// A unit that is being read.
struct Reading<'a> {
    dwarf: &'a Dwarf<Reader>,
    unit: &'a Unit<Reader>,
    read: &'a mut Read,
    known: FxHashMap<UnitOffset, TypeId>,
}

/// The first operation of a location, if it is all.
fn operation(unit: &Unit<Reader>, value: AttributeValue<Reader>) -> Option<Operation<Reader>> {
    let AttributeValue::Exprloc(expression) = value else {
        return None;
    };
    let mut operations = expression.operations(unit.encoding());
    let first = operations.next().ok()??;
    matches!(operations.next(), Ok(None)).then_some(first)
}

impl Reading<'_> {
    fn all(&mut self) -> Found<()> {
        let mut tree = self.unit.entries_tree(None)?;
        let root = tree.root()?;
        self.children(root, None, &(0..u64::MAX))
    }

    /// What stands inside of something: of the function with a number, where code of this range is run.
    fn children(
        &mut self,
        node: EntriesTreeNode<Reader>,
        function: Option<usize>,
        scope: &Range<u64>,
    ) -> Found<()> {
        let mut children = node.children();
        while let Some(child) = children.next()? {
            let entry = child.entry().clone();
            match entry.tag() {
                gimli::DW_TAG_subprogram => {
                    let function = self.function(&entry)?;
                    let range = function.map(|f| self.read.functions[f].range.clone());
                    self.children(child, function, &range.unwrap_or(0..0))?;
                }
                gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine => {
                    let range = self.range(&entry)?.unwrap_or_else(|| scope.clone());
                    self.children(child, function, &range)?;
                }
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    self.variable(&entry, function, scope)?;
                }
                gimli::DW_TAG_namespace
                | gimli::DW_TAG_structure_type
                | gimli::DW_TAG_class_type => self.children(child, function, scope)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn text(&self, entry: &Entry) -> Found<String> {
        let Some(value) = entry.attr_value(DW_AT_name) else {
            return Ok(String::new());
        };
        let text = self.dwarf.attr_string(self.unit, value)?;
        Ok(gimli::Reader::to_string_lossy(&text)?.into_owned())
    }

    /// The entry that says the rest of this one, if there is one.
    fn origin(&self, entry: &Entry) -> Found<Option<Entry>> {
        let other = entry
            .attr_value(DW_AT_specification)
            .or_else(|| entry.attr_value(DW_AT_abstract_origin));
        match other {
            Some(AttributeValue::UnitRef(at)) => self.unit.entry(at).map(Some),
            _ => Ok(None),
        }
    }

    /// The name, its own or that of what it was made from.
    fn name(&self, entry: &Entry) -> Found<String> {
        let mut entry = entry.clone();
        for _ in 0..10 {
            let name = self.text(&entry)?;
            match self.origin(&entry)? {
                Some(origin) if name.is_empty() => entry = origin,
                _ => return Ok(name),
            }
        }
        Ok(String::new())
    }

    /// The same of its type.
    fn type_of(&mut self, entry: &Entry) -> Found<Option<TypeId>> {
        let mut entry = entry.clone();
        for _ in 0..10 {
            match (entry.attr_value(DW_AT_type), self.origin(&entry)?) {
                (Some(AttributeValue::UnitRef(at)), _) => return self.type_at(at).map(Some),
                (None, Some(origin)) => entry = origin,
                _ => break,
            }
        }
        Ok(None)
    }

    fn range(&self, entry: &Entry) -> Found<Option<Range<u64>>> {
        let Some(AttributeValue::Addr(low)) = entry.attr_value(DW_AT_low_pc) else {
            return Ok(None);
        };
        Ok(match entry.attr_value(DW_AT_high_pc) {
            Some(AttributeValue::Addr(high)) => Some(low..high),
            Some(value) => value
                .udata_value()
                .map(|size| low..low.saturating_add(size)),
            None => None,
        })
    }

    fn function(&mut self, entry: &Entry) -> Found<Option<usize>> {
        let Some(range) = self.range(entry)? else {
            return Ok(None);
        };
        let base = entry.attr_value(DW_AT_frame_base);
        let base = match base.and_then(|value| operation(self.unit, value)) {
            Some(Operation::Register { register }) if register == gimli::X86_64::RBP => {
                FrameBase::Register
            }
            _ => FrameBase::Canonical,
        };
        self.read.functions.push(Function {
            name: self.name(entry)?,
            range,
            base,
            locals: Vec::new(),
        });
        Ok(Some(self.read.functions.len() - 1))
    }

    fn variable(
        &mut self,
        entry: &Entry,
        function: Option<usize>,
        scope: &Range<u64>,
    ) -> Found<()> {
        let location = entry.attr_value(DW_AT_location);
        let Some(location) = location.and_then(|value| operation(self.unit, value)) else {
            return Ok(());
        };
        let (name, of) = (self.name(entry)?, self.type_of(entry)?);
        let Some(of) = of.filter(|_| !name.is_empty()) else {
            return Ok(());
        };
        match (location, function) {
            (Operation::Address { address }, _) => self.read.variables.push(Variable {
                start: address,
                size: self.read.types.size(of),
                name,
                of: Some(of),
            }),
            (Operation::FrameOffset { offset }, Some(function)) => {
                self.read.functions[function].locals.push(Local {
                    name,
                    offset,
                    of,
                    scope: scope.clone(),
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn type_at(&mut self, at: UnitOffset) -> Found<TypeId> {
        if let Some(&known) = self.known.get(&at) {
            return Ok(known);
        }
        let id = self.read.types.all.len();
        self.known.insert(at, id);
        self.read.types.all.push(Type::default());
        let entry = self.unit.entry(at)?;
        let name = self.text(&entry)?;
        let size = entry.attr_value(DW_AT_byte_size);
        let size = size.and_then(|s| s.udata_value());
        let form = match entry.tag() {
            gimli::DW_TAG_base_type => base(&entry),
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type => Form::Pointer(self.type_of(&entry)?),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                self.members(at)?
            }
            gimli::DW_TAG_enumeration_type => self.enumerators(at)?,
            gimli::DW_TAG_array_type => {
                let of = self.type_of(&entry)?;
                of.map_or(Ok(Form::Unknown), |of| self.array(at, of))?
            }
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => {
                let of = self.type_of(&entry)?;
                of.map_or(Form::Unknown, Form::Alias)
            }
            _ => Form::Unknown,
        };
        // A pointer is as wide as an address where nothing is said.
        let usual = if matches!(form, Form::Pointer(_)) {
            8
        } else {
            0
        };
        self.read.types.all[id] = Type {
            name,
            size: size.unwrap_or(usual),
            form,
        };
        Ok(id)
    }

    fn members(&mut self, at: UnitOffset) -> Found<Form> {
        let mut tree = self.unit.entries_tree(Some(at))?;
        let mut children = tree.root()?.children();
        let mut members = Vec::new();
        while let Some(child) = children.next()? {
            let entry = child.entry().clone();
            if !matches!(
                entry.tag(),
                gimli::DW_TAG_member | gimli::DW_TAG_inheritance
            ) {
                continue;
            }
            let number = |what| entry.attr_value(what).and_then(|v| v.udata_value());
            let bits = number(DW_AT_data_bit_offset);
            let Some(of) = self.type_of(&entry)? else {
                continue;
            };
            members.push(Member {
                name: match entry.tag() {
                    gimli::DW_TAG_member => self.text(&entry)?,
                    _ => String::new(),
                },
                offset: bits
                    .map(|b| b / 8)
                    .or_else(|| number(DW_AT_data_member_location))
                    .unwrap_or(0),
                of,
                is_bits: entry.attr_value(DW_AT_bit_size).is_some(),
            });
        }
        Ok(Form::Members(members))
    }

    fn enumerators(&mut self, at: UnitOffset) -> Found<Form> {
        let mut tree = self.unit.entries_tree(Some(at))?;
        let mut children = tree.root()?.children();
        let mut names = Vec::new();
        while let Some(child) = children.next()? {
            let entry = child.entry().clone();
            let value = entry.attr_value(DW_AT_const_value);
            let value = value.and_then(|v| {
                v.sdata_value()
                    .or_else(|| v.udata_value().map(|u| u as i64))
            });
            if let Some(value) = value {
                names.push((self.text(&entry)?, value));
            }
        }
        Ok(Form::Enumeration(names))
    }

    /// An array has a range for each dimension.
    fn array(&mut self, at: UnitOffset, of: TypeId) -> Found<Form> {
        let mut tree = self.unit.entries_tree(Some(at))?;
        let mut children = tree.root()?.children();
        let mut counts = Vec::new();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            if entry.tag() == gimli::DW_TAG_subrange_type {
                let number = |what| entry.attr_value(what).and_then(|v| v.udata_value());
                let last = number(DW_AT_upper_bound).map(|n| n.wrapping_add(1));
                counts.push(number(DW_AT_count).or(last));
            }
        }
        let mut form = Form::Unknown;
        let mut of = of;
        for (n, count) in counts.into_iter().rev().enumerate() {
            if n > 0 {
                self.read.types.all.push(Type {
                    form,
                    ..Type::default()
                });
                of = self.read.types.all.len() - 1;
            }
            form = Form::Array { of, count };
        }
        Ok(form)
    }
}

fn base(entry: &Entry) -> Form {
    match entry.attr_value(DW_AT_encoding) {
        Some(AttributeValue::Encoding(encoding)) => match encoding {
            gimli::DW_ATE_signed => Form::Number { signed: true },
            gimli::DW_ATE_unsigned => Form::Number { signed: false },
            gimli::DW_ATE_boolean => Form::Bool,
            gimli::DW_ATE_signed_char | gimli::DW_ATE_unsigned_char => Form::Char,
            _ => Form::Unknown,
        },
        _ => Form::Unknown,
    }
}
