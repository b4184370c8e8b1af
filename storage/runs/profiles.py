"""Colors of concepts in the images of runs, and their extracted distributions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np

from truehue.core.analysis.records import RunRecord
from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.extraction import EXTRACTION_VERSION
from truehue.core.concepts.own import PREFIX, own_concept
from truehue.core.concepts.records import (
    METHODS,
    PROFILE_VERSION,
    ConceptCell,
    ImageProfile,
)
from truehue.core.errors import BadInput, NotStored
from truehue.core.prompts.concepts import Concept
from truehue.core.runs.concepts import NOT_MEASURED, MissingCell, RunConcepts
from truehue.core.runs.plan import guidance_at
from truehue.storage.database.connection import Database
from truehue.storage.runs.concepts import PROFILE, profile_of_columns, scale_sql, scales_of
from truehue.storage.runs.runs import Runs

VERSION = f"{PROFILE_VERSION}.{EXTRACTION_VERSION}"
"""Of an extraction: of the profiles that it was made of, and of the way it is made."""

Unscored = list[tuple[int, str]]
"""Positions of images, with the reason why they have no colors."""


@dataclass(frozen=True)
class _Run:
    run_no: int
    run_id: str
    summary: Mapping[str, Any]

    def guidance(self, image: int) -> float | None:
        scales = scales_of(self.summary)
        if len(scales) == 1:
            return scales[0]
        own_scales = [scale for scale in scales if scale is not None]
        return guidance_at(image, None, own_scales, int(self.summary["images"]))


class Profiles:
    """The colors of concepts in runs, hidden ones too. Any thread may ask."""

    def __init__(self, database: Database, runs: Runs) -> None:
        self._database = database
        self._runs = runs

    def runs(self) -> list[RunRecord]:
        """The runs that are shown and have prompts of concepts, newest first."""
        rows = self._database.rows("""
            SELECT DISTINCT run_id FROM run_prompts SEMI JOIN known_concepts USING (prompt_no)
            JOIN run_numbers USING (run_no)
        """)
        with_concepts = {run_id for (run_id,) in rows}
        return [record for record in self._runs.all() if record.run_id in with_concepts]

    def concepts(self, run_id: str) -> RunConcepts:
        """What a run has of concepts. Raises :class:`NotStored` for a run that is not stored."""
        run = self._run(run_id)
        rows = self._database.rows(
            f"""
            SELECT concept_id, style, coalesce(sum(pictures), 0), coalesce(sum(measured), 0)
            FROM run_prompts JOIN known_concepts USING (prompt_no)
            LEFT JOIN ({_counts(run, "NULL::DOUBLE")}) USING (prompt_no)
            WHERE run_no = ? GROUP BY ALL ORDER BY min(prompt)
            """,
            [PROFILE_VERSION, run.run_no],
        )
        counts = {(row[0], row[1]): (int(row[2]), int(row[3])) for row in rows}
        scales = scales_of(run.summary)
        return RunConcepts(
            run_id,
            tuple(dict.fromkeys(concept_id for concept_id, _ in counts)),
            tuple(dict.fromkeys(style for _, style in counts)),
            tuple(sorted(scales, key=lambda scale: -1.0 if scale is None else scale)),
            counts,
        )

    def own_concepts(self) -> tuple[Concept, ...]:
        """The concepts of imported sets that runs have images of, by their ids."""
        rows = self._database.rows(
            "SELECT DISTINCT concept_id FROM known_concepts WHERE starts_with(concept_id, ?) "
            "ORDER BY concept_id",
            [PREFIX],
        )
        named = (own_concept(concept_id) for (concept_id,) in rows)
        return tuple(concept for concept in named if concept is not None)

    def image_profiles(
        self, run_id: str, concept_id: str, style: str | None = None, guidance: float | None = None
    ) -> tuple[list[ImageProfile], Unscored]:
        """The images of a concept in a run by position, and those without colors.

        ``style`` and ``guidance`` None stand for all of them. What could not be drawn, has no mask
        or was measured by another version of TrueHue is among those without colors, each with its
        reason. Both are empty for a concept that the run does not have. Raises :class:`NotStored`
        for a run that is not stored.
        """
        run = self._run(run_id)
        with self._database.cursor() as cursor:
            numbers = cursor.execute(
                "SELECT prompt_no FROM known_concepts WHERE concept_id = ? AND style = "
                "coalesce(?, style) ORDER BY prompt_no",
                [concept_id, style],
            ).fetchall()
            # Numbers of ours, and few: a condition on them reads only the stretches that have them.
            which = ", ".join(str(number) for (number,) in numbers)
            if not which:
                return [], []
            location = f"WHERE run_no = {run.run_no} AND prompt_no IN ({which})"
            items = cursor.execute(
                "SELECT position, image, drawn, reason, image_id, seed "
                f"FROM run_items {location} ORDER BY position"
            ).fetchall()
            measured = cursor.execute(
                f"SELECT position, target, version, {', '.join(PROFILE)} FROM run_profiles {location}"
            ).fetchall()
            reasons = dict(
                cursor.execute(f"SELECT position, reason FROM run_unmeasured {location}").fetchall()
            )
            positions = {row[0]: row[1] for row in measured}
            masks = (
                {
                    (position, target): mask_id
                    for position, target, mask_id in cursor.execute(
                        "SELECT position, target, mask_id FROM run_masks "
                        f"WHERE run_no = {run.run_no} AND position BETWEEN ? AND ?",
                        [min(positions), max(positions)],
                    ).fetchall()
                }
                if positions
                else {}
            )
        by_position = {row[0]: row[1:] for row in measured}
        profiles: list[ImageProfile] = []
        unscored: Unscored = []
        for position, image, sample, reason, image_id, seed in items:
            scale = run.guidance(image)
            if guidance is not None and scale != guidance:
                continue
            row = by_position.get(position)
            if row is None or row[1] != PROFILE_VERSION:
                unscored.append((position, _why(sample, reason, reasons.get(position), row)))
                continue
            mask_id = masks.get((position, row[0]), "")
            profile = profile_of_columns(row[2:])
            profiles.append(
                ImageProfile(
                    image_id, mask_id, profile, scale, seed, run_id=run_id, position=position
                )
            )
        return profiles, unscored

    def of_concept(self, concept_id: str) -> dict[str, dict[tuple[str, float | None], int]]:
        """How many measured images of a concept each run that is shown has, newest run first: by
        style and guidance. Runs without any are not named."""
        numbers = self._database.rows(
            "SELECT prompt_no FROM known_concepts WHERE concept_id = ?", [concept_id]
        )
        which = ", ".join(str(number) for (number,) in numbers)
        if not which:
            return {}
        holders = self._database.rows(
            "SELECT DISTINCT run_id FROM run_prompts JOIN run_numbers USING (run_no) "
            f"WHERE prompt_no IN ({which})"
        )
        held = {run_id for (run_id,) in holders}
        by_run = {}
        for record in self._runs.all():
            if record.run_id not in held:
                continue
            run = self._run(record.run_id)
            rows = self._database.rows(
                f"""
                SELECT style, guidance, sum(measured)::BIGINT
                FROM ({_counts(run, scale_sql(run.summary), f"AND prompt_no IN ({which})")})
                JOIN known_concepts USING (prompt_no) GROUP BY ALL HAVING sum(measured) > 0
                """,
                [PROFILE_VERSION],
            )
            if rows:
                by_run[record.run_id] = {(style, scale): count for style, scale, count in rows}
        return by_run

    def unmeasured(self) -> dict[str, int]:
        """By run, how many images were drawn whose object's colors could not be measured."""
        rows = self._database.rows(
            "SELECT run_id, count(DISTINCT position) FROM run_unmeasured "
            "JOIN run_numbers USING (run_no) GROUP BY run_id"
        )
        return {run_id: int(count) for run_id, count in rows}

    def cells(self, run_id: str, method: str, by_guidance: bool = False) -> list[ConceptCell]:
        """The extractions that were kept and are still good, in the order of the run's prompts.

        One a concept and style, of all guidance scales together, or with ``by_guidance`` one for
        each of them. Good are those of the images that are here now, made in this version's way.
        Raises :class:`NotStored`, and :class:`BadInput` for a method that there is not.
        """
        run = self._run(run_id)
        _check(method)
        with self._database.cursor() as cursor:
            table: Any = cursor.sql(
                f"""
                SELECT concept_id, style, c.guidance, c.images, c.unscored, c.weights
                FROM ({self._wanted(run, by_guidance)}) AS w
                JOIN concept_cells AS c ON {_GOOD} ORDER BY w.prompt_no, c.guidance
                """,
                params=[PROFILE_VERSION, VERSION, method],
            ).to_arrow_table()
        weights = _weights(table["weights"])
        rest = zip(*(table[name].to_pylist() for name in table.column_names[:-1]), strict=True)
        return [
            ConceptCell(run_id, concept_id, style, scale, method, images, unscored, cell_weights)
            for (concept_id, style, scale, images, unscored), cell_weights in zip(
                rest, weights, strict=True
            )
        ]

    def missing(self, run_id: str, method: str, by_guidance: bool = False) -> list[MissingCell]:
        """The concepts that have images and no good extraction yet, in the order of the run's
        prompts. Raises as :meth:`cells`."""
        run = self._run(run_id)
        _check(method)
        rows = self._database.rows(
            f"""
            SELECT concept_id, style, w.guidance FROM ({self._wanted(run, by_guidance)}) AS w
            ANTI JOIN concept_cells AS c ON {_GOOD} ORDER BY w.prompt_no, w.guidance
            """,
            [PROFILE_VERSION, VERSION, method],
        )
        return [MissingCell(run_id, *row) for row in rows]

    def keep(self, cells: Sequence[ConceptCell]) -> None:
        """Keep extractions in place of earlier ones of the same.

        ``images`` and ``unscored`` say of which images they are: where others have come since, a
        cell is not good and counts as missing. Raises :class:`NotStored` for a run or a concept of
        it that is not stored, :class:`BadInput` for a method that there is not.
        """
        runs = {run_id: self._run(run_id) for run_id in {cell.run_id for cell in cells}}
        for cell in cells:
            _check(cell.method)
        with self._database.transaction() as cursor:
            rows = {}
            for run in runs.values():
                numbers = _numbers(cursor, run.run_no)
                for cell in cells:
                    if cell.run_id != run.run_id:
                        continue
                    number = numbers.get((cell.concept_id, cell.style))
                    if number is None:
                        raise NotStored(
                            f"The run {run.run_id} has no concept {cell.concept_id[:80]!r} in the "
                            f"style {cell.style[:40]!r}."
                        )
                    rows[run.run_no, number, cell.guidance, cell.method] = cell
            _replace(cursor, rows)

    def _wanted(self, run: _Run, by_guidance: bool) -> str:
        """SQL for what can be extracted of a run: concepts with their images."""
        scale = scale_sql(run.summary) if by_guidance else "NULL::DOUBLE"
        return f"""
            SELECT concept_id, style, guidance, {run.run_no} AS run_no, min(prompt_no) AS prompt_no,
                sum(pictures) AS pictures, sum(measured) AS measured
            FROM ({_counts(run, scale)}) JOIN known_concepts USING (prompt_no)
            GROUP BY ALL
        """

    def _run(self, run_id: str) -> _Run:
        rows = self._database.rows(
            "SELECT run_no, summary FROM run_numbers WHERE run_id = ?", [run_id]
        )
        if not rows:
            raise NotStored(f"No run is stored under {run_id[:80]!r}.")
        return _Run(rows[0][0], run_id, json.loads(rows[0][1]))


