"""Figures of accuracy: by category, kind of name, hue and chroma, and agreement of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from truehue.core.analysis.groups import CATEGORIES, OVERALL, category_cells, hue_cells
from truehue.core.analysis.intervals import Rate, rates, total, wilson
from truehue.core.analysis.names import sector_hex, sector_label
from truehue.core.analysis.paired import agree_percent, kappa, scored_by_both, swap_rules
from truehue.core.analysis.records import (
    CHROMA_BANDS,
    NEUTRAL,
    SECTORS,
    TABLE_SYSTEMS,
    Count,
    RuleAgreement,
    Slice,
)
from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.core.published import Column, PublishedRow, PublishedTable, table
from truehue.core.verdict.rules import RULE_NAMES
from truehue.tabs.charts.figure_parts import (
    NOTHING,
    RATE_COLUMNS,
    FigureRow,
    HeatCell,
    Picks,
    Plot,
    Published,
    cell_text,
    format_rate,
    heat_map,
    label,
    mean_text,
    percent_text,
    rate_values,
    short_names,
)
from truehue.tabs.page.figures import INK, SOFT

TABLE_11 = "gencolorbench-table11"

ROW_NAMES = {"l2": "L2", "l3": "L3", "css": "CSS", OVERALL: "Mean of the three"}


@cache
def published_categories(shown: str) -> Published:
    """The paper's Table 11 for one color system, to stand beside ours."""
    published_table = table(TABLE_11)
    columns = {column.ours: column for column in published_table.columns}
    names = [name for name in CATEGORIES if name in columns]
    rows = published_table.find(color_type=shown)
    cells = [
        [_published_cell(published_table, row, columns[name]) for name in names] for row in rows
    ]
    figure = heat_map(
        cells,
        [_short(name) for name in names],
        [label(row.keys["model"]) for row in rows],
        row_px=22,
        text_px=10,
    )
    return Published(
        figure,
        f"As published: {published_table.number}, {ROW_NAMES[shown]}",
        f"The paper’s own models, images and prompts, scored under "
        f"{published_table.protocol}. {published_table.how}",
        "\n".join((published_table.source, *published_table.notes)),
    )


def _published_cell(published_table: PublishedTable, row: PublishedRow, column: Column) -> HeatCell:
    value = row.values[column.name]
    doubt = published_table.doubt(row, column.name)
    hover = (
        f"{label(row.keys['model'])}, {ROW_NAMES[row.keys['color_type']]}<br>"
        f"<b>{column.meaning}</b><br>{row.printed[column.name] or 'no number'}% as published"
    )
    return HeatCell(_wrong(value), percent_text(value), f"{hover}<br>{doubt}" if doubt else hover)


def _short(category: str) -> str:
    """The first word of a category: ``Furniture``."""
    return label(category.split()[0])


def _wrong(percent: float | None) -> float | None:
    """The shade of a share of passes: the stronger, the more verdicts fail."""
    return None if percent is None else 100.0 - percent


STEP = 0.17
"""Between the marks of one run, in rows."""
FEW_RUNS = 2
"""Up to so many runs, the category map shows every system; of more, one row each."""
KINDS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "basic": {"basic": ("Basic", "circle"), "intermediate": ("Intermediate", "diamond-open")},
    "modifier": {
        "light": ("Light", "triangle-up"),
        "dark": ("Dark", "triangle-down"),
        "-ish": ("-ish", "diamond-open"),
        "none": ("None of these", "circle-open"),
    },
}
"""What names are grouped by, with the shape that marks each group."""


