use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde_json::{Value, json};

use super::super::Purpose;
use super::draws;

/// Shrinks the first draw that fails, as proptest does.
fn least(schema: &Value, fails: impl Fn(&Value) -> bool) -> Value {
    let draws = draws(schema, Purpose::Value);
    let trees = (0..2_000).filter_map(|index| draws.tree(3, index, 0).ok());
    let mut tree = trees.into_iter().find(|tree| fails(&tree.current())).unwrap();
    let mut more = tree.simplify();
    while more {
        assert!(draws.matches(&tree.current()));
        more = if fails(&tree.current()) { tree.simplify() } else { tree.complicate() };
    }
    assert!(fails(&tree.current()), "ended at what does not fail: {}", tree.current());
    tree.current()
}

#[test]
fn a_failing_draw_shrinks_to_the_least_that_fails() {
    let check = |schema: Value, fails: fn(&Value) -> bool, expect: Value| {
        assert_eq!(least(&schema, fails), expect, "{schema}");
    };
    check(json!({"type": "integer"}), |n| n.as_i64() > Some(41), json!(42));
    check(json!({"type": "integer"}), |n| n.as_i64() < Some(-41), json!(-42));
    check(json!({"type": "integer", "multipleOf": 7}), |n| n.as_i64() > Some(41), json!(42));
    check(json!({"type": "string"}), |s| s.as_str().unwrap().contains('\n'), json!("\n"));
    check(json!({"type": "string"}), |s| s.as_str().unwrap().chars().count() >= 30, json!("a".repeat(30)));
    check(json!({"type": "string", "minLength": 3}), |s| s.as_str().unwrap().contains('\0'), json!("a\0a"));
    check(
        json!({"type": "array", "items": {"type": "boolean"}}),
        |v| v.as_array().unwrap().len() > 2,
        json!([false, false, false]),
    );
    check(json!({"enum": ["long one", "b", "c"]}), |v| v != &json!("b"), json!("c"));
    let object = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "array", "items": {"type": "integer"}}},
        "required": ["a"]});
    check(object.clone(), |_| true, json!({"a": ""}));
    check(
        object,
        |v| v["b"].as_array().is_some_and(|b| b.iter().any(|n| n.as_i64() > Some(9))),
        json!({"a": "", "b": [10]}),
    );
    let tree = json!({"$defs": {"tree": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "string"}]}}}, "$ref": "#/$defs/tree"});
    check(tree, |v| v.to_string().contains('n'), json!(["n"]));
}

#[test]
fn what_fails_at_one_value_alone_stays_as_it_was_drawn() {
    let first = draws(&json!({"type": "string"}), Purpose::Value).tree(3, 9, 0).unwrap().current();
    let mut tree = draws(&json!({"type": "string"}), Purpose::Value).tree(3, 9, 0).unwrap();
    let mut more = tree.simplify();
    while more {
        more = tree.complicate();
    }
    assert_eq!(tree.current(), first);
}

/// As a strategy, by proptest's own runner.
#[test]
fn proptest_draws_and_shrinks_them_too() {
    let runner = || {
        let config = Config { failure_persistence: None, ..Config::default() };
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
    };
    let draws = draws(&json!({"type": "integer", "minimum": 7}), Purpose::Value);
    assert_eq!(runner().run(&draws, |_| Ok(())), Ok(()));
    let fails = |value: Value| if value.as_i64() > Some(41) { Err(TestCaseError::fail("past 41")) } else { Ok(()) };
    match runner().run(&draws, fails) {
        Err(TestError::Fail(_, least)) => assert_eq!(least, json!(42)),
        other => panic!("{other:?}"),
    }
}
