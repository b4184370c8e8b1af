"""Build requests from the controls of the Generate tab. It does not use Gradio."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.request import MAX_SEED, GenerationRequest
from truehue.core.prompts.prompt import Prompt, format_color, with_articles
from truehue.tabs.generate.own_prompt import OwnPrompt, own_reading
from truehue.tabs.generate.realism import Realism, realism_of

__all__ = [
    "Controls",
    "OwnPrompt",
    "Settings",
    "count_of",
    "field_problems",
    "guidance_scales",
    "own_prompt",
    "requests",
    "settings",
    "summary_of",
    "title_of",
    "too_many",
]

MAX_IMAGES = 20_000
MAX_SEEDS = 1_000
OWN = "own"


@dataclass(frozen=True)
class Settings:
    """How to draw: the controls of the request card. None stands for each model's own default."""

    models: tuple[str, ...] = (RENDERER,)
    seed: int = 0
    seeds: int = 1
    guidance: tuple[float | None, ...] = (None,)
    steps: int | None = None
    size_px: int | None = None
    light: str = "studio"
    failure: str = "none"
    realism: Realism | None = None


@dataclass(frozen=True)
class Controls:
    """What the controls of the request card hold, in their order; nothing of it is checked."""

    models: Any
    seed: Any
    seeds: Any
    guidance: Any
    steps: Any
    size_px: Any
    light: Any
    failure: Any
    realism: Any = None


def settings(controls: Controls) -> Settings:
    """Reads the controls; raises BadInput that names the control and what it takes."""
    models, size_px = controls.models, controls.size_px
    chosen = [models] if isinstance(models, str) else list(models or [])
    if not chosen:
        raise BadInput("Choose at least one model.")
    first = _whole("The first seed", controls.seed, 0, MAX_SEED)
    count = _whole("Images per prompt", controls.seeds, 1, MAX_SEEDS)
    if first + count - 1 > MAX_SEED:
        raise BadInput(f"The last seed would be above {MAX_SEED:,}. Start with a lower one.")
    return Settings(
        models=tuple(dict.fromkeys(str(model) for model in chosen)),
        seed=first,
        seeds=count,
        guidance=guidance_scales(controls.guidance),
        steps=_steps(controls.steps),
        size_px=_whole("The size", size_px, 64, 4096) if size_px not in (None, "", 0) else None,
        light=str(controls.light or "studio"),
        failure=str(controls.failure or "none"),
        realism=realism_of(controls.realism),
    )


def field_problems(controls: Controls) -> dict[str, str]:
    """What is wrong with each field of the settings, by its name; empty where all can be read."""
    checks: dict[str, Callable[[], object]] = {
        "seed": lambda: _whole("The first seed", controls.seed, 0, MAX_SEED),
        "seeds": lambda: _whole("Images per prompt", controls.seeds, 1, MAX_SEEDS),
        "guidance": lambda: guidance_scales(controls.guidance),
        "steps": lambda: _steps(controls.steps),
    }
    problems = {}
    for name, check in checks.items():
        try:
            check()
        except BadInput as error:
            problems[name] = str(error)
    return problems


def guidance_scales(text: Any) -> tuple[float | None, ...]:
    """``"3, 5, 7.5"`` as numbers from 0 to 100, each once; nothing is each model's own default."""
    parts = [word for word in re.split(r"[\s,;]+", str(text or "").strip()) if word]
    if not parts:
        return (None,)
    scales: list[float] = []
    for word in parts:
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not 0 <= value <= 100:
            raise BadInput(
                f"Guidance is one number or several from 0 to 100, such as 3, 5, 7.5; "
                f"{word[:20]!r} is none."
            )
        scales.append(value)
    return tuple(dict.fromkeys(scales))


def own_prompt(own: OwnPrompt) -> Prompt:
    """A prompt of one's own; the same words always get the same id.

    Without words it is "A photo of a <color> <object>". Raises BadInput when there is neither text
    nor object, UnknownColor for a color that cannot be read.
    """
    text, name = " ".join(own.text.split()), " ".join(own.object_name.split())
    if not text and not name:
        raise BadInput("Write a prompt, or choose an object and a color.")
    targets = own_reading(own).targets
    if not text:
        color = targets[0].color
        text = with_articles(f"A photo of a {f'{format_color(color)} ' if color else ''}{name}")
    parts = [
        part
        for target in targets
        for part in (target.name, target.color.value if target.color else "")
    ]
    digest = hashlib.sha256("\n".join([text, *(parts or ["", ""])]).encode()).hexdigest()[:12]
    system = next((target.color.system for target in targets if target.color), None)
    return Prompt(
        id=f"own-{digest}",
        text=text,
        task="free",
        targets=targets,
        source=OWN,
        system=system or "",
    )


