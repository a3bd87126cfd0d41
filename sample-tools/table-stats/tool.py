"""table_stats: what is in each column of a table."""

import csv
from typing import NotRequired, TypedDict

import table
from fumehood_tool import Card, Content, Context, GenericCard, Tool, ToolError

# More is no table that somebody wants figures of, and a model reads a line of each.
COLUMNS = 200


class Args(TypedDict):
    text: str
    delimiter: NotRequired[str]
    header: NotRequired[bool]


class Value(TypedDict):
    rows: int
    delimiter: str
    ragged: int
    """Rows with more cells than there are columns, or fewer."""
    columns: list[table.Column]


class TableStats(Tool[Args, Value]):
    name = "table_stats"

    def execute(self, args: Args, context: Context) -> Value:
        delimiter = args.get("delimiter") or table.delimiter_of(args["text"])
        try:
            rows = table.rows(args["text"], delimiter)
        except csv.Error as error:
            raise ToolError.invalid_args(f"this is no table: {error}") from None
        if not rows:
            raise ToolError.invalid_args("the table is empty: no row holds anything")
        header = rows.pop(0) if args.get("header", True) else [f"column {n}" for n in range(1, len(rows[0]) + 1)]
        if len(header) > COLUMNS:
            raise ToolError.failed("TOO_WIDE", f"{len(header)} columns; at most {COLUMNS} are counted")
        ragged = sum(len(row) != len(header) for row in rows)
        columns: list[table.Column] = []
        for at, name in enumerate(header):
            context.progress(at, len(header))
            cells = [row[at] if at < len(row) else "" for row in rows]
            columns.append(table.column(table.shortened(name.strip()) or f"column {at + 1}", cells))
        return {"rows": len(rows), "delimiter": delimiter, "ragged": ragged, "columns": columns}

    def render(self, args: Args, value: Value) -> Content:
        ragged = f", {value['ragged']} of them with another number of cells" if value["ragged"] else ""
        return "\n".join([f"{counted(value['rows'], 'row')}{ragged}:", *(line(column) for column in value["columns"])])

    def present(self, args: Args, value: Value | None) -> Card | None:
        if value is None:
            return None
        title = f"{counted(value['rows'], 'row')}, {counted(len(value['columns']), 'column')}"
        body = "\n".join(line(column) for column in value["columns"])
        return GenericCard(title, kind="read", input={"delimiter": value["delimiter"]}, body=body)


def line(column: table.Column) -> str:
    """One column in one line."""
    parts = [f"{column['name']}: {column['kind']}"]
    if "mean" in column and "min" in column and "max" in column:
        parts.append(f"{short(column['min'])} to {short(column['max'])}, mean {short(column['mean'])}")
    if "stdev" in column:
        parts.append(f"stdev {short(column['stdev'])}")
    if "quartiles" in column:
        parts.append("quartiles " + " ".join(short(quartile) for quartile in column["quartiles"]))
    elif column["kind"] != "empty":
        parts.append(f"{column['distinct']} distinct")
    # Where every value is another, none is common.
    if column["common"] and column["common"][0]["count"] > 1:
        parts.append("most common " + ", ".join(f"{each['value']} ({each['count']})" for each in column["common"]))
    if column["missing"]:
        parts.append(f"{column['missing']} missing")
    return "; ".join(parts)


def short(number: float) -> str:
    """Six digits are enough to read."""
    return f"{number:.6g}"


def counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count} {what}s"
