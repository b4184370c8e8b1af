"""Fruits of the starter set but for the small ones."""

from __future__ import annotations

import math

from truehue.core.sketches.starter.curves import closed, joined, opened, through
from truehue.core.sketches.starter.outlines import arc, band, ellipse, leaf
from truehue.core.sketches.starter.parts import sparkle, veined_leaf
from truehue.core.sketches.starter.sheet import Sheet


def apple(sheet: Sheet) -> None:
    """An apple with its stem and two leaves."""
    with sheet.group():
        sheet.shape(
            closed(
                "0,-196 62,-246 182,-262 292,-182 322,-24 272,150 172,282 78,308 "
                "0,288 -78,308 -172,282 -272,150 -322,-24 -292,-182 -182,-262 -62,-246"
            )
        )
        sheet.stroke(opened("-108,-214 -58,-176 4,-166 66,-178 112,-214"), "both")
        sheet.shape(band(opened("2,-172 -4,-250 34,-362"), (24, 20, 36), "round", count=9))
        sparkle(sheet, opened("-236,-150 -268,-50 -248,60"))
        sparkle(sheet, opened("-240,96 -228,128 -212,158"))
    veined_leaf(sheet, (14, -262), (262, -352), 116, 34)


def avocado(sheet: Sheet) -> None:
    """An avocado and a half of one, with its stone."""
    half = (
        "0,-330 62,-306 96,-222 128,-110 196,20 216,150 160,268 0,318 "
        "-160,268 -216,150 -196,20 -128,-110 -96,-222 -62,-306"
    )
    with sheet.group(), sheet.at(170, -40, 0.98, 20):
        sheet.shape(closed(half))
        sheet.shape(closed("-20,-322 -14,-348 14,-348 20,-322 0,-312"))
        for x, y in (
            (150, 40),
            (168, 110),
            (128, -20),
            (150, 190),
            (118, 60),
            (106, 235),
            (84, -130),
        ):
            sheet.dot(x, y, 5)
    with sheet.group(), sheet.at(-120, 30, 1.0, -14):
        sheet.shape(closed(half))
        with sheet.at(0, 6, 0.9):
            sheet.shape(closed(half))
        with sheet.at(0, 22, 0.76):
            sheet.shape(closed(half))
        sheet.shape(closed("0,34 84,70 112,146 84,226 0,254 -84,226 -112,146 -84,70"))
        sparkle(sheet, opened("-72,118 -52,84 -20,66"))


def banana(sheet: Sheet) -> None:
    """Three bananas of one bunch."""
    with sheet.group():
        sheet.shape(
            closed(
                "-236,-300! -150,-312 20,-250 190,-170 330,-150 386,-172! 404,-150! "
                "330,-80 160,-60 -40,-130 -190,-240!"
            )
        )
    with sheet.group():
        sheet.shape(
            closed(
                "-262,-302! -190,-310! -110,-200 10,-70 170,20 320,40 372,24! 392,50! "
                "300,122 120,130 -60,50 -190,-110"
            )
        )
        sheet.stroke(opened("-214,-262 -120,-110 10,10 170,72 330,66"), "both")
    with sheet.group():
        sheet.shape(
            closed(
                "-300,-300! -226,-304! -196,-180 -120,-10 10,130 170,220 262,236! 270,270! "
                "160,312 -20,280 -190,150 -290,-60"
            )
        )
        sheet.stroke(opened("-264,-250 -232,-90 -120,100 30,218 200,262"), "both")
        sheet.line(opened("236,233 226,252 234,288"))
    with sheet.group():
        sheet.shape(
            closed(
                "-300,-268! -308,-330 -324,-392! -256,-400! -240,-350 "
                "-196,-300! -200,-262 -250,-252"
            )
        )
        sheet.stroke(opened("-284,-380 -272,-330 -256,-290"), "end")


