"""Sweet things of the starter set, among its food."""

from __future__ import annotations

import math

from truehue.core.sketches.starter.curves import Path, closed, joined, opened, through
from truehue.core.sketches.starter.outlines import arc, box, ellipse, star
from truehue.core.sketches.starter.parts import sparkle
from truehue.core.sketches.starter.sheet import Sheet


def birthday_cake(sheet: Sheet) -> None:
    """A cake of two tiers with icing and five candles."""
    with sheet.group():
        sheet.shape(ellipse(0, 330, 440, 66))
        sheet.line(arc(0, 322, 404, 50, (10, 170)))
    for width, top, bottom, drips in ((340, 40, 300, 7), (220, -190, 30, 5)):
        depth = width * 0.16
        with sheet.group():
            sheet.shape(
                joined(
                    arc(0, bottom, width, depth, (0, 180)), arc(0, top, width, depth, (180, 360))
                )
            )
            sheet.line(arc(0, bottom - 66, width, depth, (0, 180)))
            for index in range(drips + 2):
                angle = math.pi * (index + 0.5) / (drips + 2)
                x, y = width * math.cos(angle), bottom - 33 + depth * math.sin(angle)
                sheet.shape(ellipse(x * 0.97, y, 18 * math.sin(angle) + 6, 19))
            sheet.shape(_icing(width, top, depth, drips))
            sheet.shape(ellipse(0, top, width, depth))
    for x, y in ((-130, -204), (130, -204), (-70, -182), (70, -182), (0, -172)):
        with sheet.group():
            candle = box(x - 15, y - 130, 30, 130, 6)
            with sheet.inside(candle):
                for step in range(5):
                    sheet.line(
                        opened(f"{x - 20},{y - 100 + step * 36} {x + 20},{y - 128 + step * 36}")
                    )
            sheet.line(opened(f"{x},{y - 130} {x + 2},{y - 150}"))
            sheet.shape(
                closed(
                    f"{x},{y - 226}! {x + 22},{y - 182} {x + 16},{y - 154} {x},{y - 144} "
                    f"{x - 16},{y - 154} {x - 22},{y - 182}"
                )
            )
            sheet.shape(
                closed(f"{x},{y - 190}! {x + 9},{y - 168} {x},{y - 154} {x - 9},{y - 168}"), 4
            )


def _icing(width: float, top: float, depth: float, drips: int) -> Path:
    """The upper icing, its lower edge in drips of uneven length."""
    points = []
    for index in range(2 * drips + 1):
        angle = math.pi * index / (2 * drips)
        fall = 34 if index % 2 == 0 else 92 + 22 * ((index * 5) % 3 - 1)
        points.append((width * math.cos(angle), top + fall + depth * math.sin(angle)))
    edge = [(width, top + 30), *points[2:-2], (-width, top + 30)]
    return joined(through(edge), arc(0, top, width, depth, (180, 360)))


def cookie(sheet: Sheet) -> None:
    """A cookie with chocolate chips, one more behind it."""
    with sheet.group(), sheet.at(110, -90):
        sheet.shape(
            closed(
                "0,-290 130,-262 250,-150 290,0 252,140 150,240 0,286 -140,250 "
                "-250,146 -288,0 -246,-160 -130,-256"
            )
        )
        for x, y, r in (
            (120, -170, 34),
            (210, -30, 30),
            (40, -210, 24),
            (190, 90, 32),
            (-30, -150, 28),
        ):
            _chip(sheet, x, y, r)
    with sheet.group(), sheet.at(-80, 80):
        sheet.shape(
            closed(
                "6,-306 136,-270 240,-190 306,-60 296,70 236,200 120,276 -20,306 -150,268 "
                "-260,170 -304,30 -280,-110 -210,-220 -100,-290"
            )
        )
        for x, y, r in (
            (-130, -150, 40),
            (30, -200, 34),
            (160, -120, 42),
            (-20, -50, 40),
            (-200, -10, 34),
            (130, 40, 38),
            (-110, 90, 42),
            (220, 60, 28),
            (30, 150, 40),
            (-60, 220, 30),
            (160, 190, 30),
            (-210, 130, 26),
        ):
            _chip(sheet, x, y, r)
        for x, y in (
            (-70, -120),
            (80, -50),
            (-90, 0),
            (60, 90),
            (-160, 60),
            (100, -200),
            (200, -20),
            (-20, 70),
            (90, 240),
            (-150, 200),
        ):
            sheet.stroke(opened(f"{x - 12},{y} {x},{y - 7} {x + 12},{y - 1}"), "both", 4)


