"""The linked analyses of Explore: each figure with its numbers, for one slice of the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from truehue.core.analysis.groups import OVERALL
from truehue.core.analysis.intervals import Rate, total
from truehue.core.analysis.leaderboard import TABLE_TASKS
from truehue.core.analysis.names import run_labels
from truehue.core.analysis.records import TABLE_SYSTEMS, Count, Slice, choice_for, note_for
from truehue.core.errors import BadInput
from truehue.core.spreadsheets import csv_text
from truehue.core.verdict.rules import rule
from truehue.tabs.charts.color_figures import drift, measured_colors, target_measured
from truehue.tabs.charts.figure_parts import Plot, Published
from truehue.tabs.charts.share_figures import (
    ROW_NAMES,
    agreement,
    categories,
    hues,
    kinds_of_names,
    published_categories,
    tasks_text,
)
from truehue.tabs.charts.slice import slice_of
from truehue.tabs.page.context import Context, runs_of
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.shared_answers import NamedChoice

ALL_RUNS = "*"
MAX_LINES = 200
"""Rows of the table on the page; the CSV has all."""
ALWAYS_WIDE = ("status", "cause")
"""Filters that narrow the wall and no figure: a share of passes among fails says nothing."""
WILSON = (
    "Intervals are 95% (Wilson 1927). They take images as independent; images of one prompt "
    "are alike, so they are rather narrow."
)
NONE_SCORED = "None of these images has a score: there is nothing to show."
UNSCORED_OUT = "Unscored ones are in no share."
OBJECTS_ALONE = (
    "Counted by object: an image fails when any of its objects does, and objects that must not "
    "take a color are not in this figure."
)
TABLE_TASK = "cna"
"""The task of the paper's Table 11 and Figure 5: what is counted where no task is chosen and the
slice has images of it."""


@dataclass(frozen=True)
class Kind:
    """One figure. ``own`` are the filters that it sets and is therefore not narrowed by.
    ``options`` are ways to draw it with the words for them, ``option`` the parameter's name.
    Figures of one task name it in their title (:func:`_task`)."""

    title: str
    words: str
    source: str
    draw: Callable[[Context, Slice, Slice, str], Plot]
    own: tuple[str, ...]
    option: str = ""
    options: Mapping[str, str] | None = None


class FigureLine(TypedDict):
    """A row of the numbers: ``pick`` is the choice that it opens, ``hexes`` are its colors."""

    cells: list[str]
    pick: int | None
    hexes: list[str]


class FigureView(TypedDict):
    """A figure, its choices and its numbers; ``more`` rows are in the CSV alone."""

    name: str
    title: str
    words: str
    source: str
    rule: str
    figure: dict[str, Any] | None
    empty: str
    picks: list[dict[str, Any]]
    chosen: list[int]
    stands: str
    option: str
    value: str
    options: list[NamedChoice]
    columns: list[str]
    lines: list[FigureLine]
    more: int
    published: Published | None


def figure_view(context: Context, name: str, query: Mapping[str, str]) -> FigureView:
    """The figure of that name for the selection in ``query``, as the page shows it.

    Beside the slice ``query`` may hold ``among``, the runs to show where the slice's one run was
    chosen in this very figure, and the figure's own option. Raises BadInput for an unknown figure,
    filter or option.
    """
    kind, selection, plot, option = _figure_parts(context, name, query)
    return {
        "name": name,
        "title": f"{kind.title}: {tasks_text(plot.task)}" if plot.task else kind.title,
        "words": kind.words,
        "source": kind.source,
        "rule": selection.rule,
        "figure": plot.figure,
        "empty": plot.empty,
        "picks": plot.picks.all,
        "chosen": plot.picks.in_use,
        "stands": _stands(kind, selection, plot),
        "option": kind.option,
        "value": option,
        "options": [{"id": id_, "name": text} for id_, text in (kind.options or {}).items()],
        "columns": [column.replace("_", " ") for column in plot.columns],
        "lines": [
            {
                "cells": [_cell(value) for value in line.values],
                "pick": line.pick,
                "hexes": list(line.hexes),
            }
            for line in plot.lines[:MAX_LINES]
        ],
        "more": max(len(plot.lines) - MAX_LINES, 0),
        "published": _published(name, selection, plot, option),
    }


def figure_csv(context: Context, name: str, query: Mapping[str, str]) -> str:
    """The numbers of a figure as CSV; parameters and errors as of :func:`figure_view`."""
    _, selection, plot, _ = _figure_parts(context, name, query)
    choice = choice_for(selection.rule, selection.unscored)
    rows = ((selection.rule, choice, *line.values) for line in plot.lines)
    return csv_text(("rule", "unscored_are", *plot.columns), rows)


def _cell(value: Any) -> str:
    """A value for people."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _figure_parts(
    context: Context, name: str, query: Mapping[str, str]
) -> tuple[Kind, Slice, Plot, str]:
    kind = KINDS.get(name)
    if kind is None:
        raise BadInput(f"There is no figure {name!r}: {', '.join(KINDS)}.")
    selection = slice_of(query)
    option = query.get(kind.option, "") if kind.option else ""
    if option and option not in (kind.options or {}):
        raise BadInput(f"There is no {kind.option} {option!r}: {', '.join(kind.options or {})}.")
    changes: dict[str, Any] = dict.fromkeys((*kind.own, *ALWAYS_WIDE), "")
    wide = replace(selection, **changes)
    if "among" in query:
        among = query["among"]
        runs = () if among == ALL_RUNS else slice_of({"runs": among}).runs
        wide = replace(wide, runs=runs)
    draw = kind.draw(context, wide, selection, option)
    if draw.figure is not None and not draw.stands.scored:
        draw = replace(draw, figure=None, empty=NONE_SCORED)
    return kind, selection, draw, option


