"""The report of an evaluation: ours and the paper's figures side by side, each marked as what it
is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from truehue.core.fidelity.evaluation import Accuracy, Coefficient, Evaluation
from truehue.core.fidelity.vividness import SetVividness
from truehue.core.published import PublishedTable, tables

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
    lines += _vividness(vivid or {})
    lines += ["", "## The paper's other tables", ""]
    for table in published.values():
        if table.id not in (_PAIRS, _PEOPLE):
            lines += _published(table)
    return "\n".join(lines).rstrip() + "\n"


def _vividness(vivid: Mapping[str, SetVividness]) -> list[str]:
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
    for name, set_vividness in vivid.items():
        lines.append(
            f"| {name} | {set_vividness.images:,} | {set_vividness.mean_saturation:.3f} | "
            f"{set_vividness.delta_sat_of_mean:.3f} "
            f"| {set_vividness.mean_delta_sat:.3f} |"
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


def _cell(message: str) -> str:
    return message.replace("|", "\\|")


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
