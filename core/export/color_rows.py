"""The colors of concepts' objects as flat rows: one a picture, in the table of colors' columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.color.spaces import hex_of, srgb1_to_lab
from core.color.uw71 import COUNT
from core.export.color_columns import COLOR_COLUMNS, SHARES
from core.export.columns import MEASURED, UNMEASURED
from core.export.latest import item_tables
from core.export.places import list_of, places_of
from core.export.rows import Prompts, Table, in_columns, same
from core.export.silent import Measured
from core.export.source import ExportRun
from core.runs.concepts import concept_of
from core.runs.plan import guidance_at

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
        known = [concept_of(prompt) for prompt in self.plan.prompts]
        self.concept_ids = pa.array([one and one[0] for one in known], pa.string())
        self.version = str((run.folder.summary().get("made_with") or {}).get("profile") or "")

    def rows(self, items: Table) -> Table:
        import pyarrow as pa
        import pyarrow.compute as pc

        wanted = self.prompts.measured[items["prompt"].to_numpy()]
        item = np.flatnonzero(wanted >= 0)
        prompt, target, at = items["prompt"].to_numpy()[item], wanted[item], pa.array(item)
        found = Measured(items, item, target)
        count = len(item)
        columns: dict[str, Any] = {
            "run_id": same(self.run.run_id, count), "run_name": same(self.plan.name, count),
            "model": same(self.plan.model, count), "kind": same(self.plan.kind, count),
            "profile_version": same(self.version, count),
        }  # fmt: skip
        columns |= {name: self.prompts.texts[name].take(pa.array(prompt)) for name in _OF_PROMPT}
        columns["concept_id"] = self.concept_ids.take(pa.array(prompt))
        columns |= {name: items[name].combine_chunks().take(at) for name in _OF_ITEM}
        columns["guidance"] = pa.array(
            [guidance_at(image, self.plan.guidance, self.plan.guidances, self.plan.images)
             for image in columns["image"].to_pylist()], pa.float64(),
        )  # fmt: skip
        columns["target"] = pa.array(target)
        numbers = self.prompts.target_numbers(prompt, target)
        columns["object"] = self.prompts.targets["object"].take(numbers)
        columns["status"] = pc.if_else(pa.array(found.there), MEASURED, UNMEASURED)
        columns["reason"] = found.reasons
        masks = list_of(items, "masks")
        place = places_of(masks, item, target)
        columns["mask_sha256"] = masks.flatten().field("content_sha256").take(place)
        return in_columns(columns | _numbers(found), COLOR_COLUMNS)


def _numbers(found: Measured) -> dict[str, Any]:
    """What was measured, null where nothing was."""
    import pyarrow as pa

    there, none = found.there, ~found.there
    columns: dict[str, Any] = {
        name: found.fields[name] for name in ("mask_px", "sampled_px", "dominant_share")
    }
    count = len(there)
    srgb = np.full((count, 3), np.nan)
    srgb[there] = np.asarray(found.fields["dominant_srgb"].flatten()).reshape(-1, 3)
    lab = np.full((count, 3), np.nan)
    lab[there] = srgb1_to_lab(srgb[there] / 255.0) if there.any() else srgb[there]
    for at, (rgb, name) in enumerate(zip("rgb", "lab", strict=True)):
        columns[f"dominant_{rgb}"] = pa.array(srgb[:, at], mask=none)
        columns[f"dominant_lab_{name}"] = pa.array(lab[:, at], mask=none)
    columns["dominant_hex"] = pa.array(
        [hex_of(np.rint(one).astype(int)) if has else None
         for one, has in zip(srgb, there.tolist(), strict=True)], pa.string(),
    )  # fmt: skip
    for column, shares in zip(SHARES, _shares(found).T, strict=True):
        columns[column.name] = pa.array(shares, mask=none)
    return columns


def _shares(found: Measured) -> np.ndarray:
    """Shares of the 71 bins, float64 ``(N, 71)``; rows without colors stay 0."""
    import pyarrow.compute as pc

    bins, counts = found.fields["bins"], found.fields["bin_counts"]
    lengths = pc.list_value_length(bins).fill_null(0).to_numpy(zero_copy_only=False)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    out = np.zeros((len(lengths), COUNT))
    out[rows, np.asarray(bins.flatten(), dtype=np.int64)] = np.asarray(counts.flatten())
    pixels = found.fields["mask_px"].fill_null(1).to_numpy(zero_copy_only=False)
    made: np.ndarray = out / pixels[:, None]
    return made
