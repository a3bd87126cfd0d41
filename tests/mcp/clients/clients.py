"""Every client lists and calls every tool, over both transports; some also hear of progress and changes, and cancel."""

import json
import os
import subprocess

from checks import check, equal
from expect import ADDED, EVERY, TOOLS, compare, listed
from serving import DIST, SAMPLES, WORK, Session

LEGACY, MODERN = "2025-11-25", "2026-07-28"

# A whole probe: forty calls, two of which wait for limits, a cancel and a change. It takes about five seconds alone.
SECONDS = 90

# Name -> (interpreter, probe, the revision it must come to, whether it cancels, whether it hears of changes)
CLIENTS = {
    "ts1": ("node", "ts1.mjs", LEGACY, True, True),
    "ts2": ("node", "ts2.mjs", MODERN, True, True),
    "py1": ("py1", "py1.py", LEGACY, False, True),
    "py2": ("py2", "py2.py", MODERN, True, True),
    "fastmcp": ("py2", "fast.py", MODERN, False, False),
}

def run(client, transport, table, outcomes, pages):
    """Run one probe and check its report."""
    name = f"{client} over {transport}"
    interpreter, probe, protocol, cancels, changes = CLIENTS[client]
    session = Session(f"{client}-{transport}", pages, SAMPLES if changes else [*SAMPLES, "conformance"])
    later = [call for call in table if changes and call["tool"] in ADDED]
    plan = {
        "seconds": SECONDS,
        "calls": [call for call in table if call not in later],
        "progress": {"tool": "flaky", "args": {"how": "progress"}},
    }
    if cancels:
        # The program says who it is once it runs, and then does nothing for longer than anybody waits.
        script = "echo $$ > started; exec sleep 600"
        args = {"program": "sh", "args": ["-c", script], "workingDirectory": "."}
        plan["cancel"] = {"tool": "shell_run", "args": args, "started": str(session.folder / "files" / "started")}
    if changes:
        to = session.folder / "tools" / "conformance.wasm"
        plan["change"] = {"from": str(DIST / "conformance.wasm"), "to": str(to), "calls": later}
    if transport == "stdio":
        report = probe_with(plan | {"stdio": session.command()}, interpreter, probe, session)
    else:
        with session.http() as server:
            report = probe_with(plan | {"http": server.url}, interpreter, probe, session)
    check(f"{name}: runs to its end", not {"broken", "hung"} & set(report), report.get("broken", report))
    if "tools" not in report:
        return
    equal(f"{name}: protocol", report.get("protocol"), protocol)
    listed(name, report.get("tools"), TOOLS if changes else EVERY)
    for call in table:
        compare(name, call, outcomes.get(call["id"]), report["calls"].get(call["id"]))
    steps = [[n, 3, f"step {n}"] for n in (1, 2, 3)]
    equal(f"{name}: progress", report.get("progress"), steps)
    if interpreter == "node" and transport == "http":
        equal(f"{name}: progress reaches the callback", report.get("callbacks"), steps)
    if cancels:
        stopped = {"began": True, "rejected": True, "stopped": True}
        equal(f"{name}: a cancel stops the guest", report.get("cancel"), stopped)
    if changes:
        change = report.get("change") or {}
        check(f"{name}: hears of an added file", change.get("heard"), change)
        listed(f"{name}, after that", change.get("tools"), EVERY)


def probe_with(plan, interpreter, probe, session):
    path = session.folder / "plan.json"
    path.write_text(json.dumps(plan))
    program = os.environ["MCP_CLIENTS_NODE"] if interpreter == "node" else WORK / interpreter / "bin" / "python"
    # Beside the packages: that is where Node looks for them.
    command = [program, WORK / "js" / "probes" / probe, path]
    with open(session.folder / "stderr", "w+") as said:
        try:
            out = subprocess.run(command, stdout=subprocess.PIPE, stderr=said, text=True, timeout=SECONDS + 20)
            return json.loads(out.stdout.strip("\n").split("\n")[-1])
        except (subprocess.TimeoutExpired, IndexError, ValueError) as error:
            said.seek(0)
            return {"broken": f"{error!r} {said.read()[-2000:]}", "calls": {}}
