"""Flowers of the starter set, among its plants."""

from __future__ import annotations

import math

from truehue.core.sketches.starter.curves import closed, opened, through
from truehue.core.sketches.starter.outlines import band, ellipse, leaf, scalloped
from truehue.core.sketches.starter.parts import veined_leaf
from truehue.core.sketches.starter.sheet import Sheet


def cherry_blossom(sheet: Sheet) -> None:
    """A twig of cherry in bloom."""
    with sheet.group():
        sheet.shape(
            closed(
                "-440,330! -300,250 -160,150 -20,100 120,0 240,-150 300,-300! 330,-296! "
                "286,-130 200,10 300,-20 410,-90! 424,-66! 320,10 180,60 40,150 -100,210 "
                "-240,310 -400,400!"
            )
        )
        sheet.stroke(opened("-360,320 -240,244 -130,180"), "both")
        sheet.stroke(opened("0,130 90,84 170,30"), "both")
    for x, y, bx, by in ((330, -292, 320, -350), (412, -76, 450, -120), (-230, 250, -300, 190)):
        with sheet.group():
            sheet.line(opened(f"{x},{y} {(x + bx) / 2 + 8},{(y + by) / 2} {bx},{by}"), 7)
            with sheet.at(bx, by, 0.9, math.degrees(math.atan2(bx - x, y - by))):
                sheet.shape(closed("0,20 -36,-10 -30,-60 0,-84 30,-60 36,-10"))
                sheet.line(opened("0,-84 -10,-40 4,10"))
                sheet.shape(closed("-34,-4! -24,22 0,30 24,22 34,-4! 16,0 0,-14! -16,0"))
    for x, y, size, turn in (
        (-190, 40, 0.86, 10),
        (230, 130, 0.80, 40),
        (70, -200, 0.84, -14),
        (-10, 110, 1.06, 24),
    ):
        with sheet.group(), sheet.at(x, y, size, turn):
            for index in range(5):
                with sheet.at(turn=index * 72):
                    sheet.shape(
                        closed(
                            "0,0! -70,-60 -92,-130 -60,-184 -24,-190! 0,-160! "
                            "24,-190! 60,-184 92,-130 70,-60"
                        )
                    )
                    sheet.stroke(opened("0,-66 0,-128"), width=4)
                    sheet.stroke(opened("-20,-88 -32,-122"), width=4)
                    sheet.stroke(opened("20,-88 32,-122"), width=4)
            for index in range(5):
                with sheet.at(turn=index * 72 + 36):
                    sheet.line(opened("0,-20 2,-50"), 4)
                    sheet.shape(ellipse(2, -58, 9), 4)
            sheet.shape(ellipse(0, 0, 26))


def daisy(sheet: Sheet) -> None:
    """A daisy with its stem and leaves."""
    with sheet.group():
        sheet.shape(band(opened("0,-120 24,160 -10,440"), (24, 22, 26), count=11))
    veined_leaf(sheet, (4, 400), (-230, 250), 110, 26, 4)
    veined_leaf(sheet, (12, 330), (240, 170), 116, -26, 4)
    with sheet.group(), sheet.at(0, -150, 1.04):
        for ring, (count, shift, size) in enumerate(((13, 14, 1.0), (13, 0, 0.94))):
            for index in range(count):
                with sheet.at(turn=index * 360 / count + shift, scale=size):
                    sheet.shape(
                        closed("0,-40! -32,-120 -46,-200 -38,-256 0,-284 38,-256 46,-200 32,-120")
                    )
                    if ring:
                        sheet.stroke(opened("-10,-120 -12,-190"), "both", 4)
                        sheet.stroke(opened("12,-116 14,-176"), "both", 4)
        sheet.shape(scalloped(ellipse(0, 0, 92), 20, 8))
        sheet.shape(ellipse(0, 0, 56))
        for index in range(16):
            angle = index * math.pi / 8
            sheet.dot(75 * math.cos(angle), 75 * math.sin(angle), 4.5)
        for x, y in ((-20, -16), (18, -22), (26, 14), (-8, 24), (-32, 14), (2, -2)):
            sheet.dot(x, y, 4.5)


def lotus(sheet: Sheet) -> None:
    """A lotus on its leaf."""
    petal = closed("0,0! -52,-80 -82,-200 -62,-312 0,-400! 62,-312 82,-200 52,-80")
    with sheet.group():
        sheet.shape(ellipse(0, 250, 440, 116))
        for x, y in ((-400, 240), (-300, 320), (-120, 352), (120, 352), (300, 320), (400, 240)):
            sheet.stroke(
                opened(f"{x * 0.3},{250 + (y - 250) * 0.3} {x * 0.88},{250 + (y - 250) * 0.88}"),
                "end",
                4,
            )
    with sheet.group(), sheet.at(0, 260):
        for turn, size in (
            (-74, 1.12),
            (74, 1.12),
            (-45, 1.26),
            (45, 1.26),
            (-15, 1.36),
            (15, 1.36),
        ):
            with sheet.at(turn=turn, scale=size):
                sheet.shape(petal)
        for turn, size in (
            (-86, 0.98),
            (86, 0.98),
            (-59, 1.02),
            (59, 1.02),
            (-30, 1.08),
            (30, 1.08),
            (0, 1.1),
        ):
            with sheet.at(turn=turn, scale=size):
                sheet.shape(petal)
                for x in (-20, 0, 20):
                    sheet.stroke(opened(f"{x * 1.2},-330 {x * 1.6},-270 {x * 1.3},-190"), "end", 4)
        for turn, size in ((-66, 0.64), (66, 0.64), (-40, 0.7), (40, 0.7), (-14, 0.74), (14, 0.74)):
            with sheet.at(turn=turn, scale=size):
                sheet.shape(petal)
                sheet.stroke(opened("0,-330 0,-200"), "end", 4)


