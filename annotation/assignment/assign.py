"""Choose a participant's next trials: their stimuli, their order, and the side of each candidate.

``replay`` repeats every assignment from the log, so that anybody can check it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from truehue.annotation.assignment.information import Tallies, VotePrecision
from truehue.annotation.assignment.ledger import (
    AssignmentState,
    Enrolled,
    Exclusions,
    Ledger,
    Orders,
    ordered,
)
from truehue.annotation.assignment.practice import (
    practice_is_due,
    practice_round,
    round_is_due,
    seconds_due,
    training_round,
)
from truehue.annotation.judgments.answers import Answer, answers_of
from truehue.annotation.studies.cases import Kind, Stimulus
from truehue.annotation.studies.plan import Method, StudyPlan
from truehue.core.studies import ColoringMark, Event, Purpose, StoredTrial, Trial

REPEAT_GAP = 10
"""Trials between a stimulus and its repeat, at least, where there are as many."""
EXPLORED = 0.2
"""The share of draws in which every pair is as likely as every other. With it no pair is ever
impossible, and none is less likely than a fifth of what it were by chance alone."""
BATCH = 5
"""Main trials that are chosen at once where the choice follows what was answered."""
AHEAD = 2
"""Trials without an answer at which the next batch is chosen: their images can be fetched while
these are looked at."""


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

    ``load`` says by id how many answers a stimulus has or will have; one with ``limit`` is left
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


def shuffled(
    choices: Sequence[Choice], rng: np.random.Generator, kin: Mapping[str, str] | None = None
) -> tuple[Choice, ...]:
    """The choices in a random order in which no case follows itself, as far as possible; ``kin``
    says by case which cases count as one.

    Each is sampled among the choices of another case than the last. If more than half of the
    remaining choices belong to one case, that case is chosen whenever possible.
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


