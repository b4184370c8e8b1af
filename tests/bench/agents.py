"""``python -m tests.bench.agents``: how many scripts the signs of input find, at how many false alarms.

Held-out scripts take part in a study, in a real Chromium that hides that it is controlled and by
requests alone, and their stored records are scored. So are those of held-out simulated people
(tests/hands.py), whose events the page's own script records. Goals: at least 95% of the
scripts flagged, at most 2% of the people. Careful scripts, which copy people, are counted apart.

``--develop`` prints instead what signs and points were chosen by: how often each sign is seen on the
development scripts and people, and the logarithm of that ratio. The exit status is 0 where the goals
are met.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from playwright.async_api import async_playwright

from tests.bench.scripts import (
    CAREFUL,
    DEVELOPMENT,
    HELD_OUT,
    HIDING,
    Record,
    Script,
    by_requests,
    forged_record,
    in_browser,
    no_record,
)
from tests.browser.chromium import find
from tests.browser.conftest import ARGUMENTS
from tests.browser.study_room import StudyRoom, study_room
from tests.hands import GROUPS, people
from truehue.annotation.quality.agents import SIGNS, THRESHOLD, Evidence, evidence_of
from truehue.core.analysis.intervals import wilson
from truehue.tabs.participants.tokens import hash_of

TRIALS = 10
GOAL_SCRIPTS, GOAL_PEOPLE = 0.95, 0.02
Scored = Mapping[str, Sequence[Evidence]]
"""What was seen on everybody, by kind of script or group of people."""
Way = Callable[[str, int], Awaitable[None]]
"""Takes part by a link, with a seed."""


def scored_people(count: int, held_out: bool, seed: int) -> Scored:
    """Simulated people by their group."""
    scored: dict[str, list[Evidence]] = {group: [] for group in GROUPS}
    for person in people(count, held_out, seed):
        scored[person.group].append(evidence_of(True, person.enrolled_at, person.events))
    return scored


def stored_evidence(room: StudyRoom, link: str) -> list[Evidence]:
    """What was seen on everybody who came by a link."""
    record = room.storage.invitations.by_token(hash_of(link.rsplit("/", 1)[-1]))
    assert record is not None
    events = room.storage.study_events.of_study(record.study_id)
    return [
        evidence_of(True, person.enrolled_at, events[person.id])
        for person in room.storage.participants.of(record.study_id)
    ]


async def _all(ways: Mapping[str, Way], room: StudyRoom, seeds: range, at_once: int) -> Scored:
    gate, failed = asyncio.Semaphore(at_once), Counter[str]()
    plan = room.plan(trials=TRIALS, votes=999, record_input=True)
    links = {name: room.opened(plan) for name in ways}

    async def run(name: str, seed: int) -> None:
        async with gate:
            try:
                await asyncio.wait_for(ways[name](links[name], seed), 240)
            except Exception as error:  # one that did not come through is reported, not counted
                failed[name] += 1
                print(f"{name}: {str(error)[:200]}", file=sys.stderr)

    await asyncio.gather(*(run(name, seed) for seed in seeds for name in ways))
    if failed:
        print("did not come through:", dict(failed), file=sys.stderr)
    return {name: stored_evidence(room, link) for name, link in links.items()}


async def _in_chromium(
    kinds: Mapping[str, type[Script]],
    requests: Mapping[str, Record],
    room: StudyRoom,
    seeds: range,
    at_once: int,
) -> Scored:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find(), args=[*ARGUMENTS, *HIDING]
        )
        ways: dict[str, Way] = {
            **{name: partial(in_browser, browser, kind) for name, kind in kinds.items()},
            **{name: partial(by_requests, record) for name, record in requests.items()},
        }
        scored = await _all(ways, room, seeds, at_once)
        await browser.close()
    return scored


def scored_scripts(
    kinds: Mapping[str, type[Script]], requests: Mapping[str, Record], seeds: range, at_once: int
) -> Scored:
    """Scripts by their kind, a run of each with every seed."""
    with tempfile.TemporaryDirectory() as folder, study_room(Path(folder), side=96) as room:
        return asyncio.run(_in_chromium(kinds, requests, room, seeds, at_once))


def share_text(flagged: int, count: int) -> str:
    """A share with its 95% interval."""
    low, high = wilson(flagged / count, count)
    return f"{flagged:>5} of {count:<5} {flagged / count:7.1%}  ({low:.1f}% to {high:.1f}%)"


def report(title: str, scored: Scored) -> float:
    """Prints who was flagged, by kind and together; returns the share of all."""
    print(f"\n{title}")
    everybody = [evidence for own in scored.values() for evidence in own]
    for name, own in [*scored.items(), ("all", everybody)]:
        if not own:
            continue
        signs = Counter(sign.name for evidence in own for sign in evidence.signs)
        seen = ", ".join(f"{sign} {100 * n / len(own):.0f}%" for sign, n in signs.most_common(6))
        print(f"  {name:<26}{share_text(sum(e.flagged for e in own), len(own))}  {seen}")
    return sum(evidence.flagged for evidence in everybody) / len(everybody)


def develop(scripts: Scored, persons: Scored) -> None:
    """Prints how often every sign is seen, and the logarithm of the ratio: a kind of script counts
    as much as another."""
    ours = [evidence for own in persons.values() for evidence in own]
    theirs = [evidence for own in scripts.values() for evidence in own]
    print(f"\n{'sign':<14}{'scripts':>9}{'people':>9}{'ln ratio':>10}{'points':>8}")
    for name, kind in SIGNS.items():
        on_scripts, on_people = (
            (sum(any(sign.name == name for sign in e.signs) for e in own) + 0.5) / (len(own) + 1)
            for own in (theirs, ours)
        )
        ratio = math.log(on_scripts / on_people)
        print(f"{name:<14}{on_scripts:>9.1%}{on_people:>9.1%}{ratio:>10.2f}{kind.points:>8.1f}")
    print(f"\nthreshold: {THRESHOLD}")


def main() -> int:
    """Runs it; 1 where a goal is not met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--develop", action="store_true")
    parser.add_argument("--people", type=int, default=3_000)
    parser.add_argument(
        "--runs", type=int, default=20, help="of each kind of script; 0 for people alone"
    )
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    held_out = not given.develop
    seeds = range(1_000 * given.seed, 1_000 * given.seed + given.runs)
    persons = scored_people(given.people, held_out, given.seed)
    false_alarms = report("Simulated people", persons)
    if not given.runs:
        return 0 if false_alarms <= GOAL_PEOPLE else 1
    kinds = HELD_OUT if held_out else DEVELOPMENT
    requests = {"forged requests": forged_record} if held_out else {"requests": no_record}
    scripts = scored_scripts(kinds, requests, seeds, given.at_once)
    found = report("Scripts", scripts)
    if given.develop:
        develop(scripts, persons)
        return 0
    report("Careful scripts", scored_scripts(CAREFUL, {}, seeds, given.at_once))
    met = found >= GOAL_SCRIPTS and false_alarms <= GOAL_PEOPLE
    print(
        f"\ngoals (scripts ≥ {GOAL_SCRIPTS:.0%}, people ≤ {GOAL_PEOPLE:.0%}):",
        "met" if met else "NOT MET",
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