def rose(sheet: Sheet) -> None:
    """A rose with its leaves."""
    with sheet.group():
        sheet.shape(band(opened("0,60 -16,240 20,450"), (26, 24, 28), count=11))
        for x, y, side in ((-24, 250, -1), (16, 330, 1), (-12, 380, -1)):
            sheet.shape(
                closed(
                    f"{x + side * 2},{y - 16}! {x + side * 30},{y - 6}! {x + side * 2},{y + 18}!"
                )
            )
    veined_leaf(sheet, (-20, 290), (-264, 200), 130, 26, 4)
    veined_leaf(sheet, (2, 360), (262, 250), 140, -26, 4)
    with sheet.group(), sheet.at(0, -140):
        petal = closed(
            "0,60! -130,10 -190,-110 -150,-210 -60,-226 0,-212 60,-226 150,-210 190,-110 130,10"
        )
        for turn in (36, 108, 180, 252, 324):
            with sheet.at(turn=turn, scale=1.24):
                sheet.shape(petal)
                sheet.stroke(opened("-120,-176 -50,-196 0,-186 60,-198"), "both")
        for turn in (0, 72, 144, 216, 288):
            with sheet.at(turn=turn + 10, scale=0.92):
                sheet.shape(petal)
                sheet.stroke(opened("-110,-170 -40,-194 30,-186"), "both")
        for turn in (20, 110, 200, 290):
            with sheet.at(turn=turn + 20, scale=0.66):
                sheet.shape(petal)
        for turn in (0, 120, 240):
            with sheet.at(turn=turn + 40, scale=0.44):
                sheet.shape(petal)
        sheet.shape(ellipse(0, 0, 44))
        spiral = [
            ((6 + index * 2.9) * math.cos(index * 0.72), (6 + index * 2.9) * math.sin(index * 0.72))
            for index in range(14)
        ]
        sheet.line(through(spiral))


def sunflower(sheet: Sheet) -> None:
    """A sunflower with two leaves."""
    with sheet.group():
        sheet.shape(band(opened("0,0 10,220 -10,460"), (34, 32, 36), count=11))
    veined_leaf(sheet, (0, 380), (-270, 250), 170, 30, 4)
    veined_leaf(sheet, (4, 320), (270, 200), 170, -30, 4)
    with sheet.group(), sheet.at(0, -140):
        for count, shift, reach, width in ((15, 12, 316, 92), (15, 0, 290, 92)):
            for index in range(count):
                with sheet.at(turn=index * 24 + shift):
                    sheet.shape(leaf((0, -100), (0, -reach), width))
                    sheet.stroke(opened("0,-170 0,-236"), "end", 4)
        sheet.shape(ellipse(0, 0, 146))
        sheet.shape(ellipse(0, 0, 104))
        for index in range(24):
            with sheet.at(turn=index * 15):
                sheet.stroke(opened("0,-136 0,-114"), "both", 4)
        disk = ellipse(0, 0, 104)
        with sheet.inside(disk):
            for step in range(-4, 5):
                sheet.line(
                    opened(f"{step * 46 - 110},-120 {step * 46 - 10},0 {step * 46 + 60},120"), 4
                )
                sheet.line(
                    opened(f"{step * 46 + 110},-120 {step * 46 + 10},0 {step * 46 - 60},120"), 4
                )


def tulip(sheet: Sheet) -> None:
    """A tulip with its leaves."""
    with sheet.group():
        sheet.shape(band(opened("0,-60 12,180 0,440"), (32, 30, 34), count=11))
    with sheet.group():
        for points, vein in (
            (
                "0,430! 60,360 120,200 240,40 300,-40! 310,100 260,260 160,380 30,446!",
                "30,420 150,280 270,60",
            ),
            (
                "0,430! -70,340 -100,200 -180,80 -270,0! -290,120 -250,270 -150,390 -20,446!",
                "-20,420 -150,290 -240,90",
            ),
        ):
            sheet.shape(closed(points))
            sheet.stroke(opened(vein))
        sheet.shape(closed("20,440! 40,360 50,250 120,130! 150,230 130,340 60,440!"))
        sheet.stroke(opened("50,420 90,310 116,190"))
    with sheet.group(), sheet.at(0, -200, 1.1):
        sheet.shape(closed("-60,0! -110,-110 -80,-190 -40,-236! 0,-190 20,-140!"))
        sheet.shape(closed("60,0! 110,-110 80,-190 40,-236! 0,-190 -20,-140!"))
        sheet.shape(closed("0,130! -120,110 -190,20 -196,-90 -160,-200! -90,-160 -30,-90 10,0"))
        sheet.shape(closed("0,130! 120,110 190,20 196,-90 160,-200! 90,-160 30,-90 -10,0"))
        sheet.shape(closed("0,134 -84,80 -110,-10 -70,-110 0,-190! 70,-110 110,-10 84,80"))
        sheet.stroke(opened("0,90 -6,0 0,-90"))
        sheet.stroke(opened("-40,60 -54,0 -36,-60"))
        sheet.stroke(opened("40,60 54,0 36,-60"))
        sheet.stroke(opened("-130,60 -160,-20 -156,-100"))
        sheet.stroke(opened("130,60 160,-20 156,-100"))
