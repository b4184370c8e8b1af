"""A few trials more for somebody who has some, with their share of repeats and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truehue.annotation.assignment.choice import Choice
from truehue.annotation.assignment.sequence import REPEAT_GAP
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import Purpose, Trial


def batch(
    plan: StudyPlan,
    before: Sequence[Trial],
    choices: Sequence[Choice],
    orders: Sequence[tuple[str, ...]],
    rng: np.random.Generator,
) -> tuple[Trial, ...]:
    """The choices in their orders after the trials ``before``, with the repeats and attention
    checks that are due by then.

    Of the plan's repeats and checks as large a part is due as of its main trials. A repeat shows a
    stimulus that was shown at least ``REPEAT_GAP`` trials before, in the reverse order, and waits
    while there is none; with the last batch it waits no longer.
    """
    entries = [
        Trial(0, choice.stimulus.id, order, Purpose.MAIN, choice.propensity)
        for choice, order in zip(choices, orders, strict=True)
    ]
    main = [trial for trial in before if trial.purpose is Purpose.MAIN]
    total = min(plan.trials, len(plan.main_stimuli))
    share = (len(main) + len(entries)) / total
    repeated = {trial.original for trial in before if trial.original is not None}
    checks = sum(trial.purpose is Purpose.ATTENTION for trial in before)
    due = int(share * plan.repeats + 1e-9) - len(repeated)
    open_ = [trial for trial in main if trial.position not in repeated]
    late = [trial for trial in open_ if trial.position < len(before) - REPEAT_GAP]
    for source in (late, open_) if share >= 1 else (late,):
        fresh = [trial for trial in source if trial.position not in repeated]
        for index in rng.permutation(len(fresh))[: max(due, 0)]:
            original = fresh[int(index)]
            slot = int(rng.integers(len(entries) + 1)) if source is late else len(entries)
            repeat = Trial(0, original.stimulus_id, original.order[::-1], Purpose.REPEAT)
            entries.insert(slot, replace(repeat, original=original.position))
            repeated.add(original.position)
            due -= 1
    for _ in range(int(share * plan.attention + 1e-9) - checks):
        slot, expected = int(rng.integers(len(entries) + 1)), int(rng.integers(plan.places))
        entries.insert(slot, Trial(0, "", (), Purpose.ATTENTION, expected=expected))
    return tuple(replace(trial, position=len(before) + i) for i, trial in enumerate(entries))
