"""Question sets from tables: CSV, TSV, JSONL and Parquet, with VLMEvalKit's columns.

The columns are ``index``, ``question``, ``A``, ``B``, … (or a list ``choices``), ``answer``,
``image`` (base64) or ``image_path`` (from the table's folder), ``category``, ``hint`` and
``prompt``; only question, answer and an image are needed. An ``image`` of at most 64 characters is
the index of the row that has the image, as in VLMEvalKit. Every row is checked before the first is
returned; an invalid row is left out, with its reason.
"""

from __future__ import annotations

import base64
import binascii
import csv
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput, ImageError
from truehue.core.images.load import image_id, load_image
from truehue.core.vlm.published import PublishedSet, SkippedRow, hub_revision, read_published
from truehue.core.vlm.records import LETTERS, Form, IllustratedQuestion, Question
from truehue.core.vlm.tasks import Category, task_named
from truehue.core.vlm.wording import same

SUFFIXES = {".csv": ",", ".tsv": "\t", ".jsonl": ""}
"""The separator of a table's cells by the file's ending; none for JSON lines."""
PARQUET = ".parquet"
_ROWS_AT_ONCE = 16
DEFAULT_TASK = "questions"
MAX_REFERENCE = 64
"""Characters of an ``image`` that names another row; no image is so short."""
_NAMES = {
    "index": ("index", "idx", "id", "question_id"),
    "question": ("question", "text"),
    "answer": ("answer",),
    "image": ("image",),
    "image_path": ("image_path", "img_path", "path"),
    "category": ("task", "category", "l2-category"),
    "hint": ("hint",),
    "prompt": ("prompt",),
    "choices": ("choices", "options"),
}


@dataclass(frozen=True)
class TableRow:
    """One row without its pixels: ``question`` has no ``image_id`` yet. ``image`` is the path of
    its image, or the index of the row that has it; both empty where the row has it itself."""

    where: str
    index: str
    question: Question
    image_path: str
    image_of: str


@dataclass(frozen=True)
class QuestionTable:
    """What was read of a table. ``counts`` are by task; ``skipped`` are the rows left out."""

    path: Path
    rows: tuple[TableRow, ...]
    counts: Mapping[str, int]
    skipped: tuple[SkippedRow, ...]
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Of the set: that of the file."""
        return self.path.stem

    def illustrated(
        self, skip: Callable[[SkippedRow], None] | None = None
    ) -> Iterator[IllustratedQuestion]:
        """All questions with their images, in order, one image at a time. Where an image cannot be
        read, ``skip`` gets the row; without ``skip`` ImageError is raised."""
        rows = {row.where: row for row in self.rows}
        shared = self._shared_images()
        for raw in _raw_rows(self.path):
            row = rows.get(raw["where"])
            if row is None:
                continue
            try:
                content = self._content(row, raw, shared)
                srgb8 = load_image(content, row.index).srgb8
            except ImageError as error:
                if skip is None:
                    raise ImageError(f"{row.where}: {error}") from error
                skip(SkippedRow(row.where, str(error)))
                continue
            question = row.question
            fields = {**vars(question), "image_id": image_id(srgb8)}
            yield IllustratedQuestion(Question(**fields), srgb8)

    def settings(self) -> dict[str, Any]:
        """What a set says of its import. Its list ``skipped`` takes the rows whose image cannot be
        read, which is known only while the set is written."""
        with self.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {
            "source": self.path.name,
            "files": [self.path.name],
            "file_sha256": digest,
            "revision": hub_revision((self.path,)),
            "skipped": [str(row) for row in self.skipped],
        }

    def _shared_images(self) -> dict[str, str]:
        """The images that other rows name, as base64, by the index of the row that has them."""
        wanted = {row.image_of for row in self.rows if row.image_of}
        if not wanted:
            return {}
        found = {}
        for raw in _raw_rows(self.path):
            index, image = _index(raw), _cell(raw, "image")
            if index in wanted and len(image) > MAX_REFERENCE:
                found[index] = image
        return found

    def _content(
        self, row: TableRow, raw: Mapping[str, Any], shared: Mapping[str, str]
    ) -> bytes | Path:
        if row.image_path:
            path = self.path.parent / row.image_path
            if not path.resolve().is_relative_to(self.path.parent.resolve()):
                raise ImageError(f"the image {row.image_path} lies outside of the table's folder.")
            if not path.is_file():
                raise ImageError(f"there is no image {row.image_path}.")
            return path
        if row.image_of and row.image_of not in shared:
            raise ImageError(f"no row of index {row.image_of} has an image.")
        text = shared[row.image_of] if row.image_of else _cell(raw, "image")
        try:
            return base64.b64decode(text.rpartition(",")[2], validate=True)
        except binascii.Error:
            raise ImageError("its image is no base64.") from None


def is_table(path: Path) -> bool:
    """Whether a file's ending is that of a table."""
    return path.suffix.lower() in SUFFIXES


