//! `web_search`: ask the search endpoint of the operator's choice. The README has the protocol.

use fumehood_tool::{
    Card, Code, Concurrency, Content, Context, GenericCard, Tool, ToolAnnotations, ToolError, ToolKind, WebCard,
    WebResults, WebSearch, WebSource,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::body::{Body, Kind};
use crate::http;
use crate::outside::{Outside, URL_PATTERN, get, parse};

pub struct Search;

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// What to search for.
    #[schemars(length(min = 1, max = 1000))]
    query: String,
    /// How many sources to list at most.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = LIMIT_MOST))]
    limit: usize,
}

/// As many as a model looks through.
fn limit() -> usize {
    8
}

/// How many it may ask for.
const LIMIT_MOST: usize = 20;

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// The endpoint's own answer to the query, where it gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// What was found, in the endpoint's order, each URL once.
    #[schemars(length(max = LIMIT_MOST))]
    sources: Vec<Source>,
    /// Whether there were more sources than the limit, or a text was cut.
    truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Source {
    /// http or https.
    #[schemars(regex(pattern = URL_PATTERN))]
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// A few sentences of the page, or about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    /// A date, as the endpoint writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    published_at: Option<String>,
}

/// The variable that holds the URL to ask.
const ENDPOINT: &str = "WEB_SEARCH_ENDPOINT";

const NOT_CONFIGURED: Code = Code::new("NOT_CONFIGURED");
const FAILED: Code = Code::new("SEARCH_FAILED");

/// The longest texts that are kept, in characters: a page of answer, a paragraph of snippet, a line of title, a date.
const ANSWER: usize = 20_000;
const SNIPPET: usize = 2000;
const TITLE: usize = 300;
const DATE: usize = 40;

impl Search {
    fn run(outside: &dyn Outside, args: Args) -> Result<Value, ToolError> {
        let endpoint = outside.variable(ENDPOINT).filter(|text| !text.is_empty()).ok_or_else(|| {
            let message = format!("no search endpoint is configured; grant env={ENDPOINT}=URL, and http to that URL");
            ToolError::failed(NOT_CONFIGURED, message)
        })?;
        let mut url =
            parse(&endpoint).map_err(|error| ToolError::failed(NOT_CONFIGURED, format!("{ENDPOINT}: {error}")))?;
        let limit = args.limit;
        url.query_pairs_mut().append_pair("q", &args.query).append_pair("limit", &limit.to_string());
        let (_, response) = get(outside, url, "application/json")?;
        match response.status {
            200 => {}
            429 | 500.. => {
                return Err(ToolError::Unavailable(format!("the search endpoint says HTTP {}", response.status)));
            }
            status => return Err(ToolError::failed(FAILED, format!("the search endpoint says HTTP {status}"))),
        }
        let body = Body::of(&response);
        let answer = match body.kind {
            Kind::Json if !response.truncated => serde_json::from_str(&body.content).ok(),
            _ => None,
        };
        let value = answer.and_then(|answer| value(&answer, limit));
        value.ok_or_else(|| ToolError::failed(FAILED, "the search endpoint did not answer with a list of results"))
    }

    fn pending(args: &Args) -> Card {
        GenericCard::new(title(args)).kind(ToolKind::Search).into()
    }

    fn finished(args: &Args, value: &Value) -> Card {
        let title = format!("{}: {}", title(args), sources(value.sources.len()));
        let sources = value.sources.iter().cloned().map(|Source { url, title, snippet, published_at: published }| {
            WebSource { url, title, snippet, published }
        });
        let (answer, truncated) = (value.content.clone(), value.truncated);
        Card::Web(WebCard {
            title,
            results: WebResults::Search(WebSearch { sources: sources.collect(), answer, truncated }),
        })
    }
}

impl Tool for Search {
    type Args = Args;
    type Value = Value;

