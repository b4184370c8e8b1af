"""``python -m truehue compare``: two distributions of color compared, without a screen.

A side is an image with or without a mask, a folder of images, which are one distribution, or a CSV
or JSON file of 71 numbers. Exit status 0 when all was measured, 2 when something was bad input; its
message is on standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from truehue.core.cli.compare.report import ComparisonReport
from truehue.core.cli.compare.sides import IMAGE, NUMBERS, Reading, Side, kind_of, read_side
from truehue.core.color.distances import compare, emd_flow
from truehue.core.command import program
from truehue.core.concepts.distribution import DRAWS, intervals
from truehue.core.concepts.reading import RATINGS, SHARES
from truehue.core.concepts.records import METHODS, PIXELS
from truehue.core.errors import BadInput, TrueHueError

EPILOG = """\
examples:
  python -m truehue compare banana.png drawing.png --mask-a banana-mask.png
  python -m truehue compare photos/ cartoons/ --mask-a photo-masks/ --mask-b cartoon-masks/
  python -m truehue compare ratings.csv photos/ --concept banana --normalize --json

methods (how pixels become a distribution over the 71 colors of UW-71):
"""
MOST_DRAWS = 100_000


def parser() -> argparse.ArgumentParser:
    """The command line."""
    methods = "\n".join(f"  {name:<16}{text}." for name, text in METHODS.items())
    argument_parser = argparse.ArgumentParser(
        prog=program("compare", "-m core.compare"),
        description="Compares two distributions of color over UW-71: PCC, EMD, ED, dominant color "
        "and hue, total variation, Jensen-Shannon.",
        epilog=EPILOG + methods,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    side = "an image, a folder of images, or a CSV or JSON file of 71 numbers"
    argument_parser.add_argument("a", metavar="A", help=side)
    argument_parser.add_argument("b", metavar="B", help="the same")
    mask = "mask image of {}: the object is light (128 or more); for a folder, a folder of masks "
    mask += "with the images' names. Without a mask the whole image is measured"
    argument_parser.add_argument("--mask-a", type=Path, metavar="MASK", help=mask.format("A"))
    argument_parser.add_argument("--mask-b", type=Path, metavar="MASK", help="the same for B")
    argument_parser.add_argument(
        "--method", choices=tuple(METHODS), help=f"for images; default: {PIXELS}"
    )
    argument_parser.add_argument(
        "--concept", metavar="WORDS", help="the concept, for a file with several"
    )
    label = "the label, if file {} has several distributions of the concept"
    argument_parser.add_argument("--label-a", metavar="LABEL", help=label.format("A"))
    argument_parser.add_argument("--label-b", metavar="LABEL", help="the same for B")
    argument_parser.add_argument(
        "--as-58", action="store_true", help="read 58 numbers as the bins of UW-58"
    )
    sums = argument_parser.add_mutually_exclusive_group()
    sums.add_argument(
        "--normalize",
        action="store_true",
        help="divide numbers that do not sum to 1 by their sum: association ratings",
    )
    sums.add_argument(
        "--shares",
        action="store_true",
        help="the same for counts, percent or rounded shares: histograms",
    )
    argument_parser.add_argument(
        "--flow",
        type=int,
        default=0,
        metavar="N",
        help="print the N costliest flows of the transport plan",
    )
    argument_parser.add_argument(
        "--draws",
        type=int,
        metavar="N",
        help=f"bootstrap draws for 95%% intervals "
        f"over images or people; default {DRAWS:,}, 0 for none",
    )
    argument_parser.add_argument("--seed", type=int, default=0, help="seed of the draws; default 0")
    argument_parser.add_argument("--json", action="store_true", help="print one JSON object")
    return argument_parser


def main(arguments: Sequence[str] | None = None, stream: TextIO | None = None) -> int:
    """Runs the command; returns the exit status."""
    stream = stream or sys.stdout
    options = parser().parse_args(arguments)
    try:
        report = _report(options)
    except TrueHueError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    bad = False
    for name, side in (("A", report.a), ("B", report.b)):
        for file, reason in side.unscored:
            bad = True
            print(f"{name}, {file}: {reason}", file=sys.stderr)
    if options.json:
        print(json.dumps(report.as_json()), file=stream, flush=True)
    else:
        for line in report.lines():
            print(line, file=stream, flush=True)
        for line in report.note_lines():
            print(line, file=sys.stderr)
    return 2 if bad else 0


def _report(options: argparse.Namespace) -> ComparisonReport:
    paths = Path(options.a), Path(options.b)
    _check_options(options, paths)
    method = options.method or PIXELS
    normalize = RATINGS if options.normalize else SHARES if options.shares else ""
    how = Reading(method, options.as_58, normalize, options.concept)
    a = _read(paths[0], options.mask_a, replace(how, label=options.label_a))
    b = _read(paths[1], options.mask_b, replace(how, label=options.label_b))
    p, q = a.distribution, b.distribution
    comparison = compare(p.weights, q.weights)
    moves = emd_flow(p.weights, q.weights) if options.flow else ()
    draws = DRAWS if options.draws is None else options.draws
    bounds = intervals(p, q, draws, options.seed) if draws else None
    return ComparisonReport(a, b, method, comparison, bounds, moves[: options.flow], len(moves))


def _read(path: Path, mask: Path | None, how: Reading) -> Side:
    if not path.exists():
        raise BadInput(f"There is no {path}.")
    if mask is not None and not mask.exists():
        raise BadInput(f"There is no mask {mask}.")
    return read_side(path, mask, how)


def _check_options(options: argparse.Namespace, paths: tuple[Path, Path]) -> None:
    """Raises BadInput for numbers out of range, and for options that nothing would read."""
    if options.flow < 0:
        raise BadInput("--flow is the number of flows to print, at least 1.")
    if options.draws is not None and not 0 <= options.draws <= MOST_DRAWS:
        raise BadInput(f"--draws is 0 to {MOST_DRAWS:,}.")
    if options.seed < 0:
        raise BadInput("--seed is a whole number from 0 on.")
    kinds = [kind_of(path) for path in paths]
    if NUMBERS not in kinds:
        for name in ("as_58", "normalize", "shares", "concept", "label_a", "label_b"):
            if getattr(options, name):
                option = "--" + name.replace("_", "-")
                raise BadInput(f"{option} applies to files of numbers, but both sides are images.")
    if kinds == [NUMBERS, NUMBERS] and options.method:
        raise BadInput("--method applies to images, but both sides are numbers.")
    if kinds == [IMAGE, IMAGE] and options.draws:
        raise BadInput(
            "--draws applies to folders of images and to people. A single image cannot be "
            "resampled."
        )
