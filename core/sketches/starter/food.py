"""Food and drink of the starter set but for what is sweet."""

from __future__ import annotations

from truehue.core.sketches.starter.curves import closed, joined, opened, through
from truehue.core.sketches.starter.outlines import arc, box, ellipse, leaf, scalloped
from truehue.core.sketches.starter.parts import sparkle
from truehue.core.sketches.starter.sheet import Sheet


def bread(sheet: Sheet) -> None:
    """A loaf with two slices cut."""
    slice_ = (
        "-150,190! -160,40 -206,-30 -210,-130 -130,-190 0,-200 130,-190 "
        "210,-130 206,-30 160,40 150,190! 0,196"
    )
    with sheet.group():
        sheet.shape(
            closed(
                "-60,-212 120,-226 300,-222 400,-170 410,-70 370,0 366,120 "
                "340,176! 100,214! -60,200!"
            )
        )
        for x in (130, 220, 306):
            sheet.stroke(opened(f"{x - 50},-206 {x + 20},-180 {x + 40},-120"), "both")
    for x, y in ((10, 20), (-90, 56), (-196, 96)):
        with sheet.group(), sheet.at(x, y):
            sheet.shape(closed(slice_).moved(26, -10))
            sheet.shape(closed(slice_))
            with sheet.at(0, 4, 0.88):
                sheet.shape(closed(slice_))
    with sheet.at(-196, 96):
        for x, y, r in (
            (-80, -60, 9),
            (-20, -110, 7),
            (60, -70, 10),
            (90, -10, 7),
            (-50, 40, 8),
            (30, 60, 9),
            (-90, 110, 7),
            (70, 120, 8),
            (0, -20, 7),
        ):
            sheet.line(ellipse(x, y, r, r * 0.7, 20), 4)


def cheese(sheet: Sheet) -> None:
    """A wedge of cheese with holes."""
    with sheet.group():
        sheet.shape(closed("-400,40! -60,-180 200,-220 330,-160 400,-40! 400,200! -400,260!"))
        front = closed("-400,40! 400,-40! 400,200! -400,260!")
        with sheet.inside(front):
            for x, y, rx, ry in (
                (-250, 140, 54, 48),
                (-70, 60, 42, 38),
                (60, 190, 62, 50),
                (230, 60, 58, 52),
                (320, 180, 36, 32),
                (-390, 200, 44, 40),
                (150, -20, 40, 34),
                (-130, 230, 34, 30),
            ):
                sheet.shape(ellipse(x, y, rx, ry))
                sheet.stroke(arc(x + 2, y + 4, rx * 0.68, ry * 0.68, (190, 300)), "both", 4)
        for x, y, rx, ry in ((-70, -80, 66, 26), (130, -130, 56, 24), (250, -80, 44, 19)):
            sheet.shape(ellipse(x, y, rx, ry, -8))
            sheet.stroke(arc(x, y + 5, rx * 0.72, ry * 0.66, (200, 330)), "both", 4)


def coffee(sheet: Sheet) -> None:
    """A cup of coffee on its saucer, the drink seen from above."""
    with sheet.group():
        sheet.shape(ellipse(0, 250, 400, 104))
        sheet.line(ellipse(0, 236, 330, 74))
        handle = closed(
            "230,-60! 330,-90 400,-20 380,80 300,150 200,160! 210,120! 280,100 "
            "330,50 334,-10 290,-36 226,-20!"
        )
        sheet.shape(handle)
        sheet.shape(
            joined(
                opened("-270,-110 -262,40 -210,170 -130,244 0,262 130,244 210,170 262,40 270,-110"),
                arc(0, -110, 270, 80, (0, 180)),
            )
        )
        sheet.shape(ellipse(0, -110, 270, 84))
        sheet.shape(ellipse(0, -104, 238, 64))
        sheet.line(arc(0, -78, 222, 56, (206, 334)))
        sparkle(sheet, opened("-226,10 -208,100 -168,170"))
    for x, y, size in ((-90, -230, 1.0), (10, -240, 1.16), (100, -230, 0.96)):
        with sheet.group(1), sheet.at(x, y, size):
            sheet.shape(closed("0,20! -40,-40 10,-100 -10,-190! 40,-110 -4,-40"))


