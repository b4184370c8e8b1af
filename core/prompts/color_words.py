"""How often captions name the colors of a system (GenColorBench, Figures 4 and 8 to 12)."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from truehue.core.color.systems import MODIFIERS as MODIFIER_GROUPS
from truehue.core.color.systems import modifiers_of, system
from truehue.core.errors import BadInput
from truehue.core.prompts.tables import css_spellings

COLUMNS = ("caption", "text", "prompt", "TEXT", "txt")
"""Names of a column of captions; ``TEXT`` is LAION's."""
BATCH_ROWS = 50_000


@dataclass(frozen=True)
class WordCounts:
    """Of ``captions`` captions ``naming`` name a color; ``counts`` are how many name each, by the
    name in the system, all of them, the most first."""

    captions: int
    naming: int
    counts: tuple[tuple[str, int], ...]


def count_color_words(captions: Iterable[str], system_id: str) -> WordCounts:
    """Counts whole words, in any case; hyphens are blanks, and grey is gray. The longest name
    counts: "vivid red" is not "red". A caption counts once for each color that it names.

    ``system_id`` is a color system's, or :data:`NUMERIC` (colors as numbers), or
    :data:`MODIFIERS` (light, dark, -ish or none of these in the level 3 names that it has)."""
    reader, listed = _READERS.get(system_id, _reader_of_names)(system_id)
    counts: Counter[str] = Counter()
    total = naming = 0
    for caption in captions:
        total += 1
        named = reader(caption)
        naming += bool(named)
        counts.update(named)
    every = [(name, counts[name]) for name in listed]
    return WordCounts(total, naming, tuple(sorted(every, key=lambda entry: (-entry[1], entry[0]))))


Reader = Callable[[str], set[str]]
"""A caption to what it names."""


def _reader_of_names(system_id: str) -> tuple[Reader, list[str]]:
    names = _names(system_id)
    longest = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b")

    def read(caption: str) -> set[str]:
        return {names[word] for word in pattern.findall(_plain(caption))}

    return read, list(dict.fromkeys(names.values()))


def _reader_of_numbers(_: str) -> tuple[Reader, list[str]]:
    def read(caption: str) -> set[str]:
        text = caption.lower()
        return {name for name, pattern in _NUMBERS.items() if pattern.search(text)}

    return read, list(_NUMBERS)


def _reader_of_modifiers(system_id: str) -> tuple[Reader, list[str]]:
    level_3, _ = _reader_of_names("l3")

    def read(caption: str) -> set[str]:
        return {modifier for name in level_3(caption) for modifier in modifiers_of(name)}

    return read, list(MODIFIER_GROUPS)


NUMERIC, MODIFIERS = "numeric", "modifiers"
_READERS = {NUMERIC: _reader_of_numbers, MODIFIERS: _reader_of_modifiers}
_BYTE = "0*(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})"
_NUMBERS = {
    # Of letters alone it is more often a hashtag: #facade, #decade. After & it is a character, after
    # a letter or / a part of a link.
    "hex": re.compile(r"(?<![&\w/])#(?:ffffff|(?=[a-f]*[0-9])[0-9a-f]{6})\b"),
    "rgb": re.compile(rf"\brgb\s*[(:]?\s*{_BYTE}\s*,\s*{_BYTE}\s*,\s*{_BYTE}\b"),
}


def _plain(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text.lower()).replace("grey", "gray")


def _names(system_id: str) -> dict[str, str]:
    """The system's names by how they are written; names of one spelling are one."""
    names: dict[str, str] = {}
    spellings = css_spellings() if system_id == "css" else {}
    for color in system(system_id).colors:
        for text in (color.name, spellings.get(color.name, color.name)):
            names.setdefault(_plain(text), color.name)
    return names


def read_captions(path: Path, column: str = "") -> Iterator[str]:
    """The captions of a Parquet, CSV or TSV file, or of a text file line by line; empty ones are
    left out. ``column`` is found by its usual names (:data:`COLUMNS`). Raises BadInput."""
    kind = path.suffix.lower()
    try:
        if kind == ".parquet":
            yield from _of_parquet(path, column)
            return
        with path.open(encoding="utf-8-sig", newline="") as file:
            if kind not in (".csv", ".tsv"):
                yield from (text for line in file if (text := line.strip()))
                return
            reader = csv.DictReader(file, delimiter="\t" if kind == ".tsv" else ",")
            name = _column(path, reader.fieldnames or (), column)
            yield from (text for row in reader if (text := row[name] or ""))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} cannot be read: {error}") from None


def _of_parquet(path: Path, column: str) -> Iterator[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            name = _column(path, file.schema_arrow.names, column)
            for batch in file.iter_batches(BATCH_ROWS, columns=[name]):
                yield from (str(text) for text in batch.column(0).to_pylist() if text)
    except pa.ArrowException as error:
        raise BadInput(f"{path} cannot be read as Parquet: {error!s:.200}") from None


def _column(path: Path, names: Iterable[str], wanted: str) -> str:
    known = list(names)
    found = [name for name in ((wanted,) if wanted else COLUMNS) if name in known]
    if not found:
        raise BadInput(
            f"{path.name} has no column {wanted or ' or '.join(COLUMNS)}. It has: "
            f"{', '.join(known)[:200]}. Name one with --column."
        )
    return found[0]
