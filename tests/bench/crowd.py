"""``python -m tests.bench.crowd``: a study with 200 people who do not all do as they should.

They come by one link within half a minute and answer at a person's pace, over HTTP as the page
does. Some only look at the screening, are screened out, leave, come back (some when their trials
are with others already), miss attention checks, answer as a script does, stop, or ask to be erased;
everybody sends some events twice. A researcher watches, excludes some and erases some. Once, the
app is killed (SIGKILL) and started again. Who finds the study full waits for a place.

Goals: every stimulus has the planned answers of people who are not excluded, more only where
somebody came back late; every acknowledged answer is there, once, with its value; sides are
balanced; the log gives all trials again. The exit status is 0 when all are met.
tests/tabs/participants/test_crowd.py does it too.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.bench.guests import (
    ABSENCE_S,
    ABSENT,
    CODES,
    COMPLETING,
    ENDINGS,
    LEFT_OUT,
    UNFINISHED,
    Crowd,
    Guest,
    Json,
    Pace,
    Role,
)
from tests.running import App, running_alone
from truehue.annotation.studies.cases import Candidate, Case, Kind
from truehue.annotation.studies.plan import (
    Closing,
    Completion,
    Consent,
    Ending,
    Material,
    Screening,
    StudyPlan,
    to_json,
)
from truehue.core.studies import Event, EventKind, State
from truehue.storage.store import Storage
from truehue.tabs.participants.tokens import hash_of, new_token

PEOPLES_PACE = Pace(arrival=30.0, pause=2.0, again=1.0)
TRIALS = 12


def make_plan(completing: int, images: Sequence[str]) -> StudyPlan:
    """A study for nine tenths of so many who complete it. ``images`` are three a case."""
    cases = tuple(
        Case(
            f"case {i}",
            f"thing {i}",
            tuple(Candidate(f"model {j}", (images[3 * i + j],)) for j in range(3)),
        )
        for i in range(len(images) // 3)
    )
    stimuli = 3 * len(cases)
    return StudyPlan(
        title="A crowd",
        kind=Kind.PAIRS,
        material=Material.IMAGES,
        question="Which image’s colors match the description better?",
        instructions="",
        consent=Consent("1", "I take part."),
        cases=cases,
        votes=2 * int(0.9 * completing * TRIALS / stimuli / 2),  # each side as often
        trials=TRIALS,
        seed=14,
        repeats=2,
        attention=3,
        screening=Screening(needed_plates=3, needs_patches=True),
        completion=Completion(CODES[Ending.COMPLETED]),
        endings=tuple(
            (ending, Completion(CODES[ending]))
            for ending in (Ending.SCREENED_OUT, Ending.FAILED_CHECKS)
        ),
        missed_checks_limit=3,
        closing=Closing(replace_excluded=True),
        abandoned_after_s=ABSENCE_S,
        case_gap=4,
    )


def make_study(data: Path, roles: Sequence[Role]) -> tuple[str, str, StudyPlan]:
    """The id, the token of a link, and the plan of a study that is open."""
    rng = np.random.default_rng(14)
    with Storage.open(data) as storage:
        images = [
            storage.images.add(
                rng.integers(0, 256, (32, 32, 3), dtype=np.uint8), f"{index}.png", "upload"
            ).image_id
            for index in range(60 if len(roles) >= 100 else 12)
        ]
        plan = make_plan(sum(role in COMPLETING for role in roles), images)
        study, token = storage.studies.add(to_json(plan), "owner"), new_token()
        storage.invitations.add(study.id, hash_of(token), "crowd", False, "owner")
        storage.studies.set_state(study.id, State.OPEN, "owner")
    return study.id, token, plan


def roles_of(people: int, rng: random.Random, absent: bool) -> list[Role]:
    """A role for each of them, in the order of coming: the last third completes. Where nobody is
    to be ``absent``, who would be stops instead."""
    share = {
        Role.LOOKS_IN: 0.06,
        Role.SCREENED_OUT: 0.04,
        Role.LEAVES: 0.08,
        Role.RETURNS: 0.08,
        Role.RETURNS_LATE: 0.03,
        Role.MISSES_CHECKS: 0.04,
        Role.FAILS: 0.03,
        Role.SCRIPT: 0.03,
        Role.EXCLUDED: 0.03,
        Role.WITHDRAWS: 0.04,
        Role.ERASED: 0.03,
    }
    roles = [role for role, part in share.items() for _ in range(max(1, round(part * people)))]
    roles += [Role.COMPLETES] * (people * 2 // 3 - len(roles))
    if not absent:
        roles = [Role.WITHDRAWS if role in ABSENT else role for role in roles]
    rng.shuffle(roles)
    # First: a study that closes by itself counts those who are still answering.
    roles.sort(key=lambda role: role not in LEFT_OUT)
    return roles + [Role.COMPLETES] * (people - len(roles))


@dataclass(frozen=True)
class Outcome:
    """What came of it. ``over`` are answers beyond the planned ones, of which ``late`` were given
    by people who came back late; ``sides`` is the largest difference of the two sides of a
    stimulus, and ``left`` the share of the places at which a model stood left, by model."""

    people: Mapping[Role, int]
    turned_away: int
    acknowledged: int
    milliseconds: Sequence[float]
    wanted: int
    short: int
    over: int
    late: int
    lost: int
    doubled: int
    changed: int
    sides: int
    left: Mapping[str, float]
    wrongly: Sequence[str]
    replay: str
    differing: Sequence[str]
    state: str
    problems: Sequence[str]

    @property
    def goals(self) -> list[tuple[str, object, bool]]:
        """Each figure with whether it is as it should be."""
        return [
            ("the study at the end", self.state, self.state == "closed"),
            ("answers that stimuli lack", self.short, self.short == 0),
            ("answers beyond the plan that are not late", self.over, self.over == 0),
            ("acknowledged events lost", self.lost, self.lost == 0),
            ("events or answers doubled", self.doubled, self.doubled == 0),
            ("answers with another value", self.changed, self.changed == 0),
            ("largest difference of two sides", self.sides, self.sides <= 4),
            ("people wrongly in or out", len(self.wrongly), not self.wrongly),
            ("trials that the log does not give", len(self.differing), not self.differing),
            ("refused or unanswered", len(self.problems), not self.problems),
        ]


Running = Callable[[Path], AbstractContextManager[App]]


def simulate(data: Path, people: int, pace: Pace, running: Running, absent: bool = True) -> Outcome:
    """The whole study, with a server that is killed when a third of the answers are there."""
    roles = roles_of(people, random.Random(people), absent)
    crowd = Crowd(*make_study(data, roles), pace)
    with running(data) as app:
        crowd.at(app.address)
        guests = [Guest(crowd, role, seed) for seed, role in enumerate(roles)]
        return asyncio.run(_simulated(crowd, guests, app, running))


async def _simulated(crowd: Crowd, guests: Sequence[Guest], app: App, running: Running) -> Outcome:
    await crowd.asks("rule", {"least_attention": 0.5, "most_fast": 0.5})
    watching = asyncio.create_task(crowd.watch())
    part = crowd.pace.arrival / len(guests)
    there = [asyncio.create_task(guest.take_part(i * part)) for i, guest in enumerate(guests)]
    while crowd.answers < crowd.plan.answers_wanted // 3:
        await asyncio.sleep(0.02)
        assert not any(task.done() and task.exception() for task in there)
    app.process.kill()
    app.process.wait(30)
    with running(app.data) as again:  # nobody acts before it is there
        crowd.at(again.address)
        await asyncio.gather(*there)
        watching.cancel()
        for guest in guests:
            guest.close()
        live, replay = await crowd.asks("live"), await crowd.asks("replay")
        rows = list(csv.DictReader((await crowd.asks("tables/answers.csv")).splitlines()))
        trials = list(csv.DictReader((await crowd.asks("tables/trials.csv")).splitlines()))
    return _outcome(crowd, guests, app.data, live, replay, rows, trials)


def _outcome(
    crowd: Crowd,
    guests: Sequence[Guest],
    data: Path,
    live: Json,
    replay: Json,
    answers: Sequence[Json],
    trials: Sequence[Json],
) -> Outcome:
    """``answers`` and ``trials`` are rows of the exported tables."""
    with Storage.open(data) as storage:
        events = storage.study_events.of_study(crowd.study_id)
        assert not storage.check()
    came = [guest for guest in guests if guest.enrolled]
    votes, wanted = crowd.plan.votes, [stimulus.id for stimulus in crowd.plan.main_stimuli]
    order = {(row["participant"], row["position"]): json.loads(row["models"]) for row in trials}
    of_late = {
        (str(crowd.numbers[person] + 1), str(position))
        for person, own in events.items()
        for position in _late(own)
    }
    counts, late = Counter[str](), Counter[str]()
    shown: dict[str, Counter[str]] = {name: Counter() for name in wanted}
    for row in answers:
        if row["purpose"] == "main" and row["excluded"].lower() == "false":
            key, name = (row["participant"], row["position"]), row["stimulus"]
            counts[name] += 1
            late[name] += key in of_late
            shown[name][order[key][0]] += 1
    left = sum(shown.values(), Counter[str]())
    models = sorted(left)
    pairs = {stimulus.id: stimulus.models for stimulus in crowd.plan.main_stimuli}
    over = {name: max(0, counts[name] - votes) for name in wanted}
    rows = Counter(event.id for own in events.values() for event in own)
    standing = [(guest, _standing(events.get(guest.id, ()))) for guest in came]
    doubled = sum(count - 1 for count in rows.values())
    doubled += sum(count > 1 for _, state in standing for count, _ in state.values())
    return Outcome(
        people=Counter(guest.role for guest in came),
        turned_away=len(guests) - len(came),
        acknowledged=len({name for guest in came for name in guest.acknowledged}),
        milliseconds=crowd.milliseconds,
        wanted=crowd.plan.answers_wanted,
        short=sum(max(0, votes - counts[name]) for name in wanted),
        over=sum(max(0, over[name] - late[name]) for name in wanted),
        late=sum(min(over[name], late[name]) for name in wanted),
        lost=sum(name not in rows for guest in came for name in set(guest.acknowledged)),
        doubled=doubled,
        changed=sum(
            {position: value for position, (count, value) in state.items() if count} != guest.values
            for guest, state in standing
        ),
        sides=max(
            abs(shown[name][pairs[name][0]] - shown[name][pairs[name][1]]) for name in wanted
        ),
        left={
            model: left[model] / sum(counts[name] for name in wanted if model in pairs[name])
            for model in models
        },
        wrongly=_wrongly(crowd, came, live),
        replay=replay["words"],
        differing=[
            person["why"] for person in replay["differing"] if "was erased" not in person["why"]
        ],
        state=live["state"],
        problems=crowd.problems,
    )


def _late(events: Sequence[Event]) -> set[int]:
    """The positions that somebody answered after an absence, when others might have them too."""
    late: set[int] = set()
    last, away = None, False
    for event in events:
        assert event.at is not None
        away |= last is not None and (event.at - last).total_seconds() > ABSENCE_S
        last = event.at
        if away and event.position is not None:
            late.add(event.position)
    return late


def _standing(events: Sequence[Event]) -> dict[int, tuple[int, int | None]]:
    """By position, how many answers stand, and the value of the last one."""
    state: dict[int, tuple[int, int | None]] = {}
    for event in events:
        if event.position is not None and event.kind in (EventKind.ANSWER, EventKind.UNDO):
            count, value = state.get(event.position, (0, None))
            answered = event.kind is EventKind.ANSWER
            state[event.position] = (
                (count + 1, event.body["value"]) if answered else (count - 1, value)
            )
    return state


def _wrongly(crowd: Crowd, came: Sequence[Guest], live: Json) -> list[str]:
    """Who is in results and should not be, or the other way, or has another ending's code."""
    people = {person["id"]: person for person in live["people"]}
    found = []
    for guest in came:
        if (guest.role is Role.ERASED) != (guest.id not in people):
            found.append(f"{guest.role}: {'not ' * (guest.id not in people)}there")
        elif guest.role is not Role.ERASED:
            excluded = people[guest.id]["excluded"]
            if excluded != (guest.role in LEFT_OUT):
                found.append(f"{guest.role}: {'' if excluded else 'not '}excluded")
        if guest.role in UNFINISHED or guest.stage == "withdrawn":
            codes = {""}
        elif guest.role in (Role.SCREENED_OUT, Role.FAILS):
            codes = {CODES[ENDINGS[guest.role]]}
        else:
            # Faster than people can be, nobody gets the code.
            codes = {CODES[Ending.COMPLETED], *([""] if crowd.pace.pause < 1 else [])}
        if guest.code not in codes:
            found.append(f"{guest.role}: the code {guest.code!r}")
    return found


def main() -> int:
    """Prints the figures and whether they are met; the exit status says so too."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--people", type=int, default=200)
    people = parser.parse_args().people
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        outcome = simulate(Path(name) / "data", people, PEOPLES_PACE, running_alone)
    for role, count in outcome.people.items():
        print(f"{count:5} {role}")
    print(f"{outcome.turned_away:5} found no place until the study closed")
    median, p95 = np.percentile(outcome.milliseconds, [50, 95])
    print(
        f"{outcome.wanted:,} answers wanted, {outcome.late} more by who came back late; "
        f"{outcome.acknowledged:,} events acknowledged, median {median:.0f} ms, 95% {p95:.0f} ms; "
        f"{time.perf_counter() - started:.0f} s"
    )
    print("left: " + ", ".join(f"{name} {share:.3f}" for name, share in outcome.left.items()))
    print(outcome.replay)
    for text, figure, met in outcome.goals:
        print(f"{text:42}{figure!s:>10}   {'met' if met else 'NOT met'}")
    for problem in [*outcome.wrongly, *outcome.differing, *outcome.problems][:10]:
        print(problem)
    return 0 if all(met for _, _, met in outcome.goals) else 1


if __name__ == "__main__":
    sys.exit(main())
