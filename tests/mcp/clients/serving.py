"""Sessions: folders with tools, files and a policy, and `fumehood serve` in front of them."""

import contextlib
import http.server
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIST = HERE.parents[2] / "sample-tools" / "dist"
FUMEHOOD = os.environ["FUMEHOOD"]
WORK = Path(os.environ["MCP_CLIENTS_WORK"])

SAMPLES = ["files", "flaky", "memory", "shell", "web", "word-count"]

# A start reads six files; a machine that does other work as well takes a second.
START_SECONDS = 30


class Pages(http.server.BaseHTTPRequestHandler):
    """What `web_fetch` and `web_search` find."""

    def do_GET(self):
        path = self.path.partition("?")[0]
        kind, body = {
            "/bees": ("text/html; charset=utf-8", "<!doctype html><title>Bees</title><h1>Bees &amp; flowers</h1>"),
            "/find": (
                "application/json",
                '{"results":[{"url":"https://a.test/bees","title":"Bees","content":"They fly."}]}',
            ),
        }.get(path, ("text/plain", "nothing"))
        body = body.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def pages():
    """The URL of a server of pages that lives as long as this process."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


class Session:
    """A folder of its own, so that no client sees what another one wrote."""

    def __init__(self, name, pages="http://127.0.0.1:9", tools=SAMPLES):
        self.folder = WORK / "sessions" / name
        shutil.rmtree(self.folder, ignore_errors=True)
        for folder in ("tools", "files", "memory"):
            (self.folder / folder).mkdir(parents=True)
        for tool in tools:
            shutil.copy(DIST / f"{tool}.wasm", self.folder / "tools")
        (self.folder / "policy.toml").write_text((HERE / "policy.toml").read_text().replace("{pages}", pages))

    def command(self, *more):
        """How to serve this session."""
        # Compiled code is shared by all sessions: each tool is compiled once.
        shared = ["--policy", str(self.folder / "policy.toml"), "--cache", str(WORK / "code")]
        return [FUMEHOOD, "serve", str(self.folder / "tools"), *shared, *more]

    @contextlib.contextmanager
    def http(self, *more):
        """Serve HTTP on a free port; gives the process, with `url` and `port`."""
        command = self.command("--http", "127.0.0.1:0", *more)
        none = subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=none, stdout=none, stderr=subprocess.PIPE, text=True)
        watchdog = threading.Timer(START_SECONDS, process.kill)
        watchdog.start()
        said = []
        try:
            for line in process.stderr:
                said.append(line)
                if match := re.search(r"serving (http://[\d.]+:(\d+)/mcp)", line):
                    process.url, process.port = match[1], int(match[2])
                    break
            else:
                raise RuntimeError(f"the server did not start: {''.join(said)}")
            watchdog.cancel()
            # Whoever does not read it would stop the server once the pipe is full.
            process.said = said
            threading.Thread(target=lambda: said.extend(process.stderr), daemon=True).start()
            yield process
        finally:
            watchdog.cancel()
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
