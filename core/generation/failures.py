"""What can go wrong with a model, beyond what a person typed."""

from __future__ import annotations

from core.errors import BadInput, TrueHueError


class ModelMissing(BadInput):
    """The model's weights are not on this machine."""


class BadModelFolder(BadInput):
    """A folder is no pipeline, is half downloaded, or asks for what is never done (foreign code,
    pickled weights)."""


class DownloadFailed(TrueHueError):
    """The hub could not be reached or refused; what had arrived is kept and used next time."""


class DrawingFailed(TrueHueError):
    """The model ran and what came out is no image."""
