"""The table of colors: what was measured of each concept's object, one flat row a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from truehue.core.color.spaces import hex_of, srgb1_to_lab
from truehue.core.color.uw71 import COUNT, uw71
from truehue.core.export.columns import (
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
from truehue.core.export.result_tables import item_tables
from truehue.core.export.rows import (
    ProfileStatus,
    Prompts,
    Table,
    in_columns,
    list_of,
    places_of,
    same,
)
from truehue.core.export.source import ExportRun
from truehue.core.runs.concepts import concept_of
from truehue.core.runs.plan import guidance_at

MEASURE = "the object's pixels"
_OF_RESULTS = {column.name: column for column in COLUMNS}


def _as_results(*names: str) -> tuple[Column, ...]:
    """Columns that both tables have, so that they can be joined."""
    return tuple(_OF_RESULTS[name] for name in names)


_ABOUT: tuple[Column, ...] = (
    *_as_results("run_id", "run_name", "model", "kind", "position", "prompt_source", "prompt_id"),
    Column(
        "concept_id",
        TEXT,
        PROMPT,
        "Id of ColorConceptBench's concept, without the style; "
        "empty where the prompt is not one of its prompts word for word.",
    ),
    *_as_results("prompt_category", "concept", "modifier", "style", "image"),
    Column(
        "guidance",
        NUMBER,
        PICTURE,
        "Guidance scale that the image was generated with; empty "
        "where it is the model's own or unknown.",
    ),
    *_as_results("seed", "image_id"),
    Column("target", WHOLE, OBJECT, "Place of the object in the prompt.", "0 upward", always=True),
    Column("object", TEXT, OBJECT, "The object's name.", always=True),
    Column(
        "status",
        TEXT,
        MEASURE,
        "Whether there are colors.",
        allowed=(MEASURED, UNMEASURED),
        always=True,
    ),
    Column("reason", TEXT, MEASURE, "Why there are none, as a sentence."),
    Column(
        "profile_version",
        TEXT,
        RUN,
        "Version of the measurement. Numbers of different versions are never to be mixed.",
    ),
    Column("mask_px", WHOLE, MASK, "Pixels of the object.", "pixels"),
    Column("mask_sha256", TEXT, MASK, "SHA-256 of the mask's size and pixels.", "64 hex digits"),
    Column(
        "sampled_px",
        WHOLE,
        MEASURE,
        "Pixels of the sample, the object at 100 x 100 pixels or "
        "fewer, of which the dominant color is.",
        "pixels",
    ),
    Column(
        "dominant_hex",
        TEXT,
        MEASURE,
        "Dominant color, rounded: the mean of the sample's "
        "pixels in the fullest of 16 x 16 x 16 RGB bins.",
        "#RRGGBB in sRGB",
    ),
    *(
        Column(
            f"dominant_{name}",
            NUMBER,
            MEASURE,
            f"{text} of the dominant color, not rounded.",
            "sRGB, 0 to 255",
        )
        for name, text in (("r", "Red"), ("g", "Green"), ("b", "Blue"))
    ),
    *(
        Column(
            f"dominant_lab_{name}",
            NUMBER,
            MEASURE,
            f"{name.upper() if name == 'l' else name}* of the dominant color.",
            "CIELAB D65/2°, 0 to 100" if name == "l" else "CIELAB D65/2°",
        )
        for name in "lab"
    ),
    Column("dominant_share", NUMBER, MEASURE, "Share of the sample in that RGB bin.", "0 to 1"),
)
SHARES: tuple[Column, ...] = tuple(
    Column(
        bin_.hex,
        NUMBER,
        MEASURE,
        f"Share of mask_px that is nearest to bin {bin_.index} of UW-71, {bin_.name}.",
        "0 to 1; the 71 sum to 1",
    )
    for bin_ in uw71()
)
COLOR_COLUMNS: tuple[Column, ...] = (*_ABOUT, *SHARES)
COLOR_NOTE = (
    "One row per image and object of a concept, whose prompt names no color. The last 71 columns "
    "are called by the colors of UW-71's bins. An unmeasured row has a reason and no numbers: it "
    "is to be counted, never to be taken for zeros."
)

_OF_ITEM = ("position", "image", "seed", "image_id")
_OF_PROMPT = ("prompt_source", "prompt_id", "prompt_category", "concept", "modifier", "style")


def color_tables(run: ExportRun) -> Iterator[Table]:
    """The rows of a run in tables of a few thousand, ascending by position: one for every picture
    of a concept that has a result, also where it has no colors, with the reason."""
    about = _About(run)
    for items in item_tables(run.shards):
        yield about.rows(items)


class _About:
    """What is the same for all rows of a run."""

    def __init__(self, run: ExportRun) -> None:
        import pyarrow as pa

        self.run, self.plan = run, run.plan
        self.prompts = Prompts(self.plan.prompts)
        concepts = [concept_of(prompt) for prompt in self.plan.prompts]
        self.concept_ids = pa.array([concept and concept[0] for concept in concepts], pa.string())
        self.version = str((run.folder.summary().get("made_with") or {}).get("profile") or "")

    def rows(self, items: Table) -> Table:
        import pyarrow as pa
        import pyarrow.compute as pc

        targets = self.prompts.measured[items["prompt"].to_numpy()]
        item = np.flatnonzero(targets >= 0)
        prompt, target, position = items["prompt"].to_numpy()[item], targets[item], pa.array(item)
        statuses = ProfileStatus(items, item, target)
        count = len(item)
        columns: dict[str, Any] = {
            "run_id": same(self.run.run_id, count),
            "run_name": same(self.plan.name, count),
            "model": same(self.plan.model, count),
            "kind": same(self.plan.kind, count),
            "profile_version": same(self.version, count),
        }
        columns |= {name: self.prompts.texts[name].take(pa.array(prompt)) for name in _OF_PROMPT}
        columns["concept_id"] = self.concept_ids.take(pa.array(prompt))
        columns |= {name: items[name].combine_chunks().take(position) for name in _OF_ITEM}
        columns["guidance"] = pa.array(
            [
                guidance_at(image, self.plan.guidance, self.plan.guidances, self.plan.images)
                for image in columns["image"].to_pylist()
            ],
            pa.float64(),
        )
        columns["target"] = pa.array(target)
        numbers = self.prompts.target_numbers(prompt, target)
        columns["object"] = self.prompts.targets["object"].take(numbers)
        columns["status"] = pc.if_else(pa.array(statuses.there), MEASURED, UNMEASURED)
        columns["reason"] = statuses.reasons
        masks = list_of(items, "masks")
        index = places_of(masks, item, target)
        columns["mask_sha256"] = masks.flatten().field("content_sha256").take(index)
        return in_columns(columns | _numbers(statuses), COLOR_COLUMNS)


def _numbers(statuses: ProfileStatus) -> dict[str, Any]:
    """What was measured, null where nothing was."""
    import pyarrow as pa

    there, none = statuses.there, ~statuses.there
    columns: dict[str, Any] = {
        name: statuses.fields[name] for name in ("mask_px", "sampled_px", "dominant_share")
    }
    count = len(there)
    srgb = np.full((count, 3), np.nan)
    srgb[there] = np.asarray(statuses.fields["dominant_srgb"].flatten()).reshape(-1, 3)
    lab = np.full((count, 3), np.nan)
    lab[there] = srgb1_to_lab(srgb[there] / 255.0) if there.any() else srgb[there]
    for index, (rgb, name) in enumerate(zip("rgb", "lab", strict=True)):
        columns[f"dominant_{rgb}"] = pa.array(srgb[:, index], mask=none)
        columns[f"dominant_lab_{name}"] = pa.array(lab[:, index], mask=none)
    columns["dominant_hex"] = pa.array(
        [
            hex_of(np.rint(row).astype(int)) if has else None
            for row, has in zip(srgb, there.tolist(), strict=True)
        ],
        pa.string(),
    )
    for column, shares in zip(SHARES, _shares(statuses).T, strict=True):
        columns[column.name] = pa.array(shares, mask=none)
    return columns


def _shares(statuses: ProfileStatus) -> np.ndarray:
    """Shares of the 71 bins, float64 ``(N, 71)``; rows without colors stay 0."""
    import pyarrow.compute as pc

    bins, counts = statuses.fields["bins"], statuses.fields["bin_counts"]
    lengths = pc.list_value_length(bins).fill_null(0).to_numpy(zero_copy_only=False)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    pixel_counts = np.zeros((len(lengths), COUNT))
    pixel_counts[rows, np.asarray(bins.flatten(), dtype=np.int64)] = np.asarray(counts.flatten())
    pixels = statuses.fields["mask_px"].fill_null(1).to_numpy(zero_copy_only=False)
    shares: np.ndarray = pixel_counts / pixels[:, None]
    return shares
