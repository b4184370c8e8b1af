"""The plan of a study: all settings that decide a participant's trials; to and from JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError

from truehue.annotation.studies.cases import (
    MAX_LETTERS_CHECKED,
    SIZES,
    Case,
    CaseQuestion,
    Kind,
    QuestionSetName,
    Stimulus,
    stimuli_of,
)
from truehue.annotation.studies.survey import Survey
from truehue.core.errors import BadInput

MAX_SKETCHES = 12
MAX_EXAMPLES = 24
MAX_TEXT = 500
_IMAGE = re.compile(r"([0-9a-f]{64})?")
RATING_STEPS = 11
"""Ratings go from 0 to 10, as in CFD-Human."""
MAX_TRIALS = 2_000
MAX_VOTES = 1_000
MAX_CASE_GAP = 20
MIN_START_PERCENT = 20
MAX_SEED = 2**63 - 1
MIN_RETURN_S, MAX_RETURN_S = 5, 600
SCREENING_PLATES = 4
"""Plates with digits in a screening: one of each :class:`truehue.core.images.plates.Axis`."""
LANDSCAPE = "Landscapes"
"""The category of concepts whose drawings are scenes up to the border."""
_SKETCH = re.compile(r"[0-9a-f]{32}")


class Review(StrEnum):
    """Who says that the practice was good enough to go on."""

    RESEARCHER = "researcher"
    AUTOMATIC = "automatic"
    """Each practice sketch has colors on a part of it, put there by more than one action."""
    NONE = "none"


@dataclass(frozen=True)
class Practice:
    """Sketches that are colored before the rest: ``case_ids`` of the plan's cases, of which no
    coloring is wanted then."""

    case_ids: tuple[str, ...] = ()
    review: Review = Review.RESEARCHER

    def __post_init__(self) -> None:
        if len(self.case_ids) > MAX_SKETCHES:
            raise BadInput(f"A practice has at most {MAX_SKETCHES} sketches.", "practice")
        if len(set(self.case_ids)) < len(self.case_ids):
            raise BadInput("The practice names one sketch twice. Take another for it.", "practice")


@dataclass(frozen=True)
class Example:
    """How it is done, or, where it is not ``good``, how not: ``text`` beside a stored image, whose
    id is empty where the text says enough."""

    text: str
    good: bool
    image_id: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip() or len(self.text) > MAX_TEXT:
            raise BadInput(f"An example has a text of at most {MAX_TEXT} characters.", "examples")
        if not _IMAGE.fullmatch(self.image_id):
            raise BadInput("An example names its image by 64 hexadecimal characters.", "examples")


class Material(StrEnum):
    """The materials of a comparison."""

    DISTRIBUTIONS = "distributions"
    """Distributions with people's, images for reference (ColorConceptBench, Appendix D)."""
    IMAGES = "images"
    """Images with the words of their case."""
    SKETCHES = "sketches"
    """Sketches that people color."""
    QUESTIONS = "questions"
    """Questions about an image, which is shown pixel by pixel."""


class Method(StrEnum):
    """The method of choosing the next stimulus."""

    BALANCED = "balanced"
    ADAPTIVE = "adaptive"


@dataclass(frozen=True)
class Consent:
    """The participant's consent text; another text is another ``version``."""

    version: str
    text: str


@dataclass(frozen=True)
class Training:
    """Trials with a known answer before the rest: ``keys`` are stimulus id and the right model,
    ``needed`` how many must be right, in at most ``attempts`` rounds. ``required``: a participant
    who is not right often enough in any round ends there, by :attr:`Ending.FAILED_CHECKS`."""

    keys: tuple[tuple[str, str], ...] = ()
    needed: int = 0
    attempts: int = 2
    required: bool = False


