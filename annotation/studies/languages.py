"""The participants' texts, one file for each language: ``assets/languages/TAG.json``.

A language is added by adding its file: a text that it lacks is shown in English. The first parts
are what the page says; a study may replace these by name. ``direction`` is ``ltr``, or ``rtl`` for
a language that is written from right to left.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from truehue.core.errors import BadInput

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "languages"
ENGLISH = "en"
PAGE_PARTS = ("page", "survey", "votes", "colorings", "questions")


@dataclass(frozen=True)
class ConsentTexts:
    """The consent text that a study begins with; what is in brackets is for the researcher to fill
    in. ``task`` and ``stored`` have their places in ``text``, and other words in a study of
    colorings."""

    text: str
    task: str
    stored: str
    task_colorings: str
    stored_colorings: str


@dataclass(frozen=True)
class PresetWording:
    """``title`` is what participants read above a study, where its preset's name is not for them."""

    question: str
    instructions: str
    title: str = ""


@dataclass(frozen=True)
class QuestionTexts:
    """A question about participants, ready to be taken."""

    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Language:
    """All texts of a language, by name. ``canvas`` are those of the canvas, ``practice`` what a
    practice sketch lacks, ``examples`` how colorings are made well (True) and badly, ``sites`` what
    people from a recruiting site read who did not complete the study."""

    tag: str
    name: str
    english_name: str
    direction: str
    no_scripts: str
    page: Mapping[str, str]
    survey: Mapping[str, str]
    votes: Mapping[str, str]
    colorings: Mapping[str, str]
    questions: Mapping[str, str]
    canvas: Mapping[str, str]
    practice: Mapping[str, str]
    consent: ConsentTexts
    presets: Mapping[str, PresetWording]
    examples: tuple[tuple[str, bool], ...]
    survey_presets: Mapping[str, QuestionTexts]
    sites: Mapping[str, str]

    def wording(self, *parts: str) -> dict[str, str]:
        """The texts of these parts, of all parts of the page where none is named."""
        names = parts or PAGE_PARTS
        return {key: text for name in names for key, text in getattr(self, name).items()}


@cache
def languages() -> Mapping[str, Language]:
    """All that have a file, by tag, English first."""
    english = _content(FOLDER / f"{ENGLISH}.json")
    others = sorted(file for file in FOLDER.glob("*.json") if file.stem != ENGLISH)
    contents = {ENGLISH: english} | {file.stem: _content(file) for file in others}
    return MappingProxyType(
        {tag: _language(tag, content, english) for tag, content in contents.items()}
    )


def language_of(tag: str) -> Language:
    """The language of a tag such as "de" or "de-AT"; English where it has no file."""
    known = languages()
    return known.get(tag) or known.get(tag.split("-")[0].lower()) or known[ENGLISH]


def language_accepted(header: str) -> Language:
    """The first language of a browser's ``Accept-Language`` that has a file, else English."""
    tags = [part.partition(";")[0].strip() for part in header.split(",")]
    known = languages()
    return next(
        (language_of(tag) for tag in tags if tag.split("-")[0].lower() in known), known[ENGLISH]
    )


def _content(file: Path) -> dict[str, object]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadInput(f"assets/languages/{file.name} is not JSON: {error}.") from error
    if not isinstance(content, dict):
        raise BadInput(f"assets/languages/{file.name} is not an object of texts.")
    return content


def _language(tag: str, content: Mapping[str, object], english: Mapping[str, object]) -> Language:
    whole: dict[str, Any] = _filled(english, content)
    try:
        return Language(
            tag=tag,
            name=str(content.get("name", tag)),
            english_name=str(content.get("english_name", content.get("name", tag))),
            direction="rtl" if content.get("direction") == "rtl" else "ltr",
            no_scripts=whole["no_scripts"],
            **{name: whole[name] for name in (*PAGE_PARTS, "canvas", "practice", "sites")},
            consent=ConsentTexts(**whole["consent"]),
            presets={key: PresetWording(**texts) for key, texts in whole["presets"].items()},
            examples=tuple((item["text"], item["good"]) for item in whole["examples"]),
            survey_presets={
                key: QuestionTexts(item["text"], tuple(item.get("choices", ())))
                for key, item in whole["survey_presets"].items()
            },
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(
            f"assets/languages/{tag}.json does not have the form of {ENGLISH}.json: {error}."
        ) from error


def _filled(english: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a language with the English texts that it lacks, at any depth."""
    parts = {
        name: _filled(english[name], part)
        for name, part in content.items()
        if isinstance(part, dict) and isinstance(english.get(name), dict)
    }
    return {**english, **content, **parts}
