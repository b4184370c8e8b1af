"""A whole diagnosis as long work: it reuses saved results, computes the rest, and makes a report.

One task is one item, its judgments one row. The folder of the work has every task ever requested in
it, by fingerprint: a diagnosis with more seeds or objects computes only the new tasks. Tasks that
changed, or that other code judged, have another fingerprint and are computed again.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.batch.execute import WorkerPool, execute, pausing_on_interrupt
from truehue.core.batch.folder import LOCK, PLAN, BatchFolder
from truehue.core.batch.health import done_of, set_aside
from truehue.core.batch.journal import Misfit
from truehue.core.batch.locks import hold_lock
from truehue.core.batch.records import DONE, BatchState, Row, WorkNames
from truehue.core.batch.results import tables
from truehue.core.batch.shards import schema_with
from truehue.core.batch.work import Work, WorkerContext
from truehue.core.diagnosis.colors import set_colors
from truehue.core.diagnosis.figures import figures_by_rule, roc_by_rule, worst_by_rule
from truehue.core.diagnosis.plan import SPLIT, RuleUsed, Task
from truehue.core.diagnosis.records import DiagnosisReport, Published, RuleReport
from truehue.core.diagnosis.scoring import COLUMNS, JudgmentRow, rows_of
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.files import file_problem, ignore_progress, replace_file
from truehue.core.generation.renderer import RENDERER_VERSION

MEANING: dict[str, str] = {
    "object": "Object of the renderer, or of the manifest.",
    "light": "Light of the renderer, or of the manifest.",
    "seed": "Seed of viewpoint, turn, light direction and backdrop; 0 for images of a manifest.",
    "system": "Color system: l1, l2, l3 (ISCC-NBS), css or people.",
    "color": "True color of the target material: name in the system, or hex.",
    "second": "Hex of the second material inside the mask; empty where there is one material.",
    "asked": "Color that the image was scored against.",
    "relation": "true: asked is the true color. near: it is one of the five nearest distinct "
    "colors of the system that lie at least 10 ΔE00 from the true one.",
    "rule": "Id of the rule; report.json has its version and parameters.",
    "status": "pass, fail or unscored. near with pass is a false accept.",
    "delta_e00": "CIEDE2000 between the measured color and the target color.",
    "delta_chroma": "Distance in the a*b* plane (CIELAB, D65, 2 degrees).",
    "hue_deg": "Difference of h_ab in degrees, 0 to 180; 0 where a color is near neutral.",
    "margin": "Largest value over threshold of the scored metrics: a pass is below 1.",
    "confidence_percent": "How sure the rule is of its verdict, 50 to 100, where it says.",
}
assert tuple(MEANING) == COLUMNS

VERDICTS = "verdicts.csv.gz"


def csv_of(rows: Iterable[JudgmentRow]) -> str:
    """Rows as CSV without a header."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(row.as_fields() for row in rows)
    return text.getvalue()


def rows_of_csv(text: str) -> list[JudgmentRow]:
    """The rows of :func:`csv_of`. Raises ValueError for other text."""
    try:
        return [JudgmentRow.from_fields(values) for values in csv.reader(io.StringIO(text))]
    except (TypeError, csv.Error) as error:
        raise ValueError(str(error)) from error


def verdicts_csv(rows: Iterable[JudgmentRow]) -> Iterator[bytes]:
    """``verdicts.csv.gz`` in pieces, header first."""
    pieces = zlib.compressobj(6, zlib.DEFLATED, 31)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, row in enumerate(rows, 1):
        writer.writerow(row.as_fields())
        if number % 5000 == 0:
            yield pieces.compress(text.getvalue().encode())
            text.seek(0)
            text.truncate()
    yield pieces.compress(text.getvalue().encode()) + pieces.flush()


def codebook() -> str:
    """The text of ``codebook.md``."""
    lines = "\n".join(f"| {name} | {meaning} |" for name, meaning in MEANING.items())
    return (
        "# verdicts.csv.gz\n\n"
        "One line per image, rule and color that it was scored against. UTF-8, comma separated, "
        "one header line; an empty field is no value. Numbers have six significant digits.\n\n"
        f"| column | meaning |\n|---|---|\n{lines}\n\n"
        "Rates in report.json count unscored judgments as asked, so they are no hits. "
        "Their intervals are Wilson's, 95%.\n"
    )


FOLDER = "work"
"""Below the folder of the report."""

_BUSY = "Another process is running this diagnosis. Wait for it, or choose another folder."
_COLUMNS = ("position", "status", "fingerprint", "problems", "rows", "processor_seconds")


class DiagnosisFolder(BatchFolder):
    """Its plan names the tasks: key and fingerprint, by position."""

    words = WorkNames("diagnosis", "task", "tasks")

    def tasks(self) -> list[tuple[str, str]]:
        """Key and fingerprint of each task, by position."""
        return [(str(key), str(fingerprint)) for key, fingerprint in self.summary()["tasks"]]

    def checked(self, summary: dict[str, Any]) -> dict[str, Any]:
        """The plan, with as many tasks as it says."""
        tasks = summary.get("tasks")
        if (
            not isinstance(tasks, list)
            or not all(isinstance(task, list) and len(task) == 2 for task in tasks)
            or len(tasks) != summary.get("total")
        ):
            raise BadInput("it does not name its tasks")
        return super().checked(summary)


@dataclass(frozen=True)
class TaskResult:
    """The result of a task: its judgments, problems of its files as sentences, and the
    worker's processor time."""

    task: Task
    rows: list[JudgmentRow]
    problems: list[str]
    processor_seconds: float


