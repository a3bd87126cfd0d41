//! Takes out of a core module what only some of its exports lead to.
//!
//! A body that nobody can reach is replaced by one that traps, so no index changes. What is left runs as before,
//! instruction for instruction. In a module with debug information, which speaks of offsets, a body is overwritten where it lies.

use std::collections::{BTreeSet, HashSet};

use wasm_encoder::{CodeSection, ExportSection, Function, Instruction, Module, RawSection};
use wasmparser::{
    CompositeInnerType, ConstExpr, ElementItems, Export, ExternalKind, FuncType, FunctionBody, Operator, Parser,
    Payload, TypeRef,
};

type Result<T> = std::result::Result<T, wasmparser::Error>;

/// Whether the exports that go stay, and trap. In a component something refers to them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exports {
    Go,
    Trap,
}

/// The module without what only the exports lead to of which `goes` is true. `None`: it has no such export, or calls in a
/// way that is not followed here.
pub(super) fn prune(module: &[u8], goes: impl Fn(&str) -> bool, exports: Exports) -> Result<Option<Vec<u8>>> {
    let graph = Graph::read(module, &goes)?;
    if !graph.goes {
        return Ok(None);
    }
    let Some(live) = graph.live() else { return Ok(None) };
    let mut pruned = Module::new();
    let mut code = CodeSection::new();
    // Where there is debug information: the section as it is, and where it begins.
    let mut in_place = (Vec::new(), 0);
    let mut function = graph.imported;
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        match &payload {
            Payload::ExportSection(section) if exports == Exports::Go => {
                let mut kept = ExportSection::new();
                for export in section.clone() {
                    let export = export?;
                    if !goes(export.name) {
                        kept.export(export.name, export.kind.into(), export.index);
                    }
                }
                if !kept.is_empty() {
                    pruned.section(&kept);
                }
            }
            Payload::CodeSectionStart { range, .. } if graph.debug => {
                in_place = (module[range.clone()].to_vec(), range.start);
            }
            Payload::CodeSectionEntry(body) if graph.debug => {
                let range = body.range();
                let body = in_place.0.get_mut(range.start - in_place.1..range.end - in_place.1);
                if let Some(body) = body.filter(|_| !live.contains(&function)) {
                    trap(body);
                }
                function += 1;
                if function as usize == graph.functions.len() {
                    pruned.section(&RawSection { id: CODE, data: &in_place.0 });
                }
            }
            Payload::CodeSectionEntry(body) => {
                if live.contains(&function) {
                    code.raw(body.as_bytes());
                } else {
                    code.function(
                        Function::new([]).instruction(&Instruction::Unreachable).instruction(&Instruction::End),
                    );
                }
                function += 1;
                if function as usize == graph.functions.len() {
                    pruned.section(&code);
                }
            }
            _ => {
                if let Some((id, range)) = payload.as_section().filter(|(id, _)| *id != CODE) {
                    pruned.section(&RawSection { id, data: &module[range] });
                }
            }
        }
    }
    Ok(Some(pruned.finish()))
}

/// <https://webassembly.github.io/spec/core/binary/modules.html#sections>.
const CODE: u8 = 10;

/// Overwrites a body with one of the same length that traps. One that is too short for that does nothing, and may stay.
fn trap(body: &mut [u8]) {
    const UNREACHABLE: u8 = 0x00;
    const NOP: u8 = 0x01;
    const END: u8 = 0x0b;
    if let [locals, first, rest @ .., last] = body {
        (*locals, *first, *last) = (0, UNREACHABLE, END);
        rest.fill(NOP);
    }
}

/// A module, boiled down to which function leads to which. It has more edges than the program, never fewer: a call through
/// a table may land on every function of that type whose reference is taken anywhere.
#[derive(Default)]
struct Graph {
    types: Vec<Option<FuncType>>,
    /// The type of each function, imported ones first.
    functions: Vec<u32>,
    imported: u32,
    taken: BTreeSet<u32>,
    /// What is called from outside, and stays so.
    roots: Vec<u32>,
    /// Of each function with a body: the functions it calls, and the types it calls through a table.
    calls: Vec<(Vec<u32>, Vec<u32>)>,
    /// Whether there is an export that goes.
    goes: bool,
    /// Whether there is DWARF.
    debug: bool,
    /// Whether it calls in a way that is not followed.
    unclear: bool,
}

