//! `expect.toml`: what a guest tries, how it is run, and what must come of it.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Expectation {
    /// One sentence.
    pub(crate) tries: String,
    /// A shared guest of `tests/support/guests`, by name. Without it and `made-by`, the folder has a `guest.wat`.
    pub(crate) guest: Option<String>,
    /// A generator of `generators.rs`: damaged and oversized files.
    pub(crate) made_by: Option<String>,
    /// A WIT world, where the component is to import or export what no honest one does.
    pub(crate) wit: Option<String>,
    /// The output schema; any value without it.
    pub(crate) output_schema: Option<toml::Value>,
    /// Capabilities that the manifest asks for, as optional ones.
    #[serde(default)]
    pub(crate) asks: Vec<String>,
    /// Capabilities that the manifest cannot do without.
    #[serde(default)]
    pub(crate) requires: Vec<String>,
    #[serde(flatten)]
    pub(crate) run: Run,
    /// The same guest with the grant, or without the fault: it succeeds.
    pub(crate) twin: Option<Run>,
    /// The same guest, run in other ways.
    #[serde(default)]
    pub(crate) also: Vec<Run>,
}

/// How a guest is run. A twin takes what it does not say from the main run, except what is expected.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Run {
    /// A policy file. Directories are relative to the fixture.
    pub(crate) policy: Option<String>,
    /// The arguments, a JSON text.
    pub(crate) args: Option<String>,
    /// The fixture.
    pub(crate) files: Option<Vec<Place>>,
    /// What happens to the fixture between loading and calling.
    pub(crate) after_load: Option<Vec<Place>>,
    pub(crate) expect: Expect,
    /// What must come of asking for the pending card.
    pub(crate) pending: Option<Expect>,
}

/// One thing in the fixture's directory. Directories on the way are made.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", untagged)]
pub(crate) enum Place {
    File { file: String, text: String },
    Dir { dir: String },
    Link { link: String, to: String },
    Fifo { fifo: String },
    Move { from: String, to: String },
}

/// What must come of a run: a refusal to load, a failure, a success, or anything short of harm.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Expect {
    /// Refused at load for exactly these rules, in this order.
    pub(crate) refused: Option<Vec<String>>,
    /// A failure of this kind.
    pub(crate) kind: Option<String>,
    /// A failure with this code.
    pub(crate) code: Option<String>,
    /// The limit that the failure's details name.
    pub(crate) limit: Option<String>,
    /// Part of the failure's details, as JSON.
    pub(crate) details: Option<String>,
    /// Texts that the message, or that of the refusal, holds.
    #[serde(default)]
    pub(crate) message: Vec<String>,
    /// The value of a success, as canonical JSON.
    pub(crate) value: Option<String>,
    /// The text blocks of a success, joined.
    pub(crate) text: Option<String>,
    /// Part of the content of a success, as JSON.
    pub(crate) content: Option<String>,
    /// Part of the card, as JSON.
    pub(crate) card: Option<String>,
    /// Refused, or any outcome but a fault of the host.
    #[serde(default)]
    pub(crate) harmless: bool,
    /// What an export wrote, `EXPORT CHANNEL` to text.
    #[serde(default)]
    pub(crate) log: BTreeMap<String, String>,
    /// How many bytes of what was written were dropped.
    pub(crate) dropped: Option<u64>,
    /// Texts that nothing a model reads holds.
    #[serde(default)]
    pub(crate) hides: Vec<String>,
    /// What is in the fixture afterwards: a text, or `false` for nothing.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, Left>,
    /// How many reports of progress there were.
    pub(crate) progress: Option<usize>,
    /// The outcome differs from call to call, as with real random numbers. Else two calls are held against each other.
    #[serde(default)]
    pub(crate) varies: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Left {
    Text(String),
    Exists(bool),
}

impl Expectation {
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let read: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        read.check().map(|()| read)
    }

    /// The runs, with what each takes from the first.
    pub(crate) fn runs(&self) -> Vec<(String, Run)> {
        let twin = self.twin.iter().map(|run| ("twin".to_owned(), run));
        let also = self.also.iter().enumerate().map(|(index, run)| (format!("also {}", index + 1), run));
        let mut runs = vec![("run".to_owned(), self.run.clone())];
        runs.extend(twin.chain(also).map(|(name, run)| (name, run.clone().after(&self.run))));
        runs
    }

    fn check(&self) -> Result<(), String> {
        if self.tries.trim().is_empty() {
            return Err("`tries` is empty".to_owned());
        }
        for (name, run) in self.runs() {
            for expect in [Some(&run.expect), run.pending.as_ref()].into_iter().flatten() {
                expect.check().map_err(|error| format!("{name}: {error}"))?;
            }
        }
        let grantable = self.run.expect.message.iter().any(|text| text.contains("not granted"));
        let twin_succeeds = self.twin.as_ref().is_some_and(|twin| twin.expect.is_success());
        if (grantable || self.run.expect.is_refused_by_policy()) && !twin_succeeds {
            return Err("a denial that a grant would lift needs a `[twin]` that has the grant and succeeds".to_owned());
        }
        Ok(())
    }
}

impl Run {
    fn after(self, first: &Self) -> Self {
        Self {
            policy: self.policy.or_else(|| first.policy.clone()),
            args: self.args.or_else(|| first.args.clone()),
            files: self.files.or_else(|| first.files.clone()),
            after_load: self.after_load.or_else(|| first.after_load.clone()),
            ..self
        }
    }
}

impl Expect {
    pub(crate) fn is_success(&self) -> bool {
        self.value.is_some() || self.text.is_some() || self.content.is_some() || self.card.is_some()
    }

    fn is_refused_by_policy(&self) -> bool {
        self.refused.iter().flatten().any(|rule| rule == "policy/not-granted")
    }

    fn check(&self) -> Result<(), String> {
        let ends = [self.refused.is_some(), self.code.is_some(), self.is_success(), self.harmless];
        if ends.iter().filter(|end| **end).count() != 1 {
            return Err("expect one of `refused`, `code`, a success, or `harmless = true`".to_owned());
        }
        if self.code.is_some() != self.kind.is_some() {
            return Err("`code` and `kind` come together".to_owned());
        }
        if self.code.is_some() && self.message.is_empty() {
            return Err("a failure needs a part of its `message`".to_owned());
        }
        if self.code.is_none() && (self.limit.is_some() || self.details.is_some()) {
            return Err("only a failure has details".to_owned());
        }
        Ok(())
    }
}
