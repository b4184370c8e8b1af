"""Sets with robustness variants: what takes them, where, and that the answers still stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.commands import called
from tests.core.vlm.questions_made import flat
from tests.core.vlm.test_blindness import best_match
from truehue.core.cli.vlm import main
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.errors import MaskError
from truehue.core.images.load import image_id
from truehue.core.vlm.baselines import read_pixels
from truehue.core.vlm.generators import GeneratedSettings, generated
from truehue.core.vlm.question_set import QuestionSet, open_set, write_set
from truehue.core.vlm.records import Form, IllustratedQuestion, Outcome, Question
from truehue.core.vlm.robustness import Counts, rule_of, with_variants
from truehue.core.vlm.scoring import robustness
from truehue.core.vlm.tasks import TASKS


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> QuestionSet:
    """All generated tasks, and four questions about photographs."""
    counts = {"color_illusion": 8, "color_counting": 2, "color_blindness": 2, "color_extraction": 2}
    items = [*generated(GeneratedSettings(counts, "easy", 5)), *photographs()]
    return write_set(tmp_path_factory.mktemp("set") / "all", items, "All", {"seed": 5})


def photographs() -> list[IllustratedQuestion]:
    """Questions without a construction, the last about an image without hue."""
    out = []
    for number, task in enumerate(("color_mimicry", "color_mimicry", "color_illusion")):
        srgb8 = flat(number)
        question = Question(
            f"photo{number}", task, Form.CHOICE, "How many?", ("1", "2"), "B", image_id(srgb8)
        )
        out.append(IllustratedQuestion(question, srgb8))
    black = np.full((20, 20, 3), 77, np.uint8)
    gray = replace(out[0].question, question_id="gray", image_id=image_id(black))
    return [*out, IllustratedQuestion(gray, black)]


def varied(
    question_set: QuestionSet,
    masks: Path | None = None,
    regions: Sequence[str] = ("entire", "target"),
    shifts: Sequence[int] = (90, 180),
) -> tuple[dict[str, IllustratedQuestion], Counts]:
    """By question id, and what was counted."""
    counts = Counts()
    items = with_variants(question_set, counts, regions, shifts, masks)
    return {item.question.question_id: item for item in items}, counts


def test_every_task_says_whether_and_why() -> None:
    takes = {task for task in TASKS if rule_of(task).regions}
    assert takes == {
        "color_robustness", "color_mimicry", "color_illusion", "color_blindness", "color_counting",
    }  # fmt: skip
    assert all(rule_of(task).why for task in TASKS)
    assert "asks for the color itself" in rule_of("css_q4").why
    assert rule_of("sepia").regions == ()
    assert "nothing says" in rule_of("sepia").why


def test_answers_stand_in_every_variant(made: QuestionSet) -> None:
    items, counts = varied(made, regions=("entire", "target", "largest"), shifts=(150,))
    assert counts.refused == {"color_extraction": 2}
    assert counts.unknown == {"color_illusion": 1}
    assert (counts.unchanged, counts.whole_only) == (1, 4), "Cornsweet's two and two photographs"
    variants = [item for item in items.values() if item.question.seed_id]
    assert sum(counts.variants.values()) == len(variants)
    assert counts.variants["target"] > 0
    assert counts.variants["other"] > 0
    for item in variants:
        question, seed = item.question, items[item.question.seed_id].question
        assert (question.text, question.choices, question.answer) == (
            seed.text, seed.choices, seed.answer,
        )  # fmt: skip
        if question.task == "color_counting":
            assert read_pixels(item).outcome is Outcome.RIGHT
        elif question.task == "color_blindness":
            lab = np.asarray(srgb8_to_lab(item.srgb8))
            text, score = best_match(item, [lab[..., 1], lab[..., 2]])
            assert text == question.construction["text"]
            assert score > 0.3
        elif "left_boxes" in question.construction:
            left, right = (
                {tuple(item.srgb8[y1, x1]) for x1, y1, _, _ in question.construction[side]}
                for side in ("left_boxes", "right_boxes")
            )
            assert (left == right) == question.construction["equal"]
            assert {tuple(question.construction["left_srgb8"])} == left
    seeds = robustness([item.question for item in items.values()], {})
    assert seeds is not None
    assert (seeds.partly_asked, seeds.orphans) == (counts.varied, 0)


def test_masks_come_from_a_folder(tmp_path: Path) -> None:
    made = write_set(tmp_path / "photographs", photographs(), "Photographs", {})
    target = np.zeros(flat(1).shape[:2], dtype=bool)
    target[:10] = True
    Image.fromarray(target).save(tmp_path / "photo1.png")
    sky = np.zeros_like(target)
    sky[5:15] = True
    items, counts = varied(made, tmp_path, ("target", "largest"))
    assert (counts.without_mask, counts.whole_only) == (2, 0)
    assert (items["photo1-target-90"].srgb8[10:] == flat(1)[10:]).all()
    assert (items["photo1-largest-90"].srgb8[:10] == flat(1)[:10]).all()
    assert "photo0-target-90" not in items
    assert "photo0" not in items, "without a mask, and the whole was not asked for"
    Image.fromarray(sky).save(tmp_path / "photo1.other.png")
    items, _ = varied(made, tmp_path, ("largest",))
    changed = (items["photo1-largest-90"].srgb8 != flat(1)).any(axis=-1)
    assert not changed[:10].any()
    assert not changed[15:].any()
    assert changed[10:15].any()
    Image.fromarray(target[1:]).save(tmp_path / "photo1.png")
    with pytest.raises(MaskError, match="but the image is"):
        varied(made, tmp_path)


def test_patches_that_would_come_apart_or_together_are_left_out(
    made: QuestionSet, tmp_path: Path
) -> None:
    equal = next(
        question
        for question in made.questions()
        if question.construction.get("illusion") == "munker" and question.construction["equal"]
    )
    half = np.zeros(made.image(equal).shape[:2], dtype=bool)
    half[:, : half.shape[1] // 2] = True
    Image.fromarray(half).save(tmp_path / f"{equal.question_id}.png")
    items, counts = varied(made, tmp_path, ("target",))
    assert not {key for key in items if key.startswith(f"{equal.question_id}-")}
    assert counts.lost >= 2
    assert counts.elsewhere == 4, "counting and blindness turn as a whole"


def test_counted_colors_that_come_too_near_are_left_out(tmp_path: Path) -> None:
    """Yellow and near-black are 83 apart; turned by 180 degrees, blue and near-black are 21."""
    srgb8 = np.full((20, 20, 3), (192, 237, 17), np.uint8)
    srgb8[:10] = (41, 28, 22)
    made = {"srgb8": [[192, 237, 17], [41, 28, 22]], "difficulty": "easy"}
    question = Question(
        "two", "color_counting", Form.CHOICE, "How many colors?", ("1", "2"), "B", image_id(srgb8),
        construction=made,
    )  # fmt: skip
    question_set = write_set(tmp_path / "two", [IllustratedQuestion(question, srgb8)], "Two", {})
    items, counts = varied(question_set, shifts=(10, 180))
    assert (set(items), counts.lost) == ({"two", "two-entire-10"}, 1)
    assert items["two-entire-10"].question.construction["least_delta_e00"] >= 30
    # Where the images are hard, they need not be so far apart.
    hard = replace(question, construction={**made, "difficulty": "hard"})
    question_set = write_set(tmp_path / "hard", [IllustratedQuestion(hard, srgb8)], "Two", {})
    items, counts = varied(question_set, shifts=(10, 180))
    assert (set(items), counts.lost) == ({"two", "two-entire-10", "two-entire-180"}, 0)


@pytest.mark.process
def test_the_command(made: QuestionSet, tmp_path: Path) -> None:
    out = tmp_path / "turned"
    done = called(main, "variants", str(made.folder), str(out), "--regions", "whole,target",
                  "--shifts", "120")  # fmt: skip
    assert done.returncode == 0
    assert "2 of color_extraction take no variants: it asks for the color itself" in done.stderr
    assert "only the whole image turns" in done.stderr
    question_set = open_set(out)
    assert question_set.settings["variants_of"] == made.sha256
    assert question_set.settings["shifts_deg"] == [120]
    variants = Counter(question.variant for question in question_set.questions())
    assert set(variants) == {"", "entire-120", "target-120"}
    # A set that has variants keeps them, and gets no others.
    again = called(main, "variants", str(out), str(tmp_path / "again"))
    assert f"{variants['']:,} questions had variants before" in again.stderr
    assert open_set(tmp_path / "again").sha256 == question_set.sha256
    colors = write_set(
        tmp_path / "colors", generated(GeneratedSettings({"color_extraction": 1})), "One", {}
    )
    for options, text in (
        ((str(colors.folder), str(tmp_path / "none")), "No question of"),
        ((str(made.folder), str(tmp_path / "none"), "--regions", "sky"), "whole, target, other"),
        ((str(made.folder), str(tmp_path / "none"), "--shifts", "0"), "1 to 359"),
        ((str(made.folder), str(tmp_path / "none"), "--shifts", "x"), "whole degrees"),
        ((str(made.folder), str(tmp_path / "none"), "--masks", "/no"), "no folder of masks"),
    ):
        refused = called(main, "variants", *options)
        assert (refused.returncode, text in refused.stderr) == (2, True), refused.stderr
    assert not (tmp_path / "none").exists()
