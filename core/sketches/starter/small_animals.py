"""Small animals of the starter set, among its animals."""

from __future__ import annotations

from truehue.core.sketches.starter.curves import closed, opened
from truehue.core.sketches.starter.outlines import arc, band, ellipse, scalloped
from truehue.core.sketches.starter.parts import eye
from truehue.core.sketches.starter.sheet import Sheet


def bee(sheet: Sheet) -> None:
    """A bee from the side, wings raised."""
    with sheet.group():
        for x, y, rx, ry, turn in ((-20, -230, 100, 200, 24), (-130, -200, 86, 180, -14)):
            with (
                sheet.at(x, y, turn=turn),
                sheet.inside(
                    closed(
                        f"0,{ry * 0.9} {rx * 0.6},{ry * 0.3} {rx},{-ry * 0.4} "
                        f"{rx * 0.4},{-ry * 0.95} {-rx * 0.4},{-ry * 0.9} {-rx},{-ry * 0.3} "
                        f"{-rx * 0.6},{ry * 0.4}"
                    )
                ),
            ):
                sheet.line(opened(f"0,{ry * 0.9} {-rx * 0.2},0 {-rx * 0.3},{-ry}"), 4)
                sheet.line(opened(f"0,{ry * 0.9} {rx * 0.3},{-ry * 0.1} {rx},{-ry * 0.6}"), 4)
        for x in (90, 30, -30):
            sheet.shape(
                band(
                    opened(f"{x},130 {x + 14},196 {x - 20},250 {x + 6},286"),
                    (18, 14, 12, 16),
                    "round",
                )
            )
        sheet.shape(closed("-330,110! -384,136 -420,170! -372,170 -316,150!"))
        body = closed("120,20 40,-90 -110,-110 -260,-40 -344,90 -310,170 -160,196 20,180 110,120")
        with sheet.inside(body):
            for x in (-60, -176, -280):
                sheet.shape(
                    closed(
                        f"{x - 30},-200! {x + 30},-200! {x + 62},40 {x + 16},240! "
                        f"{x - 44},240! {x + 2},40"
                    )
                )
        ruff = scalloped(ellipse(110, 40, 116, 128), 15, 15)
        sheet.shape(ruff)
        sheet.line(opened("250,-50 290,-150 370,-190"), 7)
        sheet.shape(ellipse(376, -192, 20))
        sheet.line(opened("210,-60 220,-170 290,-240"), 7)
        sheet.shape(ellipse(294, -244, 20))
        sheet.shape(closed("170,-20 240,-70 330,-40 356,50 310,130 220,140 160,90"))
        eye(sheet, 286, 16, 34, 0.15)
        sheet.stroke(opened("262,84 290,100 322,86"), "both")
        sheet.line(ellipse(232, 78, 20, 15), 4)


def butterfly(sheet: Sheet) -> None:
    """A butterfly from above, wings spread."""
    for mirror in (False, True):
        with sheet.at(mirror=mirror):
            with sheet.group():
                hind = closed("10,20! 110,20 250,60 330,150 310,270 220,340 130,320 60,210")
                with sheet.inside(hind):
                    sheet.line(
                        closed("30,66! 120,92 220,112 280,166 262,244 206,290 146,270 88,180")
                    )
                    sheet.line(opened("24,40 130,120 220,210"))
                    sheet.line(opened("24,40 180,100 276,170"))
                    for x, y in ((303, 184), (287, 256), (215, 315), (147, 299)):
                        sheet.shape(ellipse(x, y, 13.5))
            with sheet.group():
                fore = closed(
                    "10,0! 60,-130 180,-290 320,-370 420,-340 430,-230 370,-70 270,30 130,50"
                )
                with sheet.inside(fore):
                    sheet.line(
                        closed(
                            "24,-20! 80,-120 190,-260 310,-326 372,-300 "
                            "376,-220 330,-96 250,-10 130,16"
                        )
                    )
                    sheet.line(opened("20,-14 150,-130 330,-318"))
                    sheet.line(opened("20,-10 180,-80 380,-210"))
                    sheet.line(opened("20,-6 160,-30 310,-70"))
                    for x, y, radius in (
                        (400, -322, 14),
                        (404, -246, 14),
                        (389, -160, 13.5),
                        (351, -82, 13.5),
                    ):
                        sheet.shape(ellipse(x, y, radius))
            sheet.shape(band(opened("8,-120 40,-220 120,-290"), (9, 8, 8), "round"), 4)
            sheet.shape(ellipse(126, -294, 15))
    with sheet.group():
        body = closed("0,-110 34,-70 40,0 30,120 14,230 0,256 -14,230 -30,120 -40,0 -34,-70")
        with sheet.inside(body):
            for y in (40, 90, 140, 188):
                sheet.line(opened(f"-60,{y} 0,{y + 14} 60,{y}"))
            sheet.line(opened("-60,-14 0,0 60,-14"))
        sheet.shape(ellipse(0, -122, 42, 40))
        sheet.dot(-16, -130, 7)
        sheet.dot(16, -130, 7)


