"""Published rows beside ours, told apart."""

from __future__ import annotations

import pytest

from tests.core.vlm.answered import answers, questions
from truehue.core.errors import BadInput
from truehue.core.vlm.published_scores import join_published, published_rows
from truehue.core.vlm.scoring import score


def test_published_rows_stand_below_ours_and_are_marked() -> None:
    target = questions("color_recognition", 4)
    rows = join_published({"mine": score(target, answers(target, "+++-"))}, "generated 1", "1", "9")
    mine, first, *_ = rows
    assert (mine.name, mine.published, mine.protocol) == ("mine", False, "generated 1")
    assert (mine.tasks, mine.micro, mine.robust) == ({"color_recognition": 75.0}, 75.0, None)
    assert (first.name, first.published, first.protocol) == ("LLaVA-OV-0.5B", True, "paper")
    assert first.source.startswith("Table 1 of Liang et al. 2025")
    assert (first.tasks["color_recognition"], first.micro, first.robust) == (26.3, 32.6, 38.7)
    assert len(rows) == 1 + 35 + 15
    assert rows[-1].name == "RGB+Text"


def test_a_row_that_lacks_a_task_has_no_macro_average_and_doubts_are_kept() -> None:
    by_name = {row.name: row for row in published_rows()}
    people = by_name["Human Evaluation"]
    assert (people.tasks["color_extraction"], people.micro, people.macro) == (None, None, None)
    assert "55.12" in by_name["Gemini-2-flash"].doubts["overall"]
    assert by_name["LLaVA-OV-0.5B"].macro == pytest.approx(33.98)


def test_ours_cannot_pass_for_published() -> None:
    with pytest.raises(BadInput, match="protocol of their own"):
        join_published({}, "paper")
    with pytest.raises(BadInput, match="no accuracies"):
        published_rows("7")
