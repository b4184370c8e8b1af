"""``python -m truehue runs start --adaptive``: the order of models from few of the images."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from truehue.core.analysis.ranks import RankRange
from truehue.core.analysis.sequential import Sample
from truehue.core.batch.execute import pausing_on_interrupt
from truehue.core.command import print_now
from truehue.core.errors import BadInput
from truehue.core.generation.registry import name_of
from truehue.core.runs.adaptive import Comparison, save_text
from truehue.core.runs.estimate import pace_of
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.worker import ExecutionSettings, execute
from truehue.tabs.batches.messages import time_text
from truehue.tabs.command import start as runs
from truehue.tabs.command.status import run_command
from truehue.tabs.page.errors import count_noun

PERCENT = 3.0
"""Of the whole set's images, what is generated at most where nothing else is said."""


def percent(text: str) -> float:
    """A share of the images in percent. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value <= 100.0:
        raise argparse.ArgumentTypeError(f"a percentage above 0 and up to 100, not {text[:20]!r}")
    return value


def start(options: argparse.Namespace) -> int:
    """Starts runs as they are, or with ``--adaptive`` the rounds over them."""
    if options.adaptive is None:
        return runs.start(options)
    if options.images_of or options.images_from:
        raise BadInput("--adaptive chooses what to generate; stored images are there already.")
    if len(set(options.model or ())) < 2:
        raise BadInput("--adaptive compares models: name two or more, each with --model.")
    if options.batch not in ("", "1"):
        raise BadInput("--adaptive chooses single images: leave out --batch.")
    return runs.start(options, execute_rounds)


def execute_rounds(
    options: argparse.Namespace, folders: Sequence[RunFolder], crew: ExecutionSettings
) -> int:
    """Rounds until the order is decided or the share of images is used up. Killed or paused, the
    same command goes on where it was."""
    comparison = Comparison(folders)
    budget = int(comparison.total * options.adaptive / 100.0)
    for folder in comparison.folders:
        folder.set_desired_state("run")
    ingested = ""
    while (sample := comparison.next_sample(budget)) is not None:
        for model in sample.models.tolist():
            ingested = _execute(options, comparison.folders[model], crew, sample)
            if comparison.folders[model].desired_state() != "run":
                break
        if not comparison.take_up():
            print_now("Not finished. Go on: the same command.", file=sys.stderr)
            return runs.ENDED_EARLY
        rest = _rest_seconds(comparison, crew.workers)
        save_text(comparison, f"{order_text(comparison)}; {_rest_text(rest)}")
        if not options.json:
            number = len(comparison.order.samples)
            print_now(f"Round {number}: {order_text(comparison)}", file=sys.stderr)
    if ingested:
        print_now(ingested, file=sys.stderr)
    rest = _rest_seconds(comparison, crew.workers)
    if options.json:
        print_now(json.dumps({"order": _rows(comparison), **_counts(comparison, rest)}))
    else:
        resume = run_command(options, "resume", "RUN")
        print_now("\n".join([*_lines(comparison), _rest_line(rest, resume)]))
    return runs.FINISHED


def order_text(comparison: Comparison) -> str:
    """How sure the order is, and from how many images."""
    share = 100.0 * comparison.images / comparison.total
    return (
        f"order by {comparison.rule[0]}: {comparison.decided} of "
        f"{count_noun(comparison.pairs, 'pair')} decided, with a chance of at most 5% that any is "
        f"wrong, from {share:.2g}% of the images"
    )


def _execute(
    options: argparse.Namespace, folder: RunFolder, crew: ExecutionSettings, sample: Sample
) -> str:
    """Generates the round's images of one model, and ingests them; returns what ingesting says."""
    line = runs.RunProgress(options.json, folder.path)
    try:
        with pausing_on_interrupt(folder):
            state = execute(folder, crew, watch=line, positions=np.unique(sample.positions))
    finally:
        line.close()
    for text, count in state.problems[:5]:
        print_now(f"  {count:,} × {text}", file=sys.stderr)
    return runs.ingest(options, folder)


def _rest_seconds(comparison: Comparison, workers: int) -> float | None:
    """What the rest of the whole set would take, by the images until now."""
    rest = 0.0
    for folder, images in zip(comparison.folders, comparison.images_each.tolist(), strict=True):
        pace = pace_of(folder)
        if pace is None:
            return None
        rest += pace * (comparison.plan.total - images)
    return rest / workers


def _counts(comparison: Comparison, rest: float | None) -> dict[str, Any]:
    return {
        "rule": list(comparison.rule),
        "images": comparison.images,
        "total": comparison.total,
        "pairs": comparison.pairs,
        "decided": comparison.decided,
        "unscored": comparison.unscored,
        "rest_seconds": rest,
    }


def _rows(comparison: Comparison) -> list[dict[str, Any]]:
    """The models, the best estimate first."""
    test = comparison.order.test
    accuracy, intervals, better = test.accuracy(), test.intervals(), test.better()
    rows = []
    for index in np.argsort(-accuracy, kind="stable").tolist():
        ahead, behind = better[:, index], better[index]
        rank = RankRange(1 + int(ahead.sum()), len(better) - int(behind.sum()), len(better))
        rows.append(
            {
                "run_id": comparison.folders[index].run_id,
                "model": comparison.models[index],
                "percent": 100.0 * float(accuracy[index]),
                "low": 100.0 * float(intervals[index, 0]),
                "high": 100.0 * float(intervals[index, 1]),
                "rank": [rank.best, rank.worst],
                "rank_text": rank.text,
                "better_than": [comparison.models[other] for other in np.flatnonzero(behind)],
            }
        )
    return rows


def _lines(comparison: Comparison) -> list[str]:
    """The order as text."""
    text = order_text(comparison)
    lines = [f"{text[0].upper()}{text[1:]}."]
    for row in _rows(comparison):
        lines.append(
            f"  rank {row['rank_text']:<6}{row['percent']:5.1f}%  ({row['low']:.1f} to "
            f"{row['high']:.1f})  {name_of(row['model'])}"
        )
    lines.append("Estimates for the whole set; images without a score count as incorrect.")
    if comparison.unscored:
        lines.append(f"{count_noun(comparison.unscored, 'draw')} without a score.")
    return lines


def _rest_line(rest: float | None, resume: str) -> str:
    return f"Of all runs, {_rest_text(rest)}: {resume}, for each of them."


def _rest_text(rest: float | None) -> str:
    """What the whole set would cost beyond what there is."""
    known = "an unknown time" if rest is None else f"about {time_text(rest)}"
    return f"the rest of the whole set would take {known}"
