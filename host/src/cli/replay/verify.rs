//! Whether the projectors make of the recorded values what the log says they made.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use fumehood::{
    CallId, CardBudget, Digest, EndedAs, Host, Json, JsonLimits, LogRecord, Passage, Projection, Projector, ProviderId,
    RecordedCard, ReplayedCall, ReviewedAs, Transcript,
};
use serde::Serialize;

use super::flawed;
use crate::cli::exit::Exit;
use crate::cli::host::EngineArgs;
use crate::cli::screen;

/// What is verified.
pub(super) struct Wanted {
    /// Empty: all.
    pub(super) calls: Vec<CallId>,
    pub(super) components: Vec<PathBuf>,
}

/// What became of one call.
enum Checked {
    Same,
    /// What the projectors made is as recorded; what the model read was made of it and cannot be compared. Why.
    InPart(String),
    /// Why.
    Differs(String),
    /// Why.
    Cannot(String),
}

pub(super) async fn run(log: Box<dyn BufRead + Send>, wanted: Wanted, engine: EngineArgs) -> Result<ExitCode, Exit> {
    let mut components = Components::found(&wanted.components, engine.host()?).await?;
    if let Some(nested) = wanted.calls.iter().find(|call| call.parent().is_some()) {
        return Err(Exit::usage(format!("{nested} is a call that a tool made: its value is not recorded")));
    }
    let mut left: BTreeSet<CallId> = wanted.calls.iter().cloned().collect();
    let (mut same, mut in_part, mut differ, mut cannot, mut flaws) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
    for passage in Transcript::new(log) {
        match passage.context("the log cannot be read")? {
            Passage::Flawed { line, flaw } => {
                flawed(line, &flaw);
                flaws += 1;
            }
            Passage::Call(call) if wanted.calls.is_empty() || wanted.calls.contains(&call.id) => {
                left.remove(&call.id);
                // A failure has neither value nor card.
                if call.end.ended != EndedAs::Success {
                    continue;
                }
                match components.check(&call).await {
                    Checked::Same => same += 1,
                    Checked::InPart(why) => {
                        in_part += 1;
                        screen::note(&format!("call {} is verified in part: {why}", call.id));
                    }
                    Checked::Differs(why) => {
                        differ += 1;
                        screen::error(&format!("call {} differs: {why}", call.id));
                    }
                    Checked::Cannot(why) => {
                        cannot += 1;
                        screen::note(&format!("call {} is not verified: {why}", call.id));
                    }
                }
            }
            _ => {}
        }
    }
    for call in &left {
        screen::error(&format!("there is no call {call} in the log"));
    }
    let line = format!("as recorded: {same}, in part: {in_part}, different: {differ}, not verified: {cannot}");
    screen::print(&line).map_err(anyhow::Error::from)?;
    match (differ + flaws + left.len() as u64, same + in_part) {
        (0, 0) => Err(Exit::failed("nothing was verified")),
        (0, _) => Ok(ExitCode::SUCCESS),
        _ => Ok(Exit::failed(String::new()).code()),
    }
}

/// The components that were named, by their digests. One is compiled when a call of it is met.
struct Components {
    host: Host,
    files: BTreeMap<Digest, PathBuf>,
    loaded: BTreeMap<Digest, Result<Projector, String>>,
}

impl Components {
    async fn found(places: &[PathBuf], host: Host) -> Result<Self, Exit> {
        let mut files = BTreeMap::new();
        for path in wasm_files(places)? {
            match fumehood::inspect(path.clone()).await {
                Ok(inspected) => {
                    files.insert(inspected.digest(), path);
                }
                Err(error) => screen::note(&format!("{}: {error}", path.display())),
            }
        }
        Ok(Self { host, files, loaded: BTreeMap::new() })
    }

    async fn check(&mut self, call: &ReplayedCall) -> Checked {
        let Some(asked) = &call.call else {
            return Checked::Cannot("the log does not say what was asked for".to_owned());
        };
        let Some(value) = &call.end.value else {
            return Checked::Cannot("its value is not recorded (--record-values)".to_owned());
        };
        if asked.args_bytes.is_some() {
            return Checked::Cannot("its arguments are not recorded whole".to_owned());
        }
        let digest = match &asked.provider {
            Some(ProviderId::Component { digest, .. }) => *digest,
            Some(ProviderId::Mounted { origin }) => {
                return Checked::Cannot(format!("it ran at {origin}, which has no projectors here"));
            }
            _ => return Checked::Cannot("the log does not say whose tool it is".to_owned()),
        };
        let projector = match self.projector(digest).await {
            Ok(projector) => projector,
            Err(why) => return Checked::Cannot(why),
        };
        // The text that the digest is of: the canonical one.
        let limits = JsonLimits { bytes: LogRecord::MAX_BYTES, depth: JsonLimits::MAX_DEPTH, nodes: u64::MAX };
        let value = match Json::from_value(value.clone(), &limits) {
            Ok(json) => json.text().to_owned(),
            Err(error) => return Checked::Cannot(format!("its value cannot be used: {error}")),
        };
        match projector.project(&asked.tool, &asked.args, &value).await {
            Ok(projection) => compared(call, &value, projection),
            Err(failure) => {
                Checked::Differs(format!("the recorded value comes to {}: {}", failure.code, failure.message))
            }
        }
    }

