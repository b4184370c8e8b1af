"""A diagnosis on the page: the available reports, and one of them in text and numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, TypedDict

from truehue.core.analysis.judge_error import FIGURES_OF, NAMES
from truehue.core.color.systems import parse_target
from truehue.core.diagnosis.figures import read_path_traced
from truehue.core.diagnosis.people import PeopleReport
from truehue.core.diagnosis.records import DiagnosisReport, Example, Figure, RuleReport
from truehue.core.errors import TrueHueError, enumeration
from truehue.core.spreadsheets import csv_text
from truehue.core.verdict.rules import RULE_NAMES, RULES
from truehue.tabs.charts.figure_parts import interval_text, rate_text
from truehue.tabs.explore.rule_accuracy import (
    PEOPLE_FILE,
    SHIPPED,
    TRACED_FILE,
    StoredReport,
    _nth,
    read_report,
)
from truehue.tabs.explore.rule_accuracy_curve import roc_figure
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.shared_answers import NamedChoice

COMMAND = "python -m truehue diagnose --out DIR"
SYSTEM_NAMES = {"l2": "Level 2", "css": "CSS"}
BY_NAMES = {
    "light": "Light",
    "object": "Object",
    "hue": "Hue of the true color, h_ab",
    "lightness": "L* of the true color",
}
SET_NAMES = {
    "pooled": "All images",
    "held_out": "Held out",
    "tuned": "Tuned on",
    "mixed": "One of each half",
    "two_material": "Two materials",
}


class AcceptRate(TypedDict):
    """A rate in percent with its 95% interval."""

    percent: float
    text: str
    low: float
    high: float
    interval: str
    counts: str


class AccuracyCell(TypedDict):
    """The true and the false accept rate of a rule."""

    hit: AcceptRate | None
    false: AcceptRate | None
    unscored: int


class TracedRow(TypedDict):
    """A rule with a cell for each color system."""

    name: str
    version: str
    cells: dict[str, AccuracyCell | None]
    unscored: int | None


class AccuracyRow(TracedRow):
    """A rule of a report; ``stale`` says where it is another one by now."""

    id: str
    stale: str
    description: str
    parameters: str


class PublishedRate(TypedDict):
    """A published true accept rate."""

    system: str
    hit: str
    percent: float
    source: str


class OtherReport(TypedDict):
    """The same rows of another report."""

    name: str
    rows: list[AccuracyRow]


CalibrationRow = TypedDict(
    "CalibrationRow",
    {"status": str, "from": str, "verdicts": int, "said": str, "right": str},
)
"""How often verdicts of one confidence are right."""


class TracedSet(TypedDict):
    """A path-traced set."""

    id: str
    name: str
    words: str
    rows: list[TracedRow]
    calibration: list[CalibrationRow]


class TracedView(TypedDict):
    """The path-traced sets."""

    sets: list[TracedSet]


class PeopleRow(TypedDict):
    """A rule against people's names of colors, in percent."""

    name: str
    version: str
    agreed: str
    rare: str
    names: str


class PeopleTable(TypedDict):
    """All rules against people's names of colors; ``words`` say of what, and what is possible."""

    words: str
    rows: list[PeopleRow]


class BreakdownRow(TypedDict):
    """A part of the images, with the cells of every rule by color system."""

    key: str
    label: str
    swatches: list[str]
    cells: dict[str, dict[str, AccuracyCell | None]]


class Breakdown(TypedDict):
    """The rates by light, object, hue or lightness."""

    by: str
    name: str
    rows: list[BreakdownRow]


class ExampleScene(TypedDict):
    """A wrong verdict, and the scene that it is of."""

    asked_hex: str
    true_hex: str
    object: str
    light: str
    seed: int
    system: str
    color: str
    asked: str
    second: str
    kind: str
    size: int
    delta_e00: float | None
    margin: float | None


class RuleAccuracyReports(TypedDict):
    """The reports, and the command that makes one."""

    reports: list[NamedChoice]
    command: str


class RuleAccuracyView(RuleAccuracyReports, total=False):
    """One report; without any, the list alone."""

    source: str
    name: str
    set: str
    sets: list[NamedChoice]
    set_words: str
    about: str
    problems: list[str]
    systems: list[NamedChoice]
    rows: list[AccuracyRow]
    published: list[PublishedRate]
    beside: OtherReport | None
    traced: TracedView
    people: PeopleTable
    roc: dict[str, dict[str, Any]]
    breakdowns: list[Breakdown]
    drawable: bool
    examples: dict[str, list[ExampleScene]]


