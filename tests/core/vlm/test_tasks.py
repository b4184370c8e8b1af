"""The list of tasks."""

from __future__ import annotations

import pytest

from truehue.core.errors import BadInput
from truehue.core.vlm.generators import GENERATORS
from truehue.core.vlm.tasks import (
    APPENDIX_E,
    COLORBENCH,
    ROBUSTNESS,
    TASKS,
    Category,
    task,
    task_named,
)


def test_the_sizes_are_those_of_table_7() -> None:
    assert len(COLORBENCH) == 11
    assert task(ROBUSTNESS).category is Category.ROBUSTNESS
    asked = [one for one in COLORBENCH if one.category is not Category.ROBUSTNESS]
    assert sum(one.size for one in asked) == 955
    assert [one.name for one in COLORBENCH if not one.people] == [
        "Color Extraction",
        "Color Robustness",
    ]


def test_appendix_e_counts_its_renders() -> None:
    assert {one.size for one in APPENDIX_E if one.system == "css"} == {14 * 147}
    assert {one.size for one in APPENDIX_E if one.system == "l2"} == {14 * 29}
    assert len(TASKS) == 21


def test_what_is_said_to_be_generated_is() -> None:
    assert {one.id for one in COLORBENCH if one.generated} == set(GENERATORS)


def test_published_names_and_ids() -> None:
    assert task_named(" color  Blindness") is task("color_blindness")
    assert task_named("Shape Recognition") is None
    with pytest.raises(BadInput, match='no task "hearing"'):
        task("hearing")
