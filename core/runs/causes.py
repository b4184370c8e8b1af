"""Why a picture is wrong or has no score, in a few named causes that can be counted."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CAUSES: Mapping[str, str] = MappingProxyType(
    {
        "absent": "an object is not in the picture",
        "leaked": "an object took another one's color",
        "exchanged": "two objects exchanged their colors",
        "leans": "an object took on part of another one's color",
        "same-color": "the other object has the asked color too",
        "hue": "another hue",
        "more-vivid": "more vivid than asked",
        "duller": "duller than asked",
        "lighter": "lighter than asked",
        "darker": "darker than asked",
        "no-image": "no image: drawing failed",
        "no-mask": "no mask of the object",
        "not-found": "the object was not found",
        "presence-unknown": "not known whether the object is there",
        "left-out": "the renderer has no shape for it",
        "too-few-pixels": "too few pixels to measure",
        "broke": "judging broke off",
    }
)
"""The first ten are causes of a fail, the rest of ``unscored`` (``presence-unknown`` of both, for
the released rules count it as absent)."""
