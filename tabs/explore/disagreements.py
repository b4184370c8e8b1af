"""Rule disagreements on stored images: counts, images, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from truehue.core.analysis.intervals import wilson
from truehue.core.color.systems import SYSTEMS, parse_target
from truehue.core.errors import BadInput, NotStored, TrueHueError
from truehue.core.records import EvidenceRecord
from truehue.core.verdict.audit import audit
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import (
    MaskCache,
    Measurement,
    TargetObject,
    measure,
    unscored_measurement,
)
from truehue.core.verdict.rules import DEFAULT_RULE, MATCHES, RULES, rule
from truehue.storage.verdicts.agreement import CELLS, Pair, VerdictPair
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.shared_answers import NamedChoice

PAGE = 24
FIRST, SECOND = DEFAULT_RULE, "paper"
NO_SYSTEM = "none"
TASKS = {"cna": "CNA", "ncu": "NCU", "coa": "COA", "moc": "MOC", "ica": "ICA"}


class RuleJson(TypedDict):
    """A rule of verdicts."""

    id: str
    name: str
    version: str
    description: str
    main: bool


class StoredVerdict(TypedDict):
    """A verdict of a rule as stored; ``words`` say by which version and settings."""

    rule: str
    name: str
    status: str
    reason: str
    delta_e00: float | None
    found: str
    words: str
    evidence: str


class VerdictPairJson(TypedDict):
    """A question and the verdicts of both rules."""

    key: str
    image_id: str
    mask: str
    object: str
    target: str
    relation: str
    hex: str
    color: str
    thumb: str
    said: list[StoredVerdict]


class DisagreementsView(TypedDict):
    """The table of rules ``a`` and ``b``, and a page of the ``pairs`` of its part ``cell``."""

    a: str
    b: str
    cell: str
    task: str
    system: str
    rules: list[RuleJson]
    counts: dict[str, int]
    judged: int
    kappa: float | None
    interval: tuple[float, float] | None
    first_only: int
    second_only: int
    images: int
    tasks: list[NamedChoice]
    systems: list[NamedChoice]
    pairs: list[VerdictPairJson]
    total: int


class DisagreementReason(TypedDict, total=False):
    """A sentence and the steps that differ, or the problem."""

    sentence: str
    reasons: list[tuple[str, str]]
    problem: str


class DisagreementReasons(TypedDict):
    """The reasons by the key of a pair."""

    why: dict[str, DisagreementReason]


def agreement_view(context: Context, query: Mapping[str, str]) -> DisagreementsView:
    """The table of two rules and a page of the images of one of its parts.

    ``query`` may hold ``a`` and ``b`` (rules), ``task``, ``system``, ``cell`` and ``offset``.
    Raises BadInput for an unknown rule or part, or one rule twice.
    """
    first, second = rule(query.get("a") or FIRST), rule(query.get("b") or SECOND)
    cell = query.get("cell") or CELLS[0]
    task, system = query.get("task") or None, query.get("system") or None
    offset = int(query["offset"]) if query.get("offset", "").isdecimal() else 0
    narrowed = (task, "" if system == NO_SYSTEM else system)
    agreement = context.storage.agreement
    table = agreement.table(first.id, second.id, *narrowed)
    pairs = agreement.pairs(first.id, second.id, cell, PAGE, min(offset, 2**31), *narrowed)
    total = {
        "disagree": table.first + table.second,
        "first": table.first,
        "second": table.second,
        "both": table.both,
        "neither": table.neither,
        "unscored": table.unscored,
    }
    return {
        "a": first.id,
        "b": second.id,
        "cell": cell,
        "task": task or "",
        "system": system or "",
        "rules": [
            {
                "id": by.id,
                "name": by.name,
                "version": by.version,
                "description": by.description,
                "main": by.main,
            }
            for by in RULES
        ],
        "counts": total,
        "judged": table.judged,
        "kappa": table.kappa,
        "interval": disagree_interval(total["disagree"], table.judged - table.unscored),
        "first_only": table.first_only,
        "second_only": table.second_only,
        "images": context.storage.images.count(),
        "tasks": [{"id": task, "name": TASKS.get(task, task)} for task in agreement.tasks()],
        "systems": [
            {"id": system or NO_SYSTEM, "name": SYSTEMS.get(system, "hex or rgb")}
            for system in agreement.systems()
        ],
        "pairs": [pair_json(pair) for pair in pairs],
        "total": total[cell],
    }


def disagree_interval(apart: int, scored: int) -> tuple[float, float] | None:
    """Wilson's 95% interval, in percent, of the share of ``scored`` questions that is ``apart``."""
    return wilson(apart / scored, scored) if scored else None


def pair_json(pair: Pair) -> VerdictPairJson:
    """A question and both answers, as a card shows them."""
    target = pair.target
    label = target.get("name") or target.get("hex") or target.get("value") or ""
    value = target.get("value") or target.get("hex") or ""
    return {
        "key": f"{pair.first.evidence_id}-{pair.second.evidence_id}",
        "image_id": pair.image_id,
        "mask": pair.mask_id or "",
        "object": pair.object_name,
        "target": value,
        "relation": target.get("relation") or MATCHES,
        "hex": target.get("hex") or "",
        "color": label,
        "thumb": f"/media/thumbs/{pair.image_id}.png?side=384",
        "said": [_verdict_json(pair.first), _verdict_json(pair.second)],
    }


