"""The view of Compare on modifiers: the size and direction of their color shifts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, TypedDict

from truehue.core.concepts.sensitivity import (
    BEHAVIORS,
    OURS,
    Limits,
    ModelsMean,
    Shift,
    Summary,
    mean_of_models,
    shifts,
    summary_of,
)
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import STYLES
from truehue.core.spreadsheets import csv_text
from truehue.tabs.compare.tables.charts import ChartJson, interval_text
from truehue.tabs.compare.tables.frame import Frame, FrameJson, frame_of
from truehue.tabs.compare.tables.modifier_charts import plane_chart, sizes_chart
from truehue.tabs.compare.tables.published import KINDS as KIND_NAMES
from truehue.tabs.compare.tables.published import KindColumns, PrintedTables, published
from truehue.tabs.compare.tables.reference_sets import ReferenceSets
from truehue.tabs.compare.tables.view import STYLE_NAMES, NumberCell, NumbersRow
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.shared_answers import NamedChoice

BOTH = ""
MEAN_NAME = "Mean of the runs"
TABLE_COLUMNS = (
    "run_id",
    "run",
    "model",
    "people",
    "people_are",
    "method",
    "guidance",
    "kind",
    "style",
    "runs",
    "ratio_of_mean_shifts",
    "low",
    "high",
    "modified_concepts",
    "left_out",
    "reasons",
    "mean_of_ratios",
    "median_of_ratios",
    "mean_shift_of_run_lab",
    "mean_shift_of_people_lab",
    "mean_angle_deg",
    "angles",
    "behavior",
    *(f"n_{name.replace(' ', '_')}" for name in BEHAVIORS),
)


class RatioTable(TypedDict):
    """The ratios of shifts by run."""

    groups: list[KindColumns]
    rows: list[NumbersRow]
    about: str


def ratio_table(frame: Frame, shifts: Sequence[Shift], limits: Limits) -> RatioTable:
    """The ratios by run, with kinds and styles across; of several runs their mean last."""
    kinds, styles = _parts(shifts)
    groups: list[KindColumns] = [
        {
            "name": KIND_NAMES.get(kind, "All modifiers"),
            "styles": [
                {
                    "name": "",
                    "columns": [
                        {
                            "id": f"{kind}/{style}",
                            "name": STYLE_NAMES.get(style, "Both"),
                            "title": "Ratio of mean shifts: the run's over people's",
                        }
                        for style in styles
                    ],
                }
            ],
        }
        for kind in kinds
    ]
    rows: list[NumbersRow] = [
        {
            **frame.run_json(run),
            "cells": {
                f"{kind}/{style}": _cell(summary_of(_some(shifts, run.run_id, kind, style), limits))
                for kind in kinds
                for style in styles
            },
        }
        for run in frame.runs
    ]
    if len(frame.runs) > 1:
        rows.append(
            {
                "id": "",
                "name": MEAN_NAME,
                "facts": "each run counts once, as in Table 8",
                "cells": {
                    f"{kind}/{style}": _mean_cell(mean_of_models(_some(shifts, "", kind, style)))
                    for kind in kinds
                    for style in styles
                },
            }
        )
    return {
        "groups": groups,
        "rows": rows,
        "about": "Ratios compare mean shifts, so concepts with tiny shifts do not dominate. Hover "
        "a number for the mean and median of the single ratios, the mean shifts, and excluded "
        "concepts. Intervals are 95%, bootstrap over modified concepts in pairs. The label "
        "below names the behavior of the overall ratio and mean angle, by the limits of the "
        "plane.",
    }


def ratio_rows(frame: Frame, shifts: Sequence[Shift], limits: Limits) -> list[tuple[Any, ...]]:
    """The same as rows of :data:`TABLE_COLUMNS`; those of the mean have no ``run_id``, and ``runs``
    says of how many it is."""
    kinds, styles = _parts(shifts)
    reference_set = frame.people.crowd if frame.people else None
    whose = (
        reference_set.name if reference_set else "",
        reference_set.words if reference_set else "",
    )
    table_rows: list[tuple[Any, ...]] = []
    for run in frame.runs:
        for kind in kinds:
            for style in styles:
                summary = summary_of(_some(shifts, run.run_id, kind, style), limits)
                ratio = summary.sensitivity
                table_rows.append(
                    (
                        run.run_id,
                        run.name,
                        run.model,
                        *whose,
                        frame.method,
                        frame.guidance,
                        kind or "all",
                        style or "all",
                        int(ratio.value is not None),
                        ratio.value,
                        ratio.low,
                        ratio.high,
                        ratio.count,
                        sum(ratio.left_out.values()),
                        _reasons(summary),
                        summary.mean_ratio.value,
                        summary.median_ratio,
                        summary.model_lab,
                        summary.people_lab,
                        summary.direction_deg.value,
                        summary.direction_deg.count,
                        summary.behavior,
                        *(summary.behaviors.get(name, 0) for name in BEHAVIORS),
                    )
                )
    for kind, style in product(kinds, styles) if len(frame.runs) > 1 else ():
        mean = mean_of_models(_some(shifts, "", kind, style))
        row = (
            "",
            MEAN_NAME,
            "",
            *whose,
            frame.method,
            frame.guidance,
            kind or "all",
            style or "all",
            mean.runs,
            mean.value,
        )
        table_rows.append((*row, *[None] * (len(TABLE_COLUMNS) - len(row))))
    return table_rows


def _parts(shifts: Sequence[Shift]) -> tuple[list[str], list[str]]:
    """Kinds and styles that there are, and all of them together where there are several."""
    kinds = [kind for kind in KIND_NAMES if any(shift.kind == kind for shift in shifts)]
    styles = [style for style in STYLE_NAMES if any(shift.style == style for shift in shifts)]
    return (
        [*kinds, BOTH] if len(kinds) > 1 else kinds,
        [*styles, BOTH] if len(styles) > 1 else styles,
    )


def _some(shifts: Sequence[Shift], run_id: str, kind: str, style: str) -> list[Shift]:
    """Shifts of a run, a kind and a style; an empty one stands for all."""
    return [
        shift
        for shift in shifts
        if run_id in ("", shift.run_id) and kind in ("", shift.kind) and style in ("", shift.style)
    ]


def _reasons(summary: Summary) -> str:
    return "; ".join(f"{reason}: {n}" for reason, n in summary.sensitivity.left_out.items())


def _mean_cell(mean: ModelsMean) -> NumberCell:
    without = f"; {count_noun(mean.missing, 'run')} without a ratio" if mean.missing else ""
    if mean.value is None:
        return {"text": "", "title": f"No run has a ratio{without}"}
    return {
        "text": f"{mean.value:.3f}",
        "interval": "",
        "note": count_noun(mean.runs, "run"),
        "title": f"mean of the ratios of {count_noun(mean.runs, 'run')}, each counting once{without}",
    }


def _single(summary: Summary) -> str:
    """The single ratios: where people's shift is 0 there is none."""
    if summary.mean_ratio.value is None or summary.median_ratio is None:
        return "no single ratio: people's shifts are 0"
    return (
        f"mean of {count_noun(summary.mean_ratio.count, 'single ratio')} {summary.mean_ratio.value:.3f}, "
        f"median {summary.median_ratio:.3f}"
    )


