"""Images of sketches and colorings: PNG for pages, pixels for display, SVG for editing."""

from __future__ import annotations

import re
from typing import Protocol

import numpy as np

from truehue.core.errors import MaskError
from truehue.core.files import png_of
from truehue.core.sketches.records import check_ink


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


_COMPRESSION = 6


class VectorDrawing(Protocol):
    """A drawing that knows its own paths, such as one of the starter set."""

    def svg(self) -> str:
        """The whole as an SVG document: black lines, white paper, with a viewBox."""
        ...


def ink_png(ink: np.ndarray) -> bytes:
    """The line layer of a sketch as a PNG of mode LA: black, with alpha where there is ink.

    ``ink`` is uint8 ``(H, W)``. Raises BadInput for what is no ink.
    """
    check_ink(ink)
    lines = np.stack([np.zeros_like(ink), 255 - ink], axis=-1)
    return png_of(lines, srgb=True, level=_COMPRESSION)


def layer_png(layer: np.ndarray) -> bytes:
    """The colors alone, uint8 ``(H, W, 4)``, as an RGBA PNG with exactly these pixels."""
    return png_of(np.ascontiguousarray(layer), srgb=True, level=_COMPRESSION)


def composite(ink: np.ndarray, layer: np.ndarray) -> np.ndarray:
    """The visible image: line art over colors over white paper, srgb8 ``(H, W, 3)``.

    ``layer`` uint8 ``(H, W, 4)`` is of the size of ``ink`` ``(H, W)``; raises MaskError otherwise.
    """
    _check_pair(ink, layer)
    below = np.where(layer[..., 3:] > 0, layer[..., :3], np.uint8(255)).astype(np.uint16)
    return ((below * ink[..., None] + 127) // 255).astype(np.uint8)


def svg(ink: np.ndarray, layer: np.ndarray, drawing: VectorDrawing | None = None) -> str:
    """The coloring as an SVG document of paths, without any raster image.

    ``ink`` uint8 ``(H, W)``, 0 black; ``layer`` uint8 ``(H, W, 4)``, RGBA.

    Colors are exact to the pixel: a path for each. The ink is traced, a path for each of its
    grays, or drawn by the paths of ``drawing``, which has to be what ``ink`` was made of.
    Raises MaskError for a layer of another size.
    """
    _check_pair(ink, layer)
    height, width = ink.shape
    red, green, blue = (layer[..., channel].astype(np.int64) for channel in range(3))
    colored = np.where(layer[..., 3] > 0, (red << 16 | green << 8 | blue) + 1, 0)
    colors = [
        f'<path fill="#{color - 1:06x}" d="{path}"/>' for color, path in outlines(colored).items()
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">',
            f'<path id="paper" fill="#ffffff" d="M0 0h{width}v{height}h-{width}z"/>',
            '<g id="colors" fill-rule="evenodd" shape-rendering="crispEdges">',
            *colors,
            "</g>",
            *(_traced(ink) if drawing is None else _own_paths(drawing, width, height)),
            "</svg>",
            "",
        ]
    )


def _traced(ink: np.ndarray) -> list[str]:
    """The ink as paths, one for each darkness."""
    paths = [
        f'<path fill-opacity="{darkness / 255:.4g}" d="{path}"/>'
        for darkness, path in outlines(255 - ink.astype(np.int64)).items()
    ]
    return ['<g id="ink" fill-rule="evenodd" shape-rendering="crispEdges">', *paths, "</g>"]


def _own_paths(drawing: VectorDrawing, width: int, height: int) -> list[str]:
    """The drawing laid over the colors: its white lets them through, its black covers them."""
    document = re.sub(r"<title>.*?</title>\s*", "", drawing.svg(), count=1, flags=re.DOTALL)
    root, end, rest = document.partition("<svg")[2].partition(">")
    root = re.sub(r'\s(?:width|height)="[^"]*"', "", root)
    nested = f'<svg width="{width}" height="{height}"{root}{end}{rest}'
    return ['<g id="ink" style="mix-blend-mode:multiply">', nested.strip(), "</g>"]


def _check_pair(ink: np.ndarray, layer: np.ndarray) -> None:
    check_ink(ink)
    if layer.shape != (*ink.shape, 4) or layer.dtype != np.uint8:
        raise MaskError(f"The layer is {layer.dtype} {layer.shape}, but the sketch is {ink.shape}.")
