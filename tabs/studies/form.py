"""The form of a study: its fields, defaults, and texts by language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.languages import PresetWording, language_of, languages
from truehue.annotation.studies.plan import (
    MAX_CASE_GAP,
    MAX_EXAMPLES,
    MAX_RETURN_S,
    MAX_SKETCHES,
    MAX_TEXT,
    MAX_TRIALS,
    MAX_VOTES,
    MIN_RETURN_S,
    MIN_START_PERCENT,
    SCREENING_PLATES,
    Material,
    Method,
    Review,
)
from truehue.annotation.studies.presets import PRESETS, Preset
from truehue.core.concepts.records import EXTRACTED, METHODS
from truehue.core.errors import BadInput
from truehue.tabs.page.requests import PageRequest, Whole, digits, no_bool, single_of, texts
from truehue.tabs.studies.completion import CompletionForm, EndingsForm
from truehue.tabs.studies.survey import SurveyQuestions

_PLACE = re.compile(r"\{(\w+)\}")
FREE = "free"
"""The preset of a question of one's own."""
FREE_NAME = "Custom question"
CASE_GAP = 4
"""Trials between two of one case, as a new study begins with."""

KINDS = {
    Kind.PAIRS: "Pairs: choose one of two",
    Kind.RATINGS: "Ratings: rate each image from 0 to 10",
    Kind.BEST_OF: "Best of four",
    Kind.COLORINGS: "Colorings: participants color sketches",
    Kind.QUESTIONS: "Questions: answer a question about an image",
}
ASSIGNMENT_METHODS = {
    "balanced": "Balanced: every stimulus gets the same number of answers",
    "adaptive": "Adaptive: the most informative pairs come first; choice probabilities are stored",
}

PRACTICE_SKETCHES = 3
"""Before the rest, as in ColorConceptBench, section 3.2."""
MAX_WORDS = 200
MAX_MODELS = 12
MAX_SOURCES = 100
MAX_CASES = 20_000
MAX_PAGE_TEXT = 20_000
MAX_IMAGES = 9
CONCEPTS = "concepts"
PICTURES_OF_CONCEPTS = 3
"""Pictures for reference beside a distribution; the paper does not say how many it showed."""

MIN_ABSENCE_S, MAX_ABSENCE_S = 60, 30 * 86_400
"""After so long without a sign of somebody, what they hold may go to others."""

# Where the page shows a field under another name than most kinds of study do.
_TITLES: Mapping[tuple[str, str], str] = {
    (Kind.COLORINGS, "votes"): "Colorings per concept",
    (Kind.COLORINGS, "trials"): "Sketches per participant",
    (Kind.COLORINGS, "number"): "Concepts in the study",
    (Kind.RATINGS, "votes"): "Ratings per image",
    (Kind.QUESTIONS, "votes"): "Answers per question",
    (Kind.QUESTIONS, "trials"): "Questions per participant",
    (Kind.QUESTIONS, "number"): "Max. questions per task",
}

_WORDING = re.compile(r"[a-z][a-zA-Z0-9_.-]{0,59}")


def check_wording(wording: Mapping[str, str], language: str) -> None:
    """Raises BadInput for a name that the page has no word of, and for a text with a place to fill
    in that the page fills nothing into."""
    known = language_of(language).wording()
    for name, text in wording.items():
        if name not in known:
            raise BadInput(f"The page has no text called {name[:60]!r}.", "wording")
        unknown = set(_PLACE.findall(text)) - set(_PLACE.findall(known[name]))
        if unknown:
            raise BadInput(
                f"{{{min(unknown)[:40]}}} is not available in this text. The default is: "
                f"{known[name]}",
                "wording",
            )


def consent_in(language: str, kind: Kind) -> str:
    """The consent text that a study of a kind begins with."""
    consent = language_of(language).consent
    if kind is Kind.COLORINGS:
        return consent.text.format(task=consent.task_colorings, stored=consent.stored_colorings)
    return consent.text.format(task=consent.task, stored=consent.stored)


def title_in(language: str, preset: str, name: str) -> str:
    """The title that a study of a preset begins with."""
    return texts_of(preset, language).title or name


def texts_of(preset: str, language: str) -> PresetWording:
    """Question and instructions of a preset; all are empty for a free question."""
    return language_of(language).presets.get(preset) or PresetWording("", "")


