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


def answers_csv(evaluations: Iterable[tuple[str, EvaluationLog]]) -> str:
    """A line for every answer of some askings, each under a name, with texts that no spreadsheet
    takes for formulas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, log in evaluations:
        questions = {item.question_id: item for item in log.questions}
        released = as_released(log)
        as_read = {item.question_id: item for item in released.answers} if released else {}
        for answer in log.answers:
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
                log.parser,
                *_released_cells(as_read.get(answer.question_id)),
            )
            writer.writerow(map(cell, row))
    return text.getvalue()


def _released_cells(answer: Answer | None) -> tuple[str | None, str]:
    """As the released code reads the same words; empty where it reads none of the kind."""
    return (None, "") if answer is None else (answer.reading, str(answer.outcome))
