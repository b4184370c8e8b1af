"""Questions about participants: what can be asked, what is an answer, and what was answered."""

from __future__ import annotations

from typing import Any

import pytest

from truehue.annotation.studies.languages import languages
from truehue.annotation.studies.survey import (
    Survey,
    SurveyForm,
    SurveyItem,
    answers_in,
    read_survey,
    summary_of,
)
from truehue.annotation.studies.survey_presets import survey_presets
from truehue.core.errors import BadInput

AGE = SurveyItem("age", "How old are you?", SurveyForm.NUMBER, required=True, low=18, high=120)
GENDER = SurveyItem("gender", "Which gender?", choices=("woman", "man"), other=True)
TOOLS = SurveyItem("tools", "Which tools?", SurveyForm.MULTIPLE, ("ink", "paint", "screen"))
SURE = SurveyItem("sure", "How sure were you?", SurveyForm.SCALE, steps=5, ends=("not", "very"))
WORDS = SurveyItem("why", "Why?", SurveyForm.TEXT)
COUNTRY = SurveyItem("country", "Where?", choices=("here", "there"), personal=True)
SURVEY = Survey((AGE, GENDER, COUNTRY), (TOOLS, SURE, WORDS))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": "Age"}, "is no column name"),
        ({"text": " "}, "needs a text"),
        ({"choices": ("one",)}, "2 to 60 choices"),
        ({"choices": ("one", " one ")}, "are the same"),
        ({"choices": ("one", " ")}, "is empty"),
        ({"form": SurveyForm.TEXT}, "has no choices"),
        ({"form": SurveyForm.SCALE, "choices": (), "steps": 12}, "2 to 11 steps"),
        ({"form": SurveyForm.NUMBER, "choices": (), "low": 3.0, "high": 2.0}, "takes no number"),
    ],
)
def test_what_cannot_be_asked_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        SurveyItem(**{"id": "q", "text": "Which?", "choices": ("a", "b"), **fields})


def test_two_questions_of_one_id_are_refused() -> None:
    with pytest.raises(BadInput, match="one id"):
        Survey((AGE,), (AGE,))


@pytest.mark.parametrize(
    ("item", "value", "read", "text"),
    [
        (AGE, 30, 30, "30"),
        (AGE, 30.5, 30.5, "30.5"),
        (GENDER, 1, 1, "man"),
        (GENDER, "agender", "agender", "agender"),
        (TOOLS, [2, 0], (2, 0), "screen; ink"),
        (SURE, 5, 5, "5"),
        (WORDS, "it was red", "it was red", "it was red"),
        (WORDS, "", None, ""),
        (TOOLS, [], None, ""),
    ],
)
def test_answers_are_read(item: SurveyItem, value: Any, read: Any, text: str) -> None:
    assert item.read(value) == read
    if read is not None:
        assert item.text_of(read) == text


@pytest.mark.parametrize(
    ("item", "value"),
    [
        (AGE, 17),
        (AGE, "30"),
        (AGE, float("nan")),
        (SurveyItem("size", "How large?", SurveyForm.NUMBER), 10**400),
        (AGE, True),
        (GENDER, 2),
        (GENDER, True),
        (COUNTRY, "elsewhere"),
        (TOOLS, 1),
        (TOOLS, [1, 1]),
        (TOOLS, ["pencil"]),
        (SURE, 0),
        (SURE, 6),
        (SURE, 2.0),
        (WORDS, 3),
        (WORDS, "x" * 2_001),
    ],
)
def test_no_answers_are_refused(item: SurveyItem, value: Any) -> None:
    with pytest.raises(BadInput) as refused:
        item.read(value)
    assert refused.value.field == item.id


def test_personal_data_and_own_words_stand_apart() -> None:
    answers = {"age": 41, "gender": "my own", "country": 0}
    body = read_survey(SURVEY, {"part": "before", "answers": answers})
    assert body == {
        "part": "before",
        "answers": {"age": 41},
        "personal": {"gender": "my own", "country": 0},
    }
    after = read_survey(SURVEY, {"part": "after", "answers": {"tools": [0]}})
    assert answers_in(SURVEY, [body, after]) == {**answers, "tools": (0,)}
    # Without what is personal, and with what another plan asked.
    public = {"part": "before", "answers": {"age": 41, "gone": 1, "gender": 9}}
    assert answers_in(SURVEY, [public]) == {"age": 41}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"part": "before", "answers": {}}, "age"),
        ({"part": "before", "answers": {"age": 20, "why": "no"}}, "answers"),
        ({"part": "later", "answers": {"age": 20}}, "part"),
        ({"part": "before"}, "answers"),
    ],
)
def test_a_page_needs_what_is_required(body: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_survey(SURVEY, body)
    assert refused.value.field == field
    with pytest.raises(BadInput):
        read_survey(Survey((AGE,)), {"part": "after", "answers": {}})


def test_what_was_answered_is_counted() -> None:
    summary = summary_of(TOOLS, [(0, 2), (2,)])
    assert [(count.text, count.people) for count in summary.counts] == [
        ("ink", 1),
        ("paint", 0),
        ("screen", 2),
    ]
    assert summary.people == 2
    own = summary_of(GENDER, [0, "agender", 0])
    assert [count.people for count in own.counts] == [2, 0, 1]
    ages = summary_of(AGE, [20, 50, 31, 22.5])
    assert (ages.people, ages.median, ages.range) == (4, 26.75, (20, 50))
    assert summary_of(WORDS, ["because"]).counts == ()
    assert [count.people for count in summary_of(SURE, [5, 5, 1]).counts] == [1, 0, 0, 0, 2]


def test_the_presets_ask_the_same_in_every_language() -> None:
    for preset in survey_presets():
        assert set(preset.items) == set(languages())
        english, german = preset.items["en"], preset.items["de"]
        assert (english.id, english.form, english.other, english.personal) == (
            *(german.id, german.form, german.other, german.personal),
        )
        assert len(english.choices) == len(german.choices)
    Survey(tuple(preset.items["en"] for preset in survey_presets()))
