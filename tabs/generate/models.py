"""Models and objects in the request card: choices, missing files, stand-ins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypedDict

from truehue.core.generation.opening import missing
from truehue.core.generation.registry import DRAWABLE, MODELS, Defaults, ModelEntry, model
from truehue.core.generation.renderer import OBJECTS
from truehue.core.prompts.tables import objects
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor, may_open


def model_choices(context: Context) -> list[tuple[str, str]]:
    """Name and id of every model that could draw, and of every server that was set up; what has no
    weights on this machine is marked."""
    listed = [
        (entry.name + (" · not installed" if _lacks(entry, context) else ""), entry.id)
        for entry in MODELS
        if entry.kind in DRAWABLE
    ]
    return listed + [(f"{name} (server)", f"served:{name}") for name in context.endpoints]


def objects_to_render() -> list[str]:
    """The renderer's own shapes first, then the benchmark's objects, each once."""
    return list(
        dict.fromkeys([*OBJECTS, *sorted((row.name for row in objects()), key=str.casefold)])
    )


def checked_models(actor: Actor, models: Sequence[str]) -> None:
    """Raises BadInput for a model that there is not, and NotAllowed for a folder of this machine to
    who may name none."""
    for name in models:
        may_open(actor, name)
        model(name)


class ModelFacts(TypedDict):
    """A chosen model; ``lacking`` are sentences, each with its command or an empty text."""

    name: str
    facts: str
    lacking: list[tuple[str, str]]


class ChosenModels(TypedDict, total=False):
    """The chosen models, empty where the form is wrong; ``lacking`` is true if any lacks something."""

    models: list[ModelFacts]
    lacking: bool


def about_models(context: Context, actor: Actor, models: Sequence[str]) -> ChosenModels:
    """The chosen models as the page shows them: settings, license, size, and what they lack here.

    The renderer needs no words. Raises BadInput as :func:`checked_models` does.
    """
    checked_models(actor, models)
    rows: list[ModelFacts] = []
    for name in models:
        entry = model(name)
        if entry.kind == "renderer":
            continue
        facts = [_own_settings(entry.defaults), entry.license]
        if entry.memory_gib:
            facts.append(f"{_size(entry.memory_gib)} of weights")
        lacking = [
            _with_command(text) for text in missing(entry, None, context.sources, context.endpoints)
        ]
        if lacking:
            lacking.insert(0, ("It cannot generate here yet.", ""))
        rows.append({"name": entry.name, "facts": " · ".join(facts), "lacking": lacking})
    return {"models": rows, "lacking": any(row["lacking"] for row in rows)}


def _size(gib: float) -> str:
    """``"4.6 MiB"``, ``"13 GiB"``."""
    return f"{gib:g} GiB" if gib >= 0.1 else f"{1024 * gib:.1f} MiB"


def missing_text(about: ChosenModels) -> str:
    """Why nothing is drawn while a chosen model cannot draw; empty where all can."""
    names = [row["name"] for row in about["models"] if row["lacking"]]
    if not names:
        return ""
    return (
        f"{' and '.join(names)} cannot generate images here yet: "
        "choose another model, or see what it lacks."
    )


def _lacks(entry: ModelEntry, context: Context) -> bool:
    return bool(missing(entry, None, context.sources, context.endpoints))


def _own_settings(own: Defaults | None) -> str:
    if own is None:
        return "the pipeline's default settings"
    parts = [
        f"{own.steps} steps" if own.steps else "",
        f"guidance {own.guidance:g}" if own.guidance is not None else "",
        f"{own.width} × {own.height}",
    ]
    return ", ".join(part for part in parts if part)


def _with_command(text: str) -> tuple[str, str]:
    """The sentence, and the command at its end apart, so that it can be copied."""
    match = re.fullmatch(r"(.*?:) ((?:python -m|pip install) .*)", text)
    return (match[1], match[2]) if match else (text, "")
