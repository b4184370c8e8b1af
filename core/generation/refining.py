"""Which models CFR can be applied to, before any of them is loaded."""

from __future__ import annotations

from truehue.core.generation.backends.families import FAMILIES
from truehue.core.generation.entry import ModelEntry

_NO_DIFFUSION = {
    "renderer": "is no diffusion model: it computes its images without guidance.",
    "transformers": "generates token by token, not by diffusion.",
    "served": "generates on a server whose guidance cannot be changed from here.",
    "folder": "does not generate here: its images are imported.",
}


def why_no_cfr(entry: ModelEntry, guidance: float | None = None) -> str:
    """Why CFR cannot be applied to a model, as a sentence; empty where it can, or where only the
    loaded pipeline will show (any folder or repository).

    ``guidance`` is what the model is asked to draw with, None for its own.
    """
    if entry.kind in _NO_DIFFUSION:
        return f"{entry.name} {_NO_DIFFUSION[entry.kind]}"
    family = FAMILIES.get(entry.pipeline)
    if family is not None and not family.two_predictions:
        return (
            f"{entry.name} makes one prediction only: its guidance is distilled into the weights."
        )
    own = entry.defaults.guidance if entry.defaults is not None else None
    scale = own if guidance is None else guidance
    if scale is not None and scale <= 1:
        return f"At guidance {scale:g} {entry.name} has nothing to lower: set it above 1."
    return ""