_GOOD = """
    c.run_no = w.run_no AND c.prompt_no = w.prompt_no AND c.guidance IS NOT DISTINCT FROM w.guidance
        AND c.pictures = w.pictures AND c.images = w.measured AND c.version = ? AND c.method = ?
"""


def _numbers(cursor: duckdb.DuckDBPyConnection, run_no: int) -> dict[tuple[str, str], int]:
    """The prompts of a run's concepts, by concept and style."""
    rows = cursor.execute(
        "SELECT concept_id, style, min(prompt_no) FROM run_prompts "
        "JOIN known_concepts USING (prompt_no) WHERE run_no = ? GROUP BY ALL",
        [run_no],
    ).fetchall()
    return {(concept_id, style): number for concept_id, style, number in rows}


def _replace(
    cursor: duckdb.DuckDBPyConnection,
    rows: Mapping[tuple[int, int, float | None, str], ConceptCell],
) -> None:
    """Put extractions in place of what is kept of the same."""
    import pyarrow as pa

    if not rows:
        return
    columns = list(zip(*rows, strict=True))
    cells = list(rows.values())
    weights = [None if cell.weights is None else cell.weights.tolist() for cell in cells]
    table = {
        "run_no": pa.array(columns[0], pa.int32()),
        "prompt_no": pa.array(columns[1], pa.int32()),
        "guidance": pa.array(columns[2], pa.float64()),
        "method": pa.array(columns[3], pa.string()),
        "version": pa.repeat(VERSION, len(cells)),
        "pictures": pa.array([cell.images + cell.unscored for cell in cells], pa.int32()),
        "images": pa.array([cell.images for cell in cells], pa.int32()),
        "unscored": pa.array([cell.unscored for cell in cells], pa.int32()),
        "weights": pa.array(weights, pa.list_(pa.float64(), COUNT)),
    }
    cursor.register("cells_made", pa.table(table))
    try:
        cursor.execute(
            "DELETE FROM concept_cells AS c USING cells_made AS m WHERE c.run_no = m.run_no AND "
            "c.prompt_no = m.prompt_no AND c.method = m.method "
            "AND c.guidance IS NOT DISTINCT FROM m.guidance"
        )
        cursor.execute("INSERT INTO concept_cells BY NAME SELECT * FROM cells_made")
    finally:
        cursor.unregister("cells_made")


