//! What a component can name while an instance of it is made, kind by kind, in the order of its indices.

use std::collections::HashMap;
use std::rc::Rc;

use wasmparser::{CanonicalOption, ComponentExternalKind};

use super::Uncovered;
use super::program::{Callee, Lifted};

type Result<T> = std::result::Result<T, Uncovered>;

/// A function of a component.
#[derive(Clone)]
pub(super) enum Function {
    Outside(Rc<str>),
    Lifted(Rc<Lifted>),
}

#[derive(Clone, Copy)]
pub(super) enum CoreItem {
    Function(Callee),
    Table(usize),
    Other,
}

#[derive(Clone)]
pub(super) enum CoreExports<'a> {
    /// Those of a core instance.
    Instance(usize),
    /// Gathered by name.
    Bundle(Rc<HashMap<&'a str, CoreItem>>),
}

#[derive(Clone)]
pub(super) enum Item<'a> {
    Function(Function),
    Instance(Exports<'a>),
    /// Types, which nothing here depends on.
    Other,
}

#[derive(Clone)]
pub(super) enum Exports<'a> {
    /// An imported instance, by its path.
    Outside(Rc<str>),
    Bundle(Rc<HashMap<&'a str, Item<'a>>>),
}

/// A component with the modules and components around it, which it may alias.
#[derive(Clone)]
pub(super) struct Closure {
    pub(super) definitions: usize,
    pub(super) around: Option<Rc<Scope>>,
}

pub(super) struct Scope {
    pub(super) modules: Vec<usize>,
    pub(super) components: Vec<Closure>,
    pub(super) around: Option<Rc<Scope>>,
}

/// The index spaces of one instance of a component, while it is made.
#[derive(Default)]
pub(super) struct Spaces<'a> {
    pub(super) modules: Vec<usize>,
    pub(super) components: Vec<Closure>,
    pub(super) core_instances: Vec<CoreExports<'a>>,
    pub(super) core_functions: Vec<Callee>,
    pub(super) core_tables: Vec<usize>,
    pub(super) functions: Vec<Function>,
    pub(super) instances: Vec<Exports<'a>>,
    pub(super) exports: HashMap<&'a str, Item<'a>>,
}

pub(super) fn at<T: Clone>(space: &[T], index: u32) -> Result<T> {
    space.get(index as usize).cloned().ok_or_else(|| Uncovered::new("something is named that does not exist"))
}

impl<'a> Spaces<'a> {
    pub(super) fn get(&self, kind: ComponentExternalKind, index: u32) -> Result<Item<'a>> {
        match kind {
            ComponentExternalKind::Func => Ok(Item::Function(at(&self.functions, index)?)),
            ComponentExternalKind::Instance => Ok(Item::Instance(at(&self.instances, index)?)),
            ComponentExternalKind::Type => Ok(Item::Other),
            ComponentExternalKind::Module | ComponentExternalKind::Component | ComponentExternalKind::Value => {
                Err(Uncovered::new(format!("it passes on a {}", kind.desc())))
            }
        }
    }

    pub(super) fn add(&mut self, kind: ComponentExternalKind, item: Item<'a>) -> Result<()> {
        match (kind, item) {
            (ComponentExternalKind::Func, Item::Function(function)) => self.functions.push(function),
            (ComponentExternalKind::Instance, Item::Instance(exports)) => self.instances.push(exports),
            (ComponentExternalKind::Type, _) => {}
            _ => return Err(Uncovered::new(format!("a {} is not what its name says", kind.desc()))),
        }
        Ok(())
    }

    /// The reallocation and post-return functions.
    pub(super) fn options(&self, options: &[CanonicalOption]) -> Result<(Option<Callee>, Option<Callee>)> {
        let (mut realloc, mut post_return) = (None, None);
        for option in options {
            match option {
                CanonicalOption::Realloc(function) => realloc = Some(at(&self.core_functions, *function)?),
                CanonicalOption::PostReturn(function) => post_return = Some(at(&self.core_functions, *function)?),
                CanonicalOption::UTF8
                | CanonicalOption::UTF16
                | CanonicalOption::CompactUTF16
                | CanonicalOption::Memory(_) => {}
                CanonicalOption::Async
                | CanonicalOption::Callback(_)
                | CanonicalOption::CoreType(_)
                | CanonicalOption::Gc => return Err(Uncovered::new("it lifts or lowers functions asynchronously")),
            }
        }
        Ok((realloc, post_return))
    }
}

/// An item of the outside.
pub(super) fn outside<'a>(path: &str, kind: ComponentExternalKind) -> Option<Item<'a>> {
    match kind {
        ComponentExternalKind::Func => Some(Item::Function(Function::Outside(path.into()))),
        ComponentExternalKind::Instance => Some(Item::Instance(Exports::Outside(path.into()))),
        ComponentExternalKind::Type => Some(Item::Other),
        ComponentExternalKind::Module | ComponentExternalKind::Component | ComponentExternalKind::Value => None,
    }
}

pub(super) fn within(path: &str, kind: ComponentExternalKind, name: &str) -> String {
    let between = if kind == ComponentExternalKind::Func { '#' } else { '/' };
    format!("{path}{between}{name}")
}
