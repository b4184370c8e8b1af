"""Vegetables of the starter set but for roots and bulbs."""

from __future__ import annotations

import math

from truehue.core.sketches.starter.curves import closed, opened
from truehue.core.sketches.starter.outlines import band, box, ellipse, leaf, scalloped
from truehue.core.sketches.starter.parts import lobed_leaf, sparkle
from truehue.core.sketches.starter.sheet import Sheet


def asparagus(sheet: Sheet) -> None:
    """Five spears in a bundle, tied with a band."""

    def spear(height: float) -> None:
        sheet.shape(
            closed(
                f"-48,330! -50,60 -58,{-height + 230} -52,{-height + 120} 0,{-height - 10}! "
                f"52,{-height + 120} 58,{-height + 230} 50,60 48,330!"
            )
        )
        bud = closed("-21,56! -26,0 0,-74! 26,0 21,56! 0,70")
        for x, y, turn in (
            (0, 44, 0),
            (-24, 84, -7),
            (24, 96, 7),
            (0, 128, 0),
            (-36, 158, -5),
            (36, 176, 5),
            (0, 206, 0),
        ):
            sheet.shape(bud.turned(turn).moved(x, y - height))
        for x, y in ((-13, 330), (4, 430)):
            sheet.shape(bud.scaled(0.8).moved(x, y - height))

    for x, turn, height, foot in ((-92, -13, 350, 0), (92, 13, 336, 0), (0, 0, 410, 14)):
        with sheet.group(), sheet.at(x, foot, turn=turn):
            spear(height)
    with sheet.group():
        sheet.shape(closed("-150,166! 0,200 150,166! 156,246! 0,284 -156,246!"))
        sheet.line(opened("-153,206 0,242 153,206"))


def bell_pepper(sheet: Sheet) -> None:
    """A bell pepper of three lobes."""
    with sheet.group():
        sheet.shape(
            closed(
                "0,-206 84,-262 208,-252 296,-150 300,10 250,190 196,308 "
                "120,352 52,318 0,334 -58,318 "
                "-124,350 -200,306 -258,180 -300,10 -296,-150 -210,-252 -84,-262"
            )
        )
        sheet.line(opened("-70,-204 -128,-100 -128,80 -52,319"))
        sheet.line(opened("66,-204 130,-100 124,90 48,319"))
        sheet.stroke(opened("-70,-204 -100,-226 -136,-222"))
        sheet.stroke(opened("66,-204 98,-226 136,-222"))
        sparkle(sheet, opened("-246,-120 -258,-20 -238,90"))
        sparkle(sheet, opened("186,-176 214,-140 222,-80"))
    with sheet.group():
        sheet.shape(
            closed(
                "-92,-206 -70,-244 -26,-250 -30,-310 -62,-372! -20,-398 22,-388! 34,-320 "
                "36,-250 76,-244 94,-206 58,-196 40,-176 2,-190 -36,-176 -58,-198"
            )
        )
        sheet.line(opened("-62,-372 -30,-366 22,-388"))
        sheet.stroke(opened("4,-350 8,-300 2,-250"))


def broccoli(sheet: Sheet) -> None:
    """A head of broccoli on its stalk."""
    with sheet.group():
        sheet.shape(
            closed(
                "-96,-20! -84,120 -108,260 -118,340! -60,372 10,380 90,366 "
                "116,340! 100,250 92,130 150,20! 60,-20"
            )
        )
        sheet.shape(closed("-200,-10! -160,60 -100,120 -90,200! -52,190 -40,110 -20,20!"))
        sheet.shape(closed("212,0! 180,70 120,120 84,210! 44,190 40,110 24,20!"))
        sheet.line(opened("-117,336 -60,310 10,306 90,316 115,336"))
        sheet.stroke(opened("-10,290 -4,200 -10,130"), "both")
        sheet.stroke(opened("48,296 40,240 46,190"), "both")
        sheet.stroke(opened("-64,290 -58,250 -62,214"), "both")
    with sheet.group():
        for x, y, radius, bumps, turn in (
            (-130, -200, 132, 11, 0),
            (130, -206, 136, 11, 15),
            (0, -276, 140, 11, 30),
            (-246, -80, 116, 10, 10),
            (250, -84, 116, 10, 25),
            (-106, -44, 124, 10, 40),
            (112, -46, 122, 10, 5),
            (2, -130, 116, 10, 20),
        ):
            with sheet.at(x, y, turn=turn):
                sheet.shape(
                    scalloped(ellipse(0, 0, radius * 0.9, radius * 0.82), bumps, radius * 0.17)
                )
            for px, py in ((-0.3, -0.3), (0.22, -0.32), (0.02, 0.02), (-0.34, 0.14)):
                with sheet.at(x + px * radius, y + py * radius, radius / 120):
                    sheet.stroke(opened("-22,6 -12,-12 4,-12 12,4 20,-6 32,-2"), "both", 4)


