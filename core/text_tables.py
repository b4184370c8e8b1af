"""Text files in any encoding, their lines and table records, in bounded memory."""

from __future__ import annotations

import codecs
import csv
import io
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from truehue.core.errors import BadInput

MAX_FILE_BYTES = 256 * 2**20
MAX_LINES = 5_000_000
MAX_LINE_CHARACTERS = 250_000
"""A prompt of the longest kind, every character of it written as a JSON escape, fits twice."""
EXCERPT_CHARACTERS = 120

_CHUNK = 2**20
# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3", "an SQLite database"),
)
ADVICE = "Save the prompts as UTF-8 text, CSV or JSONL."
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\x1a\x1b\x00")
_UNDEFINED_1252 = b"\x81\x8d\x8f\x90\x9d"


@dataclass
class TextSource:
    """A file of text: its name, what it is encoded in, and notes about that.

    ``advice`` ends the messages about what is not text.
    """

    name: str
    stream: BinaryIO
    encoding: str
    notes: list[str] = field(default_factory=list)
    advice: str = ADVICE

    def lines(self) -> Iterator[tuple[int, str, int]]:
        """Number (from 1), text with its line end, and length in characters without it.

        The text of a line above ``MAX_LINE_CHARACTERS`` is only its beginning. A line ends at a
        line feed, a carriage return or both. May be asked for again.
        """
        self.stream.seek(0)
        text = io.TextIOWrapper(self.stream, self.encoding, "strict", newline="")
        try:
            for line in _numbered(text):
                if line[0] > MAX_LINES:
                    raise BadInput(f"{self.name} has more than {MAX_LINES:,} lines. Split it.")
                yield line
        except UnicodeDecodeError as error:
            title = self.encoding.upper().removesuffix("-SIG")
            raise BadInput(
                f"{self.name} is not the {title} that its first bytes say: {error.reason}. "
                f"{self.advice}"
            ) from error
        finally:
            text.detach()


def _numbered(text: io.TextIOWrapper) -> Iterator[tuple[int, str, int]]:
    limit = MAX_LINE_CHARACTERS + 2
    number, piece = 0, text.readline(limit)
    while piece:
        number += 1
        following = None
        length = len(piece)
        if length == limit and not piece.endswith("\n"):
            last = piece
            while True:
                rest = text.readline(limit)
                # A carriage return at the very end of a piece may have its line feed in the next.
                if not rest or (last.endswith("\r") and rest != "\n"):
                    following = rest
                    break
                length += len(rest)
                last = rest
                if rest.endswith("\n") or (rest.endswith("\r") and len(rest) < limit):
                    break
        elif piece.endswith("\r\n"):
            length -= 2
        elif piece.endswith(("\n", "\r")):
            length -= 1
        yield number, piece, length
        piece = text.readline(limit) if following is None else following


@contextmanager
def open_text(
    file: Path | str | bytes | bytearray | memoryview, name: str, advice: str = ADVICE
) -> Iterator[TextSource]:
    """Opens a file, or its bytes, and finds out its encoding by reading all of it once.

    UTF-8, and UTF-16 and UTF-32 with a byte order mark, are read as they are; anything else that
    is text as Windows-1252 (or Latin-1), with a note. Raises BadInput for what is no file, is
    empty, above ``MAX_FILE_BYTES`` or not text; ``advice`` ends that message.
    """
    if isinstance(file, bytes | bytearray | memoryview):
        with io.BytesIO(file) as stream:
            yield _recognized(stream, name, len(stream.getbuffer()), advice)
        return
    path = Path(file)
    if path.is_dir():
        raise BadInput(f"{name} is a folder. Choose the file with the prompts in it.")
    if not path.is_file():
        raise BadInput(f"There is no file {name}.")
    try:
        opened = path.open("rb")
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error.strerror}.") from error
    with opened as stream:
        yield _recognized(stream, name, path.stat().st_size, advice)


def _recognized(stream: BinaryIO, name: str, size: int, advice: str) -> TextSource:
    if size == 0:
        raise BadInput(f"{name} is empty.")
    if size > MAX_FILE_BYTES:
        raise BadInput(
            f"{name} has {size / 2**20:,.0f} MB; a file of prompts may have at most "
            f"{MAX_FILE_BYTES // 2**20} MB. Split it."
        )
    start = stream.read(4096)
    for mark, encoding in _MARKS:
        if start.startswith(mark):
            return TextSource(name, stream, encoding, advice=advice)
    for magic, label in _BINARY:
        if start.startswith(magic):
            raise BadInput(f"{name} is {label}, not text. {advice}")
    return _guessed(stream, name, size, advice)


def _guessed(stream: BinaryIO, name: str, size: int, advice: str) -> TextSource:
    """The encoding of a file without a mark."""
    stream.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    nuls = controls = undefined = lines = 0
    bad_line = 0
    while chunk := stream.read(_CHUNK):
        nuls += chunk.count(0)
        controls += len(chunk) - len(chunk.translate(None, _CONTROLS))
        undefined += len(chunk) - len(chunk.translate(None, _UNDEFINED_1252))
        if not bad_line:
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                bad_line = lines + error.object[: error.start].count(b"\n") + 1
        lines += chunk.count(b"\n")
    if not bad_line:
        try:
            decoder.decode(b"", True)
        except UnicodeDecodeError:
            bad_line = lines + 1
    if nuls > size / 10:
        raise BadInput(
            f"{name} looks like UTF-16 without a byte order mark, or is not text. {advice}"
        )
    if (bad_line and nuls) or controls > size / 20:
        raise BadInput(f"{name} is not text: it holds bytes that are not text. {advice}")
    if not bad_line:
        return TextSource(name, stream, "utf-8", advice=advice)
    encoding, title = ("latin-1", "Latin-1") if undefined else ("cp1252", "Windows-1252")
    return TextSource(
        name,
        stream,
        encoding,
        [
            f"The file is not UTF-8 (line {bad_line:,} is the first that is not) and was read as "
            f"{title}: check letters with accents, or save it as UTF-8."
        ],
        advice,
    )


def excerpt(text: str) -> str:
    """The beginning of a text on one line of at most 120 characters, fit to be shown."""
    start = "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape", "replace").decode("ascii")
        for sign in text.rstrip()[: EXCERPT_CHARACTERS + 1]
    )
    return start if len(start) <= EXCERPT_CHARACTERS else start[: EXCERPT_CHARACTERS - 1] + "…"


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
