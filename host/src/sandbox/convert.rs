//! What a projector returns, checked and turned into plain data.

use std::fmt;

use super::meter::Exceeded;
use crate::bindings::fumehood::tool::types as wit;
use crate::card::{
    Card, ExitStatus, FileDiff, FileMatches, LineMatch, Location, NumberedLine, SearchResults, ToolKind, WebResults,
    WebSource,
};
use crate::content::{Annotations, Bytes, ContentBlock, EmbeddedResource, ResourceBody, Role};
use crate::json::{Json, JsonLimits};
use crate::policy::{LimitName, Limits, Usage};

/// A projection that breaks a rule which the types cannot express. It says where and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    Rule { at: String, rule: &'static str },
    Limit(Exceeded),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule { at, rule } => write!(f, "{at}: {rule}"),
            Self::Limit(exceeded) => exceeded.fmt(f),
        }
    }
}

type Checked<T> = Result<T, Malformed>;

fn ensure(holds: bool, at: impl FnOnce() -> String, rule: &'static str) -> Checked<()> {
    if holds { Ok(()) } else { Err(Malformed::Rule { at: at(), rule }) }
}

/// Check and count what `render` returned.
pub(super) fn content(
    blocks: Vec<wit::ContentBlock>,
    limits: &Limits,
    usage: &mut Usage,
) -> Checked<Vec<ContentBlock>> {
    checked_content(blocks.into_iter().map(plain).collect(), limits, usage)
}

/// Check and count content blocks, wherever they come from.
pub(crate) fn checked_content(
    blocks: Vec<ContentBlock>,
    limits: &Limits,
    usage: &mut Usage,
) -> Checked<Vec<ContentBlock>> {
    let blocks = self::blocks(blocks, "content", limits, usage)?;
    let bytes = blocks.iter().map(ContentBlock::byte_len).sum();
    count(LimitName::ContentBytes, bytes, limits, usage)?;
    Ok(blocks)
}

pub(super) fn count(limit: LimitName, used: u64, limits: &Limits, usage: &mut Usage) -> Checked<()> {
    if used > limits.value(limit) {
        return Err(Malformed::Limit(Exceeded::new(limits, limit, used)));
    }
    usage.at_least(limit, used);
    Ok(())
}

fn blocks(mut blocks: Vec<ContentBlock>, at: &str, limits: &Limits, usage: &mut Usage) -> Checked<Vec<ContentBlock>> {
    count(LimitName::ContentBlocks, blocks.len() as u64, limits, usage)?;
    for (index, one) in blocks.iter_mut().enumerate() {
        block(one, &format!("{at}[{index}]"))?;
    }
    Ok(blocks)
}

/// The same block in our own types, nothing checked.
fn plain(block: wit::ContentBlock) -> ContentBlock {
    match block {
        wit::ContentBlock::Text(wit::TextContent { text, annotations }) => {
            ContentBlock::Text { text, annotations: annotations.map(plain_annotations) }
        }
        wit::ContentBlock::Image(wit::MediaContent { data, mime_type, annotations }) => {
            ContentBlock::Image { data: Bytes(data), mime_type, annotations: annotations.map(plain_annotations) }
        }
        wit::ContentBlock::Audio(wit::MediaContent { data, mime_type, annotations }) => {
            ContentBlock::Audio { data: Bytes(data), mime_type, annotations: annotations.map(plain_annotations) }
        }
        wit::ContentBlock::ResourceLink(link) => ContentBlock::ResourceLink {
            uri: link.uri,
            name: link.name,
            title: link.title,
            description: link.description,
            mime_type: link.mime_type,
            size: link.size,
            annotations: link.annotations.map(plain_annotations),
        },
        wit::ContentBlock::Resource(resource) => {
            let body = match resource.body {
                wit::ResourceBody::Text(text) => ResourceBody::Text(text),
                wit::ResourceBody::Blob(data) => ResourceBody::Blob(Bytes(data)),
            };
            ContentBlock::Resource {
                resource: EmbeddedResource { uri: resource.uri, mime_type: resource.mime_type, body },
                annotations: resource.annotations.map(plain_annotations),
            }
        }
    }
}

fn plain_annotations(annotations: wit::Annotations) -> Annotations {
    let wit::Annotations { audience, priority, last_modified } = annotations;
    let role = |role| match role {
        wit::Role::User => Role::User,
        wit::Role::Assistant => Role::Assistant,
    };
    Annotations { audience: audience.into_iter().map(role).collect(), priority, last_modified }
}

