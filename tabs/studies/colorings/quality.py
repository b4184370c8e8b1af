"""Quality control of a study's colorings on its page, and their distributions for Compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, TypedDict

import numpy as np
from pydantic import Field

from truehue.annotation.quality.consensus import ConceptUncertainty, Consensus
from truehue.annotation.quality.control import (
    LEVELS,
    STANDS_FOR,
    ColoringStatus,
    Level,
    Outcome,
    SecondCheck,
    agreement,
)
from truehue.core.cache import LruCache
from truehue.core.concepts.records import (
    EXTRACTED,
    HISTOGRAMS,
    METHODS,
    DistributionFile,
    DistributionRow,
)
from truehue.core.errors import BadInput, NotStored
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.links import ID_LENGTH, link
from truehue.tabs.page.requests import single_of
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.colorings.facts import Facts, known
from truehue.tabs.studies.colorings.listing import (
    BackgroundJson,
    BinShare,
    background_json,
    colors_json,
)
from truehue.tabs.studies.colorings.rule import ColoringRuleJson, rule_json
from truehue.tabs.studies.colorings.submitted import TRAINING, ColoringAuthor, label_of
from truehue.tabs.studies.results import ComputationState, StudyReference, state_json
from truehue.tabs.studies.results_numbers import StudyNumberJson, number, percent

NOT_TWICE = "No coloring has been reviewed by two experts yet."
ONE_ANSWER = "All experts gave the same answers, so agreement beyond chance cannot be computed."
TOGETHER, DESIGNERS = "together", "designers"
FORMS = {
    TOGETHER: "one distribution per concept, from all its colorings, as for models",
    DESIGNERS: "one distribution per designer; Compare shows intervals and compares the mean",
}
_WAIT_S = 20.0


class LevelCounts(TypedDict):
    """What results are of at a level."""

    colorings: int
    left_out: int
    participants: int
    concepts: int


class LevelJson(LevelCounts):
    """A level of quality control."""

    level: str
    words: str


class ConsensusJson(TypedDict):
    """The consensus of some colorings of a concept; ``why`` says why there is no number."""

    colorings: int
    pairs: int
    emd_lab: float | None
    why: str


class ConceptQuality(TypedDict):
    """The consensus of a concept before and after exclusions, and the ``votes`` by outcome."""

    case: str
    words: str
    group: str
    place: int
    flagged: bool
    before: ConsensusJson
    included: ConsensusJson
    after: ConsensusJson
    votes: dict[str, int]
    wanted: int
    width_lab: float | None
    width_few: bool
    width_why: str
    narrowing_lab: float | None
    colors: list[BinShare]


class VotePattern(TypedDict):
    """How many colorings have so many votes."""

    yes: int
    no: int
    colorings: int
    words: str


class ReviewerCounts(TypedDict):
    """The votes of one expert."""

    number: int
    label: str
    reviews: int
    yes: int


class ReviewsJson(TypedDict):
    """The votes of experts and their agreement, over ``items`` that two of them voted on."""

    colorings: int
    reviews: int
    consistent: int
    inconsistent: int
    open: int
    patterns: list[VotePattern]
    reviewers: list[ReviewerCounts]
    observed: StudyNumberJson
    kappa: StudyNumberJson
    alpha: StudyNumberJson
    items: int
    words: str
    notes: list[str]


class SecondColoring(ColoringAuthor):
    """A second coloring against the ``first``, both by their positions."""

    case: str
    words: str
    first: int
    second: int
    emd_lab: float
    threshold_lab: float
    farther: float | None
    consistent: bool
    why: str


class ListedColoring(ColoringAuthor):
    """A coloring by its author and position."""

    position: int
    words: str


class ExcludedColoring(ListedColoring):
    """A coloring that does not count, and why."""

    case: str
    reasons: list[str]


class UnmeasuredColoring(ListedColoring):
    """A coloring that could not be measured, and why."""

    why: str


class ColoredBackground(ListedColoring, BackgroundJson):
    """A coloring with color on the background."""

    case: str


class QualityJson(TypedDict):
    """All of quality control by a rule."""

    rule: ColoringRuleJson
    levels: list[LevelJson]
    concepts: list[ConceptQuality]
    reviews: ReviewsJson
    second: list[SecondColoring]
    left_out: list[ExcludedColoring]
    unmeasured: list[UnmeasuredColoring]
    background: list[ColoredBackground]
    notes: Sequence[str]
    seconds: float
    computed_at: str


_KEPT: LruCache[QualityJson] = LruCache(32)


class ConceptUncertaintyJson(TypedDict):
    """How wide a concept's distribution is, and how much the next coloring would narrow it."""

    case: str
    words: str
    group: str
    place: int | None
    colorings: int
    wanted: int
    width_lab: float | None
    width_few: bool
    narrowing_lab: float | None
    why: str


