"""The summary of a run, its ``plan.json``: check that every field is present and valid, since a folder
may come from anywhere and lists of runs rely on it; and labels of its settings."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from truehue.core.batch.folder import FORMAT
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.registration import Registration
from truehue.core.generation.registry import model, name_of
from truehue.core.prompts.sets import set_title
from truehue.core.runs.records import (
    ALL,
    DRAWN,
    EXACT,
    GROUNDED,
    KEEP_IMAGES,
    KEPT_ONE_IN,
    NONE,
    PER_PROMPT,
    SALIENT,
    SAMPLE,
    SEED_MODES,
    SHARED,
    STORED,
    MaskerSpec,
)

MAX_IMAGES = 50_000_000
"""Images of one run."""

MAX_RULES = 32
MAX_PARTS = 10_000
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
_SOMETIMES = (
    "items",
    "items_sha256",
    "guidances",
    "munsell_sha256",
    "protocol",
    "seed_mode",
    "keep_images",
    "cfm",
    "cfm_files",
)
CFM_FILES = ("folder", "base")
"""Of a CFM's registration, what is of this machine alone."""
MADE = frozenset((*_TEXTS, *_WHOLE, *_NUMBERS_OR_NONE, *_REST, *_SOMETIMES))
"""All that a plan may say; ``imported`` is said of it here."""


def checked_summary(summary: Any) -> dict[str, Any]:
    """``summary``, what ``plan.json`` holds, as it was checked: masker and rules are those of the
    records. Raises BadInput, a part of a sentence (``it has no size_px``), for the first thing that
    is missing or wrong."""
    if not isinstance(summary, dict):
        raise BadInput("it is no JSON object")
    if summary.get("format") != FORMAT:
        raise BadInput(f"it has format {summary.get('format')!r:.20}, this TrueHue reads {FORMAT}")
    required = MADE - set(_SOMETIMES)
    if absent := sorted(required - set(summary)):
        raise BadInput(f"it has no {absent[0]}")
    for name, limit in _TEXTS.items():
        _must(
            isinstance(summary[name], str) and len(summary[name]) <= limit, f"its {name} is no text"
        )
    _must(summary["kind"] in (DRAWN, STORED), f"its kind is {summary['kind']!r}")
    for name in _WHOLE:
        _must(_whole(summary[name], 2**63 - 1), f"its {name} is no number")
    _must(
        1 <= summary["images"] <= 10**6 and 1 <= summary["total"] <= MAX_IMAGES,
        "it has no images, or too many",
    )
    _must(1 <= summary["prompts"] <= MAX_IMAGES, "it has no prompts, or too many")
    for name in _NUMBERS_OR_NONE:
        _must(summary[name] is None or _number(summary[name]), f"its {name} is no number")
    for name in ("items_sha256", "munsell_sha256", "protocol"):
        _must(isinstance(summary.get(name, ""), str), f"its {name} is no text")
    if summary["kind"] == STORED:
        _must(_whole(summary.get("items"), MAX_IMAGES), "its items is no number")
    _must(summary.get("seed_mode", SHARED) in SEED_MODES, "its seed_mode is unknown")
    _must(summary.get("keep_images", ALL) in KEEP_IMAGES, "its keep_images is unknown")
    _check_options(summary)
    _check_cfm(summary)
    _check_scales(summary)
    _must(_is_time(summary["created_at"]), "its created_at is no time")
    return {
        **summary,
        "name": shown_name(summary["name"], summary["kind"], summary["model"]),
        "masker": _masker(summary["masker"]),
        "rules": _rules(summary),
    }


def stored_name(model_id: str) -> str:
    """What names a run of a model's stored images."""
    return f"images of {name_of(model_id)}"


def former_stored_name(model_id: str) -> str:
    """What named it before; ids of runs are still made of it."""
    return f"pictures of {name_of(model_id)}"


def shown_name(name: str, kind: str, model_id: str) -> str:
    """The name of a run, also of one that was stored under its former name."""
    if kind != STORED:
        return name
    return name.replace(former_stored_name(model_id), stored_name(model_id))


def masker_text(masker: Mapping[str, Any]) -> str:
    """A short label of the masker."""
    if masker["kind"] == GROUNDED:
        prompts = f", presence by {masker['presence']}" if masker.get("presence") else ""
        return f"{masker['detector']} + {masker['segmenter']}, {masker['variant']}{prompts}"
    return {EXACT: "exact masks", SALIENT: "salient objects"}.get(masker["kind"], "whole images")


def guidance_text(summary: Mapping[str, Any]) -> str:
    """``guidance 7.5`` or ``guidance 3, 5, 7``; empty for a model's own."""
    scales = summary.get("guidances") or [summary.get("guidance")]
    named = [f"{scale:g}" for scale in scales if scale is not None]
    return f"guidance {', '.join(named)}" if named else ""


def prompts_text(summary: Mapping[str, Any]) -> str:
    """How many prompts, and of which set where that has a name: ``12 prompts of GenColorBench``."""
    count, title = int(summary["prompts"]), set_title(summary["set_name"])
    return f"{count:,} prompt{'' if count == 1 else 's'}{f' of {title}' if title else ''}"


