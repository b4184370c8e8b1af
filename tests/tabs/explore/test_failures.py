"""The wall and pairs of runs without a browser: slices, pages, counts of filters, comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.empty_data import empty_data
from tests.shards import read_shard
from tests.storage.run_samples import (
    as_counted,
    fill_copied,
    sample_plan,
    sample_prompts,
    sample_result,
    sample_run,
)
from truehue.core.analysis.intervals import wilson
from truehue.core.analysis.names import run_labels, sector_hex
from truehue.core.analysis.paired import PairCounts
from truehue.core.analysis.records import SECTORS, Slice
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, NotStored
from truehue.core.generation.registry import RENDERER
from truehue.core.runs.folder import RunFolder, run_folders
from truehue.core.runs.records import ItemResult, ObjectVerdict
from truehue.core.runs.shards import write_shard
from truehue.core.verdict.rules import RULES
from truehue.storage import Storage
from truehue.tabs.charts.analyses import figure_view
from truehue.tabs.charts.slice import slice_of
from truehue.tabs.explore.failures import facets_view, failures_view, image_view, score_sorts
from truehue.tabs.explore.routes import failures_routes
from truehue.tabs.explore.run_pairs import _sentence, compare_view
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER
from truehue.tabs.page.routes import routes
from truehue.tabs.shell.compose import make_context
from truehue.tabs.verdicts.judgments import AnswerVerdict, judge_verdict

pytestmark = pytest.mark.slow

IMAGES = 2


@dataclass(frozen=True)
class Filled:
    """Two runs of two models on the same prompts: the app's context, and the rows of the shards."""

    context: Context
    runs: tuple[str, str]
    items: dict[tuple[str, int], ItemResult]

    def leading(self, rule: str) -> dict[tuple[str, int], ObjectVerdict]:
        """By run and position, the verdict of the object that decided."""
        return {
            key: verdict
            for key, item in self.items.items()
            for verdict in item.verdicts
            if verdict.rule == rule and verdict.leads
        }


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    folder = tmp_path_factory.mktemp("wall")
    with Storage.open(empty_data(folder / "data")) as storage:
        first, second = fill_copied(storage, folder / "runs", prompts=40, images=IMAGES)
        items = {
            (run_folder.run_id, item.position): as_counted(item)
            for run_folder in run_folders(folder / "runs")
            for shard in run_folder.shards()
            for item in read_shard(shard)
        }
        context = make_context(storage, "data")
        yield Filled(context, (first, second), items)
        context.close()


def pages(context: Context, **values: str) -> list[dict[str, Any]]:
    """All pages of the wall, seven pictures each."""
    out: list[dict[str, Any]] = []
    after = ""
    while True:
        result = failures_view(context, {**values, "limit": "7", "after": after})
        out += result["items"]
        after = result["next"]
        if not after:
            return out


# ── slices ───────────────────────────────────────────────────────────────────────────────────


def test_a_query_is_a_slice() -> None:
    meant = Slice(
        rule="truehue",
        runs=("b", "a"),
        task="coa",
        system="l3",
        category="Animals",
        object="polar bear",
        color="l3:Vivid red",
        sector="330",
        asked_l2="Red",
        found_l2="Purplish red",
        modifier="-ish",
        basic="basic",
        status="fail",
        cause="leaked",
    )
    query = {name: value for name, value in asdict(meant).items() if name != "runs" and value}
    assert slice_of({**query, "runs": "b,a"}) == meant
    assert slice_of({}) == Slice()
    assert slice_of({"runs": "a,,a,b", "sort": "x", "color": " #AA1122 "}) == Slice(
        runs=("a", "b"), color="#AA1122"
    )
    assert slice_of({"system": "l2, css,l2,none", "task": "cna,moc,"}) == Slice(
        system="l2,css,none", task="cna,moc"
    )


@pytest.mark.parametrize(
    "values",
    [
        {"rule": "mine"},
        {"system": "l2,l9"},
        {"sector": "45"},
        {"cause": "bad luck"},
        {"status": "failed"},
        {"modifier": "vivid"},
        {"basic": "both"},
        {"runs": ",".join(map(str, range(101)))},
    ],
)
def test_what_no_slice_can_be(values: dict[str, str]) -> None:
    with pytest.raises(BadInput, match=r"rule|There is no|too many"):
        slice_of(values)