fn block(block: &mut ContentBlock, at: &str) -> Checked<()> {
    let annotated = match block {
        ContentBlock::Text { annotations, .. } => annotations,
        ContentBlock::Image { data, mime_type, annotations } => {
            media(data, mime_type, "image/", at)?;
            annotations
        }
        ContentBlock::Audio { data, mime_type, annotations } => {
            media(data, mime_type, "audio/", at)?;
            annotations
        }
        ContentBlock::ResourceLink { uri, name, mime_type, annotations, .. } => {
            self::uri(uri, at)?;
            ensure(!name.is_empty(), || format!("{at}.name"), "is empty")?;
            optional_mime(mime_type.as_deref(), at)?;
            annotations
        }
        ContentBlock::Resource { resource, annotations } => {
            uri(&resource.uri, at)?;
            optional_mime(resource.mime_type.as_deref(), at)?;
            annotations
        }
    };
    annotated.as_mut().map_or(Ok(()), |annotated| annotations(annotated, at))
}

fn media(data: &Bytes, mime_type: &str, family: &str, at: &str) -> Checked<()> {
    let rule = if family == "image/" { "is not image/subtype" } else { "is not audio/subtype" };
    ensure(is_mime(mime_type) && mime_type.starts_with(family), || format!("{at}.mime-type"), rule)?;
    ensure(!data.0.is_empty(), || format!("{at}.data"), "is empty")
}

fn annotations(annotations: &mut Annotations, at: &str) -> Checked<()> {
    let Annotations { audience, priority, last_modified } = annotations;
    // A NaN is in no range.
    let in_range = priority.is_none_or(|priority| (0.0..=1.0).contains(&priority));
    ensure(in_range, || format!("{at}.annotations.priority"), "is not a number from 0 to 1")?;
    let dated = last_modified.as_deref().is_none_or(is_rfc3339);
    ensure(dated, || format!("{at}.annotations.last-modified"), "is not an RFC 3339 date and time")?;
    // Each once: a list of a million would be small here and large in JSON.
    *audience = [Role::User, Role::Assistant].into_iter().filter(|role| audience.contains(role)).collect();
    // -0.0 and 0.0 are the same priority and must be the same bytes.
    *priority = priority.map(|priority| priority + 0.0);
    Ok(())
}

/// RFC 6838 section 4.2: `type/subtype`, without parameters or with them.
fn is_mime(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim_end();
    let name = |part: &str| {
        (1..=127).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
    };
    let parameters_plain = text.bytes().all(|b| (0x20..0x7f).contains(&b));
    parameters_plain && essence.split_once('/').is_some_and(|(family, subtype)| name(family) && name(subtype))
}

fn optional_mime(mime: Option<&str>, at: &str) -> Checked<()> {
    ensure(mime.is_none_or(is_mime), || format!("{at}.mime-type"), "is not type/subtype")
}

/// RFC 3986 section 3.1: a scheme, a colon, and something after it, without blanks or control characters.
fn uri(text: &str, at: &str) -> Checked<()> {
    let scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    };
    let plain = !text.chars().any(|c| c.is_control() || c.is_whitespace());
    let whole = text.split_once(':').is_some_and(|(name, rest)| scheme(name) && !rest.is_empty());
    ensure(plain && whole, || format!("{at}.uri"), "is not an absolute URI")
}

fn web_url(text: &str, at: impl FnOnce() -> String) -> Checked<()> {
    let plain = !text.chars().any(|c| c.is_control() || c.is_whitespace());
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let named = host.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#']));
    ensure(plain && named, at, "is not an http or https URL")
}

/// RFC 3339 section 5.6: `2026-11-29T08:30:00Z`, with a fraction and an offset where wanted.
fn is_rfc3339(text: &str) -> bool {
    let shape = |text: &str, pattern: &str| {
        text.len() == pattern.len()
            && text.bytes().zip(pattern.bytes()).all(|(b, p)| if p == b'0' { b.is_ascii_digit() } else { b == p })
    };
    let Some((stamp, rest)) = text.split_at_checked(19) else { return false };
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if !(1..=9).contains(&(fraction.len() - zone.len())) {
                return false;
            }
            zone
        }
        None => rest,
    };
    shape(stamp, "0000-00-00T00:00:00") && (zone == "Z" || shape(zone, "+00:00") || shape(zone, "-00:00"))
}

