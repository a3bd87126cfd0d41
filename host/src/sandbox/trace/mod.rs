//! The frames of a trap: with names, and with places in the source where the component has debug information.
//!
//! Names are wasmtime's, which read them as it compiled. Debug information is the vendor's, and made to be looked up in, not
//! to be read once: whoever writes it decides how much time and memory that takes. So a process of its own reads it, under
//! limits, and only where somebody asked for it (`docs/decisions/0015`).

mod child;
mod dwarf;
mod late;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use wasmparser::{Parser, Payload};
use wasmtime::WasmBacktrace;

pub(crate) use child::{PLACES, places};
use dwarf::{Located, Request};
pub(super) use late::Late;

use crate::backtrace::{Backtrace, Frame};

/// The most of a function's name: a generic one of Rust can be longer than a page.
const NAME_BYTES: usize = 256;

/// The frames of an error, without places.
pub(super) fn of(error: &wasmtime::Error) -> Option<Backtrace> {
    let trace = error.downcast_ref::<WasmBacktrace>()?;
    let frames = trace.frames().iter().map(|frame| {
        let name = frame.func_name().map_or_else(|| format!("function {}", frame.func_index()), readable);
        Frame::new(name, None, frame.module_offset().and_then(|offset| u64::try_from(offset).ok()))
    });
    let frames: Vec<_> = frames.collect();
    (!frames.is_empty()).then_some(Backtrace { frames, note: None })
}

/// A name without its mangling and without the hash that Rust adds.
fn readable(name: &str) -> String {
    // A mangled name can stand for one that is far longer: it is cut as it is written.
    let mut out = Cut(String::new());
    let _ = std::fmt::write(&mut out, format_args!("{:#}", rustc_demangle::demangle(name)));
    out.0
}

/// Takes [`NAME_BYTES`], and fails after that.
struct Cut(String);

impl std::fmt::Write for Cut {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = NAME_BYTES - self.0.len();
        if text.len() <= room {
            self.0.push_str(text);
            return Ok(());
        }
        // Room for the mark itself.
        self.0.push_str(&text[..text.floor_char_boundary(room)]);
        self.0.truncate(self.0.floor_char_boundary(NAME_BYTES - '…'.len_utf8()));
        self.0.push('…');
        Err(std::fmt::Error)
    }
}

/// Looks up places, in a process of this program.
#[derive(Clone)]
pub(crate) struct Places(Arc<Path>);

impl Places {
    /// `program` is a worker, as the compiler's is.
    pub(crate) fn through(program: &Path) -> Self {
        Self(program.into())
    }

    /// Give the frames their places, where the component says them. What was inlined gets frames of its own.
    pub(super) async fn find(&self, component: &[u8], trace: &mut Backtrace) {
        let modules = modules(component);
        for module in modules.iter().filter(|module| !module.debug.is_empty()) {
            let within = |frame: &Frame| {
                let offset = usize::try_from(frame.offset?).ok()?;
                let address = offset.checked_sub(module.code)?;
                module.range.contains(&offset).then_some(address as u64)
            };
            let addresses: Vec<_> = trace.frames.iter().filter_map(within).collect();
            if addresses.is_empty() {
                continue;
            }
            let sections = module.debug.iter().map(|(name, data)| ((*name).to_owned(), data.len() as u64)).collect();
            let request = Request::new(sections, addresses);
            let data = module.debug.iter().map(|(_, data)| *data);
            match child::ask(&self.0, &request, data).await {
                Ok(located) => {
                    let mut located = located.into_iter();
                    let frames = std::mem::take(&mut trace.frames).into_iter();
                    trace.frames = frames
                        .flat_map(|frame| match within(&frame).and_then(|_| located.next()) {
                            Some(found) if !found.is_empty() => inlined(&frame, found),
                            _ => vec![frame],
                        })
                        .collect();
                }
                Err(why) => trace.note = Some(format!("the debug information was not read: {why}")),
            }
        }
    }
}

/// One frame of the machine as the functions of the source that it stands for.
fn inlined(frame: &Frame, found: Vec<Located>) -> Vec<Frame> {
    // The last is the function of the machine. Its name in the component has the path, which line tables leave out.
    let last = found.len() - 1;
    let found = found.into_iter().enumerate().map(|(index, Located { function, place })| {
        let name = function.as_deref().filter(|_| index < last).map_or_else(|| frame.function.clone(), readable);
        Frame::new(name, place, frame.offset)
    });
    found.collect()
}

/// A core module of a component.
struct Module<'a> {
    range: Range<usize>,
    /// Where the contents of its code section begin: addresses of debug information count from there.
    /// <https://yurydelendik.github.io/webassembly-dwarf/>.
    code: usize,
    /// Its debug information: section by section.
    debug: Vec<(&'a str, &'a [u8])>,
}

/// The modules of a component that was compiled, and so is well-formed.
fn modules(component: &[u8]) -> Vec<Module<'_>> {
    let mut modules: Vec<Module<'_>> = Vec::new();
    for payload in Parser::new(0).parse_all(component) {
        match payload {
            Ok(Payload::ModuleSection { unchecked_range, .. }) => {
                modules.push(Module { range: unchecked_range, code: 0, debug: Vec::new() });
            }
            Ok(Payload::CodeSectionStart { range, .. }) => {
                if let Some(module) = modules.last_mut() {
                    module.code = range.start;
                }
            }
            Ok(Payload::CustomSection(section)) if section.name().starts_with(".debug_") => {
                // One beside the modules belongs to none.
                if let Some(module) = modules.last_mut().filter(|module| module.range.contains(&section.data_offset()))
                    && module.debug.len() < dwarf::MAX_SECTIONS
                {
                    module.debug.push((section.name(), section.data()));
                }
            }
            Ok(_) => {}
            Err(_) => break,
        }
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable_and_bounded() {
        assert_eq!(readable("_ZN4dice4roll17h0123456789abcdefE"), "dice::roll");
        assert_eq!(readable("main"), "main");
        let long = readable(&"ü".repeat(1_000));
        assert!(long.len() <= NAME_BYTES && long.ends_with('…'), "{long}");
        // A name of Rust's later mangling that refers back to itself, and doubles at each step.
        let doubling = format!("_RIC0{}", "TB1_B1_E".repeat(40));
        assert!(readable(&doubling).len() <= NAME_BYTES);
    }

    #[test]
    fn debug_information_belongs_to_its_module() {
        let component = wat::parse_str(
            "(component
                (core module (func) (@custom \".debug_line\" \"a\"))
                (core module (func) (func))
                (@custom \".debug_line\" \"of none\"))",
        )
        .unwrap();
        let modules = modules(&component);
        let debug: Vec<_> = modules.iter().map(|module| module.debug.clone()).collect();
        assert_eq!(debug, [vec![(".debug_line", b"a".as_slice())], vec![]]);
        assert!(modules.iter().all(|module| module.range.contains(&module.code)));
    }
}
