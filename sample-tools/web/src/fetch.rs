//! `web_fetch`: what is at a URL.

use std::borrow::Cow;

use fumehood_tool::{
    Card, Concurrency, Content, Context, GenericCard, Tool, ToolAnnotations, ToolError, ToolKind, WebCard,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::body::{Body, Kind};
use crate::outside::{Outside, URL_BYTES, URL_PATTERN, get, parse};
use crate::page::Page;
use crate::{html, http};

pub struct Fetch;

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// The whole URL, with http:// or https://, without a user name or password.
    #[schemars(length(max = URL_BYTES), regex(pattern = "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]"))]
    url: String,
    /// How many characters the text leaves out at its start, to see the next page. The URL is fetched again.
    #[serde(default)]
    skip: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Value {
    /// Where the answer came from: the URL as asked for, in its one spelling, or the last that it redirects to.
    #[schemars(length(max = URL_BYTES), regex(pattern = URL_PATTERN))]
    url: String,
    /// The HTTP status of that answer.
    #[schemars(range(min = 100, max = 599))]
    status_code: u16,
    body: Body,
    /// Whether the body is longer than 1 MiB, and its rest was not kept.
    truncated: bool,
}

impl Fetch {
    /// A status such as 404 is an answer like any other: what the server says about it is in the body.
    fn run(outside: &dyn Outside, args: Args) -> Result<Value, ToolError> {
        let url = parse(&args.url).map_err(|error| ToolError::InvalidArgs(format!("url {:?}: {error}", args.url)))?;
        let (url, response) = get(outside, url, "text/html, application/json;q=0.9, text/*;q=0.8, */*;q=0.1")?;
        Ok(Value {
            url: url.into(),
            status_code: response.status,
            body: Body::of(&response),
            truncated: response.truncated,
        })
    }

    fn pending(args: &Args) -> Card {
        GenericCard::new(format!("Fetch {}", args.url)).kind(ToolKind::Fetch).into()
    }

    fn finished(args: &Args, value: &Value) -> Card {
        // For whoever looks at the card it is all the same who left something out.
        let (text, cut) = value.text();
        let truncated = cut || Page::of(&text, args.skip).is_part();
        let Value { url, status_code: status, .. } = value;
        WebCard::fetch(format!("Fetch {url}"), url, *status).truncated(truncated).into()
    }
}

impl Tool for Fetch {
    type Args = Args;
    type Value = Value;

    const NAME: &str = "web_fetch";
    const TITLE: Option<&str> = Some("Fetch a page");
    const DESCRIPTION: &str = "Fetch what is at a URL with GET and read it as text: HTML turned into Markdown-like \
                               text with its links, JSON and plain text as they are, everything else left out. A \
                               status such as 404 is an answer, not a failure. Up to 5 redirects are followed. \
                               Fails where the operator does not allow the host.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(true);
    const CONCURRENCY: Concurrency = Concurrency::Parallel;
    const TIME_LIMIT_MS: Option<u32> = Some(30000);

    fn execute(args: Args, context: &Context) -> Result<Value, ToolError> {
        Self::run(&http::Host(context), args)
    }

    fn render(args: &Args, value: &Value) -> Content {
        let Value { url, status_code, body, .. } = value;
        let (text, cut) = value.text();
        let page = Page::of(&text, args.skip);
        let shown = match (body.kind, &body.media_type) {
            (Kind::Binary, Some(name)) => format!("(left out: {name} is not text)"),
            (Kind::Binary, None) => "(left out: it is not text)".to_owned(),
            _ if text.is_empty() && cut => "(no text in what was kept)".to_owned(),
            _ if text.is_empty() => "(no text)".to_owned(),
            _ => page.text.trim_end().to_owned() + &page.footer(cut),
        };
        format!("Fetched {url} (HTTP {status_code})\n\n{shown}").into()
    }

    fn present(args: &Args, value: Option<&Value>) -> Option<Card> {
        Some(value.map_or_else(|| Self::pending(args), |value| Self::finished(args, value)))
    }
}

impl Value {
    /// The body to be read, and whether something is missing at its end.
    fn text(&self) -> (Cow<'_, str>, bool) {
        match self.body.kind {
            Kind::Html => {
                let (text, cut) = html::text(&self.body.content, Url::parse(&self.url).ok());
                (text.into(), cut || self.truncated)
            }
            Kind::Json | Kind::Text => (self.body.content.as_str().into(), self.truncated),
            Kind::Binary => ("".into(), true),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use fumehood_tool::WebResults;

    use super::*;
    use crate::outside::Response;
    use crate::outside::tests::Canned;

    fn fetch(url: &str, response: Response) -> Result<Value, ToolError> {
        let web = Canned { answers: HashMap::from([("https://a.test/x", response)]), ..Canned::default() };
        Fetch::run(&web, Args { url: url.into(), skip: 0 })
    }

    fn text(skip: u64, value: &Value) -> String {
        Fetch::render(&Args { url: String::new(), skip }, value).as_text().unwrap().to_owned()
    }

    #[test]
    fn a_page_and_its_pages() {
        let body = format!("<h1>A</h1><p>{}", "word ".repeat(20_000)).into_bytes();
        let content_type = Some("text/html".into());
        let response = Response { status: 200, content_type, body, ..Response::default() };
        let value = fetch("https://a.test/x", response).unwrap();
        let json = serde_json::to_string(&value).unwrap();
        assert!(
            json.starts_with(r#"{"url":"https://a.test/x","statusCode":200,"body":{"kind":"html","content":"<h1>"#)
        );
        assert!(json.ends_with(r#""},"truncated":false}"#));
        let args = |skip| Args { url: String::new(), skip };
        let read = serde_json::from_str(&json).unwrap();
        let first = text(0, &read);
        assert!(first.starts_with("Fetched https://a.test/x (HTTP 200)\n\n# A\n\nword word"), "{first}");
        assert!(first.ends_with("word\n\n(characters 1 to 51200 of 100004; go on with skip 51200)"), "{first}");
        let last = text(51_200, &read);
        assert!(last.ends_with("word\n\n(characters 51201 to 100004 of 100004)"), "{last}");
        let Card::Web(WebCard { results: WebResults::Fetch(card), .. }) = Fetch::finished(&args(0), &value) else {
            panic!("no fetch card")
        };
        assert!(card.truncated);
    }

    #[test]
    fn what_is_no_text() {
        let check = |content_type: &str, body: &[u8], expect: &str| {
            let content_type = Some(content_type.to_owned());
            let response = Response { status: 200, content_type, body: body.to_vec(), ..Response::default() };
            let value = fetch("https://a.test/x", response).unwrap();
            let text = text(0, &value);
            assert_eq!(text.lines().last(), Some(expect));
        };
        check("image/png", b"x", "(left out: image/png is not text)");
        check("", b"\0", "(left out: it is not text)");
        check("text/html", b"<script>x</script>", "(no text)");
    }

    /// The schema takes what looks like a URL and is none: `execute` returns no such value, but the projectors may get one.
    #[test]
    fn what_only_looks_like_a_url_is_shown_as_it_is() {
        let body = Body { kind: Kind::Html, content: "<a href=x>y</a>".into(), media_type: None };
        let value = Value { url: "http://a:99999/".into(), status_code: 200, body, truncated: false };
        assert_eq!(text(0, &value), "Fetched http://a:99999/ (HTTP 200)\n\ny");
        let args = Args { url: String::new(), skip: 0 };
        assert!(matches!(Fetch::finished(&args, &value), Card::Web(_)));
    }

    #[test]
    fn a_bad_url() {
        let Err(ToolError::InvalidArgs(message)) = fetch("a.test/x", Response::default()) else { panic!("it passed") };
        assert_eq!(message, "url \"a.test/x\": not a whole URL; begin it with https://");
    }
}
