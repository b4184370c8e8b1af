"""Questions about participants that studies of color often ask, ready to be taken and changed. Their
words are in the files of the languages, by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from truehue.annotation.studies.languages import languages
from truehue.annotation.studies.survey import SurveyForm, SurveyItem


@dataclass(frozen=True)
class SurveyPreset:
    """A question that can be taken: ``name`` in the form, the question by language."""

    name: str
    items: Mapping[str, SurveyItem]


@cache
def survey_presets() -> tuple[SurveyPreset, ...]:
    """The questions, in every language."""
    return (
        _choices("Age band", "age_band"),
        _choices("Gender", "gender", other=True),
        _text("Country", "country"),
        _text("First language", "language"),
        _choices("Design profession", "design"),
        _choices("Color vision as known", "color_vision", personal=True),  # health data
        _choices("Display", "display", other=True),
        _text("Free text", "remarks"),
    )


def _choices(name: str, key: str, *, other: bool = False, personal: bool = False) -> SurveyPreset:
    texts_by_tag = {tag: language.survey_presets[key] for tag, language in languages().items()}
    return SurveyPreset(
        name,
        {
            tag: SurveyItem(key, texts.text, choices=texts.choices, other=other, personal=personal)
            for tag, texts in texts_by_tag.items()
        },
    )


def _text(name: str, key: str) -> SurveyPreset:
    return SurveyPreset(
        name,
        {
            tag: SurveyItem(key, language.survey_presets[key].text, SurveyForm.TEXT, personal=True)
            for tag, language in languages().items()
        },
    )
