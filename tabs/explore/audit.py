"""Where two rules disagree on stored images: counts, pictures, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truehue.core.color.systems import SYSTEMS
from truehue.core.verdict.rules import DEFAULT_RULE, MATCHES, RULES, rule
from truehue.storage.verdicts.agreement import CELLS, Pair, VerdictPair
from truehue.tabs.page.context import Context

PAGE = 24
FIRST, SECOND = DEFAULT_RULE, "paper"
NO_SYSTEM = "none"
TASKS = {"cna": "CNA", "ncu": "NCU", "coa": "COA", "moc": "MOC", "ica": "ICA"}


def agreement_view(context: Context, query: Mapping[str, str]) -> dict[str, Any]:
    """The table of two rules and a page of the pictures of one of its parts.

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


def pair_json(pair: Pair) -> dict[str, Any]:
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


def _verdict_json(verdict: VerdictPair) -> dict[str, Any]:
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
