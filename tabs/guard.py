"""Errors become words on the page; only those that nobody foresaw are also logged."""

from __future__ import annotations

import logging

from core.errors import BadInput, TrueHueError

log = logging.getLogger("truehue")


def message_of(error: Exception) -> str:
    """The text to show for an error; logs the ones that are not ours with their trace."""
    if isinstance(error, TrueHueError):
        return str(error)
    log.error("unexpected error", exc_info=error)
    return (
        f"Something went wrong that TrueHue did not expect ({type(error).__name__}: {error}). "
        "Nothing was stored. The log of the app has the details."
    )


def allowed_model(model_id: str, local: bool) -> None:
    """Raises BadInput for a folder of this machine where others than the people at it reach the
    app."""
    if model_id.startswith("folder:") and not local:
        raise BadInput("Folders can only be named on the machine where the app runs.")


def many(number: int, noun: str) -> str:
    """``1 image``, ``1,200 images``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
