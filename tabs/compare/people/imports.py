"""Import of a file of distributions: read, reported, and stored after confirmation.

The file waits in the staging folder of its page. Reading it again with other options costs less
than caching the result, and the stored distributions are read from the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from pydantic import Field

from truehue.core.concepts.matching import similar
from truehue.core.concepts.reading import AS_58, RATINGS, SHARES, read_distributions
from truehue.core.concepts.reading.collector import NORMALIZED
from truehue.core.concepts.records import KINDS, DistributionFile
from truehue.core.errors import BadInput
from truehue.tabs.compare.people.messages import ConceptWords, concept_json, normalize_concept
from truehue.tabs.compare.people.sets import (
    MAX_NAME,
    ConceptStrip,
    CoverageCount,
    coverage,
    strips,
)
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest, Session, read_as
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import Done

SHOWN = 100
MAX_SOURCE = 1000
PREVIEWED = 6
_NAMED = 5
WORDS = "words"
OFFERS: Mapping[str, str] = {
    RATINGS: "These are ratings: normalize them",
    SHARES: "These are counts or percent: divide them by their sum",
    AS_58: "These are UW-58: import them",
    WORDS: "Read it as this concept",
}
"""What a refused file can be read as, by the ``offer`` of the reader's error."""

_NUMBERS = "What are these numbers?"
QUESTIONS: Mapping[str, str] = {
    RATINGS: _NUMBERS,
    SHARES: _NUMBERS,
    AS_58: "Are these the 58 colors of UW-58?",
    WORDS: "Which concept is this?",
}
"""What the reader has to know before it can read a file, by the same."""

_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    RATINGS: {"normalize": RATINGS},
    SHARES: {"normalize": SHARES},
    AS_58: {"as_58": True},
}


class UploadedDistributions(PageRequest):
    """The file that a page has sent."""

    session: Session


class ReadFile(UploadedDistributions):
    """How the waiting file is to be read: ``words`` name the concept of a file that names none."""

    words: str = Field("", title="A concept")
    normalize: bool | Literal["ratings", "shares"] = Field(
        False, title="What numbers are normalized as"
    )
    as_58: bool = False


class StoreDistributionsRequest(ReadFile):
    """How the set is called that the file becomes, and whose it is."""

    name: str = Field("", title="A name")
    source: str = Field("", max_length=MAX_SOURCE, title="Source")
    of_people: bool = False


class ReadingButton(TypedDict):
    """A way to read a file, with the ``options`` to read with."""

    offer: str
    text: str
    options: Mapping[str, Any]


class UnknownConcept(TypedDict):
    """Words that are no concept, and similar ones that are."""

    words: str
    similar: list[str]


class DistributionReport(TypedDict, total=False):
    """What a file holds; ``question`` and ``offer`` say what may help where it cannot be read."""

    kind: str
    kind_words: str
    rows: int
    sets: int
    buttons: list[ReadingButton]
    concepts: int
    contributors: int
    people: int
    coverage: list[CoverageCount]
    notes: list[str]
    unknown: list[UnknownConcept]
    unknown_total: int
    problems: list[str]
    problems_total: int
    first: list[ConceptStrip]
    offer: str
    question: str
    button: str


class FileReport(DistributionReport):
    """The same of a waiting file; ``refused`` says why one cannot be read so."""

    file: str
    refused: str


class StoredDistributions(ConceptWords):
    """A set that a file became; ``known`` where it was stored before."""

    set_id: str
    source: str
    known: bool
    kind: str
    name: str


class StoredFile(StoredDistributions):
    """All sets that a file became, and its first one; ``said`` tells which are not of people."""

    sets: list[StoredDistributions]
    said: str


@requires("add")
def stage(
    context: Context, actor: Actor, request: UploadedDistributions, file: Path, name: str
) -> FileReport:
    """Holds the file for its page, in place of the previous one, and returns its report."""
    context.staging.clear(request.session)
    context.staging.take(request.session, name or "distributions.csv", file)
    return look(context, actor, read_as(ReadFile, {"session": request.session}))


@requires("add")
def forget(context: Context, actor: Actor, request: UploadedDistributions) -> Done:
    """Discards the files of a page."""
    context.staging.clear(request.session)
    return {}


