"""The codebook of an exported table: every column, and the settings behind its numbers."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from truehue.core.export.columns import COLOR_COLUMNS, COLUMNS, Column
from truehue.core.export.source import ExportRun, plan_out
from truehue.core.runs.score import CAUSES
from truehue.core.verdict.rules import RULES
from truehue.core.version import VERSION

NOTE = (
    "One row per object, rule and image. UTF-8; an empty field is nothing, never zero. Numbers "
    "have the point as decimal mark. An image that could not be generated or scored is a row too: "
    "it is unscored, with its reason, and belongs neither to the passes nor to the fails; by "
    "released and its variants the leaderboard counts the causes not-found and too-few-pixels, "
    "and no-mask of a run with grounded masks, as fails, as the released code does. An image that "
    "fails by one object and has another that is unscored is left out there too. Count "
    "images by the rows whose leads is true. Only the latest attempt at an image is here. "
    "Numbers of different rules, or of different versions of a rule, are never to be mixed. A "
    "image of a concept whose prompt names no color has no rule: one row, measured or unmeasured, "
    "and its numbers in the table of colors. In CSV a text that a spreadsheet would run as a "
    "formula, for it starts with =, +, -, @, a tab or a return, has an apostrophe before it."
)
COLOR_NOTE = (
    "One row per image and object of a concept, whose prompt names no color. The last 71 columns "
    "are called by the colors of UW-71's bins. An unmeasured row has a reason and no numbers: it "
    "is to be counted, never to be taken for zeros."
)


def codebook(runs: Sequence[ExportRun]) -> dict[str, Any]:
    """The codebook of the rows of ``runs`` as plain JSON."""
    return {
        "format": "truehue codebook",
        "format_version": 1,
        "note": NOTE,
        "columns": [column.as_json() for column in COLUMNS],
        **_colors(runs),
        "causes": dict(CAUSES),
        "rules": _rules(runs),
        "runs": [_about(run) for run in runs],
        "exported_with": software(),
    }


def codebook_json(runs: Sequence[ExportRun]) -> str:
    """``codebook.json``."""
    return json.dumps(codebook(runs), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def codebook_text(runs: Sequence[ExportRun]) -> str:
    """``codebook.md``."""
    book = codebook(runs)
    lines = ["# Codebook of TrueHue results", "", NOTE, "", "## Columns", "", *_lines(COLUMNS)]
    if "colors" in book:
        lines += ["", "## Columns of the table of colors", "", COLOR_NOTE, ""]
        lines += _lines(COLOR_COLUMNS)
    lines += ["", "## Causes", "", "| cause | meaning |", "|---|---|"]
    lines += [f"| {name} | {_cell(meaning)} |" for name, meaning in CAUSES.items()]
    lines += ["", "## Rules", ""]
    for rule in book["rules"]:
        limits = ", ".join(f"{name} < {limit:g}" for name, limit in rule["thresholds"].items())
        lines.append(
            f"- **{_cell(rule['id'])} {_cell(rule['version'])}** ({limits or 'unknown'}): "
            f"{_cell(rule['description'])}"
        )
    for run in book["runs"]:
        plan = json.dumps(run["plan"], indent=1, ensure_ascii=False)
        counts = run["pictures"]
        lines += [
            "",
            f"## Run {run['run_id']}",
            "",
            _cell(run["name"]),
            "",
            f"{counts['done']:,} of {counts['total']:,} images have a result, "
            f"{counts['failed']:,} of them could not be generated.",
            "",
            "```json",
            plan,
            "```",
        ]
        for way in run["drawn_with"]:
            lines += ["", "Generated with: " + _cell(json.dumps(way, ensure_ascii=False))]
    text = ", ".join(f"{name} {number}" for name, number in book["exported_with"].items())
    return "\n".join([*lines, "", "## Exported with", "", text, ""])


def software() -> dict[str, str]:
    """The versions that write this export."""
    versions = {"truehue": VERSION, "python": platform.python_version()}
    for name in ("numpy", "pyarrow"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # an environment without it cannot write Parquet
            continue
    return versions


def _colors(runs: Sequence[ExportRun]) -> dict[str, Any]:
    """The second table, where there is one."""
    if not any(run.measures for run in runs):
        return {}
    columns = [column.as_json() for column in COLOR_COLUMNS]
    return {"colors": {"note": COLOR_NOTE, "columns": columns}}


def _lines(columns: Sequence[Column]) -> list[str]:
    """Columns as a table of Markdown."""
    lines = [
        "| column | type | unit or range | values | of | may be empty | meaning |",
        "|---|---|---|---|---|---|---|",
    ]
    for column in columns:
        cells = (
            column.kind,
            column.unit,
            ", ".join(column.allowed),
            column.source,
            "no" if column.always else "yes",
            column.meaning,
        )
        lines.append(f"| `{column.name}` | " + " | ".join(_cell(cell) for cell in cells) + " |")
    return lines


def _rules(runs: Sequence[ExportRun]) -> list[dict[str, Any]]:
    """The rules of the runs; one of another version than ours has no thresholds that we know."""
    pairs = dict.fromkeys(pair for run in runs for pair in run.plan.rules)
    rows = []
    for rule_id, number in pairs:
        current_rule = next(
            (rule for rule in RULES if (rule.id, rule.version) == (rule_id, number)), None
        )
        limits = asdict(current_rule.thresholds) if current_rule else {}
        rows.append(
            {
                "id": rule_id,
                "version": number,
                "name": current_rule.name if current_rule else rule_id,
                "description": current_rule.description
                if current_rule
                else "A version that is not in this TrueHue.",
                "thresholds": {name: limit for name, limit in limits.items() if limit is not None},
            }
        )
    return rows


def _about(run: ExportRun) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "name": run.plan.name,
        "plan": plan_out(run),
        "pictures": asdict(run.counts),
        "drawn_with": list(run.made_by),
        "imported_from": run.imported,
    }


def _cell(text: str) -> str:
    """Text that stays in its cell of a Markdown table, and is no markup."""
    cell = " ".join(str(text).split()).replace("\\", "\\\\")
    for mark in "|*_`<>[]#":
        cell = cell.replace(mark, "\\" + mark)
    return cell
