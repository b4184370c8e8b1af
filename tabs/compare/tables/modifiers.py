"""The view of Compare on modifiers: how strongly and where to they move the colors of a thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from truehue.core.concepts.sensitivity import BEHAVIORS, OURS, Limits, Shift, shifts
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import STYLES
from truehue.tabs.compare.tables.charts import csv_text
from truehue.tabs.compare.tables.frame import Frame, frame_of
from truehue.tabs.compare.tables.modifier_charts import plane_chart, sizes_chart
from truehue.tabs.compare.tables.modifier_table import TABLE_COLUMNS, ratio_rows, ratio_table
from truehue.tabs.compare.tables.published import KINDS as KIND_NAMES
from truehue.tabs.compare.tables.published import published
from truehue.tabs.compare.tables.reference_sets import ReferenceSets
from truehue.tabs.compare.tables.view import STYLE_NAMES
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import counted

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


def modifiers_view(
    context: Context, people: ReferenceSets, query: Mapping[str, str]
) -> dict[str, Any]:
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
                *({"id": style, "name": STYLE_NAMES[style]} for style in STYLES),
            ],
            "kind": [
                {"id": "", "name": "Both kinds"},
                *({"id": kind, "name": KIND_NAMES[kind]} for kind in MODIFIED),
            ],
            "modifier": [
                {"id": "", "name": "All words"},
                *({"id": word, "name": word} for word in parts),
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
    concepts = counted(len({shift.concept_id for shift in shift_list}), "modified concept")
    return (
        f"{frame.people.crowd.name} has none of the {concepts} of these runs together with its "
        "base concept, so there is no ratio and no direction. Choose other people, or "
        f"import colors of modified concepts. {still}"
    )
