"""Measured colors of images without a target color: what a run cannot judge says its color."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event

from truehue.core.batch.results import tables
from truehue.core.errors import MaskError, ObjectNotFound, TrueHueError
from truehue.core.images.pixels import Mask
from truehue.core.masks import salient
from truehue.core.masks.from_marks import mask_from_marks
from truehue.core.masks.marks import NOTHING_STANDS_OUT
from truehue.core.records import GenerationRecord, MaskRecord
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import EXACT, SALIENT, WHOLE
from truehue.core.runs.worker import RunWork
from truehue.core.verdict.expectations import expectations_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.verdicts.scoring import (
    masks_of,
    note_nothing_stands_out,
    store_color,
)


def without_target(rows: Sequence[GenerationRecord]) -> list[GenerationRecord]:
    """The images that no color is asked of."""
    return [row for row in rows if row.image_id and not expectations_of(row.targets)]


def without_mask(context: Context, rows: Sequence[GenerationRecord]) -> list[GenerationRecord]:
    """The images in which no object that a color is asked of has a mask, and those without a target
    color that have none at all."""
    masks = context.storage.masks.for_images({str(row.image_id) for row in rows})

    def has_mask(row: GenerationRecord) -> bool:
        records = masks.get(str(row.image_id), ())
        return bool(masks_of(records, row.targets) if expectations_of(row.targets) else records)

    return [row for row in rows if row.image_id and not has_mask(row)]


def add_whole_mask(context: Context, row: GenerationRecord) -> None:
    """Stores the whole image as the mask of every object that a color is asked of. Raises
    TrueHueError."""
    for expectation in expectations_of(row.targets):
        mask = make_mask(context, str(row.image_id), WHOLE)
        target = mask.of_target(expectation.position, expectation.target.name)
        context.storage.masks.add(str(row.image_id), target)


def measure_colors(
    context: Context,
    rows: Sequence[GenerationRecord],
    masker: str,
    stop: Event,
    report_progress: Callable[[str, int, int], None] = lambda *_: None,
) -> list[str]:
    """Measures and stores the colors of images without a target color; the answer says of each that
    has none why. Ends when ``stop`` is set; what is stored is not measured again."""
    stored = set(context.storage.object_colors.for_images({str(row.image_id) for row in rows}))
    lacking = []
    for done, row in enumerate(rows):
        if stop.is_set():
            break
        total = count_noun(len(rows), "image")
        text = f"Measuring: {done:,} of {total} without a target color"
        report_progress(text, done, len(rows))
        image_id = str(row.image_id)
        if image_id in stored:
            continue
        stored.add(image_id)
        try:
            store_color(context, _mask(context, image_id, masker))
        except TrueHueError as error:
            if isinstance(error, ObjectNotFound):
                note_nothing_stands_out(context, [image_id])
            lacking.append(f"{name_of_row(row)}: {error}")
    return lacking


def note_without_object(
    context: Context, folder: RunFolder, image_ids: Sequence[str], stop: Event
) -> None:
    """Stores of which of a run's images, in the order of its items, it found no mask because nothing
    stands out in them; nothing where ``stop`` is set before all are read. Raises BadInput for a
    folder that cannot be read."""
    without = []
    for table in tables(RunWork(folder.path), ("position", "verdicts")):
        if stop.is_set():
            return
        without += [
            image_ids[row["position"]]
            for row in table.to_pylist()
            if any(verdict["told"] == NOTHING_STANDS_OUT for verdict in row["verdicts"])
        ]
    note_nothing_stands_out(context, without)


def _mask(context: Context, image_id: str, masker: str) -> MaskRecord:
    """The mask that counts of an image, or one that the masker makes, which counts from then on;
    raises TrueHueError where it finds none."""
    masks = context.storage.masks
    for record in masks.current([image_id]).values():
        return record
    made = masks.add(image_id, make_mask(context, image_id, masker))
    if not masks.current([image_id]):  # it was stored before the selection was cleared
        masks.select(image_id, made.mask_id)
    return made


def make_mask(context: Context, image_id: str, masker: str) -> Mask:
    """The mask of the whole image, or of what stands out; raises TrueHueError where there is none."""
    if masker == EXACT or (masker != WHOLE and not salient.is_available(context.sources)):
        raise MaskError("No mask: select the object in Inspect.")
    # A name that a detector could look for is not known.
    mark = {"type": WHOLE if masker == WHOLE else SALIENT}
    return mask_from_marks(context.srgb8(image_id), [mark], sources=context.sources)


def name_of_row(row: GenerationRecord) -> str:
    """What an image is called in a report."""
    return str(row.origin.get("file") or row.text)
