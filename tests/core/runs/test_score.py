"""Pictures of the renderer's failures to rows: status, cause, and which object leads."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import lab_to_xyz1, linear1_to_xyz1, xyz1_to_lab, xyz1_to_linear1
from truehue.core.color.systems import parse_target
from truehue.core.generation.backends.reference import ReferenceRenderer, shapes_for
from truehue.core.generation.request import GenerationRequest
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.maskers import open_masker
from truehue.core.runs.records import MaskerSpec, ObjectVerdict
from truehue.core.runs.score import CAUSES, direction, not_generated, score
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.rules import RULES, Offset, Verdict

EVERY = tuple((item.id, item.version) for item in RULES)
TRUEHUE = (("truehue", "1.2"),)
RED, BLUE = parse_target("css:crimson"), parse_target("css:mediumblue")
APPLE, VASE = ObjectTarget("apple", RED), ObjectTarget("vase", BLUE)
PLATE = ObjectTarget("plate", None, (), "bystander")


def judged(
    task: str,
    targets: tuple[ObjectTarget, ...],
    failure: str = "none",
    drop: int | None = None,
    rules: tuple[tuple[str, str], ...] = TRUEHUE,
) -> tuple[ObjectVerdict, ...]:
    prompt = Prompt("p", "words", task, targets)
    (sample,) = ReferenceRenderer().draw(
        [
            GenerationRequest(
                "reference-renderer",
                "words",
                seed=3,
                width=96,
                height=96,
                targets=targets,
                options={"failure": failure},
            )
        ],
        lambda report: None,
        Event(),
    )
    exact = {mask.target: mask.mask for mask in sample.masks if mask.target != drop}
    standings = shapes_for(targets)
    masker = open_masker(MaskerSpec("exact"))
    rendered = None if drop is not None else standings
    result = masker.find(sample.srgb8, task, targets, exact, rendered)
    left_out = {placed_target.target for placed_target in standings if placed_target.shape is None}
    return score(prompt, sample.srgb8, result.findings, rules, Acceptance(), left_out)


def test_every_rule_has_a_row_an_object_and_one_of_them_leads() -> None:
    rows = judged("moc", (APPLE, VASE), rules=EVERY)
    assert [(row.rule, row.target) for row in rows] == [(r, t) for r, _ in EVERY for t in (0, 1)]
    for rule_id, version in EVERY:
        mine = [row for row in rows if row.rule == rule_id]
        assert {item.version for item in mine} == {version}
        assert sum(item.leads for item in mine) == 1
        assert len({(item.picture_status, item.picture_reason) for item in mine}) == 1
    assert all(not row.cause or row.cause in CAUSES for row in rows)
    passing = [row for row in rows if row.rule == "truehue"]
    assert [(item.status, item.cause, item.leads) for item in passing] == [
        ("pass", "", True),
        ("pass", "", False),
    ]
    assert passing[0].asked_hex == RED.hex
    assert passing[0].lab is not None
    assert passing[0].misfit is not None
    assert passing[0].misfit < 2.5
    # What the light is made of is told, so that the distance can be computed again.
    factor, haze = passing[0].light_factor, passing[0].haze_percent
    assert factor is not None
    assert haze is not None
    asked1 = xyz1_to_linear1(lab_to_xyz1(np.array(RED.lab)))
    linear = np.minimum(asked1 * factor + haze / 100.0, 1.0)
    seen = xyz1_to_lab(linear1_to_xyz1(linear))
    assert float(delta_e00(seen, np.array(passing[0].lab))) == pytest.approx(passing[0].delta_e00)
    assert next(row for row in rows if row.rule == "paper").light_factor is None


@pytest.mark.parametrize(
    ("task", "targets", "failure", "causes"),
    [
        ("moc", (APPLE, VASE), "swapped", ("exchanged", "exchanged")),
        ("moc", (APPLE, VASE), "one-missing", ("", "absent")),
        ("coa", (APPLE, PLATE), "leaked", ("", "leaked")),
        ("cna", (APPLE,), "too-vivid", ("more-vivid",)),
    ],
)
def test_failures_have_a_cause(
    task: str, targets: tuple[ObjectTarget, ...], failure: str, causes: tuple[str, ...]
) -> None:
    if failure == "too-vivid":
        targets = (replace(APPLE, color=parse_target("css:rosybrown")),)
    rows = judged(task, targets, failure)
    assert tuple(row.cause for row in rows) == causes
    wrong = [row for row in rows if row.status == "fail"]
    assert wrong[0].leads
    assert {row.picture_status for row in rows} == {"fail"}
    assert all(item.told in item.picture_reason for item in wrong)


def test_what_has_no_score_says_why() -> None:
    object_target = ObjectTarget("sidewalk", None, (), "bystander")
    rows = judged("coa", (APPLE, object_target))
    assert [(row.status, row.cause) for row in rows] == [("pass", ""), ("unscored", "left-out")]
    assert [row.leads for row in rows] == [False, True]
    assert {row.picture_status for row in rows} == {"unscored"}
    rows = judged("moc", (APPLE, VASE), drop=1)
    assert [(row.status, row.cause) for row in rows] == [("pass", ""), ("unscored", "no-mask")]


def test_a_rule_that_breaks_is_unscored_and_the_others_judge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from truehue.core.verdict import tasks

    real = tasks.judge_task

    def breaks(task, targets, result, srgb8, rules, settings):  # type: ignore[no-untyped-def]
        for rule in rules:
            if rule == "released":
                raise ValueError("odd pixels")
            yield from real(task, targets, result, srgb8, [rule], settings)

    monkeypatch.setattr(tasks, "judge_task", breaks)
    rows = judged("cna", (APPLE,), rules=EVERY)
    said = {row.rule: row for row in rows}
    assert (said["released"].status, said["released"].cause) == ("unscored", "broke")
    assert "odd pixels" in said["released"].told
    assert said["truehue"].status == "pass"


def test_memory_that_runs_out_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*values: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr("truehue.core.verdict.tasks.judge_task", breaks)
    with pytest.raises(MemoryError):
        judged("cna", (APPLE,), rules=EVERY)


def test_a_picture_without_an_image_is_unscored_by_every_rule() -> None:
    rows = not_generated("No memory.", EVERY)
    assert [row.rule for row in rows] == [rule_id for rule_id, _ in EVERY]
    said = {(row.status, row.picture_status, row.cause) for row in rows}
    assert said == {("unscored", "unscored", "no-image")}
    assert {(row.told, row.target, row.leads) for row in rows} == {("No memory.", -1, True)}


@pytest.mark.parametrize(
    ("result", "accepted", "cause"),
    [
        ((50, 40, 0), (50, 0, 40), "hue"),
        ((50, 60, 0), (55, 30, 0), "more-vivid"),
        ((50, 10, 0), (55, 30, 0), "duller"),
        ((80, 30, 0), (50, 32, 2), "lighter"),
        ((20, 30, 0), (50, 32, 2), "darker"),
        ((20, 5, 7), (60, 8, -6), "hue"),
        ((52, 4, 0), (50, 0, 0), "more-vivid"),
        # ΔH* = 2 √(60 · 24) sin(29° / 2) = 19 is less than ΔC* = 36.
        ((50, 60, 0), (50, 20.991, 11.635), "more-vivid"),
    ],
)
def test_the_furthest_of_hue_chroma_and_lightness_is_named(
    result: tuple[float, ...], accepted: tuple[float, ...], cause: str
) -> None:
    from truehue.core.verdict.rules import offset_between

    offset: Offset = offset_between(np.array(result, float), np.array(accepted, float))
    lab = (float(result[0]), float(result[1]), float(result[2]))
    assert direction(Verdict("fail", "", "paper", "1.0", lab=lab, offset=offset)) == cause
