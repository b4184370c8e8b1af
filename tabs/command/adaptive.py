"""``python -m truehue runs start --adaptive``: the order of models from few of the images."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from truehue.core.batch.execute import pausing_on_interrupt
from truehue.core.command import print_now
from truehue.core.errors import BadInput
from truehue.core.generation.registry import name_of
from truehue.core.runs.adaptive import Comparison, play_rounds
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.worker import ExecutionSettings, execute
from truehue.tabs.batches.adaptive import note_order, order_text, rest_seconds, rest_text
from truehue.tabs.command import start as runs
from truehue.tabs.command.status import run_command
from truehue.tabs.page.errors import count_noun


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
    if options.plan_only:
        raise BadInput(
            "--adaptive chooses each round by the results of the one before, and tasks of a job "
            "array wait for no results: leave out --plan-only. One command can use several GPUs by "
            "--workers, or a cluster by --ray."
        )
    return runs.start(options, execute_rounds)


def execute_rounds(
    options: argparse.Namespace, folders: Sequence[RunFolder], crew: ExecutionSettings
) -> int:
    """Rounds until the order is decided or the share of images is used up. Killed or paused, the
    same command goes on where it was."""
    comparison = Comparison(folders)
    for folder in comparison.folders:
        folder.set_desired_state("run")
    ingested: list[str] = []

    def generate(folder: RunFolder, positions: np.ndarray) -> None:
        is_first = not comparison.order.samples
        ingested.append(_execute(options, folder, crew, positions, is_first))

    def after_round() -> None:
        note_order(comparison, crew.workers)
        if not options.json:
            number = len(comparison.order.samples)
            print_now(f"Round {number}: {order_text(comparison)}", file=sys.stderr)

    if not play_rounds(comparison, comparison.budget(options.adaptive), generate, after_round):
        print_now("Not finished. Go on: the same command.", file=sys.stderr)
        return runs.ENDED_EARLY
    if any(ingested):
        print_now(ingested[-1], file=sys.stderr)
    rest = rest_seconds(comparison, crew.workers)
    if options.json:
        print_now(json.dumps({"order": comparison.ranking(), **_counts(comparison, rest)}))
    else:
        resume = run_command(options, "resume", "RUN")
        print_now("\n".join([*_lines(comparison), _rest_line(rest, resume)]))
    return runs.FINISHED


def _execute(
    options: argparse.Namespace,
    folder: RunFolder,
    crew: ExecutionSettings,
    positions: np.ndarray,
    is_first: bool,
) -> str:
    """Generates the round's images of one model, and ingests them; returns what ingesting says."""
    line = runs.RunProgress(options.json, folder.path, is_first)
    try:
        with pausing_on_interrupt(folder):
            state = execute(folder, crew, watch=line, positions=positions)
    finally:
        line.close()
    for text, count in state.problems[:5]:
        print_now(f"  {count:,} × {text}", file=sys.stderr)
    return runs.ingest(options, folder)


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


def _lines(comparison: Comparison) -> list[str]:
    """The order as text."""
    text = order_text(comparison)
    lines = [f"{text[0].upper()}{text[1:]}."]
    for row in comparison.ranking():
        lines.append(
            f"  rank {row['rank_text']:<6}{row['percent']:5.1f}%  ({row['low']:.1f} to "
            f"{row['high']:.1f})  {name_of(row['model'])}"
        )
    lines.append("Estimates for the whole set; images without a score count as incorrect.")
    if comparison.unscored:
        lines.append(f"{count_noun(comparison.unscored, 'draw')} without a score.")
    return lines


def _rest_line(rest: float | None, resume: str) -> str:
    return f"Of all runs, {rest_text(rest)}: {resume}, for each of them."
