"""The outlines of areas of pixels, exact: closed paths along the edges of pixels."""

from __future__ import annotations

import numpy as np


def outlines(areas: np.ndarray) -> dict[int, str]:
    """What an SVG path's ``d`` is for every number above 0 in ``areas``.

    ``areas`` holds whole numbers ``(H, W)`` from 0 on. Filled by the rule ``evenodd``, in units of
    pixels from the top left corner, a path covers the pixels with its number and nothing else.
    """
    corner_area, corner_y, corner_x = _corners(areas)
    # Corners lie area by area in raster order: two that follow each other on a row are joined by
    # a horizontal edge. The same holds for columns in the order of columns.
    by_column = np.lexsort((corner_y, corner_x, corner_area))
    across_column = np.empty_like(by_column)
    across_column[by_column] = by_column[np.arange(by_column.size) ^ 1]
    loops: dict[int, list[str]] = {}
    x, y, joined = corner_x.tolist(), corner_y.tolist(), across_column.tolist()
    area = corner_area.tolist()
    visited = bytearray(len(x))
    for start in range(len(x)):
        if visited[start]:
            continue
        parts = [f"M{x[start]} {y[start]}"]
        index = start
        while True:
            others = index ^ 1
            visited[index] = visited[others] = 1
            parts.append(f"h{x[others] - x[index]}")
            index = joined[others]
            if index == start:
                break
            parts.append(f"v{y[index] - y[others]}")
        loops.setdefault(area[start], []).append("".join(parts) + "z")
    return {number: "".join(paths) for number, paths in loops.items()}


def _corners(areas: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the outline of an area turns: areas, rows and columns int64 ``(N,)``, by area and then
    in raster order. Where two parts of an area touch by a corner it is there twice."""
    padded = np.pad(areas.astype(np.int64), 1)
    around = np.stack([padded[:-1, :-1], padded[:-1, 1:], padded[1:, :-1], padded[1:, 1:]], -1)
    width = around.shape[1]
    around = around.reshape(-1, 4)
    positions = np.flatnonzero((around != around[:, :1]).any(axis=1))
    numbers = around[positions]
    keys = (numbers * (padded.size + 1) + positions[:, None]).reshape(-1)
    quadrants = np.tile(np.array([1, 2, 4, 8]), positions.size)
    order = np.argsort(keys, kind="stable")
    keys, quadrants = keys[order], quadrants[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    if not keys.size:
        return keys, keys, keys
    pattern = np.add.reduceat(quadrants, starts)
    turns = np.array([0, 1, 1, 0, 1, 0, 2, 1, 1, 2, 0, 1, 0, 1, 1, 0])[pattern]
    area, indices = np.divmod(np.repeat(keys[starts], turns), padded.size + 1)
    inside = area > 0
    row, column = np.divmod(indices[inside], width)
    return area[inside], row, column