/// Check and count what `present` returned. `finished`: the call has a value.
pub(super) fn card(card: wit::Card, finished: bool, limits: &Limits, usage: &mut Usage) -> Checked<Card> {
    let card = convert_card(card, finished, limits, usage)?;
    ensure(!card.title().trim().is_empty(), || "card.title".to_owned(), "is empty")?;
    ensure(!card.title().contains(['\n', '\r']), || "card.title".to_owned(), "is more than one line")?;
    count(LimitName::ContentBytes, card_bytes(&card), limits, usage)?;
    Ok(card)
}

fn convert_card(card: wit::Card, finished: bool, limits: &Limits, usage: &mut Usage) -> Checked<Card> {
    Ok(match card {
        wit::Card::Generic(wit::GenericCard { title, kind, input, body, locations }) => {
            let input = input.map(|text| parse_input(&text, limits)).transpose()?;
            let body = blocks(body.into_iter().map(plain).collect(), "card.body", limits, usage)?;
            let locations = locations.into_iter().map(|place| Location { path: place.path, line: place.line });
            Card::Generic { title, kind: kind.map(tool_kind), input, body, locations: locations.collect() }
        }
        wit::Card::Terminal(wit::TerminalCard { title, description, cwd, output, exit, timed_out }) => {
            let ended = exit.is_some() || timed_out || !finished;
            ensure(ended, || "card.exit".to_owned(), "is missing although the command has ended")?;
            let exit = exit.map(|exit| match exit {
                wit::ExitStatus::Code(code) => ExitStatus::Code(code),
                wit::ExitStatus::Signal(signal) => ExitStatus::Signal(signal),
            });
            Card::Terminal { title, description, cwd, output, exit, timed_out }
        }
        wit::Card::Diff(wit::DiffCard { title, diffs }) => {
            ensure(!diffs.is_empty(), || "card.diffs".to_owned(), "is empty")?;
            let diffs = diffs.into_iter().map(|diff| FileDiff { path: diff.path, old: diff.old, new: diff.new });
            Card::Diff { title, diffs: diffs.collect() }
        }
        wit::Card::Read(card) => read_card(card)?,
        wit::Card::Search(wit::SearchCard { title, results }) => Card::Search { title, results: search(results)? },
        wit::Card::Web(wit::WebCard { title, results }) => Card::Web { title, results: web(results)? },
    })
}

fn parse_input(text: &str, limits: &Limits) -> Checked<serde_json::Value> {
    let json = Json::parse(text, &json_limits(limits))
        .map_err(|_| Malformed::Rule { at: "card.input".to_owned(), rule: "is not JSON the gate accepts" })?;
    Ok(json.value().clone())
}

pub(crate) fn json_limits(limits: &Limits) -> JsonLimits {
    JsonLimits {
        bytes: limits.value(LimitName::ValueBytes),
        depth: u32::try_from(limits.value(LimitName::JsonDepth)).unwrap_or(u32::MAX),
        nodes: limits.value(LimitName::JsonNodes),
    }
}

fn tool_kind(kind: wit::ToolKind) -> ToolKind {
    match kind {
        wit::ToolKind::Read => ToolKind::Read,
        wit::ToolKind::Edit => ToolKind::Edit,
        wit::ToolKind::Delete => ToolKind::Delete,
        wit::ToolKind::Move => ToolKind::Move,
        wit::ToolKind::Search => ToolKind::Search,
        wit::ToolKind::Execute => ToolKind::Execute,
        wit::ToolKind::Fetch => ToolKind::Fetch,
        wit::ToolKind::Other => ToolKind::Other,
    }
}

fn read_card(card: wit::ReadCard) -> Checked<Card> {
    let wit::ReadCard { title, path, offset, lines, total_lines, language } = card;
    let mut last = 0;
    for (index, line) in lines.iter().enumerate() {
        let fits = last < line.number && line.number <= total_lines;
        ensure(fits, || format!("card.lines[{index}].number"), "is out of order or past total-lines")?;
        last = line.number;
    }
    let lines = lines.into_iter().map(|line| NumberedLine { number: line.number, text: line.text }).collect();
    Ok(Card::Read { title, path, offset, lines, total_lines, language })
}

