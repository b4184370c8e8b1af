"""Buildings of the starter set but for castles and monuments."""

from __future__ import annotations

import math
from itertools import pairwise

from truehue.core.sketches.starter.curves import closed, joined, opened
from truehue.core.sketches.starter.outlines import arc, box, ellipse
from truehue.core.sketches.starter.scenery import bush, cloud, pine, sun, tree
from truehue.core.sketches.starter.sheet import Sheet
from truehue.core.sketches.starter.walls import arched, window


def cabin(sheet: Sheet) -> None:
    """A log cabin with a chimney between pines."""
    pine(sheet, -360, 330, 400)
    pine(sheet, 390, 330, 330)
    with sheet.group():
        sheet.shape(closed("150,-190! 150,-350! 236,-350! 236,-120!"))
        sheet.shape(box(138, -372, 110, 34))
        for y in (-300, -252, -206):
            sheet.line(opened(f"150,{y} 236,{y}"), 4)
        sheet.line(opened("190,-300 190,-252"), 4)
    with sheet.group(1):
        sheet.shape(
            closed(
                "196,-384! 170,-420 200,-450 250,-446 256,-480 310,-490 340,-460 "
                "320,-430 270,-424 240,-410 214,-384!"
            )
        )
    with sheet.group():
        for row in range(6):
            y = -70 + row * 66
            sheet.shape(box(-290, y, 580, 66, 10))
            for x in (-290, 290):
                sheet.shape(ellipse(x, y + 33, 33))
                sheet.line(ellipse(x, y + 33, 16), 4)
        sheet.shape(closed("0,-330! -270,-70! 270,-70!"))
        for y in (-136, -204, -270):
            half = (y + 330) * 270 / 260
            sheet.line(opened(f"{-half},{y} {half},{y}"))
        sheet.shape(ellipse(0, -166, 52))
        sheet.line(opened("-52,-166 52,-166"), 4)
        sheet.line(opened("0,-218 0,-114"), 4)
        for side in (-1, 1):
            sheet.shape(closed(f"0,-366! {side * 372},-20! {side * 336},24! 0,-288!"))
        sheet.shape(box(-76, 96, 152, 230))
        for x in (-26, 24):
            sheet.line(opened(f"{x},96 {x},326"), 4)
        sheet.shape(ellipse(50, 216, 10))
        for x in (-232, 120):
            window(sheet, x, 44, 112, 116)
        sheet.shape(closed("-110,326! 110,326! 140,366! -140,366!"))
    with sheet.group():
        sheet.shape(closed("-450,366! 450,366! 430,410 200,400 0,420 -220,402 -430,412"))
    bush(sheet, -250, 376, 0.7)
    bush(sheet, 262, 376, 0.8)


def church(sheet: Sheet) -> None:
    """A church with a steeple."""
    tree(sheet, -370, 380, 300)
    tree(sheet, 380, 380, 260)
    with sheet.group():
        for side in (-1, 1):
            sheet.shape(
                closed(f"{side * 130},380! {side * 130},30! {side * 290},130! {side * 290},380!")
            )
            arched(sheet, side * 212, 300, 66, 140)
            sheet.shape(
                closed(f"{side * 120},-16! {side * 120},42! {side * 310},160! {side * 310},104!")
            )
        sheet.shape(box(-140, -60, 280, 440))
        sheet.shape(closed("-170,-50! 0,-190! 170,-50!"))
    with sheet.group():
        sheet.shape(box(-74, -250, 148, 170))
        sheet.shape(closed("-100,-240! 0,-440! 100,-240!"))
        sheet.shape(box(-108, -250, 216, 22, 4))
        arched(sheet, 0, -108, 68, 108, bars=False)
        sheet.shape(closed("-30,-128! -26,-160 0,-184 26,-160 30,-128!"))
        sheet.dot(0, -122, 7)
        cross = (
            "-10,-440! -10,-492! -36,-492! -36,-514! -10,-514! -10,-542! 10,-542! "
            "10,-514! 36,-514! 36,-492! 10,-492! 10,-440!"
        )
        sheet.shape(closed(cross))
        sheet.shape(box(-160, -86, 320, 26, 4))
    with sheet.group(1):
        sheet.shape(ellipse(0, 36, 78))
        for index in range(8):
            with sheet.at(0, 36, 1, index * 45):
                sheet.shape(closed("0,-26! -22,-48 0,-70 22,-48"), 4)
        sheet.shape(ellipse(0, 36, 22))
        sheet.shape(
            joined(
                opened("-80,380 -80,250"), arc(0, 250, 80, 80, (180, 360)), opened("80,250 80,380")
            )
        )
        sheet.line(
            joined(
                opened("-62,380 -62,250"),
                arc(0, 250, 62, 62, (180, 360)),
                opened("62,250 62,380"),
                closed=False,
            )
        )
        sheet.line(opened("0,188 0,380"))
        sheet.shape(ellipse(-14, 306, 7), 4)
        sheet.shape(ellipse(14, 306, 7), 4)
    with sheet.group():
        sheet.shape(box(-110, 376, 220, 20))
        sheet.shape(box(-140, 394, 280, 22))
    with sheet.group():
        sheet.shape(
            closed(
                "-460,404 -300,380 -142,388! -142,416! 142,416! 142,388! 300,380 "
                "460,404 440,440 0,450 -440,440"
            )
        )


