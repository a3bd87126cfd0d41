"""Says a text in capitals."""

import json
import string

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports.fumehood_tool_types import (
    Card_Generic,
    ContentBlock_Text,
    GenericCard,
    TextContent,
    ToolError_InvalidArgs,
    ToolKind,
)

TITLE = "Shout"
# Letters outside ASCII stay: how they are capitalised depends on a runtime's Unicode version.
CAPITALS = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)


def line(value: str) -> ContentBlock_Text:
    shouted = json.loads(value)
    return ContentBlock_Text(TextContent(text=f"{shouted['text']} ({shouted['length']} characters)", annotations=None))


class Tool(exports.Tool):
    def execute(self, tool, args):
        text = json.loads(args)["text"]
        if not text:
            raise Err(ToolError_InvalidArgs("there is nothing to shout"))
        return json.dumps({"text": text.translate(CAPITALS), "length": len(text)})

    def render(self, tool, args, value):
        return [line(value)]

    def present(self, tool, args, value):
        # Without a value the call has not finished: a title is all there is to show.
        pending = value is None
        return Card_Generic(
            GenericCard(
                title=f"{TITLE} …" if pending else TITLE,
                kind=ToolKind.OTHER,
                input=None,
                body=[] if pending else [line(value)],
                locations=[],
            )
        )
