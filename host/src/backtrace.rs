//! Where a guest was when it trapped: for whoever writes the tool, and never for a model.

use std::fmt;

/// The functions that a guest was in, innermost first; at most 20 of its own, and what was inlined into each. Every text comes
/// from the component: show it escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backtrace {
    /// Never empty.
    pub frames: Vec<Frame>,
    /// Why there are no places, where there is debug information that could have given them.
    pub note: Option<String>,
}

/// One function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// Its name, demangled, at most 256 bytes.
    pub function: String,
    /// Where in the source, as debug information has it.
    pub place: Option<Place>,
    /// Where in the component, in bytes.
    pub offset: Option<u64>,
    /// Whether it is of a library by its name or its file: the standard library, the bindings, a dependency.
    pub library: bool,
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Place {
    /// Its file, on the machine where the tool was built; at most 512 bytes.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
    /// From 1, in bytes of the line.
    pub column: Option<u32>,
}

impl Backtrace {
    /// The innermost frame of the tool's own source, or of a library where no other has a place.
    pub fn culprit(&self) -> Option<&Frame> {
        let placed = || self.frames.iter().filter(|frame| frame.place.is_some());
        placed().find(|frame| !frame.library).or_else(|| placed().next())
    }
}

impl Frame {
    pub(crate) fn new(function: String, place: Option<Place>, offset: Option<u64>) -> Self {
        let library = of_a_library(&function, place.as_ref());
        Self { function, place, offset, library }
    }
}

/// Rust crates of which a tool is made besides its own, and names of what is linked in.
const LIBRARIES: &[&str] = &[
    "alloc",
    "compiler_builtins",
    "core",
    "dlmalloc",
    "fumehood_tool",
    "hashbrown",
    "panic_abort",
    "schemars",
    "serde",
    "serde_core",
    "serde_json",
    "std",
    "wasip2",
    "wit_bindgen",
    "wit_bindgen_rt",
    "rust_begin_unwind",
    "cabi_realloc",
    "abort",
    "malloc",
];

/// How names of the toolchain and of the bindings begin.
const PREFIXES: &[&str] = &["_export_", "__rust", "__wasi", "__wasm", "cabi_post_", "fumehood:", "wit-component:"];

/// What the paths of libraries hold: Rust's own sources, the registry's, those of wasi-libc and of the crate for tools.
const FOLDERS: &[&str] = &[
    "/rustc/",
    "/library/std/",
    "/library/core/",
    "/library/alloc/",
    "/registry/",
    "/.cargo/",
    "/libc-bottom-half/",
    "/libc-top-half/",
    "/wasi-libc/",
    "/fumehood-tool",
    "/wit/bindings/",
];

fn of_a_library(function: &str, place: Option<&Place>) -> bool {
    if place.is_some_and(|place| FOLDERS.iter().any(|folder| place.file.contains(folder))) {
        return true;
    }
    // `<&mut core::iter::Map<..> as core::iter::Iterator>::next` is of core, `<dice::Dice as fumehood_tool::Tool>::execute`
    // of dice.
    let name = function.trim_start_matches(['<', '&', '*', '(', '[']);
    let name = ["mut ", "const ", "dyn "].iter().fold(name, |name, word| name.trim_start_matches(word));
    let name = name.trim_start_matches(['<', '&', '*', '(', '[']);
    let first = name.split("::").next().unwrap_or_default();
    LIBRARIES.contains(&first) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

impl fmt::Display for Backtrace {
    /// One line a frame, those of the tool's own source marked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it was in, innermost first:")?;
        for frame in &self.frames {
            let mark = if frame.library { ' ' } else { '>' };
            write!(f, "\n{mark} {frame}")?;
        }
        match &self.note {
            Some(note) => write!(f, "\n({note})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.place, self.offset) {
            (Some(place), _) => write!(f, "{} at {place}", self.function),
            (None, Some(offset)) => write!(f, "{} at byte {offset:#x} of the component", self.function),
            (None, None) => f.write_str(&self.function),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, file: Option<&str>) -> Frame {
        let place = file.map(|file| Place { file: file.into(), line: Some(7), column: Some(3) });
        Frame::new(function.into(), place, Some(16))
    }

    #[test]
    fn libraries_are_known_by_name_and_by_folder() {
        for (function, file) in [
            ("core::panicking::panic_fmt", None),
            ("<core::option::Option<dice::Roll>>::unwrap", None),
            ("<&mut alloc::vec::IntoIter<u8> as core::iter::Iterator>::next", None),
            ("__rust_alloc", None),
            ("_export_execute_cabi<dice::Dice>", Some("src/lib.rs")),
            ("fumehood:tool/tool@0.1.0#execute", None),
            ("helper", Some("/home/a/.cargo/registry/src/x/regex-1.0.0/src/lib.rs")),
            ("f", Some("/rustc/abc/library/core/src/slice/index.rs")),
        ] {
            assert!(frame(function, file).library, "{function}");
        }
        for (function, file) in [
            ("dice::roll", None),
            ("<dice::Dice as fumehood_tool::Tool>::execute", Some("/home/a/dice/src/lib.rs")),
            ("corepack::core::run", None),
            ("main", Some("src/main.c")),
        ] {
            assert!(!frame(function, file).library, "{function}");
        }
    }

    #[test]
    fn the_culprit_is_the_tools_own() {
        let check = |frames: Vec<Frame>, expect: Option<&str>| {
            let trace = Backtrace { frames, note: None };
            assert_eq!(trace.culprit().map(|frame| frame.function.as_str()), expect);
        };
        let library = || frame("core::panicking::panic", Some("/rustc/a/library/core/src/panicking.rs"));
        check(
            vec![library(), frame("dice::unplaced", None), frame("dice::roll", Some("/d/src/lib.rs"))],
            Some("dice::roll"),
        );
        check(vec![library(), frame("dice::roll", None)], Some("core::panicking::panic"));
        check(vec![frame("dice::roll", None)], None);
    }

    #[test]
    fn a_frame_is_a_line() {
        let trace = Backtrace {
            frames: vec![frame("core::panicking::panic", None), frame("dice::roll", Some("src/lib.rs"))],
            note: Some("why".into()),
        };
        assert_eq!(
            trace.to_string(),
            "it was in, innermost first:\n  core::panicking::panic at byte 0x10 of the component\n> dice::roll at src/lib.rs:7:3\n(why)"
        );
    }
}
