"""The names of all colors, as the browser has them."""

from __future__ import annotations

from functools import cache
from typing import Any

from core.color.systems import SEARCH_ORDER, SYSTEMS, system


@cache
def catalog() -> dict[str, Any]:
    """All names for the browser, which fetches them once: the systems in search order, and their
    colors in that order.

    ``systems`` is a list of ``[id, name]``, ``colors`` one of ``[id, name, hex, L*, a*, b*]``.
    """
    return {
        "systems": [[key, SYSTEMS[key]] for key in SEARCH_ORDER],
        "colors": [
            [key, color.name, color.hex, *(round(value, 4) for value in color.lab)]
            for key in SEARCH_ORDER
            for color in system(key).colors
        ],
    }
