//! A reviewer that masks secrets in what tools return, before anybody reads it.
//!
//! Of a success it replaces the value: content and card are made from the masked one, and programs get it too. A value
//! keeps its form, since strings alone change. A failure has no value, so its content is replaced; where the message itself
//! holds a secret, the failure is blocked.
//!
//! `shapes` knows tokens that are recognised by themselves, `pairs` what stands beside a name, `mask` puts both together and
//! `document` walks the value. This file only carries it over the border.

mod document;
mod mask;
mod pairs;
mod shapes;

use exports::fumehood::review::reviewer::{Draft, Failure, Guest, Outcome, Success, Verdict};
use fumehood::tool::types::{ContentBlock, ResourceBody, TextContent};
use mask::{mask, secrets};

wit_bindgen::generate!({
    world: "fumehood:review/review-component",
    path: ["../../wit", "../../wit/review"],
    // Content and cards are the types of a tool's.
    generate_all,
});

struct RedactSecrets;

// The only line that needs WebAssembly: without it `cargo test` runs everything else natively.
#[cfg(target_family = "wasm")]
export!(RedactSecrets);

impl Guest for RedactSecrets {
    fn review(draft: Draft) -> Result<Verdict, String> {
        match draft.outcome {
            Outcome::Success(success) => of_success(success),
            Outcome::Failure(failure) => Ok(of_failure(failure)),
        }
    }
}

fn of_success(Success { value, content, card: _ }: Success) -> Result<Verdict, String> {
    if let Some(masked) = document::redacted(&value)? {
        return Ok(Verdict::AcceptValue(masked));
    }
    // What the content holds beyond the value comes from the arguments: only the model's reading of it can be changed.
    Ok(with_content(content))
}

fn of_failure(Failure { message, content, .. }: Failure) -> Verdict {
    match secrets(&message).first() {
        Some(found) => {
            Verdict::Block(format!("the text of the failure held a secret ({}) and is withheld", found.what))
        }
        None => with_content(content),
    }
}

fn with_content(mut content: Vec<ContentBlock>) -> Verdict {
    let mut changed = false;
    for block in &mut content {
        changed |= redact(block);
    }
    if changed { Verdict::AcceptContent(content) } else { Verdict::Accept }
}

/// Masks the texts of one block. A link to an address with a secret in it gives way to a text: a mask is no address.
fn redact(block: &mut ContentBlock) -> bool {
    let in_address = match &*block {
        ContentBlock::ResourceLink(link) => !secrets(&link.uri).is_empty(),
        ContentBlock::Resource(resource) => !secrets(&resource.uri).is_empty(),
        _ => false,
    };
    if in_address {
        let text = "[redacted address]".to_owned();
        *block = ContentBlock::Text(TextContent { text, annotations: None });
        return true;
    }
    match block {
        ContentBlock::Text(content) => put(&mut content.text),
        ContentBlock::Resource(resource) => match &mut resource.body {
            ResourceBody::Text(text) => put(text),
            ResourceBody::Blob(_) => false,
        },
        ContentBlock::ResourceLink(link) => {
            let mut changed = put(&mut link.name);
            for text in [&mut link.title, &mut link.description].into_iter().flatten() {
                changed |= put(text);
            }
            changed
        }
        ContentBlock::Image(_) | ContentBlock::Audio(_) => false,
    }
}

fn put(text: &mut String) -> bool {
    let masked = mask(text);
    let changed = masked.is_some();
    if let Some(masked) = masked {
        *text = masked;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use exports::fumehood::review::reviewer::FailureKind;
    use fumehood::tool::types::ResourceLink;

    const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

    fn text(text: &str) -> ContentBlock {
        ContentBlock::Text(TextContent { text: text.into(), annotations: None })
    }

    fn review(outcome: Outcome) -> Verdict {
        let draft = Draft { tool: "t".into(), args: "{}".into(), nested: false, outcome };
        RedactSecrets::review(draft).unwrap()
    }

    fn success(value: &str, content: Vec<ContentBlock>) -> Verdict {
        review(Outcome::Success(Success { value: value.into(), content, card: None }))
    }

    fn failure(message: &str, content: Vec<ContentBlock>) -> Verdict {
        let (kind, code) = (FailureKind::Failed, "TOOL_FAILED".into());
        review(Outcome::Failure(Failure { kind, code, message: message.into(), content }))
    }

    #[test]
    fn the_value_goes_before_the_content() {
        let verdict = success(&format!(r#"{{"a":"{TOKEN}"}}"#), vec![text(TOKEN)]);
        let Verdict::AcceptValue(value) = verdict else { panic!("{verdict:?}") };
        assert_eq!(value, r#"{"a":"[redacted github-token]"}"#);
        let verdict = success("{}", vec![text("nothing"), text(TOKEN)]);
        let Verdict::AcceptContent(content) = verdict else { panic!("{verdict:?}") };
        let [ContentBlock::Text(_), ContentBlock::Text(masked)] = content.as_slice() else { panic!("{content:?}") };
        assert_eq!(masked.text, "[redacted github-token]");
        assert!(matches!(success("{}", vec![text("nothing")]), Verdict::Accept));
    }

    #[test]
    fn a_failure_is_masked_or_blocked() {
        assert!(matches!(failure("no such file", vec![text("no such file")]), Verdict::Accept));
        assert!(matches!(failure("no such file", vec![text(TOKEN)]), Verdict::AcceptContent(_)));
        let verdict = failure(&format!("401 for {TOKEN}"), vec![text(TOKEN)]);
        let Verdict::Block(feedback) = verdict else { panic!("{verdict:?}") };
        assert_eq!(feedback, "the text of the failure held a secret (github-token) and is withheld");
    }

    #[test]
    fn a_link_with_a_secret_in_its_address_gives_way() {
        let link = |uri: &str, name: &str| {
            ContentBlock::ResourceLink(ResourceLink {
                uri: uri.into(),
                name: name.into(),
                title: None,
                description: None,
                mime_type: None,
                size: None,
                annotations: None,
            })
        };
        let verdict = success("{}", vec![link("https://me:hunter2@example.com/", "a"), link("https://a.b/", TOKEN)]);
        let Verdict::AcceptContent(content) = verdict else { panic!("{verdict:?}") };
        let [ContentBlock::Text(text), ContentBlock::ResourceLink(link)] = content.as_slice() else {
            panic!("{content:?}")
        };
        assert_eq!(text.text, "[redacted address]");
        assert_eq!(link.name, "[redacted github-token]");
    }
}