@requires("look")
def look(context: Context, actor: Actor, request: ReadFile) -> FileReport:
    """The content of the waiting file, read with the page's settings; nothing is stored.

    A file that cannot be read so is no error of this call: ``refused`` says why, ``question`` what
    has to be known first (empty where no answer helps), ``offer`` and ``button`` what may help, and
    ``buttons`` all that may, each with the ``options`` to read with.
    """
    path = _waiting(context, request)
    try:
        file = _read(path, request)
    except BadInput as error:
        offer = str(getattr(error, "offer", "") or "") or _wants_text(path, request)
        problems = list(getattr(error, "problems", ()))
        return {
            "file": path.name,
            "refused": str(error),
            "offer": offer,
            "question": QUESTIONS.get(offer, ""),
            "button": OFFERS.get(offer, ""),
            "problems": problems[:SHOWN],
            "buttons": _buttons(NORMALIZED if offer == RATINGS else (offer,)),
            "problems_total": len(problems),
        }
    return {"file": path.name, "refused": "", **report(file)}


def report(file: DistributionFile) -> DistributionReport:
    """What a file holds, in words and numbers for the page."""
    texts = list(dict.fromkeys(row.words for row in file.rows))
    people = {row.contributor for row in file.rows if row.contributor}
    first = set(texts[:PREVIEWED])
    parts = file.parts()
    kinds = list(dict.fromkeys(part.kind for part in parts))
    return {
        "kind": " and ".join(kinds),
        "kind_words": " and ".join(KINDS[kind] for kind in kinds),
        "rows": len(file.rows),
        "sets": len(parts),
        "buttons": _buttons(file.offers),
        "concepts": len(texts),
        "contributors": len(people),
        "people": max((row.people for row in file.rows), default=0),
        "coverage": coverage(texts),
        "notes": list(file.notes),
        "unknown": [
            {"words": text, "similar": list(similar(text))[:3]} for text in file.unknown[:SHOWN]
        ],
        "unknown_total": len(file.unknown),
        "problems": list(file.problems[:SHOWN]),
        "problems_total": len(file.problems),
        "first": [
            line
            for part in parts
            for line in strips([row for row in part.rows if row.words in first], part.kind)
        ],
    }


@requires("add")
def store_distributions(
    context: Context, actor: Actor, request: StoreDistributionsRequest
) -> StoredFile:
    """Stores the waiting file as a set, or as one for each of its labels, and forgets it.

    The answer is of the first set, and ``sets`` has all. Rows that say that they are of 0 people
    are not people's, whatever the page says; ``said`` tells so. Raises BadInput where the file
    cannot be read as the page says.
    """
    path = _waiting(context, request)
    file = _read(path, request)
    name, source, people = request.name or path.stem, request.source, request.of_people
    storage = context.storage.distributions
    before = {record.set_id for record in storage.all(hidden=True)}
    parts, sets, nobodys = file.parts(), list[StoredDistributions](), list[str]()
    for part in parts:
        called = name
        if len(parts) > 1:
            called = f"{name[: MAX_NAME // 2]}: {part.rows[0].label or part.kind}"
        of_people = people and not all("people" in row.given for row in part.rows)
        set_id = storage.add(
            part, called[:MAX_NAME].strip(), path.name, source, of_people, actor.id
        )
        if people and not of_people:
            nobodys.append(f"“{storage.get(set_id).name}”")
        sets.append(
            {
                **concept_json(part.rows[0].words),
                "set_id": set_id,
                "source": f"set:{set_id}",
                "known": set_id in before,
                "kind": part.kind,
                "name": storage.get(set_id).name,
            }
        )
    context.staging.clear(request.session)
    return {**sets[0], "sets": sets, "said": _nobodys(nobodys)}


def _nobodys(names: Sequence[str]) -> str:
    if not names:
        return ""
    shown = ", ".join(names[:_NAMED])
    rest = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"The file gives 0 people, so these are stored as another measurement: {shown}{rest}."


def _buttons(offers: Sequence[str]) -> list[ReadingButton]:
    return [
        {"offer": offer, "text": OFFERS[offer], "options": _OPTIONS[offer]}
        for offer in offers
        if offer in _OPTIONS
    ]


def _waiting(context: Context, request: UploadedDistributions) -> Path:
    folder = context.staging.folder(request.session)
    files = sorted(file for file in folder.iterdir() if file.is_file()) if folder.is_dir() else []
    if not files:
        raise BadInput("The file is no longer available. Choose it again.")
    return files[0]


def _read(path: Path, request: ReadFile) -> DistributionFile:
    return read_distributions(
        path.name,
        path.read_bytes(),
        as_58=request.as_58,
        normalize=request.normalize,
        text=normalize_concept(request.words) if request.words else None,
    )


def _wants_text(path: Path, request: ReadFile) -> str:
    """``words`` where a concept is all that the file lacks."""
    if request.words:
        return ""
    try:
        _read(path, request.model_copy(update={"words": "any concept"}))
    except BadInput as error:
        return WORDS if getattr(error, "offer", "") else ""
    return WORDS