def corn(sheet: Sheet) -> None:
    """An ear of corn in its husk."""
    cob = closed(
        "0,-430 60,-408 110,-310 136,-160 140,40 120,240 0,330 -120,240 "
        "-140,40 -136,-160 -110,-310 -60,-408"
    )
    with sheet.group():
        with sheet.inside(cob):
            for column in (-2, 2, -1, 1, 0):
                for row in range(10):
                    y = -420 + row * 76 + (38 if column % 2 else 0)
                    squeeze = math.sqrt(max(0.12, 1 - ((y + 120) / 330) ** 2)) if y < -120 else 1
                    x = math.sin(column * 0.58) * 132 * squeeze
                    wide = math.cos(column * 0.5) * 38 * squeeze
                    sheet.shape(box(x - wide, y - 37, 2 * wide, 74, 22))
        for mirror in (False, True):
            with sheet.at(mirror=mirror):
                sheet.shape(
                    closed(
                        "10,400! 120,330 206,160 236,-40 330,-180! 340,-20 300,170 210,320 60,420!"
                    )
                )
                sheet.stroke(opened("60,390 190,260 262,60 318,-130"))
        sheet.shape(
            closed("-10,420! -100,330 -176,180 -190,20 -150,-140! -110,10 -50,140 20,230 60,420!")
        )
        sheet.stroke(opened("10,400 -60,300 -130,140 -146,-40"))
        sheet.shape(closed("0,424! 80,330 150,200 172,60 150,-80! 110,50 40,150 -20,240 -40,424!"))
        sheet.stroke(opened("0,400 30,290 110,150 144,10"))
        sheet.shape(closed("-46,404! 0,392 50,404! 42,470! 0,482 -38,470!"))


def cucumber(sheet: Sheet) -> None:
    """A cucumber and three slices of it."""
    with sheet.group(), sheet.at(20, -90, 1, -28):
        sheet.shape(
            closed(
                "-420,0 -396,-72 -300,-112 -100,-134 100,-134 300,-112 396,-72 424,0 396,66 "
                "300,98 100,114 -100,114 -300,98 -396,66"
            )
        )
        for y, start, end in ((-84, -320, 250), (-30, -370, 330), (26, -340, 360), (76, -290, 240)):
            middle = (start + end) / 2
            sheet.stroke(
                opened(f"{start},{y * 0.86} {middle - 60},{y * 1.05} {end * 0.3},{y * 1.05}"),
                "both",
            )
            sheet.stroke(opened(f"{end * 0.3 + 50},{y * 1.04} {end},{y * 0.9}"), "both")
        sheet.shape(closed("404,-30! 440,-32 474,-46! 484,-4! 448,10 410,22! 426,-2"))
    for x, y in ((250, 170), (60, 232), (-146, 214)):
        with sheet.group(), sheet.at(x, y):
            sheet.shape(ellipse(12, 8, 142, 140))
            sheet.shape(ellipse(0, 0, 142, 140))
            sheet.shape(ellipse(0, 0, 122, 120))
            for index in range(9):
                with sheet.at(turn=index * 40 + x):
                    sheet.shape(closed("44,0! 62,-13 82,0 62,13"), 4)


def eggplant(sheet: Sheet) -> None:
    """An eggplant with its calyx."""
    with sheet.group(), sheet.at(turn=28):
        sheet.shape(
            closed(
                "0,-250 90,-226 128,-120 176,30 222,180 190,330 80,406 -50,404 -166,330 "
                "-206,190 -170,30 -128,-110 -92,-220"
            )
        )
        sparkle(sheet, opened("-130,60 -160,170 -140,270"))
        sparkle(sheet, opened("-118,312 -96,338 -66,354"))
        sheet.shape(
            closed(
                "-96,-248 -40,-290 40,-290 98,-248 136,-170 150,-70! 96,-110 70,-150! 50,-80 "
                "6,-20! -30,-90 -46,-156! -84,-110 -150,-76! -136,-170"
            )
        )
        sheet.line(opened("-18,-256 -56,-200 -84,-112"))
        sheet.line(opened("22,-256 62,-200 96,-112"))
        sheet.stroke(opened("-50,-256 -90,-220 -116,-150"))
        sheet.stroke(opened("0,-240 4,-160 6,-80"))
        sheet.stroke(opened("50,-256 90,-220 118,-150"))
        sheet.shape(
            closed("-36,-262! -38,-330 -64,-400! -30,-430 26,-426! 28,-340 44,-262! 0,-242")
        )
        sheet.line(opened("-64,-400 -26,-396 26,-426"))


