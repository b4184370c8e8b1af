"""The fixtures of tiny models, for the commands that list and draw."""

from tests.core.generation.conftest import models_folder, one_thread, tiny

__all__ = ["models_folder", "one_thread", "tiny"]
