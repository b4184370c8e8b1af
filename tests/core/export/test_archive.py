"""Archives: what is in one, that equal results make equal bytes, and the way back."""

from __future__ import annotations

import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.core.export.made import EVIL, make_run, plan, prompts
from tests.shards import read_shard
from truehue.core.batch.health import state_of
from truehue.core.errors import BadInput
from truehue.core.export.archive import write_archive
from truehue.core.export.archive_import import INCOMING, open_archive
from truehue.core.export.source import (
    ExportRun,
    imported_from,
    imported_text,
    left_out_text,
    plan_out,
    portable_results,
    same_results,
)
from truehue.core.export.tables import csv_pieces
from truehue.core.files import content_path, read_png
from truehue.core.generation.registry import model
from truehue.core.generation.request import Cancelled
from truehue.core.images.load import image_id
from truehue.core.runs.controls import check_controls, controls_of, note_problem
from truehue.core.runs.folder import RunFolder, run_folders
from truehue.core.runs.maskers import Exact
from truehue.core.runs.plan import make_plan
from truehue.core.runs.records import ItemResult, MaskerSpec, ScoringPlan, StoredItem, StoredMask
from truehue.core.runs.shards import write_shard
from truehue.core.verdict.candidates import Acceptance

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return make_run(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def packed(folder: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("out") / "small.truehue.zip"
    write_archive(ExportRun(folder), path, with_images=True)
    return path


def results(folder: RunFolder) -> list[ItemResult]:
    items = [item for path in folder.shards() for item in read_shard(path)]
    return [replace(item, worker="") for item in sorted(items, key=lambda item: item.position)]


def test_an_archive_holds_what_its_readme_promises(packed: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(packed) as result:
        names = result.namelist()
        result.extract("results.parquet", tmp_path)
        text = result.read("README.txt").decode()
        manifest = json.loads(result.read("manifest.json"))
    for name in (
        "README.txt",
        "plan.json",
        "prompts.jsonl.gz",
        "codebook.json",
        "codebook.md",
        "references.bib",
        "results.parquet",
        "shards/part-00000.parquet",
    ):
        assert name in names
        assert name in manifest["files"]
    assert sum(name.startswith("images/") for name in names) == manifest["images"] == 7
    assert "A small run" in text
    # The lines that README.txt gives for Python do what they say.
    table = pq.read_table(tmp_path / "results.parquet").to_pandas()
    counts = table[table.leads].groupby(["rule", "task"]).picture_status.value_counts()
    assert counts.sum() == 8 * 2


def test_equal_results_are_equal_bytes_whoever_made_them(folder: RunFolder, tmp_path: Path) -> None:
    other = make_run(tmp_path, shards=3)
    created = json.loads((folder.path / "plan.json").read_text())
    (other.path / "plan.json").write_text(json.dumps(created))
    contents = []
    for number, run in enumerate((folder, RunFolder(other.path))):
        write_archive(ExportRun(run), tmp_path / f"{number}.zip", with_images=True)
        contents.append((tmp_path / f"{number}.zip").read_bytes())
    assert contents[0] == contents[1]


def test_its_pictures_are_counted_and_can_be_cancelled(folder: RunFolder, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    run, target = ExportRun(folder), tmp_path / "a.zip"
    write_archive(run, target, True, lambda *step: steps.append(step))
    images = sum(name.endswith(".png") for name in zipfile.ZipFile(target).namelist())
    assert steps == sorted(steps)
    assert {total for _, total in steps} == {3 * run.done}  # shards, a table, pictures
    assert steps[-1] == (3 * run.done, 3 * run.done)
    assert sum(done >= 2 * run.done for done, _ in steps) > images > run.done

    def progress(done: int, total: int) -> None:
        if done > 2 * run.done:
            raise Cancelled

    target.unlink()
    with pytest.raises(Cancelled):
        write_archive(run, target, True, progress)
    assert not target.exists()


def test_nothing_of_this_machine_is_in_it(packed: Path, folder: RunFolder) -> None:
    with zipfile.ZipFile(packed) as result:
        for name in result.namelist():
            assert str(folder.path).encode() not in result.read(name), name


def test_there_and_back_are_the_same_rows(folder: RunFolder, packed: Path, tmp_path: Path) -> None:
    back = open_archive(packed, tmp_path, name="theirs.truehue.zip")
    assert back.run_id == folder.run_id
    assert results(back) == results(folder)
    assert back.plan() == folder.plan()
    assert EVIL in back.plan().prompts[1].text
    entry, other = (b"".join(csv_pieces([ExportRun(run)])) for run in (folder, back))
    assert entry == other
    for item in results(back):
        if item.image_id:
            assert (
                image_id(read_png(content_path(back.images, item.image_id), "RGB")) == item.image_id
            )
        for mask in item.masks:
            assert content_path(back.masks, mask.content_sha256).is_file()
    about = imported_from(back.path)
    assert (about["name"], about["images"]) == ("theirs.truehue.zip", True)
    assert state_of(back).status == "finished"
    assert state_of(back).failed == 1
    assert back.summary()["imported"] == about
    assert "imported" not in plan_out(ExportRun(back))
    assert imported_text(about) == f"imported from theirs.truehue.zip on {about['at'][:10]}"
    assert [run_folder.run_id for run_folder in run_folders(tmp_path)] == [back.run_id]
    assert list((tmp_path / INCOMING).iterdir()) == []


def test_control_images_travel_along(
    folder: RunFolder, packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.core.runs.controls.MIN_IMAGES", 1)
    run = shutil.copytree(folder.path, tmp_path / folder.run_id)
    made = RunFolder(run)
    check_controls(run, made.plan(), Exact(), Acceptance())
    write_archive(ExportRun(made), tmp_path / "a.truehue.zip")
    assert (
        "controls.json" in zipfile.ZipFile(tmp_path / "a.truehue.zip").read("README.txt").decode()
    )
    # A run that came without them has them from then on.
    open_archive(packed, tmp_path / "runs")
    back = open_archive(tmp_path / "a.truehue.zip", tmp_path / "runs")
    summary = controls_of(back.path)
    assert summary == controls_of(run)
    assert summary is not None
    assert summary.result == "passed"
    # What went wrong may name a path of the machine.
    note_problem(run, f"OSError: {tmp_path}/weights")
    write_archive(ExportRun(made), tmp_path / "b.truehue.zip")
    with zipfile.ZipFile(tmp_path / "b.truehue.zip") as result:
        assert json.loads(result.read("controls.json")) == {"problem": "OSError"}


def test_the_same_again_is_the_same_run(packed: Path, tmp_path: Path) -> None:
    first = open_archive(packed, tmp_path)
    before = sorted(path.name for path in first.path.rglob("*"))
    assert open_archive(packed, tmp_path).path == first.path
    assert sorted(path.name for path in first.path.rglob("*")) == before


def test_without_pictures_first_and_with_them_later(
    folder: RunFolder, packed: Path, tmp_path: Path
) -> None:
    write_archive(ExportRun(folder), tmp_path / "light.truehue.zip")
    back = open_archive(tmp_path / "light.truehue.zip", tmp_path / "runs")
    assert imported_from(back.path)["images"] is False
    assert list(back.images.iterdir()) == []
    open_archive(packed, tmp_path / "runs")
    assert len(list(back.images.glob("*/*.png"))) == 7
    assert imported_from(back.path)["images"] is True
    assert RunFolder(back.path).summary()["imported"]["name"] == "light.truehue.zip"


def test_pictures_taken_out_of_an_archive_are_missed(packed: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(packed) as full, zipfile.ZipFile(tmp_path / "few.zip", "w") as few:
        names = full.namelist()
        gone = [name for name in names if name.startswith("images/")][:4]
        for name in names:
            if name not in gone:
                few.writestr(name, full.read(name))
    back = open_archive(tmp_path / "few.zip", tmp_path / "runs")
    assert left_out_text(imported_from(back.path)) == "3 of 7 images are in the archive."
    # The whole one completes it, and nothing is missed any more.
    open_archive(packed, tmp_path / "runs")
    assert left_out_text(imported_from(back.path)) == ""


def test_ones_own_archive_changes_nothing_of_the_run(packed: Path, tmp_path: Path) -> None:
    own = make_run(tmp_path)
    assert open_archive(packed, tmp_path).path == own.path
    assert imported_from(own.path) == {}
    assert len(own.shards()) == 2


def test_other_results_under_the_same_id_are_refused(packed: Path, tmp_path: Path) -> None:
    own = make_run(tmp_path, failed=())
    before = [path.read_bytes() for path in own.shards()]
    with pytest.raises(BadInput, match="is here already, made here, with other results"):
        open_archive(packed, tmp_path)
    assert [path.read_bytes() for path in own.shards()] == before
    assert imported_from(own.path) == {}


def test_half_a_run_comes_back_as_half(tmp_path: Path) -> None:
    half = make_run(tmp_path / "a", leave_out=(5, 6, 7))
    write_archive(ExportRun(half), tmp_path / "half.truehue.zip")
    back = open_archive(tmp_path / "half.truehue.zip", tmp_path / "b")
    state = state_of(back)
    assert (state.status, state.done, state.total) == ("cancelled", 5, 8)
    assert same_results(half.shards(), back.shards())


def test_stored_pictures_travel_without_their_paths(folder: RunFolder, tmp_path: Path) -> None:
    """A run that scored pictures which existed: they lie anywhere, and their masks have ids."""
    sample = [item for item in results(folder) if item.status == "drawn"][:2]
    items, saved = [], []
    for number, item in enumerate(sample):
        (mask, *_) = item.masks
        stored = StoredMask(
            "ab" * 16,
            str(content_path(folder.masks, mask.content_sha256)),
            mask.maker,
            mask.parameters,
        )
        items.append(
            StoredItem(
                item.prompt,
                item.image,
                item.image_id,
                str(content_path(folder.images, item.image_id)),
                {mask.target: stored},
                "reference-renderer",
            )
        )
        masks = (replace(mask, mask_id="ab" * 16),)
        saved.append(replace(item, position=number, masks=masks, seed=None))
    made = make_plan(
        prompts(),
        "Someone's model",
        judging=ScoringPlan(rules=("paper", "truehue")),
        items=items,
        name="pictures of Someone's model · a set",  # as such runs were named before
    )
    run = RunFolder.create(tmp_path / "a", made)
    write_shard(run.shard_folder / "w0-1.parquet", saved)
    write_archive(ExportRun(run), tmp_path / "s.truehue.zip", with_images=True)
    back = open_archive(tmp_path / "s.truehue.zip", tmp_path / "b")
    assert back.run_id == run.run_id
    assert back.summary()["name"] == "images of Someone's model · a set"
    assert [entry.file for entry in back.plan().items] == ["", ""]
    assert [entry.image_id for entry in back.plan().items] == [entry.image_id for entry in items]
    for item in results(back):
        assert item.masks[0].mask_id == ""
        assert content_path(back.images, item.image_id).is_file()
        assert content_path(back.masks, item.masks[0].content_sha256).is_file()


def test_the_plan_of_a_model_with_weights_is_named_in_the_references(folder: RunFolder) -> None:
    from truehue.core.export.bibliography import references

    run = ExportRun(folder)
    text = references([run])
    assert "@misc{gencolorbench," in text
    assert "colorconceptbench" not in text
    assert "@software{truehue," in text
    assert run.run_id in text
    entry = model("flux.1-dev")
    run.plan = replace(  # type: ignore[misc]
        folder.plan(),
        model=entry.id,
        masker=MaskerSpec("grounded", "grounding-dino-base", "sam2.1-hiera-large"),
    )
    text = references([run])
    assert f"url = {{https://huggingface.co/{entry.repo}}}" in text
    assert "FLUX.1 [dev]" in text
    assert "Used as detector." in text
    assert "author" not in text.split("@software{truehue")[1]


def test_text_of_others_is_no_command_in_the_references(tmp_path: Path) -> None:
    from truehue.core.export.bibliography import escaped

    assert escaped("a_b\n{c} \\input$") == (
        r"a\_b \textbraceleft{}c\textbraceright{} \textbackslash{}input\$"
    )


def test_a_table_keeps_its_rows_where_names_are_left_out(folder: RunFolder) -> None:
    from truehue.core.export.source import item_tables

    (table,) = item_tables(folder.shards())
    out = portable_results(table)
    assert set(out["worker"].to_pylist()) == {""}
    assert out.drop_columns(["worker"]).equals(table.drop_columns(["worker"]))
    assert plan().total == table.num_rows