def _cell(summary: Summary) -> NumberCell:
    ratio = summary.sensitivity
    omission_count = sum(ratio.left_out.values())
    out_words = (
        f"{count_noun(omission_count, 'concept')} excluded: {_reasons(summary)}"
        if omission_count
        else "none excluded"
    )
    if ratio.value is None:
        return {"text": "", "title": f"No modified concept with both shifts; {out_words}"}
    between = None if ratio.low is None or ratio.high is None else (ratio.low, ratio.high)
    angle = summary.direction_deg
    lines = [
        f"mean shift {summary.model_lab:.1f} over people's {summary.people_lab:.1f} ΔE*ab, "
        f"{count_noun(ratio.count, 'modified concept')}",
        _single(summary),
        "no shift has a direction"
        if angle.value is None
        else f"mean angle to people's shift {angle.value:.0f}°, of {angle.count:,}",
        ", ".join(f"{count:,} {name}" for name, count in summary.behaviors.items()),
        out_words,
    ]
    return {
        "text": f"{ratio.value:.3f}",
        "interval": interval_text(between, 2),
        "note": summary.behavior,
        "title": "\n".join(lines),
    }


MODIFIED = ("visual state", "emotional")
PARTS = ("table", "plane")
SHIFT_COLUMNS = tuple(field.name for field in fields(Shift))


@dataclass(frozen=True)
class ShiftChoice:
    """Which shifts are meant: those of a style, a kind of modifier and one word, empty for all."""

    style: str
    kind: str
    modifier: str
    limits: Limits

    def keeps(self, shift: Shift) -> bool:
        """Whether a shift is meant."""
        return (
            self.style in ("", shift.style)
            and self.kind in ("", shift.kind)
            and self.modifier in ("", shift.modifier)
        )


class ModifierChoices(TypedDict):
    """The styles, kinds of modifiers and words that can be chosen."""

    style: list[NamedChoice]
    kind: list[NamedChoice]
    modifier: list[NamedChoice]


class LimitTexts(TypedDict):
    """The limits of the plane, as they are written."""

    low: str
    high: str
    angle: str


class ModifiersView(TypedDict):
    """The ratios, the plane and the sizes of shifts; ``without`` says what cannot be computed."""

    frame: FrameJson
    choices: ModifierChoices
    modifier: str
    limits: LimitTexts
    table: RatioTable | None
    without: str
    plane: ChartJson | None
    sizes: ChartJson | None
    published: PrintedTables


