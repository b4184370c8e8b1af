"""Keeping a verdict that Inspect shows: it is a draft until somebody asks for it to be kept."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput
from truehue.core.records import EvidenceRecord
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import Measurement, measure_by_rules
from truehue.core.verdict.rules import MATCHES, RULES
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest, Whole
from truehue.tabs.page.roles import Actor
from truehue.tabs.verdicts.question import MAX_K, NEIGHBORS_OF, Question, evidence_record, question


def measured_by_all(
    context: Context, image_id: str, mask_id: str, put: Question
) -> list[Measurement]:
    """What every rule says of the pixels of a stored mask, in the order of the rules.

    Raises BadInput for a color that is none, NotStored for an image or mask that is not there.
    """
    return list(
        measure_by_rules(
            context.srgb8(image_id),
            context.mask_pixels(mask_id),
            parse_target(put.target_text),
            [by.id for by in RULES],
            acceptance=Acceptance(put.k, context.munsell, put.neighbors_of),
            target_object=put.target_object,
        )
    )


def keep(
    context: Context, image_id: str, mask_id: str, put: Question, maker: str
) -> list[EvidenceRecord]:
    """Judges the question by all rules and stores every verdict, kept by ``maker``; what is stored
    stays as it is.

    Returns the rows in the order of the rules. Raises BadInput where nothing could be measured by
    the rule that was asked for, and for a mask of another image.
    """
    image = context.storage.images.get(image_id)
    mask = context.storage.masks.get(mask_id)
    measurements = measured_by_all(context, image.image_id, mask.mask_id, put)
    shown = next(
        measurement for measurement in measurements if measurement.verdict.rule == put.rule_id
    )
    if shown.dominant is None:
        raise BadInput(f"There is no verdict to save: {shown.verdict.reason}")
    return context.storage.evidence.add_many(
        [
            evidence_record(measurement, image.image_id, mask.mask_id)
            for measurement in measurements
        ],
        maker,
    )


class QuestionRequest(PageRequest):
    """A question about the pixels of a stored mask, as the page puts it."""

    image: str = ""
    mask: str = ""
    object: str = ""
    target: str = ""
    rule: str = ""
    k: Annotated[Whole, Field(ge=0, le=MAX_K, title="k, the number of accepted neighbors,")] = 0
    neighbors_of: str = NEIGHBORS_OF
    relation: str = MATCHES

    def question(self) -> Question:
        """What is asked. Raises BadInput for what it cannot be."""
        return question(
            self.object, self.target, self.rule, self.k, True, self.neighbors_of, self.relation
        )


@requires("add")
def save_question(context: Context, actor: Actor, request: QuestionRequest) -> list[EvidenceRecord]:
    """:func:`keep` for what a page asks."""
    return keep(context, request.image, request.mask, request.question(), actor.id)


@requires("add")
def save_verdict(context: Context, actor: Actor, request: QuestionRequest) -> dict[str, Any]:
    """Keeps the verdicts of every rule on a question."""
    rows = save_question(context, actor, request)
    return {
        "evidence": {row.protocol: row.evidence_id for row in rows},
        "data": context.data_text(),
    }
