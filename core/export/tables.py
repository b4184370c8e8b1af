"""Results of runs as flat tables, streamed to CSV or Parquet: one row per object, rule and image; and
the colors of concepts, one row per object."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np

from truehue.core.color.notation import read_hex
from truehue.core.color.spaces import hex_of, lab_to_srgb8, srgb1_to_lab, srgb8_to_lab
from truehue.core.color.uw71 import COUNT
from truehue.core.export.codebook import codebook, codebook_json, codebook_text
from truehue.core.export.columns import (
    CODEBOOK_KEY,
    COLOR_COLUMNS,
    COLUMNS,
    MEASURED,
    SHARES,
    UNMEASURED,
    Column,
    arrow_schema,
    copied_columns,
)
from truehue.core.export.source import ExportRun, in_one_piece, item_tables
from truehue.core.files import ReportProgress, ignore_progress, whole_file
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.concepts import NOT_MEASURED, concept_of, has_only_concepts, measured_of
from truehue.core.runs.plan import guidance_at
from truehue.core.spreadsheets import guarded_table
from truehue.core.verdict.rules import UNSCORED

_FAILED = "failed"
_KEYS = 1 << 16  # more targets than a prompt can have, so that item and target make one number

Table = Any
"""A pyarrow Table; pyarrow is loaded when rows are wanted."""


def row_tables(run: ExportRun) -> Iterator[Table]:
    """The rows of a run in tables of a few thousand, ascending by position, rule and object as the
    run wrote them. An image without a verdict is a row too: measured or unmeasured where its
    prompt is a concept's that asks no color, else unscored; with its reason."""
    about = Prompts(run.plan.prompts)
    for items in item_tables(run.shards):
        yield _rows(run, about, items)


class Prompts:
    """Prompts and their targets as columns that rows take from by number."""

    def __init__(self, prompts: Sequence[Prompt]) -> None:
        import pyarrow as pa

        def column(values: Iterator[str | None]) -> Any:
            return pa.array([value or None for value in values], pa.string())

        self.texts = {
            name: column(getattr(prompt, field) for prompt in prompts)
            for name, field in copied_columns("prompt").items()
        }
        counts = [len(prompt.targets) for prompt in prompts]
        self.starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        targets = [target for prompt in prompts for target in prompt.targets]
        self.targets = {
            name: column(
                getattr(target.color, "value", None) if field == "color" else getattr(target, field)
                for target in targets
            )
            for name, field in copied_columns("target").items()
        }

        positions = [next(iter(measured_of(prompt.task, prompt.targets)), -1) for prompt in prompts]
        self.measured = np.array(positions, dtype=np.int64)
        """The object whose colors are measured, by prompt; -1 where there is none."""

        self.only_measured = np.array(
            [has_only_concepts([prompt]) for prompt in prompts], dtype=bool
        )
        """Whether no rule has a say, by prompt."""

    def target_numbers(self, prompt: np.ndarray, target: np.ndarray) -> Any:
        """Places in ``targets``, null where there is no such target."""
        import pyarrow as pa

        number = self.starts[prompt] + target
        missing = (target < 0) | (number >= self.starts[prompt + 1])
        return pa.array(np.where(missing, 0, number), mask=missing)


def _rows(run: ExportRun, about: Prompts, items: Table) -> Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    verdicts = in_one_piece(items["verdicts"])
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
    # An image of a concept speaks of the object that is measured, if there is an image.
    concept = (indices < 0) & about.only_measured[prompt]
    sample = pc.equal(items["status"].combine_chunks().take(index), "drawn")
    target = np.where(concept & np.asarray(sample), about.measured[prompt], target)
    measured = ProfileStatus(items, item, np.where(concept, about.measured[prompt], -1))
    columns = _of_run(run, len(item))
    columns |= {name: values.take(pa.array(prompt)) for name, values in about.texts.items()}
    numbers = about.target_numbers(prompt, target)
    columns |= {name: values.take(numbers) for name, values in about.targets.items()}
    columns |= {
        name: items[field].combine_chunks().take(index)
        for name, field in copied_columns("item").items()
    }
    columns |= {name: fields[field] for name, field in copied_columns("verdict").items()}
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
    """L*, a*, b* of the target colors."""
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
    masks = in_one_piece(items["masks"])
    flat, index = masks.flatten(), flat_positions(masks, item, target)
    return {name: _field_rows(flat, field, index) for name, field in copied_columns("mask").items()}