def kiwi(sheet: Sheet) -> None:
    """A kiwi and a half of one."""
    with sheet.group():
        sheet.shape(ellipse(120, -80, 300, 236, -24))
        sheet.shape(closed("352,-238 384,-252 410,-226 392,-196 362,-204"))
        for x, y, turn in (
            (60, -270, -30),
            (140, -262, -20),
            (220, -240, -10),
            (290, -190, 10),
            (330, -120, 30),
            (345, -40, 50),
            (310, 30, 60),
            (-30, -232, -40),
            (250, -130, 10),
            (180, -190, -15),
        ):
            with sheet.at(x, y, turn=turn):
                sheet.stroke(opened("-14,4 0,-2 14,-4"), "both", 4)
    with sheet.group(), sheet.at(-90, 66):
        sheet.shape(ellipse(0, 0, 296, 280, -20))
        sheet.shape(ellipse(0, 0, 270, 254, -20))
        rays = 16
        with sheet.at(0, 0, 1, -20):
            for index in range(rays):
                with sheet.at(turn=index * 360 / rays + 10):
                    sheet.stroke(opened("178,0 232,3"), "both", 4)
                with sheet.at(turn=index * 360 / rays):
                    sheet.shape(closed("112,0! 142,-15 162,0 142,15"), 4.5)
            bumps = []
            for index in range(24):
                angle, radius = index * math.pi / 12, 74 if index % 2 else 90
                bumps.append((radius * math.cos(angle), 0.92 * radius * math.sin(angle)))
            sheet.shape(through(bumps, closed=True))


def lemon(sheet: Sheet) -> None:
    """A lemon with a leaf, and a slice of one before it."""
    with sheet.group(), sheet.at(70, -70, 1, -18):
        sheet.shape(
            closed(
                "-330,10 -290,-70 -190,-176 0,-226 180,-186 278,-84 318,-46 356,-28 366,10 "
                "348,46 304,62 250,132 140,206 0,226 -180,190 -286,90"
            )
        )
        sheet.line(opened("318,-46 294,4 306,62"))
        sparkle(sheet, opened("-140,-142 -60,-174 40,-178"))
        for x, y in (
            (120, -110),
            (170, -60),
            (90, -50),
            (210, 0),
            (150, 30),
            (230, -70),
            (40, -110),
        ):
            sheet.dot(x, y, 4.5)
        sheet.shape(closed("-346,22 -350,-8 -326,-20 -304,4 -322,28"))
    veined_leaf(sheet, (-236, 34), (-360, -250), 130, 20, 4)
    with sheet.group(), sheet.at(-130, 150):
        _citrus_slice(sheet, 226, 9)


def orange(sheet: Sheet) -> None:
    """An orange with a leaf, and a half of one before it."""
    with sheet.group(), sheet.at(90, -70):
        sheet.shape(
            closed(
                "0,-276 150,-240 262,-120 282,20 226,172 110,262 -30,276 "
                "-180,222 -268,96 -280,-60 -206,-200"
            )
        )
        sheet.shape(closed("-30,-236 -6,-256 24,-252 36,-230 10,-212 -22,-216"))
        for x, y in (
            (150, -150),
            (196, -90),
            (120, -80),
            (230, -20),
            (170, 0),
            (214, 70),
            (100, -190),
            (70, -120),
        ):
            sheet.dot(x, y, 4.5)
    veined_leaf(sheet, (92, -304), (-176, -356), 130, 40, 4)
    with sheet.group(), sheet.at(-110, 100):
        _citrus_slice(sheet, 270, 10)


def _citrus_slice(sheet: Sheet, radius: float, count: int) -> None:
    """A cut fruit seen from above: rind, pith, rounded segments with a few cells each."""
    sheet.shape(ellipse(0, 0, radius))
    sheet.shape(ellipse(0, 0, radius * 0.89))
    far = radius * 0.82
    slope = math.tan(math.radians(180 / count))
    wide = far * 0.86 * slope - 9
    segment = closed(
        f"{radius * 0.2},0 {radius * 0.32},{-radius * 0.32 * slope + 9} "
        f"{far * 0.82},{-far * 0.82 * slope + 9} "
        f"{far * 0.93},{-wide * 0.9} {far * 0.985},{-wide * 0.5} {far},0 "
        f"{far * 0.985},{wide * 0.5} "
        f"{far * 0.93},{wide * 0.9} {far * 0.82},{far * 0.82 * slope - 9} "
        f"{radius * 0.32},{radius * 0.32 * slope - 9}"
    )
    for index in range(count):
        with sheet.at(turn=index * 360 / count + 9):
            sheet.shape(segment)
            for start, end, y in ((0.5, 0.64, 0.10), (0.62, 0.80, -0.22), (0.7, 0.84, 0.36)):
                drop = y * wide
                sheet.stroke(opened(f"{far * start},{drop * 0.7} {far * end},{drop}"), "start", 4)


