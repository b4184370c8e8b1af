"""A file of distributions on its way into storage: read, reported, and stored once it is confirmed.

The file waits in the staging folder of its page. Reading it again with other options costs less
than keeping what was read, and what is stored is read from the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.concepts.matching import similar
from core.concepts.reading import AS_58, MAX_BYTES, RATINGS, SHARES, read_distributions
from core.concepts.reading.collector import NORMALIZED
from core.concepts.records import KINDS, DistributionFile
from core.errors import BadInput
from tabs.compare.people.sets import MOST_NAME, coverage, strips
from tabs.compare.people.words import concept_json, free_words, text_in
from tabs.page.context import Context

MOST_BYTES = MAX_BYTES
SHOWN = 100
PREVIEWED = 6
_NAMED = 5
WORDS = "words"
OFFERS: Mapping[str, str] = {
    RATINGS: "These are ratings: normalize them",
    SHARES: "These are counts or percent: divide them by their sum",
    AS_58: "These are UW-58: take them",
    WORDS: "Read it as this concept",
}
"""What a refused file can be read as, by the ``offer`` of the reader's error."""

_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    RATINGS: {"normalize": RATINGS}, SHARES: {"normalize": SHARES}, AS_58: {"as_58": True},
}  # fmt: skip


def stage(context: Context, session: str, file: Path, name: str) -> dict[str, Any]:
    """Keeps the file for its page, in the place of the one before; the answer is its report."""
    context.staging.clear(session)
    context.staging.take(session, name or "distributions.csv", file)
    return look(context, {"session": session})


def look(context: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the waiting file holds, read as the page says; nothing is stored.

    A file that cannot be read so is no error of this call: ``refused`` says why, ``offer`` and
    ``button`` what may help, and ``buttons`` all that may, each with the ``options`` to read with.
    """
    path = _waiting(context, given)
    try:
        file = _read(path, given)
    except BadInput as error:
        offer = str(getattr(error, "offer", "") or "") or _wants_words(path, given)
        problems = list(getattr(error, "problems", ()))
        return {
            "file": path.name, "refused": str(error), "offer": offer,
            "button": OFFERS.get(offer, ""), "problems": problems[:SHOWN],
            "buttons": _buttons(NORMALIZED if offer == RATINGS else (offer,)),
            "problems_total": len(problems),
        }  # fmt: skip
    return {"file": path.name, "refused": "", **report(file)}


def report(file: DistributionFile) -> dict[str, Any]:
    """What a file holds, in words and numbers for the page."""
    words = list(dict.fromkeys(row.words for row in file.rows))
    people = {row.contributor for row in file.rows if row.contributor}
    first = set(words[:PREVIEWED])
    parts = file.parts()
    kinds = list(dict.fromkeys(part.kind for part in parts))
    return {
        "kind": " and ".join(kinds), "kind_words": " and ".join(KINDS[kind] for kind in kinds),
        "rows": len(file.rows), "sets": len(parts), "buttons": _buttons(file.offers),
        "concepts": len(words), "contributors": len(people),
        "people": max((row.people for row in file.rows), default=0),
        "coverage": coverage(words),
        "notes": list(file.notes),
        "unknown": [{"words": one, "similar": list(similar(one))[:3]}
                    for one in file.unknown[:SHOWN]],
        "unknown_total": len(file.unknown),
        "problems": list(file.problems[:SHOWN]), "problems_total": len(file.problems),
        "first": [
            line for part in parts
            for line in strips([row for row in part.rows if row.words in first], part.kind)
        ],
    }  # fmt: skip


def keep(context: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """Stores the waiting file as a set, or as one for each of its labels, and forgets it.

    The answer is of the first set, and ``sets`` has all. Rows that say that they are of 0 people
    are not people's, whatever the page says; ``said`` tells so. Raises BadInput where the file
    cannot be read as the page says.
    """
    path = _waiting(context, given)
    file = _read(path, given)
    name = text_in(given, "name", "A name") or path.stem
    source = text_in(given, "source", "Who made it")[:1000]
    people = bool(given.get("of_people"))
    storage = context.storage.distributions
    before = {one.set_id for one in storage.all(hidden=True)}
    parts, made, nobodys = file.parts(), list[dict[str, Any]](), list[str]()
    for part in parts:
        called = name
        if len(parts) > 1:
            called = f"{name[: MOST_NAME // 2]}: {part.rows[0].label or part.kind}"
        of_people = people and not all("people" in row.given for row in part.rows)
        set_id = storage.add(part, called[:MOST_NAME].strip(), path.name, source, of_people)
        if people and not of_people:
            nobodys.append(f"“{storage.get(set_id).name}”")
        made.append({
            **concept_json(part.rows[0].words), "set_id": set_id, "source": f"set:{set_id}",
            "known": set_id in before, "kind": part.kind, "name": storage.get(set_id).name,
        })  # fmt: skip
    context.staging.clear(str(given.get("session") or ""))
    return {**made[0], "sets": made, "said": _nobodys(nobodys)}


def _nobodys(names: Sequence[str]) -> str:
    if not names:
        return ""
    shown = ", ".join(names[:_NAMED])
    rest = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"Of 0 people by the file, and so kept as another measurement: {shown}{rest}."


def _buttons(offers: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"offer": offer, "text": OFFERS[offer], "options": _OPTIONS[offer]}
        for offer in offers if offer in _OPTIONS
    ]  # fmt: skip


def _waiting(context: Context, given: Mapping[str, Any]) -> Path:
    folder = context.staging.folder(str(given.get("session") or ""))
    files = sorted(one for one in folder.iterdir() if one.is_file()) if folder.is_dir() else []
    if not files:
        raise BadInput("The file is not here any more. Choose it again.")
    return files[0]


def _read(path: Path, given: Mapping[str, Any]) -> DistributionFile:
    words = text_in(given, "words", "A concept")
    normalize = given.get("normalize") or False
    if not isinstance(normalize, (bool, str)):
        raise BadInput(f"Numbers are normalized as {RATINGS} or as {SHARES}, not otherwise.")
    return read_distributions(
        path.name, path.read_bytes(), as_58=bool(given.get("as_58")), normalize=normalize,
        words=free_words(words) if words else None,
    )  # fmt: skip


def _wants_words(path: Path, given: Mapping[str, Any]) -> str:
    """``words`` where a concept is all that the file lacks."""
    if given.get("words"):
        return ""
    try:
        _read(path, {**given, "words": "any concept"})
    except BadInput as error:
        return WORDS if getattr(error, "offer", "") else ""
    return WORDS
