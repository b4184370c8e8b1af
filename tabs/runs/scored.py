"""Results of a run over stored images, shown on the images' cards and filters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from threading import Event
from typing import Any

from truehue.core.image_sets.measured import image_row, named_so_note
from truehue.core.masks.registry import describe
from truehue.core.records import EvidenceRecord, GenerationRecord, MaskRecord, ObjectColor
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import SALIENT
from truehue.core.sentences import no_target_reason
from truehue.core.verdict.expectations import expectations_of
from truehue.core.verdict.rules import (
    DEFAULT_RULE,
    FAIL,
    NO_TARGET,
    PASS,
    RULES,
    STATUSES,
    UNSCORED,
)
from truehue.tabs.page.context import Context
from truehue.tabs.runs.measured import measure_colors, note_without_object, without_target
from truehue.tabs.verdicts.scoring import masks_of, nothing_stands_out, score_stored_images
from truehue.tabs.verdicts.summary import (
    color_sentence,
    image_verdicts,
    no_mask_reason,
    object_verdicts,
)

OF_IMAGE = ("image_id", "model", "seed")
"""The columns of the table of stored images beside those of a folder's."""


def store_verdicts(context: Context, folder: RunFolder, stop: Event) -> None:
    """Stores every rule's verdict on the images of a run that has scored stored ones, within the
    masks that the run has stored, and the colors of those without a target color. Raises BadInput
    for a plan that cannot be read."""
    plan = folder.plan()
    image_ids = [item.image_id for item in plan.items]
    for _ in score_stored_images(context, [by.id for by in RULES], image_ids, stop):
        pass
    rows = generations_of(context, image_ids)
    measure_colors(context, without_target(rows), plan.masker.kind, stop)
    if plan.masker.kind == SALIENT:
        note_without_object(context, folder, image_ids, stop)


def generations_of(context: Context, image_ids: Sequence[str]) -> list[GenerationRecord]:
    """The newest generation of each of these images that has one."""
    return [
        generations[0]
        for image_id in image_ids
        if (generations := context.storage.drawings.for_image(image_id))
    ]


def outcomes(context: Context, image_ids: Sequence[str]) -> dict[str, list[Any]]:
    """The ``counts`` and ``notes`` of a report: how many images pass, fail or cannot be scored by the
    usual rule, what the other rules say, and how many images have no verdict."""
    rows = generations_of(context, image_ids)
    colors = context.storage.object_colors.for_images(set(image_ids))
    evidence = context.storage.evidence.for_images(set(image_ids))
    masks = context.storage.masks.for_images(set(image_ids))
    counts: Counter[tuple[str, str]] = Counter()
    without: Counter[str] = Counter()
    for row in rows:
        image_id = str(row.image_id)
        verdicts = object_verdicts(row.targets, evidence.get(image_id, ()))
        whole = image_verdicts(row.targets, verdicts)
        counts.update((verdict.rule, verdict.status) for verdict in whole)
        if not expectations_of(row.targets):
            without["target color: " + ("" if image_id in colors else "not ") + "measured"] += 1
        elif not masks_of(masks.get(image_id, ()), row.targets):
            without["mask: not scored"] += 1
    reported = [
        [counts[DEFAULT_RULE, status], f"{status} by {DEFAULT_RULE}"]
        for status in STATUSES
        if counts[DEFAULT_RULE, status]
    ]
    for lacking, count in without.items():
        images = "image" if count == 1 else "images"
        reported.append([count, f"{images} without a {lacking}"])
    others = ", ".join(
        f"{counts[by.id, PASS]:,} by {by.id}"
        for by in RULES
        if by.id != DEFAULT_RULE and any(counts[by.id, status] for status in STATUSES)
    )
    notes = [f"Pass by other rules: {others}."] if others else []
    table = table_of(context, rows, DEFAULT_RULE)
    if note := named_so_note([row for row in table if row["status"] == FAIL]):
        notes.append(note)
    return {"counts": reported, "notes": notes}


def table_of(
    context: Context, rows: Sequence[GenerationRecord], rule_id: str
) -> Iterator[dict[str, object]]:
    """A row of :func:`truehue.core.image_sets.measured.image_row` for each object of these images
    that a color is asked of, as a rule judged it last, and one for each image without such; behind
    it :data:`OF_IMAGE`."""
    image_ids = {str(row.image_id) for row in rows}
    colors = context.storage.object_colors.for_images(image_ids)
    evidence = context.storage.evidence.for_images(image_ids)
    masks = context.storage.masks.for_images(image_ids)
    nothing = nothing_stands_out(context, image_ids)
    for row in rows:
        image_id = str(row.image_id)
        of_image = dict(zip(OF_IMAGE, (image_id, row.model, row.seed), strict=True))
        for values in _rows_of(
            row,
            rule_id,
            colors.get(image_id),
            evidence.get(image_id, ()),
            masks.get(image_id, ()),
            image_id in nothing,
        ):
            yield {**values, **of_image}


def _rows_of(
    row: GenerationRecord,
    rule_id: str,
    color: ObjectColor | None,
    evidence: Sequence[EvidenceRecord],
    masks: Sequence[MaskRecord],
    looked: bool,
) -> Iterator[dict[str, object]]:
    """The rows of one image; ``looked`` where nothing stands out in it."""
    file, expectations = str(row.origin.get("file") or ""), expectations_of(row.targets)
    records = {record.mask_id: record for record in masks}
    if not expectations:
        status, reason = NO_TARGET, no_target_reason(row.text)
        if color is None:
            status, reason = UNSCORED, color_sentence(None, row.text, looked)
        yield image_row(
            file,
            row.text,
            None,
            status,
            reason,
            lab=color.lab if color else None,
            masker=_selected_by(records.get(color.mask_id)) if color else "",
        )
    for expectation in expectations:
        verdict = next(
            (
                record
                for record in evidence
                if record.protocol == rule_id and record.expectation in expectation.answer_keys
            ),
            None,
        )
        if verdict is None:
            reason = f"No verdict by {rule_id} yet."
            if not masks_of(masks, row.targets):
                reason = no_mask_reason(len(expectations), looked)
            yield image_row(file, row.text, expectation, UNSCORED, reason)
            continue
        yield image_row(
            file,
            row.text,
            expectation,
            verdict.status,
            verdict.reason,
            rule=rule_id,
            numbers=verdict.numbers,
            masker=_selected_by(records.get(verdict.mask_id or "")),
        )


def _selected_by(record: MaskRecord | None) -> str:
    """How the pixels of a mask were selected; empty where there is none."""
    return describe(record.maker, record.parameters) if record else ""
