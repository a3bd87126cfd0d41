//! How large a component is in every dimension that costs a host something, counted in one pass over the bytes, before
//! anything whose cost is not linear. Validation and compilation of what passes are bounded.
//!
//! The numbers were measured against wasmtime 48: 500,000 empty functions took 2.6 GB
//! to compile, one body of 577 KB took 89 s, 40,000 locals a function 650 MB. The largest real tools (a Python and a
//! JavaScript interpreter) have bodies of 416 KB, 13,400 functions and 271 locals.

use serde::Serialize;
use wasmparser::{
    BinaryReader, ComponentType, ComponentTypeDeclaration, CompositeInnerType, CoreType, Encoding, Instance, Parser,
    Payload, TypeSectionReader,
};

use crate::finding::Finding;

type Result<T> = std::result::Result<T, wasmparser::Error>;

/// The counts. "Total" is over all core modules and nested components of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Shape {
    /// Core modules, total.
    pub modules: u64,
    /// Core functions with a body, total.
    pub functions: u64,
    /// Bytes of the largest function body. It decides how hard the compiler may try.
    pub largest_body: u64,
    /// Locals of the function that has the most, parameters not counted.
    pub most_locals: u64,
    /// Core types, total.
    pub core_types: u64,
    /// Core memories that modules define, total.
    pub memories: u64,
    /// 64 KiB pages these memories have from the start, total.
    pub initial_pages: u64,
    /// Core tables that modules define, total.
    pub tables: u64,
    /// The most elements that one table begins with.
    pub largest_table: u64,
    /// The most parameters, or results, of one core function type.
    pub widest_type: u64,
    /// Core globals that modules define, total.
    pub globals: u64,
    /// Imports and exports of core modules, total.
    pub core_externs: u64,
    /// Data segments, total.
    pub data_segments: u64,
    /// Element segments, total.
    pub element_segments: u64,
    /// Custom sections, total.
    pub custom_sections: u64,
    /// Components in components, total.
    pub components: u64,
    /// Nested components and modules at the deepest place: 1 for a component of plain modules.
    pub nesting: u64,
    /// Type declarations in components, inner ones counted too, total.
    pub component_types: u64,
    /// Component types in component types at the deepest place.
    pub type_nesting: u64,
    /// Instances of modules and components, total.
    pub instances: u64,
    /// Of these, instances of core modules, as often as they are written down: a component that is instantiated twice
    /// has its own counted once.
    pub core_instances: u64,
    /// Aliases in components, total.
    pub aliases: u64,
    /// Functions that components lift, lower or take from the runtime, total.
    pub canonical_functions: u64,
    /// Imports and exports of components, total.
    pub externs: u64,
}

struct Limit {
    what: &'static str,
    of: fn(&Shape) -> u64,
    most: u64,
}

const fn limit(what: &'static str, of: fn(&Shape) -> u64, most: u64) -> Limit {
    Limit { what, of, most }
}

/// The deepest nesting of components. Composition tools add one level each time they wrap; deeper, a parser needs a stack.
const MAX_NESTING: u64 = 8;
/// The deepest nesting of component types. WIT has three levels (world, interface, type), and wasmparser reads them by
/// recursion: unbounded, three bytes a level, it overflows the stack.
const MAX_TYPE_NESTING: u64 = 16;