def _field_rows(flat: Any, name: str, positions: Any) -> Any:
    return flat.field(name).take(positions)


def _of_run(run: ExportRun, count: int) -> dict[str, Any]:
    """The columns that are equal in all ``count`` rows of a run."""
    plan = run.plan
    texts = {"run_id": run.run_id, "run_name": plan.name, "model": plan.model, "kind": plan.kind}
    texts["protocol"] = plan.protocol
    return {name: _same(text, count) for name, text in texts.items()}


def _same(value: str, count: int) -> Any:
    import pyarrow as pa

    return pa.repeat(pa.scalar(value, pa.string()), count)


def flat_positions(lists: Any, item: np.ndarray, target: np.ndarray) -> Any:
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
    """The profiles of some images' objects: ``there`` bool ``(N,)``, ``reasons`` Arrow text that
    is null where there are colors, ``fields`` the columns of a ColorProfile, null without one."""

    def __init__(self, items: Any, item: np.ndarray, target: np.ndarray) -> None:
        """``items`` in the schema of shards; ``item`` rows in it, ``target`` the object of each."""
        import pyarrow as pa
        import pyarrow.compute as pc

        listed = in_one_piece(items["profiles"])
        profile_rows = listed.flatten().take(flat_positions(listed, item, target))
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


def color_tables(run: ExportRun) -> Iterator[Table]:
    """The rows of a run in tables of a few thousand, ascending by position: one for every image
    of a concept that has a result, also where it has no colors, with the reason."""
    about = _About(run)
    for items in item_tables(run.shards):
        yield about.rows(items)


class _About:
    """The values that are equal in all rows of a run."""

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
        columns = {**_of_run(self.run, count), "profile_version": _same(self.version, count)}
        columns |= {
            name: self.prompts.texts[name].take(pa.array(prompt))
            for name in copied_columns("prompt", COLOR_COLUMNS)
        }
        columns["concept_id"] = self.concept_ids.take(pa.array(prompt))
        columns |= {
            name: items[field].combine_chunks().take(position)
            for name, field in copied_columns("item", COLOR_COLUMNS).items()
        }
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
        masks = in_one_piece(items["masks"])
        index = flat_positions(masks, item, target)
        columns["mask_sha256"] = masks.flatten().field("content_sha256").take(index)
        return in_columns(columns | _numbers(statuses), COLOR_COLUMNS)


def _numbers(statuses: ProfileStatus) -> dict[str, Any]:
    """The measured values, null if there are none."""
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


ROW_GROUP = 64 * 1024


@dataclass(frozen=True)
class Sheet:
    """One of the tables of an export: its columns, and a run's rows in them."""

    columns: tuple[Column, ...]
    rows: Callable[[ExportRun], Iterator[Any]]


RESULTS = Sheet(COLUMNS, row_tables)
COLORS = Sheet(COLOR_COLUMNS, color_tables)
"""Of runs with concepts; a run without any has no row."""


def tables(
    runs: Sequence[ExportRun], progress: ReportProgress = ignore_progress, sheet: Sheet = RESULTS
) -> Iterator[Any]:
    """The rows of all runs as pyarrow Tables, run after run, each by position."""
    total, done = sum(run.done for run in runs), 0
    for run in runs:
        for table in sheet.rows(run):
            yield table
            # The rows of a table begin with another image than those of the one before.
            done += _count_images(table)
            progress(done, total)


