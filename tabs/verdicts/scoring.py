"""A stored picture and its masks to stored verdicts on all its objects, by several rules."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from truehue.core.generation.backends.reference import shapes_for
from truehue.core.generation.registry import RENDERER
from truehue.core.images.pixels import Mask
from truehue.core.masks.registry import EXACT_MAKERS
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.records import EvidenceRecord, MaskRecord
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.expectations import findings_of
from truehue.core.verdict.rules import FAIL, PASS, UNSCORED
from truehue.core.verdict.tasks import (
    ENDED,
    NO_MASK,
    ObjectOutcome,
    TaskVerdict,
    broken,
    judge_all,
)
from truehue.tabs.page.context import Context
from truehue.tabs.verdicts.question import evidence_record

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