    const NAME: &str = "web_search";
    const TITLE: Option<&str> = Some("Search the web");
    const DESCRIPTION: &str = "Search the web through the endpoint the operator configured. Lists pages with \
                               title, snippet and date where the endpoint gives them, and its own answer where it \
                               has one. Finding nothing is an answer, not a failure.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(true);
    const CONCURRENCY: Concurrency = Concurrency::Parallel;
    const TIME_LIMIT_MS: Option<u32> = Some(30000);

    fn execute(args: Args, context: &Context) -> Result<Value, ToolError> {
        Self::run(&http::Host(context), args)
    }

    fn render(_args: &Args, value: &Value) -> Content {
        let Value { content, sources, truncated } = value;
        let mut text = String::new();
        if let Some(content) = content {
            text += content.trim();
            text += "\n\n";
        }
        text += if sources.is_empty() { "No results found." } else { "Sources:" };
        for Source { url, title, snippet, published_at } in sources {
            text += &match title {
                Some(title) => format!("\n- [{title}]({url})"),
                None => format!("\n- {url}"),
            };
            if let Some(snippet) = snippet {
                text += &format!(": {snippet}");
            }
            if let Some(date) = published_at {
                text += &format!(" ({date})");
            }
        }
        if *truncated {
            text += "\n\n(something was left out; a higher limit, or a narrower query, shows more)";
        }
        text.into()
    }

    fn present(args: &Args, value: Option<&Value>) -> Option<Card> {
        Some(value.map_or_else(|| Self::pending(args), |value| Self::finished(args, value)))
    }
}

fn title(args: &Args) -> String {
    format!("Search {}", args.query)
}

/// `1 source`, `2 sources`.
fn sources(number: usize) -> String {
    format!("{number} source{}", if number == 1 { "" } else { "s" })
}

/// The endpoint's answer. Of a result that has no usable URL nothing is kept, and a field it does not have is not made up.
fn value(answer: &serde_json::Value, limit: usize) -> Option<Value> {
    let mut truncated = false;
    let mut text = |object: &serde_json::Value, names: &[&str], most: usize| {
        let text = names.iter().find_map(|name| object.get(name)?.as_str())?;
        let (text, cut) = line(text, most);
        truncated |= cut;
        Some(text).filter(|text| !text.is_empty())
    };
    let content = text(answer, &["answer"], ANSWER);
    let mut sources: Vec<Source> = Vec::new();
    let mut more = false;
    for result in answer.get("results")?.as_array()? {
        let Some(url) = result.get("url").and_then(|url| Url::parse(url.as_str()?).ok()) else { continue };
        let url = String::from(url);
        // A card shows no other links.
        let usable = url.starts_with("https://") || url.starts_with("http://");
        if !usable || sources.iter().any(|source| source.url == url) {
            continue;
        }
        if sources.len() == limit {
            more = true;
            break;
        }
        sources.push(Source {
            url,
            title: text(result, &["title"], TITLE),
            snippet: text(result, &["snippet", "content"], SNIPPET),
            published_at: text(result, &["publishedAt", "publishedDate"], DATE),
        });
    }
    Some(Value { content, sources, truncated: truncated || more })
}

