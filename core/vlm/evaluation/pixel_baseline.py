"""The pixel baseline of a set: computed once, and stored in the set's folder.

``pixels.jsonl`` has a line for each answer, under the set's checksum and the reader's version.
Lines of other versions are ignored. Photographs take long (5 to 20 s for one of a few megapixels)
and their answers mean little, so they are read on demand only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from truehue.core.errors import DataFolderError
from truehue.core.files import file_problem
from truehue.core.vlm.baselines import PIXELS_VERSION, can_read, read_pixels
from truehue.core.vlm.evaluation.log import EvaluationLog
from truehue.core.vlm.evaluation.plan import (
    PromptedQuestion,
    QuestionSource,
    Version,
    read_question_image,
)
from truehue.core.vlm.records import Answer, IllustratedQuestion, Outcome, Question
from truehue.core.vlm.tasks import ROBUSTNESS

FILE = "pixels.jsonl"


class PixelBaseline:
    """The answers of the reader of pixels to the questions of an evaluation.

    It reads the images in color, whatever a model was shown; only those that it needs are opened.
    Robustness, and what it has no way to answer, is left out. ``unstored`` says why answers could
    not be written, empty where they were.
    """

    def __init__(self, log: EvaluationLog) -> None:
        self._prompted = [question for question in log.prompted if _is_read(question.question)]
        self._source = log.source
        self._path = Path(log.source.path) / FILE
        self._stored = _stored(self._path, self._source)
        self.unstored = ""

    @property
    def missing(self) -> Sequence[PromptedQuestion]:
        """The answers that are not stored yet."""
        return [
            question
            for question in self._prompted
            if question.question.question_id not in self._stored
        ]

    @property
    def is_generated(self) -> bool:
        """Whether all that is missing was made here, so that reading it is quick and means much."""
        return not any(question.question.construction.get("source") for question in self.missing)

    def compute(self) -> None:
        """Answers what is missing, and stores each answer. Raises ImageError where an image is gone
        or was changed; what was answered before stays stored."""
        for question in self.missing:
            srgb8 = read_question_image(question.image, question.question.image_id, Version.COLORED)
            answer = read_pixels(IllustratedQuestion(question.question, srgb8))
            self._stored[answer.question_id] = answer
            if not self.unstored:
                try:
                    _store(self._path, self._source, answer)
                except DataFolderError as error:
                    self.unstored = str(error)

    def answers(self) -> list[Answer] | None:
        """All of them, in the questions' order; None where some are missing."""
        if self.missing:
            return None
        return [self._stored[question.question.question_id] for question in self._prompted]


def _is_read(question: Question) -> bool:
    return can_read(question) and not question.seed_id and question.task != ROBUSTNESS


def _stored(path: Path, source: QuestionSource) -> dict[str, Answer]:
    answers = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    for line in lines:
        try:
            row = json.loads(line)
            if (row["set"], row["version"]) != (source.checksum, PIXELS_VERSION):
                continue
            reading = row["reading"]
            answers[row["question_id"]] = Answer(
                row["question_id"], reading or "", reading, Outcome(row["outcome"]), row["reason"]
            )
        except (ValueError, KeyError, TypeError):
            continue  # the line at which a process was killed: it is read again
    return answers


def _store(path: Path, source: QuestionSource, answer: Answer) -> None:
    row = {
        "set": source.checksum,
        "version": PIXELS_VERSION,
        "question_id": answer.question_id,
        "reading": answer.reading,
        "outcome": str(answer.outcome),
        "reason": answer.reason,
    }
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    except OSError as error:
        raise DataFolderError(f"{path} cannot be written: {file_problem(error)}.") from error
