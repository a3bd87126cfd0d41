#!/usr/bin/env python3
"""How long it takes from nothing to a tool's first result, in each language: makes the figures of docs/performance.md.

    FUMEHOOD=target/release/fumehood tests/tutorial/measure.py [rust|js|python|c]...

Makes a project with `fumehood new` and types the commands that it prints, each with its time, with nothing in the host's
cache; then changes the source and types all of them again but those that are typed once. What package managers keep of
earlier downloads is left where it is.
"""

import re
import sys
import tempfile
import time
from pathlib import Path

from run import environment, fail, typed

# What is written by hand, and what is added to it in the second round.
SOURCES = {
    "rust": ("src/lib.rs", "pub const CHANGED: u8 = 1;"),
    "js": ("src/tool.js", "export const changed = 1;"),
    "python": ("tool.py", "CHANGED = 1"),
    "c": ("tool.c", "const int changed = 1;"),
}


def measured(command, folder, env):
    began = time.monotonic()
    printed, status, _ = typed(command, folder, env)
    took = time.monotonic() - began
    if status:
        fail("\n".join([f"{command}: ended with {status}", *printed[-30:]]))
    print(f"  {took:7.2f} s  {command}", flush=True)
    return took, printed


def measure(language, scratch, env):
    name = f"hello-{language}"
    (folder := scratch / "projects").mkdir()
    print(f"== {language}")
    _, printed = measured(f"fumehood new {name} --lang {language}", folder, env)
    lines = [line[2:] for line in printed if line.startswith("  ")]
    commands = [line for line in lines if not line.startswith("cd ")]
    folder /= name
    path, line = SOURCES[language]
    source = folder / path
    for again in (False, True):
        if again:
            print("  the source changed:")
            source.write_text(f"{source.read_text()}\n{line}\n")
        # What is said beside a command is for its reader.
        left = [re.sub(r"\s+#.*", "", command) for command in commands if not (again and "once" in command)]
        times = {command: measured(command, folder, env)[0] for command in left}
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
