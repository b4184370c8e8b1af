"""A whole diagnosis: what is kept already is taken, the rest is done, and a report is made."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from core.diagnosis import shards
from core.diagnosis.colors import set_colors
from core.diagnosis.figures import figures_by_rule, roc_by_rule, worst_by_rule
from core.diagnosis.judging import JudgmentRow
from core.diagnosis.plan import SPLIT, RuleUsed, Task
from core.diagnosis.records import DiagnosisReport, Published, RuleReport
from core.diagnosis.shards import codebook
from core.diagnosis.workers import Pool
from core.errors import BadInput
from core.generation.renderer import RENDERER_VERSION

REPORT = "report.json"
_SOURCE = (
    "GenColorBench (arXiv:2510.20586), table of VLMs on CSS/X11 and ISCC-NBS level 2, row Ours: "
    "the paper's own 2,464 Blender renders of 14 objects; false accepts were not published"
)
PUBLISHED = (Published("l2", 96.46, _SOURCE), Published("css", 92.00, _SOURCE))


@dataclass(frozen=True)
class Progress:
    """How far a run is. ``images`` is what this run has to judge, ``reused`` what was kept."""

    done: int
    images: int
    reused: int
    seconds: float

    @property
    def images_a_second(self) -> float:
        """The rate of this run, 0 before the first picture."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """At the rate so far; None before there is one."""
        rate = self.images_a_second
        return (self.images - self.done) / rate if rate > 0 else None


Watch = Callable[[Progress], None]


def unwatched(progress: Progress) -> None:
    """The watch of a run that nobody waits for."""


def diagnose(
    report_folder: Path,
    rules: Sequence[RuleUsed],
    tasks: Sequence[Task],
    *,
    workers: int = 1,
    every: int = 1,
    source: str = "",
    watch: Watch = unwatched,
) -> DiagnosisReport:
    """Does the tasks that ``report_folder`` does not hold yet and writes ``report.json``,
    ``verdicts.csv.gz`` and ``codebook.md`` there.

    ``rules`` and ``tasks`` as core.diagnosis.plan makes them, ``workers`` processes; ``watch`` is
    told the progress about twice a second. A run that was ended, however, goes on from the tasks
    that are kept: at most those in work are done again. Raises BadInput for a folder that cannot be
    used, and TrueHueError when a worker was killed.
    """
    if workers < 1:
        raise BadInput(f"At least one worker is needed, not {workers}.")
    begin, processor_before = time.perf_counter(), time.process_time()
    folder = shards.prepare(report_folder)
    results = {task.key: shards.load(folder, task) for task in tasks}
    missing = [task for task in tasks if results[task.key] is None]
    total = sum(task.images for task in tasks)
    to_do = sum(task.images for task in missing)
    processor = 0.0
    if missing:
        pool = Pool(folder, min(workers, len(missing)))
        for finished in pool.run(missing):
            passed = time.perf_counter() - begin
            watch(Progress(min(pool.done, to_do), to_do, total - to_do, passed))
            if finished is not None:
                processor += finished.processor_seconds
                results[finished.task.key] = shards.load(folder, finished.task)
    rows: list[JudgmentRow] = []
    problems: list[str] = []
    for task in tasks:
        result = results[task.key]
        if result is None:
            raise BadInput(f"{task.file_name} in {folder} was taken away. Run the command again.")
        rows.extend(result[0])
        problems.extend(result[1])
    report = _report(rules, tasks, rows, problems, every, source)
    report = replace(
        report,
        seconds=round(time.perf_counter() - begin, 2),
        processor_seconds=round(processor + time.process_time() - processor_before, 2),
        images_reused=total - to_do,
        workers=workers,
    )
    shards.write_whole(report_folder / shards.VERDICTS, b"".join(shards.verdicts_csv(rows)))
    shards.write_whole(report_folder / "codebook.md", codebook().encode())
    shards.write_whole(
        report_folder / REPORT, (json.dumps(report.as_json(), indent=1) + "\n").encode()
    )
    return report


def read_report(report_folder: Path) -> DiagnosisReport:
    """The report of a folder that :func:`diagnose` wrote. Raises BadInput where there is none."""
    path = report_folder / REPORT
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    except ValueError as error:
        raise BadInput(f"{path} is no JSON: {error}.") from error
    return DiagnosisReport.from_json(data)


def _report(
    rules: Sequence[RuleUsed],
    tasks: Sequence[Task],
    rows: Sequence[JudgmentRow],
    problems: Sequence[str],
    every: int,
    source: str,
) -> DiagnosisReport:
    figures = figures_by_rule(rows, split=not source)
    rocs, worst = roc_by_rule(rows), worst_by_rule(rows)
    systems = _in_order(row.system for row in rows)
    colors = {
        system_id: len({row.color for row in rows if row.system == system_id})
        if source or every > 1
        else len(set_colors(system_id))
        for system_id in systems
    }
    return DiagnosisReport(
        renderer_version="" if source else RENDERER_VERSION,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        size_px=tasks[0].size_px,
        seeds=tuple(sorted({task.seed for task in tasks})),
        objects=_in_order(row.object for row in rows),
        lights=_in_order(row.light for row in rows),
        systems=colors,
        images=sum(task.images for task in tasks),
        images_two_material=sum(task.images for task in tasks if task.two),
        every=every,
        split={} if source else SPLIT,
        seconds=0.0,
        rules=tuple(
            RuleReport(
                used.id,
                used.version,
                used.name,
                used.parameters,
                figures.get(used.id, ()),
                rocs.get(used.id, {}),
                worst.get(used.id, ()),
            )
            for used in rules
        ),
        published=PUBLISHED,
        source=source,
        problems=tuple(problems),
    )


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, as it first came; empty ones are left out."""
    return tuple(name for name in dict.fromkeys(names) if name)
