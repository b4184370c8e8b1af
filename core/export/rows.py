"""Results as flat rows: one an object, rule and picture, in the columns of an exported table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from truehue.core.batch.results import Part
from truehue.core.color.notation import read_hex
from truehue.core.color.spaces import hex_of, lab_to_srgb8, srgb8_to_lab
from truehue.core.export.columns import COLUMNS, MEASURED, UNMEASURED, Column, arrow_schema
from truehue.core.export.result_tables import item_tables
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.concepts import NOT_MEASURED, measured_of, only_measured
from truehue.core.runs.records import RunPlan
from truehue.core.verdict.rules import UNSCORED

_FAILED = "failed"
_KEYS = 1 << 16  # more targets than a prompt can have, so that item and target make one number

Table = Any
"""A pyarrow Table; pyarrow is loaded when rows are wanted."""

_OF_VERDICT = {
    "rule": "rule",
    "rule_version": "version",
    "relation": "relation",
    "asked_hex": "asked_hex",
    "picture_reason": "picture_reason",
    "step": "step",
    "cause": "cause",
    "told": "told",
    "delta_e00": "delta_e00",
    "delta_chroma": "delta_chroma",
    "hue_deg": "hue_deg",
    "misfit": "misfit",
    "confidence_percent": "confidence_percent",
    "light_factor": "light_factor",
    "haze_percent": "haze_percent",
}
_OF_ITEM = {
    "position": "position",
    "image": "image",
    "drawing_status": "status",
    "drawing_reason": "reason",
    "attempt": "attempt",
    "image_id": "image_id",
    "width_px": "width",
    "height_px": "height",
    "seed": "seed",
    "drawing_seconds": "seconds",
    "scoring_seconds": "scoring_seconds",
}


def row_tables(run_id: str, plan: RunPlan, shards: Sequence[Part]) -> Iterator[Table]:
    """The rows of a run in tables of a few thousand, ascending by position, rule and object as the
    run wrote them. A picture without a verdict is a row too: measured or unmeasured where its
    prompt is a concept's that asks no color, else unscored; with its reason."""
    about = Prompts(plan.prompts)
    for items in item_tables(shards):
        yield _rows(run_id, plan, about, items)


class Prompts:
    """Prompts and their targets as columns that rows take from by number."""

    def __init__(self, prompts: Sequence[Prompt]) -> None:
        import pyarrow as pa

        def column(values: Iterator[str | None]) -> Any:
            return pa.array([value or None for value in values], pa.string())

        fields = {
            "prompt_source": "source",
            "prompt_id": "id",
            "text": "text",
            "task": "task",
            "level": "level",
            "system": "system",
            "notation": "notation",
            "template": "template",
            "prompt_category": "category",
            "concept": "concept",
            "modifier": "modifier",
            "style": "style",
        }
        self.texts = {
            name: column(getattr(prompt, field) for prompt in prompts)
            for name, field in fields.items()
        }
        counts = [len(prompt.targets) for prompt in prompts]
        self.starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        targets = [target for prompt in prompts for target in prompt.targets]
        self.targets = {
            "object": column(iter([target.name for target in targets])),
            "category": column(iter([target.category for target in targets])),
            "role": column(iter([target.role for target in targets])),
            "color": column(iter([t.color.value if t.color else None for t in targets])),
        }

        positions = [next(iter(measured_of(prompt.task, prompt.targets)), -1) for prompt in prompts]
        self.measured = np.array(positions, dtype=np.int64)
        """The object whose colors are measured, by prompt; -1 where there is none."""

        self.only_measured = np.array([only_measured([prompt]) for prompt in prompts], dtype=bool)
        """Whether no rule has a say, by prompt."""

    def target_numbers(self, prompt: np.ndarray, target: np.ndarray) -> Any:
        """Places in ``targets``, null where there is no such target."""
        import pyarrow as pa

        number = self.starts[prompt] + target
        missing = (target < 0) | (number >= self.starts[prompt + 1])
        return pa.array(np.where(missing, 0, number), mask=missing)


