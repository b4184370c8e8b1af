"""What people ask of a run, on the page or on the command line, read and checked field by field."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.color.systems import SYSTEMS
from core.errors import BadInput
from core.generation.registry import RENDERER, model
from core.generation.renderer import FAILURES, LIGHTS
from core.generation.request import MAX_SEED
from core.masks.grounded.variants import VARIANTS
from core.masks.grounded.vision_models import vision_model
from core.prompts.prompt import TASKS
from core.runs.records import MaskerSpec
from core.verdict.candidates import MAX_NEIGHBORS
from core.verdict.rules import RULES, rule

EXACT, WHOLE, GROUNDED = MASKERS = ("exact", "whole", "grounded")
DEFAULT_RULES = tuple(by.id for by in RULES if by.main)
DEFAULT_IMAGES = 4
DETECTOR, SEGMENTER = "grounding-dino-base", "sam-vit-h"
MOST_IMAGES = 1_000
MOST_WORKERS = 256
EXACT_MASKS = MaskerSpec(EXACT)


class FieldProblem(BadInput):
    """Bad input in one field: ``field`` is its name in the form."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class RunWish:
    """What a run shall do; None stands for each model's own default.

    ``set_id`` as :class:`tabs.library.service.Library` names sets. ``limit`` prompts at most are
    taken, at equal distances, concepts as whole families. ``images`` counts for each of the
    ``guidances``, where there are several: then ``guidance`` is None. Several ``models`` become one
    run each; with ``stored``, the one model is whose pictures of the data folder are scored.
    """

    set_id: str
    models: tuple[str, ...] = (RENDERER,)
    stored: bool = False
    task: str = ""
    system: str = ""
    limit: int | None = None
    images: int = DEFAULT_IMAGES
    seed: int = 0
    size_px: int | None = None
    steps: int | None = None
    guidance: float | None = None
    negative_text: str = ""
    light: str = "studio"
    failure: str = "none"
    masker: MaskerSpec = EXACT_MASKS
    rules: tuple[str, ...] = DEFAULT_RULES
    k: int = 0
    name: str = ""
    guidances: tuple[float, ...] = ()


def wish_of(given: Mapping[str, Any]) -> RunWish:
    """Reads the fields of a form; raises FieldProblem that names the field and what it takes."""
    set_id = str(given.get("set") or "").strip()
    if not set_id:
        raise FieldProblem("set", "Choose a prompt set.")
    stored = given.get("kind") == "stored"
    models = _models(given.get("models"), stored)
    images = whole("images", "Images per prompt", given.get("images", DEFAULT_IMAGES), 1,
                   MOST_IMAGES)  # fmt: skip
    seed = whole("seed", "The first seed", given.get("seed", 0), 0, MAX_SEED)
    if seed + images - 1 > MAX_SEED:
        raise FieldProblem("seed", f"The last seed would be above {MAX_SEED:,}: begin lower.")
    scales = _guidances(given.get("guidance"))
    return RunWish(
        set_id=set_id,
        models=models,
        stored=stored,
        task=_of("task", "task", given.get("task"), TASKS),
        system=_of("system", "color system", given.get("system"), SYSTEMS),
        limit=maybe("limit", "The number of prompts", given.get("limit"), 1, 10**9),
        images=images,
        seed=seed,
        size_px=maybe("size", "The size", given.get("size"), 64, 4096),
        steps=maybe("steps", "Steps", given.get("steps"), 1, 500),
        guidance=scales[0] if len(scales) == 1 else None,
        negative_text=str(given.get("negative") or "").strip(),
        light=_of("light", "light", given.get("light") or "studio", LIGHTS),
        failure=_of("failure", "failure", given.get("failure") or "none", FAILURES),
        masker=_masker(given, models, stored),
        rules=_rules(given.get("rules")),
        k=whole("k", "k", given.get("k") or 0, 0, MAX_NEIGHBORS),
        name=" ".join(str(given.get("name") or "").split())[:120],
        guidances=scales if len(scales) > 1 else (),
    )


