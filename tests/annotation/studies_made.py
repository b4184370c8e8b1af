"""Plans for tests: cases and models by number, without images."""

from __future__ import annotations

from typing import Any

from truehue.annotation.studies.cases import (
    YES_NO,
    Candidate,
    Case,
    CaseQuestion,
    Kind,
    QuestionSetName,
)
from truehue.annotation.studies.plan import Consent, Material, Practice, Review, StudyPlan
from truehue.core.vlm.records import Form

FLAT = (1 / 71,) * 71


def cases(number: int, models: int) -> tuple[Case, ...]:
    """Cases ``c0`` … with candidates of models ``m0`` … each."""
    return tuple(
        Case(
            f"c{i}",
            f"concept {i}",
            tuple(Candidate(f"m{j}", (f"image-{i}-{j}",), FLAT) for j in range(models)),
            reference=FLAT,
        )
        for i in range(number)
    )


def plan(number: int = 6, models: int = 3, **values: Any) -> StudyPlan:
    """A study of pairs, two votes a stimulus and five trials a person unless said otherwise."""
    provided: dict[str, Any] = {
        "title": "Which is closer?",
        "kind": Kind.PAIRS,
        "material": Material.IMAGES,
        "question": "Which is closer?",
        "instructions": "",
        "consent": Consent("1", "I agree."),
        "cases": cases(number, models),
        "votes": 2,
        "trials": 5,
        "seed": 7,
    }
    return StudyPlan(**{**provided, **values})


def sketch_cases(number: int, sharing: int = 1) -> tuple[Case, ...]:
    """Cases ``c0`` … with a sketch each, or one for every ``sharing`` of them."""
    return tuple(
        Case(f"c{i}", f"concept {i}", (), f"group {i % 3}", sketch=f"{i // sharing:032x}")
        for i in range(number)
    )


def coloring_plan(
    number: int = 12, practice: int = 3, review: Review = Review.RESEARCHER, **values: Any
) -> StudyPlan:
    """A study of colorings, five a concept and five sketches a person unless said otherwise; the
    last cases are the practice."""
    made = sketch_cases(number)
    provided: dict[str, Any] = {
        "kind": Kind.COLORINGS,
        "material": Material.SKETCHES,
        "cases": made,
        "votes": 5,
        "tie": False,
        "practice": Practice(tuple(case.id for case in made[number - practice :]), review),
    }
    return plan(**{**provided, **values})


def question_cases(number: int, tasks: int = 2) -> tuple[Case, ...]:
    """Cases ``c0`` … that ask a question of four choices each, of tasks in turn; every fifth is
    one of yes and no. The right answer of the first four are A to D."""
    return tuple(
        Case(
            f"c{i}",
            f"Question {i}?",
            (),
            f"task_{i % tasks}",
            question=CaseQuestion(
                f"q{i}",
                Form.BINARY if i % 5 == 4 else Form.CHOICE,
                YES_NO if i % 5 == 4 else ("red", "green", "blue", "gray"),
                0 if i % 5 == 4 else i % 5 % 4,
                f"{i:064x}",
            ),
        )
        for i in range(number)
    )


def question_plan(number: int = 10, tasks: int = 2, **values: Any) -> StudyPlan:
    """A study of questions, two answers a question and all of them a person unless said
    otherwise."""
    provided: dict[str, Any] = {
        "kind": Kind.QUESTIONS,
        "material": Material.QUESTIONS,
        "cases": question_cases(number, tasks),
        "trials": number,
        "tie": False,
        "question_set": QuestionSetName("Ten questions", "ab" * 32),
    }
    return plan(**{**provided, **values})
