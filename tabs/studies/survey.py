"""The questions about participants in the form of a study, and what was answered in its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, TypedDict

from pydantic import Field

from truehue.annotation.studies.plan import StudyPlan
from truehue.annotation.studies.survey import (
    MAX_CHOICE_TEXT,
    MAX_CHOICES,
    MAX_ITEM_TEXT,
    MAX_ITEMS,
    MAX_SCALE,
    MIN_SCALE,
    Survey,
    SurveyForm,
    SurveyItem,
    Value,
    answers_in,
    summary_of,
)
from truehue.annotation.studies.survey_presets import SURVEY_PRESETS
from truehue.core.errors import BadInput
from truehue.core.studies import Event, EventKind, ParticipantRecord
from truehue.tabs.page.requests import PageRequest, Whole
from truehue.tabs.sources.studies import StudySource

FORMS = {
    SurveyForm.SINGLE: "One choice",
    SurveyForm.MULTIPLE: "Several choices",
    SurveyForm.NUMBER: "Number",
    SurveyForm.TEXT: "Text",
    SurveyForm.SCALE: "Scale",
}
FEW_PEOPLE = 5
"""Of a group with fewer participants nothing is computed apart: it would be of single people."""


class SurveyQuestion(PageRequest):
    """A question about the participant (see :class:`SurveyItem`)."""

    id: str = Field(max_length=40, title="The question's id")
    text: str = Field(max_length=MAX_ITEM_TEXT, title="The question")
    form: SurveyForm = SurveyForm.SINGLE
    choices: tuple[Annotated[str, Field(max_length=MAX_CHOICE_TEXT)], ...] = Field(
        default=(), max_length=MAX_CHOICES, title="The list of choices"
    )
    other: bool = False
    required: bool = False
    personal: bool = False
    low: float | None = None
    high: float | None = None
    steps: Whole = Field(default=7, ge=MIN_SCALE, le=MAX_SCALE, title="Steps")
    ends: tuple[str, str] = ("", "")


class SurveyQuestions(PageRequest):
    """The questions about participants, before and after the trials."""

    before: tuple[SurveyQuestion, ...] = Field(default=(), max_length=MAX_ITEMS)
    after: tuple[SurveyQuestion, ...] = Field(default=(), max_length=MAX_ITEMS)

    def survey(self) -> Survey:
        """The survey of a plan. Raises BadInput for what cannot be asked."""
        before, after = (
            tuple(_item(question) for question in items) for items in (self.before, self.after)
        )
        return Survey(before, after)


def _item(question: SurveyQuestion) -> SurveyItem:
    """Without what another form of answer had, which the page keeps while it is filled in."""
    fields: dict[str, Any] = question.model_dump()
    if question.form not in (SurveyForm.SINGLE, SurveyForm.MULTIPLE):
        fields |= {"choices": (), "other": False}
    if question.form is not SurveyForm.NUMBER:
        fields |= {"low": None, "high": None}
    return SurveyItem(**fields)


class SurveyPresetJson(TypedDict):
    """A question that can be taken, by language."""

    name: str
    items: dict[str, dict[str, object]]


class SurveyChoicesJson(TypedDict):
    """What the form of a study offers for questions about participants."""

    forms: dict[str, str]
    presets: list[SurveyPresetJson]


def survey_choices() -> SurveyChoicesJson:
    """Forms of answers, and questions that can be taken."""
    return {
        "forms": {form.value: name for form, name in FORMS.items()},
        "presets": [
            {
                "name": preset.name,
                "items": {language: asdict(item) for language, item in preset.items.items()},
            }
            for preset in SURVEY_PRESETS
        ],
    }


def survey_values(
    plan: StudyPlan, events: Mapping[str, Sequence[Event]]
) -> dict[str, dict[str, Value]]:
    """What each participant answered, by their id and the item's."""
    return {
        person: answers_in(
            plan.survey, [event.body for event in own if event.kind is EventKind.SURVEY]
        )
        for person, own in events.items()
    }


def participants_in(source: StudySource, group: str) -> tuple[ParticipantRecord, ...]:
    """The participants who gave one answer: ``item:choice``, the position of a choice from 0 or the
    step of a scale. Raises BadInput where that is no answer, or fewer than :data:`FEW_PEOPLE` gave
    it."""
    item_id, _, choice = group.partition(":")
    item = source.plan.survey.by_id.get(item_id)
    if item is None or not choice.isdigit():
        raise BadInput(f"There is no group {group[:60]!r} of participants in this study.", "group")
    values = survey_values(source.plan, source.events)
    chosen = tuple(
        participant
        for participant in source.participants
        if int(choice) in _chosen(values.get(participant.id, {}).get(item_id))
    )
    if len(chosen) < FEW_PEOPLE:
        raise BadInput(
            f"Results of fewer than {FEW_PEOPLE} participants are not shown apart: they would say "
            "what single people answered.",
            "group",
        )
    return chosen


def _chosen(value: Value | None) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)


class SurveyCount(TypedDict):
    """How many participants gave an answer; ``choice`` is None for words of their own."""

    choice: int | None
    text: str
    people: int


class SurveyResult(TypedDict):
    """What was answered to a question; ``median``, ``low`` and ``high`` are of numbers."""

    id: str
    text: str
    form: str
    people: int
    counts: list[SurveyCount]
    median: float | None
    low: float | None
    high: float | None


def survey_json(plan: StudyPlan, events: Mapping[str, Sequence[Event]]) -> list[SurveyResult]:
    """What was answered to each question; nobody's words."""
    values = survey_values(plan, events).values()
    results: list[SurveyResult] = []
    for item in plan.survey.items:
        summary = summary_of(item, [own[item.id] for own in values if item.id in own])
        low, high = summary.range or (None, None)
        results.append(
            {
                "id": item.id,
                "text": item.text,
                "form": item.form.value,
                "people": summary.people,
                "counts": [
                    {"choice": count.choice, "text": count.text, "people": count.people}
                    for count in summary.counts
                ],
                "median": summary.median,
                "low": low,
                "high": high,
            }
        )
    return results
