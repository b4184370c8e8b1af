"""Roots and bulbs of the starter set, among its vegetables."""

from __future__ import annotations

import numpy as np

from truehue.core.sketches.starter.curves import closed, opened, through
from truehue.core.sketches.starter.parts import sparkle, veined_leaf
from truehue.core.sketches.starter.sheet import Sheet


def carrot(sheet: Sheet) -> None:
    """A carrot with its green."""
    with sheet.group(), sheet.at(60, -60, 1, 24):
        for tx, ty, width, bend in (
            (-250, -300, 150, -56),
            (256, -290, 150, 60),
            (-104, -420, 160, -24),
            (116, -420, 160, 28),
        ):
            _frond(sheet, (tx * 0.06, -96), (tx * 0.42 + bend, (ty - 96) * 0.52), (tx, ty), width)
        sheet.shape(
            closed(
                "0,-128 70,-120 120,-62 112,40 76,220 40,380 14,470 0,478 -14,470 -40,380 "
                "-76,220 -112,40 -120,-62 -70,-120"
            )
        )
        for y, side, length in (
            (-40, -1, 90),
            (20, 1, 100),
            (90, -1, 70),
            (150, 1, 66),
            (214, -1, 50),
            (270, 1, 50),
            (330, -1, 34),
            (380, 1, 28),
        ):
            edge = side * (118 - max(0, y + 40) * 0.222)
            sheet.stroke(
                opened(
                    f"{edge},{y} {edge - side * length * 0.5},{y + 10} "
                    f"{edge - side * length},{y + 6}"
                )
            )
        sheet.stroke(opened("-44,-114 0,-100 44,-114"), "both")


def _frond(
    sheet: Sheet,
    start: tuple[float, float],
    bow: tuple[float, float],
    tip: tuple[float, float],
    width: float,
) -> None:
    """A feathery leaf: a stalk, then round lobes on both sides of a rib."""
    spine = through([start, bow, tip])
    places, ways = spine.along(10)
    reach = [0.1, 0.1, 0.85, 0.4, 1.0, 0.45, 0.9, 0.4, 0.56, 0.0]
    offsets = np.stack([ways[:, 1], -ways[:, 0]], axis=1) * (np.array(reach) * width / 2)[:, None]
    left, right = (places + offsets)[:-1], (places - offsets)[-2::-1]
    points = np.concatenate([left, places[-1:], right])
    outline = through(points, [True, *[False] * (len(points) - 2), True], closed=True)
    with sheet.group():
        sheet.shape(outline)
        sheet.stroke(through(places[2:-2]), width=4)


def garlic(sheet: Sheet) -> None:
    """A bulb of garlic, and two cloves."""
    with sheet.group(), sheet.at(-40, -10):
        sheet.shape(
            closed(
                "-40,-370! -22,-250 -60,-180 -200,-90 -288,50 -276,200 "
                "-170,290 0,312 170,290 276,200 "
                "288,50 200,-90 60,-180 22,-250 44,-360! 10,-384 -16,-366"
            )
        )
        sheet.line(opened("-24,-240 -70,-130 -150,0 -166,150 -110,301"))
        sheet.line(opened("24,-240 70,-130 150,0 166,150 110,301"))
        sheet.stroke(opened("-6,-250 -30,-120 -54,40 -40,180"), "end")
        sheet.stroke(opened("10,-250 34,-120 60,60 46,190"), "end")
        sheet.stroke(opened("-80,-140 -190,-30 -228,90"), "both")
        sheet.stroke(opened("80,-140 190,-30 228,90"), "both")
        sheet.stroke(opened("-8,-350 -6,-310 -2,-270"), "both")
        sheet.shape(closed("-86,296 -40,282 0,290 44,282 88,296 70,322 30,330 -30,330 -70,322"))
        for x in (-50, -26, 0, 26, 50):
            sheet.stroke(opened(f"{x},318 {x * 1.2},340 {x * 1.5 + 6},362"), width=4)
    with sheet.group(), sheet.at(250, 236, 1, 16):
        sheet.shape(closed("-30,-190! 20,-140 86,-30 96,70 40,128 -50,124 -92,60 -76,-50 -48,-130"))
        sheet.stroke(opened("-30,-190 -6,-60 8,30 4,84"))
        sheet.stroke(opened("40,-70 58,0 52,60"), "both")
    with sheet.group(), sheet.at(62, 322, 0.9, -62):
        sheet.shape(closed("-20,-180! 30,-130 86,-30 92,64 40,118 -50,114 -92,56 -76,-50 -46,-130"))
        sheet.stroke(opened("-20,-180 -18,-60 -14,20 -18,80"))


def onion(sheet: Sheet) -> None:
    """An onion, and a half of one."""
    with sheet.group(), sheet.at(90, -40):
        sheet.shape(
            closed(
                "-54,-384! -14,-300 -40,-230 -170,-150 -282,-10 -270,160 "
                "-150,270 0,300 150,270 270,160 "
                "282,-10 170,-150 44,-230 26,-300 58,-388! 34,-372! 16,-402! -4,-374! -24,-408!"
            )
        )
        for side in (-1, 1):
            sheet.line(
                opened(
                    f"{side * 7},-236 {side * 84},-116 {side * 170},40 "
                    f"{side * 130},190 {side * 40},297"
                )
            )
        sheet.line(opened("0,-290 20,-120 30,60 10,299"))
        sheet.stroke(opened("-84,-164 -184,-66 -226,60 -190,170"), "both")
        sheet.stroke(opened("92,-160 190,-60 230,70 190,180"), "both")
        for x in (-46, -16, 14, 44):
            sheet.stroke(opened(f"{x},290 {x * 1.4},330 {x * 1.5 - 14},366"))
    with sheet.group(), sheet.at(-170, 160, 0.92):
        outline = (
            "0,-236! 30,-196 120,-150 206,-40 204,90 110,190 0,216! -110,190 "
            "-204,90 -206,-40 -120,-150 -30,-196"
        )
        for size, y in ((1, 0), (0.88, 2), (0.68, 4), (0.47, 8), (0.25, 16)):
            with sheet.at(0, y, size):
                sheet.shape(closed(outline))
        for x in (-30, 0, 30):
            sheet.stroke(opened(f"{x},212 {x * 1.3},240 {x * 1.8 + 4},262"))


def radish(sheet: Sheet) -> None:
    """Two radishes with their leaves."""

    def one() -> None:
        with sheet.group():
            for tx, ty, width, bend in (
                (-150, -420, 150, -30),
                (150, -410, 150, 30),
                (0, -470, 160, 0),
            ):
                veined_leaf(sheet, (tx * 0.1, -80), (tx, ty), width, bend, 4)
            sheet.shape(
                closed(
                    "0,-100 60,-112 150,-60 172,60 110,170 40,214 16,270 0,390! -16,270 "
                    "-40,214 -110,170 -172,60 -150,-60 -60,-112"
                )
            )
            sheet.stroke(opened("-44,-96 0,-80 44,-96"), "both")
            sparkle(sheet, opened("-116,-10 -128,60 -96,120"))
            sheet.stroke(opened("-30,196 0,190 36,200"), "both")
            sheet.stroke(opened("60,160 40,176 14,178"), "both", 4)

    with sheet.at(120, 0, 1, 20):
        one()
    with sheet.at(-110, 50, 1, -16):
        one()
