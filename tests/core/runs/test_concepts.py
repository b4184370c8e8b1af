"""Runs of concepts: whose colors are measured, several guidance scales, and what is unscored."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.core.batch import hold
from tests.core.generation.tiny_janus import teach
from tests.core.runs.concept_samples import concept_plan, concept_prompts
from tests.core.runs.samples import begun, done, planned, rows, small_plan, some_prompts
from tests.core.runs.test_execute import made, same_files, wait_until
from tests.shards import read_shard
from tests.tiny_models.written import vision
from truehue.core.batch.health import state_of
from truehue.core.batch.journal import read_journal
from truehue.core.batch.team import Batch
from truehue.core.batch.worker import Worker
from truehue.core.color.systems import parse_target
from truehue.core.concepts.profile import profile_of
from truehue.core.errors import BadInput
from truehue.core.files import content_path, read_png
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.generation.request import GenerationRequest
from truehue.core.generation.weights.sources import Sources
from truehue.core.images.load import encode_png, image_id
from truehue.core.images.pixels import Mask
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.concepts import (
    concept_of,
    has_only_concepts,
    mask_positions,
    measured_of,
    profiles_of,
)
from truehue.core.runs.estimate import estimate
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.maskers import Grounding, open_masker
from truehue.core.runs.plan import (
    make_plan,
    order_of,
    plan_json,
    prompt_and_image_at,
    request_of,
    run_id,
)
from truehue.core.runs.records import (
    ItemResult,
    MaskerSpec,
    ObjectProfile,
    StoredItem,
    StoredMask,
)
from truehue.core.runs.shards import old_schema, read_columns, result_of, row_of, write_shard
from truehue.core.runs.worker import RunProcessor, RunWork, WorkerSettings, check_versions
from truehue.core.verdict.expectations import Localization

pytestmark = pytest.mark.slow

MANGO = ObjectTarget("mango", category="fruit")


def concept(*targets: ObjectTarget) -> Prompt:
    return Prompt("p", "A natural photo of a mango.", "concept", targets or (MANGO,))


# ── plans ────────────────────────────────────────────────────────────────────────────────────────


def test_every_scale_has_the_same_seeds_and_pictures_count_as_before() -> None:
    plan = concept_plan(images=2, guidances=(3.0, 5.0, 9.0), seed=7)
    assert (plan.images, plan.seeds, plan.total) == (6, 2, 6 * len(plan.prompts))
    request_ofs = [request_of(plan, 6 + index) for index in range(6)]
    assert [(item.guidance, item.seed) for item in request_ofs] == [
        (3.0, 7),
        (3.0, 8),
        (5.0, 7),
        (5.0, 8),
        (9.0, 7),
        (9.0, 8),
    ]
    assert {item.prompt_id for item in request_ofs} == {plan.prompts[1].id}
    assert prompt_and_image_at(plan, 11) == (1, 5)


def test_one_scale_is_the_guidance_and_its_order_counts() -> None:
    item = planned(concept_prompts(), "sdxl-base-1.0", guidances=(7.5,), images=3)
    assert item == planned(concept_prompts(), "sdxl-base-1.0", guidance=7.5, images=3)
    ids = {run_id(concept_plan(guidances=scales)) for scales in ((3, 5), (5, 3), (3, 5.5), ())}
    assert len(ids) == 4
    assert run_id(concept_plan(guidances=(3, 5))) == run_id(concept_plan(guidances=(3.0, 5.0)))


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"guidances": (3.0, 5.0, 3.0)}, "guidance scale 3 is given twice"),
        ({"guidances": (3.0, float("nan"))}, "Guidance is a number"),
        ({"guidances": (3.0, float("inf"))}, "Guidance is a number"),
        ({"guidances": (3.0, -1.0)}, "Guidance is a number"),
        ({"guidances": (3.0, 5.0), "guidance": 4.0}, "not both"),
        ({"guidances": tuple(map(float, range(8))), "images": 200}, r"8 guidance scales: 1 to 125"),
    ],
)
def test_scales_that_cannot_be_are_refused(changed: dict[str, Any], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        concept_plan(**changed)


def test_stored_pictures_have_no_scales() -> None:
    item = StoredItem(0, 0, "a" * 64, "/a.png")
    with pytest.raises(BadInput, match="no guidance scales of its own"):
        planned((concept(),), "x", items=(item,), guidances=(3.0, 5.0))


def test_plans_of_before_keep_their_ids() -> None:
    """Ids that the version before concepts gave (38c7461), with the rules that there were then."""
    from tests.core.runs.test_plan import ITEMS, PROMPTS

    names = ("paper", "paper-centred", "released", "released-unguided", "truehue")
    rules = tuple((name, "1.0") for name in names)
    plans = {
        "a5dd93da028fa136": make_plan(PROMPTS, "reference-renderer"),
        "db8ce588115fc142": planned(some_prompts(40), "sdxl-base-1.0", guidance=7.5, steps=30),
        "054cd3234d17efd3": make_plan(PROMPTS, "x", items=ITEMS),
    }
    assert {name: run_id(replace(plan, rules=rules)) for name, plan in plans.items()} == {
        name: name for name in plans
    }
    assert "guidances" not in plan_json(plans["a5dd93da028fa136"])
    assert "profile" not in plan_json(plans["a5dd93da028fa136"])["made_with"]


def test_concepts_alone_need_no_rule_and_a_mixed_set_does(tmp_path: Path) -> None:
    alone = concept_plan(rules=())
    assert alone == concept_plan(rules=("paper",), k=3)
    assert (alone.rules, alone.k) == ((), 0)
    with pytest.raises(BadInput, match="No rule is called"):
        concept_plan(rules=("papper",))
    mixed = [*concept_prompts()[:2], *some_prompts(2, ("cna",))]
    with pytest.raises(BadInput, match="at least one rule"):
        concept_plan(mixed, rules=())
    assert concept_plan(mixed, rules=("paper",)).rules
    folder = RunFolder.create(tmp_path, alone)
    assert folder.plan() == alone
    assert {key: folder.summary()[key] for key in plan_json(alone)} == plan_json(alone)


def test_another_version_of_profiles_does_not_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = concept_plan()
    folder = RunFolder.create(tmp_path, plan)
    check_versions(folder, plan)
    monkeypatch.setattr("truehue.core.runs.plan.PROFILE_VERSION", "2")
    with pytest.raises(BadInput, match=r"begun with .*profile 1; this TrueHue has .*profile 2"):
        check_versions(folder, plan)
    # What measures no concept does not care.
    other = small_plan(some_prompts(2))
    check_versions(RunFolder.create(tmp_path, other), other)


def test_the_same_seed_at_another_scale_is_drawn_right_after() -> None:
    plan = concept_plan(concept_prompts(("apple",))[:1], images=2)
    requests = [request_of(plan, index) for index in order_of(plan).tolist()]
    assert [request.seed for request in requests] == [0, 0, 0, 1, 1, 1]


def test_an_estimate_goes_by_runs_of_the_same_scales(tmp_path: Path) -> None:
    plan = concept_plan(images=1)
    folder = RunFolder.create(tmp_path, plan)
    item_result = ItemResult(
        0, 0, 0, 1, "drawn", image_id="a" * 64, width=1, height=1, seconds=2.0, scoring_seconds=0.0
    )
    write_shard(folder.shard_folder / "a.parquet", [item_result])
    result = estimate(concept_plan(images=4), tmp_path)
    assert (result.seconds_a_picture, result.pictures) == (2.0, 4 * 3 * len(plan.prompts))
    assert estimate(concept_plan(guidances=()), tmp_path).seconds is None


# ── whose colors ─────────────────────────────────────────────────────────────────────────────────


def test_the_main_object_of_a_concept_is_measured_and_nothing_else() -> None:
    red = parse_target("css:red")
    shelf_ = ObjectTarget("shelf", None, (), "bystander")
    assert measured_of("concept", (shelf_, MANGO, ObjectTarget("leaf"))) == (1,)
    assert measured_of("concept", ()) == ()
    assert measured_of("cna", (MANGO,)) == ()
    assert mask_positions("concept", (MANGO, ObjectTarget("leaf", red))) == (0, 1)
    assert mask_positions("cna", (MANGO, ObjectTarget("leaf", red))) == (1,)
    assert has_only_concepts([concept()])
    assert not has_only_concepts([concept(ObjectTarget("mango", red))])
    assert not has_only_concepts([concept(), some_prompts(1)[0]])


def test_a_prompt_is_a_known_concept_where_it_is_word_for_word_the_same() -> None:
    prompt = concept_prompts(("apple",))[2]
    assert concept_of(prompt) == ("concept-0041-fresh", "photo")
    assert concept_of(replace(prompt, source="my-file")) == ("concept-0041-fresh", "photo")
    # In other words it is a concept of one's own, and no part of the paper's numbers.
    own = ("own:visual%20state:Fruits:apple:fresh", "photo")
    assert concept_of(replace(prompt, text="A fresh apple, from above.")) == own
    assert concept_of(concept()) is None
    assert concept_of(some_prompts(1)[0]) is None


def test_every_reason_for_no_colors_is_said() -> None:
    srgb8 = np.zeros((4, 4, 3), np.uint8)
    inside = np.ones((4, 4), bool)
    dot = np.zeros((4, 4), bool)
    dot[0, 0] = True

    def said(finding: Localization | None) -> str:
        (item,) = profiles_of(concept(), srgb8, {} if finding is None else {0: finding})
        assert item.profile is None
        return item.reason

    assert said(None) == "No mask of the mango is at hand."
    assert said(Localization(inside, "no", "mask", "the answer was 'No'.")) == (
        "The mango is not in the picture: the answer was 'No'."
    )
    assert said(Localization(inside, "unknown", "mask")) == (
        "It is not known whether the mango is in the picture."
    )
    assert said(Localization(None, "", "detection")) == "The mango was not found."
    assert said(Localization(None, "", "mask", "Nothing was cut out.")) == "Nothing was cut out."
    assert said(Localization(dot)).startswith("The mango cannot be measured: ")
    assert said(Localization(np.ones((3, 3), bool))).startswith("The mango cannot be measured: ")
    assert profiles_of(concept(), srgb8, {0: Localization(inside)}) == (
        ObjectProfile(0, profile_of(srgb8, inside)),
    )
    assert profiles_of(some_prompts(1)[0], srgb8, {0: Localization(inside)}) == ()


def test_what_breaks_is_no_color_and_memory_is_nobodys_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    srgb8, finding = np.zeros((4, 4, 3), np.uint8), {0: Localization(np.ones((4, 4), bool))}

    def breaks(*values: object) -> None:
        raise ValueError("odd pixels")

    monkeypatch.setattr("truehue.core.runs.concepts.profile_of", breaks)
    (item,) = profiles_of(concept(), srgb8, finding)
    assert item == ObjectProfile(0, None, "Measuring broke off: ValueError: odd pixels")

    def full(*values: object) -> None:
        raise MemoryError

    monkeypatch.setattr("truehue.core.runs.concepts.profile_of", full)
    with pytest.raises(MemoryError):
        profiles_of(concept(), srgb8, finding)


# ── drawn runs ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run that nothing disturbed."""
    folder = made(tmp_path_factory.mktemp("quiet"), concept_plan())
    state = done(folder)
    assert (state.status, state.failed) == ("finished", 0)
    return folder