class PracticeForm(PageRequest):
    """Sketches that everybody colors before the rest: these ``concepts``, or ``number`` starter
    drawings that the study does not ask about; ``review`` says who looks at them."""

    concepts: Annotated[
        tuple[str, ...],
        AfterValidator(texts),
        Field(max_length=MAX_SKETCHES, title="The list of practice sketches"),
    ] = ()
    number: Whole = Field(
        default=PRACTICE_SKETCHES, ge=0, le=MAX_SKETCHES, title="Practice sketches"
    )
    review: Annotated[str, single_of("review", Review)] = Review.RESEARCHER.value


class ExampleForm(PageRequest):
    """How it is done, or, where it is not ``good``, how not; ``image_id`` is a stored picture."""

    text: str = Field(default="", max_length=MAX_TEXT, title="An example")
    good: bool = True
    image_id: str = Field(default="", pattern=r"^([0-9a-f]{64})?$", title="An example's image")


REVIEWS = {
    Review.RESEARCHER.value: "By you: participants wait until you accept it or ask for it again",
    Review.AUTOMATIC.value: "Automatic: each sketch must be colored with more than one action",
    Review.NONE.value: "None: participants continue at once",
}


def examples_in(language: str) -> tuple[ExampleForm, ...]:
    """Do and do not, as a study begins with them; the words are ours, and none of the things that
    they name is among the paper's concepts."""
    return tuple(ExampleForm(text=text, good=good) for text, good in language_of(language).examples)


def _sketches(chosen: Mapping[str, str]) -> Mapping[str, str]:
    if len(chosen) > MAX_CASES or any(len(key) > 64 for key in chosen.values()):
        raise BadInput("The chosen sketches are ids by the words that they are colored for.")
    return {text: key for text, key in chosen.items() if key}


def _absence(value: Any) -> Any:
    """Seconds that the form shows as minutes. Raises BadInput in both for what cannot be waited."""
    try:
        seconds = digits(value)
    except ValueError:
        seconds = None
    if type(seconds) is int and MIN_ABSENCE_S <= seconds <= MAX_ABSENCE_S:
        return seconds
    number = isinstance(value, int | float) and not isinstance(value, bool)
    got = f"{value / 60:g} minutes" if number else repr(str(value)[:60])
    raise BadInput(
        f"“Release unanswered trials after” is {MIN_ABSENCE_S // 60} to "
        f"{MAX_ABSENCE_S // 60:,} minutes ("
        f"{MIN_ABSENCE_S} to {MAX_ABSENCE_S:,} seconds), not {got}."
    )


def _wording(terms: Mapping[str, str]) -> Mapping[str, str]:
    if len(terms) > 200:
        raise BadInput("At most 200 texts of the page can be replaced.")
    for name, text in terms.items():
        if not _WORDING.fullmatch(name) or len(text) > 2_000:
            raise BadInput(
                f"{name[:60]!r} is not a text of the page, or is longer than 2,000 characters."
            )
    return {name: text for name, text in terms.items() if text}


Names = Annotated[tuple[str, ...], AfterValidator(texts)]
Seed = Annotated[int, BeforeValidator(no_bool), Field(ge=0, le=2**31 - 1, title="The seed")]


class ModelForm(PageRequest):
    """A model that is compared: what it is called in results, and where its pictures and
    distributions are from; the first of ``sources`` that has a case is taken."""

    name: str = Field(min_length=1, max_length=80, title="A model's name")
    sources: Annotated[Names, Field(min_length=1, max_length=MAX_SOURCES, title="Its sources")]


class KeyForm(PageRequest):
    """A training trial: a case, the models it shows, and which of them is right."""

    case: str = Field(min_length=1, max_length=2_000)
    models: Names
    right: str


class TrainingForm(PageRequest):
    """Trials with a known answer before the rest; ``needed`` must be right in one of
    ``attempts`` rounds."""

    keys: tuple[KeyForm, ...] = Field(default=(), max_length=30)
    needed: Whole = Field(default=0, title="Correct answers needed")
    attempts: Whole = Field(default=2, ge=1, le=2, title="Attempts")
    required: bool = False


class ScreeningForm(PageRequest):
    """What is looked at before the trials, and its pass marks (see :class:`Screening`)."""

    plates: bool = True
    patches: bool = True
    needed_plates: Whole = Field(default=0, ge=0, le=SCREENING_PLATES, title="Plates needed")
    needs_patches: bool = False


class ClosingForm(PageRequest):
    """When a study closes by itself."""

    when_complete: bool = True
    replace_excluded: bool = True
    participants: Annotated[Whole, Field(ge=1, le=100_000)] | None = Field(
        default=None, title="Max. participants"
    )


