"""What a call must give: the same as `fumehood run` gives for the same arguments."""

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from checks import check, equal
from serving import DIST, FUMEHOOD, HERE, WORK, Session

TOOLS = {
    "word_count": "word-count", "read": "files", "write": "files", "edit": "files", "glob": "files", "grep": "files",
    "memory_add": "memory", "memory_search": "memory", "memory_reflect": "memory", "checkpoint_save": "memory",
    "checkpoint_resume": "memory", "shell_run": "shell", "web_fetch": "web", "web_search": "web", "flaky": "flaky",
}
# The tools of the component that is added while a client is connected.
ADDED = {
    name: "conformance"
    for name in [
        "test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource",
        "test_multiple_content_types", "test_error_handling", "test_tool_with_progress", "json_schema_2020_12_tool",
        "test_x_mcp_header",
    ]
}
EVERY = TOOLS | ADDED

# The only thing that two runs of these calls may not share.
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def calls(pages):
    """The table of calls, for this server of pages."""
    table = json.loads((HERE / "calls.json").read_text().replace("{pages}", pages))
    # This one cannot succeed.
    unused = set(EVERY) - {call["tool"] for call in table if "code" not in call} - {"test_error_handling"}
    if unused:
        raise SystemExit(f"calls.json has no success of {unused}")
    return table


def outcomes(table, pages):
    """What `fumehood run` says of each call, by its id; calls of one component run in their order."""
    session = Session("expected", pages)

    def component(name):
        found = {}
        for call in table:
            if EVERY.get(call["tool"]) == name:
                command = [FUMEHOOD, "run", DIST / f"{name}.wasm", "--tool", call["tool"], "--show", "json"]
                command += ["--args", json.dumps(call["args"]), "--cache", WORK / "code"]
                command += ["--policy", session.folder / "policy.toml"]
                out = subprocess.run(command, capture_output=True, text=True, timeout=120)
                if not out.stdout:
                    raise SystemExit(f"fumehood run said nothing of {call['id']}: {out.stderr}")
                found[call["id"]] = json.loads(out.stdout)
        return found

    with ThreadPoolExecutor(2) as pool:
        found = pool.map(component, sorted(set(EVERY.values())))
        return {id: outcome for of_one in found for id, outcome in of_one.items()}


def canonical(value):
    """One text for equal values. Numbers as JavaScript has them: 1.0 is 1, and true is not."""
    def number(value):
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, list):
            return [number(item) for item in value]
        if isinstance(value, dict):
            return {key: number(item) for key, item in value.items()}
        return value

    return TIME.sub("TIME", json.dumps(number(value), sort_keys=True))


def compare(name, call, outcome, answer):
    """Check one answer of a client: {"result": …} or {"error": {"code", "message"}}."""
    name = f"{name}: {call['id']}"
    if answer is None:
        return check(name, False, "not called")
    if "rpc" in call:
        error = answer.get("error")
        return check(name, error and error.get("code") == call["rpc"] and call["tool"] in error["message"], answer)
    result = answer.get("result")
    if result is None:
        return check(name, False, answer)
    wrong = failure(call, outcome, result) if "code" in call else success(outcome, result)
    return check(name, not wrong, f"{wrong} in {json.dumps(result)}")


def success(outcome, result):
    if outcome["outcome"] != "success":
        return f"fumehood run has {outcome}"
    if result.get("isError"):
        return "an error"
    if "structuredContent" not in result or canonical(result["structuredContent"]) != canonical(outcome["value"]):
        return f"another value than {outcome['value']}"
    content, rendered = result["content"], outcome["content"]
    if canonical(content[: len(rendered)]) != canonical(rendered):
        return f"other content than {rendered}"
    # Clients that show content alone show the same: as rendered, or in a text of its own after it.
    twins = [block["text"] for block in content if block["type"] == "text" and same(block["text"], outcome["value"])]
    if not twins or len(content) > len(rendered) + 1:
        return "no text that is the value, or more than that"
    if canonical((result.get("_meta") or {}).get("fumehood/card")) != canonical(outcome["card"]):
        return f"another card than {outcome['card']}"
    return None


def same(text, value):
    try:
        return canonical(json.loads(text)) == canonical(value)
    except ValueError:
        return False


def failure(call, outcome, result):
    kind, code = outcome.get("kind"), outcome.get("code")
    if outcome["outcome"] != "failure" or code != call["code"]:
        return f"fumehood run has {outcome}"
    if result.get("isError") is not True:
        return "no error"
    if result.get("structuredContent") is not None:
        return "a structured result"
    texts = [block.get("text") for block in result["content"]]
    if None in texts or len(texts) != 2 or not texts[0].startswith(code + ": "):
        return "content that is not two texts, the first of which begins with the code"
    # A text may end in what happened to be measured, such as milliseconds: digits may differ, nothing else.
    if re.sub(r"\d+", "0", texts[0]) != re.sub(r"\d+", "0", outcome["content"][0]["text"]):
        return f"another text than {outcome['content'][0]['text']!r}"
    told = json.loads(texts[1])
    if (told.get("kind"), told.get("code")) != (kind, code):
        return f"other words for a program than {kind} and {code}"
    if (result.get("_meta") or {}).get("fumehood/failure") != {"kind": kind, "code": code}:
        return "no fumehood/failure"
    return None


def listed(name, tools, expected):
    equal(f"{name}: lists every tool, in order", tools, sorted(expected))
