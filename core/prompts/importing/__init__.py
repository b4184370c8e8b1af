"""Files of prompts: the published benchmark's own, plain text, CSV and JSONL.

**CSV** (also separated by semicolons or tabs; the first line names the columns, in any order and
in upper or lower case):

=====================  ============================================================================
``text`` or ``prompt`` the prompt; the only column that is needed
``id``                 unique in the file; without it ``<file name>-<number of the record>``
``task``               cna, ncu, coa, moc, ica, concept or free; without it free
``system``             l1, l2, l3, css or people: where the names of the colors are looked up
``object``             what the image has to show
``color``              the color that it has to have: a name, ``l3:vivid red``, ``#DC143C`` or
                       ``rgb(220, 20, 60)``
``role``               main, reference (has to share the first object's color) or bystander (must
                       not take it); without it main, but the second object is a bystander in coa
                       and a reference in ica
``negative_labels``    parts that are not measured, separated by semicolons: ``stem;leaf``; without
                       it those of GenColorBench's table for the object, and none for ``;`` alone
``object_category``    the category of the object
``object2`` …          a second to ninth object: object2, color2, role2, negative_labels2, …
``category``, ``concept``, ``modifier``, ``modifier_kind``, ``style``, ``template``, ``notation``,
``source``             as the prompt's record has them (:class:`truehue.core.prompts.prompt.Prompt`)
=====================  ============================================================================

**JSONL**: one object a line, with the same keys, or in the form of ``Prompt.as_json``. **Plain
text**: one prompt a line. **Published files**: see :mod:`truehue.core.prompts.importing.published`.

Unreadable lines are reported with their numbers, and the rest is imported. Limits: 256 MB and
500,000 prompts per file, 250,000 characters per line, 20,000 per prompt, 1,000 per other field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path, PurePath
from typing import Any

from truehue.core.color.systems import system as color_system
from truehue.core.errors import BadInput
from truehue.core.prompts.importing import published as mini
from truehue.core.prompts.importing.fields import (
    COLUMNS,
    Lookup,
    TooManyUnknown,
    prompt_of,
    prompt_of_line,
)
from truehue.core.prompts.prompt import Prompt, describe_unfit
from truehue.core.text_tables import (
    DELIMITERS,
    MAX_LINE_CHARACTERS,
    NUL,
    Record,
    TextSource,
    excerpt,
    open_text,
    records,
    too_long,
)

MAX_RECORDS = 500_000


@dataclass(frozen=True, slots=True)
class LineProblem:
    """One record that was not taken: the line that it begins on (from 1), how it begins, and why.

    ``text_excerpt`` is one line of at most 120 characters, control characters made visible.
    """

    line: int
    text_excerpt: str
    why: str


@dataclass(frozen=True)
class ImportedPrompts:
    """The contents of a file. ``kind`` is ``published``, ``csv``, ``jsonl`` or ``text``.

    ``notes`` are sentences about the file as a whole: another encoding, columns that were not
    used, objects without negative labels. Blank lines are no records; they are only counted.
    """

    prompts: tuple[Prompt, ...]
    problems: tuple[LineProblem, ...]
    kind: str
    notes: tuple[str, ...] = ()
    blank_lines: int = 0

    @property
    def records(self) -> int:
        """How many records the file has: each was taken or is among the problems."""
        return len(self.prompts) + len(self.problems)


@dataclass
class PromptCollector:
    """Where the prompts of one file gather. A second prompt of an id is refused."""

    prompts: list[Prompt] = field(default_factory=list)
    problems: list[LineProblem] = field(default_factory=list)
    blank_lines: int = 0
    _lines: dict[str, int] = field(default_factory=dict)

    @property
    def records(self) -> int:
        return len(self.prompts) + len(self.problems)

    def read(self, line: int, raw: str, prompt_of: Callable[..., Prompt], *fields: Any) -> None:
        """Keeps the prompt of a record's fields, or reports why it cannot be taken."""
        try:
            prompt = prompt_of(*fields)
        except TooManyUnknown:
            raise
        except BadInput as error:
            self.refuse(line, raw, str(error))
        else:
            self.take(line, raw, prompt)

    def take(self, line: int, raw: str, prompt: Prompt) -> None:
        """Keeps a prompt, or reports it where its id was there before or it is not fit."""
        why = describe_unfit(prompt)
        first = self._lines.get(prompt.id)
        if not why and first is not None:
            why = f"The id {excerpt(prompt.id)} was given before, on line {first}."
        if why:
            self.refuse(line, raw, why)
            return
        self._lines[prompt.id] = line
        self.prompts.append(prompt)
        self._count()

    def refuse(self, line: int, raw: str, why: str) -> None:
        """Reports a record that cannot be taken."""
        self.problems.append(LineProblem(line, excerpt(raw), why))
        self._count()

    def _count(self) -> None:
        if self.records > MAX_RECORDS:
            raise BadInput(
                f"The file has more than {MAX_RECORDS:,} prompts. Split it into several files."
            )


