"""The contents of Inspect's stage, parsed once from the browser's request. It uses no Gradio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from truehue.core.errors import BadInput, NotStored
from truehue.core.masks.marks import Mark, parse_marks
from truehue.core.records import ImageRecord, MaskRecord
from truehue.tabs.inspect.automatic import Automatic, automatic_of
from truehue.tabs.page.context import Context


@dataclass(frozen=True)
class Work:
    """The image on the stage, its marks, and the number of that state of the marks.

    ``base`` is the stored mask that the last mark of that kind names.
    """

    image: ImageRecord
    marks: tuple[Mark, ...]
    seq: int = 0
    base: MaskRecord | None = None

    @cached_property
    def automatic(self) -> Automatic | None:
        """As :func:`truehue.tabs.inspect.automatic.automatic_of`, composed once."""
        return automatic_of(self.image, self.marks, self.base)

    @property
    def mask_name(self) -> str:
        """The name of the object that the mask was stored for, also with a person's overrides; empty
        where it was drawn on, or has none."""
        starts = [mark for mark in self.marks if mark.override is None]
        record = self.automatic.record if self.automatic is not None else self.base
        if record is None or starts[-1].type != "stored":
            return ""
        return object_of(record)

    @property
    def untouched(self) -> MaskRecord | None:
        """The stored mask, where nothing was drawn on it."""
        return self.base if self.marks and self.marks[-1].type == "stored" else None


def object_of(record: MaskRecord) -> str:
    """The name of the object that a mask is of; empty where it has none."""
    return str(record.parameters.get("object") or "").strip()


def names_other(own: str, name: str) -> bool:
    """Whether the object of a mask is another than the named one; False where either has no name."""
    return bool(own and name.strip()) and own.casefold() != name.strip().casefold()


def work_of(context: Context, image_id: str, marks: Sequence[Any], seq: int = 0) -> Work:
    """Marks, plain JSON, on a stored image.

    Raises MaskError for marks that cannot be read, NotStored for an image or a mask that is not
    there, or a mask of another image.
    """
    image = context.storage.images.get(image_id)
    parsed = parse_marks(marks, image.width, image.height)
    named = next((mark for mark in reversed(parsed) if mark.type == "stored"), None)
    base = None if named is None else context.storage.masks.get(named.mask_id)
    if base is not None and base.image_id != image.image_id:
        raise NotStored("That mask belongs to another image. Select the object again.")
    return Work(image, parsed, seq, base)


def read_stage(context: Context, value: Any) -> Work | None:
    """The stage's value, which the browser sends; None when no image is open.

    Raises BadInput when it is not what the stage makes, and as :func:`work_of`.
    """
    if not value or not isinstance(value, Mapping) or not value.get("image_id"):
        return None
    image_id, marks, seq = value.get("image_id"), value.get("marks") or [], value.get("seq") or 0
    if not isinstance(image_id, str) or not isinstance(marks, list) or not isinstance(seq, int):
        raise BadInput("The page sent an invalid image or selection. Reload the page.")
    return work_of(context, image_id, marks, seq)


def number_of(value: Any) -> int:
    """The number of the state of the marks, of whatever the browser sent."""
    seq = value.get("seq") if isinstance(value, Mapping) else 0
    return seq if isinstance(seq, int) else 0
