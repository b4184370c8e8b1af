"""A folder of one's own images: imported, scored with its own set and masks, verdicts on cards."""

from __future__ import annotations

import csv
import io
import json
import time
import uuid
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from tests.core.runs.samples import done
from tests.salient import link_weights, needs_weights, weights
from truehue.core.batch.health import state_of
from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, MaskError
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.marks import NOTHING_STANDS_OUT as MASK_NOTHING
from truehue.core.masks.salient import find_salient
from truehue.core.prompts.sets import PROMPT_SETS, prompt_set
from truehue.core.records import GenerationRecord, ImageRecord, JobRecord
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import make_plan
from truehue.core.runs.records import SALIENT, WHOLE, MaskerSpec, ScoringPlan
from truehue.core.scores.records import IMAGE
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.explore.leaderboard import cards_view
from truehue.tabs.generate.gallery import generations_json
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import EmptyRequest, read_as
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.runs import imported
from truehue.tabs.runs.form import estimate_view, start_runs
from truehue.tabs.runs.image_import import ImageFolder, look, start_import
from truehue.tabs.runs.imported import ImportedTable, ScoreImages, images_csv, start_scoring
from truehue.tabs.runs.list import runs_view
from truehue.tabs.runs.measured import measure_colors, note_without_object, without_target
from truehue.tabs.runs.request import RunRequest
from truehue.tabs.runs.scored import outcomes
from truehue.tabs.runs.stored import of_model
from truehue.tabs.runs.stored_sources import stored_choices
from truehue.tabs.studies.materials import materials
from truehue.tabs.verdicts.summary import NO_MASK, NOTHING_STANDS_OUT, no_mask_reason

pytestmark = pytest.mark.slow

MAX_S = 120.0


def cut_out(file: Path, hexes: str) -> None:
    """A disk of one color on nothing."""
    rows, columns = np.mgrid[:48, :48]
    inside = (rows - 24) ** 2 + (columns - 24) ** 2 < 300
    pixels = np.zeros((48, 48, 4), np.uint8)
    pixels[..., :3] = [int(hexes[index : index + 2], 16) for index in (1, 3, 5)]
    pixels[..., 3] = inside * 255
    Image.fromarray(pixels).save(file)


