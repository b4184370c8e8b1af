"""Questions about participants that studies of color often ask, ready to be taken and changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from truehue.annotation.studies.survey import SurveyForm, SurveyItem


@dataclass(frozen=True)
class SurveyPreset:
    """A question that can be taken: ``name`` in the form, the question by language."""

    name: str
    items: Mapping[str, SurveyItem]


def _choices(
    key: str,
    en: tuple[str, tuple[str, ...]],
    de: tuple[str, tuple[str, ...]],
    *,
    other: bool = False,
    personal: bool = False,
) -> dict[str, SurveyItem]:
    texts = {"en": en, "de": de}
    return {
        language: SurveyItem(key, text, SurveyForm.SINGLE, choices, other, personal=personal)
        for language, (text, choices) in texts.items()
    }


def _text(key: str, en: str, de: str) -> dict[str, SurveyItem]:
    return {
        language: SurveyItem(key, text, SurveyForm.TEXT, personal=True)
        for language, text in (("en", en), ("de", de))
    }


SURVEY_PRESETS: tuple[SurveyPreset, ...] = (
    SurveyPreset(
        "Age band",
        _choices(
            "age_band",
            (
                "How old are you?",
                (
                    "18 to 24",
                    "25 to 34",
                    "35 to 44",
                    "45 to 54",
                    "55 to 64",
                    "65 or older",
                    "I prefer not to say",
                ),
            ),
            (
                "Wie alt sind Sie?",
                (
                    "18 bis 24",
                    "25 bis 34",
                    "35 bis 44",
                    "45 bis 54",
                    "55 bis 64",
                    "65 oder älter",
                    "Keine Angabe",
                ),
            ),
        ),
    ),
    SurveyPreset(
        "Gender",
        _choices(
            "gender",
            (
                "What is your gender?",
                ("Woman", "Man", "Non-binary", "I prefer not to say"),
            ),
            (
                "Welches Geschlecht haben Sie?",
                ("Weiblich", "Männlich", "Nichtbinär", "Keine Angabe"),
            ),
            other=True,
        ),
    ),
    SurveyPreset(
        "Country", _text("country", "In which country do you live?", "In welchem Land leben Sie?")
    ),
    SurveyPreset(
        "First language",
        _text("language", "What is your first language?", "Was ist Ihre Muttersprache?"),
    ),
    SurveyPreset(
        "Design profession",
        _choices(
            "design",
            (
                "Do you work with color, in design or art?",
                (
                    "Yes, it is my profession",
                    "Yes, I study it",
                    "Yes, as a hobby",
                    "No",
                ),
            ),
            (
                "Arbeiten Sie mit Farbe, in Gestaltung oder Kunst?",
                (
                    "Ja, beruflich",
                    "Ja, im Studium oder in der Ausbildung",
                    "Ja, als Hobby",
                    "Nein",
                ),
            ),
        ),
    ),
    SurveyPreset(
        "Color vision as known",
        _choices(
            "color_vision",
            (
                "Do you have a color vision deficiency, as far as you know?",
                (
                    "No",
                    "Yes, red and green",
                    "Yes, blue and yellow",
                    "Yes, another kind, or I do not know which",
                    "I do not know",
                ),
            ),
            (
                "Haben Sie eine Farbsehschwäche, soweit Sie wissen?",
                (
                    "Nein",
                    "Ja, eine Rot-Grün-Schwäche",
                    "Ja, eine Blau-Gelb-Schwäche",
                    "Ja, eine andere, oder ich weiß nicht, welche",
                    "Das weiß ich nicht",
                ),
            ),
            personal=True,  # health data
        ),
    ),
    SurveyPreset(
        "Display",
        _choices(
            "display",
            (
                "What kind of screen are you looking at?",
                ("Laptop", "External monitor", "Tablet", "Phone"),
            ),
            (
                "Was für einen Bildschirm benutzen Sie?",
                ("Laptop", "Externer Monitor", "Tablet", "Smartphone"),
            ),
            other=True,
        ),
    ),
    SurveyPreset(
        "Free text",
        _text(
            "remarks",
            "How did you decide? Tell us in your own words.",
            "Wie haben Sie sich entschieden? Beschreiben Sie es mit Ihren Worten.",
        ),
    ),
)