static LIMITS: &[Limit] = &[
    // Python comes to 14; an instance of each is made for every call.
    limit("core modules", |s| s.modules, 64),
    // Three times the largest real one; 500,000 cost 2.6 GB.
    limit("functions", |s| s.functions, 40_000),
    // Two and a half times the largest real one; compile time is superlinear in it.
    limit("bytes in one function body", |s| s.largest_body, 1 << 20),
    // Seven times the largest real one.
    limit("locals in one function", |s| s.most_locals, 2_000),
    limit("core types", |s| s.core_types, 10_000),
    // The pooling allocator reserves address space for this many in one component; real tools have one or two.
    limit("memories", |s| s.memories, 8),
    // The default pool has 512 MiB for a memory; all of a component's may begin with as much.
    limit("initial pages of memories", |s| s.initial_pages, 8_192),
    // Same: real tools have one table a module.
    limit("tables", |s| s.tables, 32),
    // The pool has room for this many; the largest real one has 7,688.
    limit("initial elements of one table", |s| s.largest_table, 20_000),
    // A jump to each of a million targets compares this many types. Compilers return one value, and take a few dozen.
    limit("parameters or results of one function type", |s| s.widest_type, 128),
    // Position-independent Python modules have a few thousand.
    limit("globals", |s| s.globals, 20_000),
    limit("imports and exports of core modules", |s| s.core_externs, 50_000),
    // Pre-initialised interpreters are cut into at most 10,000 segments a module by their snapshot tool.
    limit("data segments", |s| s.data_segments, 20_000),
    limit("element segments", |s| s.element_segments, 10_000),
    // Ten a module of 64 (names, producers, eight of debug information) and as many again.
    limit("custom sections", |s| s.custom_sections, 1_280),
    // One for each exported interface, as the encoder wraps them.
    limit("components in components", |s| s.components, 64),
    limit("levels of nested components", |s| s.nesting, MAX_NESTING),
    // All of WASI 0.2 with every function comes to less than 1,000.
    limit("component types", |s| s.component_types, 20_000),
    limit("levels of nested component types", |s| s.type_nesting, MAX_TYPE_NESTING),
    // Of modules and of bundles of functions.
    limit("instances", |s| s.instances, 1_000),
    // The pool has room for this many in one component.
    limit("core instances", |s| s.core_instances, 64),
    limit("aliases", |s| s.aliases, 20_000),
    limit("canonical functions", |s| s.canonical_functions, 10_000),
    limit("imports and exports of components", |s| s.externs, 2_000),
];

/// Counts. Refuses with every limit that is passed, or with the one place where the bytes stop making sense.
pub(super) fn measure(bytes: &[u8]) -> std::result::Result<Shape, Vec<Finding>> {
    let mut shape = Shape::default();
    if let Err(error) = shape.scan(bytes) {
        return Err(vec![malformed(&error)]);
    }
    let over: Vec<_> =
        LIMITS.iter().filter(|limit| (limit.of)(&shape) > limit.most).map(|l| l.refusal(&shape)).collect();
    if over.is_empty() { Ok(shape) } else { Err(over) }
}

/// The bytes are not WebAssembly as this host speaks it.
pub(crate) fn malformed(error: &wasmparser::Error) -> Finding {
    let at = format!("byte {}", error.offset());
    let remedy = "get the whole file, or build without WebAssembly features that this host has switched off \
                  (componentize-qjs: with `sync`, without `optSize`)";
    Finding::refusal("component/invalid", at, error.message(), remedy)
}

impl Limit {
    fn refusal(&self, shape: &Shape) -> Finding {
        let Self { what, of, most } = self;
        // Of nested levels there may be more: that is where counting stops.
        let message = format!("{} {what}, over the limit of {most}", of(shape));
        Finding::refusal("component/too-large", "", message, "build a smaller component, or split it")
    }
}

impl Shape {
    fn scan(&mut self, bytes: &[u8]) -> Result<()> {
        let mut parser = Parser::new(0);
        parser.set_features(super::features());
        let mut level = 0u64;
        for payload in parser.parse_all(bytes) {
            match payload? {
                Payload::ModuleSection { .. } => {
                    self.modules += 1;
                    level += 1;
                }
                Payload::ComponentSection { .. } => {
                    self.components += 1;
                    level += 1;
                }
                Payload::End(_) => level = level.saturating_sub(1),
                payload => self.section(&payload, bytes)?,
            }
            self.nesting = self.nesting.max(level);
            if level > MAX_NESTING || self.type_nesting > MAX_TYPE_NESTING {
                // Refused whatever follows, and the parser would keep a stack of all the levels.
                return Ok(());
            }
        }
        Ok(())
    }

