"""Verdicts of the five tasks: several objects, each with its reason, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.expectations import ABSENT, Localization, expectations_of
from truehue.core.verdict.measure import TargetObject, measure
from truehue.core.verdict.reasons import by
from truehue.core.verdict.rules import RULES
from truehue.core.verdict.tasks import TaskVerdict, judge_task, part_of

RULE_IDS = [by.id for by in RULES]
RED, BLUE = parse_target("#C04040"), parse_target("#4060C0")


def flat(*colors: str) -> tuple[np.ndarray, list[np.ndarray]]:
    """Bands of flat colors, uint8 ``(20, 20 * n, 3)``, and the mask of each."""
    srgb8 = np.concatenate(
        [np.full((20, 20, 3), parse_target(color).srgb8, dtype=np.uint8) for color in colors], 1
    )
    masks = []
    for index in range(len(colors)):
        mask = np.zeros(srgb8.shape[:2], dtype=bool)
        mask[:, 20 * index : 20 * (index + 1)] = True
        masks.append(mask)
    return srgb8, masks


# ---------------------------------------------------------------------- relation and guidance


@pytest.mark.parametrize("rule_id", RULE_IDS)
def test_what_must_differ_passes_exactly_when_it_does_not_match(rule_id: str) -> None:
    srgb8, (mask,) = flat("#C04040")
    for color, matches in ((RED, "pass"), (BLUE, "fail")):
        plain = measure(srgb8, mask, color, rule_id, target_object=TargetObject("plate"))
        other = measure(srgb8, mask, color, rule_id, target_object=TargetObject("plate", "differs"))
        assert plain.verdict.status == matches
        assert {plain.verdict.status, other.verdict.status} == {"pass", "fail"}
        assert other.verdict.metrics == plain.verdict.metrics
        assert "relation" not in plain.as_json()
        assert other.as_json()["relation"] == "differs"
        assert "the color that the plate must not take" in other.verdict.reason


def test_without_guidance_the_released_rule_measures_all_pixels_alike() -> None:
    """A ramp from dark to light red: guided, only the tenth nearest to the target color counts."""
    ramp = np.linspace((110, 35, 35), (250, 90, 90), 60).round().astype(np.uint8)
    srgb8, mask = np.repeat(ramp[None], 10, axis=0), np.ones((10, 60), dtype=bool)
    guided = measure(srgb8, mask, RED, "released")
    alone = measure(srgb8, mask, RED, "released", target_object=TargetObject(guided=False))
    assert (guided.verdict.status, alone.verdict.status) == ("pass", "fail")
    assert "guided" not in guided.verdict.parameters
    assert alone.verdict.lab == measure(srgb8, mask, RED, "released-unguided").verdict.lab
    # The rule keeps its name; what was done otherwise is among the parameters.
    assert (alone.verdict.rule, alone.verdict.parameters["guided"]) == ("released", False)
    for rule_id in ("paper", "released-unguided"):
        target = measure(srgb8, mask, RED, rule_id, target_object=TargetObject(guided=False))
        assert target.verdict == measure(srgb8, mask, RED, rule_id).verdict


# ----------------------------------------------------------------------------- tasks by arithmetic


def main(name: str, color: str | None = None, role: str = "main") -> ObjectTarget:
    return ObjectTarget(name, parse_target(color) if color else None, role=role)


APPLE, PLATE = main("apple", "#C04040"), main("plate", "#4060C0")
MOC = (APPLE, PLATE)
COA = (APPLE, main("plate", role="bystander"))
ICA = (APPLE, main("rose", "#C04040", "reference"))


def said(
    task: str, targets: Sequence[ObjectTarget], *colors: str | Localization, rule_id: str = "paper"
) -> TaskVerdict:
    """The verdict on a picture in which each target is a band of that color, or is found so."""
    bands = [color for color in colors if isinstance(color, str)]
    srgb8, masks = flat(*(bands or ["#808080"]))
    left = iter(masks)
    findings = {
        index: color if isinstance(color, Localization) else Localization(next(left))
        for index, color in enumerate(colors)
    }
    (item,) = judge_task(task, targets, findings, srgb8, [rule_id])
    assert (item.task, item.rule) == (task, rule_id)
    return item


def steps(task_verdict: TaskVerdict) -> list[tuple[str, str]]:
    return [(outcome.status, outcome.step) for outcome in task_verdict.outcomes]


RIGHT = [("pass", "color"), ("pass", "color")]
every_rule = pytest.mark.parametrize("rule_id", RULE_IDS)


@every_rule
@pytest.mark.parametrize(
    ("task", "targets", "colors", "reason"),
    [
        ("cna", (APPLE,), ["#C04040"], "The apple has the target color."),
        ("ncu", (APPLE,), ["#C04141"], "The apple has the target color."),
        (
            "coa",
            COA,
            ["#C04040", "#4060C0"],
            "The apple has the target color, and the plate did not take it.",
        ),
        (
            "moc",
            MOC,
            ["#C04040", "#4060C0"],
            "The apple and the plate each have their target color.",
        ),
        ("ica", ICA, ["#C04040", "#C04040"], "The apple and the rose have the target color."),
    ],
)
def test_what_is_right_passes_by_every_rule(
    task: str, targets: tuple[ObjectTarget, ...], colors: list[str], reason: str, rule_id: str
) -> None:
    item = said(task, targets, *colors, rule_id=rule_id)
    assert (item.status, item.reason) == ("pass", by(rule_id, reason))
    assert steps(item) == RIGHT[: len(targets)]


@every_rule
@pytest.mark.parametrize(
    ("task", "targets", "colors", "statuses", "reason"),
    [
        ("cna", (APPLE,), ["#4060C0"], "fail", "The color of the apple is "),
        ("ncu", (APPLE,), ["#40C060"], "fail", "The color of the apple is "),
        ("coa", COA, ["#C04040", "#C04040"], "pass fail", "The plate took the apple's color."),
        (
            "coa",
            COA,
            ["#4060C0", "#C04040"],
            "fail fail",
            "The plate took the apple's color. The color of the apple is ",
        ),
        ("coa", COA, ["#40C060", "#4060C0"], "fail pass", "The color of the apple is "),
        ("moc", MOC, ["#C04040", "#C04040"], "pass fail", "The plate took the apple's color."),
        ("moc", MOC, ["#4060C0", "#4060C0"], "fail pass", "The apple took the plate's color."),
        (
            "moc",
            MOC,
            ["#4060C0", "#C04040"],
            "fail fail",
            "The apple and the plate swapped colors.",
        ),
        ("moc", MOC, ["#C04040", "#40C060"], "pass fail", "The color of the plate is "),
        (
            "ica",
            ICA,
            ["#C04040", "#4060C0"],
            "pass fail",
            "The color of the rose, the reference, is ",
        ),
        ("ica", ICA, ["#4060C0", "#C04040"], "fail pass", "The color of the apple is "),
    ],
)
def test_what_is_wrong_fails_by_every_rule_and_names_the_object(
    task: str,
    targets: tuple[ObjectTarget, ...],
    colors: list[str],
    statuses: str,
    reason: str,
    rule_id: str,
) -> None:
    item = said(task, targets, *colors, rule_id=rule_id)
    assert item.status == "fail"
    assert [outcome.status for outcome in item.outcomes] == statuses.split()
    if reason.endswith("."):
        assert item.reason == by(rule_id, reason)
    else:
        assert item.reason.startswith(by(rule_id, reason))
        assert "ΔE00" in item.reason
        assert item.reason.lower().count("the color of") == 1


def test_a_color_taken_in_part_is_told_from_one_that_is_merely_wrong() -> None:
    """Three quarters of the way from the plate's blue to the apple's red, in CIELAB."""
    red, blue = (np.array(target.color.lab) for target in MOC if target.color)
    mixed = hex_of(lab_to_srgb8(blue + 0.75 * (red - blue)))
    item = said("moc", MOC, "#C04040", mixed)
    assert (item.status, item.reason) == (
        "fail",
        "By paper: the plate took on part of the apple's color.",
    )
    # The row's reason has the numbers as well.
    saved = item.outcomes[1].measurement.verdict.reason
    assert saved.startswith("By paper: the plate took on part of the apple's color: ")
    assert "ΔE00 from the target color" in saved
    # Where the apple itself has not its red, none can have come from it.
    item = said("moc", MOC, "#40C060", mixed)
    assert "part of" not in item.reason
    assert item.reason.lower().count("the color of the ") == 2
    assert item.reason.count("By paper: ") == 1


@pytest.mark.parametrize(
    ("ab", "leaked"),
    [
        ((30.0, 0.0), True),  # 0.75 of the way from (0, 0) to (40, 0)
        ((12.0, 0.0), False),  # 0.3 of it
        ((16.0, 9.9), True),  # 0.4 of it, 9.9 / 40 = 0.2475 aside
        ((16.0, 10.1), False),  # 0.2525 aside
        ((48.0, 0.0), True),  # 1.2 of it
        ((48.1, 0.0), False),
    ],
)
def test_how_far_and_how_straight_a_leak_is(ab: tuple[float, float], leaked: bool) -> None:
    assert part_of((80.0, *ab), (50.0, 0.0, 0.0), (20.0, 40.0, 0.0)) is leaked
    # 14 apart is too near to say anything: the same place, scaled.
    near = ab[0] * 0.35, ab[1] * 0.35
    assert part_of((80.0, *near), (50.0, 0.0, 0.0), (20.0, 14.0, 0.0)) is False


@every_rule
def test_an_object_that_is_not_there_fails_and_the_other_is_measured(rule_id: str) -> None:
    for task, targets in (("moc", MOC), ("coa", COA), ("ica", ICA)):
        item = said(task, targets, "#C04040", ABSENT, rule_id=rule_id)
        name = targets[1].name
        assert (item.status, item.reason) == ("fail", f"The {name} is not in the image.")
        assert steps(item) == [("pass", "color"), ("fail", "presence")]
        verdict = item.outcomes[1].measurement.verdict
        assert (verdict.parameters, verdict.metrics) == ({"presence": "no"}, ())


@pytest.mark.parametrize(("rule_id", "status"), [("paper", "unscored"), ("released", "fail")])
def test_an_unknown_answer_counts_as_absent_by_the_released_code_alone(
    rule_id: str, status: str
) -> None:
    srgb8, masks = flat("#C04040", "#4060C0")
    findings = {
        0: Localization(masks[0], "yes"),
        1: Localization(masks[1], "unknown", reason="It said: hm."),
    }
    (item,) = judge_task("moc", MOC, findings, srgb8, [rule_id])
    assert steps(item) == [("pass", "color"), (status, "presence")]
    assert item.status == status
    assert "the plate is in the image" in item.reason
    assert item.reason.endswith(": It said: hm.")
    # Of the one object of CNA the released code does not ask.
    lone = {0: Localization(masks[0], "unknown")}
    (item,) = judge_task("cna", MOC[:1], lone, srgb8, [rule_id])
    assert steps(item) == [("pass", "color") if rule_id == "released" else ("unscored", "presence")]


@every_rule
def test_what_was_not_found_is_unscored_unless_another_object_fails(rule_id: str) -> None:
    lost = Localization(presence="yes", step="detection", reason="No box above 0.35.")
    item = said("moc", MOC, "#C04040", lost, rule_id=rule_id)
    assert item.status == "unscored"
    assert item.reason == "The plate was not found: No box above 0.35."
    assert steps(item) == [("pass", "color"), ("unscored", "detection")]
    assert said("moc", MOC, "#40C060", lost, rule_id=rule_id).status == "fail"


def test_an_object_without_a_finding_or_without_pixels_is_unscored() -> None:
    srgb8, masks = flat("#C04040")
    (item,) = judge_task("moc", MOC, {0: Localization(masks[0])}, srgb8, ["paper"])
    assert (item.status, item.reason) == ("unscored", "There is no mask of the plate.")
    empty = Localization(np.zeros_like(masks[0]))
    (item,) = judge_task("moc", MOC, {0: Localization(masks[0]), 1: empty}, srgb8, ["paper"])
    assert steps(item) == [("pass", "color"), ("unscored", "mask")]
    assert item.reason.startswith("The plate cannot be scored: The mask is empty")
    assert list(judge_task("moc", [main("apple")], {}, srgb8, ["paper"])) == []


def test_second_and_reference_objects_are_measured_without_guidance() -> None:
    for task, targets in (("coa", COA), ("ica", ICA)):
        second = "#4060C0" if task == "coa" else "#C04040"
        item = said(task, targets, "#C04040", second, rule_id="released")
        values = [outcome.measurement.verdict.parameters for outcome in item.outcomes]
        assert ["guided" in parameters for parameters in values] == [False, True]
    item = said("moc", MOC, "#C04040", "#4060C0", rule_id="released")
    assert all("guided" not in o.measurement.verdict.parameters for o in item.outcomes)


@every_rule
def test_a_color_without_neighbors_beside_one_with_them_is_unscored(rule_id: str) -> None:
    """k asks for neighbors; a bare color has none, and whether the apple took it is not said."""
    srgb8, masks = flat("#4060C0", "#4060C0")
    targets = (main("apple", "css:red"), PLATE)
    findings = {index: Localization(mask) for index, mask in enumerate(masks)}
    (item,) = judge_task("moc", targets, findings, srgb8, [rule_id], Acceptance(3))
    assert item.status == "fail"
    takes_neighbors = not rule_id.startswith("released")
    assert item.outcomes[1].status == ("unscored" if takes_neighbors else "pass")
    assert ("took the plate's color" in item.reason) is not takes_neighbors


def test_what_must_differ_says_why_it_does_not_match() -> None:
    """A dark red is red only in little light, and maroon explains it without; the sentence says so."""
    srgb8, (mask,) = flat("#7A2626")
    apart = measure(
        srgb8, mask, RED, "truehue", target_object=TargetObject("plate", "differs")
    ).verdict
    assert apart.status == "pass"
    assert "% intensity), but maroon explains the image better: mismatch score" in apart.reason
    assert apart.reason.endswith("over 2.5; it does not match it.")
    item = said("coa", COA, "#C04040", "#7A2626", rule_id="truehue")
    assert item.outcomes[1].told == "By truehue: the plate has not taken the target color."
    item = said("coa", COA, "#C04040", "#4060C0", rule_id="truehue")
    assert "has not taken the target color, " in item.outcomes[1].told
    srgb8, (mask,) = flat("#C04040")
    used = measure(
        srgb8, mask, RED, "truehue", target_object=TargetObject("plate", "differs")
    ).verdict
    assert used.reason.endswith("must not take, under the estimated light (100% intensity).")


def test_objects_of_one_name_are_told_apart_by_their_place() -> None:
    two = (main("cup", "#C04040"), main("Cup", "#4060C0"), main("scissors", "#40C060"))
    item = said("moc", two, "#C04040", ABSENT, "#40C060")
    assert item.reason == "The second Cup is not in the image."
    item = said("moc", two, "#40C060", "#4060C0", "#40C060")
    assert item.reason == "By paper: the first cup took the scissors' color."


def test_what_is_asked_of_whom() -> None:
    targets = (
        main("bowl"),
        APPLE,
        main("rose", role="reference"),
        main("plate", "#40C060", "bystander"),
    )
    assert [(a.position, a.color.hex, a.relation, a.guided) for a in expectations_of(targets)] == [
        (1, "#C04040", "matches", None),
        (2, "#C04040", "matches", False),
        (3, "#C04040", "differs", False),
    ]
    assert expectations_of((main("plate", role="bystander"),)) == ()
    with pytest.raises(BadInput, match="give yes, no"):
        Localization(presence="maybe")
    with pytest.raises(BadInput, match="give one of presence"):
        Localization(step="later")
