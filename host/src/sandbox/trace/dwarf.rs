//! What is asked of debug information, and how it answers. It is read here, in a process of its own.

use std::collections::HashMap;
use std::convert::Infallible;

use addr2line::Context;
use addr2line::gimli::{AbbreviationsCacheStrategy, Dwarf, EndianSlice, LittleEndian};
use serde::{Deserialize, Serialize};

use crate::backtrace::Place;

/// Sections of debug information: version 5 of DWARF has 20.
pub(super) const MAX_SECTIONS: usize = 32;
/// Functions inlined into one, each into the next: more is a mistake, or an attack on whoever reads it.
const MAX_INLINED: usize = 32;
/// The most of a text.
const TEXT_BYTES: usize = 512;

/// Precedes the sections.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Request {
    /// Of the host: a worker of another one answers nothing.
    pub(super) version: String,
    /// Names and lengths, in the order in which they follow.
    pub(super) sections: Vec<(String, u64)>,
    /// From the beginning of the code section's contents.
    pub(super) addresses: Vec<u64>,
}

impl Request {
    pub(super) fn new(sections: Vec<(String, u64)>, addresses: Vec<u64>) -> Self {
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), sections, addresses }
    }

    pub(super) fn is_ours(&self) -> bool {
        self.version == env!("CARGO_PKG_VERSION")
    }
}

/// A function of the source at an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Located {
    /// Mangled, if it was.
    pub(super) function: Option<String>,
    pub(super) place: Option<Place>,
}

/// The functions at each address, innermost first; none where nothing is known of it.
pub(super) fn locate(sections: &HashMap<String, Vec<u8>>, addresses: &[u64]) -> Result<Vec<Vec<Located>>, String> {
    let section = |name: &str| sections.get(name).map(Vec::as_slice).unwrap_or_default();
    let loaded: Result<_, Infallible> = Dwarf::load(|id| Ok(EndianSlice::new(section(id.name()), LittleEndian)));
    let Ok(mut dwarf) = loaded;
    dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
    let context = Context::from_dwarf(dwarf).map_err(|error| format!("it is damaged: {error}"))?;
    Ok(addresses.iter().map(|address| frames(&context, *address)).collect())
}

/// What is damaged ends the list; what came before it stands.
fn frames(context: &Context<EndianSlice<'_, LittleEndian>>, address: u64) -> Vec<Located> {
    let mut located = Vec::new();
    if let Ok(mut frames) = context.find_frames(address).skip_all_loads() {
        while located.len() < MAX_INLINED
            && let Ok(Some(frame)) = frames.next()
        {
            let function = frame.function.as_ref().and_then(|name| name.raw_name().ok()).map(|name| cut(&name));
            let place = frame.location.and_then(|location| {
                // Zero stands for none in line tables.
                let known = |number: Option<u32>| number.filter(|number| *number > 0);
                Some(Place { file: cut(location.file?), line: known(location.line), column: known(location.column) })
            });
            located.push(Located { function, place });
        }
    }
    located
}

fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(TEXT_BYTES)].to_owned()
}