def seeds_text(summary: Mapping[str, Any]) -> str:
    """``seed 42``, ``seeds 42–45`` or ``4 seeds per prompt, derived from 42``."""
    first = summary["seed"]
    count = summary["images"] // max(len(summary.get("guidances") or []), 1)
    if summary.get("seed_mode") == PER_PROMPT:
        return f"{count} {'seed' if count == 1 else 'seeds'} per prompt, derived from {first}"
    return f"seed {first}" if count == 1 else f"seeds {first}–{first + count - 1}"


def kept_text(summary: Mapping[str, Any]) -> str:
    """Which images' pixels a run keeps; empty where it keeps all."""
    return {
        SAMPLE: f"keeps 1 in {KEPT_ONE_IN} images",
        NONE: "keeps no images",
    }.get(summary.get("keep_images", ALL), "")


def with_weights(summary: Mapping[str, Any]) -> bool:
    """Whether a run puts models onto the device: to draw, or to find objects."""
    entry = model(str(summary["model"])) if summary["kind"] == DRAWN else None
    draws = entry is not None and entry.kind in ("diffusers", "transformers")
    return draws or summary["masker"]["kind"] == GROUNDED


def _check_options(summary: Mapping[str, Any]) -> None:
    for name in ("options", "made_with"):
        part = summary[name]
        _must(isinstance(part, dict), f"its {name} are no JSON object")
        _must(_json_length(part) <= MAX_PARTS, f"its {name} are too long, or no JSON")
    batch = summary["options"].get("batch", 1)
    _must(_whole(batch, 10**6) and batch > 0, "its batch is no number")
    for name in ("light", "failure"):
        _must(isinstance(summary["options"].get(name, ""), str), f"its {name} is no text")
    _must(
        all(isinstance(version, str) for version in summary["made_with"].values()),
        "what it was made with is no text",
    )


def _check_cfm(summary: Mapping[str, Any]) -> None:
    named = {field.name for field in fields(Registration)}
    for part, names in (("cfm", named - set(CFM_FILES)), ("cfm_files", set(CFM_FILES))):
        cfm = summary.get(part)
        _must(("cfm" in summary) == (part in summary), "its CFM is not whole")
        if cfm is not None:
            texts = isinstance(cfm, dict) and all(isinstance(item, str) for item in cfm.values())
            _must(texts and set(cfm) == names, "its CFM is not whole")
            _must(_json_length(cfm) <= MAX_PARTS, "its CFM is too long")


def cfr_text(summary: Mapping[str, Any]) -> str:
    """``CFR full, λ 0.7, map of CFM``; empty for images without CFR."""
    cfr = summary["options"].get("cfr")
    if not isinstance(cfr, Mapping):
        return ""
    parts = [f"CFR {cfr.get('variant', 'full')}"]
    if cfr.get("variant") != "none":
        parts.append(f"λ {cfr.get('strength')}")
    if (chosen := cfr.get("map")) is not None:
        named = {"cfm": "map of CFM", "first pass": "map of saturation"}
        rows = str(cfr.get("source") or "map of a file")
        parts.append(named.get(chosen, "map predicted") if isinstance(chosen, str) else rows)
    return ", ".join(parts)


def _check_scales(summary: Mapping[str, Any]) -> None:
    scales = summary.get("guidances", [])
    valid = isinstance(scales, list) and all(map(_number, scales))
    _must(valid and len(set(scales)) == len(scales), "its guidance scales are no numbers")
    if scales and (
        len(scales) < 2
        or summary["kind"] != DRAWN
        or summary["guidance"] is not None
        or summary["images"] % len(scales)
    ):
        raise BadInput("its guidance scales do not fit its images")


def _masker(masker_json: Any) -> dict[str, Any]:
    """Who marks the objects, with every field; none is made up for one that is missing."""
    names = {field.name for field in fields(MaskerSpec)}
    _must(isinstance(masker_json, dict) and set(masker_json) == names, "its masker is not whole")
    _must(
        all(isinstance(value, str) and len(value) <= 1_000 for value in masker_json.values()),
        "its masker is no text",
    )
    return asdict(MaskerSpec(**masker_json))


def _rules(summary: Mapping[str, Any]) -> list[list[str]]:
    rules = summary["rules"]
    # Only a run that measures concepts can do without.
    measures = bool(summary["made_with"].get("profile"))
    if not isinstance(rules, list) or not (rules or measures) or len(rules) > MAX_RULES:
        raise BadInput("it names no rules")
    for rule in rules:
        _must(
            isinstance(rule, list)
            and len(rule) == 2
            and all(isinstance(part, str) and len(part) <= 100 for part in rule),
            "it names no rules",
        )
    _must(len({rule[0] for rule in rules}) == len(rules), "it names a rule twice")
    return [[str(rule[0]), str(rule[1])] for rule in rules]


def _whole(value: Any, limit: int) -> bool:
    return type(value) is int and 0 <= value <= limit


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
