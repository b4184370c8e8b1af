"""Which stimuli one participant gets, such that all get answers at the same pace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.annotation.studies.cases import Stimulus


@dataclass(frozen=True)
class Choice:
    """A stimulus and the probability, 0 to 1, with which it was chosen among equals."""

    stimulus: Stimulus
    propensity: float


def balanced(
    stimuli: Sequence[Stimulus],
    load: Mapping[str, int],
    size: int,
    limit: int,
    rng: np.random.Generator,
    kin: Mapping[str, str] | None = None,
) -> tuple[Choice, ...]:
    """Up to ``size`` different stimuli, in the order in which they were chosen.

    ``load`` says by id how many answers a stimulus has or will have; one with ``most`` is left
    out. The next stimulus is, in this order of importance: of the lowest load; of a case that this
    participant has least; of models that this participant has least; of the case with the most
    stimuli of that load, so that what remains for others stays even; drawn among equals. ``kin``
    says by case which cases count as one; without it each is its own.

    With as many answers wanted as participants give, every stimulus gets exactly as many as every
    other (the paper's study: 450 pairs, 36 participants with 75 each, six answers a pair).
    """
    cases, case_of = np.unique(
        [kin[s.case_id] if kin else s.case_id for s in stimuli], return_inverse=True
    )
    sets, set_of = np.unique(["\x1f".join(s.models) for s in stimuli], return_inverse=True)
    loads = np.array([load.get(s.id, 0) for s in stimuli], dtype=np.int64)
    open_ = loads < limit
    case_count = np.zeros(len(cases), dtype=np.int64)
    set_count = np.zeros(len(sets), dtype=np.int64)
    choices: list[Choice] = []
    for _ in range(min(size, int(open_.sum()))):
        lowest = open_ & (loads == loads[open_].min())
        remaining = np.bincount(case_of[lowest], minlength=len(cases))
        candidates = np.flatnonzero(lowest)
        for values in (case_count[case_of], set_count[set_of], -remaining[case_of]):
            candidates = candidates[values[candidates] == values[candidates].min()]
        index = int(rng.choice(candidates))
        choices.append(Choice(stimuli[index], 1 / len(candidates)))
        open_[index] = False
        case_count[case_of[index]] += 1
        set_count[set_of[index]] += 1
    return tuple(choices)
