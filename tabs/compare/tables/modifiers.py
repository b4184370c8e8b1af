"""The view of Compare on modifiers: how strongly and where to they move the colors of a thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from core.concepts.sensitivity import BEHAVIORS, OURS, Limits, Shift, shifts
from core.errors import BadInput
from core.prompts.concepts import STYLES
from tabs.compare.tables.charts import csv_text
from tabs.compare.tables.frame import Frame, frame_of
from tabs.compare.tables.modifier_charts import plane_chart, sizes_chart
from tabs.compare.tables.modifier_table import TABLE_COLUMNS, ratio_rows, ratio_table
from tabs.compare.tables.people import PeopleHere
from tabs.compare.tables.published import KINDS as KIND_NAMES
from tabs.compare.tables.published import published
from tabs.compare.tables.view import STYLE_NAMES
from tabs.page.context import Context
from tabs.page.errors import many

MODIFIED = ("visual state", "emotional")
PARTS = ("table", "plane")
SHIFT_COLUMNS = tuple(field.name for field in fields(Shift))


@dataclass(frozen=True)
class Asked:
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
    context: Context, people: PeopleHere, given: Mapping[str, str]
) -> dict[str, Any]:
    """The table, the plane and the sizes for ``people``, ``method``, ``guidance``, ``runs``,
    ``style``, ``kind``, ``modifier``, and the limits ``low``, ``high`` and ``angle``. Raises
    BadInput for choices and limits that there are not."""
    frame, asked = frame_of(context, people, given), _asked(given)
    found = _shifts(frame, asked)
    words = sorted({shift.modifier for shift in found if asked.kind in ("", shift.kind)})
    kept = [shift for shift in found if asked.keeps(shift)]
    with_people = any(shift.people_lab is not None for shift in found)
    return {
        "frame": frame.as_json(needs_people=False),
        "choices": {
            "style": [
                {"id": "", "name": "Both"},
                *({"id": style, "name": STYLE_NAMES[style]} for style in STYLES),
            ],
            "kind": [
                {"id": "", "name": "Both kinds"},
                *({"id": one, "name": KIND_NAMES[one]} for one in MODIFIED),
            ],
            "modifier": [
                {"id": "", "name": "All words"},
                *({"id": word, "name": word} for word in words),
            ],
        },
        "modifier": asked.modifier,
        "limits": {
            "low": f"{asked.limits.inertia_below:g}",
            "high": f"{asked.limits.over_above:g}",
            "angle": f"{asked.limits.drift_over_deg:g}",
        },
        "table": ratio_table(frame, found, asked.limits) if with_people else None,
        "without": _without(frame, found, with_people),
        "plane": plane_chart(frame, kept, asked.limits).as_json() if with_people else None,
        "sizes": sizes_chart(frame, kept).as_json() if kept else None,
        "published": published(
            tuple(f"colorconceptbench-table{number}" for number in (6, 7, 8)),
            frame.known,
            "The paper's Tables 6 to 8",
            "The paper names inertia, over-correction and precise adaptation (section 5.1, Figure "
            "14) and gives no limits for them: where they begin in the plane above is our choice.",
        ),
    }


def modifiers_csv(context: Context, people: PeopleHere, given: Mapping[str, str]) -> str:
    """``part=table``: the ratios as CSV; ``part=plane``: every shift with its two sizes. Raises
    BadInput as :func:`modifiers_view`."""
    part = given.get("part") or PARTS[0]
    if part not in PARTS:
        raise BadInput(f"There is no part {part!r}: {', '.join(PARTS)}.")
    frame, asked = frame_of(context, people, given), _asked(given)
    found = _shifts(frame, asked)
    if part == "table":
        return csv_text(TABLE_COLUMNS, ratio_rows(frame, found, asked.limits))
    rows = [_plain(shift) for shift in found if asked.keeps(shift)]
    return csv_text(("run", *SHIFT_COLUMNS), [(frame.names[row[0]], *row) for row in rows])


def _plain(shift: Shift) -> tuple[Any, ...]:
    """The fields of a shift; ways as three numbers in one cell."""
    values = (getattr(shift, name) for name in SHIFT_COLUMNS)
    return tuple(
        " ".join(f"{part:.4g}" for part in value) if isinstance(value, tuple) else value
        for value in values
    )


def _shifts(frame: Frame, asked: Asked) -> Sequence[Shift]:
    found = shifts(frame.cells.kept, frame.weights, guidance=frame.scale, limits=asked.limits)
    assert found is not None  # nobody stops it
    return found


def _asked(given: Mapping[str, str]) -> Asked:
    style, kind = given.get("style", ""), given.get("kind", "")
    if style not in ("", *STYLES):
        raise BadInput(f"There is no style {style[:20]!r}: {', '.join(STYLES)}.")
    if kind not in ("", *MODIFIED):
        raise BadInput(f"There is no kind of modifiers {kind[:20]!r}: {', '.join(MODIFIED)}.")
    limits = Limits(
        _number(given, "low", OURS.inertia_below),
        _number(given, "high", OURS.over_above),
        _number(given, "angle", OURS.drift_over_deg),
    )
    return Asked(style, kind, given.get("modifier", "")[:80], limits)


def _number(given: Mapping[str, str], name: str, usual: float) -> float:
    text = given.get(name, "")
    try:
        return float(text) if text else usual
    except ValueError as error:
        raise BadInput(f"A limit is a number, not {text[:20]!r}.") from error


def _without(frame: Frame, found: Sequence[Shift], with_people: bool) -> str:
    """What cannot be computed, and why; empty where nothing is missing."""
    if not frame.measured or with_people:
        return ""
    still = "The sizes of the models' own shifts are below."
    if frame.people is None:
        return (
            "Without people's colors there is nothing to hold a shift against: no ratio, no "
            f"direction, and no {', '.join(list(BEHAVIORS)[:3])} or {list(BEHAVIORS)[3]}. Import "
            f"people's colors in People and files. {still}"
        )
    concepts = many(len({shift.concept_id for shift in found}), "modified concept")
    return (
        f"{frame.people.crowd.name} has colors of none of the {concepts} of these runs together "
        "with the thing as such, so there is no ratio and no direction. Choose other people, or "
        f"import colors of modified concepts. {still}"
    )
