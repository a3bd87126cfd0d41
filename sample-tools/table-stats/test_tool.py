import unittest
from pathlib import Path

import table
from fumehood_tool import GenericCard, ToolError
from fumehood_tool.testing import RecordingContext, as_text, call, card, check_manifest
from tool import Args, TableStats

TOOL = TableStats()


class Columns(unittest.TestCase):
    def check(self, cells: list[str], kind: table.Kind) -> None:
        self.assertEqual(table.column("x", cells)["kind"], kind, cells)

    def test_a_column_is_what_all_its_cells_are(self) -> None:
        self.check(["1", "-2", "+3"], "integer")
        self.check(["1", "2.5", "1e3", ".5"], "number")
        self.check(["yes", "No", "TRUE"], "boolean")
        self.check(["2026-01-31", "2026-02-01T10:00:00Z"], "date")
        self.check(["1", "two"], "text")
        self.check(["NA", "", " - "], "empty")
        # Digits of other scripts, separators, too large for a float, no such month.
        self.check(["١٢"], "text")
        self.check(["1_000"], "text")
        self.check(["1e999"], "text")
        self.check(["1e101"], "text")
        self.check(["1e100", "-1e100"], "number")
        self.check(["2026-13-01"], "text")

    def test_figures_are_those_of_a_sample(self) -> None:
        column = table.column("x", ["1", "2", "3", "4", "NA"])
        self.assertEqual((column["count"], column["missing"], column["distinct"]), (4, 1, 4))
        self.assertEqual((column["min"], column["max"], column["mean"]), (1, 4, 2.5))
        self.assertAlmostEqual(column["stdev"], 1.2909944487358056)
        self.assertEqual(column["quartiles"], [1.75, 2.5, 3.25])
        self.assertNotIn("stdev", table.column("x", ["1"]))

    def test_the_delimiter_is_the_one_that_fits_every_line(self) -> None:
        self.assertEqual(table.delimiter_of("a,b\n1,2\n"), ",")
        self.assertEqual(table.delimiter_of("a;b\n1,5;2\n"), ";")
        self.assertEqual(table.delimiter_of("a\tb, c\n1\t2\n"), "\t")
        self.assertEqual(table.delimiter_of("alone\n"), ",")


class Tool(unittest.TestCase):
    def test_a_table_with_a_header(self) -> None:
        context = RecordingContext()
        text = 'name,age\n"Doe, J",30\nRoe,40\n,\n'
        value, content = call(TOOL, Args(text=text), context)
        self.assertEqual((value["rows"], value["ragged"], [column["name"] for column in value["columns"]]), (2, 0, ["name", "age"]))
        self.assertIn("age: integer; 30 to 40, mean 35", as_text(content) or "")
        self.assertEqual(len(context.heard), 2)

    def test_a_table_without_one(self) -> None:
        value, _ = call(TOOL, Args(text="1,2\n3\n", header=False))
        self.assertEqual([column["name"] for column in value["columns"]], ["column 1", "column 2"])
        self.assertEqual((value["rows"], value["ragged"], value["columns"][1]["missing"]), (2, 1, 1))

    def test_what_is_no_table(self) -> None:
        for text, case in (("", "invalid-args"), ('a\n"b', "invalid-args"), ("," * 300 + "x", "failed")):
            with self.assertRaises(ToolError) as caught:
                call(TOOL, Args(text=text, delimiter=","))
            self.assertEqual(caught.exception.case, case, text)

    def test_the_card_counts_rows_and_columns(self) -> None:
        args = Args(text="a,b\n1,2\n")
        shown = card(TOOL, args, call(TOOL, args)[0])
        assert isinstance(shown, GenericCard)
        self.assertEqual(shown.title, "1 row, 2 columns")
        self.assertIsNone(card(TOOL, args))

    def test_the_manifest_has_the_same_tools(self) -> None:
        check_manifest(Path(__file__).with_name("manifest.json"), TOOL)


if __name__ == "__main__":
    unittest.main()