def factory(sheet: Sheet) -> None:
    """A factory with a saw-tooth roof and chimneys that smoke."""
    for x, top in ((-300, -190), (-190, -250)):
        with sheet.group(1):
            sheet.shape(
                closed(
                    f"{x},{top}! {x - 40},{top - 40} {x - 10},{top - 80} {x + 20},{top - 76}! "
                    f"{x + 30},{top - 130} {x + 100},{top - 140} {x + 120},{top - 100}! "
                    f"{x + 170},{top - 110} {x + 190},{top - 60} {x + 150},{top - 36}! "
                    f"{x + 90},{top - 40} {x + 60},{top - 20} {x + 36},{top}!"
                )
            )
        with sheet.group():
            sheet.shape(closed(f"{x - 34},180! {x - 22},{top}! {x + 44},{top}! {x + 56},180!"))
            sheet.shape(box(x - 34, top - 12, 90, 30, 5))
            sheet.line(opened(f"{x - 27},{top + 60} {x + 49},{top + 60}"))
            sheet.line(opened(f"{x - 28},{top + 104} {x + 50},{top + 104}"))
    with sheet.group():
        for x in (-120, 60, 240):
            sheet.shape(closed(f"{x},120! {x},-60! {x + 180},50! {x + 180},120!"))
            with sheet.inside(closed(f"{x + 22},86! {x + 22},-12! {x + 148},64! {x + 148},86!")):
                sheet.line(opened(f"{x + 64},-40 {x + 64},100"), 4)
                sheet.line(opened(f"{x + 106},-40 {x + 106},100"), 4)
        sheet.shape(box(-400, 100, 820, 280))
        sheet.shape(box(-412, 88, 844, 26, 4))
        for x in (-360, -240, 190, 310):
            window(sheet, x, 160, 84, 76)
        sheet.shape(box(-90, 190, 210, 190))
        for y in (228, 266, 304, 342):
            sheet.line(opened(f"-90,{y} 120,{y}"))
        sheet.shape(box(-108, 162, 246, 30, 4))
        sheet.shape(box(-350, 290, 96, 90))
        sheet.line(opened("-302,290 -302,380"), 4)
        sheet.shape(box(218, 296, 150, 84, 8))
        sheet.line(opened("218,324 368,324"), 4)
    with sheet.group():
        sheet.shape(box(-440, 376, 900, 26, 8))


