"""Counters and gauges of the app in the text format of Prometheus, version 0.0.4.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from truehue.core.batch.health import state_of
from truehue.core.errors import TrueHueError
from truehue.core.version import VERSION
from truehue.tabs.batches.queue import status_of
from truehue.tabs.batches.service import BatchService
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.refusals import refused
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPED = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Metric:
    """One metric: its numbers by their labels. ``text`` is one line."""

    name: str
    kind: Literal["counter", "gauge"]
    text: str
    values: Mapping[Labels, float]


@requires("read-metrics")
def metrics_text(context: Context, actor: Actor, request: EmptyRequest) -> str:
    """The metrics of the app. Raises NotAllowed for all but admins and the owner, and StorageError
    where the database does not answer."""
    context.storage.require_answering()
    return text_of([*_requests(), *_work(context), *_stored(context), *_process()])


def text_of(metrics: list[Metric]) -> str:
    """Metrics in the text format."""
    lines = []
    for metric in metrics:
        lines += [
            f"# HELP {metric.name} {metric.text}",
            f"# TYPE {metric.name} {metric.kind}",
            *(
                f"{metric.name}{_labels_text(labels)} {value!r}"
                for labels, value in metric.values.items()
            ),
        ]
    return "".join(f"{line}\n" for line in lines)


def _labels_text(labels: Labels) -> str:
    pairs = [f'{name}="{value.translate(_ESCAPED)}"' for name, value in labels]
    return f"{{{','.join(pairs)}}}" if pairs else ""


def _gauge(name: str, text: str, value: float) -> Metric:
    return Metric(name, "gauge", text, {(): value})


def _requests() -> Iterator[Metric]:
    yield Metric(
        "truehue_refused_requests_total",
        "counter",
        "Requests that were refused, by reason.",
        {(("reason", reason),): count for reason, count in refused().items()},
    )


def _work(context: Context) -> Iterator[Metric]:
    jobs: Counter[Labels] = Counter()
    waiting = 0
    for record in context.jobs.all():
        jobs[("kind", record.kind), ("state", record.status)] += 1
        waiting += record.status == "waiting"
    yield Metric(
        "truehue_jobs",
        "gauge",
        "Jobs that wait, run, or ended last, by kind as in /api/jobs and by state.",
        jobs,
    )
    yield _gauge("truehue_jobs_waiting", "Jobs that wait for their turn.", waiting)
    batches: Counter[Labels] = Counter()
    for service in context.services.values():
        if isinstance(service, BatchService):
            for folder in service.folders():
                # The page says what is wrong with a folder that cannot be read.
                status = "unreadable"
                with suppress(TrueHueError, OSError):
                    position = service.queue.position(folder.run_id)
                    status = status_of(folder, state_of(folder), position)
                batches[("folder", service.root.name), ("state", status)] += 1
    yield Metric(
        "truehue_batches",
        "gauge",
        "Runs and evaluations, by their folder in the data folder and by state.",
        batches,
    )


def _stored(context: Context) -> Iterator[Metric]:
    totals = context.storage.totals()
    yield _gauge("truehue_images", "Images in the database.", totals.images)
    yield _gauge("truehue_verdicts", "Verdicts, with those of runs.", totals.verdicts)
    yield _gauge("truehue_study_answers", "Answers of participants.", totals.answers)
    yield _gauge("truehue_judgments", "Answers of people to verdicts.", totals.judgments)
    yield _gauge(
        "truehue_database_bytes", "Size of the database with its log.", totals.database_bytes
    )
    free = shutil.disk_usage(context.storage.data_dir).free
    yield _gauge("truehue_disk_free_bytes", "Free space where the data folder lies.", free)
    yield Metric("truehue_info", "gauge", "The version.", {(("version", VERSION),): 1})


def _process() -> Iterator[Metric]:
    """Of the app's own process, under the names that all programs use; workers of runs are others."""
    import psutil  # type: ignore[import-untyped]

    process = psutil.Process()
    with process.oneshot():
        times, memory = process.cpu_times(), process.memory_info()
        began, files = process.create_time(), process.num_fds()
    yield Metric(
        "process_cpu_seconds_total",
        "counter",
        "Processor time in seconds, of user and system.",
        {(): round(times.user + times.system, 2)},
    )
    yield _gauge("process_resident_memory_bytes", "Memory in main memory.", int(memory.rss))
    yield _gauge("process_start_time_seconds", "Start, in seconds since 1970 UTC.", began)
    yield _gauge("process_open_fds", "Open files and connections.", files)
