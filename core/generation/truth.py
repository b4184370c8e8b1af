"""The true color of an object in an image of the reference renderer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import hex_of, srgb8_to_lab
from truehue.core.color.systems import ColorTarget, parse_target
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.renderer.stand_ins import SubstituteShape, stand_in


def _object_rows(origin: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The renderer's record of each object; empty for other models' images."""
    if origin.get("model") != RENDERER:
        return []
    return [row for row in origin.get("objects") or () if isinstance(row, Mapping)]


def true_color_hex(
    origin: Mapping[str, Any], object_name: str = "", position: int | None = None
) -> str:
    """The color, ``"#E83B1B"``, in which the renderer drew an object; empty if it is not known.

    ``origin`` is that of an image (:mod:`truehue.core.generation.backends.reference`). The object
    is that of the ``position`` of its target, else the only one of that name, else the only one
    there is.
    """
    object_rows = _object_rows(origin)
    if position is not None:
        object_rows = [row for row in object_rows if row.get("target") == position]
    elif object_name.strip():
        name = object_name.strip().lower()
        object_rows = [
            row for row in object_rows if str(row.get("name") or "").strip().lower() == name
        ]
    color = object_rows[0].get("drawn") if len(object_rows) == 1 else None
    try:
        return parse_target(color).hex if isinstance(color, str) else ""
    except ValueError:
        return ""


def rendered_shape(origin: Mapping[str, Any], position: int) -> str:
    """The shape that the renderer drew for the target at ``position``; empty if it is not known."""
    shapes = [row.get("shape") for row in _object_rows(origin) if row.get("target") == position]
    return shapes[0] if len(shapes) == 1 and isinstance(shapes[0], str) else ""


def stand_in_tag(origin: Mapping[str, Any], position: int | None = None) -> str:
    """``"car for bicycle"`` where the renderer has no shape of an object's name and rendered
    another one; of the target at ``position``, else of all with commas between; empty for none."""
    tags = []
    for row in _object_rows(origin):
        if position is not None and row.get("target") != position:
            continue
        name, shape = str(row.get("name") or "").strip(), row.get("shape")
        if (
            name
            and isinstance(shape, str)
            and stand_in(name) != SubstituteShape(shape, itself=True)
        ):
            tags.append(f"{shape} for {name}")
    return ", ".join(dict.fromkeys(tags))


def describe_true_color(
    origin: Mapping[str, Any],
    target: ColorTarget,
    object_name: str = "",
    position: int | None = None,
    forbidden: bool = False,
) -> str:
    """One sentence on an object's true color beside ``target``, which it must have or, where
    it is ``forbidden``, must not; empty if it is not known."""
    true_hex = true_color_hex(origin, object_name, position)
    if not true_hex:
        return ""
    which = "forbidden" if forbidden else "target"
    if true_hex == hex_of(target.srgb8):
        return f"Ground truth: rendered in exactly the {which} color, {true_hex}."
    true_lab = srgb8_to_lab(np.array(parse_target(true_hex).srgb8, dtype=np.uint8))
    apart = float(delta_e00(true_lab, np.array(target.lab)))
    return f"Ground truth: rendered in {true_hex}, {apart:.1f} ΔE00 from the {which} color."
