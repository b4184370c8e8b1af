"""Parts of buildings: windows with round tops and with panes, parapets."""

from __future__ import annotations

from truehue.core.sketches.starter.curves import closed, joined, opened
from truehue.core.sketches.starter.outlines import arc, box
from truehue.core.sketches.starter.sheet import Sheet


def arched(
    sheet: Sheet, x: float, y: float, width: float, height: float, bars: bool = True
) -> None:
    """A window with a round top, standing on (x, y)."""
    half = width / 2
    top = y - height + half
    sheet.shape(
        joined(
            opened(f"{x - half},{top} {x - half},{y}"),
            opened(f"{x + half},{y} {x + half},{top}"),
            arc(x, top, half, half, (0, -180)),
        )
    )
    if bars:
        sheet.line(opened(f"{x},{y} {x},{y - height}"), 4)
        sheet.line(opened(f"{x - half},{top} {x + half},{top}"), 4)


def window(sheet: Sheet, x: float, y: float, width: float, height: float) -> None:
    """A window of four panes with a sill, its upper left corner at (x, y)."""
    sheet.shape(box(x, y, width, height))
    sheet.line(opened(f"{x + width / 2},{y} {x + width / 2},{y + height}"), 4)
    sheet.line(opened(f"{x},{y + height / 2} {x + width},{y + height / 2}"), 4)
    sheet.shape(box(x - 8, y + height, width + 16, 13))


def battlement(sheet: Sheet, x: float, y: float, width: float, teeth: int, height: float) -> None:
    """A parapet with ``teeth`` merlons, its foot at y."""
    step = width / (2 * teeth - 1)
    points = [f"{x},{y}!"]
    for index in range(2 * teeth - 1):
        level = y - height if index % 2 == 0 else y - height * 0.5
        points += [f"{x + index * step},{level}!", f"{x + (index + 1) * step},{level}!"]
    sheet.shape(closed(" ".join([*points, f"{x + width},{y}!"])))
