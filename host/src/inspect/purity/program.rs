//! What the components come to once everything is instantiated: core instances with their imports resolved, tables with
//! what may lie in them, and the functions of the canonical ABI between them. Nothing runs; instantiation is followed
//! definition by definition, as a runtime would.

use std::collections::HashMap;
use std::rc::Rc;

use wasmparser::{
    CanonicalFunction, ComponentAlias, ComponentInstance, ComponentOuterAliasKind, ExternalKind, Instance,
};

use super::Uncovered;
use super::code::Kind;
use super::spaces::{Closure, CoreExports, CoreItem, Exports, Function, Item, Scope, Spaces, at, outside, within};
use super::wiring::{Definition, Wiring};

type Result<T> = std::result::Result<T, Uncovered>;

/// As many as the engine's pool has room for in one component: one with more cannot run.
const MAX_CORE_INSTANCES: usize = 64;
/// Steps of instantiation: definitions, and the names that go in and out of instances, over all instances of
/// components. Nested components can instantiate one another twice each, sixty levels up; Python takes some 5,000.
const MAX_STEPS: usize = 200_000;

/// A core function, wherever it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    /// Core instance, and index in its module, imported ones counted first. It has a body.
    Body(usize, u32),
    /// Index in [`Program::borders`].
    Border(usize),
}

/// A core function that the canonical ABI makes.
pub(super) enum Border {
    /// An import of the component, by name: the outside.
    Outside(Rc<str>),
    /// A lowered function of a component inside, and the reallocation functions of both sides.
    Inside(Vec<Callee>),
    /// `resource.drop`, which may run a destructor.
    Drop,
    /// `resource.new` and `resource.rep`, which run nothing.
    Nothing,
}

/// A core function with what its canonical options run.
pub(super) struct Lifted {
    pub(super) core: Callee,
    pub(super) realloc: Option<Callee>,
    pub(super) post_return: Option<Callee>,
}

/// One core instance of a module.
pub(super) struct CoreInstance {
    /// Index in [`Wiring::modules`].
    pub(super) module: usize,
    /// What its imported functions are.
    pub(super) functions: Vec<Callee>,
    /// What its tables are, imported ones first: numbers in one space over all instances.
    pub(super) tables: Vec<usize>,
}

/// Everything, instantiated.
pub(super) struct Program<'p, 'a> {
    pub(super) wiring: &'p Wiring<'a>,
    pub(super) instances: Vec<CoreInstance>,
    pub(super) borders: Vec<Border>,
    /// How many tables there are, over all instances.
    pub(super) tables: usize,
    /// Core function of a destructor, for every resource type of every component inside.
    pub(super) destructors: Vec<Callee>,
    exports: HashMap<&'a str, Item<'a>>,
    steps: usize,
}

/// An exported function.
pub(super) enum Export {
    Outside(Rc<str>),
    Lifted(Rc<Lifted>),
}

impl<'p, 'a> Program<'p, 'a> {
    pub(super) fn of(wiring: &'p Wiring<'a>) -> Result<Self> {
        let mut program = Self {
            wiring,
            instances: Vec::new(),
            borders: Vec::new(),
            tables: 0,
            destructors: Vec::new(),
            exports: HashMap::new(),
            steps: 0,
        };
        program.exports = program.component(&Closure { definitions: 0, around: None }, None)?;
        Ok(program)
    }

    /// The function `name` of the exported instance `interface`.
    pub(super) fn export(&self, interface: &str, name: &str) -> Result<Export> {
        let exports = match self.exports.get(interface) {
            Some(Item::Instance(exports)) => exports,
            _ => return Err(Uncovered::new(format!("the component does not export {interface}"))),
        };
        match exports {
            Exports::Outside(path) => Ok(Export::Outside(format!("{path}#{name}").into())),
            Exports::Bundle(items) => match items.get(name) {
                Some(Item::Function(Function::Outside(path))) => Ok(Export::Outside(path.clone())),
                Some(Item::Function(Function::Lifted(lifted))) => Ok(Export::Lifted(lifted.clone())),
                _ => Err(Uncovered::new(format!("{interface} has no function {name}"))),
            },
        }
    }

    /// Makes an instance of a component. `given`: what its imports are; for the component itself, they are the outside.
    /// The recursion ends: a component instantiates only what stands before its own end in the file, at most 64.
    fn component(
        &mut self,
        closure: &Closure,
        given: Option<&HashMap<&'a str, Item<'a>>>,
    ) -> Result<HashMap<&'a str, Item<'a>>> {
        let wiring = self.wiring;
        let mut spaces = Spaces::default();
        for definition in wiring.components.get(closure.definitions).into_iter().flatten() {
            self.step(1)?;
            self.define(definition, &mut spaces, closure, given)?;
        }
        Ok(spaces.exports)
    }

