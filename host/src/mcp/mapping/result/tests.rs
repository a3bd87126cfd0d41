use rmcp::model::{CallToolResult, ServerResult};
use serde_json::{Value, json};

use super::super::media::tests::png;
use super::super::overflow::OverflowLimits;
use super::*;
use crate::outcome::Diagnostic;
use crate::policy::{Limits, Usage};
use crate::schema::Canonical;
use crate::{Annotations, Bytes, CanonicalValue, EmbeddedResource, Json, JsonLimits, ResourceBody, Schema, Use};

const SMALL: Budget = Budget { text: 4_000, value: 1_000, media: 2_000, card: 1_000 };

fn canonical(text: &str) -> CanonicalValue {
    let limits = JsonLimits { bytes: 1 << 20, depth: 64, nodes: 100_000 };
    Schema::admit(&json!({}), Use::Output).unwrap().check::<Canonical>(Json::parse(text, &limits).unwrap()).unwrap()
}

fn generic(body: Vec<ContentBlock>) -> Card {
    Card::Generic { title: "t".to_owned(), kind: None, input: None, body, locations: Vec::new() }
}

fn secret() -> Diagnostic {
    Diagnostic {
        cause: Some("/host/secret".to_owned()),
        backtrace: Some(crate::Backtrace { note: Some("/host/secret".to_owned()), ..crate::Backtrace::default() }),
        hint: Some("/host/secret".to_owned()),
        ..Diagnostic::default()
    }
}

fn success(value: &str, content: Vec<ContentBlock>, card: Card) -> Outcome {
    let usage = Usage::none(Limits::standard());
    Outcome::Success(Success { value: canonical(value), content, card, card_cut: None, usage, diagnostic: secret() })
}

fn failure(code: Code, message: &str, details: Option<Value>) -> Failure {
    let mut failure = Failure::new(code, message, Usage::none(Limits::standard()));
    failure.details = details;
    failure.diagnostic = secret();
    failure
}

struct Client {
    store: Overflow,
    budget: Budget,
    wraps: bool,
}

impl Client {
    fn new(budget: Budget) -> Self {
        Self { store: Overflow::new(OverflowLimits::STANDARD), budget, wraps: false }
    }

    fn given(&self, outcome: &Outcome) -> CallToolResult {
        result(outcome, &Wire { wraps: self.wraps, mounted: false, budget: &self.budget, overflow: &self.store })
    }

    /// What arrives, after what the SDK does for peers of the older era.
    fn gets(&self, outcome: &Outcome) -> Value {
        let given = self.given(outcome);
        let sent = serde_json::to_value(&given).unwrap();
        if self.wraps || given.structured_content.as_ref().is_none_or(Value::is_object) {
            let mut legacy = ServerResult::CallToolResult(given);
            legacy.strip_non_object_output_for_legacy_peer();
            assert_eq!(serde_json::to_value(&legacy).unwrap(), sent, "the SDK changed it");
        }
        assert!(!sent.to_string().contains("/host/secret") && !sent.to_string().contains("backtrace"));
        sent
    }

