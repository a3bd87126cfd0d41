//! `checkpoint_save`, `checkpoint_resume`: where an agent was, to go on from there.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use fumehood_tool::{Card, Concurrency, Content, Context, Tool, ToolAnnotations, ToolError};
use schemars::JsonSchema;
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::store::{AGENT, Store, corrupt, load, save};
use crate::{card, quantity};

/// What a state is to a schema: an object, of whatever is in it.
type Object = serde_json::Map<String, serde_json::Value>;

/// What a checkpoint file holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    id: String,
    created_at: String,
    state: Box<RawValue>,
}

pub struct Save;

#[derive(Deserialize, JsonSchema)]
pub struct SaveArgs {
    /// Whose memory. Agents do not see each other's.
    #[schemars(regex(pattern = AGENT))]
    agent_id: String,
    /// Anything that is needed to go on. A list `messages` is counted on resuming.
    #[schemars(with = "Object")]
    state: Box<RawValue>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Saved {
    /// As asked for.
    agent_id: String,
    /// Its number goes up by one with each.
    checkpoint_id: String,
    /// RFC 3339, UTC, to the second.
    created_at: String,
}

impl Save {
    /// A new file with the next number: a damaged checkpoint is in nobody's way, and the last one stays until this
    /// one is whole. The state of the last checkpoint once more is that checkpoint: a call may be made again whose
    /// answer was lost.
    fn run(store: &Store, args: SaveArgs) -> Result<Saved, ToolError> {
        /// Enough to go back a few steps by hand; resuming reads only the last.
        const KEPT: usize = 5;
        let numbers = store.checkpoints(&args.agent_id)?;
        if let Some(last) = numbers.last()
            && let Ok(Some(Checkpoint { id, created_at, state })) = load(&store.checkpoint(&args.agent_id, *last), "")
            && state.get() == args.state.get()
        {
            return Ok(Saved { agent_id: args.agent_id, checkpoint_id: id, created_at });
        }
        let number = numbers.last().map_or(1, |last| last.saturating_add(1));
        let (id, created_at) = (format!("checkpoint-{number}"), rfc3339(SystemTime::now()));
        let checkpoint = Checkpoint { id: id.clone(), created_at: created_at.clone(), state: args.state };
        save(&store.checkpoint(&args.agent_id, number), &checkpoint)?;
        for old in numbers.iter().rev().skip(KEPT - 1) {
            // The call has done what it was asked for; a file that cannot go now goes with the next.
            let _ = fs::remove_file(store.checkpoint(&args.agent_id, *old));
        }
        Ok(Saved { agent_id: args.agent_id, checkpoint_id: id, created_at })
    }
}

impl Tool for Save {
    type Args = SaveArgs;
    type Value = Saved;

    const NAME: &str = "checkpoint_save";
    const TITLE: Option<&str> = Some("Save checkpoint");
    const DESCRIPTION: &str = "Save where the work stands, to go on from there later. The last five checkpoints \
                               are kept; resuming takes the last. Saving the state of the last checkpoint again \
                               changes nothing.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false);
    const TIME_LIMIT_MS: Option<u32> = Some(5000);

    fn execute(args: SaveArgs, _context: &Context) -> Result<Saved, ToolError> {
        Self::run(&Store::granted(), args)
    }

    fn render(_args: &SaveArgs, value: &Saved) -> Content {
        format!("Saved {} of {}.", value.checkpoint_id, value.agent_id).into()
    }

    fn present(args: &SaveArgs, value: Option<&Saved>) -> Option<Card> {
        card(format!("Save a checkpoint of {}", args.agent_id), value.map(|value| Self::render(args, value)))
    }
}

pub struct Resume;

#[derive(Deserialize, JsonSchema)]
pub struct ResumeArgs {
    /// Whose memory. Agents do not see each other's.
    #[schemars(regex(pattern = AGENT))]
    agent_id: String,
    /// What to do where there is no checkpoint: fail, or answer `found: false`.
    #[serde(default)]
    on_missing: OnMissing,
}

#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OnMissing {
    #[default]
    Error,
    Empty,
}

/// Two shapes, each closed; no value has both.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(extend("type" = "object"))]
pub enum Resumed {
    Found(Found),
    Missing(Missing),
}

/// An untagged enum would buffer what it reads, and a text that was buffered is no [`RawValue`].
impl<'de> Deserialize<'de> for Resumed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Box::<RawValue>::deserialize(deserializer)?;
        let missing = serde_json::from_str(value.get()).map(Self::Missing);
        missing.or_else(|_| serde_json::from_str(value.get()).map(Self::Found)).map_err(D::Error::custom)
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// The checkpoint.
    id: String,
    /// RFC 3339, UTC.
    created_at: String,
    /// As it was saved.
    #[schemars(with = "Object")]
    state: Box<RawValue>,
    /// How long the list `messages` of the state is, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_count: Option<u64>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// Always false; a checkpoint that was found has an id.
    #[schemars(extend("const" = false))]
    found: bool,
    /// As asked for.
    agent_id: String,
}