def farm(sheet: Sheet) -> None:
    """A barn with a silo, a fence and a field."""
    sun(sheet, -300, -330, 56)
    cloud(sheet, 130, -370, 0.9)
    with sheet.group():
        sheet.shape(
            closed("-450,210! -300,120 -100,130 100,150 300,110 450,190! 450,420! -450,420!")
        )
        for x in (-400, -330):
            sheet.stroke(opened(f"{x + 110},150 {x + 40},180 {x},260"), "both")
    with sheet.group():
        silo = joined(
            opened("180,260 180,-130"),
            arc(260, -130, 80, 92, (180, 360)),
            opened("340,-130 340,260"),
        )
        with sheet.inside(silo):
            sheet.line(arc(260, -130, 80, 18, (0, 180)))
            for y in (-60, 20, 100, 180):
                sheet.line(arc(260, y, 80, 18, (0, 180)))
            sheet.line(opened("260,-222 240,-180 236,-112"), 4)
            sheet.line(opened("260,-222 282,-180 286,-112"), 4)
    with sheet.group():
        sheet.shape(closed("-270,280! -270,0! -210,-140! -50,-240! 110,-140! 170,0! 170,280!"))
        sheet.shape(
            closed(
                "-50,-282! 140,-164! 214,8! 178,24! 112,-128! -50,-232! "
                "-212,-128! -278,24! -314,8! -240,-164!"
            )
        )
        sheet.shape(closed("-96,-70! -96,-150! -4,-150! -4,-70!"))
        sheet.line(opened("-96,-70 -4,-150"))
        sheet.line(opened("-96,-150 -4,-70"))
        sheet.shape(box(-150, 50, 200, 230))
        for x in (-150, -50):
            sheet.shape(box(x, 50, 100, 230))
            sheet.line(closed(f"{x + 14},64! {x + 86},64! {x + 86},266! {x + 14},266!"), 4)
            sheet.line(opened(f"{x + 14},64 {x + 86},266"))
            sheet.line(opened(f"{x + 86},64 {x + 14},266"))
        for x in (-240, 78):
            window(sheet, x, 70, 62, 76)
    with sheet.group():
        for y in (268, 316):
            sheet.shape(closed(f"-460,{y}! -180,{y + 6}! -180,{y + 28}! -460,{y + 22}!"))
            sheet.shape(closed(f"80,{y + 6}! 460,{y - 4}! 460,{y + 18}! 80,{y + 28}!"))
        for x in (-440, -350, -260, -190, 90, 180, 270, 360, 440):
            sheet.shape(closed(f"{x - 15},376! {x - 15},252! {x},232! {x + 15},252! {x + 15},376!"))
    with sheet.group():
        sheet.shape(closed("-140,290! 50,290! 110,420! -200,420!"))
        sheet.stroke(opened("-90,310 -100,350 -120,400"), "both")
        sheet.stroke(opened("0,310 10,350 30,400"), "both")


def hospital(sheet: Sheet) -> None:
    """A hospital with a cross above its door."""
    with sheet.group():
        for side in (-1, 1):
            sheet.shape(box(170 if side > 0 else -430, -90, 260, 450))
            sheet.shape(box(156 if side > 0 else -444, -116, 288, 30, 4))
            for x in (206, 322):
                for y in (-50, 90, 230):
                    left = x if side > 0 else -x - 76
                    sheet.shape(box(left, y, 76, 84))
                    sheet.line(opened(f"{left + 38},{y} {left + 38},{y + 84}"), 4)
    with sheet.group():
        sheet.shape(box(-190, -260, 380, 620))
        sheet.shape(box(-210, -290, 420, 36, 4))
        sheet.shape(box(-120, -390, 240, 100))
        sheet.shape(box(-90, -420, 180, 30, 4))
        for x in (-150, -38, 74):
            sheet.shape(box(x, -40, 76, 96))
            sheet.line(opened(f"{x + 38},-40 {x + 38},56"), 4)
        sheet.shape(ellipse(0, -158, 82))
        sheet.shape(
            closed(
                "-20,-212! 20,-212! 20,-178! 54,-178! 54,-138! 20,-138! 20,-104! -20,-104! "
                "-20,-138! -54,-138! -54,-178! -20,-178!"
            )
        )
        for x in (-82, 2):
            sheet.shape(box(x, -366, 80, 54))
        sheet.shape(box(-120, 160, 240, 200))
        for x in (-120, -60, 0, 60):
            sheet.shape(box(x, 160, 60, 200))
        sheet.shape(closed("-166,110! 166,110! 186,160! -186,160!"))
        for x in (-148, 148):
            sheet.shape(box(x - 13, 160, 26, 200))
    with sheet.group():
        sheet.shape(box(-460, 356, 920, 28, 8))
    bush(sheet, -300, 362, 0.84)
    bush(sheet, 306, 362, 0.84)


