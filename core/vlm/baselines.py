"""Baselines without a model: chance, and the pixel baseline.

A score shows a model's ability if it is above chance, and its vision if the pixels have the answer.
The pixel baseline knows the question's text and the pixels, never the construction. A question that
it cannot answer from them is unanswered, not wrong.
"""

from __future__ import annotations

import colorsys
import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import cv2
import numpy as np
from numpy.typing import NDArray

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.systems import system
from truehue.core.vlm.generators.comparison import MEASURES
from truehue.core.vlm.records import (
    LETTERS,
    Answer,
    Form,
    IllustratedQuestion,
    Outcome,
    Question,
)

PIXELS_VERSION = "1"
"""Rises where the reader of pixels would answer otherwise: stored answers name it."""
MIN_SHARE = 0.005
"""Of the image: a color with fewer pixels does not count as one of its colors."""
MIN_OBJECT_PX = 40


@dataclass(frozen=True)
class Expected:
    """Right answers by guessing, exactly: ``right`` of ``questions``, 0 to 1 as a share."""

    right: Fraction
    questions: int

    @property
    def share(self) -> float:
        """Accuracy by chance, 0 to 1; 0 for no questions."""
        return float(self.right / self.questions) if self.questions else 0.0


def expected_by_chance(questions: Iterable[Question]) -> dict[str, Expected]:
    """By task id. Chance for all of them is the sum: accuracy over a set is over its questions."""
    sums: dict[str, Fraction] = defaultdict(Fraction)
    counts: dict[str, int] = defaultdict(int)
    for question in questions:
        sums[question.task] += question.exact_chance
        counts[question.task] += 1
    return {task: Expected(sums[task], counts[task]) for task in counts}


def guess(question: Question, seed: int = 0) -> Answer:
    """An answer that knows only how the question is answered: the same for the same seed, however
    many others are asked. Unanswered where there is nothing to guess from."""
    if question.form is Form.CHOICE:
        options = list(LETTERS[: len(question.choices)])
    else:
        options = ["yes", "no"] if question.form is Form.BINARY else list(question.listed)
    if not options:
        return _unanswered(question, "There is nothing to guess from.")
    digest = hashlib.sha256(f"{seed}\n{question.question_id}".encode()).digest()
    return _answer(question, options[int.from_bytes(digest[:16]) % len(options)])


def read_pixels(item: IllustratedQuestion) -> Answer:
    """What the pixels say: color codes, proportions, comparisons of shapes, counts of colors and of
    objects. Only for questions with letters; unanswered for all others."""
    question = item.question
    if question.form is not Form.CHOICE:
        return _unanswered(question, "The reader of pixels answers by letters only.")
    reader = _reader_of(question)
    if reader is None:
        return _unanswered(question, "The reader of pixels cannot answer this.")
    read, match = reader
    index = read(item, match)
    if index is None:
        return _unanswered(question, "The pixels give an answer that is no choice.")
    return _answer(question, LETTERS[index])


def can_read(question: Question) -> bool:
    """Whether :func:`read_pixels` knows a way to an answer: else there is no need of the image."""
    return question.form is Form.CHOICE and _reader_of(question) is not None


def written_color(text: str) -> tuple[int, int, int] | None:
    """The 8-bit color that a choice writes as hex, RGB or HSV (degrees and percent, or 0 to 1);
    three bare numbers are RGB. None where it writes none."""
    code = re.search(r"#([0-9a-f]{6})\b", text.lower())
    if code:
        return int(code[1][:2], 16), int(code[1][2:4], 16), int(code[1][4:], 16)
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]
    if len(numbers) != 3:
        return None
    if "hsv" in text.lower() or "%" in text:
        hue, saturation, value = numbers
        scale = 1.0 if "%" not in text and max(saturation, value) <= 1 else 100.0
        turned = colorsys.hsv_to_rgb(hue / 360 % 1.0, saturation / scale, value / scale)
        red, green, blue = (round(255 * channel) for channel in turned)
    else:
        red, green, blue = (round(number) for number in numbers)
    return (
        (red, green, blue) if 0 <= min(red, green, blue) <= max(red, green, blue) <= 255 else None
    )


def _value(item: IllustratedQuestion, match: re.Match[str]) -> int | None:
    """The choice nearest to the color that most pixels have."""
    notation = match[1]
    texts = [f"{notation} {choice}" for choice in item.question.choices]
    colors = [written_color(text) for text in texts]
    written = [color for color in colors if color is not None]
    if len(written) < len(colors):
        return None
    rgb, counts, _ = _distinct(item.srgb8)
    wanted = srgb8_to_lab(rgb[int(np.argmax(counts))])
    return int(np.argmin(delta_e00(srgb8_to_lab(np.array(written, dtype=np.uint8)), wanted)))


def _share(item: IllustratedQuestion, match: re.Match[str]) -> int | None:
    """The choice nearest to the share of a color's name."""
    shares = _shares(item.srgb8)
    numbers = [re.findall(r"\d+(?:\.\d+)?", choice) for choice in item.question.choices]
    if match[1] not in shares or any(len(number) != 1 for number in numbers):
        return None
    value = 100 * shares[match[1]]
    return int(np.argmin([abs(float(number[0]) - value) for number in numbers]))