def pear(sheet: Sheet) -> None:
    """A pear with stem and leaf."""
    with sheet.group():
        sheet.shape(
            closed(
                "10,-262 84,-236 116,-150 142,-40 222,70 262,190 214,330 92,386 10,376 -70,386 "
                "-200,334 -252,190 -206,66 -124,-40 -94,-150 -64,-236"
            )
        )
        sheet.shape(band(opened("10,-238 2,-320 44,-412"), (22, 18, 34), "round", count=9))
        sheet.stroke(opened("-34,-242 -10,-226 30,-226 52,-242"), "both")
        sparkle(sheet, opened("-152,110 -186,190 -160,270"))
        sparkle(sheet, opened("-66,-130 -74,-90 -92,-50"))
        for x, y in (
            (110, 130),
            (150, 190),
            (90, 220),
            (160, 270),
            (60, 150),
            (110, 310),
            (40, 280),
            (70, 60),
        ):
            sheet.dot(x, y, 4.5)
    veined_leaf(sheet, (14, -330), (268, -330), 128, 40, 4)


def pineapple(sheet: Sheet) -> None:
    """A pineapple: scales and a crown of leaves."""
    body = closed(
        "0,-120 120,-108 196,-20 222,110 206,260 130,370 0,396 -130,370 "
        "-206,260 -222,110 -196,-20 -120,-108"
    )
    crown = (
        (-60, -90, -250, -200, 66, -26),
        (60, -90, 250, -200, 66, 26),
        (-50, -110, -262, -296, 70, -30),
        (50, -110, 262, -296, 70, 30),
        (-36, -120, -196, -400, 78, -24),
        (36, -120, 196, -400, 78, 24),
        (-20, -120, -92, -462, 84, -12),
        (20, -120, 92, -462, 84, 12),
        (0, -120, 0, -490, 92, 0),
        (-70, -96, -150, -290, 76, -16),
        (70, -96, 150, -290, 76, 16),
        (-30, -100, -66, -330, 84, -6),
        (30, -100, 66, -330, 84, 6),
        (0, -96, 0, -270, 86, 0),
    )
    with sheet.group():
        for x, y, tx, ty, width, bend in crown:
            sheet.shape(leaf((x, y), (tx, ty), width, bend))
    with sheet.group(), sheet.inside(body):
        for step in range(-4, 7):
            y = step * 124 - 160
            sheet.line(opened(f"-240,{y} -90,{y + 128} 90,{y + 292} 240,{y + 440}"))
            sheet.line(opened(f"240,{y} 90,{y + 128} -90,{y + 292} -240,{y + 440}"))
        for column in range(-2, 3):
            for row in range(-1, 4):
                x, y = column * 68, row * 124 + (112 if column % 2 == 0 else 50)
                sheet.stroke(opened(f"{x - 14},{y + 10} {x},{y - 6} {x + 14},{y + 10}"), "both", 4)


def watermelon(sheet: Sheet) -> None:
    """A watermelon with its stripes, and a slice of it before it."""
    with sheet.group(), sheet.at(60, -90, 1, -8):
        body = ellipse(0, 0, 350, 272)
        with sheet.inside(body):
            for bow, width in ((-194, 50), (-66, 62), (64, 62), (184, 44)):
                left, right = [], []
                for step in range(13):
                    x = -352 + step * 704 / 12
                    middle = bow * math.sqrt(max(0.0, 1 - (x / 352) ** 2))
                    half = width / 2 * math.sqrt(max(0.02, 1 - (x / 352) ** 2)) + (
                        9 if step % 2 else -9
                    )
                    left.append((x, middle - half))
                    right.append((x, middle + half))
                sheet.shape(joined(through(left), through(right[::-1])))
        sheet.shape(closed("340,-22 372,-44 402,-74! 420,-58! 398,-16 352,16"))
    with sheet.group(), sheet.at(-60, 50, 1.05, 6):
        edge, rim = arc(0, 0, 340, 300, (0, 180)), arc(0, 0, 312, 272, (0, 180))
        sheet.shape(joined(edge))
        sheet.shape(joined(rim))
        sheet.shape(joined(arc(0, 0, 284, 244, (0, 180))))
        for x, y, turn in (
            (-170, 60, 40),
            (-76, 62, 14),
            (20, 62, 0),
            (112, 60, -16),
            (196, 54, -40),
            (-112, 140, 26),
            (-10, 150, 4),
            (84, 142, -18),
            (30, 214, 0),
            (-60, 206, 14),
        ):
            with sheet.at(x, y, turn=turn):
                sheet.shape(closed("0,-26! 15,4 9,21 0,25 -9,21 -15,4"), 4.5)