fn search(results: wit::SearchResults) -> Checked<SearchResults> {
    let fits = |shown: u64, total: u64, truncated: bool| {
        let honest = if truncated { shown < total } else { shown == total };
        ensure(honest, || "card.results.total".to_owned(), "does not agree with what is listed and with truncated")
    };
    Ok(match results {
        wit::SearchResults::Matches(wit::MatchResults { files, truncated, total }) => {
            fits(files.iter().map(|file| file.matches.len() as u64).sum(), total, truncated)?;
            let line = |found: wit::LineMatch| LineMatch { line_number: found.line_number, line: found.line };
            let files = files
                .into_iter()
                .map(|file| FileMatches { path: file.path, matches: file.matches.into_iter().map(line).collect() });
            SearchResults::Matches { files: files.collect(), truncated, total }
        }
        wit::SearchResults::Paths(wit::PathResults { paths, truncated, total }) => {
            fits(paths.len() as u64, total, truncated)?;
            SearchResults::Paths { paths, truncated, total }
        }
    })
}

fn web(results: wit::WebResults) -> Checked<WebResults> {
    Ok(match results {
        wit::WebResults::Search(wit::WebSearch { sources, answer, truncated }) => {
            for (index, source) in sources.iter().enumerate() {
                web_url(&source.url, || format!("card.results.sources[{index}].url"))?;
            }
            let sources = sources.into_iter().map(|source| WebSource {
                url: source.url,
                title: source.title,
                snippet: source.snippet,
                published: source.published,
            });
            WebResults::Search { sources: sources.collect(), answer, truncated }
        }
        wit::WebResults::Fetch(wit::WebFetch { url, status, truncated }) => {
            web_url(&url, || "card.results.url".to_owned())?;
            let known = (100..=599).contains(&status);
            ensure(known, || "card.results.status".to_owned(), "is not an HTTP status, 100 to 599")?;
            WebResults::Fetch { url, status, truncated }
        }
    })
}

/// The bytes a card's texts hold. Numbers and the names of fields do not count.
fn card_bytes(card: &Card) -> u64 {
    let of = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let bytes = card.title().len()
        + match card {
            Card::Generic { input, body, locations, .. } => {
                let body: u64 = body.iter().map(ContentBlock::byte_len).sum();
                let input = input.as_ref().map_or(0, |input| input.to_string().len());
                usize::try_from(body).unwrap_or(usize::MAX)
                    + input
                    + locations.iter().map(|place| place.path.len()).sum::<usize>()
            }
            Card::Terminal { description, cwd, output, .. } => of(description) + of(cwd) + output.len(),
            Card::Diff { diffs, .. } => diffs.iter().map(|diff| diff.path.len() + of(&diff.old) + diff.new.len()).sum(),
            Card::Read { path, lines, language, .. } => {
                path.len() + of(language) + lines.iter().map(|line| line.text.len()).sum::<usize>()
            }
            Card::Search { results, .. } => match results {
                SearchResults::Matches { files, .. } => files
                    .iter()
                    .map(|file| file.path.len() + file.matches.iter().map(|found| found.line.len()).sum::<usize>())
                    .sum(),
                SearchResults::Paths { paths, .. } => paths.iter().map(String::len).sum(),
            },
            Card::Web { results, .. } => match results {
                WebResults::Search { sources, answer, .. } => {
                    let source =
                        |one: &WebSource| one.url.len() + of(&one.title) + of(&one.snippet) + of(&one.published);
                    of(answer) + sources.iter().map(source).sum::<usize>()
                }
                WebResults::Fetch { url, .. } => url.len(),
            },
        };
    bytes as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_rfc_3339() {
        for good in ["2026-11-29T08:30:00Z", "2026-11-29T08:30:00.5+02:00", "2026-11-29T08:30:00-00:30"] {
            assert!(is_rfc3339(good), "{good}");
        }
        for bad in ["", "2026-11-29", "2026-11-29T08:30:00", "2026-11-29T08:30:00.Z", "2026-11-29 08:30:00Z", "ä"] {
            assert!(!is_rfc3339(bad), "{bad}");
        }
    }

    #[test]
    fn media_types() {
        for good in ["image/png", "application/vnd.api+json", "text/plain; charset=utf-8"] {
            assert!(is_mime(good), "{good}");
        }
        for bad in ["", "image", "/png", "image/", "image/p ng", "image/png\n"] {
            assert!(!is_mime(bad), "{bad}");
        }
    }

    #[test]
    fn web_addresses() {
        for good in ["https://example.com", "http://[::1]/x"] {
            assert_eq!(web_url(good, String::new), Ok(()), "{good}");
        }
        for bad in ["javascript:alert(1)", "https://", "https:///x", "https://a b", "ftp://example.com"] {
            assert!(web_url(bad, String::new).is_err(), "{bad}");
        }
    }
}
