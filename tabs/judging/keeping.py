"""Keeping a verdict that Inspect shows: it is a draft until somebody asks for it to be kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.color.systems import parse_target
from core.errors import BadInput
from core.records import EvidenceRecord
from core.verdict.measure import Measurement, measure_by_rules
from core.verdict.rules import RULES
from tabs.judging.question import Question, evidence_record, question
from tabs.page.context import Context


def measured_by_all(
    context: Context, image_id: str, mask_id: str, put: Question
) -> list[Measurement]:
    """What every rule says of the pixels of a stored mask, in the order of the rules.

    Raises BadInput for a color that is none, NotStored for an image or mask that is not there.
    """
    return list(
        measure_by_rules(
            context.srgb8(image_id), context.mask_pixels(mask_id), parse_target(put.target_text),
            [by.id for by in RULES], k=put.k, munsell=context.munsell, system=put.neighbors_of,
            object_name=put.object_name,
        )
    )  # fmt: skip


def keep(context: Context, image_id: str, mask_id: str, put: Question) -> list[EvidenceRecord]:
    """Judges the question by all rules and stores every verdict; what is stored stays as it is.

    Returns the rows in the order of the rules. Raises BadInput where nothing could be measured by
    the rule that was asked for, and for a mask of another image.
    """
    image = context.storage.images.get(image_id)
    mask = context.storage.masks.get(mask_id)
    measurements = measured_by_all(context, image.image_id, mask.mask_id, put)
    shown = next(one for one in measurements if one.verdict.rule == put.rule_id)
    if shown.dominant is None:
        raise BadInput(f"There is no verdict to keep: {shown.verdict.reason}")
    return context.storage.evidence.add_many(
        [evidence_record(one, image.image_id, mask.mask_id) for one in measurements]
    )


def keep_asked(context: Context, given: Mapping[str, Any]) -> list[EvidenceRecord]:
    """:func:`keep` for what a page sent: ``image``, ``mask``, ``object``, ``target``, ``rule``,
    ``k`` and ``neighbors_of``."""
    return keep(context, str(given.get("image", "")), str(given.get("mask", "")), asked(given))


def asked(given: Mapping[str, Any]) -> Question:
    """The question that a page sent. Raises BadInput for what it cannot have sent."""
    return question(
        given.get("object"), given.get("target"), given.get("rule"), given.get("k", 0), True,
        given.get("neighbors_of", "l3"),
    )  # fmt: skip
