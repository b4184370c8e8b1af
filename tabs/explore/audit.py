"""Where two rules disagree on stored images: counts, pictures, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.color.systems import SYSTEMS
from core.verdict.rules import DEFAULT_RULE, RULES, rule
from storage.verdicts.agreement import CELLS, Pair, VerdictPair
from tabs.page.context import Context

PAGE = 24
FIRST, SECOND = DEFAULT_RULE, "paper"
NO_SYSTEM = "none"
TASKS = {"cna": "CNA", "ncu": "NCU", "coa": "COA", "moc": "MOC", "ica": "ICA"}


def agreement_view(context: Context, given: Mapping[str, str]) -> dict[str, Any]:
    """The table of two rules and a page of the pictures of one of its parts.

    ``given`` may hold ``a`` and ``b`` (rules), ``task``, ``system``, ``cell`` and ``offset``.
    Raises BadInput for an unknown rule or part, or one rule twice.
    """
    first, second = rule(given.get("a") or FIRST), rule(given.get("b") or SECOND)
    cell = given.get("cell") or CELLS[0]
    task, system = given.get("task") or None, given.get("system") or None
    offset = int(given["offset"]) if given.get("offset", "").isdecimal() else 0
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
        "tasks": [{"id": one, "name": TASKS.get(one, one)} for one in agreement.tasks()],
        "systems": [
            {"id": one or NO_SYSTEM, "name": SYSTEMS.get(one, "hex or rgb")}
            for one in agreement.systems()
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
        "hex": target.get("hex") or "",
        "color": label,
        "thumb": f"/media/thumbs/{pair.image_id}.png?side=384",
        "said": [_said_json(pair.first), _said_json(pair.second)],
    }


def _said_json(said: VerdictPair) -> dict[str, Any]:
    now = next((by for by in RULES if by.id == said.rule), None)
    words = []
    if now is not None and now.version != said.version:
        words.append(f"version {said.version}, now {now.version}")
    if said.parameters.get("k"):
        words.append(f"k = {said.parameters['k']}")
    return {
        "rule": said.rule,
        "name": now.name if now else said.rule,
        "status": said.status,
        "reason": said.reason,
        "delta_e00": said.numbers.get("delta_e00"),
        "found": said.numbers.get("found_hex") or "",
        "words": ", ".join(words),
        "evidence": said.evidence_id,
    }
