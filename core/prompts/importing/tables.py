"""Comma, semicolon and tab separated records, so that one broken record costs only itself."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from truehue.core.prompts.importing.report import MAX_LINE_CHARACTERS

DELIMITERS = (",", ";", "\t")
MAX_RECORD_LINES = 1_000

OPEN_QUOTE = 'A quotation mark is not closed correctly. Inside quotes a " is written "".'
NUL = "The line has a NUL byte in it."


class _TooWide(Exception):
    """A field in quotes is longer than the csv module reads."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record: the line that it begins on, its fields, and its text as it stood.

    ``fields`` is empty where the record cannot be read; ``why`` then says so. A blank line has
    neither.
    """

    line: int
    raw: str
    fields: tuple[str, ...] = ()
    why: str = ""


def too_long(length: int) -> str:
    """The sentence for a line of ``length`` characters that is above the limit."""
    return f"The line has {length:,} characters; it may have at most {MAX_LINE_CHARACTERS:,}."


def records(lines: Iterable[tuple[int, str, int]], delimiter: str) -> Iterator[Record]:
    """The records of a table, quoted as RFC 4180 has it; a quoted field may span lines.

    Where a quotation mark does not close, only the line that it stands on is given up and reading
    goes on with the next: otherwise one stray mark would swallow the rest of the file. Blanks
    before a field are dropped unless they are quoted.
    """
    waiting: deque[tuple[int, str, int]] = deque()
    source = iter(lines)
    while True:
        line = waiting.popleft() if waiting else next(source, None)
        if line is None:
            return
        number, text, length = line
        if length > MAX_LINE_CHARACTERS:
            yield Record(number, text, why=too_long(length))
        elif "\0" in text:
            yield Record(number, text, why=NUL)
        elif '"' not in text:
            fields = tuple(part.lstrip(" ") for part in _unended(text).split(delimiter))
            yield Record(number, text, fields if any(part.strip() for part in fields) else ())
        else:
            yield _quoted(line, source, waiting, delimiter)


def _quoted(
    first: tuple[int, str, int],
    source: Iterator[tuple[int, str, int]],
    waiting: deque[tuple[int, str, int]],
    delimiter: str,
) -> Record:
    """The record that begins with ``first``; lines that turn out not to be its own go back."""
    number, text, _ = first
    used: list[tuple[int, str, int]] = []
    try:
        fields = _parsed(text, delimiter)
    except _TooWide:
        why = f"A field has more than {csv.field_size_limit():,} characters."
        return Record(number, text, why=why)
    while fields == []:
        line = waiting.popleft() if waiting else next(source, None)
        if line is None:
            fields = None
            break
        used.append(line)
        _, more, length = line
        size = len(text) + length
        if "\0" in more or size > MAX_LINE_CHARACTERS or len(used) >= MAX_RECORD_LINES:
            fields = None
            break
        text += more
        if '"' in more:
            try:
                fields = _parsed(text, delimiter)
            except _TooWide:  # over several lines that is surely a mark that was not closed
                fields = None
    if fields is None:
        waiting.extendleft(reversed(used))
        return Record(number, first[1], why=OPEN_QUOTE)
    return Record(number, text, tuple(fields))


def _parsed(text: str, delimiter: str) -> list[str] | None:
    """The fields; an empty list where a quote is still open; None where it closes wrongly.

    Raises _TooWide.
    """
    reader = csv.reader([text], delimiter=delimiter, strict=True, skipinitialspace=True)
    try:
        return next(reader)
    except csv.Error as error:
        if "field larger than field limit" in str(error):
            raise _TooWide from error
        return [] if "unexpected end of data" in str(error) else None
    except StopIteration:
        return None


def _unended(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")
