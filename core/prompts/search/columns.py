"""Columns of facet values, none, one or several per prompt; and the status column of a prompt: whether
it has an image, and the verdicts of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from truehue.core.errors import BadInput


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value that results can be narrowed to.

    ``value`` is what a query chooses, ``label`` what people read, ``count`` how many results it
    would leave (with the other facets' choices, without this facet's own), ``hex`` its swatch or
    empty.
    """

    value: str
    label: str
    count: int
    hex: str = ""


@dataclass(frozen=True, slots=True)
class Facet:
    """One way to narrow results. ``useful`` is False where it has nothing to choose between."""

    name: str
    title: str
    values: tuple[FacetValue, ...]
    useful: bool


@dataclass(eq=False)
class Column:
    """The values of one facet.

    ``rows`` and ``codes`` int32 ``(P,)``, by row: prompt ``rows[i]`` has value ``codes[i]``, each
    pair once. ``order`` int ``(len(values),)`` is the fixed order that values are listed in (by
    rank); without it they are listed by count. ``hue_order`` is the order around the color circle.
    """

    name: str
    title: str
    size: int
    rows: np.ndarray
    codes: np.ndarray
    values: list[str]
    labels: list[str]
    hexes: list[str]
    order: np.ndarray | None = None
    hue_order: np.ndarray | None = None
    label_ranks: np.ndarray = field(init=False)
    _plain: bool = field(init=False)
    _code_of: dict[str, int] = field(init=False)
    _all: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        ranked = sorted(
            range(len(self.values)),
            key=lambda code: (self.labels[code].casefold(), self.values[code]),
        )
        self.label_ranks = np.empty(len(ranked), dtype=np.int32)
        self.label_ranks[ranked] = np.arange(len(ranked), dtype=np.int32)
        self._code_of = {value: code for code, value in enumerate(self.values)}
        self._all = np.bincount(self.codes, minlength=len(self.values))
        # Every prompt has exactly one: no look-up of rows is needed.
        self._plain = len(self.rows) == self.size and bool(
            (self.rows == np.arange(self.size, dtype=np.int32)).all()
        )

    def counts(self, mask: np.ndarray | None) -> np.ndarray:
        """int ``(len(values),)``: prompts of ``mask`` (None: of all) that have each value."""
        if mask is None:
            return self._all
        chosen = mask if self._plain else mask[self.rows]
        return np.bincount(self.codes[chosen], minlength=len(self.values))

    def having(self, values: Iterable[str]) -> np.ndarray:
        """bool ``(size,)``: prompts that have one of ``values``. Unknown values have none."""
        code_mask = np.zeros(len(self.values) + 1, dtype=bool)
        code_mask[[self._code_of[value] for value in values if value in self._code_of]] = True
        mask = np.zeros(self.size, dtype=bool)
        mask[self.rows[code_mask[self.codes]]] = True
        return mask

    def facet(self, counts: np.ndarray, chosen: frozenset[str], by_hue: bool) -> Facet:
        """The available values: those with results, and those already chosen."""
        code_mask = counts > 0
        code_mask[[self._code_of[value] for value in chosen if value in self._code_of]] = True
        codes = np.flatnonzero(code_mask)
        if by_hue and self.hue_order is not None:
            codes = codes[np.argsort(self.hue_order[codes])]
        elif self.order is not None:
            codes = codes[np.argsort(self.order[codes])]
        else:
            codes = codes[np.lexsort((self.label_ranks[codes], -counts[codes]))]
        values = [
            FacetValue(self.values[code], self.labels[code], count, self.hexes[code])
            for code, count in zip(codes.tolist(), counts[codes].tolist(), strict=True)
        ]
        # A choice from an old link stays listed, so that it can be taken back.
        values += [FacetValue(gone, gone, 0) for gone in sorted(chosen - self._code_of.keys())]
        return Facet(self.name, self.title, tuple(values), len(values) > 1 or bool(chosen))


def single(
    name: str,
    title: str,
    row_values: Sequence[str],
    fixed: Sequence[str] = (),
    titles: Mapping[str, str] | None = None,
) -> Column:
    """A column of at most one value a prompt; an empty text is none.

    ``fixed`` is the order that values are listed in; values that are not in it follow by label.
    """
    code_by_value: dict[str, int] = {"": -1}
    codes = np.fromiter(
        (code_by_value.setdefault(value, len(code_by_value) - 1) for value in row_values),
        np.int32,
        len(row_values),
    )
    values = list(code_by_value)[1:]
    rows = np.flatnonzero(codes >= 0).astype(np.int32)
    labels = [(titles or {}).get(value, value) for value in values]
    order = None
    if fixed:
        index = {value: rank for rank, value in enumerate(fixed)}
        ranked = sorted(
            range(len(values)), key=lambda code: (index.get(values[code], len(index)), labels[code])
        )
        order = np.empty(len(ranked), dtype=np.int32)
        order[ranked] = np.arange(len(ranked), dtype=np.int32)
    return Column(
        name, title, len(row_values), rows, codes[rows], values, labels, [""] * len(values), order
    )


