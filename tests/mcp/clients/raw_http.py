"""What no client sends, over HTTP; and who is not served."""

import contextlib
import http.client
import json
import os
import re
import resource
import socket
import subprocess
import time

from checks import check, equal
from raw_stdio import call, gone, modern, until
from serving import Session

TRANSPORT = "http"

# An answer takes milliseconds; compiling a tool first, on a busy machine, takes seconds.
SECONDS = 60

# What the server says it has at most.
CONNECTIONS = 512


def headers(message, **more):
    """What 2026-07-28 wants of a request, and what is said of it."""
    found = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": message["method"],
    }
    if "name" in message.get("params", {}):
        found["Mcp-Name"] = message["params"]["name"]
    return found | {name.replace("_", "-"): value for name, value in more.items()}


def post(server, message, **more):
    """(status, body) for one message; bytes are sent as they are."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
    try:
        raw = isinstance(message, bytes)
        about = headers({"method": "tools/list"} if raw else message, **more)
        # A server that has refused a request may answer, and close, before all of it was sent.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request("POST", "/mcp", message if raw else json.dumps(message), about)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def served(name, server, **more):
    status, body = post(server, modern(1, "tools/list"), **more)
    check(f"raw http: {name}", status == 200 and '"word_count"' in body, (status, body))


def refused(name, server, wanted, message=None, **more):
    status, body = post(server, modern(1, "tools/list") if message is None else message, **more)
    check(f"raw http: {name} is {wanted}", status == wanted and '"result"' not in body, (status, body))


def hosts_and_origins():
    with Session("raw-http-hosts").http() as server:
        served("a program of this machine is served", server)
        served("localhost is served", server, Host=f"localhost:{server.port}")
        served("a page of its own address is served", server, Origin=f"http://127.0.0.1:{server.port}")
        refused("another host name", server, 403, Host="attacker.example")
        refused("another host name that begins like this one", server, 403, Host="127.0.0.1.attacker.example")
        refused("a web page of another origin", server, 403, Origin="https://attacker.example")
        refused("a web page without an origin", server, 403, Origin="null")
        refused("a web page of another port of this machine", server, 403, Origin="http://localhost:1")
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        connection.request("GET", "/")
        equal("raw http: another path is 404", connection.getresponse().status, 404)
    origin, host = "https://app.example.com", "tools.example.com"
    with Session("raw-http-allowed").http("--allow-origin", origin, "--allow-host", host) as server:
        served("an allowed origin is served", server, Origin=origin)
        served("an allowed host is served", server, Host=host)
        refused("an origin beside the allowed one", server, 403, Origin="https://app.example.com.attacker.example")


def tokens():
    session = Session("raw-http-tokens")
    token = session.folder / "token"
    token.write_text("correct-horse-battery-staple-0123456789\n")
    token.chmod(0o600)
    with session.http("--token-file", str(token)) as server:
        right = token.read_text().strip()
        served("the right token is served", server, Authorization=f"Bearer {right}")
        refused("no token", server, 401)
        refused("another token", server, 401, Authorization="Bearer correct-horse-battery-staple-0123456780")
        refused("the beginning of the token", server, 401, Authorization=f"Bearer {right[:-1]}")
        refused("the token of another scheme", server, 401, Authorization=f"Basic {right}")
        refused("an empty token", server, 401, Authorization="Bearer ")
    token.chmod(0o644)
    command = session.command("--http", "127.0.0.1:0", "--token-file", str(token))
    out = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    check("raw http: a token that others can read is refused", out.returncode == 2 and str(token) in out.stderr, out)
    message = "raw http: an address that others reach is not served without a token"
    out = subprocess.run(session.command("--http", "0.0.0.0:0"), capture_output=True, text=True, timeout=SECONDS)
    check(message, out.returncode == 2 and "--token-file" in out.stderr, out)


def bodies():
    with Session("raw-http-bodies").http() as server:
        refused("a body of 5 MB", server, 413, b'{"x":"' + b"x" * 5_000_000 + b'"}')
        refused("malformed JSON", server, 400, b'{"jsonrpc":"2.0",')
        refused("a key twice", server, 400, b'{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}')
        refused("a batch", server, 400, b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]')
        refused("an id that is an object", server, 400, b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}')
        refused("a header that is not what the body says", server, 400, call(1, "word_count", {}), Mcp_Name="flaky")
        refused("headers of 64 KB", server, 431, x_long="x" * 65_536)
        status, body = post(server, call(1, "no_such_tool", {}))
        check("raw http: an unknown tool is a protocol error", '"code":-32602' in body, (status, body))
        status, body = post(server, modern(1, "tools/call", {"name": "word_count", "arguments": [1]}))
        check("raw http: arguments that are a list are a protocol error", '"code":-32602' in body, (status, body))
        served("after all that a client is served", server)


def slow_clients():
    """None of these is waited for: others are served meanwhile."""
    with Session("raw-http-slow").http() as server, contextlib.ExitStack() as open_:
        def begin(text):
            one = open_.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS))
            one.sendall(text.encode())
            return one

        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        for text in ("", "P", head, head + 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"jsonrpc"'):
            for _ in range(20):
                begin(text)
        served("beside eighty slow clients another one is served", server)


def a_call_does_not_hold_up_others():
    session = Session("raw-http-beside")
    with session.http() as server:
        with until_started(session, server):
            status, body = post(server, call(2, "word_count", {"text": "a b"}))
            check("raw http: beside a call that runs another one is answered", '"words":2' in body, (status, body))


@contextlib.contextmanager
def until_started(session, server):
    """A call of a program that never ends; leaves once its client is gone and the program with it."""
    path = session.folder / "files" / "started"
    args = {"program": "sh", "args": ["-c", "echo $$ > started; exec sleep 600"], "workingDirectory": "."}
    message = call(1, "shell_run", args)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
    connection.request("POST", "/mcp", json.dumps(message), headers(message))
    if not until(lambda: path.exists() and path.read_text().endswith("\n"), SECONDS):
        raise TimeoutError("the program did not start")
    program = int(path.read_text())
    try:
        yield program
    finally:
        connection.close()
        check("raw http: a client that disappears ends its call", gone(program))


def signals():
    session = Session("raw-http-signal")
    with session.http() as server:
        served("before SIGTERM a client is served", server)
        server.terminate()
        equal("raw http: SIGTERM ends the server", server.wait(20), 0)
    with session.http() as server, socket.create_connection(("127.0.0.1", server.port)):
        server.terminate()
        equal("raw http: SIGTERM ends it beside an idle connection", server.wait(20), 0)


def port_in_use():
    session = Session("raw-http-port")
    with session.http() as server:
        address = f"127.0.0.1:{server.port}"
        out = subprocess.run(session.command("--http", address), capture_output=True, text=True, timeout=SECONDS)
        equal("raw http: a port that is taken ends the second server with 2", out.returncode, 2)
        clear = [line for line in out.stderr.splitlines() if address in line]
        check("raw http: in one line that names the address", len(clear) == 1 and not out.stdout, out.stderr)
        served("the first goes on", server)


def many_connections():
    """More idle connections than are taken: the rest hear that it is busy, and nobody is left without an answer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
    with Session("raw-http-many").http() as server, contextlib.ExitStack() as open_:
        idle = []
        for _ in range(600):
            one = socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS)
            idle.append(open_.enter_context(one))
        status, body = post(server, modern(1, "tools/list"))
        answered = status in (200, 503)
        check("raw http: beside 600 idle connections a client is served or told 503", answered, (status, body))
        bounded = until(lambda: 0 < sockets(server) <= CONNECTIONS, 20)
        check(f"raw http: at most {CONNECTIONS} of them are open", bounded, sockets(server))
        told = sum(says_busy(one) for one in idle[CONNECTIONS:])
        check("raw http: each of the rest is told 503", told == 600 - CONNECTIONS, f"{told} of {600 - CONNECTIONS}")
        for one in idle:
            one.close()
        check("raw http: once they are gone a client is served", until(lambda: is_served(server), 20))


def sockets(server):
    """Connections that the server has open, without the one it listens at."""
    port = f"{server.port:04X}"
    inodes = set()
    for line in open("/proc/net/tcp").read().splitlines()[1:]:
        fields = line.split()
        if fields[1].endswith(":" + port) and fields[3] == "01":
            inodes.add(fields[9])
    found = 0
    for fd in os.listdir(f"/proc/{server.pid}/fd"):
        with contextlib.suppress(OSError):
            match = re.match(r"socket:\[(\d+)\]", os.readlink(f"/proc/{server.pid}/fd/{fd}"))
            found += bool(match and match[1] in inodes)
    return found


def says_busy(one):
    try:
        return one.recv(1024).startswith(b"HTTP/1.1 503 ")
    except OSError:
        return False


def is_served(server):
    try:
        return post(server, modern(1, "tools/list"))[0] == 200
    except (OSError, http.client.HTTPException):
        return False


CHECKS = [
    hosts_and_origins, tokens, bodies, slow_clients, a_call_does_not_hold_up_others, signals, port_in_use,
    many_connections,
]
