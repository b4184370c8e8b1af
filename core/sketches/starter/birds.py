"""Birds of the starter set, among its animals."""

from __future__ import annotations

from truehue.core.sketches.starter.curves import closed, opened
from truehue.core.sketches.starter.outlines import band, ellipse
from truehue.core.sketches.starter.parts import eye
from truehue.core.sketches.starter.sheet import Sheet


def bird(sheet: Sheet) -> None:
    """A songbird on a twig."""
    with sheet.group():
        sheet.shape(
            closed("-150,150! -260,240 -400,360! -360,400! -310,388! -270,410! -120,290 -40,200!")
        )
        sheet.line(opened("-360,400 -230,280 -110,200"))
        sheet.line(opened("-310,388 -200,290 -100,220"))
        sheet.shape(band(opened("20,230 24,300 20,340"), (22, 18, 18)))
        sheet.shape(band(opened("90,226 98,300 96,336"), (22, 18, 18)))
        body = closed(
            "130,-330 220,-310 280,-230 284,-130 280,0 210,160 60,252 -110,220 "
            "-200,110 -170,-40 -70,-150 0,-230 50,-300"
        )
        with sheet.inside(body):
            sheet.line(opened("300,-140 236,-120 190,-70 150,20 120,110 40,190 -60,270"))
            sheet.line(opened("60,-340 100,-250 170,-190 300,-170"))
        sheet.shape(closed("266,-268! 330,-248 400,-206! 340,-192 284,-180! 286,-222"))
        sheet.line(opened("400,-206 340,-222 286,-222"))
        eye(sheet, 212, -244, 26, 0.1)
    with sheet.group():
        sheet.shape(
            closed(
                "-20,-120! 60,-90 112,0 100,90 30,150 -90,210 -250,250! "
                "-210,180 -220,90 -180,-10 -110,-90"
            )
        )
        sheet.line(opened("-210,180 -110,150 -20,90 30,40"))
        sheet.line(opened("-196,110 -110,80 -40,30 -10,0"))
        sheet.stroke(opened("-170,200 -60,160 50,80 76,20"))
        sheet.stroke(opened("-150,20 -90,0 -50,-40"), "both")
        for x, y in ((-16, -76), (36, -58), (70, -20), (14, -30)):
            sheet.stroke(opened(f"{x - 22},{y} {x - 4},{y + 18} {x + 20},{y + 4}"), "both", 4)
    with sheet.group():
        sheet.shape(
            closed(
                "-300,372! -100,344 120,350 330,322! 400,336! 336,360 130,392 "
                "-100,386 -290,412! -330,400!"
            )
        )
        for x in (20, 96):
            for dx in (-24, 0, 24):
                sheet.shape(
                    closed(
                        f"{x + dx * 0.6 - 12},334 {x + dx * 0.6 + 12},334 "
                        f"{x + dx + 12},360 {x + dx},374 {x + dx - 12},360"
                    )
                )
        sheet.stroke(opened("150,372 220,366 290,350"), "both")
        sheet.stroke(opened("-230,394 -150,376 -60,372"), "both")
    with sheet.group():
        sheet.shape(closed("250,338! 270,400 330,440 400,440! 390,386 340,346"))
        sheet.stroke(opened("250,338 310,380 370,420"))