def _rows(run_id: str, plan: RunPlan, about: Prompts, items: Table) -> Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    verdicts = list_of(items, "verdicts")
    lengths = pc.list_value_length(verdicts).fill_null(0).to_numpy(zero_copy_only=False)
    judged_items = np.repeat(np.arange(len(lengths)), lengths)
    silent = np.flatnonzero(lengths == 0)
    item = np.concatenate([judged_items, silent])
    order = np.argsort(item, kind="stable")
    item = item[order]
    # Rows without a verdict take nulls: their place lies beyond the last verdict.
    indices = np.concatenate([np.arange(len(judged_items)), np.full(len(silent), -1)])[order]
    verdict = pa.array(np.maximum(indices, 0), mask=indices < 0)
    flat = verdicts.flatten()
    fields = {name: _field_rows(flat, name, verdict) for name in flat.type.names}
    target = fields["target"].fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    prompt = items["prompt"].to_numpy()[item]
    index = pa.array(item)
    unjudged = pa.array(indices < 0)
    # A picture of a concept speaks of the object that is measured, if there is a picture.
    concept = (indices < 0) & about.only_measured[prompt]
    sample = pc.equal(items["status"].combine_chunks().take(index), "drawn")
    target = np.where(concept & np.asarray(sample), about.measured[prompt], target)
    measured = ProfileStatus(items, item, np.where(concept, about.measured[prompt], -1))
    columns: dict[str, Any] = {
        "run_id": same(run_id, len(item)),
        "run_name": same(plan.name, len(item)),
        "model": same(plan.model, len(item)),
        "kind": same(plan.kind, len(item)),
    }
    columns |= {name: values.take(pa.array(prompt)) for name, values in about.texts.items()}
    numbers = about.target_numbers(prompt, target)
    columns |= {name: values.take(numbers) for name, values in about.targets.items()}
    columns |= {
        name: items[source].combine_chunks().take(index) for name, source in _OF_ITEM.items()
    }
    columns |= {name: fields[source] for name, source in _OF_VERDICT.items()}
    columns["object"] = pc.if_else(unjudged, columns["object"], fields["object_name"])
    columns["target"] = pa.array(target, mask=target < 0)
    columns["leads"] = pc.if_else(unjudged, True, fields["leads"])
    silent = np.where(concept, np.where(measured.there, MEASURED, UNMEASURED), UNSCORED)
    for name in ("status", "picture_status"):
        columns[name] = pc.if_else(unjudged, pa.array(silent), fields[name])
    why = pc.if_else(pa.array(concept), measured.reasons, columns["drawing_reason"])
    columns["picture_reason"] = pc.if_else(unjudged, why, fields["picture_reason"])
    columns |= _target_columns(fields["asked_hex"]) | _measured_columns(fields["lab"])
    columns |= _masks(items, item, target)
    return in_columns(columns, COLUMNS)


