"""The cells of a map that is painted by hand, as the page makes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.node import run_module
from truehue.core.refinement.settings import discrepancy_of, rows_of

pytestmark = pytest.mark.process

CODE = """
const { painted, rowsOf, cellsOf, meanOf } = await load('generate/cells');
return value.map(([width, height, marks]) => {
  const cells = painted(width, height, marks);
  return [rowsOf(cells), meanOf(cells), rowsOf(cellsOf(rowsOf(cells)))];
});
"""


def test_strokes_become_the_rows_that_a_request_holds() -> None:
    brush = {"type": "brush", "radius": 128, "points": [[0, 256], [512, 256]], "level": 1}
    erase = {"type": "erase", "radius": 128, "points": [[256, 256]], "level": 1}
    half = {"type": "fill", "level": 0.5}
    scenes: list[Any] = [
        [512, 512, [brush]],
        [512, 256, [half]],
        [8, 8, []],
        [512, 512, [half, brush, erase]],
        [64, 64, [{"type": "brush", "radius": 0.1, "points": [[10.5, 20.5]], "level": 1}]],
    ]
    band, halves, nothing, hole, dot = run_module(CODE, scenes)
    for rows, mean, again in (band, halves, nothing, hole, dot):
        assert rows == again
        values = discrepancy_of(rows)
        assert abs(values.mean() - mean) < 1 / 255
        assert rows_of(values) == rows
    # A stroke of half the height covers the rows of cells in the middle, whole.
    values = discrepancy_of(band[0])
    assert values.shape == (64, 64)
    assert (values[16:48] == 1).all()
    assert not values[:16].any()
    assert np.asarray(discrepancy_of(halves[0])).shape == (32, 64)
    assert set(halves[0]) == {"80" * 64}
    assert nothing[0] == ["00" * 8] * 8
    # Erased in a disk of a quarter of the side: its area, but for the cells at its edge.
    values = discrepancy_of(hole[0])
    assert values[32, 32] == 0
    assert values[32, 0] == 1
    assert abs((values == 0).mean() - np.pi / 16) < 0.012
    # However fine the brush, a dot is on the map.
    assert 0 < discrepancy_of(dot[0])[20, 10] <= 1