def _weights(column: Any) -> list[np.ndarray | None]:
    """An Arrow column of lists of 71 numbers, some of them null."""
    flat = np.asarray(column.combine_chunks().flatten(), dtype=np.float64).reshape(-1, COUNT)
    each = iter(flat)
    return [next(each) if valid else None for valid in column.is_valid().to_pylist()]


def _counts(run: _Run, scale: str, narrowed: str = "") -> str:
    """SQL for how many images of each concept have come in, and how many were measured;
    ``narrowed`` is a further condition on the images."""
    return f"""
        SELECT prompt_no, {scale} AS guidance, count(*) AS pictures, count(p.at) AS measured
        FROM run_items SEMI JOIN known_concepts USING (prompt_no)
        LEFT JOIN (
            SELECT DISTINCT position AS at FROM run_profiles
            WHERE run_no = {run.run_no} AND version = ? {narrowed}
        ) AS p ON p.at = position
        WHERE run_no = {run.run_no} {narrowed} GROUP BY ALL
    """


def _why(is_generated: bool, reason: str, message: str | None, row: Sequence[Any] | None) -> str:
    """Why an image has no colors."""
    if not is_generated:
        return reason
    if row is not None:
        return (
            f"Its colors were measured in another way (profile {row[1] or 'unknown'}; this TrueHue "
            f"has {PROFILE_VERSION}). Score the run's images again."
        )
    return message or NOT_MEASURED


def _check(method: str) -> None:
    if method not in METHODS:
        raise BadInput(f"There is no method {method[:40]!r}. It is one of {', '.join(METHODS)}.")
