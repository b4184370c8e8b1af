"""What of questions stands in the tables that every study has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from truehue.annotation.judgments.answers import Answer, AnswerKind
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import Trial

Json = dict[str, Any]


def chosen_of(plan: StudyPlan, trial: Trial, answer: Answer) -> str | None:
    """The model at the place that was chosen, or the text of a question's choice; None of other
    answers."""
    question = plan.question_of(trial.stimulus_id)
    source = trial.order if question is None else question.choices
    if answer.kind is not AnswerKind.PLACE or answer.value is None or not source:
        return None
    return source[answer.value]


def right_of(plan: StudyPlan, trial: Trial) -> int | None:
    """The right answer to a trial; None where there is none."""
    question = plan.question_of(trial.stimulus_id)
    return trial.expected if question is None else question.right


def share_rows(results: Json) -> Iterator[tuple[str, Json, int, None, None, str]]:
    """Measure, number, how many it is made of, neither model nor other, and the task."""
    for item in (results["overall"], *results["tasks"]):
        chance = {"value": item["chance"], "low": None, "high": None, "why": ""}
        for measure, number, source in (
            ("right", item["share"], item["answers"]),
            ("right-told", item["told"], item["right"] + item["wrong"]),
            ("chance", chance, item["answers"]),
        ):
            yield measure, number, source, None, None, item["task"]
    if (macro := results["macro"]) is not None:
        yield "right-macro", macro["share"], macro["tasks"], None, None, ""
