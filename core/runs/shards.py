"""Results of images as plain rows, equal in a journal's JSON and in a shard's Parquet.

One row per image. The columns are the fields of :class:`truehue.core.runs.records.ItemResult`;
``origin`` and the ``parameters`` of masks are JSON text, ``masks``, ``verdicts`` and ``profiles``
lists of structs with the fields of MaskResult, ObjectVerdict and ObjectProfile. Old shards without
a column of profiles are read as shards without profiles.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from truehue.core.batch import shards
from truehue.core.concepts.records import ColorProfile
from truehue.core.runs.records import ItemResult, MaskResult, ObjectProfile, ObjectVerdict

_PLAIN = tuple(field.name for field in fields(ItemResult))


def write_shard(path: Path, results: Sequence[ItemResult]) -> None:
    """Writes results to ``path`` unless that shard is there already.

    Raises DataFolderError when the folder cannot be written.
    """
    shards.write_shard(path, [row_of(result) for result in results], schema())


def read_columns(path: Path, names: Sequence[str] | None) -> Any:
    """Columns of a shard as a pyarrow Table; None reads all. Raises BadShard."""
    profiles = names is None or "profiles" in names
    return shards.read_columns(path, names, completed if profiles else None)


def completed(table: Any) -> Any:
    """The table of a shard; one of before there were profiles gets the column, empty lists."""
    import pyarrow as pa

    if "profiles" in table.schema.names:
        return table
    field = schema().field("profiles")
    return table.append_column(field, pa.array([[]] * table.num_rows, field.type))


def old_schema() -> Any:
    """The schema of shards of before there were profiles."""
    table_schema = schema()
    return table_schema.remove(table_schema.get_field_index("profiles"))


@cache
def schema() -> Any:
    """The Arrow schema of a shard."""
    import pyarrow as pa

    mask = pa.struct(
        [
            ("target", pa.int8()),
            ("content_sha256", pa.string()),
            ("area_px", pa.int64()),
            ("maker", pa.string()),
            ("parameters", pa.string()),
            ("mask_id", pa.string()),
        ]
    )
    texts = (
        "object_name",
        "relation",
        "status",
        "step",
        "cause",
        "told",
        "picture_status",
        "picture_reason",
    )
    numbers = (
        "delta_e00",
        "delta_chroma",
        "hue_deg",
        "misfit",
        "confidence_percent",
        "light_factor",
        "haze_percent",
    )
    verdict = pa.struct(
        [
            ("rule", pa.string()),
            ("version", pa.string()),
            ("target", pa.int8()),
            *((name, pa.string()) for name in texts),
            ("leads", pa.bool_()),
            ("asked_hex", pa.string()),
            ("lab", pa.list_(pa.float64())),
            *((name, pa.float64()) for name in numbers),
        ]
    )
    profile = pa.struct(
        [
            ("mask_px", pa.int64()),
            ("sampled_px", pa.int32()),
            ("dominant_srgb", pa.list_(pa.float64())),
            ("dominant_share", pa.float64()),
            ("cells", pa.list_(pa.uint16())),
            ("counts", pa.list_(pa.int32())),
            ("sums", pa.list_(pa.int32())),
            ("bins", pa.list_(pa.uint8())),
            ("bin_counts", pa.list_(pa.int32())),
        ]
    )
    of_object = pa.struct([("target", pa.int8()), ("profile", profile), ("reason", pa.string())])
    return pa.schema(
        [
            ("position", pa.int32()),
            ("prompt", pa.int32()),
            ("image", pa.int32()),
            ("attempt", pa.int32()),
            ("status", pa.string()),
            ("reason", pa.string()),
            ("image_id", pa.string()),
            ("width", pa.int32()),
            ("height", pa.int32()),
            ("seed", pa.int64()),
            ("seconds", pa.float64()),
            ("scoring_seconds", pa.float64()),
            ("worker", pa.string()),
            ("origin", pa.string()),
            ("notes", pa.list_(pa.string())),
            ("masks", pa.list_(mask)),
            ("verdicts", pa.list_(verdict)),
            ("profiles", pa.list_(of_object)),
        ]
    )


def row_of(result: ItemResult) -> dict[str, Any]:
    """A result as a row of plain values: mappings as JSON text, tuples of numbers as lists."""
    # Not by dataclasses.asdict, which goes through all that is inside as well.
    row = dict(vars(result))
    row["origin"] = _text(result.origin)
    row["notes"] = list(result.notes)
    row["masks"] = [{**vars(mask), "parameters": _text(mask.parameters)} for mask in result.masks]
    row["verdicts"] = [
        {**vars(verdict), "lab": None if verdict.lab is None else list(verdict.lab)}
        for verdict in result.verdicts
    ]
    row["profiles"] = [
        {**vars(profile), "profile": _lists(profile.profile)} for profile in result.profiles
    ]
    return row


def result_of(row: Mapping[str, Any]) -> ItemResult:
    """The result of a row of :func:`row_of`; one of before there were profiles has none. Raises
    KeyError, TypeError or ValueError for another one."""
    values = {name: row[name] for name in _PLAIN if name != "profiles"}
    values["profiles"] = tuple(
        ObjectProfile(
            **{
                **profile_row,
                "profile": profile_row["profile"] and profile_of_row(profile_row["profile"]),
            }
        )
        for profile_row in row.get("profiles") or ()
    )
    values["origin"] = json.loads(values["origin"])
    values["notes"] = tuple(values["notes"])
    values["masks"] = tuple(
        MaskResult(**{**mask_row, "parameters": json.loads(mask_row["parameters"])})
        for mask_row in values["masks"]
    )
    values["verdicts"] = tuple(
        ObjectVerdict(
            **{
                **verdict_row,
                "lab": None if verdict_row["lab"] is None else tuple(verdict_row["lab"]),
            }
        )
        for verdict_row in values["verdicts"]
    )
    return ItemResult(**values)


def profile_of_row(row: Mapping[str, Any]) -> ColorProfile:
    """The profile of its plain values. Raises KeyError, TypeError for others."""
    values: dict[str, Any] = {field.name: row[field.name] for field in fields(ColorProfile)}
    for name, value in values.items():
        if isinstance(value, list):
            values[name] = tuple(value)
    return ColorProfile(**values)


def _lists(profile: ColorProfile | None) -> dict[str, Any] | None:
    if profile is None:
        return None
    values = ((field.name, getattr(profile, field.name)) for field in fields(profile))
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), sort_keys=True, ensure_ascii=False, allow_nan=False)
