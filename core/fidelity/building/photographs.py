"""Photographs with their captions, as people have them: a folder and a table."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.fidelity.groups import CATEGORIES

_CAPTIONS = ("caption", "prompt", "text", "txt")
_HEADER = f"A table of captions has the columns file and {', '.join(_CAPTIONS[:-1])} or txt."


@dataclass(frozen=True)
class Photograph:
    """``path`` of the file; ``category`` is one of CFD's, or "" where nobody stated it."""

    path: Path
    caption: str
    category: str = ""


def read_photographs(folder: Path, table: Path) -> list[Photograph]:
    """The photographs of a CSV or Parquet table, in its order.

    Columns: ``file`` (below ``folder``), ``caption`` (or ``prompt``, ``text``, ``txt``: the table
    of an import of images is such a one), and perhaps ``category``. Raises BadInput, with the line,
    for what cannot be used; nothing is left out silently.
    """
    root = folder.resolve()
    if not root.is_dir():
        raise BadInput(f"{folder} is no folder of photographs.")
    out, seen = [], set()
    for line, row in _rows(table):
        name = next((name for name in _CAPTIONS if name in row), "")
        if "file" not in row or not name:
            raise BadInput(f"{table.name} has no such columns. {_HEADER}")
        try:
            photograph = _photograph(root, row, name)
            if (key := (photograph.path, photograph.caption)) in seen:
                raise BadInput("the same photograph and caption stand in another line too.")
            seen.add(key)
        except BadInput as error:
            raise BadInput(f"{table.name}, line {line}: {error}") from None
        out.append(photograph)
    if not out:
        raise BadInput(f"{table.name} names no photographs.")
    return out


def _photograph(root: Path, row: Mapping[str, Any], name: str) -> Photograph:
    caption, category = _text(row[name]), _text(row.get("category"))
    if not caption:
        raise BadInput("the caption is empty.")
    if category and category not in CATEGORIES:
        raise BadInput(f"{category!r:.60} is none of the categories: {', '.join(CATEGORIES)}.")
    file = _text(row["file"])
    path = (root / file).resolve()
    if not file or not path.is_relative_to(root):
        raise BadInput(f"{file!r:.80} is no file below {root}.")
    if not path.is_file():
        raise BadInput(f"{file!r:.80} is not there.")
    return Photograph(path, caption, category)


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _rows(table: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        if table.suffix.lower() == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            try:
                rows = pq.read_table(table).to_pylist()
            except pa.ArrowException as error:
                raise BadInput(f"{table} cannot be read as Parquet: {error!s:.200}") from None
            yield from enumerate(rows, start=1)
            return
        with table.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            for row in reader:
                if None in row or None in row.values():
                    raise BadInput(
                        f"{table.name}, line {reader.line_num}: it has another number of cells."
                    )
                yield reader.line_num, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{table} cannot be read as a table: {error}") from None
