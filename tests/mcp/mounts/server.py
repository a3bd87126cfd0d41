"""A Model Context Protocol server on standard input and output, for the tests of mounting: each tool does one thing wrong.

server.py modern|legacy [deaf]     legacy: knows only the handshake. deaf: says nothing to what it does not know.

What is written is written byte for byte: an SDK would put some of it right.
"""

import json
import os
import subprocess
import sys

ERA = sys.argv[1]
DEAF = "deaf" in sys.argv

RECURSIVE = {
    "type": "object",
    "properties": {"next": {"$ref": "#"}, "n": {"$ref": "#/$defs/count"}},
    "required": ["n"],
    "$defs": {"count": {"type": "integer", "minimum": 0}},
}
TEXT = '{"type":"text","text":"t"}'
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

# Results, byte for byte.
RAW = {
    "plain": '{"content":[%s]}' % TEXT,
    "exact": '{"content":[],"structuredContent":{"z":1.0,"a":18446744073709551615,"m":-0.0,"s":"a\\u0000b","e":1e2}}',
    "null": '{"content":[],"structuredContent":null}',
    "later": '{"content":[{"type":"text","text":"t","future":1,"annotations":{"priority":0.5,"future":2}}],"future":3}',
    "picture": '{"content":[{"type":"image","mimeType":"image/png","data":"%s"}]}' % PIXEL,
    "twice": '{"content":[],"structuredContent":{"a":1,"\\u0061":2}}',
    "infinite": '{"content":[],"structuredContent":1e400}',
    "surrogate": '{"content":[{"type":"text","text":"\\ud800"}]}',
    "deep": '{"content":[],"structuredContent":%s1%s}' % ("[" * 100, "]" * 100),
    "bottomless": '{"content":[],"structuredContent":%s1%s}' % ("[" * 5000, "]" * 5000),
    "none": '{"structuredContent":{}}',
    "hologram": '{"content":[{"type":"hologram","data":"x"}]}',
    "page": '{"content":[{"type":"image","mimeType":"text/html","data":"PGI+"}]}',
    "base": '{"content":[{"type":"image","mimeType":"image/png","data":"***"}]}',
    "link": '{"content":[{"type":"resource_link","uri":"not a uri","name":"n"}]}',
    "many": '{"content":[%s]}' % ",".join([TEXT] * 300),
    "failing": '{"content":[{"type":"text","text":"no such note"}],"structuredContent":{"a":1},"isError":true}',
    "asking": '{"resultType":"input_required","inputRequests":{}}',
    "good": '{"content":[],"structuredContent":{"n":1,"next":{"n":2}}}',
    "bad": '{"content":[],"structuredContent":{"n":1,"next":{"n":-2}}}',
    "missing": '{"content":[%s]}' % TEXT,
    "large": '{"content":[{"type":"text","text":"%s"}]}' % ("x" * (5 << 20)),
}
# Tools that do more than answer.
DO = ["broken", "noisy", "silent", "cancelled", "endless", "crash", "progress", "asks", "surroundings", "parent", "wrong"]

cancelled, answers = [], []


def write(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(id, body, key="result"):
    write(('{"jsonrpc":"2.0","id":%s,"%s":%s}\n' % (json.dumps(id), key, body)).encode())


def text(words):
    return '{"content":[{"type":"text","text":%s}]}' % json.dumps(words)


def receive():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message = json.loads(line)
    if message.get("method") == "notifications/cancelled":
        cancelled.append(message["params"]["requestId"])
    if "method" not in message:
        answers.append(message)
    return message


def tools():
    for name in list(RAW) + DO:
        tool = {"name": name, "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
        if name in ("good", "bad", "missing"):
            tool["outputSchema"] = RECURSIVE
        if name == "plain":
            tool["title"] = "Plain"
            # Look-ahead: no engine that runs in linear time has it.
            tool["outputSchema"] = {"type": "object", "properties": {"a": {"pattern": "(?=x)"}}}
        yield tool
    yield {"name": "unusable", "inputSchema": {"$ref": "#/nowhere"}}


def call(id, params):
    name = params["name"]
    if name in RAW:
        send(id, RAW[name])
    elif name == "broken":
        write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[\n' % id)
    elif name == "wrong":
        send(id, '{"code":-32602,"message":"not like this"}', "error")
    elif name == "noisy":
        print("Server started", flush=True)
        print("\n[1, 2]\n", flush=True)
        print("to standard error", file=sys.stderr, flush=True)
        send(id, text("after the noise"))
    elif name == "cancelled":
        send(id, text(json.dumps(cancelled)))
    elif name == "endless":
        while True:
            write(b"x" * (1 << 20))
    elif name == "crash":
        os._exit(3)
    elif name == "progress":
        token = params.get("_meta", {}).get("progressToken")
        for done in (1, 2, 3) if token is not None else ():
            note = {"progressToken": token, "progress": done, "total": 3, "message": "step %d" % done}
            write((json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": note}) + "\n").encode())
        send(id, text("done"))
    elif name == "asks":
        for asked, method in (("p", "ping"), ("s", "sampling/createMessage")):
            write((json.dumps({"jsonrpc": "2.0", "id": asked, "method": method, "params": {}}) + "\n").encode())
        while len(answers) < 2:
            receive()
        send(id, text(json.dumps(answers)))
    elif name == "surroundings":
        send(id, text(json.dumps({"environment": sorted(os.environ), "arguments": params["arguments"]})))
    elif name == "parent":
        # In the server's group, and deaf to its end.
        child = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        send(id, text(str(child.pid)))
    elif name == "silent":
        pass
    else:
        send(id, '{"code":-32602,"message":"no such tool"}', "error")


while True:
    message = receive()
    method, id = message.get("method"), message.get("id")
    if method is None or id is None:
        continue
    params = message.get("params") or {}
    if method == "initialize":
        version = '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'
        send(id, version)
    elif method == "server/discover" and ERA == "modern":
        send(id, '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}')
    elif method == "tools/list":
        # Two pages.
        listed = list(tools())
        if params.get("cursor") == "2":
            send(id, json.dumps({"tools": listed[10:]}))
        else:
            send(id, json.dumps({"tools": listed[:10], "nextCursor": "2"}))
    elif method == "tools/call":
        call(id, params)
    elif not DEAF:
        send(id, '{"code":-32601,"message":"no such method"}', "error")
