"""The questions of a set as they are asked: each with the path of its image."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from truehue.core.vlm.evaluation.plan import QuestionSource
from truehue.core.vlm.question_set import open_set
from truehue.core.vlm.records import Question


def read_questions(folder: Path) -> tuple[Sequence[tuple[Question, Path]], QuestionSource]:
    """The questions of a folder with their images' paths, and where they are from.

    Raises BadInput and StorageError as :func:`truehue.core.vlm.question_set.open_set`.
    """
    opened = open_set(folder)
    questions = [(question, opened.image_path(question)) for question in opened.questions()]
    return questions, QuestionSource(str(folder.resolve()), opened.sha256)
