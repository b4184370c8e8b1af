"""Every masker that this version knows, with what it needs."""

from __future__ import annotations

from dataclasses import dataclass

from truehue.core.errors import BadInput

EXACT_MAKERS = ("renderer", "file")
"""Makers of masks that come with an image."""


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