def crab(sheet: Sheet) -> None:
    """A crab from above, claws raised."""
    for mirror in (False, True):
        with sheet.at(mirror=mirror):
            with sheet.group():
                for start, knee, foot in (
                    ((150, 60), (340, -24), (452, 104)),
                    ((150, 100), (330, 80), (400, 230)),
                    ((130, 140), (290, 170), (330, 310)),
                    ((100, 160), (220, 240), (220, 350)),
                ):
                    sheet.shape(
                        band(
                            opened(
                                f"{start[0]},{start[1]} "
                                f"{(start[0] + knee[0]) / 2},{(start[1] + knee[1]) / 2 - 26} "
                                f"{knee[0]},{knee[1]}"
                            ),
                            (46, 44, 40),
                            "round",
                        )
                    )
                    sheet.shape(
                        band(
                            opened(
                                f"{knee[0]},{knee[1]} "
                                f"{(foot[0] + knee[0]) / 2 + 22},{(foot[1] + knee[1]) / 2 - 10} "
                                f"{foot[0]},{foot[1]}"
                            ),
                            (40, 30, 12),
                            "point",
                        )
                    )
            with sheet.group():
                sheet.shape(band(opened("170,-20 270,-70 320,-150"), (58, 52, 46), "round"))
                sheet.shape(
                    closed(
                        "280,-140 240,-220 256,-330 330,-416! 336,-350 350,-296! 380,-350 "
                        "436,-380! 460,-280 420,-180 350,-130"
                    )
                )
                sheet.stroke(opened("290,-190 280,-250 300,-320"), "both")
                for x, y in ((390, -210), (360, -180), (410, -250)):
                    sheet.line(ellipse(x, y, 11), 4)
            with sheet.group():
                sheet.shape(band(opened("70,-110 78,-180"), (26, 24)))
                eye(sheet, 80, -206, 36, -0.12)
    with sheet.group():
        shell = closed(
            "0,-142 130,-130 226,-60 240,40 170,150 60,192 0,196 -60,192 "
            "-170,150 -240,40 -226,-60 -130,-130"
        )
        with sheet.inside(shell):
            sheet.line(opened("-260,70 -120,110 0,120 120,110 260,70"))
            sheet.stroke(opened("-150,-80 -90,-104 -20,-110"), "both")
        for x, y, radius in (
            (-120, -30, 22),
            (120, -30, 22),
            (-60, -66, 15),
            (60, -66, 15),
            (0, -36, 19),
            (-168, 20, 15),
            (168, 20, 15),
        ):
            sheet.shape(ellipse(x, y, radius))
        sheet.stroke(opened("-70,46 -30,76 30,76 70,46"), "both")
        for x, y in ((-100, 150), (-40, 160), (40, 160), (100, 150)):
            sheet.stroke(opened(f"{x},{y - 18} {x * 0.96},{y + 14}"), "both")


