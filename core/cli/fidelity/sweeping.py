"""``sweep``: which saturation of photographs do metrics like best?"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.cli.fidelity.folders import images_of, make_out
from truehue.core.cli.fidelity.numbers import numbers
from truehue.core.cli.fidelity.scoring import (
    Metric,
    ScoreFile,
    add_cfm,
    cfm_json,
    cfm_lines,
    cfm_metrics,
    check_direction,
    computed_metric,
)
from truehue.core.cli.small.report import chart
from truehue.core.errors import BadInput, ImageError
from truehue.core.fidelity.building import read_photographs
from truehue.core.fidelity.sweep import SCALES, Curve, curve_of, sweep_rows
from truehue.core.files import replace_file
from truehue.core.images.load import load_image
from truehue.core.scores.measures import measure_of

OUT = Path("data") / "fidelity" / "sweep"


def add(commands: Any) -> None:
    """The command."""
    sweep = commands.add_parser(
        "sweep", help="photographs at other saturations: where does each metric like them best?"
    )
    sweep.add_argument("folder", type=Path, metavar="FOLDER", help="of photographs")
    sweep.add_argument(
        "--measure",
        action="append",
        default=[],
        metavar="ID",
        help="of truehue score --list; several times",
    )
    add_cfm(sweep)
    sweep.add_argument(
        "--captions", type=Path, metavar="TABLE", help="file and caption, which CFM reads"
    )
    sweep.add_argument(
        "--scales", default=",".join(f"{s:g}" for s in SCALES), help="default %(default)s"
    )
    sweep.add_argument("--out", type=Path, default=OUT, metavar="DIR", help=f"default {OUT}")
    sweep.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    scales = numbers(options.scales, "--scales")
    if 1.0 not in scales or list(scales) != sorted(set(scales)):
        raise BadInput("The scales rise, and 1, the photograph itself, is one of them.")
    if options.captions is None:
        if options.cfm:
            raise BadInput("CFM reads captions: give --captions TABLE.")
        images = [(path, "") for path in images_of(options.folder)]
    else:
        photographs = read_photographs(options.folder, options.captions)
        images = [(photograph.path, photograph.caption) for photograph in photographs]
    for name in options.measure:
        check_direction(measure_of(name))
    metrics = [computed_metric(name) for name in dict.fromkeys(options.measure)]
    metrics += cfm_metrics(options)
    if not metrics:
        raise BadInput("Say what to sweep: --measure or --cfm.")
    make_out(options.out)
    file = ScoreFile(options.out / "scores.jsonl")
    rows: dict[Metric, list[list[float]]] = {metric: [] for metric in metrics}
    bad = 0
    for number, (path, caption) in enumerate(images, start=1):
        try:
            srgb8 = load_image(path, path.name).srgb8
        except ImageError as error:
            print(f"{path}: {error}", file=sys.stderr)
            bad += 1
            continue
        for metric in metrics:

            def score(image: np.ndarray, metric: Metric = metric, caption: str = caption) -> float:
                return file.score(metric, image, caption)[0]

            rows[metric] += sweep_rows([srgb8], score, scales)
        print(f"{number:,} of {len(images):,} photographs", file=sys.stderr, flush=True)
    curves = {metric: curve_of(rows[metric], scales, metric.higher_is_better) for metric in metrics}
    replace_file(options.out / "sweep.csv", _csv(curves).encode())
    replace_file(options.out / "sweep.svg", _figure(curves).encode())
    for metric, curve in curves.items():
        print(
            f"{metric.name}: best at {curve.peak:g} times the saturation, of {curve.photographs:,} "
            f"photographs{_unscored(curve)}"
        )
    about = {"photographs": len(images) - bad, "cfm": cfm_json(metrics)}
    replace_file(options.out / "sweep.json", (json.dumps(about, indent=1) + "\n").encode())
    for line in cfm_lines(metrics):
        print(line)
    print(f"See {options.out / 'sweep.svg'}, sweep.csv and sweep.json.")
    return 2 if bad else 0


def _unscored(curve: Curve) -> str:
    return f"; {curve.unscored:,} without a score" if curve.unscored else ""


def _csv(curves: dict[Metric, Curve]) -> str:
    """One line a metric and scale; ``relative`` is the paper's axis, ``best_of`` how many
    photographs are best at this scale."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ("metric", "scale", "mean", "relative", "best", "best_of", "photographs", "unscored")
    )
    for metric, curve in curves.items():
        for scale, mean, relative, best_of in zip(
            curve.scales, curve.means, curve.relative, curve.peaks_at, strict=True
        ):
            best = int(scale == curve.peak)
            cells = (metric.name, f"{scale:g}", mean, relative, best, best_of)
            writer.writerow((*cells, curve.photographs, curve.unscored))
    return out.getvalue()


def _figure(curves: dict[Metric, Curve]) -> str:
    """Means stretched from worst, 0, to best, 100: metrics have scales of their own."""
    series = {}
    for metric, curve in curves.items():
        means = np.array(curve.means) * (1 if metric.higher_is_better else -1)
        spread = float(np.ptp(means))
        shares = 100 * (means - means.min()) / spread if spread else np.full(len(means), 50.0)
        series[metric.name] = list(zip(curve.scales, map(float, shares), strict=True))
    return chart("Mean score from worst to best, by scale of saturation", series, 100.0)
