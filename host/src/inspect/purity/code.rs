//! One core module, boiled down to what a call graph needs.

use std::collections::HashMap;

use wasmparser::{
    CompositeInnerType, ConstExpr, ElementItems, ElementKind, ExternalKind, FuncType, FunctionBody, Operator, Payload,
    RefType, SubType, TableInit, TypeRef, ValType,
};

use super::Uncovered;

type Result<T> = std::result::Result<T, Uncovered>;

/// Function types by structure, over all modules: what `call_indirect` compares.
#[derive(Default)]
pub(super) struct Types(HashMap<FuncType, u32>);

impl Types {
    fn number(&mut self, ty: &SubType) -> Result<u32> {
        let CompositeInnerType::Func(function) = &ty.composite_type.inner else {
            return Err(Uncovered::new("a core type is no function type"));
        };
        let plain = |ty: &ValType| match ty {
            ValType::Ref(reference) => *reference == RefType::FUNCREF || *reference == RefType::EXTERNREF,
            _ => true,
        };
        let known = function.params().iter().chain(function.results()).all(plain);
        if !ty.is_final || ty.supertype_idx.is_some() || !known {
            return Err(Uncovered::new("core types have subtypes, or name one another"));
        }
        let next = self.0.len() as u32;
        Ok(*self.0.entry(function.clone()).or_insert(next))
    }
}

/// One row of numbers for each function.
#[derive(Default)]
pub(super) struct Rows<T> {
    all: Vec<T>,
    ends: Vec<usize>,
}

impl<T: Ord> Rows<T> {
    fn push(&mut self, mut row: Vec<T>) {
        row.sort_unstable();
        row.dedup();
        self.all.extend(row);
        self.ends.push(self.all.len());
    }

    /// The row of the function with that number among those with a body.
    pub(super) fn row(&self, index: usize) -> Result<&[T]> {
        let start = index.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let row = start.zip(self.ends.get(index)).and_then(|(start, end)| self.all.get(start..*end));
        row.ok_or_else(|| Uncovered::new("a core function has no body"))
    }
}

/// What of an import or export matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Function,
    Table,
    /// A memory, a global, a tag: nothing of it is called. A global may hold a reference, whose function counts as
    /// taken where the reference is made.
    Other,
}

/// A set of function indices. Segments may repeat the same ones without end; this holds each about once.
#[derive(Default)]
pub(super) struct Functions {
    list: Vec<u32>,
    /// The length at which it is worth sorting again.
    full: usize,
}

impl Functions {
    fn insert(&mut self, index: u32) {
        if self.list.len() >= self.full {
            self.sort();
            // Sorting costs a constant per insertion then.
            self.full = 1024.max(2 * self.list.len());
        }
        self.list.push(index);
    }

    fn sort(&mut self) {
        self.list.sort_unstable();
        self.list.dedup();
    }

    /// In order, each once, after [`Module::finish`].
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        self.list.iter().copied()
    }
}

/// What may lie in one table by this module's doing.
#[derive(Default)]
pub(super) struct Puts {
    /// Functions of active element segments.
    pub(super) functions: Functions,
    /// Code, or an expression that is not looked into, puts other references there too.
    pub(super) anything: bool,
}

/// A call through a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Through {
    pub(super) table: u32,
    pub(super) ty: u32,
}

/// A module. Function and table indices count imported ones first.
#[derive(Default)]
pub(super) struct Module<'a> {
    types: Vec<u32>,
    pub(super) imports: Vec<(&'a str, &'a str, Kind)>,
    /// The number of each function's type.
    pub(super) functions: Vec<u32>,
    pub(super) imported_functions: usize,
    /// One for each table.
    pub(super) puts: Vec<Puts>,
    pub(super) imported_tables: usize,
    pub(super) exports: HashMap<&'a str, (Kind, u32)>,
    pub(super) start: Option<u32>,
    /// Functions whose reference is taken: by an element segment of any kind, a `ref.func`, a constant expression.
    pub(super) taken: Functions,
    pub(super) calls: Rows<u32>,
    pub(super) through: Rows<Through>,
    /// The `name` section: where it begins in the file, and its bytes.
    pub(super) names: Option<(usize, &'a [u8])>,
}

