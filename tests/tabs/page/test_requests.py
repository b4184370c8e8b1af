"""Requests: read once, and what is wrong with one in words that name the field."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import Field

from tests.house import ROOT
from truehue.core.errors import BadInput
from truehue.tabs.library.prompts import SaveSelectionRequest
from truehue.tabs.page.requests import PageRequest, read_as
from truehue.tabs.runs.request import RunRequest
from truehue.tabs.studies.form import StudyForm
from truehue.tabs.studies.links import LinksRequest
from truehue.tabs.verdicts.judgments import QuestionRequest


class Sample(PageRequest):
    name: str = Field("", max_length=3, title="A name")
    share: float = Field(0.5, ge=0, le=1, title="The share")
    yes: bool = Field(False, title="Whether it is so")


@pytest.mark.parametrize(
    ("kind", "values", "field", "said"),
    [
        (
            StudyForm,
            {"practice": {"number": -1}},
            "practice",
            "Practice sketches is a whole number from 0 to 12, not -1.",
        ),
        (
            StudyForm,
            {"screening": {"plates": "x"}},
            "screening",
            '“screening.plates” is true or false, not "x".',
        ),
        (
            StudyForm,
            {"preset": "colorings", "votes": "x"},
            "votes",
            'Colorings per concept is a whole number from 1 to 1,000, not "x".',
        ),
        (StudyForm, {"votes": 0}, "votes", "Votes per stimulus is a whole number"),
        (
            StudyForm,
            {"abandoned_after_s": 30},
            "abandoned_after_s",
            "“Release unanswered trials after” is 1 to 43,200 minutes (60 to 2,592,000 seconds), "
            "not 0.5 m",
        ),
        (StudyForm, {"abandoned_after_s": "x"}, "abandoned_after_s", "seconds), not 'x'."),
        (
            StudyForm,
            {"models": [{"name": "x" * 81, "sources": ["run:1"]}]},
            "models",
            "A model's name has at most 80 characters.",
        ),
        (LinksRequest, {"study": "s", "count": "x"}, "count", 'from 1 to 500, not "x".'),
        (LinksRequest, {"study": "s", "label": "x" * 81}, "label", "at most 80 characters."),
        (Sample, {"name": 7}, "name", "A name is text, in quotation marks of up to 3 characters"),
        (Sample, {"name": "long"}, "name", "A name has at most 3 characters."),
        (Sample, {"share": 2}, "share", "The share is a number from 0 to 1, not 2."),
        (Sample, {"share": float("nan")}, "share", "The share is a number from 0 to 1"),
        (Sample, {"yes": [1]}, "yes", "Whether it is so is true or false, not [1]."),
        (SaveSelectionRequest, {"refs": 5}, "refs", "The list of prompts is a list"),
        (SaveSelectionRequest, {"refs": [["mini"]]}, "refs", "The list of prompts is a list"),
        (QuestionRequest, {"k": True}, "k", "from 0 to 20, not true."),
        (RunRequest, {"images": "0"}, "images", "Images per prompt is a whole number from 1 to"),
        (RunRequest, {"task": "xyz"}, "task", "There is no task 'xyz'."),
        (RunRequest, {"price": "cheap"}, "price", "such as 2.50"),
    ],
)
def test_what_is_wrong_is_said_with_its_field(
    kind: type[PageRequest], values: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(BadInput) as caught:
        read_as(kind, values)
    assert caught.value.field == field
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("preset", "module"),
    [("colorings", "colorings/guide"), ("adherence", "form_numbers"), ("realism", "form_numbers")],
)
def test_a_field_is_called_as_the_page_of_that_kind_shows_it(preset: str, module: str) -> None:
    script = (ROOT / f"assets/js/studies/{module}.js").read_text()
    for name in ("votes", "trials"):
        with pytest.raises(BadInput) as caught:
            read_as(StudyForm, {"preset": preset, name: 0})
        title, _, _ = str(caught.value).partition(" is a whole number")
        assert f"'{title}'" in script


def test_what_is_not_given_is_as_the_field_says() -> None:
    made = read_as(Sample, {"name": None, "yes": None, "owner": "me"})
    assert made == Sample()
    assert read_as(RunRequest, {"seed": "", "images": "1,000"}).images == 1000
    with pytest.raises(ValueError, match="frozen"):
        made.name = "x"  # type: ignore[misc]


def test_a_whole_number_may_be_written_with_a_point() -> None:
    made = read_as(RunRequest, {"images": 3.0})
    assert (made.images, type(made.images)) == (3, int)
    with pytest.raises(BadInput, match=r"not 3\.5"):
        read_as(RunRequest, {"images": 3.5})
