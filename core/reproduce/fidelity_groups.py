"""Tables 1, 2 and 4 of "Too Vivid to Be Real?": metrics on groups of images."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.published import Column, PublishedRow, bibtex, table
from truehue.core.reproduce.attribution import Gap, Numbers, RowSwitch, row_gaps
from truehue.core.reproduce.fidelity_data import (
    PAPER,
    PRESET,
    cfm_need,
    file_of,
    own_options,
    registration_of,
    table_id,
)
from truehue.core.reproduce.needs import Need
from truehue.core.reproduce.recipe import Recipe, ReproduceContext, Step
from truehue.core.reproduce.table import ReproducedCell, ReproducedRow, ReproducedTable, make_table

METRICS = {
    "MUSIQ": "MUSIQ",
    "MANIQA": "MANIQA",
    "LIQE": "LIQE",
    "CLIPQA": "CLIP-IQA",
    "ImageReward": "ImageReward",
    "PickScore": "PickScore",
    "HPSv3": "HPSv3",
    "Ours": "CFM",
}
"""By the printed name, the beginning of ours."""
TRAINED = {
    "Pairwise loss": ("pairwise", ("--loss", "pairwise")),
    "Visual-only": ("visual", ("--visual-only",)),
    "Ours": ("softrank", ()),
}


def _groups(context: ReproduceContext) -> Path:
    return Path(context.set) if context.set else file_of(context, "groups.json")


def _evaluation(context: ReproduceContext, number: str) -> Path:
    # Tables 1 and 2 read one report.
    return file_of(context, "reproduce") / ("ablation" if number == "4" else "metrics")


def _ratings(context: ReproduceContext) -> Path | None:
    return next(
        (
            path
            for name in ("ratings.csv", "ratings.zip")
            if (path := file_of(context, name)).is_file()
        ),
        None,
    )


def _group_steps(context: ReproduceContext, number: str) -> tuple[Step, ...]:
    groups, ratings = _groups(context), _ratings(context)
    if not groups.is_file():
        return ()
    out = ["--out", str(_evaluation(context, number))]
    command = ["fidelity", "evaluate", "--groups", str(groups), *out]
    command += ["--ratings", str(ratings)] if ratings else []
    steps: list[Step] = []
    if number == "4":
        if not _training(context).is_file() or not file_of(context, "base").is_dir():
            return ()
        for name, (folder, options) in TRAINED.items():
            steps.append(Step(f"Training: {name}", _train(context, folder, options)))
            command += ["--cfm", str(file_of(context, f"cfm-{folder}"))]
    else:
        command += ["--all", *own_options(context)]
        command += ["--registered"] if registration_of(context) is not None else []
        command += context.options
    return (*steps, Step("The metrics on groups", tuple(command)))


def _training(context: ReproduceContext) -> Path:
    return file_of(context, "train.json")


def _train(context: ReproduceContext, folder: str, options: Sequence[str]) -> tuple[str, ...]:
    return (
        *("fidelity", "train", "--groups", str(_training(context))),
        *("--held", str(_groups(context)), "--base", str(file_of(context, "base"))),
        *("--run", str(file_of(context, f"training-{folder}"))),
        *("--out", str(file_of(context, f"cfm-{folder}")), *options, *context.options),
    )


def _group_needs(context: ReproduceContext, number: str) -> tuple[Need, ...]:
    groups, ratings = _groups(context), _ratings(context)
    build = "truehue fidelity build PHOTOS --captions TABLE --models sdxl-base-1.0 --out cfd"
    needs = [
        Need(
            "data",
            "groups",
            groups.is_file(),
            f"CFD-Test is not public. Build your own groups, and put test.json to {groups}",
            build,
        )
    ]
    if number == "4":
        training, base = _training(context), file_of(context, "base")
        needs += [
            Need(
                "data",
                "groups to learn from",
                training.is_file(),
                f"train.json at {training}",
                build,
            ),
            Need(
                "weights",
                "Qwen2-VL to train",
                base.is_dir(),
                f"a folder {base}",
                f"hf download Qwen/Qwen2-VL-7B-Instruct --local-dir {base}",
            ),
        ]
    else:
        needs.append(cfm_need(context))
    if number in ("2", "4"):
        detail = "CFD-Human is not public. A study “Realism of color” makes ratings: export it to "
        needs.append(
            Need(
                "people",
                "ratings",
                ratings is not None,
                detail + str(file_of(context, "ratings.zip")),
            )
        )
    return tuple(needs)


def _report(context: ReproduceContext, number: str) -> dict[str, Mapping[str, Any]]:
    """By name, what the report says of each metric."""
    path = _evaluation(context, number) / "report.json"
    if not path.is_file():
        return {}
    try:
        metrics = json.loads(path.read_text(encoding="utf-8"))["metrics"]
        return {str(metric["metric"]): metric for metric in metrics}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is no report of an evaluation: {error!r:.100}") from None


_READ = {
    "CFD-SynPairs": ("syn_pairs", ""),
    "CFD-Real&Syn": ("real_syn", ""),
    "SynPairs": ("syn_pairs", ""),
    "Real&Syn": ("real_syn", ""),
    "Spearman": ("agreement", "spearman"),
    "Pearson": ("agreement", "pearson"),
    "Kendall": ("agreement", "kendall"),
}


def _group_table(context: ReproduceContext, number: str) -> ReproducedTable:
    published = table(table_id(number))
    report = _report(context, number)
    printed = _printed(number, report)
    rows = [
        _group_row(published.columns, row, row.keys, report[ours], ours)
        for ours, row in printed.items()
    ]
    # What was not measured keeps its place, so that the printed table is whole.
    measured = [id(row) for row in printed.values()]
    rows += [
        _group_row(published.columns, row, {**row.keys}, {}, "")
        for row in published.rows
        if id(row) not in measured
    ]
    for name in report:
        if name not in printed:
            keys = dict.fromkeys(published.keys, "")
            rows.append(_group_row(published.columns, None, keys, report[name], name))
    notes = list(published.notes)
    if number == "2" and not any(metric.get("agreement") for metric in report.values()):
        notes.append("No ratings were given, so there are no correlations of ours.")
    return make_table(
        published,
        PRESET,
        rows,
        methods=_group_methods(report),
        citations=bibtex([table_id(number)]),
        notes=notes,
    )


def _printed(number: str, report: Mapping[str, Mapping[str, Any]]) -> dict[str, PublishedRow]:
    """The printed rows by our metrics' names, in the printed order."""
    rows = {}
    for row in table(table_id(number)).rows:
        name = row.keys["variant" if number == "4" else "metric"]
        wanted = f"CFM (cfm-{TRAINED[name][0]})" if number == "4" else METRICS.get(name, name)
        ours = next((item for item in report if item == wanted), "")
        if not ours and number != "4":
            ours = next((item for item in report if item.startswith(wanted)), "")
        if ours:
            rows[ours] = row
    return rows


