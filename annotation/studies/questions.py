"""Questions about an image as people are asked them, and back to the answers that models give."""

from __future__ import annotations

import re
from dataclasses import dataclass

from truehue.core.errors import BadInput
from truehue.core.vlm.records import LETTERS, Answer, Form, Outcome, Question

YES_NO = ("yes", "no")
CANNOT_TELL = "I cannot tell"
"""What somebody says who leaves a question; kept as the words of their answer."""
MOST_LETTERS_CHECKED = 4
"""Letters that a check of attention chooses among, at most."""
_IMAGE = re.compile(r"[0-9a-f]{64}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class CaseQuestion:
    """A question of a case, whose words are its text.

    ``choices`` are texts in the order of their letters, or yes and no; ``right`` is the place of
    the right one from 0, which no participant's page is ever told. ``image_id`` names the image by
    its pixels. Raises BadInput for what cannot be answered by a tap.
    """

    question_id: str
    form: Form
    choices: tuple[str, ...]
    right: int
    image_id: str

    def __post_init__(self) -> None:
        if self.form is Form.OPEN:
            raise BadInput(
                f"The question {self.question_id[:80]} is answered in words: people tap a choice.",
                "cases",
            )
        if not 2 <= len(self.choices) <= len(LETTERS) or (
            self.form is Form.BINARY and self.choices != YES_NO
        ):
            raise BadInput(
                f"The question {self.question_id[:80]} has other choices than its form.", "cases"
            )
        if not 0 <= self.right < len(self.choices):
            raise BadInput(
                f"The right answer of the question {self.question_id[:80]} is none of its choices.",
                "cases",
            )
        if not _IMAGE.fullmatch(self.image_id):
            raise BadInput(
                f"The question {self.question_id[:80]} names its image by what is no image's id.",
                "cases",
            )

    @property
    def chance(self) -> float:
        """The share that guessing gets right, 0 to 1."""
        return 1.0 / len(self.choices)

    @property
    def kind_of_choice(self) -> tuple[str, int]:
        """Form and number of choices: answers of one kind mean the same where they are compared."""
        return self.form.value, len(self.choices)


@dataclass(frozen=True)
class QuestionSetName:
    """Which set of questions a study asks: its ``name``, and the SHA-256 of its questions, by which
    answers are matched with those of models."""

    name: str
    sha256: str

    def __post_init__(self) -> None:
        if not _SHA256.fullmatch(self.sha256):
            raise BadInput("A set of questions is named by its SHA-256.", "question_set")


def stored_question(question: Question) -> CaseQuestion:
    """A question of a set as people are asked it. Raises BadInput for one answered in words."""
    choices = YES_NO if question.form is Form.BINARY else question.choices
    right = (
        YES_NO.index(question.answer)
        if question.form is Form.BINARY
        else LETTERS.find(question.answer)
        if question.form is Form.CHOICE
        else 0
    )
    return CaseQuestion(
        question.question_id, question.form, tuple(choices), right, question.image_id
    )


def answer_record(question: CaseQuestion, index: int | None) -> Answer:
    """A person's answer in the form of a model's: the ``place`` of a choice, or None where they
    could not tell, which counts as a refusal does: unreadable, no wrong letter."""
    if index is None:
        return Answer(
            question.question_id, CANNOT_TELL, None, Outcome.UNREADABLE, "The person could not tell"
        )
    reading = question.choices[index] if question.form is Form.BINARY else LETTERS[index]
    outcome = Outcome.RIGHT if index == question.right else Outcome.WRONG
    return Answer(question.question_id, question.choices[index], reading, outcome)
