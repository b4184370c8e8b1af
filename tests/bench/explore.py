"""``python -m tests.bench.explore``: the questions of Explore with 10 million verdicts.

Seeds a database with nine runs of the whole reconstruction (44,464 prompts, four pictures each,
five rules) through the tables' own writer, with seeded colors around the asked ones, and prints the
median time of every question beside its goal, as a multiple of the plainest possible look at the
same rows (how often the paper's rule passes each run), and the processor time of all cores, which
says more on a machine that is busy. ``--verdicts 200000`` takes seconds. ``--folder`` keeps the
database and takes it up again.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from truehue.core.analysis.names import nearest_l2
from truehue.core.analysis.records import Slice
from truehue.core.color.difference import delta_chroma, delta_e00, hue_difference_deg
from truehue.core.color.systems import system
from truehue.core.prompts.gencolorbench import build
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import EVERY_RULE, RunPlan
from truehue.core.verdict.rules import rule
from truehue.storage import Storage
from truehue.storage.runs.dictionaries import numbers_of
from truehue.storage.runs.ingest import store_results

MODELS, IMAGES, RUNS = 9, 4, 7
GOAL_MS, GOAL_PAGE_MS = 300.0, 150.0
BUCKETS = 64
BATCH = 100  # pictures that came in at once: the worst order, of a run that was watched
RULES = tuple((rule(item).id, rule(item).version) for item in EVERY_RULE)
CAUSES = (
    "",
    "hue",
    "duller",
    "lighter",
    "darker",
    "more-vivid",
    "leaked",
    "absent",
    "not-found",
    "no-image",
)


def seed(storage: Storage, folder: Path, verdicts: int) -> None:
    """Fill an empty database with about ``verdicts`` rows; what a share of them needs is taken
    from every part of the reconstruction."""
    everything = build()
    whole = MODELS * IMAGES * len(RULES) * 60_629
    take = max(1, round(len(everything) * min(1.0, verdicts / whole)))
    prompts = tuple(everything[index * len(everything) // take] for index in range(take))
    for position in range(MODELS):
        start = time.perf_counter()
        plan = RunPlan(
            f"Model {position + 1}",
            "gencolorbench",
            prompts,
            f"model-{position + 1}",
            images=IMAGES,
            rules=RULES,
        )
        storage.runs.register(RunFolder.create(folder, plan))
        known = time.perf_counter()
        _run(storage, position, take * IMAGES)
        print(
            f"{plan.name}: registered in {known - start:.1f} s, "
            f"rows in {time.perf_counter() - known:.1f} s",
            flush=True,
        )
    with storage._database.cursor() as cursor:
        cursor.execute("CHECKPOINT")
    storage.runs.changes += 1


def _run(storage: Storage, run_no: int, items: int) -> None:
    """The rows of one run: the same bucket of a color for all rules, each with its threshold."""
    with storage._database.transaction() as cursor:
        causes = numbers_of(cursor, "cause", CAUSES)
        steps = numbers_of(cursor, "step", ("color", "presence", "detection", "image"))
        numbers_of(cursor, "rule", EVERY_RULE)
        _noise(storage, cursor)
        u = "(hash({}) % 1000003 / 1000003.0)"
        cursor.execute(f"""
            CREATE TEMP TABLE new_items AS
            SELECT {run_no} AS run_no, (prompt * {IMAGES} + image)::INTEGER AS position, prompt,
                prompt_no, image::INTEGER AS image, k.task_no, k.system_no,
                hash({run_no}, prompt, image, 'f') % 200 > 0 AS drawn, 1 AS attempt,
                {run_no} * 1000 + (prompt * {IMAGES}) // {BATCH} AS shard_no, image AS seed,
                1024 AS width, 1024 AS height, 2.5 AS seconds, 0.25 AS scoring_seconds,
                'w0' AS worker,
                CASE WHEN drawn THEN '' ELSE 'The model ran out of memory.' END AS reason,
                []::VARCHAR[] AS notes,
                CASE WHEN drawn THEN sha256('{run_no}/' || prompt || '/' || image) ELSE ''
                    END AS image_id,
                0 AS status, 0 AS origin, 0 AS masks, 0 AS verdicts, 0 AS profiles, 0 AS text,
                k.first_asked,
                0 AS opens
            FROM run_prompts JOIN known_prompts AS k USING (prompt_no), range({IMAGES}) AS r(image)
            WHERE run_no = {run_no}
        """)
        cursor.execute(f"""
            CREATE TEMP TABLE objects AS
            SELECT i.run_no, i.position, i.prompt_no, i.image, i.shard_no, i.task_no, i.system_no,
                i.drawn, CASE WHEN drawn THEN t.target ELSE -1 END::TINYINT AS target, t.object_no,
                t.category_no, t.matches, t.color_no, c.sector, c.asked_l2, c.traits, n.*,
                {u.format("run_no, position, t.target, 's'")} AS seen,
                {u.format("run_no, position, t.target, 'j'")} AS jitter
            FROM new_items AS i JOIN known_targets AS t USING (prompt_no)
            JOIN known_colors AS c USING (color_no)
            JOIN noise AS n ON n.noise_color = t.color_no AND n.bucket = floor({BUCKETS} * pow(
                {u.format("run_no, position, t.target")}, {1.4 - 0.1 * run_no}
            ))
            WHERE t.color_no IS NOT NULL AND (i.drawn OR t.target = i.first_asked)
        """)
        cursor.execute(f"""
            CREATE TEMP TABLE judged AS
            SELECT *, row_number() OVER (
                    ORDER BY position // {BATCH}, rule_no, position, target
                ) AS row,
                CASE WHEN NOT drawn OR seen < 0.02 THEN 3
                    WHEN (target > 0 AND seen < 0.1) THEN 2
                    WHEN NOT matches THEN CASE WHEN distance < 8 THEN 2 ELSE 1 END
                    WHEN distance + jitter < 5 + 0.4 * rule_no THEN 1 ELSE 2 END AS status,
                drawn AND seen >= (CASE WHEN target > 0 THEN 0.1 ELSE 0.02 END) AS measured
            FROM objects, range({len(RULES)}) AS rules(rule_no)
        """)
        stored = "PARTITION BY rule_no, position"
        cursor.execute(f"""
            CREATE TEMP TABLE new_verdicts AS
            SELECT row, run_no, rule_no, row_number() OVER (
                    {stored} ORDER BY CASE status WHEN 2 THEN 0 WHEN 3 THEN 1 ELSE 2 END, target
                ) = 1 AS leads,
                position, prompt_no, image, target, shard_no, task_no, system_no, object_no,
                category_no, matches, color_no, sector, asked_l2, traits, status,
                CASE WHEN bool_or(status = 2) OVER ({stored}) THEN 2
                    WHEN bool_or(status = 3) OVER ({stored}) THEN 3 ELSE 1 END AS picture_status,
                CASE WHEN status = 1 THEN {causes[""]} WHEN NOT drawn THEN {causes["no-image"]}
                    WHEN status = 3 THEN {causes["not-found"]}
                    WHEN NOT measured THEN {causes["absent"]}
                    WHEN NOT matches THEN {causes["leaked"]}
                    ELSE {causes["hue"]} + bucket % 5 END AS cause_no,
                CASE WHEN measured THEN {steps["color"]} WHEN drawn THEN {steps["presence"]}
                    ELSE {steps["image"]} END AS step_no,
                CASE WHEN measured THEN found_l + jitter END AS l,
                CASE WHEN measured THEN found_a + jitter END AS a,
                CASE WHEN measured THEN found_b + jitter END AS b,
                CASE WHEN measured THEN distance + jitter END AS delta_e00,
                CASE WHEN measured THEN in_plane + jitter END AS delta_chroma,
                CASE WHEN measured THEN turned + jitter END AS hue_deg,
                CASE WHEN measured AND rule_no = {len(RULES) - 1} THEN distance * 0.9 + jitter
                    END AS misfit,
                CASE WHEN measured THEN 50 + 50 * jitter END AS confidence_percent,
                CASE WHEN NOT drawn THEN 'The model ran out of memory.'
                    WHEN status = 3 THEN 'The ' || o.name || ' was not found.'
                    WHEN NOT measured THEN 'The ' || o.name || ' is not in the picture.'
                    WHEN status = 1 THEN printf('The %s has the asked color, %.1f ΔE00 from it.',
                        o.name, distance + jitter)
                    ELSE printf('The color of the %s is wrong: %.1f ΔE00 from the asked color; the '
                        'hue is %d° off; the color is lighter than asked.', o.name,
                        distance + jitter, (turned + jitter)::INTEGER) END AS told,
                CASE WHEN count(*) OVER ({stored}) > 1 THEN told || ' The rest is right.' END
                    AS picture_reason
            FROM judged
            JOIN (SELECT no, name FROM known_names WHERE kind = 'object') AS o ON o.no = object_no
        """)
        cursor.execute("""
            CREATE TEMP TABLE found AS
            SELECT row, found_l2 FROM judged WHERE measured
        """)
        store_results(cursor, run_no)
        cursor.execute(f"""
            INSERT INTO run_masks SELECT {run_no}, position, target,
                sha256('m{run_no}/' || position || '/' || target)
            FROM objects WHERE drawn ORDER BY position, target
        """)
        for name in ("noise", "new_items", "objects", "judged", "new_verdicts", "found"):
            cursor.execute(f"DROP TABLE temp.{name}")


def _noise(storage: Storage, cursor: object) -> None:
    """``noise``: colors around each asked one, the nearest first."""
    rows = storage._database.rows("SELECT l, a, b FROM known_colors ORDER BY color_no")
    random = np.random.default_rng(5)
    target = np.repeat(np.array(rows), BUCKETS, axis=0)
    reach = np.tile(np.linspace(0.3, 18.0, BUCKETS), len(rows))[:, None]
    lab = target + random.normal(0, 1, target.shape) * reach * (0.7, 1.0, 1.0)
    columns = (
        np.repeat(np.arange(len(rows)), BUCKETS),
        np.tile(np.arange(BUCKETS), len(rows)),
        lab[:, 0],
        lab[:, 1],
        lab[:, 2],
        nearest_l2(lab),
        delta_e00(lab, target),
        delta_chroma(lab, target),
        hue_difference_deg(lab, target),
    )
    kinds = ("INTEGER", "INTEGER", "DOUBLE", "DOUBLE", "DOUBLE", "UTINYINT", *["DOUBLE"] * 3)
    names = (
        "noise_color",
        "bucket",
        "found_l",
        "found_a",
        "found_b",
        "found_l2",
        "distance",
        "in_plane",
        "turned",
    )
    lists = ", ".join(f"unnest(?::{k}[]) AS {n}" for k, n in zip(kinds, names, strict=True))
    cursor.execute(  # type: ignore[attr-defined]
        f"CREATE TEMP TABLE noise AS SELECT {lists}", [column.tolist() for column in columns]
    )


@dataclass(frozen=True)
class Line:
    """One question and its goal in milliseconds."""

    name: str
    ask: Callable[[], object]
    goal_ms: float = GOAL_MS


def questions(storage: Storage) -> list[Line]:
    """What the views of Explore ask."""
    results = storage.results
    ids = [run.run_id for run in storage.runs.all()]
    red = next(color.name for color in system("l2").colors if color.name == "Red")
    every, fails = Slice(), Slice(status="fail")
    deep = Slice(status="fail", category="Animals", sector="30", task="cna")
    page = results.page(fails)
    some = results.page(Slice(sector="0", status="fail"))
    lines = [
        Line("leaderboard", lambda: results.leaderboard("paper")),
        Line("unscored and why", lambda: results.unscored(every)),
        Line("filter bar, nothing chosen", lambda: results.facets(every)),
        Line("filter bar, fails", lambda: results.facets(fails)),
        Line("filter bar, one cause", lambda: results.facets(Slice(cause="hue"))),
        Line("filter bar, one object's hue, four filters", lambda: results.facets(deep)),
        Line("filter bar, basic names", lambda: results.facets(Slice(basic="basic"))),
        Line("filter bar, one category", lambda: results.facets(Slice(category="Animals"))),
        Line("filter bar, one run", lambda: results.facets(Slice(runs=(ids[0],)))),
    ]
    for by in (
        ("run", "category"),
        ("run", "basic"),
        ("run", "modifier"),
        ("asked_l2", "found_l2"),
        ("category", "found_l2"),
        ("sector",),
        ("run", "cause"),
        ("color",),
        ("run", "color"),
    ):
        lines.append(Line(f"by {' and '.join(by)}", partial(results.groups, every, by)))
    lines += [
        Line("drift of every color", lambda: results.drift(every)),
        Line("agreement of the rules", lambda: results.agreement()),
        Line("how many fail", lambda: results.count(fails), GOAL_PAGE_MS),
        Line(
            "how many with a hue fail",
            lambda: results.count(Slice(sector="0", status="fail")),
            GOAL_PAGE_MS,
        ),
        Line("wall, everything", lambda: results.page(every), GOAL_PAGE_MS),
        Line("wall, fails", lambda: results.page(fails), GOAL_PAGE_MS),
        Line(
            "wall, fails, next page",
            lambda: results.page(fails, after=page[-1].cursor),
            GOAL_PAGE_MS,
        ),
        Line("wall, nearest first", lambda: results.page(fails, descending=False), GOAL_PAGE_MS),
        Line("wall, newest first", lambda: results.page(fails, sort="recent"), GOAL_PAGE_MS),
        Line("wall, by prompt", lambda: results.page(fails, "prompt", False), GOAL_PAGE_MS),
        Line("wall, one hue", lambda: results.page(Slice(sector="0", status="fail")), GOAL_PAGE_MS),
        Line(
            "wall, one hue, next page",
            lambda: results.page(Slice(sector="0", status="fail"), after=some[-1].cursor),
            GOAL_PAGE_MS,
        ),
        Line("wall, level 2 red", lambda: results.page(Slice(color=f"l2:{red}")), GOAL_PAGE_MS),
        Line("two runs, counts", lambda: results.pair_counts(ids[0], ids[1], every)),
        Line(
            "two runs, counts of one category",
            lambda: results.pair_counts(ids[0], ids[1], Slice(category="Animals")),
        ),
        Line(
            "two runs, a page", lambda: results.pairs(ids[0], ids[1], every, "only_a"), GOAL_PAGE_MS
        ),
        Line("one picture", lambda: results.verdicts_of_image(ids[3], 4711), GOAL_PAGE_MS),
        Line("list of runs", lambda: storage.runs.all()),
    ]
    return lines


def measure(storage: Storage, ask: Callable[[], object]) -> tuple[float, float]:
    """Median milliseconds of :data:`RUNS` answers that were not kept, on the clock and of work."""
    times, work = [], []
    for _ in range(RUNS):
        storage.results._saved.clear()
        storage.results._text()  # the words of all rows stay at hand between questions
        start, busy = time.perf_counter(), time.process_time()
        ask()
        times.append(1e3 * (time.perf_counter() - start))
        work.append(1e3 * (time.process_time() - busy))
    return statistics.median(times), statistics.median(work)


def reference(storage: Storage) -> Callable[[], object]:
    """The plainest look at the same rows: passes of each run by one rule, in one column scan."""

    def ask() -> object:
        return storage._database.rows(
            "SELECT run_no, count_if(picture_status = 1) FROM run_verdicts "
            "WHERE rule_no = 0 AND leads GROUP BY run_no"
        )

    return ask


def main() -> None:
    """Seeds where nothing is, and prints one line for each question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verdicts", type=int, default=11_000_000)
    parser.add_argument("--folder", type=Path, default=None)
    parse_args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = parse_args.folder or Path(made)
        with Storage.open(folder / "data") as storage:
            if not storage.runs.all():
                start = time.perf_counter()
                seed(storage, folder / "runs", parse_args.verdicts)
                print(f"seeded in {time.perf_counter() - start:.0f} s")
            _report(storage)


def _report(storage: Storage) -> None:
    rows = storage._database.count("run_verdicts")
    size = storage._database.path.stat().st_size / 1e9
    print(
        f"{rows:,} verdicts of {storage._database.count('run_items'):,} pictures, "
        f"{size:.2f} GB, {os.cpu_count()} cores"
    )
    plain, busy = measure(storage, reference(storage))
    print(f"{'milliseconds':<46}{'median':>8}{'times':>7}{'work':>8}{'goal':>6}")
    print(f"{'reference: passes of each run':<46}{plain:>8.1f}{1:>7.1f}{busy:>8.1f}")
    missed = []
    for line in questions(storage):
        used, busy = measure(storage, line.ask)
        late = used > line.goal_ms
        missed += [line.name] if late else []
        print(
            f"{line.name:<46}{used:>8.1f}{used / plain:>7.1f}{busy:>8.1f}{line.goal_ms:>6.0f}"
            f"{'  missed' if late else ''}",
            flush=True,
        )
    print(f"Goals: {'all met' if not missed else 'missed by ' + ', '.join(missed)}")


if __name__ == "__main__":
    main()
