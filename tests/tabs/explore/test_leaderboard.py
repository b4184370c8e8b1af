"""The leaderboard without a browser: real runs in a real storage, asked over HTTP."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.empty_data import empty_data
from tests.node import run_module
from tests.shards import read_shard
from tests.storage.run_samples import (
    as_counted,
    sample_plan,
    sample_prompts,
    sample_result,
    sample_run,
)
from truehue.core.analysis.judge_error import RENDERED
from truehue.core.analysis.leaderboard import AVERAGE, AVERAGED, TABLE_TASKS, Rate, leaderboard
from truehue.core.analysis.names import run_labels
from truehue.core.analysis.ranks import RankRange
from truehue.core.analysis.records import LEFT_OUT, TABLE_SYSTEMS, PromptTally, Slice
from truehue.core.batch.health import state_of
from truehue.core.color.formulas import FORMULAS
from truehue.core.color.spaces import lab_to_srgb8
from truehue.core.errors import BadInput
from truehue.core.export.report import Table
from truehue.core.export.source import runs_of
from truehue.core.files import content_path, write_once
from truehue.core.generation.registry import RENDERER
from truehue.core.images.load import encode_png, image_id
from truehue.core.prompts.prompt import Prompt
from truehue.core.published import value
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import ItemResult, MaskerSpec, RunPlan
from truehue.core.runs.score import not_generated, score
from truehue.core.runs.shards import write_shard
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.expectations import Localization
from truehue.core.verdict.rules import DEFAULT_RULE, FAIL, PASS, UNSCORED, rule
from truehue.storage import Storage
from truehue.tabs.charts.slice import slice_of
from truehue.tabs.explore.leaderboard import cards_view, leaderboard_view
from truehue.tabs.explore.leaderboard_csv import leaderboard_csv
from truehue.tabs.explore.leaderboard_groups import groups
from truehue.tabs.explore.leaderboard_rows import SYSTEM_CHOICES, LeaderboardData
from truehue.tabs.explore.leaderboard_trust import Corrections, effect_text
from truehue.tabs.explore.limits import OTHER_FORMULAS, default_limits, limits_view
from truehue.tabs.explore.routes import analyses_routes, failures_routes, leaderboard_routes
from truehue.tabs.export.report import report_of
from truehue.tabs.library.service import Library
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER
from truehue.tabs.shell.compose import make_context
from truehue.tabs.verdicts.judgments import AnswerVerdict, judge_verdict

pytestmark = pytest.mark.slow


@cache
def plan_by_all() -> RunPlan:
    return sample_plan("flux.1-dev", 60)


@cache
def plan_by_two() -> RunPlan:
    rules = tuple(item for item in plan_by_all().rules if item[0] in ("truehue", "paper"))
    return replace(plan_by_all(), rules=rules)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Context, RunFolder]]:
    """Three runs: two of the same prompts, and one that is not whole and has but one task."""
    root = tmp_path_factory.mktemp("board")
    with Storage.open(empty_data(root / "data")) as storage:
        context = make_context(storage, "data")
        runs = root / "data" / "runs"
        folder = sample_run(runs, plan_by_two())
        for item in (folder, sample_run(runs, replace(plan_by_two(), name="b", model="model-b"))):
            storage.runs.ingest(item)
        prompts = tuple(
            prompt for prompt in sample_prompts(60) if (prompt.task, prompt.system) == ("cna", "l2")
        )
        part = replace(
            plan_by_two(),
            name="=part, of few",
            model="model-c",
            prompts=(*prompts, _free()),
            set_name="my colors",
            rules=plan_by_two().rules[:1],
        )
        _, second = sample_run(runs, part).shards()
        second.unlink()
        storage.runs.ingest(RunFolder(second.parent.parent))
        yield context, folder
        context.close()


def _free() -> Prompt:
    return replace(sample_prompts(1)[0], id="own-1", task="free", system="", source="own")


@pytest.fixture
def client(made: tuple[Context, RunFolder]) -> Iterator[TestClient]:
    app = FastAPI()
    app.include_router(leaderboard_routes(made[0]))
    with TestClient(app) as opened:
        yield opened


def shown(client: TestClient, **params: str) -> dict[str, Any]:
    answer = client.get("/api/explore/leaderboard", params=params)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def row(view: dict[str, Any], name: str) -> dict[str, Any]:
    (result,) = [
        item for group in view["groups"] for item in group["rows"] if item["name"].startswith(name)
    ]
    return dict(result)


def counted(folder: RunFolder, plan: RunPlan, rule: str) -> dict[tuple[str, str], list[str]]:
    """The statuses of the pictures by task and system, read from the shards."""
    out = defaultdict(list)
    for path in folder.shards():
        for item in map(as_counted, read_shard(path)):
            prompt = plan.prompts[item.prompt]
            (status,) = [
                verdict.picture_status
                for verdict in item.verdicts
                if verdict.rule == rule and verdict.leads
            ]
            out[prompt.task, prompt.system].append(status)
    return out


@pytest.mark.parametrize("rule", ["paper", "truehue"])
def test_every_number_is_that_of_the_shards(
    client: TestClient, made: tuple[Context, RunFolder], rule: str
) -> None:
    statuses = counted(made[1], plan_by_two(), rule)

    def accuracy(task: str, wrong: bool) -> float:
        shares = []
        for system in TABLE_SYSTEMS:
            status = statuses[task, system]
            source = len(status) if wrong else len(status) - status.count(UNSCORED)
            shares.append(100 * status.count(PASS) / source)
        return sum(shares) / 3

    for unscored, wrong in (("left-out", False), ("wrong", True)):
        cells = row(shown(client, rule=rule, unscored=unscored), "flux")["cells"]
        by_task = [accuracy(task, wrong) for task in TABLE_TASKS]
        assert [cells[task]["percent"] for task in TABLE_TASKS] == pytest.approx(by_task)
        assert cells[AVERAGE]["percent"] == pytest.approx(sum(by_task) / 5)
        assert cells[AVERAGE]["low"] < cells[AVERAGE]["percent"] < cells[AVERAGE]["high"]
    unscored_there = sum(status.count(UNSCORED) for status in statuses.values())
    message = row(shown(client, rule=rule), "flux")["unscored"]
    assert unscored_there > 0
    assert message["count"] == unscored_there
    assert sum(int(cause["text"]) for cause in message["causes"]) == unscored_there
    # Of Level 1, which is in no column, some are unscored, too.
    of_level_1 = shown(client, rule=rule, systems="l1")
    elsewhere = sum(
        int(cell["title"].split(" unscored")[0].split()[-1])
        for name, cell in row(of_level_1, "flux")["cells"].items()
        if name != "average"
    )
    text = str(row(shown(client, rule=rule), "flux"))
    assert (f"{elsewhere} of them unscored, in no column" in text) == bool(elsewhere)


def _own_run(context: Context, root: Path) -> str:
    """A run whose CNA prompts have no color system, whose other tasks have prompts of both kinds,
    and that has free prompts with a system too."""
    prompts = []
    for index, prompt in enumerate(sample_prompts(60)):
        bare = prompt.task == "cna" or (prompt.task in ("moc", "ica") and index % 3 == 0)
        prompts.append(replace(prompt, system="") if bare else prompt)
        if index % 15 == 0:
            prompts.append(replace(prompt, id=f"own-{index}", task="free", source="own"))
    plan = replace(plan_by_two(), name="own", prompts=tuple(prompts), set_name="mixed")
    folder = sample_run(root / "runs", plan)
    context.storage.runs.ingest(folder)
    return folder.run_id


def test_every_number_opens_its_own_failures(context: Context, tmp_path: Path) -> None:
    run_id = _own_run(context, tmp_path)
    whole = sample_run(tmp_path / "runs", plan_by_two())
    context.storage.runs.ingest(whole)
    results = context.storage.results
    checked = 0

    def same(opens: dict[str, str], rate: Rate, run: str) -> None:
        nonlocal checked
        meant = slice_of({"runs": run, "status": "fail", **opens})
        assert results.count(meant) == rate.scored - rate.passes, opens
        checked += rate.percent is not None

    for systems in (*SYSTEM_CHOICES, "l2", "l3", "css"):
        view = leaderboard_view(context, {"systems": systems})
        rows = leaderboard(
            results.leaderboard(DEFAULT_RULE), "averaged" if systems == "each" else systems
        )
        for group in view["groups"]:
            for item in group["rows"]:
                for task, cell in rows[item["id"]].cells.items():
                    said = item["cells"][task]
                    same(said["opens"], cell.rate, item["id"])
                    for part in said["parts"]:
                        source = cell.parts.get(part["id"], cell.apart)
                        assert source is not None
                        same(part["opens"], source, item["id"])
                if item["cells"][AVERAGE]["percent"] is not None:
                    same(item["cells"][AVERAGE]["opens"], rows[item["id"]].average, item["id"])
    assert checked > 60
    assert results.count(Slice(system="none", runs=(run_id,))) > 0


def test_prompts_without_a_color_system_have_a_number(context: Context, tmp_path: Path) -> None:
    _own_run(context, tmp_path)
    app = FastAPI()
    app.include_router(leaderboard_routes(context))
    with TestClient(app) as client:
        averaged, pooled = (
            row(shown(client, systems=item), "own")["cells"] for item in ("averaged", "pooled")
        )
        assert averaged["cna"]["percent"] == pooled["cna"]["percent"] is not None
        assert averaged["cna"]["note"] == pooled["cna"]["note"] == "no color system: pooled"
        assert averaged["moc"]["note"] == ""
        assert "without a color system not in it" in averaged["moc"]["title"]
        assert pooled["moc"]["opens"]["system"] == "l2,l3,css,none"
        lines = client.get("/api/explore/leaderboard.csv", params={"systems": "each"}).text
        first, *parts = csv.DictReader(io.StringIO(lines))
        assert float(first["cna_percent"]) == averaged["cna"]["percent"]
        (bare,) = [part for part in parts if part["system"] == "none"]
        assert float(bare["cna_percent"]) == averaged["cna"]["percent"]
        assert float(bare["moc_images"]) > 0


def test_systems_stand_alone_or_below(client: TestClient) -> None:
    each = row(shown(client, systems="each"), "flux")["cells"]["cna"]
    assert [part["id"] for part in each["parts"]] == list(TABLE_SYSTEMS)
    assert each["percent"] == pytest.approx(sum(part["percent"] for part in each["parts"]) / 3)
    alone = row(shown(client, systems="l3"), "flux")["cells"]["cna"]
    assert alone["percent"] == each["parts"][1]["percent"]
    assert row(shown(client), "flux")["cells"]["cna"]["parts"] == []


def test_runs_of_other_prompts_stand_apart(client: TestClient) -> None:
    view = shown(client)
    whole, part = view["groups"]
    assert [item["name"] for item in whole["rows"]] != []
    assert len(whole["rows"]) == 2
    assert "60 prompts · a part of its 44,464" in whole["words"]
    assert part["name"] == "my colors"
    assert "a selection, not the benchmark" in part["words"]
    # The same images twice: the data order none, so none is the best.
    assert [item["cells"]["cna"]["rank"] for item in whole["rows"]] == ["1–2"] * 2
    assert not any(cell["best"] for item in whole["rows"] for cell in item["cells"].values())
    assert whole["order"] == "By average, all are too close to call; each could be first."
    assert part["order"] == ""


def test_only_a_run_that_is_certainly_first_is_bold_and_the_order_is_said(
    made: tuple[Context, RunFolder],
) -> None:
    context = made[0]
    data = LeaderboardData(context, {"rule": "truehue"})
    runs = next(group.runs for group in data.board_groups if len(group.runs) == 2)
    first, second = (run.run_id for run in runs)
    names = [data.labels[run.run_id] for run in runs]
    third = replace(runs[0], run_id="third")
    data.labels["third"] = "third"
    data.rows["third"] = data.rows[second]
    for best, said in (
        ([(1, 1), (2, 2), (3, 3)], f"By CNA, {names[0]} is first."),
        (
            [(1, 2), (1, 2), (3, 3)],
            f"By CNA, {names[0]} and {names[1]} are too close to call; each could be first. "
            "third is behind all of them.",
        ),
        (
            [(1, 2), (1, 3), (2, 3)],
            f"By CNA, {names[0]} and {names[1]} are too close to call; each could be first.",
        ),
    ):
        data.__dict__["ranks"] = {
            run_id: {"cna": RankRange(*ranks, 3)}
            for run_id, ranks in zip((first, second, "third"), best, strict=True)
        }
        assert data.order_text([*runs, third]) == said
        bold = [item["cells"]["cna"]["best"] for item in data.rows_json(runs)]
        assert bold == [best[0] == (1, 1), False]


def test_a_correction_says_whether_it_changes_the_order_of_runs_that_are_ranked() -> None:
    ranks = {
        run_id: {AVERAGE: RankRange(*places, 3)}
        for run_id, places in (("a", (1, 2)), ("b", (1, 2)), ("c", (3, 3)))
    }
    start = "Averages move by +1.0 to +3.0 points."
    stays = {"a": (90.0, 91.0), "b": (89.0, 90.0), "c": (50.0, 53.0)}
    assert effect_text(stays, ranks, ["abc"]) == start + " Their order stays."
    swaps = {**stays, "b": (89.0, 92.0)}
    overlap = " Runs change places only where they were too close to call."
    assert effect_text(swaps, ranks, ["abc"]) == start + overlap
    moved = {"b": (89.0, 89.0), "c": (50.0, 90.0)}
    assert "changes their order; rows" in effect_text(moved, ranks, ["abc"])
    # Runs of other prompts are not compared.
    assert effect_text(moved, ranks, ["ab", "c"]).endswith("+0.0 to +40.0 points.")
    assert "No average" in effect_text({"a": (90.0, 90.05)}, ranks, ["abc"])
    assert effect_text({}, ranks, ["abc"]) == ""


def test_a_part_is_named_and_leads_nothing(client: TestClient) -> None:
    result = row(shown(client), "=part")
    assert result["cells"]["cna"]["note"] == "only L2"
    assert result["cells"]["cna"]["best"] is False
    assert result["cells"][AVERAGE]["percent"] is None
    assert result["cells"][AVERAGE]["note"] == "0 of 5 tasks so far"
    assert result["progress"]["words"].startswith("50% generated")
    assert result["beside"].startswith("free ")
    other = row(shown(client, rule="paper"), "=part")
    assert (other["said"], other["cells"]) == ("not scored by paper", {})


def test_an_earlier_version_of_a_rule_is_another_group(made: tuple[Context, RunFolder]) -> None:
    context = made[0]
    run = next(item for item in context.storage.runs.all() if item.model == "flux.1-dev")
    earlier = replace(run, run_id="old", rules=(("truehue", "0.1"),))
    result = groups([run, earlier], "truehue", context.service(Library).sets())
    assert [len(group.runs) for group in result] == [1, 1]
    assert "truehue 0.1, an earlier version" in result[1].words
    (same,) = groups([run, earlier], "paper", context.service(Library).sets())
    assert len(same.runs) == 2
    # Nor is it corrected by the errors that the text beside it names.
    data = LeaderboardData(context, {"rule": "truehue", "corrected": RENDERED})
    rows = {"old": data.rows[run.run_id]}
    settings = (AVERAGED, LEFT_OUT, False)
    corrections = Corrections(data.correction, "truehue", [earlier], rows, [], settings)
    assert corrections.left_out == {"old": "scored by truehue 0.1, an earlier version"}


def test_the_same_name_and_number_of_other_prompts_is_another_group(
    made: tuple[Context, RunFolder],
) -> None:
    context = made[0]
    run = next(item for item in context.storage.runs.all() if item.model == "flux.1-dev")
    summary = {**run.summary, "prompts_sha256": "abcdef" + "0" * 58}
    other = replace(run, run_id="other", summary=summary)
    result = groups([run, other], "paper", context.service(Library).sets())
    assert [len(group.runs) for group in result] == [1, 1]
    assert result[0].name == result[1].name
    assert "list abcdef" in result[1].words
    assert "list" not in groups([run], "paper", context.service(Library).sets())[0].words


def test_all_prompts_of_another_set_are_not_the_benchmark(
    made: tuple[Context, RunFolder],
) -> None:
    sets = made[0].service(Library).sets()
    mini = next(item for item in sets if item.id == "mini")
    run = next(item for item in made[0].storage.runs.all() if item.model == "flux.1-dev")
    for prompts, part in (
        (mini.count, "all of this set, not the benchmark"),
        (mini.count - 1, f"a part of its {mini.count:,}"),
    ):
        summary = {**run.summary, "prompts": prompts}
        (result,) = groups([replace(run, set_name="mini", summary=summary)], "paper", sets)
        assert (result.name, result.whole) == (mini.title, False)
        assert result.words.startswith(f"{prompts:,} prompts · {part} · ")


def test_hidden_runs_are_not_shown(client: TestClient, made: tuple[Context, RunFolder]) -> None:
    runs, run_id = made[0].storage.runs, made[1].run_id
    runs.hide(run_id, True)
    try:
        names = [item["id"] for group in shown(client)["groups"] for item in group["rows"]]
        assert run_id not in names
        assert len(names) == 2
    finally:
        runs.hide(run_id, False)


def test_the_published_table_stands_apart_as_printed(client: TestClient) -> None:
    result = shown(client)["published"]
    assert "arXiv:2510.20586" in result["source"]
    rows = {item["name"]: item for item in result["rows"]}
    assert len(rows) == 9
    assert float(rows["OmniGen2"]["cells"]["average"]["text"]) == value(
        "gencolorbench-table4", "Avg.", model="OmniGen2"
    )
    assert rows["Flux"]["cells"]["cna"]["text"] == "33.70"
    assert rows["Flux"]["cells"]["cna"]["doubt"]
    assert rows["Flux"]["here"] == ["flux.1-dev on a sample"]
    assert rows["Sana"]["here"] == []
    assert (
        "Yours are by released, these by paper"
        in shown(client, rule="released")["published"]["told"]
    )
    assert "yours above do not" in shown(client, systems="l1")["published"]["told"]
    assert "COA: Color-Object Association" in result["notes"][0]


def test_csv_holds_the_same_numbers(client: TestClient) -> None:
    answer = client.get("/api/explore/leaderboard.csv", params={"systems": "each", "rule": "paper"})
    assert answer.headers["content-disposition"].endswith('"truehue-leaderboard.csv"')
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    view = shown(client, systems="each", rule="paper")
    cells = row(view, "flux")["cells"]
    mine = [line for line in lines if line["run_name"].startswith("flux")]
    assert [item["system"] for item in mine] == ["l2 l3 css", *TABLE_SYSTEMS]
    assert float(mine[0]["ica_percent"]) == cells["ica"]["percent"]
    assert float(mine[0]["average_high"]) == cells[AVERAGE]["high"]
    assert float(mine[2]["ncu_low"]) == cells["ncu"]["parts"][1]["low"]
    unscored = sum(
        int(number)
        for name, number in mine[0].items()
        if name.startswith("unscored_") and name != "unscored_are"
    )
    assert unscored == row(view, "flux")["unscored"]["count"]
    (part,) = [line for line in lines if line["run_name"].startswith("'=part")]
    assert (part["cna_percent"], part["pictures_in"]) == ("", "4")


def test_without_a_run_there_is_still_the_paper(context: Context) -> None:
    app = FastAPI()
    app.include_router(leaderboard_routes(context))
    with TestClient(app) as client:
        view = shown(client)
        assert view["groups"] == []
        assert len(view["published"]["rows"]) == 9
        assert "above" not in view["published"]["told"]
        assert len(client.get("/api/explore/leaderboard.csv").text.splitlines()) == 1


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"rule": "mine"}, "No rule is called"),
        ({"systems": "l9"}, "no choice of systems 'l9'"),
        ({"unscored": "hidden"}, "left-out, not-found, wrong"),
    ],
)
def test_a_choice_that_there_is_not_is_named(
    client: TestClient, params: dict[str, str], text: str
) -> None:
    for path in ("leaderboard", "leaderboard.csv"):
        answer = client.get(f"/api/explore/{path}", params=params)
        assert answer.status_code == 400
        assert text in answer.json()["error"]


def test_a_run_without_a_picture_has_no_row_and_is_named(context: Context, tmp_path: Path) -> None:
    empty = RunFolder.create(tmp_path / "runs", replace(plan_by_two(), name="still empty"))
    context.storage.runs.register(empty)
    alone = leaderboard_view(context, {})
    assert alone["groups"] == []
    assert alone["without"].endswith("because they have no images yet: still empty.")
    context.storage.runs.ingest(
        sample_run(tmp_path / "runs", replace(plan_by_two(), model="model-b"))
    )
    (group,) = leaderboard_view(context, {})["groups"]
    assert len(group["rows"]) == 1


def test_a_set_of_which_few_prompts_have_a_picture_says_how_many(
    context: Context, tmp_path: Path
) -> None:
    folder = RunFolder.create(tmp_path, plan_by_two())
    results = [sample_result(folder, plan_by_two(), position) for position in range(8)]
    write_shard(folder.shard_folder / "w0-0.parquet", results)
    context.storage.runs.ingest(folder)
    (group,) = leaderboard_view(context, {})["groups"]
    assert "60 prompts · a part of its 44,464 · images of 4 of them · " in group["words"]


def test_nothing_right_has_an_interval_and_n_wherever_it_stands(
    context: Context, tmp_path: Path
) -> None:
    prompts = [
        sample_prompt
        for sample_prompt in sample_prompts(400)
        if (sample_prompt.task, sample_prompt.system) == ("cna", "l2")
    ]
    plan = replace(
        plan_by_two(), name="all fail", prompts=tuple(prompts), rules=plan_by_two().rules[:1]
    )
    folder = RunFolder.create(tmp_path, plan)
    made = [sample_result(folder, plan, index, failed=False) for index in range(plan.total)]
    failing = {item.prompt for item in made} - {
        item.prompt for item in made if any(v.picture_status != FAIL for v in item.verdicts)
    }
    write_shard(
        folder.shard_folder / "w0-0.parquet", [item for item in made if item.prompt in failing]
    )
    context.storage.runs.ingest(folder)
    cell = row(leaderboard_view(context, {}), "all fail")["cells"]["cna"]
    from statsmodels.stats.proportion import proportion_confint

    high = 100 * proportion_confint(0, len(failing), method="wilson")[1]
    assert (cell["percent"], cell["interval"]) == (0.0, f"≈0.0–{high:.1f}")
    images = plan_by_two().images * len(failing)
    assert cell["n"] == f"{images} images"
    assert "Wilson" in cell["title"]
    card = cards_view(context, {})["runs"][folder.run_id]["words"]
    assert card.startswith(f"CNA 0.0% (≈0.0–{high:.1f}, {images} images) pass")
    text = leaderboard_csv(context, {})
    (line,) = list(csv.DictReader(io.StringIO(text)))
    assert float(line["cna_high"]) == pytest.approx(high)
    assert line["cna_method"] == "wilson"


def test_a_run_that_says_nothing_yet_has_no_card(context: Context, tmp_path: Path) -> None:
    """One that has begun, and one whose images could not be generated."""
    plan = replace(plan_by_two(), prompts=plan_by_two().prompts[:2], images=1)
    whole, failed, started = (
        RunFolder.create(tmp_path, replace(plan, name=name)) for name in ("a", "b", "c")
    )
    for folder in (whole, failed):
        results = [
            sample_result(folder, plan, index, failed=folder is failed) for index in range(2)
        ]
        write_shard(folder.shard_folder / "w0-0.parquet", results)
        context.storage.runs.ingest(folder)
    context.storage.runs.register(started)
    assert len(context.storage.runs.all()) == 3
    assert set(cards_view(context, {})["runs"]) == {whole.run_id}


def test_an_unfinished_run_says_how_it_stands(
    client: TestClient, made: tuple[Context, RunFolder]
) -> None:
    part = row(shown(client), "=part")
    folder = RunFolder(made[1].path.parent / part["id"])
    folder.save_state(replace(state_of(folder), status="paused"))
    assert row(shown(client), "=part")["progress"]["words"] == "50% generated · paused"


def test_the_folder_of_another_run_is_no_fault(
    made: tuple[Context, RunFolder], tmp_path: Path
) -> None:
    """A run whose folder is elsewhere: how far it is is known, that it is at work is not."""
    context = made[0]
    folder = sample_run(
        tmp_path, replace(plan_by_two(), name="elsewhere", prompts=plan_by_two().prompts[:4])
    )
    folder.shards()[1].unlink()
    context.storage.runs.ingest(folder)
    app = FastAPI()
    app.include_router(leaderboard_routes(context))
    with TestClient(app) as client:
        result = row(shown(client), "elsewhere")
    assert result["progress"]["words"] == "50% generated"


# ── live limits ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("index", [0, 1])
def test_the_rules_own_limits_give_the_stored_verdicts(
    made: tuple[Context, RunFolder], index: int
) -> None:
    context, folder = made
    by = rule(plan_by_two().rules[index][0])
    limits = default_limits(by)
    assert limits
    results = context.storage.results
    stored = results.leaderboard(by.id, [folder.run_id])
    assert stored == results.leaderboard(by.id, [folder.run_id], limits)
    none = results.leaderboard(by.id, [folder.run_id], dict.fromkeys(limits, 1e-6))
    wide = results.leaderboard(by.id, [folder.run_id], dict.fromkeys(limits, 999.0))
    assert _passes(none) < _passes(stored) < _passes(wide)
    assert sum(item.images * item.prompts for item in wide) == plan_by_two().total


def _passes(tallies: list[PromptTally]) -> int:
    """Passes of tasks that ask every object for a color."""
    return sum(tally.passes * tally.prompts for tally in tallies if tally.task == "cna")


def test_moved_limits_recount_by_hand(made: tuple[Context, RunFolder]) -> None:
    context, folder = made
    params = {"rule": "paper", "limits": "delta_e00:12,hue_deg:45", "systems": "l2"}
    view = leaderboard_view(context, params)
    assert "ΔE00 below 12 instead of 5" in view["limits"]["words"]
    assert [metric["now"] for metric in view["limits"]["metrics"]] == [5.0, 12.0, 45.0]
    groups_of = [item for group in view["groups"] for item in group["rows"]]
    row = next(group for group in groups_of if group["id"] == folder.run_id)
    wanted = [
        (verdict.status, verdict.delta_chroma, verdict.delta_e00, verdict.hue_deg)
        for shard in folder.shards()
        for item in read_shard(shard)
        if (plan_by_two().prompts[item.prompt].task, plan_by_two().prompts[item.prompt].system)
        == ("cna", "l2")
        for verdict in item.verdicts
        if verdict.rule == "paper"
    ]
    scored = [item for item in wanted if item[0] != UNSCORED]
    passes = sum(
        item[2] is not None and item[1] < 5 and item[2] < 12 and item[3] < 45  # type: ignore[operator]
        for item in scored
    )
    assert row["cells"]["cna"]["title"].startswith(f"{passes} of {len(scored)} scored images")
    # Never stored: the rule's own are as they were, and a file says whose the numbers are.
    assert leaderboard_view(context, {"rule": "paper"})["limits"]["words"] == ""
    lines = list(csv.DictReader(io.StringIO(leaderboard_csv(context, params))))
    assert lines[0]["limits"] == "delta_chroma:5 delta_e00:12 hue_deg:45"


def test_another_difference_recounts_by_hand(made: tuple[Context, RunFolder]) -> None:
    """Of a rule too whose own limits cannot be moved: only the target's color counts."""
    context, folder = made
    prompts = plan_by_two().prompts
    for rule_id in ("truehue", "paper"):
        params = {"rule": rule_id, "limits": "cie1976:30", "systems": "l2"}
        view = leaderboard_view(context, params)
        assert view["limits"]["formula"] == "cie1976"
        assert view["limits"]["words"].startswith(
            "By CIE 1976 ΔE*ab to the target’s color, below 30, in place of the rule"
        )
        rows = [item for group in view["groups"] for item in group["rows"]]
        row = next(item for item in rows if item["id"] == folder.run_id)
        apart = []
        for item in (item for shard in folder.shards() for item in read_shard(shard)):
            prompt = prompts[item.prompt]
            color = prompt.targets[0].color
            for verdict in item.verdicts:
                if verdict.rule == rule_id and (prompt.task, prompt.system) == ("cna", "l2"):
                    assert color is not None
                    if verdict.status != UNSCORED:
                        apart.append(math.dist(verdict.lab, color.lab))
        passes = sum(distance < 30 for distance in apart)
        assert 0 < passes < len(apart)
        assert row["cells"]["cna"]["title"].startswith(f"{passes} of {len(apart)} scored images")
        (first, *_) = csv.DictReader(io.StringIO(leaderboard_csv(context, params)))
        assert first["limits"] == "cie1976:30"


