"""``evaluate``: how often metrics rank the more faithful image first, and their agreement with
people, as a report beside the paper's numbers. ``sweep``: the saturation of photographs that they
prefer."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from truehue.core.cli.fidelity_scoring import (
    CFM_OPTIONS,
    REGISTERED,
    Item,
    Metric,
    Scored,
    ScoreFile,
    cfm_json,
    cfm_lines,
    cfm_metrics,
    check_direction,
    computed_metric,
    computed_metrics,
    images_of,
    imported_scores,
    make_out,
    models_sources,
    numbers_of,
    passes,
    ready_metrics,
    registered_cfm,
)
from truehue.core.cli.small_report import chart
from truehue.core.command import (
    arg,
    command,
    flag,
)
from truehue.core.errors import BadInput, ImageError
from truehue.core.fidelity.building import read_photographs
from truehue.core.fidelity.evaluation import (
    Accuracy,
    Coefficient,
    Evaluation,
    evaluate,
    read_ratings,
)
from truehue.core.fidelity.groups import read_groups
from truehue.core.fidelity.sweep import SCALES, Curve, curve_of, sweep_rows
from truehue.core.fidelity.vividness import SetVividness, set_vividness
from truehue.core.files import replace_file
from truehue.core.images.load import load_image
from truehue.core.published import PublishedTable, tables
from truehue.core.reproduce.fidelity_groups import metric_gaps
from truehue.core.scores.learned import BY_ID
from truehue.core.scores.measures import measure_of

_DATA = Path("data") / "fidelity"


@command(
    "evaluate",
    "SynPairs, Real&Syn and agreement with people, beside the paper's figures",
    arg("--groups FILE", "to be tested by", type=Path, required=True),
    arg(
        "--measure ID",
        "a computed measure of truehue score --list, such as delta_sat; several times",
        action="append",
        default=[],
    ),
    flag("--all", "every measure that can be computed here"),
    *CFM_OPTIONS,
    *REGISTERED,
    arg(
        "--scores FILE",
        "scores that the app exported, or a table of measure, value and file or image_id",
        action="append",
        type=Path,
        default=[],
    ),
    arg("--lower-better NAME", "measures of --scores", action="append", default=[]),
    arg(
        "--ratings FILE",
        "a study's export, or a table of rating and file or image_id",
        type=Path,
    ),
    arg("--out DIR", "default %(default)s", default=_DATA / "evaluation"),
)
def evaluate_command(options: argparse.Namespace) -> int:
    groups = read_groups(options.groups)
    ratings = None if options.ratings is None else read_ratings(options.ratings)
    for name in options.measure:
        check_direction(measure_of(name))
    metrics = [] if options.all else _named(options)
    if options.all:
        metrics = _all(options, with_prompts=True)
    values = [imported_scores(path, options.lower_better) for path in options.scores]
    metrics += cfm_metrics(options) + registered_cfm(options)
    if not metrics and not values:
        raise BadInput("Say what to evaluate: --measure, --cfm or --scores.")

    make_out(options.out)

    def report_progress(done: int, count: int) -> None:
        if done % 100 == 0 or done == count:
            print(f"{done:,} of {count:,} images", file=sys.stderr, flush=True)

    rows = [[Item(path, group.caption) for path in group.files] for group in groups]
    file = ScoreFile(options.out / "scores.jsonl")
    # ΔSat of a set needs the saturations themselves.
    saturation = computed_metric("mean_saturation")
    more = [saturation] if options.all or "delta_sat" in options.measure else []
    results = file.scores(
        [*metrics, *more], [item for row in rows for item in row], report_progress
    )
    images = [[file.image_ids[item.path] for item in row] for row in rows]
    scores: dict[Metric, list[list[float]]] = {
        metric: [[results[item][metric.key][0] for item in row] for row in rows]
        for metric in metrics
    }
    for metric, source in (pair for table in values for pair in table.items()):
        scores[metric] = [[_of_image(source, item, file.image_ids) for item in row] for row in rows]
    rated = None
    if ratings is not None:
        rated = [[_of_image(ratings, item, file.image_ids) for item in row] for row in rows]
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
    report = page(
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
    print("\n".join([text(evaluations), *cfm_lines(metrics)]))
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


def _of_image(values: Mapping[str, float], item: Item, image_ids: Mapping[Path, str]) -> float:
    """By the image's id, or else by its file; NaN where there is none."""
    of_file = values.get(str(item.path.resolve()), math.nan)
    return values.get(image_ids[item.path], of_file)


