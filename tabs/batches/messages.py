"""Messages about progress, time, disk space and runs, the same on the page and on a terminal."""

from __future__ import annotations

from truehue.core.analysis.records import RunRecord
from truehue.core.batch.records import BatchState
from truehue.core.export.source import imported_text
from truehue.core.generation.registry import name_of
from truehue.core.runs.protocols import protocol_text
from truehue.core.runs.records import STORED
from truehue.core.runs.summary import guidance_text
from truehue.tabs.page.errors import count_noun

STATUS_LABELS = {
    "planned": "not started",
    "running": "running",
    "paused": "paused",
    "chosen": "chosen images done",
    "awaiting": "waiting for tasks",
    "cancelled": "cancelled",
    "finished": "finished",
    "interrupted": "interrupted",
    "waiting": "waiting",
    "imported": "imported",
}


def time_text(seconds: float | None) -> str:
    """``40 s``, ``12 min``, ``5 h 10 min``, ``3 days 4 h``."""
    if seconds is None:
        return "unknown"
    whole = max(1, round(seconds))
    if whole < 90:
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours + round(minutes / 60), 24)
    return f"{days} days {hours} h" if hours else f"{days} days"


def bytes_text(number: float) -> str:
    """``14 MB``, ``1.2 GB``: powers of 1,000, as disks are sold."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if number >= size:
            return f"{number / size:.{0 if number >= 10 * size else 1}f} {unit}"
    return f"{max(1, round(number / 1e3))} kB"


def rate_text(rate: float) -> str:
    """Items per second, or per minute or hour where that reads better."""
    if rate >= 1:
        return f"{rate:.1f} per second"
    return f"{rate * 60:.1f} per minute" if rate * 60 >= 1 else f"{rate * 3600:.1f} per hour"


def progress_parts(state: BatchState, item: str, wait: str = "") -> list[str]:
    """``812 of 2,000 images``, ``14.2 per second``, ``about 1 min left``; ``wait`` is shown in
    place of the rate while a busy server is waited for."""
    parts = [f"{state.done:,} of {count_noun(state.total, item)}"]
    if state.status != "running":
        return parts
    if wait:
        return [*parts, wait]
    if state.rate > 0:
        parts.append(rate_text(state.rate))
    if state.seconds_left is not None and state.done < state.total:
        parts.append(f"about {time_text(state.seconds_left)} left")
    return parts


def facts(run: RunRecord, pictured: int | None = None) -> str:
    """What a run is, beside what it shares with its group; ``pictured`` of its prompts have a
    picture."""
    summary = run.summary
    model = name_of(run.model)
    parts = [f"images of {model}" if run.kind == STORED else model]
    if run.kind != STORED:
        parts.append(f"{count_noun(int(summary['images']), 'image')} per prompt")
    elif pictured is not None and pictured < int(summary["prompts"]):
        parts.append(f"{pictured:,} of {count_noun(int(summary['prompts']), 'prompt')}")
    parts += [protocol_text(summary), guidance_text(summary)]
    if summary.get("steps"):
        parts.append(f"{summary['steps']} steps")
    if summary.get("imported"):
        parts.append(imported_text(summary["imported"]))
    return " · ".join(part for part in parts if part)
