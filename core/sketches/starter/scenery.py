"""What scenes share: clouds, suns, trees, grass, waves, birds, and the frame around them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from truehue.core.sketches.starter.curves import closed, joined, opened, through
from truehue.core.sketches.starter.outlines import box, ellipse, scalloped
from truehue.core.sketches.starter.sheet import Sheet

EXTENT = 900
"""A scene is drawn on a square of this side, from its upper left corner."""


@contextmanager
def framed(sheet: Sheet) -> Iterator[None]:
    """A scene's frame, which cuts off what reaches beyond it."""
    with sheet.framed(box(0, 0, EXTENT, EXTENT, 34)):
        yield


def land(sheet: Sheet, skyline: str) -> None:
    """Ground or water: everything below a line through the points, from side to side."""
    low = EXTENT + 30
    sheet.shape(joined(opened(skyline), through([(low, low), (-30, low)])))


def cloud(sheet: Sheet, x: float, y: float, size: float = 1.0, mirror: bool = False) -> None:
    """A cloud of round bumps on a flat base, 260 wide."""
    with sheet.group(1), sheet.at(x, y, size, mirror=mirror):
        sheet.shape(
            closed(
                "-120,40 -138,8 -104,-22! -100,-62 -48,-76 -22,-50! -2,-100 70,-100 84,-44! "
                "128,-46 146,0 116,40! 60,46 -60,46"
            )
        )
        sheet.stroke(opened("-62,-26 -44,-42 -22,-38"), "both", 4)
        sheet.stroke(opened("40,-34 64,-42 84,-30"), "both", 4)


def sun(sheet: Sheet, x: float, y: float, radius: float, rays: int = 12) -> None:
    """A disk with pointed rays around it, long and short by turns."""
    with sheet.group(1):
        for index in range(rays):
            with sheet.at(x, y, radius / 60, index * 360 / rays):
                reach = -118 if index % 2 == 0 else -98
                sheet.shape(closed(f"-13,-72! 0,{reach}! 13,-72! 0,-68"))
        sheet.shape(ellipse(x, y, radius))


def pine(sheet: Sheet, x: float, y: float, height: float) -> None:
    """A conifer of three tiers, its foot at (x, y)."""
    with sheet.group(1), sheet.at(x, y, height / 300):
        sheet.shape(closed("-17,-60! -17,0! 17,0! 17,-60!"))
        for top, bottom, half in ((-180, -40, 100), (-250, -120, 80), (-310, -200, 58)):
            sheet.shape(
                closed(
                    f"0,{top}! {half * 0.45},{bottom - 44} {half},{bottom - 4}! "
                    f"{half * 0.66},{bottom + 10} {half * 0.36},{bottom - 6}! "
                    f"{half * 0.2},{bottom + 18} {-half * 0.2},{bottom + 18} "
                    f"{-half * 0.36},{bottom - 6}! {-half * 0.66},{bottom + 10} "
                    f"{-half},{bottom - 4}! {-half * 0.45},{bottom - 44}"
                )
            )


def tree(sheet: Sheet, x: float, y: float, height: float) -> None:
    """A leafy tree with a round crown, its foot at (x, y)."""
    with sheet.group(1), sheet.at(x, y, height / 300):
        sheet.shape(closed("-20,-150! -18,-60 -36,0! 0,-8 36,0! 18,-60 20,-150!"))
        sheet.shape(
            scalloped(
                closed("0,-300 84,-270 112,-196 80,-126 0,-104 -80,-126 -112,-196 -84,-270"), 11, 17
            )
        )
        for px, py in ((-50, -230), (30, -250), (-10, -180), (56, -180), (-60, -160)):
            sheet.stroke(
                opened(
                    f"{px - 20},{py + 6} {px - 6},{py - 8} {px + 8},{py + 2} {px + 22},{py - 6}"
                ),
                "both",
                4,
            )


def bush(sheet: Sheet, x: float, y: float, size: float = 1.0) -> None:
    """A low bush, its foot at (x, y), 180 wide."""
    with sheet.group(1), sheet.at(x, y, size):
        sheet.shape(
            closed(
                "-90,0! -104,-40 -74,-62! -70,-104 -20,-110 0,-84! 24,-118 72,-104 "
                "70,-62! 108,-50 104,-10 90,0! 0,8"
            )
        )
        sheet.stroke(opened("-40,-52 -26,-66 -10,-56"), "both", 4)
        sheet.stroke(opened("24,-40 38,-54 54,-44"), "both", 4)


def tuft(sheet: Sheet, x: float, y: float, size: float = 1.0) -> None:
    """A tuft of grass of five blades, its foot at (x, y), 70 high."""
    with sheet.group(1), sheet.at(x, y, size):
        sheet.shape(
            closed(
                "-34,4! -42,-20 -66,-42! -36,-32 -19,-14! -24,-46 -38,-72! -12,-46 "
                "-6,-20! -4,-60 4,-92! "
                "13,-56 10,-20! 22,-46 42,-68! 32,-40 25,-14! 44,-30 68,-40! 48,-18 36,4! 0,9"
            )
        )


def blade_marks(sheet: Sheet, x: float, y: float, size: float = 1.0) -> None:
    """Three free strokes of grass that close nothing."""
    with sheet.at(x, y, size):
        for path in ("-14,0 -20,-16 -30,-26", "0,0 0,-20 4,-36", "14,0 20,-16 32,-24"):
            sheet.stroke(opened(path), "end", 4.5)


def ripple(sheet: Sheet, x: float, y: float, width: float) -> None:
    """A free line of small waves about (x, y)."""
    points = [
        (x - width / 2 + index * width / 6, y + (-5 if index % 2 else 3)) for index in range(7)
    ]
    sheet.stroke(through(points), "both", 4.5)


def gull(sheet: Sheet, x: float, y: float, size: float = 1.0) -> None:
    """A bird far away."""
    with sheet.at(x, y, size):
        sheet.stroke(opened("0,0 -18,-20 -48,-14"), "end")
        sheet.stroke(opened("0,0 18,-20 48,-14"), "end")


def rock(sheet: Sheet, x: float, y: float, size: float = 1.0, mirror: bool = False) -> None:
    """A boulder, its foot at (x, y), 160 wide."""
    with sheet.group(1), sheet.at(x, y, size, mirror=mirror):
        sheet.shape(closed("-80,0! -84,-36 -50,-80 -10,-96! 40,-88 74,-50 84,0! 0,8"))
        sheet.line(opened("-10,-96 8,-60 -6,-30"), 4)
        sheet.stroke(opened("8,-60 40,-50 74,-50"), "end", 4)


def flower(sheet: Sheet, x: float, y: float, size: float = 1.0, petals: int = 5) -> None:
    """A small flower on a stem, its foot at (x, y), 90 high."""
    with sheet.group(1), sheet.at(x, y, size):
        sheet.line(opened("0,0 4,-30 0,-62"), 5)
        for index in range(petals):
            angle = 2 * math.pi * index / petals
            sheet.shape(ellipse(23 * math.sin(angle), -70 - 23 * math.cos(angle), 17))
        sheet.shape(ellipse(0, -70, 15))
