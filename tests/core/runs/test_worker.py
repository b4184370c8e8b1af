"""One worker: what ends it, what fails a picture, and what it goes on with."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from tests.core.runs.samples import many_prompts, small_plan, some_prompts
from tests.tiny_models.written import vision
from truehue.core.batch.journal import read_journal
from truehue.core.batch.local_team import LocalTeam
from truehue.core.batch.team import DIED, Batch, TeamEvent
from truehue.core.batch.work import CannotWork
from truehue.core.batch.worker import Worker
from truehue.core.errors import BadInput, DataFolderError
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.generation.request import GenerationRequest
from truehue.core.generation.weights.sources import Sources
from truehue.core.images.load import encode_png, image_id
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.maskers import open_masker
from truehue.core.runs.plan import make_plan
from truehue.core.runs.provenance import FILE, OtherWeights, pin
from truehue.core.runs.records import ItemResult, MaskerSpec, ScoringPlan, StoredItem, StoredMask
from truehue.core.runs.shards import result_of
from truehue.core.runs.worker import RunWork, check_versions


@pytest.fixture(scope="module")
def few() -> list[Prompt]:
    return many_prompts(2, several=0, objects=["apple"])


@pytest.fixture
def worker(tmp_path: Path, few: list[Prompt]) -> Iterator[Worker]:
    folder = RunFolder.create(tmp_path, small_plan(few, images=30))
    made = Worker(RunWork(folder.path), "w1")
    yield made
    made.close()


def batch(*positions: int) -> Batch:
    return Batch(0, tuple((position, 1) for position in positions))


def written(worker: Worker) -> list[ItemResult]:
    return [
        result_of(row) for path in worker.folder.journal.glob("*") for row in read_journal(path)
    ]


def test_a_wish_that_was_taken_back_does_not_stop_it_for_ever(worker: Worker) -> None:
    worker.folder.set_desired_state("pause")
    assert worker.work_on(batch(0, 30)) == ()
    worker.folder.set_desired_state("run")
    assert worker.work_on(batch(0, 30)) == ((0, "drawn", ""), (30, "drawn", ""))


def test_pictures_that_cannot_be_kept_are_no_failures(worker: Worker) -> None:
    RunFolder(worker.folder.path).images.rmdir()
    RunFolder(worker.folder.path).images.write_text("a file stands in the way")
    with pytest.raises(DataFolderError, match="cannot be written"):
        worker.work_on(batch(0))
    assert written(worker) == []


def test_a_masker_that_breaks_fails_the_picture_and_in_the_end_the_worker(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*args: Any) -> None:
        raise RuntimeError("shape mismatch")

    monkeypatch.setattr(worker.doer.masker, "find", breaks, raising=False)
    said = worker.work_on(batch(0))
    assert said == ((0, "failed", "Looking for objects failed (RuntimeError: shape mismatch)."),)
    (row,) = written(worker)
    assert (row.seed, row.image_id) == (0, "")
    assert {verdict.cause for verdict in row.verdicts} == {"no-image"}
    monkeypatch.setattr("truehue.core.batch.worker.MAX_BROKEN_IN_A_ROW", 3)
    with pytest.raises(CannotWork, match=r"3 images in a row failed.*shape mismatch"):
        worker.work_on(batch(30, 1, 31))
    # The one that was not written down is done again.
    assert [item.position for item in written(worker)] == [0, 30]


def test_memory_that_runs_out_in_the_masker_is_nothing_of_the_picture(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*args: Any) -> None:
        raise RuntimeError("CUDA out of memory. Tried to allocate")

    monkeypatch.setattr(worker.doer.masker, "find", breaks, raising=False)
    with pytest.raises(CannotWork, match="Memory ran out while looking for objects"):
        worker.work_on(batch(0))
    assert written(worker) == []


@pytest.mark.parametrize(
    ("maker", "said"),
    [("renderer", ("fail", "absent")), ("grounded", ("unscored", "no-mask"))],
)
def test_only_the_renderers_own_masks_say_that_it_left_an_object_out(
    tmp_path: Path, maker: str, said: tuple[str, str]
) -> None:
    prompt = some_prompts(1, ("moc",))[0]
    request = GenerationRequest(
        "reference-renderer",
        "",
        3,
        width=64,
        height=64,
        targets=prompt.targets,
        options={"failure": "one-missing"},
    )
    (sample,) = ReferenceRenderer().draw([request], lambda report: None, Event())
    stored = tmp_path / "a.png"
    stored.write_bytes(encode_png(sample.srgb8))
    masks = {}
    for mask in sample.masks:
        path = tmp_path / f"{mask.target}.png"
        path.write_bytes(mask.mask.png())
        masks[mask.target] = StoredMask(f"{mask.target}", str(path), maker)
    assert len(masks) == len(prompt.targets) - 1
    item = StoredItem(
        0, 0, image_id(sample.srgb8), str(stored), masks, drawn_by="reference-renderer"
    )
    plan = make_plan((prompt,), "them", items=(item,), judging=ScoringPlan(rules=("truehue",)))
    made = Worker(RunWork(RunFolder.create(tmp_path / "runs", plan).path), "w1")
    try:
        made.work_on(batch(0))
        (row,) = written(made)
    finally:
        made.close()
    (missing,) = set(range(len(prompt.targets))) - set(masks)
    assert [
        (verdict.status, verdict.cause) for verdict in row.verdicts if verdict.target == missing
    ] == [said]


def test_another_mask_than_the_stored_one_is_not_given_its_id(tmp_path: Path) -> None:
    prompt = some_prompts(1, ("cna",))[0]
    request = GenerationRequest(
        "reference-renderer", "", 3, width=64, height=64, targets=prompt.targets
    )
    (sample,) = ReferenceRenderer().draw([request], lambda report: None, Event())
    stored, path = tmp_path / "a.png", tmp_path / "m.png"
    stored.write_bytes(encode_png(sample.srgb8))
    path.write_bytes(sample.masks[0].mask.png())
    masks = {0: StoredMask("m" * 64, str(path), "renderer")}
    item = StoredItem(0, 0, image_id(sample.srgb8), str(stored), masks, "reference-renderer")
    results = {}
    for masker in ("exact", "whole"):
        judging = ScoringPlan(MaskerSpec(masker), rules=("truehue",))
        plan = make_plan((prompt,), "them", items=(item,), judging=judging)
        made = Worker(RunWork(RunFolder.create(tmp_path / "runs", plan).path), "w1")
        try:
            made.work_on(batch(0))
            ((results[masker],),) = (row.masks for row in written(made))
        finally:
            made.close()
    assert (results["exact"].mask_id, results["exact"].maker) == ("m" * 64, "renderer")
    assert (results["whole"].mask_id, results["whole"].area_px) == ("", 64 * 64)


def test_samples_that_were_changed_or_are_gone_do_not_go_on(
    tmp_path: Path, few: list[Prompt]
) -> None:
    samples = tmp_path / "samples.csv"
    samples.write_text("a")
    plan = small_plan(few, munsell=str(samples))
    folder = RunFolder.create(tmp_path / "runs", plan)
    check_versions(folder, plan)
    samples.write_text("b")
    with pytest.raises(BadInput, match=r"samples\.csv was changed since"):
        check_versions(folder, plan)
    samples.unlink()
    with pytest.raises(BadInput, match=r"needs the file .*samples\.csv"):
        check_versions(folder, plan)


@pytest.mark.weights
def test_a_detector_that_was_changed_is_refused(tmp_path: Path) -> None:
    detector = shutil.copytree(vision("detector"), tmp_path / "detector")
    segmenter = vision("sam")
    spec = MaskerSpec("grounded", f"folder:{detector}", f"folder:{segmenter}")
    target = many_prompts(1, several=0, objects=["apple"])[0].targets
    image = np.zeros((48, 64, 3), np.uint8)

    def found() -> None:
        masker = open_masker(spec, Sources(), lambda role, about: pin(tmp_path, role, about))
        try:
            masker.find(image, "cna", target, {})
        finally:
            masker.close()

    found()
    noted = (tmp_path / FILE).read_text()
    assert '"detector"' in noted
    found()
    assert (tmp_path / FILE).read_text() == noted
    (detector / "notes.txt").write_text("trained further")
    with pytest.raises(OtherWeights, match="another detector"):
        found()


@pytest.mark.process
def test_a_process_that_breaks_says_why(tmp_path: Path, few: list[Prompt]) -> None:
    folder = RunFolder.create(tmp_path, small_plan(few))
    team = LocalTeam(RunWork(folder.path), "two")  # type: ignore[arg-type]
    team.start("w1")
    team_events: list[TeamEvent] = []
    while not team_events:
        team_events = team.events(5.0)
    team.close()
    assert (team_events[0].kind, team_events[0].worker) == (DIED, "w1")
    assert team_events[0].reason.startswith("it broke (TypeError: ")
