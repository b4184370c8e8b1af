"""``evaluate``: how often metrics put the more faithful image first, and how they agree with
people, beside the figures of the paper."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from truehue.core.cli.fidelity import tables
from truehue.core.cli.fidelity.folders import make_out
from truehue.core.cli.fidelity.scoring import (
    Item,
    Metric,
    Scored,
    ScoreFile,
    add_cfm,
    cfm_json,
    cfm_lines,
    cfm_metrics,
    check_direction,
    computed_metric,
    imported_scores,
)
from truehue.core.errors import BadInput
from truehue.core.fidelity.evaluation import evaluate, read_ratings
from truehue.core.fidelity.groups import read_groups
from truehue.core.fidelity.vividness import SetVividness, set_vividness
from truehue.core.files import replace_file
from truehue.core.scores.measures import measure_of

OUT = Path("data") / "fidelity" / "evaluation"


def add(commands: Any) -> None:
    """The command."""
    add_parser = commands.add_parser(
        "evaluate", help="SynPairs, Real&Syn and agreement with people, beside the paper's figures"
    )
    add_parser.add_argument(
        "--groups", type=Path, required=True, metavar="FILE", help="to be tested by"
    )
    add_parser.add_argument(
        "--measure",
        action="append",
        default=[],
        metavar="ID",
        help="a computed measure of truehue score --list, such as delta_sat; several times",
    )
    add_cfm(add_parser)
    add_parser.add_argument(
        "--scores",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="scores that the app exported, or a table of image_id, measure and value",
    )
    add_parser.add_argument(
        "--lower-better", action="append", default=[], metavar="NAME", help="measures of --scores"
    )
    add_parser.add_argument(
        "--ratings",
        type=Path,
        metavar="FILE",
        help="a study's export, or a table of rating and file or image_id",
    )
    add_parser.add_argument("--out", type=Path, default=OUT, metavar="DIR", help=f"default {OUT}")
    add_parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    groups = read_groups(options.groups)
    ratings = None if options.ratings is None else read_ratings(options.ratings)
    metrics = []
    for name in dict.fromkeys(options.measure):
        check_direction(measure_of(name))
        metrics.append(computed_metric(name))
    values = [imported_scores(path, options.lower_better) for path in options.scores]
    metrics += cfm_metrics(options)
    if not metrics and not values:
        raise BadInput("Say what to evaluate: --measure, --cfm or --scores.")

    make_out(options.out)

    def told(done: int, count: int) -> None:
        if done % 100 == 0 or done == count:
            print(f"{done:,} of {count:,} images", file=sys.stderr, flush=True)

    rows = [[Item(path, group.caption) for path in group.files] for group in groups]
    file = ScoreFile(options.out / "scores.jsonl")
    # ΔSat of a set needs the saturations themselves.
    saturation = computed_metric("mean_saturation")
    more = [saturation] if "delta_sat" in options.measure else []
    results = file.scores([*metrics, *more], [item for row in rows for item in row], told)
    images = [[file.image_ids[item.path] for item in row] for row in rows]
    scores: dict[Metric, list[list[float]]] = {
        metric: [[results[item][metric.key][0] for item in row] for row in rows]
        for metric in metrics
    }
    for metric, source in (pair for table in values for pair in table.items()):
        scores[metric] = [[source.get(image, math.nan) for image in row] for row in images]
    rated = None
    if ratings is not None:
        rated = [[_rating(ratings, item, file.image_ids) for item in row] for row in rows]
        inside = {i for row in images for i in row} | {
            str(i.path.resolve()) for r in rows for i in r
        }
        if outside := len(ratings.keys() - inside):
            print(f"{outside:,} rated images are in no group, and left out.", file=sys.stderr)
    evaluations = [
        evaluate(metric.name, groups, scores[metric], metric.higher_is_better, rated)
        for metric in scores
    ]
    vivid = _vividness(rows, results, saturation.key) if more else {}
    report = tables.page(
        evaluations, len(groups), "python -m truehue fidelity evaluate", cfm_lines(metrics), vivid
    )
    about = {
        "groups": str(options.groups),
        "metrics": [evaluation.as_json() for evaluation in evaluations],
        "cfm": cfm_json(metrics),
        "vividness": {name: asdict(item) for name, item in vivid.items()},
    }
    replace_file(options.out / "report.json", (json.dumps(about, indent=1) + "\n").encode())
    replace_file(options.out / "report.md", report.encode())
    print("\n".join([tables.text(evaluations), *cfm_lines(metrics)]))
    print(f"Beside the paper's figures: {options.out / 'report.md'}")
    return 0


def _vividness(
    rows: Sequence[Sequence[Item]], scoreds: Mapping[Item, Mapping[str, Scored]], key: str
) -> dict[str, SetVividness]:
    """Of the photographs, and of the images at each place of the groups, by name."""
    out = {}
    for index in range(max(map(len, rows), default=0)):
        saturations = [scoreds[row[index]][key][0] for row in rows if index < len(row)]
        name = f"image {index} of each group" if index else "photographs"
        out[name] = set_vividness(saturations)
    return out


def _rating(ratings: Mapping[str, float], item: Item, image_ids: Mapping[Path, str]) -> float:
    """By the image's id, or else by its file; NaN where nobody rated it."""
    of_file = ratings.get(str(item.path.resolve()), math.nan)
    return ratings.get(image_ids[item.path], of_file)
