"""The figures of Explore: what they show, what they stand on, what a click narrows, and the CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.charts import plotly_of
from tests.empty_data import empty_data
from tests.storage.run_samples import fill_copied, sample_plan, sample_run
from tests.tabs.page.test_figures import colors_in
from truehue.core.analysis.groups import CATEGORIES
from truehue.core.analysis.intervals import Rate, total
from truehue.core.analysis.records import TABLE_SYSTEMS, Count, Drift, RuleAgreement, Slice
from truehue.core.color.systems import system
from truehue.core.errors import BadInput
from truehue.core.published import table
from truehue.core.verdict.rules import DEFAULT_RULE, RULES
from truehue.storage import Storage
from truehue.tabs.charts.analyses import KINDS, figure_csv, figure_view
from truehue.tabs.charts.color_figures import (
    MANY_COLORS,
    MAX_ARROWS,
    drift,
    measured_colors,
    target_measured,
)
from truehue.tabs.charts.figure_parts import NOTHING, Picks, Plot, short_names
from truehue.tabs.charts.share_figures import (
    agreement,
    categories,
    kinds_of_names,
    published_categories,
)
from truehue.tabs.charts.slice import STATUSES, slice_of
from truehue.tabs.explore.routes import analyses_routes
from truehue.tabs.page.context import ROOT, Context
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

STYLE = (ROOT / "assets/css/page/page.css").read_text("utf-8")
RUNS = {"a" * 16: "model <b>a</b>", "b" * 16: "model b"}


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    """Two runs of every task, judged by every rule."""
    data = tmp_path_factory.mktemp("analyses") / "data"
    with Storage.open(empty_data(data)) as storage:
        made = make_context(storage, "data")
        fill_copied(storage, data / "runs", prompts=140, images=1)
        yield made
        made.close()


def verdicts(text: str) -> tuple[int, int]:
    """The counted and the left out of a figure's words."""
    ints = [
        int(item.replace(",", "")) for item in re.findall(r"([\d,]*\d) (?:object|image|more)", text)
    ]
    return ints[0], ints[1] if len(ints) > 1 else 0


@pytest.mark.parametrize("name", KINDS)
def test_a_figure_is_valid_and_its_colors_are_data_or_the_pages(full: Context, name: str) -> None:
    view = figure_view(full, name, {})
    assert view["empty"] == ""
    drawn = plotly_of(view["figure"])
    # Plotly checks every name and every value.
    figure = go.Figure(drawn)
    assert len(figure.data) >= 1
    known = {color.hex for color in system("l2").colors}
    for color in set(colors_in(drawn)):
        variable = re.fullmatch(r"var\((--th-[a-z]+)\)", color)
        if variable:
            assert f"{variable[1]}:" in STYLE
        else:
            assert color == "rgba(0,0,0,0)" or re.fullmatch(r"#[0-9A-F]{6}", color)
    if name in ("confusion", "found"):
        sample = {color for color in colors_in(drawn) if color.startswith("#")}
        assert sample
        assert sample <= known
    # Every part that answers a click has a choice, and the choice is a slice that there is.
    assert view["picks"]
    for pick in view["picks"]:
        query = {key: ",".join(value) if key == "runs" else value for key, value in pick.items()}
        full.storage.results.count(slice_of(query))


@pytest.mark.parametrize("name", ["categories", "basic", "modifiers"])
def test_the_counts_behind_a_share_are_those_of_the_wall(full: Context, name: str) -> None:
    view = figure_view(full, name, {})
    columns = [column.replace(" ", "_") for column in view["columns"]]
    checked = 0
    for line in view["lines"]:
        values = dict(zip(columns, line["cells"], strict=True))
        if line["pick"] == NOTHING or values["passes"] == "–":
            continue
        pick = view["picks"][line["pick"]]
        runs = tuple(pick["runs"])
        meant = Slice(**{**pick, "runs": runs})
        by_status = {
            status: full.storage.results.count(replace(meant, status=status))
            for status in ("pass", "fail", "unscored")
        }
        assert by_status["pass"] == int(values["passes"])
        assert by_status["pass"] + by_status["fail"] == int(values["scored"])
        assert by_status["unscored"] == int(values["unscored"])
        checked += 1
    assert checked >= 2


