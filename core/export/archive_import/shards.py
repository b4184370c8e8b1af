"""The results in an archive: every row is checked against the plan and rewritten; colors of concepts
must be consistent with each other and with their image.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.profile import CELLS, SAMPLE_SIDE
from truehue.core.errors import BadInput
from truehue.core.export.archive_import.plan import CheckedPlan, is_sha256
from truehue.core.export.archive_import.zip_file import RunZip
from truehue.core.export.source import part_name
from truehue.core.files import ReportProgress
from truehue.core.images.decode import MAX_PIXELS
from truehue.core.runs.concepts import measured_of
from truehue.core.runs.score import CAUSES
from truehue.core.runs.shards import old_schema, schema
from truehue.core.verdict.rules import STATUSES

_SAMPLE = SAMPLE_SIDE**2


def profile_problem(profile: Mapping[str, Any], picture_px: int) -> str:
    """What of a profile, as a row of a shard holds it, cannot be; empty where all of it can.

    ``picture_px`` are the pixels of its image. Raises KeyError and TypeError for what has no
    numbers where they belong.
    """
    sampled, masked = profile["sampled_px"], profile["mask_px"]
    # A pixel of the object can lie half in each of two pixels of the sample, to both sides.
    if not (_whole(masked, 2, picture_px) and _whole(sampled, 1, min(_SAMPLE, 4 * masked))):
        return "its numbers of pixels are none"
    dominant = profile["dominant_srgb"]
    if len(dominant) != 3 or not all(_within(value, 255.0) for value in dominant):
        return "its dominant color is none"
    if not _within(profile["dominant_share"], 1.0):
        return "the share of its dominant color is none"
    cells, counts, sums = profile["cells"], profile["counts"], profile["sums"]
    if not (_ascending(cells, CELLS**3) and _shares(counts, len(cells), sampled)):
        return "its cells of colors do not add up"
    maxima = (255 * count for count in counts for _ in range(3))
    if len(sums) != 3 * len(cells) or not all(map(_whole, sums, [0] * len(sums), maxima)):
        return "its sums of colors do not add up"
    bins, bin_counts = profile["bins"], profile["bin_counts"]
    if not (_ascending(bins, COUNT) and _shares(bin_counts, len(bins), masked)):
        return "its UW-71 bins do not add up"
    return ""


def _ascending(numbers: Sequence[Any], below: int) -> bool:
    inside = all(_whole(number, 0, below - 1) for number in numbers)
    return inside and all(a < b for a, b in pairwise(numbers))


def _shares(counts: Sequence[Any], length: int, total: int) -> bool:
    return (
        len(counts) == length
        and all(_whole(count, 1, total) for count in counts)
        and sum(counts) == total
    )


def _within(value: Any, high: float) -> bool:
    return isinstance(value, float) and 0.0 <= value <= high


MAX_TEXT = 20_000
MAX_JSON = 2**20
MAX_ROWS = 10_000
"""In one shard; ours have 2,048."""

MAX_NUMBERS = 20_000_000
MAX_UNPACKED = 256 * 2**20
MAX_TEXTS = 64 * 2**20
"""Bytes of a shard as its footer says, before any of it is read: all columns, and those of text."""

_AT_ONCE = 64
_HEX = re.compile("(#[0-9A-F]{6})?")


@dataclass
class CheckedResults:
    """How many images have a result, and the sizes (width, height) of the images and masks that
    results speak of, by their ids."""

    done: int = 0
    images: dict[str, tuple[int, int]] = field(default_factory=dict)
    masks: dict[str, tuple[int, int]] = field(default_factory=dict)


def checked_results(
    archive: RunZip, folder: Path, plan: CheckedPlan, progress: ReportProgress
) -> CheckedResults:
    """Checks the shards of an archive and writes them into ``folder`` in this version's schema, one
    after the other.

    Raises BadInput, naming shard and row, for the first thing that is wrong.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    results, seen = CheckedResults(), bytearray(plan.total)
    for number, name in enumerate(archive.shards):
        path = folder / name
        if path.name != part_name(number):
            raise BadInput(f"{part_name(number)} is missing in {archive.shown}.")
        archive.write(name, folder)
        tables, index = [], 0
        try:
            for rows in _batches(path):
                for row in rows:
                    try:
                        _check(row, plan, seen, results)
                    except (BadInput, ValueError, TypeError, RecursionError) as error:
                        raise BadInput(f"row {index} is not of this run: {error}") from error
                    index += 1
                tables.append(pa.Table.from_pylist(rows, schema=schema()))
            table = pa.concat_tables(tables) if tables else schema().empty_table()
        except (BadInput, OSError, ValueError, KeyError, pa.ArrowException) as error:
            text = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
            raise BadInput(f"{path.name} in {archive.shown} cannot be used: {text}.") from error
        path.unlink()
        pq.write_table(table, path, compression="zstd")
        progress(results.done, plan.total)
    return results