class UncertaintyView(ComputationState):
    """The concepts by what the next coloring is worth, at a ``level`` of quality control."""

    worth: list[ConceptUncertaintyJson] | None
    level: str | None


class QualityView(ComputationState):
    """Quality control of a study's colorings; None before the first measurement."""

    quality: QualityJson | None


@requires("study")
def quality(context: Context, actor: Actor, request: StudyReference) -> QualityView:
    """Consensus by concept, reviews and their agreement, repeated colorings, and which are
    included."""
    facts, computed = known(context, request.study)
    return {**state_json(computed), "quality": quality_json(facts) if facts else None}


@requires("study")
def concept_uncertainty_json(
    context: Context, actor: Actor, request: StudyReference
) -> UncertaintyView:
    """The uncertainty of each concept's distribution, and where the next coloring helps most."""
    facts, computed = known(context, request.study)
    rows = (
        [uncertainty_json(facts, concept_uncertainty) for concept_uncertainty in facts.worth]
        if facts
        else None
    )
    return {**state_json(computed), "worth": rows, "level": facts.rule.level if facts else None}


def quality_json(facts: Facts) -> QualityJson:
    """All of quality control as plain JSON; the same facts give it once."""
    made = facts.source.study.id, facts.computed_at
    return _KEPT.get(made, lambda: _quality_json(facts))


def _quality_json(facts: Facts) -> QualityJson:
    return {
        "rule": rule_json(facts.rule),
        "levels": [
            {"level": level.value, "words": text, **_level(facts, level)}
            for level, text in LEVELS.items()
        ],
        "concepts": _concepts(facts),
        "reviews": _reviews(facts),
        "second": [
            _second(facts, check) for stable in facts.stable.values() for check in stable.checks
        ],
        "left_out": _left_out(facts),
        "unmeasured": [
            {
                **label_of(coloring),
                "position": coloring.trial.position,
                "words": coloring.case.words,
                "why": facts.problems[coloring.key],
            }
            for coloring in facts.given
            if coloring.key in facts.problems
        ],
        "background": [
            {
                **label_of(coloring),
                "position": coloring.trial.position,
                "case": coloring.case.id,
                "words": coloring.case.words,
                **background,
            }
            for coloring in facts.given
            if coloring.purpose != TRAINING and (background := background_json(coloring, facts))
        ],
        "notes": _notes(facts),
        "seconds": facts.seconds,
        "computed_at": facts.computed_at.isoformat(),
    }


def uncertainty_json(
    facts: Facts, concept_uncertainty: ConceptUncertainty
) -> ConceptUncertaintyJson:
    """What the next coloring of a concept is worth."""
    case = facts.source.plan.case_by_id[concept_uncertainty.case_id]
    return {
        "case": case.id,
        "words": case.words,
        "group": case.group,
        "place": concept_uncertainty.place,
        "colorings": concept_uncertainty.colorings,
        "wanted": facts.source.plan.votes,
        "width_lab": concept_uncertainty.width_lab,
        "width_few": concept_uncertainty.few,
        "narrowing_lab": concept_uncertainty.narrowing_lab,
        "why": concept_uncertainty.why,
    }


