"""Everything the library can say, by name. `../gallery.json` holds what must come of it in every language."""

from collections.abc import Callable
from typing import Any, TypedDict

from fumehood_tool import (
    Annotations,
    Audio,
    Card,
    Content,
    Context,
    DiffCard,
    FetchCard,
    FileDiff,
    FileMatches,
    GenericCard,
    Image,
    Location,
    MatchesCard,
    PathsCard,
    ReadCard,
    Resource,
    ResourceLink,
    TerminalCard,
    Text,
    Tool,
    ToolError,
    WebSearchCard,
    WebSource,
    outline,
)

BYTES = bytes([0, 255, 128])

CARDS: dict[str, Card] = {
    "generic": GenericCard(
        "A\ntitle",
        kind="edit",
        input={"a": [1]},
        body=["one", Text("two", Annotations(priority=0.5))],
        locations=[Location("a.rs", 3), Location("b.rs")],
    ),
    "exited": TerminalCard("make", description="Builds it.", cwd="/src", output="done\n", exit=2),
    "killed": TerminalCard("make", exit="SIGKILL", timed_out=True),
    "diff": DiffCard("Changed", [FileDiff("a", "2\n", old="1\n"), FileDiff("b", "")]),
    "read": ReadCard("A part", "a.rs", [(2, "two"), (4, "four")], total_lines=9, offset=2, language="rust"),
    "matches": MatchesCard("Found", [FileMatches("a", [(1, "x"), (5, "xx")]), FileMatches("b", [(2, "x")])], total=9),
    "paths": PathsCard("Found", ["a", "b"]),
    "matches-too-few": MatchesCard("Found", [FileMatches("a", [(1, "x")]), FileMatches("b", [(2, "x")])], total=1),
    "paths-too-few": PathsCard("Found", ["a", "b"], total=0),
    "search": WebSearchCard(
        "Asked",
        [WebSource("https://a.test/", title="A", snippet="…", published="2026-01-01"), WebSource("http://b.test/")],
        answer="42",
    ),
    "fetch": FetchCard("Fetched", "https://a.test/", 404, truncated=True),
}

FAILURES: dict[str, Callable[[], ToolError]] = {
    "invalid-args": lambda: ToolError.invalid_args("no sense"),
    "not-found": lambda: ToolError.not_found("not there"),
    "denied": lambda: ToolError.denied("not allowed"),
    "unavailable": lambda: ToolError.unavailable("later"),
    "failed": lambda: ToolError.failed("STALE_2", "too old"),
}


class Args(TypedDict):
    show: str


class Value(TypedDict):
    show: str
    numbers: list[float]
    nested: list[Any]
    text: str
    none: None


class Gallery(Tool[Args, Value]):
    name = "gallery"

    def execute(self, args: Args, context: Context) -> Value:
        show = args["show"]
        if show in FAILURES:
            raise FAILURES[show]()
        if show == "break":
            raise TypeError("the tool broke on purpose")
        context.progress(1, 2, "half")
        context.progress(2)
        context.log("info", "one\nline")
        numbers = [float("nan")] if show == "no-number" else [0, -1.5, 4294967296]
        return {"show": show, "numbers": numbers, "nested": [[1, []], {"a": {}}], "text": 'é 😀\n\x01"\\\n', "none": None}

    def render(self, args: Args, value: Value) -> Content:
        if args["show"] != "blocks":
            return outline(value)
        return [
            "plain",
            Text("noted", Annotations(["user", "assistant"], priority=1, last_modified="2026-01-01T00:00:00Z")),
            Image(BYTES, "image/png"),
            Audio(BYTES, "audio/wav", Annotations(["user"])),
            ResourceLink("file:///a", "a", description="A file.", mime_type="text/plain"),
            Resource("x:text", "held", mime_type="text/plain"),
            Resource("x:bytes", BYTES, annotations=Annotations(priority=0)),
        ]

    def present(self, args: Args, value: Value | None) -> Card | None:
        return TerminalCard(f"{args['show']} …") if value is None else CARDS.get(args["show"])