impl<'a> Module<'a> {
    pub(super) fn section(&mut self, payload: Payload<'a>, types: &mut Types) -> Result<()> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section {
                    for ty in group?.types() {
                        self.types.push(types.number(ty)?);
                    }
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import?;
                    let kind = match import.ty {
                        TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                            self.functions.push(self.number(ty)?);
                            Kind::Function
                        }
                        TypeRef::Table(_) => {
                            self.puts.push(Puts::default());
                            Kind::Table
                        }
                        TypeRef::Memory(_) | TypeRef::Global(_) | TypeRef::Tag(_) => Kind::Other,
                    };
                    self.imports.push((import.module, import.name, kind));
                }
                self.imported_functions = self.functions.len();
                self.imported_tables = self.puts.len();
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    self.functions.push(self.number(ty?)?);
                }
            }
            Payload::TableSection(section) => {
                for table in section {
                    let mut puts = Puts::default();
                    if let TableInit::Expr(expression) = table?.init {
                        puts.anything = true;
                        self.expression(&expression)?;
                    }
                    self.puts.push(puts);
                }
            }
            Payload::GlobalSection(section) => {
                for global in section {
                    self.expression(&global?.init_expr)?;
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    let kind = match export.kind {
                        ExternalKind::Func | ExternalKind::FuncExact => Kind::Function,
                        ExternalKind::Table => Kind::Table,
                        ExternalKind::Memory | ExternalKind::Global | ExternalKind::Tag => Kind::Other,
                    };
                    self.exports.insert(export.name, (kind, export.index));
                }
            }
            Payload::StartSection { func, .. } => self.start = Some(func),
            Payload::ElementSection(section) => {
                for element in section {
                    let element = element?;
                    self.segment(&element.kind, element.items)?;
                }
            }
            Payload::CodeSectionEntry(body) => self.body(&body)?,
            Payload::CustomSection(section) if section.name() == "name" => {
                self.names = Some((section.data_offset(), section.data()));
            }
            _ => {}
        }
        Ok(())
    }

    /// Everything was read.
    pub(super) fn finish(&mut self) {
        self.taken.sort();
        self.puts.iter_mut().for_each(|puts| puts.functions.sort());
    }

    fn number(&self, ty: u32) -> Result<u32> {
        self.types.get(ty as usize).copied().ok_or_else(|| Uncovered::new("a core type is missing"))
    }

    fn segment(&mut self, kind: &ElementKind<'a>, items: ElementItems<'a>) -> Result<()> {
        let table = match kind {
            ElementKind::Active { table_index, .. } => Some(table_index.unwrap_or(0)),
            ElementKind::Passive | ElementKind::Declared => None,
        };
        match items {
            ElementItems::Functions(indices) => {
                for index in indices {
                    self.put(table, index?)?;
                }
            }
            ElementItems::Expressions(_, expressions) => {
                for expression in expressions {
                    let mut reader = expression?.get_operators_reader();
                    while !reader.eof() {
                        match (reader.read()?, table) {
                            (Operator::RefFunc { function_index }, table) => self.put(table, function_index)?,
                            // A reference that was taken elsewhere.
                            (Operator::GlobalGet { .. }, Some(table)) => self.table(table)?.anything = true,
                            _ => {}
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, table: Option<u32>, function: u32) -> Result<()> {
        self.taken.insert(function);
        if let Some(table) = table {
            self.table(table)?.functions.insert(function);
        }
        Ok(())
    }

    fn table(&mut self, table: u32) -> Result<&mut Puts> {
        self.puts.get_mut(table as usize).ok_or_else(|| Uncovered::new("a core table is missing"))
    }

    /// Notes the references that a constant expression takes.
    fn expression(&mut self, expression: &ConstExpr<'a>) -> Result<()> {
        let mut reader = expression.get_operators_reader();
        while !reader.eof() {
            if let Operator::RefFunc { function_index } = reader.read()? {
                self.taken.insert(function_index);
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &FunctionBody<'a>) -> Result<()> {
        let mut reader = body.get_operators_reader()?;
        let (mut calls, mut through) = (Vec::new(), Vec::new());
        while !reader.eof() {
            match reader.read()? {
                Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                    calls.push(function_index)
                }
                Operator::CallIndirect { type_index, table_index }
                | Operator::ReturnCallIndirect { type_index, table_index } => {
                    through.push(Through { table: table_index, ty: self.number(type_index)? });
                }
                Operator::RefFunc { function_index } => self.taken.insert(function_index),
                Operator::TableSet { table }
                | Operator::TableGrow { table }
                | Operator::TableFill { table }
                | Operator::TableInit { table, .. }
                | Operator::TableCopy { dst_table: table, .. } => self.table(table)?.anything = true,
                // The other operators that call. Validation refuses them, so this is never reached; it stays for the
                // day when `features` grows.
                Operator::CallRef { .. }
                | Operator::ReturnCallRef { .. }
                | Operator::ContNew { .. }
                | Operator::ContBind { .. }
                | Operator::Suspend { .. }
                | Operator::Resume { .. }
                | Operator::ResumeThrow { .. }
                | Operator::ResumeThrowRef { .. }
                | Operator::Switch { .. }
                | Operator::TableAtomicSet { .. }
                | Operator::TableAtomicRmwXchg { .. }
                | Operator::TableAtomicRmwCmpxchg { .. } => {
                    return Err(Uncovered::new("the code calls through typed references or continuations"));
                }
                _ => {}
            }
        }
        self.calls.push(calls);
        self.through.push(through);
        Ok(())
    }
}