@dataclass(frozen=True)
class Screening:
    """What is looked at before the trials. Participants who do not reach its pass marks end there, by
    :attr:`Ending.SCREENED_OUT`: ``needed_plates`` read right, and with ``needs_patches`` every patch
    found. Without them nobody is sent away."""

    plates: bool = True
    patches: bool = True
    needed_plates: int = 0
    needs_patches: bool = False

    @property
    def has_pass_mark(self) -> bool:
        """Whether somebody can be screened out."""
        return self.needed_plates > 0 or self.needs_patches


class Ending(StrEnum):
    """The ways in which a participation ends."""

    COMPLETED = "completed"
    NO_CONSENT = "no_consent"
    SCREENED_OUT = "screened_out"
    """The screening's pass mark was not reached."""
    FAILED_CHECKS = "failed_checks"
    """Too many attention checks were missed, or a required training was not passed."""
    FULL = "full"
    """No place was free, or the study was closed."""
    TIMED_OUT = "timed_out"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class Completion:
    """What a participant gets at an ending: ``code`` is shown, ``url`` is the return URL,
    ``text`` stands below the page's own words. In ``url``, ``{code}`` and ``{id}`` stand for the code
    and for what the recruiting site calls the participant."""

    code: str = ""
    url: str = ""
    text: str = ""


@dataclass(frozen=True)
class Closing:
    """When a study closes by itself: with every stimulus answered often enough, with so many
    ``participants`` who finished, or never (both off). Who left does not count, and no more are let
    in than can still be counted; who is in when it closes may finish. ``replace_excluded``: nor do
    those whom results leave out, so that others answer in their place; plans that were stored
    before there was this do without."""

    when_complete: bool = True
    participants: int | None = None
    replace_excluded: bool = False


