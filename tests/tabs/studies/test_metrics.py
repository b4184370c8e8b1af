"""The workbench's numbers of candidates: counted once more from what runs stored."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from tests.annotation.studies_made import plan as plan_of
from tests.storage.run_samples import fill_copied
from tests.tabs.studies.simulated import Crowd, distributions_plan, simulated
from truehue.annotation.studies.cases import Candidate, Case, Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.analysis.records import FailureItem, Slice
from truehue.core.color.distances import compare
from truehue.core.fidelity.vividness import delta_sat_score
from truehue.core.records import EvidenceRecord
from truehue.core.scores.measures import measure_of
from truehue.core.scores.scoring import score_image
from truehue.tabs.page.context import Context
from truehue.tabs.sources.studies import source_key
from truehue.tabs.studies.metrics import metrics_of
from truehue.tabs.studies.results import compute

pytestmark = pytest.mark.slow


def told(context: Context, study_id: str) -> dict[str, Any]:
    results = compute(context, study_id, 50, lambda _: None)
    json.dumps(results, allow_nan=False)
    return results


@pytest.fixture
def runs(context: Context, tmp_path: Path) -> dict[str, str]:
    """Two runs of the same prompts by two models, judged by every rule: their ids by model."""
    models = ("m0", "m1")
    ids = fill_copied(context.storage, tmp_path / "made", models, prompts=40, images=1)
    return dict(zip(models, ids, strict=True))


def plan_of_runs(context: Context, runs: Mapping[str, str], **more: Any) -> StudyPlan:
    """A study of the images that both models drew of a prompt."""
    sample: dict[str, dict[str, str]] = defaultdict(dict)
    for model, run in runs.items():
        for item in context.storage.results.page(Slice(runs=(run,)), limit=500):
            if item.image_id:
                sample[item.prompt_id][model] = item.image_id
    cases = tuple(
        Case(prompt, prompt, tuple(Candidate(model, (image,)) for model, image in source.items()))
        for prompt, source in sorted(sample.items())
        if len(source) == 2
    )
    assert len(cases) > 25
    return plan_of(**{"cases": cases, "votes": 3, "trials": 30, **more})


def items_of(context: Context, runs: Mapping[str, str]) -> dict[str, list[FailureItem]]:
    """Every rule's say on every object, by image."""
    by_image: dict[str, list[FailureItem]] = defaultdict(list)
    for run in runs.values():
        for position in range(40):
            for item in context.storage.results.verdicts_of_image(run, position):
                if item.image_id:
                    by_image[item.image_id].append(item)
    return by_image


def test_rules_numbers_are_those_of_the_stored_verdicts(
    context: Context, runs: dict[str, str]
) -> None:
    plan = plan_of_runs(context, runs)
    metrics = {metric.id: metric for metric in metrics_of(context, plan)}
    by_image = items_of(context, runs)
    keys = [
        (case.id, candidate.model, candidate.image_ids[0])
        for case in plan.cases
        for candidate in case.candidates
    ]
    for rule in ("truehue", "paper"):
        passed, distance = metrics[f"passed:{rule}"], metrics[f"delta_e00:{rule}"]
        assert (passed.turned, distance.turned) == (False, True)
        for case, model, image in keys:
            said = [item for item in by_image[image] if item.rule == rule]
            scored = [item.status == "pass" for item in said if item.status != "unscored"]
            expected = fmean(scored) if scored else None
            assert passed.values.get((case, model)) == expected
            far = [
                item.delta_e00
                for item in said
                if item.delta_e00 is not None and item.relation == "matches"
            ]
            value = distance.values.get((case, model))
            assert value == (pytest.approx(-fmean(far)) if far else None)
        assert len(passed.values) + sum(passed.unscored.values()) == len(keys)
    right = metrics["right:truehue"].values
    for key, share in metrics["passed:truehue"].values.items():
        if share in (0.0, 1.0) and key in right:
            assert (right[key] >= 0.5) == (share == 1.0)
    assert "misfit:truehue" in metrics
    assert "right:paper" not in metrics


def test_results_see_a_verdict_that_stands_in_no_run(context: Context) -> None:
    plan = distributions_plan(2)
    study_id = simulated(context.storage, plan, Crowd(1))
    before = source_key(context, study_id)
    assert source_key(context, study_id) == before
    image = context.storage.images.add(np.zeros((4, 4, 3), np.uint8), "a.png", "upload")
    verdict = EvidenceRecord(
        image.image_id, None, "a ball", {}, "paper", "1", {}, "unscored", "", {}
    )
    context.storage.evidence.add(verdict)
    after = source_key(context, study_id)
    assert after != before
    context.storage.evidence.add(verdict)
    assert source_key(context, study_id) == after


