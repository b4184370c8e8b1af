"""A published table made again, ours beside the printed cells, as text, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from truehue.core.published import Column, PublishedTable
from truehue.core.reproduce.attribution import Gap, gap_lines
from truehue.core.spreadsheets import escape_formula

NONE = "–"
"""A cell without a number."""


@dataclass(frozen=True, slots=True)
class ReproducedCell:
    """One number of ours beside the printed one, in the column's ``unit``.

    ``low`` and ``high`` are the 95% interval, ``n`` what the number is made of (images, questions,
    concepts), ``unscored`` how many of those have no score. None where there is no such number.
    ``note`` says why there is none, or of what part it is.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    unscored: int | None = None
    published: float | None = None
    unit: str = ""
    note: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less the printed one."""
        if self.value is None or self.published is None:
            return None
        return self.value - self.published


@dataclass(frozen=True, slots=True)
class ReproducedRow:
    """``keys`` are those of the published row (the model as printed), with ``ours``, what was run;
    ``cells`` are by the column's name."""

    keys: Mapping[str, str]
    cells: Mapping[str, ReproducedCell]


@dataclass(frozen=True, slots=True)
class ReproducedTable:
    """A table or a figure made again.

    ``source`` says where the printed numbers stand, ``protocol`` by which preset ours were made,
    ``methods`` is a paragraph for a paper, ``citations`` are BibTeX entries, ``notes`` sentences.
    """

    title: str
    source: str
    keys: tuple[str, ...]
    columns: tuple[Column, ...]
    protocol: str
    rows: tuple[ReproducedRow, ...]
    methods: str = ""
    citations: str = ""
    notes: tuple[str, ...] = ()

    @property
    def key_names(self) -> tuple[str, ...]:
        """The keys of a row, ``ours`` among them where a row has it."""
        named = any("ours" in row.keys for row in self.rows) and "ours" not in self.keys
        return (*self.keys, "ours") if named else self.keys


def make_table(
    published: PublishedTable,
    protocol: str,
    rows: Sequence[ReproducedRow],
    *,
    methods: str = "",
    citations: str = "",
    notes: Sequence[str] = (),
) -> ReproducedTable:
    """A table with the title, keys and columns of a published one."""
    return ReproducedTable(
        f"{published.number}: {published.title}",
        published.source,
        published.keys,
        published.columns,
        protocol,
        tuple(rows),
        methods,
        citations,
        tuple(notes),
    )


def as_text(table: ReproducedTable, gaps: Sequence[Gap] = ()) -> str:
    """For people: a block a row, a line a column, the attribution and the citations below."""
    lines = [table.title, f"Printed: {table.source}. Ours: protocol {table.protocol}.", ""]
    width = max((len(column.name) for column in table.columns), default=0)
    for row in table.rows:
        keys = [row.keys[name] for name in table.key_names if row.keys.get(name)]
        lines.append(" · ".join(keys))
        for column in table.columns:
            cell = row.cells.get(column.name, ReproducedCell())
            lines.append(f"  {column.name:<{width}}  {_cell_text(cell, column)}")
        lines.append("")
    lines += gap_lines(gaps)
    lines += [*(f"Note: {note}" for note in table.notes), *([""] if table.notes else [])]
    if table.methods:
        lines += ["Methods", table.methods, ""]
    if table.citations:
        lines += ["Citations", table.citations.rstrip(), ""]
    return "\n".join(lines)


