"""Masks for recolored variants: by real tiny models from the names of targets to the variants."""

from __future__ import annotations

import csv
import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands import called
from tests.core.vlm.conftest import one_thread
from tests.tiny_models.written import vision
from truehue.core.cli.vlm import main
from truehue.core.images.load import image_id, load_mask
from truehue.core.masks.grounded.tools import open_segmenter
from truehue.core.vlm.question_set import QuestionSet, open_set, write_set
from truehue.core.vlm.records import Form, IllustratedQuestion, Question
from truehue.core.vlm.variant_masks import SegmentSettings, other_segment, target_name
from truehue.core.vlm.variants import largest_other

pytestmark = pytest.mark.weights

__all__ = ["one_thread"]
TEXTS = (
    "How many red apples are there in the image?",
    "Which of these is true?",
    "What is the total number of cups in the picture?",
)


def photograph(number: int) -> np.ndarray:
    """A bright ellipse on noise, uint8 ``(40, 60, 3)``."""
    srgb8 = np.random.default_rng(number).integers(0, 90, (40, 60, 3), dtype=np.uint8)
    y, x = np.mgrid[:40, :60]
    srgb8[((x - 20) / 12) ** 2 + ((y - 18) / 9) ** 2 < 1] = (220, 60, 40)
    return srgb8


def question(number: int, text: str, task: str = "color_robustness") -> IllustratedQuestion:
    srgb8 = photograph(number)
    made = Question(f"photo{number}", task, Form.CHOICE, text, ("1", "2"), "B", image_id(srgb8))
    return IllustratedQuestion(made, srgb8)


@pytest.fixture
def photographs(tmp_path: Path, one_thread: None) -> QuestionSet:
    items = [question(number, text) for number, text in enumerate(TEXTS)]
    items.append(question(3, "What color is it?", "color_recognition"))
    return write_set(tmp_path / "photographs", items, "Photographs", {})


@functools.cache
def segmenter() -> Any:
    return open_segmenter(f"folder:{vision('sam2')}")


def find(photographs: QuestionSet, out: Path, *options: str) -> Any:
    models = (
        "--detector", f"folder:{vision('detector')}", "--segmenter", f"folder:{vision('sam2')}"
    )  # fmt: skip
    few = ("--points", "3", "--quality", "0")
    return called(main, "masks", str(photographs.folder), str(out), *models, *few, *options)


def rows_of(path: Path) -> Sequence[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_target_is_named_by_its_question() -> None:
    names = [target_name(question(n, text).question, {}) for n, text in enumerate(TEXTS)]
    assert names == ["red apples", "", "cups"]
    first = question(0, TEXTS[0]).question
    assert target_name(first, {"photo0": "fruit"}) == "fruit"
    assert target_name(first, {"photo0": ""}) == ""


def test_the_other_is_the_largest_of_all_segments_at_the_points(one_thread: None) -> None:
    srgb8 = photograph(0)
    target = np.zeros(srgb8.shape[:2], dtype=bool)
    target[10:20, 5:35] = True
    embedding = segmenter().embed(srgb8)
    cut = []
    for y in (5.0, 15.0, 25.0, 35.0):
        for x in (7.5, 22.5, 37.5, 52.5):
            segment = segmenter().from_points(embedding, [(x, y)], [True])
            inside = np.count_nonzero(segment.pixels & target)
            if not target[int(y), int(x)] and inside <= segment.pixels.sum() / 2:
                cut.append(segment)
    assert len({segment.pixels.sum() for segment in cut}) > 1
    every = other_segment(srgb8, target, segmenter(), SegmentSettings(4, 0.0))
    assert every is not None
    expected = largest_other([segment.pixels for segment in cut], target)
    assert every.sum() == expected.sum()  # type: ignore[union-attr]
    assert not (every & target).any()
    best = max(segment.score for segment in cut)
    surest = other_segment(srgb8, target, segmenter(), SegmentSettings(4, best))
    kept = [segment.pixels for segment in cut if segment.score >= best]
    np.testing.assert_array_equal(surest, largest_other(kept, target))
    assert other_segment(srgb8, np.ones_like(target), segmenter(), SegmentSettings(4, 0)) is None


def test_from_a_set_to_its_variants(photographs: QuestionSet, tmp_path: Path) -> None:
    out = tmp_path / "masks"
    done = find(photographs, out)
    assert done.returncode == 0, done.stderr
    assert "1 questions do not name their target" in done.stderr
    assert "2 questions have new masks" in done.stdout
    record = json.loads((out / "photo0.json").read_text(encoding="utf-8"))
    assert record["target"] == "red apples"
    assert record["mask"]["boxes"]
    target = load_mask(out / "photo0.png", (40, 60))
    assert record["target_share"] == pytest.approx(target.mean())
    # The names are corrected in the file that the folder has, and only what changed is made.
    targets = rows_of(out / "targets.csv")
    assert [row["target"] for row in targets] == ["red apples", "", "cups"]
    text = (out / "targets.csv").read_text(encoding="utf-8")
    (out / "targets.csv").write_text(text.replace("photo1,", "photo1,ellipse"), encoding="utf-8")
    before = (out / "photo0.png").stat().st_mtime_ns
    again = find(photographs, out)
    assert "1 questions have new masks" in again.stdout
    assert "2 questions had masks before" in again.stderr
    assert (out / "photo0.png").stat().st_mtime_ns == before
    # A name that is taken back takes its mask along.
    corrected = tmp_path / "targets.csv"
    corrected.write_text("question_id,target\nphoto1,ellipse\nphoto2,\n", encoding="utf-8")
    find(photographs, out, "--targets", str(corrected))
    assert not list(out.glob("photo2.*"))
    turned = tmp_path / "turned"
    varied = called(main, "variants", str(photographs.folder), str(turned), "--masks", str(out),
                    "--shifts", "120")  # fmt: skip
    assert varied.returncode == 0, varied.stderr
    assert "3 questions have variants: 3 whole, 2 target" in varied.stdout
    variants = open_set(turned)
    for variant in variants.questions():
        if variant.variant == "target-120":
            number = int(variant.seed_id[-1])
            changed = (variants.image(variant) != photograph(number)).any(axis=-1)
            mask = load_mask(out / f"photo{number}.png", (40, 60))
            assert changed[mask].any()
            assert not changed[~mask].any()


def test_refusals(photographs: QuestionSet, tmp_path: Path) -> None:
    out = tmp_path / "masks"
    assert find(photographs, out).returncode == 0
    for folder, options, text in (
        (out, ("--points", "4"), "other models or settings"),
        (photographs.folder, (), "holds other files"),
        (tmp_path / "a", ("--points", "65"), "1 to 64 points"),
        (tmp_path / "b", ("--segmenter", "u2netp"), "Choose a SAM"),
        (tmp_path / "c", ("--targets", str(photographs.folder / "set.json")), "question_id"),
        (tmp_path / "d", ("--box-threshold", "1"), "No mask was made"),
    ):
        refused = find(photographs, folder, *options)
        assert (refused.returncode, text in refused.stderr) == (2, True), refused.stderr
    colors = write_set(
        tmp_path / "colors", [question(0, "What color?", "color_recognition")], "Colors", {}
    )
    refused = find(colors, tmp_path / "e")
    assert "takes a mask" in refused.stderr
