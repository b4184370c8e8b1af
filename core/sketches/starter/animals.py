"""Large animals of the starter set, among its animals."""

from __future__ import annotations

from truehue.core.sketches.starter.curves import closed, opened
from truehue.core.sketches.starter.outlines import arc, band, ellipse, scalloped
from truehue.core.sketches.starter.parts import eye
from truehue.core.sketches.starter.sheet import Sheet


def cat(sheet: Sheet) -> None:
    """A cat that sits, tail around its feet."""
    with sheet.group():
        sheet.shape(
            band(
                opened("130,330 260,350 350,270 330,150 270,80 290,0 340,-20"),
                (70, 66, 62, 58, 50, 40),
                "round",
                count=17,
            )
        )
        sheet.shape(
            closed(
                "0,-110! 110,-60 190,90 226,250 200,360 100,392 -100,392 "
                "-200,360 -226,250 -190,90 -110,-60"
            )
        )
        sheet.stroke(opened("150,180 112,240 108,310 122,350"), "start")
        sheet.stroke(opened("-150,180 -112,240 -108,310 -122,350"), "start")
        for side in (-1, 1):
            sheet.shape(
                closed(
                    f"{side * 6},160! {side * 8},250 {side * 6},350 {side * 16},392 "
                    f"{side * 70},402 {side * 112},384 {side * 104},340 {side * 84},240 "
                    f"{side * 92},150!"
                ),
                5,
            )
            sheet.cover(
                closed(f"{side * -2},150! {side * 2},180! {side * 80},190! {side * 98},140!")
            )
            for x in (46, 76):
                sheet.stroke(opened(f"{side * x},368 {side * x},398"), "start")
        sheet.shape(
            closed(
                "-124,0! -110,40 -86,66! -70,64 -44,96! -24,92 0,126! 24,92 "
                "44,96! 70,64 86,66! 110,40 124,0!"
            )
        )
        for side in (-1, 1):
            sheet.shape(
                closed(
                    f"{side * 90},-330! {side * 170},-420 {side * 216},-456! "
                    f"{side * 240},-370 {side * 226},-230!"
                )
            )
            sheet.shape(
                closed(
                    f"{side * 132},-330! {side * 170},-376 {side * 200},-404! "
                    f"{side * 214},-350 {side * 206},-270!"
                )
            )
        sheet.shape(
            closed(
                "0,-352 110,-340 210,-270 250,-150 214,-40 120,26 0,44 -120,26 "
                "-214,-40 -250,-150 -210,-270 -110,-340"
            )
        )
        for x in (-44, 0, 44):
            sheet.stroke(opened(f"{x},-346 {x * 0.9},-310 {x * 0.8},-268"), "end", 6)
        for side in (-1, 1):
            sheet.shape(
                closed(
                    f"{side * 48},-140! {side * 76},-186 {side * 124},-188 {side * 156},-146! "
                    f"{side * 124},-112 {side * 78},-110"
                )
            )
            sheet.dot(side * 103, -149, 19, 34)
            sheet.cover(ellipse(side * 103 - 6, -162, 6))
            for y, dy in ((-46, -30), (-30, 0), (-12, 28)):
                sheet.stroke(
                    opened(
                        f"{side * 120},{y} {side * 200},{y - 12 + dy * 0.4} "
                        f"{side * 276},{y - 6 + dy}"
                    ),
                    "end",
                    4,
                )
            sheet.stroke(opened(f"0,-50 {side * 20},-14 {side * 60},-10 {side * 86},-30"), "end")
        sheet.shape(closed("-34,-92! 0,-102 34,-92! 18,-64 0,-52! -18,-64"))