def pea(sheet: Sheet) -> None:
    """An open pod with its peas, and one that is closed."""
    with sheet.group(), sheet.at(40, -120, 1, -22):
        sheet.shape(
            closed("-400,-20! -250,-92 0,-116 250,-92 400,-34 462,-40! 424,0 250,70 0,96 -250,70")
        )
        for x in (-240, -130, -14, 102, 214):
            sheet.stroke(opened(f"{x - 30},-38 {x},-56 {x + 34},-44 {x + 48},-20"), "both")
        sheet.line(opened("-400,-20 -250,40 0,62 250,38 440,-30"))
        sheet.shape(band(opened("-400,-18 -470,-30 -520,-6"), (22, 20, 26), "round"))
        _calyx(sheet, -424, -20)
    with sheet.group(), sheet.at(-20, 130, 1.05, -16):
        sheet.shape(
            closed(
                "-400,0! -260,-100 0,-136 260,-104 404,-16 470,-30! 412,30 260,104 0,140 -260,104"
            )
        )
        for x, radius in ((-246, 60), (246, 58), (-130, 72), (134, 72), (0, 80)):
            sheet.shape(ellipse(x, 0, radius))
            sparkle(
                sheet,
                opened(
                    f"{x - radius * 0.6},{-radius * 0.1} {x - radius * 0.46},{-radius * 0.44} "
                    f"{x - radius * 0.1},{-radius * 0.62}"
                ),
            )
        sheet.shape(closed("-400,0! -260,44 0,62 260,44 470,-30! 412,30 270,106 0,146 -270,108"))
        sheet.shape(band(opened("-400,0 -474,-4 -528,24"), (22, 20, 26), "round"))
        _calyx(sheet, -424, 0)


def _calyx(sheet: Sheet, x: float, y: float) -> None:
    """The green cap at the foot of a pod, its tips along the pod."""
    with sheet.at(x, y):
        sheet.shape(closed("-26,0 -10,-36 40,-50 120,-58! 84,-28 70,0! 84,28 120,58! 40,50 -10,36"))
        sheet.stroke(opened("-10,0 30,-2 66,0"))


def pumpkin(sheet: Sheet) -> None:
    """A ribbed pumpkin with its stalk and a leaf."""
    with sheet.group():
        for x, rx, ry in (
            (-250, 130, 212),
            (250, 130, 212),
            (-146, 150, 244),
            (146, 150, 244),
            (0, 130, 262),
        ):
            sheet.shape(
                closed(
                    f"{x},{60 - ry} {x + rx * 0.72},{60 - ry * 0.74} {x + rx},{60 - ry * 0.1} "
                    f"{x + rx * 0.76},{60 + ry * 0.72} {x},{60 + ry} "
                    f"{x - rx * 0.76},{60 + ry * 0.72} {x - rx},{60 - ry * 0.1} "
                    f"{x - rx * 0.72},{60 - ry * 0.74}"
                )
            )
        sparkle(sheet, opened("-324,-20 -342,60 -318,140"))
        sparkle(sheet, opened("-84,-110 -98,-40 -96,40"))
        sheet.shape(
            closed(
                "-66,-184! -48,-210 -38,-280 -90,-360! -40,-396 6,-376! 44,-290 58,-206 "
                "74,-184! 50,-190 34,-160! 6,-184 -24,-160! -44,-186"
            )
        )
        sheet.line(opened("-90,-360 -48,-352 6,-376"))
        sheet.stroke(opened("-34,-340 6,-280 6,-200"))
        sheet.line(
            opened(
                "70,-200 130,-270 210,-290 230,-250 190,-232 180,-270 250,-320 310,-296 340,-250"
            )
        )
    with sheet.at(-150, -176, 0.78, -10):
        lobed_leaf(sheet)


def tomato(sheet: Sheet) -> None:
    """A tomato with its sepals."""
    with sheet.group():
        sheet.shape(
            closed(
                "0,-216 110,-250 250,-212 336,-90 334,70 250,214 110,284 0,280 -110,284 "
                "-250,214 -334,70 -336,-90 -250,-212 -110,-250"
            )
        )
        sparkle(sheet, opened("-260,-90 -282,10 -250,110"))
        sparkle(sheet, opened("-232,142 -216,170 -190,194"))
        sheet.stroke(opened("-170,-206 -200,-190 -216,-160"), "both")
        sheet.stroke(opened("170,-206 206,-186 222,-150"), "both")
    with sheet.group():
        for tip, width, bend in (
            ((-250, -262), 70, -26),
            ((250, -268), 70, 26),
            ((-206, -120), 84, -28),
            ((206, -124), 84, 28),
            ((-84, -44), 88, -14),
            ((96, -50), 88, 16),
        ):
            x, y = tip
            sheet.shape(leaf((x * 0.02, -218), tip, width, bend))
            start, end = (f"{x * share},{-218 + (y + 218) * share}" for share in (0.3, 0.62))
            sheet.stroke(opened(f"{start} {end}"), width=4)
        sheet.shape(closed("-44,-222 -20,-244 20,-244 46,-222 20,-202 -20,-202"))
        sheet.shape(band(opened("2,-218 -2,-290 40,-366"), (26, 22, 34), "round", count=9))