def read_table(path: Path, strict: bool = False) -> QuestionTable:
    """The questions of a table. Rows that cannot be questions are left out and named.

    Raises BadInput where the file cannot be read, a column is missing, no row is a question, or,
    where it is ``strict``, one row is none.
    """
    rows: list[TableRow] = []
    skipped: list[SkippedRow] = []
    positions: dict[str, str] = {}
    for raw in _raw_rows(path):
        try:
            row = _row(raw, path.stem)
            if row.index in positions:
                raise BadInput(f"index {row.index} is that of {positions[row.index]} too.")
        except BadInput as error:
            skipped.append(SkippedRow(raw["where"], str(error)))
            continue
        positions[row.index] = row.where
        rows.append(row)
    if skipped and (strict or not rows):
        more = f" {len(skipped) - 1:,} more rows are no questions." if len(skipped) > 1 else ""
        raise BadInput(f"{skipped[0]}{more}")
    if not rows:
        raise BadInput(f"{path} has no rows.")
    counts = Counter(row.question.task for row in rows)
    return QuestionTable(path, tuple(rows), dict(counts), tuple(skipped))


def _raw_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows as they are, by column names in lower case but for letters, with ``where``."""
    try:
        rows = _parquet_rows(path) if path.suffix.lower() == PARQUET else _text_rows(path)
        for number, raw in enumerate(rows, 1):
            if number == 1:
                _check_columns(path, raw)
            yield {**raw, "where": f"{path.name}, row {number}", "row_number": number}
    except UnicodeDecodeError as error:
        raise BadInput(f"{path.name} is no UTF-8 text. Save it as UTF-8.") from error
    except (csv.Error, ValueError) as error:
        raise BadInput(f"{path.name} cannot be read: {error}") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error


def _text_rows(path: Path) -> Iterator[dict[str, Any]]:
    separator = SUFFIXES[path.suffix.lower()]
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from _sheet_rows(file, separator) if separator else _json_rows(file)


def _parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    """An image is as the hub has it, bytes with a path, or as in other tables."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS_AT_ONCE):
            for raw in batch.to_pylist():
                row = {_column(name): _text_of(value) for name, value in raw.items()}
                if isinstance(image := row.get("image"), dict):
                    # Without its bytes it is a file beside the table.
                    row["image"] = ""
                    if image.get("path"):
                        row["image_path"] = image["path"]
                yield row


def _text_of(value: Any) -> Any:
    """Bytes as base64; all else as it is."""
    content = value.get("bytes") if isinstance(value, dict) else value
    return base64.b64encode(content).decode() if isinstance(content, bytes) else value


def _sheet_rows(file: Any, separator: str) -> Iterator[dict[str, Any]]:
    # Cells hold images. The limit is the process's, and of two imports one must not lower it again.
    csv.field_size_limit(sys.maxsize)
    for raw in csv.DictReader(file, delimiter=separator):
        yield {_column(name): cell or "" for name, cell in raw.items() if name}


def _json_rows(file: Any) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        raw = json.loads(line)
        if not isinstance(raw, dict):
            raise ValueError(f"line {number} is no JSON object")
        yield {_column(name): value for name, value in raw.items()}


def _column(name: str) -> str:
    """A column's name; letters are choices, all else has no case."""
    text = name.strip()
    return text if len(text) == 1 and text in LETTERS else text.lower()


def _check_columns(path: Path, raw: Mapping[str, Any]) -> None:
    for needed in ("question", "answer"):
        if not any(name in raw for name in _NAMES[needed]):
            raise BadInput(f"{path.name} has no column {needed}.")
    if not any(name in raw for key in ("image", "image_path") for name in _NAMES[key]):
        raise BadInput(f"{path.name} has no column image (base64) or image_path.")


