"""``truehue vlm judge``: color naming on renders, compared with the pixel rules."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from truehue.core.cli.vlm_report import judge_text
from truehue.core.cli.vlm_sets import ALL_NUMBERS, NEW_SET, say_set
from truehue.core.command import Command, ProgressLine, arg, command
from truehue.core.diagnosis.colors import DEFAULT_SIZE_PX
from truehue.core.vlm.color_judge.question_set import (
    DEFAULT_RENDERS,
    JudgeSettings,
    judge_questions,
)
from truehue.core.vlm.color_judge.questions import SYSTEM_NAMES
from truehue.core.vlm.color_judge.report import judge_report
from truehue.core.vlm.evaluation.log import read_log
from truehue.core.vlm.question_set import write_set


@command(
    "make",
    "generate a question set from GenColorBench's Appendix E, with our own renders",
    NEW_SET,
    arg("--system", "default l2", choices=list(SYSTEM_NAMES), default="l2"),
    arg(
        "--count N",
        f"renders, of 9 questions on css and 6 on l2 (default {DEFAULT_RENDERS}; 2058 and 406 are "
        "every object in every color, as in the paper)",
        default=DEFAULT_RENDERS,
    ),
    arg("--seed S", "default 0", default=0),
    arg(
        "--near N",
        "for Q2, offer the correct name and its N nearest instead of the whole list",
        type=int,
    ),
    arg("--size PX", "default %(default)s", default=DEFAULT_SIZE_PX),
)
def make_judge_set(options: argparse.Namespace) -> int:
    """Writes a set of questions about renders of known color."""
    settings = JudgeSettings(
        options.system, options.count, options.seed, options.size, options.near
    )
    name = f"Appendix E, {SYSTEM_NAMES[settings.system]}, seed {settings.seed}"
    return say_set(write_set(options.out, judge_questions(settings), name, settings.as_json()))


@command(
    "report",
    "compare a model's answers with those of every rule",
    arg("folder DIR", "folder of the evaluation", type=Path),
    ALL_NUMBERS,
)
def report_judge(options: argparse.Namespace) -> int:
    """Prints a model's answers beside those of the rules."""
    line = ProgressLine()

    def report_progress(done: int, total: int) -> None:
        line.show(lambda: f"{done:,} of {total:,} renders scored")

    results = judge_report(read_log(options.folder), report_progress)
    print(json.dumps(results, ensure_ascii=False) if options.json else judge_text(results))
    return 0


JUDGE = Command(
    "judge",
    "color naming on renders, compared with the pixel rules",
    (make_judge_set, report_judge),
)
