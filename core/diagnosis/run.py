"""A whole diagnosis: what is kept already is taken, the rest is done, and a report is made."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from truehue.core.batch.execute import WorkerPool, execute, pausing_on_interrupt
from truehue.core.batch.records import BatchState
from truehue.core.diagnosis.batch import DiagnosisWork, work_of
from truehue.core.diagnosis.colors import set_colors
from truehue.core.diagnosis.figures import figures_by_rule, roc_by_rule, worst_by_rule
from truehue.core.diagnosis.plan import SPLIT, RuleUsed, Task
from truehue.core.diagnosis.records import DiagnosisReport, Published, RuleReport
from truehue.core.diagnosis.scoring import JudgmentRow
from truehue.core.diagnosis.verdicts import VERDICTS, codebook, verdicts_csv
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.files import replace_file
from truehue.core.generation.renderer import RENDERER_VERSION

REPORT = "report.json"
_AGAIN = "Finished images are saved: run the same command again, perhaps with fewer --workers."
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

    ``rules`` and ``tasks`` as truehue.core.diagnosis.plan makes them, ``workers`` processes;
    ``watch`` is told the progress about twice a second. A run that was ended, however, goes on from
    the tasks that are kept: at most those in work are done again. Raises BadInput for a folder that
    cannot be used, InUse while another process is at it, and TrueHueError where tasks could not be
    judged, such as for workers that are killed again and again.
    """
    if workers < 1:
        raise BadInput(f"At least one worker is needed, not {workers}.")
    begin, processor_before = time.perf_counter(), time.process_time()
    work = work_of(report_folder, tasks)
    missing = work.missing()
    total = sum(task.images for task in tasks)
    to_do = sum(task.images for task in missing)
    if missing:

        def tell(state: BatchState) -> None:
            passed = time.perf_counter() - begin
            watch(Progress(min(state.steps, to_do), to_do, total - to_do, passed))

        _execute(work, min(workers, len(missing)), tell)
    results = {result.task.fingerprint: result for result in work.results()}
    done_now = [results[task.fingerprint] for task in missing]
    in_order = [results[task.fingerprint] for task in tasks]
    rows = [row for result in in_order for row in result.rows]
    problems = [problem for result in in_order for problem in result.problems]
    report = _report(rules, tasks, rows, problems, every, source)
    processor = sum(result.processor_seconds for result in done_now)
    report = replace(
        report,
        seconds=round(time.perf_counter() - begin, 2),
        processor_seconds=round(processor + time.process_time() - processor_before, 2),
        images_reused=total - to_do,
        workers=workers,
    )
    replace_file(report_folder / VERDICTS, b"".join(verdicts_csv(rows)))
    replace_file(report_folder / "codebook.md", codebook().encode())
    replace_file(report_folder / REPORT, (json.dumps(report.as_json(), indent=1) + "\n").encode())
    return report


def _execute(work: DiagnosisWork, workers: int, watch: Callable[[BatchState], None]) -> None:
    """Does the tasks that are missing, or says why not all of them are done.

    What the watch raises, and Ctrl+C, ends it after the picture in work.
    """
    raised: list[BaseException] = []

    def tell(state: BatchState) -> None:
        try:
            watch(state)
        except BaseException as error:
            # Raised here, it would wait for the tasks in work.
            raised.append(error)
            work.folder.set_desired_state("pause")

    work.folder.set_desired_state("run")
    with pausing_on_interrupt(work.folder) as interrupted:
        state = execute(work, WorkerPool(workers, threads=1), retry_failed=True, watch=tell)
    if raised:
        raise raised[0]
    if interrupted.is_set():
        raise KeyboardInterrupt
    if state.message:
        raise TrueHueError(f"{state.message} {_AGAIN}")
    if left := len(work.missing()):
        reasons = " ".join(reason for reason, _ in state.problems[:3])
        raise TrueHueError(f"{left} of the tasks could not be scored. {reasons} {_AGAIN}")


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
