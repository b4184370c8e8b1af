"""Letter probabilities: how likely a model's first token was each letter, and their calibration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from truehue.core.vlm.records import Form, Question

BINS = 10


@dataclass(frozen=True)
class Calibration:
    """Of ``n`` answers to questions with letters. Probabilities are 0 to 1.

    ``mass`` is the mean probability that the first token is any of the offered letters. The others
    are over letters that add up to 1: ``right`` is the mean probability of the right one, ``brier``
    the mean of the squared differences over the letters, and ``error`` the expected calibration
    error of the likeliest letter in ten bins (Guo et al. 2017, ICML).
    """

    n: int
    mass: float
    right: float
    brier: float
    error: float


def calibration(
    questions: Sequence[Question], probabilities: Mapping[str, Mapping[str, float]]
) -> Calibration | None:
    """By question id; None where no question with letters has any."""
    answered = [
        (question, probabilities[question.question_id])
        for question in questions
        if question.form is Form.CHOICE
        and any(probabilities.get(question.question_id, {}).values())
    ]
    if not answered:
        return None
    masses, rights, briers = [], [], []
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for question, letters in answered:
        mass = sum(letters.values())
        shares = {letter: value / mass for letter, value in letters.items()}
        best = max(shares, key=lambda letter: shares[letter])
        masses.append(mass)
        rights.append(shares.get(question.answer, 0.0))
        briers.append(
            sum((value - float(letter == question.answer)) ** 2 for letter, value in shares.items())
        )
        index = min(int(shares[best] * BINS), BINS - 1)
        bins[index].append((shares[best], best == question.answer))
    n = len(answered)
    error = sum(
        abs(_mean(p for p, _ in part) - _mean(r for _, r in part)) * len(part)
        for part in bins
        if part
    )
    return Calibration(n, _mean(masses), _mean(rights), _mean(briers), error / n)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def letter_of(token: str, letters: Sequence[str]) -> str | None:
    """The letter that a token spells alone or with what stands before it: ``A``, `` A``, ``(A``,
    ``(A)``. Lower case is a word more often than a letter."""
    plain = token.replace("▁", " ").replace("Ġ", " ").strip().strip("().:*")
    return plain if plain in letters else None
