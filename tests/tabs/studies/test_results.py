"""The results of studies that made-up people took part in, as the page gets them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields
from typing import Any

import choix
import krippendorff
import numpy as np
import pytest

from tests.annotation.studies_made import plan as plan_of
from tests.tabs.studies.simulated import STRENGTHS, Crowd, distributions_plan, simulated
from truehue.annotation.participants import ExclusionRule
from truehue.annotation.studies.cases import Kind
from truehue.core.errors import BadInput, NotAllowed, NotStored
from truehue.core.studies import Event, EventKind, LogKind, ParticipantRecord, State
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.sources.studies import read_source
from truehue.tabs.studies.exports import codebook_text
from truehue.tabs.studies.metrics import metrics_of
from truehue.tabs.studies.people_json import RULE_FIELDS
from truehue.tabs.studies.results import StudyReference, StudyResultsRequest, study_results
from truehue.tabs.studies.results_people import (
    Decide,
    Erase,
    SetRule,
    check_replays,
    clear_external,
    erase,
    exclude,
    include,
    participant_export,
    set_rule,
)
from truehue.tabs.studies.tables_rows import ExportData, screening, votes
from truehue.tabs.studies.tables_rows import results as results_rows

pytestmark = pytest.mark.slow


def told(context: Context, study_id: str, replicates: int = 200) -> dict[str, Any]:
    """The results, however long they take."""
    while True:
        answer = study_results(
            context, OWNER, StudyResultsRequest(study=study_id, replicates=replicates)
        )
        if answer["status"] == "ready":
            results: dict[str, Any] = answer["results"]
            return results


@pytest.mark.parametrize(("people", "text"), [(1, "one person"), (3, "Only 3 people")])
def test_numbers_of_few_people_come_with_a_caution(
    context: Context, people: int, text: str
) -> None:
    study_id = simulated(context.storage, distributions_plan(), Crowd(people))
    results = told(context, study_id, replicates=100)
    summary = results["included"]
    assert text in summary["caution"]
    assert "not people" in summary["validation"]["caution"]
    data = data_of(context, study_id, results)
    assert f"Here {people} answered" in codebook_text(data)
    assert {row["people"] for row in results_rows(data)} == {people}


def test_what_was_put_in_comes_out_and_equals_other_libraries(context: Context) -> None:
    plan = distributions_plan()
    study_id = simulated(context.storage, plan, Crowd(12, ties=0.0))
    results = told(context, study_id)
    json.dumps(results, allow_nan=False)
    summary = results["everybody"]
    assert summary["answers"] == summary["wanted"] == 288
    assert summary["participants"] == summary["finished"] == 12
    assert results["same"] is True
    assert summary["people"] == 12
    assert summary["caution"] == summary["validation"]["caution"] == ""
    strengths = {item["model"]: item for item in summary["strengths"]}
    assert [item["model"] for item in summary["strengths"]] == ["m0", "m1", "m2"]
    for model, truth in STRENGTHS.items():
        strength = strengths[model]["strength"]
        assert strength["low"] < truth < strength["high"]
        assert strengths[model]["elo"] == pytest.approx(strength["value"] * 400 / np.log(10))
    rows = list(votes(data_of(context, study_id, results)))
    names = sorted(STRENGTHS)
    won = [
        (
            names.index(row["winner"]),
            names.index(({row["left"], row["right"]} - {row["winner"]}).pop()),
        )
        for row in rows
    ]
    expected = choix.ilsr_pairwise(3, won)
    ours = [strengths[name]["strength"]["value"] for name in names]
    assert ours == pytest.approx(expected - expected.mean(), abs=0.01)
    rate = {win_rate["model"]: win_rate for win_rate in summary["win_rates"]}["m0"]
    mine = [row for row in rows if "m0" in (row["left"], row["right"])]
    assert rate["rate"]["value"] == pytest.approx(np.mean([row["winner"] == "m0" for row in mine]))
    assert (rate["wins"] + rate["losses"], rate["ties"]) == (len(mine), 0)
    assert {group["group"] for group in summary["groups"]} == {"abstract", "object"}
    left = sum(row["outcome"] == "left" for row in rows)
    assert summary["side_bias"]["left"] == left
    assert summary["arrangements"][0]["votes_first"] == left


def test_agreement_is_that_of_statsmodels_and_krippendorff(context: Context) -> None:
    """Of one pair of models, where chance is the same everywhere."""
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    plan = distributions_plan(30, model_sets=(("m0", "m2"),), votes=5, trials=15, repeats=0)
    study_id = simulated(context.storage, plan, Crowd(10, ties=0.0))
    results = told(context, study_id)
    codes = codes_of(list(votes(data_of(context, study_id, results))))
    agreement = results["everybody"]["agreement"]
    assert agreement["items"] == agreement["alpha_items"] == 30
    assert agreement["kappa"]["value"] == pytest.approx(fleiss_kappa(aggregate_raters(codes)[0]))
    assert agreement["alpha"]["value"] == pytest.approx(
        krippendorff.alpha(codes.T.astype(float), level_of_measurement="nominal"), abs=1e-9
    )


def test_the_screening_is_what_the_server_stored(context: Context) -> None:
    study_id = simulated(context.storage, distributions_plan(6), Crowd(4, lazy=(2,)))
    people = told(context, study_id, 100)["people"]
    assert [person["quality"]["plates"] for person in people] == [1.0, 1.0, 0.0, 1.0]
    assert {person["quality"]["screen"] for person in people} == {True}
    assert people[0]["screening"]["shown"] == people[0]["screening"]["read"] == 4
    set_rule(context, OWNER, SetRule(study=study_id, least_plates=0.5, screen=True))
    people = told(context, study_id, 100)["people"]
    assert [person["number"] for person in people if person["excluded"]] == [2]
    rows = list(screening(data_of(context, study_id, told(context, study_id, 100))))
    assert [(row["read"], row["dark"], row["light"]) for row in rows] == [
        (0 if row["participant"] == 3 else 4, True, True) for row in rows
    ]


def data_of(context: Context, study_id: str, results: dict[str, Any]) -> ExportData:
    source = read_source(context, study_id)
    return ExportData(source, metrics_of(context, source.plan), results)


def codes_of(rows: list[dict[str, Any]]) -> np.ndarray:
    """int (stimuli, votes): which of the two sorted models was chosen."""
    by_pair: dict[tuple[str, ...], list[int]] = {}
    for row in rows:
        pair = (row["case"], *sorted((row["left"], row["right"])))
        by_pair.setdefault(pair, []).append(pair[1:].index(row["winner"]))
    return np.array(list(by_pair.values()))


def test_metrics_of_distributions_stand_beside_the_papers(context: Context) -> None:
    study_id = simulated(context.storage, distributions_plan(60, votes=6, trials=60), Crowd(18))
    validation = told(context, study_id)["included"]["validation"]
    rows = {row["metric"]: row for row in validation["rows"]}
    assert set(rows) == {
        "pcc",
        "emd_lab",
        "entropy_difference",
        "dca",
        "delta_hue_deg",
        "delta_hue_literal_deg",
        "total_variation",
        "jensen_shannon",
    }
    assert rows["emd_lab"]["turned"] is True
    assert rows["emd_lab"]["published"] == {
        "pearson": 0.5334,
        "spearman": 0.5468,
        "agreement": pytest.approx(0.6244),
    }
    assert rows["total_variation"]["published"] is None
    assert rows["total_variation"]["pearson"]["low"] > 0.2
    assert rows["pcc"]["pairs"] == 180
    neutral = rows["delta_hue_deg"]
    assert neutral["pairs"] + neutral["unscored"] == 180
    assert bool(neutral["unscored"]) == bool(neutral["unscored_why"])
    headline = validation["sentences"][0]
    best = max(validation["rows"], key=lambda row: row["pearson"]["value"])
    assert headline.startswith(f"{best['name']} agrees best with people: correlation ")
    assert [group["group"] for group in validation["groups"]] == ["abstract", "object"]
    assert all(group["rows"] for group in validation["groups"])
    assert validation["missing"][0]["name"] == "CFM"
    assert "Table 3" in validation["published"]["title"]


def test_the_rule_leaves_out_who_did_not_look_and_shows_both(context: Context) -> None:
    plan = distributions_plan(attention=6, repeats=4)
    study_id = simulated(context.storage, plan, Crowd(12, lazy=(2, 5)))
    rule = SetRule(study=study_id, most_one_side=0.95)
    answer = set_rule(context, OWNER, rule)
    assert answer["rule"]["least_attention"] is None
    results = told(context, study_id, 100)
    out = {item["number"]: item for item in results["people"] if item["excluded"]}
    assert set(out) == {2, 5}
    assert out[2]["reasons"] == ["100% of the answers at one place, above 95%"]
    assert results["excluded"] == {
        "participants": 2,
        "by_rule": 2,
        "by_decision": 0,
        "reasons": [{"words": "of the answers at one place", "participants": 2}],
    }
    assert results["everybody"]["participants"] == 12
    assert results["included"]["participants"] == 10
    before = results["everybody"]["side_bias"]["left_share"]["value"]
    assert before > results["included"]["side_bias"]["left_share"]["value"]
    person = next(item for item in results["people"] if item["number"] == 7)
    decide = Decide(study=study_id, participant=person["id"], reason="told us that they guessed")
    assert exclude(context, OWNER, decide)["person"]["excluded"] is True
    assert told(context, study_id, 100)["included"]["participants"] == 9
    include(context, OWNER, decide)
    assert told(context, study_id, 100)["included"]["participants"] == 10
    set_rule(context, OWNER, SetRule(study=study_id, default=True))
    assert told(context, study_id, 100)["rule"]["least_attention"] == 0.5
    with pytest.raises(BadInput, match="Give a reason"):
        exclude(context, OWNER, Decide(study=study_id, participant=person["id"]))
    with pytest.raises(BadInput):
        read_as(SetRule, {"study": study_id, "most_fast": 1.5})
    kinds = Counter(entry.kind for entry in context.storage.studies.log(study_id))
    assert kinds[LogKind.RULE] == 2
    assert kinds[LogKind.DECISION] == 2


def test_the_form_of_the_rule_has_every_bound() -> None:
    bounds = {field.name for field in fields(ExclusionRule)}
    assert {name for name, *_ in RULE_FIELDS} == bounds
    assert set(SetRule.model_fields) - {"study", "default"} == bounds


def test_results_are_computed_once_until_somebody_answers(
    context: Context, statements: list[str]
) -> None:
    study_id = simulated(context.storage, distributions_plan(12), Crowd(4))
    first = told(context, study_id)
    statements.clear()
    again = told(context, study_id)
    assert again is first
    assert len(statements) < 12
    person = context.storage.participants.of(study_id)[0]
    more = Event("f" * 32, EventKind.COMMENT, None, {"text": "more"})
    context.storage.study_events.append(person.id, [more])
    assert told(context, study_id)["key"] != first["key"]


def test_a_study_without_answers_says_why_there_is_nothing(context: Context) -> None:
    study_id = simulated(context.storage, distributions_plan(8), Crowd(0))
    results = told(context, study_id)
    summary = results["everybody"]
    assert summary["strengths"] == []
    assert summary["strengths_why"] == "There are no votes yet."
    assert summary["agreement"]["kappa"] == {
        "value": None,
        "low": None,
        "high": None,
        "why": "No stimulus has answers from two people yet.",
    }
    assert summary["validation"]["why"] == "There are no votes yet."
    item = simulated(context.storage, distributions_plan(8), Crowd(1))
    rate = told(context, item)["everybody"]["win_rates"][0]["rate"]
    assert rate["low"] is None
    assert "fewer than two" in rate["why"]
    with pytest.raises(NotStored):
        study_results(context, OWNER, StudyResultsRequest(study="0" * 32))


def test_ratings_and_best_of_four_have_numbers_of_their_own(context: Context) -> None:
    rated = simulated(
        context.storage, plan_of(12, 3, kind=Kind.RATINGS, votes=3, trials=18), Crowd(6)
    )
    summary = told(context, rated)["everybody"]
    means = {rating["model"]: rating["mean"]["value"] for rating in summary["ratings"]}
    assert means["m0"] > means["m1"] > means["m2"]
    assert summary["agreement"]["scale"] == "interval"
    assert summary["agreement"]["kappa"]["value"] is None
    between = summary["agreement"]["inter_rater_spearman"]
    assert 0 < between["low"] < between["value"] < between["high"] < 1
    assert summary["strengths_why"] == "Only studies of pairs have strengths."
    four = {**STRENGTHS, "m3": -1.5}
    best = simulated(
        context.storage, plan_of(8, 4, kind=Kind.BEST_OF, votes=5, trials=8), Crowd(5, four)
    )
    four_summary = told(context, best)["everybody"]
    between = four_summary["agreement"]["inter_rater_spearman"]
    assert (between["value"], between["why"]) == (None, "Only ratings have an order.")
    choices = four_summary["first_choices"]
    assert sum(choice["count"] for choice in choices) == 40
    assert sum(choice["share"]["value"] for choice in choices) == pytest.approx(1)


def test_one_participant_is_exported_and_erased(context: Context) -> None:
    study_id = simulated(context.storage, distributions_plan(12), Crowd(5))
    person = context.storage.participants.of(study_id)[2]
    named = {"study": study_id, "participant": person.id}
    mine = participant_export(context, OWNER, Decide(**named))
    assert mine["participant"]["external"] == dict(person.external)
    assert len(mine["events"]) == len(context.storage.study_events.of(person.id))
    assert any("Anna Example" in json.dumps(event) for event in mine["events"])
    assert mine["consent"]["text"] == "I agree."
    before = told(context, study_id, 100)["everybody"]["answers"]
    with pytest.raises(BadInput, match="Participant 3, not 2"):
        erase(context, OWNER, Erase(**named, confirm=2))
    assert erase(context, OWNER, Erase(**named, confirm=3))["erased"] == 2
    after = told(context, study_id, 100)
    assert after["erased"] == 1
    assert after["everybody"]["answers"] < before
    assert [item["number"] for item in after["people"]] == [0, 1, 3, 4]
    with pytest.raises(NotStored):
        participant_export(context, OWNER, Decide(**named))
    other = simulated(context.storage, distributions_plan(12), Crowd(1))
    stranger = context.storage.participants.of(other)[0]
    with pytest.raises(NotStored, match="no such participant"):
        participant_export(context, OWNER, Decide(study=study_id, participant=stranger.id))


def test_one_participant_is_of_who_made_the_study_and_of_admins(context: Context) -> None:
    study_id = simulated(context.storage, distributions_plan(6), Crowd(1))
    (person,) = context.storage.participants.of(study_id)
    named = {"study": study_id, "participant": person.id}
    second = Actor("second", Role.RESEARCHER)
    with pytest.raises(NotAllowed, match="Personal data of participants"):
        participant_export(context, second, Decide(**named))
    with pytest.raises(NotAllowed):
        erase(context, second, Erase(**named, confirm=1))
    admin = Actor("admin", Role.ADMIN)
    assert participant_export(context, admin, Decide(**named))["participant"]["external"]
    assert erase(context, admin, Erase(**named, confirm=1))["erased"] == 0


def test_ids_of_recruiting_sites_are_deleted_once_people_are_paid(context: Context) -> None:
    study_id = simulated(context.storage, distributions_plan(6), Crowd(2))
    named = StudyReference(study=study_id)
    with pytest.raises(BadInput, match="Close the study first"):
        clear_external(context, OWNER, named)
    context.storage.studies.set_state(study_id, State.CLOSED, "owner")
    with pytest.raises(NotAllowed):
        clear_external(context, Actor("second", Role.RESEARCHER), named)
    events = [context.storage.study_events.of(p.id) for p in people_of(context, study_id)]
    assert all(person.external for person in people_of(context, study_id))
    assert clear_external(context, OWNER, named) == {"cleared": 2}
    assert not any(person.external for person in people_of(context, study_id))
    assert [context.storage.study_events.of(p.id) for p in people_of(context, study_id)] == events
    assert clear_external(context, OWNER, named) == {"cleared": 0}


def people_of(context: Context, study_id: str) -> list[ParticipantRecord]:
    return context.storage.participants.of(study_id)


def test_what_was_served_is_given_again_or_it_is_said_why_not(context: Context) -> None:
    study_id = simulated(context.storage, distributions_plan(12, trials=8), Crowd(6))
    whole = check_replays(context, OWNER, StudyReference(study=study_id))
    assert whole["whole"] is True
    assert (whole["checked"], whole["same"], whole["differing"]) == (6, 6, [])
    person = context.storage.participants.of(study_id)[1]
    erase(context, OWNER, Erase(study=study_id, participant=person.id, confirm=2))
    rest = check_replays(context, OWNER, StudyReference(study=study_id))
    assert [item["number"] for item in rest["skipped"]] == [1]
    assert rest["checked"] == 5
    assert all("was erased" in item["why"] for item in rest["differing"])
    assert 0 not in [item["number"] for item in rest["differing"]]
