"""``python -m tests.bench.storage``: what storage takes with 200,000 drawings, in milliseconds.

Half of the images have a verdict. The goal is 50 ms for the marks of all prompts when something
was added since the last look; the first look after the start counts everything. By the clock, for
these are waits of a person, and the disk is part of them.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable

from tests.storage.samples import answers, asks, drawing, picture, prompts
from truehue.storage import Storage

DRAWINGS, PROMPTS, RUNS = 200_000, 44_464, 9
GOAL_MARKS_MS = 50.0
SET = "gencolorbench"


def _fill(storage: Storage) -> str:
    """Copies one drawing and one verdict in SQL; returns the id of the first image."""
    first = storage.images.add(picture(), "", "generated").image_id
    storage.drawings.add(drawing(first))
    storage.evidence.add(answers(first, asks()))
    changes = {
        "drawings": "sha256('d' || i) AS drawing_id, i + 1 AS number, "
        f"'cna-' || (i % {PROMPTS}) AS prompt_id, sha256('i' || i) AS image_id",
        "evidence": "sha256('e' || i) AS evidence_id, sha256('i' || (2 * i)) AS image_id, "
        "CASE WHEN i % 3 = 0 THEN 'fail' ELSE 'pass' END AS status",
        "images": "sha256('i' || i) AS image_id",
    }
    with storage._database.transaction() as cursor:
        for table, columns in changes.items():
            rows = DRAWINGS // 2 if table == "evidence" else DRAWINGS
            cursor.execute(
                f"INSERT INTO {table} SELECT t.* REPLACE ({columns}) "
                f"FROM (SELECT * FROM {table} LIMIT 1) AS t, range({rows}) AS r(i)"
            )
    return first


def _judge_by_another(storage: Storage) -> None:
    """The same questions judged by a second rule, which fails every fifth."""
    with storage._database.transaction() as cursor:
        cursor.execute(
            "INSERT INTO evidence SELECT * REPLACE (sha256(evidence_id) AS evidence_id, "
            "'other' AS protocol, "
            "CASE WHEN rowid % 5 = 0 THEN 'fail' ELSE 'pass' END AS status) FROM evidence"
        )


def _ms(call: Callable[[], object], before: Callable[[], object] | None = None) -> float:
    """Median of the runs of ``call``, each after ``before``, which is not timed."""
    times = []
    for _ in range(RUNS):
        if before is not None:
            before()
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def main() -> None:
    """Prints one line for each call."""
    with tempfile.TemporaryDirectory() as folder, Storage.open(folder) as storage:
        image_id = _fill(storage)
        drawings = storage.drawings
        start = time.perf_counter()
        drawings.marks(SET)
        whole = 1e3 * (time.perf_counter() - start)
        versions = iter(range(10**6))
        batch = [drawing(image_id, seed=seed) for seed in range(1_000)]
        page = [row.image_id for row in drawings.recent(50) if row.image_id]

        def judge() -> object:
            return storage.evidence.add(answers(image_id, asks(), version=f"v{next(versions)}"))

        after_drawing = _ms(lambda: drawings.marks(SET), lambda: drawings.add(batch[0]))
        after_verdict = _ms(lambda: drawings.marks(SET), judge)
        lines = {
            "marks, all prompts, first look": whole,
            "marks after a drawing was added": after_drawing,
            "marks after a verdict was added": after_verdict,
            "marks, nothing new": _ms(lambda: drawings.marks(SET)),
            "newest 50 drawings": _ms(lambda: drawings.recent(50)),
            "newest 50 that fail": _ms(lambda: drawings.recent(50, verdict="fail")),
            "badges of 50 images": _ms(lambda: storage.evidence.badges(page)),
            "adding one drawing": _ms(lambda: drawings.add(batch[0])),
            "adding 1,000 drawings at once": _ms(lambda: drawings.add_many(batch)),
        }
        _judge_by_another(storage)
        both = ("test-rule", "other")
        lines["agreement of two rules, 200,000 verdicts"] = _ms(
            lambda: storage.agreement.table(*both)
        )
        lines["24 questions on which they disagree"] = _ms(lambda: storage.agreement.pairs(*both))
        values = prompts(PROMPTS)
        start = time.perf_counter()
        stored = storage.prompt_sets.add("all", values, "csv")
        lines[f"storing a set of {PROMPTS:,} prompts"] = 1e3 * (time.perf_counter() - start)
        start = time.perf_counter()
        storage.prompt_sets.prompts(stored.set_id)
        lines["reading it back"] = 1e3 * (time.perf_counter() - start)
    print(f"Milliseconds with {DRAWINGS:,} drawings and {DRAWINGS // 2:,} verdicts")
    for name, line in lines.items():
        print(f"{name:<40}{line:>9.1f}")
    met = max(after_drawing, after_verdict) <= GOAL_MARKS_MS
    print(f"Goal of {GOAL_MARKS_MS:g} ms for marks after an addition: {'met' if met else 'missed'}")


if __name__ == "__main__":
    main()
