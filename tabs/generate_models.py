"""What the request card says of models and objects: choices, what is missing, stand-ins."""

from __future__ import annotations

from collections.abc import Sequence

from core.generation.readiness import missing
from core.generation.reference import stand_in_note
from core.generation.registry import MODELS, Defaults, model
from core.generation.renderer import OBJECTS
from core.prompts.tables import objects
from tabs.context import Context

DRAWABLE = ("renderer", "diffusers", "transformers")


def model_choices(context: Context) -> list[tuple[str, str]]:
    """Name and id of every model that could draw here, and of every server that was set up."""
    listed = [(entry.name, entry.id) for entry in MODELS if entry.kind in DRAWABLE]
    return listed + [(f"{name} (server)", f"served:{name}") for name in context.endpoints]


def objects_to_draw() -> list[str]:
    """The renderer's own shapes first, then the benchmark's objects, each once."""
    return list(
        dict.fromkeys([*OBJECTS, *sorted((row.name for row in objects()), key=str.casefold)])
    )


def stand_ins(names: Sequence[str]) -> list[str]:
    """A sentence for every object that the renderer draws as another shape."""
    notes = (stand_in_note(name) for name in names)
    return [note for note in notes if note]


def about_models(context: Context, models: Sequence[str]) -> tuple[str, bool]:
    """Markdown on the chosen models, and whether one of them lacks something here.

    Each model with weights is told with its own settings, its license and what it takes; the
    renderer needs no words. Raises BadInput for a model that there is not.
    """
    parts, lacks = [], False
    for name in models:
        entry = model(name)
        if entry.kind == "renderer":
            continue
        facts = [_own_settings(entry.defaults), entry.license]
        if entry.memory_gib:
            facts.append(f"{entry.memory_gib:g} GiB of weights")
        lacking = missing(entry, None, context.sources)
        lacks = lacks or bool(lacking)
        words = f"**{entry.name}**: {' · '.join(fact for fact in facts if fact)}."
        if lacking:
            words += " It cannot draw here yet. " + " ".join(_as_code(text) for text in lacking)
        parts.append(words)
    return "\n\n".join(parts), lacks


def _own_settings(own: Defaults | None) -> str:
    if own is None:
        return "the pipeline's own settings"
    parts = [
        f"{own.steps} steps" if own.steps else "",
        f"guidance {own.guidance:g}" if own.guidance is not None else "",
        f"{own.width} × {own.height}",
    ]
    return ", ".join(part for part in parts if part)


def _as_code(text: str) -> str:
    """The sentence with the command at its end set as code, so that it can be copied."""
    head, colon, command = text.partition(": python -m ")
    return f"{head}: `python -m {command}`" if colon else text
