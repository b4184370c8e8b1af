"""The table that maps files to prompts.

A CSV file with a header: ``file`` (below the folder), and ``prompt_id`` or ``prompt`` (also called
``text``) or both; it may have ``object``, ``color``, ``seed``, ``model`` and ``guidance``. Several
objects and their colors share one cell, separated by ``|``. An unknown text makes a new prompt;
without object and color, its targets are parsed from the text. A line without prompt, object and
color is of an image without a prompt.
"""

from __future__ import annotations

import hashlib
import math
import os.path
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from truehue.core.color.systems import SYSTEMS, ColorTarget, parse_target
from truehue.core.errors import BadInput, UnknownColor
from truehue.core.generation.request import MAX_SEED
from truehue.core.image_sets.files import plain
from truehue.core.image_sets.records import NO_PROMPT, Remark
from truehue.core.prompts.prompt import MAX_FIELD_CHARACTERS, ObjectTarget, Prompt, describe_unfit
from truehue.core.prompts.tables import part_labels
from truehue.core.sentences import read_sentence
from truehue.core.text_tables import DELIMITERS, Record, TextSource, excerpt, open_text, records

_HEADER = (
    "A table of files and prompts has the columns file and prompt_id or prompt, and may have "
    "object, color, seed, model and guidance."
)


@dataclass(frozen=True)
class MappingRow:
    """One line that could be used: ``name`` is the file below the folder, with slashes."""

    line: int
    name: str
    prompt: Prompt
    model: str
    seed: int | None
    guidance: float | None


@dataclass
class MappingTable:
    """The lines by the file they are about, what could not be used, and the new prompts.
    ``unusable`` says by file why its line cannot be used, ``unreadable`` why a line that cannot be
    read may be of any file."""

    rows: dict[str, MappingRow] = field(default_factory=dict)
    unusable: dict[str, str] = field(default_factory=dict)
    unreadable: str = ""
    problems: list[Remark] = field(default_factory=list)
    new_prompts: dict[str, Prompt] = field(default_factory=dict)


def is_table(path: Path) -> bool:
    """Whether a file begins with the header of such a table."""
    try:
        with path.open("rb") as file:
            head = file.read(4096)
        with open_text(head, path.name) as source:
            columns, _ = _header(source, _delimiter(source))
    except (OSError, BadInput):
        return False
    return "file" in columns and bool({"prompt_id", "prompt"} & set(columns))


def read_table(
    path: Path, folder: Path, prompts: Sequence[Prompt], system: str | None = None
) -> MappingTable:
    """Reads the table at ``path`` for the images of ``folder``.

    ``system`` is the color system whose names its lines use; names that it does not have, and all
    without it, are those of the first system that has them, CSS before the others.

    It is read as files of prompts are (:mod:`truehue.core.prompts.importing`): in UTF-8, UTF-16,
    UTF-32 or, with a remark, Windows-1252; a line that cannot be used is reported and the rest is
    taken. Raises BadInput for a file that cannot be read, is too large, is not text, or has not
    that header.
    """
    lookup, table = _PromptLookup(prompts, system), MappingTable()
    with open_text(path, path.name) as source:
        table.problems += [Remark(path.name, note) for note in source.notes]
        delimiter = _delimiter(source)
        columns, first = _header(source, delimiter)
        if "file" not in columns or not {"prompt_id", "prompt"} & set(columns):
            shown = excerpt(", ".join(columns))
            raise BadInput(f"{path.name} has no such header ({shown}). {_HEADER}")
        for record in records(source.lines(), delimiter):
            if record.line <= first:
                continue
            if record.why:
                table.problems.append(Remark(f"line {record.line}", record.why))
                table.unreadable = "A line of the table that cannot be read may be of it."
            elif any(cell.strip() for cell in record.fields):
                _take(table, lookup, columns, record, folder)
    if system is not None and lookup.other_names:
        names = excerpt(", ".join(lookup.other_names))
        remark = f"{SYSTEMS[system]} has no name {names}: taken from another color system."
        table.problems.append(Remark(path.name, remark))
    return table