def report_view(reports: Sequence[StoredReport], report_id: str, part: str) -> RuleAccuracyView:
    """A rule accuracy report for the page; the first where ``report_id`` does not exist.

    ``part`` is one of the record's sets; the whole set where the report has no such part. Another
    report stands beside it: this machine's newest beside the shipped one, the shipped one beside
    this machine's.
    """
    if not reports:
        return {"reports": [], "command": COMMAND}
    chosen = next((entry for entry in reports if entry.id == report_id), reports[0])
    stored_report = next(
        (entry for entry in reports if (entry.id == SHIPPED) != (chosen.id == SHIPPED)), None
    )
    report = read_report(chosen.path)
    parts = [
        name for name in SET_NAMES if any(f.set == name for r in report.rules for f in r.figures)
    ]
    part = part if part in parts else "pooled"
    other = read_report(stored_report.path) if stored_report else None
    systems = [system for system in SYSTEM_NAMES if system in report.systems]
    return {
        "reports": [{"id": entry.id, "name": entry.name} for entry in reports],
        "source": chosen.id,
        "name": chosen.name,
        "set": part,
        "command": COMMAND,
        "sets": [{"id": name, "name": SET_NAMES[name]} for name in parts],
        "set_words": describe_set(report, part),
        "about": about(report),
        "problems": list(report.problems),
        "systems": [{"id": system, "name": SYSTEM_NAMES[system]} for system in systems],
        "rows": _rows(report, part, systems),
        "published": [
            {
                "system": row.system,
                "hit": f"{row.hit_percent:.2f}",
                "percent": row.hit_percent,
                "source": row.source,
            }
            for row in report.published
        ],
        "beside": {"name": stored_report.name, "rows": _rows(other, part, systems)}
        if stored_report and other
        else None,
        "traced": traced_view(systems),
        "people": people_view(PeopleReport.read(PEOPLE_FILE)),
        "roc": {system: roc_figure(report, system) for system in systems},
        "breakdowns": [
            {"by": by, "name": BY_NAMES[by], "rows": _breakdown(report, part, systems, by)}
            for by in BY_NAMES
        ],
        "drawable": not report.source,
        "examples": {
            rule.id: [_example(report, example) for example in rule.worst] for rule in report.rules
        },
    }


def rates_csv(reports: Sequence[StoredReport], report_id: str, part: str) -> str:
    """The rates of a report's set and of the path-traced sets as CSV, a line for each rule, color
    system and rate."""
    view = report_view(reports, report_id, part)
    sets: list[tuple[str, Sequence[TracedRow]]] = []
    if view["reports"]:
        sets = [(view["set"], view["rows"])]
        sets += [(entry["id"], entry["rows"]) for entry in view["traced"]["sets"]]
    rows = [
        (
            *(name, row["name"], row["version"], system, kind),
            rate["counts"].replace(",", ""),
            *(f"{value:.4f}" for value in (rate["percent"], rate["low"], rate["high"])),
        )
        for name, entries in sets
        for row in entries
        for system, cell in row["cells"].items()
        if cell
        for kind, rate in (("true accept", cell["hit"]), ("false accept", cell["false"]))
        if rate
    ]
    head = ("images", "rule", "version", "system", "rate", "counts", "percent", "low", "high")
    return csv_text(head, rows)


def people_view(report: PeopleReport) -> PeopleTable:
    """The shipped agreement of the rules with people, for the page."""
    best, nearest = (
        rate_text(100.0 * part / report.answers) for part in (report.best, report.nearest)
    )
    return {
        "words": f"{report.colors:,} colors of the XKCD survey, as patches of one color, with "
        f"{report.answers:,} answers of people who used one of the 13 names of ISCC-NBS level 1. A rule "
        f"of one name for each color can agree with {best}% of them; the nearest name by CIEDE2000 "
        f"agrees with {nearest}%.",
        "rows": [
            {
                "name": RULE_NAMES.get(rule.id, rule.id),
                "version": rule.version,
                "agreed": rate_text(100.0 * rule.accepted / rule.answers),
                "rare": rate_text(100.0 * rule.rare_accepted / rule.rare),
                "names": f"{rule.names:.2f}",
            }
            for rule in report.rules
        ],
    }


