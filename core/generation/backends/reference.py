"""The reference renderer as a model: it renders the targets of a prompt.

It does not parse the prompt's text. Every target becomes one of the renderer's shapes in the target
color, or in another color if it simulates a failure of models. A color concept ("rotten mango") has
one of its usual colors, shifted by its modifier. It needs no weights and no device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from truehue.core.color.spaces import hex_of
from truehue.core.errors import BadInput
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.renderer import (
    FAILURES,
    LARGEST_PX,
    LIGHTS,
    MAX_OBJECTS,
    OBJECTS,
    RENDERER_VERSION,
    SMALLEST_PX,
    SceneObject,
    SceneRequest,
    render_scene,
)
from truehue.core.generation.renderer.failures import ActedColors, Cast, act, modify_color, note_of
from truehue.core.generation.renderer.scenes import forget_scenes, saved_bytes
from truehue.core.generation.renderer.stand_ins import (
    is_location,
    left_out_note,
    stand_in,
    stand_in_note,
)
from truehue.core.generation.renderer.usual import (
    CONCEPT_COLORS_VERSION,
    Rgb8,
    color_of,
    concept_colors,
    default_color,
    neutral,
)
from truehue.core.generation.request import (
    MAX_SEED,
    Cancelled,
    GeneratedImage,
    GenerationRequest,
    ObjectMask,
    OnStep,
    StepReport,
)
from truehue.core.prompts.prompt import ObjectTarget

__all__ = ["STEPS", "PlacedTarget", "ReferenceRenderer", "shapes_for", "stand_in_note"]

STEPS = 8
"""The number of steps that the rendering of one image reports."""

DEFAULT_PX = 1024
OPTIONS = ("light", "failure", "shape")

_PREVIEW_PX = 128


@dataclass(frozen=True)
class PlacedTarget:
    """How one target will be drawn: ``shape`` is None for one that is left out, and ``note`` a
    sentence for people, empty where the shape is what the name says."""

    target: int
    name: str
    shape: str | None
    note: str


def shapes_for(
    targets: Sequence[ObjectTarget], shape: str | None = None
) -> tuple[PlacedTarget, ...]:
    """The shapes that the renderer would draw for targets, in their order.

    ``shape`` takes the place of the first target's own. A bystander that is a place ("sidewalk",
    "kitchen counter") is left out, for the floor stands for it; any other is drawn beside.
    """
    standings = []
    for number, target in enumerate(targets):
        name = target.name
        if shape is not None and number == 0:
            itself = shape == stand_in(name, target.category).shape
            note = stand_in_note(name, target.category) if itself else _replaced(shape, name)
            standings.append(PlacedTarget(number, name, shape, note))
        elif target.role == "bystander" and is_location(name):
            standings.append(PlacedTarget(number, name, None, left_out_note(name)))
        else:
            own = stand_in(name, target.category).shape
            standings.append(PlacedTarget(number, name, own, stand_in_note(name, target.category)))
    return tuple(standings)


class ReferenceRenderer:
    """The renderer behind the same door as every model
    (truehue.core.generation.request.LoadedModel).

    ``options`` of a request: ``light`` (a name of LIGHTS), ``failure`` (a name of FAILURES) and
    ``shape`` (one of OBJECTS, for the first target). Text, guidance, steps and negative text
    change nothing. A request with a ``concept`` or ``modifier`` has the first target in one of the
    concept's usual colors, by the seed, moved by the modifier, unless a color is asked of it; all
    other requests are drawn as they always were.
    """

    batch_size = 1

    @property
    def memory_bytes(self) -> int:
        """What the scenes take that are kept for drawing them again in other colors."""
        return saved_bytes()

    def draw(
        self, requests: Sequence[GenerationRequest], on_step: OnStep, stop: Event
    ) -> list[GeneratedImage]:
        """Draws one image a request, in their order.

        Every image counts ``STEPS`` steps; the last has a preview. ``stop`` is looked at several
        times within each step. Raises Cancelled once it is set, and BadInput for a request without
        targets, with more than four objects, unknown options, or a size or seed out of range:
        before anything is drawn.
        """
        plans = [_Plan.of(request) for request in requests]
        total = STEPS * len(plans)
        images = []
        for number, plan in enumerate(plans):
            images.append(plan.render(number * STEPS, total, on_step, stop))
        return images

    def unload(self) -> None:
        """Forgets the kept scenes."""
        forget_scenes()


@dataclass(frozen=True)
class _Plan:
    """A request that was found good, with all that has been decided about its image."""

    request: GenerationRequest
    standings: tuple[PlacedTarget, ...]
    placed: tuple[PlacedTarget, ...]
    cast: tuple[Cast, ...]
    acted: ActedColors
    light: str
    failure: str
    size_px: int

    @staticmethod
    def of(request: GenerationRequest) -> _Plan:
        """Raises BadInput for what cannot be drawn."""
        light, failure, shape = _options(request)
        if not request.targets:
            raise BadInput(
                "The reference renderer cannot read sentences: it needs an object and a color. "
                "Choose a prompt of a set, or give targets such as an apple in vivid red."
            )
        if not all(target.name.strip() for target in request.targets):
            raise BadInput("An object to render needs a name.")
        standings = shapes_for(request.targets, shape)
        placed = tuple(
            placed_target for placed_target in standings if placed_target.shape is not None
        )
        if not 1 <= len(placed) <= MAX_OBJECTS:
            raise BadInput(
                f"The reference renderer renders one to {MAX_OBJECTS} objects in an image, "
                f"not {len(placed)}."
            )
        cast = tuple(_cast_of(request, placed))
        acted = act(failure, cast)
        size_px = _size_px(request)
        return _Plan(request, standings, placed, cast, acted, light, failure, size_px)

    def render(self, before: int, total: int, on_step: OnStep, stop: Event) -> GeneratedImage:
        """The image; ``before`` steps of ``total`` are done."""
        reported = 0

        def go_on() -> None:
            if stop.is_set():
                raise Cancelled

        def watch(share: float) -> None:
            nonlocal reported
            go_on()
            # The last step is the finished image's.
            while reported < min(int(share * STEPS), STEPS - 1):
                reported += 1
                on_step(StepReport(before + reported, total))
                go_on()

        go_on()
        there = [
            (placed_target, color)
            for placed_target, color in zip(self.placed, self.acted.colors, strict=True)
            if color is not None
        ]
        scene = SceneRequest(
            objects=tuple(
                SceneObject(str(placed_target.shape), color) for placed_target, color in there
            ),
            light=self.light,
            seed=self.request.seed,
            size_px=self.size_px,
            stage_tint_srgb8=self.acted.stage_tint_srgb8,
        )
        scene_rendering = render_scene(scene, watch)
        go_on()
        on_step(StepReport(before + STEPS, total, _preview(scene_rendering.srgb8)))
        masks = tuple(
            ObjectMask(placed_target.target, mask)
            for (placed_target, _), mask in zip(there, scene_rendering.masks, strict=True)
        )
        notes = [placed_target.note for placed_target in self.standings if placed_target.note]
        notes += [
            f"The {target.name} has no target color: it is rendered in {why}."
            for number, target in enumerate(self.request.targets)
            if (why := _unasked(self.request, number))
        ]
        notes += self._modifier_notes()
        notes += self.acted.notes
        return GeneratedImage(scene_rendering.srgb8, self._origin(scene), masks, tuple(notes))

    def _origin(self, scene: SceneRequest) -> dict[str, Any]:
        colors = {
            placed_target.target: color
            for placed_target, color in zip(self.placed, self.acted.colors, strict=True)
        }
        main = self.request.targets[0]
        return {
            "model": RENDERER,
            "renderer_version": RENDERER_VERSION,
            "numpy": np.__version__,
            "text": self.request.text,
            "prompt_id": self.request.prompt_id,
            "seed": self.request.seed,
            "width": self.size_px,
            "height": self.size_px,
            "light": self.light,
            "failure": self.failure,
            "failure_acted": self.acted.acted,
            "object_name": main.name,
            "target": main.color.value if main.color else "",
            "objects": [
                {
                    "target": placed_target.target,
                    "name": placed_target.name,
                    "role": self.request.targets[placed_target.target].role,
                    "shape": placed_target.shape,
                    "asked": _target_value(self.request.targets, placed_target.target),
                    "drawn": hex_of(color) if (color := colors.get(placed_target.target)) else None,
                }
                for placed_target in self.standings
            ],
            "scene": scene.as_json(),
            **self._concept_origin(),
        }

    def _concept_origin(self) -> dict[str, Any]:
        """The known colors of a concept; empty for requests without one."""
        if not _is_concept(self.request):
            return {}
        first = self.cast[0]
        return {
            "concept": self.request.concept,
            "modifier": self.request.modifier,
            "concept_colors_version": CONCEPT_COLORS_VERSION,
            "base_color": hex_of(first.moved.base if first.moved else first.color),
            "modifier_does": first.moved.says if first.moved else "",
        }

    def _modifier_notes(self) -> list[str]:
        """The modifier's effect, or the reason why it has none."""
        name, modifier = self.request.targets[0].name, self.request.modifier
        if not modifier:
            return []
        modification = self.cast[0].moved
        if modification is None:
            return [f"The {name} keeps its target color: {modifier!r} changes none."]
        # A failure that changes something says itself what became of the modifier.
        acted = self.failure.startswith("modifier-") and self.acted.acted
        return [] if acted else [note_of(name, modification)]


