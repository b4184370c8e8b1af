"""Every masker of this version with its requirements, and a description of a mask's origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truehue.core.errors import BadInput
from truehue.core.masks.marks import SALIENT, STROKES

if TYPE_CHECKING:
    from truehue.core.records import ImageRecord, MaskRecord

EXACT_MAKERS = ("renderer", "file")
"""Makers of masks that come with an image."""


def is_proposal(parameters: Mapping[str, Any]) -> bool:
    """Whether the salient-object network alone made the mask with these parameters: nobody has
    selected or corrected anything."""
    return bool(parameters.get("marks") == [{"type": SALIENT}])


@dataclass(frozen=True)
class Masker:
    """One way to a mask.

    ``id`` is the ``maker`` of its masks. ``needs`` says in a person's words what it wants from
    them; ``marks`` are the types of marks it reads. ``weights`` names what has to be at hand on
    the machine, and is empty for those that work everywhere.
    """

    id: str
    name: str
    needs: str
    marks: tuple[str, ...]
    weights: str = ""


MASKERS = (
    Masker(
        SALIENT,
        "Salient object",
        "nothing, or a box around the object",
        (SALIENT, "box", "keep", "cut", "brush", "erase"),
        "U²-Net small (u2netp)",
    ),
    Masker(
        "grabcut",
        "GrabCut",
        "a box around the object, or keep and cut strokes",
        ("box", "keep", "cut", "brush", "erase"),
    ),
    Masker("brush", "Brush", "the object painted by hand", ("brush", "erase")),
    Masker("whole", "Whole image", "nothing", ("whole",)),
    Masker(
        "grounded_sam",
        "Automatic",
        "the object's name",
        ("stored", "override", "point", "keep", "cut", "brush", "erase"),
        "a detector (GroundingDINO) and a segmenter (SAM or SAM 2)",
    ),
    Masker(
        "points",
        "Points",
        "clicks on what belongs to the object and on what does not",
        ("point", "box", "keep", "cut", "brush", "erase"),
        "a segmenter (SAM or SAM 2)",
    ),
    Masker("renderer", "Exact mask from the renderer", "an image drawn here", ("stored",)),
    Masker(
        "file",
        "From the file's transparency",
        "a file with transparency, or a mask file beside it",
        ("stored",),
    ),
    Masker("paper", "Without the white paper", "a drawing on white", ("stored",)),
)


def masker(masker_id: str) -> Masker:
    """The masker of that id; raises BadInput that lists the known ones."""
    for entry in MASKERS:
        if entry.id == masker_id:
            return entry
    raise BadInput(
        f"No masker {masker_id!r}; known are {', '.join(entry.id for entry in MASKERS)}."
    )


GROUNDED = "grounded_sam"
FILE, TRANSPARENCY = "file", "transparency"


def describe(maker: str, parameters: Mapping[str, Any]) -> str:
    """``GrabCut · box, 2 strokes`` or ``Salient object v1``: maker, then marks.

    Both are those of a :class:`truehue.core.images.pixels.Mask`; an unknown maker stands as it is.
    The area is not said.
    """
    base = parameters.get("base")
    if isinstance(base, Mapping) and base.get("maker") == GROUNDED:
        maker = GROUNDED  # strokes and points on it are counted
    name = next((entry.name for entry in MASKERS if entry.id == maker), maker)
    others = parameters.get("from", TRANSPARENCY)
    if maker == FILE and others != TRANSPARENCY:
        name = f"From the mask file {others}"
    salient = parameters.get(SALIENT)
    if maker == SALIENT and isinstance(salient, Mapping):
        name = f"{name} v{salient.get('version')}"
    marks = parameters.get("marks")
    listed = marks if isinstance(marks, (list, tuple)) else ()
    types = [mark.get("type") for mark in listed if isinstance(mark, Mapping)]
    parts = ["box"] if "box" in types else []
    if maker == GROUNDED:
        parts += _grounding_text(parameters)
    counted = (
        (types.count("override") or _overridden(parameters), "step by hand", "steps by hand"),
        (types.count("point"), "point", "points"),
        (sum(kind in STROKES for kind in types), "stroke", "strokes"),
    )
    parts += [f"{n} {singular if n == 1 else more}" for n, singular, more in counted if n]
    return f"{name} · {', '.join(parts)}" if parts else name


def mask_text(record: MaskRecord, image: ImageRecord) -> str:
    """How the mask came about and how large it is: ``GrabCut · box, 2 strokes · 40.5%``."""
    share = 100.0 * record.area_px / (image.width * image.height)
    description = describe(record.maker, record.parameters)
    return f"{description} · {record.area_px:,} px · {share:.1f}%"


def _grounding_text(parameters: Mapping[str, Any]) -> list[str]:
    """``apple``, ``2 boxes``, ``1 part taken away``: what an automatic mask was made of."""
    boxes, negatives = parameters.get("boxes") or (), parameters.get("negatives") or ()
    count = sum(1 for negative in negatives if negative.get("taken_px"))
    parts = [str(parameters["object"])] if parameters.get("object") else []
    if boxes:
        parts.append("1 box" if len(boxes) == 1 else f"{len(boxes)} boxes")
    if count:
        parts.append("1 part taken away" if count == 1 else f"{count} parts taken away")
    return parts


def _overridden(parameters: Mapping[str, Any]) -> int:
    """How many steps of an automatic mask a person overrode, where no marks say so."""
    overrides = parameters.get("overrides")
    return sum(map(len, overrides.values())) if isinstance(overrides, Mapping) else 0
