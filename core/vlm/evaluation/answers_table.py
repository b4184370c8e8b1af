"""Answers as a table: a line an answer, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from truehue.core.spreadsheets import cell
from truehue.core.vlm.evaluation.log import EvaluationLog, as_released
from truehue.core.vlm.records import Answer

COLUMNS = (
    "asking",
    "question_id",
    "task",
    "expected",
    "words",
    "reading",
    "outcome",
    "reason",
    "parser",
    "released_reading",
    "released_outcome",
)


def answers_csv(askings: Iterable[tuple[str, EvaluationLog]]) -> str:
    """A line for every answer of some askings, each under a name, with texts that no spreadsheet
    takes for formulas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, asked in askings:
        questions = {one.question_id: one for one in asked.questions}
        released = as_released(asked)
        as_read = {one.question_id: one for one in released.answers} if released else {}
        for answer in asked.answers:
            question = questions[answer.question_id]
            row = (
                name,
                answer.question_id,
                question.task,
                question.answer,
                answer.words,
                answer.reading,
                str(answer.outcome),
                answer.reason,
                asked.parser,
                *_released_cells(as_read.get(answer.question_id)),
            )
            writer.writerow(map(cell, row))
    return text.getvalue()


def _released_cells(answer: Answer | None) -> tuple[str | None, str]:
    """As the released code reads the same words; empty where it reads none of the kind."""
    return (None, "") if answer is None else (answer.reading, str(answer.outcome))
