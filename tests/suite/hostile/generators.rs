//! Files that no text describes: damaged, oversized, or not components at all.

use serde_json::Value;

use super::support::{Guest, World, component_from_core_wat, with_section};

/// Makes files to load, each of which must meet the same expectation.
type Generator = fn(&Value) -> Vec<Vec<u8>>;

pub(crate) const GENERATORS: &[(&str, Generator)] = &[
    ("truncated", truncated),
    ("bits-flipped", bits_flipped),
    ("core-module", |_| vec![wat::parse_str(Guest::default().wat()).unwrap()]),
    ("text", |_| vec![b"(component)".to_vec(), b"  ;; a tool\n(component)".to_vec()]),
    ("native-code", |_| vec![b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec()]),
    ("empty", |_| vec![Vec::new()]),
    ("no-manifest", |_| vec![plain()]),
    ("two-manifests", |manifest| vec![honest(&[manifest, manifest])]),
    ("empty-functions", |manifest| vec![around(manifest, &"(func)".repeat(500_000))]),
    ("huge-locals", |manifest| vec![around(manifest, &format!("(func {})", "(local i64)".repeat(50_000)))]),
    ("huge-body", |manifest| vec![around(manifest, &format!("(func {})", "nop ".repeat(2 << 20)))]),
    ("deep-components", deep_components),
    ("many-instances", |manifest| vec![instances(manifest, 60)]),
    ("too-many-instances", |manifest| vec![instances(manifest, 100)]),
    ("interface-0.1.7", |manifest| vec![spoken(manifest, "0.1.7")]),
    ("interface-0.2.0", |manifest| vec![spoken(manifest, "0.2.0")]),
];

fn plain() -> Vec<u8> {
    component_from_core_wat(&Guest::default().wat(), World::ToolOnWasi)
}

fn honest(manifests: &[&Value]) -> Vec<u8> {
    manifests
        .iter()
        .fold(plain(), |bytes, manifest| with_section(&bytes, "fumehood:manifest", manifest.to_string().as_bytes()))
}

/// The honest component with these in its core module.
fn around(manifest: &Value, items: &str) -> Vec<u8> {
    let component = component_from_core_wat(&Guest { items, ..Guest::default() }.wat(), World::Tool);
    with_section(&component, "fumehood:manifest", manifest.to_string().as_bytes())
}

/// The honest component with one more core module, instantiated over and over.
fn instances(manifest: &Value, count: u32) -> Vec<u8> {
    use wasm_encoder::{ComponentSection as _, InstanceSection, ModuleArg, RawSection};
    let mut bytes = component_from_core_wat(&Guest::default().wat(), World::Tool);
    let module = wat::parse_str("(module (global i32 (i32.const 0)))").unwrap();
    // Section 1 of a component is a core module.
    RawSection { id: 1, data: &module }.append_to_component(&mut bytes);
    let mut instances = InstanceSection::new();
    for _ in 0..count {
        // The guest's own module is number 0.
        instances.instantiate(1, std::iter::empty::<(&str, ModuleArg)>());
    }
    instances.append_to_component(&mut bytes);
    with_section(&bytes, "fumehood:manifest", manifest.to_string().as_bytes())
}

/// The honest component as if built against another version of the interface: names in a binary are plain text.
fn spoken(manifest: &Value, version: &str) -> Vec<u8> {
    let mut bytes = honest(&[manifest]);
    let ours = b"fumehood:tool/tool@0.1.0";
    let places: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(ours)).collect();
    for at in places {
        let end = at + ours.len();
        bytes[end - version.len()..end].copy_from_slice(version.as_bytes());
    }
    bytes
}

/// Every length would take minutes; a prime step meets every section.
fn truncated(manifest: &Value) -> Vec<Vec<u8>> {
    let whole = honest(&[manifest]);
    (0..whole.len()).step_by(61).map(|length| whole[..length].to_vec()).collect()
}

/// One bit in every 61st byte, another one each time.
fn bits_flipped(manifest: &Value) -> Vec<Vec<u8>> {
    let whole = honest(&[manifest]);
    let flipped = |index: usize| {
        let mut bytes = whole.clone();
        bytes[index] ^= 1 << (index / 61 % 8);
        bytes
    };
    (0..whole.len()).step_by(61).map(flipped).collect()
}

/// A thousand components, each in the one before.
fn deep_components(manifest: &Value) -> Vec<Vec<u8>> {
    let deep = (0..1_000).fold(b"\0asm\x0d\0\x01\0".to_vec(), |inner, _| {
        let mut outer = b"\0asm\x0d\0\x01\0\x04".to_vec();
        let mut left = inner.len();
        while left >= 0x80 {
            outer.push((left & 0x7f) as u8 | 0x80);
            left >>= 7;
        }
        outer.push(left as u8);
        outer.extend_from_slice(&inner);
        outer
    });
    vec![with_section(&deep, "fumehood:manifest", manifest.to_string().as_bytes())]
}
