"""``judge``: a model tested as judge of color, on renders whose color is known."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from truehue.core.cli.vlm.making import said
from truehue.core.cli.vlm.report import NONE, aligned
from truehue.core.diagnosis.colors import DEFAULT_SIZE_PX
from truehue.core.vlm.color_judge.question_set import (
    DEFAULT_RENDERS,
    JudgeSettings,
    judge_questions,
)
from truehue.core.vlm.color_judge.questions import SYSTEM_NAMES
from truehue.core.vlm.color_judge.report import ALL, KINDS, judge_report
from truehue.core.vlm.evaluation.log import read_log
from truehue.core.vlm.question_set import write_set

_SAID_EVERY_S = 10.0


def add(commands: Any) -> None:
    """The command with its two parts."""
    judge = commands.add_parser(
        "judge", help="color naming on renders, compared with the pixel rules"
    )
    parts = judge.add_subparsers(required=True, metavar="PART")
    make = parts.add_parser(
        "make", help="generate a question set from GenColorBench's Appendix E, with our own renders"
    )
    make.add_argument("out", type=Path, metavar="OUT", help="folder of the new set; must not exist")
    make.add_argument("--system", choices=list(SYSTEM_NAMES), default="l2", help="default l2")
    make.add_argument(
        "--count",
        type=int,
        default=DEFAULT_RENDERS,
        metavar="N",
        help=f"renders, of 9 questions on css and 6 on l2 (default {DEFAULT_RENDERS}; 2058 and 406 "
        "are every object in every color, as in the paper)",
    )
    make.add_argument("--seed", type=int, default=0, metavar="S", help="default 0")
    make.add_argument(
        "--near",
        type=int,
        metavar="N",
        help="for Q2, offer the correct name and its N nearest instead of the whole list",
    )
    make.add_argument(
        "--size", type=int, default=DEFAULT_SIZE_PX, metavar="PX", help="default %(default)s"
    )
    make.set_defaults(run=_make)
    report = parts.add_parser("report", help="compare a model's answers with those of every rule")
    report.add_argument("folder", type=Path, metavar="DIR", help="folder of the evaluation")
    report.add_argument("--json", action="store_true", help="one JSON object with all numbers")
    report.set_defaults(run=_report)


def _make(options: argparse.Namespace) -> int:
    settings = JudgeSettings(
        options.system, options.count, options.seed, options.size, options.near
    )
    name = f"Appendix E, {SYSTEM_NAMES[settings.system]}, seed {settings.seed}"
    return said(write_set(options.out, judge_questions(settings), name, settings.as_json()))


def _report(options: argparse.Namespace) -> int:
    last = time.monotonic()

    def told(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _SAID_EVERY_S:
            last = time.monotonic()
            print(f"{done:,} of {total:,} renders scored", file=sys.stderr, flush=True)

    results = judge_report(read_log(options.folder), told)
    print(json.dumps(results, ensure_ascii=False) if options.json else _text(results))
    return 0


def _text(results: Mapping[str, Any]) -> str:
    """Of rules by question only the kinds of questions: all of it is in the JSON."""
    parts = [f"{results['title']}\n{results['note']}"]
    for table in results["tables"]:
        shown = table["rows"]
        if table["columns"][:2] == ["question", "rule"]:
            shown = [row for row in shown if row[0] in (*KINDS, ALL)]
        rows = [table["columns"], *([_cell(cell) for cell in row] for row in shown)]
        parts.append("\n".join([table["title"], *aligned(_with_intervals(rows)), table["note"]]))
    return "\n\n".join(parts)


def _with_intervals(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The two ends of an interval in one cell."""
    head = list(rows[0])
    if "low" not in head:
        return [list(row) for row in rows]
    index = head.index("low")
    out = [[*head[:index], "95% interval", *head[index + 2 :]]]
    for row in rows[1:]:
        ends = NONE if row[index] == NONE else f"{row[index]} to {row[index + 1]}"
        out.append([*row[:index], ends, *row[index + 2 :]])
    return out


def _cell(cell: str | int | float | None) -> str:
    if cell is None:
        return NONE
    if isinstance(cell, float):
        return f"{cell:.3g}" if 0 < abs(cell) < 1 else f"{cell:.1f}"
    return str(cell)
