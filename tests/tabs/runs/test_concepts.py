"""Runs of concepts in the app: what is asked, what is said of them, and how Explore shows them."""

from __future__ import annotations

import io
import shutil
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.core.export.made import make_run
from tests.core.export.test_concepts import folder as folder
from tests.core.runs.concept_samples import concept_plan, concept_prompts
from tests.core.runs.samples import some_prompts
from tests.shards import read_shard
from tests.storage.run_samples import sample_plan, sample_run
from truehue.core.color.uw71 import uw71
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import build_concepts
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.shards import write_shard
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.charts.analyses import KINDS, figure_view
from truehue.tabs.command.runs import main
from truehue.tabs.explore.failures import facets_view, failures_view
from truehue.tabs.explore.leaderboard import leaderboard_view
from truehue.tabs.explore.leaderboard_csv import leaderboard_csv
from truehue.tabs.explore.routes import failures_routes
from truehue.tabs.export.routes import export_routes
from truehue.tabs.export.service import Export, export, start_export
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER
from truehue.tabs.runs.form import estimate_view
from truehue.tabs.runs.list import runs_view
from truehue.tabs.runs.messages import facts_text, images_text, plan_remarks
from truehue.tabs.runs.plan import chosen, plans
from truehue.tabs.runs.request import RunRequest

pytestmark = pytest.mark.slow

SDXL = "sdxl-base-1.0"


# ── what is asked ────────────────────────────────────────────────────────────────────────────────


def wish_of(values: dict[str, Any]) -> RunRequest:
    return read_as(RunRequest, values).checked()


@pytest.mark.parametrize(
    ("values", "ids"),
    [
        ("banana", ["concept-0044"]),
        ("Rotten_Banana, lonely cabin", ["concept-0044-rotten", "concept-0202-lonely"]),
        (["banana", "rotten banana"], ["concept-0044", "concept-0044-rotten"]),
    ],
)
def test_concepts_are_chosen_by_their_words(values: Any, ids: list[str]) -> None:
    spec = wish_of({"set": "concepts", "models": "reference-renderer", "concepts": values})
    prompts = chosen(build_concepts(), spec)
    assert [prompt.id for prompt in prompts] == [
        f"{concept_id}-{style}" for concept_id in ids for style in ("photo", "cartoon")
    ]


def test_a_thing_is_chosen_with_all_its_modifiers_and_a_wrong_one_is_named() -> None:
    wish = {"set": "concepts", "models": "reference-renderer"}
    every = chosen(build_concepts(), wish_of({**wish, "concepts": "banana *"}))
    assert len(every) == 12
    assert {prompt.concept for prompt in every} == {"banana"}
    (plan,) = plans(wish_of({**wish, "concepts": "banana *"}), every, "Concepts")
    assert "Concepts, banana *" in plan.name
    with pytest.raises(BadInput, match=r"no concept 'bananna'\. Did you mean banana") as refused:
        chosen(build_concepts(), wish_of({**wish, "concepts": "bananna"}))
    assert refused.value.field == "concepts"