def _cell(raw: Mapping[str, Any], key: str) -> str:
    """A cell's text; empty where there is none."""
    for name in _NAMES[key]:
        value = raw.get(name)
        if value is not None and str(value).strip():
            return str(value).strip()
    return ""


def _index(raw: Mapping[str, Any]) -> str:
    """A row's own index, else its number."""
    return _cell(raw, "index") or str(raw["row_number"])


def _row(raw: Mapping[str, Any], name: str) -> TableRow:
    """Raises BadInput for what cannot be a question."""
    text, answer = _cell(raw, "question"), _cell(raw, "answer")
    for label, cell in (("question", text), ("answer", answer)):
        if not cell:
            raise BadInput(f"{label} is empty.")
    index = _index(raw)
    image_path, image = _cell(raw, "image_path"), _cell(raw, "image")
    if not image_path and not image:
        raise BadInput("it has neither image nor image_path.")
    if image_path.startswith("["):
        raise BadInput("it has several images.")
    choices = _choices(raw)
    form, answer = _answer(answer, choices)
    hint, prompt = _cell(raw, "hint"), _cell(raw, "prompt")
    construction = {"source": name, "index": index, **({"prompt": prompt} if prompt else {})}
    question = Question(
        question_id=f"{name}-{index}",
        task=_task(_cell(raw, "category")),
        form=form,
        text=f"{hint}\n{text}" if hint else text,
        choices=choices,
        answer=answer,
        image_id="",
        construction=construction,
    )
    is_reference = not image_path and len(image) <= MAX_REFERENCE
    return TableRow(raw["where"], index, question, image_path, image if is_reference else "")


def _choices(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """Of the columns A, B, …, or of the list ``choices``; empty ones at the end are left out."""
    listed = next((raw[name] for name in _NAMES["choices"] if raw.get(name)), None)
    if isinstance(listed, str):
        try:
            listed = json.loads(listed)
        except ValueError:
            raise BadInput(f"choices are {listed!r:.80}, which is no JSON list.") from None
    if listed is None:
        listed = ["" if raw[letter] is None else raw[letter] for letter in LETTERS if letter in raw]
    if not isinstance(listed, list):
        raise BadInput(f"choices are {listed!r:.80}, which is no list.")
    choices = [str(choice).strip() for choice in listed]
    while choices and not choices[-1]:
        choices.pop()
    if not all(choices):
        raise BadInput(f"choice {LETTERS[choices.index('')]} is empty, and a later one is not.")
    if len(choices) == 1 or len(choices) > len(LETTERS):
        raise BadInput(f"it has {len(choices)} choices.")
    return tuple(choices)


def _answer(text: str, choices: tuple[str, ...]) -> tuple[Form, str]:
    """The form, and the answer in that form."""
    if not choices:
        plain = text.casefold().rstrip(".")
        return (Form.BINARY, plain) if plain in ("yes", "no") else (Form.OPEN, text)
    letters = LETTERS[: len(choices)]
    match = re.fullmatch(r"\(?\s*([A-Za-z])\s*[).]?", text)
    if match and match[1].upper() in letters:
        return Form.CHOICE, match[1].upper()
    alike = [letter for letter, choice in zip(letters, choices, strict=True) if same(choice, text)]
    if len(alike) != 1:
        raise BadInput(f"the answer is {text!r:.80}, which is none of its choices {letters}.")
    return Form.CHOICE, alike[0]


def _task(category: str) -> str:
    """ColorBench's task of that name, else the category itself as an id."""
    known = task_named(category)
    if known is not None:
        return known.id
    return re.sub(r"\W+", "_", category.casefold()).strip("_") or DEFAULT_TASK


def read_import(source: Path, strict: bool = False) -> PublishedSet | QuestionTable:
    """The questions of a table, or of ColorBench's Parquet files. Raises BadInput as both do."""
    if is_table(source) or _is_other_parquet(source):
        return read_table(source, strict)
    return read_published(source, strict)


def _is_other_parquet(path: Path) -> bool:
    """Whether it is a Parquet file of other questions than ColorBench's, whose columns CV-Bench has
    too: by the task of its first row."""
    if path.suffix.lower() != PARQUET or not path.is_file():
        return False
    try:
        first = next(_parquet_rows(path), {})
    except (OSError, ValueError):
        return False
    robust = str(first.get("type", "")).strip().lower() == Category.ROBUSTNESS.value.lower()
    return "question" in first and not robust and task_named(str(first.get("task", ""))) is None
