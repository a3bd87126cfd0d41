//! Tools that call tools: by grant, in bounds, each with its own authority.

#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

#[path = "../support/mod.rs"]
mod support;

use std::pin::Pin;
use std::sync::Arc;

use fumehood::{
    CacheLocation, Call, CancellationToken, Code, Compiler, Component, ContentBlock, EngineSettings, Host, Inspected,
    LimitName, LoadLimits, Manifest, Mounted, Policy, Provider, Registry, Remote, RemoteCall, RemoteError, Toolset,
};
use serde_json::{Value, json};
use support::{Guest, failure, success};
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinSet;

fn host(slots: u32) -> Host {
    Host::new(EngineSettings { slots, ..EngineSettings::standard(Compiler::InProcess, CacheLocation::Off) }).unwrap()
}

/// A component with one tool of each name, which asks for these tools.
async fn load(host: &Host, wat: &str, tools: &[&str], asks: &[&str], policy: &Policy) -> Toolset {
    load_as(host, wat, tools, asks, policy, json!({ "type": "object" })).await
}

async fn load_as(host: &Host, wat: &str, tools: &[&str], asks: &[&str], policy: &Policy, input: Value) -> Toolset {
    let mut manifest = support::manifest();
    let mut echo = manifest["tools"][0].clone();
    echo["inputSchema"] = input;
    manifest["name"] = json!(tools[0].to_ascii_lowercase().replace('_', "-"));
    manifest["tools"] = tools
        .iter()
        .map(|name| {
            echo["name"] = json!(name);
            echo.clone()
        })
        .collect();
    let capability = |tool| json!({ "capability": "tools", "tool": tool, "reason": "A test.", "optional": true });
    let mut capabilities: Vec<_> = asks.iter().map(capability).collect();
    capabilities.push(json!({ "capability": "random", "reason": "A test.", "optional": true }));
    manifest["capabilities"] = capabilities.into();
    let component = Component::from_bytes(support::packed(wat, &manifest), &LoadLimits::standard()).unwrap();
    host.compile(policy.approve(Inspected::of(component).unwrap()).unwrap()).await.unwrap()
}

fn allow(tools: &[&str]) -> Policy {
    tools.iter().fold(Policy::nothing(), |policy, tool| policy.allow(format!("tools={tool}").parse().unwrap()).unwrap())
}

fn pasted(message: &str) -> Policy {
    let (_, rest) = message.split_once("--allow ").unwrap_or_else(|| panic!("{message}"));
    let (grant, _) = rest.split_once(", or at the top").unwrap_or_else(|| panic!("{message}"));
    Policy::nothing().allow(grant.parse().unwrap()).unwrap()
}

const CALL: &str = r#"(import "fumehood:host/tools@0.1.0" "call" (func $call (param i32 i32 i32 i32 i32)))"#;

/// Calls another tool with its own arguments, `times` times or until that fails, and returns `{"ok": its value}` or
/// `{"code": …, "message": "…", "calls": how many went well}`. Quotes in a message are made into apostrophes.
fn relay(callee: &str, times: u32) -> String {
    relay_after(callee, times, "", "")
}

