"""The question about a mask's pixels in a page's request, and the row of its answer."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any, TypedDict

from truehue.core.color.systems import SYSTEMS
from truehue.core.errors import BadInput
from truehue.core.records import EvidenceRecord
from truehue.core.verdict.candidates import MAX_NEIGHBORS
from truehue.core.verdict.measure import Measurement, TargetObject
from truehue.core.verdict.rules import DEFAULT_RULE, DIFFERS, MATCHES, RELATIONS, RULES
from truehue.tabs.page.links import ID_LENGTH, link

MAX_K = MAX_NEIGHBORS
NEIGHBORS_OF = "l3"


class VerdictQuestion(TypedDict):
    """A question about a mask, as the page sends it to have the verdict saved."""

    image: str
    mask: str
    object: str
    target: str
    rule: str
    k: int
    neighbors_of: str
    relation: str


@dataclass(frozen=True)
class Question:
    """What is asked of the marked pixels. ``neighbors_of`` serves colors that have no system.

    ``relation`` is ``matches``, or ``differs`` where the object must not have the color.
    """

    object_name: str = ""
    target_text: str = ""
    rule_id: str = DEFAULT_RULE
    k: int = 0
    show_measured: bool = True
    neighbors_of: str = NEIGHBORS_OF
    relation: str = MATCHES

    @property
    def target_object(self) -> TargetObject:
        """The object as the rules measure it: one that must not have the color without the color's
        help, as the released code measures COA's second object."""
        guided = False if self.relation == DIFFERS else None
        return TargetObject(self.object_name, self.relation, guided)

    @property
    def controls(self) -> tuple[Any, ...]:
        """The arguments of :func:`question` that make it."""
        return astuple(self)

    def as_json(self, image_id: str, mask_id: str) -> VerdictQuestion:
        """What the page sends to have the verdict on this mask kept
        (truehue.tabs.verdicts.judgments)."""
        return {
            "image": image_id,
            "mask": mask_id,
            "object": self.object_name,
            "target": self.target_text,
            "rule": self.rule_id,
            "k": self.k,
            "neighbors_of": self.neighbors_of,
            "relation": self.relation,
        }

    def address(self, image_id: str, mask_id: str = "") -> str:
        """The link that opens this image, mask and question again."""
        other = self.neighbors_of if self.k and self.neighbors_of != NEIGHBORS_OF else None
        return link(
            "inspect",
            {
                "image": image_id[:ID_LENGTH],
                "mask": mask_id[:ID_LENGTH],
                "object": self.object_name,
                "target": self.target_text,
                "relation": self.relation if self.relation != MATCHES else None,
                "rule": self.rule_id,
                "k": self.k or None,
                "system": other,
            },
        )


def question(
    object_name: Any,
    target_text: Any,
    rule_id: Any,
    k: Any,
    show_measured: Any,
    neighbors_of: Any = NEIGHBORS_OF,
    relation: Any = MATCHES,
) -> Question:
    """Checks what the browser sent; raises BadInput for a k that is none, and for what the page
    cannot have sent."""
    if not (isinstance(k, (int, float)) and 0 <= k <= MAX_K and k == int(k)):
        raise BadInput(
            f"k, the number of accepted neighbors, is a whole number from 0 to {MAX_K}. "
            "Change it in Rule settings."
        )
    rule_ids = {by.id for by in RULES}
    right = (
        isinstance(rule_id, str)
        and rule_id in rule_ids
        and isinstance(neighbors_of, str)
        and neighbors_of in SYSTEMS
        and isinstance(relation, str)
        and relation in RELATIONS
    )
    if not right:
        raise BadInput(
            f"The page sent the rule {rule_id!r:.60}, neighbors of {neighbors_of!r:.60} and the "
            f"relation {relation!r:.60}, which cannot be used for scoring. Reload the page."
        )
    return Question(
        str(object_name or "").strip(),
        str(target_text or "").strip(),
        str(rule_id),
        int(k),
        bool(show_measured),
        str(neighbors_of),
        str(relation),
    )


def evidence_record(measurement: Measurement, image_id: str, mask_id: str | None) -> EvidenceRecord:
    """A measurement as storage keeps it."""
    verdict = measurement.verdict
    return EvidenceRecord(
        image_id=image_id,
        mask_id=mask_id,
        object_name=measurement.object_name,
        target=_target_json(measurement),
        protocol=verdict.rule,
        version=verdict.version,
        parameters=verdict.parameters,
        status=verdict.status,
        reason=verdict.reason,
        numbers=measurement.numbers(),
    )


def _target_json(measurement: Measurement) -> dict[str, Any]:
    target = measurement.target
    fields = {
        "name": target.name,
        "system": target.system,
        "hex": target.hex,
        "lab": list(target.lab),
        "value": target.value,
    }
    # The field names the row: without it stand those that were stored before there was one.
    if measurement.relation != MATCHES:
        fields["relation"] = measurement.relation
    return fields