def categories(
    counts: Sequence[Count],
    runs: Mapping[str, str],
    selection: Slice,
    rows: str = "",
    task: str = "cna",
) -> Plot:
    """Table 11: category by color system and run; ``counts`` of images are by run, system and
    category, ``task`` is the one (or several, with commas) that they are of."""
    picks = Picks(selection)
    used = [run for run in runs if any(count.key[0] == run for count in counts)]
    names, cells = category_cells(counts, used)
    shown = (rows,) if rows else (OVERALL,) if len(used) > FEW_RUNS else tuple(ROW_NAMES)
    columns = ("run", "system", "category", *RATE_COLUMNS)
    stands = total(count for count in counts if count.key[1] in TABLE_SYSTEMS)
    if not names:
        empty = f"No {tasks_text(task)} image here has a category and a color system."
        return Plot(None, picks, columns, (), stands, empty=empty, unit="image")
    short = short_names({run: runs[run] for run in used})
    heat_cells: dict[tuple[str, str], list[HeatCell]] = {}
    lines = []
    for cell in cells:
        if cell.system not in shown:
            continue
        changes: dict[str, Any] = {"task": task, "category": cell.category, "runs": [cell.run]}
        changes["system"] = ",".join(TABLE_SYSTEMS) if cell.system == OVERALL else cell.system
        pick = picks.add(**changes) if cell.rate is None or cell.rate.scored else NOTHING
        text = (
            mean_text(cell.percent, cell.interval, cell.scored)
            if cell.rate is None
            else format_rate(cell.rate)
        )
        row = heat_cells.setdefault((cell.run, cell.system), [])
        row.append(
            HeatCell(
                _wrong(cell.percent),
                cell_text(cell.percent, cell.scored),
                f"{label(runs[cell.run], 60)}, {ROW_NAMES[cell.system]}<br>"
                f"<b>{label(cell.category, 60)}</b><br>{text}",
                pick,
            )
        )
        low, high = cell.interval or (None, None)
        mean = (cell.percent, low, high, None, cell.scored or None, None)
        values = rate_values(cell.rate) if cell.rate else mean
        lines.append(FigureRow((runs[cell.run], cell.system, cell.category, *values), pick))
    if shown == (OVERALL,) and all(
        cell.shade is None for row in heat_cells.values() for cell in row
    ):
        empty = "No category has scored images of all three color systems: choose L2, L3 or CSS."
        return Plot(None, picks, columns, tuple(lines), stands, empty=empty, unit="image")
    down = [_row_name(short[run], row, len(used), len(shown)) for run, row in heat_cells]
    across = [_short(name) for name in names]
    figure = heat_map(list(heat_cells.values()), across, down, picks, row_px=34, text_px=10)
    return Plot(figure, picks, columns, tuple(lines), stands, unit="image")


def tasks_text(tasks: str) -> str:
    """``COA``, or ``COA, MOC`` for several with commas between."""
    return ", ".join(task.upper() for task in tasks.split(","))


def _row_name(run: str, system: str, runs: int, systems: int) -> str:
    if systems == 1:
        return run
    return ROW_NAMES[system] if runs == 1 else f"{run} · {ROW_NAMES[system].split()[0]}"


