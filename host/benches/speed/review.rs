//! What a session adds to a call, and what a review in a sandbox costs beside one more projector.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::Criterion;
use fumehood::{
    CacheLocation, Call, Compiler, Component, EngineSettings, Host, Inspected, LoadLimits, Outcome, Policy, Registry,
    Session, SessionRules,
};
use serde_json::{Value, json};

use crate::copies::WORD_COUNT;
use crate::guests::{ReviewGuest, World, packed_in, reviewer_manifest};
use crate::turns::in_turn;
use crate::{TEXT, runtime};

async fn call(session: &Session, tools: &Registry, args: &Value) {
    match session.run(tools, Call::new("word_count", args.clone())).await {
        Outcome::Success(success) => drop(black_box(success)),
        Outcome::Failure(failure) => panic!("{}: {}", failure.code, failure.message),
    }
}

pub(crate) fn review(c: &mut Criterion) {
    let runtime = runtime();
    let host = Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off)).unwrap();
    let toolset = runtime.block_on(host.load(Path::new(WORD_COUNT), &Policy::nothing())).unwrap();
    let tools = Registry::new([toolset.clone()]).unwrap();
    // It reads nothing and accepts: what is left is the sandbox, and the draft's way into it.
    let bytes = packed_in(&ReviewGuest::default().wat(), &reviewer_manifest(), World::Reviewer);
    let component = Component::from_bytes(bytes, &LoadLimits::standard()).unwrap();
    let approved = Policy::nothing().approve(Inspected::of(component).unwrap()).unwrap();
    let reviewer = runtime.block_on(host.compile_reviewer(approved)).unwrap();
    let [plain, reviewed] = [SessionRules::none(), SessionRules::none().reviewer(Arc::new(reviewer))]
        .map(|rules| Session::new(rules).unwrap());
    let args = json!({ "text": TEXT });
    let asked = Call::new("word_count", args.clone());
    let value = match runtime.block_on(tools.call("word_count", args.clone())) {
        Outcome::Success(success) => success.value.text().to_owned(),
        Outcome::Failure(failure) => panic!("{}: {}", failure.code, failure.message),
    };
    let projector = toolset.projector();
    let text = args.to_string();
    let turns = in_turn(
        c,
        ("session", "reviewed"),
        64,
        [
            &mut || runtime.block_on(call(&plain, &tools, &args)),
            &mut || runtime.block_on(call(&reviewed, &tools, &args)),
            // Both projectors of a finished value, with the gates before them.
            &mut || drop(black_box(runtime.block_on(projector.project("word_count", &text, &value)).unwrap())),
            // One that has no value to look at, with what a call has to do before: find the tool, check the arguments.
            &mut || drop(black_box(runtime.block_on(tools.pending_card(&asked)).unwrap())),
            &mut || match runtime.block_on(tools.call("word_count", args.clone())) {
                Outcome::Success(success) => drop(black_box(success)),
                Outcome::Failure(failure) => panic!("{}: {}", failure.code, failure.message),
            },
        ],
    );
    turns.print("session: ratio call in a session/without", "no bound", |[plain, _, _, _, bare]| plain / bare);
    turns.print(
        "review: ratio of what it adds/one of the two projectors",
        "bound 1",
        |[plain, reviewed, both, _, _]| 2.0 * (reviewed - plain) / both,
    );
    turns.print("review: ratio of what it adds/a pending card", "no bound", |[plain, reviewed, _, pending, _]| {
        (reviewed - plain) / pending
    });
    turns.print_times(["in a session", "reviewed", "both projectors", "a pending card", "without a session"]);
}