class _PromptLookup:
    """The prompts that a line may speak of, and the color system of its own words."""

    def __init__(self, prompts: Sequence[Prompt], system: str | None) -> None:
        self.system = system
        self.other_names: dict[str, None] = {}
        self.by_id: dict[str, list[Prompt]] = {}
        self.by_text: dict[str, list[Prompt]] = {}
        for prompt in prompts:
            self.by_id.setdefault(prompt.id, []).append(prompt)
            self.by_text.setdefault(prompt.text.strip(), []).append(prompt)


def _take(
    table: MappingTable, lookup: _PromptLookup, columns: list[str], record: Record, folder: Path
) -> None:
    fields, line, name = record.fields, record.line, ""
    cells = dict(zip(columns, (cell.strip() for cell in fields), strict=False))
    try:
        if any(cell.strip() for cell in fields[len(columns) :]):
            raise BadInput(
                f"It has {len(fields)} cells and the header {len(columns)}: put a text with the "
                "separator in it in quotes."
            )
        name = _file_name(cells.get("file", ""), folder)
        if name in table.rows:
            name, before = "", table.rows[name]
            raise BadInput(f"{before.name} is already on line {before.line}.")
        prompt = _prompt(table, lookup, cells)
        row = MappingRow(line, name, prompt, _model(cells), _seed(cells), _guidance(cells))
    except BadInput as error:
        table.problems.append(Remark(f"line {line}", str(error)))
        if name:
            table.unusable[name] = f"Line {line} of the table is of it. {error}"
        return
    table.rows[name] = row
    if prompt is not NO_PROMPT and not prompt.source and prompt.id not in lookup.by_id:
        table.new_prompts[prompt.id] = prompt


def _prompt(table: MappingTable, lookup: _PromptLookup, cells: Mapping[str, str]) -> Prompt:
    prompt_id, text = cells.get("prompt_id", ""), cells.get("prompt", "")
    if prompt_id in lookup.by_id:
        prompt, *others = lookup.by_id[prompt_id]
        if others:
            raise BadInput(
                f"Several of the chosen prompts have the id {prompt_id}: choose one set."
            )
        if text and text != prompt.text.strip():
            raise BadInput(f"The prompt {prompt_id} has another text than this line says.")
        return prompt
    if not any(cells.get(name) for name in ("prompt_id", "prompt", "object", "color")):
        return NO_PROMPT
    if not text:
        why = f"There is no prompt {prompt_id[:80]!r}" if prompt_id else "No prompt is given"
        raise BadInput(f"{why}: give the id of a chosen prompt, or its text.")
    same = lookup.by_text.get(text, []) if not prompt_id else []
    if len(same) > 1:
        ids = ", ".join(prompt.id for prompt in same[:5])
        raise BadInput(f"Several prompts have this text ({ids}): give the prompt_id.")
    if same:
        return same[0]
    # By another system the same words mean another color, and are another prompt.
    chosen = [lookup.system] if lookup.system else []
    made_of = "\n".join([text, cells.get("object", ""), cells.get("color", ""), *chosen])
    new_id = f"text-{hashlib.sha256(made_of.encode()).hexdigest()[:12]}"
    if prompt_id:
        new_id = f"{prompt_id} ({lookup.system})" if lookup.system else prompt_id
    named = cells.get("object") or cells.get("color")
    targets = _targets(cells, lookup) if named else _of_words(text, lookup)
    system = next(
        (target.color.system for target in targets if target.color and target.color.system), ""
    )
    prompt = Prompt(new_id, text, "free", targets, system=system)
    if why := describe_unfit(prompt):
        raise BadInput(why)
    before = table.new_prompts.get(new_id, prompt)
    if before != prompt:
        raise BadInput(f"The prompt {new_id} was given before with another text or object.")
    return before


