//! What a tool is.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Card, Content, Context, ToolError, outline, value};

/// One tool: a type that stands for it, usually empty.
///
/// The host checks arguments and value against schemas that come from [`Args`](Self::Args) and [`Value`](Self::Value).
/// Which schema each Rust type has is in the README's table.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "this is not a tool",
    note = "implement `fumehood_tool::Tool` for it"
)]
pub trait Tool {
    /// What it is called with: a struct. A field with a default or of type `Option` may be left out; an argument that is
    /// no field is refused by the host. For none at all there is [`NoArgs`].
    type Args: DeserializeOwned + JsonSchema;

    /// What it makes: the one value that content and card are made from, and that programs get. It is read back before it
    /// is rendered, so what is skipped when it is written is not there.
    type Value: Serialize + DeserializeOwned + JsonSchema;

    /// `[A-Za-z0-9_-]`, 1 to 40. Checked when the component is compiled.
    const NAME: &'static str;

    /// For people: one line, up to 256 bytes. Without one they see the name.
    const TITLE: Option<&'static str> = None;

    /// For models, which choose by it: up to 4096 bytes.
    const DESCRIPTION: &'static str;

    /// Hints about what it does.
    const ANNOTATIONS: ToolAnnotations = ToolAnnotations::new();

    /// Whether calls of it may overlap with others.
    const CONCURRENCY: Concurrency = Concurrency::Exclusive;

    /// How long a call may take, 1 to 600000 milliseconds. `None`: as long as the operator allows.
    const TIME_LIMIT_MS: Option<u32> = None;

    /// Do the work.
    ///
    /// # Errors
    ///
    /// The case of [`ToolError`] that fits; its text reaches the model. An empty result is a value, and so is a command's
    /// exit status.
    fn execute(args: Self::Args, context: &Context) -> Result<Self::Value, ToolError>;

    /// What a model reads. Without one: the value as an indented outline, cut at 48 KiB.
    fn render(args: &Self::Args, value: &Self::Value) -> Content {
        let _ = args;
        match value::to_json(value) {
            Ok(json) => outline::of(&json).into(),
            Err(why) => why.into(),
        }
    }

    /// The card that a person sees; without a value, while the call is not finished. `None`: the card that every tool has,
    /// with the title, the arguments and the content.
    fn present(args: &Self::Args, value: Option<&Self::Value>) -> Option<Card> {
        let _ = (args, value);
        None
    }
}

/// Hints about a tool, with the meaning of the Model Context Protocol. What is not said has that protocol's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolAnnotations {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
}

impl ToolAnnotations {
    /// Nothing said.
    pub const fn new() -> Self {
        Self { read_only: None, destructive: None, idempotent: None, open_world: None }
    }

    /// Whether it changes nothing.
    #[must_use]
    pub const fn read_only(mut self, hint: bool) -> Self {
        self.read_only = Some(hint);
        self
    }

    /// Whether it may destroy something.
    #[must_use]
    pub const fn destructive(mut self, hint: bool) -> Self {
        self.destructive = Some(hint);
        self
    }

    /// Whether a second call with the same arguments changes nothing more.
    #[must_use]
    pub const fn idempotent(mut self, hint: bool) -> Self {
        self.idempotent = Some(hint);
        self
    }

    /// Whether it meets things outside the host.
    #[must_use]
    pub const fn open_world(mut self, hint: bool) -> Self {
        self.open_world = Some(hint);
        self
    }
}

/// Whether calls of a tool may overlap with other calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// With any other parallel call.
    Parallel,
    /// With none.
    Exclusive,
}

/// The arguments of a tool that takes none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}