def _level(facts: Facts, level: Level) -> LevelCounts:
    groups = facts.saved_colorings(level)
    colorings = [coloring for group in groups.values() for coloring in group]
    return {
        "colorings": len(colorings),
        "left_out": sum(_out(coloring_status) for coloring_status in facts.kept[level].values()),
        "participants": len({coloring.participant for coloring in colorings}),
        "concepts": len(groups),
    }


def _concepts(facts: Facts) -> list[ConceptQuality]:
    """Concepts by their consensus, the least first, before and after."""
    plan = facts.source.plan
    before = {consensus.case_id: consensus for consensus in facts.before}
    after = {consensus.case_id: consensus for consensus in facts.after}
    sure = {concept_uncertainty.case_id: concept_uncertainty for concept_uncertainty in facts.worth}
    votes: dict[str, Counter[str]] = {}
    for key, vote in facts.evidence.votes.items():
        if (coloring := facts.colorings.get(key)) is not None:
            votes.setdefault(coloring.case_id, Counter())[vote.outcome.value] += 1
    rows: list[ConceptQuality] = []
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
                "votes": {outcome.value: reviewed[outcome.value] for outcome in Outcome},
                "wanted": plan.votes,
                "width_lab": sure[case.id].width_lab,
                "width_few": sure[case.id].few,
                "width_why": sure[case.id].why,
                "narrowing_lab": sure[case.id].narrowing_lab,
                "colors": colors_json(facts.final[case.id]) if case.id in facts.final else [],
            }
        )
    return rows


def consensus_json(consensus: Consensus) -> ConsensusJson:
    """The consensus of one concept over some of its colorings."""
    return {
        "colorings": consensus.colorings,
        "pairs": consensus.pairs,
        "emd_lab": consensus.emd_lab,
        "why": consensus.why,
    }


