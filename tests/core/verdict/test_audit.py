"""The protocol audit: which step makes two rules disagree, on objects that show one step each."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.systems import parse_target
from truehue.core.generation.renderer import RenderRequest, render
from truehue.core.verdict.audit import Audit, audit
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import TargetObject, measure_by_rules
from truehue.core.verdict.rules import RULES

IDS = [known.id for known in RULES]


def audited(srgb8: np.ndarray, mask: np.ndarray, color: str, **settings: object) -> Audit | None:
    return audit(list(measure_by_rules(srgb8, mask, parse_target(color), IDS, **settings)))


def flat(*parts: tuple[tuple[int, int, int], int]) -> tuple[np.ndarray, np.ndarray]:
    """Columns of flat colors, 40 pixels high, all inside the mask."""
    columns = [np.full((40, width, 3), color, dtype=np.uint8) for color, width in parts]
    srgb8 = np.concatenate(columns, axis=1)
    return srgb8, np.ones(srgb8.shape[:2], dtype=bool)


def titles(result: Audit) -> list[str]:
    return [title for title, _ in result.reasons]


def test_rules_that_agree_are_no_case() -> None:
    assert audited(*flat(((200, 40, 40), 40)), color="200,40,40") is None
    assert audited(*flat(((200, 40, 40), 40)), color="css:blue") is None


def test_target_guidance_is_named_when_it_turns_the_verdict() -> None:
    """Four colors in equal parts: only the guided rule finds the asked one."""
    parts = [((200, 40, 40), 20), ((40, 160, 60), 20), ((40, 60, 200), 20), ((220, 200, 40), 20)]
    result = audited(*flat(*parts), color="40,60,200")
    assert result is not None
    assert "released" in result.passing
    assert "released-unguided" in result.failing
    assert result.reasons[0][0] == "Target guidance: decides the outcome"
    assert "5% of its pixels" in result.reasons[0][1]


def test_gray_pixels_that_the_clean_up_drops_are_named_with_their_share() -> None:
    result = audited(*flat(((200, 40, 40), 60), ((128, 128, 128), 40)), color="200,40,40")
    assert result is not None
    text = dict(result.reasons)["Gray pixels excluded"]
    assert "40% of the mask" in text


def test_neighbors_that_the_paper_accepts_are_named() -> None:
    # Between red and firebrick: two neighbors of css:firebrick take it in, the name alone does not.
    srgb8, mask = flat(((165, 42, 42), 40))
    result = audited(srgb8, mask, color="css:firebrick", acceptance=Acceptance(5))
    assert result is not None
    assert "paper" in result.passing
    assert "brown" in dict(result.reasons)["Candidates: decides the outcome"]


def test_neighbors_that_the_verdict_does_not_need_are_not_named() -> None:
    """A little off css:firebrick: its metrics are least on several colors, and it alone passes."""
    srgb8, mask = flat(((179, 22, 22), 40), ((125, 143, 54), 4))
    rows = list(
        measure_by_rules(srgb8, mask, parse_target("css:firebrick"), IDS, acceptance=Acceptance(5))
    )
    paper = next(row for row in rows if row.verdict.rule == "paper")
    alone = audited(srgb8, mask, color="css:firebrick")
    assert alone is not None
    assert "paper" in alone.passing
    assert paper.verdict.status == "pass"
    assert {metric.candidate for metric in paper.verdict.metrics} != {0}
    result = audit(rows)
    assert result is not None
    named = [text for title, text in result.reasons if title.startswith("Candidates")]
    assert not [text for text in named if text.startswith("paper")]


def test_a_reference_object_is_measured_without_guidance_and_none_is_named() -> None:
    pixels = flat(((179, 22, 22), 40), ((125, 143, 54), 4))
    helped = audited(*pixels, color="css:firebrick")
    alone = audited(*pixels, color="css:firebrick", target_object=TargetObject(guided=False))
    assert helped is not None
    assert alone is not None
    assert any(title.startswith("Target guidance") for title in titles(helped))
    assert not any(title.startswith("Target guidance") for title in titles(alone))


@pytest.mark.parametrize("light", ["window", "hard"])
def test_light_and_shadow_are_named_when_ours_sees_through_them(light: str) -> None:
    rendering = render(RenderRequest("teapot", (59, 116, 192), light=light, seed=2, size_px=160))
    result = audited(rendering.srgb8, rendering.mask.pixels, color="l2:blue")
    assert result is not None
    assert "truehue" in result.passing
    assert "Shading: decides the outcome" in titles(result)
    assert result.sentence.startswith("truehue")