def _verdict_json(verdict: VerdictPair) -> StoredVerdict:
    current = next((by for by in RULES if by.id == verdict.rule), None)
    parts = []
    if current is not None and current.version != verdict.version:
        parts.append(f"version {verdict.version}, now {current.version}")
    if verdict.parameters.get("k"):
        parts.append(f"k = {verdict.parameters['k']}")
    return {
        "rule": verdict.rule,
        "name": current.name if current else verdict.rule,
        "status": verdict.status,
        "reason": verdict.reason,
        "delta_e00": verdict.numbers.get("delta_e00"),
        "found": verdict.numbers.get("found_hex") or "",
        "words": ", ".join(parts),
        "evidence": verdict.evidence_id,
    }


MAX_AT_ONCE = 8


def reasons_view(context: Context, keys: str) -> DisagreementReasons:
    """Why the rules disagree on the pairs of these ``keys``, with commas between them."""
    return {"why": reasons(context, keys.split(",") if keys else [])}


def reasons(context: Context, keys: Sequence[str]) -> dict[str, DisagreementReason]:
    """For each key of a card (two evidence ids with a hyphen): a sentence and the steps that
    differ, or the problem in words. Raises BadInput for too many at once.
    """
    if len(keys) > MAX_AT_ONCE:
        raise BadInput(f"At most {MAX_AT_ONCE} reasons at once.")
    return {key: _reasons(context, key) for key in keys}


def _reasons(context: Context, key: str) -> DisagreementReason:
    try:
        first, second = _pair(context, key)
        measurements = measured_again(context, first, second)
    except TrueHueError as error:
        return {"problem": message_of(error)}
    explanation = audit(measurements)
    by = {measurement.verdict.rule: measurement.verdict.status for measurement in measurements}
    if any(by.get(row.protocol) != row.status for row in (first, second)):
        statuses = ", ".join(
            f"{row.protocol} {by.get(row.protocol, 'is not installed')}" for row in (first, second)
        )
        return {"problem": f"These verdicts are of an older version. Measured now: {statuses}."}
    if explanation is None:
        return {"problem": ""}
    return {"sentence": explanation.sentence, "reasons": list(explanation.reasons)}


def _pair(context: Context, key: str) -> tuple[EvidenceRecord, EvidenceRecord]:
    """The two stored verdicts of a key. Raises NotStored, or BadInput for different pixels."""
    first, _, second = key.partition("-")
    if not (first and second):
        raise NotStored("The page asked about verdicts that are not stored. Reload the page.")
    evidence, other = (context.storage.evidence.get(name) for name in (first, second))
    if (evidence.image_id, evidence.mask_id) != (other.image_id, other.mask_id):
        raise BadInput("These verdicts are of different pixels.")
    return evidence, other


def measured_again(
    context: Context, first: EvidenceRecord, second: EvidenceRecord
) -> list[Measurement]:
    """Both verdicts, and those of the variants of their rules (``released-unguided`` beside
    ``released``), which show which step turns a verdict.

    Each is measured with the settings that its row holds. Raises BadInput for a row without a mask:
    there is nothing to measure.
    """
    if first.mask_id is None:
        raise BadInput("The object is not in the image: there are no pixels to measure.")
    srgb8, mask = context.srgb8(first.image_id), context.mask_pixels(first.mask_id)
    cache, measurements = MaskCache(), []
    for by in RULES:
        row = _row_for(by.id, (first, second))
        if row is None:
            continue
        target_row, name = row.target, row.object_name
        target = parse_target(str(target_row.get("value") or target_row.get("hex") or ""))
        relation = str(target_row.get("relation") or MATCHES)
        settings = row.parameters
        try:
            # A row that names no samples was judged without any, as by numbers; a rule that has
            # samples of its own takes them where the color has a category.
            alone = row.protocol == by.id and "munsell_sha256" not in settings
            measurements.append(
                measure(
                    srgb8,
                    mask,
                    target,
                    by.id,
                    acceptance=Acceptance(
                        int(settings.get("k") or 0),
                        context.munsell,
                        settings.get("neighbors_of"),
                        by_number=alone,
                    ),
                    target_object=TargetObject(
                        name,
                        relation,
                        settings.get("guided"),
                    ),
                    cache=cache,
                )
            )
        except TrueHueError as error:
            reason = message_of(error)
            measurements.append(unscored_measurement(reason, target, by.id, name, relation))
    return measurements


def _row_for(rule_id: str, rows: Sequence[EvidenceRecord]) -> EvidenceRecord | None:
    """The row of that rule, else of the rule that it is a variant of."""
    own = (row for row in rows if row.protocol == rule_id)
    variant = (row for row in rows if rule_id.startswith(f"{row.protocol}-"))
    return next(own, None) or next(variant, None)