def _reviews(facts: Facts) -> ReviewsJson:
    experts = agreement(facts.reviews, facts.source.plan.seed)
    outcomes = Counter(vote.outcome for vote in facts.evidence.votes.values())
    observed, kappa, alpha = experts.fleiss.observed, experts.fleiss.kappa, experts.alpha
    why = ONE_ANSWER if observed.items else NOT_TWICE
    text = ""
    if observed.items:
        text = (
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
        "words": text,
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


def _second(facts: Facts, check: SecondCheck) -> SecondColoring:
    by_key = {coloring.key: coloring for coloring in facts.given}
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


def _left_out(facts: Facts) -> list[ExcludedColoring]:
    """What a result is not of, and why, by concept and person."""
    by_key = {coloring.key: coloring for coloring in facts.given}
    return [
        {
            "case": coloring_status.coloring.case_id,
            "words": by_key[key].case.words,
            **label_of(by_key[key]),
            "position": coloring_status.coloring.position,
            "reasons": list(coloring_status.reasons),
        }
        for key, coloring_status in facts.kept[facts.level].items()
        if _out(coloring_status)
    ]


def _out(coloring_status: ColoringStatus) -> bool:
    """Whether a coloring is left out, and not only represented by another one of the person."""
    return not coloring_status.kept and coloring_status.reasons != (STANDS_FOR,)


def _notes(facts: Facts) -> Sequence[str]:
    notes = []
    pairs = [consensus.emd_lab for consensus in facts.before if consensus.emd_lab is not None]
    without = len(facts.before) - len(pairs)
    if without:
        notes.append(
            f"{count_noun(without, 'concept')} {'has' if without == 1 else 'have'} fewer than two "
            "colorings and no consensus value."
        )
    if pairs:
        flagged = len(facts.flagged)
        notes.append(
            f"{count_noun(flagged, 'concept')} of {len(pairs):,} {'is' if flagged == 1 else 'are'} "
            f"flagged: the {100 * facts.rule.share:g}% with the highest mean EMD, rounded up, with "
            f"those that tie. The mean over concepts is {np.mean(pairs):.1f}."
        )
    if facts.problems:
        notes.append(
            f"{count_noun(len(facts.problems), 'coloring')} could not be measured and "
            f"{'is' if len(facts.problems) == 1 else 'are'} in no number."
        )
    return notes


class MakeDistribution(StudyReference):
    """``level`` says which colorings it is of, that of the study's rule where it is empty."""

    level: Annotated[str, single_of("level", Level)] = ""
    form: Annotated[str, single_of("form", FORMS)] = TOGETHER
    name: Annotated[str, Field(max_length=200, title="The name")] = ""


class ColoringSet(TypedDict):
    """A set of distributions that was made of colorings."""

    id: str
    name: str
    concepts: int
    rows: int
    notes: list[str]


class MadeDistribution(TypedDict):
    """The set, and the addresses of its concepts in Compare."""

    set: ColoringSet
    source: str
    link: str
    links: dict[str, str]


@requires("study")
def make_distribution(
    context: Context, actor: Actor, request: MakeDistribution
) -> MadeDistribution:
    """Stores P_H of every concept as a set of people's distributions, ready to be compared. The
    same colorings give the same set."""
    facts, computed = known(context, request.study, _WAIT_S)
    if facts is None or computed.progress:
        raise NotStored("The colorings are still being measured. Try again in a moment.")
    level = Level(request.level or facts.rule.level)
    rows = rows_of(facts, level, request.form)
    if not rows:
        raise BadInput("No coloring is included at this level, so there is nothing to compare.")
    study = facts.source.study
    colorings = [coloring for group in facts.saved_colorings(level).values() for coloring in group]
    people = len({coloring.participant for coloring in colorings})
    concepts = len({row.words for row in rows})
    notes = (
        f"{count_noun(len(colorings), 'coloring')} of {count_noun(concepts, 'concept')} by "
        f"{count_noun(people, 'participant')}: {LEVELS[level]}.",
        f"{FORMS[request.form][0].upper()}{FORMS[request.form][1:]}. {METHODS[EXTRACTED]}.",
    )
    set_id = context.storage.distributions.add(
        DistributionFile(HISTOGRAMS, rows, notes),
        request.name or f"People of “{study.title[:150]}”",
        "",
        f"The study {study.title!r} ({study.id}), version {study.version} of its plan, as of "
        f"{facts.computed_at:%Y-%m-%d %H:%M} UTC.",
        True,
        actor.id,
    )
    context.storage.distributions.of_study(
        set_id, study.id, {int(coloring.participant) for coloring in colorings}
    )
    record = context.storage.distributions.get(set_id)
    source = f"set:{set_id[:ID_LENGTH]}"
    first = rows[0].words
    return {
        "set": {
            "id": set_id,
            "name": record.name,
            "concepts": record.concepts,
            "rows": record.rows,
            "notes": list(record.notes),
        },
        "source": source,
        "link": link("compare", {"words": first, "d": source}),
        "links": {row.words: link("compare", {"words": row.words, "d": source}) for row in rows},
    }


def rows_of(facts: Facts, level: Level, form: str = TOGETHER) -> tuple[DistributionRow, ...]:
    """The distributions of all concepts that have a kept coloring, in the order of the plan."""
    rows: list[DistributionRow] = []
    groups = facts.saved_colorings(level)
    for case_id, weights in facts.distributions(level).items():
        text = facts.source.plan.case_by_id[case_id].words
        group = groups[case_id]
        if form == TOGETHER:
            values = {"colorings": len(group), "method": EXTRACTED}
            rows.append(DistributionRow(text, "", _read_only(weights), len(group), values))
            continue
        rows += (
            DistributionRow(
                text,
                f"participant {int(coloring.participant) + 1}",
                _read_only(coloring.weights),
                1,
                {"colorings": 1, "method": EXTRACTED},
            )
            for coloring in group
        )
    return tuple(rows)


def _read_only(weights: np.ndarray) -> np.ndarray:
    array = np.array(weights, dtype=np.float64)
    array.flags.writeable = False
    return array
