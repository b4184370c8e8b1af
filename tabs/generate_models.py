"""What the request card says of models and objects: choices, what is missing, stand-ins."""

from __future__ import annotations

from collections.abc import Sequence

from core.generation.reference import stand_in_note

from core.generation.readiness import missing
from core.generation.registry import MODELS, model
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


def what_is_missing(context: Context, models: Sequence[str]) -> str:
    """Markdown that says what the chosen models lack here; empty when all can draw.

    Raises BadInput for a model that there is not.
    """
    parts = []
    for name in models:
        entry = model(name)
        lacking = missing(entry, None, context.sources)
        if lacking:
            parts.append(f"**{entry.name}** cannot draw here yet. " + " ".join(lacking))
    return "\n\n".join(parts)
