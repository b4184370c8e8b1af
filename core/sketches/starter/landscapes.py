"""Landscapes of the starter set but for those of water."""

from __future__ import annotations

from truehue.core.sketches.starter.curves import closed, joined, opened
from truehue.core.sketches.starter.outlines import arc, band, ellipse
from truehue.core.sketches.starter.scenery import (
    blade_marks,
    bush,
    cloud,
    flower,
    framed,
    gull,
    land,
    pine,
    rock,
    sun,
    tree,
    tuft,
)
from truehue.core.sketches.starter.sheet import Sheet


def desert(sheet: Sheet) -> None:
    """Dunes, a mesa and cacti."""

    def saguaro(x: float, y: float, size: float) -> None:
        with sheet.group(1), sheet.at(x, y, size):
            for spine in ("-10,-90 -70,-94 -78,-130 -78,-170", "10,-60 70,-64 80,-110 80,-150"):
                sheet.shape(band(opened(spine), (40, 40, 40, 40), "round", 13))
            body = closed("-32,0! -34,-120 -30,-200 0,-240 30,-200 34,-120 32,0!")
            with sheet.inside(body):
                for dx in (-12, 12):
                    sheet.line(opened(f"{dx},4 {dx * 1.1},-120 {dx * 0.8},-250"), 4)

    with framed(sheet):
        sun(sheet, 690, 170, 72)
        cloud(sheet, 230, 170, 0.8)
        with sheet.group(1):
            sheet.shape(
                closed("60,480! 80,330! 96,320! 110,300! 290,300! 306,326! 330,340! 350,480!")
            )
            sheet.line(opened("92,346 200,352 316,350"), 4)
            for x in (140, 200, 262):
                sheet.stroke(opened(f"{x},370 {x - 6},420 {x + 4},460"), "both")
        with sheet.group(1):
            sheet.shape(closed("420,480! 430,392! 446,380! 520,380! 534,396! 548,480!"))
            sheet.stroke(opened("468,400 464,430 470,460"), "both")
        land(sheet, "-40,450 140,440 330,470 520,450 720,410 940,440")
        land(sheet, "-40,590 100,540 260,500 420,520 560,590 700,620 940,590")
        sheet.line(opened("260,500 350,560 400,640 420,730"))
        saguaro(690, 664, 0.9)
        land(sheet, "-40,640 120,690 330,730 540,690 720,610 830,600 940,640")
        sheet.line(opened("780,602 720,660 700,740 760,830 740,930"))
        saguaro(180, 800, 1.2)
        land(sheet, "-40,800 160,770 380,800 560,850 720,930")
        rock(sheet, 400, 826, 0.7)
        for x, y in (
            (460, 640),
            (520, 760),
            (840, 700),
            (860, 780),
            (120, 850),
            (300, 870),
        ):
            sheet.stroke(opened(f"{x - 40},{y} {x},{y - 9} {x + 40},{y + 2}"), "both", 4.5)


def forest(sheet: Sheet) -> None:
    """A forest with a path between the trees."""
    with framed(sheet):
        cloud(sheet, 300, 90, 0.6)
        with sheet.group(1):
            edge = (
                "-40,300 10,250 60,270 100,220 160,230 200,270 250,210 320,200 360,250 410,230 "
                "470,180 540,200 580,250 640,200 710,190 750,250 810,210 880,220 940,270"
            )
            land(sheet, edge)
        land(sheet, "-40,500 200,480 450,470 700,480 940,500")
        for x, y, height in (
            (250, 520, 330),
            (620, 520, 350),
            (350, 500, 260),
            (540, 500, 230),
            (440, 490, 200),
        ):
            pine(sheet, x, y, height)
        sheet.shape(
            closed(
                "430,496! 480,496! 520,560 500,640 560,740 720,930! "
                "200,930! 330,760 400,660 400,570"
            )
        )
        for x, y in ((440, 560), (450, 640), (420, 730), (500, 800), (380, 850)):
            sheet.stroke(opened(f"{x - 26},{y} {x},{y - 6} {x + 26},{y + 2}"), "both", 4.5)
        tree(sheet, 130, 640, 480)
        tree(sheet, 780, 650, 520)
        bush(sheet, 250, 640, 0.8)
        bush(sheet, 640, 640, 0.8)
        pine(sheet, 30, 800, 480)
        bush(sheet, 170, 800, 1.1)
        bush(sheet, 790, 830, 1.3)
        with sheet.group(1):
            sheet.shape(closed("606,860! 600,800! 650,800! 644,860! 625,866"))
            sheet.shape(closed("570,806! 580,756 625,736 670,756 680,806! 625,816"))
            for x, y, r in ((604, 780, 9), (638, 766, 10), (654, 792, 8)):
                sheet.line(ellipse(x, y, r), 4)
        tuft(sheet, 130, 866, 0.9)
        tuft(sheet, 300, 862, 0.8)
        tuft(sheet, 850, 940, 1.4)


