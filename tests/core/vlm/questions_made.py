"""A small set of questions about flat colors, as a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from truehue.core.images.load import image_id
from truehue.core.vlm.question_set import write_set
from truehue.core.vlm.records import Form, IllustratedQuestion, Question

NAMES = ("red", "green", "blue", "yellow", "black")
COLORS = ((220, 20, 30), (20, 160, 60), (30, 60, 200), (240, 220, 30), (10, 10, 10))


def flat(number: int) -> np.ndarray:
    """uint8 ``(H, W, 3)``: two colors side by side, of a size that follows from the number."""
    srgb8 = np.empty((24 + 7 * (number % 4), 30 + 5 * (number % 3), 3), np.uint8)
    srgb8[:] = COLORS[number % 5]
    srgb8[:, : 4 + number] = COLORS[(number + 2) % 5]
    return srgb8


def questions(count: int) -> list[tuple[Question, np.ndarray]]:
    """Questions with their images."""
    out = []
    for number in range(count):
        srgb8 = flat(number)
        question = Question(
            f"q{number:03d}",
            "color_recognition",
            Form.CHOICE,
            f"What is the color at the left of picture {number}?",
            NAMES,
            "ABCDE"[(number + 2) % 5],
            image_id(srgb8),
            construction={"number": number, "seed": number},
        )
        out.append((question, srgb8))
    return out


def save_set(folder: Path, count: int) -> Path:
    """Writes them as a set."""
    items = (IllustratedQuestion(question, srgb8) for question, srgb8 in questions(count))
    return write_set(folder, items, "Flat colors", {}).folder