@pytest.mark.parametrize(
    ("values", "item", "several"),
    [
        ("", None, ()),
        ("7.5", 7.5, ()),
        (7, 7.0, ()),
        ("3, 4,5", None, (3.0, 4.0, 5.0)),
    ],
)
def test_guidance_is_one_or_several(
    values: Any, item: float | None, several: tuple[float, ...]
) -> None:
    wish = wish_of({"set": "concepts", "models": [SDXL], "guidance": values})
    (plan,) = plans(wish, build_concepts()[:1], "Concepts")
    assert (plan.guidance, plan.guidances) == (item, several)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ("3,4,3", "Guidance 3 is given twice"),
        ("3,,4", "several separated by commas, not ''"),
        ("3;4", "several separated by commas, not '3;4'"),
        ("nan", "not 'nan'"),
        ("3,inf", "not 'inf'"),
        ("3,101", "from 0 to 100"),
        ("-1", "from 0 to 100"),
    ],
)
def test_other_guidances_name_the_field(values: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as caught:
        wish_of({"set": "concepts", "models": [SDXL], "guidance": values})
    assert caught.value.field == "guidance"


def test_plans_of_several_scales_and_their_words() -> None:
    values = {"set": "concepts", "models": [SDXL], "guidance": "3,4,5,6,7,8,9", "images": "5"}
    wish = wish_of(values)
    (plan,) = plans(wish, chosen(build_concepts(), wish), "Concepts")
    assert (plan.total, plan.rules, plan.seeds) == (2_558 * 35, (), 5)
    assert images_text([plan]) == "2,558 prompts × 5 × 7 guidance scales = 89,530 images"
    assert plan_remarks(wish, [plan]) == [
        "They name no color: the colors of each object are measured, and no rule scores them. "
        "See Compare."
    ]
    both = wish_of({**values, "models": ["reference-renderer", SDXL], "limit": "10"})
    made = plans(both, chosen(build_concepts(), both), "Concepts")
    assert [run_plan.guidances for run_plan in made] == [(), plan.guidances]
    assert images_text(made) == ("10 prompts × 5 + 10 prompts × 5 × 7 guidance scales = 400 images")
    assert plan_remarks(both, made)[1:] == [
        "The limit covers one object, with as many of its modifiers as fit.",
        "The reference renderer takes no guidance: it generates every seed once.",
    ]
    more = both.model_copy(update={"limit": 100})
    saved = chosen(build_concepts(), more)
    assert plan_remarks(more, plans(more, saved, "Concepts"))[1] == (
        "The limit covers 8 objects, each with all its modifiers."
    )
    assert len({prompt.concept for prompt in saved}) == 8
    with pytest.raises(BadInput, match="of each of 7 guidance scales: 1 to 142") as caught:
        plans(wish_of({**values, "images": "200"}), build_concepts(), "Concepts")
    assert caught.value.field == "images"


def test_other_steps_or_sizes_than_the_papers_are_said() -> None:
    def said(**fields: Any) -> str:
        wish = wish_of({"set": "concepts", "limit": "10", "masker": "whole", **fields})
        made = plans(wish, chosen(build_concepts(), wish), "Concepts")
        return " ".join(plan_remarks(wish, made))

    both = said(models=["sd3-medium", "qwen-image", SDXL])
    assert "ColorConceptBench generates every model with 50 steps at 1024 px, this run" in both
    assert "Stable Diffusion 3 Medium with 28 steps at 1024 px, Qwen-Image with 50" in both
    assert "at 1328 px: set steps and size" in both
    assert "ColorConceptBench" not in said(models=["qwen-image"], steps="50", size="1024")
    assert "ColorConceptBench" not in said(models=["janus-pro-7b", "hub:some-one/model"])


def test_a_mixed_set_says_what_is_measured() -> None:
    wish = wish_of({"set": "x", "models": ["reference-renderer"]})
    concept_prompt = concept_prompts(("apple",))[:1]
    mixed = [*concept_prompt, *some_prompts(2, ("cna",))]
    (plan,) = plans(wish, mixed, "Mixed")
    assert [rule for rule, _ in plan.rules] == ["truehue", "paper", "released"]
    (said,) = plan_remarks(wish, [plan])
    assert said.startswith("1 prompt of concepts names no color: the colors of each object")
    assert plan_remarks(wish, plans(wish, mixed[1:], "Others")) == []


def test_facts_say_the_scales_and_their_seeds(tmp_path: Path) -> None:
    made = RunFolder.create(tmp_path, concept_plan(seed=3, images=2, guidances=(3.0, 7.5)))
    text = facts_text(made.summary())
    assert " · seeds 3–4 · " in text
    assert " · guidance 3, 7.5 · " in text
    assert text.endswith("exact masks · colors of concepts")


def test_prompts_without_a_name_are_of_no_set(tmp_path: Path) -> None:
    about = RunFolder.create(tmp_path, concept_plan(seed=3, images=2)).summary()
    count = f"{about['prompts']} prompts"
    assert f" · {count} · " in facts_text({**about, "set_name": ""})
    assert f" · {count} of " in facts_text({**about, "set_name": "concepts"})


def test_the_estimate_counts_scales(context: Context) -> None:
    values = {"set": "concepts", "models": [SDXL], "guidance": "3,5", "images": "5", "limit": "100"}
    result = estimate_view(context, OWNER, read_as(RunRequest, values))
    assert result["pictures"] == 1_000
    assert result["sentence"].startswith(
        "100 prompts × 5 × 2 guidance scales = 1,000 images. They name no color: "
    )
    assert "See Compare. The limit covers" in result["sentence"]


# ── Explore ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def alone(context: Context, folder: RunFolder) -> RunFolder:
    """The run of concepts in a context, taken in; nothing else is there."""
    shutil.copytree(folder.path, context.service(RunSupervisor).root / folder.run_id)
    assert context.service(RunSupervisor).ingest() == 8
    return RunFolder(context.service(RunSupervisor).root / folder.run_id)


def test_the_list_of_runs_says_what_has_no_colors(context: Context, alone: RunFolder) -> None:
    (result,) = runs_view(context, OWNER)["runs"]
    assert result["words"].endswith(" · 1 concept image without colors")
    assert "unscored" not in result["words"]
    assert "guidance 3, 7.5" in result["facts"]


def test_its_row_on_the_leaderboard_points_to_compare(context: Context, alone: RunFolder) -> None:
    view = leaderboard_view(context, {})
    ((row,),) = [group["rows"] for group in view["groups"]]
    assert (row["id"], row["said"], row["cells"]) == (
        alone.run_id,
        "names no color; see Compare",
        {},
    )
    assert "guidance 3, 7.5" in row["facts"]
    assert alone.run_id in leaderboard_csv(context, {})


def test_beside_others_it_takes_no_part_in_their_numbers(
    context: Context, alone: RunFolder
) -> None:
    other = sample_run(context.service(RunSupervisor).root, sample_plan("model-a", 12))
    before = {}
    for params in ({}, {"rule": "truehue"}):
        context.service(RunSupervisor).ingest()
        rows = [
            row for group in leaderboard_view(context, params)["groups"] for row in group["rows"]
        ]
        said = {row["id"]: row["said"] for row in rows}
        assert said == {alone.run_id: "names no color; see Compare", other.run_id: ""}
        before[str(params)] = rows
    context.storage.runs.hide(alone.run_id)
    for params in ({}, {"rule": "truehue"}):
        (left,) = [row for g in leaderboard_view(context, params)["groups"] for row in g["rows"]]
        assert left in before[str(params)]


def test_wall_figures_and_comparison_carry_on(context: Context, alone: RunFolder) -> None:
    for params in ({}, {"runs": alone.run_id}):
        assert failures_view(context, params)["items"] == []
        facets_view(context, params)
        for name in KINDS:
            figure_view(context, name, {"rule": "paper", **params})
    other = sample_run(context.service(RunSupervisor).root, sample_plan("model-a", 12))
    context.service(RunSupervisor).ingest()
    app = FastAPI()
    app.include_router(failures_routes(context))
    with TestClient(app) as client:
        answer = client.get(
            "/api/explore/compare", params={"a": alone.run_id, "b": other.run_id, "rule": "paper"}
        )
    # One that a link names is there, with nothing to set side by side; nobody is led to it.
    json = answer.json()
    assert (answer.status_code, json["pairs"]) == (200, [])
    labels = {run["id"]: run["label"] for run in json["runs"]}
    assert labels[alone.run_id].endswith(" · names no color")
    with TestClient(app) as client:
        offered = client.get("/api/explore/compare", params={"rule": "paper"}).json()
    assert [run["id"] for run in offered["runs"]] == [other.run_id]


def test_its_report_says_what_was_measured(
    context: Context, alone: RunFolder, tmp_path: Path
) -> None:
    export(context, alone, "html", tmp_path / "report.html")
    text = unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "names no color, so no rule scores it. The colors of 6 images were measured" in text
    assert "No mask." in text
    assert "No memory." in text
    assert "guidance 3, 7.5" in text


def test_the_page_gives_its_table_of_colors(context: Context, alone: RunFolder) -> None:
    (shown,) = runs_view(context, OWNER)["runs"]
    assert shown["measures"] is True
    other = make_run(context.service(RunSupervisor).root)
    app = FastAPI()
    app.include_router(export_routes(context))
    with TestClient(app) as client:
        answer = client.get(f"/api/runs/{alone.run_id}/colors.csv")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].endswith('-colors.csv"')
        lines = answer.text.splitlines()
        assert len(lines) == 1 + 8
        assert sum(',"measured",' in line for line in lines) == 6
        answer = client.get(f"/api/runs/{other.run_id}/colors.csv")
        assert (answer.status_code, answer.json()["error"]) == (
            404,
            "The run has no concepts, so it has no table of their colors.",
        )
        made = {}
        for run in (alone, other):
            wanted = read_as(Export, {"run": run.run_id, "format": "parquet"})
            job = start_export(context, OWNER, wanted)["job"]
            made[run.run_id] = context.jobs.wait(job, 300)
        result = made[alone.run_id].result
        table = pq.read_table(io.BytesIO(client.get(result["url"]).content))
        assert "picture_status" in table.column_names
        table = pq.read_table(io.BytesIO(client.get(result["colors"]["url"]).content))
        assert table.column_names[-71:] == [bin.hex for bin in uw71()]
        assert result["colors"]["name"].endswith("-colors.parquet")
        bare = made[other.run_id].result
        assert "colors" not in bare
        assert client.get(f"/api/exports/{made[other.run_id].job_id}/colors").status_code == 404


