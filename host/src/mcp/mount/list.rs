//! A server's tools, as manifests: what cannot be served is left out, each with a line.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use super::super::mirror::Mirrored;
use super::MountName;
use super::schema::{checked, unchecked};
use crate::{Finding, Manifest, Severity};

/// Bytes of a description, as of a component's; the last line is ours.
const DESCRIPTION: usize = 4_096;
/// Bytes of a title, as of a component's.
const TITLE: usize = 256;
/// Bytes of a tool's name, as of a component's.
const NAME: usize = 40;
/// Findings of one tool that are told: a server may get a great deal wrong.
const TOLD: usize = 8;

/// What a server offers.
#[derive(Default)]
pub(super) struct Listed {
    /// Each with what there is to say about it.
    pub(super) manifests: Vec<(Manifest, Vec<Finding>)>,
    /// How each tool is called at the server, by what it is called here.
    pub(super) theirs: HashMap<String, Theirs>,
    /// What was left out.
    pub(super) findings: Vec<Finding>,
}

/// What a server has to be sent for one of its tools.
#[derive(Debug)]
pub(super) struct Theirs {
    /// What it calls the tool.
    pub(super) name: String,
    /// What it wants in headers.
    pub(super) mirrored: Mirrored,
}

/// Reads the items of `tools/list`. `strict`: of a server that gets the headers it asks for, and must ask for them rightly.
pub(super) fn read(mount: &MountName, origin: &str, tools: &[Value], strict: bool) -> Listed {
    let mut listed = Listed::default();
    let mut taken = BTreeSet::new();
    for (index, tool) in tools.iter().enumerate() {
        let read = named(mount, tool, index, &mut taken).and_then(|(ours, theirs)| {
            let (manifest, notes) = manifest(mount, origin, &ours, tool).map_err(|why| left_out(&ours, why))?;
            let mirrored = match (mirrored(&ours, tool), strict) {
                (Err(why), true) => return Err(why),
                // The revision that it speaks has no such headers.
                (read, _) => read.unwrap_or_default(),
            };
            Ok((ours, Theirs { name: theirs, mirrored }, manifest, notes))
        });
        match read {
            Ok((ours, theirs, manifest, notes)) => {
                listed.theirs.insert(ours, theirs);
                listed.manifests.push((manifest, notes));
            }
            Err(findings) => listed.findings.extend(findings),
        }
    }
    listed
}

/// What a tool is called here, and there.
fn named(
    mount: &MountName,
    tool: &Value,
    index: usize,
    taken: &mut BTreeSet<String>,
) -> Result<(String, String), Vec<Finding>> {
    let refuse = |at: &str, message: String, remedy: &str| {
        Err(vec![Finding::refusal("mount/tool-name", format!("{mount}: {at}"), message, remedy)])
    };
    let Some(theirs) = tool.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
        return refuse(&format!("tool {index}"), "it has no name, and is left out".into(), "mend the server");
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let ours = format!("{mount}_{}", theirs.chars().map(plain).collect::<String>());
    let shown: String = theirs.chars().take(80).collect::<String>().escape_debug().to_string();
    if ours.len() > NAME {
        let message = format!("{} bytes with the mount's name, over {NAME}: it is left out", ours.len());
        return refuse(&shown, message, "mount the server under a shorter name");
    }
    if !taken.insert(ours.to_ascii_lowercase().replace('-', "_")) {
        let message = format!("another of its tools is called {ours} already: it is left out");
        return refuse(&shown, message, "have the server give its tools names that can be told apart");
    }
    Ok((ours, theirs.to_owned()))
}

/// The parameters of one tool that its server wants in headers.
fn mirrored(ours: &str, tool: &Value) -> Result<Mirrored, Vec<Finding>> {
    let Some(input) = tool.get("inputSchema").and_then(Value::as_object) else { return Ok(Mirrored::default()) };
    Mirrored::of(input).map_err(|why| {
        vec![Finding::refusal("mount/header", ours, format!("{why}: it is left out"), "mend the server")]
    })
}

/// The manifest of one tool, and what is not checked of it.
fn manifest(
    mount: &MountName,
    origin: &str,
    ours: &str,
    tool: &Value,
) -> Result<(Manifest, Vec<Finding>), Vec<Finding>> {
    let make = |output: Value| {
        let manifest = Manifest::parse(declared(mount, origin, ours, tool, output).to_string().as_bytes())?;
        match manifest.tools.first().filter(|tool| !tool.is_callable()) {
            Some(tool) => Err(tool.findings()),
            None => Ok(manifest),
        }
    };
    let (short, why) = match tool.get("outputSchema") {
        None => ("the server advertises no schema", Vec::new()),
        Some(own @ Value::Object(_)) => match make(checked(own)) {
            Ok(manifest) => return Ok((manifest, Vec::new())),
            Err(why) => ("the server's schema cannot be used", why),
        },
        Some(_) => ("the server's schema is no object", Vec::new()),
    };
    let manifest = make(unchecked(short))?;
    let reasons = why
        .iter()
        .filter(|finding| finding.severity == Severity::Refusal)
        .take(TOLD)
        .map(|finding| format!("; {}: {}", finding.rule, finding.message));
    let message =
        format!("what it returns as structuredContent is not checked: {short}{}", reasons.collect::<String>());
    Ok((manifest, vec![Finding::warning("mount/output-unchecked", ours, message, "")]))
}

