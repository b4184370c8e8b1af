"""What stored verdicts say of a picture and of each of its objects, for cards and lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.prompts.prompt import ObjectTarget
from core.records import EvidenceRecord
from core.verdict import reasons
from core.verdict.expectations import Expectation, expectations_of
from core.verdict.judge import FAIL, PASS, UNSCORED
from core.verdict.reasons import by, without_rule
from core.verdict.rules import DIFFERS, MATCHES
from core.verdict.tasks import together


@dataclass(frozen=True)
class Said:
    """What one rule says of an object or of a picture: its status, and why in a sentence.

    ``step`` is where the judging of an object ended (:data:`core.verdict.expectations.STEPS`); it
    is empty for a picture.
    """

    rule: str
    status: str
    reason: str
    step: str = ""

    def as_json(self) -> dict[str, str]:
        """Plain JSON."""
        return {
            "rule": self.rule,
            "status": self.status,
            "reason": self.reason,
            "step": self.step,
        }


def said_of_objects(
    targets: Sequence[ObjectTarget], evidence: Iterable[EvidenceRecord]
) -> dict[int, list[Said]]:
    """What each rule says of each object that is asked for, by the position of its target.

    ``evidence`` is newest first: of each rule the latest verdict that answers the target counts, as
    :mod:`storage.verdicts.answers` has it. An object without any has an empty list.
    """
    rows = list(evidence)
    return {asked.position: _said(asked, rows) for asked in expectations_of(targets)}


def said_of_picture(
    targets: Sequence[ObjectTarget], by_object: Mapping[int, Sequence[Said]]
) -> list[Said]:
    """What each rule says of the whole picture, from :func:`said_of_objects`; rules by name.

    One fail is a fail; an object that a rule has not judged leaves the picture unscored.
    """
    wanted = expectations_of(targets)
    rules = sorted({one.rule for found in by_object.values() for one in found})
    return [_whole(rule, wanted, by_object) for rule in rules]


def _whole(
    rule: str, wanted: Sequence[Expectation], by_object: Mapping[int, Sequence[Said]]
) -> Said:
    parts = []
    for asked in wanted:
        found = next((one for one in by_object[asked.position] if one.rule == rule), None)
        missing = f"No verdict on {asked.label} yet."
        parts.append(found or Said(rule, UNSCORED, missing))
    status = together(part.status for part in parts)
    if status == PASS:
        return Said(rule, PASS, by(rule, reasons.right(wanted)))
    return Said(
        rule, status, reasons.joined(part.reason for part in parts if part.status == status)
    )


def _said(asked: Expectation, rows: Iterable[EvidenceRecord]) -> list[Said]:
    latest: dict[str, Said] = {}
    for row in rows:
        if row.protocol not in latest and _answers(row, asked):
            latest[row.protocol] = Said(
                row.protocol, row.status, _told(row, asked), str(row.numbers.get("step") or "color")
            )
    return [latest[rule] for rule in sorted(latest)]


def _answers(row: EvidenceRecord, asked: Expectation) -> bool:
    name, target = row.object_name.strip().lower(), row.target
    color = str(target.get("hex") or target.get("value") or "")
    return (
        name in ("", asked.target.name.strip().lower())
        and target.get("relation", MATCHES) == asked.relation
        and color.upper() in (asked.color.hex, asked.color.value.upper())
    )


def _told(row: EvidenceRecord, asked: Expectation) -> str:
    """The sentence that was stored, by its rule; for a verdict of Inspect, one that names the
    object. Rows of before named no rule, and said that a color "is wrong" as if it were a fact."""
    words = str(row.numbers.get("told") or "").replace(" is wrong: ", " is ")
    if words:
        measured = row.status in (PASS, FAIL) and row.numbers.get("step", "color") == "color"
        return by(row.protocol, words) if measured else words
    if row.status not in (PASS, FAIL):
        return reasons.sentence(asked.label, row.reason)
    _, numbers = without_rule(row.reason)
    fails = row.status == FAIL and asked.relation != DIFFERS
    words = f"the color of {asked.label} is " if fails else f"{asked.label}: "
    return by(row.protocol, words + numbers)