# ── the wall ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("rule", ["paper", "released"])
def test_the_wall_shows_each_failing_picture_once_worst_first(filled: Filled, rule: str) -> None:
    shown = pages(filled.context, rule=rule, status="fail")
    wanted = {
        key: verdict
        for key, verdict in filled.leading(rule).items()
        if verdict.picture_status == "fail"
    }
    assert len(shown) == len(wanted) > 30
    for item in shown:
        verdict = wanted.pop((item["run_id"], item["position"]))
        assert (item["object"], item["told"]) == (verdict.object_name, verdict.told)
        assert (item["asked_hex"], item["status"]) == (verdict.asked_hex, "fail")
        assert item["delta_e00"] == (
            None if verdict.delta_e00 is None else pytest.approx(verdict.delta_e00, rel=1e-6)
        )
        assert item["rule"] == rule
    assert not wanted
    distances = [entry["delta_e00"] for entry in shown if entry["delta_e00"] is not None]
    assert distances == sorted(distances, reverse=True)
    up = pages(filled.context, rule=rule, status="fail", sort="delta_e00-up")
    assert [entry["delta_e00"] for entry in up[: len(distances)]] == distances[::-1]


def test_a_picture_that_was_not_drawn_has_a_reason_and_no_picture(filled: Filled) -> None:
    shown = pages(filled.context, status="unscored", cause="no-image")
    failed = {key for key, item in filled.items.items() if item.status == "failed"}
    assert {(item["run_id"], item["position"]) for item in shown} == failed != set()
    for entry in shown:
        assert (entry["url"], entry["thumb"], entry["found_hex"], entry["delta_e00"]) == (
            "",
            "",
            "",
            None,
        )
        assert entry["picture_reason"] == "The model ran out of memory: give it a smaller size."
        # What was asked is known all the same.
        assert entry["asked_hex"].startswith("#")
        assert entry["object"]


