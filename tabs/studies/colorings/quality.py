"""Quality control of a study's colorings as its page shows it, with numbers before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from truehue.annotation.quality.consensus import Consensus
from truehue.annotation.quality.result import LEVELS, STANDS_FOR, ColoringStatus, Level
from truehue.annotation.quality.reviews import Outcome, agreement
from truehue.annotation.quality.second import SecondCheck
from truehue.annotation.quality.uncertainty import ConceptUncertainty
from truehue.core.cache import LruCache
from truehue.tabs.page.actor import asks
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import many
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.colorings.facts import Facts, known, state_json
from truehue.tabs.studies.colorings.listing import background_json, colors_json
from truehue.tabs.studies.colorings.rule import rule_json
from truehue.tabs.studies.colorings.submitted import TRAINING, label_of
from truehue.tabs.studies.results import StudyReference
from truehue.tabs.studies.results_numbers import number, percent

Json = dict[str, Any]
NOT_TWICE = "No coloring has been reviewed by two experts yet."
ONE_ANSWER = "All experts gave the same answers, so agreement beyond chance cannot be computed."
_KEPT: LruCache[Json] = LruCache(32)


@asks("study")
def quality(context: Context, actor: Actor, request: StudyReference) -> Json:
    """Consensus by concept, reviews and their agreement, second colorings, and what is kept."""
    facts, computed = known(context, request.study)
    return {**state_json(computed), "quality": quality_json(facts) if facts else None}


@asks("study")
def worth(context: Context, actor: Actor, request: StudyReference) -> Json:
    """How sure each concept's distribution is, and where the next coloring is worth most."""
    facts, computed = known(context, request.study)
    rows = [worth_json(facts, one) for one in facts.worth] if facts else None
    return {**state_json(computed), "worth": rows, "level": facts.rule.level if facts else None}


def quality_json(facts: Facts) -> Json:
    """All of quality control as plain JSON; the same facts give it once."""
    made = facts.source.study.id, facts.computed_at
    return _KEPT.get(made, lambda: _quality_json(facts))


def _quality_json(facts: Facts) -> Json:
    return {
        "rule": rule_json(facts.rule),
        "levels": [
            {"level": level.value, "words": words, **_level(facts, level)}
            for level, words in LEVELS.items()
        ],
        "concepts": _concepts(facts),
        "reviews": _reviews(facts),
        "second": [
            _second(facts, check) for stable in facts.stable.values() for check in stable.checks
        ],
        "left_out": _left_out(facts),
        "unmeasured": [
            {
                **label_of(one),
                "position": one.trial.position,
                "words": one.case.words,
                "why": facts.problems[one.key],
            }
            for one in facts.given
            if one.key in facts.problems
        ],
        "background": [
            {
                **label_of(one),
                "position": one.trial.position,
                "case": one.case.id,
                "words": one.case.words,
                **background,
            }
            for one in facts.given
            if one.purpose != TRAINING and (background := background_json(one, facts))
        ],
        "notes": _notes(facts),
        "seconds": facts.seconds,
        "computed_at": facts.computed_at.isoformat(),
    }


def worth_json(facts: Facts, one: ConceptUncertainty) -> Json:
    """What the next coloring of a concept is worth."""
    case = facts.source.plan.case_by_id[one.case_id]
    return {
        "case": case.id,
        "words": case.words,
        "group": case.group,
        "place": one.place,
        "colorings": one.colorings,
        "wanted": facts.source.plan.votes,
        "width_lab": one.width_lab,
        "width_few": one.few,
        "narrowing_lab": one.narrowing_lab,
        "why": one.why,
    }


def _level(facts: Facts, level: Level) -> Json:
    groups = facts.kept_colorings(level)
    colorings = [one for group in groups.values() for one in group]
    return {
        "colorings": len(colorings),
        "left_out": sum(_out(one) for one in facts.kept[level].values()),
        "participants": len({one.participant for one in colorings}),
        "concepts": len(groups),
    }


def _concepts(facts: Facts) -> list[Json]:
    """Concepts by their consensus, the least first, before and after."""
    plan = facts.source.plan
    before = {one.case_id: one for one in facts.before}
    after = {one.case_id: one for one in facts.after}
    sure = {one.case_id: one for one in facts.worth}
    votes: dict[str, Counter[str]] = {}
    for key, given in facts.evidence.votes.items():
        if (coloring := facts.colorings.get(key)) is not None:
            votes.setdefault(coloring.case_id, Counter())[given.outcome.value] += 1
    rows = []
    for flag in facts.flags:
        case = plan.case_by_id[flag.case_id]
        reviewed = votes.get(case.id, Counter())
        rows.append(
            {
                "case": case.id,
                "words": case.words,
                "group": case.group,
                "place": flag.place,
                "flagged": flag.flagged,
                "before": consensus_json(before[case.id]),
                "included": consensus_json(flag),
                "after": consensus_json(after[case.id]),
                "votes": {one.value: reviewed[one.value] for one in Outcome},
                "wanted": plan.votes,
                "width_lab": sure[case.id].width_lab,
                "width_few": sure[case.id].few,
                "width_why": sure[case.id].why,
                "narrowing_lab": sure[case.id].narrowing_lab,
                "colors": colors_json(facts.final[case.id]) if case.id in facts.final else [],
            }
        )
    return rows