def elephant(sheet: Sheet) -> None:
    """An elephant from the side."""
    with sheet.group():
        sheet.shape(band(opened("-310,-40 -370,40 -366,130"), (18, 14, 12), "round"))
        sheet.shape(closed("-374,112 -350,112 -346,160 -366,200! -386,160"))
        for x in (-150, 120):
            sheet.shape(
                closed(
                    f"{x - 60},120! {x - 50},260 {x - 54},344! {x},360 "
                    f"{x + 60},344! {x + 58},260 {x + 70},120!"
                )
            )
            for dx in (-30, 4, 36):
                sheet.stroke(arc(x + dx, 340, 12, 22, (195, 345)), "both", 4)
    with sheet.group():
        sheet.merged(
            closed(
                "-40,-240 130,-220 240,-120 240,60 150,150 -60,170 -240,150 "
                "-320,60 -320,-60 -220,-200"
            ),
            closed("-300,40! -310,220 -306,352! -240,372 -170,356! -164,260 -140,110!"),
            closed("0,110! 12,230 8,356! 70,372 140,356! 140,250 180,90!"),
        )
        for x in (-240, 74):
            for dx in (-38, 0, 38):
                sheet.stroke(arc(x + dx, 348, 14, 24, (195, 345)), "both", 4)
    with sheet.group():
        sheet.shape(
            closed(
                "150,-250 240,-280 340,-240 392,-140 400,-20 396,100 410,190 440,210 "
                "470,190! 500,210 490,262 430,290 "
                "360,250 332,160 326,60 290,20 230,40 160,0 110,-100 110,-200"
            )
        )
        for y, x0, x1 in ((60, 342, 384), (110, 342, 384), (160, 350, 390), (10, 340, 386)):
            sheet.stroke(opened(f"{x0},{y} {(x0 + x1) / 2},{y + 10} {x1},{y}"), "both")
        sheet.shape(closed("284,26! 330,40 350,90 420,96! 370,140 310,130 262,40!"))
        sheet.dot(316, -126, 14, 17)
        sheet.cover(ellipse(311, -132, 4.5))
        sheet.stroke(opened("290,-152 314,-162 340,-150"), "both")
    with sheet.group():
        sheet.shape(
            closed(
                "170,-240! 110,-310 0,-310 -70,-220 -80,-90 -30,20 40,60 "
                "90,10 140,-20 190,-80 210,-160"
            )
        )
        sheet.line(
            closed(
                "150,-220! 100,-266 20,-262 -30,-190 -36,-90 0,-10 40,14 "
                "76,-30 110,-60 150,-110 168,-170"
            )
        )


def pig(sheet: Sheet) -> None:
    """A pig from the side."""
    with sheet.group():
        sheet.line(opened("-330,-40 -380,-60 -420,-30 -396,10 -360,-10 -390,-70 -440,-80"), 7)
        for x in (-150, 120):
            sheet.shape(
                closed(
                    f"{x - 50},150! {x - 40},300 {x - 44},330! {x},340 "
                    f"{x + 44},330! {x + 42},260 {x + 60},150!"
                )
            )
            sheet.line(opened(f"{x - 42},296 {x},304 {x + 42},296"))
    with sheet.group():
        sheet.merged(
            closed(
                "-60,-200 60,-200 200,-130 290,40 220,170 60,220 -130,220 "
                "-280,150 -346,20 -310,-110 -200,-184"
            ),
            closed("-300,60! -280,200 -276,350! -230,364 -180,350! -170,250 -130,160!"),
            closed("30,160! 44,250 44,350! 90,364 140,350! 146,250 180,130!"),
        )
        sheet.line(opened("-275,308 -230,318 -178,308"))
        sheet.line(opened("46,308 90,318 141,308"))
    with sheet.group():
        sheet.shape(closed("290,-230! 330,-300 400,-340! 420,-270 400,-190!"))
        sheet.shape(
            closed("280,-260 390,-220 440,-120 420,0 330,80 210,80 110,10 84,-100 130,-210")
        )
        sheet.shape(
            closed("92,-150! 70,-250 96,-356! 180,-330 220,-280 226,-220! 190,-190 140,-176")
        )
        sheet.line(opened("112,-196 100,-250 110,-306 156,-288 184,-256"))
        sheet.shape(ellipse(404, -50, 62, 72, -8))
        sheet.shape(ellipse(388, -52, 14, 21, -8))
        sheet.shape(ellipse(430, -52, 13, 21, -8))
        sheet.dot(276, -120, 17, 20)
        sheet.cover(ellipse(270, -128, 6))
        sheet.dot(392, -150, 13, 18)
        sheet.stroke(opened("270,28 320,52 372,36"), "both")
        sheet.line(ellipse(228, -16, 34, 26), 4)


