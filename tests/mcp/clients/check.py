"""Runs the parts that are named, or all. Use `run.sh`, which installs what this needs."""

import sys
from concurrent.futures import ThreadPoolExecutor

import checks
import clients
import conformance
import expect
import inspector
import raw_http
import raw_stdio
import serving

PARTS = ["conformance", *clients.CLIENTS, "inspector", "raw"]


def jobs(parts, transports):
    """Each a name and a function; they share nothing but the compiled code."""
    if parts - {"conformance", "raw"}:
        # Before the clients, and not beside them: this compiles every tool once, into the shared folder.
        pages = serving.pages()
        table = expect.calls(pages)
        about = table, expect.outcomes(table, pages), pages
    for transport in transports:
        if "inspector" in parts:
            yield f"inspector over {transport}", lambda transport=transport: inspector.run(transport, *about)
        for client in clients.CLIENTS:
            if client in parts:
                yield f"{client} over {transport}", lambda c=client, t=transport: clients.run(c, t, *about)
    if "conformance" in parts and "http" in transports:
        for revision in (clients.MODERN, clients.LEGACY):
            yield f"conformance {revision}", lambda revision=revision: conformance.run(revision)
    if "raw" in parts:
        for module in (raw_stdio, raw_http):
            if module.TRANSPORT in transports:
                for one in module.CHECKS:
                    yield f"raw {module.TRANSPORT}", one


def guarded(name, job):
    """A part that breaks is a failed check, and the others go on."""
    try:
        job()
    except (Exception, SystemExit) as error:
        checks.check(f"{name}: runs to its end", False, repr(error))


def main(arguments):
    transports = [t for t in ("stdio", "http") if f"--{t}-only" in arguments] or ["stdio", "http"]
    parts = {a for a in arguments if not a.startswith("--")} or set(PARTS)
    # The clients mostly wait for each other's start; four keep two processors busy.
    with ThreadPoolExecutor(4) as pool:
        for running in [pool.submit(guarded, *job) for job in jobs(parts, transports)]:
            running.result()
    checks.end()


main(sys.argv[1:])