HEADER_HELP = (
    "The first line of a CSV names its columns. Needed: text (or prompt). If you have them: id, "
    "task, system (l1, l2, l3, css, people), object, color, role, negative_labels (separated by ;), "
    "object2, color2 … for further objects, category, concept, modifier, style. Example:\n"
    "text,object,color\n"
    "A vivid red apple on a table.,apple,l3:vivid red\n"
    "JSONL takes the same names as keys, one object a line. A .txt file is one prompt a line. The "
    "published GenColorBench files (cna_l2.csv, ncu_hex_css.csv …) are taken as they are."
)
"""Help for a person who chooses a file."""

_KINDS = ("published", "csv", "jsonl", "text")
_BY_ENDING = {
    ".txt": "text",
    ".md": "text",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
}


def read_prompts(
    file: Path | str | bytes | bytearray | memoryview,
    name: str = "",
    *,
    kind: str | None = None,
    system: str | None = None,
    negative_labels: Mapping[str, tuple[str, ...]] | None = None,
    categories: Mapping[str, str] | None = None,
) -> ImportedPrompts:
    """The prompts of a file, and a report of what in it could not be taken.

    ``file`` is a path or the bytes themselves, ``name`` the name that its owner gave it (needed
    for bytes; a published file's task and system stand in it). ``kind`` is found from name and
    content where it is None. ``system`` is the color system of a published file and goes before
    the one in its name. ``negative_labels`` and ``categories`` are the caller's tables of objects.

    Raises BadInput where the file as a whole cannot be read: a folder, empty, too large, not text,
    without the columns that it needs.
    """
    if not name:
        if not isinstance(file, Path | str):
            raise BadInput("The name of the file is needed: it says what is in it.")
        name = Path(file).name
    if kind is not None and kind not in _KINDS:
        raise BadInput(f"There is no kind {kind!r:.40} of file. It is one of {', '.join(_KINDS)}.")
    if system is not None:
        color_system(system)
    # The last part by either system's separator: an upload may bring the path of its machine.
    name = excerpt(PurePath(name.replace("\\", "/")).name) or "prompts"
    with open_text(file, name) as source:
        lookup, prompt_collector = Lookup(negative_labels, categories), PromptCollector()
        file_kind = kind or _kind(source)
        notes = list(source.notes)
        if file_kind == "text":
            _read_text(source, prompt_collector)
        elif file_kind == "jsonl":
            notes += _read_jsonl(source, prompt_collector, lookup)
        else:
            file_kind, more = _read_table(
                source, prompt_collector, lookup, system, file_kind == "published"
            )
            notes += more
        if not prompt_collector.prompts and not prompt_collector.problems:
            raise BadInput(f"{name} has no prompts in it, only blank lines or a header.")
        notes += lookup.notes()
    return ImportedPrompts(
        tuple(prompt_collector.prompts),
        tuple(prompt_collector.problems),
        file_kind,
        tuple(notes),
        prompt_collector.blank_lines,
    )


def _kind(source: TextSource) -> str:
    kind = _BY_ENDING.get(PurePath(source.name).suffix.lower())
    if kind and kind != "text":
        return kind
    first = next((text for _, text, _ in source.lines() if text.strip()), "")
    if not kind and first.lstrip().startswith("{"):
        return "jsonl"
    columns = {_column(part) for part in re.split("[,;\t]", first.strip())}
    headed = columns & {"text", "prompt"} and columns <= (
        COLUMNS | mini.OPTIONAL | set(chain.from_iterable(mini.LAYOUTS.values()))
    )
    if kind and len(columns) > 1 and headed:
        source.notes.append("The first line names columns, so the file was read as a table.")
        return "csv"
    return "csv" if headed and not kind else "text"