# ── the command ──────────────────────────────────────────────────────────────────────────────────


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    readouterr = capsys.readouterr()
    return status, readouterr.out, readouterr.err


@pytest.mark.usefixtures("workers_here")
def test_a_run_of_concepts_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(tmp_path / "data")
    small = (
        "--data",
        data,
        "--set",
        "concepts",
        "--limit",
        "4",
        "--size",
        "64",
        "--yes",
        "--workers",
        "1",
        "--images",
        "2",
        "--guidance",
        "3,7",
    )
    status, out, err = said(capsys, "start", *small)
    assert status == 0, err
    assert "4 prompts × 2 = 8 images" in out
    assert "They name no color: the colors of each object are measured" in out
    assert "The reference renderer takes no guidance: it generates every seed once." in out
    assert "8 images imported into the database" in err
    (path,) = (tmp_path / "data" / "runs").glob("*/plan.json")
    made = RunFolder(path.parent)
    ones = [item for shard in made.shards() for item in read_shard(shard)]
    assert [len(item.profiles) for item in ones] == [1] * 8
    status, out, _ = said(capsys, "status", "--data", data, made.run_id)
    assert "colors of concepts" in out
    assert "not measured" not in out
    assert "4 prompts" in out
    status, out, _ = said(
        capsys, "export", "--data", data, made.run_id, "--out", str(tmp_path / "a.csv")
    )
    files = [tmp_path / name for name in ("a.csv", "a-colors.csv", "a.codebook.json")]
    assert out.splitlines()[:3] == [str(file) for file in files]
    assert all(file.is_file() for file in files)
    first, *rest = ones
    for shard in made.shards():
        shard.unlink()
    bare = replace(first.profiles[0], profile=None, reason="No mask.")
    write_shard(made.shard_folder / "a.parquet", [replace(first, profiles=(bare,)), *rest])
    _, out, _ = said(capsys, "status", "--data", data, made.run_id)
    assert "1 of 8 images of concepts not measured: 1 × No mask" in out


def test_an_estimate_of_the_whole_set_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = said(
        capsys,
        "start",
        "--data",
        str(tmp_path),
        "--set",
        "concepts",
        "--model",
        SDXL,
        "--images",
        "5",
        "--guidance",
        "3,4,5,6,7,8,9",
        "--estimate-only",
        "--no-trial",
    )
    assert status == 0
    assert "2,558 prompts × 5 × 7 guidance scales = 89,530 images" in out
    status, _, err = said(
        capsys,
        "start",
        "--data",
        str(tmp_path),
        "--set",
        "concepts",
        "--guidance",
        "3,3",
        "--estimate-only",
    )
    assert (status, err.strip()) == (2, "Guidance 3 is given twice.")
