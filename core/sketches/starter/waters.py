"""Seas, lakes and rivers of the starter set, among its landscapes."""

from __future__ import annotations

import math

from truehue.core.sketches.starter.curves import closed, joined, opened
from truehue.core.sketches.starter.outlines import arc, band, ellipse, scalloped
from truehue.core.sketches.starter.parts import palm
from truehue.core.sketches.starter.scenery import (
    bush,
    cloud,
    framed,
    gull,
    land,
    pine,
    ripple,
    rock,
    sun,
    tuft,
)
from truehue.core.sketches.starter.sheet import Sheet


def _sailboat(sheet: Sheet, x: float, y: float, size: float) -> None:
    with sheet.group(1), sheet.at(x, y, size):
        sheet.line(opened("0,-20 0,-184"))
        sheet.shape(closed("-14,-172! -14,-40! -94,-40! -54,-100"))
        sheet.shape(closed("14,-162! 14,-40! 82,-40! 54,-100"))
        sheet.shape(closed("-100,-26! 100,-26! 64,20! -64,20!"))


def beach(sheet: Sheet) -> None:
    """A beach with a parasol, a palm and the sea."""
    with framed(sheet):
        sun(sheet, 170, 160, 62)
        cloud(sheet, 400, 180, 0.8)
        cloud(sheet, 740, 130, 0.7, mirror=True)
        land(sheet, "-40,390 940,390")
        _sailboat(sheet, 360, 402, 0.8)
        for x, y, width in (
            (120, 440, 120),
            (520, 440, 110),
            (300, 486, 130),
            (640, 492, 120),
            (100, 540, 100),
        ):
            ripple(sheet, x, y, width)
        land(sheet, "-40,600 80,572 230,590 400,560 560,520 700,500 830,450 940,420")
        land(sheet, "-40,650 90,616 240,636 420,606 580,562 720,540 850,490 940,460")
        with sheet.group(1), sheet.at(240, 708, 0.94, -10):
            sheet.shape(closed("-7,-160! 7,-160! 7,170! -7,170!"))
            for start, end in ((-200, -112), (-112, -34), (-34, 44), (44, 122), (122, 200)):
                dip = 22
                u, v = start / 200, end / 200
                sheet.shape(
                    closed(
                        f"0,-230! {start * 0.62},{-206 + 30 * abs(u)} "
                        f"{start},{-80 + 26 * u * u}! {(start + end) / 2},{-80 - dip} "
                        f"{end},{-80 + 26 * v * v}! {end * 0.62},{-206 + 30 * abs(v)}"
                    )
                )
            sheet.shape(ellipse(0, -238, 12))
        with sheet.group(1):
            sheet.shape(closed("330,790! 500,736! 590,800! 410,860!"))
            sheet.line(opened("366,816 540,764"))
            sheet.line(opened("384,830 556,776"))
        with sheet.at(170, 838, 1, 14):
            star = [(56 if i % 2 == 0 else 25, i * 36 - 90) for i in range(10)]
            sheet.shape(
                closed(
                    " ".join(
                        f"{r * math.cos(math.radians(a)):.1f},{r * math.sin(math.radians(a)):.1f}"
                        for r, a in star
                    )
                )
            )
        with sheet.at(712, 520, 0.66):
            palm(sheet, 5, 9)
        land(sheet, "560,930 620,830 720,776 820,770 940,800")
        tuft(sheet, 690, 800, 0.7)
        tuft(sheet, 840, 790, 0.8)


