"""The experts of a study's review, by name, for researchers: who reviews, how far each is, how far
they agree, and what they wrote."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Annotated, TypedDict

from pydantic import Field

from truehue.annotation.quality.control import pair_agreements
from truehue.core.errors import BadInput
from truehue.core.studies import AccountRecord, ColoringMark
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor, Role, allowed
from truehue.tabs.studies.colorings.facts import (
    CurrentColorings,
    Facts,
    current_colorings_of,
    evidence_of,
    known_without_marks,
)
from truehue.tabs.studies.colorings.reviews import queue_of, returned_count, reviewers_of_each
from truehue.tabs.studies.colorings.rule import (
    MAX_REVIEWERS,
    named_experts,
    require_enough,
    with_named_experts,
)
from truehue.tabs.studies.colorings.submitted import (
    ColoringAuthor,
    counted_reviews,
    label_of,
    latest_reviews,
    reviewer_names,
    reviewers_of,
    sent_back,
)
from truehue.tabs.studies.live import StudyCache
from truehue.tabs.studies.results import ComputationState, StudyReference, state_json

MAX_EXPERTS = 100
_Account = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class SetExperts(StudyReference):
    """The accounts that review the colorings of a study, and how many of them each coloring; no
    account leaves the review to all experts, the first ones for each coloring."""

    experts: Annotated[list[_Account], Field(max_length=MAX_EXPERTS)]
    reviewers: Annotated[int, Field(ge=1, le=MAX_REVIEWERS)]


class ExpertProgress(TypedDict):
    """How far an expert is. ``left`` is what is theirs and waits, None while colorings are
    measured; ``sent_back`` counts those of it that they reviewed before. ``open``: they can sign
    in."""

    name: str
    named: bool
    open: bool
    done: int
    left: int | None
    sent_back: int
    yes: int


class ExpertPair(TypedDict):
    """The agreement of two experts over the ``colorings`` that both reviewed: ``equal`` is the
    share of equal answers, ``kappa`` Cohen's, None where all answers were the same."""

    first: str
    second: str
    colorings: int
    equal: float
    kappa: float | None


class ExpertComment(ColoringAuthor):
    """What an expert wrote of a coloring with an answer, ``consistent`` or ``inconsistent``."""

    name: str
    case: str
    words: str
    position: int
    value: str
    comment: str
    at: str


class ExpertAccount(TypedDict):
    """An account that may review."""

    id: str
    name: str
    role: str
    named: bool


class ExpertsView(ComputationState):
    """The review of a study by its experts; ``open`` counts colorings that were sent back and wait
    for an expert."""

    reviewers: int
    named: bool
    may_review: bool
    experts: list[ExpertProgress]
    accounts: list[ExpertAccount]
    pairs: list[ExpertPair]
    comments: list[ExpertComment]
    sent_back: int


@requires("study")
def experts(context: Context, actor: Actor, request: StudyReference) -> ExpertsView:
    """Who reviews the colorings of a study, how far each is, and how far they agree."""
    current = current_colorings_of(context, request.study)
    facts, computed = known_without_marks(context, request.study)
    accounts = _accounts(context)
    return {
        **state_json(computed),
        "reviewers": current.rule.reviewers,
        "named": bool(current.experts),
        "may_review": allowed(actor, "review")
        and (not current.experts or actor.id in current.experts),
        "experts": _progress(context, current, facts, {account.id for account in accounts}),
        "accounts": [
            {
                "id": account.id,
                "name": account.name,
                "role": account.role,
                "named": account.id in current.experts,
            }
            for account in accounts
        ],
        "pairs": _pairs(context, current),
        "comments": _comments(context, current),
        "sent_back": _waiting(current),
    }


