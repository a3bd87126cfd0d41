//! Each way to an import, and beside it what only looks like one.

use wasmparser::Validator;

use super::*;

/// `modules` are definitions of a component that leave a core instance `$tool` with functions `render`, `present`,
/// `realloc` and a memory `memory`. `$host` is the lowered import `say` of the interface `test:outside/speech`.
fn component(modules: &str) -> String {
    format!(
        r#"(component
  (import "test:outside/speech" (instance $speech (export "say" (func))))
  (alias export $speech "say" (func $say))
  (core func $host (canon lower (func $say)))
  {modules}
  (alias core export $tool "render" (core func $render))
  (alias core export $tool "present" (core func $present))
  (func $render (canon lift (core func $render)))
  (func $present (canon lift (core func $present)))
  (instance $exports (export "render" (func $render)) (export "present" (func $present)))
  (export "tool" (instance $exports)))"#
    )
}

/// One module `$m`, with the import `$say`.
fn module(fields: &str) -> String {
    let module = format!(
        r#"(core module $m (import "h" "say" (func $say)) {fields})
  (core instance $h (export "say" (func $host)))
  (core instance $tool (instantiate $m (with "h" (instance $h))))"#
    );
    component(&module)
}

fn of(wat: &str) -> Projectors {
    let bytes = wat::parse_str(wat).unwrap_or_else(|error| panic!("{error}"));
    Validator::new_with_features(crate::inspect::features())
        .validate_all(&bytes)
        .unwrap_or_else(|error| panic!("{error}"));
    analyse(&bytes, "tool")
}

/// `path`: that of `render`, or empty for a proof. `present` is always a proof.
#[track_caller]
fn check(wat: &str, path: &[&str]) {
    let found = of(wat);
    let path: Vec<_> = path.iter().map(ToString::to_string).collect();
    let expect = if path.is_empty() { Purity::Proved } else { Purity::Enforced(Doubt::Path(path)) };
    assert_eq!(found, Projectors { render: expect, present: Purity::Proved }, "{wat}");
}

/// Neither has an answer, for a reason that says `expect`.
#[track_caller]
fn uncovered(wat: &str, expect: &str) {
    let found = of(wat);
    for purity in [&found.render, &found.present] {
        assert!(matches!(purity, Purity::Enforced(Doubt::NotCovered(reason)) if reason.contains(expect)), "{found:?}");
    }
}

const SAY: &str = "test:outside/speech#say";
const PRESENT: &str = r#"(func (export "present"))"#;

