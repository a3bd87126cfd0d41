//! Where a binary says it comes from: custom sections that toolchains write. None of it is checked by anyone; it is the
//! vendor's word, read through bounds and escaped.
//!
//! Sources: producers, <https://github.com/WebAssembly/tool-conventions/blob/main/ProducersSection.md>; `.dep-v0`, the
//! `auditable-serde` crate; authors, licenses and the like, the `wasm-metadata` crate.

use std::collections::BTreeSet;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use serde::Serialize;
use wasmparser::{BinaryReader, CustomSectionReader, Parser, Payload, ProducersSectionReader};

use super::escape::escaped;
use crate::component::Digest;
use crate::json::{Json, JsonLimits};

/// Bytes of one text: what a person reads of it.
const MAX_TEXT: usize = 256;
/// Entries of a kind. A Rust component has five producers; a large tool some hundred dependencies.
const MAX_ENTRIES: usize = 512;
/// Of a dependency list, decompressed: ten thousand dependencies.
const MAX_DEPENDENCIES_BYTES: usize = 1 << 20;

/// Dependency lists that are read: one a module that was built for itself. Each may cost a megabyte.
const MAX_LISTS: usize = 8;

/// What the binary carries about its making. Every text is untrusted, at most 256 bytes long, and escaped; of each list
/// there are at most 512 entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Provenance {
    /// Languages and tools, each once however many modules name it.
    pub producers: Vec<Producer>,
    /// Authors, licences, source and the like, as `wasm-metadata` names them.
    pub claims: Vec<Claim>,
    /// What `cargo auditable` recorded.
    pub dependencies: Vec<Dependency>,
    /// Bills of materials: that they are there, not what they say.
    pub sboms: Vec<Sbom>,
    /// What could not be read, or was too much.
    pub problems: Vec<String>,
}

/// One entry of a producers section.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Producer {
    /// `language`, `processed-by` or `sdk`.
    pub field: String,
    /// `rustc`.
    pub name: String,
    /// `1.95.0`, or nothing.
    pub version: String,
}

/// One text about the component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Claim {
    /// `authors`.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// One package that was built in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Dependency {
    /// `serde`.
    pub name: String,
    /// `1.0.228`.
    pub version: String,
    /// `crates.io`, `git`, `local`, `registry` or a URL.
    pub source: String,
}

/// A custom section with a bill of materials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Sbom {
    /// Of the section.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Of its bytes.
    pub digest: Digest,
}

/// The custom sections of `wasm-metadata`, plain UTF-8 text each. `registry-metadata` is its older form, a JSON text.
const FIELDS: [&str; 8] =
    ["authors", "description", "licenses", "source", "homepage", "revision", "version", "registry-metadata"];

impl Provenance {
    /// Whether the binary says nothing of the kind.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The sections of the component and of all that lies in it.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut reading = Reading::default();
        // The component was validated; a custom section may still be nonsense, and is then a problem of its own.
        for payload in Parser::new(0).parse_all(bytes).map_while(Result::ok) {
            if let Payload::CustomSection(section) = payload {
                reading.section(&section);
            }
        }
        reading.finish()
    }
}

#[derive(Default)]
struct Reading {
    producers: BTreeSet<Producer>,
    claims: BTreeSet<Claim>,
    dependencies: BTreeSet<Dependency>,
    lists: usize,
    sboms: Vec<Sbom>,
    problems: BTreeSet<String>,
}

impl Reading {
    fn section(&mut self, section: &CustomSectionReader<'_>) {
        match section.name() {
            "producers" => {
                self.producers(section).unwrap_or_else(|_| self.problem("a producers section cannot be read"))
            }
            ".dep-v0" => {
                if let Err(problem) = self.dependencies(section.data()) {
                    self.problem(problem);
                }
            }
            name if FIELDS.contains(&name) => match std::str::from_utf8(section.data()) {
                Ok(text) => {
                    let claim = Claim { name: name.to_owned(), text: escaped(text, MAX_TEXT) };
                    if insert(&mut self.claims, claim).is_err() {
                        self.problem("there are more texts than are listed");
                    }
                }
                Err(_) => self.problem(&format!("section {name} is no UTF-8 text")),
            },
            name if is_sbom(name) => {
                if self.sboms.len() == MAX_ENTRIES {
                    return self.problem("there are more bills of materials than are listed");
                }
                self.sboms.push(Sbom {
                    name: escaped(name, MAX_TEXT),
                    bytes: section.data().len() as u64,
                    digest: Digest::of(section.data()),
                });
            }
            _ => {}
        }
    }

