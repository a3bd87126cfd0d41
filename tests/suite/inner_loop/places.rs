//! Where a tool trapped: from debug information that is right, damaged, or made to be expensive.
//!
//! `tests/places` is the guest; its `build.sh` makes it anew.

use std::path::Path;
use std::process::Command;

use fumehood::{
    Backtrace, CacheLocation, Code, Compiler, Component, EngineSettings, Failure, Frame, Host, Inspected, LimitName,
    LoadLimits, Policy, strip_debug,
};
use serde_json::json;
use wasm_encoder::{CustomSection, Section as _};

use crate::support::{self, Guest, failure};

const SOURCE: &str = include_str!("../../places/src/lib.rs");

fn guest() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/places/places.wasm")).unwrap()
}

/// Where in the source this stands: its line.
fn line(part: &str) -> u32 {
    let before = SOURCE.split_once(part).unwrap_or_else(|| panic!("{part:?} is not in the guest")).0;
    u32::try_from(before.matches('\n').count() + 1).unwrap()
}

async fn call(component: Vec<u8>, trap_places: bool, how: &str) -> Failure {
    let compiler = Compiler::ChildProcess { program: env!("CARGO_BIN_EXE_fumehood").into() };
    let settings = EngineSettings { slots: 2, trap_places, ..EngineSettings::standard(compiler, CacheLocation::Off) };
    let policy = Policy::nothing();
    let policy = if how == "loop" { policy.limit(LimitName::WallClock, 50).unwrap() } else { policy };
    let inspected = Inspected::of(Component::from_bytes(component, &LoadLimits::standard()).unwrap()).unwrap();
    let tools = Host::new(settings).unwrap().compile(policy.approve(inspected).unwrap()).await.unwrap();
    let name = tools.tools()[0].name.clone();
    failure(tools.call(&name, json!({ "how": how })).await)
}

fn trace(failure: &Failure) -> &Backtrace {
    failure.diagnostic.backtrace.as_ref().unwrap_or_else(|| panic!("{failure:?}"))
}

fn names(trace: &Backtrace) -> Vec<&str> {
    trace.frames.iter().map(|frame| frame.function.as_str()).collect()
}

#[tokio::test]
async fn each_trap_is_at_a_line_of_the_vendors() {
    for (how, code, function, at) in [
        ("panic", Code::ToolTrapped, "pick", "letters[black_box(1_000)]"),
        ("bounds", Code::ToolTrapped, "places::outside", "end.read_volatile()"),
        ("recursion", Code::ResourceExhausted, "places::deeper", "fn deeper"),
        ("loop", Code::ToolTimeout, "places::forever", "fn forever"),
        ("render", Code::InvalidToolOutput, "places::forever", "fn forever"),
    ] {
        let failure = call(guest(), true, how).await;
        assert_eq!(failure.code, code, "{how}: {failure:?}");
        let trace = trace(&failure);
        let Some(Frame { function: found, place: Some(place), library: false, .. }) = trace.culprit() else {
            panic!("{how}: {trace}")
        };
        assert_eq!((place.file.as_str(), found.as_str()), ("/vendor/places/src/lib.rs", function), "{how}: {trace}");
        assert_eq!(place.line, Some(line(at)), "{how}: {trace}");
        assert!(failure.diagnostic.hint.is_some(), "{how}");
        // The model reads none of it.
        let read = serde_json::to_string(&failure).unwrap();
        assert!(!read.contains("/vendor/") && !read.contains("places::"), "{how}: {read}");
    }
}

#[tokio::test]
async fn what_was_inlined_has_frames_of_its_own() {
    let failure = call(guest(), true, "panic").await;
    let trace = trace(&failure);
    let names = names(trace);
    let pick = names.iter().position(|name| *name == "pick").unwrap();
    assert_eq!(names[pick + 1], "places::at_random", "{trace}");
    assert!(trace.frames[..pick].iter().all(|frame| frame.library), "{trace}");
}

