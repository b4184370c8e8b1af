"""Accuracies of any scorer, corrected for its errors by its certificate of a ring test."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from truehue.core.analysis.judge_error import Calibration, Corrected, corrected_by_run
from truehue.core.analysis.leaderboard import (
    AVERAGE,
    PART_NAMES,
    POOLED,
    SYSTEM_NAMES,
    SYSTEMS,
    TABLE_TASKS,
    Rate,
    leaderboard,
)
from truehue.core.analysis.records import PromptTally
from truehue.core.errors import BadInput
from truehue.core.files import file_problem
from truehue.core.ring.answers import ANSWERS, NONE, YES

COLUMNS = ("run", "task", "system", "prompt", "verdict")
_TASK = TABLE_TASKS[0]


@dataclass(frozen=True)
class CorrectedRate:
    """A scorer's accuracy on a run and task (AVERAGE for the mean of all five), and the corrected one."""

    run: str
    task: str
    raw: Rate
    corrected: Corrected


def read_verdicts(path: Path) -> list[PromptTally]:
    """The verdicts of a CSV file, a line an image: ``prompt`` and ``verdict`` (yes, no or unscored),
    and perhaps ``run``, ``task`` (by default cna) and ``system`` (l2, l3, css, or none). Raises
    BadInput with the line."""
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    except OSError as error:
        raise BadInput(f"The verdicts {path} cannot be read: {file_problem(error)}.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path.name} is no CSV in UTF-8: {error}.") from error
    if not rows or not {"prompt", "verdict"} <= rows[0].keys():
        raise BadInput(
            f"{path.name} needs a header line with prompt,verdict and a line for each image; run, "
            "task and system may follow."
        )
    images: Counter[tuple[str, str, str, str]] = Counter()
    scored: Counter[tuple[str, str, str, str]] = Counter()
    passes: Counter[tuple[str, str, str, str]] = Counter()
    for line, row in enumerate(rows, 2):
        cells = {name: (row.get(name) or "").strip() for name in COLUMNS}
        verdict = cells["verdict"].lower()
        key = (
            cells["run"] or path.stem,
            _known(
                cells["task"].lower() or _TASK, TABLE_TASKS, "task", f"{path.name}, line {line}"
            ),
            _known(cells["system"].lower(), SYSTEMS[POOLED], "system", f"{path.name}, line {line}"),
            cells["prompt"],
        )
        _known(verdict, ANSWERS, "verdict", f"{path.name}, line {line}")
        images[key] += 1
        scored[key] += verdict != NONE
        passes[key] += verdict == YES
    tallies = Counter((*key[:3], passes[key], scored[key], images[key]) for key in images)
    return [PromptTally(*tally, prompts) for tally, prompts in tallies.items()]


def _known(value: str, values: Sequence[str], what: str, where: str) -> str:
    if value not in values:
        names = ", ".join(name or "empty" for name in values)
        raise BadInput(f"{where}: a {what} is one of {names}, not {value[:40]!r}.")
    return value


def correct_verdicts(
    tallies: Sequence[PromptTally], calibration: Calibration
) -> list[CorrectedRate]:
    """The accuracies of every run by task, all images of a task pooled, and their mean where a run
    has all five tasks."""
    entries = leaderboard(tallies, POOLED)
    by_run = corrected_by_run(tallies, entries, dict.fromkeys(entries, calibration), pooled=True)
    rows = []
    for run, entry in entries.items():
        rates = {task: cell.rate for task, cell in entry.cells.items()}
        rows += [
            CorrectedRate(run, task, rate, by_run[run].get(task, Corrected()))
            for task, rate in {**rates, AVERAGE: entry.average}.items()
            if rate.percent is not None
        ]
    return rows


def correction_text(rates: Sequence[CorrectedRate], calibration: Calibration) -> str:
    """The accuracies as a table; below it the errors that corrected them, and what is assumed."""
    rows = [("run", "task", "n", "passes, %", "corrected, %")]
    rows += [
        (rate.run, rate.task, f"{rate.raw.scored:,}", _percent(rate.raw), _percent(rate.corrected))
        for rate in rates
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = [
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines += [
        "",
        f"Errors of {calibration.rule} {calibration.version} on {calibration.description}:",
    ]
    for system in calibration.systems:
        whole = calibration.whole(system)
        lines.append(
            f"  {SYSTEM_NAMES[system]}: passes {whole.hits:,} of {whole.right:,} right colors and "
            f"{whole.accepts:,} of {whole.wrong:,} wrong ones"
        )
    lines.append(
        "Corrected: the share of images that have the color, if the scorer errs on these images as "
        "often as on those (Rogan and Gladen 1978). Intervals are 95%."
    )
    borrowed = dict.fromkeys(name for rate in rates for name in rate.corrected.borrowed)
    if borrowed:
        names = ", ".join(PART_NAMES.get(name, name) for name in borrowed)
        lines.append(f"Not tested: {names}. The errors there are guessed from the tested systems.")
    reasons = {rate.corrected.reason: None for rate in rates if rate.corrected.reason}
    lines += [f"Not corrected: {reason}." for reason in reasons]
    return "\n".join(lines) + "\n"


def _percent(rate: Rate | Corrected) -> str:
    if rate.percent is None:
        return "–"
    return f"{rate.percent:.1f} ({rate.low:.1f}–{rate.high:.1f})"
