"""The table that says which file is of which prompt.

A CSV file with a header: ``file`` (below the folder), and ``prompt_id`` or ``prompt`` (also called
``text``) or both; it may have ``object``, ``color``, ``seed``, ``model`` and ``guidance``. Several
objects and their colors stand in one cell with ``|`` between them. A text that no prompt has makes
a new prompt.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
import os.path
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from core.color.systems import parse_target
from core.errors import BadInput
from core.generation.request import MAX_PROMPT_CHARACTERS, MAX_SEED
from core.image_sets.names import plain
from core.image_sets.records import Remark
from core.prompts.prompt import ObjectTarget, Prompt

MAX_TABLE_BYTES = 256 * 2**20
_HEADER = (
    "A table of files and prompts has the columns file and prompt_id or prompt, and may have "
    "object, color, seed, model and guidance."
)


class _Reader(Protocol):
    """What ``csv.reader`` returns."""

    line_num: int

    def __next__(self) -> list[str]: ...


@dataclass(frozen=True)
class Row:
    """One line that could be used: ``name`` is the file below the folder, with slashes."""

    line: int
    name: str
    prompt: Prompt
    model: str
    seed: int | None
    guidance: float | None


@dataclass
class Table:
    """The lines by the file they are about, what could not be used, and the new prompts."""

    rows: dict[str, Row] = field(default_factory=dict)
    problems: list[Remark] = field(default_factory=list)
    new_prompts: dict[str, Prompt] = field(default_factory=dict)


def is_table(path: Path) -> bool:
    """Whether a file begins with the header of such a table."""
    try:
        with path.open("rb") as file:
            head = file.read(4096)
        columns = _columns(_decoded(head, cut=True))
    except (OSError, BadInput, csv.Error):
        return False
    return "file" in columns and bool({"prompt_id", "prompt"} & set(columns))


def read_table(path: Path, folder: Path, prompts: Sequence[Prompt]) -> Table:
    """Reads the table at ``path`` for the images of ``folder``.

    A line that cannot be used is reported and the rest is taken. Raises BadInput for a file that
    cannot be read, is too large, is not UTF-8 or UTF-16, or has not that header.
    """
    try:
        if path.stat().st_size > MAX_TABLE_BYTES:
            raise BadInput(f"{path.name} is larger than {MAX_TABLE_BYTES >> 20} MiB: split it.")
        text = _decoded(path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror or error}.") from error
    try:
        columns = _columns(text)
    except csv.Error as error:
        raise BadInput(f"The header of {path.name} cannot be read: {error}. {_HEADER}") from error
    twice = {column for column in columns if column and columns.count(column) > 1}
    if twice:
        raise BadInput(f"{path.name} has two columns {', '.join(sorted(twice))}. {_HEADER}")
    if "file" not in columns or not {"prompt_id", "prompt"} & set(columns):
        shown = ", ".join(columns)[:200] or "nothing"
        raise BadInput(f"{path.name} has no such header ({shown}). {_HEADER}")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    known = _Known(prompts)
    table = Table()
    for line, cells in _lines(reader, table):
        if any(cell.strip() for cell in cells):
            _take(table, known, line, columns, cells, folder)
    return table


def _lines(reader: _Reader, table: Table) -> Iterator[tuple[int, list[str]]]:
    """The rows after the header, each with the line it begins on; a cell may have line breaks."""
    next(reader)
    while True:
        line = reader.line_num + 1
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            table.problems.append(Remark(f"line {line}", f"It cannot be read: {error}."))


class _Known:
    """The prompts that a line may speak of."""

    def __init__(self, prompts: Sequence[Prompt]) -> None:
        self.by_id: dict[str, list[Prompt]] = {}
        self.by_text: dict[str, list[Prompt]] = {}
        for prompt in prompts:
            self.by_id.setdefault(prompt.id, []).append(prompt)
            self.by_text.setdefault(prompt.text.strip(), []).append(prompt)


def _take(
    table: Table, known: _Known, line: int, columns: list[str], given: list[str], folder: Path
) -> None:
    cells = dict(zip(columns, (cell.strip() for cell in given), strict=False))
    try:
        if any(cell.strip() for cell in given[len(columns) :]):
            raise BadInput(
                f"It has {len(given)} cells and the header {len(columns)}: put a text with the "
                "separator in it in quotes."
            )
        name = _file_name(cells.get("file", ""), folder)
        if name in table.rows:
            raise BadInput(f"{name} was there before, on line {table.rows[name].line}.")
        prompt = _prompt(table, known, cells)
        row = Row(line, name, prompt, cells.get("model", ""), _seed(cells), _guidance(cells))
    except BadInput as error:
        table.problems.append(Remark(f"line {line}", str(error)))
        return
    table.rows[name] = row
    if not prompt.source and prompt.id not in known.by_id:
        table.new_prompts[prompt.id] = prompt


def _prompt(table: Table, known: _Known, cells: Mapping[str, str]) -> Prompt:
    prompt_id, text = cells.get("prompt_id", ""), cells.get("prompt", "")
    if prompt_id in known.by_id:
        prompt, *others = known.by_id[prompt_id]
        if others:
            raise BadInput(
                f"Several of the chosen prompts have the id {prompt_id}: choose one set."
            )
        if text and text != prompt.text.strip():
            raise BadInput(f"The prompt {prompt_id} has another text than this line says.")
        return prompt
    if not text:
        why = f"There is no prompt {prompt_id[:80]!r}" if prompt_id else "No prompt is given"
        raise BadInput(f"{why}: give the id of a chosen prompt, or its text.")
    same = known.by_text.get(text, []) if not prompt_id else []
    if len(same) > 1:
        ids = ", ".join(prompt.id for prompt in same[:5])
        raise BadInput(f"Several prompts have this text ({ids}): give the prompt_id.")
    if same:
        return same[0]
    if len(text) > MAX_PROMPT_CHARACTERS:
        raise BadInput(
            f"The prompt has {len(text):,} characters: at most {MAX_PROMPT_CHARACTERS:,}."
        )
    targets = _targets(cells)
    made_of = "\n".join([text, cells.get("object", ""), cells.get("color", "")])
    new_id = prompt_id or f"text-{hashlib.sha256(made_of.encode()).hexdigest()[:12]}"
    prompt = Prompt(new_id, text, "free", targets)
    before = table.new_prompts.get(new_id, prompt)
    if before != prompt:
        raise BadInput(f"The prompt {new_id} was given before with another text or object.")
    return before


def _targets(cells: Mapping[str, str]) -> tuple[ObjectTarget, ...]:
    objects = [part.strip() for part in cells.get("object", "").split("|")]
    colors = [part.strip() for part in cells.get("color", "").split("|")]
    if objects == [""] and colors == [""]:
        return ()
    if colors == [""]:
        colors = [""] * len(objects)
    if len(objects) != len(colors):
        raise BadInput(f"There are {len(objects)} objects and {len(colors)} colors: give pairs.")
    if not all(objects):
        raise BadInput("A color stands without its object: fill the column object.")
    return tuple(
        ObjectTarget(name, parse_target(color) if color else None)
        for name, color in zip(objects, colors, strict=True)
    )


def _file_name(given: str, folder: Path) -> str:
    if not given:
        raise BadInput("The column file is empty.")
    # Not resolved: a link in the folder is judged where the folder is listed.
    path = Path(os.path.normpath(folder / given.replace("\\", "/")))
    try:
        below = path.relative_to(folder)
    except ValueError:
        raise BadInput(f"{given[:200]} is not below the folder.") from None
    return plain(below.as_posix())


def _seed(cells: Mapping[str, str]) -> int | None:
    text = cells.get("seed", "")
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 10 or int(text) > MAX_SEED:
        raise BadInput(f"The seed {text[:40]!r} is no whole number from 0 to {MAX_SEED}.")
    return int(text)


def _guidance(cells: Mapping[str, str]) -> float | None:
    text = cells.get("guidance", "")
    try:
        value = float(text) if text else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise BadInput(f"The guidance {text[:40]!r} is no number.")
    return value


def _decoded(content: bytes, cut: bool = False) -> str:
    """The text of a table; of its first bytes only if ``cut``."""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding, "ignore" if cut else "strict")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"The table is not UTF-8 (byte {error.start}): save it as CSV in UTF-8."
        ) from error


def _delimiter(text: str) -> str:
    return max(",;\t", key=_header(text).count)


def _header(text: str) -> str:
    return re.split(r"[\r\n]", text, maxsplit=1)[0]


def _columns(text: str) -> list[str]:
    """The names of the columns: lower case, with ``text`` called ``prompt``."""
    names = next(csv.reader([_header(text)], delimiter=_delimiter(text)), [])
    plain_names = [name.strip().strip("\ufeff").lower() for name in names]
    return ["prompt" if name == "text" else name for name in plain_names]
