"""The report on the small model: masks, verdicts, tables and figures."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.commands import called
from truehue.core.cli.small import COMMAND, _command_of, main
from truehue.core.cli.small_report import (
    GROUPS,
    Row,
    accuracy,
    best_guidance,
    figures,
    held_out_prompts,
    interval,
    judge_image,
    object_mask,
    page,
    prompts_of,
    saturation,
)
from truehue.core.generation.renderer import (
    RenderRequest,
    SceneObject,
    SceneRequest,
    render,
    render_scene,
)
from truehue.core.generation.small.scenes import caption_of, has_held_out_pair

pytestmark = pytest.mark.slow


def test_the_mask_is_the_renderers_own_but_for_its_edge() -> None:
    rendering = render(RenderRequest("vase", (30, 90, 200), "studio", 4, 64))
    mask = object_mask(rendering.srgb8)
    truth = rendering.mask.pixels
    # The exact mask leaves out the mixed pixels of the edge.
    assert np.count_nonzero(truth & ~mask) < 0.02 * truth.sum()
    assert np.count_nonzero(mask & ~truth) < 0.35 * truth.sum()
    assert not object_mask(np.full((64, 64, 3), 120, np.uint8)).any()


def test_right_and_wrong_colors_of_one_object() -> None:
    prompt = prompts_of("cna l1", 0.1, 1)[0]
    caption = caption_of(prompt)
    right = render(RenderRequest(caption.shapes[0], caption.colors[0], "overcast", 1, 64)).srgb8
    row = judge_image("cna l1", 2.0, prompt, right)
    assert (row.status, row.prompt) == ("pass", prompt.text)
    assert row.misfit is not None
    assert row.misfit < 2.5
    other = (20, 200, 40) if caption.colors[0][1] < 128 else (120, 20, 140)
    wrong = render(RenderRequest(caption.shapes[0], other, "overcast", 1, 64)).srgb8
    assert judge_image("cna l1", 2.0, prompt, wrong).status == "fail"
    nothing = np.full((64, 64, 3), 120, np.uint8)
    assert judge_image("cna l1", 2.0, prompt, nothing).status == "unscored"


def test_two_objects_with_a_color_each_and_with_one_color_on_both() -> None:
    prompt = next(p for p in prompts_of("moc", 0.1, 50) if "book" in p.text)
    caption = caption_of(prompt)

    def status(colors: tuple[tuple[int, int, int], ...]) -> Row:
        for seed in range(5):
            objects = tuple(map(SceneObject, caption.shapes, colors))
            srgb8 = render_scene(SceneRequest(objects, "even", seed, 64)).srgb8
            row = judge_image("moc", 1.0, prompt, srgb8)
            if len(row.parts) == 2:
                return row
        raise AssertionError("No seed shows the two objects apart.")

    first, second = caption.colors
    assert status((first, second)).status == "pass"
    assert status((first, first)).status == "fail"


def test_every_group_has_held_out_prompts_that_mean_their_colors() -> None:
    for group in GROUPS:
        prompts = prompts_of(group, 0.1, 5)
        assert len(prompts) == 5, group
        assert all(has_held_out_pair(prompt, 0.1) for prompt in prompts)
    assert prompts_of(group, 0.1, 3) == prompts[:3]


def test_saturation_is_that_of_hsv() -> None:
    pixels = np.array([[[255, 0, 0], [0, 0, 0], [200, 100, 150], [90, 90, 90]]], np.uint8)
    assert saturation(pixels)[0].tolist() == [1.0, 0.0, 0.5, 0.0]


def test_the_interval_is_wilsons() -> None:
    # Newcombe 1998 (doi:10.1002/(SICI)1097-0258(19980430)17:8<857), Table I, method 3: 81 of 263.
    assert interval(81, 263) == pytest.approx((25.53, 36.62), abs=0.01)
    assert interval(0, 0) == (0.0, 100.0)


ROWS = [
    *(Row("cna l1", 1.0, "a", status, 1.0, 0.1, 0.4) for status in ("pass", "fail", "unscored")),
    *(Row("cna l1", 3.0, "a", "pass", 1.0, 0.2, 0.6) for _ in range(3)),
    Row("moc", 1.0, "b", "pass", None, 0.1, 0.4, ((True, False), (False, True))),
    Row("moc", 1.0, "b", "fail", None, 0.1, 0.4, ((True, False), (True, False))),
    Row("moc", 3.0, "b", "fail", None, 0.2, None, ((False, False), (False, False))),
    Row("cna l1", None, "a", "pass", 1.0, 0.1, 0.3),
]


ABOUT = {"step": 1234, "command": "make it"}


def test_the_page_has_the_numbers_of_its_rows() -> None:
    text = page(ROWS, ABOUT)
    assert (
        "| cna l1 | 50% (9 to 91), 1 of 3 unscored | 100% (44 to 100) | 100% (21 to 100) |" in text
    )
    assert "| moc | 1 | 1 of 2 | 1 of 2 | 0 of 2 |" in text
    assert "| moc | 3 | 0 of 1 | 0 of 1 | 1 of 1 |" in text
    assert "| 3 | 0.200 | 0.600 | 0.130 |" in text
    assert "step 1,234" in text
    assert best_guidance(ROWS) == 3.0
    assert accuracy(ROWS[:3]) == (1, 2, 1)


def test_the_page_says_what_turning_guidance_down_changes() -> None:
    refined = [
        replace(row, strength=strength, saturation=saturation, object_saturation=inside)
        for row in ROWS[3:5]
        for strength, saturation, inside in ((0.0, 0.43, 0.8), (0.5, 0.37, 0.5))
    ]
    text = page([*ROWS, *refined], {"step": 1, "command": "make it"})
    assert "| 3 | 0 | 2 of 2 (34% to 100%) | 0.800 | +0.500 | 0.100 |  |" in text
    assert "| 3 | 0.5 | 2 of 2 (34% to 100%) | 0.500 | +0.200 | 0.040 | -0.060 (" in text
    # They are rows of their own: the other tables and figures are as without them.
    assert text.startswith(page(ROWS, {"step": 1, "command": "make it"})[:-1])
    assert figures([*ROWS, *refined]) == figures(ROWS)
    assert best_guidance([*ROWS, *refined]) == 3.0


def test_a_report_of_some_groups_is_part_of_that_of_all() -> None:
    every = held_out_prompts(GROUPS, 0.1, 2, 3)
    assert [(target.number, target.group) for target in every[:4]] == [
        *((number, "cna l1") for number in range(3)),
        (3, "cna l2"),
    ]
    # The noise and the renderer's scene of a prompt stay its own.
    assert held_out_prompts(["cna l2", "moc"], 0.1, 2, 3) == [
        target for target in every if target.group in ("cna l2", "moc")
    ]
    values = ["--groups", "cna l2", "--model", "some where"]
    options = COMMAND.parser().parse_args(["report", *values])
    assert shlex.split(_command_of(options))[-4:] == values
    assert "--groups" not in _command_of(COMMAND.parser().parse_args(["report"]))
    assert "most often" not in page([row for row in ROWS if row.group == "moc"], ABOUT)


def test_the_figures_are_svg_with_a_line_for_each_group() -> None:
    for name, text in figures(ROWS).items():
        root = ElementTree.fromstring(text)
        lines = [e for e in root if e.tag.endswith("polyline")]
        assert len(lines) == {"accuracy.svg": 2, "saturation.svg": 3}[name]


@pytest.mark.process
def test_wrong_words_are_said(tmp_path: Path) -> None:
    for wrong in (("--guidance", "many"), ("--guidance", "-1")):
        done = called(main, "report", *wrong, "--model", str(tmp_path))
        assert (done.returncode, done.stdout) == (2, "")
        assert "uidance scales are" in done.stderr
    assert (
        "above 0, up to 1"
        in called(main, "report", "--strengths", "2", "--model", str(tmp_path)).stderr
    )
    assert called(main, "report", "--model", str(tmp_path)).returncode == 2
    for count, text in (("-1", "at least 0"), ("0", "no prompts to measure")):
        assert text in called(main, "report", "--count", count, "--groups", "moc").stderr
