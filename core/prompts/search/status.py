"""What became of the prompts of a set: which are drawn, and what the verdicts say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.prompts.search.columns import Column

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
