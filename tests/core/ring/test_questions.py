"""The questions of a sealed set, read without its images, do not tell the answers."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import parse_target
from truehue.core.ring.folder import questions_text
from truehue.core.ring.plan import PROBE, RIGHT, RingPlan, make_plan

Rows = list[dict[str, str]]
Attack = Callable[[Rows, Rows], dict[str, float]]
"""A number for each code of an image's rows, given all rows: the largest is taken for the truth."""


@pytest.fixture(scope="module")
def plan() -> RingPlan:
    return make_plan(12345, 600, 64)


@pytest.fixture(scope="module")
def rows(plan: RingPlan) -> Rows:
    return list(csv.DictReader(questions_text(plan).splitlines()))


def code(row: dict[str, str]) -> str:
    """The code of a row's color, as everybody can look it up."""
    return _color(row["color"] or row["hex"], row["system"] or None).hex.upper()


_color = cache(parse_target)


def _labs(codes: list[str]) -> np.ndarray:
    return np.array([_color(entry, None).lab for entry in codes])


def most_frequent(rows: Rows, _: Rows) -> dict[str, float]:
    return dict(Counter(map(code, rows)))


def both_forms(rows: Rows, _: Rows) -> dict[str, float]:
    return {entry: len({bool(row["color"]) for row in rows if code(row) == entry})
            for entry in map(code, rows)}  # fmt: skip


def one_form(rows: Rows, every: Rows) -> dict[str, float]:
    return {entry: -value for entry, value in both_forms(rows, every).items()}


def center(rows: Rows, _: Rows) -> dict[str, float]:
    codes = [code(row) for row in rows]
    middle = _labs(codes).mean(axis=0)
    return dict(zip(codes, (-delta_e00(_labs(codes), middle)).tolist(), strict=True))


def medoid(rows: Rows, _: Rows) -> dict[str, float]:
    codes = sorted(set(map(code, rows)))
    labs = _labs(codes)
    return {entry: -float(delta_e00(labs, lab).sum())
            for entry, lab in zip(codes, labs, strict=True)}  # fmt: skip


def far_from_others(rows: Rows, every: Rows) -> dict[str, float]:
    return {entry: -value for entry, value in medoid(rows, every).items()}


def near_codes_without_a_name(rows: Rows, _: Rows) -> dict[str, float]:
    """Near the mean of the codes that no name has, such as probes."""
    named = {code(row) for row in rows if row["color"]}
    probes = [code(row) for row in rows if code(row) not in named]
    if not probes:
        return dict.fromkeys(named, 0.0)
    middle, codes = _labs(probes).mean(axis=0), sorted(named)
    return dict(zip(codes, (-delta_e00(_labs(codes), middle)).tolist(), strict=True))


def first_line(rows: Rows, _: Rows) -> dict[str, float]:
    return {code(row): float(number) for number, row in enumerate(rows)}


def least_id(rows: Rows, _: Rows) -> dict[str, float]:
    return {code(row): float(int(row["id"].partition("-")[2], 16)) for row in rows}


def rare_system(rows: Rows, _: Rows) -> dict[str, float]:
    systems = Counter(row["system"] for row in rows)
    return {code(row): -float(systems[row["system"]]) for row in rows if row["color"]}


def rare_in_file(rows: Rows, every: Rows) -> dict[str, float]:
    everywhere = Counter(row["color"] for row in every)
    return {code(row): -float(everywhere[row["color"]]) for row in rows if row["color"]}


ATTACKS = (most_frequent, both_forms, one_form, center, medoid, far_from_others,
           near_codes_without_a_name, first_line, least_id, rare_system, rare_in_file)  # fmt: skip


def test_who_sees_the_questions_alone_does_no_better_than_chance(
    plan: RingPlan, rows: Rows
) -> None:
    true = {entry.image: entry.hex.upper() for entry in plan.questions if entry.kind == RIGHT}
    by_image: dict[str, Rows] = {image: [] for image in true}
    for row in rows:
        if row["image"] in true:
            by_image[row["image"]].append(row)
    chance = np.array([1 / len(set(map(code, some))) for some in by_image.values()])
    error = float(np.sqrt((chance * (1 - chance)).sum())) / chance.size
    assert chance.max() <= 0.25
    for attack in ATTACKS:
        hits = []
        for image, some in by_image.items():
            points = attack(some, rows)
            best = [entry for entry, value in points.items() if value == max(points.values())]
            hits.append((true[image] in best) / len(best))
        assert abs(float(np.mean(hits)) - chance.mean()) < 4 * error, attack.__name__


def test_every_color_of_a_rated_image_is_there_by_name_and_by_code(
    plan: RingPlan, rows: Rows
) -> None:
    kinds = {question.id: question.kind for question in plan.questions}
    probed = {question.image for question in plan.questions if question.kind == PROBE}
    forms: Counter[tuple[str, str, bool]] = Counter()
    for row in rows:
        assert bool(row["color"]) == bool(row["system"]) != bool(row["hex"])
        assert (row["image"] in probed) == (kinds[row["id"]] == PROBE)
        if row["image"] not in probed:
            forms[row["image"], code(row), bool(row["color"])] += 1
    assert set(forms.values()) == {1}
    assert all((image, color, not form) in forms for image, color, form in forms)
    assert len(probed) == 400