@pytest.mark.parametrize("name", ["categories", "basic", "modifiers"])
def test_a_figure_counts_the_images_of_the_chosen_task_as_failures_does(
    full: Context, name: str
) -> None:
    """An image fails that has its target color on a second object too: no cell says otherwise."""
    view = figure_view(full, name, {"task": "coa"})
    assert view["title"].endswith(": COA")
    results = full.storage.results
    for line in view["lines"]:
        values = dict(zip(view["columns"], line["cells"], strict=True))
        if line["pick"] == NOTHING or values["passes"] == "–":
            continue
        pick = view["picks"][line["pick"]]
        meant = Slice(**{**pick, "runs": tuple(pick["runs"])})
        assert meant.task == "coa"
        counts = {status: results.count(replace(meant, status=status)) for status in STATUSES}
        assert counts["pass"] == int(values["passes"])
        assert counts["fail"] == int(values["scored"]) - int(values["passes"])
        assert counts["unscored"] == int(values["unscored"])
    assert results.count(Slice(task="coa", cause="leaked"))
    every = results.groups(Slice(task="coa"), ("system",))
    of_system = {"categories": TABLE_SYSTEMS, "basic": ("l2",), "modifiers": ("l3",)}[name]
    images = total(count for count in every if count.key[0] in of_system)
    assert verdicts(view["stands"]) == (images.scored, images.unscored)


def test_a_run_of_another_task_is_counted_by_that_task(context: Context, tmp_path: Path) -> None:
    """A run of COA alone opened an empty figure of CNA beside its failures."""
    plan = sample_plan("model-a", 140, 1)
    alone = tuple(prompt for prompt in plan.prompts if prompt.task == "coa")
    context.storage.runs.ingest(sample_run(tmp_path / "runs", replace(plan, prompts=alone)))
    view = figure_view(context, "categories", {})
    assert view["title"] == "Accuracy by category of object: COA"
    assert view["empty"] == ""
    assert view["published"] is None


def test_a_figure_of_objects_says_so(full: Context) -> None:
    objects = {"confusion", "drift", "found", "hues"}
    assert objects < set(KINDS)
    for name in KINDS:
        unit = "object" if name in objects else "image"
        assert f" {unit}s " in figure_view(full, name, {})["stands"], name


def test_all_verdicts_are_in_the_figure_or_told_to_be_left_out(full: Context) -> None:
    results = full.storage.results
    objects = total(results.groups(Slice(), ("asked_l2",)))
    for name in ("confusion", "drift", "found", "hues"):
        shown, out = verdicts(figure_view(full, name, {})["stands"])
        assert shown + out == objects.scored + objects.unscored
        assert out > 0
    images = total(
        count
        for count in results.groups(Slice(task="cna"), ("run", "system"))
        if count.key[1] in TABLE_SYSTEMS
    )
    assert verdicts(figure_view(full, "categories", {})["stands"]) == (
        images.scored,
        images.unscored,
    )


def test_a_figure_looks_past_its_own_choice_and_marks_it(full: Context) -> None:
    plain = figure_view(full, "confusion", {})
    chosen = plain["picks"][plain["lines"][0]["pick"]]
    again = figure_view(full, "confusion", {**chosen, "status": "fail", "cause": ""})
    assert again["lines"] == plain["lines"]
    assert [again["picks"][index] for index in again["chosen"]] == [
        pick for pick in again["picks"] if pick.items() <= chosen.items()
    ]
    assert plain["chosen"] == []
    shapes = [len(plotly_of(view["figure"])["layout"]["shapes"]) for view in (plain, again)]
    assert shapes[0] < shapes[1]
    # Another figure is narrowed by it.
    assert figure_view(full, "found", chosen)["stands"] != figure_view(full, "found", {})["stands"]


def test_a_run_that_was_chosen_in_a_figure_does_not_hide_the_others(full: Context) -> None:
    both = figure_view(full, "basic", {})
    run = both["picks"][both["lines"][0]["pick"]]["runs"][0]
    kind = both["lines"][0]["cells"][1]
    query = {"runs": run, "basic": kind, "task": "cna", "system": "l2"}
    assert {line["cells"][0] for line in figure_view(full, "basic", query)["lines"]} == {
        both["lines"][0]["cells"][0]
    }
    wide = figure_view(full, "basic", {**query, "among": "*"})
    assert wide["lines"] == both["lines"]
    assert len(wide["chosen"]) == 1


def test_the_csv_has_all_numbers(full: Context) -> None:
    for name in KINDS:
        rows = list(csv.reader(io.StringIO(figure_csv(full, name, {}))))
        view = figure_view(full, name, {})
        assert len(rows) - 1 == len(view["lines"]) + view["more"]
        assert rows[0] == [
            "rule",
            "unscored_are",
            *(column.replace(" ", "_") for column in view["columns"]),
        ]
        assert {row[0] for row in rows[1:]} == {DEFAULT_RULE}


