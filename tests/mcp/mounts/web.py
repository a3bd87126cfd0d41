"""A Model Context Protocol server over HTTP, for the tests of mounting: each tool does one thing wrong.

web.py modern|legacy [TOKEN]     It prints its port. Answers are events in the older revision, JSON in the newest.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ERA = sys.argv[1]
TOKEN = sys.argv[2] if len(sys.argv) > 2 else None
TOOLS = ["plain", "progress", "headers", "elsewhere", "failing", "html", "short", "large", "flood", "silent", "lost", "wrong", "told"]
HEADERS = {
    "region": {"type": "string", "x-mcp-header": "Region"},
    "where": {"type": "object", "properties": {"shard": {"type": "integer", "x-mcp-header": "Shard"}}},
    "plain": {"type": "string"},
}
sessions, notifications = [], []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def events(self, *messages):
        body = b": begins\n\n" + b"".join(b"event: message\ndata: %s\n\n" % json.dumps(m).encode() for m in messages)
        self.answer(200, body, "text/event-stream")

    def result(self, id, result, *before, **headers):
        message = {"jsonrpc": "2.0", "id": id, "result": result}
        if ERA == "legacy" and not headers:
            self.events(*before, message)
        else:
            self.answer(200, json.dumps(message).encode(), **headers)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method, id, params = message.get("method"), message.get("id"), message.get("params", {})
        if TOKEN and self.headers.get("authorization") != "Bearer " + TOKEN:
            return self.answer(401, b"who are you?", "text/plain")
        if method == "initialize" and ERA == "legacy":
            sessions.append("s%d" % len(sessions))
            result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "h", "version": "1"}}
            return self.result(id, result, mcp_session_id=sessions[-1])
        if ERA == "legacy" and self.headers.get("mcp-session-id") not in sessions:
            # To server/discover too: there is no session yet.
            status = 404 if self.headers.get("mcp-session-id") else 400
            return self.answer(status, b"no session", "text/plain")
        if id is None:
            notifications.append(message)
            return self.answer(202)
        if method == "server/discover":
            return self.result(id, {"supportedVersions": ["2026-07-28"], "capabilities": {}})
        if method == "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
            tools += [{"name": "mirrored", "inputSchema": {"type": "object", "properties": HEADERS}}]
            wrong = {"a": {"type": "string", "x-mcp-header": "no name"}}
            tools += [{"name": "misnamed", "inputSchema": {"type": "object", "properties": wrong}}]
            return self.result(id, {"tools": tools})
        return self.call(id, params)

    def call(self, id, params):
        name = params["name"]
        content = lambda text: {"content": [{"type": "text", "text": text}]}
        if name == "plain":
            self.result(id, content("t"))
        elif name == "progress":
            token = params["_meta"]["progressToken"]
            note = {"progressToken": token, "progress": 1, "message": "half"}
            self.events(
                {"jsonrpc": "2.0", "method": "notifications/progress", "params": note},
                {"jsonrpc": "2.0", "id": id + 1000, "result": content("another's")},
                {"jsonrpc": "2.0", "id": id, "result": content("done")},
            )
        elif name == "headers":
            names = ["mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id", "accept", "host"]
            self.result(id, content(json.dumps({name: self.headers.get(name) for name in names})))
        elif name in ("mirrored", "misnamed"):
            mirrored = {name: value for name, value in self.headers.items() if name.startswith("mcp-param-")}
            self.result(id, content(json.dumps(mirrored)))
        elif name == "elsewhere":
            self.answer(307, location="http://127.0.0.1:1/")
        elif name == "failing":
            self.answer(503, b"later")
        elif name == "html":
            self.answer(200, b"<p>hello", "text/html")
        elif name == "short":
            self.events()
        elif name == "large":
            self.result(id, content("x" * (5 << 20)))
        elif name == "flood":
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            note = b'data: {"jsonrpc":"2.0","method":"notifications/message","params":"%s"}\n\n' % (b"x" * (1 << 20))
            try:
                while True:
                    self.wfile.write(note)
            except OSError:
                self.close_connection = True
        elif name == "silent":
            # Until the other side closes.
            self.connection.recv(1)
            notifications.append({"method": "closed"})
            self.close_connection = True
        elif name == "lost":
            sessions.clear()
            self.answer(404, b"no session", "text/plain")
        elif name == "wrong":
            error = {"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "not like this"}}
            self.answer(400, json.dumps(error).encode())
        elif name == "told":
            self.result(id, content(json.dumps([message["method"] for message in notifications])))


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
# A client that goes away is what some tests are about.
server.handle_error = lambda *_: None
print(server.server_address[1], flush=True)
server.serve_forever()