/// On one line, and whether it had to be cut.
fn line(text: &str, most: usize) -> (String, bool) {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => (line[..end].to_owned() + "…", true),
        None => (line, false),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::outside::Response;
    use crate::outside::tests::Canned;

    fn search(response: Response, most: Option<usize>) -> Result<Value, ToolError> {
        let (asked, limited) =
            ("https://s.test/find?format=json&q=a+b%26c&limit=8", "https://s.test/find?format=json&q=a+b%26c&limit=1");
        let web = Canned {
            answers: HashMap::from([(asked, response.clone()), (limited, response)]),
            variables: HashMap::from([(ENDPOINT, "https://s.test/find?format=json")]),
            ..Canned::default()
        };
        Search::run(&web, Args { query: "a b&c".into(), limit: most.unwrap_or_else(limit) })
    }

    fn json(status: u16, body: &str) -> Response {
        let content_type = Some("application/json".to_owned());
        Response { status, content_type, body: body.as_bytes().to_vec(), ..Response::default() }
    }

    #[test]
    fn answers() {
        let check = |body: &str, limit, expect: &str| {
            let value = search(json(200, body), limit).unwrap();
            assert_eq!(serde_json::to_string(&value).unwrap(), expect, "{body}");
        };
        check(r#"{"results":[]}"#, None, r#"{"sources":[],"truncated":false}"#);
        check(
            r#"{"answer":"Yes.","results":[{"url":"https://a.test","title":"A\n a","snippet":"s","publishedAt":"2026"}]}"#,
            None,
            r#"{"content":"Yes.","sources":[{"url":"https://a.test/","title":"A a","snippet":"s","publishedAt":"2026"}],"truncated":false}"#,
        );
        // As SearXNG has it, with more than we read.
        check(
            r#"{"query":"x","answers":[],"results":[{"url":"http://a.test/","title":"","content":"c","publishedDate":null}]}"#,
            None,
            r#"{"sources":[{"url":"http://a.test/","snippet":"c"}],"truncated":false}"#,
        );
        let several = r#"{"results":[{"url":"javascript:x"},{},7,{"url":"http://a.test"},{"url":"http://a.test/"}"#;
        check(&format!("{several}]}}"), Some(1), r#"{"sources":[{"url":"http://a.test/"}],"truncated":false}"#);
        check(
            &format!("{several},{{\"url\":\"http://b.test\"}}]}}"),
            Some(1),
            r#"{"sources":[{"url":"http://a.test/"}],"truncated":true}"#,
        );
    }

    #[test]
    fn failures() {
        let check = |response: Response, expect: &str| {
            let found = match search(response, None).unwrap_err() {
                ToolError::Failed(failure) => format!("{}: {}", failure.code, failure.message),
                ToolError::Unavailable(message) => message,
                other => panic!("{other:?}"),
            };
            assert_eq!(found, expect);
        };
        check(json(401, "{}"), "SEARCH_FAILED: the search endpoint says HTTP 401");
        check(json(429, "{}"), "the search endpoint says HTTP 429");
        check(json(503, "{}"), "the search endpoint says HTTP 503");
        let no_list = "SEARCH_FAILED: the search endpoint did not answer with a list of results";
        for body in ["", "{}", "[]", r#"{"results":{}}"#] {
            check(json(200, body), no_list);
        }
        check(Response { truncated: true, ..json(200, r#"{"results":[]}"#) }, no_list);
        check(Response { content_type: Some("text/html".into()), ..json(200, r#"{"results":[]}"#) }, no_list);
    }

    #[test]
    fn without_an_endpoint() {
        let args = || Args { query: "x".into(), limit: limit() };
        let Err(ToolError::Failed(failure)) = Search::run(&Canned::default(), args()) else { panic!("it passed") };
        assert_eq!(failure.code, "NOT_CONFIGURED");
        let web = Canned { variables: HashMap::from([(ENDPOINT, "s.test")]), ..Canned::default() };
        let Err(ToolError::Failed(failure)) = Search::run(&web, args()) else { panic!("it passed") };
        assert_eq!(failure.message, "WEB_SEARCH_ENDPOINT: not a whole URL; begin it with https://");
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let body = serde_json::json!({ "results": [{ "url": "https://a.test/", "snippet": "é".repeat(3000) }] });
        let value = search(json(200, &body.to_string()), None).unwrap();
        assert!(value.truncated);
        assert_eq!(value.sources[0].snippet.as_ref().unwrap().chars().count(), 2001);
        let text = Search::render(&Args { query: "x".into(), limit: limit() }, &value);
        assert!(
            text.as_text()
                .unwrap()
                .ends_with("\n\n(something was left out; a higher limit, or a narrower query, shows more)")
        );
    }
}