def island(sheet: Sheet) -> None:
    """An island with palms in the sea."""
    with framed(sheet):
        sun(sheet, 730, 160, 62)
        cloud(sheet, 170, 150, 0.8)
        cloud(sheet, 480, 120, 0.66, mirror=True)
        land(sheet, "-40,470 940,470")
        gull(sheet, 780, 330, 0.8)
        gull(sheet, 700, 370, 0.6)
        with sheet.group(1):
            sheet.shape(
                closed(
                    "130,690! 200,620 320,580 460,560 600,580 720,630 "
                    "800,690! 700,740 460,760 230,740"
                )
            )
            sheet.line(opened("150,712 240,692 330,712 430,698 540,716 640,696 780,708"))
        with sheet.group(1):
            sheet.shape(closed("330,600! 400,540 500,530 590,570 620,616! 540,640 420,636"))
            sheet.stroke(opened("400,580 440,566 480,572"), "both")
        with sheet.at(590, 462, 0.42):
            palm(sheet, 4, 5)
        with sheet.at(400, 394, 0.58, mirror=True):
            palm(sheet, 5, 8)
        bush(sheet, 488, 646, 0.7)
        rock(sheet, 700, 690, 0.7)
        tuft(sheet, 330, 640, 0.7)
        for x, y, width in (
            (120, 530, 130),
            (770, 540, 140),
            (90, 620, 110),
            (840, 640, 90),
            (150, 810, 150),
            (420, 800, 150),
            (700, 820, 150),
            (290, 860, 130),
            (570, 866, 130),
            (820, 860, 100),
        ):
            ripple(sheet, x, y, width)


def lake(sheet: Sheet) -> None:
    """A lake below mountains, with a canoe and reeds."""
    with framed(sheet):
        cloud(sheet, 200, 130, 0.8)
        cloud(sheet, 640, 110, 0.7, mirror=True)
        with sheet.group(1):
            sheet.shape(closed("-80,430! 60,280! 110,310! 220,180! 330,300! 380,270! 520,430!"))
            sheet.line(opened("158,254 190,276 214,250 240,284 282,248"))
        with sheet.group(1):
            sheet.shape(closed("380,430! 520,290! 560,310! 680,170! 790,290! 830,270! 980,430!"))
            sheet.line(opened("612,250 648,276 676,246 704,280 750,246"))
        land(sheet, "-40,420 200,400 450,414 700,396 940,420")
        for x, height in ((38, 170), (150, 140), (242, 110), (650, 120), (738, 150), (846, 190)):
            pine(sheet, x, 432, height)
        water = closed("-40,470! 120,450 420,444 700,452 940,476! 940,940! -40,940!")
        with sheet.inside(water):
            for x, y, width in (
                (150, 500, 150),
                (430, 490, 160),
                (730, 510, 150),
                (280, 560, 140),
                (120, 620, 120),
                (780, 600, 130),
                (420, 690, 160),
                (690, 700, 150),
                (200, 700, 120),
            ):
                ripple(sheet, x, y, width)
        with sheet.group(1):
            sheet.shape(closed("390,560! 460,588 620,588 690,556! 676,610 620,632 460,632 404,610"))
            sheet.line(opened("390,560 470,598 610,598 690,556"))
            sheet.line(opened("600,520 500,650"), 7)
            sheet.shape(ellipse(492, 660, 14, 26, 37))
        land(sheet, "-40,730 160,760 330,800 520,770 700,806 940,760")
        for x, y, size in ((90, 820, 1.1), (760, 830, 1.0), (860, 862, 1.1)):
            tuft(sheet, x, y, size)
        for x, lean in ((204, -8), (262, 5), (316, 10)):
            with sheet.group(1):
                sheet.shape(band(opened(f"{x},930 {x + lean},760 {x + 2 * lean},640"), (11, 9, 8)))
                sheet.shape(ellipse(x + 1.7 * lean, 670, 17, 56, lean))
                sheet.line(opened(f"{x + 2 * lean},614 {x + 2.2 * lean},584"))
        tuft(sheet, 250, 940, 1.6)
        rock(sheet, 430, 930, 1.1)
        rock(sheet, 660, 936, 0.9, mirror=True)


