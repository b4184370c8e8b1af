"""Verdicts on stored images and masks by several rules, including rules added later."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

from truehue.core.color.munsell import MunsellSamples
from truehue.core.concepts.palette import COLOR_VERSION, describe_colors
from truehue.core.generation.backends.reference import shapes_for
from truehue.core.generation.registry import RENDERER
from truehue.core.images.pixels import Mask, masked_colors
from truehue.core.masks.registry import EXACT_MAKERS
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.records import EvidenceRecord, GenerationRecord, MaskRecord, ObjectColor
from truehue.core.scores.measures import SALIENT_OBJECT
from truehue.core.scores.records import IMAGE, ScoreRecord
from truehue.core.verdict.candidates import Acceptance, samples_for
from truehue.core.verdict.expectations import Expectation, expectations_of, findings_of
from truehue.core.verdict.rules import FAIL, PASS, UNSCORED, Rule, rule
from truehue.core.verdict.tasks import (
    BROKE,
    BY_NUMBER,
    ENDED,
    NO_MASK,
    ObjectOutcome,
    TaskVerdict,
    broken,
    judge_all,
)
from truehue.tabs.page.context import Context
from truehue.tabs.verdicts.question import evidence_record
from truehue.tabs.verdicts.summary import NOTHING_STANDS_OUT

log = logging.getLogger("truehue")

_BEST_FIRST = (PASS, UNSCORED, FAIL)


@dataclass(frozen=True)
class StoredImage:
    """A stored picture and what was asked of it; ``model`` and ``options`` are those that drew it.

    ``masks`` by position of the target.
    """

    image_id: str
    task: str
    targets: tuple[ObjectTarget, ...]
    masks: Mapping[int, MaskRecord]
    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


def judge_image(
    context: Context, stored: StoredImage, rule_ids: Sequence[str]
) -> list[EvidenceRecord]:
    """Judges every object of a picture by every rule and stores what came out.

    An object of which nothing is known yet is left for later. A rule that breaks is ``unscored``
    with what broke, on every object. Returns the rows as they are stored, in the order of rules.
    Raises StorageError when they cannot be.
    """
    rows = []
    for verdict in _task_verdicts(context, stored, rule_ids):
        # Two objects of one name and color share a key, whose latest row counts: the worst.
        for outcome in sorted(
            verdict.outcomes, key=lambda outcome: _BEST_FIRST.index(outcome.status)
        ):
            if outcome.measurement.verdict.parameters.get(ENDED) != NO_MASK:
                record = stored.masks.get(outcome.asked.position)
                rows.append(outcome_record(outcome, stored.image_id, record))
    return context.storage.evidence.add_many(rows)


def outcome_record(
    outcome: ObjectOutcome, image_id: str, record: MaskRecord | None
) -> EvidenceRecord:
    """What a rule says of one object, as storage keeps it.

    ``numbers`` has beside those of the measurement ``step`` and ``told`` (of
    :class:`truehue.core.verdict.tasks.ObjectOutcome`) and ``position``, that of the target.
    """
    measurement = outcome.measurement
    plain = evidence_record(measurement, image_id, record.mask_id if record else None)
    numbers = {
        **plain.numbers,
        "step": outcome.step,
        "told": outcome.told,
        "position": outcome.asked.position,
    }
    return replace(plain, numbers=numbers)


def store_color(context: Context, mask: MaskRecord) -> None:
    """Measures and stores the color of an image inside a stored mask, unless it is stored. Raises
    NoPixels."""
    if context.storage.object_colors.has(mask.mask_id, COLOR_VERSION):
        return
    pixels = masked_colors(context.srgb8(mask.image_id), context.mask_pixels(mask.mask_id))
    found = describe_colors(pixels)
    context.storage.object_colors.add(
        ObjectColor(mask.image_id, mask.mask_id, COLOR_VERSION, found.lit_lab, found.pixel_count)
    )


def note_nothing_stands_out(context: Context, image_ids: Sequence[str]) -> None:
    """Stores that nothing stands out in these images, so that their cards can say it; of one that it
    is known of nothing is stored again."""
    by, known = SALIENT_OBJECT, nothing_stands_out(context, image_ids)
    context.storage.scores.add_many(
        [
            ScoreRecord(IMAGE, image_id, by.id, by.version, None, UNSCORED, NOTHING_STANDS_OUT)
            for image_id in dict.fromkeys(image_ids)
            if image_id not in known
        ]
    )


def nothing_stands_out(context: Context, image_ids: Collection[str]) -> set[str]:
    """The images, of these whole ids, in which the salient-object network has found nothing."""
    return set(context.storage.scores.reasons(SALIENT_OBJECT, IMAGE, image_ids))


def masks_of(
    stored: Sequence[MaskRecord], targets: Sequence[ObjectTarget]
) -> dict[int, MaskRecord]:
    """The mask of each target, by position: of those that belong to it, the first of ``stored``.

    A mask belongs to the target that its parameters name by place and name, or by a name that one
    target alone has. One that came with the image and names nothing is that of a lone object.
    """
    records: dict[int, MaskRecord] = {}
    names = [target.name.strip().lower() for target in targets]
    for record in stored:
        position, name = record.parameters.get("target"), record.parameters.get("object")
        named = name.strip().lower() if isinstance(name, str) else ""
        if isinstance(position, int) and not isinstance(position, bool):
            fits = 0 <= position < len(names) and named in ("", names[position])
            index = position if fits else None
        elif named:
            index = names.index(named) if names.count(named) == 1 else None
        else:
            lone = len(targets) == 1 and record.maker in EXACT_MAKERS
            index = 0 if lone else None
        if index is not None:
            records.setdefault(index, record)
    return records


def _task_verdicts(
    context: Context, stored: StoredImage, rule_ids: Sequence[str]
) -> Iterator[TaskVerdict]:
    """The verdicts of all rules; a picture that cannot be read is unscored by all of them."""
    try:
        srgb8 = context.srgb8(stored.image_id)
        masks = {
            position: Mask(context.mask_pixels(record.mask_id), record.maker, record.parameters)
            for position, record in stored.masks.items()
        }
        standings = shapes_for(stored.targets) if stored.model == RENDERER else ()
        findings = findings_of(stored.targets, masks, standings)
    except Exception as error:
        log.exception("the image %s could not be judged", stored.image_id)
        for rule_id in rule_ids:
            yield broken(stored.task, stored.targets, rule_id, error)
        return
    acceptance = Acceptance(munsell=context.munsell)
    yield from judge_all(stored.task, stored.targets, findings, srgb8, rule_ids, acceptance)


_PAGE = 500


@dataclass(frozen=True)
class StoredScoringProgress:
    """How far a run over stored pictures is.

    ``done`` of ``total`` pictures were looked at: ``judged`` got verdicts now, ``complete`` had
    all of them before, ``without_mask`` have no mask of any object that was asked for, and
    ``unasked`` (an upload, a prompt without colors) have nothing to be judged by. ``rows`` counts
    the new verdicts on single objects by rule and status, ``unscored`` those without a score by
    their reason.
    """

    total: int
    done: int = 0
    judged: int = 0
    complete: int = 0
    without_mask: int = 0
    unasked: int = 0
    rows: Mapping[tuple[str, str], int] = field(default_factory=dict)
    unscored: Mapping[str, int] = field(default_factory=dict)
    finished: bool = False


def score_stored_images(
    context: Context,
    rule_ids: Sequence[str],
    image_ids: Sequence[str] | None = None,
    stop: Event | None = None,
) -> Iterator[StoredScoringProgress]:
    """Judges stored pictures by rules that have not judged them, and yields after each picture.

    A verdict is missing where none of this rule's id and version is stored for the object, the
    color and its latest mask; one that broke is tried again. Nothing that is stored is done twice,
    so a run that ended early is taken up by the next. It ends early when ``stop`` is set or the
    generator is closed; the last state of a whole run is ``finished``. ``image_ids`` (whole ids)
    narrows it to those. Raises BadInput for an unknown rule and NotStored for an unknown image.
    """
    rules = [rule(rule_id) for rule_id in rule_ids]
    rows = _generated_images(context, image_ids)
    counts: Counter[str] = Counter()
    status_counts: Counter[tuple[str, str]] = Counter()
    reasons: Counter[str] = Counter()

    def state(done: int, finished: bool = False) -> StoredScoringProgress:
        return StoredScoringProgress(
            len(rows),
            done,
            counts["judged"],
            counts["complete"],
            counts["without_mask"],
            counts["unasked"],
            dict(status_counts),
            dict(reasons),
            finished,
        )

    yield state(0, not rows)
    for done, row in enumerate(rows, 1):
        if stop is not None and stop.is_set():
            return
        label, added = _judge_row(context, row, rules)
        counts[label] += 1
        for record in added:
            status_counts[record.protocol, record.status] += 1
            if record.status == UNSCORED:
                reasons[record.reason] += 1
        yield state(done, done == len(rows))


def _generated_images(context: Context, image_ids: Sequence[str] | None) -> list[GenerationRecord]:
    """The drawings that have an image, oldest first; of one image and one question only one."""
    drawings = context.storage.drawings
    rows: list[GenerationRecord] = []
    if image_ids is None:
        while page := drawings.recent(_PAGE, len(rows), status="drawn"):
            rows += page
    else:
        for image_id in dict.fromkeys(image_ids):
            rows += drawings.for_image(image_id)
    once = {(row.image_id, row.targets): row for row in rows}
    return list(once.values())[::-1]


def _judge_row(
    context: Context, row: GenerationRecord, rules: Sequence[Rule]
) -> tuple[str, list[EvidenceRecord]]:
    """What became of one picture: a counter's name, and the rows that are new."""
    image_id = str(row.image_id)
    expectations = expectations_of(row.targets)
    if not expectations:
        return "unasked", []
    masks = masks_of(context.storage.masks.for_image(image_id), row.targets)
    if not any(expectation.position in masks for expectation in expectations):
        return "without_mask", []
    stored_image = StoredImage(image_id, row.task, row.targets, masks, row.model, row.options)
    stored = context.storage.evidence.for_image(image_id)
    # Of an image of the renderer it is known what is not there; of others an object waits.
    subjects = [
        expectation
        for expectation in expectations
        if expectation.position in masks or row.model == RENDERER
    ]
    missing = [
        by.id
        for by in rules
        if not all(
            _has(stored, expectation, stored_image, by, context.munsell) for expectation in subjects
        )
    ]
    if not missing:
        return "complete", []
    before = {record.evidence_id for record in stored}
    added = judge_image(context, stored_image, missing)
    new = [record for record in added if record.evidence_id not in before]
    return ("judged" if new else "complete"), new


def _has(
    stored: Sequence[EvidenceRecord],
    expectation: Expectation,
    stored_image: StoredImage,
    by: Rule,
    munsell: MunsellSamples | None,
) -> bool:
    """Whether the verdict that would come out now is stored."""
    record = stored_image.masks.get(expectation.position)
    mask_id = record.mask_id if record else None
    guided = False if by.guided and expectation.guided is False else None
    accepted = samples_for(expectation.color, by, munsell, stored_image.task == BY_NUMBER)
    samples = accepted.sha256 if accepted else None
    for row in stored:
        alike = (
            (row.protocol, row.version, row.mask_id) == (by.id, by.version, mask_id)
            and row.expectation == expectation.key
            # Two names of one color accept other colors beside it.
            and row.target.get("value") == expectation.color.value
        )
        how = row.parameters
        measured = (how.get("guided"), how.get("munsell_sha256")) == (guided, samples)
        # Before presence was judged, an object that is not there had a row without parameters.
        complete = "presence" in how or ENDED in how or (mask_id is not None and measured)
        if alike and complete and BROKE not in how and not how.get("k"):
            return True
    return False
