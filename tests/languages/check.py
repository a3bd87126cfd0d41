#!/usr/bin/env python3
"""check.py TOOLCHAIN COMPONENT: what holds for the tools `gallery` and `probe` of every language.

The program is named by FUMEHOOD. Prints one line per check; exit status 1 when one of them does not hold.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

GALLERY = json.loads((Path(__file__).parent / "gallery.json").read_text(encoding="utf-8"))
FUMEHOOD = os.environ["FUMEHOOD"]
# Compiling the largest component is allowed 276 s per attempt on a busy machine; nothing here may wait for ever.
PATIENCE_SECONDS = 600

# What `probe` gets where projectors get constants: no variable, no argument. None: any text, twice the same.
CONSTANTS = {
    "c": {"environment": "0 variables", "random": None},
    "quickjs": {"environment": "[{},[]]", "random": None},
    "starlingmonkey": {"environment": "[{},[]]", "random": None},
    "python": {"environment": "[{}, []]", "random": None},
}

# Where what broke on purpose says that it broke. C has no exceptions to say it with.
PLACES = {"c": ["", ""], "quickjs": ["/src/gallery.js:", "/src/probe.js:"], "starlingmonkey": ["gallery.js:", "probe.js:"],
          "python": ["gallery.py:", "probe.py:"]}  # fmt: skip


class Checks:
    def __init__(self, toolchain, component):
        self.toolchain = toolchain
        self.component = component
        self.failed = False

    def check(self, what, got, expect):
        """Compare as JSON text: order of members, kinds of numbers and all."""
        got, expect = (json.dumps(value, ensure_ascii=False) for value in (got, expect))
        held = got == expect
        self.failed |= not held
        print(f"{'ok    ' if held else 'FAILED'} {self.toolchain}: {what}")
        if not held:
            print(f"         got    {got}\n         expect {expect}", flush=True)

    def fumehood(self, *arguments, stdin=""):
        """Exit status, standard output and standard error. The environment holds what no guest may see."""
        environment = {**os.environ, "FUMEHOOD_TEST_SECRET": "seen"}
        done = subprocess.run(
            [FUMEHOOD, *arguments], env=environment, input=stdin, capture_output=True, encoding="utf-8",
            timeout=PATIENCE_SECONDS,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def run(self, calls):
        """The outcomes of several calls."""
        lines = "".join(json.dumps(call) + "\n" for call in calls)
        _, out, errors = self.fumehood("run", self.component, "--batch", "-", "--show", "json", stdin=lines)
        outcomes, decoder = [], json.JSONDecoder()
        while out := out.strip():
            outcome, end = decoder.raw_decode(out)
            outcomes.append(outcome)
            out = out[end:]
        if len(outcomes) < len(calls):
            # Nothing is compared with what is not there.
            print(errors)
        return outcomes + [{"outcome": "none", "usage": []}] * (len(calls) - len(outcomes))

    def honest(self):
        status, out, _ = self.fumehood("inspect", self.component, "--json")
        inspected = json.loads(out or "{}")
        tools = [[tool["name"], tool["callable"]] for tool in inspected.get("tools", [])]
        self.check("inspect accepts it", [status, tools], [0, [["gallery", True], ["probe", True]]])
        weights = sorted({finding["severity"] for finding in inspected.get("findings", [])} - {"note"})
        self.check("inspect has nothing to warn of", weights, [])

        used, over = {}, []
        outcomes = self.run([{"tool": "gallery", "args": case["args"]} for case in GALLERY])
        for case, outcome in zip(GALLERY, outcomes, strict=True):
            expect = case["outcome"]
            got = {name: outcome.get(name) for name in expect}
            self.check(f"{case['args']['show']} is that of every language", got, expect)
            if case["args"]["show"] == "break":
                message = outcome.get("message", "")
                told = ["the tool broke on purpose" in message, PLACES[self.toolchain][0] in message]
                self.check("a tool that breaks says what and where", told, [True, True])
            for line in outcome["usage"]:
                used[line["limit"]] = max(line["used"], used.get(line["limit"], 0))
                if line["used"] * 2 > line["max"]:
                    over.append(line["limit"])
        self.check("no more than half of any limit is used", [bool(used), over], [True, []])

        args = json.dumps({"show": "read"})
        pending = self.fumehood("run", self.component, "--tool", "gallery", "--args", args, "--show", "pending-card")
        self.check("a call that has not finished has a card", [pending[0], "read …" in pending[1]], [0, True])
        return inspected.get("bytes"), used

    def dishonest(self):
        [clock, broken] = self.run([{"tool": "probe", "args": {"try": what}} for what in ("wall-clock", "break")])
        message = clock.get("message", "")
        named = "render failed: render called wasi:clocks/wall-clock.now, which a projector may not"
        self.check("a projector that reads the clock is named", [clock.get("code"), message], ["INVALID_TOOL_OUTPUT", named])

        message = broken.get("message", "")
        told = [broken.get("code"), "the projector broke on purpose" in message, PLACES[self.toolchain][1] in message]
        self.check("a projector that breaks says what and where", told, ["INVALID_TOOL_OUTPUT", True, True])

        for attempt, constant in CONSTANTS[self.toolchain].items():
            outcomes = self.run([{"tool": "probe", "args": {"try": attempt}}] * 2)
            first, second = ([block["text"] for block in outcome.get("content", [])] for outcome in outcomes)
            self.check(f"{attempt} is readable", [o["outcome"] for o in outcomes], ["success"] * 2)
            self.check(f"{attempt} is the same twice", second, first)
            if constant is not None:
                self.check(f"{attempt} is empty", first, [constant])


def main():
    toolchain, component = sys.argv[1:]
    checks = Checks(toolchain, component)
    size, used = checks.honest()
    checks.dishonest()
    print(
        f"       {toolchain}: {size} bytes, {used.get('memory-bytes')} bytes of memory, {used.get('projector-fuel')} fuel,"
        f" {used.get('table-elements')} table elements, {used.get('instances')} instances, {used.get('host-calls')} host calls"
    )
    sys.exit(checks.failed)


if __name__ == "__main__":
    main()
