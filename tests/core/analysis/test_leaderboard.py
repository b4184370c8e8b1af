"""The leaderboard's numbers: what is averaged, what is left out, what an interval covers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from truehue.core.analysis.intervals import interval, ratios, resampled_sums
from truehue.core.analysis.leaderboard import (
    AVERAGED,
    BOOTSTRAP,
    LEFT_OUT,
    POOLED,
    TABLE_TASKS,
    WILSON,
    WRONG,
    LeaderboardEntry,
    interval_text,
    leaderboard,
)
from truehue.core.analysis.records import NO_SYSTEM, TABLE_SYSTEMS, PromptTally
from truehue.core.errors import BadInput


def tally(
    task: str, system: str, passes: int, scored: int = 4, prompts: int = 10, run_id: str = "a"
) -> PromptTally:
    return PromptTally(run_id, task, system, passes, scored, 4, prompts)


# All pictures of L2 pass, half of L3's, none of CSS's; L3 has most prompts.
CNA = [tally("cna", "l2", 4), tally("cna", "l3", 2, prompts=30), tally("cna", "css", 0)]
# In the other tasks every system has one prompt with all right and three with one of four.
OTHERS = [
    tally(task, system, passes, prompts=prompts)
    for task in TABLE_TASKS[1:]
    for system in TABLE_SYSTEMS
    for passes, prompts in ((4, 1), (1, 3))
]


def row(
    tallies: list[PromptTally], systems: str = AVERAGED, unscored: str = LEFT_OUT
) -> LeaderboardEntry:
    return leaderboard(tallies, systems, unscored)["a"]


def test_a_task_is_the_mean_of_three_systems_and_not_of_its_pictures() -> None:
    level_1 = [tally("cna", "l1", 4, prompts=1000)]
    assert row([*CNA, *level_1]).cells["cna"].rate.percent == pytest.approx(50)
    assert row([*CNA, *level_1], POOLED).cells["cna"].rate.percent == pytest.approx(
        100 * (10 * 4 + 30 * 2) / (50 * 4)
    )
    assert row([*CNA, *level_1], "l1").cells["cna"].rate.percent == 100
    assert row(CNA, "l3").cells["cna"].rate.percent == 50
    assert "cna" not in row(CNA, "l1").cells
    parts = row(CNA).cells["cna"].parts
    assert [(name, part.percent, part.prompts) for name, part in parts.items()] == [
        ("l2", 100, 10),
        ("l3", 50, 30),
        ("css", 0, 10),
    ]


@pytest.mark.parametrize(
    ("row_of", "overall"),
    [
        # arXiv:2510.20586, Table 11, css, l2, l3 and overall of Clothes_Acc; four different models.
        ((39.5554, 60.4044, 51.9078), 50.6226),
        ((41.3814, 62.1486, 56.5794), 53.3700),
        ((24.0822, 46.4100, 42.8400), 37.7774),
        ((34.1496, 47.9706, 46.6140), 42.9114),
    ],
)
def test_the_paper_averages_systems_alike(row_of: tuple[float, ...], overall: float) -> None:
    """Prompts enough that the published percents are whole numbers of pictures."""
    parts = [
        part
        for system, percent in zip(("css", "l2", "l3"), row_of, strict=True)
        for part in (
            PromptTally("a", "cna", system, 1, 1, 1, round(percent * 10_000)),
            PromptTally("a", "cna", system, 0, 1, 1, 1_000_000 - round(percent * 10_000)),
        )
    ]
    assert row(parts).cells["cna"].rate.percent == pytest.approx(overall, abs=0.001)


def test_average_needs_all_five_tasks_in_all_their_systems() -> None:
    whole = row([*CNA, *OTHERS])
    other = 100 * (4 + 3) / 16
    assert whole.missing == ()
    assert whole.average.percent == pytest.approx((50 + 4 * other) / 5)
    average = whole.average
    assert average.low is not None
    assert average.high is not None
    assert average.low < (average.percent or 0) < average.high
    without = [item for item in [*CNA, *OTHERS] if item.task != "moc"]
    assert row(without).missing == ("moc",)
    assert row(without).average.percent is None
    partly = [item for item in [*CNA, *OTHERS] if (item.task, item.system) != ("ica", "css")]
    assert row(partly).cells["ica"].missing == ("css",)
    assert row(partly).missing == ("ica",)


def test_unscored_pictures_are_left_out_or_wrong_and_always_counted() -> None:
    tallys = [tally("cna", system, 1, scored=2) for system in TABLE_SYSTEMS]
    left, wrong = row(tallys).cells["cna"].rate, row(tallys, unscored=WRONG).cells["cna"].rate
    assert (left.percent, wrong.percent) == (50, 25)
    for rate in (left, wrong):
        assert (rate.passes, rate.scored, rate.images, rate.unscored) == (30, 60, 120, 60)
    none = row([tally("cna", system, 0, scored=0) for system in TABLE_SYSTEMS])
    assert none.cells["cna"].rate.percent is None
    assert none.cells["cna"].rate.unscored == 120
    assert "cna" in none.missing
    # One system without a score: two thirds of a mean are no mean, and the cell says so.
    some = row([*CNA[:2], tally("cna", "css", 0, scored=0), *OTHERS])
    assert some.cells["cna"].rate.percent == 75
    assert some.cells["cna"].systems == ("l2", "l3")
    assert some.cells["cna"].missing == ("css",)
    assert (some.missing, some.average.percent) == (("cna",), None)


def test_prompts_without_a_color_system_count() -> None:
    bare = [tally("cna", "", 4, prompts=3), tally("cna", "", 0, prompts=1)]
    for systems in (AVERAGED, POOLED):
        cell = row(bare, systems).cells["cna"]
        assert (cell.rate.percent, cell.systems) == (75, (NO_SYSTEM,))
        assert cell.missing == TABLE_SYSTEMS
    assert "cna" not in row(bare, "l3").cells
    # Beside color systems they are in what is pooled, and said where systems are averaged.
    pooled, averaged = (row([*CNA, *bare], item).cells["cna"] for item in (POOLED, AVERAGED))
    assert pooled.rate.percent == pytest.approx(100 * (10 * 4 + 30 * 2 + 3 * 4) / (54 * 4))
    assert (pooled.systems, pooled.apart) == ((*TABLE_SYSTEMS, NO_SYSTEM), None)
    assert averaged.rate == row(CNA).cells["cna"].rate
    assert averaged.apart is not None
    assert averaged.apart.images == 16


def test_wilson_over_prompts_where_resampling_has_no_width() -> None:
    """Held against statsmodels' Wilson with a prompt for a trial, not an image."""
    from statsmodels.stats.proportion import proportion_confint

    for passes, share in ((4, 1.0), (0, 0.0), (2, 0.5)):
        item = row([tally("cna", "l2", passes, prompts=30)], "l2").cells["cna"].rate
        expected = proportion_confint(share * 30, 30, method="wilson")
        assert (item.low, item.high) == pytest.approx([100 * end for end in expected], abs=1e-9)
        assert (item.percent, item.method) == (100 * share, WILSON)
    assert row([tally("cna", "l2", 4, prompts=1)], "l2").cells["cna"].rate.low is not None