def _batches(path: Path) -> Any:
    """The rows of a shard in small pieces whose size is looked at before they become Python's."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    old = file.schema_arrow.equals(old_schema())
    if not old and not file.schema_arrow.equals(schema()):
        raise BadInput("it has other columns than this TrueHue's results")
    _refuse_large(file.metadata)
    for batch in file.iter_batches(batch_size=_AT_ONCE):
        if batch.nbytes > MAX_UNPACKED:
            raise BadInput("it unpacks to more than any shard of ours")
        rows = batch.to_pylist()
        yield [{**row, "profiles": []} for row in rows] if old else rows


def _refuse_large(about: Any) -> None:
    columns = [
        about.row_group(group).column(column)
        for group in range(about.num_row_groups)
        for column in range(about.num_columns)
    ]
    unpacked = sum(column.total_uncompressed_size for column in columns)
    texts = sum(
        column.total_uncompressed_size for column in columns if column.physical_type == "BYTE_ARRAY"
    )
    if about.num_rows > MAX_ROWS or sum(column.num_values for column in columns) > MAX_NUMBERS:
        raise BadInput("it is larger than any shard of ours")
    if unpacked > MAX_UNPACKED or texts > MAX_TEXTS:
        raise BadInput("it unpacks to more than any shard of ours")


def _check(
    row: Mapping[str, Any], plan: CheckedPlan, seen: bytearray, results: CheckedResults
) -> None:
    position = row["position"]
    _must(_whole(position, 0, plan.total - 1), f"it has no image {position}")
    _must(not seen[position], f"image {position} appears twice")
    seen[position] = 1
    _must((row["prompt"], row["image"]) == plan.position_of(position), "prompt or image are others")
    _must(_whole(row["attempt"], 1, 2**31 - 1), "the attempt is no number")
    _must(row["status"] in ("drawn", "failed"), f"there is no status {row['status']!r:.40}")
    _must(_text(row["reason"]) and row["worker"] == "", "a text is missing or too long")
    sample = row["status"] == "drawn"
    _must(is_sha256(row["image_id"]) if sample else row["image_id"] == "", "an image has no id")
    if plan.places and sample:
        _must(row["image_id"] == plan.places.image_id(position), "it is another image than planned")
    _must(
        all(_whole(row[name], int(sample), 100_000) for name in ("width", "height")),
        "an image has no size",
    )
    _must(row["width"] * row["height"] <= MAX_PIXELS, "an image is too large")
    _must(row["seed"] is None or _whole(row["seed"], 0, 2**63 - 1), "a seed is no number")
    _must(
        all(_number(row[name], 0.0) for name in ("seconds", "scoring_seconds")),
        "a time is no number",
    )
    _must(_object(row["origin"]), "an origin is no JSON object")
    _must(
        isinstance(row["notes"], list) and all(_text(note) for note in row["notes"]),
        "a note is no text",
    )
    targets = len(plan.prompts[row["prompt"]].targets)
    for mask in _list_of_objects(row["masks"]):
        _must(_whole(mask["target"], 0, targets - 1), "a mask belongs to no object")
        _must(is_sha256(mask["content_sha256"]) and mask["mask_id"] == "", "a mask has no id")
        _must(_whole(mask["area_px"], 0, 2**40) and _text(mask["maker"]), "a mask has no area")
        _must(_object(mask["parameters"]), "parameters of a mask are no JSON object")
        _keep(results.masks, mask["content_sha256"], row)
    _must(
        len({mask["target"] for mask in row["masks"]}) == len(row["masks"]),
        "an object has two masks",
    )
    _verdicts(_list_of_objects(row["verdicts"]), plan, targets)
    _profiles(_list_of_objects(row["profiles"]), row, plan)
    results.done += 1
    if sample:
        _keep(results.images, row["image_id"], row)


def _keep(sizes: dict[str, tuple[int, int]], name: str, row: Mapping[str, Any]) -> None:
    size = row["width"], row["height"]
    _must(sizes.setdefault(name, size) == size, "an image has two sizes")


def _verdicts(verdicts: list[dict[str, Any]], plan: CheckedPlan, targets: int) -> None:
    rules = {(rule[0], rule[1]) for rule in plan.summary["rules"]}
    leads: dict[str, int] = {}
    images: dict[str, set[str]] = {}
    keys = set()
    for verdict in verdicts:
        _must(
            (verdict["rule"], verdict["version"]) in rules,
            "a verdict is of a rule that the plan does not have",
        )
        _must(_whole(verdict["target"], -1, targets - 1), "a verdict belongs to no object")
        _must(
            verdict["status"] in STATUSES and verdict["picture_status"] in STATUSES,
            "a status is none",
        )
        _must(
            verdict["cause"] in CAUSES or verdict["cause"] == "",
            f"this TrueHue knows no cause {verdict['cause']!r:.40}",
        )
        _must(verdict["relation"] in ("matches", "differs"), "a relation is none")
        _must(isinstance(verdict["leads"], bool), "no object decided")
        texts = (verdict[name] for name in ("object_name", "step", "told", "picture_reason"))
        _must(all(_text(text) for text in texts), "a text is missing")
        _must(
            isinstance(verdict["asked_hex"], str)
            and _HEX.fullmatch(verdict["asked_hex"]) is not None,
            "a target color is none",
        )
        lab = verdict["lab"]
        _must(
            lab is None or (len(lab) == 3 and all(_number(n, -1000.0, False) for n in lab)),
            "a measured color is none",
        )
        _must(
            all(
                _number(verdict[name], 0.0)
                for name in (
                    "delta_e00",
                    "delta_chroma",
                    "hue_deg",
                    "misfit",
                    "confidence_percent",
                    "light_factor",
                    "haze_percent",
                )
            ),
            "a number is none",
        )
        key = verdict["rule"], verdict["target"]
        _must(key not in keys, "a rule scores an object twice")
        keys.add(key)
        leads[verdict["rule"]] = leads.get(verdict["rule"], 0) + verdict["leads"]
        images.setdefault(verdict["rule"], set()).add(verdict["picture_status"])
    _must(all(count == 1 for count in leads.values()), "not one object decided")
    _must(all(len(statuses) == 1 for statuses in images.values()), "an image has two verdicts")


def _profiles(profiles: list[dict[str, Any]], row: Mapping[str, Any], plan: CheckedPlan) -> None:
    prompt = plan.prompts[row["prompt"]]
    expected_targets = measured_of(prompt.task, prompt.targets) if row["status"] == "drawn" else ()
    targets = [profile["target"] for profile in profiles]
    _must(
        len(set(targets)) == len(targets) and set(targets) <= set(expected_targets),
        "colors were measured of an object that is no concept",
    )
    for entry in profiles:
        _must(_text(entry["reason"]), "a reason is missing")
        if entry["profile"] is None:
            _must(bool(entry["reason"]), "colors are missing without a reason")
            continue
        wrong = profile_problem(entry["profile"], row["width"] * row["height"])
        _must(not wrong, f"colors were measured that cannot be: {wrong}")


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadInput(otherwise)


def _whole(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _number(value: Any, low: float, empty: bool = True) -> bool:
    if value is None:
        return empty
    return isinstance(value, float) and math.isfinite(value) and low <= value <= 1e9


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT


def _object(value: Any) -> bool:
    # Python's reader takes NaN, which is no JSON and breaks whoever reads it after us.
    return (
        isinstance(value, str)
        and len(value) <= MAX_JSON
        and isinstance(json.loads(value, parse_constant=_refuse), dict)
    )


def _refuse(name: str) -> Any:
    raise BadInput(f"{name} is no number of JSON")


def _list_of_objects(value: Any) -> list[dict[str, Any]]:
    _must(
        isinstance(value, list) and all(isinstance(entry, dict) for entry in value),
        "a list is missing",
    )
    return list(value)
