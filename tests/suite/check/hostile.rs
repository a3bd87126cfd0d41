//! Every hostile guest of the project fails the check that fits, or is on the list of those that a host has to bear.

use std::collections::BTreeMap;

use fumehood::{Policy, check::Settings};
use serde_json::json;

use super::expectation::Expectation;
use super::*;

const HOSTILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/guests");
const HOSTILE_TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/suite/check/hostile.json");
const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/guests");

/// `hostile.json`: which checks each guest of `tests/guests` fails or is warned of.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// By name, the checks. With more than one file, all that any of them fails.
    caught: BTreeMap<String, BTreeSet<String>>,
    /// By name, why nothing is wrong with it as far as a vendor could tell.
    borne: BTreeMap<String, String>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_hostile_guest_fails_the_check_that_fits() {
    let table = std::fs::read_to_string(HOSTILE_TABLE).unwrap();
    let table: Table = serde_json::from_str(&table).unwrap();
    let filter = std::env::var("FUMEHOOD_GUEST").unwrap_or_default();
    let (bench, mut wrong, mut seen) = (Bench::new(), Vec::new(), BTreeSet::new());
    for entry in std::fs::read_dir(HOSTILE).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.contains(&filter) {
            continue;
        }
        let (found, text) = caught(&bench, &folder).await;
        let expected = table.caught.get(&name).cloned().unwrap_or_default();
        if found != expected {
            wrong.push(format!("{name:?}: {}, expected {expected:?}\n{text}", json!(found)));
        }
        let listed = [table.caught.contains_key(&name), table.borne.contains_key(&name)];
        if listed.iter().filter(|listed| **listed).count() != 1 {
            wrong.push(format!("{name:?} is to be listed once: {}", json!(found)));
        }
        seen.insert(name);
    }
    if filter.is_empty() {
        let listed = table.caught.keys().chain(table.borne.keys()).cloned().collect::<BTreeSet<_>>();
        wrong.extend(listed.difference(&seen).map(|name| format!("{name:?} is listed and is no guest")));
    }
    wrong.extend(table.borne.iter().filter(|(_, why)| why.len() < 20).map(|(name, _)| format!("{name:?}: why?")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What a guest fails, or is warned of, in its first run as in its own suite.
async fn caught(bench: &Bench, folder: &Path) -> (BTreeSet<String>, String) {
    let expectation = Expectation::read(&std::fs::read_to_string(folder.join("expect.toml")).unwrap()).unwrap();
    let run = &expectation.run;
    let fixture = tempfile::tempdir().unwrap();
    stage::set(fixture.path(), run.files.as_deref().unwrap_or_default());
    let policy = Policy::from_toml(run.policy.as_deref().unwrap_or_default(), fixture.path()).unwrap();
    let (mut found, mut text) = (BTreeSet::new(), String::new());
    for component in components(folder, &expectation) {
        let change = |settings: &mut Settings| (settings.calls, settings.policy) = (0, policy.clone());
        let report = bench.check(component, change).await;
        let Ended { fails, warns } = Ended::of(&report);
        found.extend(fails.into_iter().chain(warns));
        text.push_str(&report.text());
    }
    stage::release(fixture.path(), run.files.as_deref().unwrap_or_default());
    text.truncate(text.floor_char_boundary(8_000));
    (found, text)
}

fn components(folder: &Path, expectation: &Expectation) -> Vec<Vec<u8>> {
    let request = |words: &String, optional: bool| {
        let (capability, access) = words.split_once(' ').unwrap_or((words, ""));
        let reason = format!("To try what {capability} can do.");
        let mut request = json!({ "capability": capability, "reason": reason, "optional": optional });
        if !access.is_empty() {
            request["access"] = json!(access);
        }
        request
    };
    let asks = expectation.asks.iter().map(|words| request(words, true));
    let requires = expectation.requires.iter().map(|words| request(words, false));
    let mut manifest = manifest(&json!({ "capabilities": asks.chain(requires).collect::<Vec<_>>() }));
    if let Some(schema) = &expectation.output_schema {
        manifest["tools"][0]["outputSchema"] = serde_json::to_value(schema).unwrap();
    } else {
        // What any value passes: what else is wrong is not its schema's.
        manifest["tools"][0]["outputSchema"] = json!({ "not": { "const": "no value of any guest" } });
    }
    // What it is called with in its suite is all that it takes: the kit draws that.
    if let Some(args) = &expectation.run.args {
        let args: Value = serde_json::from_str(args).unwrap();
        manifest["tools"][0]["inputSchema"] = json!({ "type": "object", "const": args });
    }
    if let Some(name) = &expectation.made_by {
        let (_, make) = generators::GENERATORS.iter().find(|(known, _)| known == name).unwrap();
        let many = make(&manifest);
        // Hundreds of damaged files meet the same checks: every seventh is enough, and each is compiled twice.
        let step = if many.len() > 20 { 7 } else { 1 };
        return many.into_iter().step_by(step).collect();
    }
    let file = match &expectation.guest {
        Some(shared) => Path::new(SHARED).join(format!("{shared}.wat")),
        None => folder.join("guest.wat"),
    };
    let component = match GuestFile::read(&std::fs::read_to_string(&file).unwrap()).unwrap() {
        GuestFile::Component(text) => wat::parse_str(text).unwrap(),
        GuestFile::Module(text) => {
            let world = expectation.wit.as_deref().map_or(World::ToolOnWasi, World::Wit);
            component_from_core_wat(&text, world)
        }
    };
    vec![with_section(&component, "fumehood:manifest", manifest.to_string().as_bytes())]
}
