//! What rules are about, for readers who meet a rule's name in a log.

/// Area of a rule, what it means that one of it speaks, what to do.
const AREAS: &[(&str, &str, &str)] = &[
    (
        "capability",
        "What the component asks for reaches further than it may seem",
        "Ask the vendor what it is for, and grant the narrowest form of it.",
    ),
    (
        "check",
        "A check of the conformance kit does not hold",
        "Read the page of the check of this name: docs/tool-authors/checks.md.",
    ),
    (
        "component",
        "The bytes are not a component that this host can use",
        "Get the whole file, or build it smaller and with the features that the message names.",
    ),
    (
        "export",
        "The component exports the tool interface in another form than this host speaks",
        "Build the component against the WIT package that the host comes with.",
    ),
    (
        "import",
        "What the component links, against what it asks for and what this host provides",
        "Ask the vendor why it is linked. Without a capability its functions give constants or denials.",
    ),
    (
        "json",
        "A JSON text that readers would understand differently",
        "Write JSON that every reader understands alike.",
    ),
    ("manifest", "The manifest is not complete, not clear or not honest", "Correct the manifest and pack again."),
    (
        "policy",
        "Where the manifest and the policy differ, and where a grant is wider than most tools need",
        "Grant the narrowest thing that the tool works with. A grant holds for every call, whatever the model asks.",
    ),
    (
        "provenance",
        "What the binary says about its making could not be read",
        "Ask the vendor for a build that carries readable metadata.",
    ),
    (
        "purity",
        "Whether a projector can reach an import of the component",
        "Proved: no path in the code leads to one. Enforced: one may, and the sealed sandbox answers it with constants or \
         denials.",
    ),
    (
        "schema",
        "A schema that accepts too much, costs too much, or that clients refuse",
        "Say in the schema what values look like, in the keywords that clients know.",
    ),
    (
        "text",
        "A text of the tool that may mislead a person or steer a model",
        "Read the text where it stands. A description says what a tool does; it does not tell a model what to do.",
    ),
];

/// What a rule such as `text/link` is about: one sentence, and what to do.
pub(super) fn about(rule: &str) -> (&'static str, &'static str) {
    let area = rule.split('/').next().unwrap_or_default();
    let row = AREAS.iter().find(|(name, ..)| *name == area);
    row.map_or(("A finding of Fumehood", "Read the message."), |(_, about, help)| (about, help))
}

#[cfg(test)]
pub(super) fn is_known(rule: &str) -> bool {
    AREAS.iter().any(|(area, ..)| rule.split('/').next() == Some(area))
}
