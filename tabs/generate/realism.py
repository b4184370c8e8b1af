"""Settings of CFR in Generate: the switch, λ, the source of the map, and the variants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.generation.opening import why_no_cfr
from truehue.core.generation.registry import model
from truehue.core.refinement.settings import (
    FIRST_PASS,
    MAPPED,
    PREDICTED,
    PREDICTED_AT,
    Refinement,
    refinement_of,
)

PAINTED = "painted"
FROM_CFM, OVER_CFM = "CFM’s map", "painted over CFM’s map"
OVER_SATURATION = "painted over the saturation"
SOURCES = (PAINTED, FROM_CFM, OVER_CFM, OVER_SATURATION)
"""Where a map by hand comes from: what it was begun with."""
STRENGTH = 0.7
"""What the slider begins with. The paper does not state its λ."""
_ADVICE = f"Choose a model with guidance, such as {model('small').name}, or switch CFR off."


@dataclass(frozen=True)
class Choice:
    """One of several, as the page offers it."""

    id: str
    name: str
    words: str


MAPS = (
    Choice(
        FIRST_PASS,
        "From a first pass",
        "Generates two passes with the same noise: where the first image is more saturated than "
        "photographs, guidance is turned down in the second.",
    ),
    Choice(
        PREDICTED,
        "From the sampler's prediction",
        "Generates once: the map comes from the image that the sampler predicts.",
    ),
    Choice(
        PAINTED,
        "Painted by hand",
        "You paint over an image where guidance is turned down, or begin with the map of its "
        "saturation, or of CFM where that has scored it.",
    ),
)
"""Where a map comes from."""

VARIANTS = (
    Choice(
        "full",
        "In space and time (as published)",
        "Most at the first steps, where the map is bright.",
    ),
    Choice("spatial", "In space only", "Where the map is bright, equally at every step."),
    Choice("temporal", "In time only", "Equally everywhere, most at the first steps. Uses no map."),
    Choice("none", "Not at all", "Guidance is not lowered: the paper's baseline."),
)
"""The rows of the paper's ablation."""


@dataclass(frozen=True)
class Realism:
    """CFR for what is drawn next: ``cfr`` is what a request's options hold under that name, and
    ``beside`` says whether each picture is drawn without it too."""

    cfr: Mapping[str, Any]
    beside: bool = True

    @property
    def words(self) -> str:
        """In short: ``CFR λ 0.7``."""
        return format_options({"cfr": self.cfr})


def realism_of(value: Any) -> Realism | None:
    """What the switch and its settings say; None where it is off.

    ``value``: ``{"on", "strength", "map", "variant", "at", "beside", "rows", "source"}``, as the
    page sends it. Raises BadInput in words fit to be shown.
    """
    if not isinstance(value, Mapping) or not value.get("on"):
        return None
    cfr = options_of(value)
    first = cfr.get("map") == FIRST_PASS
    return Realism(cfr, first or value.get("beside", True) is not False)


def options_of(value: Mapping[str, Any]) -> dict[str, Any]:
    """The request's ``cfr``, checked. Raises BadInput."""
    variant = value.get("variant") or "full"
    cfr: dict[str, Any] = {"strength": value.get("strength", STRENGTH), "variant": variant}
    if variant in MAPPED:
        chosen = value.get("map") or FIRST_PASS
        if chosen not in {choice.id for choice in MAPS}:
            raise BadInput(f"There is no map {str(chosen)[:40]!r} for CFR. Choose another one.")
        if chosen == PAINTED:
            if not value.get("rows"):
                raise BadInput(
                    "The map is not painted yet: click Paint the map, or choose another map."
                )
            source = value.get("source") or PAINTED
            if source not in SOURCES:
                raise BadInput(f"A map by hand is not from {str(source)[:40]!r}. Paint it again.")
            cfr |= {"map": value["rows"], "source": source}
        else:
            cfr["map"] = chosen
        if chosen == PREDICTED:
            cfr["at"] = value.get("at", PREDICTED_AT)
    refinement_of({"cfr": cfr})
    return cfr


def problem_of(models: Sequence[str], scales: Sequence[float | None]) -> str:
    """Why CFR cannot be applied to what is asked for, as a sentence; empty where it can."""
    for name in models:
        for scale in scales:
            reason = why_no_cfr(model(name), scale)
            if reason:
                return f"{reason} {_ADVICE}"
    return ""


def refinement_in(options: Mapping[str, Any]) -> Refinement | None:
    """The refinement of a stored drawing's options or origin; None where it has none that can be
    read."""
    try:
        return refinement_of(options)
    except BadInput:
        return None


def format_options(options: Mapping[str, Any]) -> str:
    """``CFR λ 0.7`` of a drawing's options; empty where it was drawn without."""
    refinement = refinement_in(options)
    if refinement is None:
        return ""
    variant = "" if refinement.variant == "full" else f", {refinement.variant}"
    return f"CFR λ {refinement.strength:g}{variant}"


def details_of(refinement: Refinement) -> list[tuple[str, str]]:
    """Name and words of each setting of a refinement."""
    variants = {choice.id: choice for choice in VARIANTS}
    rows = [
        ("Strength λ", f"{refinement.strength:g}"),
        ("Guidance lowered", variants[refinement.variant].name),
    ]
    if refinement.variant in MAPPED:
        # With λ = 0 the first pass, which would be the map, is not drawn.
        text = "not used" if refinement.needs_first_pass else "given"
        rows.append(("Map", refinement.source or text))
    if refinement.reads_prediction:
        rows.append(("Map computed after", f"{refinement.at:.0%} of the steps"))
    return rows


def first_props() -> dict[str, Any]:
    """What the page's module offers."""

    def listed(choices: Sequence[Choice]) -> list[dict[str, str]]:
        return [{"id": choice.id, "name": choice.name, "words": choice.words} for choice in choices]

    return {
        "maps": listed(MAPS),
        "variants": listed(VARIANTS),
        "mapped": list(MAPPED),
        "value": {
            "on": False,
            "strength": STRENGTH,
            "map": FIRST_PASS,
            "variant": "full",
            "at": PREDICTED_AT,
            "beside": True,
            "rows": [],
        },
    }


def link_of(realism: Realism | None) -> dict[str, Any]:
    """What a link says of it. A painted map is too long for one: it is kept with its pictures."""
    if realism is None:
        return {"cfr": "", "cfr_map": "", "cfr_variant": "", "cfr_at": ""}
    cfr = realism.cfr
    chosen = cfr.get("map", "")
    return {
        "cfr": f"{cfr['strength']:g}",
        "cfr_map": chosen if isinstance(chosen, str) else PAINTED,
        "cfr_variant": cfr["variant"] if cfr["variant"] != "full" else "",
        "cfr_at": f"{cfr['at']:g}" if cfr.get("at", PREDICTED_AT) != PREDICTED_AT else "",
    }


def from_link(query: Mapping[str, str]) -> dict[str, Any] | None:
    """The switch and its settings as a link has them; None where it does not speak of them."""
    value = dict(first_props()["value"])
    try:
        value["strength"] = float(query["cfr"])
        value["at"] = float(query.get("cfr_at") or PREDICTED_AT)
    except (KeyError, ValueError):
        return None
    value |= {
        "on": True,
        "map": query.get("cfr_map") or FIRST_PASS,
        "variant": query.get("cfr_variant") or "full",
    }
    try:
        options_of({**value, "rows": ["00"]})
    except BadInput:
        return None
    return value