@requires("study")
def set_experts(context: Context, actor: Actor, request: SetExperts) -> ExpertsView:
    """Names the experts who review a study's colorings, and how many of them each; what they
    reviewed so far stays and counts."""
    current = current_colorings_of(context, request.study)
    experts_named = tuple(dict.fromkeys(request.experts))
    may_review = {account.id for account in _accounts(context)}
    if unknown := [name for name in experts_named if name not in may_review]:
        raise BadInput(
            f"{len(unknown)} of these accounts cannot review: they are closed, or of another role. "
            "Load the page again and choose others.",
            "experts",
        )
    require_enough(experts_named, request.reviewers)
    with context.service(StudyCache).changing:
        stored = context.storage.studies.rule(current.study_id)
        rule = with_named_experts(stored, experts_named, request.reviewers)
        if named_experts(stored) != experts_named or current.rule.reviewers != request.reviewers:
            context.storage.studies.set_rule(current.study_id, rule, actor.id)
    return experts(context, actor, StudyReference(study=current.study_id))


def _accounts(context: Context) -> list[AccountRecord]:
    """The accounts that may review, experts first."""
    accounts = [
        account
        for account in context.storage.accounts.all()
        if not account.closed and allowed(Actor(account.id, Role(account.role)), "review")
    ]
    return sorted(accounts, key=lambda account: (account.role != Role.EXPERT, account.name))


def _progress(
    context: Context, current: CurrentColorings, facts: Facts | None, may_review: Collection[str]
) -> list[ExpertProgress]:
    """Those who were named, in that order, and then others who reviewed."""
    counted = [mark for _, mark in counted_reviews(current.marks, current.given)]
    known_names = {account.id: account.name for account in context.storage.accounts.all()}
    names = {**known_names, **reviewer_names(context, current.marks)}
    reviewers = None if facts is None else reviewers_of_each(current, facts)
    rows: list[ExpertProgress] = []
    for expert in dict.fromkeys((*current.experts, *reviewers_of(current.marks))):
        own: Sequence[ColoringMark] = [mark for mark in counted if mark.author == expert]
        named = expert in current.experts
        reviews_here = named or not current.experts
        queue = queue_of(current, expert, facts, reviewers) if reviews_here else []
        rows.append(
            {
                "name": names.get(expert, "An account that is gone"),
                "named": named,
                "open": expert in may_review,
                "done": len(own),
                "left": None if facts is None else len(queue),
                "sent_back": returned_count(current, queue),
                "yes": sum(mark.value == "consistent" for mark in own),
            }
        )
    return rows


def _pairs(context: Context, current: CurrentColorings) -> list[ExpertPair]:
    _, reviews = evidence_of(current.given, current.marks, (), current.rule)
    named = reviewer_names(context, current.marks)
    names = {
        f"{number:04d}": named[author] for author, number in reviewers_of(current.marks).items()
    }
    return [
        {
            "first": names[pair.first],
            "second": names[pair.second],
            "colorings": pair.colorings,
            "equal": pair.equal,
            "kappa": None if math.isnan(pair.kappa) else pair.kappa,
        }
        for pair in pair_agreements(reviews)
    ]


def _comments(context: Context, current: CurrentColorings) -> list[ExpertComment]:
    """What experts wrote with their last answers, the newest first."""
    names = reviewer_names(context, current.marks)
    commented = [
        (coloring, mark)
        for coloring, mark in latest_reviews(current.marks, current.given)
        if mark.reason
    ]
    return [
        {
            **label_of(coloring),
            "name": names[mark.author],
            "case": coloring.case.id,
            "words": coloring.case.words,
            "position": coloring.trial.position,
            "value": mark.value,
            "comment": mark.reason,
            "at": mark.at.isoformat(),
        }
        for coloring, mark in sorted(commented, key=lambda entry: -entry[1].number)
    ]


def _waiting(current: CurrentColorings) -> int:
    """How many colorings were sent back and not reviewed again by all."""
    back = sent_back(current.marks)
    counted = Counter(coloring.key for coloring, _ in counted_reviews(current.marks, current.given))
    before = Counter(
        coloring.key
        for coloring, mark in latest_reviews(current.marks, current.given)
        if (mark.participant_id, mark.position) in back
    )
    wanted = current.rule.reviewers
    return sum(counted[key] < min(number, wanted) for key, number in before.items())