def grassland(sheet: Sheet) -> None:
    """Rolling grass below mountains and sky."""
    with framed(sheet):
        sun(sheet, 640, 140, 60)
        cloud(sheet, 220, 150, 0.95)
        cloud(sheet, 430, 240, 0.6, mirror=True)
        with sheet.group(1):
            sheet.shape(closed("-60,480! 60,370! 130,400! 250,300! 380,410! 440,380! 560,480!"))
            sheet.shape(closed("400,480! 560,360! 640,400! 740,320! 960,480!"))
        land(sheet, "-40,450 140,420 330,440 560,470 760,440 940,410")
        tree(sheet, 720, 470, 190)
        tree(sheet, 800, 468, 140)
        land(sheet, "-40,520 200,540 460,500 700,520 940,580")
        land(sheet, "-40,690 160,630 380,610 620,660 940,640")
        for x, y, size in (
            (100, 480, 0.7),
            (280, 484, 0.7),
            (520, 496, 0.7),
            (120, 590, 0.9),
            (330, 570, 0.9),
            (560, 560, 0.9),
            (780, 590, 0.9),
            (680, 620, 0.9),
        ):
            blade_marks(sheet, x, y, size)
        for x, y, size in (
            (90, 740, 0.9),
            (300, 690, 0.8),
            (560, 720, 0.9),
            (790, 720, 0.9),
            (180, 840, 1.2),
            (430, 810, 1.1),
            (680, 830, 1.2),
            (850, 850, 1.1),
            (40, 944, 1.5),
        ):
            tuft(sheet, x, y, size)
        for x, y, size in (
            (210, 730, 0.8),
            (470, 700, 0.7),
            (640, 750, 0.8),
            (560, 860, 1.0),
            (310, 860, 1.0),
            (790, 830, 0.9),
        ):
            flower(sheet, x, y, size)


def moon(sheet: Sheet) -> None:
    """A full moon with craters above hills at night."""
    with framed(sheet):
        with sheet.group(1):
            disk = ellipse(450, 370, 262)
            with sheet.inside(disk):
                for x, y, rx, ry in (
                    (350, 280, 62, 58),
                    (520, 220, 40, 36),
                    (560, 400, 74, 68),
                    (390, 470, 46, 42),
                    (270, 400, 34, 34),
                    (480, 540, 36, 30),
                    (660, 290, 38, 44),
                    (430, 360, 22, 20),
                    (330, 560, 34, 26),
                    (640, 520, 28, 26),
                ):
                    sheet.shape(ellipse(x, y, rx, ry))
                    sheet.stroke(arc(x + 3, y + 4, rx * 0.7, ry * 0.7, (180, 290)), "both", 4)
        for x, y, size in (
            (90, 120, 1.0),
            (120, 330, 0.7),
            (790, 110, 1.0),
            (830, 300, 0.7),
            (70, 490, 0.8),
            (800, 480, 0.9),
            (280, 90, 0.6),
            (600, 66, 0.6),
        ):
            with sheet.at(x, y, size):
                sheet.shape(closed("0,-44! 10,-10! 44,0! 10,10! 0,44! -10,10! -44,0! -10,-10!"))
        cloud(sheet, 220, 600, 1.0)
        cloud(sheet, 690, 640, 0.9, mirror=True)
        land(sheet, "-40,760 140,700 320,730 520,770 720,710 940,740")
        for x, y, height in ((80, 790, 190), (170, 800, 130), (744, 806, 160), (832, 816, 200)):
            pine(sheet, x, y, height)
        land(sheet, "-40,810 200,790 450,820 700,800 940,830")


