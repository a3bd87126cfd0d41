//! What a reviewer is given, in the types of its interface. The way back is in [`super::convert`].

use crate::bindings::fumehood::tool::types as wit;
use crate::bindings::review::exports::fumehood::review::reviewer;
use crate::card::{Card, ExitStatus, SearchResults, ToolKind, WebResults};
use crate::content::{Annotations, ContentBlock, EmbeddedResource, ResourceBody, Role};

pub(crate) use reviewer::FailureKind as GuestFailureKind;

/// A draft as it goes over the border. It is a copy: what is lowered into a guest is laid out once more there.
pub(crate) struct GuestDraft(pub(super) reviewer::Draft);

impl GuestDraft {
    pub(crate) fn of_success(
        tool: &str,
        args: &str,
        nested: bool,
        value: &str,
        content: &[ContentBlock],
        card: Option<&Card>,
    ) -> Self {
        let (content, card) = (content.iter().map(block).collect(), card.map(self::card));
        let success = reviewer::Success { value: value.to_owned(), content, card };
        Self::of(tool, args, nested, reviewer::Outcome::Success(success))
    }

    pub(crate) fn of_failure(
        tool: &str,
        args: &str,
        nested: bool,
        (kind, code, message): (GuestFailureKind, &str, &str),
        content: &[ContentBlock],
        details: Option<String>,
    ) -> Self {
        let content = content.iter().map(block).collect();
        let (code, message) = (code.to_owned(), message.to_owned());
        let failure = reviewer::Failure { kind, code, message, content, details };
        Self::of(tool, args, nested, reviewer::Outcome::Failure(failure))
    }

    fn of(tool: &str, args: &str, nested: bool, outcome: reviewer::Outcome) -> Self {
        Self(reviewer::Draft { tool: tool.to_owned(), args: args.to_owned(), nested, outcome })
    }
}

fn block(block: &ContentBlock) -> wit::ContentBlock {
    match block.clone() {
        ContentBlock::Text { text, annotations } => {
            wit::ContentBlock::Text(wit::TextContent { text, annotations: annotations.map(self::annotations) })
        }
        ContentBlock::Image { data, mime_type, annotations } => {
            wit::ContentBlock::Image(media(data.0, mime_type, annotations))
        }
        ContentBlock::Audio { data, mime_type, annotations } => {
            wit::ContentBlock::Audio(media(data.0, mime_type, annotations))
        }
        ContentBlock::ResourceLink { uri, name, title, description, mime_type, size, annotations } => {
            let annotations = annotations.map(self::annotations);
            let link = wit::ResourceLink { uri, name, title, description, mime_type, size, annotations };
            wit::ContentBlock::ResourceLink(link)
        }
        ContentBlock::Resource { resource: EmbeddedResource { uri, mime_type, body }, annotations } => {
            let body = match body {
                ResourceBody::Text(text) => wit::ResourceBody::Text(text),
                ResourceBody::Blob(data) => wit::ResourceBody::Blob(data.0),
            };
            let annotations = annotations.map(self::annotations);
            wit::ContentBlock::Resource(wit::EmbeddedResource { uri, mime_type, body, annotations })
        }
    }
}

fn media(data: Vec<u8>, mime_type: String, annotations: Option<Annotations>) -> wit::MediaContent {
    wit::MediaContent { data, mime_type, annotations: annotations.map(self::annotations) }
}

fn annotations(annotations: Annotations) -> wit::Annotations {
    let Annotations { audience, priority, last_modified } = annotations;
    let role = |role| match role {
        Role::User => wit::Role::User,
        Role::Assistant => wit::Role::Assistant,
    };
    wit::Annotations { audience: audience.into_iter().map(role).collect(), priority, last_modified }
}

fn card(card: &Card) -> wit::Card {
    match card.clone() {
        Card::Generic { title, kind, input, body, locations } => {
            let locations = locations.into_iter().map(|place| wit::Location { path: place.path, line: place.line });
            wit::Card::Generic(wit::GenericCard {
                title,
                kind: kind.map(tool_kind),
                input: input.map(|input| input.to_string()),
                body: body.iter().map(block).collect(),
                locations: locations.collect(),
            })
        }
        Card::Terminal { title, description, cwd, output, exit, timed_out } => {
            let exit = exit.map(|exit| match exit {
                ExitStatus::Code(code) => wit::ExitStatus::Code(code),
                ExitStatus::Signal(signal) => wit::ExitStatus::Signal(signal),
            });
            wit::Card::Terminal(wit::TerminalCard { title, description, cwd, output, exit, timed_out })
        }
        Card::Diff { title, diffs } => {
            let diffs = diffs.into_iter().map(|diff| wit::FileDiff { path: diff.path, old: diff.old, new: diff.new });
            wit::Card::Diff(wit::DiffCard { title, diffs: diffs.collect() })
        }
        Card::Read { title, path, offset, lines, total_lines, language } => {
            let lines = lines.into_iter().map(|line| wit::NumberedLine { number: line.number, text: line.text });
            wit::Card::Read(wit::ReadCard { title, path, offset, lines: lines.collect(), total_lines, language })
        }
        Card::Search { title, results } => wit::Card::Search(wit::SearchCard { title, results: search(results) }),
        Card::Web { title, results } => wit::Card::Web(wit::WebCard { title, results: web(results) }),
    }
}