def _targets(cells: Mapping[str, str], lookup: _PromptLookup) -> tuple[ObjectTarget, ...]:
    objects = [part.strip() for part in cells.get("object", "").split("|")]
    colors = [part.strip() for part in cells.get("color", "").split("|")]
    if objects == [""] and colors == [""]:
        return ()
    if colors == [""]:
        colors = [""] * len(objects)
    if len(objects) != len(colors):
        raise BadInput(f"There are {len(objects)} objects and {len(colors)} colors: give pairs.")
    if not all(objects):
        raise BadInput("A color has no object. Fill the column object.")
    return tuple(
        ObjectTarget(name, _color(color, lookup) if color else None)
        for name, color in zip(objects, colors, strict=True)
    )


def _color(text: str, lookup: _PromptLookup) -> ColorTarget:
    """A color by its name in the chosen system, or else as any text names one, which is noted.
    Raises UnknownColor."""
    try:
        return parse_target(text, lookup.system)
    except UnknownColor:
        target = parse_target(text)
        lookup.other_names[text] = None
        return target


def _of_words(text: str, lookup: _PromptLookup) -> tuple[ObjectTarget, ...]:
    """The targets of the sentence itself, if no column has them: "an orange cat" names both. Of the
    negative labels, the surface of the object is left out: its color is what the sentence asks."""
    return tuple(
        replace(
            target,
            color=_color(target.color.name, lookup)
            if lookup.system and target.color is not None and target.color.name
            else target.color,
            negative_labels=part_labels(target.negative_labels),
        )
        for target in read_sentence(text).targets
    )


def _file_name(cell: str, folder: Path) -> str:
    if not cell:
        raise BadInput("The column file is empty.")
    # Not resolved: a link in the folder is judged where the folder is listed.
    path = Path(os.path.normpath(folder / cell.replace("\\", "/")))
    try:
        below = path.relative_to(folder)
    except ValueError:
        raise BadInput(f"{excerpt(cell)} is not below the folder.") from None
    return plain(below.as_posix())


def _model(cells: Mapping[str, str]) -> str:
    text = cells.get("model", "")
    if len(text) > MAX_FIELD_CHARACTERS or not text.isprintable():
        raise BadInput(
            f"The model {excerpt(text[:40])} is not a valid name: give at most "
            f"{MAX_FIELD_CHARACTERS:,} "
            "characters without line breaks or control characters."
        )
    return text


def _seed(cells: Mapping[str, str]) -> int | None:
    text = cells.get("seed", "")
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 10 or int(text) > MAX_SEED:
        raise BadInput(f"The seed {text[:40]!r} is not a whole number from 0 to {MAX_SEED}.")
    return int(text)


def _guidance(cells: Mapping[str, str]) -> float | None:
    text = cells.get("guidance", "")
    try:
        value = float(text) if text else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise BadInput(f"The guidance {text[:40]!r} is not a number.")
    return value


def _header(source: TextSource, delimiter: str) -> tuple[list[str], int]:
    """The names of the columns, in lower case and with ``text`` called ``prompt``, and the line
    that they stand on."""
    for record in records(source.lines(), delimiter):
        if record.why:
            raise BadInput(f"The header of {source.name} cannot be read. {record.why} {_HEADER}")
        if not record.fields:
            continue
        names = [name.strip().lower() for name in record.fields]
        columns = ["prompt" if name == "text" else name for name in names]
        twice = sorted({name for name in columns if name and columns.count(name) > 1})
        if twice:
            shown = excerpt(", ".join(twice))
            raise BadInput(f"{source.name} has two columns {shown}. {_HEADER}")
        return columns, record.line
    raise BadInput(f"{source.name} has no header, only blank lines. {_HEADER}")


def _delimiter(source: TextSource) -> str:
    """The separator that stands most often in the first line; the comma at a draw."""
    first = next((text for _, text, _ in source.lines() if text.strip()), "")
    return max(DELIMITERS, key=first.count)
