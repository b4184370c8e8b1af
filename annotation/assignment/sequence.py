"""The order in which one participant's trials are served, with repeats and attention checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.annotation.assignment.choice import Choice
from truehue.core.studies import Purpose, Trial

REPEAT_GAP = 10
"""Trials between a stimulus and its repeat, at least, where there are as many."""


def shuffled(
    choices: Sequence[Choice], rng: np.random.Generator, kin: Mapping[str, str] | None = None
) -> tuple[Choice, ...]:
    """The choices in a drawn order in which no case follows itself, as far as that can be; ``kin``
    says by case which cases count as one.

    Drawn one after another among those of another case than the last; of a case that more than
    half of what remains belongs to, one is taken as long as it can be.
    """
    remaining = [choices[int(index)] for index in rng.permutation(len(choices))]

    def case_of(choice: Choice) -> str:
        case_id = choice.stimulus.case_id
        return kin[case_id] if kin else case_id

    count = Counter(case_of(choice) for choice in remaining)
    order: list[Choice] = []
    bound = max(count.values(), default=0)
    while remaining:
        last = case_of(order[-1]) if order else None
        most_case, urgent = "", False
        if 2 * bound > len(remaining):  # else no case can be that many
            most_case, bound = max(count.items(), key=lambda item: item[1])
            urgent = 2 * bound > len(remaining) and most_case != last
        fitting = (
            i
            for i, choice in enumerate(remaining)
            if (case_of(choice) == most_case if urgent else case_of(choice) != last)
        )
        index = next(fitting, 0)
        choice = remaining.pop(index)
        count[case_of(choice)] -= 1
        order.append(choice)
    return tuple(order)


def sequence(
    choices: Sequence[Choice],
    orders: Sequence[tuple[str, ...]],
    repeats: int,
    attention: int,
    answers: int,
    rng: np.random.Generator,
) -> tuple[Trial, ...]:
    """The trials from position 0: each choice in its order, repeats, and attention checks.

    A repeat shows one of the earlier stimuli once more, in the reverse order, at least
    ``REPEAT_GAP`` trials later where the sequence is long enough; else as late as it can be.
    Attention checks ask for a drawn answer of 0 to ``answers`` - 1; one lies in each of as many
    equal parts of the sequence, at a drawn place. There are no more repeats or checks than choices.
    """
    length = len(choices)
    entries = [
        _Entry(choice.stimulus.id, order, Purpose.MAIN, choice.propensity)
        for choice, order in zip(choices, orders, strict=True)
    ]
    mains = tuple(entries)
    early = max(length - REPEAT_GAP, min(length, 1))
    originals = rng.choice(early, size=min(repeats, early), replace=False) if length else ()
    slots = [
        (int(rng.integers(min(int(i) + 1 + REPEAT_GAP, length), length + 1)), mains[int(i)])
        for i in originals
    ]
    # From the end, so that the places of earlier ones stay as they are.
    for slot, main in sorted(slots, key=lambda pair: -pair[0]):
        repeat = _Entry(main.stimulus_id, main.order[::-1], Purpose.REPEAT, 1.0, main)
        entries.insert(slot, repeat)
    checks = min(attention, length)
    bounds = np.linspace(0, len(entries), checks + 1).astype(int)
    for part in reversed(range(checks)):
        slot = int(rng.integers(bounds[part], bounds[part + 1] + 1))
        expected = int(rng.integers(answers))
        entries.insert(slot, _Entry("", (), Purpose.ATTENTION, 1.0, None, expected))
    position_of = {id(entry): position for position, entry in enumerate(entries)}
    return tuple(
        Trial(
            position,
            entry.stimulus_id,
            entry.order,
            entry.purpose,
            entry.propensity,
            position_of[id(entry.original)] if entry.original else None,
            entry.expected,
        )
        for position, entry in enumerate(entries)
    )


@dataclass(frozen=True, eq=False)
class _Entry:
    """A trial whose position is not known yet."""

    stimulus_id: str
    order: tuple[str, ...]
    purpose: Purpose
    propensity: float
    original: _Entry | None = None
    expected: int | None = None
