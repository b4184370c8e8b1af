"""Castles and monuments of the starter set, among its buildings."""

from __future__ import annotations

from functools import partial

from truehue.core.sketches.starter.curves import closed, joined, opened
from truehue.core.sketches.starter.outlines import arc, box, ellipse
from truehue.core.sketches.starter.scenery import bush, sun
from truehue.core.sketches.starter.sheet import Sheet
from truehue.core.sketches.starter.walls import arched, battlement


def castle(sheet: Sheet) -> None:
    """A castle with four towers and a gate."""

    def tower(x: float, width: float, top: float, roof: float, flag: bool) -> None:
        half = width / 2
        with sheet.group():
            sheet.shape(box(x - half, top, width, 380 - top))
            sheet.shape(box(x - half - 14, top - 34, width + 28, 42, 6))
            sheet.shape(
                closed(
                    f"{x - half - 30},{top - 30}! {x - half * 0.45},{top - 30 - roof * 0.5} "
                    f"{x},{top - 30 - roof}! {x + half * 0.45},{top - 30 - roof * 0.5} "
                    f"{x + half + 30},{top - 30}! {x},{top - 18}"
                )
            )
            if flag:
                y = top - 30 - roof
                sheet.line(opened(f"{x},{y} {x},{y - 76}"), 6)
                sheet.shape(
                    closed(
                        f"{x},{y - 76}! {x + 40},{y - 70} {x + 84},{y - 58}! "
                        f"{x + 40},{y - 44} {x},{y - 32}!"
                    )
                )
            arched(sheet, x, top + 110, width * 0.32, 76, bars=False)
            for dx, dy in ((-0.24, 170), (0.16, 210), (-0.1, 262)):
                if top + dy < 330:
                    sheet.stroke(
                        opened(
                            f"{x + dx * width - 16},{top + dy} {x + dx * width + 16},{top + dy}"
                        ),
                        "both",
                        4,
                    )

    tower(-150, 120, -140, 170, True)
    tower(150, 120, -140, 170, True)
    with sheet.group():
        sheet.shape(box(-130, -100, 260, 480))
        battlement(sheet, -146, -96, 292, 5, 56)
        for x in (-64, 64):
            arched(sheet, x, 60, 54, 100)
    with sheet.group():
        sheet.shape(box(-300, 130, 600, 250))
        battlement(sheet, -310, 136, 620, 9, 56)
        sheet.shape(
            joined(
                opened("-104,380 -104,262"),
                arc(0, 262, 104, 104, (180, 360)),
                opened("104,262 104,380"),
            )
        )
        gate = joined(
            opened("-78,380 -78,264"), arc(0, 264, 78, 78, (180, 360)), opened("78,264 78,380")
        )
        with sheet.inside(gate):
            for x in (-39, 0, 39):
                sheet.line(opened(f"{x},150 {x},390"))
            for y in (230, 290, 345):
                sheet.line(opened(f"-90,{y} 90,{y}"))
        for x, y in ((-230, 200), (-180, 290), (-240, 330), (190, 210), (240, 300), (170, 340)):
            sheet.line(box(x - 24, y - 13, 48, 26, 3), 4)
    tower(-342, 150, 10, 210, False)
    tower(342, 150, 10, 210, False)
    with sheet.group():
        sheet.shape(closed("-450,380! 450,380! 440,416 200,404 0,420 -200,406 -440,418"))
    bush(sheet, -216, 377, 0.62)
    bush(sheet, 214, 377, 0.66)


def palace(sheet: Sheet) -> None:
    """A palace with onion domes and arches."""
    onion = closed("-96,0! -132,-60 -120,-126 -50,-190 0,-270! 50,-190 120,-126 132,-60 96,0!")

    def dome(x: float, y: float, size: float) -> None:
        with sheet.at(x, y, size):
            sheet.line(opened("0,-260 0,-330"), 6)
            sheet.shape(ellipse(0, -318, 15))
            sheet.shape(onion)
            sheet.stroke(opened("0,-250 -40,-170 -76,-110 -62,-10"))
            sheet.stroke(opened("0,-250 40,-170 76,-110 62,-10"))
            sheet.shape(box(-112, -6, 224, 30, 6))

    with sheet.group():
        for side in (-1, 1):
            x = side * 390
            sheet.shape(closed(f"{x - 32},330! {x - 24},-170! {x + 24},-170! {x + 32},330!"))
            for y in (-60, 110):
                sheet.shape(box(x - 40, y, 80, 26, 4))
            sheet.shape(box(x - 44, -186, 88, 24, 4))
            sheet.shape(box(x - 24, -246, 48, 62))
            dome(x, -250, 0.36)
    with sheet.group():
        for side in (-1, 1):
            sheet.shape(box(side * 200 - 52, -60, 104, 90))
            dome(side * 200, -70, 0.62)
            arched(sheet, side * 200, 20, 48, 72, bars=False)
        sheet.shape(box(-110, -110, 220, 140))
        dome(0, -110, 1.0)
        for x in (-60, 0, 60):
            arched(sheet, x, 0, 40, 84, bars=False)
    with sheet.group():
        sheet.shape(box(-320, 30, 640, 300))
        sheet.shape(box(-334, 14, 668, 28, 4))
        sheet.shape(box(-140, -20, 280, 350))
        sheet.shape(box(-154, -36, 308, 26, 4))
        for scale in (1.0, 0.78):
            with sheet.at(0, 330, scale):
                sheet.shape(closed("-104,0! -104,-180! -90,-240 0,-316! 90,-240 104,-180! 104,0!"))
        sheet.line(opened("0,84 0,330"))
        for side in (-1, 1):
            for x in (188, 272):
                with sheet.at(side * x, 0):
                    for y in (170, 316):
                        sheet.shape(
                            closed(f"-28,{y}! -28,{y - 70}! 0,{y - 112}! 28,{y - 70}! 28,{y}!")
                        )
                        sheet.line(opened(f"0,{y} 0,{y - 112}"), 4)
    with sheet.group():
        sheet.shape(box(-440, 326, 880, 30, 4))
        sheet.shape(box(-460, 354, 920, 32, 4))


