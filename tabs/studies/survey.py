"""The questions about participants in the form of a study, and what was answered in its results."""

from __future__ import annotations

import re
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
from truehue.annotation.studies.survey_presets import survey_presets
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
MIN_GROUP_PEOPLE = 5
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


def _items(part: str, questions: Sequence[SurveyQuestion]) -> tuple[SurveyItem, ...]:
    """The questions of a page; an error names the one that it is about."""
    items = []
    for index, question in enumerate(questions):
        try:
            items.append(_item(question))
        except BadInput as error:
            raise BadInput(str(error), f"survey.{part}.{index}") from None
    return tuple(items)


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
            for preset in survey_presets()
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
    step of a scale. Raises BadInput where that is no answer, where it is personal data, or where
    fewer than :data:`MIN_GROUP_PEOPLE` of them answered a trial."""
    item_id, _, choice = group.partition(":")
    item = source.plan.survey.by_id.get(item_id)
    if item is None or not _is_grouping(item) or not re.fullmatch(r"[0-9]{1,4}", choice):
        raise BadInput(f"There is no group {group[:60]!r} of participants in this study.", "group")
    values = survey_values(source.plan, source.events)
    chosen = tuple(
        participant
        for participant in source.participants
        if int(choice) in _chosen(values.get(participant.id, {}).get(item_id))
    )
    if sum(_has_answered(source, participant) for participant in chosen) < MIN_GROUP_PEOPLE:
        raise BadInput(
            f"Results of fewer than {MIN_GROUP_PEOPLE} participants are not shown apart: they would "
            "say what single people answered.",
            "group",
        )
    return chosen


def _is_grouping(item: SurveyItem) -> bool:
    """Whether the answers of a question may say who is in a group."""
    return not item.personal and item.form in (
        *(SurveyForm.SINGLE, SurveyForm.MULTIPLE),
        SurveyForm.SCALE,
    )


def _has_answered(source: StudySource, participant: ParticipantRecord) -> bool:
    return any(event.kind is EventKind.ANSWER for event in source.events.get(participant.id, ()))


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


class SurveyGroup(TypedDict):
    """An answer that results can be narrowed to; ``people`` gave it and answered a trial."""

    id: str
    name: str
    people: int


def groups_json(source: StudySource) -> list[SurveyGroup]:
    """The answers that enough participants gave."""
    groups: list[SurveyGroup] = []
    answered = {person.id for person in source.participants if _has_answered(source, person)}
    values = [
        own
        for person, own in survey_values(source.plan, source.events).items()
        if person in answered
    ]
    for item in filter(_is_grouping, source.plan.survey.items):
        for count in summary_of(item, [own[item.id] for own in values if item.id in own]).counts:
            if count.choice is not None and count.people >= MIN_GROUP_PEOPLE:
                name = f"{item.text} {count.text}"
                entry_id = f"{item.id}:{count.choice}"
                groups.append({"id": entry_id, "name": name, "people": count.people})
    return groups


def survey_json(plan: StudyPlan, events: Mapping[str, Sequence[Event]]) -> list[SurveyResult]:
    """What was answered to each question: nobody's words, of personal data only how many answered,
    and of a number that few gave neither median nor range."""
    values = survey_values(plan, events).values()
    results: list[SurveyResult] = []
    for item in plan.survey.items:
        summary = summary_of(item, [own[item.id] for own in values if item.id in own])
        shown = not item.personal and (
            item.form is not SurveyForm.NUMBER or summary.people >= MIN_GROUP_PEOPLE
        )
        low, high = (summary.range if shown else None) or (None, None)
        results.append(
            {
                "id": item.id,
                "text": item.text,
                "form": item.form.value,
                "people": summary.people,
                "counts": [
                    SurveyCount(choice=count.choice, text=count.text, people=count.people)
                    for count in summary.counts
                    if shown
                ],
                "median": summary.median if shown else None,
                "low": low,
                "high": high,
            }
        )
    return results
