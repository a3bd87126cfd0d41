"""What no client sends, over standard input and output."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time

from checks import check, equal
from serving import Session

TRANSPORT = "stdio"

# An answer takes milliseconds; compiling a tool first, on a busy machine, takes seconds.
ANSWER_SECONDS = 60


def modern(id, method, params=None, token=None):
    """A request of 2026-07-28."""
    about = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    }
    if token is not None:
        about["progressToken"] = token
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {**(params or {}), "_meta": about}}


def call(id, tool, args, **more):
    return modern(id, "tools/call", {"name": tool, "arguments": args}, **more)


class Wire:
    """A server and its lines."""

    def __init__(self, session, reads=True):
        self.process = subprocess.Popen(
            session.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.lines, self.errors = queue.Queue(), []
        self.reading = threading.Thread(target=self.read, daemon=True)
        if reads:
            self.reading.start()
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(b"")

    def send(self, *messages):
        """Bytes as they are; anything else as a line of JSON."""
        for message in messages:
            if not isinstance(message, bytes):
                message = json.dumps(message).encode() + b"\n"
            self.process.stdin.write(message)
        self.process.stdin.flush()

    def answer(self, id=None):
        """The next answer, or the one with this id; what comes before it is dropped."""
        end = time.monotonic() + ANSWER_SECONDS
        while True:
            line = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            if not line:
                raise EOFError(f"the server is gone: {b''.join(self.errors)[-500:]!r}")
            message = json.loads(line)
            if id is None or message.get("id") == id:
                return message

    def ended(self, seconds=20):
        """The exit status."""
        return self.process.wait(seconds)


@contextlib.contextmanager
def wire(name, reads=True):
    server = Wire(Session(f"raw-stdio-{name}"), reads)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()


def malformed():
    """Each gets an answer that says what is wrong, and the next request is served."""
    ask = b'{"jsonrpc":"2.0","id":%s,"method":"ping"}\n'
    for name, line, code, id in [
        ("malformed JSON", b'{"jsonrpc":"2.0",\n', -32700, None),
        ("no JSON at all", b"hello\n", -32700, None),
        ("a number past every float", b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":1e400}}\n', -32700, None),
        ("a lone surrogate", b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}\n', -32700, None),
        ("bytes that are not UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', -32700, None),
        ("nested 200 deep", b"[" * 200 + b"]" * 200 + b"\n", -32700, None),
        ("a key twice", b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}\n', -32700, None),
        ("a key twice in disguise", b'{"jsonrpc":"2.0","id":1,"i\\u0064":2,"method":"ping"}\n', -32700, None),
        ("a batch", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600, None),
        ("an id that is an object", ask % b"{}", -32600, None),
        ("an id that is a fraction", ask % b"1.5", -32600, None),
        ("an id that is null", ask % b"null", -32600, None),
        ("no version", b'{"id":3,"method":"ping"}\n', -32600, 3),
        ("a line of 5 MB", b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 5_000_000 + b'"}\n', -32600, None),
    ]:
        # A server each: nothing was said before that could hide behind it.
        with wire("malformed") as server:
            server.send(line)
            told = server.answer()
            error = told.get("error") or {}
            wanted = error.get("code") == code and told.get("id") == id and error.get("message")
            check(f"raw stdio: {name} is answered", wanted, told)
            server.send(modern(9, "tools/list"))
            check(f"raw stdio: {name}, and then a request", "result" in server.answer(9))


def arguments_of_another_type():
    with wire("arguments") as server:
        server.send(modern(1, "tools/call", {"name": "word_count", "arguments": [1]}))
        error = server.answer(1).get("error") or {}
        check("raw stdio: arguments that are a list are a protocol error", error.get("code") == -32602, error)
        server.send(call(2, "word_count", {"text": 1}))
        told = server.answer(2)
        check("raw stdio: arguments of the wrong type are a result", told.get("result", {}).get("isError") is True, told)


def nothing_else_on_stdout():
    """Whatever the guest prints: every line is a message, and nothing follows an answer."""
    with wire("noise") as server:
        server.send(call(1, "flaky", {"how": "noise"}), call(2, "flaky", {"how": "progress"}, token="t"))
        server.send(call(3, "flaky", {"how": "panic-in-execute"}))
        server.process.stdin.close()
        equal("raw stdio: the end of the input ends the server", server.ended(60), 0)
        server.reading.join(10)
        lines, wrong, answered = [], [], set()
        while line := server.lines.get(timeout=10):
            lines.append(line)
        for line in lines:
            message = json.loads(line)
            token = message.get("params", {}).get("progressToken")
            if message.get("jsonrpc") != "2.0" or not line.endswith(b"\n") or (token == "t" and 2 in answered):
                wrong.append(line)
            if "id" in message:
                answered.add(message["id"])
        check("raw stdio: every line is a message, and no progress follows its answer", not wrong, wrong)
        equal("raw stdio: calls that ran when the input ended are answered", answered, {1, 2, 3})


def end_within_a_line():
    with wire("end") as server:
        server.send(modern(1, "tools/list"), b'{"jsonrpc":"2.0","id":2,"meth')
        server.process.stdin.close()
        check("raw stdio: an input that ends within a line: what came before is answered", "result" in server.answer(1))
        equal("raw stdio: an input that ends within a line ends the server", server.ended(), 0)


def signals():
    for name, number in [("SIGTERM", signal.SIGTERM), ("SIGINT", signal.SIGINT)]:
        with wire("signal") as server:
            server.send(modern(1, "tools/list"))
            server.answer(1)
            server.process.send_signal(number)
            equal(f"raw stdio: {name} ends the server", server.ended(), 0)


def started(server):
    """Start a program that never ends, and give its process once it runs."""
    session = server.process.args[2].removesuffix("/tools")
    path = f"{session}/files/started"
    args = {"program": "sh", "args": ["-c", "echo $$ > started; exec sleep 600"], "workingDirectory": "."}
    server.send(call(1, "shell_run", args))
    if not until(lambda: os.path.exists(path) and open(path).read().endswith("\n"), ANSWER_SECONDS):
        raise TimeoutError("the program did not start")
    return int(open(path).read())


def until(what, seconds):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def gone(process):
    return until(lambda: not os.path.exists(f"/proc/{process}"), 20)


def sigterm_while_a_call_runs():
    with wire("sigterm-call") as server:
        program = started(server)
        server.process.terminate()
        equal("raw stdio: SIGTERM while a call runs ends the server", server.ended(), 0)
        check("raw stdio: SIGTERM while a call runs ends what it started", gone(program))


def nobody_reads():
    """The client is gone, though its end of the input is still open somewhere."""
    # Without a reader: a read that waits would keep the pipe open.
    with wire("nobody", reads=False) as server:
        program = started(server)
        server.process.stdout.close()
        server.send(modern(2, "tools/list"))
        equal("raw stdio: a server whose answers nobody reads ends", server.ended(), 0)
        check("raw stdio: and with it what a call had started", gone(program))


def too_much():
    """A text over the budget is cut, a value over it is a failure; the whole of both can be read."""
    with wire("much") as server:
        def print_(id, bytes):
            script = f"head -c {bytes} /dev/zero | tr '\\0' x"
            server.send(call(id, "shell_run", {"program": "sh", "args": ["-c", script]}))
            return server.answer(id).get("result", {})

        def read(id, uri):
            server.send(modern(id, "resources/read", {"uri": uri}))
            return server.answer(id).get("result", {}).get("contents", [{}])[0].get("text", "")

        # Over the 100,000 bytes of text, and under the 200,000 of a value.
        result = print_(1, 150_000)
        texts = [block["text"] for block in result["content"] if block["type"] == "text"]
        links = [block["uri"] for block in result["content"] if block["type"] == "resource_link"]
        value = result.get("structuredContent", {}).get("stdout")
        check("raw stdio: a value of 150,000 bytes is whole", value == "x" * 150_000, value and len(value))
        size = sum(len(text.encode()) for text in texts)
        check("raw stdio: its text is cut", 10_000 < size <= 100_000 and links, (size, links))
        check("raw stdio: what was cut can be read", links and "x" * 150_000 in read(2, links[0]), links)
        result = print_(3, 300_000)
        told = [block.get("text", "") for block in result.get("content", [])]
        refused = result.get("isError") is True and "structuredContent" not in result
        check("raw stdio: a value of 300,000 bytes is a failure", refused and told[0].startswith("RESOURCE_EXHAUSTED: "), told)
        details = json.loads(told[1])["details"]
        whole = json.loads(read(4, details["resource"]) or "{}")
        check("raw stdio: and can be read", whole.get("stdout") == "x" * 300_000, details)
        server.send(modern(5, "resources/read", {"uri": details["resource"][:-1] + "_"}))
        error = server.answer(5).get("error") or {}
        check("raw stdio: by its whole address alone", error.get("code") == -32602, error)


CHECKS = [
    malformed, arguments_of_another_type, nothing_else_on_stdout, end_within_a_line, signals, sigterm_while_a_call_runs,
    nobody_reads, too_much,
]