def _options(request: GenerationRequest) -> tuple[str, str, str | None]:
    """Light, failure and shape; raises BadInput for what is none."""
    unknown = sorted(set(request.options) - set(OPTIONS))
    if unknown:
        raise BadInput(
            f"The reference renderer has no option {unknown[0]!r}. It has {', '.join(OPTIONS)}."
        )
    light = request.options.get("light") or "studio"
    failure = request.options.get("failure") or "none"
    shape = request.options.get("shape") or None
    for label, value, choices in (
        ("light", light, LIGHTS),
        ("failure", failure, FAILURES),
        ("object", shape, (None, *OBJECTS)),
    ):
        if (value is not None and not isinstance(value, str)) or value not in choices:
            names = ", ".join(name for name in choices if name is not None)
            raise BadInput(f"The renderer has no {label} {value!r}. Choose one of: {names}.")
    return light, failure, shape


def _size_px(request: GenerationRequest) -> int:
    """The side of the square; raises BadInput for another form, size or seed."""
    width = request.width or request.height or DEFAULT_PX
    height = request.height or width
    if width != height or not SMALLEST_PX <= width <= LARGEST_PX:
        raise BadInput(
            f"The reference renderer renders squares of {SMALLEST_PX} to {LARGEST_PX} pixels, "
            f"not {width} × {height}."
        )
    if not 0 <= request.seed <= MAX_SEED:
        raise BadInput(f"The seed must be from 0 to {MAX_SEED:,}, not {request.seed}.")
    return width


