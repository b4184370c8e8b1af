"""What cards say of stored verdicts, also of those that an earlier version stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from truehue.core.color.spaces import linear1_to_srgb1, srgb8_to_linear1
from truehue.core.color.systems import parse_target
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.records import EvidenceRecord
from truehue.core.verdict.expectations import expectations_of
from truehue.core.verdict.measure import measure
from truehue.tabs.verdicts.summary import RuleVerdict, object_verdicts

TARGET = ObjectTarget("mug", parse_target("css:black"))


@pytest.fixture(scope="module")
def numbers() -> dict[str, Any]:
    """A mug of level 2's black, from full light to half: CSS's black explains it less well."""
    shade = np.tile(np.linspace(0.5, 1.0, 64), (64, 1))[..., None]
    linear1 = shade * srgb8_to_linear1(np.array(parse_target("l2:black").srgb8))
    image = np.rint(255.0 * linear1_to_srgb1(linear1)).astype(np.uint8)
    color = parse_target("css:black")
    return dict(measure(image, np.ones((64, 64), bool), color, "truehue").numbers())


def said(numbers: dict[str, Any]) -> RuleVerdict:
    (expectation,) = expectations_of([TARGET])
    (key, *_) = expectation.answer_keys
    row = EvidenceRecord("i", "m", "mug", {}, "truehue", "1.2", {}, "fail", "", numbers, key)
    ((verdict,),) = object_verdicts([TARGET], [row]).values()
    return verdict


def test_a_rival_of_the_same_name_is_told_with_its_system(numbers: dict[str, Any]) -> None:
    assert numbers["rival"]["system"] == "l2"
    assert said(numbers).sentence == "Level-2 black fits the mug better than black."


def test_a_row_whose_rival_has_no_system_is_read(numbers: dict[str, Any]) -> None:
    """As truehue 1.2 stored them before Rival.system."""
    rival = {name: value for name, value in numbers["rival"].items() if name != "system"}
    assert said({**numbers, "rival": rival}).sentence == (
        "Another black fits the mug better than black."
    )
    named = {**rival, "name": "navy"}
    assert said({**numbers, "rival": named}).sentence == "Navy fits the mug better than black."
