"""Plans of colorings: the paper's numbers, what is refused, and plans from before."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.annotation.studies_made import cases, coloring_plan, plan, sketch_cases
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import (
    Consent,
    Example,
    Material,
    Method,
    Practice,
    Review,
    Training,
    from_json,
    to_json,
)
from truehue.annotation.studies.presets import PRESETS, plan_of
from truehue.core.errors import BadInput

CONSENT = Consent("1", "I agree.")
PRACTICE = Practice(("c0", "c1", "c2"))


def test_the_papers_numbers_stand_in_the_preset() -> None:
    preset = PRESETS["colorings"]
    study = plan_of(preset, sketch_cases(48), 5, CONSENT, practice=PRACTICE)
    assert (study.votes, study.trials, len(study.practice.case_ids)) == (5, 45, 3)
    assert len(study.main_stimuli) == 45
    assert study.answers_wanted == 225
    assert [practice_stimulus.case_id for practice_stimulus in study.practice_stimuli] == [
        "c0",
        "c1",
        "c2",
    ]
    assert study.practice.review is Review.RESEARCHER
    with pytest.raises(BadInput, match="3 practice sketches, and 0"):
        plan_of(preset, sketch_cases(48), 5, CONSENT)


def test_all_of_it_comes_back_from_json() -> None:
    study = coloring_plan(
        practice=0,
        examples=(Example("Color the drink, not the cup.", True, "ab" * 32), Example("Not", False)),
    )
    study = replace(study, practice=Practice(("c3",), Review.AUTOMATIC))
    content = json.loads(json.dumps(to_json(study)))
    assert content["practice"] == {"case_ids": ["c3"], "review": "automatic"}
    assert from_json(content) == study


def test_a_plan_from_before_is_read() -> None:
    study = plan()
    content = to_json(study)
    del content["practice"], content["examples"]
    for case in content["cases"]:
        del case["sketch"]
    assert from_json(content) == study


def test_modifiers_share_a_sketch() -> None:
    study = coloring_plan(cases=sketch_cases(12, sharing=4))
    assert len({case.sketch for case in study.cases}) == 3
    assert len(study.main_stimuli) == 9


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"material": Material.IMAGES}, "Sketches are what is colored"),
        ({"kind": Kind.RATINGS}, "Sketches are what is colored"),
        ({"cases": (*sketch_cases(11), replace(sketch_cases(12)[11], sketch=""))}, "no sketch"),
        ({"cases": (*sketch_cases(11), replace(sketch_cases(12)[11], sketch="../x"))}, "no sketch"),
        ({"cases": tuple(replace(case, sketch="a" * 32) for case in cases(12, 1))}, "candidates"),
        ({"repeats": 1}, "no right answer"),
        ({"attention": 1}, "no right answer"),
        ({"training": Training((("x", "m0"),), 1)}, "stimulus that is not here"),
        ({"method": Method.ADAPTIVE}, "Only pairs"),
        ({"practice": Practice(("c99",))}, "not here"),
        ({"examples": (Example("so", True),) * 25}, "at most 24"),
    ],
)
def test_what_cannot_be_served_is_refused_in_words(changes: dict[str, object], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        replace(coloring_plan(), **changes)  # type: ignore[arg-type]


def test_practice_and_examples_are_checked() -> None:
    with pytest.raises(BadInput, match="one sketch twice"):
        Practice(("c1", "c1"))
    with pytest.raises(BadInput, match="at most 12"):
        Practice(tuple(f"c{i}" for i in range(13)))
    with pytest.raises(BadInput, match="a text"):
        Example(" ", True)
    with pytest.raises(BadInput, match="64 hexadecimal"):
        Example("so", True, "../../etc/passwd")
    with pytest.raises(BadInput, match="for colorings"):
        plan(practice=Practice(("c0",)))
