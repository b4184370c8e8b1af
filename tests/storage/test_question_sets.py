"""Sets of questions in the data folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import NotStored
from core.vision_language.generators import GeneratedSettings, generated
from core.vision_language.question_set import QUESTIONS
from core.vision_language.records import Illustrated
from storage.question_sets import QuestionSets


def _items(seed: int = 0) -> Iterator[Illustrated]:
    return iter(generated(GeneratedSettings({"color_extraction": 2}, seed=seed)))


def test_the_same_questions_are_one_set(tmp_path: Path) -> None:
    sets = QuestionSets(tmp_path / "questions")
    assert sets.all() == []
    first = sets.add(_items(), "First", {"seed": 0})
    sets.hide(first)
    assert sets.all()[0].hidden
    assert sets.add(_items(), "Another name", {}) == first
    (stored,) = sets.all()
    assert not stored.hidden
    assert stored.questions is not None
    assert stored.questions.name == "First"
    assert sets.open(first).sha256.startswith(first)
    assert not list(sets.root.glob(".*"))


def test_nothing_is_left_of_a_set_that_was_not_finished(tmp_path: Path) -> None:
    sets = QuestionSets(tmp_path / "questions")

    def broken() -> Iterator[Illustrated]:
        yield from _items()
        raise RuntimeError("ended")

    with pytest.raises(RuntimeError, match="ended"):
        sets.add(broken(), "Half", {})
    assert list(sets.root.iterdir()) == []


def test_a_set_that_was_changed_is_listed_with_its_problem(tmp_path: Path) -> None:
    sets = QuestionSets(tmp_path / "questions")
    set_id = sets.add(_items(), "One", {})
    other = sets.add(_items(1), "Two", {})
    lines = sets.root / set_id / QUESTIONS
    lines.write_bytes(lines.read_bytes().replace(b"color", b"COLOR", 1))
    by_id = {stored.set_id: stored for stored in QuestionSets(sets.root).all()}
    assert "was changed" in by_id[set_id].problem
    assert by_id[other].questions is not None


@pytest.mark.parametrize("name", ["", "..", "../questions", ".hidden", "nothing"])
def test_what_is_no_set_is_not_opened(tmp_path: Path, name: str) -> None:
    sets = QuestionSets(tmp_path / "questions")
    sets.add(_items(), "One", {})
    with pytest.raises(NotStored):
        sets.open(name)
    with pytest.raises(NotStored):
        sets.hide(name)