def test_what_there_is_not_is_said(full: Context) -> None:
    with pytest.raises(BadInput, match="no figure 'nope'"):
        figure_view(full, "nope", {})
    with pytest.raises(BadInput, match="no by 'x'"):
        figure_view(full, "drift", {"by": "x"})
    with pytest.raises(BadInput):
        figure_view(full, "categories", {"category": "", "object": "no such object"})
    for name in KINDS:
        assert figure_view(full, name, {"color": "", "runs": ""})["empty"] == ""


def test_without_runs_every_figure_says_so(context: Context) -> None:
    for name in KINDS:
        view = figure_view(context, name, {})
        assert view["figure"] is None
        assert view["empty"].endswith(".")
        assert figure_csv(context, name, {}).count("\n") == 1


def test_the_routes_answer_figures_numbers_and_errors(full: Context) -> None:
    app = FastAPI()
    app.include_router(analyses_routes(full))
    client = TestClient(app)
    assert client.get("/api/explore/figures/hues?rule=truehue").json()["rule"] == "truehue"
    numbers = client.get("/api/explore/figures/hues.csv?rule=truehue")
    assert numbers.headers["content-type"] == "text/csv; charset=utf-8"
    assert numbers.text.splitlines()[1].startswith("truehue,")
    for path in ("nope", "nope.csv", "hues?sector=7", "hues.csv?rule=x"):
        refused = client.get(f"/api/explore/figures/{path}")
        assert refused.status_code == 400
        assert refused.json()["error"]


# ── the drawings ─────────────────────────────────────────────────────────────────────────────


def counted(runs: Any, passes: int = 3) -> list[Count]:
    return [
        Count((run, item, category), passes, 1, 0)
        for run in runs
        for item in TABLE_SYSTEMS
        for category in CATEGORIES
    ]


def rows_of(plot: Plot) -> list[str]:
    assert plot.figure is not None
    return list(plot.figure["down"])


def test_few_runs_show_every_system_and_many_a_row_each() -> None:
    two = categories(counted(RUNS), RUNS, Slice())
    assert len(rows_of(two)) == 8
    several = {f"{number:016x}": f"model {number}" for number in range(9)}
    assert rows_of(categories(counted(several), several, Slice())) == list(several.values())
    assert len(rows_of(categories(counted(several), several, Slice(), "l3"))) == 9
    # What people wrote is text, not markup.
    assert all("<b>" not in row for row in rows_of(two))
    # The mean has no passes of its own to count, but the images of all systems behind it.
    mean = next(line for line in two.lines if line.values[1] == "overall")
    percent, low, high, *counts = mean.values[3:]
    assert (percent, *counts) == (75.0, None, 12, None)
    assert low < 75 < high
    # Every number says of how many images.
    assert two.figure is not None
    texts = [cell["text"] for row in two.figure["cells"] for cell in row]
    assert "n 12" in str(texts)
    assert two.picks.all[mean.pick]["system"] == "l2,l3,css"


def test_a_mean_of_systems_that_no_category_has_says_so() -> None:
    some = [count for count in counted(RUNS) if count.key[1] != "css"]
    plot = categories(some, RUNS, Slice(), "overall")
    assert plot.figure is None
    assert "choose L2, L3 or CSS" in plot.empty
    assert all(line.values[3] is None for line in plot.lines)
    assert categories(some, RUNS, Slice(), "l2").figure is not None


def test_a_bar_reaches_the_ends_of_its_interval() -> None:
    plot = kinds_of_names(
        [Count(("r", "basic"), 9, 1, 0)], {"r": "a model"}, Slice(), "basic", "l3"
    )
    assert plot.figure is not None
    (dot,) = (trace for trace in plotly_of(plot.figure)["data"] if len(trace["x"]))
    low, high = Rate(9, 1, 0).interval or (0.0, 0.0)
    (below,), (above,) = dot["error_x"]["arrayminus"], dot["error_x"]["array"]
    assert (90 - below, 90 + above) == pytest.approx((low, high))
    assert below > above


