//! Components that are listed now and compiled later: what a server with many tools stands on.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail loudly")]

#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fumehood::{
    CacheLocation, Call, CancellationToken, Code, Compiler, EngineSettings, Host, LimitName, LoadError, LockFile,
    Policy, Registry,
};
use serde_json::json;
use support::{Guest, failure, packed, success};

fn host() -> Host {
    Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off)).unwrap()
}

/// A component of this name with the tool `echo`, or another that is the same but for its bytes.
fn component(name: &str, salt: &str) -> Vec<u8> {
    let mut manifest = support::manifest();
    manifest["name"] = json!(name);
    manifest["description"] = json!(salt);
    packed(&Guest::default().wat(), &manifest)
}

fn written(directory: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.join(format!("{name}.wasm"));
    std::fs::write(&path, bytes).unwrap();
    path
}

#[tokio::test]
async fn a_listed_component_is_compiled_by_its_first_call() {
    let (directory, host) = (tempfile::tempdir().unwrap(), host());
    let path = written(directory.path(), "a", &component("a", "first"));
    let listed = host.list(&path, Arc::new(Policy::nothing())).await.unwrap();
    assert_eq!(listed.manifest().name, "a");
    let registry = Registry::new([listed]).unwrap();
    success(registry.call("echo", json!({})).await);
    // Compiled once: the file is needed no more.
    std::fs::remove_file(&path).unwrap();
    success(registry.call("echo", json!({})).await);
}

#[tokio::test]
async fn a_file_that_is_not_the_listed_one_any_more_is_refused_and_comes_back() {
    let (directory, host) = (tempfile::tempdir().unwrap(), host());
    let path = written(directory.path(), "a", &component("a", "first"));
    let listed = host.list(&path, Arc::new(Policy::nothing())).await.unwrap();
    let registry = Registry::new([listed]).unwrap();
    written(directory.path(), "a", &component("a", "second"));
    let refused = failure(registry.call("echo", json!({})).await);
    assert_eq!(refused.code, Code::Denied);
    // The model learns nothing of the host's files; the operator does.
    assert!(!refused.message.contains("a.wasm"), "{}", refused.message);
    assert!(refused.diagnostic.cause.unwrap().contains("has changed since it was listed"));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(failure(registry.call("echo", json!({})).await).code, Code::HostFault);
    written(directory.path(), "a", &component("a", "first"));
    success(registry.call("echo", json!({})).await);
}

#[tokio::test]
async fn what_may_not_run_is_not_listed() {
    let (directory, host) = (tempfile::tempdir().unwrap(), host());
    let path = written(directory.path(), "a", &component("a", "first"));
    let policy = Policy::nothing().limit(LimitName::Memory, 1 << 32).unwrap();
    let more = host.list(&path, Arc::new(policy)).await;
    assert!(matches!(more, Err(LoadError::Memory { .. })), "{:?}", more.err());
    let half = written(directory.path(), "b", &component("b", "first")[..100]);
    assert!(host.list(&half, Arc::new(Policy::nothing())).await.is_err());

    // Nor what nobody approved.
    let lock = LockFile::new(directory.path().join("lock"), directory.path());
    let policy = Arc::new(Policy::nothing());
    let approved = policy.approve(fumehood::inspect(path.clone()).await.unwrap()).unwrap();
    lock.update(|lock, base| lock.approve(&approved, base)).unwrap();
    let host = host.locked_by(lock);
    host.list(&path, policy.clone()).await.unwrap();
    written(directory.path(), "a", &component("a", "second"));
    assert!(matches!(host.list(&path, policy).await, Err(LoadError::Lock(_))));
}

#[tokio::test]
async fn a_cancelled_call_does_not_wait_for_the_compiler() {
    let (directory, host) = (tempfile::tempdir().unwrap(), host());
    let path = written(directory.path(), "a", &component("a", "first"));
    let registry = Registry::new([host.list(&path, Arc::new(Policy::nothing())).await.unwrap()]).unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let cancelled = failure(registry.run(Call::new("echo", json!({})).cancelled_by(cancel)).await);
    assert_eq!(cancelled.code, Code::AbortedBeforeDispatch);
    success(registry.call("echo", json!({})).await);
}

#[tokio::test]
async fn many_first_calls_share_one_compilation() {
    let (directory, host) = (tempfile::tempdir().unwrap(), host());
    let path = written(directory.path(), "a", &component("a", "first"));
    let listed = host.list(&path, Arc::new(Policy::nothing())).await.unwrap();
    let registry = Registry::new([listed.clone()]).unwrap();
    let calls = (0..16).map(|_| {
        let registry = registry.clone();
        tokio::spawn(async move { success(registry.call("echo", json!({})).await) })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
    std::fs::remove_file(&path).unwrap();
    listed.load().await.unwrap();
}

#[tokio::test]
async fn a_component_whose_names_are_taken_is_left_out_whole() {
    let (directory, host) = (tempfile::tempdir().unwrap(), host());
    let policy = Arc::new(Policy::nothing());
    let mut listed = Vec::new();
    for name in ["a", "b"] {
        let path = written(directory.path(), name, &component(name, "first"));
        listed.push(host.list(&path, policy.clone()).await.unwrap());
    }
    let (registry, clashes) = Registry::keeping_first(listed.clone());
    assert_eq!(registry.provider("echo").unwrap().manifest().name, "a");
    assert!(clashes[0].is_empty());
    assert_eq!(clashes[1][0].rule, "registry/name-twice");
    assert!(Registry::new(listed).is_err());
}