def egg(sheet: Sheet) -> None:
    """A fried egg, and a boiled one cut in half."""
    with sheet.group(), sheet.at(-60, -40):
        white = (
            "-300,-60 -220,-200 -90,-210 20,-280 150,-230 190,-130 300,-70 310,60 210,120 190,230 "
            "60,280 -50,220 -170,250 -270,170 -250,60"
        )
        sheet.shape(closed(white))
        with sheet.at(0, 0, 0.9):
            sheet.line(closed(white), 4)
        sheet.shape(ellipse(0, 6, 128, 122))
        sparkle(sheet, arc(0, 6, 92, 88, (190, 260)))
        sparkle(sheet, arc(0, 6, 92, 88, (272, 288)))
    with sheet.group(), sheet.at(240, 200, 1, 24):
        sheet.shape(
            closed("0,-190 90,-140 140,-10 130,90 70,156 0,170 -70,156 -130,90 -140,-10 -90,-140")
        )
        sheet.line(
            closed("0,-170 76,-126 120,-8 112,78 60,136 0,148 -60,136 -112,78 -120,-8 -76,-126"), 4
        )
        sheet.shape(ellipse(0, 34, 74, 76))
        sparkle(sheet, arc(0, 34, 50, 52, (190, 250)))


def hamburger(sheet: Sheet) -> None:
    """A hamburger: bun, lettuce, tomato, cheese, patty."""
    with sheet.group():
        sheet.shape(
            closed(
                "-330,220! 0,236 330,220! 338,270 300,330 200,350 0,354 -200,350 -300,330 -338,270"
            )
        )
    with sheet.group():
        sheet.shape(
            closed(
                "-330,120 -200,108 200,108 330,120 372,150 376,190 340,226 200,240 "
                "-200,240 -340,226 -376,190 -372,150"
            )
        )
        for x, y in ((-260, 190), (-130, 212), (20, 204), (170, 214), (290, 184)):
            sheet.stroke(opened(f"{x - 24},{y} {x},{y - 8} {x + 24},{y + 2}"), "both", 4)
    with sheet.group():
        sheet.shape(
            closed(
                "-372,84! 372,84! 384,110! 250,126! 150,196! 60,130! -110,128! "
                "-210,190! -300,126! -384,108!"
            )
        )
    with sheet.group():
        for x in (-184, 184):
            sheet.shape(box(x - 176, 34, 352, 56, 28))
    with sheet.group():
        edge = [(-376 + index * 47, (46, 16, 52, 14)[index % 4]) for index in range(17)]
        sheet.shape(
            through([(-392, -6), *edge, (392, -6), (330, -50), (0, -60), (-330, -50)], closed=True)
        )
        for x in (-310, -216, -120, -24, 70, 164, 262):
            sheet.stroke(opened(f"{x},-24 {x + 8},-8 {x + 4},10"), "both", 4)
    with sheet.group():
        sheet.shape(
            closed(
                "-350,-30! -370,-110 -310,-230 -170,-306 0,-326 170,-306 310,-230 "
                "370,-110 350,-30! 180,-14 0,-10 -180,-14"
            )
        )
        for x, y, turn in (
            (-190, -190, -30),
            (-80, -250, -14),
            (40, -262, 6),
            (150, -232, 24),
            (240, -170, 40),
            (-120, -160, -16),
            (0, -190, 0),
            (110, -150, 14),
            (-250, -110, -40),
        ):
            with sheet.at(x, y, turn=turn):
                sheet.shape(closed("-22,2! -8,-14 14,-13 24,0 14,13 -8,14"), 4.5)


def milk(sheet: Sheet) -> None:
    """A bottle and a glass of milk."""
    with sheet.group(), sheet.at(-130, 0):
        sheet.shape(
            closed(
                "-74,-330! -74,-240! -86,-190 -140,-110 -166,-20! -166,290! "
                "-156,330 -120,344! 120,344! "
                "156,330 166,290! 166,-20! 140,-110 86,-190 74,-240! 74,-330!"
            )
        )
        sheet.line(
            closed(
                "-50,-196! 0,-186 50,-196! 112,-96 144,-10! 144,286! 138,314 112,324! -112,324! "
                "-138,314 -144,286! -144,-10! -112,-96"
            )
        )
        sheet.shape(box(-90, -390, 180, 66, 16))
        sheet.line(opened("-90,-352 0,-346 90,-352"))
        sheet.shape(closed("-126,40! 0,54 126,40! 126,220! 0,234 -126,220!"))
        sheet.shape(closed("0,80! 44,140 40,184 0,200 -40,184 -44,140"))
        sparkle(sheet, opened("-104,-90 -120,-40 -124,10"))
    with sheet.group(), sheet.at(210, 140):
        sheet.shape(
            closed("-140,-190! -108,176! -98,200 -70,206! 70,206! 98,200 108,176! 140,-190! 0,-160")
        )
        sheet.shape(ellipse(0, -190, 140, 34))
        sheet.line(
            joined(opened("-119,-110! -95,168! -88,184 -66,188! 66,188! 88,184 95,168! 119,-110!"))
        )
        sheet.shape(ellipse(0, -110, 119, 28))
        sparkle(sheet, opened("-80,-40 -72,40 -66,110"))