def _stem(source: TextSource) -> str:
    return PurePath(source.name).stem[:100].strip() or "prompts"


def _sound_lines(
    source: TextSource, prompt_collector: PromptCollector
) -> Iterator[tuple[int, str]]:
    """The lines that are neither blank, too long nor with a NUL; the others are counted."""
    for number, text, length in source.lines():
        if length > MAX_LINE_CHARACTERS:
            prompt_collector.refuse(number, text, too_long(length))
        elif not text.strip():
            prompt_collector.blank_lines += 1
        elif "\0" in text:
            prompt_collector.refuse(number, text, NUL)
        else:
            yield number, text


def _read_text(source: TextSource, prompt_collector: PromptCollector) -> None:
    stem = _stem(source)
    for number, text in _sound_lines(source, prompt_collector):
        prompt = Prompt(f"{stem}-{number}", text.strip(), "free", source=stem)
        prompt_collector.take(number, text, prompt)


def _read_jsonl(source: TextSource, prompt_collector: PromptCollector, lookup: Lookup) -> list[str]:
    stem, unused = _stem(source), set[str]()
    for number, text in _sound_lines(source, prompt_collector):
        if (
            not prompt_collector.prompts
            and not prompt_collector.problems
            and text.lstrip().startswith("[")
        ):
            raise BadInput(
                f"{source.name} is one JSON list. Write one object a line instead (JSONL)."
            )
        if not prompt_collector.records and _describes(
            text, PurePath(source.name).suffix.lower() == ".json"
        ):
            raise BadInput(
                f"{source.name} is a JSON file without prompts. Choose the files that hold them: "
                "CSV with a header, or JSONL with one object a line."
            )
        own_id = f"{stem}-{prompt_collector.records + 1}"
        prompt_collector.read(number, text, prompt_of_line, text, own_id, stem, lookup, unused)
    return _unused("Keys", unused)


def _describes(line: str, is_json: bool) -> bool:
    """Whether a file's first line begins one JSON object over several lines, or of a file called
    ``.json`` is an object that has no prompt: a description, such as the ``manifest.json`` beside
    the published files."""
    if not line.lstrip().startswith("{"):
        return False
    try:
        content = json.loads(line)
    except RecursionError:
        return False
    except ValueError:
        return line.rstrip().endswith(("{", "["))
    return (
        is_json and isinstance(content, dict) and not {"text", "prompt", "targets"} & set(content)
    )


def _unused(label: str, names: set[str]) -> list[str]:
    if not names:
        return []
    first = ", ".join(excerpt(name) for name in sorted(names)[:20])
    return [f"{label} that were not used: {first}{' …' if len(names) > 20 else ''}."]


def _read_table(
    source: TextSource,
    prompt_collector: PromptCollector,
    lookup: Lookup,
    system: str | None,
    must_be_published: bool,
) -> tuple[str, list[str]]:
    """Reads a CSV into the shelf; returns its kind and notes."""
    delimiter = _delimiter(source)
    columns, _ = _header(source, delimiter)
    published_layout, notes = _published(source, delimiter, columns, system, must_be_published)
    if published_layout is None:
        notes = _check_columns(source.name, columns)
    stem = _stem(source)
    for record in _rows(source, delimiter):
        if not record.fields and not record.why:
            prompt_collector.blank_lines += 1
            continue
        why = record.why or _field_count(record, columns)
        if why:
            prompt_collector.refuse(record.line, record.raw, why)
            continue
        values = dict(zip(columns, record.fields, strict=True))
        location = record.line, record.raw
        if published_layout:
            prompt_collector.read(*location, mini.prompt_of_row, values, published_layout, lookup)
        else:
            own_id = f"{stem}-{prompt_collector.records + 1}"
            prompt_collector.read(*location, prompt_of, values, own_id, stem, lookup)
    return "published" if published_layout else "csv", notes


