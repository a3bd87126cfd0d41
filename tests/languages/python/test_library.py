"""Tests of the library that need no component."""

import json
import os
import unittest
from datetime import date
from pathlib import Path
from typing import Any

from fumehood_tool import Content, Context, Text, Tool, ToolError, outline
from fumehood_tool.content import blocks
from fumehood_tool.failure import Case
from fumehood_tool.outline import SHOWN
from fumehood_tool.testing import RecordingContext, as_text, call, card
from fumehood_tool.tool import by_name


class Echo(Tool[Any, Any]):
    name = "echo"

    def execute(self, args: Any, context: Context) -> Any:
        context.progress(1, 2, "x")
        context.log("info", "y")
        return args


class Outlines(unittest.TestCase):
    def test_an_outline_is_the_same_in_every_language(self) -> None:
        for value, expected in json.loads(Path(os.environ["OUTLINES"]).read_text(encoding="utf-8")):
            self.assertEqual(outline(value), expected, value)

    def test_a_long_outline_is_cut(self) -> None:
        cut = outline(["😀" * SHOWN])
        self.assertTrue(cut.endswith("😀\n(the rest is left out)"))
        self.assertLess(len(cut), SHOWN + 40)


class Values(unittest.TestCase):
    def check(self, value: object, why: str) -> None:
        class Given(Tool[Any, Any]):
            name = "given"

            def execute(self, args: Any, context: Context) -> Any:
                return value

        with self.assertRaises(ToolError) as caught:
            call(Given(), {})
        self.assertEqual(caught.exception.code, "BAD_VALUE")
        self.assertIn(why, caught.exception.message)

    def test_what_json_cannot_hold_is_an_error_that_says_where(self) -> None:
        self.check(float("nan"), "holds nan,")
        self.check({"a": [1, {"b": float("inf")}]}, "inf at /a/1/b")
        self.check([2**64], "18446744073709551616 at /0")
        self.check([-(2**63) - 1], "-9223372036854775809 at /0")
        self.check({1: 2}, "the key 1")
        self.check({"a": b""}, "a bytes at /a")
        self.check([date(2026, 1, 1)], "a date at /0")
        self.check("\ud800", "half a character")

    def test_what_it_holds_comes_back(self) -> None:
        value = {"a": [2**64 - 1, -(2**63), 1.5, None, True, "é😀\n"]}
        self.assertEqual(call(Echo(), value)[0], value)


class Tools(unittest.TestCase):
    def test_a_tool_has_a_name_that_hosts_take(self) -> None:
        for bad in ("", "a b", "é", "x" * 41, 1):
            with self.assertRaises(TypeError):
                type("Bad", (Echo,), {"name": bad})

    def test_no_two_names_can_be_mixed_up(self) -> None:
        other = type("Other", (Echo,), {"name": "Echo"})
        with self.assertRaisesRegex(TypeError, "two tools have one name"):
            by_name((Echo(), other()))

    def test_a_code_has_capitals_digits_and_underscores(self) -> None:
        with self.assertRaises(ValueError):
            ToolError.failed("stale", "old")
        self.assertEqual(ToolError.failed("A_1", "old", [1]).data, "[1]")
        self.assertIsNone(ToolError.failed("A_1", "old", float("nan")).data)

    def test_errors_of_the_system_are_sorted(self) -> None:
        def sorted_as(error: OSError) -> Case:
            return ToolError.from_os(error).case

        self.assertEqual(sorted_as(FileNotFoundError(2, "gone")), "not-found")
        self.assertEqual(sorted_as(PermissionError(13, "no")), "denied")
        self.assertEqual(sorted_as(TimeoutError()), "unavailable")
        self.assertEqual(sorted_as(OSError(28, "full")), "failed")

    def test_what_is_no_content_is_refused(self) -> None:
        self.assertEqual(blocks(["a", Text("b")]), [Text("a"), Text("b")])
        for bad in (1, None, [1]):
            with self.assertRaises(TypeError):
                blocks(bad)  # type: ignore[arg-type]

    def test_a_context_remembers_what_it_is_told(self) -> None:
        context = RecordingContext()
        _, content = call(Echo(), {"a": 1}, context)
        self.assertEqual(as_text(content), "a: 1")
        self.assertEqual((context.heard, context.lines), ([(1, 2, "x")], [("info", "y")]))
        self.assertIsNone(card(Echo(), {}))


# Read by mypy alone, which complains of each `ignore` that it does not need.
class NoExecute(Tool[int, int]):
    name = "no-execute"


class OtherValue(Tool[int, int]):
    name = "other-value"

    def execute(self, args: int, context: Context) -> str:  # type: ignore[override]
        return ""

    def render(self, args: int, value: int, context: Context) -> Content:  # type: ignore[override]
        return ""


def _made() -> None:
    NoExecute()  # type: ignore[abstract]
    Text(1)  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
