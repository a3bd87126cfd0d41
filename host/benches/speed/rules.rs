//! What a decision about a request costs with many rules, against few.

use std::hint::black_box;

use criterion::Criterion;
use fumehood::{Approved, Component, Inspected, LoadLimits, Policy};
use serde_json::json;

use crate::guests::{Guest, World, component_from_core_wat, manifest, with_section};
use crate::turns::in_turn;

const WORLD: &str = "package bench:guest; world guest {
  include fumehood:tool/tool-component@0.1.0; import wasi:http/types@0.2.12; }";

/// A tool that asks for any host, under so many rules.
fn approved(rules: usize) -> Approved {
    let imports = r#"(import "wasi:http/types@0.2.12" "[constructor]fields" (func $fields (result i32)))"#;
    let bytes = component_from_core_wat(&Guest { imports, ..Guest::default() }.wat(), World::Wit(WORLD));
    let mut manifest = manifest();
    manifest["capabilities"] = json!([{ "capability": "http", "reason": "To be decided about." }]);
    let bytes = with_section(&bytes, "fumehood:manifest", manifest.to_string().as_bytes());
    let component = Component::from_bytes(bytes, &LoadLimits::standard()).unwrap();
    let mut policy = Policy::nothing();
    for n in 0..rules {
        let host = if n % 2 == 0 { format!("host{n}.example") } else { format!("*.domain{n}.example") };
        policy = policy.allow(format!("http=https://{host}/v1/ GET").parse().unwrap()).unwrap();
    }
    policy.approve(Inspected::of(component).unwrap()).unwrap()
}

pub(crate) fn rules(c: &mut Criterion) {
    let [few, many] = [10, 1_000].map(approved);
    let ask = |approved: &Approved, name: &str, allowed: bool| {
        let url = format!("https://{name}/v1/users?page=2");
        assert_eq!(black_box(approved.grants().decide_request("GET", &url)).is_ok(), allowed);
    };
    let both = |approved: &Approved| {
        ask(approved, "host8.example", true);
        ask(approved, "a.b.domain9.example", true);
        ask(approved, "nowhere.example", false);
    };
    let turns = in_turn(c, ("rules", "1,000"), 100, [&mut || both(&many), &mut || both(&few)]);
    turns.print("rules: a decision with 1,000 rules/with 10", "flat", |[many, few]| many / few);
    turns.print_times(["three decisions, 1,000 rules", "three decisions, 10 rules"]);
}