def kinds_of_names(
    counts: Sequence[Count],
    runs: Mapping[str, str],
    selection: Slice,
    by: str,
    system: str,
    task: str = "cna",
) -> Plot:
    """Accuracy of groups of color names; ``counts`` of images are by run and group, ``by`` is of
    KINDS, ``task`` as in :func:`categories`."""
    picks = Picks(selection)
    columns = ("run", by, *RATE_COLUMNS)
    by_key = {key: rate for key, rate in rates(counts, (0, 1)).items() if key[1] in KINDS[by]}
    used = [run for run in runs if any(key[0] == run and by_key[key].scored for key in by_key)]
    stands = sum((by_key[key] for key in by_key if key[0] in runs), Rate())
    if not used:
        level = {"l2": "level 2", "l3": "level 3"}[system]
        empty = f"No {tasks_text(task)} image with a {level} name is scored."
        return Plot(None, picks, columns, (), stands, empty=empty, unit="image")
    short = short_names({run: runs[run] for run in used})
    series: list[dict[str, Any]] = []
    lines = []
    for position, (kind, (name, symbol)) in enumerate(KINDS[by].items()):
        offset = STEP * (position - (len(KINDS[by]) - 1) / 2)
        points = []
        for index, run in enumerate(used):
            rate = by_key.get((run, kind), Rate())
            if not rate.scored:
                continue
            pick = picks.add(task=task, system=system, runs=[run], **{by: kind})
            low, high = rate.interval or (None, None)
            points.append(
                {
                    "x": rate.percent,
                    "y": index + offset,
                    "low": low,
                    "high": high,
                    "hover": f"{label(runs[run], 60)}<br><b>{name}</b><br>{format_rate(rate)}",
                    "pick": pick,
                    "size": 15 if picks.used(pick) else 10,
                }
            )
            lines.append(FigureRow((runs[run], kind, *rate_values(rate)), pick))
        series.append(
            {
                "name": name,
                "rows": points,
                "marker": {
                    "symbol": symbol,
                    "color": INK,
                    "opacity": 1,
                    "line": {"width": 1.8, "color": INK},
                },
                "error": {"along": "x", "color": SOFT, "thickness": 1.2, "width": 0},
                "cliponaxis": False,
                "showlegend": True,
            }
        )
    lines.sort(key=lambda line: list(runs.values()).index(line.values[0]))
    figure = {
        "height": 22 * len(KINDS[by]) * len(used) + 110,
        "margin": {"l": 8, "r": 14, "t": 30, "b": 46},
        "dragmode": False,
        "series": series,
        # Room for the marks that stand at the ends.
        "x": {"title": "Pass, %", "range": [-3, 103], "fixedrange": True},
        "y": {"names": [short[run] for run in used], "range": [len(used) - 0.5, -0.5]},
        "legend": {"itemsizing": "constant"},
    }
    return Plot(figure, picks, columns, tuple(lines), stands, unit="image")


def hues(counts: Sequence[Count], selection: Slice) -> Plot:
    """Objects in their color by its hue and chroma; ``counts`` are by color and sector."""
    picks = Picks(selection)
    columns = ("hue_sector", "chroma_from", "asked_colors", "mean_asked_hex", *RATE_COLUMNS)
    cells = hue_cells(counts)
    stands = sum((cell.rate for cell in cells), Rate())
    if not stands.scored:
        return Plot(
            None, picks, columns, (), stands, empty="No object with a target color is scored."
        )
    index = {(cell.sector, cell.low): cell for cell in cells}
    bands = [low for low in (0.0, *CHROMA_BANDS) if any(cell.low == low for cell in cells)]
    lines, partial_type = [], []
    for low in reversed(bands):
        row = []
        for sector in SECTORS:
            cell = index.get((sector, low))
            if cell is None:
                row.append(HeatCell(None, "", ""))
                continue
            pick = picks.add(sector=sector, chroma=f"{low:.0f}")
            mean = hex_of(lab_to_srgb8(np.array(cell.lab)))
            location = "neutral" if sector == NEUTRAL else f"h_ab {sector_label(sector)}"
            row.append(
                HeatCell(
                    _wrong(cell.rate.percent),
                    cell_text(
                        cell.rate.percent, cell.rate.scored, label(_whole(cell.rate.percent))
                    ),
                    f"<b>{location}</b>, C*ab {_band(low)}<br>{format_rate(cell.rate)}<br>"
                    f"{cell.colors:,} target colors, their mean {mean}",
                    pick,
                )
            )
            lines.append(
                FigureRow((sector, low, cell.colors, mean, *rate_values(cell.rate)), pick, (mean,))
            )
        partial_type.append(row)
    bottom = len(bands) - 0.1
    swatches = [
        {
            "x": x,
            "y": bottom,
            "hover": sector_label(sector),
            "pick": picks.add(sector=sector),
            "color": sector_hex(sector),
        }
        for x, sector in enumerate(SECTORS)
    ]
    marker = {"symbol": "square", "size": 13, "line": {"width": 0}}
    figure = heat_map(
        partial_type,
        [sector if sector != NEUTRAL else "gray" for sector in SECTORS],
        [_band(low) for low in reversed(bands)],
        picks,
        row_px=34,
        text_px=10,
        series=[{"rows": swatches, "marker": marker, "cliponaxis": False}],
        x={"title": "h_ab of the target color, from °", "tickfont": {"size": 10}},
        y={
            "title": "C*ab of the target color",
            "range": [len(bands) + 0.3, -0.5],
            "autorange": False,
        },
    )
    lines.sort(key=lambda line: SECTORS.index(line.values[0]))
    return Plot(figure, picks, columns, tuple(lines), stands)


