"""Limits of requests to the engine, each with the message for a request that exceeds it.

Models check their own limits (a side that must divide by 16, an unknown object).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.generation.request import MAX_SEED, GenerationRequest
from truehue.core.prompts.prompt import MAX_PROMPT_CHARACTERS

MAX_REQUESTS = 100_000
SIDES_PX = (64, 4096)
STEPS = (1, 500)
GUIDANCE = (0.0, 100.0)
MAX_DEPTH = 10


def checked(request: GenerationRequest) -> GenerationRequest:
    """The request as it came; raises BadInput for one that no model may be asked."""
    if not isinstance(request, GenerationRequest):
        raise BadInput(f"A request is a GenerationRequest, not a {type(request).__name__}.")
    if not isinstance(request.model, str) or not request.model.strip():
        raise BadInput("The request names no model. Choose one.")
    _check_text("prompt", request.text)
    _check_text("negative prompt", request.negative_text)
    if not request.text.strip() and not request.targets:
        raise BadInput("The prompt is empty. Describe the image.")
    _check_whole("seed", request.seed, 0, MAX_SEED)
    if request.steps is not None:
        _check_whole("number of steps", request.steps, *STEPS)
    for name, side in (("width", request.width), ("height", request.height)):
        if side is not None:
            _check_whole(f"{name} in pixels", side, *SIDES_PX)
    if request.guidance is not None:
        _check_guidance(request.guidance)
    if not isinstance(request.options, Mapping):
        raise BadInput("The options of a request are names with values.")
    _check_json("options", request.options)
    return request


def checked_all(requests: Sequence[GenerationRequest]) -> tuple[GenerationRequest, ...]:
    """The requests of one job; raises BadInput for none, for too many, and for a bad one, saying
    which (counted from 1)."""
    if not requests:
        raise BadInput("There is nothing to generate. Choose at least one prompt and one model.")
    if len(requests) > MAX_REQUESTS:
        raise BadInput(
            f"{len(requests):,} images are more than one job may have ({MAX_REQUESTS:,}). "
            "Choose fewer prompts, models or seeds, or start several jobs."
        )
    for number, request in enumerate(requests, start=1):
        try:
            checked(request)
        except BadInput as error:
            if len(requests) == 1:
                raise
            raise BadInput(f"Request {number:,} of {len(requests):,}: {error}") from None
    return tuple(requests)


def _check_text(name: str, text: Any) -> None:
    if not isinstance(text, str):
        raise BadInput(f"The {name} is text, not {text!r:.60}.")
    if len(text) > MAX_PROMPT_CHARACTERS:
        raise BadInput(
            f"The {name} has {len(text):,} characters; {MAX_PROMPT_CHARACTERS:,} are the "
            "maximum. Shorten it."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"The {name} holds half of a character (a lone surrogate), which no model can read. "
            "Type it again."
        ) from None


def _check_whole(name: str, value: Any, least: int, limit: int) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not least <= value <= limit:
        raise BadInput(
            f"The {name} must be a whole number from {least:,} to {limit:,}, not {value!r:.60}."
        )


def _check_guidance(value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    least, limit = GUIDANCE
    if not number or not math.isfinite(value) or not least <= value <= limit:
        raise BadInput(
            f"The guidance must be a number from {least:g} to {limit:g}, not {value!r:.60}."
        )


def _check_json(name: str, value: Any, depth: int = 0) -> None:
    """Raises BadInput for what is no plain JSON: it would be lost where an origin is stored."""
    if depth > MAX_DEPTH:
        raise BadInput(f"The {name} are nested more than {MAX_DEPTH} deep. Write them flat.")
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise BadInput(f"The names in the {name} are text, not {key!r:.60}.")
            _check_text(f"name {key[:60]!a} in the {name}", key)
            _check_json(name, inner, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_json(name, inner, depth + 1)
    elif isinstance(value, str):
        _check_text(f"text in the {name}", value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise BadInput(f"The numbers in the {name} must be finite, not {value!r}.")
    elif value is not None and not isinstance(value, bool | int | float):
        raise BadInput(
            f"The {name} are plain JSON (text, numbers, true, false, null, lists, names with "
            f"values), not {value!r:.60}."
        )
