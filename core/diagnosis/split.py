"""What rules may be tuned on, and what is kept aside to report them: fixed, never drawn anew.

Half of the objects and half of the lights are "tuned". Held-out figures are those of held-out
objects under held-out lights; a picture with one of each is "mixed".
"""

from __future__ import annotations

TUNED_OBJECTS = ("sphere", "mug", "book", "apple", "vase", "chair", "hat")
HELD_OUT_OBJECTS = ("cube", "cylinder", "torus", "banana", "teapot", "car", "teddy bear")
TUNED_LIGHTS = ("overcast", "window")
HELD_OUT_LIGHTS = ("studio", "hard")

SPLIT: dict[str, dict[str, tuple[str, ...]]] = {
    "objects": {"tuned": TUNED_OBJECTS, "held_out": HELD_OUT_OBJECTS},
    "lights": {"tuned": TUNED_LIGHTS, "held_out": HELD_OUT_LIGHTS},
}


def part_of(object_name: str, light: str) -> str:
    """One of "tuned", "held_out" and "mixed".

    Empty for an object or a light outside of the split: so is the light "even", which shows the
    exact color everywhere and would flatter every rule.
    """
    if object_name in TUNED_OBJECTS and light in TUNED_LIGHTS:
        return "tuned"
    if object_name in HELD_OUT_OBJECTS and light in HELD_OUT_LIGHTS:
        return "held_out"
    known_object = object_name in TUNED_OBJECTS + HELD_OUT_OBJECTS
    return "mixed" if known_object and light in TUNED_LIGHTS + HELD_OUT_LIGHTS else ""
