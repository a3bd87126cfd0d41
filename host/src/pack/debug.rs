//! Takes debug information out of what is shipped.

use std::borrow::Cow;

use wasm_encoder::{ComponentSection as _, RawSection, Section as _};

use crate::component::{self, HEADER, recognise};

/// Sections of a component that hold a core module and another component:
/// <https://github.com/WebAssembly/component-model/blob/main/design/mvp/Binary.md#component-definitions>.
const MODULE: u8 = 1;
const COMPONENT: u8 = 4;

/// How deep components in components are looked into. Those of toolchains do not nest; deeper ones are left as they are.
const DEPTH: usize = 8;

/// A component or a core module without its debug information: the sections `.debug_*` of DWARF, and links to such in other
/// files. It is what a backtrace takes the vendor's lines from, several times as large as the code, and it names the vendor's folders.
/// Names of functions (section `name`) stay. Anything else than well-formed WebAssembly comes back as it is.
pub fn strip_debug(input: &[u8]) -> Cow<'_, [u8]> {
    stripped(input, DEPTH).map_or(Cow::Borrowed(input), Cow::Owned)
}

/// `None`: nothing was taken out.
fn stripped(input: &[u8], depth: usize) -> Option<Vec<u8>> {
    let is_component = recognise(input).is_ok();
    let mut bytes = input.get(..HEADER)?.to_vec();
    let mut changed = false;
    for section in component::sections(input) {
        let section = section.ok()?;
        let inner = match section.id {
            MODULE if is_component => stripped(section.payload, 0),
            COMPONENT if is_component && depth > 0 => stripped(section.payload, depth - 1),
            _ => None,
        };
        if let Some(inner) = inner {
            changed = true;
            let raw = RawSection { id: section.id, data: &inner };
            if is_component { raw.append_to_component(&mut bytes) } else { raw.append_to(&mut bytes) }
        } else if section.custom().is_some_and(|(name, _)| is_debug(name)) {
            changed = true;
        } else {
            bytes.extend_from_slice(section.whole);
        }
    }
    changed.then_some(bytes)
}

fn is_debug(name: &[u8]) -> bool {
    name.starts_with(b".debug_") || [b"external_debug_info".as_slice(), b"sourceMappingURL"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let (input, expect) = (wat::parse_str(text).unwrap(), wat::parse_str(expect).unwrap());
        assert_eq!(strip_debug(&input), expect, "{text}");
    }

    #[test]
    fn what_only_a_debugger_reads_goes_and_names_stay() {
        check(
            "(module (func $f) (@custom \".debug_info\" \"/home\") (@custom \"sourceMappingURL\" \"x\") (@custom \"other\" \"o\"))",
            "(module (func $f) (@custom \"other\" \"o\"))",
        );
        check(
            "(component
                (core module $m (func $f) (@custom \".debug_line\" \"a\"))
                (component (core module (@custom \".debug_str\" \"b\")))
                (@custom \"own\" \"c\"))",
            "(component (core module $m (func $f)) (component (core module)) (@custom \"own\" \"c\"))",
        );
    }

    #[test]
    fn anything_else_comes_back_as_it_is() {
        for text in ["(module (func $f))", "(component (core module (func)))"] {
            let input = wat::parse_str(text).unwrap();
            assert!(matches!(strip_debug(&input), Cow::Borrowed(same) if same == input), "{text}");
        }
        let mut cut = wat::parse_str("(module (@custom \".debug_info\" \"/home\"))").unwrap();
        cut.pop();
        for input in [b"".as_slice(), b"text", &cut] {
            assert_eq!(strip_debug(input), input);
        }
    }
}
