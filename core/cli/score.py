"""``python -m core.score``: images by the measures that are computed, without a screen.

Exit status 0 when every image was scored by every measure, 2 when one could not be read or is
unscored; its reason is on standard error, and the others are scored all the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from core.command import program
from core.errors import TrueHueError
from core.images.load import load_image
from core.scores.measures import MEASURES, measure_of
from core.scores.records import Measure, ScoreRecord
from core.scores.scoring import score_image

EPILOG = """\
examples:
  python -m core.score --list
  python -m core.score mug.png
  python -m core.score photographs/*.jpg --json > scores.jsonl
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    argument_parser = argparse.ArgumentParser(
        prog=program("score", "-m core.score"),
        description="Scores whole images by measures, such as how vivid they are.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    argument_parser.add_argument("images", nargs="*", metavar="IMAGE", help="images to score")
    argument_parser.add_argument(
        "--measure",
        action="append",
        default=[],
        metavar="ID",
        help="a measure of --list, may be given several times; without it all that are computed",
    )
    argument_parser.add_argument("--list", action="store_true", help="say what measures there are")
    argument_parser.add_argument("--json", action="store_true", help="one JSON object a line")
    return argument_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    argument_parser = parser()
    options = argument_parser.parse_args(arguments)
    if options.list:
        for measure in MEASURES:
            print(f"{measure.id} {measure.version}  {measure.name}: {_about(measure)}")
        return 0
    if not options.images:
        argument_parser.error("name at least one image, or --list")
    try:
        measures = [measure_of(measure_id) for measure_id in options.measure]
    except TrueHueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    measures = measures or [measure for measure in MEASURES if measure.of is not None]
    elsewhere = [measure.name for measure in measures if measure.of is None]
    if elsewhere:
        print(f"error: {', '.join(elsewhere)} is not computed here.", file=sys.stderr)
        return 2
    whole = [_scored(path, measures, options.json) for path in options.images]
    return 0 if all(whole) else 2


def _scored(path: str, measures: Sequence[Measure], as_json: bool) -> bool:
    """Prints the scores of one image; whether it has all of them."""
    try:
        image = load_image(path)
    except TrueHueError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return False
    whole = True
    for measure in measures:
        record = score_image(measure, "", image.srgb8)
        whole &= record.value is not None
        if as_json:
            print(json.dumps(_json(path, measure, record), ensure_ascii=False))
        elif record.value is None:
            print(f"{path}: {measure.name} unscored: {record.reason}", file=sys.stderr)
        else:
            print(f"{path}: {measure.name} {measure.text(record.value)}")
    return whole


def _json(path: str, measure: Measure, record: ScoreRecord) -> dict[str, object]:
    return {
        "file": path,
        "measure": measure.id,
        "version": measure.version,
        "parameters": dict(record.parameters),
        "value": record.value,
        "unit": measure.unit,
        "status": record.status,
        "reason": record.reason,
        "numbers": dict(record.numbers),
    }


def _about(measure: Measure) -> str:
    better = f", {measure.better} is better" if measure.better else ""
    where = "" if measure.of is not None else " Scores come in."
    return f"{measure.formula} ({measure.bounds_text}{better}). {measure.source}.{where}"
