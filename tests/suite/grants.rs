//! What a policy gives to whom, what an approval holds fast, and what of both is written down.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail loudly, and own their directories")]

#[path = "../support/mod.rs"]
mod support;

use std::path::Path;

use fumehood::{
    CacheLocation, CapabilityKind, Code, Compiler, Component, Denied, EngineSettings, Grant, Host, Inspected,
    LimitName, LoadError, LoadLimits, Lock, LockFile, LockFileError, Outcome, Policy, PolicyError, Selector, Toolset,
};
use serde_json::{Value, json};
use support::{Guest, packed};

/// Returns the number of environment variables, and links what it asks for.
const COUNTS: Guest<'static> = Guest {
    imports: r#"(import "wasi:cli/environment@0.2.12" "get-environment" (func $environment (param i32)))
        (import "wasi:random/random@0.2.12" "get-random-u64" (func $random (result i64)))"#,
    items: "",
    execute: "(call $environment (local.tee $a (call $alloc (i32.const 8))))
        (drop (call $random))
        (call $ok (call $digits (i64.extend_i32_u (i32.load offset=4 (local.get $a)))))",
    render: "(call $text (local.get $value) (local.get $value_len))",
    present: "(call $no_card)",
};

fn manifest(capabilities: Value) -> Value {
    let mut manifest = support::manifest();
    manifest["name"] = json!("test");
    manifest["tools"][0]["outputSchema"] = json!({ "type": "integer" });
    manifest["capabilities"] = capabilities;
    manifest
}

fn asks() -> Value {
    json!([
        { "capability": "env", "name": "FUMEHOOD_TEST_A", "reason": "One." },
        { "capability": "env", "name": "FUMEHOOD_TEST_B", "reason": "Another.", "optional": true },
        { "capability": "random", "reason": "Dice.", "optional": true },
    ])
}

fn inspect(manifest: &Value) -> Inspected {
    let component = Component::from_bytes(packed(&COUNTS.wat(), manifest), &LoadLimits::standard()).unwrap();
    Inspected::of(component).unwrap()
}

fn policy(text: &str) -> Policy {
    Policy::from_toml(text, Path::new("/etc/fumehood")).unwrap()
}

fn host() -> Host {
    Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off)).unwrap()
}

async fn load(host: &Host, policy: &Policy, manifest: &Value) -> Result<Toolset, LoadError> {
    host.compile(policy.approve(inspect(manifest))?).await
}

async fn value(toolset: &Toolset) -> Result<String, (Code, String)> {
    match toolset.call("echo", json!({})).await {
        Outcome::Success(success) => Ok(success.value.text().to_owned()),
        Outcome::Failure(failure) => Err((failure.code, failure.message)),
    }
}

/// The grants of the test component under this policy, as short forms.
fn grants(text: &str) -> Result<Vec<String>, Vec<String>> {
    match policy(text).approve(inspect(&manifest(asks()))) {
        Ok(approved) => Ok(approved.grants().iter().map(ToString::to_string).collect()),
        Err(Denied(reasons)) => Err(reasons.iter().map(ToString::to_string).collect()),
    }
}

#[test]
fn a_policy_gives_to_all_and_to_one() {
    let a = "[[grants.env]]\nname = 'FUMEHOOD_TEST_A'\nvalue = 'all'\n";
    let check = |text: &str, expect: &[&str]| assert_eq!(grants(text).unwrap(), expect, "{text}");
    check(a, &["env=FUMEHOOD_TEST_A=all"]);
    check(&format!("{a}[component.test.grants]\nrandom = true"), &["env=FUMEHOOD_TEST_A=all", "random"]);
    check(&format!("{a}[component.other.grants]\nrandom = true"), &["env=FUMEHOOD_TEST_A=all"]);
    // The more specific value holds: digest before name before all.
    let digest = inspect(&manifest(asks())).digest();
    let named = "[[component.test.grants.env]]\nname = 'FUMEHOOD_TEST_A'\nvalue = 'name'\n";
    let exact = format!("[[component.\"{digest}\".grants.env]]\nname = 'FUMEHOOD_TEST_A'\nvalue = 'digest'\n");
    check(&format!("{a}{named}"), &["env=FUMEHOOD_TEST_A=name"]);
    check(&format!("{a}{exact}{named}"), &["env=FUMEHOOD_TEST_A=digest"]);
    // What is for all is not for one that does not inherit.
    let alone = "[component.test]\ninherit = false\n";
    assert!(grants(&format!("{a}{alone}")).unwrap_err()[0].contains("nothing grants it"));
    check(&format!("{a}{alone}{named}"), &["env=FUMEHOOD_TEST_A=name"]);
}