    fn section(&mut self, payload: &Payload<'_>, bytes: &[u8]) -> Result<()> {
        match payload {
            Payload::Version { encoding: Encoding::Component | Encoding::Module, .. } => {}
            Payload::TypeSection(section) => self.module_types(section)?,
            Payload::ImportSection(section) => self.core_externs += u64::from(section.count()),
            Payload::ExportSection(section) => self.core_externs += u64::from(section.count()),
            Payload::FunctionSection(section) => self.functions += u64::from(section.count()),
            Payload::TableSection(section) => {
                for table in section.clone() {
                    self.tables += 1;
                    self.largest_table = self.largest_table.max(table?.ty.initial);
                }
            }
            Payload::MemorySection(section) => {
                for memory in section.clone() {
                    self.memories += 1;
                    self.initial_pages = self.initial_pages.saturating_add(memory?.initial);
                }
            }
            Payload::GlobalSection(section) => self.globals += u64::from(section.count()),
            Payload::ElementSection(section) => self.element_segments += u64::from(section.count()),
            Payload::DataSection(section) => self.data_segments += u64::from(section.count()),
            Payload::CodeSectionEntry(body) => {
                self.largest_body = self.largest_body.max(body.range().len() as u64);
                let mut locals = 0u64;
                for declared in body.get_locals_reader()? {
                    locals += u64::from(declared?.0);
                }
                self.most_locals = self.most_locals.max(locals);
            }
            Payload::CustomSection(_) => self.custom_sections += 1,
            Payload::InstanceSection(section) => {
                self.instances += u64::from(section.count());
                for instance in section.clone() {
                    self.core_instances += u64::from(matches!(instance?, Instance::Instantiate { .. }));
                }
            }
            Payload::ComponentInstanceSection(section) => self.instances += u64::from(section.count()),
            Payload::ComponentAliasSection(section) => self.aliases += u64::from(section.count()),
            Payload::ComponentCanonicalSection(section) => self.canonical_functions += u64::from(section.count()),
            Payload::ComponentImportSection(section) => self.externs += u64::from(section.count()),
            Payload::ComponentExportSection(section) => self.externs += u64::from(section.count()),
            Payload::CoreTypeSection(section) => {
                for item in section.clone() {
                    self.core_types += match item? {
                        CoreType::Rec(group) => group.types().len() as u64,
                        CoreType::Module(declarations) => declarations.len() as u64,
                    };
                }
            }
            Payload::ComponentTypeSection(section) => {
                let range = section.range();
                self.component_types(BinaryReader::new(&bytes[range.clone()], range.start))?;
            }
            // What is left has no count, or is refused by the validator.
            _ => {}
        }
        Ok(())
    }

    /// Walks component types without recursion, so that their nesting is known before wasmparser reads them with it.
    fn component_types(&mut self, mut reader: BinaryReader<'_>) -> Result<()> {
        // How many entries are left to read, from the section at the bottom to the type that is open at the top.
        let mut left = vec![reader.read_var_u32()?];
        while let Some(entries) = left.last_mut() {
            let Some(fewer) = entries.checked_sub(1) else {
                left.pop();
                continue;
            };
            *entries = fewer;
            self.component_types += 1;
            let mut ahead = reader.clone();
            let is_declaration = left.len() > 1;
            let is_type = !is_declaration || ahead.read_u8()? == 0x01;
            // 0x41 opens a component type, 0x42 an instance type; both hold declarations.
            if is_type && matches!(ahead.read_u8()?, 0x41 | 0x42) {
                reader = ahead;
                left.push(reader.read_var_u32()?);
                self.type_nesting = self.type_nesting.max(left.len() as u64 - 1);
                if self.type_nesting > MAX_TYPE_NESTING {
                    return Ok(());
                }
            } else if is_declaration {
                reader.read::<ComponentTypeDeclaration<'_>>()?;
            } else {
                reader.read::<ComponentType<'_>>()?;
            }
        }
        Ok(())
    }

    fn module_types(&mut self, section: &TypeSectionReader<'_>) -> Result<()> {
        for group in section.clone() {
            for ty in group?.types() {
                self.core_types += 1;
                if let CompositeInnerType::Func(function) = &ty.composite_type.inner {
                    let widest = function.params().len().max(function.results().len());
                    self.widest_type = self.widest_type.max(widest as u64);
                }
            }
        }
        Ok(())
    }
}
