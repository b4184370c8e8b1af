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
    target = [item for item in COLORBENCH if item.category is not Category.ROBUSTNESS]
    assert sum(item.size for item in target) == 955
    assert [item.name for item in COLORBENCH if not item.people] == [
        "Color Extraction",
        "Color Robustness",
    ]


def test_appendix_e_counts_its_renders() -> None:
    assert {item.size for item in APPENDIX_E if item.system == "css"} == {14 * 147}
    assert {item.size for item in APPENDIX_E if item.system == "l2"} == {14 * 29}
    assert len(TASKS) == 21


def test_what_is_said_to_be_generated_is() -> None:
    assert {item.id for item in COLORBENCH if item.generated} == set(GENERATORS)


def test_published_names_and_ids() -> None:
    assert task_named(" color  Blindness") is task("color_blindness")
    assert task_named("Shape Recognition") is None
    with pytest.raises(BadInput, match='no task "hearing"'):
        task("hearing")