def in_columns(columns: Mapping[str, Any], sheet_columns: Sequence[Column]) -> Table:
    """``columns`` in the order and types of ``sheet_columns``; text of no length is nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    schema, arrays = arrow_schema(sheet_columns), []
    for column, field in zip(sheet_columns, schema, strict=True):
        values = columns[column.name].cast(field.type)
        if pa.types.is_string(field.type):
            values = pc.if_else(pc.equal(values, ""), pa.scalar(None, pa.string()), values)
        arrays.append(values)
    return pa.Table.from_arrays(arrays, schema=schema)


def _target_columns(hexes: Any) -> dict[str, Any]:
    """L*, a*, b* of the asked colors."""
    import pyarrow as pa

    encoded = hexes.dictionary_encode()
    labs = [_lab_of_hex(value) for value in encoded.dictionary.to_pylist()]
    return {
        f"asked_{name}": pa.array([lab and lab[index] for lab in labs], pa.float64()).take(
            encoded.indices
        )
        for index, name in enumerate("lab")
    }


@lru_cache(maxsize=4096)
def _lab_of_hex(value: str) -> tuple[float, float, float] | None:
    srgb8 = read_hex(value) if value else None
    if srgb8 is None:
        return None
    lightness, a, b = (float(number) for number in srgb8_to_lab(np.array(srgb8, dtype=np.uint8)))
    return lightness, a, b


def _measured_columns(labs: Any) -> dict[str, Any]:
    """L*, a*, b* of the found colors, and the nearest color of sRGB."""
    import pyarrow as pa
    import pyarrow.compute as pc

    has = labs.is_valid().to_numpy(zero_copy_only=False)
    values = [pc.list_element(labs, index).cast(pa.float64()) for index in range(3)]
    columns: dict[str, Any] = {
        f"found_{name}": array for name, array in zip("lab", values, strict=True)
    }
    lab = np.stack([value.to_numpy(zero_copy_only=False)[has] for value in values], axis=-1)
    hexes = np.full(len(has), None, dtype=object)
    hexes[has] = [hex_of(srgb8) for srgb8 in lab_to_srgb8(lab)] if len(lab) else []
    columns["found_hex"] = pa.array(hexes, pa.string())
    return columns


def _masks(items: Table, item: np.ndarray, target: np.ndarray) -> dict[str, Any]:
    """The mask of each row's object."""
    masks = list_of(items, "masks")
    flat, index = masks.flatten(), places_of(masks, item, target)
    return {
        "mask_area_px": _field_rows(flat, "area_px", index),
        "mask_maker": _field_rows(flat, "maker", index),
        "mask_sha256": _field_rows(flat, "content_sha256", index),
    }


def _field_rows(flat: Any, name: str, positions: Any) -> Any:
    return flat.field(name).take(positions)


def same(value: str, count: int) -> Any:
    """``value`` so many times, as Arrow text."""
    import pyarrow as pa

    return pa.repeat(pa.scalar(value, pa.string()), count)


def list_of(items: Any, name: str) -> Any:
    """A column of lists of a pyarrow Table, in one piece."""
    column = items[name].combine_chunks()
    return column.chunk(0) if hasattr(column, "chunk") and column.num_chunks else column


def places_of(lists: Any, item: np.ndarray, target: np.ndarray) -> Any:
    """Places in ``lists.flatten()``, whose entries have a field ``target``: of the object
    ``target`` of the row ``item``; null where there is no such entry."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    of_target = lists.flatten().field("target").to_numpy(zero_copy_only=False).astype(np.int64)
    keys = np.repeat(np.arange(len(lengths)), lengths) * _KEYS + of_target
    order = np.argsort(keys, kind="stable")
    query_keys = item * _KEYS + target
    indices = np.searchsorted(keys[order], query_keys)
    inside = np.minimum(indices, max(len(keys) - 1, 0))
    missing = (indices >= len(keys)) | (target < 0)
    if not len(keys):
        return pa.nulls(len(item), pa.int64())
    missing |= keys[order][inside] != query_keys
    return pa.array(order[inside], mask=missing)


class ProfileStatus:
    """The profiles of some pictures' objects: ``there`` bool ``(N,)``, ``reasons`` Arrow text that
    is null where there are colors, ``fields`` the columns of a ColorProfile, null without one."""

    def __init__(self, items: Any, item: np.ndarray, target: np.ndarray) -> None:
        """``items`` in the schema of shards; ``item`` rows in it, ``target`` the object of each."""
        import pyarrow as pa
        import pyarrow.compute as pc

        listed = list_of(items, "profiles")
        profile_rows = listed.flatten().take(places_of(listed, item, target))
        _, profiles, reasons = profile_rows.flatten()
        names = profiles.type.names
        self.fields: dict[str, Any] = dict(zip(names, profiles.flatten(), strict=True))
        indices = pa.array(item)
        failed = pc.equal(items["status"].combine_chunks().take(indices), _FAILED)
        drawing = items["reason"].combine_chunks().take(indices)
        explanations = pc.if_else(failed, drawing, pc.coalesce(reasons, pa.scalar(NOT_MEASURED)))
        has = profiles.is_valid()
        self.there: np.ndarray = has.to_numpy(zero_copy_only=False).astype(bool)
        self.reasons = pc.if_else(has, pa.scalar(None, pa.string()), explanations)
