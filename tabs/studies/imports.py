"""Import of a study's export: treated as untrusted, stored completely or not at all."""

from __future__ import annotations

import hashlib
import json
import re
import stat
import zipfile
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from truehue.core.errors import BadInput
from truehue.core.files import MAX_JSON_VALUES, is_damaged_zip, json_values
from truehue.core.sketches.records import Sketch
from truehue.core.study_copy import ParticipantCopy
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.colorings.exports import is_ours, read_sketches, sketches_named
from truehue.tabs.studies.copies import (
    DOCUMENT_FIELDS,
    SketchDocument,
    StudyDocument,
    document_of,
    person_of,
)
from truehue.tabs.studies.exports import CODEBOOK, PEOPLE_FILE, STUDY_FILE, VOTES_FILE
from truehue.tabs.studies.import_checks import CopyChecks, images_of
from truehue.tabs.studies.tables import COLORING_TABLES, QUESTION_TABLES, TABLES

MAX_ARCHIVE_BYTES = 1024 * 2**20
"""An export with the pictures of some thousands of colorings."""
_FILES = frozenset(
    {STUDY_FILE, PEOPLE_FILE, CODEBOOK, VOTES_FILE}
    | {
        f"tables/{table.name}.{ending}"
        for table in (*TABLES, *COLORING_TABLES, *QUESTION_TABLES)
        for ending in ("csv", "parquet")
    }
)
_PART_BYTES = 2**16
# What stands between the fields of an object of JSON; a field begins with its quotation mark.
_OPENING, _COMMA, _COLON, _CLOSING = map(
    re.compile, (r'\s*{\s*(?=")', r'\s*,\s*(?=")', r"\s*:\s*", r"\s*}\s*")
)


@dataclass(frozen=True)
class Limits:
    """How much an export may hold, unpacked: some thousands of participants with every event."""

    study_bytes: int = 64 * 2**20
    people_bytes: int = 4 * 2**30
    person_bytes: int = 8 * 2**20
    participants: int = 20_000


class ImportedRecord(TypedDict):
    """What an archive held."""

    id: str
    title: str
    state: str
    participants: int
    events: int


class ImportedStudy(TypedDict):
    """A study that was imported, and what it lacks."""

    study: ImportedRecord
    notes: list[str]


@requires("study")
def import_study(
    context: Context, actor: Actor, request: EmptyRequest, file: Path, name: str
) -> ImportedStudy:
    """Imports a study from its all.zip: closed, with its participants and all their answers."""
    shown = name or "the file"
    archive = read_archive(file, shown)
    copy = archive.document
    checks = CopyChecks(copy)
    _check_sketches(context, copy, shown)
    with context.storage.studies.incoming(copy, actor.id) as incoming:
        for person in archive.people():
            checks.check(person)
            incoming.add(person)
        checks.finish()
        for sketch, named in archive.sketches():
            context.storage.sketches.add(sketch, named.words, named.source, named.note, actor.id)
        study_id = incoming.store(f"Imported from {shown[:200]}.")
    study = context.storage.studies.get(study_id)
    wanted = images_of(copy)
    missing = len(wanted - context.storage.images.by_ids(wanted).keys())
    notes = []
    if missing:
        notes.append(
            f"{count_noun(missing, 'image')} of the study {'is' if missing == 1 else 'are'} not in "
            "this data folder. Results are complete, but these images and their rule scores "
            "cannot be shown."
        )
    return {
        "study": {
            "id": study.id,
            "title": study.title,
            "state": study.state,
            "participants": archive.document.participants,
            "events": archive.document.events,
        },
        "notes": notes,
    }


def _check_sketches(context: Context, copy: StudyDocument, shown: str) -> None:
    """Returns where every sketch is in the archive, or here already."""
    values = {sketch.id for sketch in copy.sketches}
    wanted = set(sketches_named(copy)) - values
    missing = sorted(wanted - context.storage.sketches.by_ids(wanted).keys())
    if missing:
        raise BadInput(
            f"{shown} lacks {len(missing):,} of the colored sketches, such as {missing[0]}: "
            "colorings cannot be shown. Import all.zip as it was exported."
        )


def read_archive(path: Path, shown: str, limits: Limits | None = None) -> ArchivedStudy:
    """The study of an archive; nothing but it and its sketches is opened, and that only so far as
    it may go.

    Raises BadInput for what is no export of a study, or damaged. What it says is not checked yet
    (:class:`truehue.tabs.studies.import_checks.CopyChecks`).
    """
    limits = limits or Limits()
    with _readable(shown), zipfile.ZipFile(path) as archive:
        entries = _entries(archive, shown)
        text = _whole(archive, entries[STUDY_FILE], limits.study_bytes, shown)
        document = document_of(_json(text, STUDY_FILE, DOCUMENT_FIELDS))
        if document.participants > limits.participants:
            raise BadInput(
                f"{shown} has {document.participants:,} participants; {limits.participants:,} are "
                "the most that an import takes."
            )
        _check_people(archive, entries[PEOPLE_FILE], document, limits, shown)
        for _ in read_sketches(archive, document.sketches, shown):
            pass
    return ArchivedStudy(path, shown, document, limits)