@command(
    "sweep",
    "photographs at other saturations: where does each metric like them best?",
    arg("folder FOLDER", "of photographs", type=Path),
    arg("--measure ID", "of truehue score --list; several times", action="append", default=[]),
    flag("--all", "every measure that can be computed here, in one figure"),
    *CFM_OPTIONS,
    *REGISTERED,
    arg("--captions TABLE", "file and caption, which CFM reads", type=Path),
    arg("--scales", "default %(default)s", default=",".join(f"{s:g}" for s in SCALES)),
    arg("--out DIR", "default %(default)s", default=_DATA / "sweep"),
)
def sweep_command(options: argparse.Namespace) -> int:
    scales = numbers_of(options.scales, "--scales")
    if 1.0 not in scales or list(scales) != sorted(set(scales)):
        raise BadInput("The scales rise, and 1, the photograph itself, is one of them.")
    if options.captions is None:
        if options.cfm or options.registered:
            raise BadInput("CFM reads captions: give --captions TABLE.")
        images = [(path, "") for path in images_of(options.folder)]
    else:
        photographs = read_photographs(options.folder, options.captions)
        images = [(photograph.path, photograph.caption) for photograph in photographs]
    for name in options.measure:
        check_direction(measure_of(name))
    if options.captions is None and any(
        BY_ID[n].reads_prompt for n in options.measure if n in BY_ID
    ):
        raise BadInput("A measure reads captions: give --captions TABLE.")
    metrics = _swept(options)
    if not metrics:
        raise BadInput("Say what to sweep: --measure, --all or --cfm.")
    make_out(options.out)
    file = ScoreFile(options.out / "scores.jsonl")
    rows: dict[Metric, list[list[float]]] = {metric: [] for metric in metrics}
    bad: set[int] = set()
    for together in passes(metrics):
        for number, (path, caption) in enumerate(images, start=1):
            if number in bad:
                continue
            try:
                srgb8 = load_image(path, path.name).srgb8
            except ImageError as error:
                print(f"{path}: {error}", file=sys.stderr)
                bad.add(number)
                continue
            for metric in together:

                def score(
                    image: np.ndarray, metric: Metric = metric, caption: str = caption
                ) -> float:
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
    about = {"photographs": len(images) - len(bad), "cfm": cfm_json(metrics)}
    replace_file(options.out / "sweep.json", (json.dumps(about, indent=1) + "\n").encode())
    for line in cfm_lines(metrics):
        print(line)
    print(f"See {options.out / 'sweep.svg'}, sweep.csv and sweep.json.")
    return 2 if bad else 0


def _swept(options: argparse.Namespace) -> list[Metric]:
    """The metrics of a sweep."""
    metrics = _all(options, options.captions is not None) if options.all else _named(options)
    return metrics + cfm_metrics(options) + registered_cfm(options)


def _named(options: argparse.Namespace) -> list[Metric]:
    """The measures that were named."""
    return computed_metrics(options.measure, options.cpu, models_sources(options))


def _all(options: argparse.Namespace, with_prompts: bool) -> list[Metric]:
    """Every measure that can be computed here; what is missing is said on standard error."""
    metrics, missing = ready_metrics(options.cpu, models_sources(options))
    for sentence in missing.values():
        print(f"left out: {sentence}", file=sys.stderr)
    if with_prompts:
        return metrics
    prompted = {learned.name for learned in BY_ID.values() if learned.reads_prompt}
    return [metric for metric in metrics if metric.name not in prompted]


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