def modifiers_view(
    context: Context, people: ReferenceSets, query: Mapping[str, str]
) -> ModifiersView:
    """The table, the plane and the sizes for ``people``, ``method``, ``guidance``, ``runs``,
    ``style``, ``kind``, ``modifier``, and the limits ``low``, ``high`` and ``angle``. Raises
    BadInput for choices and limits that there are not."""
    frame, choice = frame_of(context, people, query), _choice_of(query)
    shift_list = _shifts(frame, choice)
    parts = sorted({shift.modifier for shift in shift_list if choice.kind in ("", shift.kind)})
    selection = [shift for shift in shift_list if choice.keeps(shift)]
    with_people = any(shift.people_lab is not None for shift in shift_list)
    return {
        "frame": frame.as_json(needs_people=False),
        "choices": {
            "style": [
                {"id": "", "name": "Both"},
                *(NamedChoice(id=style, name=STYLE_NAMES[style]) for style in STYLES),
            ],
            "kind": [
                {"id": "", "name": "Both kinds"},
                *(NamedChoice(id=kind, name=KIND_NAMES[kind]) for kind in MODIFIED),
            ],
            "modifier": [
                {"id": "", "name": "All words"},
                *(NamedChoice(id=word, name=word) for word in parts),
            ],
        },
        "modifier": choice.modifier,
        "limits": {
            "low": f"{choice.limits.inertia_below:g}",
            "high": f"{choice.limits.over_above:g}",
            "angle": f"{choice.limits.drift_over_deg:g}",
        },
        "table": ratio_table(frame, shift_list, choice.limits) if with_people else None,
        "without": _without(frame, shift_list, with_people),
        "plane": plane_chart(frame, selection, choice.limits).as_json() if with_people else None,
        "sizes": sizes_chart(frame, selection).as_json() if selection else None,
        "published": published(
            tuple(f"colorconceptbench-table{number}" for number in (6, 7, 8)),
            frame.known,
            "The paper's Tables 6 to 8",
            "The paper names inertia, over-correction and precise adaptation (section 5.1, "
            "Figure 14) but gives no limits for them: the limits in the plane above are our "
            "choice.",
        ),
    }


def modifiers_csv(context: Context, people: ReferenceSets, query: Mapping[str, str]) -> str:
    """``part=table``: the ratios as CSV; ``part=plane``: every shift with its two sizes. Raises
    BadInput as :func:`modifiers_view`."""
    part = query.get("part") or PARTS[0]
    if part not in PARTS:
        raise BadInput(f"There is no part {part!r}: {', '.join(PARTS)}.")
    frame, choice = frame_of(context, people, query), _choice_of(query)
    shift_list = _shifts(frame, choice)
    if part == "table":
        return csv_text(TABLE_COLUMNS, ratio_rows(frame, shift_list, choice.limits))
    rows = [_plain(shift) for shift in shift_list if choice.keeps(shift)]
    return csv_text(("run", *SHIFT_COLUMNS), [(frame.names[row[0]], *row) for row in rows])


def _plain(shift: Shift) -> tuple[Any, ...]:
    """The fields of a shift; ways as three numbers in one cell."""
    values = (getattr(shift, name) for name in SHIFT_COLUMNS)
    return tuple(
        " ".join(f"{part:.4g}" for part in value) if isinstance(value, tuple) else value
        for value in values
    )


def _shifts(frame: Frame, choice: ShiftChoice) -> Sequence[Shift]:
    shift_list = shifts(frame.cells.kept, frame.weights, guidance=frame.scale, limits=choice.limits)
    assert shift_list is not None  # nobody stops it
    return shift_list


def _choice_of(query: Mapping[str, str]) -> ShiftChoice:
    style, kind = query.get("style", ""), query.get("kind", "")
    if style not in ("", *STYLES):
        raise BadInput(f"There is no style {style[:20]!r}: {', '.join(STYLES)}.")
    if kind not in ("", *MODIFIED):
        raise BadInput(f"There is no kind of modifiers {kind[:20]!r}: {', '.join(MODIFIED)}.")
    limits = Limits(
        _number(query, "low", OURS.inertia_below),
        _number(query, "high", OURS.over_above),
        _number(query, "angle", OURS.drift_over_deg),
    )
    return ShiftChoice(style, kind, query.get("modifier", "")[:80], limits)


def _number(query: Mapping[str, str], name: str, usual: float) -> float:
    text = query.get(name, "")
    try:
        return float(text) if text else usual
    except ValueError as error:
        raise BadInput(f"A limit is a number, not {text[:20]!r}.") from error


def _without(frame: Frame, shift_list: Sequence[Shift], with_people: bool) -> str:
    """What cannot be computed, and why; empty where nothing is missing."""
    if not frame.measured or with_people:
        return ""
    still = "The models' own shifts are shown below."
    if frame.people is None:
        return (
            "Shifts cannot be compared without people's colors: there is no ratio, no "
            f"direction and no {', '.join(list(BEHAVIORS)[:3])} or {list(BEHAVIORS)[3]}. Import "
            f"people's colors in People and files. {still}"
        )
    concepts = count_noun(len({shift.concept_id for shift in shift_list}), "modified concept")
    return (
        f"{frame.people.crowd.name} has none of the {concepts} of these runs together with its "
        "base concept, so there is no ratio and no direction. Choose other people, or "
        f"import colors of modified concepts. {still}"
    )