#[test]
fn a_direct_call() {
    check(&module(&format!(r#"(func $r (export "render") (call $say)) {PRESENT}"#)), &["render", "r", SAY]);
    check(&module(&format!(r#"(func $r (export "render")) (func $e (export "execute") (call $say)) {PRESENT}"#)), &[]);
    // Code that is never run counts, and so does the shorter of two ways.
    let text = r#"(func $a (call $b)) (func $b (call $say))
        (func $r (export "render") (call $a) (if (i32.const 0) (then (call $b))))"#;
    check(&module(&format!("{text} {PRESENT}")), &["render", "r", "b", SAY]);
    // Calls in a ring end.
    let text = r#"(func $a (call $b)) (func $b (call $a)) (func $r (export "render") (call $a))"#;
    check(&module(&format!("{text} {PRESENT}")), &[]);
}

#[test]
fn the_function_is_the_import_itself() {
    check(&module(&format!(r#"(export "render" (func $say)) {PRESENT}"#)), &["render", SAY]);
}

#[test]
fn a_call_through_a_table() {
    let check = |fields: &str, path: &[&str]| {
        let text = r#"(table $t 8 funcref) (table $u 8 funcref) (type $v (func)) (type $i (func (param i32)))
            (func $speak (call $say)) (func $hum (param i32) (call $say))"#;
        check(&module(&format!("{text} {fields} {PRESENT}")), path);
    };
    let through = r#"(func $r (export "render") (call_indirect $t (type $v) (i32.const 0)))"#;
    let speaks = &["render", "r", "speak", SAY];
    check(&format!("{through} (elem (table $t) (i32.const 0) func $speak)"), speaks);
    check(&format!("{through} (elem (table $t) (i32.const 0) funcref (ref.func $speak))"), speaks);
    check(&format!("{through} (elem (table $t) (i32.const 0) func $say)"), &["render", "r", SAY]);
    // Of another type; in another table; in no table.
    check(&format!("{through} (elem (table $t) (i32.const 0) func $hum)"), &[]);
    check(&format!("{through} (elem (table $u) (i32.const 0) func $speak)"), &[]);
    check(&format!("{through} (elem $p func $speak)"), &[]);
    check(&format!("{through} (elem declare func $speak)"), &[]);
    // Once code writes to the table, every reference that is taken may lie there, wherever that is.
    let writes = r#"(func $w (table.init $t $p (i32.const 0) (i32.const 0) (i32.const 1)))"#;
    check(&format!("{through} (elem $p func $speak) {writes}"), speaks);
    let writes = r#"(func $w (table.set $t (i32.const 0) (ref.func $speak)))"#;
    check(&format!("{through} (elem declare func $speak) {writes}"), speaks);
    let writes = r#"(func $w (table.copy $t $u (i32.const 0) (i32.const 0) (i32.const 1)))"#;
    check(&format!("{through} (elem (table $u) (i32.const 0) func $speak) {writes}"), speaks);
    let writes = r#"(func $w (drop (table.grow $t (table.get $u (i32.const 0)) (i32.const 1))))"#;
    check(&format!("{through} (elem (table $u) (i32.const 0) func $speak) {writes}"), speaks);
    let writes = r#"(global $g funcref (ref.func $speak))
        (func $w (table.fill $t (i32.const 0) (global.get $g) (i32.const 1)))"#;
    check(&format!("{through} {writes}"), speaks);
    let writes = r#"(func $w (table.set $u (i32.const 0) (ref.func $speak)))"#;
    check(&format!("{through} (elem declare func $speak) {writes}"), &[]);
}

#[test]
fn a_reference_without_a_call() {
    let text = r#"(elem declare func $say) (func $r (export "render") (drop (ref.func $say)))"#;
    check(&module(&format!("{text} {PRESENT}")), &[]);
}

#[test]
fn a_segment_of_a_global_from_another_module() {
    let with = |value: &str| {
        component(&format!(
            r#"(core module $g (import "h" "say" (func $say)) (func $quiet)
    (global (export "g") funcref (ref.func {value})))
  (core module $m (import "g" "g" (global $g funcref)) (table 1 funcref)
    (elem (i32.const 0) funcref (global.get $g))
    (func $r (export "render") (call_indirect (i32.const 0))) {PRESENT})
  (core instance $h (export "say" (func $host)))
  (core instance $gi (instantiate $g (with "h" (instance $h))))
  (core instance $tool (instantiate $m (with "g" (instance $gi))))"#
        ))
    };
    check(&with("$say"), &["render", "r", SAY]);
    check(&with("$quiet"), &[]);
}

#[test]
fn a_start_function() {
    let text = r#"(func $r (export "render")) (func $begin (call $say)) (start $begin)"#;
    let found = of(&module(&format!("{text} {PRESENT}")));
    let path = ["start of module 0", "begin", SAY].map(String::from).to_vec();
    let enforced = Purity::Enforced(Doubt::Path(path));
    assert_eq!(found, Projectors { render: enforced.clone(), present: enforced });
    let text = r#"(func $r (export "render")) (func $begin) (start $begin)"#;
    check(&module(&format!("{text} {PRESENT}")), &[]);
    // A function of that name that nothing starts is not run.
    let text = r#"(func $r (export "render")) (func (export "_initialize") (call $say))"#;
    check(&module(&format!("{text} {PRESENT}")), &[]);
}

#[test]
fn another_module_starts_it() {
    // As wit-component does with `_initialize`.
    let with = |start: &str| {
        component(&format!(
            r#"(core module $m (import "h" "say" (func $say)) (func (export "render"))
    (func $init (export "_initialize") (call $say)) {PRESENT})
  (core module $s (import "m" "_initialize" (func $init)) {start})
  (core instance $h (export "say" (func $host)))
  (core instance $tool (instantiate $m (with "h" (instance $h))))
  (core instance (instantiate $s (with "m" (instance $tool))))"#
        ))
    };
    check(&with(""), &[]);
    let path = ["start of module 1", "init", SAY].map(String::from).to_vec();
    assert_eq!(of(&with("(start $init)")).present, Purity::Enforced(Doubt::Path(path)));
}

/// `render` takes a string, so it has a `realloc`; `options` may add more.
fn with_string(realloc: &str, post_return: &str) -> String {
    format!(
        r#"(component
  (import "test:outside/speech" (instance $speech (export "say" (func))))
  (alias export $speech "say" (func $say))
  (core func $host (canon lower (func $say)))
  (core module $m (import "h" "say" (func $say)) (memory (export "memory") 1)
    (func $realloc (export "realloc") (param i32 i32 i32 i32) (result i32) {realloc} (i32.const 0))
    (func $after (export "after") (param i32) {post_return})
    (func $r (export "render") (param i32 i32) (result i32) (i32.const 0)) {PRESENT})
  (core instance $h (export "say" (func $host)))
  (core instance $tool (instantiate $m (with "h" (instance $h))))
  (func $render (param "value" string) (result string) (canon lift (core func $tool "render")
    (memory (core memory $tool "memory")) (realloc (core func $tool "realloc"))
    (post-return (core func $tool "after"))))
  (func $present (canon lift (core func $tool "present")))
  (instance $exports (export "render" (func $render)) (export "present" (func $present)))
  (export "tool" (instance $exports)))"#
    )
}

#[test]
fn reallocation_and_post_return() {
    check(&with_string("", ""), &[]);
    check(&with_string("(call $say)", ""), &["realloc of render", "realloc", SAY]);
    check(&with_string("", "(call $say)"), &["post-return of render", "after", SAY]);
}

/// `render` calls a component inside that returns a string, for which the caller's `realloc` runs.
#[test]
fn reallocation_for_what_a_component_inside_returns() {
    let with = |body: &str| {
        component(&format!(
            r#"(core module $h2 (import "h" "say" (func $say)) (memory (export "memory") 1)
    (func $grow (export "realloc") (param i32 i32 i32 i32) (result i32) {body} (i32.const 0)))
  (component $inner
    (core module $i (memory (export "memory") 1) (func (export "name") (result i32) (i32.const 0)))
    (core instance $i (instantiate $i))
    (func $name (result string) (canon lift (core func $i "name") (memory (core memory $i "memory"))))
    (export "name" (func $name)))
  (instance $inner (instantiate $inner))
  (alias export $inner "name" (func $name))
  (core instance $h (export "say" (func $host)))
  (core instance $heap (instantiate $h2 (with "h" (instance $h))))
  (core func $low (canon lower (func $name) (memory (core memory $heap "memory"))
    (realloc (core func $heap "realloc"))))
  (core module $m (import "i" "name" (func $name (param i32))) (func $r (export "render") (call $name (i32.const 0)))
    {PRESENT})
  (core instance $i (export "name" (func $low)))
  (core instance $tool (instantiate $m (with "i" (instance $i))))"#
        ))
    };
    check(&with("(call $say)"), &["render", "r", "grow", SAY]);
    check(&with(""), &[]);
}

#[test]
fn two_modules() {
    let with = |body: &str| {
        component(&format!(
            r#"(core module $lib (import "h" "say" (func $say)) (func $help (export "help") {body}))
  (core module $m (import "lib" "help" (func $help)) (func $r (export "render") (call $help)) {PRESENT})
  (core instance $h (export "say" (func $host)))
  (core instance $lib (instantiate $lib (with "h" (instance $h))))
  (core instance $tool (instantiate $m (with "lib" (instance $lib))))"#
        ))
    };
    check(&with("(call $say)"), &["render", "r", "help", SAY]);
    check(&with(""), &[]);
}

#[test]
fn one_module_twice() {
    // The instance without the import's way out is the tool.
    let text = component(&format!(
        r#"(core module $m (import "h" "say" (func $say)) (func $r (export "render") (call $say)) {PRESENT})
  (core module $quiet (func (export "say")))
  (core instance $q (instantiate $quiet))
  (core instance $h (export "say" (func $host)))
  (core instance $loud (instantiate $m (with "h" (instance $h))))
  (core instance $tool (instantiate $m (with "h" (instance $q))))"#
    ));
    check(&text, &[]);
    check(
        &text.replace("core instance $tool", "core instance $other").replace("$loud", "$tool"),
        &["render", "r", SAY],
    );
}

#[test]
fn a_shim_with_a_table_and_a_fixup() {
    // Lowered imports that need a memory go through a table, which a third module fills.
    let with = |own: &str, body: &str| {
        component(&format!(
            r#"(core module $shim (table (export "$imports") 1 funcref)
    (func $indirect (export "0") (call_indirect (i32.const 0))))
  (core module $m (import "h" "say" (func $say)) (table 2 funcref) (elem (i32.const 0) func $quiet {own})
    (func $quiet) (func $loud (call $say)) (func $r (export "render") {body}) {PRESENT})
  (core module $fixup (import "" "$imports" (table 1 funcref)) (import "" "0" (func $f))
    (elem (i32.const 0) func $f))
  (core instance $shim (instantiate $shim))
  (core instance $h (export "say" (func $shim "0")))
  (core instance $tool (instantiate $m (with "h" (instance $h))))
  (core instance $f (export "$imports" (table $shim "$imports")) (export "0" (func $host)))
  (core instance (instantiate $fixup (with "" (instance $f))))"#
        ))
    };
    check(&with("", "(call $say)"), &["render", "r", "indirect", SAY]);
    // Its own table is another one, though the types are the same.
    check(&with("", "(call_indirect (i32.const 0))"), &[]);
    check(&with("$loud", "(call_indirect (i32.const 0))"), &["render", "r", "loud", "indirect", SAY]);
}

#[test]
fn a_table_shared_between_modules() {
    let with = |function: &str| {
        component(&format!(
            r#"(core module $m (table (export "t") 1 funcref)
    (func $r (export "render") (call_indirect (i32.const 0))) {PRESENT})
  (core module $lib (import "h" "say" (func $say)) (import "m" "t" (table 1 funcref)) (func $quiet)
    (elem (i32.const 0) func {function}))
  (core instance $h (export "say" (func $host)))
  (core instance $tool (instantiate $m))
  (core instance (instantiate $lib (with "h" (instance $h)) (with "m" (instance $tool))))"#
        ))
    };
    check(&with("$say"), &["render", "r", SAY]);
    check(&with("$quiet"), &[]);
}

/// A component inside, whose export `help` the tool calls through a border.
fn nested(body: &str, calls: &str) -> String {
    component(&format!(
        r#"(component $inner
    (import "say" (func $say))
    (core func $host (canon lower (func $say)))
    (core module $i (import "h" "say" (func $say)) (func $help (export "help") {body}))
    (core instance $h (export "say" (func $host)))
    (core instance $i (instantiate $i (with "h" (instance $h))))
    (func $help (canon lift (core func $i "help")))
    (export "help" (func $help)))
  (instance $inner (instantiate $inner (with "say" (func $say))))
  (alias export $inner "help" (func $help))
  (core func $low (canon lower (func $help)))
  (core module $m (import "i" "help" (func $help)) (func $r (export "render") {calls}) {PRESENT})
  (core instance $i (export "help" (func $low)))
  (core instance $tool (instantiate $m (with "i" (instance $i))))"#
    ))
}

#[test]
fn a_component_inside() {
    check(&nested("(call $say)", "(call $help)"), &["render", "r", "help", SAY]);
    check(&nested("", "(call $help)"), &[]);
    check(&nested("(call $say)", ""), &[]);
}

#[test]
fn exports_that_pass_through_a_component() {
    // As wit-component wraps an exported interface.
    let wrap = |text: String| {
        let (head, _) = text.split_once("(instance $exports").unwrap();
        format!(
            r#"{head}
  (component $wrap
    (import "render" (func $render)) (import "present" (func $present))
    (export "render" (func $render)) (export "present" (func $present)))
  (instance $exports (instantiate $wrap (with "render" (func $render)) (with "present" (func $present))))
  (export "tool" (instance $exports)))"#
        )
    };
    check(&wrap(module(&format!(r#"(func $r (export "render") (call $say)) {PRESENT}"#))), &["render", "r", SAY]);
    check(&wrap(module(&format!(r#"(func $r (export "render")) {PRESENT}"#))), &[]);
}

#[test]
fn a_destructor() {
    let with = |body: &str, calls: &str| {
        component(&format!(
            r#"(core module $d (import "h" "say" (func $say)) (func $end (export "end") (param i32) {body}))
  (core instance $h (export "say" (func $host)))
  (core instance $d (instantiate $d (with "h" (instance $h))))
  (type $r (resource (rep i32) (dtor (core func $d "end"))))
  (core func $drop (canon resource.drop $r))
  (core func $new (canon resource.new $r))
  (core module $m (import "r" "drop" (func $drop (param i32))) (import "r" "new" (func $new (param i32) (result i32)))
    (func $r (export "render") {calls}) {PRESENT})
  (core instance $r (export "drop" (func $drop)) (export "new" (func $new)))
  (core instance $tool (instantiate $m (with "r" (instance $r))))"#
        ))
    };
    let drops = "(call $drop (call $new (i32.const 1)))";
    check(&with("(call $say)", drops), &["render", "r", "resource.drop", "end", SAY]);
    check(&with("", drops), &[]);
    check(&with("(call $say)", "(drop (call $new (i32.const 1)))"), &[]);
}

#[test]
fn an_imported_function_is_exported_as_it_is() {
    let text = r#"(component
  (import "speech" (instance $speech (export "render" (func)) (export "present" (func))))
  (export "tool" (instance $speech)))"#;
    let found = of(text);
    assert_eq!(found.render, Purity::Enforced(Doubt::Path(vec!["render".into(), "speech#render".into()])));
}

#[test]
fn functions_without_a_name() {
    // Function 0 is the import.
    check(
        &module(r#"(func (export "render") (call 2)) (func (call $say)) (func (export "present"))"#),
        &["render", "module 0 function 1", "module 0 function 2", SAY],
    );
}

#[test]
fn names_are_escaped_and_cut() {
    let text = format!(
        r#"(func $"\1b[31m\e2\80\aered" (export "render") (call $"{}")) (func $"{}" (call $say)) {PRESENT}"#,
        "n".repeat(500),
        "n".repeat(500)
    );
    let found = of(&module(&text));
    let Purity::Enforced(Doubt::Path(path)) = found.render else { panic!("{found:?}") };
    assert_eq!(path[1], "\\u{1b}[31m\\u{202e}red");
    assert_eq!(path[2], format!("{}…", "n".repeat(120)));
}

#[test]
fn a_long_path_shows_both_ends() {
    let mut text = String::from(r#"(func $r (export "render") (call $f0))"#);
    for index in 0..100 {
        text.push_str(&format!("(func $f{index} (call $f{}))", index + 1));
    }
    text.push_str("(func $f100 (call $say))");
    let found = of(&module(&format!("{text} {PRESENT}")));
    let Purity::Enforced(Doubt::Path(path)) = found.render else { panic!("{found:?}") };
    // 103 functions and imports.
    assert_eq!(path.len(), 34);
    assert_eq!((&*path[1], &*path[16], &*path[17], &*path[33]), ("r", "f14", "… 71 more …", SAY));
}

#[test]
fn what_is_not_covered_is_not_proved() {
    let module = r#"(component
  (import "m" (core module $m (export "render" (func)) (export "present" (func))))
  (core instance $tool (instantiate $m))
  (func $render (canon lift (core func $tool "render")))
  (func $present (canon lift (core func $tool "present")))
  (instance $exports (export "render" (func $render)) (export "present" (func $present)))
  (export "tool" (instance $exports)))"#;
    uncovered(module, "`m` is an import of a kind that is not followed");
    // Twice in each level: 2^20 instances.
    let mut text = String::from("(component (component $c0)");
    for level in 0..20 {
        text.push_str(&format!(
            "(component $c{} (alias outer 1 $c{level} (component $c)) (instance (instantiate $c)) (instance (instantiate $c)))",
            level + 1
        ));
    }
    text.push_str("(instance (instantiate $c20)))");
    uncovered(&text, "too often");
    let many = format!("(core module $e) {}", "(core instance (instantiate $e))".repeat(65));
    uncovered(
        &component(&format!(
            "(core module $m {PRESENT} (func (export \"render\"))) {many} (core instance $tool (instantiate $m))"
        )),
        "more than 64 core instances",
    );
    uncovered("(component)", "does not export tool");
}