def duck(sheet: Sheet) -> None:
    """A duck that swims."""
    with sheet.group():
        body = closed(
            "150,-392 240,-352 284,-262 258,-170 214,-104 222,-20 258,90 230,220 "
            "100,300 -120,310 -270,250 -350,140 "
            "-390,30 -440,-50! -350,-40 -280,10! -180,50 -60,10 40,-50 "
            "76,-120 40,-200 20,-280 60,-360"
        )
        with sheet.inside(body):
            sheet.line(opened("30,-128 130,-84 270,-108"))
            sheet.line(opened("10,-86 120,-42 270,-70"))
            sheet.line(opened("-460,60 -340,70 -270,10"))
        sheet.shape(
            closed("268,-316! 310,-300 370,-282 440,-280 452,-246 410,-222 340,-218 272,-222!")
        )
        sheet.line(opened("282,-262 340,-246 390,-258 446,-258"))
        sheet.stroke(opened("322,-284 338,-276 352,-280"), "both")
        eye(sheet, 190, -304, 31, 0.1)
    with sheet.group():
        sheet.shape(
            closed(
                "80,70! 100,150 40,226 -60,244! -70,216 -120,222 -190,226! "
                "-190,192 -230,182 -310,160! "
                "-280,130 -240,120! -180,60 -60,20 40,30"
            )
        )
        sheet.line(opened("-60,244 0,210 30,160"))
        sheet.line(opened("-190,226 -90,190 -30,130"))
        sheet.line(opened("-240,120 -160,130 -90,100"))
        sheet.stroke(opened("-40,60 0,60 36,84"), "both")
    with sheet.group(), sheet.at(0, 40):
        sheet.shape(
            closed(
                "-470,270! -390,236 -310,270! -230,232 -150,266! -70,232 10,266! "
                "90,232 170,266! 250,230 320,262! "
                "390,236 440,270! 420,330 200,372 -60,380 -320,366 -450,320"
            )
        )
        for x, y in ((-300, 308), (-70, 322), (180, 306), (-170, 346), (60, 350)):
            sheet.stroke(
                opened(f"{x - 70},{y} {x - 24},{y - 12} {x + 24},{y + 4} {x + 70},{y - 6}"), "both"
            )


def owl(sheet: Sheet) -> None:
    """An owl on a branch."""
    with sheet.group():
        sheet.shape(closed("-90,280! -80,380 0,436 80,380 90,280!"))
        for x in (-40, 0, 40):
            sheet.stroke(opened(f"{x},330 {x * 0.9},400"), "both")
    with sheet.group():
        sheet.shape(
            closed("-400,292! -200,270 80,276 400,262! 420,306! 150,326 -140,322 -380,344!")
        )
        sheet.stroke(opened("-330,312 -260,300 -190,304"), "both")
        sheet.stroke(opened("190,300 270,286 350,288"), "both")
    with sheet.group():
        body = closed(
            "0,-330 120,-340 200,-380 232,-390! 250,-300 264,-180 280,0 240,180 130,284 0,304 "
            "-130,284 -240,180 -280,0 -264,-180 -250,-300 -232,-390! -200,-380 -120,-340"
        )
        sheet.shape(body)
        belly = closed("0,-60 120,-20 170,90 130,220 0,276 -130,220 -170,90 -120,-20")
        with sheet.inside(belly):
            for row in range(5, -1, -1):
                y = row * 56 - 40
                for column in range(-3, 4):
                    x = column * 76 + (38 if row % 2 else 0)
                    sheet.shape(
                        closed(
                            f"{x - 38},{y - 40}! {x + 38},{y - 40}! {x + 38},{y} "
                            f"{x},{y + 44} {x - 38},{y}"
                        )
                    )
        for mirror in (False, True):
            with sheet.at(mirror=mirror):
                with sheet.inside(
                    closed("172,-96! 262,-60 300,60 270,190 190,264! 150,200 146,100 160,0")
                ):
                    sheet.line(opened("120,20 220,44 330,30"))
                    sheet.line(opened("110,110 210,136 330,118"))
                    sheet.line(opened("110,196 210,214 330,192"))
                for x in (36, 74, 112):
                    sheet.shape(
                        closed(
                            f"{x - 20},268 {x},256 {x + 20},268 {x + 20},308 "
                            f"{x + 8},330! {x - 8},330! {x - 20},308"
                        )
                    )
        for side in (-1, 1):
            sheet.shape(ellipse(side * 112, -196, 122, 126))
        for side in (-1, 1):
            sheet.shape(ellipse(side * 106, -190, 78))
            sheet.shape(ellipse(side * 102, -188, 54))
            sheet.dot(side * 98, -186, 33)
            sheet.cover(ellipse(side * 98 - 12, -200, 10))
        sheet.shape(closed("0,-178! 34,-140 30,-110 0,-62! -30,-110 -34,-140"))
        sheet.line(opened("-232,-390 -140,-320 0,-262 140,-320 232,-390"))