    async fn projector(&mut self, digest: Digest) -> Result<Projector, String> {
        if let Some(loaded) = self.loaded.get(&digest) {
            return loaded.clone();
        }
        let loaded = match self.files.get(&digest) {
            None => Err(format!("the component {digest} is not among those given")),
            Some(path) => {
                let loaded = self.host.load_projector(path).await;
                loaded.map_err(|error| format!("{}: {error}", path.display()))
            }
        };
        self.loaded.insert(digest, loaded.clone());
        loaded
    }
}

/// Every component in these places.
fn wasm_files(places: &[PathBuf]) -> anyhow::Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    for place in places {
        let named = || place.display().to_string();
        if place.metadata().with_context(named)?.is_dir() {
            for entry in place.read_dir().with_context(named)? {
                let path = entry.with_context(named)?.path();
                if path.extension().is_some_and(|extension| extension == "wasm") {
                    files.insert(path);
                }
            }
        } else {
            files.insert(place.clone());
        }
    }
    Ok(files)
}

/// What was made live beside what is made now. Where a reviewer or a budget changed what was made, the digest of it is what
/// there is to compare.
fn compared(call: &ReplayedCall, value: &str, Projection { content, card, .. }: Projection) -> Checked {
    let end = &call.end;
    let amended = end.reviews.iter().any(|review| review.verdict == ReviewedAs::Content);
    let mut in_part = None;
    let mut differs =
        end.projected.and_then(|projected| digest_of("value", Digest::of(value.as_bytes()), projected.value));
    if amended || end.spilled.is_some() {
        let what =
            if amended { "a reviewer gave the model other content" } else { "the model read a part of the text" };
        in_part = Some(what.to_owned());
        differs = differs.or_else(|| match &end.projected {
            Some(projected) => digest_of("content", Digest::of(json(&content).as_bytes()), projected.content),
            None => Some("its content was changed, and the log has no digest of what it was made from".to_owned()),
        });
    } else {
        differs = differs.or_else(|| bytes_of("content", &content, &end.content));
    }
    match (&end.card, end.card_cut) {
        (Some(RecordedCard::Known(recorded)), Some(cut)) => {
            differs = differs.or_else(|| match CardBudget::new(cut.budget) {
                Ok(budget) => bytes_of("card", &card.within(budget).0, recorded),
                Err(error) => Some(error.to_string()),
            });
        }
        (Some(RecordedCard::Known(recorded)), None) => differs = differs.or_else(|| bytes_of("card", &card, recorded)),
        (Some(RecordedCard::Unknown(_)), _) => {
            in_part = Some("its card is of a kind that this program does not know".to_owned());
        }
        (None, _) => differs = differs.or_else(|| Some("the log has no card of it".to_owned())),
    }
    match (differs, in_part) {
        (Some(why), _) => Checked::Differs(why),
        (None, Some(why)) => Checked::InPart(why),
        (None, None) => Checked::Same,
    }
}

fn digest_of(what: &str, made: Digest, recorded: Digest) -> Option<String> {
    (made != recorded).then(|| format!("the {what} has the digest {made}, and had {recorded}"))
}

fn bytes_of(what: &str, made: &impl Serialize, recorded: &impl Serialize) -> Option<String> {
    let (made, recorded) = (json(made), json(recorded));
    let first = made.bytes().zip(recorded.bytes()).position(|(one, other)| one != other);
    let at = match first {
        Some(at) => at,
        None if made.len() == recorded.len() => return None,
        None => made.len().min(recorded.len()),
    };
    let around = |text: &str| {
        let from = text.floor_char_boundary(at.saturating_sub(20));
        let to = text.floor_char_boundary((at + 20).min(text.len()));
        text[from..to].to_owned()
    };
    Some(format!("byte {at} of the {what}'s JSON: now {:?}, then {:?}", around(&made), around(&recorded)))
}

/// Plain data: what the log holds was written in the same way.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use fumehood::{Card, ContentBlock};

    use super::*;

    #[test]
    fn the_first_byte_that_differs_is_named() {
        let text = |text: &str| vec![ContentBlock::text(text)];
        assert_eq!(bytes_of("content", &text("same"), &text("same")), None);
        let check = |one: &str, other: &str, at: usize| {
            let why = bytes_of("content", &text(one), &text(other)).unwrap();
            assert!(why.starts_with(&format!("byte {at} ")), "{why}");
        };
        // `[{"type":"text","text":"` has 24 bytes.
        check("abc", "abd", 26);
        check("abc", "abcd", 27);
        check("", "x", 24);
        check("ä\u{1f600}", "ä\u{1f601}", 29);
        let card = |title: &str| Card::Generic {
            title: title.to_owned(),
            kind: None,
            input: None,
            body: Vec::new(),
            locations: Vec::new(),
        };
        assert!(bytes_of("card", &card("a"), &card("b")).is_some());
    }
}