def consensus_json(one: Consensus) -> Json:
    """The consensus of one concept over some of its colorings."""
    return {
        "colorings": one.colorings,
        "pairs": one.pairs,
        "emd_lab": one.emd_lab,
        "why": one.why,
    }


def _reviews(facts: Facts) -> Json:
    experts = agreement(facts.reviews, facts.source.plan.seed)
    outcomes = Counter(one.outcome for one in facts.evidence.votes.values())
    observed, kappa, alpha = experts.fleiss.observed, experts.fleiss.kappa, experts.alpha
    why = ONE_ANSWER if observed.items else NOT_TWICE
    words = ""
    if observed.items:
        words = (
            f"Two experts give the same answer for a coloring in {percent(observed.value)} of the "
            "cases."
        )
    return {
        "colorings": len(facts.evidence.votes),
        "reviews": len(facts.reviews),
        "consistent": outcomes[Outcome.CONSISTENT],
        "inconsistent": outcomes[Outcome.INCONSISTENT],
        "open": outcomes[Outcome.OPEN],
        "patterns": [
            {"yes": yes, "no": no, "colorings": count, "words": _pattern(yes, no)}
            for (yes, no), count in experts.patterns.items()
        ],
        "reviewers": [
            {"number": int(name), "label": f"Expert {int(name)}", "reviews": count, "yes": yes}
            for name, (count, yes) in experts.by_reviewer.items()
        ],
        "observed": number(observed.value, observed.low, observed.high, NOT_TWICE, NOT_TWICE),
        "kappa": number(kappa.value, kappa.low, kappa.high, why, ONE_ANSWER),
        "alpha": number(alpha.value, alpha.low, alpha.high, why, ONE_ANSWER),
        "items": observed.items,
        "words": words,
        "notes": list(experts.notes),
    }


def _pattern(yes: int, no: int) -> str:
    """What Table 5 of ColorConceptBench calls such votes."""
    if yes == no:
        return "Tie"
    side = "consistent" if yes > no else "inconsistent"
    if yes + no == 1:
        return f"One vote, {side}"
    return f"{'Majority' if yes and no else 'Unanimous'} {side}"


def _second(facts: Facts, check: SecondCheck) -> Json:
    by_key = {one.key: one for one in facts.given}
    first = by_key[check.first.key]
    return {
        "case": first.case.id,
        "words": first.case.words,
        **label_of(first),
        "first": check.first.position,
        "second": check.second.position,
        "emd_lab": check.emd_lab,
        "threshold_lab": check.threshold_lab,
        "farther": check.farther,
        "consistent": check.consistent,
        "why": check.why,
    }


def _left_out(facts: Facts) -> list[Json]:
    """What a result is not of, and why, by concept and person."""
    by_key = {one.key: one for one in facts.given}
    return [
        {
            "case": one.coloring.case_id,
            "words": by_key[key].case.words,
            **label_of(by_key[key]),
            "position": one.coloring.position,
            "reasons": list(one.reasons),
        }
        for key, one in facts.kept[facts.level].items()
        if _out(one)
    ]


def _out(one: ColoringStatus) -> bool:
    """Whether a coloring is left out, and not only represented by another one of the person."""
    return not one.kept and one.reasons != (STANDS_FOR,)


def _notes(facts: Facts) -> Sequence[str]:
    notes = []
    pairs = [one.emd_lab for one in facts.before if one.emd_lab is not None]
    without = len(facts.before) - len(pairs)
    if without:
        notes.append(
            f"{many(without, 'concept')} {'has' if without == 1 else 'have'} fewer than two "
            "colorings and no consensus value."
        )
    if pairs:
        flagged = len(facts.flagged)
        notes.append(
            f"{many(flagged, 'concept')} of {len(pairs):,} {'is' if flagged == 1 else 'are'} "
            f"flagged: the {100 * facts.rule.share:g}% with the highest mean EMD, rounded up, with "
            f"those that tie. The mean over concepts is {np.mean(pairs):.1f}."
        )
    if facts.problems:
        notes.append(
            f"{many(len(facts.problems), 'coloring')} could not be measured and "
            f"{'is' if len(facts.problems) == 1 else 'are'} in no number."
        )
    return notes
