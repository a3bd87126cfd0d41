//! The components of a file: what each defines, in order, as it stands in the file.

use wasmparser::{
    CanonicalFunction, ComponentAlias, ComponentExternalKind, ComponentInstance, ComponentOuterAliasKind,
    ComponentType, Instance, Parser, Payload,
};

use super::Uncovered;
use super::code::{Module, Types};

/// One definition. Types are left out: nothing here depends on one.
pub(super) enum Definition<'a> {
    Import {
        name: &'a str,
        kind: ComponentExternalKind,
    },
    Module(usize),
    Component(usize),
    CoreInstance(Instance<'a>),
    Instance(ComponentInstance<'a>),
    Alias(ComponentAlias<'a>),
    Canonical(CanonicalFunction),
    /// A resource type with a destructor, by its core function.
    Destructor(u32),
    Export {
        name: &'a str,
        kind: ComponentExternalKind,
        index: u32,
    },
}

/// A file, read.
#[derive(Default)]
pub(super) struct Wiring<'a> {
    /// In file order; the first is the whole.
    pub(super) components: Vec<Vec<Definition<'a>>>,
    /// In file order.
    pub(super) modules: Vec<Module<'a>>,
}

enum Open<'a> {
    Component(usize),
    // Boxed: a module is large, and there are few.
    Module(Box<Module<'a>>),
}

pub(super) fn parse(bytes: &[u8]) -> Result<Wiring<'_>, Uncovered> {
    let mut wiring = Wiring { components: vec![Vec::new()], ..Wiring::default() };
    let mut types = Types::default();
    let mut open = vec![Open::Component(0)];
    let mut parser = Parser::new(0);
    parser.set_features(crate::inspect::features());
    for payload in parser.parse_all(bytes) {
        let payload = payload?;
        match (open.last_mut(), payload) {
            (None, _) => return Err(Uncovered::new("something follows the end of the component")),
            (Some(Open::Component(index)), Payload::End(_)) => {
                let done = *index;
                open.pop();
                if let Some(Open::Component(parent)) = open.last() {
                    wiring.components[*parent].push(Definition::Component(done));
                }
            }
            (Some(Open::Module(_)), Payload::End(_)) => {
                if let Some(Open::Module(mut module)) = open.pop() {
                    module.finish();
                    if let Some(Open::Component(parent)) = open.last() {
                        wiring.components[*parent].push(Definition::Module(wiring.modules.len()));
                    }
                    wiring.modules.push(*module);
                }
            }
            (Some(Open::Component(_)), Payload::ModuleSection { .. }) => open.push(Open::Module(Box::default())),
            (Some(Open::Component(_)), Payload::ComponentSection { .. }) => {
                wiring.components.push(Vec::new());
                open.push(Open::Component(wiring.components.len() - 1));
            }
            (Some(Open::Component(index)), payload) => section(&mut wiring.components[*index], payload)?,
            (Some(Open::Module(module)), payload) => module.section(payload, &mut types)?,
        }
    }
    Ok(wiring)
}

fn section<'a>(definitions: &mut Vec<Definition<'a>>, payload: Payload<'a>) -> Result<(), Uncovered> {
    match payload {
        Payload::ComponentImportSection(section) => {
            for import in section {
                let import = import?;
                definitions.push(Definition::Import { name: import.name.name, kind: import.ty.kind() });
            }
        }
        Payload::ComponentExportSection(section) => {
            for export in section {
                let export = export?;
                definitions.push(Definition::Export { name: export.name.name, kind: export.kind, index: export.index });
            }
        }
        Payload::InstanceSection(section) => {
            for instance in section {
                definitions.push(Definition::CoreInstance(instance?));
            }
        }
        Payload::ComponentInstanceSection(section) => {
            for instance in section {
                definitions.push(Definition::Instance(instance?));
            }
        }
        Payload::ComponentAliasSection(section) => {
            for alias in section {
                match alias? {
                    ComponentAlias::Outer {
                        kind: ComponentOuterAliasKind::CoreType | ComponentOuterAliasKind::Type,
                        ..
                    } => {}
                    alias => definitions.push(Definition::Alias(alias)),
                }
            }
        }
        Payload::ComponentCanonicalSection(section) => {
            for function in section {
                definitions.push(Definition::Canonical(function?));
            }
        }
        Payload::ComponentTypeSection(section) => {
            for ty in section {
                if let ComponentType::Resource { dtor: Some(function), .. } = ty? {
                    definitions.push(Definition::Destructor(function));
                }
            }
        }
        Payload::Version { .. } | Payload::CustomSection(_) | Payload::CoreTypeSection(_) => {}
        // Validation refuses the rest: start sections take a feature that is off.
        _ => return Err(Uncovered::new("the component has a section that this does not follow")),
    }
    Ok(())
}
