//! What functions on a path are called.

use std::collections::HashMap;

use wasmparser::{BinaryReader, Name, NameSectionReader};

use super::program::{Border, Callee, Program};
use crate::inspect::escape::escaped;

/// Bytes of one name. Rust's generic functions have longer ones; the beginning tells them apart.
const SHOWN: usize = 120;
/// Steps of a path: more than a person follows. Half from each end.
pub(super) const STEPS: usize = 32;

/// The steps of a path in words.
pub(super) fn labels(program: &Program<'_, '_>, path: &[Callee]) -> Vec<String> {
    // The name sections of the modules on the path, each read once.
    let mut names: HashMap<(usize, u32), String> = HashMap::new();
    for callee in path {
        if let Callee::Body(instance, function) = callee {
            names.insert((program.instances[*instance].module, *function), String::new());
        }
    }
    let mut modules: Vec<_> = names.keys().map(|(module, _)| *module).collect();
    modules.sort_unstable();
    modules.dedup();
    for module in modules {
        read(program, module, &mut names);
    }
    let label = |callee: &Callee| match callee {
        Callee::Border(border) => match &program.borders[*border] {
            Border::Outside(path) => Some(escaped(path, SHOWN)),
            Border::Drop => Some("resource.drop".to_owned()),
            Border::Inside(_) | Border::Nothing => None,
        },
        Callee::Body(instance, function) => {
            let module = program.instances[*instance].module;
            let name = names.remove(&(module, *function)).unwrap_or_default();
            Some(if name.is_empty() { format!("module {module} function {function}") } else { name })
        }
    };
    path.iter().filter_map(label).collect()
}

/// Names of the wanted functions of one module. A malformed section, which validation lets pass, names what it can.
fn read(program: &Program<'_, '_>, module: usize, names: &mut HashMap<(usize, u32), String>) {
    let Some((offset, section)) = program.wiring.modules[module].names else { return };
    for subsection in NameSectionReader::new(BinaryReader::new(section, offset)).map_while(Result::ok) {
        let Name::Function(functions) = subsection else { continue };
        for naming in functions.into_iter().map_while(Result::ok) {
            if let Some(name) = names.get_mut(&(module, naming.index)) {
                *name = escaped(naming.name, SHOWN);
            }
        }
    }
}