def mountain(sheet: Sheet) -> None:
    """Three peaks with snow, a forest at their foot."""
    with framed(sheet):
        sun(sheet, 720, 150, 58)
        cloud(sheet, 190, 170, 0.8)
        for peak, left, right, cap in (
            (
                (690, 300),
                (400, 700),
                (1000, 700),
                "620,397! 650,430! 676,404! 704,446! 730,410! 754,424! 768,388!",
            ),
            (
                (190, 330),
                (-120, 700),
                (480, 700),
                "120,413! 150,450! 176,420! 206,460! 236,426! 262,420!",
            ),
            (
                (440, 170),
                (90, 700),
                (800, 700),
                "340,320! 376,356! 404,320! 436,390! 470,336! 508,366! 548,330!",
            ),
        ):
            with sheet.group(1):
                sheet.shape(
                    closed(f"{left[0]},{left[1]}! {peak[0]},{peak[1]}! {right[0]},{right[1]}!")
                )
                sheet.shape(closed(f"{peak[0]},{peak[1]}! {cap}"))
                x, y = peak
                sheet.line(
                    opened(
                        f"{x},{y}! {x + 16},{y + 90}! {x - 8},{y + 160}! {x + 26},{y + 250}! "
                        f"{x + 2},{y + 330}! {x + 30},{y + 530}!"
                    )
                )
                sheet.stroke(
                    opened(f"{x - 70},{y + 240} {x - 110},{y + 320} {x - 120},{y + 390}"), "both"
                )
        land(sheet, "-40,640 150,600 340,650 520,620 720,590 940,640")
        for x, y, height in (
            (40, 690, 150),
            (120, 680, 120),
            (640, 670, 130),
            (746, 694, 170),
            (830, 700, 150),
        ):
            pine(sheet, x, y, height)
        land(sheet, "-40,700 200,690 430,730 650,700 940,740")
        for x, y, height in ((84, 840, 230), (216, 824, 160), (800, 850, 260)):
            pine(sheet, x, y, height)
        land(sheet, "-40,820 200,800 460,840 700,820 940,850")
        rock(sheet, 420, 860, 0.8)
        tuft(sheet, 300, 870, 0.9)
        tuft(sheet, 620, 870, 0.9)


def rainbow(sheet: Sheet) -> None:
    """A rainbow of seven bands between clouds, above hills."""
    with framed(sheet):
        for index in range(7):
            sheet.shape(
                joined(
                    arc(450, 600, 400 - 36 * index, 400 - 36 * index, (180, 360)),
                    opened(f"{850 - 36 * index},600 {50 + 36 * index},600"),
                )
            )
        sheet.shape(joined(arc(450, 600, 148, 148, (180, 360))))
        sun(sheet, 130, 130, 56)
        for x, y, size in ((700, 130, 0.9), (790, 180, 0.7)):
            gull(sheet, x, y, size)
        land(sheet, "-40,620 150,580 330,610 520,590 720,570 940,610")
        land(sheet, "-40,690 200,730 460,680 700,700 940,760")
        cloud(sheet, 190, 590, 1.25)
        cloud(sheet, 100, 620, 0.8)
        cloud(sheet, 710, 590, 1.25, mirror=True)
        cloud(sheet, 800, 624, 0.8, mirror=True)
        tree(sheet, 450, 720, 170)
        for x, y, size in ((120, 790, 1.0), (640, 812, 1.0), (820, 850, 1.1), (356, 872, 1.0)):
            tuft(sheet, x, y, size)
        for x, y, size in ((230, 850, 1.0), (540, 850, 1.0), (730, 800, 0.9), (60, 866, 0.9)):
            flower(sheet, x, y, size)
