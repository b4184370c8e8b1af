"""What a run will cost: from runs that did the same work, or from a trial."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.core.runs.samples import small_plan, some_prompts
from truehue.core.errors import TrueHueError
from truehue.core.machine import usable_cores
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.estimate import SHARDS_READ, Estimate, by_trial, estimate, trial
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import ItemResult, MaskerSpec, RunPlan
from truehue.core.runs.shards import write_shard

pytestmark = pytest.mark.slow


@cache
def prompts() -> list[Prompt]:
    return some_prompts(4)


def plan(**changed: object) -> RunPlan:
    return small_plan(prompts(), images=50, **changed)  # type: ignore[arg-type]


def ran(root: Path, plan: RunPlan, *seconds: float | None) -> None:
    """A run of that plan, a shard a picture; None is one that failed."""
    folder = RunFolder.create(root, plan)
    for index, second in enumerate(seconds):
        status = "drawn" if second is not None else "failed"
        done = ItemResult(
            index, 0, index, 1, status, seconds=second, scoring_seconds=second and 0.5
        )
        write_shard(folder.shard_folder / f"w-{index:03d}.parquet", [done])


def test_the_dear_pictures_are_in_the_pace_and_failed_ones_are_not(tmp_path: Path) -> None:
    ran(tmp_path, plan(name="earlier"), 0.1, 0.1, 0.1, 9.7, None)
    result = estimate(plan(), tmp_path)
    assert result.seconds_a_picture == pytest.approx(3.0)
    assert result.seconds == pytest.approx(600.0)
    assert result.basis == "Based on the mean of 4 images of the run “earlier”."


def test_all_of_a_long_run_is_looked_at(tmp_path: Path) -> None:
    ran(tmp_path, plan(name="earlier"), *[1.5] * SHARDS_READ, *[3.5] * SHARDS_READ)
    result = estimate(plan(), tmp_path)
    assert result.seconds_a_picture == pytest.approx(3.0)
    assert f"of {SHARDS_READ} images" in result.basis


@pytest.mark.parametrize(
    "changed",
    [
        {"masker": MaskerSpec("whole")},
        {"steps": 9},
        {"guidance": 2.0},
        {"size_px": 128},
        {"rules": (("paper", "1.0"),)},
        {"model": "sdxl-base-1.0"},
        {"options": {"batch": 2}},
    ],
)
def test_a_run_of_other_work_says_nothing(tmp_path: Path, changed: dict[str, object]) -> None:
    ran(tmp_path, plan(), 1.0)
    result = estimate(replace(plan(name="other"), **changed), tmp_path)  # type: ignore[arg-type]
    assert (result.seconds, result.seconds_a_picture) == (None, None)
    assert "Run a short test to estimate it" in result.basis


def test_workers_beyond_the_cores_do_not_make_it_quicker(tmp_path: Path) -> None:
    ran(tmp_path, plan(), 0.5)
    cores = usable_cores()
    assert estimate(plan(name="b"), tmp_path, cores).seconds == pytest.approx(200 / cores)
    assert estimate(plan(name="b"), tmp_path, 16 * cores).seconds == pytest.approx(200 / cores)


@pytest.mark.parametrize(
    ("model_id", "size_px", "side"),
    [
        ("qwen-image", None, 1328),
        ("janus-pro-7b", None, 384),
        ("flux.1-dev", None, 1024),
        ("qwen-image", 512, 512),
        ("hub:some-one/some.model", None, 1024),
    ],
)
def test_the_disk_is_for_pictures_of_the_models_own_size(
    model_id: str, size_px: int | None, side: int, tmp_path: Path
) -> None:
    sized = replace(plan(), model=model_id, size_px=size_px)
    # 55% of the raw bytes of each picture, and a row.
    item = side * side * 3 * 0.55 + 1500
    assert estimate(sized, tmp_path).disk_bytes == pytest.approx(sized.total * item, rel=1e-4)


def test_a_trial_draws_and_leaves_nothing(tmp_path: Path) -> None:
    result = trial(small_plan(prompts()[:2]), threads=1)
    assert result.pictures == 2
    assert result.seconds is not None
    assert result.seconds > 0
    assert result.basis.startswith("One image generated now, after")
    assert result.disk_bytes > 2 * 1500


def test_a_trial_tells_of_longer_plans_and_more_workers() -> None:
    tried = Estimate(4, 1, 2.0, "tried", 8.0, 4_000)
    result = by_trial(plan(), tried, 16 * usable_cores())
    assert (result.pictures, result.basis, result.disk_bytes) == (200, "tried", 200_000)
    assert result.seconds == pytest.approx(400 / usable_cores())


def test_a_trial_that_fails_says_why() -> None:
    reference_set = tuple(ObjectTarget(name) for name in ("apple", "banana", "mug", "car", "vase"))
    with pytest.raises(TrueHueError, match=r"of the test failed: .*4 objects"):
        trial(small_plan([Prompt("crowd", "five", "free", reference_set)]), threads=1)


def test_the_same_prompts_tell_most_then_the_most_pictures(tmp_path: Path) -> None:
    ran(tmp_path, plan(name="same prompts"), 2.5, 2.5)
    cheap = small_plan(prompts()[:1], images=50, name="one cheap mug")
    ran(tmp_path, cheap, *[0.5] * 9)
    assert "“same prompts”" in estimate(plan(), tmp_path).basis
    other = small_plan(prompts()[1:], images=50)
    assert "“one cheap mug”" in estimate(other, tmp_path).basis