def _published(
    source: TextSource,
    delimiter: str,
    columns: list[str],
    system: str | None,
    must_be: bool,
) -> tuple[mini.Published | None, list[str]]:
    """Which published file a table is, by its name, or by its columns and colors."""
    published_layout = mini.named(source.name)
    if published_layout and (must_be or "text" not in columns):
        published_layout = mini.Published(
            published_layout.layout, system or published_layout.system
        )
        return published_layout, mini.check_columns(published_layout, columns, source.name)
    layout = mini.layout_of(columns)
    if layout is None:
        if must_be:
            layouts = "; ".join(f"{key}: {','.join(names)}" for key, names in mini.LAYOUTS.items())
            raise BadInput(
                f"{source.name} has the columns of no published file. Found: "
                f"{_list(columns)}. The published ones are: {layouts}."
            )
        return None, []
    unused = mini.unused_columns(layout, columns)
    if system:
        return mini.Published(layout, system), unused
    sound = (
        dict(zip(columns, record.fields, strict=True))
        for record in _rows(source, delimiter)
        if len(record.fields) == len(columns)
    )
    by_colors, notes = mini.system_by_colors(sound, layout)
    if by_colors:
        return mini.Published(layout, by_colors), notes + unused
    if must_be or not set(columns) <= COLUMNS:
        raise BadInput(
            f"{source.name} has the columns of a published {layout} file, but no color system has "
            f"all of its colors. Name the system, or call the file {layout}_l2.csv or the like."
        )
    return None, []


def _field_count(record: Record, columns: list[str]) -> str:
    if len(record.fields) == len(columns):
        return ""
    few = "few" if len(record.fields) < len(columns) else "many"
    hint = "" if few == "few" else " A field that holds the separator stands in quotes."
    return f"Too {few} fields: {len(record.fields)}, where the header has {len(columns)}.{hint}"


def _rows(source: TextSource, delimiter: str) -> Iterator[Record]:
    """The records after the header, blank ones before it excluded."""
    _, line = _header(source, delimiter)
    return (record for record in records(source.lines(), delimiter) if record.line > line)


def _header(source: TextSource, delimiter: str) -> tuple[list[str], int]:
    """The names of the columns, and the line that they begin on."""
    for record in records(source.lines(), delimiter):
        if record.why:
            raise BadInput(f"The header of {source.name} cannot be read. {record.why}")
        if not record.fields or _separator(record.raw):
            continue
        columns = [_column(text) for text in record.fields]
        twice = sorted({name for name in columns if name and columns.count(name) > 1})
        if twice:
            raise BadInput(f"{source.name} has the column {_list(twice)} twice.")
        return columns, record.line
    raise BadInput(f"{source.name} has no header, only blank lines. {HEADER_HELP}")


def _check_columns(name: str, columns: list[str]) -> list[str]:
    if not {"text", "prompt"} & set(columns):
        raise BadInput(
            f"{name} has no column text (or prompt). Found: {_list(columns)}. {HEADER_HELP}"
        )
    return _unused("Columns", {column or "(no name)" for column in columns} - COLUMNS)


def _list(columns: list[str]) -> str:
    shown = ", ".join(excerpt(column) or "(no name)" for column in columns[:20])
    return f"{shown} …" if len(columns) > 20 else shown


def _column(text: str) -> str:
    return re.sub(r"[\s-]+", "_", text.strip().strip('"').casefold())


def _delimiter(source: TextSource) -> str:
    """The separator that makes the most known columns of the header; the comma at a draw."""
    first = ""
    for _, text, _ in source.lines():
        if _separator(text):
            return _separator(text)
        if text.strip():
            first = text
            break
    names = COLUMNS | set(chain.from_iterable(mini.LAYOUTS.values()))

    def fits(delimiter: str) -> tuple[int, int]:
        parts = [_column(part) for part in first.split(delimiter)]
        return sum(part in names for part in parts), len(parts)

    return max(DELIMITERS, key=fits)


def _separator(text: str) -> str:
    """The separator that a spreadsheet's first line ``sep=;`` names, or an empty string."""
    match = re.fullmatch(r"\s*\"?sep=([,;\t])\"?\s*", text)
    return match[1] if match else ""