def igloo(sheet: Sheet) -> None:
    """An igloo of snow blocks."""
    with sheet.group():
        dome = joined(
            arc(-40, 250, 370, 420, (180, 360)), opened("330,250! 330,300! -410,300! -410,250!")
        )

        def place(level: float, turn: float) -> str:
            """A point of the dome seen a little from above: level 0 to 1, turn -1.5 to 1.5."""
            flat = math.sqrt(1 - level * level)
            x, y = -40 + 370 * flat * math.sin(turn), 236 - 406 * level + 46 * flat * math.cos(turn)
            return f"{x:.1f},{y:.1f}"

        with sheet.inside(dome):
            levels = (-0.02, 0.22, 0.44, 0.64, 0.81, 0.935)
            for row, (low, high) in enumerate(pairwise(levels)):
                sheet.line(opened(" ".join(place(high, turn / 4) for turn in range(-7, 8))))
                step = 0.5 + 0.07 * row
                for index in range(-4, 5):
                    turn = (index + (0.5 if row % 2 else 0)) * step
                    if abs(turn) < 1.5:
                        sheet.line(
                            opened(
                                f"{place(low, turn)} "
                                f"{place((low + high) / 2, turn)} "
                                f"{place(high, turn)}"
                            )
                        )
    with sheet.group():
        outer = joined(
            opened("90,290 90,120"), arc(240, 120, 150, 150, (180, 360)), opened("390,120 390,290")
        )
        side = closed("60,280! 40,120 100,-20 220,-50! 240,-30! 390,120! 390,290! 90,290!")
        sheet.shape(side)
        sheet.shape(outer)
        for angle in (198, 234, 270, 306, 342):
            c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            sheet.line(opened(f"{240 + 98 * c},{120 + 98 * s} {240 + 150 * c},{120 + 150 * s}"))
        for x in (90, 338):
            sheet.line(opened(f"{x},180 {x + 52},180"))
            sheet.line(opened(f"{x},236 {x + 52},236"))
        sheet.shape(
            joined(
                opened("142,290 142,120"),
                arc(240, 120, 98, 98, (180, 360)),
                opened("338,120 338,290"),
            )
        )
        sheet.line(opened("142,262 240,246 338,262"))
    with sheet.group():
        sheet.shape(
            closed(
                "-460,290 -400,246 -250,270 -100,260 90,290! 240,276 390,290! 440,256 480,300 "
                "440,350 200,370 -100,352 -400,366 -450,330"
            )
        )
        for x, y in ((-330, 312), (-180, 318), (40, 326), (300, 326), (400, 300)):
            sheet.stroke(opened(f"{x - 34},{y + 4} {x},{y - 5} {x + 34},{y + 2}"), "both")


def skyscraper(sheet: Sheet) -> None:
    """A tower with setbacks among lower houses."""
    for x, width, top, rows in ((-300, 150, 40, 4), (296, 160, -30, 5)):
        with sheet.group():
            sheet.shape(box(x - width / 2, top, width, 400 - top))
            sheet.shape(box(x - width / 2 - 12, top - 20, width + 24, 28, 4))
            for row in range(rows):
                for column in (-1, 1):
                    sheet.shape(box(x + column * width * 0.22 - 20, top + 40 + row * 72, 40, 42))
    with sheet.group():
        sheet.shape(closed("-10,-470! 0,-560! 10,-470!"))
        sheet.shape(closed("-24,-400! -16,-480! 16,-480! 24,-400!"))
        sheet.shape(closed("-62,-320! -50,-400! 50,-400! 62,-320!"))
        for half, top, bottom in ((92, -330, -220), (132, -230, -60), (174, -70, 400)):
            sheet.shape(box(-half, top, 2 * half, bottom - top))
            sheet.shape(box(-half - 8, top - 14, 2 * half + 16, 22, 3))
        for x in (-46, 0, 46):
            arched(sheet, x, -244, 28, 60, bars=False)
        for x in (-88, -30, 30, 88):
            sheet.shape(box(x - 15, -200, 30, 110))
            sheet.line(opened(f"{x - 15},-146 {x + 15},-146"), 4)
        for x in (-126, -44, 44, 126):
            for y in (-30, 90, 210):
                sheet.shape(box(x - 20, y, 40, 92))
                sheet.line(opened(f"{x - 20},{y + 46} {x + 20},{y + 46}"), 4)
        sheet.shape(box(-60, 324, 120, 76))
        sheet.line(opened("0,324 0,400"))
        sheet.shape(closed("-76,324! -90,300! 90,300! 76,324!"))
    with sheet.group():
        sheet.shape(box(-430, 396, 860, 28, 8))
