use serde::{Deserialize, Serialize};

use super::*;
use crate::{Context, NoArgs, ToolError};

struct Plain;

impl Tool for Plain {
    type Args = NoArgs;
    type Value = String;

    const NAME: &str = "plain";
    const DESCRIPTION: &str = "Say \"hello\".";

    fn execute(_args: NoArgs, _context: &Context) -> Result<String, ToolError> {
        Ok("hello".into())
    }
}

struct Full;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Wide {
    wide: i128,
}

impl Tool for Full {
    type Args = NoArgs;
    type Value = bool;

    const NAME: &str = "full";
    const TITLE: Option<&str> = Some("Full");
    const DESCRIPTION: &str = "All there is.";
    const ANNOTATIONS: ToolAnnotations = ToolAnnotations::new().read_only(true).open_world(false);
    const CONCURRENCY: Concurrency = Concurrency::Parallel;
    const TIME_LIMIT_MS: Option<u32> = Some(1000);

    fn execute(_args: NoArgs, _context: &Context) -> Result<bool, ToolError> {
        Ok(true)
    }
}

struct Faulty;

impl Tool for Faulty {
    type Args = Wide;
    type Value = Wide;

    const NAME: &str = "faulty";
    const DESCRIPTION: &str = "Too wide.";

    fn execute(args: Wide, _context: &Context) -> Result<Wide, ToolError> {
        Ok(args)
    }
}

const PACKAGE: Package = Package {
    name: "two_tools",
    version: "1.2.3",
    description: "Two.",
    authors: "A <a@a.test>:B",
    license: "MIT",
    homepage: "",
    repository: "https://a.test/",
};

#[test]
fn a_manifest_says_what_the_constants_say() {
    let mut description = Description::of(&PACKAGE);
    description.tool::<Plain>();
    description.tool::<Full>();
    let expected = concat!(
        r#"{"name":"two-tools","version":"1.2.3","description":"Two.","#,
        r#""package":{"publisher":"A <a@a.test>, B","license":"MIT","source":"https://a.test/"},"#,
        r#""tools":[{"name":"plain","description":"Say \"hello\".","#,
        r#""inputSchema":{"type":"object","additionalProperties":false},"outputSchema":{"type":"string"},"#,
        r#""annotations":{},"concurrency":"exclusive"},"#,
        r#"{"name":"full","title":"Full","description":"All there is.","#,
        r#""inputSchema":{"type":"object","additionalProperties":false},"outputSchema":{"type":"boolean"},"#,
        r#""annotations":{"readOnlyHint":true,"openWorldHint":false},"concurrency":"parallel","timeLimitMs":1000}]}"#,
    );
    assert_eq!(description.finish().as_deref(), Ok(expected));
}

#[test]
fn every_fault_is_named_with_its_tool() {
    let mut description = Description::of(&Package { description: "", ..PACKAGE });
    description.tool::<Faulty>();
    description.tool::<Plain>();
    let why = "a 128-bit integer, on which readers of JSON do not agree; take a u64 or a text";
    let expected = format!(
        "package: write a `description` in Cargo.toml\nfaulty: Args at /properties/wide: {why}\n\
         faulty: Value at /properties/wide: {why}"
    );
    assert_eq!(description.finish(), Err(expected));
}
