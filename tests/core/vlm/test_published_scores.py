"""The published rows that stand beside ours."""

from __future__ import annotations

import pytest

from truehue.core.errors import BadInput
from truehue.core.vlm.published_scores import published_rows


def test_published_rows_are_marked() -> None:
    first, *_ = published_rows("1")
    assert (first.name, first.protocol) == ("LLaVA-OV-0.5B", "paper")
    assert first.source.startswith("Table 1 of Liang et al. 2025")
    assert (first.tasks["color_recognition"], first.micro, first.robust) == (26.3, 32.6, 38.7)
    assert (len(published_rows("1")), len(published_rows("9"))) == (35, 15)
    assert published_rows("9")[-1].name == "RGB+Text"


def test_a_row_that_lacks_a_task_has_no_macro_average_and_doubts_are_kept() -> None:
    by_name = {row.name: row for row in published_rows()}
    people = by_name["Human Evaluation"]
    assert (people.tasks["color_extraction"], people.micro, people.macro) == (None, None, None)
    assert "55.12" in by_name["Gemini-2-flash"].doubts["overall"]
    assert by_name["LLaVA-OV-0.5B"].macro == pytest.approx(33.98)


def test_other_tables_are_refused() -> None:
    with pytest.raises(BadInput, match="no accuracies"):
        published_rows("7")