def test_the_published_table_stands_as_it_was_printed() -> None:
    shown = published_categories("l2")
    printed = table("gencolorbench-table11").find(color_type="l2")
    cells = shown.figure["cells"]
    assert len(cells) == len(printed) == 9
    first = printed[0]
    assert cells[0][0]["shade"] == pytest.approx(100 - (first.values["Clothes_Acc"] or 0))
    assert f"{first.printed['Clothes_Acc']}% as published" in cells[0][0]["hover"]
    assert "arXiv:2510.20586" in shown.source
    # Nothing of ours stands behind it.
    assert {cell["pick"] for row in cells for cell in row} == {NOTHING}


def test_published_numbers_stand_beside_their_own_rule_alone(full: Context) -> None:
    shown = figure_view(full, "categories", {"rule": "paper"})["published"]
    assert shown is not None
    assert shown.title.startswith("As published")
    assert figure_view(full, "categories", {"rule": "truehue"})["published"] is None
    assert figure_view(full, "basic", {"rule": "paper"})["published"] is None


def test_many_asked_colors_are_gathered_under_names_and_the_least_left_out() -> None:
    colors = system("css").colors + system("l3").colors
    drifts = [
        Drift(
            f"{color.system}:{color.name}",
            color.name,
            color.hex,
            color.lab,
            (50.0, 0.0, 0.0),
            index + 1,
            0,
        )
        for index, color in enumerate(colors)
    ]
    few = drift(drifts[:MANY_COLORS], Slice())
    assert few.figure is not None
    assert len(few.figure["series"][-1]["rows"]) == MANY_COLORS
    assert few.picks.all[0].keys() == {"color"}
    named = drift(drifts, Slice())
    assert named.picks.all[0].keys() == {"asked_l2"}
    assert len(named.lines) <= 29
    each = drift(drifts, Slice(), "colors")
    assert each.figure is not None
    assert len(each.figure["series"][-1]["rows"]) == MAX_ARROWS
    assert len(each.lines) == len(drifts)
    left_out = f"{len(drifts) - MAX_ARROWS:,} target colors with the fewest objects"
    assert any(left_out in note for note in each.notes)
    # The head is drawn in the found color, the tail in the asked one.
    tail, head = (series["rows"] for series in each.figure["series"][-2:])
    assert {row["color"] for row in head} == {"#777777"}
    assert tail[0]["color"] == colors[-1].hex


def test_swatches_of_the_confusion_choose_a_whole_row_or_column() -> None:
    counts = [Count(("Red", "Red"), 3, 0, 0), Count(("Red", "Pink"), 0, 1, 0)]
    plot = target_measured(counts, Slice(asked_l2="Red"))
    assert {"asked_l2": "Red"} in plot.picks.all
    assert {"found_l2": "Pink"} in plot.picks.all
    assert [plot.picks.all[index] for index in plot.picks.in_use] == [{"asked_l2": "Red"}]


def test_found_colors_are_drawn_in_their_own_color() -> None:
    plot = measured_colors([Count(("Animals", "Brown"), 2, 1, 0)], Slice(found_l2="Brown"))
    assert plot.figure is not None
    ((bar,),) = (series["rows"] for series in plot.figure["series"])
    assert bar["color"] == next(c.hex for c in system("l2").colors if c.name == "Brown")
    assert bar["x"] == 100.0


def test_agreement_is_the_same_both_ways_and_keeps_the_order_of_the_rules() -> None:
    sample = agreement([RuleAgreement("released", "paper", 20, 5, 10, 15, 2)], Slice())
    names = {by.id: by.name for by in RULES}
    assert rows_of(sample) == [names["paper"], names["released"]]
    paper, released = sample.lines
    assert paper.values == ("paper", "released", 70.0, pytest.approx(0.4), 20, 10, 5, 15, 2)
    assert released.values == ("released", "paper", 70.0, pytest.approx(0.4), 20, 5, 10, 15, 2)


def test_choices_are_numbered_once_and_names_stay_apart() -> None:
    picks = Picks(Slice(category="Animals", runs=("r",)))
    assert picks.add(category="Animals", runs=["r"]) == picks.add(runs=["r"], category="Animals")
    assert picks.used(0)
    assert not picks.used(picks.add(category="Animals", runs=[]))
    assert not picks.used(NOTHING)
    long = "a model of a very long name indeed"
    names = short_names({"1" * 16: long, "2" * 16: long + " again"})
    assert len(set(names.values())) == 2


def test_a_spreadsheet_does_not_run_what_a_csv_holds(context: Context, tmp_path: Path) -> None:
    from truehue.core.spreadsheets import cell

    assert cell("=1+1") == "'=1+1"
    assert cell(None) == ""
    assert cell(12.3456789) == "12.3457"