def folder_of(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    by_color = {
        item.targets[0].color.hex: item
        for item in prompt_set("mini").prompts()
        if item.task == "cna" and item.targets[0].color
    }
    prompts = list(by_color.values())[:2]
    for prompt in prompts:
        color = prompt.targets[0].color
        assert color is not None
        cut_out(folder / f"{prompt.id}_1.png", color.hex)
    (folder / "broken_1.png").write_bytes(b"no image")
    (folder / "holiday.png").write_bytes((folder / f"{prompts[0].id}_1.png").read_bytes())
    return folder


def ended(context: Context, job_id: str, status: str = "done") -> JobRecord:
    record = context.jobs.wait(job_id, MAX_S)
    assert record.status == status, record.problem
    return record


@pytest.mark.usefixtures("workers_here")
def test_imported_images_end_in_verdicts_on_their_cards(tmp_path: Path, context: Context) -> None:
    values = {"path": str(folder_of(tmp_path)), "set": "mini", "model": "mine"}
    wanted = read_as(ImageFolder, values)
    report = look(context, OWNER, wanted)["report"]
    counts = {text: number for number, text in report["counts"]}
    assert counts["file broken, skipped"] == 1
    assert counts["files not imported"] == 2
    import_record = ended(context, start_import(context, OWNER, wanted)["job"])
    offered = import_record.result["score"]
    assert offered["groups"] == [{"set": "mini", "model": "mine"}]
    assert (offered["masker"], offered["pictures"]) == ("exact", 2)
    image_ids = context.storage.drawings.images_of_job(import_record.job_id)
    assert len(image_ids) == 2
    # The list of all work is asked for all the time, and an import may have 100,000 images.
    assert not any(image_id in json.dumps(import_record.result) for image_id in image_ids)
    assert [masker["id"] for masker in offered["maskers"]] == ["exact", "whole"]
    if weights() is not None:
        with_network = replace(context, sources=Sources(link_weights(tmp_path / "models")))
        rows = [GenerationRecord("a mug", "mine", image_id=image_id) for image_id in image_ids]
        for with_mask, preset in ((0, "salient"), (1, "salient"), (2, "exact")):
            offered_there = imported.offer(with_network, rows, "mini", with_mask)
            assert offered_there["masker"] == preset
        assert "salient" in [masker["id"] for masker in offered_there["maskers"]]
    chosen = next(
        stored_choice for stored_choice in stored_choices(context) if stored_choice["id"] == "mine"
    )
    assert chosen["set"] == "mini"

    request = read_as(ScoreImages, {"job": import_record.job_id, "masker": offered["masker"]})
    scored = ended(context, start_scoring(context, OWNER, request)["job"])
    assert (scored.title, scored.result["title"]) == ("Scoring 2 imported images", "Scored")
    for row in context.storage.drawings.recent():
        card = generations_json(context, [row])[0]
        said = {verdict["rule"]: verdict["status"] for verdict in card["verdicts"]}
        assert said["truehue"] == said["released"] == "pass"
    (folder,) = context.service(RunSupervisor).folders()
    assert state_of(folder).status == "finished"
    table = read_as(ImportedTable, {"job": import_record.job_id, "rule": "released"})
    rows = list(csv.DictReader(io.StringIO(images_csv(context, OWNER, table)[1])))
    assert [(row["status"], row["rule"]) for row in rows] == [("pass", "released")] * 2
    assert all(row["target"] and row["measured"] for row in rows)


def table_of(tmp_path: Path) -> Path:
    """Two images with a table of files and prompts, one more that is cut, and one of no color."""
    folder = tmp_path / "pets"
    folder.mkdir()
    for name, color in (("cat", (255, 165, 0)), ("cup", (0, 0, 255)), ("dog", (90, 90, 90))):
        Image.new("RGB", (48, 48), color).save(folder / f"{name}.png")
    Image.effect_noise((64, 64), 90).save(folder / "cut.png")
    (folder / "cut.png").write_bytes((folder / "cut.png").read_bytes()[:900])
    rows = [
        "file,prompt",
        "cat.png,an orange cat",
        "cup.png,a red cup",
        "dog.png,a happy dog",
        "cut.png,a green leaf",
    ]
    (folder / "table.csv").write_text("\n".join(rows))
    return folder


@pytest.mark.usefixtures("workers_here")
def test_images_of_ones_own_prompts_are_scored_in_runs_and_say_so(
    tmp_path: Path, context: Context
) -> None:
    wanted = read_as(ImageFolder, {"path": str(table_of(tmp_path))})
    looked = look(context, OWNER, wanted)
    assert looked["found"] == 3
    assert (1, "file broken, skipped") in looked["report"]["counts"]
    imported_job = ended(context, start_import(context, OWNER, wanted)["job"])
    # The form is preset to the set that the table made.
    (chosen,) = stored_choices(context)
    assert chosen["name"] == "unknown model · 3 images"
    assert chosen["set"] == imported_job.result["score"]["groups"][0]["set"]

    fields = {"kind": "stored", "models": ["unknown"], "set": chosen["set"], "masker": "whole"}
    (run_id,) = start_runs(context, OWNER, read_as(RunRequest, fields))["runs"]
    supervisor = context.service(RunSupervisor)
    until = time.monotonic() + MAX_S
    while supervisor.queue.position(run_id) is not None and time.monotonic() < until:
        time.sleep(0.02)
    assert supervisor.problem(run_id) == ""
    # The run's card has a result, and so has each image's own card.
    assert "pass" in cards_view(context, {})["runs"][run_id]["words"]
    cards = {
        item["text"]: item for item in generations_json(context, context.storage.drawings.recent())
    }
    said = {
        text: {verdict["rule"]: verdict["status"] for verdict in card["verdicts"]}.get("truehue")
        for text, card in cards.items()
    }
    assert said == {"an orange cat": "pass", "a red cup": "fail", "a happy dog": None}
    reported = outcomes(context, [str(card["image_id"]) for card in cards.values()])
    assert reported["counts"] == [
        *([1, "pass by truehue"], [1, "fail by truehue"]),
        [1, "image without a target color: measured"],
    ]
    (others,) = reported["notes"]
    assert others.startswith("Pass by other rules: 1 by paper, 1 by released, ")
    assert cards["a happy dog"]["unscored"].startswith(
        "No target color in the prompt: measured #5A5A5A"
    )


@pytest.mark.usefixtures("workers_here")
def test_a_folder_that_was_imported_before_can_be_scored(
    tmp_path: Path, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, tell = list[str](), Job.tell
    monkeypatch.setattr(
        Job,
        "tell",
        lambda job, text="", *rest, **more: told.append(text) or tell(job, text, *rest, **more),
    )
    wanted = read_as(ImageFolder, {"path": str(table_of(tmp_path))})
    ended(context, start_import(context, OWNER, wanted)["job"])
    again = ended(context, start_import(context, OWNER, wanted)["job"])
    assert (3, "images imported before, unchanged") in map(tuple, again.result["counts"])
    assert again.result["score"]["pictures"] == 3
    request = read_as(ScoreImages, {"job": again.job_id, "masker": "whole"})
    for _ in range(2):  # the second is the run of the first
        scored = dict(ended(context, start_scoring(context, OWNER, request)["job"]).result)
        assert [1, "pass by truehue"] in scored["counts"]
        assert len(context.storage.runs.all()) == 1
    # Each stage counts other images, and says which.
    assert "Measuring: 0 of 1 image without a target color" in told
    assert "Scoring: 3 of 3 images with a prompt" in told
    table = read_as(ImportedTable, {"job": again.job_id})
    rows = list(csv.DictReader(io.StringIO(images_csv(context, OWNER, table)[1])))
    assert [(row["file"], row["target_name"], row["system"]) for row in rows] == [
        ("cat.png", "orange", "css"),
        ("cup.png", "red", "css"),
        ("dog.png", "", ""),
    ]


@pytest.mark.usefixtures("workers_here")
def test_two_objects_are_selected_each_and_that_is_the_reason(
    tmp_path: Path, context: Context
) -> None:
    folder = tmp_path / "table"
    folder.mkdir()
    Image.new("RGB", (48, 48), (0, 0, 255)).save(folder / "a.png")
    (folder / "table.csv").write_text("file,prompt\na.png,a red cup and a blue plate\n")
    wanted = read_as(ImageFolder, {"path": str(folder)})
    imported_job = ended(context, start_import(context, OWNER, wanted)["job"])
    request = read_as(ScoreImages, {"job": imported_job.job_id, "masker": "exact", "rest": False})
    result = dict(ended(context, start_scoring(context, OWNER, request)["job"]).result)
    (lacking,) = result["lists"]
    assert lacking["items"] == [f"a.png: {no_mask_reason(2)}"]
    assert "score" not in result  # the whole image is neither of them
    table = read_as(ImportedTable, {"job": imported_job.job_id})
    rows = list(csv.DictReader(io.StringIO(images_csv(context, OWNER, table)[1])))
    assert {row["reason"] for row in rows} == {no_mask_reason(2)}
    assert "2 objects" in no_mask_reason(2)
    assert "No object is selected" in no_mask_reason(1)


@pytest.mark.usefixtures("workers_here")
def test_a_scoring_that_was_cancelled_can_go_on(
    tmp_path: Path, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = read_as(ImageFolder, {"path": str(table_of(tmp_path))})
    imported_job = ended(context, start_import(context, OWNER, wanted)["job"])

    def score(status: str = "done") -> dict[str, Any]:
        fields = {"job": imported_job.job_id, "masker": "whole", "rest": False}
        request = read_as(ScoreImages, fields)
        return dict(ended(context, start_scoring(context, OWNER, request)["job"], status).result)

    with monkeypatch.context() as cancelled:
        cancelled.setattr(imported, "measure_colors", lambda *values: values[3].set() or [])
        stopped = score("cancelled")
    assert stopped["title"] == "Cancelled. What was measured stays."
    again = stopped["score"]
    assert (again["job"], again["masker"]) == (imported_job.job_id, "whole")
    assert again["groups"] == imported_job.result["score"]["groups"]
    assert "score" not in score()


@pytest.mark.usefixtures("workers_here")
def test_images_in_which_nothing_was_selected_are_scored_whole(
    tmp_path: Path, context: Context
) -> None:
    wanted = read_as(ImageFolder, {"path": str(table_of(tmp_path))})
    imported_job = ended(context, start_import(context, OWNER, wanted)["job"])

    def score(masker: str, rest: bool) -> dict[str, Any]:
        fields = {"job": imported_job.job_id, "masker": masker, "rest": rest}
        request = read_as(ScoreImages, fields)
        return dict(ended(context, start_scoring(context, OWNER, request)["job"]).result)

    selected = score("exact", rest=False)
    assert [2, "images without a mask: not scored"] in selected["counts"]
    assert selected["score"]["rest"] == 3
    (lacking,) = selected["lists"]
    assert (lacking["title"], lacking["total"]) == ("Not measured", 3)
    assert [item.split(":")[0] for item in lacking["items"]] == ["dog.png", "cat.png", "cup.png"]
    assert [masker["id"] for masker in selected["score"]["maskers"]] == ["whole"]
    runs = len(context.service(RunSupervisor).folders())
    whole = score("whole", rest=True)
    assert "score" not in whole
    assert whole["lists"][0]["total"] == 0
    assert [1, "pass by truehue"] in whole["counts"]
    assert [1, "image without a target color: measured"] in whole["counts"]
    assert len(context.service(RunSupervisor).folders()) == runs
    table = read_as(ImportedTable, {"job": imported_job.job_id})
    rows = list(csv.DictReader(io.StringIO(images_csv(context, OWNER, table)[1])))
    assert {row["masker"] for row in rows} == {"Whole image"}
    assert all(int(row["people_answers"]) >= 20 for row in rows)


def test_a_report_says_how_many_fail_though_people_use_the_name(
    tmp_path: Path, context: Context
) -> None:
    """CSS's brown is a red that few people call brown."""
    folder = tmp_path / "cups"
    folder.mkdir()
    Image.new("RGB", (48, 48), (139, 90, 43)).save(folder / "brown.png")
    Image.new("RGB", (48, 48), (0, 0, 255)).save(folder / "blue.png")
    (folder / "table.csv").write_text("file,prompt\nbrown.png,a brown cup\nblue.png,a red cup\n")

    wanted = read_as(ImageFolder, {"path": str(folder)})
    job_id = ended(context, start_import(context, OWNER, wanted)["job"]).job_id
    request = read_as(ScoreImages, {"job": job_id, "masker": "whole", "rest": True})
    result = ended(context, start_scoring(context, OWNER, request)["job"]).result
    assert result["counts"] == [[2, "fail by truehue"]]
    said = "1 of the 2 objects that fail has a color that people call by the target's name"
    assert any(note.startswith(said) for note in result["notes"])


def test_images_without_a_prompt_end_with_their_color(
    tmp_path: Path, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "photographs"
    folder.mkdir()
    for name, color in (("red", (240, 0, 0)), ("sea", (0, 116, 116)), ("12_3", (90, 90, 90))):
        Image.new("RGB", (48, 48), color).save(folder / f"{name}.png")
    cut_out(folder / "own.png", "#2E8B57")  # comes with a mask
    wanted = read_as(ImageFolder, {"path": str(folder)})
    looked = look(context, OWNER, wanted)
    assert looked["found"] == 4
    assert (4, "image files without a prompt, for the color alone") in looked["report"]["counts"]
    # One is named as those of a released run are.
    assert "import its CSV files of prompts first" in looked["report"]["notes"][0]
    import_record = ended(context, start_import(context, OWNER, wanted)["job"])
    assert (import_record.result["score"]["groups"], context.storage.prompt_sets.all()) == ([], [])

    def score(masker: str) -> dict[str, Any]:
        request = read_as(ScoreImages, {"job": import_record.job_id, "masker": masker})
        return dict(ended(context, start_scoring(context, OWNER, request)["job"]).result)

    by_mask = score("exact")
    assert [1, "image without a target color: measured"] in by_mask["counts"]
    (lacking,) = by_mask["lists"]
    assert (lacking["total"], by_mask["score"]["rest"]) == (3, 3)
    assert "red.png: No mask: select the object in Inspect." in lacking["items"]
    assert score("whole")["counts"] == [[4, "images without a target color: measured"]]
    cards = {
        card["text"]: (card["measured"], card["unscored"], card["verdicts"])
        for card in generations_json(context, context.storage.drawings.recent())
    }
    assert cards["red.png"] == (
        "#F00000",
        "No target color: measured #F00000, most people would call it red.",
        [],
    )
    assert cards["sea.png"][1] == (
        "No target color: measured #007474, people would call it teal (31%) or blue (17%)."
    )
    table = read_as(ImportedTable, {"job": import_record.job_id})
    name, text = images_csv(context, OWNER, table)
    rows = {row["file"]: row for row in csv.DictReader(io.StringIO(text))}
    assert (name, len(rows)) == ("truehue-images.csv", 4)
    assert [rows["sea.png"][key] for key in ("status", "measured", "people_name")] == [
        *("no_target", "#007474", "teal"),
    ]
    with pytest.raises(BadInput, match="rule"):
        images_csv(context, OWNER, table.model_copy(update={"rule": "mine"}))
    colors = context.storage.object_colors
    (own,) = (row for row in context.storage.drawings.recent() if row.origin["file"] == "own.png")
    stored = colors.for_images([str(own.image_id)])[str(own.image_id)]
    (mask,) = context.storage.masks.for_image(str(own.image_id))
    assert (stored.mask_id, stored.pixel_count) == (mask.mask_id, mask.area_px)
    assert delta_e00(np.array(stored.lab), np.array(parse_target("#2E8B57").lab)) < 1.0
    # Cleared, and measured as a whole again: the mask counts again, and its color is not measured anew.
    (red,) = (row for row in context.storage.drawings.recent() if row.origin["file"] == "red.png")
    before = colors.for_images([str(red.image_id)])
    context.storage.masks.select(str(red.image_id), None)
    assert colors.for_images([str(red.image_id)]) == {}
    with monkeypatch.context() as patched:
        again = "truehue.tabs.verdicts.scoring.describe_colors"
        patched.setattr(again, lambda *_: pytest.fail("measured again"))
        assert measure_colors(context, [red], WHOLE, Event()) == []
    assert colors.for_images([str(red.image_id)]) == before
    # The color goes and comes back with its mask.
    colors.add(stored)
    entry = context.storage.trash.move("mask", [mask.mask_id])
    assert colors.for_images([str(own.image_id)]) == {}
    context.storage.trash.restore(entry.trash_id)
    assert colors.for_images([str(own.image_id)])[str(own.image_id)] == stored
    with pytest.raises(MaskError, match="choose one of this image's masks"):
        colors.add(replace(stored, image_id=str(context.storage.drawings.recent()[0].image_id)))


def test_that_nothing_stands_out_is_stored_once_an_image_until_it_is_stopped(
    tmp_path: Path, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = context.storage.images.add
    ids = [add(np.full((4, 4, 3), n, np.uint8), str(n), "upload").image_id for n in range(3)]
    none, one = [{"told": MASK_NOTHING}], [{"told": ""}]
    table = pa.table({"position": [0, 1, 2, 0], "verdicts": [none, one, none, none]})
    monkeypatch.setattr("truehue.tabs.runs.measured.tables", lambda *_: iter([table]))
    stopped = Event()
    stopped.set()
    run = RunFolder(tmp_path)
    note_without_object(context, run, ids, stopped)
    assert context.storage.scores.of_items(IMAGE, ids) == {}
    for _ in range(2):  # a run that is resumed ends twice
        note_without_object(context, run, ids, Event())
    stored = context.storage.scores.of_items(IMAGE, ids)
    assert {image_id: len(rows) for image_id, rows in stored.items()} == {ids[0]: 1, ids[2]: 1}


@needs_weights
@pytest.mark.usefixtures("workers_here")
def test_an_image_in_which_nothing_stands_out_says_so(
    tmp_path: Path, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "walls"
    folder.mkdir()
    Image.new("RGB", (48, 48), (180, 83, 42)).save(folder / "wall.png")
    Image.new("RGB", (48, 48), (180, 83, 41)).save(folder / "cup.png")
    (folder / "table.csv").write_text("file,prompt\ncup.png,a red cup\n")
    wanted = read_as(ImageFolder, {"path": str(folder)})
    imported_job = ended(context, start_import(context, OWNER, wanted)["job"])
    rows = context.storage.drawings.recent()

    def said() -> dict[str, str]:
        return {row["about"]: row["unscored"] for row in generations_json(context, rows)}

    assert NO_MASK in said()["imported"]
    looking = replace(context, sources=Sources(link_weights(tmp_path / "models")))
    monkeypatch.setattr(context.service(RunSupervisor), "_sources", looking.sources)
    looks: list[object] = []
    find = find_salient
    monkeypatch.setattr(
        "truehue.core.masks.salient.find_salient",
        lambda *values: looks.append(values) or find(*values),
    )
    request = read_as(ScoreImages, {"job": imported_job.job_id, "masker": SALIENT})
    report = ended(looking, start_scoring(looking, OWNER, request)["job"]).result
    assert report["lists"][0]["total"] == 2
    assert len(looks) == 2  # what a run has found out is not looked for again
    lack = "No target color, and no color measured. "
    assert said() == {
        "imported": lack + NOTHING_STANDS_OUT,
        "imported · cup.png": NOTHING_STANDS_OUT,
    }
    # The table of all images says the same, and can be narrowed as the list is.
    everything = read_as(ImportedTable, {})
    table = list(csv.DictReader(io.StringIO(images_csv(context, OWNER, everything)[1])))
    assert {row["file"]: row["reason"] for row in table} == {
        "wall.png": lack + NOTHING_STANDS_OUT,
        "cup.png": NOTHING_STANDS_OUT,
    }
    assert {row["model"] for row in table} == {"unknown"}
    passed = read_as(ImportedTable, {"verdict": "pass"})
    assert len(images_csv(context, OWNER, passed)[1].splitlines()) == 1
    # Measured as a whole, the card opens with that mask.
    (wall,) = without_target(rows)
    measure_colors(context, [wall], WHOLE, Event())
    (mask,) = context.storage.masks.for_image(str(wall.image_id))
    (card,) = generations_json(context, [wall])
    assert (card["mask"], card["measured"]) == (mask.mask_id, "#B4532A")


def test_a_run_that_no_rule_can_judge_says_why(context: Context, tmp_path: Path) -> None:
    folder = tmp_path / "dogs"
    folder.mkdir()
    Image.new("RGB", (16, 16), (90, 90, 90)).save(folder / "dog.png")
    (folder / "table.csv").write_text("file,prompt\ndog.png,a happy dog")
    wanted = read_as(ImageFolder, {"path": str(folder)})
    ended(context, start_import(context, OWNER, wanted)["job"])
    (choice,) = stored_choices(context)
    prompts = context.storage.prompt_sets.prompts(choice["set"])
    plan = make_plan(
        prompts,
        "unknown",
        items=of_model(context.storage, "unknown", prompts),
        judging=ScoringPlan(MaskerSpec("whole")),
    )
    supervisor = context.service(RunSupervisor)
    done(RunFolder.create(supervisor.root, plan))
    supervisor.ingest()
    (row,) = runs_view(context, OWNER)["runs"]
    assert row["words"].endswith("· not scored: no prompt names a target color")


def test_images_of_no_set_are_told_with_the_sets_that_there_are(context: Context) -> None:
    image = context.storage.images.add(np.zeros((8, 8, 3), np.uint8), "one", "render")
    add = context.storage.drawings.add
    prompt = prompt_set("mini").prompts()[0]
    for index, source in enumerate(("own", "own", "mini")):
        add(
            GenerationRecord(
                prompt.text,
                "reference-renderer",
                prompt_source=source,
                prompt_id=prompt.id,
                image_id=image.image_id,
                seed=index,
            )
        )
    fields = {"kind": "stored", "models": ["reference-renderer"], "set": "concepts"}
    with pytest.raises(BadInput) as refused:
        estimate_view(context, OWNER, read_as(RunRequest, fields))
    title = next(item.title for item in PROMPT_SETS if item.id == "mini")
    assert str(refused.value) == (
        "No image of Reference renderer (no weights) is of these prompts. "
        f"Choose their prompt set: {title} (1 image). 2 images of it are of no set."
    )


def test_a_run_of_no_set_says_so(context: Context) -> None:
    prompts = prompt_set("mini").prompts()[:2]
    folder = RunFolder.create(
        context.service(RunSupervisor).root, make_plan(prompts, "reference-renderer")
    )
    context.service(RunSupervisor).ingest()
    fields = {"kind": "stored", "models": [f"run:{folder.run_id}"], "set": "concepts"}
    with pytest.raises(BadInput, match=r"Its prompts are of no set\.$"):
        estimate_view(context, OWNER, read_as(RunRequest, fields))


def import_of(context: Context, actor: Actor, **score: Any) -> str:
    """An import that has ended, as a row."""
    record = JobRecord(uuid.uuid4().hex, "images", "Import of mine", actor.id, "done")
    context.storage.jobs.keep(replace(record, result={"title": "mine", "score": score}))
    return record.job_id


def test_an_import_of_an_earlier_release_is_scored(
    context: Context, stored: ImageRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = [{"set": "mini", "model": "mine"}]
    # Its result has the images' ids besides, which nobody sends back any more.
    job_id = import_of(context, OWNER, groups=groups, images=[stored.image_id], pictures=1)
    row = GenerationRecord("a mug", "mine", "imported", image_id=stored.image_id, job_id=job_id)
    context.storage.drawings.add(row)
    scored: list[Any] = []
    monkeypatch.setattr(imported, "score", lambda *values: scored.append(values) or {})
    job = start_scoring(context, OWNER, read_as(ScoreImages, {"job": job_id}))["job"]
    context.jobs.wait(job, MAX_S)
    ((_, _, target, image_ids, _, _),) = scored
    assert (target, image_ids) == (groups, [stored.image_id])


def test_what_was_not_imported_is_not_scored(context: Context) -> None:
    others = import_of(context, Actor("ann", Role.VISITOR), groups=[{"set": "", "model": "mine"}])
    ben = Actor("ben", Role.VISITOR)
    cases = [
        (OWNER, {}, "The import is missing"),
        (OWNER, {"job": "nothing"}, "no longer known"),
        (OWNER, {"job": import_of(context, OWNER)}, "nothing to be scored"),
        (ben, {"job": others}, "no longer known"),
    ]
    for actor, fields, text in cases:
        with pytest.raises(BadInput, match=text):
            start_scoring(context, actor, read_as(ScoreImages, fields))


@pytest.mark.usefixtures("workers_here")
def test_scored_images_can_be_shown_in_a_study(tmp_path: Path, context: Context) -> None:
    wanted = read_as(ImageFolder, {"path": str(table_of(tmp_path))})
    imported_job = ended(context, start_import(context, OWNER, wanted)["job"])
    fields = {"job": imported_job.job_id, "masker": "whole", "rest": False}
    ended(context, start_scoring(context, OWNER, read_as(ScoreImages, fields))["job"])
    offered = materials(context, OWNER, read_as(EmptyRequest, {}))
    assert offered["suggested"]["images"]
