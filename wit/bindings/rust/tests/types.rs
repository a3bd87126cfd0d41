//! What each Rust type becomes in a schema, what that schema takes and refuses, and what comes back.
//!
//! `types.json` holds all of it, and `FUMEHOOD_BLESS=1` writes it anew. The host's test `guest_schemas` reads the same
//! file: it admits each schema without a warning and checks each value with the code that checks them in a call. The
//! README's table shows the schemas of fields, and is compared too.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::marker::PhantomData;
use std::path::PathBuf;

use fumehood_tool::schemars::JsonSchema;
use fumehood_tool::{Bytes, Context, NoArgs, Tool, ToolError, testing};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A tool that gives back what it gets.
struct Echo<T>(PhantomData<T>);

impl<T: Serialize + DeserializeOwned + JsonSchema> Tool for Echo<T> {
    type Args = T;
    type Value = T;

    const NAME: &'static str = "echo";
    const DESCRIPTION: &'static str = "Echo.";

    fn execute(args: T, _context: &Context) -> Result<T, ToolError> {
        Ok(args)
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Field<T> {
    field: T,
}

/// One line of the file.
struct Case {
    name: &'static str,
    input: String,
    output: String,
    takes: Vec<String>,
    gives: Vec<String>,
    refuses: Vec<String>,
    by_tool: Vec<String>,
    /// The rule by which hosts refuse the schema itself.
    refused: Option<&'static str>,
}

impl Case {
    fn refused(self, rule: &'static str) -> Self {
        Self { refused: Some(rule), ..self }
    }
}

/// `takes`: argument texts that the tool reads. `refuses`: those that the input schema has to refuse. `by_tool`: those that
/// the schema cannot tell, and the tool refuses.
fn whole<T: Serialize + DeserializeOwned + JsonSchema>(
    name: &'static str,
    takes: &[&str],
    refuses: &[&str],
    by_tool: &[&str],
) -> Case {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let gives = takes.iter().map(|args| match testing::call::<Echo<T>>(args) {
        Ok((value, _)) => value,
        Err(error) => panic!("{name} takes {args}: {error:?}"),
    });
    let gives = gives.collect();
    for args in by_tool {
        assert!(matches!(testing::call::<Echo<T>>(args), Err(ToolError::InvalidArgs(_))), "{name} refuses {args}");
    }
    Case {
        name,
        input: testing::input_schema::<Echo<T>>().unwrap(),
        output: testing::output_schema::<Echo<T>>().unwrap(),
        takes: owned(takes),
        gives,
        refuses: owned(refuses),
        by_tool: owned(by_tool),
        refused: None,
    }
}

/// The same for a type that is a field. A text of nothing: the field is absent.
fn field<T: Serialize + DeserializeOwned + JsonSchema>(
    name: &'static str,
    takes: &[&str],
    refuses: &[&str],
    by_tool: &[&str],
) -> Case {
    let around = |texts: &[&str]| -> Vec<String> {
        texts.iter().map(|text| if text.is_empty() { "{}".into() } else { format!(r#"{{"field":{text}}}"#) }).collect()
    };
    let texts = [takes, refuses, by_tool].map(around);
    let [takes, refuses, by_tool] = texts.each_ref().map(|texts| texts.iter().map(String::as_str).collect::<Vec<_>>());
    whole::<Field<T>>(name, &takes, &refuses, &by_tool)
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Plain {
    OneWay,
    Another,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Documented {
    /// Up and
    /// away.
    Up,
    /// Down.
    Down,
    Still,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum External {
    Nothing,
    /// So many.
    Count(u32),
    Named {
        first: String,
    },
    Both(u8, u8),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Internal {
    Nothing,
    Named { first: String },
    Held(Inner),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "of")]
enum Adjacent {
    Nothing,
    Count(u32),
    Named { first: String },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Count(u32),
    Text(String),
    Named { first: String },
}

/// Said by the type.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Inner {
    /// Said by the field.
    x: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Newtype(u8);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Node {
    value: u8,
    children: Vec<Node>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Box<Node>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Expression {
    Number(f64),
    Sum(Box<Expression>, Box<Expression>),
    Minus(Box<Expression>),
}

/// `left` leads on in two variants that a checker has to try both, at each level again.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Doubling {
    Leaf,
    Both { left: Box<Doubling>, right: Box<Doubling> },
    Not { left: Box<Doubling> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Attributes {
    /// First
    /// and second line.
    ///
    /// Second paragraph.
    #[serde(rename = "path")]
    where_it_is: String,
    #[serde(default = "five")]
    how_many: u32,
    #[serde(default)]
    deep: bool,
    #[serde(skip)]
    _cache: u8,
    #[schemars(range(min = 1, max = 10))]
    level: u32,
    #[schemars(length(min = 1, max = 3), regex(pattern = "^[a-z]+$"))]
    word: String,
}

fn five() -> u32 {
    5
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Optional {
    a: Option<u32>,
    b: Option<Inner>,
    c: Option<Plain>,
    #[serde(default)]
    d: Option<Internal>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Skipped {
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    b: Vec<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatStruct {
    a: u8,
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatMap {
    a: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, u8>,
}

/// As a field: a flattened enum at the root of arguments is a union there.
#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatEnum {
    a: u8,
    #[serde(flatten)]
    exit: Exit,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Exit {
    /// The status.
    ExitCode(i32),
    Signal(String),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatAlone {
    #[serde(flatten)]
    exit: Exit,
}

/// For clients that want to read of the root that it is an object.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(extend("type" = "object"))]
enum Shapes {
    Found { id: String },
    Missing { name: String },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatTagged {
    a: u8,
    #[serde(flatten)]
    how: Internal,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Closed {
    a: u8,
}

fn fields() -> Vec<Case> {
    vec![
        field::<bool>("bool", &["true"], &["0", "\"true\"", "null"], &[]),
        field::<u8>("u8", &["0", "255"], &["-1", "256", "1.5", "\"1\"", "null"], &["1.0"]),
        field::<i8>("i8", &["-128", "127"], &["-129", "128"], &[]),
        field::<u16>("u16", &["0", "65535"], &["-1", "65536"], &[]),
        field::<i16>("i16", &["-32768", "32767"], &["-32769", "32768"], &[]),
        field::<u32>("u32", &["0", "4294967295"], &["-1", "4294967296"], &[]),
        field::<i32>("i32", &["-2147483648", "2147483647"], &["-2147483649", "2147483648"], &[]),
        field::<u64>("u64", &["0", "9007199254740993", "18446744073709551615"], &["-1", "0.5"], &["1e3", "1e30"]),
        field::<i64>("i64", &["-9223372036854775808", "9223372036854775807"], &["0.5"], &["9223372036854775808"]),
        field::<usize>("usize", &["0", "4294967295"], &["-1", "4294967296"], &[]),
        field::<isize>("isize", &["-2147483648", "2147483647"], &["-2147483649", "2147483648"], &[]),
        field::<f64>("f64", &["0", "-0.0", "0.30000000000000004", "1e308", "5e-324"], &["\"1\"", "null"], &[]),
        field::<f32>("f32", &["0.9", "-3.4028235e38", "3.4028235e38"], &["1e39", "-1e39"], &[]),
        field::<char>("char", &["\"a\"", "\"é\"", "\"\\n\""], &["\"\"", "\"ab\"", "1"], &[]),
        field::<String>("String", &["\"\"", "\"a\\u0000\""], &["1", "null"], &[]),
        field::<PathBuf>("PathBuf", &["\"/a\""], &["1"], &[]),
        field::<Bytes>("Bytes", &["\"\"", "\"Zm8=\""], &["[1]"], &["\"Zm8\""]),
        field::<Vec<String>>("Vec<String>", &["[]", "[\"a\",\"b\"]"], &["[1]", "{}", "null"], &[]),
        field::<[u8; 3]>("[u8; 3]", &["[1,2,3]"], &["[1,2]", "[1,2,3,4]", "[1,2,256]"], &[]),
        field::<(u8, u8)>("(u8, u8)", &["[1,2]"], &["[1]", "[1,2,3]", "[1,256]"], &[]),
        field::<(bool, String)>("(bool, String)", &["[true,\"a\"]"], &["[true]", "[1,\"a\"]"], &["[\"a\",true]"]),
        field::<BTreeSet<bool>>("BTreeSet<bool>", &["[]", "[false,true]"], &["[true,true]"], &[]),
        field::<BTreeMap<String, bool>>("BTreeMap<String, bool>", &["{}", "{\"é\":true}"], &["{\"a\":1}", "[]"], &[]),
        field::<HashMap<String, bool>>("HashMap<String, bool>", &["{}", "{\"a\":true}"], &["{\"a\":1}", "[]"], &[]),
        field::<BTreeMap<u32, bool>>("BTreeMap<u32, bool>", &["{\"7\":true}"], &["{\"a\":true}", "{\"-1\":true}"], &[]),
        field::<Option<bool>>("Option<bool>", &["", "true"], &["null", "1"], &[]),
        field::<Box<bool>>("Box<bool>", &["true"], &["1"], &[]),
        field::<Value>("serde_json::Value", &["null", "[1,{\"a\":1.5}]"], &[], &[]),
    ]
}

fn others() -> Vec<Case> {
    vec![
        whole::<NoArgs>("NoArgs", &["{}"], &["{\"a\":1}", "[]"], &[]),
        whole::<Closed>("deny_unknown_fields", &["{\"a\":1}"], &["{}", "{\"a\":1,\"b\":2}"], &[]),
        whole::<Attributes>(
            "attributes",
            &[
                r#"{"path":"p","level":1,"word":"abc"}"#,
                r#"{"path":"p","howMany":7,"deep":true,"level":10,"word":"a"}"#,
            ],
            &[
                r#"{"whereItIs":"p","level":1,"word":"a"}"#,
                r#"{"path":"p","level":0,"word":"a"}"#,
                r#"{"path":"p","level":1,"word":"A"}"#,
                r#"{"path":"p","level":1,"word":"abcd"}"#,
                r#"{"path":"p","level":1,"word":"a","cache":1}"#,
            ],
            &[],
        ),
        whole::<Optional>(
            "optional fields",
            &["{}", r#"{"a":1,"b":{"x":1},"c":"another","d":{"kind":"nothing"}}"#],
            &[r#"{"a":null}"#, r#"{"b":null}"#, r#"{"c":null}"#, r#"{"d":null}"#],
            &[],
        ),
        whole::<Skipped>("skipped fields", &["{}", r#"{"a":1,"b":[1]}"#], &[r#"{"a":null}"#], &[]),
        whole::<FlatStruct>("flattened struct", &[r#"{"a":1,"x":2}"#], &[r#"{"a":1}"#, r#"{"a":1,"x":2,"y":3}"#], &[]),
        whole::<FlatMap>("flattened map", &[r#"{"a":1,"x":2}"#], &[r#"{"x":1}"#, r#"{"a":1,"x":"2"}"#], &[]),
        field::<Inner>("struct", &["{\"x\":1}"], &["{}", "{\"x\":1,\"y\":2}", "null"], &[]),
        field::<Newtype>("newtype", &["1"], &["[1]", "256"], &[]),
        field::<Plain>("enum", &["\"one-way\""], &["\"OneWay\"", "0"], &[]),
        field::<Documented>("enum with documented variants", &["\"up\"", "\"still\""], &["\"Up\""], &[]),
        field::<External>(
            "enum with data",
            &["\"nothing\"", "{\"count\":1}", "{\"named\":{\"first\":\"a\"}}", "{\"both\":[1,2]}"],
            &["{}", "{\"count\":1,\"nothing\":null}", "{\"named\":{}}", "{\"both\":[1]}", "\"count\""],
            &[],
        ),
        field::<Internal>(
            "enum with an internal tag",
            &["{\"kind\":\"nothing\"}", "{\"kind\":\"named\",\"first\":\"a\"}", "{\"kind\":\"held\",\"x\":1}"],
            &["{}", "{\"kind\":\"named\"}", "{\"kind\":\"held\",\"first\":\"a\"}", "\"nothing\""],
            &[],
        ),
        field::<Adjacent>(
            "enum with tag and content",
            &[
                "{\"kind\":\"Nothing\"}",
                "{\"kind\":\"Count\",\"of\":1}",
                "{\"kind\":\"Named\",\"of\":{\"first\":\"a\"}}",
            ],
            &["{\"kind\":\"Count\"}", "{\"kind\":\"Count\",\"of\":\"a\"}", "{\"of\":1}"],
            &[],
        ),
        field::<Untagged>(
            "enum without a tag",
            &["1", "\"a\"", "{\"first\":\"a\"}"],
            &["-1", "null", "{\"second\":\"a\"}"],
            &[],
        ),
        field::<FlatEnum>(
            "flattened enum",
            &[r#"{"a":1,"exitCode":2}"#, r#"{"a":1,"signal":"KILL"}"#],
            &[r#"{"a":1}"#, r#"{"a":1,"exitCode":2,"signal":"KILL"}"#, r#"{"a":1,"exitCode":2,"b":3}"#],
            &[],
        ),
        field::<FlatAlone>(
            "flattened enum and nothing else",
            &["{\"exitCode\":2}", "{\"signal\":\"KILL\"}"],
            &["{}", "{\"exitCode\":2,\"b\":3}"],
            &[],
        ),
        field::<Shapes>(
            "enum of objects without a tag",
            &["{\"id\":\"a\"}", "{\"name\":\"a\"}"],
            &["{}", "{\"id\":\"a\",\"name\":\"a\"}", "{\"id\":1}"],
            &[],
        ),
        field::<FlatTagged>(
            "flattened enum with an internal tag",
            &[r#"{"a":1,"kind":"nothing"}"#, r#"{"a":1,"kind":"held","x":2}"#],
            &[
                r#"{"a":1}"#,
                r#"{"a":1,"kind":"held"}"#,
                r#"{"a":1,"kind":"other"}"#,
                r#"{"a":1,"kind":"nothing","b":2}"#,
            ],
            &[],
        ),
        whole::<Node>(
            "recursive struct",
            &[r#"{"value":1,"children":[{"value":2,"children":[]}],"next":{"value":3,"children":[]}}"#],
            &[r#"{"value":1,"children":[{"value":2}]}"#, r#"{"value":1,"children":[],"next":null}"#],
            &[],
        ),
        field::<Node>(
            "recursive struct in a field",
            &[r#"{"value":1,"children":[{"value":2,"children":[]}]}"#],
            &[r#"{"value":1,"children":[{"value":256,"children":[]}]}"#],
            &[],
        ),
        field::<Doubling>("recursive enum with an internal tag", &[r#"{"kind":"Leaf"}"#], &[], &[])
            .refused("schema/branching-recursion"),
        field::<Expression>(
            "recursive enum",
            &[r#"{"sum":[{"number":1.5},{"minus":{"number":2.0}}]}"#],
            &[r#"{"sum":[{"number":1.5}]}"#, r#"{"minus":{"number":"2"}}"#],
            &[],
        ),
    ]
}

#[test]
fn types_are_what_the_file_says() {
    let mut cases = fields();
    cases.extend(others());
    let lines = cases.iter().map(|case| {
        let schema = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        // Texts, where numbers must not change: the host reads them with its own gate.
        let all = json!({
            "type": case.name,
            "input": schema(&case.input),
            "output": schema(&case.output),
            "takes": case.takes,
            "gives": case.gives,
            "refuses": case.refuses,
            "refusedByTool": case.by_tool,
            "refused": case.refused,
        });
        serde_json::to_string_pretty(&all).unwrap()
    });
    let found = format!("[\n{}\n]\n", lines.collect::<Vec<_>>().join(",\n"));
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/types.json");
    if std::env::var_os("FUMEHOOD_BLESS").is_some() {
        std::fs::write(file, &found).unwrap();
    }
    assert!(
        std::fs::read_to_string(file).unwrap() == found,
        "FUMEHOOD_BLESS=1 writes tests/types.json anew: read the diff"
    );
}

#[test]
fn the_readme_shows_the_schemas_of_fields() {
    let readme = include_str!("../README.md");
    let row = |case: &Case| {
        let schema: Value = serde_json::from_str(&case.input).unwrap();
        // As it is written, and not as `Value` sorts it.
        let (_, rest) = case.input.split_once(r#""properties":{"field":"#).unwrap();
        let shown =
            rest.split_once(r#"},"required":"#).or_else(|| rest.split_once(r#"},"additionalProperties":false"#));
        let shown = shown.unwrap().0;
        assert_eq!(serde_json::from_str::<Value>(shown).unwrap(), schema["properties"]["field"], "{}", case.name);
        format!("| `{}` | `{shown}` |", case.name)
    };
    let mut missing = String::new();
    for row in fields().iter().map(row).filter(|row| !readme.contains(row.as_str())) {
        let _ = writeln!(missing, "{row}");
    }
    assert!(missing.is_empty(), "the README lacks these rows:\n{missing}");
}

#[test]
fn properties_stand_in_their_order() {
    let schema = testing::input_schema::<Echo<Attributes>>().unwrap();
    let at = |name: &str| schema.find(&format!("\"{name}\":")).unwrap();
    // Those that are required as they are declared, then the others by name.
    let places = ["path", "level", "word", "deep", "howMany"].map(at);
    assert!(places.is_sorted(), "{schema}");
}

fn faults<T: Serialize + DeserializeOwned + JsonSchema>() -> Vec<String> {
    testing::input_schema::<Echo<T>>().unwrap_err()
}

#[test]
fn what_has_no_schema_says_so_with_its_place() {
    let wide = "a 128-bit integer, on which readers of JSON do not agree; take a u64 or a text";
    assert_eq!(faults::<Field<Vec<i128>>>(), [format!("Args at /properties/field/items: {wide}")]);
    let value = testing::output_schema::<Echo<Field<BTreeMap<String, u128>>>>().unwrap_err();
    assert_eq!(value, [format!("Value at /properties/field/additionalProperties: {wide}")]);

    let no_struct = "Args: the arguments are no struct; name each of them in one, or take NoArgs";
    assert_eq!(faults::<()>(), [no_struct]);
    assert_eq!(faults::<Vec<u8>>(), [no_struct]);
    assert_eq!(faults::<Plain>(), [no_struct]);
    let union = "Args: a union at the root (a flattened enum), which model APIs refuse; give it a field of its own";
    assert_eq!(faults::<Internal>(), [no_struct, union]);
    assert_eq!(faults::<FlatEnum>(), [union]);
    // A value may be any of these.
    for schema in [testing::output_schema::<Echo<()>>(), testing::output_schema::<Echo<Internal>>()] {
        assert!(schema.is_ok());
    }
}
