"""Results of simulated studies: what was put in comes out, with honest intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.annotation.simulated import STRENGTHS, Taste, taken
from tests.annotation.studies_made import plan
from truehue.annotation.judgments.answers import Vote
from truehue.annotation.judgments.rates import side_bias
from truehue.annotation.judgments.resampling import share_of, tail
from truehue.annotation.participants import ExclusionRule
from truehue.annotation.report import Analysis, results
from truehue.annotation.studies.cases import Kind, Stimulus

QUICK = Analysis(ExclusionRule(), {}, replicates=200)


def test_few_people_widen_the_interval_by_students_t() -> None:
    # Hesterberg's expanded percentile interval: t of 4 degrees of freedom is 2.776445 at 97.5%, and
    # Φ(−√(5 / 4) · 2.776445) = Φ(−3.10416) = 0.000954.
    assert tail(5) == pytest.approx(0.000954, abs=5e-7)


def test_strengths_come_out_as_they_went_in() -> None:
    study = plan(40, 3, votes=6, trials=30, repeats=3, attention=2)
    people = taken(study, 24, 2)
    message = results(study, people, QUICK)
    summary = message.everybody
    assert summary.answers == summary.wanted == 720
    assert summary.ranking is not None
    for strength in summary.ranking.strengths:
        assert strength.low < STRENGTHS[strength.model] < strength.high
    assert [s.model for s in summary.ranking.strengths] == ["m0", "m1", "m2"]
    rates = {(rate.model, rate.other): rate for rate in summary.win_rates}
    expected = 1 / (1 + np.exp(-0.8))
    assert rates["m0", "m1"].low < expected < rates["m0", "m1"].high
    assert rates["m0", "m1"].rate == pytest.approx(1 - rates["m1", "m0"].rate)
    assert summary.side_bias is not None
    assert summary.side_bias.p > 0.01
    assert all(person.quality.attention == 1.0 for person in message.people)


def test_one_who_always_takes_the_left_is_one_person_and_not_fifty_votes() -> None:
    """By a test that takes votes for independent it would be p < 0.001."""

    def votes_by(person: str, lefts: int, number: int) -> list[Vote]:
        return [Vote(person, f"c{i}", "a", "b", "a" if i < lefts else "b") for i in range(number)]

    even = [vote for i in range(7) for vote in votes_by(f"p{i}", 3, 6)]
    bias = side_bias([*even, *votes_by("p7", 50, 50)], 1)
    assert (bias.left, bias.right) == (71, 21)
    assert bias.p == 1.0
    assert bias.low < 0.55
    all_left = side_bias([vote for i in range(8) for vote in votes_by(f"p{i}", 5, 6)], 1)
    assert all_left.p == pytest.approx(2 / 2**8)
    assert all_left.low > 0.5
    alone = side_bias(votes_by("p0", 5, 6))
    assert alone.left_share == pytest.approx(5 / 6)
    assert np.isnan([alone.p, alone.low]).all()
    counted = side_bias([vote for i in range(20) for vote in votes_by(f"p{i}", 4, 6)], 1)
    assert counted.p == pytest.approx(1 / 1_001)
    skips = share_of([5, 0, 0, 0], [10, 10, 10, 10], 1)
    assert skips.value == 0.125
    assert skips.high > 0.3, "a share of forty independent answers would end at 0.26"


def test_who_fails_the_checks_is_left_out_and_shown() -> None:
    study = plan(30, 3, votes=6, trials=30, attention=4)
    people = taken(study, 12, 2)
    careless = people[0]
    lazy = [replace(event, body={**event.body, "value": 0}) for event in careless.events]
    wrong = {t.position for t in careless.trials if t.expected == 1}
    people[0] = replace(careless, events=lazy)
    people[1] = replace(people[1], decision="told us that they had guessed")
    message = results(study, people, QUICK)
    excluded = {person.id: person.excluded for person in message.people if person.excluded}
    assert excluded["p1"] == ("a decision: told us that they had guessed",)
    assert ("p0" in excluded) == (len(wrong) > 2)
    assert message.people[0].quality.one_side == 1.0
    assert message.everybody.participants == 12
    assert message.included.participants == 12 - len(excluded)
    rule = ExclusionRule(least_attention=None, most_one_side=0.9)
    message = results(study, people, replace(QUICK, rule=rule))
    assert message.people[0].excluded == ("100% of the answers at one place, above 90%",)


def test_ratings_have_means_and_choices_are_counted() -> None:
    study = plan(12, 3, kind=Kind.RATINGS, votes=3, trials=18)
    message = results(study, taken(study, 6, 3), QUICK).everybody
    assert message.answers == message.wanted == 108
    means = {rating.model: rating for rating in message.ratings}
    assert means["m0"].mean > means["m1"].mean > means["m2"].mean
    assert means["m1"].low < 5 < means["m1"].high
    assert message.alpha is not None
    assert message.alpha.value > 0.2
    assert message.ranking is None


def test_a_metric_that_says_what_people_say_is_found() -> None:
    study = plan(40, 3, votes=6, trials=30)
    people = taken(study, 24, 4)
    good = {(c.id, m): STRENGTHS[m] for c in study.cases for m in c.models}
    noise = np.random.default_rng(0)
    metrics = {
        "good": good,
        "bad": {key: float(noise.normal()) for key in good},
        "blind": dict.fromkeys(good, 1.0),
        "half": {key: value for key, value in good.items() if key[0] < "c2"},
        "three": {key: value for key, value in good.items() if key[0] == "c7"},
    }
    message = results(study, people, replace(QUICK, metrics=metrics)).everybody
    by_name = {validation.metric: validation for validation in message.validations}
    assert by_name["good"].pearson.low > 0.4
    assert abs(by_name["bad"].pearson.value) < 0.3
    assert by_name["good"].agreement.value > by_name["bad"].agreement.value
    assert by_name["blind"].agreement.value == 0.0
    assert by_name["blind"].metric_ties == by_name["blind"].pairs == 120
    assert np.isnan(by_name["blind"].pearson.value)
    # Whatever its three pairs say, it is not compared.
    assert by_name["three"].pairs == 3
    assert {difference.best for difference in message.differences[""]} <= {"good", "half"}
    assert "three" not in {difference.other for difference in message.differences[""]}
    assert by_name["half"].unscored == 120 - by_name["half"].pairs > 0


def test_a_study_without_an_answer_has_empty_results() -> None:
    study = plan()
    message = results(study, [], QUICK)
    assert message.people == ()
    assert message.everybody.answers == 0
    assert message.everybody.ranking is None


def test_agreement_does_not_depend_on_what_models_are_called() -> None:
    """With three pairs of models the first by name is another one in each."""
    study = plan(30, 3, votes=6, trials=45)
    people = taken(study, 12, 6, Taste(log_tie=-1.0))
    before = results(study, people, QUICK).everybody
    names = {"m0": "x", "m1": "a", "m2": "k"}
    cases = tuple(
        replace(case, candidates=tuple(replace(c, model=names[c.model]) for c in case.candidates))
        for case in study.cases
    )
    other = replace(study, cases=cases)
    ids = {
        stimulus.id: Stimulus(
            stimulus.case_id, tuple(sorted(names[model] for model in stimulus.models))
        ).id
        for stimulus in study.stimuli
    }
    renamed = [
        replace(
            person,
            trials=[
                replace(
                    trial,
                    stimulus_id=ids[trial.stimulus_id],
                    order=tuple(names[model] for model in trial.order),
                )
                for trial in person.trials
            ],
        )
        for person in people
    ]
    after = results(other, renamed, QUICK).everybody
    assert before.fleiss is not None
    assert after.fleiss is not None
    assert before.alpha is not None
    assert after.alpha is not None
    assert after.fleiss.kappa.value == pytest.approx(before.fleiss.kappa.value)
    assert after.alpha.value == pytest.approx(before.alpha.value)
    assert before.alpha.value == pytest.approx(before.fleiss.kappa.value, abs=0.01)
    # They choose by the models alone: about a case they agree no more than chance has it.
    assert before.alpha.low < 0 < before.alpha.high