    fn step(&mut self, steps: usize) -> Result<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_STEPS {
            return Err(Uncovered::new("its components instantiate one another too often to be followed"));
        }
        Ok(())
    }

    fn define(
        &mut self,
        definition: &'p Definition<'a>,
        spaces: &mut Spaces<'a>,
        closure: &Closure,
        given: Option<&HashMap<&'a str, Item<'a>>>,
    ) -> Result<()> {
        match definition {
            Definition::Import { name, kind } => {
                let item = match given {
                    Some(given) => given.get(name).cloned(),
                    None => outside(name, *kind),
                };
                spaces.add(
                    *kind,
                    item.ok_or_else(|| {
                        Uncovered::new(format!("`{name}` is an import of a kind that is not followed"))
                    })?,
                )
            }
            Definition::Module(module) => {
                spaces.modules.push(*module);
                Ok(())
            }
            Definition::Component(definitions) => {
                let scope = Scope {
                    modules: spaces.modules.clone(),
                    components: spaces.components.clone(),
                    around: closure.around.clone(),
                };
                spaces.components.push(Closure { definitions: *definitions, around: Some(Rc::new(scope)) });
                Ok(())
            }
            Definition::CoreInstance(instance) => {
                let exports = self.core_instance(instance, spaces)?;
                spaces.core_instances.push(exports);
                Ok(())
            }
            Definition::Instance(instance) => {
                let exports = self.instance(instance, spaces)?;
                spaces.instances.push(exports);
                Ok(())
            }
            Definition::Alias(alias) => self.alias(alias, spaces, closure),
            Definition::Canonical(function) => self.canonical(function, spaces),
            Definition::Destructor(function) => {
                self.destructors.push(at(&spaces.core_functions, *function)?);
                Ok(())
            }
            Definition::Export { name, kind, index } => {
                let item = spaces.get(*kind, *index)?;
                spaces.exports.insert(name, item.clone());
                // An export is a new name for the item, with an index of its own.
                spaces.add(*kind, item)
            }
        }
    }

    fn core_instance(&mut self, instance: &'p Instance<'a>, spaces: &Spaces<'a>) -> Result<CoreExports<'a>> {
        let (module_index, args) = match instance {
            Instance::Instantiate { module_index, args } => (*module_index, args),
            Instance::FromExports(exports) => {
                self.step(exports.len())?;
                let mut items = HashMap::new();
                for export in exports {
                    let item = match export.kind {
                        ExternalKind::Func | ExternalKind::FuncExact => {
                            CoreItem::Function(at(&spaces.core_functions, export.index)?)
                        }
                        ExternalKind::Table => CoreItem::Table(at(&spaces.core_tables, export.index)?),
                        ExternalKind::Memory | ExternalKind::Global | ExternalKind::Tag => CoreItem::Other,
                    };
                    items.insert(export.name, item);
                }
                return Ok(CoreExports::Bundle(Rc::new(items)));
            }
        };
        if self.instances.len() == MAX_CORE_INSTANCES {
            return Err(Uncovered::new(format!("it makes more than {MAX_CORE_INSTANCES} core instances")));
        }
        let module_index = at(&spaces.modules, module_index)?;
        let wiring = self.wiring;
        let module = &wiring.modules[module_index];
        self.step(args.len())?;
        let mut given = HashMap::new();
        for arg in args {
            given.insert(arg.name, at(&spaces.core_instances, arg.index)?);
        }
        let mut made = CoreInstance { module: module_index, functions: Vec::new(), tables: Vec::new() };
        for (from, name, kind) in &module.imports {
            let item = given.get(from).and_then(|exports| self.core_export(exports, name));
            match (kind, item) {
                (Kind::Function, Some(CoreItem::Function(callee))) => made.functions.push(callee),
                (Kind::Table, Some(CoreItem::Table(table))) => made.tables.push(table),
                (Kind::Other, _) => {}
                _ => return Err(Uncovered::new(format!("core import `{from}` `{name}` cannot be resolved"))),
            }
        }
        let own = module.puts.len() - made.tables.len();
        made.tables.extend(self.tables..self.tables + own);
        self.tables += own;
        self.instances.push(made);
        Ok(CoreExports::Instance(self.instances.len() - 1))
    }

    fn core_export(&self, exports: &CoreExports<'a>, name: &str) -> Option<CoreItem> {
        let instance = match exports {
            CoreExports::Bundle(items) => return items.get(name).copied(),
            CoreExports::Instance(instance) => *instance,
        };
        let (kind, index) = *self.wiring.modules[self.instances[instance].module].exports.get(name)?;
        Some(match kind {
            Kind::Function => CoreItem::Function(self.callee(instance, index)),
            Kind::Table => CoreItem::Table(*self.instances[instance].tables.get(index as usize)?),
            Kind::Other => CoreItem::Other,
        })
    }

    /// A function of a core instance, by its index there.
    pub(super) fn callee(&self, instance: usize, index: u32) -> Callee {
        self.instances[instance].functions.get(index as usize).copied().unwrap_or(Callee::Body(instance, index))
    }

    fn instance(&mut self, instance: &'p ComponentInstance<'a>, spaces: &Spaces<'a>) -> Result<Exports<'a>> {
        let items = match instance {
            ComponentInstance::Instantiate { component_index, args } => {
                self.step(args.len())?;
                let mut given = HashMap::new();
                for arg in args {
                    given.insert(arg.name, spaces.get(arg.kind, arg.index)?);
                }
                let closure = at(&spaces.components, *component_index)?;
                self.component(&closure, Some(&given))?
            }
            ComponentInstance::FromExports(exports) => {
                self.step(exports.len())?;
                let mut items = HashMap::new();
                for export in exports {
                    items.insert(export.name.name, spaces.get(export.kind, export.index)?);
                }
                items
            }
        };
        Ok(Exports::Bundle(Rc::new(items)))
    }

    fn alias(&mut self, alias: &'p ComponentAlias<'a>, spaces: &mut Spaces<'a>, closure: &Closure) -> Result<()> {
        match alias {
            ComponentAlias::InstanceExport { kind, instance_index, name } => {
                let item = match at(&spaces.instances, *instance_index)? {
                    Exports::Outside(path) => {
                        // Names may be long, and each instance of a component that aliases them makes its own.
                        self.step((path.len() + name.len()) / 32)?;
                        outside(&within(&path, *kind, name), *kind)
                    }
                    Exports::Bundle(items) => items.get(name).cloned(),
                };
                spaces.add(
                    *kind,
                    item.ok_or_else(|| Uncovered::new(format!("`{name}` is an alias that is not followed")))?,
                )
            }
            ComponentAlias::CoreInstanceExport { instance_index, name, .. } => {
                let exports = at(&spaces.core_instances, *instance_index)?;
                match self.core_export(&exports, name) {
                    Some(CoreItem::Function(callee)) => spaces.core_functions.push(callee),
                    Some(CoreItem::Table(table)) => spaces.core_tables.push(table),
                    Some(CoreItem::Other) => {}
                    None => return Err(Uncovered::new(format!("core export `{name}` cannot be resolved"))),
                }
                Ok(())
            }
            ComponentAlias::Outer { kind, count, index } => {
                // Count 0 is this component, 1 the one around it.
                let mut scope = closure.around.clone();
                for _ in 1..*count {
                    scope = scope.and_then(|scope| scope.around.clone());
                }
                let (modules, components) = match (&scope, *count) {
                    (_, 0) => (&spaces.modules, &spaces.components),
                    (Some(scope), _) => (&scope.modules, &scope.components),
                    (None, _) => return Err(Uncovered::new("an alias leads outside the component")),
                };
                match kind {
                    ComponentOuterAliasKind::CoreModule => {
                        let module = at(modules, *index)?;
                        spaces.modules.push(module);
                    }
                    ComponentOuterAliasKind::Component => {
                        let component = at(components, *index)?;
                        spaces.components.push(component);
                    }
                    ComponentOuterAliasKind::CoreType | ComponentOuterAliasKind::Type => {}
                }
                Ok(())
            }
        }
    }

    fn canonical(&mut self, function: &CanonicalFunction, spaces: &mut Spaces<'a>) -> Result<()> {
        let border = match function {
            CanonicalFunction::Lift { core_func_index, options, .. } => {
                let (realloc, post_return) = spaces.options(options)?;
                let core = at(&spaces.core_functions, *core_func_index)?;
                spaces.functions.push(Function::Lifted(Rc::new(Lifted { core, realloc, post_return })));
                return Ok(());
            }
            CanonicalFunction::Lower { func_index, options } => {
                let (realloc, _) = spaces.options(options)?;
                match at(&spaces.functions, *func_index)? {
                    Function::Outside(path) => Border::Outside(path),
                    Function::Lifted(lifted) => {
                        let ours = [realloc, Some(lifted.core), lifted.realloc, lifted.post_return];
                        Border::Inside(ours.into_iter().flatten().collect())
                    }
                }
            }
            CanonicalFunction::ResourceDrop { .. } => Border::Drop,
            CanonicalFunction::ResourceNew { .. } | CanonicalFunction::ResourceRep { .. } => Border::Nothing,
            _ => return Err(Uncovered::new("it uses threads, tasks or streams of the runtime")),
        };
        spaces.core_functions.push(Callee::Border(self.borders.len()));
        self.borders.push(border);
        Ok(())
    }
}
