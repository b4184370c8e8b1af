"""Ingest the colors of concepts' objects from shards as rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import duckdb

from truehue.core.concepts.records import ColorProfile
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.concepts import concept_of
from truehue.core.runs.records import STORED

PROFILE = tuple(field.name for field in fields(ColorProfile))
"""Columns of a profile, in the order of the record."""


def profile_of_columns(values: Sequence[Any]) -> ColorProfile:
    """The record of the columns :data:`PROFILE`, lists of numbers as they come from DuckDB."""
    plain: list[Any] = [tuple(value) if isinstance(value, list) else value for value in values]
    return ColorProfile(**dict(zip(PROFILE, plain, strict=True)))


def know_concepts(
    cursor: duckdb.DuckDBPyConnection, prompts: Sequence[Prompt], numbers: Sequence[int]
) -> None:
    """Note which prompts are of concepts; ``numbers`` are theirs."""
    by_concept = {
        number: concept
        for prompt, number in zip(prompts, numbers, strict=True)
        if (concept := concept_of(prompt)) is not None
    }
    if by_concept:
        cursor.execute(
            "INSERT INTO known_concepts SELECT unnest(?::INTEGER[]), unnest(?::VARCHAR[]), "
            "unnest(?::VARCHAR[]) ON CONFLICT DO NOTHING",
            [
                list(by_concept),
                *(list(column) for column in zip(*by_concept.values(), strict=True)),
            ],
        )


def scales_of(summary: Mapping[str, Any]) -> tuple[float | None, ...]:
    """The guidance scales of a run by its plan's summary: one of None where that is the model's own
    or, of stored images, unknown."""
    if summary.get("kind") == STORED:
        return (None,)
    scales = summary.get("guidances") or [summary.get("guidance")]
    return tuple(None if scale is None else float(scale) for scale in scales)


def scale_sql(summary: Mapping[str, Any], image: str = "image") -> str:
    """SQL for the guidance of an image by its number among those of its prompt."""
    scales = scales_of(summary)
    if len(scales) == 1:
        return _literal(scales[0])
    seeds = int(summary["images"]) // len(scales)
    return f"[{', '.join(map(_literal, scales))}][{image} // {seeds} + 1]"


def _literal(value: float | None) -> str:
    # As text: a bare number is a decimal to DuckDB, which need not become the same double.
    return "NULL::DOUBLE" if value is None else f"'{value!r}'::DOUBLE"


def store_profiles(cursor: duckdb.DuckDBPyConnection, run_no: int) -> None:
    """The rows of ``new_items``: profiles, and reasons where there is none. Extractions of their
    concepts that were kept go, for they were made without these images."""
    texts = cursor.execute("SELECT summary FROM run_numbers WHERE run_no = ?", [run_no]).fetchall()
    summary = json.loads(texts[0][0])
    version = str((summary.get("made_with") or {}).get("profile") or "")
    rows = f"""
        (SELECT position, prompt_no, {scale_sql(summary)} AS guidance, unnest(profiles) AS o
        FROM new_items WHERE drawn)
    """
    location = f"{run_no} AS run_no, position, prompt_no, o.target AS target, guidance"
    columns = ", ".join(f"o.profile.{name} AS {name}" for name in PROFILE)
    cursor.execute(
        f"INSERT INTO run_profiles BY NAME SELECT {location}, ? AS version, {columns} FROM {rows} "
        "WHERE o.profile.mask_px IS NOT NULL ORDER BY prompt_no, position",
        [version],
    )
    cursor.execute(
        f"INSERT INTO run_unmeasured BY NAME SELECT {location}, o.reason AS reason FROM {rows} "
        "WHERE o.profile.mask_px IS NULL ORDER BY prompt_no, position"
    )
    cursor.execute(
        f"DELETE FROM concept_cells WHERE run_no = {run_no} "
        "AND prompt_no IN (SELECT prompt_no FROM new_items)"
    )
