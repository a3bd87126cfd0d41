"""Find the lines of a text that hold a word. Start here: change what it takes, what it gives, and what it does."""

import json
from typing import NotRequired, TypedDict

from fumehood_tool import Card, Content, Context, GenericCard, Tool, ToolError

# As many as a model wants to read.
SHOWN = 50


class Args(TypedDict):
    """What it is called with, as `inputSchema` in manifest.json says."""

    text: str
    find: str
    ignore_case: NotRequired[bool]


class Line(TypedDict):
    number: int
    text: str


class Value(TypedDict):
    """What it gives, as `outputSchema` says."""

    lines: list[Line]
    total: int


class FindLines(Tool[Args, Value]):
    name = "new_tool"

    def execute(self, args: Args, context: Context) -> Value:
        """The work. Only this may use what an operator granted."""
        if not args["find"]:
            raise ToolError.invalid_args("`find` is empty, and every line holds nothing: write what to look for")

        def folded(text: str) -> str:
            return text.casefold() if args.get("ignore_case") else text

        wanted = folded(args["find"])
        every = args["text"].splitlines()
        lines: list[Line] = [
            {"number": number, "text": text} for number, text in enumerate(every, start=1) if wanted in folded(text)
        ]
        context.log("debug", f"{len(lines)} of {len(every)} lines")
        return {"lines": lines[:SHOWN], "total": len(lines)}

    def render(self, args: Args, value: Value) -> Content:
        """What a model reads of the value."""
        if value["total"] == 0:
            return f"No line holds {quoted(args['find'])}."
        left = value["total"] - len(value["lines"])
        return listed(value) + (f"\n({left} more)" if left else "")

    def present(self, args: Args, value: Value | None) -> Card | None:
        """What a person sees. While the call runs, the card that every tool has will do."""
        if value is None:
            return None
        found = "1 line holds" if value["total"] == 1 else f"{value['total']} lines hold"
        title = f"{found} {quoted(args['find'])}"
        body = listed(value) if value["lines"] else ()
        return GenericCard(title, kind="search", input={"find": args["find"]}, body=body)


def listed(value: Value) -> str:
    return "\n".join(f"{line['number']}: {line['text']}" for line in value["lines"])


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