@dataclass(frozen=True)
class StudyPlan:
    """A study as it will be served, checked when made.

    ``votes`` are the answers wanted a stimulus, or the colorings a concept; ``trials`` the main
    trials a participant gets at most; ``repeats`` and ``attention`` come on top. ``seed`` is where
    all chance starts from. ``abandoned_after_s``: seconds without a sign of a participant, after
    which the stimuli without an answer go to others too; ``unanswered_after_s`` is the same of
    somebody who has answered nothing yet, None as long, and never longer. ``start_percent``: of the
    people who hold trials and have answered nothing yet, so many of a hundred are expected to begin,
    20 to 100; the trials of the others go to newcomers too. ``intro`` and ``outro`` are pages before
    and after; ``wording`` replaces words of the page by name. ``provenance`` are sentences on what the
    cases were made of and what was left out, for those who read the results.
    ``practice`` and ``examples`` are for sketches that are colored, ``question_set`` for questions.
    ``completion`` is what a participant gets who completed the study, ``endings`` what the others
    get; ``returns_after_s``: seconds until the last page opens the return URL automatically, None
    never. ``missed_checks_limit``: with so many missed attention checks a participation ends,
    None never. ``time_limit_s``: seconds from the consent, after which nobody answers any more who
    has not answered everything; None without a limit. ``omit_equal``: stimuli that show one image
    twice are not asked about. ``survey``: questions about the participant, before and after.
    ``case_gap``: so many trials, 1 to 20, lie between two main trials of one case, as far as possible.
    ``ask_background``: whether somebody who colors the surround of a sketch is asked if it belongs
    to the concept, and such a coloring is flagged; None, as in plans that were stored before there
    was this, flags and does not ask. ``reference_image``: whether somebody who colors may open an
    image of their own beside the sketch and take colors of it, each of which is an action.
    ``keep_color``: whether a sketch begins with the color in hand at the end of the one before; False,
    as in plans that were stored before there was this, begins each without a color.
    ``record_input``: whether the page records how answers are entered, and says so
    (:mod:`truehue.annotation.quality.agents`). Raises BadInput for a plan that cannot be served.
    """

    title: str
    kind: Kind
    material: Material
    question: str
    instructions: str
    consent: Consent
    cases: tuple[Case, ...]
    votes: int
    trials: int
    seed: int
    model_sets: tuple[tuple[str, ...], ...] | None = None
    method: Method = Method.BALANCED
    tie: bool = True
    skip: bool = True
    repeats: int = 0
    attention: int = 0
    training: Training = field(default_factory=Training)
    screening: Screening = field(default_factory=Screening)
    completion: Completion = field(default_factory=Completion)
    closing: Closing = field(default_factory=Closing)
    abandoned_after_s: int = 3_600
    unanswered_after_s: int | None = None
    start_percent: int = 100
    language: str = "en"
    intro: str = ""
    outro: str = ""
    wording: tuple[tuple[str, str], ...] = ()
    provenance: tuple[str, ...] = ()
    practice: Practice = field(default_factory=Practice)
    examples: tuple[Example, ...] = ()
    question_set: QuestionSetName | None = None
    ask_background: bool | None = None
    endings: tuple[tuple[Ending, Completion], ...] = ()
    returns_after_s: int | None = None
    missed_checks_limit: int | None = None
    time_limit_s: int | None = None
    omit_equal: bool = False
    survey: Survey = field(default_factory=Survey)
    case_gap: int = 1
    reference_image: bool = False
    keep_color: bool = False
    record_input: bool = False

    def __post_init__(self) -> None:
        for name, text in (("title", self.title), ("question", self.question)):
            if not text.strip():
                raise BadInput(f"A study needs a {name}: it is what participants read.", name)
        if not self.consent.text.strip():
            raise BadInput("A study needs the text that participants agree to.", "consent")
        for name, number, least, limit in (
            ("seed", self.seed, 0, MAX_SEED),
            ("votes", self.votes, 1, MAX_VOTES),
            ("trials", self.trials, 1, MAX_TRIALS),
            ("repeats", self.repeats, 0, self.trials),
            ("attention", self.attention, 0, self.trials),
            ("case_gap", self.case_gap, 1, MAX_CASE_GAP),
            ("abandoned_after_s", self.abandoned_after_s, 60, 30 * 86_400),
            ("unanswered_after_s", self.absence_s(answered=False), 60, 30 * 86_400),
            ("start_percent", self.start_percent, MIN_START_PERCENT, 100),
            ("returns_after_s", self.returns_after_s or MIN_RETURN_S, MIN_RETURN_S, MAX_RETURN_S),
            ("time_limit_s", self.time_limit_s or 60, 60, 30 * 86_400),
        ):
            if not least <= number <= limit:
                raise BadInput(f"{name} is a whole number from {least} to {limit}.", name)
        if self.material is Material.DISTRIBUTIONS:
            self._check_distributions()
        if self.method is Method.ADAPTIVE and self.kind is not Kind.PAIRS:
            raise BadInput("Only pairs can be chosen adaptively.", "method")
        self._check_training()
        self._check_pass_marks()
        if (self.kind is Kind.COLORINGS) != (self.material is Material.SKETCHES):
            raise BadInput("Sketches are what is colored, and nothing else is.", "material")
        if self.kind is Kind.COLORINGS:
            self._check_sketches()
        elif self.practice.case_ids or self.examples:
            raise BadInput("Practice sketches and examples are for colorings.", "practice")
        elif self.reference_image:
            raise BadInput("A reference image is for colorings.", "reference_image")
        elif self.keep_color:
            raise BadInput("Only colorings keep a color.", "keep_color")
        if (self.kind is Kind.QUESTIONS) != (self.material is Material.QUESTIONS):
            raise BadInput("Questions are answered, and nothing else is.", "material")
        self._check_questions()
        _ = self.stimuli  # what cannot be shown is refused now, and not once it is stored

    def _check_distributions(self) -> None:
        for case in self.cases:
            if not case.reference:
                raise BadInput(
                    f"{case.words[:80]!r} has no distribution of people to compare with.", "cases"
                )
            for candidate in case.candidates:
                if not candidate.weights:
                    raise BadInput(
                        f"{candidate.model[:80]} has no distribution for {case.words[:80]!r}.",
                        "cases",
                    )

    def _check_training(self) -> None:
        if self.training.keys and self.kind is Kind.RATINGS:
            raise BadInput("Training needs a right answer, and a rating has none.", "training")
        if not 1 <= self.training.attempts <= 5:
            raise BadInput("Training takes 1 to 5 rounds.", "training")
        if len({stimulus_id for stimulus_id, _ in self.training.keys}) < len(self.training.keys):
            raise BadInput("Training shows one stimulus twice. Take another for it.", "training")
        if not 0 <= self.training.needed <= len(self.training.keys):
            raise BadInput(
                f"{self.training.needed} correct answers cannot be required from "
                f"{len(self.training.keys)} training trials.",
                "training",
            )
        for stimulus_id, model in self.training.keys:
            stimulus = self.by_id.get(stimulus_id)
            if stimulus is None or model not in stimulus.models:
                raise BadInput("A training trial names a stimulus that is not here.", "training")

    def _check_pass_marks(self) -> None:
        screening, limit = self.screening, self.missed_checks_limit
        if not 0 <= screening.needed_plates <= (SCREENING_PLATES if screening.plates else 0):
            raise BadInput(
                f"{screening.needed_plates} plates cannot be required: "
                f"{SCREENING_PLATES if screening.plates else 'none'} are shown.",
                "screening.needed_plates",
            )
        if screening.needs_patches and not screening.patches:
            raise BadInput("Patches cannot be required that are not shown.", "screening.patches")
        if limit is not None and not 1 <= limit <= self.attention:
            raise BadInput(
                f"{limit} missed attention checks cannot end a participation that has "
                f"{self.attention}.",
                "missed_checks_limit",
            )
        if self.training.required and not self.training.needed:
            raise BadInput(
                "A required training needs a number of correct answers.", "training.needed"
            )
        if self.time_limit_s is not None and self.kind is Kind.COLORINGS:
            raise BadInput(
                "Colorings have no time limit: it would run while a practice waits for its review, "
                "and second colorings are asked for later.",
                "time_limit_s",
            )
        if len({ending for ending, _ in self.endings} - {Ending.COMPLETED}) < len(self.endings):
            raise BadInput("Each other ending has one code, return URL and text.", "endings")

    def _check_sketches(self) -> None:
        for case in self.cases:
            if not _SKETCH.fullmatch(case.sketch):
                raise BadInput(f"{case.words[:80]!r} has no sketch to color.", "cases")
            if case.candidates:
                raise BadInput(
                    f"{case.words[:80]!r} has candidates of models, and people color a sketch.",
                    "cases",
                )
        if self.training.keys or self.repeats or self.attention:
            raise BadInput(
                "A coloring has no right answer: leave training, repeats and attention checks out. "
                "Second colorings are asked for while the study runs.",
                "repeats" if self.repeats else "training",
            )
        if not set(self.practice.case_ids) <= self.case_by_id.keys():
            raise BadInput("The practice names a case that is not here.", "practice")
        if len(self.examples) > MAX_EXAMPLES:
            raise BadInput(f"A study has at most {MAX_EXAMPLES} examples.", "examples")

    def _check_questions(self) -> None:
        requested = self.kind is Kind.QUESTIONS
        if requested != (self.question_set is not None):
            raise BadInput(
                "A study of questions names their set, and no other study does.", "question_set"
            )
        for case in self.cases:
            if requested != (case.question is not None) or (requested and case.candidates):
                raise BadInput(
                    f"{case.words[:80]!r} is no question."
                    if requested
                    else f"{case.words[:80]!r} is a question, which people answer alone.",
                    "cases",
                )
        if requested and (self.training.keys or self.tie):
            raise BadInput(
                "A question has a right answer that nobody is told, and no tie: leave training and "
                "ties out.",
                "training" if self.training.keys else "tie",
            )

    @cached_property
    def stimuli(self) -> tuple[Stimulus, ...]:
        """All that is asked about, in the order of cases and models."""
        return stimuli_of(self.kind, self.cases, self.model_sets)

    @cached_property
    def by_id(self) -> dict[str, Stimulus]:
        """The stimuli by their ids."""
        return {stimulus.id: stimulus for stimulus in self.stimuli}

    @cached_property
    def case_by_id(self) -> dict[str, Case]:
        """The cases by their ids."""
        return {case.id: case for case in self.cases}

    @cached_property
    def main_stimuli(self) -> tuple[Stimulus, ...]:
        """The stimuli that votes are wanted of: all but those of training and practice, and those that
        are omitted."""
        keys = {stimulus_id for stimulus_id, _ in self.training.keys}
        practice = set(self.practice.case_ids)
        omits = self.omit_equal and self.material is Material.IMAGES
        return tuple(
            stimulus
            for stimulus in self.stimuli
            if stimulus.id not in keys
            and stimulus.case_id not in practice
            and not (omits and self.shows_equal(stimulus))
        )

    def shows_equal(self, stimulus: Stimulus) -> bool:
        """Whether a stimulus shows one image at two places."""
        case = self.case_by_id[stimulus.case_id]
        shown = [case.candidate(model).image_ids for model in stimulus.models]
        shown = [image_ids for image_ids in shown if image_ids]
        return len(set(shown)) < len(shown)

    @cached_property
    def practice_stimuli(self) -> tuple[Stimulus, ...]:
        """The sketches of the practice, in its order."""
        by_case = {stimulus.case_id: stimulus for stimulus in self.stimuli}
        return tuple(by_case[case_id] for case_id in self.practice.case_ids)

    @property
    def answers_wanted(self) -> int:
        """Votes that make the study complete."""
        return self.votes * len(self.main_stimuli)

    @property
    def choice_count(self) -> int:
        """What an answer can be: places to choose, or steps of the scale; of questions, the letters
        that a check of attention asks for."""
        if self.kind is Kind.QUESTIONS:
            limit = max(
                (len(case.question.choices) for case in self.cases if case.question), default=2
            )
            return min(limit, MAX_LETTERS_CHECKED)
        return RATING_STEPS if self.kind is Kind.RATINGS else SIZES[self.kind]

    def completion_of(self, ending: Ending) -> Completion:
        """What a participant gets at an ending."""
        if ending is Ending.COMPLETED:
            return self.completion
        return dict(self.endings).get(ending, Completion())

    def absence_s(self, answered: bool) -> int:
        """Seconds without a sign, after which the places of somebody are free: of who has, or has
        not, ``answered`` anything."""
        if answered or self.unanswered_after_s is None:
            return self.abandoned_after_s
        return min(self.unanswered_after_s, self.abandoned_after_s)

    def released(self, people: int) -> int:
        """How many of ``people`` who hold trials, and have answered nothing yet, are expected never
        to begin, rounded down."""
        return people * (100 - self.start_percent) // 100

    def watches_background(self, case: Case) -> bool:
        """Whether color on the surround of a case's sketch is out of place: never in landscapes,
        which have no surround."""
        return self.ask_background is not False and case.group != LANDSCAPE

    def question_of(self, stimulus_id: str) -> CaseQuestion | None:
        """The question that a trial of this stimulus asks; None for other trials."""
        stimulus = self.by_id.get(stimulus_id)
        return None if stimulus is None else self.case_by_id[stimulus.case_id].question


@cache
def _adapter() -> TypeAdapter[StudyPlan]:
    return TypeAdapter(StudyPlan)


def to_json(plan: StudyPlan) -> dict[str, Any]:
    """The plan as plain dicts, lists, text and numbers."""
    return dict(_adapter().dump_python(plan, mode="json"))


def from_json(content: Mapping[str, Any]) -> StudyPlan:
    """The plan that :func:`to_json` wrote. Raises BadInput, naming the field, for what is none."""
    try:
        return _adapter().validate_python(dict(content))
    except ValidationError as error:
        first = error.errors()[0]
        location = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"This is no plan of a study: {location or 'it'}: {first['msg']}.") from None