def test_hidden_runs_and_unknown_images_have_no_number(
    context: Context, runs: dict[str, str]
) -> None:
    plan = plan_of_runs(context, runs)
    context.storage.runs.hide(runs["m1"])
    metric = {study_metric.id: study_metric for study_metric in metrics_of(context, plan)}[
        "passed:truehue"
    ]
    assert {model for _, model in metric.values} == {"m0"}
    assert sum(metric.unscored.values()) >= len(plan.cases)
    assert any("No visible run" in text for text in metric.unscored)
    bare = (Case("c", "a lime", (Candidate("a", ("0" * 64,)), Candidate("b", ("1" * 64,)))),)
    assert metrics_of(context, plan_of(cases=bare)) == ()


def test_votes_on_images_of_runs_are_compared_with_rules(
    context: Context, runs: dict[str, str]
) -> None:
    study_id = simulated(context.storage, plan_of_runs(context, runs), Crowd(6))
    validation = told(context, study_id)["everybody"]["validation"]
    rows = {row["metric"]: row for row in validation["rows"]}
    assert {"passed:truehue", "passed:paper", "delta_e00:paper", "hue:paper"} <= set(rows)
    assert validation["published"] is None
    for row in rows.values():
        assert row["pairs"] + row["unscored"] == validation["pairs"]
        assert bool(row["unscored"]) <= bool(row["unscored_why"])
    assert validation["sentences"]


def test_numbers_of_distributions_are_turned(context: Context) -> None:
    plan = distributions_plan(8)
    metrics = {metric.id: metric for metric in metrics_of(context, plan)}
    case = plan.cases[3]
    comparison = compare(np.array(case.candidates[1].weights), np.array(case.reference))
    key = (case.id, "m1")
    assert metrics["emd_lab"].values[key] == pytest.approx(-comparison.emd_lab)
    assert metrics["pcc"].values[key] == pytest.approx(comparison.pcc)
    assert metrics["dca"].values[key] == float(comparison.dominant_equal)
    hue = metrics["delta_hue_deg"]
    assert len(hue.values) + sum(hue.unscored.values()) == 24
    assert hue.published == "ΔHue"


@pytest.mark.parametrize("kind", [Kind.RATINGS, Kind.BEST_OF])
def test_ratings_and_choices_have_metrics_too(
    context: Context, runs: dict[str, str], kind: Kind, tmp_path: Path
) -> None:
    if kind is Kind.BEST_OF:
        more = fill_copied(context.storage, tmp_path / "more", ("m2", "m3"), prompts=40, images=1)
        runs = {**runs, "m2": more[0], "m3": more[1]}
        sample = plan_of_runs(context, {m: runs[m] for m in ("m0", "m1")})
        others = {c.id: c for c in plan_of_runs(context, {m: runs[m] for m in ("m2", "m3")}).cases}
        cases = tuple(
            Case(case.id, case.words, (*case.candidates, *others[case.id].candidates))
            for case in sample.cases
            if case.id in others
        )
        plan = plan_of(cases=cases, kind=kind, votes=3, trials=30, tie=False)
    else:
        plan = plan_of_runs(context, runs, kind=kind)
    strengths = {"m0": 0.8, "m1": 0.0, "m2": -0.8, "m3": -1.0}
    study_id = simulated(context.storage, plan, Crowd(6, strengths))
    validation = told(context, study_id)["everybody"]["validation"]
    row = {item["metric"]: item for item in validation["rows"]}["delta_e00:paper"]
    assert validation["of"] == ("images" if kind is Kind.RATINGS else "sets of four")
    assert row["pairs"] > 20
    if kind is Kind.RATINGS:
        assert -1 <= row["kendall"]["value"] <= row["pearson"]["high"]
        assert row["agreement"]["value"] is None
        assert "correlations" in row["agreement"]["why"]
    else:
        assert 0 <= row["agreement"]["low"] <= row["agreement"]["value"]
        assert 0 < row["chance"] <= 0.25
        assert row["pearson"]["value"] is None
    assert validation["sentences"][0]


def test_measures_with_a_direction_are_compared_with_people(
    context: Context, runs: dict[str, str]
) -> None:
    """Less ΔSat is better, so it is turned; mean saturation has no better direction."""
    plan = plan_of_runs(context, runs)
    before = {metric.id for metric in metrics_of(context, plan)}
    delta = measure_of("delta_sat")
    images = [candidate.image_ids[0] for case in plan.cases for candidate in case.candidates]
    scored = images[:-3]
    context.storage.scores.add_many(
        [score_image(delta, image_id, context.srgb8(image_id)) for image_id in scored]
    )
    metrics = {metric.id: metric for metric in metrics_of(context, plan)}
    assert set(metrics) - before == {"score:delta_sat"}
    result = metrics["score:delta_sat"]
    (first,) = (candidate for candidate in plan.cases[0].candidates if candidate.model == "m0")
    value, _ = delta_sat_score(context.srgb8(first.image_ids[0]))
    assert result.values[plan.cases[0].id, "m0"] == -value
    assert (result.turned, sum(result.unscored.values())) == (
        True,
        len(images) - len(result.values),
    )
