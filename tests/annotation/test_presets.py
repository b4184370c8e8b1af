"""Presets: the numbers of the papers, and what they refuse."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.annotation.studies_made import cases
from truehue.annotation.studies.plan import (
    Closing,
    Completion,
    Consent,
    Method,
    Screening,
    Training,
    from_json,
    to_json,
)
from truehue.annotation.studies.presets import PRESETS, plan_of
from truehue.core.errors import BadInput

CONSENT = Consent("1", "I agree.")


def test_the_papers_study_wants_2700_votes() -> None:
    study = plan_of(PRESETS["concepts"], cases(180, 3), 5, CONSENT)
    assert len(study.cases) == 150
    assert len(study.stimuli) == 450
    assert study.answers_wanted == 2_700 == 36 * study.trials
    assert study.closing.participants == 36
    assert plan_of(PRESETS["concepts"], cases(180, 3), 5, CONSENT) == study
    assert plan_of(PRESETS["concepts"], cases(180, 3), 6, CONSENT).cases != study.cases


def test_other_numbers_are_refused_in_words() -> None:
    with pytest.raises(BadInput, match="wants 150 cases, and 20"):
        plan_of(PRESETS["concepts"], cases(20, 3), 5, CONSENT)
    with pytest.raises(BadInput, match="3 models, not 4"):
        plan_of(PRESETS["concepts"], cases(150, 4), 5, CONSENT)


@pytest.mark.parametrize(
    "name", [name for name in PRESETS if name not in ("colorings", "questions")]
)
def test_every_preset_is_a_plan_that_comes_back_from_json(name: str) -> None:
    study = plan_of(PRESETS[name], cases(150, 3 if name == "concepts" else 4), 5, CONSENT)
    assert from_json(to_json(study)) == study


def test_everything_that_a_plan_may_say_comes_back_from_json() -> None:
    study = plan_of(PRESETS["adherence"], cases(3, 3), 5, CONSENT)
    full = replace(
        study,
        method=Method.ADAPTIVE,
        model_sets=(("m0", "m1"), ("m1", "m2")),
        training=Training(((study.stimuli[0].id, "m1"),), 1, 3),
        screening=Screening(plates=False),
        completion=Completion("C0DE", "https://app.example/complete"),
        closing=Closing(when_complete=False, participants=12),
        language="de",
        wording=(("next", "Weiter"),),
        provenance=("Four cases were left out.",),
    )
    text = json.dumps(to_json(full))
    assert from_json(json.loads(text)) == full
    assert from_json({**json.loads(text), "form": {"kept": "elsewhere"}}) == full


def test_json_that_is_no_plan_names_the_field() -> None:
    content = to_json(plan_of(PRESETS["adherence"], cases(3, 2), 5, CONSENT))
    with pytest.raises(BadInput, match="votes"):
        from_json({**content, "votes": "many"})
