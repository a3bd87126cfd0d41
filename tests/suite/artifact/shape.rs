//! The limits on what a component is made of: each refused one past its limit, however deep the nesting.

use super::*;

/// A component around one core module is refused for exactly one limit, in these words.
fn over(module: &str, expect: &str) {
    let component = wat::parse_str(format!("(component (core module {module}))")).expect("the text assembles");
    refused(&component, expect);
}

fn refused(component: &[u8], expect: &str) {
    let reasons = inspect(component).expect_err("it is too large");
    let found: Vec<_> = reasons.iter().filter(|reason| reason.rule == "component/too-large").collect();
    assert_eq!(found.len(), 1, "{reasons:?}");
    assert!(found[0].message.contains(expect), "{}", found[0].message);
}

#[test]
fn each_dimension_has_a_limit() {
    over(&format!("(func {})", "(local i32)".repeat(2_001)), "2001 locals in one function, over the limit of 2000");
    over(&"(func)".repeat(40_001), "40001 functions, over the limit of 40000");
    over(&format!("(func {})", "nop ".repeat(1 << 20)), "bytes in one function body, over the limit of 1048576");
    over(&"(memory 1)".repeat(9), "9 memories, over the limit of 8");
    over(&"(table 1 funcref)".repeat(33), "33 tables, over the limit of 32");
    over(&"(global i32 (i32.const 0))".repeat(20_001), "20001 globals");
    let types: String = (0..10_001).map(|index| format!("(type (func {}))", bits(index))).collect();
    over(&types, "10001 core types");
    let data = format!("(memory 1) {}", "(data \"\")".repeat(20_001));
    over(&data, "20001 data segments");
    over(&"(elem func)".repeat(10_001), "10001 element segments");
    refused(&wat::parse_str(format!("(component {})", "(core module)".repeat(65))).unwrap(), "65 core modules");
    refused(&wat::parse_str(format!("(component {})", "(component)".repeat(65))).unwrap(), "65 components");
    refused(&wat::parse_str(format!("(component {})", "(type u8)".repeat(20_001))).unwrap(), "20001 component types");
    let many = (0..1_281).fold(HEADER.to_vec(), |bytes, _| with_section(&bytes, "x", b""));
    refused(&many, "1281 custom sections");
}

/// Fourteen parameters that spell a number: types that differ.
fn bits(number: u32) -> String {
    let kinds: Vec<_> = (0..14).map(|bit| if number >> bit & 1 == 0 { "i32" } else { "i64" }).collect();
    format!("(param {})", kinds.join(" "))
}

fn section(id: u8, payload: &[u8]) -> Vec<u8> {
    [HEADER, &[id][..], &leb128(payload.len()), payload].concat()
}

/// A million components, each in the one before.
#[test]
fn components_in_components() {
    let nested = (0..9).fold(HEADER.to_vec(), |inner, _| section(4, &inner));
    refused(&nested, "9 levels of nested components, over the limit of 8");
    // Every length is written in four bytes, so that the whole can be laid out in one pass.
    let levels = 1_000_000;
    let mut deep = HEADER.to_vec();
    for level in 1..=levels {
        let mut left = (levels - level) * 13 + 8;
        deep.push(4);
        for byte in 0..4 {
            deep.push((left & 0x7f) as u8 | if byte < 3 { 0x80 } else { 0 });
            left >>= 7;
        }
        deep.extend_from_slice(HEADER);
    }
    refused(&deep, "9 levels of nested components");
}

/// Ten million instance types, each in the one before. wasmparser reads them by recursion and overflows any stack.
#[test]
fn types_in_types() {
    let nested = |levels: usize| {
        let mut types = vec![1];
        types.extend_from_slice(&[0x42, 1]);
        types.extend([0x01, 0x42, 1].repeat(levels - 2));
        types.extend_from_slice(&[0x01, 0x42, 0]);
        section(7, &types)
    };
    let reasons = inspect(&nested(16)).unwrap_err();
    assert!(reasons.iter().all(|reason| reason.rule != "component/too-large"), "{reasons:?}");
    refused(&nested(17), "17 levels of nested component types, over the limit of 16");
    refused(&nested(10_000_000), "17 levels of nested component types");
}

/// The counts are of entries that are there: a declared four thousand million costs nothing.
#[test]
fn a_declared_count_is_not_believed() {
    let huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
    for id in [2, 3, 5, 6, 7, 8, 10, 11] {
        let reasons = inspect(&section(id, &huge)).unwrap_err();
        assert!(!reasons.is_empty());
    }
}
