"""Delete and restore images, masks and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypedDict

from pydantic import Field

from truehue.core.errors import enumeration
from truehue.storage.makers import IMAGE, VERDICT
from truehue.storage.trash import KEPT_DAYS, MAX_IDS, TrashRecord
from truehue.tabs.page.actor import record_makers, requires, stored_resource
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor, Resource, Role, authorize
from truehue.tabs.page.shared_answers import Done

_WORDS = {
    "images": "image",
    "masks": "mask",
    "evidence": "verdict",
    "drawings": "drawing",
    "picture_sets": "set of images",
    "studies": "draft of a study",
    "study_invitations": "link",
}
_ONE = {"mask": "A mask of {}", "verdict": "A verdict of {}", "study": "The draft “{}” of a study"}
TRASH = "trash"
_PLURALS = {"set of images": "sets of images", "draft of a study": "drafts of studies"}


class Delete(PageRequest):
    """What is to be deleted: whole ids of a kind; of verdicts with ``all_rules`` those of every
    rule on the same question."""

    kind: Literal["image", "mask", "verdict"] = Field(title="The kind")
    ids: tuple[str, ...] = Field(min_length=1, max_length=MAX_IDS, title="The list of ids")
    all_rules: bool = False


class Deleted(PageRequest):
    """What was deleted together."""

    trash_id: str


class TrashJson(TypedDict):
    """What was deleted together, in words; ``count`` are those that were chosen."""

    id: str
    kind: str
    words: str
    count: int
    at: str


class TrashView(TypedDict):
    """What can be put back, for so many ``days``."""

    days: int
    deleted: list[TrashJson]


@requires("delete")
def delete(context: Context, actor: Actor, request: Delete) -> TrashJson:
    """Deletes images, masks or verdicts, and returns what was deleted.

    Raises NotStored and DataFolderError, and BadInput for what a run shows; then nothing is
    deleted.
    """
    ids = list(request.ids)
    if request.kind == "verdict" and request.all_rules:
        ids = _saved_together(context, ids)
    if actor.role is not Role.OWNER:
        for item in _resources(context, request.kind, ids):
            authorize(actor, "delete", item)
    record = context.storage.trash.move(request.kind, ids)
    record_makers(context, actor, TRASH, record.trash_id)
    context.forget()
    return trash_json(record)


def _resources(context: Context, kind: str, ids: Sequence[str]) -> Iterator[Resource]:
    """What these are, as :func:`truehue.tabs.page.roles.authorize` asks: verdicts that somebody had kept,
    and else the images that they are or are of."""
    storage = context.storage
    for row_id in ids:
        if kind == "verdict" and (own := stored_resource(context, VERDICT, row_id)).makers:
            yield own
        elif kind == "image":
            yield stored_resource(context, IMAGE, row_id)
        else:
            rows = storage.masks if kind == "mask" else storage.evidence
            yield stored_resource(context, IMAGE, rows.get(row_id).image_id)


def _saved_together(context: Context, ids: list[str]) -> list[str]:
    """The verdicts of every rule on the questions of these: keeping one keeps them all
    (:mod:`truehue.tabs.verdicts.judgments`)."""
    evidence = context.storage.evidence
    questions = [evidence.get(evidence_id) for evidence_id in ids]
    return [
        row.evidence_id
        for first in questions
        for row in evidence.for_image(first.image_id)
        if (row.mask_id, row.object_name, row.target)
        == (first.mask_id, first.object_name, first.target)
    ]


@requires("delete")
def restore(context: Context, actor: Actor, request: Deleted) -> TrashJson:
    """Restores what was deleted together. Raises NotStored and DataFolderError."""
    authorize(actor, "delete", stored_resource(context, TRASH, request.trash_id))
    record = context.storage.trash.restore(request.trash_id)
    context.forget()
    return trash_json(record)


@requires("purge")
def purge(context: Context, actor: Actor, request: Deleted) -> Done:
    """Permanently deletes what was deleted together. What a visitor deletes can be restored for
    seven days. Raises NotStored."""
    context.storage.trash.purge(request.trash_id)
    return {}


def trash_view(context: Context) -> TrashView:
    """What was deleted and can be restored, last deleted first."""
    return {
        "days": KEPT_DAYS,
        "deleted": [trash_json(record) for record in context.storage.trash.all()],
    }


def trash_json(record: TrashRecord) -> TrashJson:
    """What went together, in words: "mug.png, with 2 masks and 5 verdicts"."""
    main = {"image": "images", "mask": "masks", "verdict": "evidence", "study": "studies"}[
        record.kind
    ]
    number = record.counts[main]
    head = record.name if number == 1 and record.name else _many(number, main)
    if number == 1 and record.kind in _ONE:
        head = _ONE[record.kind].format(record.name)
    along = [
        _many(n, table) for table, n in record.counts.items() if table != main and table in _WORDS
    ]
    text = head + (f", with {enumeration(along)}" if along else "")
    return {
        "id": record.trash_id,
        "kind": record.kind,
        "words": text,
        "count": number,
        "at": record.created_at.isoformat(),
    }


def _many(number: int, table: str) -> str:
    word = _WORDS[table]
    return (
        f"{number:,} {_PLURALS[word]}"
        if number != 1 and word in _PLURALS
        else count_noun(number, word)
    )
