"""The prompt of a model for an image: the instruction, the question and its choices."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType

from truehue.core.errors import TrueHueError
from truehue.core.vlm.records import LETTERS, Form, Question

PATH = Path(__file__).resolve().parents[2] / "assets" / "vlm" / "instructions.csv"
SHA256 = "b800ed6f0a561afc8ecef89d4df7e046a3732038ba076e7e3a41d29d5ad491d3"


class Style(StrEnum):
    """Whether a model answers at once or reasons first."""

    PLAIN = "plain"
    REASONED = "reasoned"


@dataclass(frozen=True)
class Instruction:
    """What is said before a question. ``by`` is who wrote it: ColorBench or TrueHue."""

    form: Form
    style: Style
    by: str
    text: str


def instruction(form: Form, style: Style = Style.PLAIN) -> Instruction:
    """The instruction for a form of questions. For ``Form.CHOICE`` it is ColorBench's, word by word
    (arXiv:2504.10514, Appendix F). Raises TrueHueError when the file is missing or was changed."""
    return _instructions()[Form(form), Style(style)]


def choice_lines(choices: tuple[str, ...]) -> str:
    """The choices with their letters, a line each: ``(A) red``."""
    return "\n".join(f"({LETTERS[index]}) {choice}" for index, choice in enumerate(choices))


def prompt_text(question: Question, style: Style = Style.PLAIN) -> str:
    """All that a model is told: the instruction, a blank line, the question, its choices.

    Raises TrueHueError when the file of instructions is missing or was changed.
    """
    lines = [instruction(question.form, style).text, "", question.text]
    if question.form is Form.CHOICE:
        lines.append(choice_lines(question.choices))
    return "\n".join(lines)


@cache
def _instructions() -> Mapping[tuple[Form, Style], Instruction]:
    restore = f"Restore it with: git checkout -- assets/vlm/{PATH.name}"
    try:
        content = PATH.read_bytes()
    except OSError as error:
        raise TrueHueError(f"The instructions cannot be read from {PATH}. {restore}") from error
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise TrueHueError(
            f"{PATH} was changed: its SHA-256 is another, so scores would not be comparable. "
            f"{restore}"
        )
    rows = [
        Instruction(Form(row["form"]), Style(row["style"]), row["by"], row["text"])
        for row in csv.DictReader(io.StringIO(content.decode("utf-8")))
    ]
    return MappingProxyType({(row.form, row.style): row for row in rows})