def _chip(sheet: Sheet, x: float, y: float, r: float) -> None:
    with sheet.at(x, y, r / 40, x % 50 - 25):
        sheet.shape(closed("-40,14 -28,-22 4,-40 32,-20 40,12 16,32 -18,34"))
        sheet.stroke(opened("-18,-4 -2,-20 14,-14"), "both", 4)


def honey(sheet: Sheet) -> None:
    """A jar of honey with a dipper."""
    with sheet.group(), sheet.at(190, -240, 1, 32):
        sheet.shape(box(-13, -230, 26, 330, 12))
    with sheet.group():
        with sheet.inside(
            closed(
                "-210,-180! -280,-110 -300,20 -296,200 -270,310 -200,340 0,350 200,340 "
                "270,310 296,200 300,20 280,-110 210,-180!"
            )
        ):
            sheet.line(opened("-330,-30 -200,-20 -100,-60 0,-20 100,-50 200,-16 330,-40"))
        sheet.shape(
            closed("-240,-236! 0,-250 240,-236! 252,-200 240,-166! 0,-150 -240,-166! -252,-200")
        )
        sheet.shape(joined(arc(0, -238, 228, 46, (0, 360))))
        sheet.line(ellipse(0, -236, 196, 32))
        sheet.shape(
            closed(
                "-150,-206! -60,-196 20,-194 104,-202! 104,-120 84,-92 62,-124 40,-140 14,-112 "
                "10,-50 -12,-26 -36,-52 -40,-120 -66,-140 -92,-112 -112,-92 -132,-116"
            )
        )
        label = closed("-190,50! 0,66 190,50! 196,160 190,260! 0,278 -190,260! -196,160")
        sheet.shape(label)
        for x, y in ((0, 118), (-62, 154), (62, 154), (0, 190)):
            sheet.shape(star(x, y, 34, 34, 3))
        sparkle(sheet, opened("-262,60 -266,140 -256,220"))


def muffin(sheet: Sheet) -> None:
    """A muffin with berries in its paper cup."""
    with sheet.group():
        cup = closed("-250,20! 250,20! 176,340! 0,356 -176,340!")
        with sheet.inside(cup):
            for index in range(-4, 5):
                sheet.line(opened(f"{index * 58},0 {index * 41},370"))
    with sheet.group():
        sheet.shape(
            closed(
                "-300,40 -340,-30 -290,-90 -300,-170 -220,-260 -100,-280 0,-330 130,-290 "
                "230,-250 300,-160 290,-80 340,-20 300,44 220,30 150,60 70,34 0,64 -80,36 "
                "-150,62 -220,32"
            )
        )
        for x, y, r in (
            (-180, -140, 42),
            (-40, -210, 46),
            (120, -170, 44),
            (30, -60, 46),
            (-130, -20, 40),
            (200, -40, 42),
            (-240, -40, 30),
            (220, -130, 28),
        ):
            sheet.shape(ellipse(x, y, r, r * 0.92))
            sheet.line(star(x, y - r * 0.1, r * 0.46, r * 0.2), 4)
        for x, y in (
            (-110, -110),
            (60, -250),
            (-60, -130),
            (190, -220),
            (120, -90),
            (-200, -210),
            (-40, -20),
            (100, 0),
        ):
            sheet.stroke(opened(f"{x - 15},{y} {x},{y - 9} {x + 15},{y - 1}"), "both", 4)
