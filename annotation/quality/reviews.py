"""Experts' reviews: is a coloring consistent with its concept? Majority, and how far they agree.

ColorConceptBench, Appendix B.4: three independent experts vote yes or no on each coloring of the
concepts with the least consensus; what does not secure a majority is left out. Equation 7 is the
observed agreement, Table 5 the votes. The paper has three votes on every image; what holds for
other numbers is decided here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from truehue.annotation.agreement.alpha import alpha
from truehue.annotation.agreement.fleiss import Agreement, Fleiss, fleiss
from truehue.annotation.judgments.resampling import REPLICATES
from truehue.annotation.quality.colorings import Key

REVIEWERS = 3
"""Experts who look at a coloring, as published."""
_MOST_ALPHA = 200


@dataclass(frozen=True)
class Review:
    """What one expert said of one coloring."""

    coloring: Key
    reviewer: str
    consistent: bool


class Outcome(StrEnum):
    """What the votes on a coloring give."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    OPEN = "open"


@dataclass(frozen=True)
class Votes:
    """The votes on one coloring and what they give."""

    yes: int
    no: int
    outcome: Outcome

    @property
    def count(self) -> int:
        """How many experts looked at it."""
        return self.yes + self.no


@dataclass(frozen=True)
class ReviewAgreement:
    """How far experts agree. ``patterns`` counts colorings by yes and no, ``by_reviewer`` the
    reviews and how many of them said yes, in the order of reviewers. ``fleiss`` has the observed
    agreement P̄ and κ, ``alpha`` is Krippendorff's. ``notes`` say what was left out and how unequal
    numbers of votes were taken."""

    patterns: Mapping[tuple[int, int], int]
    by_reviewer: Mapping[str, tuple[int, int]]
    fleiss: Fleiss
    alpha: Agreement
    notes: tuple[str, ...]


def standing(reviews: Iterable[Review]) -> dict[tuple[Key, str], Review]:
    """The last review of every coloring by every expert; ``reviews`` are in the order in which
    they were given, and an expert may take another view."""
    return {(review.coloring, review.reviewer): review for review in reviews}


def outcome_of(yes: int, no: int, needed: int = REVIEWERS) -> Outcome:
    """What votes give where ``needed`` are asked for.

    A coloring stays with more yes than no, and it goes where yes cannot be more any longer; a tie
    of all votes secures no majority, so it goes as well. Before that it is open: further votes
    decide. More votes than needed count all.
    """
    total = max(needed, yes + no)
    if 2 * yes > total:
        return Outcome.CONSISTENT
    return Outcome.INCONSISTENT if 2 * no >= total else Outcome.OPEN


def votes_of(reviews: Iterable[Review], needed: int = REVIEWERS) -> dict[Key, Votes]:
    """The votes on every coloring that has any, in the order of the first on each."""
    yes: Counter[Key] = Counter()
    count: Counter[Key] = Counter()
    for review in standing(reviews).values():
        count[review.coloring] += 1
        yes[review.coloring] += review.consistent
    return {
        key: Votes(yes[key], total - yes[key], outcome_of(yes[key], total - yes[key], needed))
        for key, total in count.items()
    }


def agreement(
    reviews: Iterable[Review], seed: int = 0, replicates: int = REPLICATES
) -> ReviewAgreement:
    """How far experts agree, with intervals over resampled colorings."""
    last = standing(reviews)
    votes = votes_of(last.values())
    keys, reviewers = sorted(votes), sorted({review.reviewer for review in last.values()})
    counts = np.array([[votes[key].yes, votes[key].no] for key in keys]).reshape(-1, 2)
    ratings = np.full((len(reviewers), len(keys)), np.nan)
    rows = {name: row for row, name in enumerate(reviewers)}
    columns = {key: column for column, key in enumerate(keys)}
    for item in last.values():
        ratings[rows[item.reviewer], columns[item.coloring]] = item.consistent
    rng = np.random.default_rng([seed, 31])
    kappa = fleiss(counts, rng, replicates)
    nominal = alpha(ratings, "nominal", rng, min(replicates, _MOST_ALPHA))
    return ReviewAgreement(
        dict(sorted(Counter((vote.yes, vote.no) for vote in votes.values()).items(), reverse=True)),
        {
            name: (int(np.isfinite(row).sum()), int(np.nansum(row)))
            for name, row in zip(reviewers, ratings, strict=True)
        },
        kappa,
        nominal,
        _notes(votes),
    )


def _notes(votes: Mapping[Key, Votes]) -> tuple[str, ...]:
    numbers = Counter(vote.count for vote in votes.values())
    notes = []
    if single := numbers.pop(1, 0):
        notes.append(
            f"{single:,} of {len(votes):,} colorings {'has' if single == 1 else 'have'} one review "
            f"and {'says' if single == 1 else 'say'} nothing of agreement."
        )
    if len(numbers) > 1:
        notes.append(
            f"Colorings have {min(numbers)} to {max(numbers)} reviews: the observed agreement is "
            "the mean over colorings, chance in κ is of mean shares a coloring, and α weighs a "
            "coloring by its reviews."
        )
    return tuple(notes)