/// One tool as a component's vendor would declare it.
fn declared(mount: &MountName, origin: &str, ours: &str, tool: &Value, output: Value) -> Value {
    let mut one = Map::new();
    one.insert("name".to_owned(), ours.into());
    if let Some(title) = title(tool) {
        one.insert("title".to_owned(), title.into());
    }
    one.insert("description".to_owned(), description(tool, origin).into());
    if let Some(input) = tool.get("inputSchema") {
        one.insert("inputSchema".to_owned(), input.clone());
    }
    one.insert("outputSchema".to_owned(), output);
    let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    let hint =
        |key: &str| Some((key.to_owned(), tool.get("annotations")?.get(key).filter(|v| v.is_boolean())?.clone()));
    let hints: Map<String, Value> = hints.into_iter().filter_map(hint).collect();
    // A hint is not trusted with more than this: calls that change nothing may overlap.
    let overlaps = hints.get("readOnlyHint") == Some(&Value::Bool(true));
    one.insert("concurrency".to_owned(), if overlaps { "parallel" } else { "exclusive" }.into());
    if !hints.is_empty() {
        one.insert("annotations".to_owned(), hints.into());
    }
    json!({
        "name": mount.as_str(),
        "version": "0.0.0",
        "description": format!("Mounted from {origin}: not sandboxed."),
        "tools": [one],
    })
}

fn title(tool: &Value) -> Option<String> {
    let title = tool.get("title").or_else(|| tool.get("annotations")?.get("title")).and_then(Value::as_str)?;
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then(|| cut(&title, TITLE))
}

/// The server's words, then ours. Tabs and line ends of other systems are no way to hide anything.
fn description(tool: &Value, origin: &str) -> String {
    let ours = format!("(Runs at {origin}, not sandboxed.)");
    let theirs = tool.get("description").and_then(Value::as_str).unwrap_or_default();
    let theirs = theirs.replace("\r\n", "\n").replace('\r', "\n").replace('\t', "    ");
    match theirs.trim() {
        "" => ours,
        theirs => format!("{}\n\n{ours}", cut(theirs, DESCRIPTION - ours.len() - 2)),
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(most - '…'.len_utf8())])
}

/// Findings of a manifest that no vendor wrote, in the operator's terms.
fn left_out(ours: &str, why: Vec<Finding>) -> Vec<Finding> {
    let relabelled = |finding: Finding| {
        let at = format!("{ours}{}", finding.at.strip_prefix("/tools/0").unwrap_or(&finding.at));
        Finding { at, message: format!("{}: it is left out", finding.message), remedy: String::new(), ..finding }
    };
    let refusals = why.into_iter().filter(|finding| finding.severity == Severity::Refusal);
    refusals.take(TOLD).map(relabelled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(tools: Value) -> Listed {
        read(&"m".parse().unwrap(), "there", tools.as_array().unwrap(), true)
    }

    fn tool(more: Value) -> Value {
        let mut tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tool
    }

    #[test]
    fn a_tool_says_where_it_runs_and_what_is_not_checked() {
        let output = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
        let all = listed(json!([tool(json!({ "description": "Does.\tIt.", "outputSchema": output }))]));
        let (manifest, notes) = &all.manifests[0];
        let one = manifest.tool("m_t").unwrap();
        assert_eq!(one.description, "Does.    It.\n\n(Runs at there, not sandboxed.)");
        assert_eq!(one.output_json()["properties"]["structuredContent"], output);
        assert_eq!((notes.len(), all.findings.len(), all.theirs["m_t"].name.as_str()), (0, 0, "t"));

        for bad in
            [json!(true), json!({ "$ref": "https://example.com" }), json!({ "type": "object", "title": "\u{202e}" })]
        {
            let all = listed(json!([tool(json!({ "outputSchema": bad }))]));
            let (manifest, notes) = &all.manifests[0];
            assert_eq!(notes[0].rule, "mount/output-unchecked", "{bad}");
            let shown = &manifest.tools[0].output_json()["properties"]["structuredContent"];
            assert!(shown["description"].as_str().unwrap().starts_with("Not checked"), "{shown}");
        }
    }

    #[test]
    fn one_tool_that_cannot_be_served_costs_no_other() {
        let good = tool(json!({ "name": "good" }));
        let long = "x".repeat(40);
        let bad = [
            (json!({ "inputSchema": { "type": "object" } }), "no name"),
            (tool(json!({ "name": long })), "shorter name"),
            (tool(json!({ "name": "GOOD" })), "already"),
            (tool(json!({ "inputSchema": { "type": "array" } })), "left out"),
            (tool(json!({ "inputSchema": { "$ref": "#/nowhere" } })), "left out"),
            (tool(json!({ "description": "hidden \u{202e} text" })), "direction"),
            (json!({ "name": "t" }), "inputSchema"),
            (tool(json!({ "inputSchema": { "type": "object", "x-mcp-header": "A" } })), "x-mcp-header"),
        ];
        for (bad, part) in bad {
            let all = listed(json!([good, bad]));
            assert_eq!(all.manifests.len(), 1, "{bad}");
            assert!(all.findings.iter().all(|finding| finding.severity == Severity::Refusal));
            assert!(all.findings.iter().any(|finding| finding.to_string().contains(part)), "{:?}", all.findings);
        }
    }

    #[test]
    fn names_and_texts_are_made_to_fit() {
        let long = "d".repeat(10_000);
        let all = listed(json!([tool(json!({ "name": "fs.read/é", "title": " A\nb ", "description": long }))]));
        let one = &all.manifests[0].0.tools[0];
        assert_eq!((one.name.as_str(), one.title.as_deref()), ("m_fs_read__", Some("A b")));
        assert!(one.description.len() <= DESCRIPTION && one.description.ends_with("not sandboxed.)"));
        assert_eq!(all.theirs["m_fs_read__"].name, "fs.read/é");
    }
}