_PAIRS, _PEOPLE, _ABLATION = "cfd-table1", "cfd-table2", "cfd-table4"


def text(evaluations: Sequence[Evaluation]) -> str:
    """For a terminal: a line a metric, ours alone."""
    lines = []
    for evaluation in evaluations:
        line = f"{evaluation.metric}: SynPairs {_percent(evaluation.syn_pairs)}, "
        line += f"Real&Syn {_percent(evaluation.real_syn)}"
        if evaluation.agreement is not None:
            rated = evaluation.agreement
            line += (
                f"; with people Spearman {_coefficient(rated.spearman)}, Pearson "
                f"{_coefficient(rated.pearson)}, Kendall {_coefficient(rated.kendall)} "
                f"({rated.images:,} images)"
            )
        lines.append(line)
    return "\n".join(lines)


def page(
    evaluations: Sequence[Evaluation],
    groups: int,
    command: str,
    cfms: Sequence[str] = (),
    vivid: Mapping[str, SetVividness] | None = None,
) -> str:
    """The report as Markdown. ``cfms`` say what each CFM was read with, a sentence each; ``vivid``
    is how vivid the images are, by what they are."""
    published = {table.id: table for table in tables() if table.paper.id == "cfd"}
    lines = [
        "# Color fidelity: metrics evaluated",
        "",
        f"Made by `{command}`. In brackets: 95% interval, groups resampled. Rows marked "
        f"*published* are the figures of {published[_PAIRS].paper.citation}, on other images: they "
        "stand beside ours and are not computed here.",
        "",
        *(f"- {_cell(line)}" for line in cfms),
        *([""] if cfms else []),
        "## Which of two images has the truer color",
        "",
        f"{groups:,} groups. SynPairs: neighbors among the images of a group. Real&Syn: the "
        "photograph against the first image. Percent of pairs in the right order; ties count half.",
        "",
        "| metric | | SynPairs | pairs | Real&Syn | pairs | unscored pairs |",
        "|---|---|---|---|---|---|---|",
    ]
    for evaluation in evaluations:
        missing = evaluation.syn_pairs.unscored + evaluation.real_syn.unscored
        lines.append(
            f"| {_cell(evaluation.metric)} | ours | {_percent(evaluation.syn_pairs)} | "
            f"{evaluation.syn_pairs.pairs:,} | "
            f"{_percent(evaluation.real_syn)} | {evaluation.real_syn.pairs:,} | {missing:,} |"
        )
    for row in published[_PAIRS].rows:
        name, shares = _name(row.keys["metric"]), row.printed
        lines.append(
            f"| {name} | *published* | {shares['CFD-SynPairs']} | 5,000 | "
            f"{shares['CFD-Real&Syn']} | 5,000 | |"
        )
    lines += ["", "## Agreement with people", ""]
    rated = [(item, item.agreement) for item in evaluations if item.agreement is not None]
    if rated:
        lines += [
            "Correlation with the mean rating of each image, times 100; a score of which less is "
            "better is turned around.",
            "",
        ]
    else:
        lines += ["No ratings were given, so there is nothing of ours.", ""]
    lines += [
        "| metric | | Spearman | Pearson | Kendall | images | unscored |",
        "|---|---|---|---|---|---|---|",
    ]
    for evaluation, agreement in rated:
        lines.append(
            f"| {_cell(evaluation.metric)} | ours | {_coefficient(agreement.spearman)} | "
            f"{_coefficient(agreement.pearson)} | {_coefficient(agreement.kendall)} | {agreement.images:,} | "
            f"{agreement.unscored:,} |"
        )
    for row in published[_PEOPLE].rows:
        printed = " | ".join(row.printed[name] for name in ("Spearman", "Pearson", "Kendall"))
        lines.append(f"| {_name(row.keys['metric'])} | *published* | {printed} | | |")
    if any(item.parts for item in evaluations):
        lines += ["", "## By category and model", ""]
        lines += ["| metric | groups of | SynPairs | Real&Syn |", "|---|---|---|---|"]
        for evaluation in evaluations:
            for name, (syn, real) in evaluation.parts.items():
                cells = f"{_percent(syn)} | {_percent(real)}"
                lines.append(f"| {_cell(evaluation.metric)} | {_cell(name)} | {cells} |")
    lines += _gap_lines(evaluations)
    lines += _vividness_lines(vivid or {})
    lines += ["", "## The paper's other tables", ""]
    for table in published.values():
        if table.id not in (_PAIRS, _PEOPLE):
            lines += _published(table)
    return "\n".join(lines).rstrip() + "\n"