_CORRECTS = {
    FIGURES_OF[choice]: f" The leaderboard corrects by it “{name}”."
    for choice, name in NAMES.items()
}
"""By set, which correction of the leaderboard takes its rates."""


def traced_view(systems: Sequence[str]) -> TracedView:
    """The path-traced sets for the same table, and how sure truehue was beside how often right."""
    traced = read_path_traced(TRACED_FILE)
    return {
        "sets": [
            {
                "id": traced_set.id,
                "name": traced_set.name,
                "words": f"{traced_set.words}{_CORRECTS.get(traced_set.id, '')}",
                "rows": [
                    {
                        "name": RULE_NAMES.get(rule.rule, rule.rule),
                        "version": rule.version,
                        "cells": {system: _cell(rule.figures.get(system)) for system in systems},
                        "unscored": 0,
                    }
                    for rule in traced.rules
                    if rule.set == traced_set.id
                ],
                "calibration": [
                    {
                        "status": bin_.status,
                        "from": f"{bin_.from_percent}%",
                        "verdicts": bin_.verdicts,
                        "said": rate_text(bin_.said_percent),
                        "right": rate_text(bin_.right_percent),
                    }
                    for bin_ in traced.calibration
                    if bin_.set == traced_set.id
                ],
            }
            for traced_set in traced.sets
        ],
    }


def describe_set(report: DiagnosisReport, part: str) -> str:
    """Which images a set holds, in a sentence."""
    objects, lights = report.split.get("objects", {}), report.split.get("lights", {})

    def of(half: str) -> str:
        object_words = enumeration(objects.get(half, ()))
        return f"{object_words}, under {enumeration(lights.get(half, ()))} light"

    pooled = f"All {len(report.objects)} objects under {enumeration(report.lights)} light."
    if objects:
        pooled += (
            " Constants of truehue 1.0 were chosen on half of the objects and lights "
            f"({SET_NAMES['tuned']}) and not on the others ({SET_NAMES['held_out']}); those of 1.2 "
            "on other views of all."
        )
    return {
        "pooled": pooled,
        "held_out": "Not used when constants of truehue 1.0 were chosen; those of 1.2 were "
        f"chosen on other views of these too: {of('held_out')}."
        f"{_CORRECTS['held_out']}",
        "tuned": f"Constants of truehue 1.0 were chosen on these: {of('tuned')}.",
        "mixed": "An object of one half under a light of the other.",
        "two_material": "Objects of two materials: the mask holds both, the target color is that "
        "of one of them.",
    }.get(part, "")


def about(report: DiagnosisReport) -> str:
    """How the report was made, in a line."""
    created_at = datetime.fromisoformat(report.created_at)
    colors = " + ".join(
        f"{count} {SYSTEM_NAMES.get(system, system)}" for system, count in report.systems.items()
    )
    parts = [
        f"{count_noun(report.images, 'image')}: {count_noun(len(report.objects), 'object')}, "
        f"{colors} colors, {count_noun(len(report.lights), 'light')}"
    ]
    if report.every > 1:
        parts.append(f"every {_nth(report.every)} color")
    if report.images_two_material:
        parts.append(f"{report.images_two_material:,} of two materials")
    parts += [report.material] if report.material else []
    parts += ["balanced by the backdrop"] if report.neutral else []
    if report.size_px:
        parts.append(
            f"{report.size_px} × {report.size_px} pixels, {count_noun(len(report.seeds), 'viewpoint')}"
        )
    source = report.source or f"reference renderer {report.renderer_version}"
    parts += [source, f"{created_at:%d %b %Y}, {_minutes(report.seconds)}"]
    return " · ".join(parts)


def stale(rule: RuleReport) -> str:
    """Says so where a rule is another one by now; empty where the report holds for it."""
    current = next((by for by in RULES if by.id == rule.id), None)
    if current is None:
        return f"made with {rule.id} {rule.version}, which no longer exists"
    if current.version != rule.version:
        return f"made with {rule.id} {rule.version}, now {current.version}"
    return ""


