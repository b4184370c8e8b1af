"""A set of questions as a folder: ``questions.jsonl``, and the PNG files that it names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from core.errors import BadInput
from core.files import shelf
from core.vision_language.asking.plan import QUESTIONS, QuestionSource
from core.vision_language.records import Form, Question


def read_questions(folder: Path) -> tuple[Sequence[tuple[Question, Path]], QuestionSource]:
    """The questions with their images' paths, and where they are from, by the file's SHA-256.

    A line is a JSON object with the fields of a Question and ``image``, a path below the folder;
    where it has none, the image is ``images/ab/abcd….png``, by its ``image_id``. Raises BadInput,
    with the line.
    """
    path = folder / QUESTIONS
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(
            f"{folder} is no set of questions: cannot read {QUESTIONS} ({error.strerror})."
        ) from error
    questions: list[tuple[Question, Path]] = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            fields = json.loads(line)
            image = fields.pop("image", None) or shelf(Path("images"), fields["image_id"])
            fields["form"], fields["choices"] = Form(fields["form"]), tuple(fields["choices"])
            question = Question(**fields)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadInput(f"{path}, line {number}: {error}") from error
        questions.append((question, folder / image))
    twice = len(questions) - len({question.question_id for question, _ in questions})
    if twice:
        raise BadInput(f"{path} has {twice:,} questions of the same question_id as another.")
    return questions, QuestionSource(str(folder.resolve()), hashlib.sha256(content).hexdigest())