def pizza(sheet: Sheet) -> None:
    """A pizza with salami, olives, basil; one slice drawn out."""
    with sheet.group(), sheet.at(0, 20):
        whole = joined(
            opened("0,0 194,-314"), arc(0, 0, 370, 370, (-58.2, 270)), opened("0,-370 0,0")
        )
        inner = joined(
            opened("0,0 168,-272"), arc(0, 0, 320, 320, (-58.2, 270)), opened("0,-320 0,0")
        )
        sheet.shape(whole)
        with sheet.inside(inner):
            for angle in (0, 60, 120, 180, 240):
                with sheet.at(turn=angle - 30):
                    sheet.line(opened("0,0 400,0"), 4)
            for x, y, r in (
                (-120, -200, 54),
                (-220, -40, 58),
                (-90, -40, 50),
                (-150, 150, 60),
                (30, 230, 54),
                (74, 104, 52),
                (220, 130, 56),
                (230, -50, 56),
            ):
                sheet.shape(ellipse(x, y, r))
                sheet.line(ellipse(x, y, r * 0.8), 4)
            for x, y in ((-40, -150), (140, 200), (-250, 90), (130, -60), (-50, 130)):
                sheet.shape(ellipse(x, y, 27))
                sheet.shape(ellipse(x, y, 12), 4)
            for x, y, turn in (
                (-30, -250, 30),
                (-160, 50, 100),
                (-30, 300, 60),
                (150, 30, -20),
                (-250, -150, 20),
            ):
                with sheet.at(x, y, turn=turn):
                    sheet.shape(leaf((-40, 0), (40, 0), 40))
                    sheet.stroke(opened("-36,0 24,0"), width=4)
    with sheet.group(), sheet.at(62, -76):
        sheet.shape(
            joined(opened("0,0 0,-370"), arc(0, 0, 370, 370, (-90, -58.2)), opened("194,-314 0,0"))
        )
        with sheet.inside(
            joined(opened("0,0 0,-320"), arc(0, 0, 320, 320, (-90, -58.2)), opened("168,-272 0,0"))
        ):
            sheet.shape(ellipse(78, -240, 50))
            sheet.line(ellipse(78, -240, 40), 4)
            sheet.shape(ellipse(36, -140, 24))
            sheet.shape(ellipse(36, -140, 10), 4)


def sushi(sheet: Sheet) -> None:
    """Two rolls, a salmon nigiri and chopsticks."""
    for x, y in ((-230, 60), (10, 130)):
        with sheet.group(), sheet.at(x, y):
            sheet.shape(joined(arc(0, 0, 190, 84, (180, 360)), arc(0, 190, 190, 84, (0, 180))))
            sheet.shape(ellipse(0, 0, 190, 84))
            sheet.shape(ellipse(0, 0, 166, 70))
            with sheet.inside(closed("-80,-6 -50,-36 10,-40 70,-26 84,8 40,36 -30,38 -72,24")):
                sheet.line(opened("-20,-60 -10,0 -30,60"))
                sheet.line(opened("-14,0 40,-6 100,0"))
            for px, py in (
                (-120, -10),
                (-104, 26),
                (-60, 52),
                (0, 58),
                (60, 50),
                (112, 28),
                (126, -8),
                (96, -40),
                (40, -56),
                (-30, -56),
                (-92, -40),
            ):
                sheet.stroke(opened(f"{px - 9},{py + 2} {px},{py - 4} {px + 9},{py}"), "both", 4)
            sparkle(sheet, opened("-164,80 -160,140 -130,200"))
    with sheet.group(), sheet.at(210, -130):
        rice = scalloped(
            closed("-190,50 -170,10 0,-10 170,10 200,60 180,110 0,130 -180,112"), 17, 12
        )
        sheet.shape(rice)
        for px, py in ((-120, 84), (-60, 98), (10, 92), (80, 98), (140, 80)):
            sheet.stroke(opened(f"{px - 11},{py + 3} {px},{py - 5} {px + 11},{py}"), "both", 4)
        salmon = closed(
            "-236,70 -220,-10 -120,-80 60,-96 200,-50 250,30 236,84 190,70 100,44 -60,40 -180,76"
        )
        with sheet.inside(salmon):
            for bx in (-190, -110, -30, 50, 130, 210):
                sheet.line(opened(f"{bx - 30},100 {bx + 10},20 {bx + 70},-50 {bx + 110},-110"))
    for y in (0, 54):
        with sheet.group(), sheet.at(-110, -250 + y, 1, -14 + y * 0.1):
            sheet.shape(closed("-330,-10! 330,-16! 336,0 330,16! -330,10! -338,0"))
            sheet.line(opened("240,-15 240,15"))
