#!/usr/bin/env python3
"""check.py TOOLCHAIN DIRECTORY: what holds for the tools `shout.wasm` and `probe.wasm` of every language.

The program is named by FUMEHOOD. Prints one line per check; exit status 1 when one of them does not hold.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

EXPECT = json.loads((Path(__file__).parent / "expect.json").read_text(encoding="utf-8"))
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

# What the reason says when `probe` throws what no projector declares. StarlingMonkey's glue takes any error for the
# declared one, which is a string, and puts its own complaint in place of the error's text.
THROWN = dict.fromkeys(CONSTANTS, "the projector broke on purpose") | {
    "starlingmonkey": "expected a string, received [object]"
}


class Checks:
    def __init__(self, toolchain, directory):
        self.toolchain = toolchain
        self.directory = Path(directory)
        self.failed = False

    def check(self, what, got, expect):
        """Compare as JSON text: order of members, kinds of numbers and all."""
        got, expect = (json.dumps(value, ensure_ascii=False) for value in (got, expect))
        held = got == expect
        self.failed |= not held
        print(f"{'ok    ' if held else 'FAILED'} {self.toolchain}: {what}")
        if not held:
            print(f"         got    {got}\n         expect {expect}", flush=True)

    def fumehood(self, *arguments):
        """Exit status and standard output. The environment holds what no guest may see."""
        environment = {**os.environ, "FUMEHOOD_TEST_SECRET": "seen"}
        done = subprocess.run(
            [FUMEHOOD, *arguments], env=environment, capture_output=True, encoding="utf-8", timeout=PATIENCE_SECONDS
        )
        if done.returncode not in (0, 1):
            print(done.stderr, file=sys.stderr)
        return done.returncode, done.stdout

    def run(self, tool, args):
        text = json.dumps(args)
        status, out = self.fumehood("run", str(self.directory / f"{tool}.wasm"), "--args", text, "--show", "json")
        outcome = json.loads(out or "null") or {"outcome": "none", "usage": []}
        return status, outcome

    def honest(self):
        shout = str(self.directory / "shout.wasm")
        status, out = self.fumehood("inspect", shout, "--json")
        inspected = json.loads(out or "{}")
        tools = [[tool["name"], tool["callable"]] for tool in inspected.get("tools", [])]
        self.check("inspect accepts it", [status, tools], [0, [["shout", True]]])
        weights = sorted({finding["severity"] for finding in inspected.get("findings", [])} - {"note"})
        self.check("inspect has nothing to warn of", weights, [])

        status, outcome = self.run("shout", EXPECT["args"])
        self.check("a call gives a value", [status, outcome["outcome"]], [0, "success"])
        for part in ("value", "content", "card"):
            self.check(f"the {part} is that of every language", outcome.get(part), EXPECT[part])
        used = {line["limit"]: line["used"] for line in outcome["usage"]}
        over = [line["limit"] for line in outcome["usage"] if line["used"] * 2 > line["max"]]
        self.check("no more than half of any limit is used", [bool(used), over], [True, []])

        status, out = self.fumehood("run", shout, "--args", json.dumps(EXPECT["args"]), "--show", "pending-card")
        self.check("a call that has not finished has a card", [status, out.splitlines()[:1]], [0, EXPECT["pending"]])
        status, outcome = self.run("shout", {"text": ""})
        refusal = [status, outcome.get("code"), outcome.get("message")]
        self.check("an error of the tool is the tool's own words", refusal, [1, "TOOL_FAILED", "there is nothing to shout"])
        return inspected.get("bytes"), used

    def dishonest(self):
        status, outcome = self.run("probe", {"try": "wall-clock"})
        sentence = "render failed: render called wasi:clocks/wall-clock.now, which a projector may not"
        got = [status, outcome.get("code"), outcome.get("message")]
        self.check("a projector that reads the clock is named", got, [1, "INVALID_TOOL_OUTPUT", sentence])

        status, outcome = self.run("probe", {"try": "exception"})
        told = THROWN[self.toolchain] in outcome.get("message", "")
        got = [status, outcome.get("code"), told]
        self.check("a projector that breaks says why", got, [1, "INVALID_TOOL_OUTPUT", True])
        if not told:
            print(f"         message {outcome.get('message')!r}")

        for attempt, constant in CONSTANTS[self.toolchain].items():
            outcomes = [self.run("probe", {"try": attempt})[1] for _ in range(2)]
            first, second = ([block["text"] for block in outcome.get("content", [])] for outcome in outcomes)
            self.check(f"{attempt} is readable", [o["outcome"] for o in outcomes], ["success"] * 2)
            self.check(f"{attempt} is the same twice", second, first)
            if constant is not None:
                self.check(f"{attempt} is empty", first, [constant])


def main():
    toolchain, directory = sys.argv[1:]
    checks = Checks(toolchain, directory)
    size, used = checks.honest()
    checks.dishonest()
    print(
        f"       {toolchain}: {size} bytes, {used.get('memory-bytes')} bytes of memory, {used.get('projector-fuel')} fuel,"
        f" {used.get('table-elements')} table elements, {used.get('instances')} instances, {used.get('host-calls')} host calls"
    )
    sys.exit(checks.failed)


if __name__ == "__main__":
    main()