def _largest(item: IllustratedQuestion, match: re.Match[str]) -> int | None:
    """The choice whose name has the most pixels."""
    shares = _shares(item.srgb8)
    names = [choice.strip().lower() for choice in item.question.choices]
    if not all(name in shares for name in names):
        return None
    return int(np.argmax([shares[name] for name in names]))


def _color_count(item: IllustratedQuestion, match: re.Match[str]) -> int | None:
    """How many colors have more than a trace of the image."""
    _, counts, _ = _distinct(item.srgb8)
    return _numbered(item, int(np.count_nonzero(counts >= MIN_SHARE * counts.sum())))


def _object_count(item: IllustratedQuestion, match: re.Match[str]) -> int | None:
    """How many connected pieces have the name."""
    _, _, back = _distinct(item.srgb8)
    names = _names_of_pixels(item.srgb8)
    if match[1] not in _level1_names():
        return None
    mask = np.array([name == match[1] for name in names])[back].astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    sizes = stats[1:, cv2.CC_STAT_AREA]
    return _numbered(item, int(np.count_nonzero(sizes >= MIN_OBJECT_PX)))


def _compared(item: IllustratedQuestion, match: re.Match[str]) -> int | None:
    """The shape whose color measures largest; a shape is told by how much of its box it fills."""
    rgb, counts, back = _distinct(item.srgb8)
    colors: dict[str, NDArray[np.uint8]] = {}
    for index in np.flatnonzero(counts >= MIN_SHARE * counts.sum()):
        mask = (back == index).astype(np.uint8)
        _, _, width, height = cv2.boundingRect(mask)
        if width == mask.shape[1] and height == mask.shape[0]:
            continue  # the ground
        filled = float(counts[index]) / (width * height)
        shape = next(name for least, name in _FILLED if filled >= least)
        if shape in colors:
            return None
        colors[shape] = rgb[index]
    names = [choice.lower().removeprefix("the ") for choice in item.question.choices]
    if not all(name in colors for name in names):
        return None
    lab = np.asarray(srgb8_to_lab(np.array([colors[name] for name in names])))
    return int(np.argmax(MEASURES[match[1]](lab)))


_FILLED = ((0.93, "square"), (0.66, "circle"), (0.44, "triangle"), (0.0, "star"))
_READERS: tuple[tuple[str, Callable[[IllustratedQuestion, re.Match[str]], int | None]], ...] = (
    (r"what is the (rgb|hsv|hex) value", _value),
    (r"proportion of the (\w+) color", _share),
    (r"(?:color takes up the largest part|is the dominant color)", _largest),
    (r"how many different colors", _color_count),
    (r"how many (\w+) objects", _object_count),
    (r"which shape has the (darkest|lightest|most saturated|warmest) color", _compared),
)


def _reader_of(
    question: Question,
) -> tuple[Callable[[IllustratedQuestion, re.Match[str]], int | None], re.Match[str]] | None:
    for pattern, read in _READERS:
        match = re.search(pattern, question.text.lower())
        if match:
            return read, match
    return None


def _numbered(item: IllustratedQuestion, number: int) -> int | None:
    choices = [choice.strip() for choice in item.question.choices]
    return choices.index(str(number)) if str(number) in choices else None


def _distinct(srgb8: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray, NDArray]:
    """The distinct colors ``(N, 3)``, how many pixels each has, and which each pixel has
    ``(H, W)``."""
    packed = srgb8.astype(np.uint32) @ np.array([65536, 256, 1], dtype=np.uint32)
    codes, back, counts = np.unique(packed, return_inverse=True, return_counts=True)
    rgb = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=-1).astype(np.uint8)
    return rgb, counts, back.reshape(srgb8.shape[:2])


def _names_of_pixels(srgb8: NDArray[np.uint8]) -> list[str]:
    """Of each distinct color the nearest ISCC-NBS level 1 name, in lower case."""
    rgb, _, _ = _distinct(srgb8)
    named = system("l1")
    distances = delta_e00(srgb8_to_lab(rgb)[:, None], named.lab[None])
    return [named.colors[int(index)].name.lower() for index in np.argmin(distances, axis=1)]


def _level1_names() -> set[str]:
    return {color.name.lower() for color in system("l1").colors}


def _shares(srgb8: NDArray[np.uint8]) -> dict[str, float]:
    """The share of each ISCC-NBS level 1 name, 0 to 1."""
    _, counts, _ = _distinct(srgb8)
    shares = dict.fromkeys(_level1_names(), 0.0)
    for name, count in zip(_names_of_pixels(srgb8), counts, strict=True):
        shares[name] += float(count) / srgb8[..., 0].size
    return shares


def _answer(question: Question, reading: str) -> Answer:
    outcome = Outcome.RIGHT if reading in question.right else Outcome.WRONG
    return Answer(question.question_id, reading, reading, outcome)


def _unanswered(question: Question, reason: str) -> Answer:
    return Answer(question.question_id, "", None, Outcome.UNANSWERED, reason)
