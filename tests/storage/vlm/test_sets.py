"""Sets of questions in the data folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from truehue.core.errors import NotStored
from truehue.core.vlm.generators import GeneratedSettings, generated
from truehue.core.vlm.question_set import QUESTIONS
from truehue.core.vlm.records import IllustratedQuestion
from truehue.storage import Storage
from truehue.storage.vlm.sets import QuestionSets


def _items(seed: int = 0) -> Iterator[IllustratedQuestion]:
    return iter(generated(GeneratedSettings({"color_extraction": 2}, seed=seed)))


def test_the_same_questions_are_one_set(tmp_path: Path) -> None:
    sets = QuestionSets(tmp_path / "questions")
    assert sets.all() == []
    first, is_new = sets.add(_items(), "First", {"seed": 0})
    assert is_new
    sets.hide(first)
    assert sets.all()[0].hidden
    assert sets.add(_items(), "Another name", {}) == (first, False)
    (stored,) = sets.all()
    assert stored.hidden
    sets.hide(first, False)
    assert not sets.all()[0].hidden
    assert stored.questions is not None
    assert stored.questions.name == "First"
    assert sets.open(first).sha256.startswith(first)
    assert not list(sets.root.glob(".*"))


def test_nothing_is_left_of_a_set_that_was_not_finished(tmp_path: Path) -> None:
    sets = QuestionSets(tmp_path / "questions")

    def broken() -> Iterator[IllustratedQuestion]:
        yield from _items()
        raise RuntimeError("ended")

    with pytest.raises(RuntimeError, match="ended"):
        sets.add(broken(), "Half", {})
    assert list(sets.root.iterdir()) == []


def test_a_set_that_was_changed_is_listed_with_its_problem(tmp_path: Path) -> None:
    sets = QuestionSets(tmp_path / "questions")
    set_id, _ = sets.add(_items(), "One", {})
    other, _ = sets.add(_items(1), "Two", {})
    lines = sets.root / set_id / QUESTIONS
    lines.write_bytes(lines.read_bytes().replace(b"color", b"COLOR", 1))
    by_id = {stored.set_id: stored for stored in QuestionSets(sets.root).all()}
    assert "was changed" in by_id[set_id].problem
    assert by_id[other].questions is not None
    # Made again, it is whole; an image that goes is told of at the next look.
    assert sets.add(_items(), "One", {}) == (set_id, False)
    assert sets.open(set_id).name == "One"
    next((sets.root / set_id / "images").glob("*/*.png")).unlink()
    assert "are gone" in next(item for item in sets.all() if item.set_id == set_id).problem
    sets.add(_items(), "One", {})
    assert sets.open(set_id).questions_count == 2


def test_what_a_kill_left_half_made_is_taken_away(tmp_path: Path) -> None:
    half = tmp_path / "data" / "questions" / ".0123.part"
    half.mkdir(parents=True)
    (half / "questions.jsonl").write_text("{}")
    torn = tmp_path / "data" / "images" / "ab" / ".x.part"
    torn.parent.mkdir(parents=True)
    torn.touch()
    with Storage.open(tmp_path / "data"):
        assert not half.exists()
        assert not torn.exists()


@pytest.mark.parametrize("name", ["", "..", "../questions", ".hidden", "nothing"])
def test_what_is_no_set_is_not_opened(tmp_path: Path, name: str) -> None:
    sets = QuestionSets(tmp_path / "questions")
    sets.add(_items(), "One", {})
    with pytest.raises(NotStored):
        sets.open(name)
    with pytest.raises(NotStored):
        sets.hide(name)