def test_each_formula_counts_and_none_stands_beside_a_limit(
    made: tuple[Context, RunFolder],
) -> None:
    context, folder = made
    results = context.storage.results
    for name, first in OTHER_FORMULAS.items():
        near, far = (
            _passes(results.leaderboard("truehue", [folder.run_id], {name: limit}))
            for limit in (1e-6, 100 * first)
        )
        assert near < far
    assert tuple(OTHER_FORMULAS) == tuple(entry.id for entry in FORMULAS[1:])
    with pytest.raises(BadInput, match="or one of cie1976"):
        results.leaderboard("truehue", [folder.run_id], {"hyab": 5.0, "misfit": 1.0})


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"rule": "truehue", "limits": "itp:0"}, "give a number above 0"),
        (
            {"rule": "released", "limits": "delta_e00:7"},
            "With other thresholds another color could pass",
        ),
        ({"rule": "truehue", "limits": "delta_e00:7"}, "has no threshold 'delta_e00'"),
        ({"rule": "paper", "limits": "delta_e00:nan"}, "give a number above 0"),
        ({"rule": "paper", "limits": "delta_e00:-3"}, "give a number above 0"),
    ],
)
def test_limits_that_cannot_be_are_refused(
    made: tuple[Context, RunFolder], params: dict[str, str], text: str
) -> None:
    with pytest.raises(BadInput, match=text):
        leaderboard_view(made[0], params)
    assert limits_view("released", {})["metrics"] == []


