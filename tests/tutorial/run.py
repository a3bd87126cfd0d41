#!/usr/bin/env python3
"""Types what the tutorials for tool authors say, and compares what is printed with what they show.

    FUMEHOOD=target/release/fumehood tests/tutorial/run.py [--bless] [PAGE.md]...

In a page, lines of a `console` block that begin with `$ ` are commands. What stands below one is all that it prints, on
both streams; nothing below it: its output is not looked at. `[..]` stands for anything in a line, a line `...` for any
lines, and a last line `? N` for the exit status N in place of 0. A comment `<!-- write FILE -->` before a block of another
kind writes the block into that file. Everything of a page happens in one new folder, in order.

`--bless` writes what was printed into the pages where it differs; what changes from run to run has to be put back.

Without pages: those of docs/tool-authors. Exit status: 0 all as shown, 1 something differs, 2 something is missing.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGES = ["docs/tool-authors.md", *(f"docs/tool-authors/{name}.md" for name in ("javascript", "python", "c"))]
# A cold build of a language's runtime takes two minutes on a slow machine; a command that hangs must end some time.
SECONDS = 900


def fail(message):
    print(f"tests/tutorial/run.py: {message}", file=sys.stderr)
    sys.exit(2)


def environment(scratch):
    """What a vendor's shell has: the command, and a Rust that can build for WebAssembly."""
    fumehood = os.environ.get("FUMEHOOD") or fail("FUMEHOOD is not set; write FUMEHOOD=target/release/fumehood")
    if not os.access(fumehood, os.X_OK):
        fail(f"there is no program at {fumehood}; run cargo build --release")
    bin_folder = scratch / "bin"
    bin_folder.mkdir()
    (bin_folder / "fumehood").symlink_to(Path(fumehood).resolve())
    if not has_rustup_target():
        # Cargo and rustup as they are where rustup has the target: Debian's toolchain stands in.
        for program in ("cargo", "rustup"):
            shutil.copy(HERE / "debian" / program, bin_folder / program)
    return {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "REAL_CARGO": shutil.which("cargo") or fail("there is no cargo"),
        "XDG_CACHE_HOME": str(scratch / "cache"),
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "CARGO_TERM_COLOR": "never",
        "CARGO_INCREMENTAL": "0",
    }


def has_rustup_target():
    target = ["rustc", "--print", "target-libdir", "--target", "wasm32-unknown-unknown"]
    libdir = subprocess.run(target, capture_output=True, text=True, check=False).stdout.strip()
    return bool(libdir) and any(Path(libdir).glob("libstd-*.rlib"))


def like(shown, printed):
    """Whether the lines that are printed are those that are shown."""
    pattern = ""
    for line in shown:
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("[..]")) + r"\n"
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed)) is not None


def typed(command, folder, env):
    """The output of a command, its status, and the folder that the shell is then in."""
    told = folder.parent / "pwd"
    script = f'{command}\nstatus=$?\npwd >"{told}"\nexit $status'
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS, check=False,
    )
    return done.stdout.splitlines(), done.returncode, Path(told.read_text().strip())


def session(block, folder, env, wrong):
    """One block of commands. The block as it would have to be, and the folder afterwards."""
    commands, lines = [], []
    for line in block:
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands and line.startswith("> "):
            command, shown = commands.pop()
            commands.append((f"{command}\n{line[2:]}", shown))
        elif commands:
            commands[-1][1].append(line)
    for command, shown in commands:
        print(f"  $ {command}", flush=True)
        status = int(shown.pop()[2:]) if shown and re.fullmatch(r"\? \d+", shown[-1]) else 0
        while shown and not shown[-1]:
            shown.pop()
        printed, ended, folder = typed(command, folder, env)
        said = command.split("\n")
        lines += [f"$ {said[0]}", *(f"> {line}" for line in said[1:])]
        same = ended == status and (not shown or like(shown, printed))
        if not same:
            wrong.append(command)
            print(f"    ended with {ended}, and printed:", *printed, sep="\n    ")
            if shown:
                print("    in place of:", *shown, sep="\n    ")
        lines += shown if same or not shown else [line.rstrip() for line in printed]
        if status:
            lines.append(f"? {status}")
    return lines, folder


def page(path, bless):
    """Type one page. Whether all was as shown."""
    print(path.relative_to(ROOT), flush=True)
    text, out, wrong = path.read_text().split("\n"), [], []
    target = None
    with tempfile.TemporaryDirectory(prefix="fumehood-tutorial-") as scratch:
        scratch = Path(scratch)
        env = environment(scratch)
        folder = scratch / "work"
        folder.mkdir()
        at = ran = 0
        while at < len(text):
            line = text[at]
            out.append(line)
            at += 1
            if named := re.fullmatch(r"<!-- write (\S+) -->", line):
                target = named[1]
            if not re.match(r"```\w", line):
                continue
            end = text.index("```", at)
            block = text[at:end]
            if line == "```console":
                ran += 1
                block, folder = session(block, folder, env, wrong)
            elif target:
                (folder / target).write_text("\n".join(block) + "\n")
                target = None
            out += block
            at = end
    if not ran:
        fail(f"{path} has no console block")
    if bless and wrong:
        path.write_text("\n".join(out))
    return not wrong


def main():
    arguments = sys.argv[1:]
    bless = "--bless" in arguments
    pages = [Path(name).resolve() for name in arguments if name != "--bless"] or [ROOT / name for name in PAGES]
    good = [page(path, bless) for path in pages]
    print(f"{sum(good)} of {len(good)} pages are as they say")
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
