"""``score``: what the answers of one or more askings score, and how they differ."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from truehue.core.cli.vlm.report import as_text, differences_as_json, differences_as_text, report
from truehue.core.errors import ImageError
from truehue.core.files import whole_file
from truehue.core.vlm.differences import differences
from truehue.core.vlm.evaluation.answers_table import answers_csv
from truehue.core.vlm.evaluation.log import EvaluationLog, read_log
from truehue.core.vlm.evaluation.pixel_baseline import PixelBaseline
from truehue.core.vlm.parsing import VERSIONS
from truehue.core.vlm.records import Answer
from truehue.core.vlm.scoring import score


def add(commands: Any) -> None:
    """The command."""
    scoring = commands.add_parser("score", help="score the answers in a folder")
    scoring.add_argument(
        "folders",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="folder with answers; if there are several, each is compared with the first",
    )
    scoring.add_argument("--json", action="store_true", help="one JSON object with all numbers")
    scoring.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="CSV with the answer, reading, outcome and reason",
    )
    scoring.add_argument(
        "--pixels",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="show the pixel reader for each task; it reads a set once, and photographs only with "
        "--pixels",
    )
    scoring.add_argument(
        "--parser",
        choices=VERSIONS,
        default="",
        help="parser version for the answers (default: the version each evaluation started with)",
    )
    scoring.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    all_asked = [read_log(folder, options.parser) for folder in options.folders]
    first, pixels = all_asked[0], _pixels(all_asked[0], options)
    reports, differing = [], []
    for evaluation_log in all_asked:
        alike = evaluation_log.questions == first.questions
        scores = score(evaluation_log.questions, evaluation_log.answers)
        reports.append(
            report(evaluation_log, scores, pixels if alike else _pixels(evaluation_log, options))
        )
        if evaluation_log is first:
            continue
        if alike:
            between = differences(first.questions, first.answers, evaluation_log.answers)
            differing.append(differences_as_json(first, evaluation_log, between))
        else:
            print(
                f"{first.folder} and {evaluation_log.folder} have different questions and cannot be "
                "compared.",
                file=sys.stderr,
            )
    if options.answers:
        lines = answers_csv((str(log.folder), log) for log in all_asked)
        with whole_file(options.answers) as file:
            file.write(lines.encode())
    if options.json:
        print(json.dumps({"scores": reports, "differences": differing}, ensure_ascii=False))
    else:
        texts = [*map(as_text, reports), *map(differences_as_text, differing)]
        print("\n\n".join(texts))
    return 0


def _pixels(log: EvaluationLog, options: argparse.Namespace) -> list[Answer] | None:
    """None, and a sentence, where images are gone or were not to be read: the scores need none."""
    if options.pixels is False:
        return None
    baseline = PixelBaseline(log)
    if baseline.missing:
        count = f"{len(baseline.missing):,} questions"
        if options.pixels is None and not baseline.is_generated:
            print(
                f"The pixel reader is not shown: it has not read the photographs of {count} yet. "
                "Use --pixels to read them once for the set; this can take minutes.",
                file=sys.stderr,
            )
            return None
        try:
            baseline.compute()
        except ImageError as error:
            print(f"The pixel reader is not shown: {error}", file=sys.stderr)
            return None
        stored = baseline.unstored or "The answers are stored with the set."
        print(f"The pixel reader read {count}. {stored}", file=sys.stderr)
    return baseline.answers()