def _stands(kind: Kind, selection: Slice, plot: Plot) -> str:
    """On how many verdicts the figure stands, and what is not in it."""
    on = plot.stands
    scored = "measured" if on.unscored and "measured" in plot.left_out else "scored"
    parts = [f"{count_noun(on.scored, plot.unit)} {scored} by {rule(selection.rule).name}"]
    if kind is KINDS["rules"]:
        parts = [
            f"{count_noun(on.scored, 'image')} scored by both rules of a pair, all pairs together"
        ]
    if kind is not KINDS["rules"] and (note := note_for(selection.rule, selection.unscored)):
        plot = replace(plot, notes=(*plot.notes, note))
    if on.unscored:
        parts.append(f"{on.unscored:,} more {'is' if on.unscored == 1 else 'are'} {plot.left_out}")
    return ". ".join(["; ".join(parts), *(note.rstrip(".") for note in plot.notes)]) + "."


def _published(name: str, selection: Slice, plot: Plot, option: str) -> Published | None:
    """Table 11, beside our own figure by the rule that it was made by."""
    if name != "categories" or selection.rule != "paper" or plot.figure is None:
        return None
    if plot.task != TABLE_TASK:
        return None
    return published_categories(option or OVERALL)


def _names(context: Context) -> dict[str, str]:
    """What each run is called, newest first."""
    return run_labels(runs_of(context))


def _task(context: Context, wide: Slice, selection: Slice) -> str:
    """The chosen task, or else the first with images, in the order of the leaderboard."""
    if selection.task:
        return selection.task
    counts = context.storage.results.groups(wide, ("task",))
    present = {count.key[0] for count in counts}
    return next((task for task in TABLE_TASKS if task in present), TABLE_TASK)


def _counts(context: Context, wide: Slice, by: tuple[str, ...], **only: str) -> list[Count]:
    """Images of a slice that looks at ``only`` those; none where no result is of them."""
    results = context.storage.results
    try:
        changes: dict[str, Any] = dict(only)
        return results.groups(replace(wide, **changes), by, images=True)
    except BadInput:
        # A word of a filter that no result has is said; one of ours is only not there yet.
        results.groups(wide, ("run",))
        return []


def _left_out(context: Context, wide: Slice, plot: Plot) -> Plot:
    """The same, told how many objects have no measured color."""
    every = total(context.storage.results.groups(wide, ("asked_l2",)))
    on = plot.stands
    return plot.without(every.scored + every.unscored - on.scored - on.unscored)


def _categories(context: Context, wide: Slice, selection: Slice, rows: str) -> Plot:
    task = _task(context, wide, selection)
    counts = _counts(context, wide, ("run", "system", "category"), task=task)
    plot = categories(counts, _names(context), selection, rows, task)
    # An image with objects of two categories is in both, and is still one image.
    every = _counts(context, wide, ("run", "system"), task=task)
    images = total(count for count in every if count.key[1] in TABLE_SYSTEMS)
    return replace(plot, stands=min(plot.stands, images, key=_size), task=task)


def _size(rate: Rate) -> int:
    return rate.scored + rate.unscored


def _basic(context: Context, wide: Slice, selection: Slice, _: str) -> Plot:
    return _kinds(context, wide, selection, "basic", "l2")


def _modifiers(context: Context, wide: Slice, selection: Slice, _: str) -> Plot:
    return _kinds(context, wide, selection, "modifier", "l3")


def _kinds(context: Context, wide: Slice, selection: Slice, by: str, system: str) -> Plot:
    task = _task(context, wide, selection)
    counts = _counts(context, wide, ("run", by), task=task, system=system)
    plot = kinds_of_names(counts, _names(context), selection, by, system, task)
    # A name can be of two kinds, and an image have two names; it is still one image.
    every = _counts(context, wide, ("run",), task=task, system=system)
    return replace(plot, stands=total(every), task=task)