fn search(results: SearchResults) -> wit::SearchResults {
    match results {
        SearchResults::Matches { files, truncated, total } => {
            let files = files.into_iter().map(|file| {
                let found = file.matches.into_iter();
                let found = found.map(|found| wit::LineMatch { line_number: found.line_number, line: found.line });
                wit::FileMatches { path: file.path, matches: found.collect() }
            });
            wit::SearchResults::Matches(wit::MatchResults { files: files.collect(), truncated, total })
        }
        SearchResults::Paths { paths, truncated, total } => {
            wit::SearchResults::Paths(wit::PathResults { paths, truncated, total })
        }
    }
}

fn web(results: WebResults) -> wit::WebResults {
    match results {
        WebResults::Search { sources, answer, truncated } => {
            let sources = sources.into_iter().map(|source| wit::WebSource {
                url: source.url,
                title: source.title,
                snippet: source.snippet,
                published: source.published,
            });
            wit::WebResults::Search(wit::WebSearch { sources: sources.collect(), answer, truncated })
        }
        WebResults::Fetch { url, status, truncated } => {
            wit::WebResults::Fetch(wit::WebFetch { url, status, truncated })
        }
    }
}

fn tool_kind(kind: ToolKind) -> wit::ToolKind {
    match kind {
        ToolKind::Read => wit::ToolKind::Read,
        ToolKind::Edit => wit::ToolKind::Edit,
        ToolKind::Delete => wit::ToolKind::Delete,
        ToolKind::Move => wit::ToolKind::Move,
        ToolKind::Search => wit::ToolKind::Search,
        ToolKind::Execute => wit::ToolKind::Execute,
        ToolKind::Fetch => wit::ToolKind::Fetch,
        ToolKind::Other => wit::ToolKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::convert;
    use super::*;
    use crate::policy::{Limits, Usage};

    /// What goes to a reviewer is what would come back from a projector: nothing is lost on the way.
    #[test]
    fn every_block_and_every_card_comes_back_as_it_went() {
        let blocks: Vec<ContentBlock> = serde_json::from_value(json!([
            { "type": "text", "text": "a", "annotations": { "audience": ["user"], "priority": 0.5, "lastModified": "2026-11-29T08:30:00Z" } },
            { "type": "image", "data": "AAEC", "mimeType": "image/png" },
            { "type": "audio", "data": "AAEC", "mimeType": "audio/wav" },
            { "type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "description": "b", "mimeType": "text/plain", "size": 3 },
            { "type": "resource", "resource": { "uri": "file:///a", "text": "t" } },
            { "type": "resource", "resource": { "uri": "file:///a", "mimeType": "image/png", "blob": "AAEC" } },
        ]))
        .unwrap();
        let limits = Limits::standard();
        let back = convert::content(blocks.iter().map(block).collect(), &limits, &mut Usage::none(limits));
        assert_eq!(back.as_deref(), Ok(blocks.as_slice()));
        for given in [
            json!({ "card": "generic", "title": "t", "kind": "edit", "input": { "a": [1, "ü"] }, "body": blocks, "locations": [{ "path": "p", "line": 3 }] }),
            json!({ "card": "terminal", "title": "t", "description": "d", "cwd": "/c", "output": "o", "exit": { "code": 3 }, "timedOut": false }),
            json!({ "card": "terminal", "title": "t", "output": "o", "exit": { "signal": "SIGKILL" }, "timedOut": true }),
            json!({ "card": "diff", "title": "t", "diffs": [{ "path": "p", "old": "o", "new": "n" }, { "path": "q", "new": "n" }] }),
            json!({ "card": "read", "title": "t", "path": "p", "offset": 2, "lines": [{ "number": 2, "text": "x" }], "totalLines": 9, "language": "rust" }),
            json!({ "card": "search", "title": "t", "results": { "matches": { "files": [{ "path": "p", "matches": [{ "lineNumber": 1, "line": "l" }] }], "truncated": false, "total": 1 } } }),
            json!({ "card": "search", "title": "t", "results": { "paths": { "paths": ["p"], "truncated": true, "total": 2 } } }),
            json!({ "card": "web", "title": "t", "results": { "search": { "sources": [{ "url": "https://a.b", "title": "t", "snippet": "s", "published": "p" }], "answer": "a", "truncated": false } } }),
            json!({ "card": "web", "title": "t", "results": { "fetch": { "url": "https://a.b", "status": 200, "truncated": true } } }),
        ] {
            let given: Card = serde_json::from_value(given).unwrap();
            let back = convert::card(card(&given), true, &limits, &mut Usage::none(limits));
            assert_eq!(back, Ok(given));
        }
    }
}