def _models(given: Any, stored: bool) -> tuple[str, ...]:
    listed = [given] if isinstance(given, str) else given or ()
    if not isinstance(listed, (list, tuple)):
        raise FieldProblem("models", "The models are a list of ids.")
    models = tuple(dict.fromkeys(str(one).strip() for one in listed if str(one).strip()))
    if stored:
        if len(models) != 1:
            raise FieldProblem("models", "Choose whose pictures are to be scored: one model.")
        return models
    if not models:
        raise FieldProblem("models", "Choose at least one model.")
    for one in models:
        _field("models", lambda one=one: model(one))  # type: ignore[misc]
    return models


def _masker(given: Mapping[str, Any], models: tuple[str, ...], stored: bool) -> MaskerSpec:
    only_renderer = all(one == RENDERER for one in models)
    kind = _of("masker", "way to masks", given.get("masker"), MASKERS) or (
        EXACT if stored or only_renderer else GROUNDED
    )
    if kind == EXACT and not (stored or only_renderer):
        raise FieldProblem(
            "masker",
            "Only the reference renderer knows where its objects are. Have a detector and a "
            "segmenter find them, or measure whole pictures.",
        )
    if kind != GROUNDED:
        return MaskerSpec(kind)
    detector = str(given.get("detector") or DETECTOR)
    segmenter = str(given.get("segmenter") or SEGMENTER)
    presence = str(given.get("presence") or "")
    _field("detector", lambda: vision_model(detector, "detector"))
    _field("segmenter", lambda: vision_model(segmenter, "segmenter"))
    if presence:
        _field("presence", lambda: vision_model(presence, "presence"))
    variants = [one.id for one in VARIANTS]
    variant = _of("variant", "variant of masks", given.get("variant") or variants[0], variants)
    return MaskerSpec(kind, detector, segmenter, presence, variant)


def _rules(given: Any) -> tuple[str, ...]:
    if given is None:
        return DEFAULT_RULES
    listed = given.split(",") if isinstance(given, str) else list(given)
    rules = tuple(dict.fromkeys(str(one).strip() for one in listed if str(one).strip()))
    if not rules:
        raise FieldProblem("rules", "Choose at least one rule.")
    for one in rules:
        _field("rules", lambda one=one: rule(one))  # type: ignore[misc]
    return rules


def _guidances(given: Any) -> tuple[float, ...]:
    """No guidance, one, or several scales, separated by commas."""
    text = "" if given is None else str(given).strip()
    out: list[float] = []
    for one in text.split(",") if text else ():
        try:
            value = float(one)
        except ValueError:
            value = math.nan
        if not 0 <= value <= 100:
            raise FieldProblem(
                "guidance", "Guidance is a number from 0 to 100, or several separated by commas, "
                f"not {one.strip()!r:.30}.",
            )  # fmt: skip
        if value in out:
            raise FieldProblem("guidance", f"Guidance {value:g} stands there twice.")
        out.append(value)
    return tuple(out)


def price_of(given: Any) -> float | None:
    """What an hour of the machine costs; None where nothing is given. Raises FieldProblem."""
    text = str(given if given is not None else "").strip().lstrip("$€£ ")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1e6:
        raise FieldProblem("price", f"The price is a number, such as 2.50, not {text[:20]!r}.")
    return value


def _of(field: str, what: str, given: Any, known: Any) -> str:
    """One of the known words, or none."""
    word = str(given or "").strip()
    if word and word not in known:
        names = ", ".join(known)
        raise FieldProblem(field, f"There is no {what} {word[:60]!r}. It is one of {names}.")
    return word


def maybe(field: str, what: str, given: Any, least: int, most: int) -> int | None:
    """A whole number, or None where nothing is given."""
    if given is None or str(given).strip() == "":
        return None
    return whole(field, what, given, least, most)


def whole(field: str, what: str, given: Any, least: int, most: int) -> int:
    """A whole number of a form, given as a number or its digits; raises FieldProblem."""
    text = str(given).strip().replace(",", "")
    if isinstance(given, bool) or not (text.isascii() and text.isdigit() and len(text) < 19):
        raise FieldProblem(field, f"{what} is a whole number from {least:,} to {most:,}.")
    value = int(text)
    if not least <= value <= most:
        raise FieldProblem(
            field, f"{what} is a whole number from {least:,} to {most:,}, not {value:,}."
        )
    return value


def _field(field: str, check: Callable[[], Any]) -> None:
    """Runs a check; what it refuses is said of this field."""
    try:
        check()
    except BadInput as error:
        raise FieldProblem(field, str(error)) from None
