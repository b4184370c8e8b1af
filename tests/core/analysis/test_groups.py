"""Roll-ups of the analyses: what is summed, what is left out, and the numbers of the literature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from truehue.core.analysis.groups import (
    OVERALL,
    bands_of,
    category_cells,
    confusion,
    hue_cells,
    labs_of,
    mean_percent,
    top_measured,
)
from truehue.core.analysis.intervals import Rate, rates, total
from truehue.core.analysis.paired import (
    agree_percent,
    arrows,
    kappa,
    most_colorful,
    scored_by_both,
    swap_rules,
)
from truehue.core.analysis.records import NEUTRAL, Count, Drift, RuleAgreement
from truehue.core.color.systems import parse_target, system
from truehue.core.errors import UnknownColor


@pytest.mark.parametrize(("passes", "scored"), [(0, 3), (3, 3), (1, 1), (7, 40), (96_460, 100_000)])
def test_the_interval_is_wilsons_as_scipy_has_it(passes: int, scored: int) -> None:
    low, high = Rate(passes, scored - passes).interval or (None, None)
    known = binomtest(passes, scored).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((100 * known.low, 100 * known.high), abs=1e-9)


def test_unscored_verdicts_are_counted_and_in_no_share() -> None:
    assert Rate(3, 1, 96).percent == 75.0
    nothing = Rate(0, 0, 5)
    assert (nothing.percent, nothing.interval, nothing.unscored) == (None, None, 5)
    counts = [Count(("a", "l2"), 1, 2, 3), Count(("b", "l2"), 4, 0, 0), Count(("a", "l3"), 1, 0, 1)]
    assert rates(counts, (0,)) == {("a",): Rate(2, 2, 4), ("b",): Rate(4, 0, 0)}
    assert total(counts) == Rate(6, 2, 4)


def test_overall_is_the_mean_of_the_three_systems_or_nothing() -> None:
    counts = [
        Count(("r", "l2", "Animals"), 60, 40, 0),
        Count(("r", "l3", "Animals"), 3, 7, 9),
        Count(("r", "css", "Animals"), 0, 2, 0),
        Count(("r", "l1", "Animals"), 5, 0, 0),
        Count(("r", "l2", "Vehicles"), 1, 1, 0),
        Count(("other", "l2", "Toys"), 1, 1, 0),
    ]
    categories, cells = category_cells(counts, ["r"])
    # Those of another run are not shown, the paper's order is kept.
    assert categories == ("Vehicles", "Animals")
    shown = {(cell.system, cell.category): cell.percent for cell in cells}
    assert shown["l2", "Animals"] == 60.0
    assert shown[OVERALL, "Animals"] == pytest.approx((60 + 30 + 0) / 3)
    # Two of three would be another number.
    assert shown["l2", "Vehicles"] == 50.0
    assert shown["css", "Vehicles"] is None
    assert shown[OVERALL, "Vehicles"] is None
    assert {cell.run for cell in cells} == {"r"}
    assert mean_percent([]) is None


def test_a_row_of_the_confusion_adds_up_to_all() -> None:
    result = confusion(
        [
            Count(("Red", "Red"), 8, 1, 0),
            Count(("Red", "Pink"), 0, 3, 0),
            Count(("Black", "Gray"), 0, 2, 0),
            Count(("Red", ""), 0, 0, 7),
            Count(("No such name", "Red"), 1, 0, 0),
        ]
    )
    # In the system's order: Pink, Red, …, Gray, Black.
    assert result.asked == ("Red", "Black")
    assert result.found == ("Pink", "Red", "Gray")
    assert result.counts.tolist() == [[3, 9, 0], [0, 0, 2]]
    assert result.passes.tolist() == [[0, 8, 0], [0, 0, 0]]
    assert result.percent.tolist() == [[25, 75, 0], [0, 0, 100]]
    empty = confusion([])
    assert (empty.asked, empty.percent.shape) == ((), (0, 0))


def test_the_ten_most_found_and_the_rest() -> None:
    names = [color.name for color in system("l2").colors][:12]
    counts = [Count(("Animals", name), 0, 10 if n else 30, 0) for n, name in enumerate(names)]
    counts += [Count(("Vehicles", names[3]), 1, 0, 0), Count(("Vehicles", ""), 0, 9, 0)]
    shares = top_measured(counts)
    vehicles = [share for share in shares if share.category == "Vehicles"]
    animals = [share for share in shares if share.category == "Animals"]
    assert shares[0] == vehicles[0]
    assert [(vehicle.name, vehicle.count, vehicle.percent) for vehicle in vehicles] == [
        (names[3], 1, 100.0)
    ]
    # Equal counts keep the system's order; the rest has no name.
    assert [animal.name for animal in animals] == [*names[:10], ""]
    assert animals[-1].count == 20
    assert sum(animal.percent for animal in animals) == pytest.approx(100.0)


def test_hue_and_chroma_of_the_asked_color() -> None:
    vivid, gray = parse_target("css:red"), parse_target("css:gray")
    counts = [
        Count((vivid.value, "30"), 1, 3, 1),
        Count(("#FE0101", "30"), 1, 0, 0),
        Count((gray.value, NEUTRAL), 2, 0, 0),
        Count((gray.value, ""), 5, 0, 0),
    ]
    hue, neutral = hue_cells(counts)
    assert (hue.sector, hue.low, hue.colors, hue.rate) == ("30", 80.0, 2, Rate(2, 3, 1))
    assert np.linalg.norm(np.array(hue.lab) - np.array(vivid.lab)) < 1.0
    assert (neutral.sector, neutral.low, neutral.rate) == (NEUTRAL, 0.0, Rate(2, 0, 0))
    assert neutral.lab == pytest.approx(gray.lab)


def test_a_cell_lies_where_all_its_pictures_lie_scored_or_not() -> None:
    colors = ("#FF0000", "#E81010")
    counts = [Count((colors[0], "30"), 0, 1, 0), Count((colors[1], "30"), 0, 0, 3)]
    (cell,) = hue_cells(counts)
    first, second = (np.array(parse_target(color).lab) for color in colors)
    assert cell.lab == pytest.approx((first + 3 * second) / 4)


def test_bands_of_chroma_begin_where_they_say_and_neutral_is_its_own() -> None:
    values = [4.0, 5.0, 19.9, 20.0, 79.9, 130.0, 130.0]
    labs = np.array([(50.0, value, 0.0) for value in values])
    assert bands_of(labs, ["0"] * 6 + [NEUTRAL]).tolist() == [5, 5, 5, 20, 60, 80, 0]


def test_colors_are_read_alike_one_by_one_and_together() -> None:
    spelled = ["l3:Vivid red", "#FE0101", "css:gray", "#00ff7f"]
    one_by_one = np.array([parse_target(color).lab for color in spelled])
    assert labs_of(spelled) == pytest.approx(one_by_one)
    assert labs_of([]).shape == (0, 3)
    with pytest.raises(UnknownColor):
        labs_of(["no such color"])


def drift(color: str, result: tuple[float, float, float], count: int, passes: int = 0) -> Drift:
    target = parse_target(color)
    return Drift(target.value, target.label, target.hex, target.lab, result, count, passes)


def test_an_arrow_points_from_the_asked_to_the_found_color() -> None:
    target = parse_target("css:gray").lab
    (up,) = arrows([drift("css:gray", (target[0], target[1], target[2] + 10), 4, 1)], grouped=False)
    assert (up.value, up.name, up.count, up.percent) == ("css:gray", "gray", 4, 25.0)
    assert up.asked_hex == "#808080"
    assert up.heading_deg == pytest.approx(0.0, abs=1e-6)
    (right,) = arrows([drift("css:gray", (target[0], target[1] + 3, target[2]), 1)], grouped=False)
    assert right.heading_deg == pytest.approx(90.0)
    assert right.length_ab == pytest.approx(3.0)
    assert right.delta_e00 > 3.0
    assert arrows([drift("css:gray", target, 0)], grouped=False) == ()


def test_arrows_of_one_name_are_one_weighted_by_verdicts() -> None:
    red = parse_target("l2:Red")
    near = [drift("l2:Red", (40.0, 40.0, 20.0), 3, 3), drift(red.hex, (60.0, 0.0, 0.0), 1, 0)]
    far = drift("css:blue", (30.0, 0.0, 0.0), 9)
    first, second = arrows([*near, far], grouped=True)
    # The most verdicts first.
    assert first.value in {color.name for color in system("l2").colors}
    assert first.count == 9
    assert (second.value, second.colors, second.count, second.passes) == ("Red", 2, 4, 3)
    assert second.found_lab == pytest.approx((45.0, 30.0, 15.0))


def test_the_outline_is_made_of_colors_that_srgb_has_and_is_closed() -> None:
    line = most_colorful()
    assert line[0] == pytest.approx(line[-1])
    assert line[0] == pytest.approx(parse_target("#FF0000").lab[1:])
    for hex_ in ("#FFFF00", "#00FF00", "#00FFFF", "#0000FF", "#FF00FF"):
        assert np.abs(line - np.array(parse_target(hex_).lab[1:])).sum(axis=1).min() < 1e-9
    # No color of the systems lies outside in a*b*: none is further out at its own angle.
    angle = np.arctan2(line[:-1, 1], line[:-1, 0])
    order = np.argsort(angle)
    reach = np.hypot(*line[:-1][order].T)
    for color in system("css").colors:
        a, b = color.lab[1:]
        limit = np.interp(np.arctan2(b, a), angle[order], reach, period=2 * np.pi)
        assert np.hypot(a, b) <= limit + 1.0


def test_kappa_is_cohens() -> None:
    # The textbook's table of 20, 5, 10 and 15 gives 0.4.
    pair = RuleAgreement("a", "b", 20, 5, 10, 15, 3)
    assert (scored_by_both(pair), agree_percent(pair)) == (50, 70.0)
    assert kappa(pair) == pytest.approx(0.4)
    assert swap_rules(pair) == RuleAgreement("b", "a", 20, 10, 5, 15, 3)
    assert kappa(swap_rules(pair)) == pytest.approx(0.4)
    assert kappa(RuleAgreement("a", "b", 4, 0, 0, 0, 0)) is None
    nothing = RuleAgreement("a", "b", 0, 0, 0, 0, 9)
    assert (agree_percent(nothing), kappa(nothing)) == (None, None)
