"""Tools called natively, by their own tests: through the same JSON as in a host, but without schemas and sandboxes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from fumehood_tool import tool as tools
from fumehood_tool.card import Card
from fumehood_tool.content import ContentBlock, Text
from fumehood_tool.tool import Args, Context, Level, Tool, Value


class RecordingContext:
    """A context that remembers what it is told."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, int | None, str | None]] = []
        self.lines: list[tuple[Level, str]] = []

    def progress(self, done: int, total: int | None = None, message: str | None = None) -> None:
        self.heard.append((done, total, message))

    def log(self, level: Level, message: str) -> None:
        self.lines.append((level, message))


def call(tool: Tool[Args, Value], args: Args, context: Context | None = None) -> tuple[Value, list[ContentBlock]]:
    """Execute and render: the value as it comes out of JSON, and what a model reads.

    Raises what the tool raises, and a ToolError with the code `BAD_VALUE` for a value that JSON cannot hold.
    """
    given = json.dumps(args)
    value = tools.execute_json(tool, given, context or RecordingContext())
    return cast(Value, json.loads(value)), tools.render_json(tool, given, value)


def card(tool: Tool[Args, Value], args: Args, value: Value | None = None) -> Card | None:
    """The card of a value, or without one of a call that has not finished."""
    return tools.present_json(tool, json.dumps(args), None if value is None else json.dumps(value))


def as_text(content: list[ContentBlock]) -> str | None:
    """The text of content that is one text, else None."""
    match content:
        case [Text(text)]:
            return text
    return None


def check_manifest(path: Path, *code: Tool[Any, Any]) -> None:
    """Holds manifest.json against the code.

    Raises AssertionError: they do not have the same tools.
    """
    manifest: Mapping[str, list[Mapping[str, str]]] = json.loads(path.read_text(encoding="utf-8"))
    listed = sorted(tool["name"] for tool in manifest["tools"])
    coded = sorted(tools.by_name(code))
    if listed != coded:
        raise AssertionError(f"{path.name} lists the tools {', '.join(listed)}; the code has {', '.join(coded)}")
