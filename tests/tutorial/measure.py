#!/usr/bin/env python3
"""How long it takes from nothing to a tool's first result, in each language: makes the figures of docs/performance.md.

    FUMEHOOD=target/release/fumehood tests/tutorial/measure.py [rust|js|python|c]...

Makes a project with `fumehood new` and types the commands that it prints, each with its time, with nothing in the host's
cache; then changes the source and types all of them again but those that are typed once. What package managers keep of
earlier downloads is left where it is.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run import environment, fail

# What is written by hand, and what is added to it in the second round.
SOURCES = {
    "rust": ("src/lib.rs", "pub const CHANGED: u8 = 1;"),
    "js": ("src/tool.js", "export const changed = 1;"),
    "python": ("tool.py", "CHANGED = 1"),
    "c": ("tool.c", "const int changed = 1;"),
}


def measured(command, folder, env):
    began = time.monotonic()
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        fail(f"{command}: ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    took = time.monotonic() - began
    print(f"  {took:7.2f} s  {command}", flush=True)
    return took


def measure(language, scratch, env):
    name = f"hello-{language}"
    made = ["fumehood", "new", name, "--lang", language]
    began = time.monotonic()
    printed = subprocess.run(made, cwd=scratch, env=env, capture_output=True, text=True, check=True)
    print(f"== {language}\n  {time.monotonic() - began:7.2f} s  {' '.join(made)}")
    lines = [line[2:] for line in (printed.stdout + printed.stderr).splitlines() if line.startswith("  ")]
    commands = [line for line in lines if not line.startswith("cd ")]
    folder = scratch / name
    path, line = SOURCES[language]
    source = folder / path
    for again in (False, True):
        if again:
            print("  the source changed:")
            source.write_text(f"{source.read_text()}\n{line}\n")
        # What is said beside a command is for its reader.
        typed = [re.sub(r"\s+#.*", "", command) for command in commands if not (again and "once" in command)]
        times = {command: measured(command, folder, env) for command in typed}
        needed = [took for command, took in times.items() if not re.search(r"test|mypy|npm run check|fumehood check", command)]
        print(f"  {sum(needed):7.2f} s  to the result, {sum(times.values()):.2f} s with its tests and checks")


def main():
    languages = sys.argv[1:] or list(SOURCES)
    for language in languages:
        if language not in SOURCES:
            fail(f"there is no language {language}; there are {', '.join(SOURCES)}")
    for language in languages:
        with tempfile.TemporaryDirectory(prefix="fumehood-measure-") as scratch:
            scratch = Path(scratch)
            measure(language, scratch, environment(scratch))


main()
