"""Why not the paper's number: planted differences come back, each by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.empty_data import empty_data
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput
from truehue.core.files import content_path, write_once
from truehue.core.images.load import encode_png, image_id
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.published import table
from truehue.core.reproduce import gencolorbench
from truehue.core.reproduce.attribution import Gap
from truehue.core.reproduce.leaderboard_gap import CategoryNumbers, Counting, run_gaps
from truehue.core.reproduce.recipe import ReproduceContext, find
from truehue.core.reproduce.recipes import RECIPES
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import ItemResult, MaskerSpec, ObjectVerdict, RunPlan
from truehue.core.runs.shards import write_shard
from truehue.core.verdict.rules import rule
from truehue.storage import Storage
from truehue.tabs.explore.gap import gap_view
from truehue.tabs.page.context import Context
from truehue.tabs.shell.compose import make_context

SYSTEMS = {"l2": ("l2:Red", 40, 16), "l3": ("l3:Vivid red", 80, 8), "css": ("css:red", 40, 12)}
"""A color, how many prompts, and how many of 20 pass by ``truehue``."""
NOT_FOUND = {"l2": 4, "l3": 8, "css": 4}
IMAGES, FEWER = 6, 6
"""Images a prompt; of the last two, so many fewer of 20 pass."""
RULES = tuple((by, rule(by).version) for by in ("truehue", "paper"))
RULE, MASKS = 1, 2
"""So many more of 20 pass by the rule ``paper``, and with the other masks."""


def prompts() -> tuple[Prompt, ...]:
    made = []
    for system, (color, count, _) in SYSTEMS.items():
        target = ObjectTarget("car", parse_target(color), category="Vehicles")
        for index in range(count + NOT_FOUND[system]):
            text = f"A car, {system}, number {index}"
            made.append(Prompt(f"{system}-{index}", text, "cna", (target,), system, "planted"))
    return tuple(made)


def stored_image(folder: RunFolder) -> str:
    """The id of an image that is stored in a run."""
    srgb8 = np.full((8, 8, 3), 128, dtype=np.uint8)
    image = image_id(srgb8)
    write_once(content_path(folder.images, image), encode_png(srgb8))
    return image


def planted(root: Path, masker: MaskerSpec, more: int, name: str) -> RunFolder:
    """A run in which exactly so many images pass; of every run the images are the same."""
    plan = RunPlan(
        name, "planted", prompts(), "flux.1-dev", images=IMAGES, seed=40, rules=RULES, masker=masker
    )
    folder = RunFolder.create(root, plan)
    image = stored_image(folder)
    results = []
    for position in range(plan.total):
        number, of_prompt = divmod(position, IMAGES)
        prompt = plan.prompts[number]
        _, count, passes = SYSTEMS[prompt.system]
        index = int(prompt.id.partition("-")[2])
        verdicts = []
        for rule_id, version in RULES:
            limit = passes + more + (RULE if rule_id == "paper" else 0)
            limit -= FEWER if of_prompt >= 4 else 0
            status = "pass" if index % 20 < limit else "fail"
            status = status if index < count else "unscored"
            cause = {"pass": "", "fail": "hue", "unscored": "not-found"}[status]
            verdicts.append(
                ObjectVerdict(
                    rule_id,
                    version,
                    0,
                    "car",
                    "matches",
                    status,
                    "presence" if status == "unscored" else "",
                    cause,
                    "planted",
                    status,
                    "planted",
                    True,
                )
            )
        results.append(
            ItemResult(
                position,
                number,
                of_prompt,
                1,
                "drawn",
                image_id=image,
                width=8,
                height=8,
                seed=plan.seed + of_prompt,
                verdicts=tuple(verdicts),
            )
        )
    write_shard(folder.shard_folder / "w0-0.parquet", results)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Context, str]]:
    root = tmp_path_factory.mktemp("gap")
    ours = MaskerSpec("grounded", "grounding-dino-base", "sam-vit-h", "", "truehue")
    theirs = replace(ours, variant="paper")
    with Storage.open(empty_data(root / "data")) as storage:
        context = make_context(storage, "data")
        for folder in (
            planted(root / "data" / "runs", ours, 0, "ours"),
            planted(root / "data" / "runs", theirs, MASKS, "the same images, other masks"),
        ):
            storage.runs.ingest(folder)
        (run,) = (run for run in storage.runs.all() if run.name == "ours")
        yield context, run.run_id
        context.close()


def gap_of(made: tuple[Context, str], **changes: object) -> Gap:
    context, run = made
    runs = context.storage.runs.all()
    counting = replace(Counting("truehue", "pooled"), **changes)  # type: ignore[arg-type]
    published = table("gencolorbench-table4")
    (gap,) = run_gaps(
        context.storage.results,
        context.storage.runs.get(run),
        runs,
        counting,
        published.row(model="Flux"),
        published.columns,
    )
    return gap


def test_every_planted_difference_comes_back_within_half_a_point(made: tuple[Context, str]) -> None:
    gap = gap_of(made)
    assert (gap.column, gap.ours) == ("Color Name Accuracy", pytest.approx(45.0))
    shares = {entry.name: entry.points for entry in gap.differences if entry.evaluable}
    assert shares == pytest.approx(
        {
            "Images a prompt": 10.0,  # the first four of six have 30 points more than the last two
            "Seeds": -5.0,  # 42 to 45 are two of the first four and the last two
            "Masks (paper)": 10.0,
            "Rule (paper)": 5.0,
            "Aggregate": 5.0,  # level 3 has half of the prompts and the lowest share
            "Not found": 45.0 * (160 / 176 - 1),
        },
        abs=0.5,
    )


CAR = ObjectTarget("car", parse_target("l2:Red"), category="Vehicles")
CONTEXT = (CAR, ObjectTarget("road", role="bystander"))


@pytest.fixture
def shares_of(tmp_path: Path) -> Iterator[Callable[..., dict[str, tuple[float, float]]]]:
    """By column our number, and how far contextual prompts move it. Of 20 images of a name 10 pass;
    of 20 contextual ones the car is red in 12, not red in 4 and not found in 4, and in every second
    one the road is red, too. ``systems`` are those of the two."""
    with Storage.open(empty_data(tmp_path / "data")) as storage:

        def shares(counting: Counting, systems: Sequence[str]) -> dict[str, tuple[float, float]]:
            prompts = tuple(
                Prompt(
                    f"{task}-{index}", f"A car, {task} {index}", task, targets, system, "planted"
                )
                for task, targets, system in zip(
                    ("cna", "coa"), ((CAR,), CONTEXT), systems, strict=True
                )
                for index in range(20)
            )
            plan = RunPlan(
                " ".join(systems), "planted", prompts, "flux.1-dev", images=1, rules=RULES[:1]
            )
            folder = RunFolder.create(tmp_path / "data" / "runs", plan)
            image = stored_image(folder)
            results = [_contextual(image, plan.seed, number) for number in range(plan.total)]
            write_shard(folder.shard_folder / "w0-0.parquet", results)
            storage.runs.ingest(folder)
            (run,) = (run for run in storage.runs.all() if run.name == plan.name)
            published = table("gencolorbench-table4")
            row = published.row(model="Flux")
            gaps = run_gaps(storage.results, run, (), counting, row, published.columns)
            moved = {gap.column: {by.name: by.points for by in gap.differences} for gap in gaps}
            return {gap.column: (gap.ours, moved[gap.column]["Contextual prompts"]) for gap in gaps}

        yield shares


def _contextual(image: str, seed: int, number: int) -> ItemResult:
    index, is_contextual = number % 20, number >= 20
    statuses = ["pass" if index < 10 else "fail"]
    if is_contextual:
        car = "pass" if index < 12 else "fail" if index < 16 else "unscored"
        statuses = [car, "fail" if index % 2 else "pass"]
    whole = next(by for by in ("fail", "unscored", "pass") if by in statuses)
    verdicts = tuple(
        ObjectVerdict(
            *RULES[0],
            target,
            *(("car", "matches") if target == 0 else ("road", "differs")),
            *(status, "presence" if status == "unscored" else ""),
            {"pass": "", "fail": "hue", "unscored": "not-found"}[status],
            *("planted", whole, "planted"),
            target == statuses.index(whole),
        )
        for target, status in enumerate(statuses)
    )
    return ItemResult(
        *(number, number, 0, 1, "drawn"),
        image_id=image,
        width=8,
        height=8,
        seed=seed,
        verdicts=verdicts,
    )


@pytest.mark.parametrize(
    ("unscored", "ours", "after"),
    [("left-out", 50.0, 100 * 22 / 36), ("not-found", 50.0, 55.0), ("wrong", 50.0, 55.0)],
)
@pytest.mark.parametrize("systems", ["l2", "averaged", "pooled"])
def test_contextual_prompts_count_by_their_main_object(
    shares_of: Callable[..., dict[str, tuple[float, float]]],
    unscored: str,
    ours: float,
    after: float,
    systems: str,
) -> None:
    shares = shares_of(Counting("truehue", systems, unscored), ("l2", "l2"))
    assert shares["Color Name Accuracy"] == pytest.approx((ours, after - ours))
    assert shares["Color-Object Association"][1] == 0.0


def test_contextual_prompts_count_in_the_systems_of_color_name_accuracy(
    shares_of: Callable[..., dict[str, tuple[float, float]]],
) -> None:
    counting = Counting("truehue", "averaged", "wrong")
    for systems, after in ((("", ""), 55.0), (("", "l2"), 50.0), (("l2", ""), 50.0)):
        shares = shares_of(counting, systems)
        assert shares["Color Name Accuracy"] == pytest.approx((50.0, after - 50.0)), systems


def test_a_category_of_table_11_has_the_same_differences(
    made: tuple[Context, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    context, run = made
    published = table("gencolorbench-table11")
    results = context.storage.results
    gaps = run_gaps(
        results,
        context.storage.runs.get(run),
        context.storage.runs.all(),
        Counting("truehue"),
        published.row(model="Flux", color_type="l2"),
        published.columns,
        CategoryNumbers(results, "l2"),
    )
    (gap,) = gaps
    assert (gap.column, gap.ours) == ("Vehicle", pytest.approx(70.0))
    shares = {entry.name: entry.points for entry in gap.differences if entry.evaluable}
    assert shares == pytest.approx(
        {"Masks (paper)": 10.0, "Rule (paper)": 5.0, "Not found": 70.0 * (40 / 44 - 1)}
    )
    # Some seeds alone are not counted by category: that needs a run.
    needing = {entry.name for entry in gap.differences if not entry.evaluable}
    assert {"Images a prompt", "Seeds"} <= needing
    # The recipe's rows are by the paper's rule, and the mean of all systems.
    monkeypatch.setattr(gencolorbench, "rows_of", lambda *_: [("flux.1-dev", run)])
    recipe = find(RECIPES, "gencolorbench", "table", "11")
    (gap,) = recipe.attribution(ReproduceContext(Path(), storage=context.storage))
    assert (gap.keys["color_type"], gap.column) == ("overall", "Vehicle")
    assert gap.ours == pytest.approx((75.0 + 35.0 + 55.0) / 3)


def test_what_no_stored_row_tells_needs_a_run_with_its_command(made: tuple[Context, str]) -> None:
    gap = gap_of(made)
    rest = {entry.name: entry for entry in gap.differences if not entry.evaluable}
    assert "Prompts" in rest
    assert "--variant released --segmenter" not in rest["Masks (released)"].command
    assert "--segmenter sam2.1-hiera-large --variant released" in rest["Masks (released)"].command
    assert rest["Presence question"].command.endswith("--presence janus-pro-1b")
    assert rest["Rule (released)"].command.endswith("--rules released")
    assert "--protocol gencolorbench-released" in rest["Steps and guidance"].command
    (seeds,) = (entry for entry in gap.differences if entry.name == "Seeds")
    assert "Between seeds of this run the number differs by 30.0 points." in seeds.sentence
    assert all(entry.command for entry in rest.values())


def test_a_difference_that_is_none_is_not_listed(made: tuple[Context, str]) -> None:
    gap = gap_of(made, systems="averaged", unscored="not-found", rule="paper")
    names = {entry.name for entry in gap.differences}
    assert not names & {"Aggregate", "Not found", "Rule (paper)"}


def test_the_page_gets_the_shares_of_all_columns(made: tuple[Context, str]) -> None:
    context, run = made
    view = gap_view(context, {"run": run, "model": "Flux", "rule": "truehue", "systems": "pooled"})
    assert [column["id"] for column in view["columns"]] == ["cna"]
    shares = {row["name"]: row["cells"] for row in view["rows"]}
    assert shares["Images a prompt"]["cna"] == "+10.0"
    assert view["missing"]["cna"] == "-11.3"
    assert {row["name"] for row in view["runs"]} >= {"Prompts", "Presence question"}
    with pytest.raises(BadInput, match="no row with model"):
        gap_view(context, {"run": run, "model": "SDXL"})
