"""Tables of alignment, with every number written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Event
from typing import Any

import numpy as np
import pytest

from tests.core.concepts.cells import (
    APPLE,
    CABIN,
    DARK,
    LIGHT,
    LONELY,
    MANGO,
    MIDDLE,
    ROTTEN,
    bins,
    cell,
    only,
)
from truehue.core.concepts.records import PIXELS, ConceptCell
from truehue.core.concepts.scores import (
    NO_PEOPLE,
    NOT_COMMON,
    NOT_DRAWN,
    REASONS,
    UNDEFINED,
    UNMEASURED,
    by_id,
    compared,
    scores,
)
from truehue.core.concepts.tables import Alignment, TableChoice, alignment
from truehue.core.errors import BadInput

# Bins of L* 50 at the hues 3 and 93 degrees, 25 from the neutral one.
RED, YELLOW = 31, 42


def table_of(
    cells: Sequence[ConceptCell], people: Mapping[str, np.ndarray], **how: Any
) -> Alignment:
    result = alignment(cells, people, TableChoice(**how))
    assert result is not None
    return result


def test_every_metric_of_one_concept() -> None:
    table = table_of([cell("r", MANGO, only(YELLOW))], {MANGO: only(RED)})
    index = {metric: table.number("r", "base", "photo", metric).value for metric in table.metrics}
    # Two points of a mass of one: covariance -1/71, variances 70/71; a right angle of sides of 25.
    assert index["pcc"] == pytest.approx(-1 / 70)
    assert index["emd_lab"] == pytest.approx(25 * 2**0.5)
    assert index["entropy_difference"] == 0.0
    assert index["dca"] == 0.0
    assert index["delta_hue_deg"] == pytest.approx(90.0)
    assert index["delta_hue_literal_deg"] == pytest.approx(90.0)


def test_means_are_over_concepts_of_the_group_and_style() -> None:
    people = {MANGO: only(DARK), APPLE: only(DARK), ROTTEN: only(DARK), LONELY: only(DARK)}
    cells = [
        cell("r", MANGO, only(MIDDLE)),  # 25 in L*
        cell("r", APPLE, only(LIGHT)),  # 50
        cell("r", ROTTEN, only(DARK)),  # 0
        cell("r", LONELY, bins(b25=0.5, b26=0.5)),  # half the mass by 25
        cell("r", MANGO, only(DARK), "cartoon"),
    ]
    table = table_of(cells, people)
    assert table.groups == ("base", "visual state", "emotional")
    assert table.styles == ("photo", "cartoon")
    assert table.concepts == {"base": 2, "visual state": 1, "emotional": 1}
    emd = {
        (group, style): table.number("r", group, style, "emd_lab")
        for group in table.groups
        for style in table.styles
    }
    assert emd["base", "photo"].value == pytest.approx(37.5)
    assert emd["base", "photo"].count == 2
    assert emd["visual state", "photo"].value == 0.0
    assert emd["emotional", "photo"].value == pytest.approx(12.5)
    assert emd["base", "cartoon"].value == 0.0
    assert emd["base", "cartoon"].left_out == {NOT_DRAWN: 1}
    assert emd["emotional", "cartoon"].value is None
    assert table.number("r", "base", "photo", "dca").value == 0.0
    assert table.number("r", "visual state", "photo", "dca").value == 1.0
    # One half of each of two: ln 2 against 0; of equals the first is dominant, which is DARK.
    mood = table.number("r", "emotional", "photo", "entropy_difference").value
    assert mood == pytest.approx(np.log(2))
    assert table.number("r", "emotional", "photo", "dca").value == 1.0


def test_what_is_left_out_is_counted_with_its_reason() -> None:
    cells = [
        cell("r", MANGO, only(MIDDLE)),
        cell("r", APPLE, None),
        cell("r", CABIN, only(RED)),
        cell("r", "concept-0044", np.full(71, 1 / 71)),
    ]
    people = dict.fromkeys((MANGO, APPLE, "concept-0042", "concept-0044"), only(RED))
    table = table_of(cells, people)
    pcc = table.number("r", "base", "photo", "pcc")
    hue = table.number("r", "base", "photo", "delta_hue_deg")
    literal = table.number("r", "base", "photo", "delta_hue_literal_deg")
    common = {UNMEASURED: 1, NO_PEOPLE: 1, NOT_DRAWN: 1}
    # The even distribution correlates with nothing, and its dominant bin, the first, is blue.
    assert (pcc.count, pcc.left_out) == (1, {**common, UNDEFINED: 1})
    # A neutral has no hue; as written it has 0 degrees, 3 from the red.
    assert (hue.count, hue.left_out) == (1, {**common, UNDEFINED: 1})
    assert (literal.count, literal.left_out) == (2, common)
    assert literal.value is not None
    assert hue.value is not None
    assert 2 * literal.value - hue.value == pytest.approx(3.0)
    assert set(pcc.left_out) <= REASONS.keys()
    assert sum(pcc.left_out.values()) + pcc.count == table.concepts["base"] == 5


def test_common_takes_the_concepts_that_all_rows_have() -> None:
    people = {MANGO: only(DARK), APPLE: only(DARK)}
    cells = [
        cell("a", MANGO, only(MIDDLE)),
        cell("a", APPLE, only(LIGHT)),
        cell("b", MANGO, only(MIDDLE)),
        cell("empty", MANGO, None),
    ]
    apart, shared = table_of(cells, people), table_of(cells, people, common=True)
    assert apart.number("a", "base", "photo", "emd_lab").value == pytest.approx(37.5)
    number = shared.number("a", "base", "photo", "emd_lab")
    assert number.value == pytest.approx(25.0)
    assert number.count == 1
    assert number.left_out == {NOT_COMMON: 1}
    assert number.place == shared.number("b", "base", "photo", "emd_lab").place == 1
    assert shared.number("empty", "base", "photo", "emd_lab").value is None
    assert apart.number("b", "base", "photo", "emd_lab").place == 1
    assert apart.number("a", "base", "photo", "emd_lab").place == 2


def test_by_category_and_chosen_kinds() -> None:
    people = {concept: only(DARK) for concept in (MANGO, ROTTEN, CABIN)}
    cells = [
        cell("r", MANGO, only(MIDDLE)),
        cell("r", ROTTEN, only(LIGHT)),
        cell("r", CABIN, only(DARK)),
    ]
    table = table_of(cells, people, by="category")
    assert table.groups == ("Fruits", "Buildings")
    assert table.number("r", "Fruits", "photo", "emd_lab").value == pytest.approx(37.5)
    resources = table_of(cells, people, by="category", kinds=("base",))
    assert resources.number("r", "Fruits", "photo", "emd_lab").value == pytest.approx(25.0)
    fruits = table_of(cells, people, categories=("Fruits",))
    assert fruits.number("r", "base", "photo", "emd_lab").value == pytest.approx(25.0)


def test_a_scale_is_chosen_and_unknown_concepts_are_named() -> None:
    cells = [
        cell("r", MANGO, only(MIDDLE), guidance=3.0),
        cell("r", MANGO, only(LIGHT)),
        cell("r", "made-up", only(LIGHT)),
    ]
    table = table_of(cells, {MANGO: only(DARK), "banana split": only(DARK)})
    assert table.number("r", "base", "photo", "emd_lab").value == pytest.approx(50.0)
    assert table.unknown == ("banana split", "made-up")
    assert table.people == 1
    scaled = table_of(cells, {MANGO: only(DARK)}, guidance=3.0)
    assert scaled.number("r", "base", "photo", "emd_lab").value == pytest.approx(25.0)


def test_without_people_every_concept_says_so() -> None:
    table = table_of([cell("r", MANGO, only(DARK))], {})
    assert table.number("r", "base", "photo", "pcc").left_out == {NO_PEOPLE: 1}


def test_bad_input_is_refused() -> None:
    item = cell("r", MANGO, only(DARK))
    with pytest.raises(BadInput, match="two distributions"):
        alignment([item, item], {})
    with pytest.raises(BadInput, match="different ways"):
        alignment([item, cell("r", APPLE, only(DARK), method=PIXELS)], {})
    with pytest.raises(BadInput, match="no metric 'deltaE'"):
        alignment([item], {}, TableChoice(metrics=("deltaE",)))
    with pytest.raises(BadInput, match="by kind or by category"):
        alignment([item], {}, TableChoice(by="size"))
    with pytest.raises(BadInput, match="People's distribution of concept-0060 sums to 2"):
        alignment([item], {MANGO: 2 * only(DARK)})


def test_progress_is_told_and_a_stop_is_obeyed() -> None:
    ids = list(by_id())[:450]
    cells = [cell("r", concept_id, only(DARK)) for concept_id in ids]
    people = dict.fromkeys(ids, only(LIGHT))
    messages: list[tuple[int, int]] = []
    assert scores(cells, people, lambda done, total: messages.append((done, total))) is not None
    assert messages == [(200, 450), (400, 450), (450, 450)]
    stop = Event()
    stop.set()
    assert alignment(cells, people, stop=stop) is None
    late = Event()
    assert scores(cells, people, lambda done, total: late.set(), late) is None


def test_what_was_compared_is_not_compared_again() -> None:
    p, q = bins(b3=0.25, b9=0.75), bins(b4=1.0)
    assert compared(p, q) is compared(p.copy(), q.copy())
    assert compared(p, q) is not compared(q, p)