def metric_gaps(number: str, report: Mapping[str, Mapping[str, Any]]) -> tuple[Gap, ...]:
    """Why metrics are not their printed rows of Table 1, 2 or 4. ``report`` are the metrics of a
    report by name: how ties and unscored pairs count is switched on it."""
    published, gaps = table(table_id(number)), list[Gap]()
    for ours, row in _printed(number, report).items():
        metric = report[ours]
        own = {column.name: _number(metric, column.name) for column in published.columns}
        # Table 2 has correlations alone, and no pairs.
        switches = [] if number == "2" else _pair_switches(metric, own)
        switches += _data_switches(number, metric)
        keys = {**row.keys, "ours": ours}
        gaps += row_gaps(keys, own, row, published.columns, lambda by: by.name, switches)
    return tuple(gaps)


def _number(metric: Mapping[str, Any], column: str) -> float | None:
    """As it is printed: percent, or a correlation times 100."""
    part, inner = _READ[column]
    fields = metric.get(part) or {}
    if inner:
        value = (fields.get(inner) or {}).get("value")
        return 100 * value if value is not None and fields.get("images") else None
    return fields.get("percent") if fields.get("pairs") else None


def _pair_switches(metric: Mapping[str, Any], own: Numbers) -> list[RowSwitch]:
    """How pairs without a right order count; the paper says nothing of either."""

    def counted(ties: bool, unscored: bool) -> Numbers:
        numbers = dict(own)
        for column, (part, inner) in _READ.items():
            fields = metric.get(part) or {}
            if inner or own.get(column) is None:
                continue
            right = fields["percent"] * fields["pairs"] / 100 - fields["ties"] / 2 * ties
            pairs = fields["pairs"] + fields["unscored"] * unscored
            numbers[column] = 100 * right / pairs
        return numbers

    parts = [metric.get(name) or {} for name in ("syn_pairs", "real_syn")]
    switches = []
    if any(part.get("ties") for part in parts):
        sentence = "The paper does not say how pairs of equal scores count."
        switches.append(RowSwitch("Ties", sentence, "half", "wrong", lambda: counted(True, False)))
    if any(part.get("unscored") for part in parts):
        sentence = "The paper does not say how pairs without a score count."
        switches.append(
            RowSwitch("Unscored pairs", sentence, "left out", "wrong", lambda: counted(False, True))
        )
    return switches


