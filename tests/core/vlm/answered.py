"""Questions and answers of known outcome."""

from __future__ import annotations

from collections.abc import Iterable

from truehue.core.vlm.records import Answer, Form, Outcome, Question

OUTCOMES = {
    "+": Outcome.RIGHT,
    "-": Outcome.WRONG,
    "?": Outcome.UNREADABLE,
    "0": Outcome.UNANSWERED,
}


def question(name: str, task: str = "color_counting", seed: str = "", choices: int = 4) -> Question:
    texts = tuple(str(number) for number in range(choices))
    variant = name.rpartition("/")[2] if seed else ""
    return Question(name, task, Form.CHOICE, "How many?", texts, "A", "x", seed, variant)


def questions(task: str, count: int, choices: int = 4) -> list[Question]:
    return [question(f"{task}/{number}", task, choices=choices) for number in range(count)]


def seed(name: str, variants: int = 9) -> list[Question]:
    """An original of robustness and its variants."""
    task = "color_robustness"
    return [
        question(name, task),
        *(question(f"{name}/{number}", task, name) for number in range(variants)),
    ]


def answers(target: Iterable[Question], marks: str) -> list[Answer]:
    """One answer a question by its mark: ``+`` right, ``-`` wrong, ``?`` unreadable, ``0`` none,
    a blank for a question that was not asked."""
    return [
        Answer(item.question_id, "", None, OUTCOMES[mark], "" if mark in "+-" else f"why {mark}")
        for item, mark in zip(target, marks, strict=True)
        if mark != " "
    ]