def pyramid(sheet: Sheet) -> None:
    """Two pyramids in the sand."""
    sun(sheet, 300, -300, 58)
    for x, y, size in ((230, 60, 0.62), (-90, 0, 1.0)):
        with sheet.group(), sheet.at(x, y, size):
            for far in ((-400.0, 250.0), (370.0, 230.0)):
                place = partial(_on_face, far)
                sheet.shape(closed(f"{place(0, 0)}! {place(1, 0)}! {place(1, 1)}!"))
                for row in range(1, 6):
                    sheet.line(opened(f"{place(row / 6, 0)} {place(row / 6, 1)}"))
                    bricks = row if far[0] < 0 else (row + 1) // 2
                    for index in range(bricks):
                        out = (index + (0.75 if row % 2 else 0.5)) / (bricks + 0.3)
                        away = out * row / (row + 1)
                        sheet.line(opened(f"{place(row / 6, out)} {place((row + 1) / 6, away)}"), 4)
    with sheet.group():
        sheet.shape(
            closed(
                "-530,260 -440,222 -260,250 -80,268 50,300 190,262 310,222 430,196 "
                "490,230 480,320 300,370 0,390 "
                "-300,376 -490,330"
            )
        )
        for x, y in ((-330, 310), (-120, 336), (180, 330), (350, 276)):
            sheet.stroke(opened(f"{x - 60},{y} {x},{y - 12} {x + 60},{y + 2}"), "both")


def _on_face(far: tuple[float, float], down: float, out: float) -> str:
    """A point of a pyramid's face: ``down`` from the top, ``out`` from the edge to ``far``."""
    x = 120 * down + (far[0] - 120) * down * out
    y = -370 + 700 * down + (far[1] - 330) * down * out
    return f"{x:.1f},{y:.1f}"


def temple(sheet: Sheet) -> None:
    """A Greek temple of six columns."""
    with sheet.group():
        sheet.shape(closed("-440,-150! 0,-380! 440,-150!"))
        sheet.line(closed("-330,-178! 0,-346! 330,-178!"))
        sheet.shape(ellipse(0, -236, 44))
        for index in range(8):
            with sheet.at(0, -236, 1, index * 45):
                sheet.line(opened("0,-22 0,-44"), 4)
        sheet.shape(ellipse(0, -236, 22))
        for side in (-1, 1):
            sheet.shape(
                closed(
                    f"{side * 60},-190! {side * 110},-250 {side * 130},-210 "
                    f"{side * 180},-190! {side * 120},-184"
                ),
                4.5,
            )
        sheet.shape(box(-440, -154, 880, 34, 4))
        sheet.shape(box(-410, -120, 820, 54))
        for index in range(-3, 4):
            sheet.shape(box(index * 124 - 18, -120, 36, 54), 4)
        sheet.shape(box(-426, -66, 852, 24, 4))
    with sheet.group():
        sheet.shape(box(-360, -42, 720, 352))
        for index in range(6):
            x = -350 + index * 140
            with sheet.group(1):
                sheet.shape(
                    closed(
                        f"{x - 36},300! {x - 40},160 {x - 30},-16! {x + 30},-16! "
                        f"{x + 40},160 {x + 36},300!"
                    )
                )
                for dx in (-15, 0, 15):
                    sheet.stroke(
                        opened(f"{x + dx},286 {x + dx * 1.06},150 {x + dx * 0.9},6"), "both", 4
                    )
                sheet.shape(closed(f"{x - 34},-14! {x - 54},-42! {x + 54},-42! {x + 34},-14!"))
                sheet.shape(box(x - 48, 288, 96, 24, 8))
    with sheet.group():
        for half, y in ((420, 310), (450, 346), (484, 382)):
            sheet.shape(box(-half, y, 2 * half, 38, 3))
