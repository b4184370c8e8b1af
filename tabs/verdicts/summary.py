"""Summaries of stored verdicts on an image and its objects, for cards and lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from truehue.core.color.people import naming
from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.records import EvidenceRecord, ObjectColor
from truehue.core.sentences import no_target_reason
from truehue.core.verdict import reasons
from truehue.core.verdict.expectations import Expectation, expectations_of
from truehue.core.verdict.reasons import (
    AS_REQUESTED,
    by,
    is_light_unlikely,
    plain_sentence,
    rival_label,
    short_reason,
    without_rule,
)
from truehue.core.verdict.rules import DIFFERS, FAIL, PASS, UNSCORED
from truehue.core.verdict.tasks import combine_statuses


class RuleVerdictJson(TypedDict):
    """The fields of a :class:`RuleVerdict`."""

    rule: str
    status: str
    reason: str
    step: str
    short: str
    sentence: str


@dataclass(frozen=True)
class RuleVerdict:
    """What one rule says of an object or of a picture: its status, and why in a sentence.

    ``step`` is where the judging of an object ended
    (:data:`truehue.core.verdict.expectations.STEPS`); it is empty for a picture. ``short`` is the
    reason in a few words for a card, empty for a pass. ``sentence`` says the verdict plainly,
    without the rule; it is empty where the reason says it.
    """

    rule: str
    status: str
    reason: str
    step: str = ""
    short: str = ""
    sentence: str = ""

    def as_json(self) -> RuleVerdictJson:
        """Plain JSON."""
        return {
            "rule": self.rule,
            "status": self.status,
            "reason": self.reason,
            "step": self.step,
            "short": self.short,
            "sentence": self.sentence,
        }


def object_verdicts(
    targets: Sequence[ObjectTarget], evidence: Iterable[EvidenceRecord]
) -> dict[int, list[RuleVerdict]]:
    """What each rule says of each object that is asked for, by the position of its target.

    ``evidence`` is as stored, newest first: of each rule the latest verdict that answers the
    expectation counts. An object without any has an empty list.
    """
    rows = list(evidence)
    return {
        expectation.position: _rule_verdicts(expectation, rows)
        for expectation in expectations_of(targets)
    }


def image_verdicts(
    targets: Sequence[ObjectTarget], by_object: Mapping[int, Sequence[RuleVerdict]]
) -> list[RuleVerdict]:
    """What each rule says of the whole picture, from :func:`object_verdicts`; rules by name.

    One fail is a fail; an object that a rule has not judged leaves the picture unscored.
    """
    expectations = expectations_of(targets)
    rules = sorted({verdict.rule for verdicts in by_object.values() for verdict in verdicts})
    return [_whole(rule, expectations, by_object) for rule in rules]


def _whole(
    rule: str, expectations: Sequence[Expectation], by_object: Mapping[int, Sequence[RuleVerdict]]
) -> RuleVerdict:
    parts = []
    for expectation in expectations:
        verdict = next(
            (candidate for candidate in by_object[expectation.position] if candidate.rule == rule),
            None,
        )
        missing = f"No verdict for {expectation.label} yet."
        parts.append(verdict or RuleVerdict(rule, UNSCORED, missing))
    status = combine_statuses(part.status for part in parts)
    if status == PASS:
        return RuleVerdict(
            rule, PASS, by(rule, reasons.right(expectations)), sentence=_together(parts)
        )
    decisive = [
        (expectation, part)
        for expectation, part in zip(expectations, parts, strict=True)
        if part.status == status
    ]
    shorts = [
        f"{expectation.target.name}: {part.short}" if len(parts) > 1 else part.short
        for expectation, part in decisive
    ]
    return RuleVerdict(
        rule,
        status,
        reasons.join_sentences(part.reason for part in parts if part.status == status),
        short="; ".join(dict.fromkeys(shorts)) if all(part.short for _, part in decisive) else "",
        sentence=_together([part for _, part in decisive]),
    )


def _together(parts: Sequence[RuleVerdict]) -> str:
    """The plain sentences of several objects; empty where one has none."""
    sentences = [part.sentence for part in parts]
    if not all(sentences):
        return ""
    distinct = list(dict.fromkeys(sentences))
    if len(distinct) > 1 and all(sentence.endswith(AS_REQUESTED) for sentence in distinct):
        clauses = [sentence.removesuffix(AS_REQUESTED) for sentence in distinct]
        rest = [f"{clause[:1].lower()}{clause[1:]}" for clause in clauses[1:]]
        return f"{', '.join([clauses[0], *rest[:-1]])} and {rest[-1]}{AS_REQUESTED}"
    return " ".join(distinct)


def _rule_verdicts(expectation: Expectation, rows: Iterable[EvidenceRecord]) -> list[RuleVerdict]:
    latest: dict[str, RuleVerdict] = {}
    for row in rows:
        if row.protocol not in latest and row.expectation in expectation.answer_keys:
            latest[row.protocol] = RuleVerdict(
                row.protocol,
                row.status,
                _sentence(row, expectation),
                str(row.numbers.get("step") or "color"),
                _short(row, expectation),
                _plain(row, expectation),
            )
    return [latest[rule] for rule in sorted(latest)]


def _short(row: EvidenceRecord, expectation: Expectation) -> str:
    """What is wrong with the color that a rule measured: ``"yellow, not purple; hue 137° off"``;
    empty where the sentence is short and says more, such as whose color it took."""
    lab, target_lab, offset = (row.numbers.get(name) for name in ("lab", "target_lab", "offset"))
    message = str(row.numbers.get("told") or "")
    is_story = expectation.relation == DIFFERS or (message and "the color of" not in message)
    if row.status != FAIL or is_story or not (lab and target_lab and offset):
        return ""
    return short_reason(lab, target_lab, offset, expectation.color.name or "")


def _plain(row: EvidenceRecord, expectation: Expectation) -> str:
    """The verdict in one plain sentence; empty where there are no numbers to say it with."""
    numbers = row.numbers
    lab, offset = numbers.get("lab"), numbers.get("offset")
    light, rival = numbers.get("light") or None, numbers.get("rival") or {}
    message = without_rule(str(numbers.get("told") or ""))[1]
    if row.status == FAIL and message and "he color of" not in message and "ΔE00" not in message:
        return message
    distance = numbers.get("delta_e00")
    if not lab or not offset or distance is None:
        return ""
    return plain_sentence(
        row.status,
        expectation.label,
        expectation.color,
        forbidden=expectation.relation == DIFFERS,
        lab=lab,
        offset=offset,
        delta_e00=float(distance),
        unlikely_light=is_light_unlikely(lab, light["seen_lab"], light["cost"]) if light else None,
        rival=rival_label(str(rival["name"]), str(rival.get("system")), expectation.color.name)
        if rival.get("decides")
        else "",
    )


def _sentence(row: EvidenceRecord, expectation: Expectation) -> str:
    """The sentence that was stored, by its rule; for a verdict of Inspect, one that names the
    object. Rows of before named no rule, and said that a color "is wrong" as if it were a fact."""
    text = str(row.numbers.get("told") or "").replace(" is wrong: ", " is ")
    if text:
        measured = row.status in (PASS, FAIL) and row.numbers.get("step", "color") == "color"
        return by(row.protocol, text) if measured else text
    if row.status not in (PASS, FAIL):
        return reasons.sentence(expectation.label, row.reason)
    _, numbers = without_rule(row.reason)
    fails = row.status == FAIL and expectation.relation != DIFFERS
    text = f"the color of {expectation.label} is " if fails else f"{expectation.label}: "
    return by(row.protocol, text + numbers)


NO_MASK = "No object is selected: select it in Inspect, or measure the whole image."
"""Why an image in which nothing was selected has no verdict."""

NOTHING_STANDS_OUT = "Nothing stands out: draw a box in Inspect, or measure the whole image."
"""The same where the salient-object network has looked, and found nothing."""


def no_mask_reason(objects: int, looked: bool = False) -> str:
    """The same for an image whose prompt has so many objects, none of which is the whole image;
    ``looked`` where nothing stands out."""
    if objects < 2:
        return NOTHING_STANDS_OUT if looked else NO_MASK
    return f"No object is selected: select each of the {objects} objects in Inspect."


def color_sentence(color: ObjectColor | None, prompt: str = "", looked: bool = False) -> str:
    """Why an image without a target color has no verdict, with its color where it was measured: ``No
    target color: measured #B4532A, most people would call it rust.`` With a ``prompt``, the
    sentence says that it names no color, and why that may be; ``looked`` where nothing stands out."""
    lack = "No target color in the prompt" if prompt else "No target color"
    if color is None:
        sentence = f"{lack}, and no color measured. {no_mask_reason(0, looked)}"
    else:
        sentence = f"{lack}: measured {color_hex(color)}, {naming(color.lab).clause}."
    return sentence + no_target_reason(prompt).removeprefix(f"{lack}.")


def color_hex(color: ObjectColor) -> str:
    """The measured color as ``#RRGGBB``, outside of sRGB the nearest by channel."""
    return hex_of(lab_to_srgb8(np.array(color.lab)))
