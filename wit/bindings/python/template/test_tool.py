import unittest
from pathlib import Path

from fumehood_tool import GenericCard, ToolError
from fumehood_tool.testing import as_text, call, card, check_manifest
from tool import Args, FindLines

TOOL = FindLines()


class FindLinesTest(unittest.TestCase):
    def test_lines_that_hold_the_word_with_their_numbers(self) -> None:
        value, content = call(TOOL, Args(text="one\ntwo\ntwofold\n", find="two"))
        self.assertEqual(value, {"lines": [{"number": 2, "text": "two"}, {"number": 3, "text": "twofold"}], "total": 2})
        self.assertEqual(as_text(content), "2: two\n3: twofold")

    def test_case_matters_unless_it_is_to_be_ignored(self) -> None:
        self.assertEqual(call(TOOL, Args(text="Two", find="two"))[0]["total"], 0)
        self.assertEqual(call(TOOL, Args(text="Two", find="two", ignore_case=True))[0]["total"], 1)

    def test_much_is_counted_and_left_out(self) -> None:
        value, content = call(TOOL, Args(text="x\n" * 60, find="x"))
        self.assertEqual((len(value["lines"]), value["total"]), (50, 60))
        self.assertRegex(as_text(content) or "", r"\n\(10 more\)\Z")

    def test_nothing_to_look_for_is_an_error_that_says_what_to_write(self) -> None:
        with self.assertRaises(ToolError) as caught:
            call(TOOL, Args(text="a", find=""))
        self.assertEqual(caught.exception.case, "invalid-args")

    def test_a_card_for_the_finished_call_alone(self) -> None:
        value, _ = call(TOOL, Args(text="a", find="a"))
        shown = card(TOOL, Args(text="a", find="a"), value)
        assert isinstance(shown, GenericCard)
        self.assertEqual(shown.title, '1 line holds "a"')
        self.assertIsNone(card(TOOL, Args(text="a", find="a")))

    def test_the_manifest_has_the_same_tools(self) -> None:
        check_manifest(Path(__file__).with_name("manifest.json"), TOOL)


if __name__ == "__main__":
    unittest.main()