#[tokio::test]
async fn names_alone_where_places_are_not_wanted_or_not_there() {
    for (component, trap_places) in [(guest(), false), (strip_debug(&guest()).into_owned(), true)] {
        let failure = call(component, trap_places, "bounds").await;
        let trace = trace(&failure);
        assert!(names(trace).contains(&"places::outside"), "{trace}");
        assert!(trace.culprit().is_none() && trace.note.is_none(), "{trace}");
        assert!(failure.diagnostic.hint.unwrap().contains("debug information"));
    }
}

/// Whatever the bytes, the call ends as it does without them, and names stay.
#[tokio::test]
async fn damaged_debug_information_costs_the_places_and_nothing_else() {
    let sound = guest();
    let at = |name: &str| sound.windows(name.len()).position(|bytes| bytes == name.as_bytes()).unwrap() + name.len();
    // From the first section of debug information to the section of names behind the last.
    let (begin, end) = (at(".debug_abbrev").min(at(".debug_info")), at(".debug_line"));
    for seed in 1..8_u64 {
        let mut damaged = sound.clone();
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for _ in 0..200 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let place = begin + usize::try_from(state % (end + 4_000 - begin) as u64).unwrap();
            damaged[place] ^= (state >> 32) as u8;
        }
        // Where a length was hit it is no component any more, and is refused as such.
        let Ok(component) = Component::from_bytes(damaged.clone(), &LoadLimits::standard()) else { continue };
        if Inspected::of(component).is_err() {
            continue;
        }
        let failure = call(damaged, true, "bounds").await;
        assert_eq!(failure.code, Code::ToolTrapped, "{failure:?}");
        assert!(!names(trace(&failure)).is_empty());
    }
}

/// 60,000 units, each with the abbreviations of all that follow: 1.2 MB whose reading grows with the square of it.
#[tokio::test]
async fn debug_information_that_is_a_bomb_goes_off_in_a_process_of_its_own() {
    const UNITS: u32 = 60_000;
    let mut abbreviations = Vec::new();
    let mut units = Vec::new();
    for unit in 0..UNITS {
        let offset = u32::try_from(abbreviations.len()).unwrap();
        // DWARF 4: length, version, offset of the abbreviations, size of an address, the first entry's abbreviation.
        units.extend_from_slice(&8_u32.to_le_bytes());
        units.extend_from_slice(&4_u16.to_le_bytes());
        units.extend_from_slice(&offset.to_le_bytes());
        units.extend_from_slice(&[4, 1]);
        // A code in three bytes, the tag of a unit, no children, no attributes.
        let code = unit + 1;
        let low = |shift: u32| ((code >> shift) & 0x7f) as u8;
        abbreviations.extend_from_slice(&[low(0) | 0x80, low(7) | 0x80, low(14), 0x11, 0, 0, 0]);
    }
    abbreviations.push(0);
    let trap = Guest { execute: "unreachable", ..Guest::default() };
    let mut module = support::module_from_core_wat(&trap.wat(), support::World::ToolWithHost);
    for (name, data) in [(".debug_abbrev", &abbreviations), (".debug_info", &units)] {
        CustomSection { name: name.into(), data: data.into() }.append_to(&mut module);
    }
    let manifest = support::manifest().to_string();
    let component = fumehood::pack(&module, manifest.as_bytes(), &LoadLimits::standard()).unwrap();
    let failure = call(component, true, "").await;
    assert_eq!(failure.code, Code::ToolTrapped, "{failure:?}");
    let note = trace(&failure).note.as_ref().unwrap();
    // By which limit is the machine's to say.
    assert!(note.starts_with("the debug information was not read: "), "{note}");
}

#[test]
fn run_says_where_and_what_to_do() {
    let run = |flags: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let tool = folder.path().join("places.wasm");
        std::fs::write(&tool, guest()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_fumehood"));
        let output = command.args(["run", "--no-cache"]).arg(tool).args(flags).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let at = format!("/vendor/places/src/lib.rs:{}:", line("end.read_volatile()"));
    let (status, said) = run(&["--args", r#"{"how":"bounds"}"#]);
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains(&format!("fumehood: in places::outside at {at}")), "{said}");
    assert!(said.contains("fumehood: hint: it reached outside of its memory"), "{said}");
    let (_, said) = run(&["--verbose", "--args", r#"{"how":"bounds"}"#]);
    assert!(said.contains(&format!("\n  > places::outside at {at}")), "{said}");
}
