"""Small drawings for tests: pictures of characters, and lines by hand."""

from __future__ import annotations

import cv2
import numpy as np


def ink_of(stored: str) -> np.ndarray:
    """uint8 ``(H, W)`` of a picture of characters: ``#`` is ink, everything else paper."""
    rows = [line.strip() for line in stored.strip().splitlines()]
    return np.array([[0 if item == "#" else 255 for item in row] for row in rows], np.uint8)


def paper(side: int = 256, width: int | None = None) -> np.ndarray:
    """Empty paper, uint8 ``(side, width)``."""
    return np.full((side, width or side), 255, np.uint8)


def box(ink: np.ndarray, left: int, top: int, right: int, bottom: int, thick: int = 3) -> None:
    """The outline of a rectangle; all four numbers are of its outermost pixels."""
    ink[top : top + thick, left : right + 1] = 0
    ink[bottom - thick + 1 : bottom + 1, left : right + 1] = 0
    ink[top : bottom + 1, left : left + thick] = 0
    ink[top : bottom + 1, right - thick + 1 : right + 1] = 0


def cat(side: int = 1024) -> np.ndarray:
    """A cat in antialiased lines: head, ears, eyes, body, tail; its tail has a gap of 3 pixels."""
    ink = paper(side)
    scale = side / 1024

    def at(*points: float) -> np.ndarray:
        return np.round(np.array(points).reshape(-1, 2) * scale * 16).astype(np.int32)

    def loop(*points: float) -> None:
        cv2.polylines(ink, [at(*points)], True, 0, max(1, round(6 * scale)), cv2.LINE_AA, 4)

    def round_(x: float, y: float, wide: float, high: float) -> None:
        turn = np.linspace(0, 2 * np.pi, 90)
        loop(*np.stack([x + wide * np.cos(turn), y + high * np.sin(turn)], -1).reshape(-1))

    round_(512, 640, 240, 300)
    round_(512, 300, 190, 160)
    round_(440, 280, 30, 40)
    round_(584, 280, 30, 40)
    loop(340, 230, 350, 60, 450, 150)
    loop(684, 230, 674, 60, 574, 150)
    loop(740, 700, 930, 560, 980, 600, 750, 780)
    gap = round(3 * scale)
    ink[round(570 * scale) : round(570 * scale) + gap, round(880 * scale) : round(960 * scale)] = (
        255
    )
    return ink