def requests(prompts: Sequence[Prompt], how: Settings) -> list[GenerationRequest]:
    """Every prompt by every model, guidance and seed, in that order of the models.

    Raises BadInput when that is more than one job should be, or nothing.
    """
    total = count_of(len(prompts), how)
    if not total:
        raise BadInput("There is no prompt to generate. Add some to the selection.")
    if total > MAX_IMAGES:
        raise BadInput(too_many(total))
    return [
        GenerationRequest(
            model=model,
            text=prompt.text,
            seed=seed,
            steps=_steps_of(model, how),
            guidance=guidance,
            width=how.size_px,
            height=how.size_px,
            prompt_id=prompt.id,
            targets=prompt.targets,
            options=options,
            concept=prompt.concept,
            modifier=prompt.modifier,
        )
        for model in how.models
        for guidance in _scales(model, how)
        for prompt in prompts
        for seed in range(how.seed, how.seed + how.seeds)
        for options in _options(model, how)
    ]


def _scales(model: str, how: Settings) -> tuple[float | None, ...]:
    # The renderer knows no guidance: once is enough.
    return (None,) if model == RENDERER else how.guidance


def _steps_of(model: str, how: Settings) -> int | None:
    # What a model does not take is not written down as if it had.
    return None if model == RENDERER else how.steps


def _options(model: str, how: Settings) -> list[dict[str, Any]]:
    """Of each picture that one prompt and seed become: without CFR comes before with it."""
    if model == RENDERER:
        return [{"light": how.light, "failure": how.failure}]
    if how.realism is None:
        return [{}]
    refined = {"cfr": dict(how.realism.cfr)}
    return [{}, refined] if how.realism.beside else [refined]


def too_many(total: int) -> str:
    """What to say of more images than one job takes."""
    return (
        f"That would be {total:,} images; one job takes at most {MAX_IMAGES:,}. Take fewer "
        "prompts, models, seeds or guidance scales."
    )


def count_of(prompts: int, how: Settings) -> int:
    """How many images that becomes."""
    return (
        prompts
        * how.seeds
        * sum(len(_scales(model, how)) * len(_options(model, how)) for model in how.models)
    )


def title_of(prompts: Sequence[Prompt], how: Settings) -> str:
    """What a job is called in the queue."""
    text = prompts[0].text if len(prompts) == 1 else f"{len(prompts):,} prompts"
    if len(text) > 80:
        text = text[:79] + "…"
    return f"{text} · {len(how.models)} models" if len(how.models) > 1 else text


def summary_of(how: Settings) -> str:
    """The settings that are folded away, in one line."""
    scales = [f"{scale:g}" for scale in how.guidance if scale is not None]
    parts = [
        f"{how.seeds:,} image{'' if how.seeds == 1 else 's'}, seed {how.seed}",
        f"{how.size_px} × {how.size_px}" if how.size_px else "default size",
        f"guidance {', '.join(scales)}" if scales else "",
        f"{how.steps} steps" if how.steps else "",
        how.realism.words if how.realism else "",
        f"{how.light} light" if RENDERER in how.models else "",
        f"failure: {how.failure}" if RENDERER in how.models and how.failure != "none" else "",
    ]
    return " · ".join(part for part in parts if part)


def _steps(text: Any) -> int | None:
    message = str(text or "").strip()
    if not message:
        return None
    return _whole(
        "Steps", int(message) if message.isascii() and message.isdigit() else None, 1, 500
    )


def _whole(label: str, value: Any, least: int, limit: int) -> int:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value != int(value):
        raise BadInput(f"{label} is a whole number from {least:,} to {limit:,}.")
    if not least <= value <= limit:
        raise BadInput(f"{label} is a whole number from {least:,} to {limit:,}, not {value:g}.")
    return int(value)