def test_every_picture_is_measured_in_its_own_mask_and_judged_by_nobody(quiet: RunFolder) -> None:
    result = rows(quiet)
    assert [item.position for item in result] == list(range(72))
    for entry in result:
        assert entry.verdicts == ()
        (mask,) = entry.masks
        srgb8 = read_png(content_path(quiet.images, entry.image_id), "RGB")
        pixels = read_png(content_path(quiet.masks, mask.content_sha256), "1")
        assert entry.profiles == (ObjectProfile(0, profile_of(srgb8, pixels)),)
    # The renderer takes no guidance: equal seeds are equal pictures, whatever the scale.
    assert [item.seed for item in result[:6]] == [0, 1, 0, 1, 0, 1]
    assert result[0].image_id == result[2].image_id != result[1].image_id


@pytest.mark.process
def test_killed_and_resumed_it_is_the_run_that_nothing_disturbed(
    tmp_path: Path, quiet: RunFolder
) -> None:
    shot = made(tmp_path, concept_plan())
    process = begun(shot, workers=1, hold_at=3)
    wait_until(lambda: hold.safe_results(shot) == 3, process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert state_of(shot).status == "interrupted"
    assert hold.safe_results(shot) == 3
    assert done(shot).status == "finished"
    assert rows(shot) == rows(quiet)
    assert same_files(shot, quiet)


def test_a_mixed_set_judges_what_asks_for_a_color_and_measures_the_rest(tmp_path: Path) -> None:
    prompts = [*concept_prompts(("apple",))[:1], *some_prompts(1, ("cna",))]
    folder = made(tmp_path, concept_plan(prompts, images=1, guidances=(), rules=("paper",)))
    done(folder)
    measured, judged = rows(folder)
    assert (len(measured.profiles), measured.verdicts) == (1, ())
    assert (judged.profiles, [verdict.rule for verdict in judged.verdicts]) == ((), ["paper"])


def test_a_concept_that_cannot_be_drawn_fails_without_a_verdict(tmp_path: Path) -> None:
    reference_set = tuple(ObjectTarget(name) for name in ("apple", "banana", "mug", "car", "vase"))
    prompts = (concept(*reference_set), *some_prompts(1, ("cna",)))
    folder = made(tmp_path, concept_plan(prompts, images=1, guidances=(), rules=("paper",)))
    state = done(folder)
    assert (state.status, state.failed) == ("finished", 1)
    failed = rows(folder)[0]
    assert (failed.status, failed.verdicts, failed.profiles) == ("failed", (), ())
    assert "4 objects" in failed.reason


# ── maskers ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def image() -> np.ndarray:
    srgb8 = np.random.default_rng(0).integers(0, 90, (48, 80, 3), dtype=np.uint8)
    y, x = np.mgrid[:48, :80]
    srgb8[((x - 30) / 18) ** 2 + ((y - 22) / 12) ** 2 < 1] = (220, 160, 40)
    return srgb8


@pytest.fixture(scope="module")
def spec() -> Iterator[MaskerSpec]:
    """A detector and a segmenter of random weights; one thread, for their layers are tiny."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    detector, sam = (vision(name) for name in ("detector", "sam"))
    yield MaskerSpec("grounded", f"folder:{detector}", f"folder:{sam}")
    torch.set_num_threads(before)


def stored_plan(tmp_path: Path, image: np.ndarray, spec: MaskerSpec, count: int = 1) -> RunFolder:
    path = tmp_path / "a.png"
    path.write_bytes(encode_png(image))
    item = StoredItem(0, 0, image_id(image), str(path))
    plan = planned((concept(),) * count, "theirs", items=(item,), masker=spec)
    return RunFolder.create(tmp_path / "runs", plan)


def worked(folder: RunFolder, worker: Worker | None = None) -> ItemResult:
    worker = worker or Worker(RunWork(folder.path, WorkerSettings(Sources())), "w1")
    try:
        worker.work_on(Batch(0, ((0, 1),)))
        (path,) = folder.journal.glob("*")
        (row,) = read_journal(path)
    finally:
        worker.close()
    return result_of(row)


@pytest.mark.weights
def test_a_detector_and_a_segmenter_find_the_object_by_its_name(
    tmp_path: Path, image: np.ndarray, spec: MaskerSpec
) -> None:
    folder = stored_plan(tmp_path, image, spec)
    row = worked(folder)
    (mask,) = row.masks
    assert (mask.parameters["object"], mask.parameters["target"]) == ("mango", 0)
    pixels = read_png(content_path(folder.masks, mask.content_sha256), "1")
    assert row.profiles == (ObjectProfile(0, profile_of(image, pixels)),)
    assert (row.status, row.verdicts) == ("drawn", ())


@pytest.mark.weights
def test_an_object_that_is_not_found_is_kept_with_its_reason(
    tmp_path: Path, image: np.ndarray, spec: MaskerSpec
) -> None:
    folder = stored_plan(tmp_path, image, spec)
    worker = Worker(RunWork(folder.path, WorkerSettings(Sources())), "w1")
    assert isinstance(worker.doer, RunProcessor)
    masker = worker.doer.masker
    assert isinstance(masker, Grounding)
    masker.variant = masker.variant.with_settings({"box_threshold": 1.0})
    row = worked(folder, worker)
    (item,) = row.profiles
    assert (row.status, row.masks, item.profile) == ("drawn", (), None)
    assert item.reason.startswith("The mango was not found: ")
    assert result_of(json.loads(json.dumps(row_of(row)))) == row


@pytest.mark.weights
def test_who_says_that_the_object_is_not_there_is_believed(
    tmp_path: Path, image: np.ndarray, spec: MaskerSpec
) -> None:
    from truehue.core.masks.grounded.presence import question

    janus = shutil.copytree(vision("janus"), tmp_path / "janus")
    teach(janus, [(image, question("mango"), "No")])
    row = worked(stored_plan(tmp_path, image, replace(spec, presence=f"folder:{janus}")))
    (item,) = row.profiles
    assert item.profile is None
    assert item.reason == "The mango is not in the picture: the answer was 'No'."


def test_whole_pictures_are_the_object(tmp_path: Path, image: np.ndarray) -> None:
    row = worked(stored_plan(tmp_path, image, MaskerSpec("whole")))
    assert row.profiles == (ObjectProfile(0, profile_of(image, np.ones((48, 80), bool))),)
    assert [(mask.target, mask.maker, mask.area_px) for mask in row.masks] == [
        (0, "whole", 48 * 80)
    ]


def test_a_stored_picture_is_measured_in_the_mask_that_it_has(
    tmp_path: Path, image: np.ndarray
) -> None:
    pixels = image[..., 0] > 200
    mask = tmp_path / "m.png"
    mask.write_bytes(Mask(pixels, "brush", {}).png())
    stored_image = tmp_path / "a.png"
    stored_image.write_bytes(encode_png(image))
    stored = {0: StoredMask("m" * 64, str(mask), "brush")}
    items = [
        StoredItem(0, 0, image_id(image), str(stored_image), stored),
        StoredItem(0, 1, image_id(image), str(stored_image)),
    ]
    plan = make_plan((concept(),), "theirs", items=items)
    folder = made(tmp_path / "runs", plan)
    assert done(folder).status == "finished"
    with_mask, without = rows(folder)
    assert with_mask.profiles == (ObjectProfile(0, profile_of(image, pixels)),)
    assert with_mask.masks[0].mask_id == "m" * 64
    assert without.profiles == (ObjectProfile(0, None, "No mask of the mango is at hand."),)


def test_what_the_renderer_left_out_is_not_in_the_picture() -> None:
    """The renderer draws every concept; one that a failure left out has no mask."""
    masker = open_masker(MaskerSpec("exact"))
    from truehue.core.generation.backends.reference import shapes_for

    request = GenerationRequest("reference-renderer", "", 1, width=64, height=64, targets=(MANGO,))
    (sample,) = ReferenceRenderer().draw([request], lambda report: None, Event())
    result = masker.find(sample.srgb8, "concept", (MANGO,), {}, shapes_for((MANGO,)))
    (item,) = profiles_of(concept(), sample.srgb8, result.findings)
    assert item.reason == "The mango is not in the picture."


# ── journals and shards ──────────────────────────────────────────────────────────────────────────


def test_journals_and_shards_give_profiles_back(tmp_path: Path, quiet: RunFolder) -> None:
    results = [*rows(quiet)[:3]]
    results[1] = replace(results[1], profiles=(ObjectProfile(0, None, "No mask."),))
    assert [result_of(json.loads(json.dumps(row_of(item)))) for item in results] == results
    write_shard(tmp_path / "a.parquet", results)
    assert read_shard(tmp_path / "a.parquet") == results


def test_shards_and_journals_of_before_are_read_as_without_profiles(
    tmp_path: Path, quiet: RunFolder
) -> None:
    bare = [replace(row, profiles=()) for row in rows(quiet)[:3]]
    write_shard(tmp_path / "new.parquet", bare)
    old = pq.read_table(tmp_path / "new.parquet").drop_columns(["profiles"])
    assert old.schema.equals(old_schema())
    pq.write_table(old, tmp_path / "old.parquet")
    assert read_shard(tmp_path / "old.parquet") == bare
    some = read_columns(tmp_path / "old.parquet", ("profiles", "position"))
    assert some.column_names == ["profiles", "position"]
    assert some["profiles"].to_pylist() == [[], [], []]
    assert read_columns(tmp_path / "old.parquet", ("status",)).column_names == ["status"]
    line = row_of(bare[0])
    del line["profiles"]
    assert result_of(json.loads(json.dumps(line))) == bare[0]
