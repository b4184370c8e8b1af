"""Images of the diagnosis: rendered again for display, stored when a user opens them."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import Any, TypedDict

import numpy as np
from pydantic import ConfigDict

from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.core.color.systems import ColorTarget, parse_target
from truehue.core.diagnosis.colors import DEFAULT_SIZE_PX, SET_SYSTEMS, render_image
from truehue.core.errors import BadInput
from truehue.core.generation.request import MAX_SEED
from truehue.core.images.pixels import Mask
from truehue.core.verdict.measure import TargetObject, measure
from truehue.core.verdict.rules import rule
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.links import whole
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor

LARGEST_PX = 1024
SMALL_PX = 192
KEPT_PICTURES = 24
KEPT_FINDINGS = 512
# A page asks for many pictures at once; one after the other leaves a core to everything else.
_DRAWING = Lock()


@dataclass(frozen=True)
class Scene:
    """What a picture of the set shows. ``color`` is a name of ``system``, ``second`` a hex or
    empty."""

    object_name: str
    light: str
    seed: int
    system: str
    color: str
    second: str
    size_px: int

    @property
    def true(self) -> ColorTarget:
        """The color that the object has; raises UnknownColor."""
        return parse_target(self.color, self.system)


def scene_of(query: Mapping[str, Any]) -> Scene:
    """The scene that the page asks for. Raises BadInput for what no report can name; objects and
    lights are checked by the renderer."""
    numbers = {
        name: whole(str(query.get(name) or default), limit)
        for name, default, limit in (
            ("seed", 0, MAX_SEED),
            ("size", DEFAULT_SIZE_PX, LARGEST_PX),
        )
    }
    seed, size_px, system = numbers["seed"], numbers["size"], str(query.get("system", ""))
    if seed is None or size_px is None or system not in SET_SYSTEMS:
        raise BadInput("The page asked for an image that is in no diagnosis. Reload the page.")
    texts = [str(query.get(name) or "")[:80] for name in ("object", "light", "color", "second")]
    object_name, light, color, second = texts
    return Scene(object_name, light, seed, system, color, second, size_px)


class MeasuredScene(TypedDict):
    """The verdict of a rule on an image of known color."""

    status: str
    reason: str
    version: str
    found: str
    delta_e00: float | None


class StoredScene(TypedDict):
    """A stored image of known color, as Inspect opens it."""

    image_id: str
    mask: str
    object: str
    target: str
    rule: str


class SaveImageRequest(PageRequest):
    """A picture of a diagnosis, with the rule and the asked color that it is to be shown by."""

    model_config = ConfigDict(extra="allow")

    rule: str = ""
    asked: str = ""


@requires("add")
def save_image(context: Context, actor: Actor, request: SaveImageRequest) -> StoredScene:
    """Stores an image of a rule accuracy report, so that it can be opened in Inspect."""
    scene = scene_of(request.model_extra or {})
    return stored(context, scene, request.rule, request.asked, actor.id)


def render_scene(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """The image, uint8 sRGB ``(H, W, 3)``, and the exact mask, bool ``(H, W)``; both read-only.

    Raises BadInput or UnknownColor for a scene that cannot be drawn.
    """
    with _DRAWING:
        return _rendering(scene)


@lru_cache(maxsize=KEPT_PICTURES)
def _rendering(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    srgb8, mask = render_image(
        scene.object_name,
        scene.light,
        scene.seed,
        scene.true.hex,
        scene.size_px,
        scene.second or None,
    )
    mask = mask.copy()
    srgb8.flags.writeable = mask.flags.writeable = False
    return srgb8, mask


def thumbnail_png(scene: Scene) -> bytes:
    """PNG of the scene drawn small, ``SMALL_PX`` wide: a tenth of the time of the whole picture."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(render_scene(replace(scene, size_px=SMALL_PX))[0]).save(buffer, format="PNG")
    return buffer.getvalue()


@lru_cache(maxsize=KEPT_FINDINGS)
def measured(scene: Scene, rule_id: str, target_text: str) -> MeasuredScene:
    """What a rule finds in the picture, measured now at its full size.

    ``target_text`` is a name of the scene's system. Raises BadInput for an unknown rule or color,
    and what :func:`truehue.core.verdict.measure.measure` raises.
    """
    target = parse_target(target_text, scene.system)
    srgb8, mask = render_scene(scene)
    measurement = measure(
        srgb8, mask, target, rule(rule_id).id, target_object=TargetObject(scene.object_name)
    )
    lab = measurement.verdict.lab
    return {
        "status": measurement.verdict.status,
        "reason": measurement.verdict.reason,
        "version": measurement.verdict.version,
        "found": hex_of(lab_to_srgb8(np.array(lab))) if lab else "",
        "delta_e00": measurement.numbers()["delta_e00"],
    }


def stored(
    context: Context, scene: Scene, rule_id: str, target_text: str, maker: str = ""
) -> StoredScene:
    """Stores the picture for ``maker`` with its exact mask, and returns what opens it in
    Inspect."""
    target = parse_target(target_text, scene.system)
    srgb8, mask = render_scene(scene)
    about = {
        "object_name": scene.object_name,
        "light": scene.light,
        "seed": scene.seed,
        "size_px": scene.size_px,
        "albedo_srgb8": list(scene.true.srgb8),
        "second": scene.second,
    }
    light = f"{scene.light} light, seed {scene.seed}"
    name = f"{scene.object_name}, {scene.true.label} · diagnosis · {light}"
    image = context.storage.images.add(
        srgb8,
        name,
        "render",
        origin={**about, "target": scene.true.value, "set": "diagnosis"},
        maker=maker,
    )
    record = context.storage.masks.add(
        image.image_id,
        Mask(mask, "renderer", {**about, "object": scene.object_name, "target": 0}),
    )
    return {
        "image_id": image.image_id,
        "mask": record.mask_id,
        "object": scene.object_name,
        "target": target.value,
        "rule": rule(rule_id).id,
    }
