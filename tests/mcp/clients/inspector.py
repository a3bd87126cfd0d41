"""The Inspector's command line: its strict lint of the list, and a process for each call."""

import json
import os
import subprocess

from checks import check
from expect import EVERY, compare, listed
from serving import SAMPLES, WORK, Session

INSPECTOR = WORK / "js/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"

# A call takes about a second alone, most of which is the start of the program.
SECONDS = 60

# The transport a model's host would choose for each revision.
ERAS = {"stdio": "legacy", "http": "modern"}

# The one page that draws all cards, as MCP Apps wants it.
CARD = ("ui://fumehood/card.html", "text/html;profile=mcp-app")


def inspect(target, era, session, *more):
    command = [os.environ["MCP_CLIENTS_NODE"], INSPECTOR, "--cli", *target, "--protocol-era", era, *more]
    # It keeps a catalog in the home folder.
    environment = os.environ | {"HOME": str(session.folder)}
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS
    )


def run(transport, table, outcomes, pages):
    session = Session(f"inspector-{transport}", pages, [*SAMPLES, "conformance"])
    if transport == "stdio":
        return checks(transport, session.command(), session, table, outcomes)
    with session.http() as server:
        return checks(transport, [server.url], session, table, outcomes)


def checks(transport, target, session, table, outcomes):
    name, era = f"inspector over {transport}", ERAS[transport]
    # What follows `--` would be the server's: its options go into a config file.
    if transport == "stdio":
        config = session.folder / "inspector.json"
        config.write_text(json.dumps({"mcpServers": {"it": {"command": target[0], "args": target[1:]}}}))
        target = ["--config", str(config), "--server", "it"]
    strict = inspect(target, era, session, "--method", "tools/list", "--strict")
    check(f"{name}: strict lint", strict.returncode == 0, strict.stderr)
    listed(name, [tool["name"] for tool in read(strict).get("tools", [])], EVERY)
    apps = inspect(target, era, session, "--method", "tools/list", "--app-info").stdout.split("\n")
    apps = [json.loads(line) for line in apps if line]
    wrong = [app for app in apps if (app.get("resourceUri"), app.get("resourceMimeType")) != CARD]
    check(f"{name}: every tool has the card as its app", len(apps) == len(EVERY) and not wrong, wrong or len(apps))
    page = read(inspect(target, era, session, "--method", "resources/read", "--uri", CARD[0]))
    page = page.get("contents", [{}])[0]
    check(f"{name}: and it can be read", page.get("text", "").startswith("<!doctype html>"), str(page)[:200])
    for call in every_kind(table):
        args = json.dumps(call["args"])
        out = inspect(
            target, era, session, "--method", "tools/call", "--tool-name", call["tool"], "--tool-args-json", args
        )
        if "rpc" in call:
            # It looks at the list first, and asks the server for nothing that is not there.
            check(f"{name}: {call['id']}", out.returncode and '"tool_not_found"' in out.stderr, out)
            continue
        # A program that reads its exit status learns the same as one that reads the result.
        status = 5 if "code" in call else 0
        check(f"{name}: {call['id']} ends with {status}", out.returncode == status, out)
        compare(name, call, outcomes.get(call["id"]), answer(out))


def every_kind(table):
    """All successes, and of each kind of failure the first: a process for each call takes its time."""
    seen = set()
    for call in table:
        kind = call.get("code")
        if kind is None or kind not in seen:
            seen.add(kind)
            yield call


def read(out):
    try:
        return json.loads(out.stdout)
    except ValueError:
        return {}


def answer(out):
    result = read(out)
    if "content" in result:
        return {"result": result}
    return {"error": {"code": None, "message": out.stderr + out.stdout}}