#[test]
fn limits_too_are_for_all_and_for_one() {
    let text = "[limits]\nwall-clock-ms = 1000\nlog-bytes = 10\n[component.test.limits]\nwall-clock-ms = 2000\n\
        [[component.test.grants.env]]\nname = 'FUMEHOOD_TEST_A'\nvalue = ''";
    let approved = policy(text).approve(inspect(&manifest(asks()))).unwrap();
    assert_eq!(approved.limits().value(LimitName::WallClock), 2_000);
    assert_eq!(approved.limits().value(LimitName::LogBytes), 10);
}

#[test]
fn what_was_not_asked_for_is_not_granted_and_is_said() {
    let text = "grants.env = [{ name = 'FUMEHOOD_TEST_A', value = '' }, { name = 'HOME' }]\ngrants.clock = true";
    let approved = policy(text).approve(inspect(&manifest(asks()))).unwrap();
    assert_eq!(approved.grants().iter().count(), 1);
    let unasked: Vec<_> = approved.findings().iter().filter(|finding| finding.rule == "policy/unasked").collect();
    assert_eq!(unasked.len(), 2, "{unasked:?}");
    assert!(unasked[0].message.contains("env=HOME") && unasked[1].message.contains("clock"), "{unasked:?}");
}

#[test]
fn each_fault_of_a_policy_file_has_its_place() {
    let check = |text: &str, expect: &[&str]| {
        let error = Policy::from_toml(text, Path::new("")).unwrap_err();
        for part in expect {
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
        error
    };
    let faults = check(
        "grants.filesystem = [{ host = 'a' }, { host = 'b' }]\nlimits.wall = 5\n[component.'A b']\n[limits.x]",
        &["line 4"],
    );
    assert!(matches!(faults, PolicyError::Syntax(_)));
    let faults = check(
        "grants.filesystem = [{ host = 'a' }, { host = 'b' }]\nlimits.wall = 5\n[component.'A b']\n",
        &["line 1, column 38", "both be /", "line 2, column 8", "there is no limit \"wall\"", "line 3, column 12"],
    );
    assert!(matches!(&faults, PolicyError::Invalid(faults) if faults.len() == 3), "{faults:?}");
    check("grants.sockets = true", &["line 1, column 8", "unknown field `sockets`", "filesystem"]);
    check("grants.env = [{ name = 'A=B' }]", &["line 1", "is no environment variable", "write 1 to 128"]);
    check(
        "grants.env = [{ name = 'A', value = 'x' }, { name = 'A', value = 'y' }]",
        &["line 1, column 44", "one name"],
    );
    check("grants.http = [{ url = 'ftp://x/' }]", &["line 1"]);
    check("grants.process = [{ name = 'git', path = 'git' }]", &["line 1"]);
    check("[component.'sha256:12'.grants]\nclock = true", &["line 1, column 12", "whole digest"]);
}

/// Everything a denial says to paste, pasted.
#[tokio::test(flavor = "multi_thread")]
async fn the_line_of_a_denial_works() {
    let host = host();
    // Always there: cargo sets it for each test.
    let asks = json!([{ "capability": "env", "name": "CARGO_PKG_NAME", "reason": "One." }]);
    let Err(Denied(reasons)) = Policy::nothing().approve(inspect(&manifest(asks.clone()))) else { panic!("granted") };
    let line = &reasons[0].remedy;
    let flag = line.split("--allow ").nth(1).unwrap().split(", or").next().unwrap();
    let toml = line.split("policy file: ").nth(1).unwrap();
    for policy in [Policy::nothing().allow(flag.parse().unwrap()).unwrap(), policy(toml)] {
        let toolset = load(&host, &policy, &manifest(asks.clone())).await.unwrap();
        assert_eq!(value(&toolset).await.unwrap(), "1");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variable_is_there_when_it_is_granted_and_not_otherwise() {
    let host = host();
    let with = |text: &str| policy(text);
    let both =
        with("grants.env = [{ name = 'FUMEHOOD_TEST_A', value = '1' }, { name = 'FUMEHOOD_TEST_B', value = '' }]");
    assert_eq!(value(&load(&host, &both, &manifest(asks())).await.unwrap()).await.unwrap(), "2");
    let one = with("grants.env = [{ name = 'FUMEHOOD_TEST_A', value = '1' }]");
    assert_eq!(value(&load(&host, &one, &manifest(asks())).await.unwrap()).await.unwrap(), "1");
    let missing = with("grants.env = [{ name = 'FUMEHOOD_TEST_A' }]");
    let error = load(&host, &missing, &manifest(asks())).await.err().unwrap();
    assert!(error.to_string().contains("no variable of that name"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_use_of_each_grant_and_each_denial_are_recorded() {
    let text = "grants.env = [{ name = 'FUMEHOOD_TEST_A', value = '1' }]\ngrants.random = true";
    let toolset = load(&host(), &policy(text), &manifest(asks())).await.unwrap();
    let outcome = toolset.call("echo", json!({})).await;
    let decisions: Vec<_> =
        outcome.diagnostic().decisions.iter().map(|made| (made.allowed, made.capability, &*made.rule)).collect();
    let expect =
        [(true, Some(CapabilityKind::Env), "env=FUMEHOOD_TEST_A"), (true, Some(CapabilityKind::Random), "random")];
    assert_eq!(decisions, expect);

    let guest = Guest {
        imports: r#"(import "wasi:clocks/wall-clock@0.2.12" "now" (func $now (param i32)))"#,
        execute: "(call $now (call $alloc (i32.const 16))) unreachable",
        ..Guest::default()
    };
    let asks = json!([{ "capability": "clock", "reason": "When.", "optional": true }]);
    let component = Component::from_bytes(packed(&guest.wat(), &manifest(asks)), &LoadLimits::standard()).unwrap();
    let approved = Policy::nothing().approve(Inspected::of(component).unwrap()).unwrap();
    let outcome = host().compile(approved).await.unwrap().call("echo", json!({})).await;
    let [denied] = outcome.diagnostic().decisions.as_slice() else { panic!("{outcome:?}") };
    assert_eq!((denied.allowed, denied.capability), (false, Some(CapabilityKind::Clock)));
    assert_eq!((&*denied.target, &*denied.rule), ("wasi:clocks/wall-clock.now", "nothing grants it"));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_was_approved_runs_and_only_as_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fumehood.lock");
    let lock = || LockFile::new(&path, folder.path());
    let one = policy("grants.env = [{ name = 'FUMEHOOD_TEST_A', value = '1' }]");
    let wider = one.clone().allow(Grant::Random).unwrap();
    let approved = one.approve(inspect(&manifest(asks()))).unwrap();
    let host = host().locked_by(lock());

    // No file, no approval.
    let error = load(&host, &one, &manifest(asks())).await.err().unwrap();
    assert!(matches!(error, LoadError::Lock(LockFileError::File { .. })), "{error}");

    lock().update(|lock, base| lock.approve(&approved, base)).unwrap();
    let toolset = load(&host, &one, &manifest(asks())).await.unwrap();
    assert_eq!(value(&toolset).await.unwrap(), "1");

    // More than was approved, and less.
    let refused = |error: LoadError| match error {
        LoadError::Lock(LockFileError::NotApproved(reasons)) => reasons.0.iter().map(ToString::to_string).collect(),
        other => vec![other.to_string()],
    };
    let reasons: Vec<String> = refused(load(&host, &wider, &manifest(asks())).await.err().unwrap());
    assert!(reasons.len() == 1 && reasons[0].contains("grants.random = true, which was not approved"), "{reasons:?}");
    let all_optional = json!([{ "capability": "env", "name": "FUMEHOOD_TEST_A", "reason": "One.", "optional": true }]);
    lock()
        .update(|lock, base| {
            lock.approve(&one.approve(inspect(&manifest(all_optional.clone()))).unwrap(), base);
        })
        .unwrap();
    let reasons = refused(load(&host, &Policy::nothing(), &manifest(all_optional)).await.err().unwrap());
    assert!(reasons.len() == 1 && reasons[0].contains("which the policy does not grant"), "{reasons:?}");

    // Taken back: the same toolset, its next call. Given again: the one after.
    lock().update(|lock, base| lock.approve(&approved, base)).unwrap();
    assert_eq!(value(&toolset).await.unwrap(), "1");
    assert_eq!(lock().update(|lock, _| lock.revoke("test")).unwrap(), 1);
    let (code, message) = value(&toolset).await.unwrap_err();
    assert_eq!(code, Code::Denied);
    assert!(!message.contains("fumehood.lock") && message.contains("not approved"), "{message}");
    lock().update(|lock, base| lock.approve(&approved, base)).unwrap();
    assert_eq!(value(&toolset).await.unwrap(), "1");

    // A damaged file approves nothing, and the next good one does.
    let good = std::fs::read(&path).unwrap();
    std::fs::write(&path, "version = 1\n[[approved]]\nname = ").unwrap();
    assert_eq!(value(&toolset).await.unwrap_err().0, Code::Denied);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(value(&toolset).await.unwrap_err().0, Code::Denied);
    std::fs::write(&path, good).unwrap();
    assert_eq!(value(&toolset).await.unwrap(), "1");
}

#[test]
fn an_approval_says_what_changed() {
    let one = policy("grants.env = [{ name = 'FUMEHOOD_TEST_A', value = '1' }]");
    let approve = |manifest: &Value| one.approve(inspect(manifest)).unwrap();
    let before = manifest(asks());
    let mut lock = Lock::default();
    lock.approve(&approve(&before), Path::new("/"));
    lock.check(&approve(&before), Path::new("/")).unwrap();
    let text = lock.to_toml();
    assert_eq!(Lock::from_toml(&text).unwrap(), lock);
    assert_eq!(Lock::from_toml(&text).unwrap().to_toml(), text);

    let check = |pointer: &str, new: Value, expect: &[&str]| {
        let mut after = before.clone();
        *after.pointer_mut(pointer).unwrap() = new;
        let reasons = lock.check(&approve(&after), Path::new("/")).unwrap_err().to_string();
        for part in expect {
            assert!(reasons.contains(part), "{pointer}: {reasons}");
        }
        assert_eq!(reasons.lines().count(), 1 + expect.len(), "{reasons}");
    };
    check("/description", json!("Changed."), &["/description: the description changed"]);
    check("/version", json!("0.1.1"), &["the version was \"0.1.0\" and is \"0.1.1\""]);
    check("/tools/0/description", json!("Changed."), &["/tools/echo: its title or description changed"]);
    check("/tools/0/inputSchema", json!({ "type": ["object"] }), &["/tools/echo: its input schema changed"]);
    check("/tools/0/outputSchema", json!({ "type": ["integer"] }), &["/tools/echo: its output schema changed"]);
    check("/tools/0/name", json!("other"), &["/tools/other: this tool is new", "/tools/echo: this tool is gone"]);
    check("/capabilities/2/reason", json!("Other dice."), &["the reason for random, optional changed"]);
    let clock = json!({ "capability": "clock", "reason": "When.", "optional": true });
    check("/capabilities/2", clock, &["it now asks for clock, optional", "it no longer asks for random, optional"]);
    check("/name", json!("other"), &[]);

    // One byte that is no manifest: a custom section more.
    let mut bytes = packed(&COUNTS.wat(), &before);
    bytes.extend([0, 2, 1, b'x']);
    let inspected = Inspected::of(Component::from_bytes(bytes, &LoadLimits::standard()).unwrap()).unwrap();
    let reasons = lock.check(&one.approve(inspected).unwrap(), Path::new("/")).unwrap_err().to_string();
    assert!(reasons.contains("the manifest is the approved one: what changed is code"), "{reasons}");
}

#[test]
fn a_lock_is_read_strictly() {
    let check = |text: &str, expect: &str| {
        let error = Lock::from_toml(text).unwrap_err().to_string();
        assert!(error.contains(expect), "{text}: {error}");
    };
    check("", "missing field `version`");
    check("version = 2", "this program reads version 1");
    check("version = 1\nrevoked = []", "unknown field `revoked`");
    let selector: Selector = "test".parse().unwrap();
    assert_eq!(selector, Selector::Name("test".to_owned()));
}

#[test]
fn a_request_can_be_decided_before_it_is_made() {
    let asks = json!([{ "capability": "http", "target": "https://*.example.com/ GET,POST", "reason": "It asks." }]);
    let guest = Guest {
        imports: r#"(import "wasi:http/types@0.2.12" "[constructor]fields" (func $fields (result i32)))"#,
        ..Guest::default()
    };
    let world = "package test:guest; world guest {
        include fumehood:tool/tool-component@0.1.0; import wasi:http/types@0.2.12; }";
    let bytes = support::component_from_core_wat(&guest.wat(), support::World::Wit(world));
    let bytes = support::with_section(&bytes, "fumehood:manifest", manifest(asks).to_string().as_bytes());
    let inspected = Inspected::of(Component::from_bytes(bytes, &LoadLimits::standard()).unwrap()).unwrap();
    let granted = policy("grants.http = [{ url = 'https://api.example.com/v1/' }, { url = 'https://other.example/' }]");
    let approved = granted.approve(inspected).unwrap();
    let check = |method: &str, url: &str, expect: Result<&str, &str>| {
        let decided = approved.grants().decide_request(method, url);
        match (&decided, expect) {
            (Ok(rule), Ok(expect)) => assert_eq!(rule.to_string(), expect, "{url}"),
            (Err(why), Err(expect)) => assert!(why.to_string().contains(expect), "{url}: {why}"),
            _ => panic!("{method} {url}: {decided:?}"),
        }
    };
    check("GET", "https://api.example.com/v1/x?y=//z", Ok("https://api.example.com/v1/ GET,HEAD"));
    check("GET", "HTTPS://API.example.com:443/v1/../v1/x", Ok("https://api.example.com/v1/ GET,HEAD"));
    check("GET", "https://api.example.com/v2/", Err("--allow 'http=https://api.example.com/v2/ GET'"));
    check("POST", "https://api.example.com/v1/x", Err("--allow 'http=https://api.example.com/v1/x POST'"));
    check("GET", "https://other.example/", Err("the manifest does not ask for it"));
    check("TRACE", "https://api.example.com/v1/x", Err("no grant allows TRACE"));
    check("GET", "https://user@api.example.com/v1/x", Err("goes nowhere"));
    check("GET", "api.example.com/v1/x", Err("is no URL"));
}

/// What says what tools may do lies out of their reach, or nothing runs.
#[tokio::test(flavor = "multi_thread")]
async fn no_tool_may_write_where_grants_are_decided() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["open/inner", "open-too", "apart", "kept"] {
        std::fs::create_dir_all(at(name)).unwrap();
    }
    for name in ["open/p.toml", "open/program", "open-too/p.toml", "apart/p.toml"] {
        std::fs::write(at(name), "").unwrap();
    }
    let asks = json!([
        { "capability": "filesystem", "access": "read-write", "reason": "Files.", "optional": true },
        { "capability": "process", "program": "build", "reason": "Builds.", "optional": true },
    ]);
    let mount = |name: &str, guest: &str, access: &str| {
        format!("filesystem={}:{guest}:{access}", at(name).display()).parse::<Grant>().unwrap()
    };
    let with = |grants: &[Grant]| grants.iter().fold(Policy::nothing(), |all, one| all.allow(one.clone()).unwrap());
    let outcome = async |policy: Policy, lock: Option<&str>| {
        let mut host = host();
        if let Some(lock) = lock {
            let lock = || LockFile::new(at(lock), folder.path());
            lock()
                .update(|text, base| text.approve(&policy.approve(inspect(&manifest(asks.clone()))).unwrap(), base))
                .unwrap();
            host = host.locked_by(lock());
        }
        load(&host, &policy, &manifest(asks.clone())).await.map(drop).map_err(|error| error.to_string())
    };
    let refused = |result: Result<(), String>, what: &str| {
        let error = result.unwrap_err();
        assert!(error.contains(what) && error.contains("more than it was granted"), "{error}");
    };
    let open = mount("open", "/", "rw");
    // The lock, also where it only could be made; twins: elsewhere, or to read.
    refused(outcome(with(std::slice::from_ref(&open)), Some("open/fumehood.lock")).await, "the lock file");
    refused(outcome(with(std::slice::from_ref(&open)), Some("open/inner/fumehood.lock")).await, "the lock file");
    outcome(with(std::slice::from_ref(&open)), Some("kept/fumehood.lock")).await.unwrap();
    outcome(with(&[mount("open", "/", "ro")]), Some("open/read.lock")).await.unwrap();
    // The policy.
    refused(outcome(with(std::slice::from_ref(&open)).read_from(at("open/p.toml")), None).await, "the policy file");
    outcome(with(std::slice::from_ref(&open)).read_from(at("apart/p.toml")), None).await.unwrap();
    // Its name begins alike, and it is another directory.
    outcome(with(std::slice::from_ref(&open)).read_from(at("open-too/p.toml")), None).await.unwrap();
    // A link to it is no way around.
    std::os::unix::fs::symlink(at("open"), at("link")).unwrap();
    let linked = with(&[mount("link", "/", "rw")]).read_from(at("open/p.toml"));
    refused(outcome(linked, None).await, "the policy file");
    // Another granted directory, which the tool could move away for a link of its own.
    refused(
        outcome(with(&[open.clone(), mount("open/inner", "/inner", "ro")]), None).await,
        "another granted directory",
    );
    outcome(with(&[mount("open", "/", "ro"), mount("open/inner", "/inner", "rw")]), None).await.unwrap();
    // A program.
    let program = format!("process=build:{} ...", at("open/program").display()).parse::<Grant>().unwrap();
    refused(outcome(with(&[open, program]), None).await, "a granted program");
}

/// What is recorded is where a directory is, not only what it is called.
#[test]
fn an_approval_holds_a_directory_and_not_its_name() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("a")).unwrap();
    std::fs::create_dir_all(folder.path().join("b")).unwrap();
    let asks = json!([{ "capability": "filesystem", "access": "read", "reason": "Files." }]);
    let approved = |host: &str| {
        let policy = Policy::nothing().mount(host.parse().unwrap()).unwrap();
        policy.approve(inspect(&manifest(asks.clone()))).unwrap()
    };
    let mut lock = Lock::default();
    lock.approve(&approved("a"), folder.path());
    lock.check(&approved("a"), folder.path()).unwrap();
    lock.check(&approved("b/../a"), folder.path()).unwrap();
    std::fs::rename(folder.path().join("a"), folder.path().join("c")).unwrap();
    std::os::unix::fs::symlink("b", folder.path().join("a")).unwrap();
    let reasons = lock.check(&approved("a"), folder.path()).unwrap_err().to_string();
    assert!(reasons.contains("was not approved"), "{reasons}");
}

#[test]
fn values_of_variables_are_in_no_record() {
    let secret = policy("grants.env = [{ name = 'FUMEHOOD_TEST_A', value = 'hush' }]");
    let approved = secret.approve(inspect(&manifest(asks()))).unwrap();
    let mut lock = Lock::default();
    lock.approve(&approved, Path::new("/"));
    assert!(!lock.to_toml().contains("hush"), "{}", lock.to_toml());
    let other = policy("grants.env = [{ name = 'FUMEHOOD_TEST_A', value = 'loud' }]");
    lock.check(&other.approve(inspect(&manifest(asks()))).unwrap(), Path::new("/")).unwrap_err();
}