@dataclass(frozen=True)
class ArchivedStudy:
    """An archive that was looked through: its bytes are those that were exported, and its sketches
    can be read. It is read again for what is in it, so that nothing of it is held in memory."""

    path: Path
    shown: str
    document: StudyDocument
    limits: Limits

    def people(self) -> Iterator[ParticipantCopy]:
        """The participants, one by one. Raises BadInput for a line that is none, and after the last
        one where they have not as many events as they should."""
        events = 0
        with (
            _readable(self.shown),
            zipfile.ZipFile(self.path) as archive,
            archive.open(PEOPLE_FILE) as file,
        ):
            for number in range(1, self.document.participants + 1):
                line = file.readline(self.limits.person_bytes + 1)
                if len(line) > self.limits.person_bytes:
                    limit = self.limits.person_bytes // 2**20
                    raise BadInput(
                        f"Line {number} of {PEOPLE_FILE} is larger than {limit} MB: too large."
                    )
                location = f"line {number} of {PEOPLE_FILE}"
                _refuse_many(json_values(line), location)
                person = person_of(_json(line, location), number)
                events += len(person.events)
                yield person
        if events != self.document.events:
            raise BadInput(
                f"{self.shown} has another number of events than it says. Export it again."
            )

    def sketches(self) -> Iterator[tuple[Sketch, SketchDocument]]:
        """The sketches, one by one. Raises BadInput."""
        with _readable(self.shown), zipfile.ZipFile(self.path) as archive:
            yield from read_sketches(archive, self.document.sketches, self.shown)


def _entries(archive: zipfile.ZipFile, shown: str) -> dict[str, zipfile.ZipInfo]:
    """The entries by name; all are ours, or the archive is refused."""
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.orig_filename
        if name not in _FILES and not is_ours(name):
            raise BadInput(
                f"{shown} holds {name[:80]!r}, which no export of a study has. Import the file "
                "all.zip as it was exported."
            )
        if name in entries:
            raise BadInput(f"{shown} holds {name} twice.")
        if stat.S_ISLNK(info.external_attr >> 16) or info.flag_bits & 1:
            raise BadInput(f"{shown} holds a link or a locked file: {name}.")
        entries[name] = info
    for name in (STUDY_FILE, PEOPLE_FILE):
        if name not in entries:
            raise BadInput(
                f"{shown} has no {name}: it is not the export of a whole study. Import all.zip."
            )
    return entries


def _whole(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, max_bytes: int, shown: str) -> bytes:
    # What an entry says of its own size is not believed: bytes and values are counted as they come.
    data, values = bytearray(), 0
    with archive.open(entry) as file:
        while part := file.read(_PART_BYTES):
            data += part
            values += json_values(part)
            _refuse_many(values, f"{entry.filename} in {shown}")
            if len(data) > max_bytes:
                raise _too_large(entry, max_bytes, shown)
    return bytes(data)


def _refuse_many(values: int, location: str) -> None:
    """Refuses more values of JSON than an import takes, before they are parsed."""
    if values > MAX_JSON_VALUES:
        raise BadInput(f"{location} has more than {MAX_JSON_VALUES:,} values: too many.")


def _too_large(entry: zipfile.ZipInfo, max_bytes: int, shown: str) -> BadInput:
    return BadInput(
        f"{entry.filename} in {shown} is larger than {max_bytes // 2**20} MB: too large."
    )


def _check_people(
    archive: zipfile.ZipFile,
    entry: zipfile.ZipInfo,
    document: StudyDocument,
    limits: Limits,
    shown: str,
) -> None:
    """Returns where the participants' file is the one that was exported, and not too large."""
    sha256, size, lines, last = hashlib.sha256(), 0, 0, b""
    with archive.open(entry) as file:
        while part := file.read(_PART_BYTES):
            size += len(part)
            if size > limits.people_bytes:
                raise _too_large(entry, limits.people_bytes, shown)
            sha256.update(part)
            lines += part.count(b"\n")
            last = part
    lines += bool(last) and not last.endswith(b"\n")
    if sha256.hexdigest() != document.people_sha256:
        raise BadInput(
            f"{PEOPLE_FILE} in {shown} is not the one that was exported. Copy or export it again."
        )
    if lines != document.participants:
        raise BadInput(
            f"{shown} says that it has {count_noun(document.participants, 'participant')}, and has "
            f"{lines:,}."
        )


def _json(text: bytes, location: str, fields: Set[str] | None = None) -> Any:
    """The JSON of a text; of an object with ``fields`` no other is parsed. Raises BadInput."""

    def refused(word: str) -> float:
        raise ValueError(f"{word} is no number")

    try:
        if fields is None:
            content = json.loads(text, parse_constant=refused)
        else:
            decoder = json.JSONDecoder(parse_constant=refused)
            content = _fields(text.decode(), decoder, fields, location)
        if rb"\ud" in text.lower():
            # Half a character is JSON, but no text that could be stored.
            json.dumps(content, ensure_ascii=False).encode()
    except BadInput:
        raise
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{location} is no JSON that can be read: {str(error)[:200]}.") from None
    return content


def _fields(text: str, decoder: json.JSONDecoder, known: Set[str], location: str) -> dict[str, Any]:
    """The object that is the whole text, field by field: an unknown one is refused before its value
    is parsed. Raises BadInput, and ValueError for what is no object."""
    content: dict[str, Any] = {}
    before, end = _OPENING, 0
    while (begins := before.match(text, end)) is not None:
        name, end = decoder.raw_decode(text, begins.end())
        if name not in known or name in content:
            again = " twice" if name in content else ""
            raise BadInput(f"{location} cannot be read: it has {name[:80]!r}{again}.")
        colon = _COLON.match(text, end)
        if colon is None:
            raise ValueError(f"a colon is missing at character {end}")
        content[name], end = decoder.raw_decode(text, colon.end())
        before = _COMMA
    if _CLOSING.fullmatch(text, end) is None:
        raise ValueError(f"it is no object, or does not go on at character {end}")
    return content


@contextmanager
def _readable(shown: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        damaged = is_damaged_zip(error) or isinstance(error, ValueError)
        if isinstance(error, BadInput) or not damaged:
            raise
        raise BadInput(
            f"{shown} is no archive that can be read ({str(error)[:200]}). Copy or export it again."
        ) from error