def spaced(
    choices: Sequence[Choice],
    rng: np.random.Generator,
    kin: Mapping[str, str],
    gap: int,
    before: Sequence[str] = (),
) -> tuple[Choice, ...]:
    """The choices in a random order in which ``gap`` others (1 or more) lie between two of one case;
    fewer for all where the choices do not allow so many. ``kin`` says by case which cases count as
    one, ``before`` are the cases of the trials before, as ``kin`` has them.

    As soon as the remaining choices of the most frequent cases need every place that is left, one of
    these cases comes (the rule for scheduling tasks with a cooldown). After what came ``before``, a
    case may have to come earlier: that which was shown longest ago.
    """
    count = Counter(kin[choice.stimulus.case_id] for choice in choices)
    bound = max(count.values(), default=0)
    others = len(choices) - sum(number == bound for number in count.values())
    if bound > 1:  # (bound - 1) · (gap + 1) places, and the last of each most frequent case
        gap = min(gap, others // (bound - 1) - 1)
    if gap <= 1:
        return shuffled(choices, rng, kin)
    remaining = [choices[int(index)] for index in rng.permutation(len(choices))]
    cases = [kin[choice.stimulus.case_id] for choice in remaining]
    seen = {case: position - len(before) for position, case in enumerate(before)}
    order: list[Choice] = []
    for position in range(len(remaining)):
        most = max(count.values())
        frequent = sum(number == most for number in count.values())
        tight = (most - 1) * (gap + 1) + frequent >= len(cases)
        free = [i for i, case in enumerate(cases) if position - seen.get(case, -gap - 1) > gap]
        urgent = [i for i in free if count[cases[i]] == most] if tight else free
        if urgent or free:
            index = (urgent or free)[0]
        else:
            index = min(range(len(cases)), key=lambda i: seen[cases[i]])
        case = cases.pop(index)
        order.append(remaining.pop(index))
        count[case] -= 1
        seen[case] = position
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
        slot, expected = int(rng.integers(len(entries) + 1)), int(rng.integers(plan.choice_count))
        entries.insert(slot, Trial(0, "", (), Purpose.ATTENTION, expected=expected))
    return tuple(replace(trial, position=len(before) + i) for i, trial in enumerate(entries))


@dataclass(frozen=True)
class Open:
    """The pairs that may be sampled: ``load`` says by id how many answers a pair has or will have,
    ``most`` how many are wanted, ``had`` are the ids that this participant was given."""

    load: Mapping[str, int]
    most: int
    had: AbstractSet[str]


def adaptive(
    stimuli: Sequence[Stimulus],
    open_: Open,
    size: int,
    tallies: Tallies,
    rng: np.random.Generator,
) -> tuple[Choice, ...]:
    """Up to ``size`` different pairs, in the order of sampling.

    Open are those that the participant has not had: below the wanted answers while there are any.
    Each is sampled with probability (1 − ε)·gain / Σ gain + ε / n among the n open pairs, with
    ε = :data:`EXPLORED`; that probability is its propensity, given the earlier samples. The gain is
    that of :mod:`truehue.annotation.assignment.information`, where a sampled pair counts as voted
    on. It depends on the two models alone: cases with the same models are equally likely.
    """
    sets = sorted({stimulus.models for stimulus in stimuli})
    knowledge = VotePrecision(sorted({model for models in sets for model in models}), tallies)
    pairs = np.array([[knowledge.index[model] for model in models] for models in sets])
    position = {models: i for i, models in enumerate(sets)}
    set_of = np.array([position[stimulus.models] for stimulus in stimuli])
    fresh = np.array([stimulus.id not in open_.had for stimulus in stimuli])
    wanted = np.array([open_.load.get(stimulus.id, 0) < open_.most for stimulus in stimuli])
    choices: list[Choice] = []
    while fresh.any() and len(choices) < size:
        candidates = np.flatnonzero(fresh & wanted if (fresh & wanted).any() else fresh)
        gains = knowledge.gains(pairs)[set_of[candidates]]
        propensity = (1 - EXPLORED) * gains / gains.sum() + EXPLORED / len(candidates)
        sample = int(rng.choice(len(candidates), p=propensity / propensity.sum()))
        index = candidates[sample]
        choices.append(Choice(stimuli[index], float(propensity[sample])))
        knowledge.add(pairs[set_of[index], None], np.ones(1))
        fresh[index] = False
    return tuple(choices)


def assign(
    plan: StudyPlan, number: int, load: Mapping[str, int], served: Orders, after: int = 0
) -> tuple[Trial, ...]:
    """The trials of the participant with that ``number`` (from 0, by enrolment), who has as many
    as ``after`` already, of training.

    ``load`` says by stimulus how many answers it has or will have, ``served`` how often it was
    shown in which order; both are of the whole study. The same arguments give the same trials.
    Empty where every stimulus has the votes that are wanted.
    """
    rng = chance(plan, number, after)
    kin = balance_groups(plan)
    chosen = balanced(plan.main_stimuli, load, plan.trials, plan.votes, rng, kin)
    choices = spaced(chosen, rng, kin, plan.case_gap)
    orders = ordered([choice.stimulus for choice in choices], served, rng)
    trials = sequence(choices, orders, plan.repeats, plan.attention, plan.choice_count, rng)
    return tuple(
        replace(
            trial,
            position=trial.position + after,
            original=None if trial.original is None else trial.original + after,
        )
        for trial in trials
    )


def balance_groups(plan: StudyPlan) -> dict[str, str]:
    """What each case is one of: where sketches are colored, of those with its sketch, so that a
    person gets other sketches before the same one with other words, and never one after itself;
    of questions, those of its task, so that everybody gets as many of each task."""
    if plan.kind is Kind.COLORINGS:
        return {case.id: case.sketch for case in plan.cases}
    if plan.kind is Kind.QUESTIONS:
        return {case.id: case.group for case in plan.cases}
    return {case.id: case.id for case in plan.cases}


def chance(plan: StudyPlan, number: int, after: int) -> np.random.Generator:
    """Chance of its own for every participant, and every number of trials that they have."""
    return np.random.default_rng([plan.seed, number, after, 1] if after else [plan.seed, number])


def is_due(
    plan: StudyPlan,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    marks: Sequence[ColoringMark] = (),
) -> bool:
    """Whether :func:`assign_further` may have trials for that participant. This check is cheap and
    comes first: the state of a study needs all its events."""
    started = any(trial.purpose is Purpose.MAIN for trial in trials)
    if plan.kind is Kind.COLORINGS:
        if started:
            return bool(seconds_due(trials, answers, marks))
        return practice_is_due(plan, trials, answers, marks) is not None
    if not started:
        return round_is_due(plan, trials, answers) is not None
    if plan.method is Method.BALANCED:
        return False
    main = sum(trial.purpose is Purpose.MAIN for trial in trials)
    waiting = sum(trial.position not in answers for trial in trials)
    return waiting <= AHEAD and main < min(plan.trials, len(plan.main_stimuli))


def assign_further(
    plan: StudyPlan,
    number: int,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    assignment_state: AssignmentState,
    marks: Sequence[ColoringMark] = (),
) -> tuple[Trial, ...]:
    """The trials to add now to those of the participant with that ``number``, empty if none.

    Rounds of training come first, then all main trials at once, or, where they are chosen
    adaptively, in batches as soon as no more than ``AHEAD`` wait for an answer. ``trials`` are all
    that the participant has, ``answers`` those that stand. Where sketches are colored, practice
    comes first, and ``marks``, those of the participant up to now, say when it was good enough and
    which colorings are asked for a second time. The same arguments give the same trials.
    Somebody whose trials are all answered and who gets none here is through.
    """
    if not is_due(plan, trials, answers, marks):
        return ()
    rng = chance(plan, number, len(trials))
    started = any(trial.purpose is Purpose.MAIN for trial in trials)
    if plan.kind is Kind.COLORINGS:
        if started:
            return seconds_due(trials, answers, marks)
        if practice_is_due(plan, trials, answers, marks):
            return practice_round(plan, trials, rng)
    elif not started and round_is_due(plan, trials, answers):
        return training_round(plan, trials, rng)
    if plan.method is Method.ADAPTIVE:
        return _batch(plan, trials, assignment_state, rng)
    return assign(plan, number, assignment_state.load, assignment_state.served, len(trials))


def length_of(plan: StudyPlan, trials: Sequence[Trial]) -> int:
    """How many trials a participant who has these will have had in the end, as far as is known:
    more where training has to be repeated, fewer where nothing is left to ask."""
    main = [trial for trial in trials if trial.purpose is Purpose.MAIN]
    if main and plan.method is Method.BALANCED:
        return len(trials)
    training = sum(trial.purpose is Purpose.TRAINING for trial in trials)
    total = min(plan.trials, len(plan.main_stimuli))
    if plan.method is Method.BALANCED:
        early = max(total - REPEAT_GAP, min(total, 1))
    else:
        early = total - (total % BATCH or BATCH)
    rest = total + min(plan.repeats, early) + min(plan.attention, total)
    return max(training, len(plan.training.keys), len(plan.practice.case_ids)) + rest


def _batch(
    plan: StudyPlan,
    trials: Sequence[Trial],
    assignment_state: AssignmentState,
    rng: np.random.Generator,
) -> tuple[Trial, ...]:
    had = {trial.stimulus_id for trial in trials if trial.purpose is Purpose.MAIN}
    stimuli = plan.main_stimuli
    if not had and all(
        assignment_state.load.get(stimulus.id, 0) >= plan.votes for stimulus in stimuli
    ):
        return ()
    size = min(BATCH, plan.trials - len(had))
    open_ = Open(assignment_state.load, plan.votes, had)
    chosen = adaptive(stimuli, open_, size, assignment_state.tallies, rng)
    if not chosen:
        return ()
    shown = [plan.by_id[trial.stimulus_id].case_id for trial in trials if trial.stimulus_id]
    choices = spaced(chosen, rng, balance_groups(plan), plan.case_gap, shown)
    orders = ordered([choice.stimulus for choice in choices], assignment_state.served, rng)
    return batch(plan, trials, choices, orders, rng)


def replay(
    plan: StudyPlan,
    people: Sequence[Enrolled],
    changes: Sequence[tuple[datetime, StudyPlan]] = (),
    exclusions: Exclusions | None = None,
) -> dict[int, list[datetime]]:
    """By the numbers of those whose stored trials are not what
    :func:`truehue.annotation.assignment.assign.assign_further` gives again: the times of writing down at
    which they are not.

    ``people`` are all participants. ``changes`` are later versions of the plan with the times from
    which the study went by them; ``exclusions`` is who was left out of results, and when. Empty
    where everything is as it was served. Where participants were erased, what was written down
    while they were there may not be given again; what was before and after is, for the study went
    on as if they had never been there.
    """
    by_number = {person.number: person for person in people}
    ledger = Ledger(plan, exclusions)
    for person in people:
        ledger.enroll(person.number, person.enrolled_at)
    had: dict[int, tuple[Trial, ...]] = dict.fromkeys(by_number, ())
    differing: dict[int, list[datetime]] = {}
    versions = deque(sorted(changes, key=lambda change: change[0]))
    for time, number, label in _in_time(people):
        while versions and versions[0][0] <= time:
            ledger.use(versions.popleft()[1])
        if isinstance(label, Event):
            ledger.take(number, label)
            continue
        own = by_number[number].plan or plan
        answers = answers_of(own, had[number], by_number[number].before(time))
        marks = [mark for mark in by_number[number].marks if mark.at <= time]
        again = assign_further(own, number, had[number], answers, ledger.standing(time), marks)
        if again != tuple(_plain(trial) for trial in label):
            differing.setdefault(number, []).append(time)
        ledger.assign(number, label, time)
        had[number] += label
    return dict(sorted(differing.items()))


def _in_time(
    people: Sequence[Enrolled],
) -> Iterator[tuple[datetime, int, Event | tuple[Trial, ...]]]:
    """Everything that happened and everything that was written down, an event before what was
    written down at the same time unless it is about that."""
    rows: list[tuple[tuple[datetime, int, int, int], Event | tuple[Trial, ...]]] = []
    for person in people:
        times = {trial.position: person.assigned_at(trial) for trial in person.trials}
        for event in person.events:
            if event.at is not None:
                known = event.position is None or times.get(event.position) != event.at
                rows.append(((event.at, 0 if known else 2, person.number, event.number), event))
        trials = sorted(person.trials, key=lambda trial: trial.position)
        for assigned_at in sorted({person.assigned_at(trial) for trial in trials}) or [
            person.enrolled_at
        ]:
            values = tuple(trial for trial in trials if person.assigned_at(trial) == assigned_at)
            rows.append(((assigned_at, 1, person.number, 0), values))
    for (assigned_at, _, number, _), label in sorted(rows, key=lambda row: row[0]):
        yield assigned_at, number, label


def _plain(trial: Trial) -> Trial:
    return trial.trial() if isinstance(trial, StoredTrial) else trial
