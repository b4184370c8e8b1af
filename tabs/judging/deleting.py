"""Deleting pictures, masks and verdicts, and putting them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import BadInput
from storage.trash import KEPT_DAYS, KINDS, TrashRecord
from tabs.page.context import Context
from tabs.page.errors import many

_WORDS = {"images": "image", "masks": "mask", "evidence": "verdict", "drawings": "drawing",
          "picture_sets": "set of pictures"}  # fmt: skip
_PLURALS = {"set of pictures": "sets of pictures"}


def delete(context: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """Deletes what a page names by ``kind`` and ``ids`` and says what went; of verdicts with
    ``all_rules`` those of every rule on the same question. Raises BadInput, NotStored and
    DataFolderError; then nothing is deleted."""
    ids = given.get("ids")
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
        raise BadInput(f"Give ids, a list of texts, and kind, one of {', '.join(KINDS)}.")
    if given.get("kind") == "verdict" and given.get("all_rules"):
        ids = _kept_together(context, ids)
    record = context.storage.trash.move(str(given.get("kind", "")), ids)
    context.forget()
    return trash_json(record)


def _kept_together(context: Context, ids: list[str]) -> list[str]:
    """The verdicts of every rule on the questions of these: keeping one keeps them all
    (:mod:`tabs.judging.keeping`)."""
    evidence = context.storage.evidence
    questions = [evidence.get(one) for one in ids]
    return [
        row.evidence_id
        for first in questions
        for row in evidence.for_image(first.image_id)
        if (row.mask_id, row.object_name, row.target)
        == (first.mask_id, first.object_name, first.target)
    ]


def restore(context: Context, trash_id: str) -> dict[str, Any]:
    """Puts back what was deleted together. Raises NotStored and DataFolderError."""
    record = context.storage.trash.restore(trash_id)
    context.forget()
    return trash_json(record)


def purge(context: Context, trash_id: str) -> dict[str, Any]:
    """Deletes for good what was deleted together. Raises NotStored, and BadInput where others
    reach the app: what a stranger deletes can then be put back for seven days."""
    if not context.local:
        raise BadInput("Only at the machine itself something can be deleted for good. "
                       f"It goes by itself after {KEPT_DAYS} days.")  # fmt: skip
    context.storage.trash.purge(trash_id)
    return {}


def trash_view(context: Context) -> dict[str, Any]:
    """What was deleted and can be put back, last deleted first."""
    return {"days": KEPT_DAYS, "deleted": [trash_json(one) for one in context.storage.trash.all()]}


def trash_json(record: TrashRecord) -> dict[str, Any]:
    """What went together, in words: "mug.png, with 2 masks and 5 verdicts"."""
    main = {"image": "images", "mask": "masks", "verdict": "evidence"}[record.kind]
    number = record.counts[main]
    head = record.name if number == 1 and record.name else _many(number, main)
    if number == 1 and record.kind != "image":
        head = f"{'A mask' if record.kind == 'mask' else 'A verdict'} of {record.name}"
    along = [_many(n, table) for table, n in record.counts.items() if table != main
             and table in _WORDS]  # fmt: skip
    words = head + (f", with {_listed(along)}" if along else "")
    return {
        "id": record.trash_id, "kind": record.kind, "words": words, "count": number,
        "at": record.created_at.isoformat(),
    }  # fmt: skip


def _many(number: int, table: str) -> str:
    word = _WORDS[table]
    return (
        f"{number:,} {_PLURALS[word]}" if number != 1 and word in _PLURALS else many(number, word)
    )


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