def sunset(sheet: Sheet) -> None:
    """The sun going down into the sea."""
    with framed(sheet):
        for index in range(-5, 6):
            angle = math.radians(index * 15.5)
            x, y = 450 + 900 * math.sin(angle), 520 - 900 * math.cos(angle)
            sheet.line(
                opened(f"{450 + 210 * math.sin(angle)},{520 - 210 * math.cos(angle)} {x},{y}")
            )
        sheet.shape(joined(arc(450, 520, 210, 210, (180, 360))))
        sheet.shape(joined(arc(450, 520, 160, 160, (180, 360))))
        cloud(sheet, 178, 336, 1.0)
        cloud(sheet, 730, 260, 0.9, mirror=True)
        cloud(sheet, 640, 440, 0.7)
        for x, y, size in ((330, 150, 0.9), (420, 110, 0.7), (520, 170, 0.8)):
            gull(sheet, x, y, size)
        land(sheet, "-40,520 940,520")
        for half, y in ((150, 566), (112, 618), (160, 672), (96, 726), (130, 780)):
            sheet.shape(
                closed(
                    f"{450 - half},{y}! {450 - half * 0.4},{y - 17} "
                    f"{450 + half * 0.5},{y - 15} {450 + half},{y}! "
                    f"{450 + half * 0.4},{y + 15} {450 - half * 0.5},{y + 17}"
                )
            )
        for x, y, width in (
            (110, 580, 150),
            (780, 580, 160),
            (200, 650, 130),
            (720, 660, 130),
            (90, 730, 120),
            (830, 740, 110),
            (250, 800, 130),
            (680, 800, 140),
        ):
            ripple(sheet, x, y, width)
        land(sheet, "-40,760 80,800 170,880 200,940 940,940")
        land(sheet, "690,940 740,870 830,830 940,820")


def waterfall(sheet: Sheet) -> None:
    """A waterfall between cliffs, with a pool at its foot."""
    with framed(sheet):
        cloud(sheet, 440, 120, 0.8)
        for x, height in ((40, 210), (142, 150), (250, 170), (648, 180), (736, 200), (850, 160)):
            pine(sheet, x, 250, height)
        with sheet.group(1):
            sheet.shape(closed("270,240! 630,240! 640,700! 260,700!"))
            for x, start, end in (
                (370, 270, 420),
                (402, 250, 560),
                (430, 280, 380),
                (470, 260, 620),
                (504, 300, 450),
                (532, 260, 560),
                (430, 450, 640),
                (376, 480, 620),
                (516, 520, 640),
            ):
                sheet.stroke(
                    opened(f"{x},{start} {x - 5},{(start + end) / 2} {x + 3},{end}"), "both"
                )
        for mirror in (False, True):
            with sheet.at(900 if mirror else 0, 0, mirror=mirror), sheet.group(1):
                sheet.shape(
                    closed(
                        "-40,230! 120,240 240,226 320,236! 340,290 316,330! 346,380 330,440! "
                        "300,470 318,530! 340,580 320,640! 300,700 340,760! -40,800!"
                    )
                )
                for path in (
                    "320,330 250,344 180,330",
                    "332,440 260,430 190,452 120,440",
                    "318,532 230,540 160,520",
                    "320,640 250,630 200,646",
                    "180,330 160,390 190,452",
                    "120,440 100,500 130,560 80,600",
                    "60,320 120,340 100,400",
                    "40,500 60,560 30,620",
                    "210,640 190,690 150,700",
                ):
                    sheet.line(opened(path))
        land(sheet, "-40,720 140,700 300,716 450,706 620,718 760,700 940,730")
        with sheet.group(1):
            foam = scalloped(ellipse(450, 706, 170, 34), 13, 20)
            sheet.shape(foam)
            for x, y in ((360, 700), (420, 712), (480, 696), (540, 710)):
                sheet.stroke(arc(x, y, 20, 13, (190, 350)), "both", 4)
        for x, y, width in (
            (150, 770, 140),
            (450, 790, 160),
            (740, 770, 140),
            (320, 840, 130),
            (600, 850, 140),
        ):
            ripple(sheet, x, y, width)
        for x, y, size, mirror in (
            (130, 760, 0.9, False),
            (40, 800, 0.9, True),
            (744, 750, 0.7, True),
            (860, 810, 1.1, False),
            (230, 740, 0.5, False),
        ):
            rock(sheet, x, y, size, mirror)
        land(sheet, "-40,830 80,836 170,880 210,940")
        land(sheet, "690,940 740,880 830,846 940,840")
        tuft(sheet, 80, 940, 1.3)
        tuft(sheet, 840, 944, 1.3)
