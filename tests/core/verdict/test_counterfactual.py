"""With which limits a verdict would pass, against judging anew with those limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from tests.core.photographs import object_photograph
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput
from truehue.core.verdict.audit import (
    Limits,
    alternatives,
    judged_limits,
    read_limits,
)
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import measure
from truehue.core.verdict.rules import PASS, RULES, Thresholds, judge, rule

SRGB8, MASK = object_photograph(96, seed=3)
TARGETS = ("l3:Vivid reddish orange", "css:sienna", "css:blue", "lab(40 38 38)")


def would_pass(accounts: Iterable[Limits], limits: Limits) -> bool:
    """Whether one of the alternatives has every number strictly below its limit."""
    return any(all(value < limits[name] for name, value in account.items()) for account in accounts)


@pytest.mark.parametrize("by", [known.id for known in RULES])
@pytest.mark.parametrize("target", TARGETS)
def test_the_limits_of_the_rule_give_the_verdict_of_the_rule(by: str, target: str) -> None:
    result = measure(SRGB8, MASK, parse_target(target), by)
    accounts = alternatives(result)
    assert would_pass(accounts, judged_limits(result)) is (result.verdict.status == PASS)


@pytest.mark.parametrize("by", ["paper", "released"])
@pytest.mark.parametrize("k", [0, 6])
def test_other_limits_give_what_judging_by_them_gives(by: str, k: int) -> None:
    k = 0 if rule(by).same_candidate else k
    result = measure(SRGB8, MASK, parse_target("css:sienna"), by, acceptance=Acceptance(k))
    accounts = alternatives(result)
    assert result.verdict.lab is not None
    candidates = np.array([candidate.lab for candidate in result.candidates])
    for delta_e00 in (1.0, 3.0, 5.0, 8.0, 20.0):
        for delta_chroma in (1.0, 5.0, 30.0):
            limits = Thresholds(delta_chroma, delta_e00, 30.0)
            again = judge(
                result.verdict.lab,
                result.target.lab,
                candidates,
                replace(rule(by), thresholds=limits),
            )
            moved = {"delta_e00": delta_e00, "delta_chroma": delta_chroma, "hue_deg": 30.0}
            assert would_pass(accounts, moved) is (again.status == PASS), moved


def test_limits_of_a_link_are_read_or_refused_in_words() -> None:
    assert read_limits("delta_e00:8,hue_deg:40.5") == {"delta_e00": 8.0, "hue_deg": 40.5}
    assert read_limits("") == {}
    for wrong in ("delta_e00:x", "delta_e00", "luck:3", "misfit:0", "misfit:-1", "misfit:nan"):
        with pytest.raises(BadInput, match="cannot be read"):
            read_limits(wrong)