def _interval(percent: float | None, scored: int) -> str:
    """Wilson's interval in brackets, empty without a number."""
    if percent is None:
        return ""
    low, high = wilson(percent / 100.0, scored)
    return f" ({low:.1f} to {high:.1f})"


def _whole(percent: float | None) -> str:
    """Without decimals; almost all is not all, and almost none is not none."""
    if percent is None:
        return "–"
    if 99.5 <= percent < 100.0:
        return ">99"
    return "<1" if 0.0 < percent < 0.5 else f"{percent:.0f}"


def _band(low: float) -> str:
    """The words for the band of chroma that begins there."""
    ends = (*CHROMA_BANDS, None)
    after = ends[0] if low == 0.0 else ends[CHROMA_BANDS.index(low) + 1]
    if low == 0.0:
        return f"below {after:.0f}"
    return f"{low:.0f} and more" if after is None else f"{low:.0f}–{after:.0f}"


def agreement(pairs: Sequence[RuleAgreement], selection: Slice) -> Plot:
    """How far each two rules say the same of the same pictures."""
    picks = Picks(selection)
    columns = (
        "rule_a",
        "rule_b",
        "percent_agreement",
        "kappa",
        "both_pass",
        "only_a_passes",
        "only_b_passes",
        "neither_passes",
        "unscored",
    )
    by_pair = {
        (ordered_pair.rule_a, ordered_pair.rule_b): ordered_pair
        for pair in pairs
        for ordered_pair in (pair, swap_rules(pair))
    }
    rules = {rule for key in by_pair for rule in key}
    order = [*(rule for rule in RULE_NAMES if rule in rules), *sorted(rules - set(RULE_NAMES))]
    scored = Rate(
        sum(pair.both + pair.neither for pair in pairs),
        sum(pair.only_a + pair.only_b for pair in pairs),
        sum(pair.unscored for pair in pairs),
    )
    if not any(scored_by_both(pair) for pair in pairs):
        empty = "No two rules have scored the same images in these runs."
        return Plot(None, picks, columns, (), scored, empty=empty)
    partial_type, lines = [], []
    for first in order:
        row = []
        for second in order:
            pair = by_pair.get((first, second))
            if first == second or pair is None:
                row.append(HeatCell(None, "", ""))
                continue
            pick = picks.add(rule=first, against=second, status="")
            beyond = kappa(pair)
            message = "–" if beyond is None else f"{beyond:.2f}"
            same = agree_percent(pair)
            name, other = label(RULE_NAMES.get(first, first)), label(RULE_NAMES.get(second, second))
            row.append(
                HeatCell(
                    _wrong(same),
                    f"{label(_whole(same))}%<br>κ {message}",
                    f"<b>{name}</b> and <b>{other}</b><br>{percent_text(same)}% the same"
                    f"{_interval(same, scored_by_both(pair))}, κ {message}<br>"
                    f"both pass {pair.both:,}, neither {pair.neither:,}<br>"
                    f"{name} alone {pair.only_a:,}<br>{other} alone {pair.only_b:,}<br>"
                    f"unscored in at least one {pair.unscored:,}",
                    pick,
                )
            )
            lines.append(
                FigureRow(
                    (
                        first,
                        second,
                        same,
                        beyond,
                        pair.both,
                        pair.only_a,
                        pair.only_b,
                        pair.neither,
                        pair.unscored,
                    ),
                    pick,
                )
            )
        partial_type.append(row)
    shown = [label(RULE_NAMES.get(rule, rule)).replace(", ", ",<br>") for rule in order]
    figure = heat_map(partial_type, shown, shown, picks, row_px=44, text_px=10)
    return Plot(figure, picks, columns, tuple(lines), scored)
