"""Write a Fumehood tool in Python.

A tool is a class with a name and up to three methods. `execute` does the work and returns one value. `render` says what a
model reads of that value, `present` makes the card that a person sees. The last two have defaults and run sealed: they get
no context, because there is nothing they could do with one.

    class Greet(Tool[Args, Value]):
        name = "greet"

        def execute(self, args: Args, context: Context) -> Value:
            return {"greeting": f"Hello, {args['who']}!"}

`fumehood_tool.component` makes a component of tools, `fumehood_tool.testing` calls one natively.
"""

from fumehood_tool.card import (
    Card,
    DiffCard,
    FetchCard,
    FileDiff,
    FileMatches,
    GenericCard,
    Location,
    MatchesCard,
    PathsCard,
    ReadCard,
    TerminalCard,
    ToolKind,
    WebSearchCard,
    WebSource,
)
from fumehood_tool.content import Annotations, Audio, Content, ContentBlock, Image, Resource, ResourceLink, Role, Text
from fumehood_tool.failure import ToolError
from fumehood_tool.outline import outline
from fumehood_tool.tool import Context, Level, Tool

__all__ = [
    "Annotations",
    "Audio",
    "Card",
    "Content",
    "ContentBlock",
    "Context",
    "DiffCard",
    "FetchCard",
    "FileDiff",
    "FileMatches",
    "GenericCard",
    "Image",
    "Level",
    "Location",
    "MatchesCard",
    "PathsCard",
    "ReadCard",
    "Resource",
    "ResourceLink",
    "Role",
    "TerminalCard",
    "Text",
    "Tool",
    "ToolError",
    "ToolKind",
    "WebSearchCard",
    "WebSource",
    "outline",
]