def _confusion(context: Context, wide: Slice, selection: Slice, _: str) -> Plot:
    plot = target_measured(
        context.storage.results.groups(wide, ("asked_l2", "found_l2")), selection
    )
    return _left_out(context, wide, plot)


def _drift(context: Context, wide: Slice, selection: Slice, by: str) -> Plot:
    return _left_out(context, wide, drift(context.storage.results.drift(wide), selection, by))


def _measured_figure(context: Context, wide: Slice, selection: Slice, _: str) -> Plot:
    plot = measured_colors(
        context.storage.results.groups(wide, ("category", "found_l2")), selection
    )
    return _left_out(context, wide, plot)


def _hues(context: Context, wide: Slice, selection: Slice, _: str) -> Plot:
    return hues(context.storage.results.groups(wide, ("color", "sector")), selection)


def _rules(context: Context, wide: Slice, selection: Slice, _: str) -> Plot:
    return agreement(context.storage.results.agreement(wide.runs, wide.unscored), selection)


KINDS: dict[str, Kind] = {
    "categories": Kind(
        "Accuracy by category of object",
        "Share of images that pass; darker = more failures.",
        "Images of the chosen task, else of the first that has any (CNA before others), by the "
        "category of their objects. Mean of the three: the plain mean of L2, L3 and CSS, as in "
        "GenColorBench (arXiv:2510.20586), Table 11, which is shown beside its own rule, paper. "
        + UNSCORED_OUT
        + " "
        + WILSON,
        _categories,
        ("task", "system", "category"),
        "rows",
        {key: ROW_NAMES[key] for key in (OVERALL, *TABLE_SYSTEMS)},
    ),
    "basic": Kind(
        "Basic against intermediate color names",
        "Share of images that pass, for level 2 names: basic ones such as Red, intermediate ones "
        "such as Reddish orange.",
        "Images of the chosen task, else of the first that has any (CNA before others), with "
        "ISCC-NBS level 2 names; basic are the eleven of GenColorBench (arXiv:2510.20586), section "
        "4.4, Figure 5 left, where models do 8 to 20 points worse on intermediate ones. " + WILSON,
        _basic,
        ("task", "system", "basic"),
    ),
    "modifiers": Kind(
        "By modifier",
        "Share of images that pass, for level 3 names by the modifiers in them; Light grayish red "
        "counts as light and as -ish.",
        "Images of the chosen task, else of the first that has any (CNA before others), with "
        "ISCC-NBS level 3 names, as in GenColorBench (arXiv:2510.20586), section 4.5, Figure 5 "
        "right, where -ish names are often below 35%. " + WILSON,
        _modifiers,
        ("task", "system", "modifier"),
    ),
    "confusion": Kind(
        "Confusion matrix: target and measured color",
        "Each row is a target color; darker = measured more often.",
        OBJECTS_ALONE
        + " Target and measured colors under the nearest ISCC-NBS level 2 name (CIEDE2000). A cell "
        "is the share of its row. A click on a swatch chooses the whole row or column.",
        _confusion,
        ("asked_l2", "found_l2"),
    ),
    "drift": Kind(
        "Color shift: from target to measured color",
        "From each target color (disk) to the mean of the measured ones (arrow), in the a*b* "
        "plane.",
        OBJECTS_ALONE
        + " CIELAB, D65, 2 degrees; means over the objects. The thin line joins the most colorful "
        "colors of sRGB.",
        _drift,
        ("color", "asked_l2"),
        "by",
        {"names": "Level 2 names", "colors": "Each color"},
    ),
    "found": Kind(
        "Objects: which colors are measured most often?",
        "The ten most frequent measured colors of each category, shown in the color of their name.",
        OBJECTS_ALONE
        + " Measured colors under the nearest ISCC-NBS level 2 name (CIEDE2000), as in "
        "GenColorBench (arXiv:2510.20586), Figure 3. Outlined: all others.",
        _measured_figure,
        ("category", "found_l2"),
    ),
    "hues": Kind(
        "Objects in their target color, by its hue and chroma",
        "Percent of objects that pass; darker = more failures. A click chooses both.",
        OBJECTS_ALONE
        + " h_ab and C*ab of CIELAB, D65, 2 degrees; sectors of 30 degrees, neutral below C*ab 5. "
        + UNSCORED_OUT
        + " "
        + WILSON,
        _hues,
        ("sector", "chroma"),
    ),
    "rules": Kind(
        "Agreement of the rules",
        "Share of images on which two rules say the same, with Cohen’s kappa; a click shows "
        "where they differ.",
        "Agreement in percent and kappa (Cohen 1960): agreement beyond chance, 1 is full, 0 is "
        "chance. The chosen runs; other filters do not narrow it.",
        _rules,
        ("against",),
    ),
}
"""The figures by their names, in the order of the page."""
