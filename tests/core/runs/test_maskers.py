"""What finds the objects of a picture for a run, through real tiny models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from tests.core.generation.tiny_janus import save_tiny_janus, teach
from tests.core.masks.grounded.test_segmenters import count_calls, encoder
from tests.salient import needs_weights, network
from tests.tiny_models.written import vision, written
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput
from truehue.core.generation.backends.reference import shapes_for
from truehue.core.generation.memory import ModelMissing
from truehue.core.generation.renderer import RenderRequest, render
from truehue.core.generation.weights.sources import Sources
from truehue.core.images.pixels import Mask
from truehue.core.masks.grounded.compose import compose, steps_of
from truehue.core.masks.grounded.presence import question
from truehue.core.masks.grounded.records import Answer, Presence, PresenceQuestion
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.runs.maskers import ON_CPU, Grounding, open_masker
from truehue.core.runs.records import MaskerSpec
from truehue.core.verdict.expectations import ABSENT
from truehue.core.verdict.tasks import NO_MASK, TaskVerdict, judge_task

__all__ = ["network"]
pytestmark = pytest.mark.weights

RED, BLUE = parse_target("red"), parse_target("blue")
APPLE = ObjectTarget("apple", RED, ("leaf", "stem"))
CUP = ObjectTarget("cup", BLUE)
KITCHEN = ObjectTarget("kitchen", role="bystander")
RULES = ("truehue", "released")


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """One thread for torch: tiny layers lose more to waiting than they gain."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def image() -> np.ndarray:
    rng = np.random.default_rng(0)
    srgb8 = rng.integers(0, 90, (48, 80, 3), dtype=np.uint8)
    y, x = np.mgrid[:48, :80]
    srgb8[((x - 30) / 18) ** 2 + ((y - 22) / 12) ** 2 < 1] = (220, 60, 40)
    return srgb8


@pytest.fixture(scope="module")
def spec() -> MaskerSpec:
    """A detector and a segmenter of random weights."""
    detector, sam = (vision(name) for name in ("detector", "sam"))
    return MaskerSpec("grounded", f"folder:{detector}", f"folder:{sam}")


@pytest.fixture(scope="module")
def janus(image: np.ndarray) -> Path:
    """It says that there is an apple, no cup, and something else of a plate."""
    said = {"apple": "Yes", "cup": "No", "plate": "Maybe"}
    lessons = [(image, question(name), answer) for name, answer in said.items()]

    def write(folder: Path) -> None:
        teach(save_tiny_janus(folder, terms=("Yes", "No")), lessons)

    return written("janus-taught-run", write)


def opened(spec: MaskerSpec) -> Grounding:
    masker = open_masker(spec, Sources())
    assert isinstance(masker, Grounding)
    return masker


def box(x0: int, x1: int) -> np.ndarray:
    pixels = np.zeros((48, 80), bool)
    pixels[10:40, x0:x1] = True
    return pixels


def judged(
    task: str, targets: tuple[ObjectTarget, ...], result: object, image: np.ndarray, rule: str
) -> TaskVerdict:
    return next(iter(judge_task(task, targets, result.findings, image, [rule])))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "magic"}, "exact, whole, salient, grounded"),
        ({"detector": "dino"}, "grounding-dino-tiny"),
        ({"segmenter": "grounding-dino-tiny"}, "sam-vit-b"),
        ({"presence": "gpt"}, "janus-pro-1b"),
        ({"variant": "best"}, "paper, released"),
    ],
)
def test_what_is_unknown_is_refused_with_the_known(changes: dict[str, str], said: str) -> None:
    good = MaskerSpec("grounded", "grounding-dino-tiny", "sam-vit-b")
    with pytest.raises(BadInput, match=said):
        open_masker(replace(good, **changes))  # type: ignore[arg-type]


def test_exact_masks_and_what_the_renderer_left_out(image: np.ndarray) -> None:
    targets = (APPLE, CUP, KITCHEN)
    mask = Mask(box(12, 48), "renderer", {"target": 0, "object": "apple"})
    result = open_masker(MaskerSpec()).find(image, "moc", targets, {0: mask}, shapes_for(targets))
    assert result.masks == ((0, mask),)
    assert np.array_equal(result.findings[0].mask, mask.pixels)
    assert result.findings[1] is ABSENT
    index = result.findings[2]
    assert (index.mask, index.presence, index.step) == (None, "", "mask")
    assert index.reason == shapes_for(targets)[2].note != ""
    verdict = judged("moc", targets, result, image, "truehue")
    assert [outcome.status for outcome in verdict.outcomes][1:] == ["fail", "unscored"]


