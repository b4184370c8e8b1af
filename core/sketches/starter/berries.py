"""Small fruits of the starter set, among its fruits."""

from __future__ import annotations

from truehue.core.sketches.starter.curves import closed, opened
from truehue.core.sketches.starter.outlines import arc, band, ellipse, leaf
from truehue.core.sketches.starter.parts import lobed_leaf, sparkle, veined_leaf
from truehue.core.sketches.starter.sheet import Sheet


def cherry(sheet: Sheet) -> None:
    """Two cherries on one stalk, with a leaf."""
    heart = "0,-132 64,-152 138,-120 160,-10 112,112 0,158 -112,112 -160,-10 -138,-120 -64,-152"
    stalks = (
        opened("-128,60 -112,-80 -50,-230 62,-348"),
        opened("140,94 142,-60 112,-220 62,-348"),
    )
    for (x, y, turn), stalk in zip(((-136, 168, 5), (150, 204, -7)), stalks, strict=True):
        with sheet.group():
            with sheet.at(x, y, turn=turn):
                sheet.shape(closed(heart))
                sheet.stroke(opened("-60,-98 -24,-76 24,-76 60,-98"), "both")
                sparkle(sheet, opened("-112,-64 -128,0 -106,62"))
            sheet.shape(band(stalk, (17, 13, 15), count=11))
    with sheet.group():
        sheet.shape(closed("28,-344! 40,-372! 70,-378 104,-366! 98,-330! 64,-320"))
    veined_leaf(sheet, (46, -350), (-296, -262), 150, 40, 4)


def grape(sheet: Sheet) -> None:
    """A bunch of grapes below a vine leaf."""
    with sheet.group():
        sheet.shape(band(opened("0,-170 6,-280 -26,-372"), (26, 22, 34), "round", count=9))
        sheet.line(
            opened("10,-292 90,-340 140,-310 118,-268 92,-290 122,-336 190,-372 250,-350"), 5
        )
    rows = ((4, -120), (5, -36), (4, 48), (3, 132), (2, 212), (1, 290))
    with sheet.group(1.5):
        for number, (count, y) in enumerate(rows):
            for index in _from_outside(count):
                x = (index - (count - 1) / 2) * 106 + (8 if number % 2 else -4)
                radius = 64 + (number * 7 + index * 5) % 5
                sheet.shape(ellipse(x, y + 6 * abs(index - (count - 1) / 2) % 9, radius))
                sparkle(sheet, arc(x, y, radius - 20, radius - 20, (190, 250)))
    with sheet.at(-62, -190, 1.0, -6):
        lobed_leaf(sheet)


def _from_outside(count: int) -> list[int]:
    """0 to ``count`` - 1, those in the middle last."""
    order = [index for pair in zip(range(count), range(count)[::-1], strict=True) for index in pair]
    return list(dict.fromkeys(order))


def strawberry(sheet: Sheet) -> None:
    """A strawberry with its seeds and sepals."""
    with sheet.group():
        sheet.shape(
            closed(
                "0,-214 130,-240 262,-196 310,-80 262,90 150,262 50,366 0,380 -50,366 -150,262 "
                "-262,90 -310,-80 -262,-196 -130,-240"
            )
        )
        for row, (y, xs) in enumerate(
            (
                (-90, (-190, 190)),
                (-40, (-96, 0, 96)),
                (30, (-196, -60, 60, 196)),
                (100, (-124, 0, 124)),
                (176, (-66, 66, 178, -178)),
                (244, (0, -104, 104)),
                (312, (-44, 44)),
            )
        ):
            for x in xs:
                with sheet.at(x, y + (row % 2) * 4, turn=-x * 0.06):
                    sheet.shape(closed("0,-22! 13,0 9,16 0,20 -9,16 -13,0"), 4.5)
    with sheet.group():
        for tip, base, width, bend in (
            ((-300, -250), -60, 84, -30),
            ((300, -250), 60, 84, 30),
            ((-236, -120), -70, 92, 20),
            ((236, -120), 70, 92, -20),
            ((-118, -76), -40, 96, 10),
            ((118, -76), 40, 96, -10),
            ((0, -62), 0, 96, 0),
        ):
            sheet.shape(leaf((base, -262), tip, width, bend))
            x, y = tip
            sheet.stroke(
                opened(
                    f"{base * 0.66 + x * 0.34},{-262 * 0.66 + y * 0.34} "
                    f"{x * 0.62 + base * 0.38},{y * 0.62 - 262 * 0.38}"
                ),
                width=4,
            )
        sheet.shape(closed("-84,-262 -50,-292 0,-300 50,-292 84,-262 46,-238 0,-230 -46,-238"))
        sheet.shape(band(opened("0,-262 6,-330 44,-396"), (28, 22, 34), "round", count=9))
