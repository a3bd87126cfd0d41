//! `flaky`: every way a tool may fail, on request. For trying out a host, and what sits on top of one.
//!
//! `how` lists the ways, `misdeeds` holds what several exports have in common; here each export does what it is asked.

mod how;
mod misdeeds;

use serde::Deserialize;

use exports::fumehood::tool::tool::Guest;
use fumehood::tool::types::*;
use how::How;
use misdeeds::{endless, hungry, noisy, recursive};

wit_bindgen::generate!({ world: "tool-component", path: "../../wit" });

struct Flaky;

// Without this line `cargo test` runs everything else natively.
#[cfg(target_family = "wasm")]
export!(Flaky);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    how: How,
}

/// More than any host takes in one piece.
const HUGE: usize = 64 << 20;

impl Guest for Flaky {
    fn execute(_tool: String, args: String) -> Result<String, ToolError> {
        let Args { how } = serde_json::from_str(&args).map_err(|error| ToolError::InvalidArgs(error.to_string()))?;
        let failure = |code: &str, data: Option<&str>| {
            let message = "flaky was asked to fail".to_owned();
            Err(ToolError::Failed(Failure { code: code.into(), message, data: data.map(str::to_owned) }))
        };
        match how {
            How::InvalidArgs => Err(ToolError::InvalidArgs("flaky was asked to find its arguments senseless".into())),
            How::NotFound => Err(ToolError::NotFound("flaky was asked to find nothing".into())),
            How::Denied => Err(ToolError::Denied("flaky was asked to be refused".into())),
            How::Unavailable => Err(ToolError::Unavailable("flaky was asked to be busy".into())),
            How::Failed => failure("FLAKY", Some(r#"{"asked":true}"#)),
            How::FailedBadCode => failure("no code: lower case, blanks", None),
            How::FailedBadData => failure("FLAKY", Some("{no JSON")),

            How::PanicInExecute => panic!("flaky was asked to panic in execute"),
            How::LoopInExecute => endless(),
            How::MemoryInExecute => hungry(),
            How::RecursionInExecute => Ok(recursive(0).to_string()),
            How::ExitInExecute => std::process::exit(3),

            How::ValueOffSchema => Ok(r#"{"how":7}"#.into()),
            How::ValueNotJson => Ok("{how: success}".into()),
            How::ValueDuplicateKeys => Ok(r#"{"how":"success","h\u006fw":"failed"}"#.into()),
            How::ValueTooDeep => Ok("[".repeat(200) + &"]".repeat(200)),
            How::ValueHuge => Ok(value(how, &"x".repeat(HUGE))),

            How::Progress => {
                for done in 1..=3 {
                    fumehood::tool::progress::report(done, Some(3), Some(&format!("step {done}")));
                }
                Ok(value(how, "3 steps"))
            }
            How::Noise => {
                noisy("execute");
                Ok(value(how, "two lines"))
            }
            How::ClockInExecute => Ok(value(how, &misdeeds::clock())),
            How::FileInExecute => misdeeds::file().map(|seen| value(how, &seen)).map_err(ToolError::Denied),
            How::RandomInExecute => Ok(value(how, &misdeeds::random())),
            _ => Ok(value(how, "as asked")),
        }
    }

    fn render(_tool: String, args: String, _value: String) -> Result<Vec<ContentBlock>, String> {
        let Args { how } = read(&args)?;
        let media = |mime_type: &str| {
            ContentBlock::Image(MediaContent { data: vec![0], mime_type: mime_type.into(), annotations: None })
        };
        Ok(match how {
            How::PanicInRender => panic!("flaky was asked to panic in render"),
            How::ErrorInRender => return Err("flaky was asked to err in render".into()),
            How::LoopInRender => endless(),
            How::MemoryInRender => hungry(),
            How::RecursionInRender => vec![text(&recursive(0).to_string())],

            How::ContentHuge => vec![text(&"x".repeat(HUGE))],
            How::ContentManyBlocks => vec![text("x"); 200_000],
            How::ContentBadMime => vec![media("no media type")],
            How::ContentNanPriority => vec![ContentBlock::Text(TextContent {
                text: "x".into(),
                annotations: Some(Annotations { audience: vec![], priority: Some(f64::NAN), last_modified: None }),
            })],
            How::ContentBadUri => vec![ContentBlock::ResourceLink(ResourceLink {
                uri: "no uri".into(),
                name: "x".into(),
                title: None,
                description: None,
                mime_type: None,
                size: None,
                annotations: None,
            })],

            How::Noise => {
                noisy("render");
                vec![text("two lines")]
            }
            How::ClockInRender => vec![text(&misdeeds::clock())],
            How::FileInRender => vec![text(&misdeeds::file().unwrap_or_else(|error| error))],
            How::RandomInRender => vec![text(&misdeeds::random())],
            How::EnvironmentInRender => vec![text(&format!("{:?}", std::env::var_os("HOME")))],
            How::ProgressInRender => {
                fumehood::tool::progress::report(1, None, None);
                vec![text("reported")]
            }
            _ => vec![text("as asked")],
        })
    }

    fn present(_tool: String, args: String, value: Option<String>) -> Result<Option<Card>, String> {
        let Args { how } = read(&args)?;
        match how {
            How::PanicInPresent => panic!("flaky was asked to panic in present"),
            How::ErrorInPresent => return Err("flaky was asked to err in present".into()),
            How::LoopInPresent => endless(),
            How::Noise => noisy("present"),
            _ => {}
        }
        // The malformed cards are finished ones: their calls start as any other.
        if value.is_none() {
            return Ok(None);
        }
        let title = "As asked".to_owned();
        let generic = |input: Option<String>, body| GenericCard {
            title: "As asked".into(),
            kind: None,
            input,
            body,
            locations: vec![],
        };
        let line = |number| NumberedLine { number, text: "x".into() };
        Ok(match how {
            How::CardBadLines => Some(Card::Read(ReadCard {
                title,
                path: "x".into(),
                offset: 1,
                lines: vec![line(2), line(1), line(9)],
                total_lines: 3,
                language: None,
            })),
            How::CardNoDiffs => Some(Card::Diff(DiffCard { title, diffs: vec![] })),
            How::CardBadInput => Some(Card::Generic(generic(Some("{no JSON".into()), vec![]))),
            How::CardBadUrl => Some(Card::Web(WebCard {
                title,
                results: WebResults::Fetch(WebFetch {
                    url: "javascript:alert(1)".into(),
                    status: 200,
                    truncated: false,
                }),
            })),
            How::CardHuge => Some(Card::Generic(generic(None, vec![text(&"x".repeat(HUGE))]))),
            _ => None,
        })
    }
}

fn read(args: &str) -> Result<Args, String> {
    serde_json::from_str(args).map_err(|error| error.to_string())
}

fn value(how: How, seen: &str) -> String {
    serde_json::json!({ "how": how, "seen": seen }).to_string()
}

fn text(text: &str) -> ContentBlock {
    ContentBlock::Text(TextContent { text: text.into(), annotations: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_and_the_readme_list_every_way() {
        let manifest: serde_json::Value = serde_json::from_str(include_str!("../manifest.json")).unwrap();
        let listed: Vec<How> =
            serde_json::from_value(manifest["tools"][0]["inputSchema"]["properties"]["how"]["enum"].clone()).unwrap();
        assert_eq!(listed, how::ALL.iter().map(|(how, ..)| *how).collect::<Vec<_>>());
        let readme = include_str!("../README.md");
        for (_, name, what) in how::ALL {
            let row = format!("| `{name}` | {} |", what.trim());
            assert!(readme.contains(&row), "README.md lacks: {row}");
        }
    }

    #[test]
    fn a_success_has_a_value_and_a_text() {
        let run = |how: &str| Flaky::execute(String::new(), format!(r#"{{"how":"{how}"}}"#));
        assert_eq!(run("success").unwrap(), r#"{"how":"success","seen":"as asked"}"#);
        assert!(matches!(run("denied"), Err(ToolError::Denied(_))));
        assert!(matches!(run("unheard of"), Err(ToolError::InvalidArgs(_))));
    }
}
