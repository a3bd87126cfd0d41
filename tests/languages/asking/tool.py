"""The tool of a project that asks for requests, a folder, a variable, a clock and random numbers, once its vendor uses
them. It takes and gives what the template's does, so that the manifest stays as `fumehood new` wrote it."""

import os
import time
from pathlib import Path
from typing import TypedDict

from componentize_py_types import Err
from wit_world.imports import outgoing_handler
from wit_world.imports.wasi_http_types import Fields, OutgoingRequest, Scheme_Http

from fumehood_tool import Context, Tool


class Args(TypedDict):
    text: str
    find: str


class Line(TypedDict):
    number: int
    text: str


class Value(TypedDict):
    lines: list[Line]
    total: int


class FindLines(Tool[Args, Value]):
    name = "asking"

    def execute(self, args: Args, context: Context) -> Value:
        lines = [
            page(args["find"]),
            os.environ["GREETING"],
            Path(args["text"]).read_text(encoding="utf-8"),
            "now" if time.time() > 1735689600 else "long ago",  # The first second of 2025.
            "no chance" if os.urandom(16) == os.urandom(16) else "chance",
        ]
        return {"lines": [{"number": at, "text": text} for at, text in enumerate(lines, 1)], "total": len(lines)}


def page(authority: str) -> str:
    request = OutgoingRequest(Fields())
    request.set_scheme(Scheme_Http())
    request.set_authority(authority)
    request.set_path_with_query("/")
    # What came of something is given back before it: `with` does that.
    with outgoing_handler.handle(request, None) as pending:
        with pending.subscribe() as ready:
            ready.block()
        answer = pending.get()
    said = b""
    with answer.value.value as response, response.consume() as body, body.stream() as stream:
        try:
            while True:
                said += stream.blocking_read(1 << 16)
        except Err:
            pass  # It has ended.
    return said.decode()