def as_csv(table: ReproducedTable, gaps: Sequence[Gap] = ()) -> str:
    """A line a cell, unrounded, its note as the sentence; below them a line for each difference of the
    attribution, whose ``points`` are what the cell moves by."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    rest = ("column", "unit", "value", "low", "high", "n", "unscored", "published", "difference")
    writer.writerow(["kind", *table.key_names, *rest, "points", "sentence", "protocol", "source"])
    ending = (table.protocol, table.source)
    for row in table.rows:
        keys = [escape_formula(row.keys.get(name, "")) for name in table.key_names]
        for column in table.columns:
            cell = row.cells.get(column.name, ReproducedCell())
            numbers = (cell.value, cell.low, cell.high, cell.n, cell.unscored, cell.published)
            values = ["" if number is None else number for number in (*numbers, cell.difference)]
            unit = cell.unit or column.unit
            writer.writerow(["cell", *keys, column.name, unit, *values, "", cell.note, *ending])
    for gap in gaps:
        keys = [escape_formula(gap.keys.get(name, "")) for name in table.key_names]
        for difference in gap.differences:
            points = "" if difference.points is None else difference.points
            text = f"{difference.name}: {difference.sentence}"
            writer.writerow(
                ["difference", *keys, gap.column, gap.unit, *[""] * 7, points, text, *ending]
            )
    return buffer.getvalue()


def as_latex(table: ReproducedTable, gaps: Sequence[Gap] = ()) -> str:
    """A ``tabular`` of booktabs: a line of ours with its interval and, below it in italics, the
    printed one and how many were counted. Notes stand below it. The methods and the attribution are
    comments above it, the citations below."""
    heads = [
        name.replace("_", " ") for name in (*table.key_names, *(c.name for c in table.columns))
    ]
    lines = [
        *_comment(f"{table.title}. Printed: {table.source}. Ours: protocol {table.protocol}."),
        *_comment(table.methods),
        *(line for text in gap_lines(gaps) for line in _comment(text)),
        f"\\begin{{tabular}}{{{'l' * len(table.key_names)}{'r' * len(table.columns)}}}",
        "\\toprule",
        " & ".join(map(_latex, heads)) + r" \\",
        "\\midrule",
    ]
    for row in table.rows:
        keys = [_latex(row.keys.get(name, "")) for name in table.key_names]
        keys[0] = keys[0] or r"\textit{not printed}"
        cells = [row.cells.get(column.name, ReproducedCell()) for column in table.columns]
        pairs = list(zip(cells, table.columns, strict=True))
        lines.append(" & ".join([*keys, *(_latex_cell(*pair) for pair in pairs)]) + r" \\")
        printed = [
            "" if cell.published is None else f"\\textit{{{_number(cell.published, column)}}}"
            for cell, column in pairs
        ]
        counts = [_latex_count(cell) for cell in cells]
        for name, line in (("printed", printed), ("n (unscored)", counts)):
            if any(line):
                empty = [f"\\textit{{{name}}}", *[""] * (len(keys) - 1)]
                lines.append(" & ".join([*empty, *line]) + r" \\")
    lines += ["\\bottomrule", "\\end{tabular}"]
    if notes := [*table.notes, *_cell_notes(table)]:
        lines += ["\\begin{flushleft}\\footnotesize"]
        lines += [f"{_latex(note)}\\par" for note in notes]
        lines += ["\\end{flushleft}"]
    return "\n".join([*lines, *_comment(table.citations)]) + "\n"


def _latex_count(cell: ReproducedCell) -> str:
    if cell.n is None:
        return ""
    unscored = f" ({cell.unscored:,})" if cell.unscored else ""
    return f"\\textit{{{cell.n:,}{unscored}}}"


def _cell_notes(table: ReproducedTable) -> list[str]:
    """The notes of cells, each with its row; columns of one note together."""
    sentences = []
    for row in table.rows:
        name = ", ".join(text for key in table.key_names if (text := row.keys.get(key, "")))
        columns: dict[str, list[str]] = {}
        for column in table.columns:
            if note := row.cells.get(column.name, ReproducedCell()).note:
                columns.setdefault(note, []).append(column.name)
        sentences += [f"{name}; {', '.join(of)}: {note}." for note, of in columns.items()]
    return sentences


FORMATS: Mapping[str, Callable[[ReproducedTable, Sequence[Gap]], str]] = {
    "text": as_text,
    "csv": as_csv,
    "latex": as_latex,
}
"""The writers by the name of their format."""


FLAG = "flag"
"""The unit of a number that is 1 for yes and 0 for no."""


def _cell_text(cell: ReproducedCell, column: Column) -> str:
    if cell.value is None:
        ours = f"ours {NONE}" + (f" ({cell.note})" if cell.note else "")
    else:
        parts = [] if cell.low is None else [_interval(cell, column)]
        parts += [] if cell.n is None else [f"n {cell.n:,}"]
        parts += [f"unscored {cell.unscored:,}"] if cell.unscored else []
        parts += [cell.note] if cell.note else []
        ours = f"ours {_number(cell.value, column)}" + (f" ({', '.join(parts)})" if parts else "")
    printed = NONE if cell.published is None else _number(cell.published, column)
    text = f"{ours}, printed {printed}"
    if cell.difference is None or column.unit == FLAG:
        return text
    return f"{text}, difference {cell.difference:+.{_decimals(column)}f}"


def _interval(cell: ReproducedCell, column: Column) -> str:
    assert cell.low is not None
    assert cell.high is not None
    return f"{_number(cell.low, column)}–{_number(cell.high, column)}"


def _decimals(column: Column) -> int:
    return 2 if column.unit == "percent" else 3


def _number(value: float, column: Column) -> str:
    if column.unit == FLAG:
        return "yes" if value else "no"
    return f"{value:.{_decimals(column)}f}"


def _latex_cell(cell: ReproducedCell, column: Column) -> str:
    if cell.value is None:
        return "--"
    text = _number(cell.value, column)
    if cell.low is None or cell.high is None:
        return text
    bounds = (_number(bound, column) for bound in (cell.low, cell.high))
    return f"{text} {{\\scriptsize [{', '.join(bounds)}]}}"


_ESCAPED = {
    "\\": r"\textbackslash{}",
    "–": "--",
    "σ": r"$\sigma$",
    "Σ": r"$\Sigma$",
    "α": r"$\alpha$",
    "Δ": r"$\Delta$",
    "λ": r"$\lambda$",
    "κ": r"$\kappa$",
    "−": "$-$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "“": "``",
    "”": "''",
    "’": "'",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def _latex(text: str) -> str:
    return "".join(_ESCAPED.get(sign, sign) for sign in text)


def _comment(text: str) -> list[str]:
    return [f"% {line}".rstrip() for line in text.splitlines()]
