"""Architecture, training settings and location of the small model, stored with its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.generation.renderer import LIGHTS, OBJECTS

KINDS = ("l1", "l2", "l3", "css", "hex", "rgb", "several")
"""Kinds of captions: one object by a color name of a system, in numbers, and several objects."""

SOFT_LIGHTS = tuple(light for light in LIGHTS if light != "hard")
"""The renderer's lights but the hard one: under it ``truehue`` passes 89% of the renderer's level 1
images at 64 pixels, under the others 97% to 98%."""

_MIX = MappingProxyType(
    {"l1": 0.50, "l2": 0.14, "l3": 0.10, "css": 0.06, "hex": 0.06, "rgb": 0.02, "several": 0.12}
)


@dataclass(frozen=True)
class SceneSettings:
    """Which scenes are rendered: images of ``size_px``, ``single_seeds`` of every shape and
    light, ``pair_seeds`` of every pair of these shapes that a prompt asks for."""

    size_px: int = 64
    single_seeds: int = 12
    pair_seeds: int = 5
    shapes: tuple[str, ...] = OBJECTS
    lights: tuple[str, ...] = SOFT_LIGHTS

    def as_json(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        return {**asdict(self), "shapes": list(self.shapes), "lights": list(self.lights)}


@dataclass(frozen=True)
class Settings:
    """All that decides the weights, beside the scenes.

    ``text_width``, ``text_layers``: of the text encoder. ``width``, ``heads``, ``layers``: of the
    denoiser, which sees squares of ``patch_px``. The text encoder is trained alone for
    ``text_steps`` of ``text_batch`` captions, then the denoiser with ``batch`` images a step.
    It ends at ``steps``; over the last ``cooldown`` of the image steps the rate falls to zero.
    ``caption_dropout`` is the share of empty captions, which guidance needs; ``mix`` the share of
    every kind of caption; ``held_out`` the share of pairs of color and object that are never shown.
    """

    seed: int = 16
    steps: int = 9000
    cooldown: float = 0.3
    size_px: int = 64
    text_width: int = 128
    text_layers: int = 3
    text_steps: int = 1500
    text_batch: int = 64
    text_rate: float = 1e-3
    width: int = 128
    heads: int = 4
    layers: int = 6
    patch_px: int = 8
    batch: int = 32
    rate: float = 1e-3
    warmup: int = 100
    weight_decay: float = 0.01
    ema: float = 0.999
    caption_dropout: float = 0.1
    held_out: float = 0.1
    mix: Mapping[str, float] = field(default_factory=lambda: dict(_MIX))

    def __post_init__(self) -> None:
        if set(self.mix) - set(KINDS) or not sum(self.mix.values()) > 0:
            raise BadInput(f"The mix of captions is a share for some of {', '.join(KINDS)}.")
        if self.steps < 1 or not 0.0 <= self.cooldown <= 1.0:
            raise BadInput("Steps must be at least 1; the cooldown is a share, 0 to 1.")
        if not 0.0 <= self.held_out < 1.0 or not 0.0 <= self.caption_dropout <= 1.0:
            raise BadInput("Held out is a share below 1 of the pairs, the dropout one of captions.")
        if self.size_px % self.patch_px or self.width % self.heads:
            raise BadInput("The size must be a multiple of the patch, the width of the heads.")

    @property
    def cooldown_step(self) -> int:
        """The step from which on the rate falls."""
        return self.steps - round(self.cooldown * max(0, self.steps - self.text_steps))

    def as_json(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        return {**asdict(self), "mix": dict(self.mix)}


def settings_from_json(fields: Mapping[str, Any]) -> Settings:
    """The settings of :meth:`Settings.as_json`; raises BadInput for a name that is none."""
    try:
        return Settings(**fields)
    except TypeError as error:
        raise BadInput(f"These are no settings of the small model: {error}.") from error


def scene_settings_from_json(fields: Mapping[str, Any]) -> SceneSettings:
    """The settings of :meth:`SceneSettings.as_json`; raises BadInput for a name that is none, and
    for shapes and lights that the renderer does not have."""
    try:
        lists = {name: tuple(fields[name]) for name in ("shapes", "lights") if name in fields}
        settings = SceneSettings(**{**fields, **lists})
    except TypeError as error:
        raise BadInput(f"These are no settings of scenes: {error}.") from error
    for target, known in ((settings.shapes, OBJECTS), (settings.lights, tuple(LIGHTS))):
        if not target or not set(target) <= set(known):
            raise BadInput(f"Scenes are of some of {', '.join(known)}, not of {target!r:.200}.")
    return settings


FOLDER = Path(__file__).resolve().parents[3] / "assets" / "models" / "small"
"""The exported pipeline."""
