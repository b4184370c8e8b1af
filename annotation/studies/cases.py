"""The materials of a study: cases, candidates of models, questions, and stimuli of trials."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations

from truehue.core.errors import BadInput
from truehue.core.vlm.records import LETTERS, Answer, Form, Outcome, Question

YES_NO = ("yes", "no")
CANNOT_TELL = "I cannot tell"
"""What somebody says who leaves a question; kept as the words of their answer."""
MAX_LETTERS_CHECKED = 4
"""Letters that a check of attention chooses among, at most."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
SET_SIZE = 4
"""Images of a stimulus where the best of several is asked for."""


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
        if not _SHA256.fullmatch(self.image_id):
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
    """A person's answer in the form of a model's: the ``index`` of a choice, or None where they
    could not tell, which counts as a refusal does: unreadable, no wrong letter."""
    if index is None:
        return Answer(
            question.question_id, CANNOT_TELL, None, Outcome.UNREADABLE, "The person could not tell"
        )
    reading = question.choices[index] if question.form is Form.BINARY else LETTERS[index]
    outcome = Outcome.RIGHT if index == question.right else Outcome.WRONG
    return Answer(question.question_id, question.choices[index], reading, outcome)


class Kind(StrEnum):
    """The kind of answer: one of two, a step of a scale, one of four, a coloring, or a choice of a
    question about an image."""

    PAIRS = "pairs"
    RATINGS = "ratings"
    BEST_OF = "best-of"
    COLORINGS = "colorings"
    QUESTIONS = "questions"


@dataclass(frozen=True)
class Candidate:
    """A model's result for a case.

    ``image_ids`` are stored images, the first of which stands for it; ``weights`` are the shares
    of the 71 bins of UW-71 where the distribution is what is judged, else empty.
    """

    model: str
    image_ids: tuple[str, ...]
    weights: tuple[float, ...] = ()


@dataclass(frozen=True)
class Case:
    """A concept or a prompt with candidates, each of another model, or with a sketch to color, or a
    question about an image.

    ``words`` are what people read. ``group`` is what results are told apart by, such as the type of
    a concept or the task of a question. ``reference`` are the shares of people's distribution over
    UW-71, else empty. ``sketch`` is the id of a sketch; a concept and its modifiers may share one.
    """

    id: str
    words: str
    candidates: tuple[Candidate, ...]
    group: str = ""
    reference: tuple[float, ...] = ()
    sketch: str = ""
    question: CaseQuestion | None = None

    @property
    def image_ids(self) -> tuple[str, ...]:
        """All images that trials of it show."""
        own = () if self.question is None else (self.question.image_id,)
        return (*own, *(image for candidate in self.candidates for image in candidate.image_ids))

    @property
    def models(self) -> tuple[str, ...]:
        """The models of its candidates, in their order."""
        return tuple(candidate.model for candidate in self.candidates)

    def candidate(self, model: str) -> Candidate:
        """What that model made of it. Raises KeyError for a model that has none."""
        for candidate in self.candidates:
            if candidate.model == model:
                return candidate
        raise KeyError(model)


@dataclass(frozen=True)
class Stimulus:
    """The contents of one trial: candidates of one case, in an order independent of their sides.

    ``id`` is 32 hexadecimal characters of the SHA-256 of case and models, so that the same
    stimulus has the same id in every study of the same cases. ``models`` are sorted: one for a
    rating, two for a pair, four for a set, none for a sketch or a question.
    """

    case_id: str
    models: tuple[str, ...]

    @cached_property
    def id(self) -> str:
        """Made of the case and the models alone."""
        text = "\x1f".join((self.case_id, *self.models))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


SIZES = {
    Kind.PAIRS: 2,
    Kind.RATINGS: 1,
    Kind.BEST_OF: SET_SIZE,
    Kind.COLORINGS: 0,
    Kind.QUESTIONS: 0,
}
"""Candidates that a stimulus shows, by the kind of its study."""


def stimuli_of(
    kind: Kind, cases: Iterable[Case], model_sets: Sequence[tuple[str, ...]] | None = None
) -> tuple[Stimulus, ...]:
    """Every stimulus of the cases, in the order of cases and then of models.

    ``model_sets`` are the pairs, or sets of four, that are asked about; None asks about all that
    the candidates of a case make. Raises BadInput for a case with too few candidates, for two
    cases with one id, and for a set that no case has.
    """
    size = SIZES[kind]
    wanted = None if model_sets is None else {tuple(sorted(models)) for models in model_sets}
    stimuli: list[Stimulus] = []
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise BadInput(f"Two cases have the id {case.id[:80]!r}. Leave one of them out.")
        seen.add(case.id)
        models = sorted(case.models)
        if len(set(models)) != len(models):
            raise BadInput(f"{case.words[:80]!r} has two candidates of one model.")
        if len(models) < size:
            raise BadInput(
                f"{case.words[:80]!r} has {len(models)} of the {size} candidates that a stimulus "
                "shows. Add images of more models, or leave it out."
            )
        stimuli += (
            Stimulus(case.id, members)
            for members in combinations(models, size)
            if wanted is None or members in wanted
        )
    if wanted is not None and (missing := wanted - {stimulus.models for stimulus in stimuli}):
        names = ", ".join(" and ".join(models) for models in sorted(missing))
        raise BadInput(f"No case has candidates of {names[:200]}.")
    return tuple(stimuli)
