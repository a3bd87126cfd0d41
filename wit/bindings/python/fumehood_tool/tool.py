"""What a tool is, and its three exports as JSON in, JSON out. Nothing here knows a host: tests run it natively."""

import json
import re
from abc import ABC, abstractmethod
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

from fumehood_tool import content as contents
from fumehood_tool import value as values
from fumehood_tool.card import Card
from fumehood_tool.content import Content, ContentBlock
from fumehood_tool.failure import ToolError
from fumehood_tool.outline import outline

Args = TypeVar("Args")
Value = TypeVar("Value")

Level: TypeAlias = Literal["error", "warn", "info", "debug", "trace"]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


class Context(Protocol):
    """What `execute` has of its call, and the projectors have not."""

    def progress(self, done: int, total: int | None = None, message: str | None = None) -> None:
        """Say how far the call has come. `done` and `total` count the same things; `done` must not fall."""

    def log(self, level: Level, message: str) -> None:
        """One line for the operator, on standard error."""


class Tool(ABC, Generic[Args, Value]):
    """One tool. `Args` and `Value` are what the schemas in manifest.json say: JSON as Python has it, best as a TypedDict."""

    name: str
    """`[A-Za-z0-9_-]`, 1 to 40, as in manifest.json."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        name = getattr(cls, "name", None)
        if name is not None and not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise TypeError(f"the name of the tool {cls.__name__} is 1 to 40 of A-Z, a-z, 0-9, _ and -, not {name!r}")

    @abstractmethod
    def execute(self, args: Args, context: Context) -> Value:
        """Do the work. Raise a `ToolError` to fail; what else is raised ends the call as a trap."""

    def render(self, args: Args, value: Value) -> Content:
        """What a model reads. Without one: the value as an indented outline, cut at 48 Ki characters."""
        return outline(value)

    def present(self, args: Args, value: Value | None) -> Card | None:
        """The card that a person sees; without a value, while the call is not finished. None: the card that every tool
        has, with the title, the arguments and the content."""
        return None


def by_name(tools: "tuple[Tool[object, object], ...]") -> "dict[str, Tool[object, object]]":
    """Tools by name. Hosts refuse two names that people and models would mix up.

    Raises TypeError: there are such, or one has no name.
    """
    found: dict[str, Tool[object, object]] = {}
    seen: dict[str, str] = {}
    for tool in tools:
        name = getattr(tool, "name", None)
        if name is None:
            raise TypeError(f'the tool {type(tool).__name__} has no name; write name = "…" in the class')
        key = name.lower().replace("-", "_")
        if key in seen:
            raise TypeError(f"two tools have one name, save for case, - and _: {seen[key]} and {name}")
        seen[key] = name
        found[name] = tool
    return found


def execute_json(tool: Tool[Args, Value], args: str, context: Context) -> str:
    """One call of `execute`: the value's JSON.

    Raises ToolError: the tool does, or its value has no JSON form (`BAD_VALUE`).
    """
    value = tool.execute(json.loads(args), context)
    try:
        return values.to_json(value)
    except values.NoJson as why:
        raise ToolError.failed("BAD_VALUE", f"the tool's value {why}") from None


def render_json(tool: Tool[Args, Value], args: str, value: str) -> list[ContentBlock]:
    """One call of `render`."""
    return contents.blocks(tool.render(json.loads(args), json.loads(value)))


def present_json(tool: Tool[Args, Value], args: str, value: str | None) -> Card | None:
    """One call of `present`. Without a value the call has not finished."""
    return tool.present(json.loads(args), None if value is None else json.loads(value))
