"""The settings that GenColorBench's public code draws with, by their name.

Four images a prompt at 1024 pixels, seeds 42 to 45 for every prompt, on the generator of the GPU:
ours is the CPU's, so its images cannot be drawn again here.
"""

from __future__ import annotations

from truehue.core.errors import BadInput
from truehue.core.generation.entry import Defaults
from truehue.core.generation.registry import MODELS, model

RELEASED = "gencolorbench-released"
RELEASED_SEED = 42


def released_settings(model_id: str) -> Defaults:
    """The settings of a model. Raises BadInput, naming those that the code has, for another."""
    settings = model(model_id).released
    if settings is None:
        ids = ", ".join(entry.id for entry in MODELS if entry.released)
        raise BadInput(f"GenColorBench's code has no settings for {model_id}. It has {ids}.")
    return settings