def _is_concept(request: GenerationRequest) -> bool:
    return bool(request.concept or request.modifier)


def _cast_of(request: GenerationRequest, placed: Sequence[PlacedTarget]) -> list[Cast]:
    """The placed objects with the colors that they have when nothing fails."""
    targets = request.targets
    colors = [_target_rgb8(targets, number) for number in range(len(targets))]
    gray = neutral([color for color in colors if color is not None])
    cast = []
    for placed_target in placed:
        target, target_rgb8 = targets[placed_target.target], colors[placed_target.target]
        shape = str(placed_target.shape)
        own = default_color(target.name, shape) if target.role == "main" else None
        move = None
        if placed_target.target == 0 and target_rgb8 is None and _is_concept(request):
            own = color_of(request.concept or target.name, request.seed) or own
            if request.modifier:
                move = modify_color(own or gray, request.modifier)
        color = target_rgb8 or (move.color if move else None) or own or gray
        cast.append(Cast(target.name, shape, color, target_rgb8, move))
    return cast


def _target_rgb8(targets: Sequence[ObjectTarget], number: int) -> Rgb8 | None:
    """The color asked of a target; a reference without one shares the first object's."""
    target = targets[number]
    color = target.color
    if color is None and target.role == "reference":
        color = next((t.color for t in targets if t.role == "main" and t.color is not None), None)
    return color.srgb8 if color else None


def _target_value(targets: Sequence[ObjectTarget], number: int) -> str | None:
    color, target_rgb8 = targets[number].color, _target_rgb8(targets, number)
    if color is not None:
        return color.value
    return hex_of(target_rgb8) if target_rgb8 else None


def _unasked(request: GenerationRequest, number: int) -> str:
    """What an object has that no color is asked of, in words; empty for all others."""
    target = request.targets[number]
    if target.role != "main" or target.color is not None:
        return ""
    if number == 0 and _is_concept(request):
        colors = concept_colors(request.concept or target.name)
        if len(colors) > 1:
            return f"one of its {len(colors)} usual ones, which the seed chooses"
        if colors:
            return "its usual one"
    usual_color = default_color(target.name, stand_in(target.name, target.category).shape)
    return "its usual one" if usual_color else "a gray"


def _replaced(shape: str, name: str) -> str:
    return f"As requested, the {name} has the shape {shape!r}."


def _preview(srgb8: np.ndarray) -> np.ndarray:
    """Every few pixels of an image, at most 128 on a side."""
    step = -(-srgb8.shape[0] // _PREVIEW_PX)
    return np.ascontiguousarray(srgb8[::step, ::step])
