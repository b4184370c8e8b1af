"""The form of a study as a researcher fills it in: every limit said once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import MOST_EXAMPLES, MOST_TRIALS, MOST_VOTES, Material, Method
from truehue.annotation.studies.presets import PRESETS, Preset
from truehue.core.concepts.records import EXTRACTED, METHODS
from truehue.core.errors import BadInput
from truehue.tabs.page.requests import PageRequest, Whole, digits, no_bool, single_of, texts
from truehue.tabs.studies.sketch_fields import ExampleForm, PracticeForm, examples_in
from truehue.tabs.studies.texts import FREE, LANGUAGES, consent_in, texts_of, title_in
from truehue.tabs.studies.wording import check_wording

MOST_MODELS = 12
MOST_SOURCES = 100
MOST_CASES = 20_000
MOST_TEXT = 20_000
MOST_PICTURES = 9
CONCEPTS = "concepts"
PICTURES_OF_CONCEPTS = 3
"""Pictures for reference beside a distribution; the paper does not say how many it showed."""

LEAST_ABSENCE_S, MOST_ABSENCE_S = 60, 30 * 86_400
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
_PLAIN = re.compile(r"[\x20-\x7e]+")


def _sketches(chosen: Mapping[str, str]) -> Mapping[str, str]:
    if len(chosen) > MOST_CASES or any(len(key) > 64 for key in chosen.values()):
        raise BadInput("The chosen sketches are ids by the words that they are colored for.")
    return {text: key for text, key in chosen.items() if key}


def https_url(url: str) -> str:
    """The address, if it is one of a site by https. Raises BadInput for another one."""
    try:
        parts = urlsplit(url)
        is_site = parts.scheme == "https" and bool(parts.hostname) and parts.username is None
    except ValueError:  # of brackets that do not close
        is_site = False
    if url and not (is_site and _PLAIN.fullmatch(url)):
        raise BadInput(
            "The return URL must start with https:// and a site name. Copy it from the "
            "recruiting site."
        )
    return url


def _absence(value: Any) -> Any:
    """Seconds that the form shows as minutes. Raises BadInput in both for what cannot be waited."""
    try:
        seconds = digits(value)
    except ValueError:
        seconds = None
    if type(seconds) is int and LEAST_ABSENCE_S <= seconds <= MOST_ABSENCE_S:
        return seconds
    number = isinstance(value, int | float) and not isinstance(value, bool)
    got = f"{value / 60:g} minutes" if number else repr(str(value)[:60])
    raise BadInput(
        f"“Release unanswered trials after” is {LEAST_ABSENCE_S // 60} to "
        f"{MOST_ABSENCE_S // 60:,} minutes ("
        f"{LEAST_ABSENCE_S} to {MOST_ABSENCE_S:,} seconds), not {got}."
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
    sources: Annotated[Names, Field(min_length=1, max_length=MOST_SOURCES, title="Its sources")]


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


class ScreeningForm(PageRequest):
    """What is looked at before the trials."""

    plates: bool = True
    patches: bool = True


class CompletionForm(PageRequest):
    """What a participant gets at the end."""

    code: str = Field(default="", max_length=200, title="Completion code")
    url: Annotated[str, Field(max_length=2_000, title="Return URL"), AfterValidator(https_url)] = ""


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
    language: Annotated[str, single_of("language", LANGUAGES)] = "en"
    question: str | None = Field(default=None, max_length=500, title="The question")
    instructions: str | None = Field(default=None, max_length=MOST_TEXT, title="The instructions")
    models: tuple[ModelForm, ...] = Field(
        default=(), max_length=MOST_MODELS, title="The list of models"
    )
    people: Annotated[Names, Field(max_length=MOST_SOURCES, title="People's colors")] = ()
    extraction: Annotated[str, single_of("way of extraction", METHODS)] = EXTRACTED
    cases: Annotated[Names, Field(max_length=MOST_CASES, title="The list of cases")] = ()
    groups: Annotated[Names, Field(max_length=200, title="The list of groups")] = ()
    concepts: Annotated[Names, Field(max_length=MOST_CASES, title="The list of concepts")] = ()
    sketches: Annotated[Mapping[str, str], AfterValidator(_sketches)] = Field(default_factory=dict)
    question_set: str = Field(default="", max_length=64, title="The set of questions")
    tasks: Annotated[Names, Field(max_length=100, title="The list of tasks")] = ()
    practice: PracticeForm | None = None
    ask_background: bool = True
    examples: tuple[ExampleForm, ...] | None = Field(
        default=None, max_length=MOST_EXAMPLES, title="The list of examples"
    )
    number: Whole | None = Field(default=None, ge=0, le=MOST_CASES, title="Cases in the study")
    model_sets: tuple[Names, ...] = Field(default=(), max_length=495, title="The pairs of models")
    pictures: Whole | None = Field(
        default=None, ge=0, le=MOST_PICTURES, title="Images of a candidate"
    )
    variants: Whole = Field(default=1, ge=1, le=100, title="Images of each prompt")
    votes: Whole | None = Field(default=None, ge=1, le=MOST_VOTES, title="Votes per stimulus")
    trials: Whole | None = Field(default=None, ge=1, le=MOST_TRIALS, title="Trials per participant")
    tie: bool | None = None
    skip: bool | None = None
    repeats: Whole | None = Field(default=None, ge=0, le=MOST_TRIALS, title="Repeated trials")
    attention: Whole | None = Field(default=None, ge=0, le=MOST_TRIALS, title="Attention checks")
    method: Method = Method.BALANCED
    training: TrainingForm = TrainingForm()
    screening: ScreeningForm = ScreeningForm()
    consent: str = Field(default="", max_length=MOST_TEXT, title="The consent text")
    intro: str = Field(default="", max_length=MOST_TEXT, title="The page before")
    outro: str = Field(default="", max_length=MOST_TEXT, title="The page after")
    wording: Annotated[Mapping[str, str], AfterValidator(_wording)] = Field(default_factory=dict)
    completion: CompletionForm = CompletionForm()
    closing: ClosingForm | None = None
    abandoned_after_s: Annotated[
        int, BeforeValidator(_absence), Field(ge=LEAST_ABSENCE_S, le=MOST_ABSENCE_S)
    ] = 3_600
    unanswered_after_s: Annotated[
        int, BeforeValidator(_absence), Field(ge=LEAST_ABSENCE_S, le=MOST_ABSENCE_S)
    ] = 600
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
        question, instructions = texts_of(self.preset, self.language)
        preset = self.of_preset
        trials = _or(self.trials, preset.trials if preset else 60)
        defaults = {
            "kind": self.target_kind,
            "title": title_in(self.language, self.preset, preset.name if preset else ""),
            "question": question,
            "instructions": instructions,
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
