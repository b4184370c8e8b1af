"""The summary of a run, its ``plan.json``: every part that somebody reads is there, and is what it
should be. A folder may come from anywhere; whoever lists runs relies on this."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from core.errors import BadInput
from core.runs.records import DRAWN, STORED, MaskerSpec

FORMAT = 1
"""Of plan.json; a run of another format is refused."""

MOST_PICTURES = 50_000_000
"""Pictures of one run."""

MOST_RULES = 32
MOST_PARTS = 10_000
"""Characters of options, or of what a run was made with, as JSON."""

_TEXTS = {
    "name": 200,
    "set_name": 1_000,
    "model": 1_000,
    "kind": 40,
    "negative_text": 10_000,
    "munsell": 10_000,
    "created_at": 100,
    "prompts_sha256": 64,
    "run_id": 64,
}
"""Characters at most."""

_WHOLE = ("images", "seed", "k", "prompts", "total")
_NUMBERS_OR_NONE = ("guidance", "steps", "size_px")
_REST = ("format", "options", "masker", "rules", "made_with")
_SOMETIMES = ("items", "items_sha256", "guidances", "munsell_sha256")
MADE = frozenset((*_TEXTS, *_WHOLE, *_NUMBERS_OR_NONE, *_REST, *_SOMETIMES))
"""All that a plan may say; ``imported`` is said of it here."""


def checked_summary(made: Any) -> dict[str, Any]:
    """``made``, what ``plan.json`` holds, as it was checked: masker and rules are those of the
    records. Raises BadInput, a part of a sentence (``it has no size_px``), for the first thing that
    is missing or wrong."""
    if not isinstance(made, dict):
        raise BadInput("it is no JSON object")
    if made.get("format") != FORMAT:
        raise BadInput(f"it has format {made.get('format')!r:.20}, this TrueHue reads {FORMAT}")
    required = MADE - set(_SOMETIMES)
    if absent := sorted(required - set(made)):
        raise BadInput(f"it has no {absent[0]}")
    for name, most in _TEXTS.items():
        _must(isinstance(made[name], str) and len(made[name]) <= most, f"its {name} is no text")
    _must(made["kind"] in (DRAWN, STORED), f"its kind is {made['kind']!r}")
    for name in _WHOLE:
        _must(_whole(made[name], 2**63 - 1), f"its {name} is no number")
    _must(
        1 <= made["images"] <= 10**6 and 1 <= made["total"] <= MOST_PICTURES,
        "it has no pictures, or too many",
    )
    _must(1 <= made["prompts"] <= MOST_PICTURES, "it has no prompts, or too many")
    for name in _NUMBERS_OR_NONE:
        _must(made[name] is None or _number(made[name]), f"its {name} is no number")
    for name in ("items_sha256", "munsell_sha256"):
        _must(isinstance(made.get(name, ""), str), f"its {name} is no text")
    if made["kind"] == STORED:
        _must(_whole(made.get("items"), MOST_PICTURES), "its items is no number")
    _check_options(made)
    _check_scales(made)
    _must(_is_time(made["created_at"]), "its created_at is no time")
    return {**made, "masker": _masker(made["masker"]), "rules": _rules(made)}


def _check_options(made: Mapping[str, Any]) -> None:
    for name in ("options", "made_with"):
        part = made[name]
        _must(isinstance(part, dict), f"its {name} are no JSON object")
        _must(_json_length(part) <= MOST_PARTS, f"its {name} are too long, or no JSON")
    for name in ("light", "failure"):
        _must(isinstance(made["options"].get(name, ""), str), f"its {name} is no text")
    _must(
        all(isinstance(one, str) for one in made["made_with"].values()),
        "what it was made with is no text",
    )


def _check_scales(made: Mapping[str, Any]) -> None:
    scales = made.get("guidances", [])
    known = isinstance(scales, list) and all(map(_number, scales))
    _must(known and len(set(scales)) == len(scales), "its guidance scales are no numbers")
    if scales and (
        len(scales) < 2
        or made["kind"] != DRAWN
        or made["guidance"] is not None
        or made["images"] % len(scales)
    ):
        raise BadInput("its guidance scales do not fit its pictures")


def _masker(given: Any) -> dict[str, Any]:
    """Who marks the objects, with every field; none is made up for one that is missing."""
    names = {field.name for field in fields(MaskerSpec)}
    _must(isinstance(given, dict) and set(given) == names, "its masker is not whole")
    _must(
        all(isinstance(one, str) and len(one) <= 1_000 for one in given.values()),
        "its masker is no text",
    )
    return asdict(MaskerSpec(**given))


def _rules(made: Mapping[str, Any]) -> list[list[str]]:
    rules = made["rules"]
    # Only a run that measures concepts can do without.
    measures = bool(made["made_with"].get("profile"))
    if not isinstance(rules, list) or not (rules or measures) or len(rules) > MOST_RULES:
        raise BadInput("it names no rules")
    for one in rules:
        _must(
            isinstance(one, list)
            and len(one) == 2
            and all(isinstance(part, str) and len(part) <= 100 for part in one),
            "it names no rules",
        )
    _must(len({rule[0] for rule in rules}) == len(rules), "it names a rule twice")
    return [[str(rule[0]), str(rule[1])] for rule in rules]


def _whole(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _number(value: Any) -> bool:
    """From 0 on, and one that a float can hold: JSON has whole numbers of any length."""
    return type(value) in (int, float) and 0 <= value < 1e9


def _json_length(value: Any) -> float:
    try:
        return len(json.dumps(value, allow_nan=False))
    except (ValueError, RecursionError):
        return math.inf


def _is_time(text: str) -> bool:
    """ISO 8601, or nothing."""
    try:
        return not text or bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadInput(otherwise)