def rabbit(sheet: Sheet) -> None:
    """A rabbit that sits, from the side."""
    with sheet.group():
        sheet.shape(scalloped(ellipse(-306, 226, 72, 68), 11, 14))
        sheet.shape(closed("40,-140! -50,-260 -84,-380 -50,-450 10,-420 60,-320 96,-170!"))
        sheet.merged(
            closed(
                "296,-90 262,-156 180,-200 88,-176 36,-90 -70,-20 -210,50 "
                "-300,180 -290,310 -190,374 "
                "-20,384 110,380! 186,340! 200,270 224,190 222,100 192,20 240,-14 286,-50"
            ),
            closed("90,180 104,260 96,330 74,362 100,386 184,386 214,370 196,340 188,290 200,180"),
            closed("-190,350 -60,336 -20,352 -12,378 -40,388 -180,388 -220,376"),
        )
        sheet.stroke(opened("98,346 106,270 94,200 96,150"))
        sheet.stroke(opened("-12,366 10,290 -10,200 -100,136 -200,160"))
        sheet.stroke(opened("-190,352 -110,336 -40,338"), "start")
        for x in (122, 154, -64, -98):
            sheet.stroke(opened(f"{x},362 {x + 5},386"), "start")
        sheet.stroke(opened("60,-40 80,0 120,24"), "both")
        sheet.shape(closed("64,-160! 24,-300 34,-420 84,-474 134,-410 144,-290 138,-156! 100,-130"))
        sheet.shape(closed("86,-186! 60,-300 66,-390 86,-424 108,-390 114,-300 112,-184!"))
        sheet.shape(closed("276,-116! 300,-110 308,-84! 290,-72 276,-82"))
        sheet.line(opened("290,-72 278,-46 244,-34"))
        eye(sheet, 196, -112, 27, 0.12)
        for start, end in (("262,-66", "370,-92"), ("264,-58", "376,-58"), ("258,-50", "364,-22")):
            sheet.stroke(opened(f"{start} {end}"), "end", 4)


def whale(sheet: Sheet) -> None:
    """A whale that spouts."""
    with sheet.group():
        body = closed(
            "-60,-154 120,-126 260,-84 340,-120 374,-190 344,-262 250,-330! "
            "350,-344 424,-276! 490,-350 "
            "590,-350! 530,-280 484,-190 470,-80 440,40 370,150 240,226 40,262 -200,250 "
            "-380,190 -450,70 -400,-60 -250,-140"
        )
        with sheet.inside(body):
            sheet.line(
                opened("-500,90 -380,120 -240,100 -140,60 -60,90 60,160 240,180 400,90 500,-60")
            )
            for bend in (0, 1, 2, 3):
                sheet.stroke(
                    opened(
                        f"-430,{130 + bend * 30} -320,{156 + bend * 30} -180,{146 + bend * 32} "
                        f"{-60 + bend * 14},{140 + bend * 36}"
                    ),
                    "end",
                )
        sheet.stroke(opened("424,-276 420,-220 404,-160"))
        sheet.shape(closed("-90,120! -30,190 20,290 0,370! -80,350 -150,270 -170,170 -150,120"))
        eye(sheet, -250, 20, 26, -0.1)
        sheet.stroke(opened("-290,-20 -256,-34 -222,-22"), "both")
        sheet.stroke(opened("-170,-150 -140,-138 -110,-150"), "both")
    with sheet.group():
        sheet.shape(
            closed(
                "-152,-168! -160,-250 -220,-290 -280,-270 -290,-220! -330,-280 -300,-350 "
                "-220,-366 -150,-320 -136,-290! -110,-340 -40,-370 30,-340 40,-270! 0,-300 "
                "-70,-290 -110,-240 -122,-168!"
            )
        )
        sheet.stroke(opened("-142,-190 -150,-270 -210,-320"))
        sheet.stroke(opened("-132,-190 -120,-280 -60,-330"))
