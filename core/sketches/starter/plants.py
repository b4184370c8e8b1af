"""Plants of the starter set but for its flowers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from truehue.core.sketches.starter.curves import Path, closed, opened, through
from truehue.core.sketches.starter.outlines import band, ellipse, leaf
from truehue.core.sketches.starter.parts import palm, sparkle
from truehue.core.sketches.starter.sheet import Sheet


def acorn(sheet: Sheet) -> None:
    """Two acorns and an oak leaf."""
    with sheet.group(), sheet.at(70, -60, 1, 28):
        blade = closed(
            "0,340! -20,270 -34,220 -90,230 -120,190 -96,150! -150,150 -190,100 "
            "-160,50 -110,40! -180,20 -210,-40 "
            "-170,-90 -110,-80! -150,-120 -160,-180 -110,-210 -66,-180! -76,-250 "
            "-40,-300 0,-316 40,-300 76,-250 "
            "66,-180! 110,-210 160,-180 150,-120 110,-80! 170,-90 210,-40 180,20 "
            "110,40! 160,50 190,100 150,150 "
            "96,150! 120,190 90,230 34,220 20,270"
        )
        sheet.shape(band(opened("0,300 0,360 -20,430"), (22, 18, 24), "round"))
        with sheet.inside(blade):
            sheet.line(opened("0,340 0,100 0,-316"))
            for y, x, dy in ((170, 96, -30), (80, 140, -60), (0, 150, -60), (-90, 110, -80)):
                for side in (-1, 1):
                    sheet.stroke(
                        opened(f"0,{y} {side * x * 0.5},{y + dy * 0.45} {side * x},{y + dy}")
                    )
    for x, y, turn, size in ((190, 190, -24, 0.86), (-130, 130, 14, 1.0)):
        with sheet.group(), sheet.at(x, y, size, turn):
            sheet.shape(
                closed(
                    "-150,-60! -160,40 -110,150 -40,210 -12,226 0,256! 12,226 "
                    "40,210 110,150 160,40 150,-60!"
                )
            )
            sparkle(sheet, opened("-116,10 -106,80 -70,136"))
            sheet.shape(band(opened("0,-170 -4,-216 20,-250"), (30, 24, 36), "round"))
            cap = closed(
                "-190,-50 -180,-130 -100,-190 0,-204 100,-190 180,-130 "
                "190,-50 150,-24 0,-6 -150,-24"
            )
            with sheet.inside(cap):
                for row in range(4, -1, -1):
                    for column in range(-4, 5):
                        px, py = column * 62 + (31 if row % 2 else 0), -212 + row * 46
                        bow = 0.0009 * px * px
                        sheet.shape(
                            closed(
                                f"{px - 31},{py - 46 - bow}! {px + 31},{py - 46 - bow}! "
                                f"{px + 31},{py - bow} {px},{py + 36 - bow} "
                                f"{px - 31},{py - bow}"
                            )
                        )


def bamboo(sheet: Sheet) -> None:
    """Three stalks of bamboo with leaves."""
    for x, width, top, joints in (
        (150, 74, -400, (-250, -60, 150, 330)),
        (-150, 80, -330, (-180, 20, 220)),
        (0, 96, -440, (-290, -110, 90, 290)),
    ):
        with sheet.group():
            edges = (top, *joints, 420)
            for upper, lower in pairwise(edges):
                half = width / 2
                sheet.shape(
                    closed(
                        f"{x - half},{upper + 12}! {x - half + 7},{(upper + lower) / 2} "
                        f"{x - half},{lower - 12}! {x},{lower - 4} {x + half},{lower - 12}! "
                        f"{x + half - 7},{(upper + lower) / 2} {x + half},{upper + 12}!"
                    )
                )
            for y in joints:
                half = width / 2 + 7
                sheet.shape(
                    closed(
                        f"{x - half},{y - 12} {x},{y - 6} {x + half},{y - 12} "
                        f"{x + half + 4},{y} {x + half},{y + 12} {x},{y + 16} "
                        f"{x - half},{y + 12} {x - half - 4},{y}"
                    )
                )
            sheet.shape(ellipse(x, top + 12, width / 2, 13))
            sparkle(
                sheet,
                opened(f"{x - width * 0.26},{joints[0] + 40} {x - width * 0.24},{joints[0] + 100}"),
            )
    for start, tips in (
        ((48, -110), ((210, -300), (300, -180), (270, -60))),
        ((-190, 20), ((-380, -110), (-420, 30), (-330, 150))),
        ((187, 150), ((360, 60), (400, 190), (320, 300))),
        ((-48, -290), ((-200, -420), (-280, -300))),
    ):
        with sheet.group():
            for tip in tips:
                bend = 12 if tip[0] > start[0] else -12
                sheet.shape(leaf(start, tip, 62, bend))
                middle = (start[0] * 0.4 + tip[0] * 0.6, start[1] * 0.4 + tip[1] * 0.6)
                sheet.stroke(opened(f"{start[0]},{start[1]} {middle[0]},{middle[1]}"), width=4)


def cactus(sheet: Sheet) -> None:
    """A saguaro with two arms, in bloom."""
    with sheet.group():
        sheet.shape(closed("-330,400! -260,364 -120,350 120,350 260,366 340,400! 200,416 -200,416"))
        for x, y, r in ((-210, 392, 26), (186, 388, 28)):
            sheet.shape(
                closed(
                    f"{x - r},{y + 8} {x - r * 0.6},{y - r * 0.6} "
                    f"{x + r * 0.2},{y - r * 0.8} {x + r},{y + 8} {x},{y + 14}"
                )
            )
    with sheet.group():
        for spine, width in (
            (opened("-20,150 -150,146 -230,90 -236,-20 -232,-110"), 116),
            (opened("20,40 150,40 222,-20 226,-110 224,-190"), 108),
        ):
            sheet.shape(band(spine, (width, width, width, width), "round", 17))
            for share in (-0.2, 0.2):
                places, ways = spine.along(17)
                points = [
                    (p[0] + w[1] * share * width, p[1] - w[0] * share * width)
                    for p, w in zip(places[5:], ways[5:], strict=True)
                ]
                sheet.stroke(through(points), "both")
        trunk = closed(
            "-96,386! -108,200 -110,0 -106,-240 -70,-350 0,-384 70,-350 "
            "106,-240 110,0 108,200 96,386! 0,394"
        )
        with sheet.inside(trunk):
            for x in (-60, 0, 60):
                sheet.line(opened(f"{x * 0.9},400 {x * 1.06},100 {x},-240 {x * 0.3},-386"))
    for x, y in (
        (-84, -160),
        (-30, -60),
        (30, -200),
        (84, -80),
        (-84, 60),
        (30, 60),
        (-30, 180),
        (84, 200),
        (-84, 290),
        (30, 310),
        (-30, -280),
        (-232, 0),
        (224, -80),
        (-150, 140),
        (140, 36),
    ):
        for turn in (-34, 0, 34):
            with sheet.at(x, y, turn=turn):
                sheet.stroke(opened("0,6 0,-17"), "end", 4)
    for x, y, size in ((0, -384, 1.0), (-232, -166, 0.7), (224, -244, 0.7)):
        with sheet.group(), sheet.at(x, y, size):
            for turn in (-64, 64, -34, 34, 0):
                with sheet.at(turn=turn):
                    sheet.shape(closed("0,16! -26,-20 -22,-56 0,-80! 22,-56 26,-20"))


def clover(sheet: Sheet) -> None:
    """Clover of three leaves, a smaller one behind."""
    heart = closed(
        "0,0! -100,-66 -186,-126 -216,-196 -172,-262 -86,-270 0,-206! 86,-270 "
        "172,-262 216,-196 186,-126 100,-66"
    )
    for x, y, size, foot, tilt in (
        (190, -70, 0.62, "190,-60 180,120 110,400", 14),
        (-60, -40, 1.0, "-60,-30 -30,200 40,420", -6),
    ):
        with sheet.group():
            sheet.shape(band(opened(foot), (20, 20, 26), count=11))
            with sheet.at(x, y, size, tilt):
                for turn in (-120, 120, 0):
                    with sheet.at(turn=turn), sheet.inside(heart):
                        sheet.line(opened("0,0 0,-120 0,-220"))
                        sheet.line(opened("-240,-140! -110,-176 0,-116! 110,-176 240,-140!"), 4)
                        for side in (-1, 1):
                            sheet.stroke(opened(f"0,-50 {side * 40},-76 {side * 84},-92"), width=4)
                            sheet.stroke(opened(f"{side * 60},-190 {side * 96},-222"), width=4)


def maple(sheet: Sheet) -> None:
    """A leaf of maple."""
    half = (
        (0, -420),
        (62, -292),
        (136, -322),
        (100, -130),
        (212, -236),
        (244, -176),
        (352, -204),
        (330, -104),
        (404, -58),
        (222, 56),
        (266, 196),
        (22, 140),
    )
    outline = [*half, *((-x, y) for x, y in half[:0:-1])]
    with sheet.group():
        sheet.shape(band(opened("0,130 8,280 -40,430"), (18, 16, 26), "round", count=11))
        with sheet.inside(_toothed(outline, 0.05)):
            sheet.line(opened("0,140 0,-140 0,-420"))
            for side in (-1, 1):
                sheet.line(opened(f"0,110 {side * 150},-50 {side * 404},-58"))
                sheet.stroke(opened(f"0,110 {side * 120},90 {side * 224},150"))
                sheet.stroke(opened(f"{side * 96},4 {side * 156},-100 {side * 190},-176"))
                sheet.stroke(opened(f"{side * 176},-52 {side * 256},-116 {side * 306},-166"))
                for y, x, dy in ((-60, 66, -70), (-170, 60, -80), (-250, 40, -50)):
                    sheet.stroke(opened(f"0,{y} {side * x},{y + dy}"), width=4)
                sheet.stroke(opened(f"{side * 190},-50 {side * 260},0"), width=4)
                sheet.stroke(opened(f"{side * 100},2 {side * 170},50"), width=4)


def _toothed(points: Sequence[tuple[float, float]], sag: float) -> Path:
    """A closed outline whose sides between corners sag a little to the inside."""
    places: list[tuple[float, float]] = []
    for (x, y), (u, v) in zip(points, [*points[1:], points[0]], strict=True):
        places += [(x, y), ((x + u) / 2 - (v - y) * sag, (y + v) / 2 + (u - x) * sag)]
    return through(places, [True, False] * len(points), closed=True)


def palm_tree(sheet: Sheet) -> None:
    """A palm with coconuts on a mound of sand."""
    with sheet.group():
        sheet.shape(closed("-330,420! -220,366 -60,340 110,344 260,380 340,420! 0,436"))
        sheet.stroke(opened("-200,400 -120,384 -60,390"), "both")
        sheet.stroke(opened("120,396 180,386 230,398"), "both")
    palm(sheet)


def pine_tree(sheet: Sheet) -> None:
    """A pine with tiers of branches."""
    with sheet.group():
        sheet.shape(closed("-52,290! -46,380 -74,440! 0,430 74,440! 46,380 52,290!"))
        sheet.stroke(opened("-14,320 -18,370 -30,420"), "both")
        sheet.stroke(opened("20,330 20,380 28,420"), "both")
    for top, bottom, half, teeth in (
        (40, 330, 320, 9),
        (-110, 190, 268, 8),
        (-250, 40, 212, 7),
        (-360, -110, 154, 6),
        (-450, -250, 98, 5),
    ):
        with sheet.group():
            points = [(0.0, top), (half * 0.34, top + (bottom - top) * 0.55), (half, bottom - 26)]
            corners = [True, False, True]
            for index in range(1, teeth):
                x = half - 2 * half * index / teeth
                y = bottom + 20 - 22 * abs(x / half)
                points += [(x + half / teeth * 0.9, y - 44), (x, y)]
                corners += [True, True]
            points += [
                (-half + half / teeth * 1.1, bottom - 40),
                (-half, bottom - 26),
                (-half * 0.34, top + (bottom - top) * 0.55),
            ]
            corners += [True, True, False]
            sheet.shape(through(points, corners, closed=True))
            for index in range(1, teeth - 1):
                x = half * 0.62 - 1.24 * half * index / (teeth - 1)
                y = bottom - (bottom - top) * 0.26 + 10 * (index % 2)
                sheet.stroke(opened(f"{x * 0.8},{y - 34} {x},{y + 14}"), "both", 4)


def wheat(sheet: Sheet) -> None:
    """Three ears of wheat."""
    grain = closed("0,0! -34,-30 -36,-80 0,-130! 30,-84 24,-30")
    for x, turn, foot in ((-158, -24, (10, 440)), (158, 24, (-10, 440)), (0, 0, (0, 450))):
        with sheet.group():
            sheet.shape(
                band(opened(f"{x},-60 {x * 0.5},200 {foot[0]},{foot[1]}"), (14, 16, 20), count=11)
            )
            with sheet.at(x, -60, 1, turn):
                for row in range(5, -1, -1):
                    for side in (-1, 1):
                        with sheet.at(side * 8, -row * 62 + 20, 1, side * 26):
                            sheet.line(opened(f"0,-126 {side * 6},-190 {side * 10},-240"), 4)
                            sheet.shape(grain)
                            sheet.stroke(opened("0,-100 -4,-60"), "end", 4)
                sheet.shape(closed("0,-300! -26,-340 -24,-390 0,-440! 24,-390 26,-340"))
                sheet.line(opened("0,-440 2,-520"), 4)
    with sheet.group():
        sheet.shape(closed("-4,380! -90,250 -180,190 -320,180! -220,250 -130,310 -10,430!"))
        sheet.stroke(opened("-20,390 -120,270 -260,200"))
        sheet.shape(closed("6,360! 80,220 170,150 310,120! 230,210 130,290 8,420!"))
        sheet.stroke(opened("20,370 120,250 250,160"))