@pytest.mark.parametrize("values", [{"sort": "luck"}, {"after": "delta_e00.d.x"}, {"rule": "mine"}])
def test_what_the_wall_refuses(filled: Filled, values: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        failures_view(filled.context, values)


def test_each_choice_of_a_filter_leaves_as_many_pictures_as_it_says(filled: Filled) -> None:
    meant = {"status": "fail", "task": "moc"}
    answer = facets_view(filled.context, meant)
    assert answer["total"] == len(pages(filled.context, **meant)) > 10
    checked = 0
    for field, choices in answer["fields"].items():
        for choice in choices[:4] if field != "rule" else ():
            narrowed = slice_of({**meant, field: choice["value"]})
            count = filled.context.storage.results.count(narrowed)
            assert count == choice["count"], (field, choice)
            checked += 1
    assert checked > 25
    for entry in answer["fields"]["asked_l2"]:
        assert entry["hex"] == parse_target(entry["value"], "l2").hex
    assert [item["value"] for item in answer["fields"]["rule"]] == [rule.id for rule in RULES]
    assert [(sector["value"], sector["hex"]) for sector in answer["sectors"]] == [
        (sector, sector_hex(sector)) for sector in SECTORS
    ]


def test_a_chosen_run_keeps_its_name_where_it_has_no_such_picture(filled: Filled) -> None:
    first, second = filled.runs
    names = [
        {item["value"] for item in facets_view(filled.context, {"runs": run})["fields"]["found_l2"]}
        for run in (first, second)
    ]
    only = sorted(names[1] - names[0])[0]
    answer = facets_view(filled.context, {"runs": first, "found_l2": only})
    assert answer["total"] == 0
    assert [(run["value"], run["label"], run["count"] > 0) for run in answer["fields"]["runs"]] == [
        (second, "model-b", True),
        (first, "model-a", False),
    ]


def test_one_picture_has_every_rule_and_object(filled: Filled) -> None:
    run, position = next(key for key, item in filled.items.items() if len(item.masks) == 2)
    item = filled.items[run, position]
    answer = image_view(filled.context, OWNER, {"run": run, "position": str(position)})
    result = [
        (entry["rule"], entry["target"], entry["status"], entry["told"])
        for entry in answer["items"]
    ]
    wanted = [
        (verdict.rule, verdict.target, verdict.status, verdict.told) for verdict in item.verdicts
    ]
    assert sorted(result) == sorted(wanted)
    facts = dict(answer["facts"])
    assert facts["Seed"] == str(item.seed)
    assert facts["Image"] == f"{item.image + 1} of its prompt"
    with pytest.raises(NotStored, match="is not imported yet"):
        image_view(filled.context, OWNER, {"run": run, "position": "999999"})
    with pytest.raises(BadInput, match="position is a whole number"):
        image_view(filled.context, OWNER, {"run": run, "position": "-1"})
    with pytest.raises(NotStored):
        image_view(filled.context, OWNER, {"run": "f" * 16, "position": "0"})


def test_one_disagrees_with_the_verdict_of_a_picture(filled: Filled) -> None:
    run, position = next(key for key, item in filled.items.items() if len(item.masks) == 2)
    context = filled.context
    target = {"run": run, "position": position, "answer": "fail", "reason": "It is brown."}
    said = judge_verdict(context, OWNER, read_as(AnswerVerdict, {**target, "rule": "paper"}))
    by_rule = {status["rule"]: status for status in said["statuses"]}
    result = context.storage.results.verdicts_of_image(run, position)
    assert {item.rule for item in result} == set(by_rule)
    assert all(by_rule[item.rule]["status"] == item.picture_status for item in result)
    assert by_rule["paper"]["version"] == dict(context.storage.runs.get(run).rules)["paper"]
    answer = image_view(context, OWNER, {"run": run, "position": str(position)})
    assert answer["judgment"]["reason"] == "It is brown."
    assert (answer["judgment"]["mine"], answer["others"]) == (True, [])
    assert context.storage.evidence.count() == 0
    with pytest.raises(BadInput, match="not scored by"):
        judge_verdict(context, OWNER, read_as(AnswerVerdict, {**target, "rule": "none"}))
    with pytest.raises(BadInput, match="Which image of the run"):
        read_as(AnswerVerdict, {**target, "rule": "paper", "position": "0"})


def test_runs_of_one_model_are_told_apart(filled: Filled) -> None:
    runs = filled.context.storage.runs.all()
    assert sorted(run_labels(runs).values()) == ["model-a", "model-b"]
    # What differs stands first, and no name is longer than 30 characters.
    same = [
        replace(
            run,
            model="model-a",
            name=f"model-a on a sample, {index}",
            summary={**run.summary, "seed": 7 * index},
        )
        for index, run in enumerate(runs)
    ]
    assert sorted(run_labels(same).values()) == ["seed 0", "seed 7"]
    other = replace(same[0], run_id="e" * 16, model="model-of-a-very-long-name-indeed", name="")
    several = run_labels([*same, replace(other, name=other.model)])
    assert sorted(several.values()) == [
        "model-of-a-very-long-name-ind…",
        "seed 0 · model-a",
        "seed 7 · model-a",
    ]
    named = [replace(run, name=f"Monday {run.model[-1]}") for run in runs]
    assert sorted(run_labels(named).values()) == ["Monday a", "Monday b"]
    twins = [replace(run, name="One name") for run in runs]
    assert sorted(run_labels(twins).values()) == sorted(
        f"One name ({run[:6]})" for run in filled.runs
    )


# ── pairs ────────────────────────────────────────────────────────────────────────────────────


def test_pairs_are_counted_as_the_shards_say(filled: Filled) -> None:
    first, second = filled.runs
    said = filled.leading("paper")
    kinds = {
        "both": ("pass", "pass"),
        "only_a": ("pass", "fail"),
        "only_b": ("fail", "pass"),
        "neither": ("fail", "fail"),
    }
    both = [
        (said[first, position].picture_status, said[second, position].picture_status)
        for run, position in said
        if run == first and (second, position) in said
    ]
    values = {"rule": "paper", "a": first, "b": second}
    answer = compare_view(filled.context, values)
    for cell, kind in kinds.items():
        assert answer["counts"][cell] == both.count(kind) > 0
        of_cell = compare_view(filled.context, {**values, "cell": cell, "limit": "200"})["pairs"]
        assert len(of_cell) == both.count(kind)
        assert {(item["picture_status"], two["picture_status"]) for item, two in of_cell} == {kind}
    assert sum(answer["counts"][cell] for cell in (*kinds, "unscored")) == len(both)
    for entry, two in answer["pairs"]:
        assert (entry["run_id"], two["run_id"]) == (first, second)
        assert (entry["text"], entry["image"]) == (two["text"], two["image"])
    passes = sum(item == "pass" for item, other in both if "unscored" not in (item, other))
    scored = answer["counts"]["scored"]
    assert f"A (model-a) passes {100 * passes / scored:.1f}%" in answer["sentence"]
    assert "McNemar’s exact test" in answer["test"]


def test_pairs_begin_at_a_picture_and_go_on(filled: Filled) -> None:
    first, second = filled.runs
    values = {"a": first, "b": second, "limit": "5"}
    everything = compare_view(filled.context, {**values, "limit": "200"})["pairs"]
    index = everything[12][0]["position"]
    page = compare_view(filled.context, {**values, "at": str(index)})
    assert page["pinned"]
    after = compare_view(filled.context, {**values, "after": page["next"]})
    assert [item["position"] for item, _ in (*page["pairs"], *after["pairs"])] == [
        item["position"] for item, _ in everything[12:22]
    ]
    with pytest.raises(NotStored, match="no image 99,999"):
        compare_view(filled.context, {**values, "at": "99999"})
    with pytest.raises(BadInput, match="no part"):
        compare_view(filled.context, {**values, "cell": "some"})
    with pytest.raises(BadInput, match="same run"):
        compare_view(filled.context, {**values, "b": first})
    # The other run need not be named.
    assert compare_view(filled.context, {"a": first})["b"] == second


def test_one_run_has_nothing_to_be_compared_with(context: Context, tmp_path: Path) -> None:
    empty = {"items": [], "next": "", "runs": 0, "sorts": score_sorts()}
    assert failures_view(context, {}) == empty
    assert facets_view(context, {})["total"] == 0
    assert compare_view(context, {})["runs"] == []
    fill_copied(context.storage, tmp_path / "runs", ("model-a",), prompts=3, images=1)
    answer = compare_view(context, {})
    assert ([run["label"] for run in answer["runs"]], answer["pairs"]) == (["model-a"], [])


def test_runs_that_share_their_prompts_are_compared_first(context: Context, tmp_path: Path) -> None:
    pair = fill_copied(context.storage, tmp_path / "runs", prompts=3, images=1)
    other = replace(sample_plan("model-c", 6, 1), prompts=sample_prompts(6)[3:])
    folder = sample_run(tmp_path / "runs", other)
    context.storage.runs.ingest(folder)
    answer = compare_view(context, {})
    assert {answer["a"], answer["b"]} == set(pair)
    assert compare_view(context, {"a": folder.run_id})["b"] in pair


def test_a_run_without_a_picture_is_in_no_list_of_two(context: Context, tmp_path: Path) -> None:
    pair = fill_copied(context.storage, tmp_path / "runs", prompts=3, images=1)
    empty = RunFolder.create(tmp_path / "runs", sample_plan("model-c", 3, 1))
    context.storage.runs.register(empty)
    answer = compare_view(context, {})
    assert {run["id"] for run in answer["runs"]} == set(pair)
    named = compare_view(context, {"a": empty.run_id})
    assert named["runs"][-1] == {"id": empty.run_id, "label": "model-c · no image"}


def test_pictures_without_a_score_draw_no_figure(context: Context, tmp_path: Path) -> None:
    plan = sample_plan(prompts=3, images=1)
    folder = RunFolder.create(tmp_path, plan)
    failed = [sample_result(folder, plan, index, failed=True) for index in range(3)]
    write_shard(folder.shard_folder / "w0-0.parquet", failed)
    context.storage.runs.ingest(folder)
    view = figure_view(context, "categories", {})
    assert (view["figure"], view["published"]) == (None, None)
    assert "None of these images has a score" in view["empty"]


def test_routes_answer_in_words(filled: Filled) -> None:
    app = FastAPI()
    for make in (routes, failures_routes):
        app.include_router(make(filled.context))
    client = TestClient(app)
    first, _ = filled.runs
    target = {
        "/api/explore/failures?status=fail&limit=3": 200,
        "/api/explore/failures?cause=x": 400,
        "/api/explore/failures/facets": 200,
        "/api/explore/failures/count?status=fail": 200,
        f"/api/explore/failures/image?run={first}&position=0": 200,
        "/api/explore/failures/image?run=0000&position=0": 404,
        f"/api/explore/compare?a={first}": 200,
        "/api/explore/compare?cell=x": 400,
        "/api/explore/failures?runs=nothing": 404,
    }
    for url, status in target.items():
        answer = client.get(url)
        assert (answer.status_code, "error" in answer.json()) == (status, status != 200), url
    shown = client.get("/api/explore/failures?status=fail&limit=200").json()["items"]
    total = client.get("/api/explore/failures/count?status=fail").json()["total"]
    assert total == len(shown)
    for url in (shown[0]["thumb"], shown[0]["url"]):
        assert client.get(url).headers["content-type"] == "image/png"


@pytest.mark.parametrize(("images", "warns"), [(1, False), (2, True)])
def test_images_of_one_prompt_are_said_to_be_alike_where_there_are_several(
    filled: Filled, tmp_path: Path, images: int, warns: bool
) -> None:
    if images == IMAGES:
        context, (a, b) = filled.context, filled.runs
        said = compare_view(context, {"a": a, "b": b})["test"]
    else:
        with Storage.open(empty_data(tmp_path / "data")) as storage:
            context = make_context(storage, "data")
            a, b = fill_copied(storage, tmp_path / "runs", prompts=40, images=images)
            said = compare_view(context, {"a": a, "b": b})["test"]
            context.close()
    assert said.startswith("McNemar")
    assert ("images of one prompt are alike" in said) is warns


def test_a_card_and_a_pair_name_the_shape_that_stands_in(tmp_path: Path) -> None:
    """A bicycle that was rendered as a car says so; a ball as a sphere and other models do not."""
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        context = make_context(storage, "data")
        made = []
        for name in ("first", "second"):
            plan = replace(sample_plan(name, 4, 1), name=name)
            folder = RunFolder.create(tmp_path / "runs", plan)
            results = [sample_result(folder, plan, index, failed=False) for index in range(4)]
            rows = [
                [{"name": "bicycle", "shape": "car"}, {"name": "Ball", "shape": "sphere"}],
                [{"name": "coffee mug", "shape": "mug"}],
                [{"name": "shelf", "shape": None}],
                [{"name": "bicycle", "shape": "car"}],
            ]
            origins = [{"model": RENDERER, "objects": objects} for objects in rows]
            origins[3] = {**origins[3], "model": "another"}
            results = [
                replace(result, origin=origin)
                for result, origin in zip(results, origins, strict=True)
            ]
            write_shard(folder.shard_folder / "w0-0.parquet", results)
            storage.runs.ingest(folder)
            made.append(folder.run_id)
        items = failures_view(context, {"runs": made[0], "sort": "prompt"})["items"]
        assert {item["position"]: item["stand_in"] for item in items} == {
            0: "car for bicycle", 1: "", 2: "", 3: ""
        }  # fmt: skip
        pairs = compare_view(context, {"a": made[0], "b": made[1]})["pairs"]
        assert [pair["stand_in"] for pair in pairs[0]] == ["car for bicycle"] * 2
        context.close()


def test_a_render_says_its_true_colors_and_what_stands_in(context: Context, tmp_path: Path) -> None:
    plan = sample_plan(prompts=60, images=1)
    two, item = (
        next(index for index, prompt in enumerate(plan.prompts) if len(prompt.targets) == count)
        for count in (2, 1)
    )
    folder = RunFolder.create(tmp_path / "runs", plan)
    names = {
        index: [target.name for target in plan.prompts[index].targets] for index in (item, two)
    }
    colors = {item: ["#112233"], two: ["#e83b1b", None]}
    results = []
    for position in (item, two):
        objects = [
            {"target": index, "name": name, "shape": "car", "drawn": color}
            for index, (name, color) in enumerate(
                zip(names[position], colors[position], strict=True)
            )
        ]
        made = sample_result(folder, plan, position, failed=False)
        results.append(replace(made, origin={"model": RENDERER, "objects": objects}))
    write_shard(folder.shard_folder / "w0-0.parquet", results)
    context.storage.runs.ingest(folder)

    def facts(index: int) -> list[list[str]]:
        query = {"run": folder.run_id, "position": str(index)}
        message = image_view(context, OWNER, query)["facts"]
        return [fact for fact in message if fact[0].startswith(("Generated", "True"))]

    stands_in = {
        name: ["Generated", f"car, which stands in for the {name}"]
        for name in names[item] + names[two]
    }
    (only,), (left, right) = names[item], names[two]
    assert facts(item) == [stands_in[only], ["True color", "#112233"]]
    # Of several objects each color names its own; the second one's is not known.
    assert facts(two) == [
        stands_in[left],
        [f"True color of the {left}", "#E83B1B"],
        stands_in[right],
    ]


def test_alike_images_of_a_prompt_are_one_trial() -> None:
    low, high = wilson(0.5, 4)
    sentence = _sentence(PairCounts(both=8, neither=8), "a", "b", prompts=4)
    assert sentence.count(f"50.0% ({low:.1f}–{high:.1f})") == 2
