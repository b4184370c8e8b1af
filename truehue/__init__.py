"""TrueHue: color in generative models, measured.

``import truehue`` offers the library: :func:`load`, :func:`measure`, :func:`color_of`,
:func:`salient_mask`, :func:`histogram`, :func:`compare`, :func:`render`, :func:`rules`,
:func:`prompts` and :func:`open_results`. Each is imported when it is first used.

All of TrueHue lies below this name: ``truehue.core``, ``truehue.annotation``, ``truehue.storage``
and ``truehue.tabs``. In a checkout these folders lie beside this one, and the path of the package
leads to them; in an installed wheel they lie in it. So nothing of TrueHue is imported by a name
that a user's own package could bear, and the checkout keeps its four folders at the top.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truehue.core.library import (
        color_of,
        compare,
        histogram,
        load,
        measure,
        open_results,
        prompts,
        render,
        rules,
        salient_mask,
    )

_HERE = Path(__file__).resolve().parent
if not (_HERE / "core").is_dir():
    __path__.append(str(_HERE.parent))

__all__ = [
    "color_of",
    "compare",
    "histogram",
    "load",
    "measure",
    "open_results",
    "prompts",
    "render",
    "rules",
    "salient_mask",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'truehue' has no attribute {name!r}")
    return getattr(import_module("truehue.core.library"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