@dataclass(eq=False)
class Pairs:
    """Pairs of prompt and value: prompt ``rows[i]`` of ``size`` has the value of the code
    ``codes[i]`` in ``values``. ``first`` int32 ``(size,)`` is the code of each prompt's first
    value, or -1."""

    size: int
    rows: list[int] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    first: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.first = np.full(self.size, -1, dtype=np.int32)

    def add(self, row: int, value: str) -> int:
        """One more pair; returns the value's code."""
        code = self.values.setdefault(value, len(self.values))
        self.rows.append(row)
        self.codes.append(code)
        if self.first[row] < 0:
            self.first[row] = code
        return code


def several(
    name: str,
    title: str,
    pairs: Pairs,
    labels: list[str] | None = None,
    hexes: list[str] | None = None,
) -> Column:
    """A column of any number of values a prompt; pairs that are there twice count once.

    Without ``labels`` people read the values, without ``hexes`` there are no swatches.
    """
    values = list(pairs.values)
    width = max(len(values), 1)
    codes = np.asarray(pairs.codes, dtype=np.int64)
    numbers = np.unique(np.asarray(pairs.rows, dtype=np.int64) * width + codes)
    return Column(
        name,
        title,
        pairs.size,
        (numbers // width).astype(np.int32),
        (numbers % width).astype(np.int32),
        values,
        labels or list(values),
        hexes or [""] * len(values),
    )


DRAWN = ("drawn", "not drawn")
VERDICTS = ("pass", "fail", "unscored", "no verdict")
_NO_VERDICT = VERDICTS.index("no verdict")


@dataclass(frozen=True)
class PromptStatus:
    """What became of one prompt: how many drawings there are, how many attempts failed, and what
    the verdicts say together (``pass``, ``fail``, ``unscored``, or empty where there are none)."""

    drawn: int
    failed: int
    verdict: str


@dataclass(frozen=True, eq=False)
class StatusColumn:
    """Marks of all prompts of an index, in its order.

    ``drawn`` bool ``(N,)``; ``verdict`` int8 ``(N,)``, a place in :data:`VERDICTS`. Two marks are
    the same only if they are one object.
    """

    drawn: np.ndarray
    verdict: np.ndarray

    @cached_property
    def columns(self) -> tuple[Column, Column]:
        """The facets ``drawn`` and ``verdict``."""
        rows = np.arange(len(self.drawn), dtype=np.int32)
        sample = np.where(self.drawn, 0, 1).astype(np.int32)
        return (
            _column("drawn", "Generated", rows, sample, DRAWN),
            _column("verdict", "Verdict", rows, self.verdict.astype(np.int32), VERDICTS),
        )


def _column(
    name: str, title: str, rows: np.ndarray, codes: np.ndarray, values: Sequence[str]
) -> Column:
    order = np.arange(len(values), dtype=np.int32)
    names = list(values)
    return Column(name, title, len(rows), rows, codes, names, names, [""] * len(names), order)


def marks_of(
    positions: Mapping[str, Sequence[int]], size: int, statuses: Mapping[str, PromptStatus]
) -> StatusColumn:
    """Marks from the storage's answer, by prompt id; ids that the index does not have are left
    out. Raises BadInput for a verdict that is not known."""
    sample = np.zeros(size, dtype=bool)
    verdict = np.full(size, _NO_VERDICT, dtype=np.int8)
    codes = {"": _NO_VERDICT, **{name: code for code, name in enumerate(VERDICTS[:-1])}}
    for prompt_id, mark in statuses.items():
        rows = positions.get(prompt_id)
        if rows is None:
            continue
        code = codes.get(mark.verdict)
        if code is None:
            raise BadInput(
                f"There is no verdict {mark.verdict!r:.60}. It is one of "
                f"{', '.join(VERDICTS[:-1])} or empty."
            )
        for row in rows:
            sample[row] = mark.drawn > 0
            verdict[row] = code
    return StatusColumn(sample, verdict)
