"""Parts that drawings of several categories share: veined leaves, stems, sepals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from truehue.core.sketches.starter.curves import Path, closed, joined, opened, through
from truehue.core.sketches.starter.outlines import arc, ellipse, leaf, rib
from truehue.core.sketches.starter.sheet import LINE, Sheet

_SHARES = (0.0, 0.22, 0.5, 0.8, 1.0)
_PROFILE = (0.0, 0.80, 1.0, 0.54, 0.0)
"""How wide a leaf is along its length, as a share of its half width."""


def veined_leaf(
    sheet: Sheet,
    start: Sequence[float],
    tip: Sequence[float],
    width: float,
    bend: float = 0.0,
    veins: int = 3,
) -> None:
    """A pointed leaf in two halves, parted by its middle rib, with ``veins`` on each side."""
    base, end = np.asarray(start, dtype=float), np.asarray(tip, dtype=float)
    way = end - base
    length = float(np.hypot(*way))
    along = way / max(length, 1e-9)
    side = np.array([along[1], -along[0]])
    with sheet.group(), sheet.inside(leaf(start, tip, width, bend)):
        sheet.line(rib(start, tip, bend, 1.0))
        for share in np.linspace(0.16, 0.74, veins + 2)[1:-1] if veins else ():
            at = base + share * way + 4 * share * (1 - share) * bend * side
            half = width / 2 * float(np.interp(share + 0.08, _SHARES, _PROFILE))
            for sign in (1, -1):
                reach = [at + (along * f * 0.85 + side * sign * g) * half for f, g in _VEIN]
                sheet.stroke(through(reach), width=0.8 * LINE)


_VEIN = ((0.0, 0.0), (0.38, 0.28), (0.8, 0.48))


def lobed_leaf(sheet: Sheet) -> None:
    """A toothed leaf as of a vine, 320 wide, its stalk at (44, -44) to the right."""
    with sheet.group():
        blade = closed(
            "44,-52! 30,-96 14,-110! 10,-150 16,-196! -30,-186 -58,-160! -74,-186 -118,-214! "
            "-126,-176 -146,-158! -180,-166 -224,-152! -210,-118 -214,-92! -250,-74 -268,-40! "
            "-232,-20 -220,0! -226,34 -206,74! -170,60 -146,66! -130,92 -98,116! -76,78 -52,66! "
            "-26,66 6,80! 14,40 34,14! 50,-10"
        )
        with sheet.inside(blade):
            for tip in (
                "-60,-120 -100,-180",
                "-110,-52 -226,-44",
                "-50,12 -96,98",
                "16,-110 12,-180",
                "24,-20 14,10",
            ):
                sheet.stroke(opened(f"44,-44 {tip}"))
            for vein in (
                "-44,-106 -40,-146",
                "-80,-142 -120,-150",
                "-128,-52 -170,-100",
                "-150,-50 -186,-10",
                "-60,28 -28,46",
                "-60,26 -130,34",
            ):
                sheet.stroke(opened(vein), width=4)


def sparkle(sheet: Sheet, path: Path) -> None:
    """A short free line that follows an edge, where light would lie."""
    sheet.stroke(path, "both", 0.9 * LINE)


def palm(sheet: Sheet, teeth: int = 7, rings: int = 12) -> None:
    """A palm with its coconuts: its foot at (-10, 384), its crown at (40, -170).

    A palm that is drawn small wants few ``teeth`` on its leaves and ``rings`` on its trunk.
    """
    with sheet.group():
        trunk = closed("-70,372! -30,200 20,20 20,-150! 62,-150! 80,30 60,210 50,372! -10,384")
        with sheet.inside(trunk):
            for step in range(rings):
                y = -130 + step * 528 / rings
                sheet.line(opened(f"-100,{y + 10} 10,{y + 24} 110,{y}"))
    with sheet.group():
        for tip, bow in (
            ((-330, 60), (-230, -200)),
            ((400, 50), (310, -200)),
            ((-416, -136), (-230, -310)),
            ((450, -110), (290, -310)),
            ((-262, -392), (-84, -330)),
            ((330, -400), (156, -330)),
            ((-90, 70), (-90, -120)),
            ((190, 90), (190, -110)),
        ):
            _frond(sheet, (40, -170), bow, tip, teeth)
    with sheet.group():
        for x, y in ((4, -126), (84, -124), (44, -100)):
            sheet.shape(ellipse(x, y, 37))
            sparkle(sheet, arc(x, y, 22, 22, (180, 250)))


def _frond(
    sheet: Sheet,
    start: tuple[float, float],
    bow: tuple[float, float],
    tip: tuple[float, float],
    teeth: int,
) -> None:
    """A leaf of a palm: smooth above, ``teeth`` fingers below, a rib where there are many."""
    spine = through([start, bow, tip])
    places, ways = spine.along(2 * teeth + 1)
    sign = 1 if tip[0] < start[0] else -1
    upper, lower = [], []
    for index, (place, way) in enumerate(zip(places, ways, strict=True)):
        share = index / (2 * teeth)
        out = np.array([way[1], -way[0]]) * sign
        depth = 78 * math.sin(math.pi * min(1.0, share * 0.9 + 0.1)) ** 0.8
        upper.append(place - out * depth * 0.42)
        lower.append(place + out * depth * (0.76 if index % 2 else 0.34) + way * 22)
    bottom = [tip, *lower[-3:1:-1], start]
    outline = joined(through([start, *upper[1:-1], tip]), through(bottom, [True] * len(bottom)))
    if teeth > 5:
        with sheet.inside(outline):
            sheet.line(through(places), 4)
    else:
        sheet.shape(outline)


def eye(sheet: Sheet, x: float, y: float, radius: float, look: float = 0.0) -> None:
    """A round eye with a pupil that has a light in it."""
    sheet.shape(ellipse(x, y, radius))
    sheet.dot(x + look * radius, y, radius * 0.62)
    sheet.cover(ellipse(x + look * radius - radius * 0.2, y - radius * 0.22, radius * 0.2))
