"""Protocols as presets of an evaluation's settings, and the prompts that settings ask for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from truehue.core.errors import BadInput
from truehue.core.vlm.evaluation.plan import EvaluationSettings, PromptText
from truehue.core.vlm.models.records import VisionModel
from truehue.core.vlm.prompting import Style, prompt_text
from truehue.core.vlm.released import (
    UNLIMITED_TOKENS,
    UNSAMPLED,
    family_of,
    family_settings,
    released_prompt,
)


def prompt_of(settings: EvaluationSettings) -> PromptText:
    """The text that is sent with a question's image."""
    style = Style(settings.style)
    if settings.presentation.form == "released":
        return partial(released_prompt, family=settings.presentation.family, style=style)
    return partial(prompt_text, style=style)


def model_family(model: VisionModel, family: str = "") -> str:
    """The family that is named, else that of the model's names. Raises BadInput for none."""
    if family:
        return family_settings(family, Style.PLAIN).family
    served = [model.served().model] if model.kind == "served" else []
    return family_of([model.id, model.location, *served])


def released_preset(
    model: VisionModel, settings: EvaluationSettings, family: str = ""
) -> tuple[VisionModel, EvaluationSettings]:
    """``colorbench-released``: the settings with all that the released code decides, and the model
    as it is called then. Style, version of the image and seed stay; the temperature is 0, which
    GPT and Gemini are not told, as there.

    Raises BadInput for a baseline, for a temperature, and where no family is known.
    """
    if model.kind == "baseline":
        raise BadInput(
            "ColorBench's released code has no baseline: give --protocol truehue.", "protocol"
        )
    if settings.temperature:
        raise BadInput("The released code takes the likeliest token: leave out the temperature.")
    chosen = family_settings(model_family(model, family), Style(settings.style))
    if model.kind == "served" and chosen.family in UNSAMPLED:
        model = replace(model, settings={**model.settings, "temperature": False})
    tokens = chosen.max_tokens or UNLIMITED_TOKENS
    return model, replace(settings, max_tokens=tokens, presentation=chosen.presentation())
