"""Several scorers on the same set: McNemar's exact test of each pair, adjusted by Holm's method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from truehue.core.analysis.paired import PairCounts, holm
from truehue.core.errors import BadInput
from truehue.core.ring.answers import RingAnswers
from truehue.core.ring.folder import RingKey
from truehue.core.ring.plan import PROBE, RIGHT
from truehue.core.ring.report import SIGNIFICANT, accepted_of


@dataclass(frozen=True)
class RingPair:
    """Two scorers. ``only_a`` are the images on which the first has more right answers, about the
    true color (``on`` is "hits") or about other colors ("false accepts"). ``p`` is None where no
    image tells them apart; ``p_adjusted`` is adjusted for all pairs and both."""

    a: str
    b: str
    on: str
    only_a: int
    only_b: int
    p: float | None
    p_adjusted: float | None = None

    @property
    def better(self) -> str:
        """The scorer that is better by a difference that chance does not explain; else empty."""
        if self.p_adjusted is None or self.p_adjusted >= SIGNIFICANT:
            return ""
        return self.a if self.only_a > self.only_b else self.b


def compare(key: RingKey, scorers: Sequence[RingAnswers]) -> tuple[RingPair, ...]:
    """Every pair of scorers, on hits and on false accepts. An image is the trial, because answers
    about one image are alike. Raises BadInput for two scorers of one name."""
    names = Counter(entry.scorer for entry in scorers)
    if twice := [name for name, count in names.items() if count > 1]:
        raise BadInput(f"Two files of answers are named {twice[0]!r}. Rename one of them.")
    by_scorer = {entry.scorer: _right_by_image(key, entry) for entry in scorers}
    pairs = []
    for a, b in combinations(by_scorer, 2):
        for on, is_hit in (("hits", True), ("false accepts", False)):
            apart = [
                by_scorer[a][image, is_hit] - by_scorer[b][image, is_hit] for image in key.scenes
            ]
            counts = PairCounts(
                only_a=sum(value > 0 for value in apart), only_b=sum(value < 0 for value in apart)
            )
            pairs.append(RingPair(a, b, on, counts.only_a, counts.only_b, counts.p_value))
    adjusted = iter(holm(pair.p for pair in pairs if pair.p is not None))
    return tuple(
        pair if pair.p is None else replace(pair, p_adjusted=next(adjusted)) for pair in pairs
    )


def _right_by_image(key: RingKey, answers: RingAnswers) -> Counter[tuple[str, bool]]:
    """Right answers by image, and by whether the question is on the true color."""
    questions = list(key.questions.values())
    counts: Counter[tuple[str, bool]] = Counter()
    for question, yes in zip(questions, accepted_of(questions, answers), strict=True):
        is_hit = question.kind == RIGHT
        if question.kind != PROBE:
            counts[question.image, is_hit] += yes == is_hit
    return counts
