//! A file of calls.

use anyhow::{Context as _, bail};
use fumehood::{Call, Json, JsonLimits};
use serde_json::Value;

/// As much as a hundred calls with long arguments.
pub(super) const MAX_BYTES: u64 = 64 << 20;
/// Each is announced before the first runs, and its result kept until the last is there. Results are some kilobytes, and may
/// be some megabytes.
const MAX_CALLS: usize = 1_000;

/// One call for each line that is not blank.
pub(super) fn calls(text: &str) -> anyhow::Result<Vec<Call>> {
    let mut calls = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        calls.push(call(line).with_context(|| {
            format!("line {} of the batch; write {{\"tool\": \"read\", \"args\": {{}}}} on one line", index + 1)
        })?);
    }
    match calls.len() {
        0 => bail!("there is no call in the batch"),
        many if many > MAX_CALLS => bail!("{many} calls in one batch; {MAX_CALLS} are allowed"),
        _ => Ok(calls),
    }
}

fn call(line: &str) -> anyhow::Result<Call> {
    // The widest that any policy can allow: the call's own gate is the one that judges.
    let limits = JsonLimits { bytes: MAX_BYTES, depth: JsonLimits::MAX_DEPTH, nodes: 50_000_000 };
    let json = Json::parse(line, &limits)?;
    let Value::Object(fields) = json.value() else { bail!("this is no object") };
    if let Some(unknown) = fields.keys().find(|key| !matches!(key.as_str(), "tool" | "args")) {
        bail!("there is no field {unknown:?}");
    }
    let Some(Value::String(tool)) = fields.get("tool") else { bail!("`tool` is not a tool's name") };
    Ok(match fields.get("args") {
        Some(args) => Call::new(tool, args.clone()),
        None => Call::from_text(tool, ""),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_call() {
        let text = "{\"tool\": \"read\", \"args\": {\"path\": \"a\"}}\n\n {\"tool\":\"list\"}\r\n";
        let read = calls(text).unwrap();
        assert_eq!(read.iter().map(Call::tool).collect::<Vec<_>>(), ["read", "list"]);
    }

    #[test]
    fn what_is_no_call_is_named_by_its_line() {
        let check = |text: &str, why: &str| {
            let error = format!("{:#}", calls(text).map(|_| ()).unwrap_err());
            assert!(error.contains(why), "{text}: {error}");
        };
        check("{\"tool\":\"a\"}\nnot json", "line 2");
        check("[]", "no object");
        check("{}", "`tool`");
        check("{\"tool\":\"a\",\"arg\":{}}", "\"arg\"");
        check("{\"tool\":\"a\",\"args\":{\"x\":1,\"x\":2}}", "line 1");
        check("\n\n", "no call");
        check(&"{\"tool\":\"a\"}\n".repeat(MAX_CALLS + 1), "1000 are allowed");
    }
}
