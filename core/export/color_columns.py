"""The columns of the table of colors: what was measured of each concept's object in a picture."""

from __future__ import annotations

from core.color.uw71 import uw71
from core.export.columns import (
    COLUMNS,
    MASK,
    MEASURED,
    NUMBER,
    OBJECT,
    PICTURE,
    PROMPT,
    RUN,
    TEXT,
    UNMEASURED,
    WHOLE,
    Column,
)

MEASURE = "the object's pixels"
_OF_RESULTS = {column.name: column for column in COLUMNS}


def _as_results(*names: str) -> tuple[Column, ...]:
    """Columns that both tables have, so that they can be joined."""
    return tuple(_OF_RESULTS[name] for name in names)


_ABOUT: tuple[Column, ...] = (
    *_as_results("run_id", "run_name", "model", "kind", "position", "prompt_source", "prompt_id"),
    Column("concept_id", TEXT, PROMPT, "Id of ColorConceptBench's concept, without the style; "
           "empty where the prompt is not one of its prompts word for word."),
    *_as_results("prompt_category", "concept", "modifier", "style", "image"),
    Column("guidance", NUMBER, PICTURE, "Guidance scale that the picture was drawn with; empty "
           "where it is the model's own or unknown."),
    *_as_results("seed", "image_id"),
    Column("target", WHOLE, OBJECT, "Place of the object in the prompt.", "0 upward", always=True),
    Column("object", TEXT, OBJECT, "The object's name.", always=True),
    Column("status", TEXT, MEASURE, "Whether there are colors.", allowed=(MEASURED, UNMEASURED),
           always=True),
    Column("reason", TEXT, MEASURE, "Why there are none, as a sentence."),
    Column("profile_version", TEXT, RUN, "Version of the measurement. Numbers of different "
           "versions are never to be mixed."),
    Column("mask_px", WHOLE, MASK, "Pixels of the object.", "pixels"),
    Column("mask_sha256", TEXT, MASK, "SHA-256 of the mask's size and pixels.", "64 hex digits"),
    Column("sampled_px", WHOLE, MEASURE, "Pixels of the sample, the object at 100 x 100 pixels or "
           "fewer, of which the dominant color is.", "pixels"),
    Column("dominant_hex", TEXT, MEASURE, "Dominant color, rounded: the mean of the sample's "
           "pixels in the fullest of 16 x 16 x 16 RGB bins.", "#RRGGBB in sRGB"),
    *(Column(f"dominant_{name}", NUMBER, MEASURE, f"{words} of the dominant color, not rounded.",
             "sRGB, 0 to 255")
      for name, words in (("r", "Red"), ("g", "Green"), ("b", "Blue"))),
    *(Column(f"dominant_lab_{name}", NUMBER, MEASURE, f"{name.upper() if name == 'l' else name}* "
             "of the dominant color.",
             "CIELAB D65/2°, 0 to 100" if name == "l" else "CIELAB D65/2°")
      for name in "lab"),
    Column("dominant_share", NUMBER, MEASURE, "Share of the sample in that RGB bin.", "0 to 1"),
)  # fmt: skip
SHARES: tuple[Column, ...] = tuple(
    Column(one.hex, NUMBER, MEASURE, f"Share of mask_px that is nearest to bin {one.index} of "
           f"UW-71, {one.name}.", "0 to 1; the 71 sum to 1")
    for one in uw71()
)  # fmt: skip
COLOR_COLUMNS: tuple[Column, ...] = (*_ABOUT, *SHARES)
COLOR_NOTE = (
    "One row a picture and object of a concept, whose prompt asks no color. The last 71 columns "
    "are called by the colors of UW-71's bins. An unmeasured row has a reason and no numbers: it "
    "is to be counted, never to be taken for zeros."
)