class StudyForm(PageRequest):
    """A study as it is asked for. None is as the preset says (:meth:`filled`).

    ``cases`` and ``groups`` narrow what the sources have, ``number`` draws so many of it by
    ``seed``, 0 takes all. ``pictures`` of a candidate are shown at once; ``variants`` pictures of a
    prompt and model are asked about, each by itself. ``model_sets`` are the pairs, or fours, that
    are asked about; none is all of them. Of colorings, ``concepts`` are the words that people color
    sketches for, and ``sketches`` name the sketch by the words, where it is not the first at hand;
    there are no models then. Of questions, ``question_set`` is the id of their set, ``tasks`` are
    those asked (none: all that people are asked), and ``number`` is drawn of each.
    """

    title: str = Field(default="", max_length=200, title="The title")
    preset: Annotated[str, single_of("preset", (*PRESETS, FREE))] = "adherence"
    kind: Kind | None = None
    language: Annotated[str, single_of("language", languages())] = "en"
    question: str | None = Field(default=None, max_length=500, title="The question")
    instructions: str | None = Field(
        default=None, max_length=MAX_PAGE_TEXT, title="The instructions"
    )
    models: tuple[ModelForm, ...] = Field(
        default=(), max_length=MAX_MODELS, title="The list of models"
    )
    people: Annotated[Names, Field(max_length=MAX_SOURCES, title="People's colors")] = ()
    extraction: Annotated[str, single_of("way of extraction", METHODS)] = EXTRACTED
    cases: Annotated[Names, Field(max_length=MAX_CASES, title="The list of cases")] = ()
    groups: Annotated[Names, Field(max_length=200, title="The list of groups")] = ()
    concepts: Annotated[Names, Field(max_length=MAX_CASES, title="The list of concepts")] = ()
    sketches: Annotated[Mapping[str, str], AfterValidator(_sketches)] = Field(default_factory=dict)
    question_set: str = Field(default="", max_length=64, title="The set of questions")
    tasks: Annotated[Names, Field(max_length=100, title="The list of tasks")] = ()
    practice: PracticeForm | None = None
    ask_background: bool = True
    reference_image: bool = False
    keep_color: bool = False
    examples: tuple[ExampleForm, ...] | None = Field(
        default=None, max_length=MAX_EXAMPLES, title="The list of examples"
    )
    number: Whole | None = Field(default=None, ge=0, le=MAX_CASES, title="Cases in the study")
    model_sets: tuple[Names, ...] = Field(default=(), max_length=495, title="The pairs of models")
    pictures: Whole | None = Field(default=None, ge=0, le=MAX_IMAGES, title="Images of a candidate")
    variants: Whole = Field(default=1, ge=1, le=100, title="Images of each prompt")
    votes: Whole | None = Field(default=None, ge=1, le=MAX_VOTES, title="Votes per stimulus")
    trials: Whole | None = Field(default=None, ge=1, le=MAX_TRIALS, title="Trials per participant")
    omit_equal: bool = False
    tie: bool | None = None
    skip: bool | None = None
    repeats: Whole | None = Field(default=None, ge=0, le=MAX_TRIALS, title="Repeated trials")
    attention: Whole | None = Field(default=None, ge=0, le=MAX_TRIALS, title="Attention checks")
    case_gap: Whole = Field(
        default=CASE_GAP, ge=1, le=MAX_CASE_GAP, title="Trials between two of the same case"
    )
    method: Method = Method.BALANCED
    training: TrainingForm = TrainingForm()
    screening: ScreeningForm = ScreeningForm()
    consent: str = Field(default="", max_length=MAX_PAGE_TEXT, title="The consent text")
    record_input: bool = False
    survey: SurveyQuestions = Field(
        default=SurveyQuestions(), title="The questions about participants"
    )
    intro: str = Field(default="", max_length=MAX_PAGE_TEXT, title="The page before")
    outro: str = Field(default="", max_length=MAX_PAGE_TEXT, title="The page after")
    wording: Annotated[Mapping[str, str], AfterValidator(_wording)] = Field(default_factory=dict)
    completion: CompletionForm = CompletionForm()
    endings: EndingsForm = EndingsForm()
    returns_after_s: Annotated[Whole, Field(ge=MIN_RETURN_S, le=MAX_RETURN_S)] | None = Field(
        default=None, title="Automatic return"
    )
    missed_checks_limit: Annotated[Whole, Field(ge=1, le=MAX_TRIALS)] | None = Field(
        default=None, title="Missed attention checks"
    )
    time_limit_s: Annotated[Whole, Field(ge=60, le=30 * 86_400)] | None = Field(
        default=None, title="Time limit"
    )
    closing: ClosingForm | None = None
    abandoned_after_s: Annotated[
        int, BeforeValidator(_absence), Field(ge=MIN_ABSENCE_S, le=MAX_ABSENCE_S)
    ] = 3_600
    unanswered_after_s: Annotated[
        int, BeforeValidator(_absence), Field(ge=MIN_ABSENCE_S, le=MAX_ABSENCE_S)
    ] = 600
    start_percent: Annotated[Whole, Field(ge=MIN_START_PERCENT, le=100)] = Field(
        default=100, title="Percent expected to start"
    )
    seed: Seed = 1

    @classmethod
    def title_in(cls, name: str, fields: Mapping[str, Any]) -> str:
        preset = PRESETS.get(str(fields.get("preset")))
        kind = preset.kind if preset else fields.get("kind")
        return _TITLES.get((str(kind), name)) or super().title_in(name, fields)

    @model_validator(mode="after")
    def _alone(self) -> Self:
        names = [model.name for model in self.models]
        if len(set(names)) < len(names):
            raise BadInput("Two models have one name. Results cannot tell them apart.", "models")
        return self

    @property
    def of_preset(self) -> Preset | None:
        """The preset's settings, none for a free question."""
        return PRESETS.get(self.preset)

    @property
    def target_kind(self) -> Kind:
        """What is answered."""
        return self.of_preset.kind if self.of_preset else self.kind or Kind.PAIRS

    @property
    def material(self) -> Material:
        """What is compared."""
        return self.of_preset.material if self.of_preset else Material.IMAGES

    def defaulted(self) -> StudyForm:
        """The same form with the preset's settings in place of what was left open, and without
        what its kind of study cannot have."""
        wording = texts_of(self.preset, self.language)
        preset = self.of_preset
        trials = _or(self.trials, preset.trials if preset else 60)
        defaults = {
            "kind": self.target_kind,
            "title": title_in(self.language, self.preset, preset.name if preset else ""),
            "question": wording.question,
            "instructions": wording.instructions,
            "number": (preset.cases or preset.a_task or 0) if preset else 0,
            "pictures": PICTURES_OF_CONCEPTS if self.material is Material.DISTRIBUTIONS else 1,
            "votes": preset.votes if preset else 5,
            "trials": trials,
            "tie": preset.tie if preset else True,
            "skip": preset.skip if preset else True,
            # A preset's checks are for as many trials as it has.
            "repeats": min(preset.repeats if preset else 0, trials),
            "attention": min(preset.attention if preset else 0, trials),
            "closing": ClosingForm(participants=preset.participants if preset else None),
        }
        changes: dict[str, Any] = {
            name: value for name, value in defaults.items() if getattr(self, name) is None
        }
        # Emptied instructions are no instructions, but nothing is asked without a question.
        changes |= {
            name: defaults[name] for name in ("title", "question") if not getattr(self, name)
        }
        changes["kind"] = self.target_kind
        if self.target_kind is not Kind.PAIRS:
            changes["tie"] = False
        changes["consent"] = self.consent or consent_in(self.language, self.target_kind)
        if self.material is Material.QUESTIONS:
            changes |= {"models": (), "training": TrainingForm(), "method": Method.BALANCED}
        if self.material is Material.SKETCHES:
            # Nothing of it is compared, checked or trained, whatever a form of another kind had.
            changes |= {"models": (), "repeats": 0, "attention": 0, "training": TrainingForm()}
            changes["practice"] = self.practice or PracticeForm()
            if self.examples is None:
                changes["examples"] = examples_in(self.language)
            else:
                changes["examples"] = tuple(
                    example for example in self.examples if example.text or example.image_id
                )
        return self.model_copy(update=changes)

    def filled(self) -> StudyForm:
        """As :meth:`defaulted`. Raises BadInput for what is missing or contradicts itself."""
        form = self.defaulted()
        if not form.question:
            raise BadInput("Enter the question for participants.", "question")
        if not form.title:
            raise BadInput("Give the study a title: participants see it.", "title")
        check_wording(form.wording, form.language)
        if any(not example.text.strip() for example in form.examples or ()):
            raise BadInput("Add a text to every example: it describes the image.", "examples")
        if form.material is Material.IMAGES and not form.pictures:
            raise BadInput("A study of images shows at least one of a candidate.", "pictures")
        if form.training.keys and form.kind is Kind.RATINGS:
            raise BadInput(
                "Training needs a correct answer, and ratings have none. Use pairs or best of "
                "four.",
                "training",
            )
        return form


def _or(value: int | None, other: int) -> int:
    return other if value is None else value