def _gap_lines(evaluations: Sequence[Evaluation]) -> list[str]:
    """Why a metric of ours is not its published row: what can be switched on these numbers."""
    report = {evaluation.metric: evaluation.as_json() for evaluation in evaluations}
    gaps = [gap for number in ("1", "2") for gap in metric_gaps(number, report)]
    if not gaps:
        return []
    lines = [
        "",
        "## Why not the paper's number?",
        "",
        "How far our number moves when one difference alone is switched to theirs. The shares do "
        "not add up.",
        "",
        "| metric | column | published less ours | share of each difference |",
        "|---|---|---|---|",
    ]
    others: dict[str, str] = {}
    for gap in gaps:
        shares = []
        for entry in gap.differences:
            if entry.points is None:
                others[entry.name] = f"{entry.ours} → {entry.theirs}. {entry.sentence}"
            else:
                shares.append(f"{entry.name}, {entry.ours} → {entry.theirs}: {entry.points:+.1f}")
        cells = (gap.keys["ours"], gap.column, f"{gap.points:+.1f}", "; ".join(shares))
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return [*lines, "", *(f"- {name}: {text}" for name, text in others.items())]


def _vividness_lines(vivid: Mapping[str, SetVividness]) -> list[str]:
    if not vivid:
        return []
    lines = [
        "",
        "## How vivid the images are",
        "",
        "ΔSat of the mean is the distance of the mean saturation from 0.33, as Table 3 most likely "
        "has it. The mean of the images' ΔSat is the mean of what the metric ΔSat says of each "
        "image. They are not the same number.",
        "",
        "| images | count | mean saturation | ΔSat of the mean | mean of the images' ΔSat |",
        "|---|---|---|---|---|",
    ]
    for name, item in vivid.items():
        lines.append(
            f"| {name} | {item.images:,} | {item.mean_saturation:.3f} | "
            f"{item.delta_sat_of_mean:.3f} "
            f"| {item.mean_delta_sat:.3f} |"
        )
    return lines


def _published(table: PublishedTable) -> list[str]:
    names = [column.name for column in table.columns]
    head = [*table.keys, *names]
    lines = [f"**{table.number}, published: {table.title}.** {table.how}", ""]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in table.rows:
        printed = [row.keys[key] for key in table.keys] + [row.printed[name] for name in names]
        lines.append("| " + " | ".join(map(_cell, printed)) + " |")
    return [*lines, ""]


def _name(metric: str) -> str:
    return "CFM (the paper's)" if metric == "Ours" else metric


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _percent(accuracy: Accuracy) -> str:
    if not accuracy.pairs:
        return "none scored"
    if math.isnan(accuracy.low):
        return f"{accuracy.percent:.1f}"
    return f"{accuracy.percent:.1f} ({accuracy.low:.1f} to {accuracy.high:.1f})"


def _coefficient(coefficient: Coefficient) -> str:
    if math.isnan(coefficient.value):
        return "none"
    shown = f"{100 * coefficient.value:.1f}"
    if math.isnan(coefficient.low):
        return shown
    return f"{shown} ({100 * coefficient.low:.1f} to {100 * coefficient.high:.1f})"
