"""What was acknowledged to participants survives a process that is killed, and is there once."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.empty_data import empty_data
from tests.storage.studies.people import answer, link, person
from truehue.storage import Storage

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]
PEOPLE, ACKNOWLEDGED = 4, 100
# Every event is sent twice, as a page does that heard nothing; a line is one acknowledgement.
VOTE_FOREVER = """
import itertools, os, sys, threading
from truehue.storage import Storage
from tests.storage.studies.people import answer
storage = Storage.open(sys.argv[1])
def vote(person):
    for n in itertools.count():
        sent = [answer(n), answer(n)]
        futures = [storage.study_events.submit(person, sent) for _ in range(2)]
        for future in futures:
            lines = [f"{person} {event.id} {event.number}" for event in future.result()]
            os.write(1, ("\\n".join(lines) + "\\n").encode())
threads = [threading.Thread(target=vote, args=(person,)) for person in sys.argv[2:]]
for thread in threads:
    thread.start()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_every_acknowledged_event_is_there_once_after_a_kill(data_dir: Path) -> None:
    with Storage.open(empty_data(data_dir)) as storage:
        index = link(storage)
        people = [person(storage, index).id for _ in range(PEOPLE)]
    acknowledged: set[tuple[str, str, int]] = set()
    for turn in range(2):
        child = subprocess.Popen(
            [sys.executable, "-c", VOTE_FOREVER, str(data_dir), *people],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        with child:
            assert child.stdout is not None
            lines = [child.stdout.readline() for _ in range(ACKNOWLEDGED)]
            child.kill()
            # What was on its way when the child died counts too, where it is whole.
            lines += child.stdout.read().split("\n")[:-1]
        assert child.returncode == -signal.SIGKILL
        for line in lines:
            key, event_id, number = line.split()
            acknowledged.add((key, event_id, int(number)))
        assert len(acknowledged) > ACKNOWLEDGED * (turn + 1) / 3

    with Storage.open(data_dir) as storage:
        stored: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for key, events in storage.study_events.of_study(index[0]).items():
            stored[key] = [(event.id, event.number) for event in events]
            assert [number for _, number in stored[key]] == list(range(len(events)))
            assert len({event_id for event_id, _ in stored[key]}) == len(events)
        assert all((event, number) in stored[item] for item, event, number in acknowledged)
        assert storage.check() == []
        for key in people:  # and it goes on where it ended
            assert storage.study_events.append(key, [answer()])[0].number == len(stored[key])
