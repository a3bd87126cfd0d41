//! A reviewer that masks secrets in what tools return, before anybody reads it.
//!
//! Of a success it replaces the value: content and card are made from the masked one, and programs get it too. A value
//! keeps its form, since strings alone change. A failure has no value, so its content is replaced, and with it the host
//! replaces message and details.
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
            Outcome::Failure(failure) => of_failure(failure),
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

fn of_failure(Failure { message, content, details, .. }: Failure) -> Result<Verdict, String> {
    let in_details = details.map(|details| document::redacted(&details)).transpose()?.flatten().is_some();
    let hidden = in_details || !secrets(&message).is_empty();
    Ok(match with_content(content) {
        Verdict::Accept if hidden => {
            Verdict::Block("the failure held a secret beside its text and is withheld".to_owned())
        }
        verdict => verdict,
    })
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

    fn failure(message: &str, content: &str, details: Option<&str>) -> Verdict {
        let (kind, code, details) = (FailureKind::Failed, "TOOL_FAILED".into(), details.map(str::to_owned));
        review(Outcome::Failure(Failure { kind, code, message: message.into(), content: vec![text(content)], details }))
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
        let clean = "no such file";
        assert!(matches!(failure(clean, clean, Some(r#"{"error":"not-found"}"#)), Verdict::Accept));
        let verdict = failure(&format!("401 for {TOKEN}"), &format!("TOOL_FAILED: 401 for {TOKEN}"), None);
        let Verdict::AcceptContent(content) = verdict else { panic!("{verdict:?}") };
        let [ContentBlock::Text(masked)] = content.as_slice() else { panic!("{content:?}") };
        assert_eq!(masked.text, "TOOL_FAILED: 401 for [redacted github-token]");
        let details = format!(r#"{{"data":"{TOKEN}"}}"#);
        assert!(matches!(failure(clean, clean, Some(&details)), Verdict::Block(_)));
        assert!(matches!(failure(TOKEN, clean, None), Verdict::Block(_)));
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
