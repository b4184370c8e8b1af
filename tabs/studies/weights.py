"""Distributions of concepts over the 71 bins, by source: kept ones at once, others extracted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from truehue.core.concepts.distribution import of_rows
from truehue.core.concepts.matching import concept_of, normal
from truehue.core.concepts.records import DistributionRow, DistributionSetRecord
from truehue.core.errors import BadInput, TrueHueError
from truehue.tabs.compare.sources import RUN, SET, distribution, parse
from truehue.tabs.compare.tables.cells import extracted
from truehue.tabs.page.context import Context
from truehue.tabs.studies.sources import whole_id

DIGITS = 8


@dataclass(frozen=True)
class _Set:
    """A set of distributions with its rows by the normal form of their words."""

    record: DistributionSetRecord
    rows: Mapping[str, list[DistributionRow]]


class Weights:
    """The distributions that one study needs, read once a source. For one thread."""

    def __init__(self, context: Context, method: str) -> None:
        self._context, self._method = context, method
        self._sets: dict[str, _Set] = {}
        self._cells: dict[str, dict[tuple[str, str], np.ndarray | None]] = {}
        self._styles: dict[str, tuple[str, ...]] = {}
        self._runs: dict[str, str] = {}

    def kept(self, text: str, message: str) -> bool:
        """Whether a distribution is at hand without measuring pictures now."""
        cell = self._cell_of(text, message)
        return parse(text).kind == SET or (cell is not None and cell[1:] in self._saved(cell[0]))

    def of(self, text: str, message: str) -> tuple[float, ...]:
        """The shares of a concept's 71 bins. Raises BadInput, saying which source has none."""
        try:
            weights = self._of(text, message)
        except TrueHueError as error:
            raise BadInput(f"{message!r} cannot be part of the study: {error}", "cases") from None
        return tuple(round(float(weight), DIGITS) for weight in weights)

    def _of(self, text: str, message: str) -> np.ndarray:
        source = parse(text)
        if source.kind == SET:
            there = self._set_of(source.id)
            record = there.record
            rows = there.rows.get(normal(message), [])
            return of_rows(record.name, rows, record.kind, of_people=record.of_people).weights
        cell = self._cell_of(text, message)
        if cell is None:
            return distribution(self._context, text, message, self._method).weights
        run_id, concept_id, style = cell
        retained = self._saved(run_id)
        if (concept_id, style) not in retained:
            made = extracted(self._context, run_id, concept_id, style, [None], self._method)
            self._context.storage.profiles.keep(made)
            retained[concept_id, style] = made[0].weights
        weights = retained[concept_id, style]
        if weights is None:
            raise BadInput(f"no image of it in the run {run_id[:8]} could be measured.")
        return weights

    def _set_of(self, set_id: str) -> _Set:
        if set_id not in self._sets:
            by_words: dict[str, list[DistributionRow]] = {}
            for row in self._context.storage.distributions.rows(set_id):
                by_words.setdefault(normal(row.words), []).append(row)
            record = self._context.storage.distributions.get(set_id)
            self._sets[set_id] = _Set(record, by_words)
        return self._sets[set_id]

    def _cell_of(self, text: str, message: str) -> tuple[str, str, str] | None:
        """Run, concept and style of a distribution that storage keeps; None for any other."""
        source = parse(text)
        concept = concept_of(message)
        if source.kind != RUN or source.guidance is not None or concept is None:
            return None
        run_id = self._runs.get(source.id) or whole_id(self._context, source)
        self._runs[source.id] = run_id
        if run_id not in self._styles:
            self._styles[run_id] = self._context.storage.profiles.concepts(run_id).styles
        styles = (source.style,) if source.style else self._styles[run_id]
        return (run_id, concept.id, styles[0]) if len(styles) == 1 else None

    def _saved(self, run_id: str) -> dict[tuple[str, str], np.ndarray | None]:
        if run_id not in self._cells:
            self._cells[run_id] = {
                (cell.concept_id, cell.style): cell.weights
                for cell in self._context.storage.profiles.cells(run_id, self._method)
            }
        return self._cells[run_id]