@needs_weights
def test_what_stands_out_is_the_one_object_of_an_image(network: Path) -> None:
    mug = render(RenderRequest("mug", (180, 83, 42), size_px=200))
    target = ObjectTarget("mug", parse_target("#B4532A"))
    masker = open_masker(MaskerSpec("salient"))
    result = masker.find(mug.srgb8, "cna", (target,), {})
    ((position, mask),) = result.masks
    assert (position, mask.maker, mask.parameters["object"]) == (0, "salient", "mug")
    assert mask.parameters["salient"]["version"] == "1"
    assert judged("cna", (target,), result, mug.srgb8, "truehue").status == "pass"
    # A mask that came with the image comes first; the renderer's own would hide this masker.
    own = Mask(mug.mask.pixels, "file")
    assert masker.find(mug.srgb8, "cna", (target,), {0: own}).masks[0][1] == own
    rendered = masker.find(mug.srgb8, "cna", (target,), {0: own}, shapes_for((target,)))
    assert rendered.masks[0][1].maker == "salient"

    assert masker.placements() == {"salient": ("u2netp", ON_CPU)}
    two = masker.find(mug.srgb8, "moc", (APPLE, CUP), {})
    assert two.masks == ()
    assert "finds one object, whatever its name; this prompt has 2" in two.findings[1].reason
    flat = np.full((90, 90, 3), 120, np.uint8)
    nothing = masker.find(flat, "cna", (target,), {})
    assert nothing.findings[0].reason.startswith("Nothing stands out")
    assert judged("cna", (target,), nothing, flat, "truehue").status == "unscored"


def test_a_picture_without_a_mask_is_unscored_and_says_so(image: np.ndarray) -> None:
    result = open_masker(MaskerSpec()).find(image, "cna", (APPLE,), {})
    assert result.findings == {}
    verdict = judged("cna", (APPLE,), result, image, "truehue")
    assert (verdict.status, verdict.reason) == ("unscored", "There is no mask of the apple.")
    assert NO_MASK in verdict.outcomes[0].measurement.verdict.parameters.values()


def test_answers_that_came_with_an_exact_mask_count(image: np.ndarray) -> None:
    answer = {"object": "apple", "answer": "yes", "text": "Yes", "override": "no"}
    mask = Mask(box(12, 48), "grounded_sam", {"presence": [answer]})
    result = open_masker(MaskerSpec()).find(image, "moc", (APPLE,), {0: mask})
    assert (result.findings[0].presence, result.findings[0].reason) == (
        "no",
        "the answer was 'Yes'.",
    )


def test_the_whole_image_is_the_object_where_there_is_one(image: np.ndarray) -> None:
    masker = open_masker(MaskerSpec("whole"))
    result = masker.find(image, "cna", (APPLE, ObjectTarget("table")), {})
    assert [(index, item.maker, item.area_px) for index, item in result.masks] == [
        (0, "whole", 48 * 80)
    ]
    assert result.masks[0][1].parameters == {"target": 0, "object": "apple"}
    (finding,) = result.findings.values()
    assert finding.mask is not None
    assert finding.mask.all()
    several = masker.find(image, "moc", (APPLE, ObjectTarget("table"), CUP), {})
    assert several.masks == ()
    assert {n: found.reason for n, found in several.findings.items()} == dict.fromkeys(
        (0, 2), "the whole image is no single object; this prompt has 2"
    )


def test_names_become_masks_apart_from_each_other(spec: MaskerSpec, image: np.ndarray) -> None:
    masker = opened(spec)
    # Random weights find the same place twice: only an object found before is removed here.
    masker.variant = masker.variant.with_settings({"most_iou": 1.0})
    targets = (APPLE, ObjectTarget("book"), CUP)
    result = masker.find(image, "moc", targets, {}, image_id="i")
    (first, apple), *others = result.masks
    assert first == 0
    assert apple.maker == "grounded_sam"
    message = json.loads(json.dumps(apple.parameters))
    assert (message["target"], message["object"], message["detector"]["id"]) == (
        0,
        "apple",
        spec.detector,
    )
    assert [negative["label"] for negative in message["negatives"]] == ["leaf", "stem"]
    # Inspect opens such a mask from its steps, without a model.
    assert np.array_equal(compose(steps_of(message)).mask.pixels, apple.pixels)
    assert np.array_equal(result.findings[0].mask, apple.pixels)
    assert 1 not in result.findings  # no color is asked of the book
    ((second, cup),) = others
    assert second == 2
    assert cup.parameters["earlier"] == [apple.content_sha256]
    assert not (cup.pixels & apple.pixels).any()
    again = masker.find(image, "moc", targets, {})
    assert [(index, item.content_sha256) for index, item in again.masks] == [
        (index, item.content_sha256) for index, item in result.masks
    ]


def test_the_picture_is_embedded_once_for_all_objects(spec: MaskerSpec, image: np.ndarray) -> None:
    masker = opened(spec)
    masker.find(image[:, ::-1].copy(), "cna", (APPLE,), {}, image_id="another")
    calls = count_calls(encoder(masker._tool(spec.segmenter, "segmenter")))
    masker.find(image, "moc", (APPLE, CUP, ObjectTarget("plate", RED)), {}, image_id="i")
    assert len(calls) == 1
    held = list(masker._tools.values())
    masker.close()
    assert [item.memory_bytes for item in held] == [0, 0]
    assert masker.find(image, "cna", (APPLE,), {}).masks  # loaded again


