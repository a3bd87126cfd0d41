"""From tools to the one component that exports them. The only module that knows what a host provides: natively there is
no `wit_world`, which componentize-py makes."""

import sys
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from componentize_py_types import Err
from wit_world.imports import fumehood_tool_types as wit
from wit_world.imports import progress

from fumehood_tool import tool as tools
from fumehood_tool.border import block, card
from fumehood_tool.failure import ToolError
from fumehood_tool.tool import Level, Tool

T = TypeVar("T")


class _Context:
    def progress(self, done: int, total: int | None = None, message: str | None = None) -> None:
        progress.report(done, total, message)

    def log(self, level: Level, message: str) -> None:
        # One call, one line: what is logged may come from outside.
        print(f"{level.upper():5} {message}".replace("\n", "\\n"), file=sys.stderr, flush=True)


def component(*given: Tool[Any, Any]) -> type:
    """What a component exports, to be named `Tool` in the app's module: `Tool = component(Grep(), Read())`.

    Raises TypeError: two tools of one name, save for case, `-` and `_`.
    """
    known = tools.by_name(given)

    def unknown(name: str) -> str:
        return f"this component has no tool `{name}`"

    class Component:
        def execute(self, tool: str, args: str) -> str:
            if tool not in known:
                raise Err(wit.ToolError_NotFound(unknown(tool)))
            try:
                return tools.execute_json(known[tool], args, _Context())
            except ToolError as error:
                raise Err(_failure(error)) from None
            except Exception as error:
                # The tool did not say that it failed: it broke. So the call ends as a trap does, with where it broke.
                print(_told(error), file=sys.stderr, flush=True)
                sys.exit(1)

        def render(self, tool: str, args: str, value: str) -> list[wit.ContentBlock]:
            return _saying(lambda: [block(each) for each in tools.render_json(known[tool], args, value)])

        def present(self, tool: str, args: str, value: str | None) -> wit.Card | None:
            made = _saying(lambda: tools.present_json(known[tool], args, value))
            return None if made is None else _saying(lambda: card(made))

    return Component


def _failure(error: ToolError) -> wit.ToolError:
    match error.case:
        case "invalid-args":
            return wit.ToolError_InvalidArgs(error.message)
        case "not-found":
            return wit.ToolError_NotFound(error.message)
        case "denied":
            return wit.ToolError_Denied(error.message)
        case "unavailable":
            return wit.ToolError_Unavailable(error.message)
        case "failed":
            return wit.ToolError_Failed(wit.Failure(error.code or "FAILED", error.message, error.data))


def _saying(project: Callable[[], T]) -> T:
    """A projector fails with a text."""
    try:
        return project()
    except Exception as error:
        raise Err(_told(error)) from None


def _told(error: Exception) -> str:
    """An error with the lines that led to it, inmost first, as file and line of the sources. Not those of this library."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "fumehood_tool" not in frame.filename]
    where = [f"    at {frame.name} ({frame.filename}:{frame.lineno})" for frame in reversed(frames[-8:])]
    return "\n".join([f"{type(error).__name__}: {error}", *where])
