//! Every check there is.

/// What one check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// Its name, stable between versions: `no-grants`.
    pub id: &'static str,
    /// What it holds a tool to, in a sentence.
    pub meaning: &'static str,
}

impl About {
    /// Where the documentation explains it: the page of this repository and the section.
    pub fn page(&self) -> String {
        format!("docs/tool-authors/checks.md#{}", self.id)
    }
}

macro_rules! checks {
    ($($id:literal, $meaning:literal;)+) => {
        /// Every check, in the order in which a report lists them.
        pub const ALL: &[About] = &[$(About { id: $id, meaning: $meaning },)+];
    };
}

checks! {
    "component", "The bytes are a component that a host can use.";
    "manifest", "The manifest is there, complete and clear.";
    "interface", "It exports the tool interface, in a version that hosts speak.";
    "names", "Names can be told apart, by models too.";
    "texts", "Descriptions are enough to choose a tool by, and steer nobody.";
    "schemas", "Both schemas of each tool are admitted.";
    "portable", "Strict clients take both schemas as they are.";
    "capabilities", "What is asked for is what is linked.";
    "reasons", "Each capability says what it is for.";
    "size", "It is small enough to load in a moment.";
    "compile", "It compiles within the limits.";
    "cases", "The golden cases give what they say.";
    "declared-grants", "With what it asks for, in an empty world, it fails politely, or works.";
    "values", "Each value is one that its schema takes.";
    "projections", "The projectors make content and a card of each value.";
    "no-grants", "Without any grant it fails politely, or works.";
    "optional-grants", "It works without what it calls optional.";
    "limits-doubled", "A call works again under limits of twice what it used.";
    "limits-halved", "Under half of what it used, a call ends as the limit says.";
    "drawable", "Arguments and values can be drawn from the schemas.";
    "generated-calls", "Whatever the input schema takes, a call ends politely; whatever it does not, nothing runs.";
    "generated-values", "What comes of those calls matches the output schema.";
    "generated-projections", "Every value of the output schema has a content and a card.";
    "projector-fuel", "Content and card are made within the fuel, however large the value.";
    "same-bytes", "The same value has the same content and card, again and on other hosts.";
    "headroom", "No run comes near a limit.";
}

/// The row of a check.
pub fn about(id: &str) -> Option<&'static About> {
    ALL.iter().find(|row| row.id == id)
}