def _rows(report: DiagnosisReport, part: str, systems: Sequence[str]) -> list[AccuracyRow]:
    rows: list[AccuracyRow] = []
    for rule in report.rules:
        by = next((candidate for candidate in RULES if candidate.id == rule.id), None)
        figures = {system: rule.figure(part, system) for system in systems}
        rows.append(
            {
                "id": rule.id,
                "name": by.name if by else rule.name,
                "version": rule.version,
                "stale": stale(rule),
                "description": by.description if by else "",
                "parameters": json.dumps(rule.parameters, ensure_ascii=False),
                "cells": {system: _cell(figure) for system, figure in figures.items()},
                "unscored": sum(figure.unscored for figure in figures.values() if figure),
            }
        )
    rule_ids = {rule.id for rule in report.rules}
    rows += [
        {
            "id": by.id,
            "name": by.name,
            "version": by.version,
            "stale": "not in this report",
            "description": by.description,
            "parameters": "",
            "cells": {},
            "unscored": None,
        }
        for by in RULES
        if by.id not in rule_ids
    ]
    return rows


def _cell(figure: Figure | None) -> AccuracyCell | None:
    if figure is None:
        return None
    return {
        "hit": _rate(
            figure.hit_percent, figure.hit_low, figure.hit_high, figure.hits, figure.asked
        ),
        "false": _rate(
            figure.false_accept_percent,
            figure.false_accept_low,
            figure.false_accept_high,
            figure.false_accepts,
            figure.tried,
        ),
        "unscored": figure.unscored,
    }


def _rate(
    percent: float | None, low: float | None, high: float | None, count: int, total: int
) -> AcceptRate | None:
    if percent is None or low is None or high is None:
        return None
    return {
        "percent": percent,
        "text": rate_text(percent),
        "low": low,
        "high": high,
        "interval": interval_text(low, high, percent),
        "counts": f"{count:,} of {total:,}",
    }


def _breakdown(
    report: DiagnosisReport, part: str, systems: Sequence[str], by: str
) -> list[BreakdownRow]:
    keys = dict.fromkeys(
        figure.key
        for rule in report.rules
        for figure in rule.figures
        if (figure.set, figure.by) == (part, by)
    )
    names = {"light": report.lights, "object": report.objects}.get(by)
    order = sorted(keys) if names is None else [name for name in names if name in keys]
    if by == "light":  # the worst first, by the hits of all rules

        def hits(key: str) -> float:
            rows = [
                rule.figure(part, system, by, key) for rule in report.rules for system in systems
            ]
            return sum(row.hit_percent or 0.0 for row in rows if row)

        order.sort(key=hits)
    return [
        {
            "key": key,
            "label": _label(by, key),
            "swatches": list(key_swatches(by, key)),
            "cells": {
                rule.id: {system: _cell(rule.figure(part, system, by, key)) for system in systems}
                for rule in report.rules
            },
        }
        for key in order
    ]


def _label(by: str, key: str) -> str:
    if by == "hue" and "-" in key:
        low, high = key.split("-")
        return f"{int(low)} to {int(high)}°"
    return key.replace("-", " to ") if by == "lightness" else key


@lru_cache(maxsize=64)
def key_swatches(by: str, key: str) -> tuple[str, ...]:
    """sRGB of a sector's middle hue at L* 65 and C*ab 45, or of a band's middle gray."""
    import numpy as np

    from truehue.core.color.spaces import hex_of, lab_to_srgb8

    if by not in ("hue", "lightness"):
        return ()
    if "-" not in key:
        return (hex_of(lab_to_srgb8(np.array([65.0, 0.0, 0.0]))),)
    middle = sum(float(part) for part in key.split("-")) / 2
    if by == "lightness":
        return (hex_of(lab_to_srgb8(np.array([middle, 0.0, 0.0]))),)
    angle = np.deg2rad(middle)
    lab = np.array([65.0, 45.0 * np.cos(angle), 45.0 * np.sin(angle)])
    return (hex_of(lab_to_srgb8(lab)),)


def _example(report: DiagnosisReport, example: Example) -> ExampleScene:
    return {
        "asked_hex": _hex(example.asked, example.system),
        "true_hex": _hex(example.color, example.system),
        "object": example.object,
        "light": example.light,
        "seed": example.seed,
        "system": example.system,
        "color": example.color,
        "asked": example.asked,
        "second": example.second,
        "kind": example.kind,
        "size": report.size_px,
        "delta_e00": example.delta_e00,
        "margin": example.margin,
    }


@lru_cache(maxsize=1024)
def _hex(name: str, system: str) -> str:
    """The hex of a named color; empty for a name that is not here any more."""
    try:
        return parse_target(name, system).hex
    except TrueHueError:
        return ""


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
