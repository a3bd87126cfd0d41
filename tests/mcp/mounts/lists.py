"""Servers whose list of tools does not end well: lists.py circle|pages|tools|silent|gone|version|text."""

import json
import sys

WHAT = sys.argv[1]
page = 0
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if id is None:
        continue

    def send(result):
        print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)

    if method == "initialize":
        version = "1999-01-01" if WHAT == "version" else "2025-06-18"
        send({"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}})
    elif method == "tools/list":
        page += 1
        tools = [{"name": "t%d" % page, "inputSchema": {"type": "object"}}]
        if WHAT == "circle":
            send({"tools": tools, "nextCursor": "again"})
        elif WHAT == "pages":
            send({"tools": [], "nextCursor": str(page)})
        elif WHAT == "tools":
            send({"tools": tools * 1001})
        elif WHAT == "text":
            send({"tools": "none"})
        elif WHAT == "gone":
            sys.exit(1)
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}}), flush=True)