# ── images whose object was not found ──────────────────────────────────────────────────────


def _searched(context: Context, root: Path, name: str = "searched") -> tuple[str, Counter[str]]:
    """A run whose masker looks for objects: of 24 images 4 pass, 4 fail, 4 each are unscored for a
    missing, an overlapping and an empty object, 2 broke, and 2 could not be generated."""
    prompts = [
        sample_prompt
        for sample_prompt in sample_prompts(300)
        if (sample_prompt.task, sample_prompt.system) == ("cna", "l2")
    ][:12]
    rules = tuple(item for item in plan_by_all().rules if item[0] in ("truehue", "released"))
    plan = replace(
        plan_by_all(), name=name, model=name, prompts=tuple(prompts), rules=rules, images=2,
        masker=MaskerSpec("grounded", "grounding-dino-base", "sam2.1-large", variant="released"),
    )  # fmt: skip
    folder = RunFolder.create(root / "runs", plan)
    missing = {
        "not-found": Localization(None, "", "detection", "The detector found none."),
        "no-mask": Localization(None, "", "mask", "They are one object."),
        "too-few-pixels": Localization(np.zeros((32, 32), bool)),
    }
    results, kinds = [], Counter[str]()
    for position in range(plan.total):
        prompt = prompts[position // 2]
        kind = (*missing, "pass", "fail", "broke" if position % 12 < 6 else "no-image")[
            position % 6
        ]
        result = ItemResult(position, position // 2, position % 2, 1, "drawn", seed=position)
        color = prompt.targets[0].color
        assert color is not None
        lab = np.array(color.lab) if kind == "pass" else np.array([50.0, -color.lab[1], 99.0])
        srgb8 = np.broadcast_to(lab_to_srgb8(lab), (32, 32, 3)).copy()
        name_of_image = image_id(srgb8)
        write_once(content_path(folder.images, name_of_image), encode_png(srgb8))
        finding = missing.get(kind, Localization(np.ones((32, 32), bool)))
        made = score(prompt, srgb8, {0: finding}, plan.rules, Acceptance())
        if kind == "broke":
            made = tuple(
                replace(item, status=UNSCORED, picture_status=UNSCORED, cause=kind) for item in made
            )
        result = replace(result, image_id=name_of_image, width=32, height=32, verdicts=made)
        if kind == "no-image":
            result = replace(
                result, status="failed", reason="No memory.", image_id="", width=0, height=0,
                verdicts=not_generated("No memory.", plan.rules),
            )  # fmt: skip
        for verdict in result.verdicts:
            if verdict.rule == "released":
                kinds[verdict.cause or verdict.picture_status] += 1
        results.append(result)
    write_shard(folder.shard_folder / "w0-0.parquet", results)
    context.storage.runs.ingest(folder)
    return folder.run_id, kinds


def _tables_of_report(context: Context, folder: RunFolder) -> dict[str, Table]:
    (run,) = runs_of(folder, sealed=True)
    made = report_of(context, run, "released", lambda _: None)
    blocks = [block for section in made.sections for block in section.blocks]
    return {block.title: block for block in blocks if isinstance(block, Table)}


def test_what_was_not_found_is_incorrect_by_the_released_rule_alone(
    context: Context, tmp_path: Path
) -> None:
    run_id, kinds = _searched(context, tmp_path)
    lost = sum(kinds[cause] for cause in ("not-found", "no-mask", "too-few-pixels"))
    assert kinds["broke"] == kinds["no-image"] == 2
    assert (lost, kinds["pass"]) == (12, 4)
    results = context.storage.results
    app = FastAPI()
    app.include_router(leaderboard_routes(context))
    app.include_router(failures_routes(context))
    app.include_router(analyses_routes(context))
    with TestClient(app) as client:

        def told(rule: str, **more: str) -> tuple[float, int, int, int]:
            """The leaderboard's percent and unscored, and Failures' fails and passes."""
            result = row(shown(client, rule=rule, **more), "searched")
            meant = Slice(rule, (run_id,), unscored=more.get("unscored", ""))
            fails, passes = (
                results.count(replace(meant, status=status)) for status in (FAIL, PASS)
            )
            (own,) = [
                line
                for line in csv.DictReader(
                    io.StringIO(
                        client.get(
                            "/api/explore/leaderboard.csv", params={"rule": rule, **more}
                        ).text
                    )
                )
                if line["run_id"] == run_id
            ]
            assert float(own["cna_percent"]) == result["cells"]["cna"]["percent"]
            assert int(own["cna_scored"]) == fails + passes
            return result["cells"]["cna"]["percent"], result["unscored"]["count"], fails, passes

        assert told("released") == (20.0, 4, 16, 4)
        assert told("released", unscored="left-out") == (50.0, 16, 4, 4)
        assert told("truehue") == (50.0, 16, 4, 4)
        assert told("truehue", unscored="not-found") == (20.0, 4, 16, 4)
        # The correction knows which images the rule judged: its errors are of no other.
        tallies = results.leaderboard("released", (run_id,), unscored="not-found", judged=True)
        sums = [
            sum(getattr(tally, name) * tally.prompts for tally in tallies)
            for name in ("passes", "judged", "scored", "images")
        ]
        assert sums == [4, 8, 20, 24]
        view = shown(client, rule="released", corrected="rendered")
        assert row(view, "searched")["cells"]["cna"]["corrected"] is not None
        assert any("stay incorrect" in text for text in view["correction"]["sentences"])
        view = shown(client, rule="released")
        assert "as in the released code" in view["unscored_note"]
        strict = shown(client, rule="paper")
        assert strict["strict"]
        assert strict["judge_note"].startswith("Rank no models by the rule paper: it refuses most")
        ours = shown(client)
        assert re.fullmatch(
            r"The rule also errs\. On [\d,]+ images of known color: in difficult light \(shade, "
            r"highlights\) it missed [\d.]+% of the right colors and passed [\d.]+% of similar, wrong "
            r"ones; in plain light it missed [\d.]+% of the right colors and passed [\d.]+% of similar, wrong "
            r"ones\. To report a number, quote it as it is; Settings can correct it\.",
            ours["judge_note"],
        )
        assert not ours["strict"]
        moved = shown(client, rule="paper", limits="delta_e00:12")
        assert (moved["limits"]["words"] != "", moved["judge_note"]) == (True, "")
        assert shown(client)["unscored_note"] == ""
        assert (view["unscored"], view["unscored_filter"]) == ("not-found", "")
        assert shown(client, rule="truehue")["unscored"] == "left-out"
        figure = client.get("/api/explore/figures/basic", params={"rule": "released"}).json()
        assert figure["stands"].startswith("20 images scored by released; 4 more are unscored")
        assert "as in the released code" in figure["stands"]
        lines = client.get("/api/explore/figures/basic.csv", params={"rule": "released"}).text
        assert {item["unscored_are"] for item in csv.DictReader(io.StringIO(lines))} == {
            "not-found"
        }
        # Two runs: both of a pair are scored where either was not found.
        other, _ = _searched(context, tmp_path, "again")
        meant = Slice("released")
        assert results.pair_counts(run_id, other, meant)["neither"] == 16
        assert (
            results.pair_counts(run_id, other, replace(meant, unscored="left-out"))["neither"] == 4
        )
        query = {"a": run_id, "b": other, "rule": "released"}
        answer = client.get("/api/explore/compare", params=query).json()
        assert "count as incorrect" in answer["sentence"]
        folder = RunFolder(tmp_path / "runs" / run_id)
        tables = _tables_of_report(context, folder)
        rows = {item[0].text: (item[1].text, item[-1].text) for item in tables["This run"].rows}
        version = rule("released").version
        assert rows[f"released {version}"] == ("20.0", "4")
        assert rows[f"released {version}, not found excluded"] == ("50.0", "16")
        assert "as in the released code" in tables["This run"].note
        # What is stored stays as it is.
        assert {item.status for item in results.verdicts_of_image(run_id, 0)} == {UNSCORED}
        by_rule = {
            item.rule: item.picture_status for item in results.verdicts_of_image(run_id, 0, "")
        }
        assert by_rule == {"truehue": UNSCORED, "released": FAIL}
        # A person answers to what the page shows.
        answer = AnswerVerdict(answer="fail", run=run_id, position=0, rule="released")
        said = judge_verdict(context, OWNER, answer)
        assert {status["rule"]: status["status"] for status in said["statuses"]} == by_rule
        (both,) = [
            item
            for item in results.agreement((run_id,))
            if {item.rule_a, item.rule_b} == set(by_rule)
        ]
        assert both.unscored == 16


def test_where_nobody_looked_for_masks_nothing_is_incorrect(
    context: Context, tmp_path: Path
) -> None:
    folder = sample_run(tmp_path / "runs", replace(plan_by_all(), rules=plan_by_all().rules))
    context.storage.runs.ingest(folder)
    causes = {item.cause for item in context.storage.results.unscored(Slice("released"))}
    assert causes == {"no-image", "no-mask"}


@pytest.mark.process
def test_rows_stay_in_place_under_the_pointer() -> None:
    """A run's first images insert a row: it waits; the rows that stand take up their numbers."""
    before = [{"id": "g", "rows": [{"id": "a", "n": 1}, {"id": "b", "n": 1}]}]
    after = [
        {"id": "new", "rows": [{"id": "d", "n": 2}]},
        {"id": "g", "rows": [{"id": "c", "n": 2}, {"id": "b", "n": 2}, {"id": "a", "n": 2}]},
    ]
    saved, numbers, same = run_module(
        """const { inOrder, orderOf } = await load('explore/leaderboard_table');
        const order = orderOf(value.before);
        return [inOrder(value.after, order), inOrder([value.after[1]], order).groups[0].rows,
          inOrder(value.before, order)];""",
        {"before": before, "after": after},
    )
    assert [row["id"] for row in saved["groups"][0]["rows"]] == ["a", "b"]
    assert (saved["added"], saved["same"]) == (2, False)
    assert [row["n"] for row in numbers] == [2, 2]
    assert (same["added"], same["same"]) == (0, True)


def test_runs_are_called_as_in_failures_and_measures(context: Context, tmp_path: Path) -> None:
    """Two long names that differ in a word: the leaderboard has the word alone, as others have."""
    for failure in ("", "leaked"):
        name = f"Reference renderer (no weights), {failure or 'seed 0'} · Mini, 4 prompts"
        options = {"failure": failure} if failure else {}
        prompts = plan_by_two().prompts[:4]
        plan = replace(plan_by_two(), name=name, model=RENDERER, prompts=prompts, options=options)
        context.storage.runs.ingest(sample_run(tmp_path / "runs", plan))
    runs = context.storage.runs.all()
    labels = {
        item["id"]: item["label"]
        for group in leaderboard_view(context, {})["groups"]
        for item in group["rows"]
    }
    assert labels == run_labels(runs)
    assert "leaked" in labels.values()