class DiagnosisWork(Work):
    """Judges ``tasks``, by their positions in the folder."""

    def __init__(self, folder: Path, tasks: dict[int, Task]) -> None:
        super().__init__(DiagnosisFolder(folder))
        self.tasks = tasks

    def schema(self) -> Any:
        """The judgments of a task are CSV, as :func:`truehue.core.diagnosis.run.csv_of` has
        them."""
        import pyarrow as pa

        return schema_with(
            [
                ("key", pa.string()),
                ("fingerprint", pa.string()),
                ("problems", pa.list_(pa.string())),
                ("rows", pa.string()),
                ("processor_seconds", pa.float64()),
            ]
        )

    def order(self) -> np.ndarray:
        """The tasks that are asked for now, as they were asked."""
        return np.array(list(self.tasks), dtype=np.int64)

    def open(self, context: WorkerContext) -> TaskProcessor:
        """The doer that judges."""
        return TaskProcessor(self.tasks, context)

    def failure_row(self, position: int, attempt: int, reason: str) -> Row:
        """Which task it is, too."""
        task = self.tasks[position]
        row = super().failure_row(position, attempt, reason)
        return {**row, "key": task.key, "fingerprint": task.fingerprint}

    def fitted(self, row: Row) -> Row:
        """The fingerprint has to be that of the plan."""
        row = super().fitted(row)
        assert isinstance(self.folder, DiagnosisFolder)
        if row.get("fingerprint") != self.folder.tasks()[row["position"]][1]:
            raise Misfit(f"the task at the position {row['position']} is another one")
        return row

    def missing(self) -> list[Task]:
        """The tasks that have no judgments yet."""
        done = done_of(self.folder, self.total)
        judged = (done.attempts > 0) & ~done.failed
        return [task for position, task in self.tasks.items() if not judged[position]]

    def results(self) -> Iterator[TaskResult]:
        """The results of the tasks that have judgments, in the order of their positions. Raises
        BadInput for a row that is none of ours."""
        for table in tables(self, _COLUMNS, size=16):
            for row in table.to_pylist():
                task = self.tasks.get(row["position"])
                if task is None or row["status"] != DONE:
                    continue
                try:
                    rows = rows_of_csv(row["rows"])
                except ValueError as error:
                    raise BadInput(
                        f"The judgments of {task.key} in {self.folder.path} are damaged: {error}. "
                        "Take that folder away, and run the command again."
                    ) from error
                yield TaskResult(task, rows, row["problems"], row["processor_seconds"])


class TaskProcessor:
    """Judges one task at a time; a step is an image."""

    def __init__(self, tasks: dict[int, Task], context: WorkerContext) -> None:
        self._tasks, self._context = tasks, context

    def do(self, position: int, attempt: int) -> Row:
        """All judgments of a task."""
        task = self._tasks[position]
        begin = time.process_time()
        rows, problems = rows_of(task, self._context.step)
        return {
            "position": position,
            "attempt": attempt,
            "status": DONE,
            "reason": "",
            "key": task.key,
            "fingerprint": task.fingerprint,
            "problems": problems,
            "rows": csv_of(rows),
            "processor_seconds": time.process_time() - begin,
        }

    def close(self) -> None:
        """It holds nothing."""


def work_of(report_folder: Path, tasks: Sequence[Task]) -> DiagnosisWork:
    """The work of those tasks below the folder of a report, made if need be.

    Raises BadInput for a folder that cannot be used, InUse while another process is at it.
    """
    folder = DiagnosisFolder(report_folder / FOLDER)
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"Cannot use the folder {report_folder}: {file_problem(error)}.") from error
    with hold_lock(folder.path / LOCK, _BUSY, wait_s=0.5):
        known = folder.tasks() if (folder.path / PLAN).is_file() else []
        positions = {fingerprint: index for index, (_, fingerprint) in enumerate(known)}
        unknown = (task for task in tasks if task.fingerprint not in positions)
        new = list({task.fingerprint: task for task in unknown}.values())
        if not positions.keys() & {task.fingerprint for task in tasks} and {
            key for key, _ in known
        } & {task.key for task in tasks}:
            # All that is asked for was changed: what is there is of no use any more.
            for part in (folder.journal, folder.shard_folder):
                shutil.rmtree(part, ignore_errors=True)
            (folder.path / PLAN).unlink()
            known, positions = [], {}
        for task in new:
            positions.setdefault(task.fingerprint, len(positions))
        names = known + [(task.key, task.fingerprint) for task in new]
        plan = {"total": len(names), "tasks": [list(name) for name in names]}
        folder = DiagnosisFolder(folder.path)
        if not known:
            folder.begin(plan)
        elif new:
            folder.grow(plan)
        set_aside(DiagnosisFolder(folder.path), len(names))
    return DiagnosisWork(folder.path, {positions[task.fingerprint]: task for task in tasks})


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
        """The rate of this run, 0 before the first image."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """At the rate so far; None before there is one."""
        rate = self.images_a_second
        return (self.images - self.done) / rate if rate > 0 else None


Watch = Callable[[Progress], None]


def diagnose(
    report_folder: Path,
    rules: Sequence[RuleUsed],
    tasks: Sequence[Task],
    *,
    workers: int = 1,
    every: int = 1,
    source: str = "",
    watch: Watch = ignore_progress,
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

    What the watch raises, and Ctrl+C, ends it after the image in work.
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
    rocs = roc_by_rule(rows)
    # The page renders examples again, in plain materials and unbalanced.
    plain = not (tasks[0].material or tasks[0].neutral)
    worst = worst_by_rule(rows) if plain else {}
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
        material=tasks[0].material,
        neutral=tasks[0].neutral,
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