fn relay_after(callee: &str, times: u32, imports: &str, before: &str) -> String {
    let items = format!(
        r#"
        (data (i32.const 1024) "{callee}")
        (data (i32.const 1200) "{{\22ok\22:{{\22code\22:\22\22,\22message\22:\22\22,\22calls\22:}}")
        (global $out (mut i32) (i32.const 0))
        (global $end (mut i32) (i32.const 0))
        (func $say (param $at i32) (param $len i32)
          (memory.copy (global.get $end) (local.get $at) (local.get $len))
          (global.set $end (i32.add (global.get $end) (local.get $len))))
        (func $plain (param $at i32) (param $len i32)
          (local $c i32)
          (block $done (loop $more
            (br_if $done (i32.eqz (local.get $len)))
            (local.set $c (i32.load8_u (local.get $at)))
            (if (i32.or (i32.eq (local.get $c) (i32.const 34)) (i32.eq (local.get $c) (i32.const 92)))
              (then (local.set $c (i32.const 39))))
            (i32.store8 (global.get $end) (local.get $c))
            (global.set $end (i32.add (global.get $end) (i32.const 1)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $len (i32.sub (local.get $len) (i32.const 1)))
            (br $more))))"#
    );
    let execute = format!(
        r#"
        {before}
        (block $stop
          (loop $again
            (local.set $a (call $alloc (i32.const 32)))
            (call $call (i32.const 1024) (i32.const {len}) (local.get $args) (local.get $args_len) (local.get $a))
            (br_if $stop (i32.load8_u (local.get $a)))
            (local.set $b (i32.add (local.get $b) (i32.const 1)))
            (br_if $again (i32.lt_u (local.get $b) (i32.const {times})))))
        (global.set $out (call $alloc (i32.const 65536)))
        (global.set $end (global.get $out))
        (if (i32.load8_u (local.get $a))
          (then
            (call $say (i32.const 1206) (i32.const 9))
            (call $plain (i32.load offset=4 (local.get $a)) (i32.load offset=8 (local.get $a)))
            (call $say (i32.const 1215) (i32.const 13))
            (call $plain (i32.load offset=12 (local.get $a)) (i32.load offset=16 (local.get $a)))
            (call $say (i32.const 1228) (i32.const 10))
            (call $say (call $digits (i64.extend_i32_u (local.get $b)))))
          (else
            (call $say (i32.const 1200) (i32.const 6))
            (call $say (i32.load offset=4 (local.get $a)) (i32.load offset=8 (local.get $a)))))
        (call $say (i32.const 1238) (i32.const 1))
        (call $ok (global.get $out) (i32.sub (global.get $end) (global.get $out)))"#,
        len = callee.len(),
    );
    Guest { imports: &format!("{CALL}{imports}"), items: &items, execute: &execute, ..Guest::default() }.wat()
}

async fn value(registry: &Registry, tool: &str, args: Value) -> Value {
    success(registry.call(tool, args).await).value.value().clone()
}

/// The code and the message that a relay got, and how many calls went well before.
async fn refused(registry: &Registry, tool: &str) -> (String, String, u64) {
    let value = value(registry, tool, json!({})).await;
    let text = |key: &str| value[key].as_str().unwrap_or_else(|| panic!("{value}")).to_owned();
    (text("code"), text("message"), value["calls"].as_u64().unwrap())
}

async fn echo(host: &Host, name: &str) -> Toolset {
    load(host, &Guest::default().wat(), &[name], &[], &Policy::nothing()).await
}

// ---- who may call ----------------------------------------------------------------------------------------------

#[tokio::test]
async fn a_granted_tool_gives_its_value_and_nothing_it_shows() {
    let host = host(1);
    let shown = Guest {
        items: r#"(data (i32.const 1024) "shown")"#,
        render: "(call $text (i32.const 1024) (i32.const 5))",
        ..Guest::default()
    };
    let b = load(&host, &shown.wat(), &["b"], &[], &Policy::nothing()).await;
    let a = load(&host, &relay("b", 1), &["a"], &["b"], &allow(&["b"])).await;
    let registry = Registry::new([a, b]).unwrap();
    let success = success(registry.call("a", json!({ "x": [1, "ü"] })).await);
    assert_eq!(success.value.text(), r#"{"ok":{"x":[1,"ü"]}}"#);
    assert_eq!(success.content, [ContentBlock::text(r#"{"ok":{"x":[1,"ü"]}}"#)]);
    assert_eq!(success.usage.get(LimitName::NestedCalls).used, 1);
    assert_eq!(success.usage.get(LimitName::NestedDepth).used, 1);
    let names: Vec<_> = registry.tools().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}

#[tokio::test]
async fn without_a_grant_no_tool_is_called_and_the_line_works_when_pasted() {
    let host = host(1);
    let (b, wat) = (echo(&host, "b").await, relay("b", 1));
    // Nothing granted: the import itself is denied.
    let a = load(&host, &wat, &["a"], &["c", "b"], &Policy::nothing()).await;
    let failed = failure(Registry::new([a, b.clone()]).unwrap().call("a", json!({})).await);
    assert_eq!(failed.code, Code::Denied);
    assert!(
        failed.message.contains("execute called fumehood:host/tools.call: the tool b is not granted"),
        "{failed:?}"
    );
    // Another tool granted: this one is refused.
    let a = load(&host, &wat, &["a"], &["c", "b"], &allow(&["c"])).await;
    let (code, message, _) = refused(&Registry::new([a, b.clone()]).unwrap(), "a").await;
    assert_eq!(code, "DENIED");
    for message in [failed.message, message] {
        let a = load(&host, &wat, &["a"], &["c", "b"], &pasted(&message)).await;
        assert_eq!(value(&Registry::new([a, b.clone()]).unwrap(), "a", json!({})).await, json!({ "ok": {} }));
    }
    // What the manifest does not ask for is not granted, whatever the policy says.
    let a = load(&host, &wat, &["a"], &["c"], &allow(&["b", "c"])).await;
    let (code, message, _) = refused(&Registry::new([a, b]).unwrap(), "a").await;
    assert_eq!(code, "DENIED");
    assert!(message.contains("no policy can grant it before the vendor does"), "{message}");
}

#[tokio::test]
async fn names_are_exact() {
    let host = host(1);
    for name in ["B", "b-", "b ", "", "../b", "b\\00"] {
        let a = load(&host, &relay(name, 1), &["a"], &["b"], &allow(&["b"])).await;
        let registry = Registry::new([a, echo(&host, "b").await]).unwrap();
        let (code, message, _) = refused(&registry, "a").await;
        assert!(code == "DENIED" || code == "UNKNOWN_TOOL", "{name}: {code} {message}");
    }
    // Granted, and not there.
    let a = load(&host, &relay("b", 1), &["a"], &["b"], &allow(&["b"])).await;
    let (code, message, _) = refused(&Registry::new([a]).unwrap(), "a").await;
    assert_eq!((code.as_str(), message.as_str()), ("UNKNOWN_TOOL", "there is no tool 'b' here"));
}

#[tokio::test]
async fn a_tool_lists_what_it_may_call() {
    let execute = r#"
        (local.set $a (call $alloc (i32.const 8)))
        (call $list (local.get $a))
        ;; One letter each.
        (local.set $d (call $alloc (i32.const 64)))
        (local.set $c (local.get $d))
        (i32.store8 (local.get $c) (i32.const 34))
        (loop $more
          (local.set $c (i32.add (local.get $c) (i32.const 1)))
          (i32.store8 (local.get $c) (i32.load8_u (i32.load
            (i32.add (i32.load (local.get $a)) (i32.mul (local.get $b) (i32.const 8))))))
          (local.set $b (i32.add (local.get $b) (i32.const 1)))
          (br_if $more (i32.lt_u (local.get $b) (i32.load offset=4 (local.get $a)))))
        (i32.store8 offset=1 (local.get $c) (i32.const 34))
        (call $ok (local.get $d) (i32.add (local.get $b) (i32.const 2)))"#;
    let imports = r#"(import "fumehood:host/tools@0.1.0" "list" (func $list (param i32)))"#;
    let wat = Guest { imports, execute, ..Guest::default() }.wat();
    let host = host(1);
    let mut manifest = support::manifest();
    manifest["tools"][0]["outputSchema"] = json!({});
    manifest["capabilities"] = ["d", "b", "x", "c"]
        .map(|tool| json!({ "capability": "tools", "tool": tool, "reason": "A test.", "optional": true }))
        .to_vec()
        .into();
    let component = Component::from_bytes(support::packed(&wat, &manifest), &LoadLimits::standard()).unwrap();
    let approved = allow(&["d", "b", "x"]).approve(Inspected::of(component).unwrap()).unwrap();
    let lists = host.compile(approved).await.unwrap();
    let (b, c, d) = (echo(&host, "b").await, echo(&host, "c").await, echo(&host, "d").await);
    let registry = Registry::new([lists, d, c, b]).unwrap();
    // x is granted and not there, c is there and not granted.
    assert_eq!(value(&registry, "echo", json!({})).await, json!("bd"));
}

#[tokio::test]
async fn without_a_registry_a_tool_finds_those_of_its_own_component() {
    let execute = r#"(if (result i32) (i32.eq (i32.load8_u (local.get $tool)) (i32.const 97))
        (then
          (local.set $a (call $alloc (i32.const 32)))
          (call $call (i32.const 1024) (i32.const 1) (local.get $args) (local.get $args_len) (local.get $a))
          (if (i32.load8_u (local.get $a)) (then unreachable))
          (call $ok (i32.load offset=4 (local.get $a)) (i32.load offset=8 (local.get $a))))
        (else (call $ok (i32.const 1025) (i32.const 9))))"#;
    let guest =
        Guest { imports: CALL, items: r#"(data (i32.const 1024) "b{\"b\":\"b\"}")"#, execute, ..Guest::default() };
    let tools = load(&host(1), &guest.wat(), &["a", "b"], &["b"], &allow(&["b"])).await;
    assert_eq!(success(tools.call("a", json!({})).await).value.text(), r#"{"b":"b"}"#);
}

// ---- whose authority -------------------------------------------------------------------------------------------

/// A number from `wasi:random`: a constant without the grant.
fn draws() -> String {
    let execute = r#"
        (local.set $a (call $alloc (i32.const 64)))
        (memory.copy (local.get $a) (i32.const 1024) (i32.const 6))
        (local.set $b (i32.add (local.get $a) (i32.const 6)))
        (call $digits (call $random))
        (local.set $d) (local.set $c)
        (memory.copy (local.get $b) (local.get $c) (local.get $d))
        (local.set $b (i32.add (local.get $b) (local.get $d)))
        (i32.store8 (local.get $b) (i32.const 125))
        (call $ok (local.get $a) (i32.sub (i32.add (local.get $b) (i32.const 1)) (local.get $a)))"#;
    let imports = r#"(import "wasi:random/random@0.2.12" "get-random-u64" (func $random (result i64)))"#;
    Guest { imports, items: r#"(data (i32.const 1024) "{\"n\": ")"#, execute, ..Guest::default() }.wat()
}

#[tokio::test]
async fn each_tool_has_its_own_grants() {
    let host = host(1);
    let check = async |caller: Policy, callee: Policy, differ: bool| {
        let a = load(&host, &relay("b", 1), &["a"], &["b"], &caller).await;
        let b = load(&host, &draws(), &["b"], &[], &callee).await;
        let registry = Registry::new([a, b]).unwrap();
        let (one, two) = (value(&registry, "a", json!({})).await, value(&registry, "a", json!({})).await);
        assert!(one["ok"]["n"].is_u64(), "{one}");
        assert_eq!(one != two, differ);
    };
    // The callee's grant holds, though the caller has none; the caller's does not reach the callee.
    check(allow(&["b"]), Policy::nothing().allow("random".parse().unwrap()).unwrap(), true).await;
    check(allow(&["b"]).allow("random".parse().unwrap()).unwrap(), Policy::nothing(), false).await;
}

#[tokio::test]
async fn a_nested_call_goes_through_every_stage() {
    let host = host(1);
    let check = async |guest: Guest<'_>, input: Value, args: Value, expect: &str| {
        let a = load(&host, &relay("b", 1), &["a"], &["b"], &allow(&["b"])).await;
        let b = load_as(&host, &guest.wat(), &["b"], &[], &Policy::nothing(), input).await;
        let registry = Registry::new([a, b]).unwrap();
        let success = success(registry.call("a", args).await);
        assert_eq!(success.value.value()["code"], expect, "{}", success.value.text());
        success
    };
    let (echo, any) = (Guest::default(), json!({ "type": "object" }));
    let strict = json!({ "type": "object", "required": ["x"] });
    check(echo, strict, json!({}), "INVALID_ARGS").await;
    let items = r#"(data (i32.const 1024) "[1]no")"#;
    let not_an_object = Guest { items, execute: "(call $ok (i32.const 1024) (i32.const 3))", ..echo };
    check(not_an_object, any.clone(), json!({}), "INVALID_TOOL_OUTPUT").await;
    check(Guest { render: "unreachable", ..echo }, any.clone(), json!({}), "INVALID_TOOL_OUTPUT").await;
    let fails = Guest { items, execute: "(call $error (i32.const 1) (i32.const 1027) (i32.const 2))", ..echo };
    let told = check(fails, any.clone(), json!({}), "TOOL_FAILED").await;
    assert_eq!(told.value.value()["message"], "no");
    let trapped = check(Guest { execute: "unreachable", ..echo }, any.clone(), json!({}), "TOOL_TRAPPED").await;
    let [(tool, left)] = trapped.diagnostic.nested.as_slice() else { panic!("{:?}", trapped.diagnostic) };
    assert!(tool == "b" && left.backtrace.is_some(), "{left:?}");

    // A card is nobody's to see here, so it is not made.
    let a = load(&host, &relay("b", 1), &["a"], &["b"], &allow(&["b"])).await;
    let b = load(&host, &Guest { present: "unreachable", ..echo }.wat(), &["b"], &[], &Policy::nothing()).await;
    let registry = Registry::new([a, b]).unwrap();
    assert_eq!(value(&registry, "a", json!({})).await, json!({ "ok": {} }));
    assert_eq!(failure(registry.call("b", json!({})).await).code, Code::InvalidToolOutput);
}

// ---- how deep, how many, how long ------------------------------------------------------------------------------

/// `t0` calls `t1` calls `t2`, … and the last one echoes.
async fn chain(host: &Host, length: usize, policy: impl Fn(Policy) -> Policy) -> Registry {
    let mut toolsets = Vec::new();
    for index in 0..length {
        let (name, next) = (format!("t{index}"), format!("t{}", index + 1));
        let policy = policy(allow(&[&next]));
        toolsets.push(load(host, &relay(&next, 1), &[&name], &[&next], &policy).await);
    }
    toolsets.push(echo(host, &format!("t{length}")).await);
    Registry::new(toolsets).unwrap()
}

/// What is inside of so many `ok`s.
fn inside(mut value: Value, depth: usize) -> Value {
    for _ in 0..depth {
        value = value["ok"].take();
    }
    value
}

#[tokio::test]
async fn calls_in_a_ring_are_refused() {
    let host = host(1);
    let a = load(&host, &relay("b", 1), &["a"], &["b"], &allow(&["b"])).await;
    let b = load(&host, &relay("c", 1), &["b"], &["c"], &allow(&["c"])).await;
    let c = load(&host, &relay("a", 1), &["c"], &["a"], &allow(&["a"])).await;
    let registry = Registry::new([a, b, c]).unwrap();
    for start in ["a", "b", "c"] {
        let end = inside(value(&registry, start, json!({})).await, 2);
        assert_eq!(end["code"], "DENIED", "{end}");
        assert!(end["message"].as_str().unwrap().contains("is at work already"), "{end}");
    }
    let own = load(&host, &relay("s", 1), &["s"], &["s"], &allow(&["s"])).await;
    assert_eq!(refused(&Registry::new([own]).unwrap(), "s").await.0, "DENIED");
}

#[tokio::test]
async fn the_depth_is_bounded() {
    let host = host(1);
    let registry = chain(&host, 4, |policy| policy).await;
    let success = success(registry.call("t0", json!({ "x": 1 })).await);
    assert_eq!(inside(success.value.value().clone(), 4), json!({ "x": 1 }));
    assert_eq!(success.usage.get(LimitName::NestedDepth).used, 4);

    let end = inside(value(&chain(&host, 5, |policy| policy).await, "t0", json!({})).await, 4);
    assert_eq!(end["code"], "RESOURCE_EXHAUSTED", "{end}");
    assert_eq!(end["message"], "nested-depth: 5 levels wanted, 4 allowed (default)");

    // The limits of the top-level call hold for all below.
    let registry = chain(&host, 3, |policy| policy.limit(LimitName::NestedDepth, 1).unwrap()).await;
    assert_eq!(inside(value(&registry, "t0", json!({})).await, 1)["code"], "RESOURCE_EXHAUSTED");
    assert_eq!(inside(value(&registry, "t2", json!({})).await, 1), json!({}));
    let registry = chain(&host, 1, |policy| policy.limit(LimitName::NestedDepth, 0).unwrap()).await;
    assert_eq!(refused(&registry, "t0").await.0, "RESOURCE_EXHAUSTED");
}

#[tokio::test]
async fn the_number_is_bounded() {
    let host = host(1);
    let a = load(&host, &relay("b", 64), &["a"], &["b"], &allow(&["b"])).await;
    let c = load(&host, &relay("b", 65), &["c"], &["b"], &allow(&["b"])).await;
    let registry = Registry::new([a, echo(&host, "b").await, c]).unwrap();
    let success = success(registry.call("a", json!({})).await);
    assert_eq!((success.value.text(), success.usage.get(LimitName::NestedCalls).used), (r#"{"ok":{}}"#, 64));
    let (code, message, calls) = refused(&registry, "c").await;
    assert_eq!((code.as_str(), calls), ("RESOURCE_EXHAUSTED", 64));
    assert_eq!(message, "nested-calls: 65 calls wanted, 64 allowed (default)");

    // At all depths together.
    let registry = chain(&host, 3, |policy| policy.limit(LimitName::NestedCalls, 2).unwrap()).await;
    let end = inside(value(&registry, "t0", json!({})).await, 2);
    assert_eq!(end["message"], "nested-calls: 3 calls wanted, 2 allowed (policy)");
}

/// Every call holds its slot while it waits for the next one's.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_that_hold_every_slot_do_not_wait_for_each_other() {
    for slots in [1, 3] {
        let registry = chain(&host(slots), 4, |policy| policy).await;
        let mut calls = JoinSet::new();
        for index in 0..24 {
            let registry = registry.clone();
            calls.spawn(async move { (index, value(&registry, "t0", json!({ "n": index })).await) });
        }
        while let Some(done) = calls.join_next().await {
            let (index, value) = done.unwrap();
            assert_eq!(inside(value, 4), json!({ "n": index }));
        }
    }
}

const FOR_EVER: &str = "(loop $ever (br $ever)) unreachable";

#[tokio::test]
async fn the_deadline_of_the_caller_covers_the_callee() {
    let host = host(1);
    let policy = allow(&["b"]).limit(LimitName::WallClock, 200).unwrap();
    let a = load(&host, &relay("b", 1), &["a"], &["b"], &policy).await;
    let b = Guest { execute: FOR_EVER, ..Guest::default() };
    let b = load(&host, &b.wat(), &["b"], &[], &Policy::nothing()).await;
    let registry = Registry::new([a, b]).unwrap();
    assert_eq!(failure(registry.call("a", json!({})).await).code, Code::ToolTimeout);
}

/// Ends what the callee does, and gives back the room that it took: with one slot a level, the next call needs it.
#[tokio::test]
async fn a_cancelled_call_cancels_what_it_called() {
    let report = r#"(import "fumehood:tool/progress@0.1.0" "report" (func $report (param i64 i32 i64 i32 i32 i32)))"#;
    let begun = "(call $report (i64.const 1) (i32.const 0) (i64.const 0) (i32.const 0) (i32.const 0) (i32.const 0))";
    let host = host(1);
    let a = load(&host, &relay_after("b", 1, report, begun), &["a"], &["b"], &allow(&["b"])).await;
    let b = Guest { execute: FOR_EVER, ..Guest::default() };
    let b = load(&host, &b.wat(), &["b"], &[], &Policy::nothing()).await;
    let c = load(&host, &relay("d", 1), &["c"], &["d"], &allow(&["d"])).await;
    let registry = Registry::new([a, b, c, echo(&host, "d").await]).unwrap();
    for dropped in [false, true] {
        let (send, mut progress) = unbounded_channel();
        let cancel = CancellationToken::new();
        let sink = Arc::new(move |progress| drop(send.send(progress)));
        let call = Call::new("a", json!({})).cancelled_by(cancel.clone()).on_progress(sink);
        let running = {
            let registry = registry.clone();
            tokio::spawn(async move { registry.run(call).await })
        };
        progress.recv().await.unwrap();
        // The guest has begun, and is on its way into the call that does not end.
        for _ in 0..5 {
            tokio::task::yield_now().await;
        }
        if dropped {
            running.abort();
            assert!(running.await.unwrap_err().is_cancelled());
        } else {
            cancel.cancel();
            assert_eq!(failure(running.await.unwrap()).code, Code::Aborted);
        }
        assert_eq!(value(&registry, "c", json!({})).await, json!({ "ok": {} }));
    }
}

// ---- names -----------------------------------------------------------------------------------------------------

#[tokio::test]
async fn two_tools_of_one_name_are_refused_with_both_components() {
    let host = host(1);
    let check = async |names: &[&str], clashes: usize| {
        let mut toolsets = Vec::new();
        for name in names {
            toolsets.push(echo(&host, name).await);
        }
        let digests: Vec<_> = toolsets.iter().map(|tools| tools.approved().inspected().digest().to_string()).collect();
        match Registry::new(toolsets) {
            Ok(_) => assert_eq!(clashes, 0, "{names:?}"),
            Err(error) => {
                assert_eq!(error.0.len(), clashes, "{error}");
                let text = error.to_string();
                assert!(names.iter().all(|name| text.contains(&format!("{name:?} of "))), "{text}");
                assert!(digests.iter().all(|digest| text.contains(digest)), "{text}");
            }
        }
    };
    check(&["a", "b", "a_b", "ab"], 0).await;
    check(&["word_count", "word_count"], 1).await;
    check(&["word_count", "word-count"], 1).await;
    check(&["word_count", "Word_Count"], 1).await;
    check(&["word_count", "WORD-count", "Word-Count"], 2).await;
}

#[tokio::test]
async fn a_registry_says_what_it_has() {
    let registry = Registry::new([echo(&host(1), "b").await]).unwrap();
    for tool in ["B", "c", ""] {
        let failed = failure(registry.call(tool, json!({})).await);
        assert_eq!(failed.code, Code::UnknownTool);
        assert!(failed.message.ends_with("there is b"), "{}", failed.message);
        assert_eq!(registry.pending_card(&Call::new(tool, json!({}))).await.unwrap_err().code, Code::UnknownTool);
    }
    assert_eq!(registry.pending_card(&Call::new("b", json!({}))).await.unwrap().title(), "b");
    let nothing = failure(Registry::new([] as [Toolset; 0]).unwrap().call("b", json!({})).await);
    assert!(nothing.message.ends_with("there is none at all"), "{}", nothing.message);
}

/// Two components share a value, and nothing else: not what one printed, not what it was refused.
#[tokio::test]
async fn what_a_tool_says_to_its_operator_does_not_reach_its_caller() {
    let host = host(1);
    let prints = Guest {
        imports: r#"(import "wasi:cli/stderr@0.2.12" "get-stderr" (func $stderr (result i32)))
            (import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
              (func $write (param i32 i32 i32 i32)))"#,
        items: r#"(data (i32.const 1024) "hush-hush")"#,
        execute: "(call $write (call $stderr) (i32.const 1024) (i32.const 9) (call $alloc (i32.const 16))) unreachable",
        ..Guest::default()
    };
    let b = load(&host, &prints.wat(), &["b"], &[], &Policy::nothing()).await;
    let a = load(&host, &relay("b", 1), &["a"], &["b"], &allow(&["b"])).await;
    let registry = Registry::new([a, b]).unwrap();
    let (code, message, _) = refused(&registry, "a").await;
    assert_eq!(code, "TOOL_TRAPPED");
    assert!(!message.contains("hush") && message.contains("operator's log"), "{message}");
    // The operator has it, and whoever calls the tool directly is told why it failed.
    let outcome = registry.call("a", json!({})).await;
    assert_eq!(outcome.diagnostic().nested[0].1.logs[0].1.stderr, "hush-hush");
    assert!(failure(registry.call("b", json!({})).await).message.contains("hush-hush"));

    // What a tool says with its error is for its caller.
    let fails = Guest {
        items: r#"(data (i32.const 1024) "not today")"#,
        execute: "(call $error (i32.const 3) (i32.const 1024) (i32.const 9))",
        ..Guest::default()
    };
    let b = load(&host, &fails.wat(), &["b"], &[], &Policy::nothing()).await;
    let a = load(&host, &relay("b", 1), &["a"], &["b"], &allow(&["b"])).await;
    let (code, message, _) = refused(&Registry::new([a, b]).unwrap(), "a").await;
    assert_eq!((&*code, &*message), ("TOOL_FAILED", "not today"));
}

// ---- tools that run elsewhere ------------------------------------------------------------------------------------

/// Says this of every call; `None`: nothing, ever.
struct Says(Option<Result<&'static str, RemoteError>>);

impl Remote for Says {
    fn origin(&self) -> &str {
        "else\u{202e}where"
    }

    fn call(&self, call: RemoteCall) -> Pin<Box<dyn Future<Output = Result<String, RemoteError>> + Send + '_>> {
        Box::pin(async move {
            assert_ne!(call.args.text(), r#"{"panic":true}"#, "as asked");
            match &self.0 {
                Some(said) => said.clone().map(str::to_owned),
                None => std::future::pending().await,
            }
        })
    }
}

/// The tool `b`, somewhere else.
fn elsewhere(says: Option<Result<&'static str, RemoteError>>) -> Mounted {
    let mut manifest = support::manifest();
    manifest["tools"][0]["name"] = json!("b");
    manifest["tools"][0]["outputSchema"] = json!({ "type": "object" });
    let manifest = Manifest::parse(manifest.to_string().as_bytes()).unwrap();
    Mounted::new(manifest, Arc::new(Says(says)), &Policy::nothing())
}

const SAID: &str = r#"{"content":[{"type":"text","text":"t"}]}"#;

#[tokio::test]
async fn a_tool_elsewhere_is_called_by_those_it_is_granted_to() {
    let (host, wat) = (host(1), relay("b", 1));
    let granted = load(&host, &wat, &["a"], &["b"], &allow(&["b"])).await;
    let registry = |a: Toolset| Registry::new([Provider::from(a), elsewhere(Some(Ok(SAID))).into()]).unwrap();
    let expect = json!({ "ok": serde_json::from_str::<Value>(SAID).unwrap() });
    assert_eq!(value(&registry(granted), "a", json!({})).await, expect);
    let denied = load(&host, &wat, &["a"], &["b"], &Policy::nothing()).await;
    assert_eq!(failure(registry(denied).call("a", json!({})).await).code, Code::Denied);
}

#[tokio::test]
async fn a_tool_elsewhere_does_not_outlast_the_one_that_called_it() {
    let host = host(1);
    let policy = allow(&["b"]).limit(LimitName::WallClock, 200).unwrap();
    let a = load(&host, &relay("b", 1), &["a"], &["b"], &policy).await;
    let registry = Registry::new([Provider::from(a), elsewhere(None).into()]).unwrap();
    assert_eq!(failure(registry.call("a", json!({})).await).code, Code::ToolTimeout);
}

#[tokio::test]
async fn what_comes_from_elsewhere_is_gated_like_any_value() {
    let check = async |says: Result<&'static str, RemoteError>, code: Code, part: &str| {
        let registry = Registry::new([elsewhere(Some(says.clone()))]).unwrap();
        let failed = failure(registry.call("b", json!({})).await);
        assert!(failed.code == code && failed.message.contains(part), "{says:?}: {failed:?}");
        failed
    };
    check(Ok(r#"{"content":[],"content":[]}"#), Code::InvalidToolOutput, "content").await;
    check(Ok("[]"), Code::InvalidToolOutput, "schema").await;
    check(Ok("{}"), Code::InvalidToolOutput, "no list").await;
    check(Err(RemoteError::Failed("no".into())), Code::ToolFailed, "no").await;
    check(Err(RemoteError::Malformed("odd".into())), Code::InvalidToolOutput, "odd").await;
    let gone = check(Err(RemoteError::Unavailable("at /srv".into())), Code::HostFault, "cannot be used now").await;
    assert!(!gone.message.contains("/srv") && gone.diagnostic.cause.unwrap().contains("/srv"));
    // Shown as what it is, in nothing that a terminal acts on.
    let registry = Registry::new([elsewhere(Some(Ok(SAID)))]).unwrap();
    assert_eq!(registry.provider("b").unwrap().remote(), Some("else\\u{202e}where"));
    assert_eq!(success(registry.call("b", json!({})).await).content, [ContentBlock::text("t")]);
    let panicked = failure(registry.call("b", json!({ "panic": true })).await);
    assert_eq!(panicked.code, Code::HostFault);
}
