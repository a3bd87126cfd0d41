"""The official conformance suite, for both revisions, against a baseline that is strict in both directions."""

import json
import os
import re
import subprocess

from checks import check
from serving import HERE, WORK, Session

SUITE = WORK / "js/node_modules/@modelcontextprotocol/conformance/dist/index.js"

# It takes five seconds alone.
SECONDS = 120


def run(revision):
    name = f"conformance {revision}"
    baseline = HERE / f"baseline-{revision}.yml"
    session = Session(f"conformance-{revision}", tools=["conformance"])
    results = session.folder / "results"
    with session.http() as server:
        command = [os.environ["MCP_CLIENTS_NODE"], SUITE, "server", "--url", server.url, "--requirements", revision]
        command += ["--expected-failures", baseline, "-o", results]
        out = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
    said = re.sub(r"\x1b\[\d*m", "", out.stdout)
    check(f"{name}: the suite agrees with the baseline", out.returncode == 0, said[-500:] + out.stderr)

    # The suite excuses a line whose check did not run; a reason that no longer applies is not left standing here.
    expected = set(re.findall(r"^  - (\S+)$", baseline.read_text(), re.M))
    explained = re.findall(r"^  # .+\n  - (\S+)$", baseline.read_text(), re.M)
    check(f"{name}: every line has its reason", sorted(explained) == sorted(expected), expected - set(explained))
    passed, failed = 0, set()
    for path in sorted(results.glob("*/checks.json")):
        scenario = re.match(r"(?:server-)?(.+?)-\d{4}-\d\d-\d\dT", path.parent.name)[1]
        for one in json.loads(path.read_text()):
            passed += one["status"] == "SUCCESS"
            if one["status"] in ("FAILURE", "WARNING"):
                failed.add(f"{scenario}:{one['id']}")
    check(f"{name}: {passed} checks pass", passed > 0, "none ran")
    for one in sorted(failed - expected):
        check(f"{name}: {one}", False, "fails, and is not in the baseline")
    for one in sorted(expected - failed):
        check(f"{name}: {one}", False, "is in the baseline, and does not fail")