    fn producers(&mut self, section: &CustomSectionReader<'_>) -> Result<(), wasmparser::Error> {
        let reader = BinaryReader::new(section.data(), section.data_offset());
        for field in ProducersSectionReader::new(reader)? {
            let field = field?;
            for value in field.values {
                let value = value?;
                let producer = Producer {
                    field: escaped(field.name, MAX_TEXT),
                    name: escaped(value.name, MAX_TEXT),
                    version: escaped(value.version, MAX_TEXT),
                };
                if insert(&mut self.producers, producer).is_err() {
                    self.problem("there are more producers than are listed");
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// `{"packages":[{"name":…,"version":…,"source":…}]}`, compressed.
    fn dependencies(&mut self, data: &[u8]) -> Result<(), &'static str> {
        self.lists += 1;
        if self.lists > MAX_LISTS {
            return Err("there are more dependency lists than are read");
        }
        let text = decompress_to_vec_zlib_with_limit(data, MAX_DEPENDENCIES_BYTES)
            .map_err(|_| "the dependency list does not decompress, or to more than 1 MiB")?;
        let limits = JsonLimits { bytes: MAX_DEPENDENCIES_BYTES as u64, depth: 8, nodes: 100_000 };
        let json = Json::from_slice(&text, &limits).map_err(|_| "the dependency list is no plain JSON")?;
        let packages = json.value().get("packages").and_then(|packages| packages.as_array());
        for package in packages.ok_or("the dependency list has no packages")? {
            let text = |key| escaped(package.get(key).and_then(|value| value.as_str()).unwrap_or_default(), MAX_TEXT);
            // What only ran at build time is not in the binary.
            if package.get("kind").and_then(|kind| kind.as_str()) == Some("build") {
                continue;
            }
            let dependency = Dependency { name: text("name"), version: text("version"), source: text("source") };
            insert(&mut self.dependencies, dependency).map_err(|Full| "there are more dependencies than are listed")?;
        }
        Ok(())
    }

    fn problem(&mut self, problem: &str) {
        // Full of different problems already: one more says nothing new.
        let _ = insert(&mut self.problems, problem.to_owned());
    }

    fn finish(self) -> Provenance {
        Provenance {
            producers: self.producers.into_iter().collect(),
            claims: self.claims.into_iter().collect(),
            dependencies: self.dependencies.into_iter().collect(),
            sboms: self.sboms,
            problems: self.problems.into_iter().collect(),
        }
    }
}

struct Full;

fn insert<T: Ord>(set: &mut BTreeSet<T>, entry: T) -> Result<(), Full> {
    if set.len() == MAX_ENTRIES && !set.contains(&entry) {
        return Err(Full);
    }
    set.insert(entry);
    Ok(())
}

fn is_sbom(name: &str) -> bool {
    let name = name.trim_start_matches('.').to_ascii_lowercase();
    ["sbom", "cyclonedx", "spdx"].iter().any(|known| name.starts_with(known))
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec_zlib;
    use wasm_encoder::{Component, CustomSection, Module, ModuleSection, ProducersField, ProducersSection, Section};

    use super::*;

    fn custom(name: &str, data: &[u8]) -> Vec<u8> {
        let mut component = Component::new();
        component.section(&CustomSection { name: name.into(), data: data.into() });
        component.finish()
    }

    #[test]
    fn producers_of_the_component_and_of_its_modules() {
        let mut field = ProducersField::new();
        field.value("rustc", "1.95.0").value("odd\x1b[2J", "");
        let mut producers = ProducersSection::new();
        producers.field("processed-by", &field);
        let mut module = Module::new();
        module.section(&producers);
        let mut component = Component::new();
        component.section(&ModuleSection(&module));
        component.section(&ModuleSection(&module));
        let mut bytes = component.finish();
        producers.append_to(&mut bytes);
        let found = Provenance::of(&bytes);
        let producers: Vec<_> = found.producers.iter().map(|p| (&*p.field, &*p.name, &*p.version)).collect();
        assert_eq!(producers, [("processed-by", "odd\\u{1b}[2J", ""), ("processed-by", "rustc", "1.95.0")]);
        assert_eq!(found.problems, [""; 0]);
    }

    #[test]
    fn dependencies() {
        let list = br#"{"packages":[{"name":"b","version":"1.0.0","source":"crates.io","dependencies":[]},
            {"name":"a","version":"0.1.0","source":"local","root":true},
            {"name":"cc","version":"1.0.0","source":"crates.io","kind":"build"}],"format":1}"#;
        let found = Provenance::of(&custom(".dep-v0", &compress_to_vec_zlib(list, 6)));
        let names: Vec<_> = found.dependencies.iter().map(|d| (&*d.name, &*d.version, &*d.source)).collect();
        assert_eq!(names, [("a", "0.1.0", "local"), ("b", "1.0.0", "crates.io")]);
        assert_eq!(found.problems, [""; 0]);
    }

    #[test]
    fn a_dependency_list_that_is_not_one() {
        let check = |data: &[u8], expect: &str| {
            let found = Provenance::of(&custom(".dep-v0", data));
            assert_eq!((found.dependencies, found.problems), (Vec::new(), vec![expect.to_owned()]));
        };
        check(b"nonsense", "the dependency list does not decompress, or to more than 1 MiB");
        // A bomb of 64 MiB in 64 KiB.
        let bomb = compress_to_vec_zlib(&vec![b' '; 64 << 20], 6);
        check(&bomb, "the dependency list does not decompress, or to more than 1 MiB");
        check(&compress_to_vec_zlib(b"[[[[[[[[[[]]]]]]]]]]", 6), "the dependency list is no plain JSON");
        check(&compress_to_vec_zlib(b"{}", 6), "the dependency list has no packages");
    }

    #[test]
    fn no_more_than_is_read() {
        let packages: Vec<_> = (0..1000).map(|n| format!(r#"{{"name":"p{n}","version":"1","source":"x"}}"#)).collect();
        let list = format!(r#"{{"packages":[{}]}}"#, packages.join(","));
        let found = Provenance::of(&custom(".dep-v0", &compress_to_vec_zlib(list.as_bytes(), 6)));
        assert_eq!(found.dependencies.len(), MAX_ENTRIES);
        assert_eq!(found.problems, ["there are more dependencies than are listed"]);
    }

    #[test]
    fn few_dependency_lists_are_read() {
        let list = compress_to_vec_zlib(br#"{"packages":[{"name":"a","version":"1","source":"x"}]}"#, 6);
        let mut component = Component::new();
        (0..9).for_each(|_| {
            component.section(&CustomSection { name: ".dep-v0".into(), data: (&list).into() });
        });
        let found = Provenance::of(&component.finish());
        assert_eq!(found.dependencies.len(), 1);
        assert_eq!(found.problems, ["there are more dependency lists than are read"]);
    }

    #[test]
    fn texts_and_bills_of_materials() {
        let found = Provenance::of(&custom("authors", "Ann\u{202e} <ann@example.com>".as_bytes()));
        let fields: Vec<_> = found.claims.iter().map(|f| (&*f.name, &*f.text)).collect();
        assert_eq!(fields, [("authors", "Ann\\u{202e} <ann@example.com>")]);
        assert_eq!(Provenance::of(&custom("authors", b"\xff")).problems, ["section authors is no UTF-8 text"]);
        for name in ["sbom", ".sbom", "cyclonedx.json", "SPDX"] {
            let found = Provenance::of(&custom(name, b"{}"));
            assert_eq!((found.sboms[0].bytes, found.sboms[0].digest), (2, Digest::of(b"{}")), "{name}");
        }
        assert!(Provenance::of(&custom("name", b"")).is_empty());
        assert!(Provenance::of(&custom("resbom", b"")).is_empty());
    }

    #[test]
    fn a_producers_section_of_nonsense() {
        assert_eq!(Provenance::of(&custom("producers", b"\xff\xff")).problems, ["a producers section cannot be read"]);
    }
}
