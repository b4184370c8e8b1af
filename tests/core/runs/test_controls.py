"""Control images: what they say of maskers and presence models that work, and of those that do not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.runs.samples import RULES, apples, in_process, planned, small_plan
from truehue.core.batch.folder import PLAN
from truehue.core.diagnosis.colors import render_image
from truehue.core.errors import BadInput
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.runs.controls import (
    FILE,
    SIZE_PX,
    ControlResult,
    checked_report,
    control_images,
    controls_of,
    controls_text,
    has_controls,
    run_controls,
    summarize,
)
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.maskers import Exact, KnownMasks, Masker, WholeImage
from truehue.core.runs.merge import merge
from truehue.core.runs.records import MaskerSpec, RunPlan
from truehue.core.runs.worker import execute
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.expectations import Localization

GROUNDED = MaskerSpec("grounded", "grounding-dino-base", "sam-vit-h", "janus-pro-1b")


def plan(masker: MaskerSpec | None = None) -> RunPlan:
    return planned(
        apples(10), images=2, rules=RULES, **({} if masker is None else {"masker": masker})
    )


def summary_of(run_plan: RunPlan, masker: Masker) -> Any:
    report = run_controls(run_plan, masker, Acceptance())
    results = [ControlResult(**row) for row in report["images"]]
    return summarize(results, [row["presence"] for row in report["absent"]])


def test_exact_masks_pass_their_controls() -> None:
    summary = summary_of(plan(), Exact())
    assert (summary.images, summary.found, summary.median_iou) == (20, 20, 1.0)
    assert summary.accepted["truehue"] == 20
    assert (summary.result, len(summary.lines)) == ("passed", 1 + len(RULES))
    # The strict rule accepts few names, and says that this is no fault of the masks.
    assert "paper 2 (expected with k = 0)" in summary.text
    assert set(summary.accepted_other.values()) == {0}
    assert summary.warnings == ()


def test_the_shipped_images_are_the_renderers() -> None:
    shown = control_images()[2]
    srgb8, mask = render_image(shown.object_name, shown.light, 0, shown.color.hex, SIZE_PX)
    assert np.abs(srgb8.astype(int) - shown.srgb8).max() <= 1
    assert (mask == shown.mask.pixels).all()


def test_no_two_control_images_are_alike() -> None:
    controls = control_images()
    assert len({control.srgb8.tobytes() for control in controls}) == 20
    assert all(control.color.hex != control.other.hex for control in controls)


def test_whole_images_measure_the_background_and_say_so() -> None:
    summary = summary_of(plan(MaskerSpec("whole")), WholeImage())
    assert summary.found == 20
    overlap, *rules = summary.warnings
    assert "IoU of 0." in overlap
    assert any(text.startswith("truehue accepts the right color in") for text in rules)


class Broken:
    """A masker with a presence model that answers always alike; ``blind`` finds nothing."""

    def __init__(self, answer: str, blind: bool) -> None:
        self.answer, self.blind = answer, blind

    def find(
        self,
        srgb8: np.ndarray,
        task: str,
        targets: Sequence[ObjectTarget],
        exact: Mapping[int, Any],
        *more: Any,
        **about: Any,
    ) -> KnownMasks:
        shown = next((c for c in control_images() if c.srgb8 is srgb8), None)
        right = shown is not None and shown.object_name == targets[0].name
        if self.blind or not right or shown is None:
            reason = "No box reaches the limit."
            return KnownMasks({0: Localization(None, self.answer, "detection", reason)})
        return KnownMasks({0: Localization(shown.mask.pixels, self.answer)})

    def close(self) -> None:
        """Holds nothing."""


@pytest.mark.parametrize(
    ("answer", "blind", "sentence"),
    [
        ("yes", False, "The presence model says yes to 4 of 4 objects that are not there."),
        ("no", False, "The presence model denies 20 of 20 objects that are there."),
        ("yes", True, "The masker finds 0 of 20 objects that are there."),
    ],
)
def test_a_broken_tool_is_named(answer: str, blind: bool, sentence: str) -> None:
    summary = summary_of(plan(GROUNDED), Broken(answer, blind))
    named = [text for text in summary.warnings if text.startswith(sentence)]
    assert len(named) == 1
    assert not blind or named[0].endswith("The first reason: No box reaches the limit.")


def test_a_run_of_few_images_or_without_rules_has_none() -> None:
    assert has_controls(plan())
    assert not has_controls(planned(apples(3), images=6, rules=RULES))
    assert not has_controls(replace(plan(), rules=()))
    assert not has_controls(plan(MaskerSpec("whole")))


def test_they_come_before_the_first_image_and_go_with_a_copy(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "runs", small_plan(apples(10), images=2))
    seen: list[tuple[int, bool]] = []
    execute(
        folder,
        team=in_process(folder),
        watch=lambda state: seen.append((state.done, bool(controls_of(folder.path)))),
    )
    assert all(known for done, known in seen if done)
    assert controls_text(folder.path) == (
        f"Control images: {controls_of(folder.path).text}",  # type: ignore[union-attr]
    )
    other = RunFolder.create(tmp_path / "other", small_plan(apples(10), images=2))
    merge(other, [folder.path])
    assert (other.path / FILE).read_bytes() == (folder.path / FILE).read_bytes()


def test_a_masker_that_breaks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(self: Exact, srgb8: np.ndarray, *more: Any) -> KnownMasks:
        if srgb8.shape[0] == control_images()[0].srgb8.shape[0]:
            raise ZeroDivisionError("no pixel")
        return find(self, srgb8, *more)

    find = Exact.find
    monkeypatch.setattr(Exact, "find", breaks)
    folder = RunFolder.create(tmp_path / "runs", small_plan(apples(10), images=2))
    assert execute(folder, team=in_process(folder)).done == 20
    assert controls_text(folder.path) == (
        "Control images: They could not be scored: ZeroDivisionError: no pixel",
        "Control images: not scored",
    )


ROW = {
    **dict.fromkeys(("object_name", "light", "color", "other", "reason"), "x"),
    "iou": 0.9,
    "presence": "yes",
    **{name: {"paper": True} for name in ("accepted", "accepted_other", "exact", "exact_other")},
}
ABSENT = {"object": "car", "absent_object": "vase", "presence": "no"}


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ([], "no JSON object"),
        ({}, "neither images nor a problem"),
        ({"problem": 7}, "problem is no text"),
        ({"problem": "x" * 3_000}, "problem is no text"),
        ({"images": [ROW], "absent": [], "more": 1}, "neither images"),
        ({"images": {"0": ROW}, "absent": []}, "a list of them is none"),
        ({"images": [ROW] * 101, "absent": []}, "a list of them is none"),
        ({"images": ["row"], "absent": []}, "a list of them is none"),
        ({"images": [], "absent": []}, "no image"),
        ({"images": [{**ROW, "more": 1}], "absent": []}, "other fields"),
        ({"images": [{**ROW, "color": 3}], "absent": []}, "a text of them"),
        ({"images": [{**ROW, "presence": ["yes"]}], "absent": []}, "a text of them"),
        ({"images": [{**ROW, "iou": float("nan")}], "absent": []}, "IoU"),
        ({"images": [{**ROW, "iou": 10**400}], "absent": []}, "IoU"),
        ({"images": [{**ROW, "iou": True}], "absent": []}, "IoU"),
        ({"images": [{**ROW, "exact": {"paper": 1}}], "absent": []}, "a verdict of them"),
        ({"images": [{**ROW, "exact": {"mine": True}}], "absent": []}, "a verdict of them"),
        ({"images": [{**ROW, "exact": [True]}], "absent": []}, "a verdict of them"),
        ({"images": [ROW], "absent": [{**ABSENT, "presence": "maybe"}]}, "presence model"),
        ({"images": [ROW], "absent": [{"object": "car"}]}, "absent object"),
    ],
)
def test_a_report_of_somebody_else_is_checked(report: Any, said: str) -> None:
    assert checked_report({"images": [ROW], "absent": [ABSENT]}, ["paper"])
    with pytest.raises(BadInput, match=said):
        checked_report(report, ["paper"])


def test_a_file_that_is_damaged_says_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"images": [{}]}')
    assert controls_of(tmp_path) is None


def test_files_are_read_again_only_where_they_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def json_object(path: Path) -> Any:
        read.append(path.name)
        return json.loads(path.read_text())

    monkeypatch.setattr("truehue.core.runs.controls.json_object", json_object)
    (tmp_path / PLAN).write_text('{"rules": [["paper", "1"]], "k": 0}')
    (tmp_path / FILE).write_text('{"problem": "no memory"}')
    for _ in range(2):
        assert "no memory" in controls_of(tmp_path).warnings[0]  # type: ignore[union-attr]
    assert sorted(read) == sorted((FILE, PLAN))
    (tmp_path / FILE).write_text('{"problem": "no detector"}')
    assert "no detector" in controls_of(tmp_path).warnings[0]  # type: ignore[union-attr]