def test_the_second_of_two_objects_that_are_one_has_no_mask(
    spec: MaskerSpec, image: np.ndarray
) -> None:
    result = opened(spec).find(image, "moc", (APPLE, replace(APPLE, color=BLUE)), {})
    assert [index for index, _ in result.masks] == [0]
    second = result.findings[1]
    assert (second.mask, second.step) == (None, "mask")
    assert "overlaps the first apple by an IoU of" in second.reason
    verdict = judged("moc", (APPLE, replace(APPLE, color=BLUE)), result, image, "truehue")
    assert verdict.outcomes[1].status == "unscored"


def test_what_the_detector_misses_is_unscored_at_detection(
    spec: MaskerSpec, image: np.ndarray
) -> None:
    masker = opened(spec)
    masker.variant = masker.variant.with_settings({"box_threshold": 1.0})
    result = masker.find(image, "cna", (APPLE,), {})
    assert result.masks == ()
    missed = result.findings[0]
    assert (missed.presence, missed.step) == ("", "detection")
    assert missed.reason.startswith("The detector found no apple: no box above 1")


def test_presence_is_asked_first_and_kept(spec: MaskerSpec, janus: Path, image: np.ndarray) -> None:
    masker = opened(replace(spec, presence=f"folder:{janus}"))
    masker.variant = masker.variant.with_settings({"most_iou": 1.0})
    plate = ObjectTarget("plate", RED)
    result = masker.find(image, "moc", (APPLE, CUP, plate), {}, image_id="i")
    (saved,) = result.masks[0][1].parameters["presence"]
    assert (saved["object"], saved["answer"], saved["text"]) == ("apple", "yes", "Yes")
    assert saved["by"] == f"folder:{janus}"
    assert result.findings[0].presence == "yes"
    cup = result.findings[1]
    assert (cup.mask, cup.presence, cup.reason) == (None, "no", "the answer was 'No'.")
    assert (result.findings[2].presence, result.findings[2].reason) == (
        "unknown",
        "the answer was 'Maybe'.",
    )
    said = {
        rule: [
            outcome.status
            for outcome in judged("moc", (APPLE, CUP, plate), result, image, rule).outcomes
        ]
        for rule in RULES
    }
    assert said["truehue"][1:] == ["fail", "unscored"]
    assert said["released"][1:] == ["fail", "fail"]
    # With one object the released code does not ask: what it measures is looked for all the same.
    alone = masker.find(image, "cna", (CUP,), {}, image_id="i")
    assert alone.findings[0].presence == "no"
    assert alone.findings[0].mask is not None
    assert judged("cna", (CUP,), alone, image, "released").outcomes[0].step == "color"


class Answers:
    """A presence model that says the same of each name every time, and keeps how it was asked."""

    def __init__(self, said: dict[str, Answer]) -> None:
        self.said, self.forms = said, list[PresenceQuestion]()

    def ask(
        self, srgb8: np.ndarray, names: tuple[str, ...], form: PresenceQuestion
    ) -> tuple[Presence, ...]:
        self.forms.append(form)
        return tuple(
            Presence(name, self.said[name], question(name, form), self.said[name]) for name in names
        )


def test_released_asks_in_three_tasks_and_unknown_is_absent(
    spec: MaskerSpec, image: np.ndarray
) -> None:
    masker = opened(replace(spec, presence="janus-pro-1b", variant="released"))
    tool = Answers({"apple": "yes", "cup": "unknown"})
    masker._tools["presence"] = cast(Any, tool)
    text = "a red apple beside a blue cup"
    result = masker.find(image, "moc", (APPLE, CUP), {}, image_id="i", prompt_text=text)
    assert tool.forms == [PresenceQuestion("released", text, True)]
    (saved,) = result.masks[0][1].parameters["presence"]
    assert saved["question"] == question("apple", tool.forms[0])
    cup = result.findings[1]
    assert (cup.mask, cup.presence, cup.step) == (None, "unknown", "presence")
    verdict = judged("moc", (APPLE, CUP), result, image, "released")
    assert (verdict.status, verdict.outcomes[1].status) == ("fail", "fail")
    # The public code does not ask after the one object of CNA and NCU.
    alone = masker.find(image, "cna", (APPLE,), {}, image_id="i", prompt_text=text)
    assert len(tool.forms) == 1
    assert alone.findings[0].presence == ""
    assert alone.findings[0].mask is not None


def test_weights_that_are_not_here_say_how_to_get_them(image: np.ndarray, tmp_path: Path) -> None:
    spec = MaskerSpec("grounded", "grounding-dino-tiny", "sam-vit-b")
    masker = open_masker(spec, Sources(tmp_path, tmp_path))
    with pytest.raises(ModelMissing, match=r"truehue masks download grounding-dino-tiny"):
        masker.find(image, "cna", (APPLE,), {})
