"""The questions of GenColorBench's Appendix E."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import find, nearest_names, parse_target
from truehue.core.errors import BadInput
from truehue.core.vlm.color_judge.questions import Render, questions
from truehue.core.vlm.records import LETTERS, Form
from truehue.core.vlm.tasks import TASKS

SRGB8 = np.zeros((8, 8, 3), dtype=np.uint8)


def render(color: str, system: str) -> Render:
    return Render(SRGB8, "teddy bear", parse_target(color, system), system)


@pytest.mark.parametrize(("color", "system", "count"), [("Teal", "css", 9), ("Olive", "l2", 6)])
def test_every_kind_is_asked_and_yes_or_no_twice(color: str, system: str, count: int) -> None:
    made = questions(render(color, system))
    assert len(made) == len({item.question_id for item in made}) == count
    assert {item.task for item in made} == {key for key in TASKS if key.startswith(f"{system}_")}
    assert all("teddy bear" in item.text for item in made)
    binary = [item for item in made if item.form is Form.BINARY]
    assert [item.answer for item in binary] == ["yes", "no"] * (len(binary) // 2)
    true = find(color, system)
    for entry in binary:
        target = find(entry.construction["asked"], system)
        distance = float(delta_e00(np.array(true.lab), np.array(target.lab)))
        assert entry.construction["delta_e00"] == pytest.approx(distance, abs=1e-3)
        assert distance >= 10 if entry.answer == "no" else distance == 0
        written = (target.name, target.hex, str(target.srgb8))
        assert any(text in entry.text for text in written)
    assert made == questions(render(color, system))


def test_the_list_has_all_names_as_in_the_paper_or_the_nearest() -> None:
    listed = questions(render("teal", "css"))[1]
    assert listed.form is Form.OPEN
    assert len(listed.construction["names"]) == 147
    assert all(name in listed.text for name in listed.construction["names"])
    near = questions(render("teal", "css"), near=5)[1]
    assert near.form is Form.CHOICE
    assert near.choices[LETTERS.index(near.answer)] == "teal"
    lab = find("teal", "css").lab
    assert set(near.choices) == {color.name for color, _ in nearest_names(lab, "css", 6)}


def test_words_that_are_right() -> None:
    name, _, code, *_ = questions(render("gray", "css"))
    assert (name.answer, name.construction["also"]) == ("gray", ["grey"])
    assert code.answer == "#808080"


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(BadInput, match="not on l3"):
        questions(render("vivid red", "l3"))
    with pytest.raises(BadInput, match="no color of CSS3/X11"):
        questions(Render(SRGB8, "mug", parse_target("#123456"), "css"))
    with pytest.raises(BadInput, match="1 to 25 near names"):
        questions(render("teal", "css"), near=26)