    fn whole(&self, link: &Value) -> Body {
        self.store.get(link["uri"].as_str().unwrap()).expect("it is kept").body.clone()
    }
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn twin(value: &str) -> Value {
    json!({ "type": "text", "text": value, "annotations": { "audience": ["assistant"] } })
}

fn texts(result: &Value) -> usize {
    let blocks = result["content"].as_array().unwrap();
    blocks.iter().filter_map(|block| block["text"].as_str()).map(super::super::budget::sent_len).sum()
}

#[test]
fn a_success_arrives_whole() {
    let outcome = success(r#"{"b":1,"a":[2.0]}"#, vec![ContentBlock::text("two")], generic(Vec::new()));
    let expect = json!({
        "resultType": "complete",
        "content": [text("two"), twin(r#"{"b":1,"a":[2.0]}"#)],
        "structuredContent": { "b": 1, "a": [2.0] },
        "_meta": { "fumehood/card": { "card": "generic", "title": "t", "body": [] } },
    });
    let mut client = Client::new(Budget::STANDARD);
    assert_eq!(client.gets(&outcome), expect);
    assert_eq!(client.gets(&outcome).to_string(), expect.to_string(), "the order of keys too");
    // Any value; under `result` for those who were told so.
    for value in ["null", "[1,2]", "\"s\"", "7", "{\"a\":1}"] {
        let outcome = success(value, Vec::new(), generic(Vec::new()));
        let parsed: Value = serde_json::from_str(value).unwrap();
        client.wraps = false;
        let modern = client.gets(&outcome);
        assert_eq!((&modern["structuredContent"], modern.get("structuredContent").is_some()), (&parsed, true));
        assert_eq!(modern["content"], json!([twin(value)]));
        client.wraps = true;
        let legacy = client.gets(&outcome);
        assert_eq!(legacy["structuredContent"], json!({ "result": parsed }));
        assert_eq!(legacy["content"], json!([twin(value)]));
    }
}

#[test]
fn a_text_that_carries_the_value_has_no_twin() {
    let client = Client::new(Budget::STANDARD);
    let check = |value: &str, block: ContentBlock, twins: usize| {
        let result = client.gets(&success(value, vec![block], generic(Vec::new())));
        assert_eq!(result["content"].as_array().unwrap().len(), 1 + twins, "{value}");
    };
    let hinted = |text: &str, role| ContentBlock::Text {
        text: text.to_owned(),
        annotations: Some(Annotations { audience: vec![role], ..Annotations::default() }),
    };
    check("{\"a\":1}", ContentBlock::text("{\"a\":1}"), 0);
    check("{\"a\":1,\"b\":2}", ContentBlock::text("\n{ \"b\": 2,\n \"a\": 1 }\n"), 0);
    check("[1]", hinted("[1]", Role::Assistant), 0);
    // The twins of these.
    check("[1]", hinted("[1]", Role::User), 1);
    check("[1]", ContentBlock::text("[1.0]"), 1);
    check("[1]", ContentBlock::text("[1] and more"), 1);
    check("\"s\"", ContentBlock::text("s"), 1);
    check("\"s\"", ContentBlock::text("\"s\""), 0);
    check("{\"a\":1}", ContentBlock::text("{\"a\":2}"), 1);
    let link = ContentBlock::ResourceLink {
        uri: "https://example.com/".to_owned(),
        name: "7".to_owned(),
        title: None,
        description: None,
        mime_type: None,
        size: None,
        annotations: None,
    };
    check("7", link, 1);
}

#[test]
fn a_failure_is_text_and_tells_the_four_ends_apart() {
    let client = Client::new(Budget::STANDARD);
    let cases = [
        (Code::UnknownTool, "failed"),
        (Code::InvalidArgs, "failed"),
        (Code::Denied, "refused"),
        (Code::InvalidToolOutput, "failed"),
        (Code::ToolFailed, "failed"),
        (Code::ToolTrapped, "aborted"),
        (Code::ToolTimeout, "aborted"),
        (Code::ResourceExhausted, "aborted"),
        (Code::Aborted, "aborted"),
        (Code::AbortedBeforeDispatch, "aborted"),
        (Code::HostFault, "fault"),
    ];
    for (code, kind) in cases {
        for details in [None, Some(json!({ "at": "/a" }))] {
            let failure = failure(code, "so it is", details.clone());
            let more = details.map_or(String::new(), |details| format!(",\"details\":{details}"));
            let expect = json!({
                "resultType": "complete",
                "content": [
                    text(&format!("{code}: so it is")),
                    text(&format!("{{\"kind\":\"{kind}\",\"code\":\"{code}\"{more}}}")),
                ],
                "isError": true,
                "_meta": { "fumehood/failure": { "kind": kind, "code": code.as_str() } },
            });
            assert_eq!(client.gets(&Outcome::Failure(failure)), expect);
        }
    }
}

#[test]
fn a_failure_shows_texts_only_and_its_code_first() {
    let client = Client::new(Budget::STANDARD);
    let mut odd = failure(Code::ToolFailed, "m", None);
    let image = ContentBlock::Image { data: Bytes(png(1, 1)), mime_type: "image/png".to_owned(), annotations: None };
    odd.content = vec![image, ContentBlock::text("one"), ContentBlock::text("two")];
    let content = client.gets(&Outcome::Failure(odd))["content"].take();
    let ending = text(r#"{"kind":"failed","code":"TOOL_FAILED"}"#);
    assert_eq!(content, json!([text("TOOL_FAILED: m"), ending, text("one"), text("two")]));
}

#[test]
fn long_failures_are_cut() {
    let client = Client::new(SMALL);
    let long = "m".repeat(10_000);
    let details = json!({ "long": "d".repeat(10_000) });
    let bytes = details.to_string().len();
    let result = client.gets(&Outcome::Failure(failure(Code::ToolFailed, &long, Some(details))));
    let [first, ending] = result["content"].as_array().unwrap().as_slice() else { panic!("{result}") };
    let first = first["text"].as_str().unwrap();
    assert!(first.starts_with("TOOL_FAILED: mmm") && first.ends_with("mmm"));
    let address = first.split("is at ").nth(1).unwrap().split(' ').next().unwrap();
    assert_eq!(client.whole(&json!({ "uri": address })), Body::Text(format!("TOOL_FAILED: {long}")));
    let ending = serde_json::from_str::<Value>(ending["text"].as_str().unwrap()).unwrap();
    assert_eq!(ending, json!({ "kind": "failed", "code": "TOOL_FAILED", "detailsBytes": bytes }));
    assert!(texts(&result) <= SMALL.text);
}

#[test]
fn texts_over_the_budget_become_one_with_an_address() {
    let client = Client::new(SMALL);
    let image = ContentBlock::Image { data: Bytes(png(1, 1)), mime_type: "image/png".to_owned(), annotations: None };
    let check = |first: usize, second: usize, cut: bool| {
        let (first, second) = ("a".repeat(first), "é\n".repeat(second));
        let content = vec![ContentBlock::text(&first), image.clone(), ContentBlock::text(&second)];
        let result = client.gets(&success("{}", content, generic(Vec::new())));
        assert!(texts(&result) <= SMALL.text, "{}", texts(&result));
        let kinds: Vec<_> = result["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
        if !cut {
            assert_eq!(kinds, ["text", "image", "text", "text"]);
            return;
        }
        assert_eq!(kinds, ["text", "image", "text", "resource_link"]);
        let shown = result["content"][0]["text"].as_str().unwrap();
        assert!(
            shown.starts_with("aaa") && shown.ends_with("é\n") && shown.contains("bytes left out; the whole is at")
        );
        assert_eq!(result["content"][2], twin("{}"));
        let link = &result["content"][3];
        assert!(shown.contains(link["uri"].as_str().unwrap()));
        let whole = format!("{first}\n\n{second}");
        assert_eq!(
            (&link["mimeType"], &link["size"], &link["name"]),
            (&"text/plain".into(), &whole.len().into(), &"text.txt".into())
        );
        assert_eq!(client.whole(link), Body::Text(whole));
    };
    check(100, 100, false);
    check(3_000, 1_000, true);
    check(100_000, 10_000, true);
}

#[test]
fn a_text_that_cannot_be_kept_says_so() {
    let mut client = Client::new(SMALL);
    client.store = Overflow::new(OverflowLimits { bytes: 10, items: 1 });
    let result = client.gets(&success("{}", vec![ContentBlock::text("x".repeat(9_000))], generic(Vec::new())));
    let shown = result["content"][0]["text"].as_str().unwrap();
    assert!(shown.contains("bytes left out, and not kept …]"), "{shown}");
    assert!(!result.to_string().contains("resource_link"));
    let image = vec![0; 3_000];
    let image = ContentBlock::Image {
        data: Bytes([png(1, 1), image].concat()),
        mime_type: "image/png".to_owned(),
        annotations: None,
    };
    let result = client.gets(&success("{}", vec![image], generic(Vec::new())));
    assert_eq!(result["content"][0], text("[image of 3029 bytes, more than fits here, and not kept]"));
}

#[test]
fn a_twin_over_the_budget_is_cut_after_the_rendered_text() {
    let client = Client::new(Budget { value: 100_000, ..SMALL });
    let value = json!({ "a": "v".repeat(5_000) }).to_string();
    let result = client.gets(&success(&value, vec![ContentBlock::text("r".repeat(2_000))], generic(Vec::new())));
    assert_eq!(result["content"][0], text(&"r".repeat(2_000)));
    let cut = result["content"][1]["text"].as_str().unwrap();
    assert!(cut.starts_with("{\"a\":\"v") && cut.ends_with("v\"}"));
    assert_eq!(result["content"][1]["annotations"], json!({ "audience": ["assistant"] }));
    assert_eq!(client.whole(&result["content"][2]), Body::Text(value));
    assert!(result.get("structuredContent").is_some() && texts(&result) <= SMALL.text);
}

#[test]
fn a_value_over_its_bound_is_a_failure_with_an_address() {
    let client = Client::new(SMALL);
    let value = |bytes: usize| format!("\"{}\"", "v".repeat(bytes - 2));
    let rendered = || vec![ContentBlock::text("rendered")];
    let fits = client.gets(&success(&value(SMALL.value), rendered(), generic(Vec::new())));
    assert!(fits.get("isError").is_none() && fits.get("structuredContent").is_some());

    let value = value(SMALL.value + 1);
    let result = client.gets(&success(&value, rendered(), generic(Vec::new())));
    assert_eq!(result["isError"], true);
    assert!(result.get("structuredContent").is_none());
    assert_eq!(result["_meta"], json!({ "fumehood/failure": { "kind": "aborted", "code": "RESOURCE_EXHAUSTED" } }));
    let [message, ending, shown] = result["content"].as_array().unwrap().as_slice() else { panic!("{result}") };
    let message = message["text"].as_str().unwrap();
    assert!(message.starts_with("RESOURCE_EXHAUSTED: the tool has finished, and what it did stands;"));
    assert_eq!(*shown, text("rendered"));
    let mut ending: Value = serde_json::from_str(ending["text"].as_str().unwrap()).unwrap();
    let address = ending["details"]["resource"].take();
    assert!(message.contains(address.as_str().unwrap()));
    assert_eq!(client.whole(&json!({ "uri": address })), Body::Text(value));
    let details = json!({ "finished": true, "bytes": 1_001, "allowed": 1_000, "resource": null });
    assert_eq!(ending, json!({ "kind": "aborted", "code": "RESOURCE_EXHAUSTED", "details": details }));
}

#[test]
fn media_leave_as_what_they_are_or_not_at_all() {
    let client = Client::new(SMALL);
    let check = |block: ContentBlock, expect: Value| {
        let result = client.gets(&success("{}", vec![block], generic(Vec::new())));
        let mut content = result["content"].as_array().unwrap().clone();
        assert_eq!(content.pop(), Some(twin("{}")));
        assert_eq!(Value::Array(content), expect);
    };
    let image = |mime: &str, bytes: &[u8]| ContentBlock::Image {
        data: Bytes(bytes.to_vec()),
        mime_type: mime.to_owned(),
        annotations: Some(Annotations {
            priority: Some(0.9),
            audience: vec![Role::User],
            last_modified: Some("2026-01-01T00:00:00Z".into()),
        }),
    };
    let audio = |mime: &str, bytes: &[u8]| ContentBlock::Audio {
        data: Bytes(bytes.to_vec()),
        mime_type: mime.to_owned(),
        annotations: None,
    };
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, png(2, 3));
    let priority = serde_json::to_value(0.9_f32).unwrap();
    let hints = json!({ "audience": ["user"], "priority": priority, "lastModified": "2026-01-01T00:00:00Z" });
    check(
        image("image/png", &png(2, 3)),
        json!([{ "type": "image", "data": data, "mimeType": "image/png", "annotations": hints }]),
    );
    check(audio("audio/mp3", b"ID3\x04"), json!([{ "type": "audio", "data": "SUQzBA==", "mimeType": "audio/mpeg" }]));
    check(
        image("image/jpeg", &png(2, 3)),
        json!([text("[image withheld: it is declared image/jpeg, and its bytes are not]")]),
    );
    check(
        image("image/svg+xml", b"<svg onload=alert(1)>"),
        json!([text(
            "[image withheld: image/svg+xml is not sent: only png, jpeg, gif, webp, wav, mp3, ogg and flac are]"
        )]),
    );
    check(
        audio("audio/wav", b"ID3\x04"),
        json!([text("[audio withheld: it is declared audio/wav, and its bytes are not]")]),
    );
}

#[test]
fn media_over_the_budget_are_kept_and_linked() {
    let client = Client::new(SMALL);
    let image = |bytes: usize| {
        let data = [png(1, 1), vec![0; bytes - png(1, 1).len()]].concat();
        ContentBlock::Image { data: Bytes(data), mime_type: "image/png".to_owned(), annotations: None }
    };
    let result = client.gets(&success("{}", vec![image(900), image(900), image(100)], generic(Vec::new())));
    let content = result["content"].as_array().unwrap();
    let kinds: Vec<_> = content.iter().map(|block| block["type"].as_str().unwrap()).collect();
    // The second finds no room any more; the third does.
    assert_eq!(kinds, ["image", "text", "resource_link", "image", "text"]);
    let ContentBlock::Image { data, .. } = image(900) else { panic!("an image") };
    assert_eq!(client.whole(&content[2]), Body::Bytes(data.0));
    assert_eq!((&content[2]["mimeType"], &content[2]["size"]), (&"image/png".into(), &900.into()));
    assert!(content[1]["text"].as_str().unwrap().contains(content[2]["uri"].as_str().unwrap()));
}

fn linked(uri: &str) -> ContentBlock {
    ContentBlock::ResourceLink {
        uri: uri.to_owned(),
        name: "n".to_owned(),
        title: Some("t".to_owned()),
        description: Some("d".to_owned()),
        mime_type: Some("text/plain".to_owned()),
        size: Some(9),
        annotations: None,
    }
}

fn embedded(uri: &str, mime: Option<&str>, body: ResourceBody) -> ContentBlock {
    let resource = EmbeddedResource { uri: uri.to_owned(), mime_type: mime.map(str::to_owned), body };
    ContentBlock::Resource { resource, annotations: None }
}

#[test]
fn addresses_are_absolute_and_of_a_harmless_scheme() {
    let client = Client::new(SMALL);
    let first =
        |block: ContentBlock| client.gets(&success("{}", vec![block], generic(Vec::new())))["content"][0].take();
    for uri in ["https://example.com/?q#f", "file:///a/b.txt", "urn:isbn:1", "a+b-c.d:x", "mailto:a@example.com"] {
        let link = json!({ "type": "resource_link", "uri": uri, "name": "n", "title": "t", "description": "d", "mimeType": "text/plain", "size": 9 });
        assert_eq!(first(linked(uri)), link);
        let resource = json!({ "type": "resource", "resource": { "uri": uri, "text": "x" } });
        assert_eq!(first(embedded(uri, None, ResourceBody::Text("x".to_owned()))), resource);
    }
    let long = format!("https://example.com/{}", "x".repeat(2_048));
    let refused = [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "DATA:,x",
        "vbscript:x",
        "blob:x",
        "ui://fumehood/card.html",
        "fumehood://result/00",
        "no-scheme",
        "/path",
        "",
        ":x",
        "https:",
        "1a:x",
        "https://a b/",
        "https://a\u{202e}b/",
        "java\tscript:x",
        &long,
    ];
    for uri in refused {
        for block in [linked(uri), embedded(uri, None, ResourceBody::Text("x".to_owned()))] {
            let note = first(block);
            assert!(
                note["text"].as_str().is_some_and(|text| text.starts_with("[resource withheld: ")),
                "{uri}: {note}"
            );
            assert!(uri.is_empty() || uri.len() < 4 || !note.to_string().contains(uri), "{note}");
        }
    }
}

#[test]
fn embedded_resources_are_carried_or_kept() {
    let client = Client::new(SMALL);
    let gets = |block: ContentBlock| client.gets(&success("{}", vec![block], generic(Vec::new())))["content"].take();
    let uri = "test://x";
    let (text_of, blob) =
        (|text: &str| ResourceBody::Text(text.to_owned()), |bytes: &[u8]| ResourceBody::Blob(Bytes(bytes.to_vec())));
    let carried = |resource: Value| json!({ "type": "resource", "resource": resource });
    assert_eq!(
        gets(embedded(uri, Some("text/css"), text_of("x")))[0],
        carried(json!({ "uri": uri, "mimeType": "text/css", "text": "x" }))
    );
    assert_eq!(gets(embedded(uri, None, blob(b"\0")))[0], carried(json!({ "uri": uri, "blob": "AA==" })));
    assert_eq!(gets(embedded(uri, Some("application/pdf"), blob(b"\0")))[0]["resource"]["mimeType"], "application/pdf");
    // A picture is a picture, however it is carried.
    assert_eq!(gets(embedded(uri, Some("image/png"), blob(&png(1, 1))))[0]["type"], "resource");
    let note = gets(embedded(uri, Some("image/png"), blob(b"<svg>")))[0].take();
    assert_eq!(note, text("[resource withheld: it is declared image/png, and its bytes are not]"));
    let note = gets(embedded(uri, Some("image/svg+xml"), text_of("<svg>")))[0]["text"].take();
    assert!(note.as_str().unwrap().starts_with("[resource withheld: image/svg+xml is not sent"), "{note}");
    // Too much.
    let long = "x".repeat(5_000);
    for (body, kept) in
        [(text_of(&long), Body::Text(long.clone())), (blob(long.as_bytes()), Body::Bytes(long.clone().into_bytes()))]
    {
        let content = gets(embedded(uri, None, body));
        assert_eq!((&content[0]["type"], &content[1]["type"]), (&"text".into(), &"resource_link".into()));
        assert_eq!(client.whole(&content[1]), kept);
    }
}

#[test]
fn many_blocks_stay_within_the_budget() {
    let client = Client::new(SMALL);
    let text_block = || ContentBlock::text("x".repeat(50));
    let blocks: Vec<_> = (0..3_000)
        .map(|index| match index % 4 {
            0 => linked("https://example.com/"),
            1 => embedded("test://x", None, ResourceBody::Text("y".repeat(200))),
            2 => linked("javascript:x"),
            _ => text_block(),
        })
        .collect();
    let result = client.gets(&success("{}", blocks, generic(Vec::new())));
    let sent = result["content"].to_string().len();
    assert!(sent <= SMALL.text + SMALL.media, "{sent}");
    let missing = result["content"].as_array().unwrap().iter().filter_map(|block| block["text"].as_str());
    assert!(missing.clone().any(|text| text.ends_with(" more blocks left out]")), "{:?}", missing.collect::<Vec<_>>());
}

#[test]
fn the_whole_result_stays_under_a_mebibyte() {
    let client = Client::new(Budget::STANDARD);
    let long = "\"\n".repeat(400_000);
    let value = json!(["x".repeat(199_990)]).to_string();
    let image = ContentBlock::Image {
        data: Bytes([png(1, 1), vec![0; 440_000]].concat()),
        mime_type: "image/png".to_owned(),
        annotations: None,
    };
    let card = generic(vec![image.clone(), ContentBlock::text(&long)]);
    let result = client.gets(&success(&value, vec![ContentBlock::text(&long), image.clone(), image], card));
    assert!(result.get("isError").is_none());
    let sent = result.to_string().len();
    assert!((800_000..1 << 20).contains(&sent), "{sent}");
}

#[test]
fn every_card_arrives_and_nothing_withheld_hides_in_one() {
    let client = Client::new(SMALL);
    let card = |card: Card| client.gets(&success("{}", Vec::new(), card))["_meta"]["fumehood/card"].take();
    let terminal = Card::Terminal {
        title: "ls".to_owned(),
        description: None,
        cwd: None,
        output: "\u{1b}[31m".to_owned(),
        exit: Some(crate::ExitStatus::Code(1)),
        timed_out: false,
    };
    assert_eq!(card(terminal.clone()), serde_json::to_value(&terminal).unwrap());
    let image = |bytes: Vec<u8>| ContentBlock::Image {
        data: Bytes(bytes),
        mime_type: "image/png".to_owned(),
        annotations: None,
    };
    let fine = generic(vec![image(png(1, 1)), linked("https://example.com/")]);
    assert_eq!(card(fine.clone()), serde_json::to_value(&fine).unwrap());
    let shown = card(generic(vec![image(b"<svg>".to_vec()), linked("javascript:x"), ContentBlock::text("x")]));
    let body: Vec<_> = shown["body"].as_array().unwrap().iter().map(|block| block["text"].as_str().unwrap()).collect();
    assert!(body[0].starts_with("[image withheld: ") && body[1].starts_with("[resource withheld: ") && body[2] == "x");
}

#[test]
fn a_card_over_its_bound_gives_way_to_one_that_says_so() {
    let client = Client::new(SMALL);
    let long = Card::Diff {
        title: "é".repeat(300),
        diffs: vec![crate::FileDiff { path: "a".to_owned(), old: None, new: "x".repeat(2_000) }],
    };
    let result = client.gets(&success("{}", Vec::new(), long.clone()));
    let card = &result["_meta"]["fumehood/card"];
    assert_eq!((&card["card"], card["title"].as_str().unwrap().chars().count()), (&"generic".into(), 101));
    let note = card["body"][0]["text"].as_str().unwrap();
    let address = note.split("is at ").nth(1).unwrap();
    let Body::Text(whole) = client.whole(&json!({ "uri": address })) else { panic!("text") };
    assert_eq!(serde_json::from_str::<Card>(&whole).unwrap(), long);
    assert!(card.to_string().len() <= SMALL.card);
}

#[test]
fn integers_that_a_double_rounds_are_exact_and_pointed_at() {
    let mut client = Client::new(Budget::STANDARD);
    let mut check = |value: &str, wraps: bool, expect: Value| {
        client.wraps = wraps;
        let result = client.gets(&success(value, Vec::new(), generic(Vec::new())));
        assert_eq!(result["_meta"]["fumehood/unsafeIntegers"], expect, "{value}");
        assert_eq!(result["content"][0]["text"], value);
        let held = if wraps { &result["structuredContent"]["result"] } else { &result["structuredContent"] };
        assert_eq!(held.to_string(), value);
    };
    check("{\"n\":9007199254740991,\"m\":-9007199254740991}", false, Value::Null);
    check("{\"n\":9007199254740992,\"m\":-9007199254740992}", false, json!(["/n", "/m"]));
    check("[18446744073709551615,{\"a/b~c\":[-9223372036854775808]}]", false, json!(["/0", "/1/a~1b~0c/0"]));
    check("[9007199254740993]", true, json!(["/result/0"]));
    check("9007199254740993", true, json!(["/result"]));
    check("9007199254740993", false, json!([""]));
    // Digits that are no integer.
    check("{\"s\":\"9007199254740993\",\"f\":0.30000000000000004,\"g\":1e+300}", false, Value::Null);
    // Too many to name.
    let many = |count: usize| Value::Array(vec![json!(u64::MAX); count]).to_string();
    check(&many(33), false, json!([""]));
    check(&many(33), true, json!(["/result"]));
    let named: Vec<_> = (0..32).map(|index| format!("/{index}")).collect();
    check(&many(32), false, json!(named));
    let key = "k".repeat(3_000);
    check(&format!("{{\"{key}\":18446744073709551615}}"), false, json!([""]));
}
