#!/usr/bin/env python3
"""asking.py PROJECT written|used COMPONENT: what holds for a project that asks for capabilities, in every language.

`written`: as `fumehood new` left it. `used`: with the code in `asking/`, which uses what is asked for; PROJECT then says
what it is granted. The program is named by FUMEHOOD. Prints one line per check; exit status 1 when one does not hold.
"""

import http.server
import json
import os
import sys
import tempfile
import threading
from pathlib import Path

from check import Checks

WASI = ["env GREETING", "clock", "random"]
# What each project is made with, in the order of an audit.
ASKED = {
    "c": ["filesystem read-write", *WASI],
    "quickjs-process": ["process echo", "filesystem read", *WASI],
    "quickjs-tools": ["tools line_finder"],
    "python": ["filesystem read", "http", "secret token", *WASI],
}
GREETING = "hello from the environment"
PAGE = "hello from a page"
FILE = "hello from a file"


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_):
        """Nobody reads it."""


def asked(inspected):
    """In one word or two, and whether the tool can do without."""
    requests = inspected.get("capabilities", [])
    details = ("access", "target", "name", "program", "tool")
    words = [[each["capability"], *(each[detail] for detail in details if detail in each)] for each in requests]
    return [" ".join(each) for each in words], [each.get("optional") for each in requests]


def written(checks):
    status, out, _ = checks.fumehood("inspect", checks.component, "--json")
    inspected = json.loads(out or "{}")
    every = ASKED[checks.toolchain]
    checks.check("its audit has what was asked for", [status, *asked(inspected)], [0, every, [True] * len(every)])
    args = json.dumps({"text": "one\ntwo", "find": "two"})
    said = checks.fumehood("run", checks.component, "--args", args)[:2]
    checks.check("it runs without, as its README has it", said, (0, "2: two\n"))


def used(checks, lines, args, *grants):
    """With the grants it gives these lines; without any it is told that it may not."""
    out = json.loads(checks.fumehood("inspect", checks.component, "--json")[1] or "{}")
    unused = [finding["at"] for finding in out.get("findings", []) if finding["rule"] == "manifest/unused-capability"]
    checks.check("it links all that it asks for", [asked(out)[0], unused], [ASKED[checks.toolchain], []])
    run = ["run", checks.component, "--show", "json", "--args", json.dumps(args)]
    _, out, errors = checks.fumehood(*run, *grants)
    outcome = json.loads(out or "{}")
    got = [line["text"] for line in outcome.get("value", {}).get("lines", [])]
    checks.check("what it is granted it has", got, lines)
    if got != lines:
        print(outcome.get("message"), errors)
    # What the grants were for is refused, by the host or by the tool.
    _, out, _ = checks.fumehood(*run)
    outcome = json.loads(out or "{}")
    kind = outcome.get("details", {}).get("error") or outcome.get("code", "").lower()
    checks.check("what it is not granted it has not", [outcome.get("outcome"), kind], ["failure", "denied"])


def main():
    project, state, component = sys.argv[1:]
    checks = Checks(project, component)
    if state == "written":
        written(checks)
        sys.exit(checks.failed)
    os.environ["GREETING"] = GREETING
    with tempfile.TemporaryDirectory() as folder, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        Path(folder, "file").write_text(FILE, encoding="utf-8")
        place = f"127.0.0.1:{server.server_port}"
        wasi = ["--allow", "env=GREETING", "--allow", "clock", "--allow", "random", "--mount", folder]
        match project:
            case "c":
                used(checks, [GREETING, FILE, "now", "chance"], {"text": "file", "find": "-"}, *wasi)
            case "quickjs-process":
                program = ["--allow", "process=echo:/bin/echo *"]
                used(checks, [GREETING, "said", "now", "chance"], {"text": "said", "find": "-"}, *wasi, *program)
            case "quickjs-tools":
                other = ["--allow", "tools=line_finder", "--with", str(Path(component).parent / "line-finder/line-finder.wasm")]
                used(checks, ["two"], {"text": "one\ntwo", "find": "two"}, *other)
            case "python":
                page = ["--allow", f"http=http://{place}/ GET 127.0.0.1"]
                lines = [PAGE, GREETING, FILE, "now", "chance"]
                used(checks, lines, {"text": "file", "find": place}, *wasi, *page)
        server.shutdown()
    sys.exit(checks.failed)


if __name__ == "__main__":
    main()
