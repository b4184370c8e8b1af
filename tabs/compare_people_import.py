"""A file of distributions on its way into storage: read, reported, and stored once it is confirmed.

The file waits in the staging folder of its page. Reading it again with other options costs less
than keeping what was read, and what is stored is read from the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.concepts.matching import similar
from core.concepts.reading import AS_58, MAX_BYTES, RATINGS, read_distributions
from core.concepts.records import KINDS, DistributionFile
from core.errors import BadInput
from tabs.compare_people_sets import coverage, strips
from tabs.compare_people_words import concept_json, free_words
from tabs.context import Context

MOST_BYTES = MAX_BYTES
SHOWN = 100
PREVIEWED = 6
WORDS = "words"
OFFERS: Mapping[str, str] = {
    RATINGS: "These are ratings: normalize them",
    AS_58: "These are UW-58: take them",
    WORDS: "Read it as this concept",
}
"""What a refused file can be read as, by the ``offer`` of the reader's error."""


def stage(context: Context, session: str, file: Path, name: str) -> dict[str, Any]:
    """Keeps the file for its page, in the place of the one before; the answer is its report."""
    context.staging.clear(session)
    context.staging.take(session, name or "distributions.csv", file)
    return look(context, {"session": session})


def look(context: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the waiting file holds, read as the page says; nothing is stored.

    A file that cannot be read so is no error of this call: ``refused`` says why, and ``offer`` and
    ``button`` what may help.
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
            "problems_total": len(problems),
        }  # fmt: skip
    return {"file": path.name, "refused": "", **report(file)}


def report(file: DistributionFile) -> dict[str, Any]:
    """What a file holds, in words and numbers for the page."""
    words = list(dict.fromkeys(row.words for row in file.rows))
    people = {row.contributor for row in file.rows if row.contributor}
    first = set(words[:PREVIEWED])
    return {
        "kind": file.kind, "kind_words": KINDS[file.kind], "rows": len(file.rows),
        "concepts": len(words), "contributors": len(people),
        "people": max((row.people for row in file.rows), default=0),
        "coverage": coverage(words),
        "notes": list(file.notes),
        "unknown": [{"words": one, "similar": list(similar(one))[:3]}
                    for one in file.unknown[:SHOWN]],
        "unknown_total": len(file.unknown),
        "problems": list(file.problems[:SHOWN]), "problems_total": len(file.problems),
        "first": strips([row for row in file.rows if row.words in first], file.kind),
    }  # fmt: skip


def keep(context: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """Stores the waiting file as a set and forgets it. Raises BadInput where it cannot be read as
    the page says."""
    path = _waiting(context, given)
    file = _read(path, given)
    name = str(given.get("name") or "").strip()[:120] or path.stem[:120]
    source = str(given.get("source") or "").strip()[:1000]
    people = bool(given.get("of_people"))
    before = {one.set_id for one in context.storage.distributions.all(hidden=True)}
    set_id = context.storage.distributions.add(file, name, path.name, source, people)
    context.staging.clear(str(given.get("session") or ""))
    words = next(iter(file.rows)).words
    return {
        **concept_json(words), "set_id": set_id, "source": f"set:{set_id}",
        "known": set_id in before, "kind": file.kind,
        "name": context.storage.distributions.get(set_id).name,
    }  # fmt: skip


def _waiting(context: Context, given: Mapping[str, Any]) -> Path:
    folder = context.staging.folder(str(given.get("session") or ""))
    files = sorted(one for one in folder.iterdir() if one.is_file()) if folder.is_dir() else []
    if not files:
        raise BadInput("The file is not here any more. Choose it again.")
    return files[0]


def _read(path: Path, given: Mapping[str, Any]) -> DistributionFile:
    words = str(given.get("words") or "").strip()
    return read_distributions(
        path.name, path.read_bytes(), as_58=bool(given.get("as_58")),
        normalize=bool(given.get("normalize")), words=free_words(words) if words else None,
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
