"""Results of a run over stored images, shown on the images' cards and filters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from threading import Event

from truehue.core.image_sets.measured import image_row
from truehue.core.masks.registry import describe
from truehue.core.records import GenerationRecord, MaskRecord
from truehue.core.runs.folder import RunFolder
from truehue.core.sentences import no_target_reason
from truehue.core.verdict.expectations import expectations_of
from truehue.core.verdict.rules import NO_TARGET, RULES, STATUSES, UNSCORED
from truehue.tabs.page.context import Context
from truehue.tabs.runs.measured import measure_colors, without_target
from truehue.tabs.verdicts.scoring import masks_of, score_stored_images
from truehue.tabs.verdicts.summary import (
    color_sentence,
    image_verdicts,
    no_mask_reason,
    object_verdicts,
)


def store_verdicts(context: Context, folder: RunFolder, stop: Event) -> None:
    """Stores every rule's verdict on the images of a run that has scored stored ones, within the
    masks that the run has stored, and the colors of those without a target color. Raises BadInput
    for a plan that cannot be read."""
    plan = folder.plan()
    image_ids = [item.image_id for item in plan.items]
    for _ in score_stored_images(context, [by.id for by in RULES], image_ids, stop):
        pass
    uncolored = without_target(generations_of(context, image_ids))
    measure_colors(context, uncolored, plan.masker.kind, stop)


def generations_of(context: Context, image_ids: Sequence[str]) -> list[GenerationRecord]:
    """The newest generation of each of these images that has one."""
    return [
        generations[0]
        for image_id in image_ids
        if (generations := context.storage.drawings.for_image(image_id))
    ]


def outcomes(context: Context, image_ids: Sequence[str]) -> list[list[object]]:
    """How many images each rule passes, fails or cannot score, and how many have no verdict, as
    rows of a report: a number and the words for it."""
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
        [counts[by.id, status], f"verdicts by {by.id}: {status}"]
        for by in RULES
        for status in STATUSES
        if counts[by.id, status]
    ]
    for lacking, count in without.items():
        images = "image" if count == 1 else "images"
        reported.append([count, f"{images} without a {lacking}"])
    return reported


def table_of(
    context: Context, image_ids: Sequence[str], rule_id: str
) -> Iterator[dict[str, object]]:
    """A row of :func:`truehue.core.image_sets.measured.image_row` for each object of these images
    that a color is asked of, as a rule judged it last, and one for each image without such."""
    colors = context.storage.object_colors.for_images(set(image_ids))
    evidence = context.storage.evidence.for_images(set(image_ids))
    masks = context.storage.masks.for_images(set(image_ids))
    for row in generations_of(context, image_ids):
        image_id, file = str(row.image_id), str(row.origin.get("file") or "")
        expectations = expectations_of(row.targets)
        records = {record.mask_id: record for record in masks.get(image_id, ())}
        if not expectations and (color := colors.get(image_id)):
            yield image_row(
                file,
                row.text,
                None,
                NO_TARGET,
                no_target_reason(row.text),
                lab=color.lab,
                masker=_selected_by(records.get(color.mask_id)),
            )
        elif not expectations:
            yield image_row(file, row.text, None, UNSCORED, color_sentence(None, row.text))
        for expectation in expectations:
            verdict = next(
                (
                    record
                    for record in evidence.get(image_id, ())
                    if record.protocol == rule_id and record.expectation in expectation.answer_keys
                ),
                None,
            )
            if verdict is None:
                reason = f"No verdict by {rule_id} yet."
                if not masks_of(masks.get(image_id, ()), row.targets):
                    reason = no_mask_reason(len(expectations))
                yield image_row(file, row.text, expectation, UNSCORED, reason)
                continue
            yield image_row(
                file,
                row.text,
                expectation,
                verdict.status,
                verdict.reason,
                rule=rule_id,
                lab=verdict.numbers.get("lab"),
                delta_e00=verdict.numbers.get("delta_e00"),
                masker=_selected_by(records.get(verdict.mask_id or "")),
            )


def _selected_by(record: MaskRecord | None) -> str:
    """How the pixels of a mask were selected; empty where there is none."""
    return describe(record.maker, record.parameters) if record else ""
