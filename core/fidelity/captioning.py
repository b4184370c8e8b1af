"""Captions and categories of photographs by a local vision-language model.

The paper's captions are by a Qwen2.5-VL, and its instruction is not published: ours is
:data:`INSTRUCTION`. The table is the one that :func:`truehue.core.fidelity.building.read_photographs`
reads. It grows by a row a photograph, so that work that ended goes on where it was. A photograph
without a caption has no row, and a category that the model did not name stays empty.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from truehue.core.errors import BadInput, DataFolderError
from truehue.core.fidelity.building import scaled_down
from truehue.core.fidelity.groups import CATEGORIES, category_of
from truehue.core.files import file_problem, replace_file
from truehue.core.images.load import load_image
from truehue.core.vlm.models.records import Answerer, ImagePrompt, NoReply, Reply, Sampling, Stop

INSTRUCTION = (
    "Describe this photograph in one sentence, as a prompt for a model that generates images. Name "
    "the subject, what it does, the surroundings and the light. Reply with the sentence alone."
)
QUESTION = (
    "Which category describes this photograph best? Reply with the name alone, one of: "
    f"{', '.join(CATEGORIES)}."
)
COLUMNS = ("file", "caption", "category", "model", "version")
_VERSION_DIGITS = 12


@dataclass(frozen=True)
class CaptionSettings:
    """``instruction`` asks for a caption. With ``categories`` a second question asks for the
    category. The model reads images of at most ``size_px`` squared pixels, and writes at most
    ``max_tokens`` tokens."""

    instruction: str = INSTRUCTION
    categories: bool = True
    size_px: int = 1024
    max_tokens: int = 256

    def __post_init__(self) -> None:
        if not self.instruction.strip():
            raise BadInput("The instruction is empty.")
        if not 16 <= self.size_px <= 8192:
            raise BadInput("The side of photographs is 16 to 8,192 pixels.")
        if not 1 <= self.max_tokens <= 4096:
            raise BadInput("The most tokens of a caption are 1 to 4,096.")

    def version(self, model_fingerprint: str) -> str:
        """The first digits of a SHA-256 of all that decides a row."""
        decides = {**asdict(self), "model": model_fingerprint, "question": QUESTION}
        text = json.dumps(decides, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:_VERSION_DIGITS]


@dataclass(frozen=True)
class Captioned:
    """What came of a photograph: a ``caption``, or the ``problem`` why there is no row of it.
    ``category`` is "" where ``category_problem`` says why, or where nobody asked."""

    file: str
    caption: str = ""
    category: str = ""
    problem: str = ""
    category_problem: str = ""


class CaptionTable:
    """The CSV table of a model with its settings: ``version`` names both."""

    def __init__(self, path: Path, model: str, version: str) -> None:
        self.path, self._model, self._version = path, model, version

    def begin(self) -> set[str]:
        """The files that have a caption; a new table gets its header, and a row that a kill tore is
        taken away. Raises BadInput for a table of something else, or of another model, and
        DataFolderError where it cannot be written."""
        header = _line(COLUMNS)
        try:
            content = self.path.read_bytes() if self.path.exists() else b""
            if header.startswith(content):  # new, or torn within the header
                content = whole = header
                replace_file(self.path, header)
            else:
                whole = content[: content.rfind(b"\n") + 1]
            rows = list(csv.reader(io.StringIO(whole.decode(), newline="")))[1:]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise BadInput(f"{self.path} cannot be read as a table: {error}") from None
        if not whole.startswith(header) or any(len(row) != len(COLUMNS) for row in rows):
            raise BadInput(f"{self.path} is no table of captions of ours: choose another --out.")
        if any(row[-1] != self._version for row in rows):
            raise BadInput(
                f"{self.path} has captions by another model or with other settings: choose another "
                "--out."
            )
        if len(whole) < len(content):
            replace_file(self.path, whole)
        return {row[0] for row in rows}

    def add(self, captioned: Captioned) -> None:
        """Adds the row of a photograph that has a caption. Raises DataFolderError."""
        row = (captioned.file, captioned.caption, captioned.category, self._model, self._version)
        try:
            with self.path.open("ab") as file:
                file.write(_line(row))
        except OSError as error:
            raise DataFolderError(
                f"{self.path} cannot be written: {file_problem(error)}."
            ) from error


def _line(cells: Sequence[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue().encode()


def captions(
    answerer: Answerer,
    folder: Path,
    files: Sequence[str],
    settings: CaptionSettings,
    stop: Stop = lambda: False,
) -> Iterator[Captioned]:
    """What a model says of each of the ``files`` below ``folder``, in their order; greedily, so
    that the same photograph has the same caption again. Raises EvaluationStopped once ``stop`` says
    so."""

    @lru_cache(maxsize=1)  # both questions are about one image
    def pixels(file: str) -> np.ndarray:
        return scaled_down(load_image(folder / file, file).srgb8, settings.size_px**2)

    texts = (settings.instruction, *([QUESTION] if settings.categories else []))
    prompts = (ImagePrompt(text, partial(pixels, file)) for file in files for text in texts)
    replies = answerer.answers(prompts, Sampling(settings.max_tokens), stop)
    for file in files:
        caption, problem = _caption(next(replies), settings.max_tokens)
        category, unnamed = "", ""
        if settings.categories:
            reply = next(replies)
            if isinstance(reply, NoReply):
                problem = problem or f"There is no category. {reply}"
            else:
                category = category_of(reply.words)
                unnamed = "" if category else f"The reply names no category: {reply.words!r:.60}"
        if problem:
            yield Captioned(file, problem=problem)
        else:
            yield Captioned(file, caption, category, category_problem=unnamed)


def _caption(reply: Reply | NoReply, max_tokens: int) -> tuple[str, str]:
    """The caption in one line, and why there is none."""
    if isinstance(reply, NoReply):
        return "", str(reply)
    if reply.ending == "length":
        return "", f"The caption was not finished after {max_tokens:,} tokens."
    caption = " ".join(reply.words.split())
    return caption, "" if caption else "The model replied nothing."
