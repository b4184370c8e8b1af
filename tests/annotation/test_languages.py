"""The participants' texts: every language says all, with the same places to fill in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from truehue.annotation.studies import languages as module
from truehue.annotation.studies.languages import (
    ENGLISH,
    FOLDER,
    language_accepted,
    language_of,
    languages,
)
from truehue.core.errors import BadInput

PLACE = re.compile(r"\{\w+\}")
FILES = sorted(FOLDER.glob("*.json"))
COMPLETE = ("en", "de")


def leaves(content: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Each text with the names that lead to it."""
    if isinstance(content, dict):
        for name, value in content.items():
            yield from leaves(value, f"{path}/{name}")
    elif isinstance(content, list):
        for index, value in enumerate(content):
            yield from leaves(value, f"{path}/{index}")
    else:
        yield path, content


def texts_in(file: Path) -> Mapping[str, object]:
    return dict(leaves(json.loads(file.read_text("utf-8"))))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_text_has_the_places_of_the_english_one(file: Path) -> None:
    english, texts = texts_in(FOLDER / "en.json"), texts_in(file)
    assert set(texts) <= set(english)
    if file.stem in COMPLETE:
        assert list(texts) == list(english)
    for name, text in texts.items():
        if isinstance(text, str):
            assert text.strip() == text != "", name
            assert sorted(PLACE.findall(text)) == sorted(PLACE.findall(str(english[name]))), name


def test_a_part_replaces_no_text_of_another() -> None:
    english = language_of(ENGLISH)
    names = [name for part in module.PAGE_PARTS for name in getattr(english, part)]
    assert len(names) == len(set(names)) > 150
    assert english.wording()["continue"] == "Continue"


def test_a_region_has_its_language_and_an_unknown_one_is_english() -> None:
    assert next(iter(languages())) == ENGLISH
    assert language_of("de-AT") is language_of("de") is languages()["de"]
    assert language_of("xx") is language_of("") is languages()[ENGLISH]


def test_a_browser_says_which_language_it_wants() -> None:
    for header, tag in (
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("xx, en-GB;q=0.8, de;q=0.5", "en"),
        ("", "en"),
        (";;,,*", "en"),
    ):
        assert language_accepted(header).tag == tag


def test_what_a_new_language_lacks_is_english(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "en.json").write_bytes((FOLDER / "en.json").read_bytes())
    content = {
        "name": "עברית",
        "direction": "rtl",
        "page": {"continue": "המשך"},
        "presets": {"realism": {"question": "?"}},
        "survey_presets": {"gender": {"text": "?"}},
    }
    (tmp_path / "he.json").write_text(json.dumps(content), "utf-8")
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    languages.cache_clear()
    try:
        hebrew = language_of("he")
        assert (hebrew.name, hebrew.direction) == ("עברית", "rtl")
        assert hebrew.page["continue"] == "המשך"
        assert hebrew.page["start"] == "Start"
        english = language_of(ENGLISH)
        assert hebrew.presets["realism"].instructions == english.presets["realism"].instructions
        assert hebrew.survey_presets["gender"].text == "?"
        assert hebrew.survey_presets["gender"].choices == english.survey_presets["gender"].choices
        (tmp_path / "he.json").write_text('{"consent": {"thanks": "?"}}', "utf-8")
        languages.cache_clear()
        with pytest.raises(BadInput, match=r"he\.json does not have the form of en\.json"):
            languages()
        (tmp_path / "he.json").write_text("{", "utf-8")
        languages.cache_clear()
        with pytest.raises(BadInput, match=r"he\.json is not JSON"):
            languages()
    finally:
        languages.cache_clear()