def _data_switches(number: str, metric: Mapping[str, Any]) -> list[RowSwitch]:
    pairs = (metric.get("syn_pairs") or {}).get("pairs") or 0
    switches = [
        RowSwitch(
            "Groups",
            "CFD-Test is not public: its photographs, captions and images decide all numbers.",
            f"{pairs:,} pairs of one's own",
            "5,000 sampled pairs of CFD-Test",
        ),
    ]
    if number != "2":
        switches.append(
            RowSwitch(
                "Counterpart of a photograph",
                "Appendix A takes the image of the lowest guidance, as here; section 6.3 a random "
                "one.",
                "the lowest guidance",
                "not certain",
            )
        )
    if number == "4":
        sentence = "CFD's training part is not public; each variant is trained on your groups."
        switches.append(RowSwitch("Training", sentence, "groups of one's own", "CFD-Train"))
    if metric.get("agreement"):
        sentence = "CFD-Human is not public."
        switches.append(RowSwitch("Ratings", sentence, "people of one's own", "CFD-Human"))
    return switches


def _group_row(
    columns: Sequence[Column],
    printed: PublishedRow | None,
    keys: Mapping[str, str],
    metric: Mapping[str, Any],
    ours: str,
) -> ReproducedRow:
    cells = {}
    for column in columns:
        part, inner = _READ[column.name]
        published = printed.values[column.name] if printed else None
        fields = metric.get(part) or {}
        if inner:
            value = fields.get(inner) or {}
            scale, number, count = 100, value.get("value"), fields.get("images")
            low, high = value.get("low"), value.get("high")
        else:
            scale, number, count = 1, fields.get("percent"), fields.get("pairs")
            low, high = fields.get("low"), fields.get("high")
        scaled: list[float | None] = [
            None if item is None or not count else scale * item for item in (number, low, high)
        ]
        cells[column.name] = ReproducedCell(
            scaled[0],
            scaled[1],
            scaled[2],
            count,
            fields.get("unscored"),
            published,
            column.unit,
        )
    return ReproducedRow({**keys, "ours": ours}, cells)


def _group_methods(report: Mapping[str, Mapping[str, Any]]) -> str:
    if not report:
        return ""
    pairs = next(iter(report.values()))["syn_pairs"]["pairs"]
    rated = any((metric.get("agreement") or {}).get("images") for metric in report.values())
    correlations = (
        "Correlations are with the mean rating of each image, times 100. " if rated else ""
    )
    return (
        f"Of groups of a photograph and images of rising guidance, {pairs:,} pairs of neighbors "
        "(SynPairs) and each photograph with the first image (Real&Syn) were ordered by each "
        f"metric; ties count half. {correlations}Intervals are 95% over groups."
    )


def group_recipe(number: str) -> Recipe:
    """The recipe of Table 1, 2 or 4."""
    return Recipe(
        PAPER,
        number,
        f"Too Vivid to Be Real?, Table {number}",
        (PRESET,),
        lambda context: _group_needs(context, number),
        lambda context: _group_steps(context, number),
        lambda context: _group_table(context, number),
        lambda context: metric_gaps(number, _report(context, number)),
    )
