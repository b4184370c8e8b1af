"""Packages that TrueHue runs without, and the extras of the installation that bring them."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from truehue.core.errors import BadInput

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "app": (
        *("gradio", "duckdb", "fastapi", "starlette", "anyio", "uvicorn", "jinja2", "orjson"),
        *("brotli", "rjsmin", "rcssmin", "scipy", "plotly", "argon2", "psutil", "pyarrow"),
        *("krippendorff", "colour", "pydantic", "pydantic_core", "huggingface_hub"),
        *("packaging", "yaml"),
    ),
    "models": (
        *("diffusers", "accelerate", "safetensors", "torch", "torchvision", "transformers"),
        *("sentencepiece", "tokenizers"),
    ),
    "masks": ("segment_anything",),
    "vlm": ("openai",),
    "ray": ("ray",),
    "mcp": ("mcp",),
    "emd": ("ot",),
    "pyiqa": ("pyiqa",),
}
"""The extras of pyproject.toml with the names that code imports; what several bring stands at the
first."""


def absent(packages: Iterable[str]) -> tuple[str, ...]:
    """Those of the packages, by the names that code imports, which are not installed."""
    return tuple(name for name in packages if importlib.util.find_spec(name) is None)


def how_to_install(packages: Iterable[str], purpose: str, extra: str = "") -> str:
    """The sentences for packages that are not installed: ``Install truehue[models] to generate with
    diffusers (missing: torch). Run: pip install "truehue[models]"``. ``purpose`` is what they are
    for, from its verb on; ``extra`` names one where several bring them."""
    names = tuple(packages)
    extra = extra or next(filter(None, map(extra_of, names)), "all")
    return (
        f"Install truehue[{extra}] to {purpose} (missing: {', '.join(names)}). "
        f'Run: pip install "truehue[{extra}]"'
    )


def extra_of(package: str) -> str:
    """The extra that brings a package; empty for one that belongs to none."""
    return next((extra for extra, names in EXTRAS.items() if package in names), "")


def missing_package(error: BaseException | None, purpose: str = "use this") -> str:
    """The sentence for an import that failed since an extra is not installed; empty for every other
    error. ``purpose`` as of :func:`how_to_install`."""
    if not isinstance(error, ModuleNotFoundError):
        return ""
    package = (error.name or "").partition(".")[0]
    return how_to_install([package], purpose) if extra_of(package) else ""


def colour_science(purpose: str) -> Any:
    """The package colour-science, imported at its first use, which takes half a second. Raises
    BadInput where it is not installed; ``purpose`` as of :func:`how_to_install`."""
    before = set(sys.modules)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that nothing can be plotted
            import colour
    except ImportError as error:
        raise BadInput(how_to_install(["colour"], purpose)) from error
    # Without matplotlib it leaves stand-ins for its modules, on which diffusers stumbles.
    for name in set(sys.modules) - before:
        if type(sys.modules.get(name)).__module__ == "unittest.mock":
            sys.modules.pop(name, None)
    return colour
