"""What the tool knows: a text into rows, and a column into figures. Knows nothing of tools."""

import csv
import io
import re
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

Kind = Literal["integer", "number", "boolean", "date", "text", "empty"]


class Common(TypedDict):
    value: str
    count: int


class Column(TypedDict):
    """One column. What is not of its kind is left out: texts have no mean."""

    name: str
    kind: Kind
    count: int
    """Cells that hold something."""
    missing: int
    distinct: int
    min: NotRequired[float]
    max: NotRequired[float]
    mean: NotRequired[float]
    stdev: NotRequired[float]
    """Of a sample; absent for fewer than two."""
    quartiles: NotRequired[list[float]]
    """A quarter, half and three quarters of the values are at most these."""
    common: list[Common]


# What stands for a cell that holds nothing, in any case of letters.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-"})
# The most common values of a column that are named, and the most characters of each.
NAMED = 3
WIDEST = 60
# What is larger is no measurement, and its square may be no float.
LARGEST = 1e100

_INTEGER = re.compile(r"[+-]?\d{1,15}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?", re.ASCII)
_BOOLEAN = frozenset({"true", "false", "yes", "no"})


def rows(text: str, delimiter: str) -> list[list[str]]:
    """The rows that hold anything, with quotes read as in RFC 4180.

    Raises csv.Error: a field over 131,072 characters, or a quote that never ends.
    """
    found = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    return [row for row in found if row and any(cell.strip() for cell in row)]


def delimiter_of(text: str) -> str:
    """The one that splits the first lines into the same number of cells, the larger the better. A comma where none does."""
    best, most = ",", 1
    for candidate in (",", "\t", ";", "|"):
        try:
            widths = {len(row) for row in rows("\n".join(text.splitlines()[:20]), candidate)}
        except csv.Error:
            continue
        if len(widths) == 1 and (width := widths.pop()) > most:
            best, most = candidate, width
    return best


def column(name: str, cells: Sequence[str]) -> Column:
    """The figures of one column."""
    held = [cell.strip() for cell in cells if cell.strip().lower() not in MISSING]
    counted = Counter(held)
    kind = kind_of(held)
    # By count, then as they come: Counter keeps that order.
    common: list[Common] = [{"value": shortened(value), "count": count} for value, count in counted.most_common(NAMED)]
    made: Column = {
        "name": name,
        "kind": kind,
        "count": len(held),
        "missing": len(cells) - len(held),
        "distinct": len(counted),
        "common": common,
    }
    if kind in ("integer", "number"):
        numbers = [float(cell) for cell in held]
        made["min"], made["max"] = min(numbers), max(numbers)
        made["mean"] = statistics.fmean(numbers)
        if len(numbers) > 1:
            made["stdev"] = statistics.stdev(numbers)
            made["quartiles"] = statistics.quantiles(numbers, n=4, method="inclusive")
    return made


def kind_of(held: Sequence[str]) -> Kind:
    """What all cells are. One cell of another kind makes a column of texts."""
    if not held:
        return "empty"
    if all(_INTEGER.fullmatch(cell) for cell in held):
        return "integer"
    if all(_NUMBER.fullmatch(cell) and abs(float(cell)) <= LARGEST for cell in held):
        return "number"
    if all(cell.lower() in _BOOLEAN for cell in held):
        return "boolean"
    if all(_DATE.fullmatch(cell) for cell in held):
        return "date"
    return "text"


def shortened(value: str) -> str:
    return value if len(value) <= WIDEST else value[:WIDEST] + "…"