impl Resume {
    /// Only absence is answered by `on_missing`. A damaged checkpoint and an unreachable memory are failures whatever
    /// it says: an agent that took them for a fresh start would lose its work.
    fn run(store: &Store, args: ResumeArgs) -> Result<Resumed, ToolError> {
        let agent = args.agent_id;
        let found = match store.checkpoints(&agent)?.last() {
            None => None,
            Some(last) => {
                let what = format!("checkpoint-{last} of `{agent}`");
                let found: Option<Checkpoint> = load(&store.checkpoint(&agent, *last), &what)?;
                if found.as_ref().is_some_and(|found| !found.state.get().starts_with('{')) {
                    return Err(corrupt(&what, "its state is no object"));
                }
                found
            }
        };
        match found {
            Some(Checkpoint { id, created_at, state }) => {
                let message_count = messages(&state);
                Ok(Resumed::Found(Found { id, created_at, state, message_count }))
            }
            None if args.on_missing == OnMissing::Empty => {
                Ok(Resumed::Missing(Missing { found: false, agent_id: agent }))
            }
            None => Err(ToolError::NotFound(format!(
                "`{agent}` has no checkpoint; with on_missing \"empty\" that is an answer and not an error"
            ))),
        }
    }
}

impl Tool for Resume {
    type Args = ResumeArgs;
    type Value = Resumed;

    const NAME: &str = "checkpoint_resume";
    const TITLE: Option<&str> = Some("Resume");
    const DESCRIPTION: &str = "Get the last checkpoint back. Where there is none, `on_missing` decides between an \
                               error and an answer that says so; a checkpoint that is damaged or cannot be read is \
                               always an error.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    const CONCURRENCY: Concurrency = Concurrency::Parallel;
    const TIME_LIMIT_MS: Option<u32> = Some(5000);

    fn execute(args: ResumeArgs, _context: &Context) -> Result<Resumed, ToolError> {
        Self::run(&Store::granted(), args)
    }

    fn render(_args: &ResumeArgs, value: &Resumed) -> Content {
        match value {
            Resumed::Found(found) => {
                let count = found.message_count.map(|count| format!(", {}", quantity(count, "message")));
                format!("{} of {}{}:\n{}", found.id, found.created_at, count.unwrap_or_default(), found.state).into()
            }
            Resumed::Missing(missing) => {
                format!("{} has no checkpoint: this is a fresh start.", missing.agent_id).into()
            }
        }
    }

    fn present(args: &ResumeArgs, value: Option<&Resumed>) -> Option<Card> {
        card(format!("Resume {}", args.agent_id), value.map(|value| Self::render(args, value)))
    }
}

/// How many messages the state lists, where it does.
fn messages(state: &RawValue) -> Option<u64> {
    #[derive(Deserialize)]
    struct State {
        messages: Vec<IgnoredAny>,
    }
    serde_json::from_str(state.get()).ok().map(|state: State| state.messages.len() as u64)
}

/// Seconds are enough to tell checkpoints apart; their numbers give the order. Source of the conversion: the civil
/// calendar repeats every 146,097 days, counted here from 1 March of the year 0, so that a leap day ends a year.
fn rfc3339(time: SystemTime) -> String {
    // A clock before 1970 is wrong anyhow.
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates() {
        let check = |seconds: u64, expect: &str| assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_secs(seconds)), expect);
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_399, "2000-02-28T23:59:59Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(1_709_251_199, "2024-02-29T23:59:59Z");
        check(1_709_251_200, "2024-03-01T00:00:00Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
    }

    fn resume(store: &Store, on_missing: OnMissing) -> Result<Resumed, ToolError> {
        Resume::run(store, ResumeArgs { agent_id: "a".into(), on_missing })
    }

    fn save_state(store: &Store, state: &str) -> Saved {
        Save::run(store, SaveArgs { agent_id: "a".into(), state: serde_json::from_str(state).unwrap() }).unwrap()
    }

    #[test]
    fn the_last_checkpoint_comes_back_as_it_went_in() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        for number in 1..=7 {
            let state = format!(r#"{{"z":{number},"a":0.30000000000000004,"messages":[1,2]}}"#);
            assert_eq!(save_state(&store, &state).checkpoint_id, format!("checkpoint-{number}"));
        }
        let again = save_state(&store, r#"{"z":7,"a":0.30000000000000004,"messages":[1,2]}"#);
        assert_eq!(again.checkpoint_id, "checkpoint-7");
        assert_eq!(store.checkpoints("a").unwrap(), [3, 4, 5, 6, 7]);
        let Ok(Resumed::Found(found)) = resume(&store, OnMissing::Error) else { panic!("not found") };
        assert_eq!(found.state.get(), r#"{"z":7,"a":0.30000000000000004,"messages":[1,2]}"#);
        assert_eq!(found.message_count, Some(2));
        let json = serde_json::to_string(&Resumed::Found(found)).unwrap();
        assert!(matches!(serde_json::from_str(&json), Ok(Resumed::Found(_))), "{json}");
    }

    #[test]
    fn absent_and_damaged_are_different_answers() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        assert!(matches!(resume(&store, OnMissing::Error), Err(ToolError::NotFound(_))));
        assert!(matches!(resume(&store, OnMissing::Empty), Ok(Resumed::Missing(_))));
        save_state(&store, "{}");
        fs::write(store.checkpoint("a", 1), r#"{"id":"checkpoint-1","#).unwrap();
        for on_missing in [OnMissing::Error, OnMissing::Empty] {
            let Err(ToolError::Failed(failure)) = resume(&store, on_missing) else { panic!("resumed half a file") };
            assert_eq!(failure.code, "CORRUPT");
        }
        assert_eq!(save_state(&store, "{}").checkpoint_id, "checkpoint-2");
        assert!(matches!(resume(&store, OnMissing::Error), Ok(Resumed::Found(_))));
    }
}
