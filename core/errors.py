"""The one error family. Every message states the problem and its remedy."""

from __future__ import annotations

from collections.abc import Sequence


class TrueHueError(Exception):
    """Base of all errors that TrueHue raises on purpose; ``str(error)`` is fit to be shown."""


class BadInput(TrueHueError, ValueError):
    """Something that a person or a file gave cannot be used.

    ``field`` names the one of a form or a request that it speaks of; empty where there is none.
    """

    def __init__(self, message: str = "", field: str = "") -> None:
        super().__init__(message)
        self.field = field


class NotAllowed(BadInput):
    """The user has no permission for this action."""


class AlreadyEnrolled(BadInput):
    """A link for one person has been used: ``participant_id`` is who came in by it."""

    def __init__(self, message: str, participant_id: str) -> None:
        super().__init__(message)
        self.participant_id = participant_id


class ImageError(BadInput):
    """A file is no image, is broken, too large, or of a kind that cannot be read."""


class MaskError(BadInput):
    """A mask has the wrong size or type, or marks that make no mask."""


class NoPixels(MaskError):
    """A mask selects too few pixels to measure; no color is ever substituted."""


class UnknownName(MaskError):
    """A detector of fixed names knows none of those that were asked for; ``known`` are its own."""

    def __init__(self, message: str, known: tuple[str, ...]) -> None:
        super().__init__(message)
        self.known = known


class ObjectNotFound(MaskError):
    """An automatic mask found no object of that name, or none at all.

    ``step`` is ``detector`` (no box), ``segmenter`` (boxes, but no pixel in them), ``override``
    (every box was left out by hand) or ``salient`` (nothing stands out, whatever its name);
    ``best_score`` is the detector's best, 0 to 1, or None where it gave no box at all.
    """

    def __init__(
        self, message: str, object_name: str, step: str, best_score: float | None = None
    ) -> None:
        super().__init__(message)
        self.object_name, self.step, self.best_score = object_name, step, best_score


class ObjectsOverlap(MaskError):
    """A second object turned out to be one that was already found.

    ``iou`` is the intersection over union of both masks, 0 to 1; ``earlier`` the position of the
    other object among those before it.
    """

    def __init__(self, message: str, object_name: str, earlier: int, iou: float) -> None:
        super().__init__(message)
        self.object_name, self.earlier, self.iou = object_name, earlier, iou


class UnknownColor(BadInput):
    """A color name, hex or rgb value that cannot be read.

    ``suggestions`` holds the nearest names, best first, as they would be accepted.
    """

    def __init__(self, message: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.suggestions = suggestions


class StorageError(TrueHueError):
    """The data folder or the database cannot be used; nothing was changed."""


class DataFolderError(StorageError):
    """The data folder cannot be made, read or written."""


class DatabaseNewer(StorageError):
    """The database was written by a newer TrueHue."""


class DatabaseDamaged(StorageError):
    """The database file cannot be read as one of ours."""


class DatabaseBusy(StorageError):
    """Another process owns the database file."""


class NotStored(StorageError, LookupError):
    """Nothing is stored under that id."""


def enumeration(parts: Sequence[str]) -> str:
    """``a``, ``a and b`` or ``a, b and c``, for a sentence."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