def test_a_part_without_spread_does_not_narrow_the_mean() -> None:
    """L2 all pass, L3 half, CSS none: a bootstrap of their mean would be certain of the mean."""
    from statsmodels.stats.proportion import proportion_confint

    rate = row(CNA).cells["cna"].rate
    half = [100 * end for end in proportion_confint(15, 30, method="wilson")]
    all_of_10 = 100 * proportion_confint(10, 10, method="wilson")[0]
    below = np.sqrt((100 - all_of_10) ** 2 + (50 - half[0]) ** 2) / 3
    assert rate.low == pytest.approx(50 - below)
    assert rate.high == pytest.approx(100 - rate.low)
    spread = [*CNA[1:], tally("cna", "l2", 3, prompts=5), tally("cna", "l2", 1, prompts=5)]
    assert row([*spread]).cells["cna"].rate.method == WILSON
    every = [
        tally(*key, passes)
        for key in (("cna", item) for item in TABLE_SYSTEMS)
        for passes in (1, 3)
    ]
    assert row(every).cells["cna"].rate.method == BOOTSTRAP
    # One task at 100 of a few prompts: the average stays as wide as it must.
    average = row([*CNA, *OTHERS]).average
    assert average.method == WILSON
    assert average.low is not None
    assert average.low < average.percent < average.high  # type: ignore[operator]


