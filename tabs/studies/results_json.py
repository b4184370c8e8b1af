"""The results of a study as plain JSON for its page and its exports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any, NotRequired, TypedDict

from truehue.annotation.agreement import MIN_SHARED
from truehue.annotation.judgments.rates import PLACES, ChoiceShare, Rating, SideBias, WinRate
from truehue.annotation.quality.agents import CAUTION
from truehue.annotation.ranking import Ranking
from truehue.annotation.report import GroupSummary, PersonResult, StudyResults, Summary
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import Ending
from truehue.tabs.sources.studies import (
    StudySource,
    rule_json,
)
from truehue.tabs.studies.metrics import StudyMetric
from truehue.tabs.studies.people_json import (
    ExcludedJson,
    PersonJson,
    RuleField,
    excluded_json,
    person_json,
    rule_fields,
)
from truehue.tabs.studies.questions.results import (
    QuestionResultsJson,
    QuestionSetting,
    log_json,
    questions_json,
)
from truehue.tabs.studies.results_numbers import (
    ALONE,
    StudyNumberJson,
    few_people,
    number,
    percent,
    plain,
)
from truehue.tabs.studies.validation import MetricValidity, validation_json

ELO = 400 / math.log(10)
"""Points of Elo a logit."""


Arrangements = Mapping[str, SideBias]


class NamedStudy(TypedDict):
    """The study that results are of."""

    id: str
    title: str
    state: str
    kind: str
    material: str
    question: str
    version: int


class StrengthJson(TypedDict):
    """The strength of a model in logits and in points of Elo."""

    model: str
    elo: float
    elo_low: float | None
    elo_high: float | None
    strength: StudyNumberJson
    rank_low: int
    rank_high: int
    votes: int
    separated: bool


class WinRateJson(TypedDict):
    """How often a model won, against all or one ``other``."""

    model: str
    other: NotRequired[str]
    rate: StudyNumberJson
    wins: int
    losses: int
    ties: int


class RatingJson(TypedDict):
    """The mean rating of a model."""

    model: str
    mean: StudyNumberJson
    ratings: int


class FirstChoice(TypedDict):
    """How often a model was the best of those it was shown with."""

    model: str
    count: int
    shown: int
    share: StudyNumberJson


class GroupStrengths(TypedDict):
    """The strengths within a group of cases."""

    group: str
    votes: int
    participants: int
    strengths: list[StrengthJson]


class GroupJson(TypedDict):
    """The answers within a group of cases."""

    group: str
    answers: int
    skips: int
    ties: int
    win_rates: list[WinRateJson]
    ratings: list[RatingJson]
    first_choices: list[FirstChoice]
    alpha: StudyNumberJson


class SideBiasJson(TypedDict):
    """Whether one position was preferred."""

    left: int
    right: int
    left_share: StudyNumberJson
    p: float | None
    words: str


class ArrangementJson(TypedDict):
    """The same for one arrangement of the positions."""

    arrangement: str
    first: str
    second: str
    votes_first: int
    votes_second: int
    share: StudyNumberJson
    p: float | None


class AgreementJson(TypedDict):
    """How far participants agree."""

    observed: StudyNumberJson
    kappa: StudyNumberJson
    alpha: StudyNumberJson
    inter_rater_spearman: StudyNumberJson
    scale: str
    items: int
    alpha_items: int
    inter_rater_items: int
    words: str


class SummaryJson(TypedDict):
    """The results over some participants."""

    participants: int
    people: int
    caution: str
    finished: int
    wanted: int
    answers: int
    skips: int
    ties: int
    skip_share: StudyNumberJson
    tie_share: StudyNumberJson
    strengths: list[StrengthJson]
    strengths_why: str
    tie_between_equals: float | None
    win_rates: list[WinRateJson]
    against: list[WinRateJson]
    groups: list[GroupStrengths]
    side_bias: SideBiasJson | None
    arrangements: list[ArrangementJson]
    agreement: AgreementJson
    ratings: list[RatingJson]
    first_choices: list[FirstChoice]
    by_group: list[GroupJson]
    questions: QuestionResultsJson | None
    validation: MetricValidity


class StudyNumbers(TypedDict):
    """The results of a study, over all participants and over those included."""

    study: NamedStudy
    rule: dict[str, Any]
    rule_is_default: bool
    rule_fields: list[RuleField]
    excluded: ExcludedJson
    same: bool
    everybody: SummaryJson
    included: SummaryJson
    people: list[PersonJson]
    agent_caution: str
    asked: list[QuestionSetting]
    notes: list[str]
    erased: int


def results_json(
    source: StudySource,
    results: StudyResults,
    metrics: Sequence[StudyMetric],
    arrangements: tuple[Arrangements, Arrangements],
) -> StudyNumbers:
    """All of ``results`` but how they were computed; ``arrangements`` are with and without those
    excluded."""
    study = source.study
    by_number = {participant.number: participant for participant in source.participants}
    people = [
        person_json(
            person,
            by_number[person.number],
            source.events.get(by_number[person.number].id, ()),
            source,
        )
        for person in results.people
    ]
    return {
        "study": {
            "id": study.id,
            "title": study.title,
            "state": study.state,
            "kind": source.plan.kind,
            "material": source.plan.material,
            "question": source.plan.question,
            "version": study.version,
        },
        "rule": rule_json(source.rule),
        "rule_is_default": source.rule_is_default,
        "rule_fields": rule_fields(source.rule, source.plan.kind),
        "excluded": excluded_json(results.people),
        "same": results.included is results.everybody,
        "everybody": _summary(source, results.everybody, results.people, metrics, arrangements[0]),
        "included": _summary(
            source,
            results.included,
            [person for person in results.people if not person.excluded],
            metrics,
            arrangements[1],
        ),
        "people": people,
        "agent_caution": CAUTION if source.plan.record_input else "",
        "asked": log_json(source.plan),
        "notes": list(results.everybody.notes),
        "erased": len(source.erased),
    }


def _summary(
    source: StudySource,
    summary: Summary,
    people: Sequence[PersonResult],
    metrics: Sequence[StudyMetric],
    arrangements: Arrangements,
) -> SummaryJson:
    pairs = source.plan.kind is Kind.PAIRS
    against_all = [rate for rate in summary.win_rates if not rate.other]
    return {
        "participants": summary.participants,
        "people": summary.people,
        "caution": few_people(summary.people),
        "finished": sum(person.ending is Ending.COMPLETED for person in people),
        "wanted": summary.wanted,
        "answers": summary.answers,
        "skips": summary.skips,
        "ties": summary.ties,
        "skip_share": number(*astuple(summary.skip_share)),
        "tie_share": number(*astuple(summary.tie_share)),
        "strengths": strengths_json(summary.ranking),
        "strengths_why": _strengths_why(pairs, summary.ranking),
        "tie_between_equals": summary.ranking.tie_share if summary.ranking else None,
        "win_rates": [rate_json(rate) for rate in against_all],
        "against": [rate_json(rate) for rate in summary.win_rates if rate.other],
        "groups": [
            {
                "group": name,
                "votes": ranking.votes,
                "participants": ranking.participants,
                "strengths": strengths_json(ranking),
            }
            for name, ranking in summary.groups.items()
        ],
        "side_bias": _side_bias(summary.side_bias),
        "arrangements": [_arrangement(name, bias) for name, bias in arrangements.items() if pairs],
        "agreement": _agreement(summary),
        "ratings": [rating_json(rating) for rating in summary.ratings],
        "first_choices": [choice_json(choice) for choice in summary.choices],
        "by_group": [_group(name, group) for name, group in summary.by_group.items()],
        "questions": questions_json(summary.questions),
        "validation": validation_json(source.plan, summary, metrics),
    }


def rating_json(rating: Rating) -> RatingJson:
    """The mean rating of a model, 0 to 10."""
    mean = number(rating.mean, rating.low, rating.high)
    return {"model": rating.model, "mean": mean, "ratings": rating.ratings}


def choice_json(choice: ChoiceShare) -> FirstChoice:
    """How often a model was the best of those it was shown with."""
    share = number(choice.share, choice.low, choice.high)
    return {"model": choice.model, "count": choice.chosen, "shown": choice.shown, "share": share}


def _group(name: str, group: GroupSummary) -> GroupJson:
    why = "No stimulus of this group has answers from two people yet."
    return {
        "group": name,
        "answers": group.answers,
        "skips": group.skips,
        "ties": group.ties,
        "win_rates": [rate_json(rate) for rate in group.win_rates if not rate.other],
        "ratings": [rating_json(rating) for rating in group.ratings],
        "first_choices": [choice_json(choice) for choice in group.choices],
        "alpha": number(*_triple(group.alpha), why, why),
    }


def strengths_json(ranking: Ranking | None) -> list[StrengthJson]:
    """Models by falling strength, in logits and in points of Elo around the mean of all."""
    if ranking is None:
        return []
    return [
        {
            "model": strength.model,
            "elo": ELO * strength.log_strength,
            "elo_low": plain(ELO * strength.low),
            "elo_high": plain(ELO * strength.high),
            "strength": number(strength.log_strength, strength.low, strength.high),
            "rank_low": strength.rank_low,
            "rank_high": strength.rank_high,
            "votes": strength.votes,
            "separated": strength.model in ranking.separated,
        }
        for strength in ranking.strengths
    ]


def _strengths_why(pairs: bool, ranking: Ranking | None) -> str:
    if not pairs:
        return "Only studies of pairs have strengths."
    if ranking is None:
        return "There are no votes yet."
    if ranking.participants < 2:
        return ALONE
    if ranking.separated:
        names = ", ".join(ranking.separated)
        return (
            f"{names}: won or lost every comparison with the others, so only the prior limits "
            "the strength. More votes will determine it."
        )
    return ""


def rate_json(rate: WinRate) -> WinRateJson:
    """A win rate; ties count half."""
    rate_numbers: WinRateJson = {
        "model": rate.model,
        "rate": number(rate.rate, rate.low, rate.high),
        "wins": rate.wins,
        "losses": rate.losses,
        "ties": rate.ties,
    }
    return {**rate_numbers, "other": rate.other} if rate.other else rate_numbers


def _side_bias(bias: SideBias | None) -> SideBiasJson | None:
    if bias is None:
        return None
    share = number(bias.left_share, bias.low, bias.high)
    text = "There are no votes for a side yet."
    if share["value"] is not None:
        seen = (
            "no side bias is visible"
            if not bias.p < 0.05
            else "the first position was preferred"
            if bias.left_share > 0.5
            else "the second position was preferred"
        )
        p = "" if plain(bias.p) is None else f" (p = {bias.p:.2g}, by participants)"
        text = (
            f"The first position won {percent(bias.left_share)} ({percent(bias.low)} to "
            f"{percent(bias.high)}) of votes without ties: {seen}{p}."
        )
    return {
        "left": bias.left,
        "right": bias.right,
        "left_share": share,
        "p": plain(bias.p),
        "words": text,
    }


def _arrangement(name: str, bias: SideBias) -> ArrangementJson:
    first, second = PLACES[name]
    return {
        "arrangement": name,
        "first": first,
        "second": second,
        "votes_first": bias.left,
        "votes_second": bias.right,
        "share": number(bias.left_share, bias.low, bias.high),
        "p": plain(bias.p),
    }


def _agreement(summary: Summary) -> AgreementJson:
    scale = "nominal" if summary.fleiss or not summary.ratings else "interval"
    no_items = "No stimulus has answers from two people yet."
    one_answer = "All answers are the same, so agreement beyond chance cannot be computed."
    kappa, alpha, inter_rater = summary.fleiss, summary.alpha, summary.inter_rater
    items = kappa.kappa.items if kappa else 0
    alpha_items = alpha.items if alpha else 0
    why = one_answer if items or alpha_items else no_items
    why_kappa = "κ is of categories; ratings have α." if scale == "interval" else why
    why_inter_rater = (
        f"It needs two people who rated {MIN_SHARED} of the same images differently."
        if scale == "interval"
        else "Only ratings have an order."
    )
    observed = kappa.observed if kappa else None
    text = ""
    if observed and plain(observed.value) is not None:
        text = f"Two people give the same answer in {percent(observed.value)} of the cases."
    return {
        "observed": number(*_triple(observed), why_kappa, one_answer),
        "kappa": number(*_triple(kappa.kappa if kappa else None), why_kappa, one_answer),
        "alpha": number(*_triple(alpha), why, one_answer),
        "inter_rater_spearman": number(*_triple(inter_rater), why_inter_rater, why_inter_rater),
        "scale": scale,
        "items": items,
        "alpha_items": alpha_items,
        "inter_rater_items": inter_rater.items if inter_rater else 0,
        "words": text,
    }


def _triple(agreement: Any) -> tuple[float | None, float | None, float | None]:
    if agreement is None:
        return None, None, None
    return agreement.value, agreement.low, agreement.high
