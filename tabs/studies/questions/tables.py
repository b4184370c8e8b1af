"""The table that only studies of questions have, for exports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from truehue.core.export.columns import TEXT, WHOLE, Column
from truehue.core.vlm.records import Form
from truehue.tabs.studies.questions.results import letter_of
from truehue.tabs.studies.tables import COMPUTED, DONE, PLAN, StudyTable
from truehue.tabs.studies.tables_rows import ExportData


def _text(name: str, source: str, meaning: str, unit: str = "", **more: Any) -> Column:
    return Column(name, TEXT, source, meaning, unit, **more)


def questions(data: ExportData) -> Iterator[dict[str, Any]]:
    """Questions in the order of the plan, with how often each choice was taken."""
    everybody, included = (
        data.results[over]["questions"]["answers"] for over in ("everybody", "included")
    )
    for case in data.source.plan.cases:
        question = case.question
        if question is None:
            continue
        letters = [letter_of(question.form, index) for index in range(len(question.choices))]
        yield {
            "case": case.id,
            "question": question.question_id,
            "task": case.group,
            "words": case.words,
            "form": question.form,
            "choices": _by_letter(letters, question.choices),
            "right": letters[question.right],
            "image": question.image_id,
            "answers": _by_letter(letters, everybody[case.id]["counts"]),
            "skips": everybody[case.id]["skips"],
            "answers_included": _by_letter(letters, included[case.id]["counts"]),
            "skips_included": included[case.id]["skips"],
        }


def _by_letter(letters: Sequence[str], values: Sequence[Any]) -> str:
    return json.dumps(dict(zip(letters, values, strict=True)), ensure_ascii=False)


QUESTION_TABLES: tuple[StudyTable, ...] = (
    StudyTable(
        "questions",
        "The questions, their correct answers, and how often each choice was selected",
        "a question",
        (
            _text("case", PLAN, "Id of the case.", always=True),
            _text("question", PLAN, "Id of the question in its set.", always=True),
            _text("task", PLAN, "Id of its task.", always=True),
            _text("words", PLAN, "What people read.", always=True),
            _text(
                "form",
                PLAN,
                "Whether its answers are choices, or yes and no.",
                allowed=(Form.CHOICE, Form.BINARY),
                always=True,
            ),
            _text(
                "choices", PLAN, "The texts of the choices by their letters.", "JSON", always=True
            ),
            _text("right", PLAN, "The letter of the correct choice.", always=True),
            _text("image", PLAN, "Id of its image (SHA-256 of the pixels).", always=True),
            _text("answers", DONE, "Answers to main trials by letter.", "JSON", always=True),
            Column("skips", WHOLE, DONE, "Answers “cannot tell”.", "answers", always=True),
            _text(
                "answers_included",
                COMPUTED,
                "The same for included participants only.",
                "JSON",
                always=True,
            ),
            Column(
                "skips_included",
                WHOLE,
                COMPUTED,
                "The same for those participants.",
                "answers",
                always=True,
            ),
        ),
        questions,
    ),
)