def frog(sheet: Sheet) -> None:
    """A frog that sits, seen from the front."""
    with sheet.group():
        for mirror in (False, True):
            with sheet.at(mirror=mirror):
                sheet.shape(closed("120,100 240,40 330,90 350,190 300,280 200,320 110,300"))
                sheet.stroke(opened("180,300 250,240 260,150"), "end")
                sheet.shape(
                    closed(
                        "150,282! 230,262 320,282 410,290 424,316 380,330 400,350 372,366 "
                        "330,350 320,372 286,370 270,344 180,340 140,322"
                    )
                )
        sheet.shape(
            closed(
                "0,-60 150,-30 200,100 176,250 100,318 0,330 -100,318 -176,250 -200,100 -150,-30"
            )
        )
        sheet.line(opened("-130,60 -126,200 -70,290 0,306 70,290 126,200 130,60"))
        for mirror in (False, True):
            with sheet.at(mirror=mirror):
                sheet.shape(
                    closed(
                        "100,90! 70,180 50,260 30,330! 10,346 20,366 44,360 58,378 80,362 "
                        "104,370 118,348 100,330! 120,250 152,170 170,90!"
                    )
                )
                sheet.cover(closed("96,60 100,110 166,110 172,60"))
    with sheet.group():
        sheet.merged(
            closed(
                "0,-250 150,-246 270,-180 310,-70 250,30 120,84 0,92 -120,84 "
                "-250,30 -310,-70 -270,-180 -150,-246"
            ),
            ellipse(-160, -240, 92),
            ellipse(160, -240, 92),
        )
        for side in (-1, 1):
            sheet.shape(ellipse(side * 160, -246, 62))
            sheet.dot(side * 154, -240, 32)
            sheet.cover(ellipse(side * 154 - 11, -252, 10))
            sheet.stroke(opened(f"{side * 24},-130 {side * 34},-138 {side * 40},-128"), "both")
        sheet.line(opened("-280,-70 -220,-24 -110,14 0,24 110,14 220,-24 280,-70"))
        sheet.stroke(opened("-296,-84 -284,-66 -262,-62"), "both")
        sheet.stroke(opened("296,-84 284,-66 262,-62"), "both")
        for x, y, radius in (
            (-220, -110, 20),
            (-180, -74, 13),
            (220, -110, 20),
            (180, -74, 13),
            (0, -206, 17),
        ):
            sheet.shape(ellipse(x, y, radius, radius * 0.86))


def turtle(sheet: Sheet) -> None:
    """A tortoise from the side."""
    with sheet.group():
        sheet.shape(closed("-300,90! -380,110 -430,150! -370,166 -300,150!"))
        for x in (-130, 120):
            sheet.shape(
                closed(
                    f"{x - 54},100! {x - 50},210 {x - 60},230! {x},246 "
                    f"{x + 60},230! {x + 46},190 {x + 60},100!"
                )
            )
        sheet.shape(
            closed(
                "230,120! 300,90 310,0 330,-80 400,-116 460,-70 460,0 "
                "420,50 400,120 340,190 240,200!"
            )
        )
        eye(sheet, 412, -50, 23, 0.15)
        sheet.line(opened("462,-8 430,6 396,0"))
        sheet.stroke(opened("330,60 350,80 380,84"), "both")
        sheet.stroke(opened("320,110 340,128 370,130"), "both")
    with sheet.group():
        for x in (-230, 180):
            sheet.shape(
                closed(
                    f"{x - 70},80! {x - 64},220 {x - 78},262! {x},284 "
                    f"{x + 74},262! {x + 62},210 {x + 80},80!"
                )
            )
            for dx in (-40, 0, 40):
                sheet.stroke(arc(x + dx, 272, 16, 22, (180, 360)), "both", 4)
    with sheet.group():
        dome = closed("-350,110! -330,-50 -220,-200 0,-262 200,-200 290,-60 310,110!")
        with sheet.inside(dome):
            for hexagon in (
                "-90,-150 70,-150 120,-40 60,60 -80,60 -140,-40",
                "-140,-40 -80,60 -120,150 -280,150 -330,60 -260,-40",
                "120,-40 60,60 100,150 250,150 310,60 240,-40",
                "-90,-150 -140,-40 -260,-40 -320,-110 -200,-260 -120,-260",
                "70,-150 120,-40 240,-40 320,-110 180,-260 110,-260",
                "-90,-150 70,-150 110,-260 0,-300 -120,-260",
            ):
                points = " ".join(f"{point}!" for point in hexagon.split())
                sheet.shape(closed(points))
            for ring in (
                "-58,-116 42,-116 80,-38 34,28 -54,28 -94,-38",
                "-166,-8 -118,60 -140,80 -270,80 -286,50 -240,-8",
                "146,-8 98,60 120,80 236,80 262,50 220,-8",
            ):
                sheet.line(closed(" ".join(f"{point}!" for point in ring.split())), 4)
        sheet.shape(
            closed("-372,96 -330,84 0,92 290,84 336,96 330,136 290,148 0,154 -330,148 -368,136")
        )
        for x in range(-260, 300, 86):
            sheet.line(opened(f"{x},90 {x + 6},152"))