impl Graph {
    fn read(module: &[u8], goes: impl Fn(&str) -> bool) -> Result<Self> {
        let mut graph = Self::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section {
                        for ty in group?.types() {
                            graph.types.push(match &ty.composite_type.inner {
                                CompositeInnerType::Func(ty) => Some(ty.clone()),
                                _ => None,
                            });
                        }
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        match import?.ty {
                            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                                graph.functions.push(ty);
                                graph.imported += 1;
                            }
                            // Others may put functions there, and call what is put.
                            TypeRef::Table(_) => graph.unclear = true,
                            TypeRef::Memory(_) | TypeRef::Global(_) | TypeRef::Tag(_) => {}
                        }
                    }
                }
                Payload::FunctionSection(section) => {
                    for ty in section {
                        graph.functions.push(ty?);
                    }
                }
                Payload::TableSection(section) => {
                    for table in section {
                        if let wasmparser::TableInit::Expr(expression) = table?.init {
                            graph.expression(&expression)?;
                        }
                    }
                }
                Payload::GlobalSection(section) => {
                    for global in section {
                        graph.expression(&global?.init_expr)?;
                    }
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        graph.export(&export?, &goes);
                    }
                }
                Payload::StartSection { func, .. } => graph.roots.push(func),
                Payload::ElementSection(section) => {
                    for element in section {
                        graph.elements(element?.items)?;
                    }
                }
                Payload::CodeSectionEntry(body) => graph.body(&body)?,
                Payload::CustomSection(section) if section.name().starts_with(".debug_") => graph.debug = true,
                _ => {}
            }
        }
        Ok(graph)
    }

    fn export(&mut self, export: &Export<'_>, goes: impl Fn(&str) -> bool) {
        match export.kind {
            ExternalKind::Func | ExternalKind::FuncExact if goes(export.name) => self.goes = true,
            ExternalKind::Func | ExternalKind::FuncExact => self.roots.push(export.index),
            // Whoever has the table calls what is in it.
            ExternalKind::Table => self.unclear = true,
            ExternalKind::Memory | ExternalKind::Global | ExternalKind::Tag => {}
        }
    }

    fn elements(&mut self, items: ElementItems<'_>) -> Result<()> {
        match items {
            ElementItems::Functions(indices) => {
                for index in indices {
                    self.taken.insert(index?);
                }
            }
            ElementItems::Expressions(_, expressions) => {
                for expression in expressions {
                    self.expression(&expression?)?;
                }
            }
        }
        Ok(())
    }

    fn expression(&mut self, expression: &ConstExpr<'_>) -> Result<()> {
        let mut reader = expression.get_operators_reader();
        while !reader.eof() {
            if let Operator::RefFunc { function_index } = reader.read()? {
                self.taken.insert(function_index);
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &FunctionBody<'_>) -> Result<()> {
        let (mut calls, mut through) = (Vec::new(), Vec::new());
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            match reader.read()? {
                Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                    calls.push(function_index);
                }
                Operator::CallIndirect { type_index, .. } | Operator::ReturnCallIndirect { type_index, .. } => {
                    through.push(type_index);
                }
                Operator::RefFunc { function_index } => {
                    self.taken.insert(function_index);
                }
                // Validation refuses them; see `crate::inspect::features`. They stay for the day when it does not.
                Operator::CallRef { .. } | Operator::ReturnCallRef { .. } => self.unclear = true,
                _ => {}
            }
        }
        self.calls.push((calls, through));
        Ok(())
    }

    /// The functions that the roots lead to; `None` where that is not clear.
    fn live(&self) -> Option<HashSet<u32>> {
        if self.unclear {
            return None;
        }
        let (mut live, mut types) = (HashSet::new(), HashSet::new());
        let mut waiting = self.roots.clone();
        while let Some(function) = waiting.pop() {
            if !live.insert(function) {
                continue;
            }
            let Some(body) = function.checked_sub(self.imported) else { continue };
            let (calls, through) = self.calls.get(body as usize)?;
            waiting.extend(calls);
            for index in through {
                let ty = self.types.get(*index as usize)?.as_ref()?;
                if types.insert(ty) {
                    waiting.extend(self.taken.iter().filter(|taken| self.is_of(**taken, ty)));
                }
            }
        }
        Some(live)
    }

    /// Two types of one structure are one to a call.
    fn is_of(&self, function: u32, ty: &FuncType) -> bool {
        let own = self.functions.get(function as usize).and_then(|own| self.types.get(*own as usize));
        own.is_some_and(|own| own.as_ref() == Some(ty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, exports: Exports, expect: Option<&str>) {
        let module = wat::parse_str(text).unwrap();
        let pruned = prune(&module, |name| name.starts_with("goes"), exports).unwrap();
        assert_eq!(pruned, expect.map(|text| wat::parse_str(text).unwrap()), "{text}");
    }

    #[test]
    fn what_only_a_gone_export_leads_to_is_gone() {
        let text = "(module
            (func $shared)
            (func $own (call $shared))
            (func (export \"stays\") (call $shared))
            (func (export \"goes\") (call $own))
            (func (export \"goes too\") unreachable))";
        let expect = |exports: &str| {
            format!(
                "(module
                    (func $shared)
                    (func $own unreachable)
                    (func (call $shared))
                    (func unreachable)
                    (func unreachable)
                    (export \"stays\" (func 2)) {exports})"
            )
        };
        check(text, Exports::Go, Some(&expect("")));
        let trapping = expect("(export \"goes\" (func 3)) (export \"goes too\" (func 4))");
        check(text, Exports::Trap, Some(&trapping));
    }

    #[test]
    fn a_call_through_a_table_keeps_what_may_be_there() {
        let table = "(type $unit (func)) (type $one (func (param i32)))
            (table 2 funcref) (elem (i32.const 0) $unit $one)
            (func $unit (type $unit) nop)";
        let text = format!(
            "(module {table}
                (func $one (type $one) nop)
                (func (export \"stays\") (call_indirect (type $unit) (i32.const 0)))
                (func (export \"goes\") (call_indirect (type $one) (i32.const 1) (i32.const 1))))"
        );
        let expect = format!(
            "(module {table}
                (func $one (type $one) unreachable)
                (func (export \"stays\") (call_indirect (type $unit) (i32.const 0)))
                (func unreachable))"
        );
        check(&text, Exports::Go, Some(&expect));
    }

    #[test]
    fn imports_and_start_functions_count() {
        let text = |body: &str| {
            format!(
                "(module (import \"a\" \"b\" (func $import)) (start $start)
                    (func $start (call $helper)) (func $helper (call $import)) {body})"
            )
        };
        let expect = text("(func unreachable)");
        check(&text("(func (export \"goes\") (call $import))"), Exports::Go, Some(&expect));
    }

    #[test]
    fn code_with_debug_information_stays_where_it_is() {
        let text = |export: &str| {
            format!("(module (func {export}) (func (export \"stays\") nop) (@custom \".debug_line\" \"\"))")
        };
        let body = "(local i32) (local.set 0 (i32.const 1))";
        let overwritten = "unreachable nop nop nop nop nop";
        check(&text(&format!("(export \"goes\") {body}")), Exports::Go, Some(&text(overwritten)));
        let trapping = format!("(export \"goes\") {overwritten}");
        check(&text(&format!("(export \"goes\") {body}")), Exports::Trap, Some(&text(&trapping)));
        // Too short.
        check(&text("(export \"goes\")"), Exports::Go, Some(&text("")));
    }

    #[test]
    fn nothing_is_done_where_nothing_goes_or_the_calls_are_not_clear() {
        check("(module (func (export \"stays\")))", Exports::Go, None);
        check("(module (table (export \"t\") 1 funcref) (func (export \"goes\")))", Exports::Go, None);
        check("(module (import \"a\" \"t\" (table 1 funcref)) (func (export \"goes\")))", Exports::Go, None);
        check("(module (memory (export \"goes\") 1))", Exports::Go, None);
    }
}