def csv_pieces(
    runs: Sequence[ExportRun], progress: ReportProgress = ignore_progress, sheet: Sheet = RESULTS
) -> Iterator[bytes]:
    """The CSV in pieces, header first: UTF-8, quoted where it has to be, formulas guarded."""
    import pyarrow as pa
    from pyarrow import csv

    first = csv.WriteOptions(include_header=True, quoting_style="needed", quoting_header="none")
    buffer = pa.BufferOutputStream()
    csv.write_csv(arrow_schema(sheet.columns).empty_table(), buffer, first)
    yield buffer.getvalue().to_pybytes()
    rest = csv.WriteOptions(include_header=False, quoting_style="needed")
    for table in tables(runs, progress, sheet):
        buffer = pa.BufferOutputStream()
        csv.write_csv(guarded_table(table), buffer, rest)
        yield buffer.getvalue().to_pybytes()


def write_csv(
    runs: Sequence[ExportRun], target: Path | str, progress: ReportProgress = ignore_progress
) -> None:
    """The CSV at ``target``, and its codebook beside it; the colors of concepts too, where there
    are any (see :func:`companion_files`)."""
    _write_sheets(runs, target, progress, _csv_to)


def write_parquet(
    runs: Sequence[ExportRun], target: Path | str, progress: ReportProgress = ignore_progress
) -> None:
    """The Parquet file at ``target``, which holds its codebook, and the codebook beside it too; the
    colors of concepts as :func:`write_csv`."""
    _write_sheets(runs, target, progress, write_parquet_to)


def companion_files(runs: Sequence[ExportRun], target: Path | str) -> list[Path]:
    """The files that stand beside a table at ``target``: the codebook, and of runs with concepts
    ``NAME-colors.csv`` (or ``.parquet``)."""
    target = Path(target)
    books = [target.with_name(f"{target.stem}.codebook.{ending}") for ending in ("json", "md")]
    return [*([_colors_path(target)] if any(run.measures for run in runs) else []), *books]


def _colors_path(target: Path) -> Path:
    return target.with_name(f"{target.stem}-colors{target.suffix}")


def _write_sheets(
    runs: Sequence[ExportRun],
    target: Path | str,
    progress: ReportProgress,
    write: Callable[[IO[bytes], Sequence[ExportRun], ReportProgress, Sheet], None],
) -> None:
    target = Path(target)
    sheets = {target: RESULTS}
    if any(run.measures for run in runs):
        sheets[_colors_path(target)] = COLORS
    for before, (path, sheet) in enumerate(sheets.items()):

        def sheet_progress(done: int, total: int, before: int = before) -> None:
            progress(before * total + done, len(sheets) * total)

        with whole_file(path) as file:
            write(file, runs, sheet_progress, sheet)
    write_codebook(runs, target)


def _csv_to(
    file: IO[bytes], runs: Sequence[ExportRun], progress: ReportProgress, sheet: Sheet
) -> None:
    for piece in csv_pieces(runs, progress, sheet):
        file.write(piece)


def write_parquet_to(
    file: IO[bytes],
    runs: Sequence[ExportRun],
    progress: ReportProgress = ignore_progress,
    sheet: Sheet = RESULTS,
) -> None:
    """The Parquet file into an open one, in row groups of equal size whatever the shards were."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    book = json.dumps(codebook(runs), ensure_ascii=False, sort_keys=True).encode()
    schema = arrow_schema(sheet.columns).with_metadata({CODEBOOK_KEY: book})
    waiting: list[Any] = []
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for table in tables(runs, progress, sheet):
            waiting.append(table)
            while sum(table.num_rows for table in waiting) >= ROW_GROUP:
                rows = pa.concat_tables(waiting)
                writer.write_table(rows.slice(0, ROW_GROUP).cast(schema))
                waiting = [rows.slice(ROW_GROUP).combine_chunks()]
        if waiting:
            writer.write_table(pa.concat_tables(waiting).cast(schema))


def write_codebook(runs: Sequence[ExportRun], target: Path | str) -> None:
    """``NAME.codebook.json`` and ``NAME.codebook.md`` beside an exported table."""
    texts = (codebook_json(runs), codebook_text(runs))
    for path, text in zip(companion_files(runs, target)[-2:], texts, strict=True):
        with whole_file(path) as file:
            file.write(text.encode())


def _count_images(table: Any) -> int:
    import pyarrow.compute as pc

    return int(pc.count_distinct(table["position"]).as_py())