def test_runs_stand_apart_and_other_tasks_beside() -> None:
    free = PromptTally("a", "free", "", 3, 4, 4, 5)
    rows = leaderboard([*CNA, free, tally("cna", "l2", 0, run_id="b")])
    assert list(rows) == ["a", "b"]
    assert rows["a"].others["free"].percent == 75
    assert rows["a"].images == 220
    assert rows["b"].cells["cna"].missing == ("l3", "css")


def test_the_same_prompts_give_the_same_interval() -> None:
    spread = [
        tally("cna", system, passes, prompts=9) for system in TABLE_SYSTEMS for passes in range(5)
    ]
    split = [
        PromptTally("a", item.task, item.system, item.passes, item.scored, item.images, count)
        for item in reversed(spread)
        for count in (4, 5)
    ]
    assert row(spread).cells["cna"].rate == row(split).cells["cna"].rate
    renamed = leaderboard([replace(item, run_id="b") for item in spread])["b"]
    assert renamed.cells["cna"].rate == row(spread).cells["cna"].rate


def test_every_number_has_an_interval() -> None:
    alike = row([tally("cna", system, 4) for system in TABLE_SYSTEMS]).cells["cna"].rate
    assert alike.percent == alike.high == 100
    assert alike.low is not None
    # One prompt of two has a score: every fourth resample has none.
    rare = [
        tally("cna", system, passes, scored, prompts=1)
        for system in TABLE_SYSTEMS
        for passes, scored in ((2, 4), (0, 0))
    ]
    rate = row(rare).cells["cna"].rate
    assert (rate.percent, rate.method) == (50, WILSON)
    assert rate.low is not None
    assert rate.low < 50 < rate.high  # type: ignore[operator]
    for systems in ("averaged", "pooled", "l2"):
        for cell in row([*CNA, *OTHERS], systems).cells.values():
            assert cell.rate.low is not None
            assert all(part.low is not None for part in cell.parts.values())


def test_an_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """400 simulated tasks of 150 prompts whose four pictures are alike. 95% is promised; with
    Monte Carlo's 1.1 points of standard deviation, and what a percentile interval lacks, 92 to 98
    are asked. Intervals over pictures, as if each were its own prompt, would cover far less."""
    rng = np.random.default_rng(3)
    truth, inside, inside_pictures = 0.3, 0, 0
    for _ in range(400):
        scored = 4 - rng.binomial(4, 0.1, 150)
        passes = rng.binomial(scored, rng.beta(0.6, 1.4, 150))
        prompts = Counter(zip(passes.tolist(), scored.tolist(), strict=True))
        counter = Counter({(1, 1): int(passes.sum()), (0, 1): int((scored - passes).sum())})
        for counts, add in ((prompts, (1, 0)), (counter, (0, 1))):
            low, high = interval(ratios(resampled_sums(counts, "test"))) or (0.0, 0.0)
            covered = low <= 100 * truth <= high
            inside, inside_pictures = inside + add[0] * covered, inside_pictures + add[1] * covered
    assert 0.92 <= inside / 400 <= 0.98
    assert inside_pictures / 400 < 0.85


def test_few_prompts_are_said() -> None:
    enough = [tally("cna", system, 2, prompts=20) for system in TABLE_SYSTEMS]
    assert not row(enough).cells["cna"].few
    few = [*enough[:2], *(tally("cna", "css", passes, prompts=9) for passes in (1, 3))]
    assert row(few).cells["cna"].few
    assert interval_text(row(few).cells["cna"].rate, True).startswith("≈")
    assert not row(few).cells["cna"].parts["l2"].few
    # So are few prompts that score alike, though Wilson's interval is made for few.
    assert row([*enough[:2], tally("cna", "css", 2, prompts=19)]).cells["cna"].few


def test_a_choice_that_is_none_is_named() -> None:
    with pytest.raises(BadInput, match=r"'l4'.*averaged, pooled"):
        leaderboard(CNA, "l4")
    with pytest.raises(BadInput, match="left-out, not-found, wrong"):
        leaderboard(CNA, AVERAGED, "ignored")
