"""Scores of evaluations as plain JSON and as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from truehue.core.analysis.intervals import against_chance
from truehue.core.vlm.calibration import calibration
from truehue.core.vlm.color_judge.report import ALL, KINDS
from truehue.core.vlm.differences import Difference, Differences
from truehue.core.vlm.evaluation.log import EvaluationLog, as_released
from truehue.core.vlm.parsing import VERSION
from truehue.core.vlm.published_scores import published_rows
from truehue.core.vlm.records import Answer
from truehue.core.vlm.released_reader import COMMIT
from truehue.core.vlm.scoring import Scores, Tally, score

PEOPLE = "Human Evaluation"
"""The row of ColorBench's Table 1."""
NONE = "–"


def report(log: EvaluationLog, scores: Scores, pixels: Sequence[Answer] | None) -> dict[str, Any]:
    """All numbers of one evaluation. ``pixels`` are the answers of the reader of pixels, None where
    images are gone; shares are in percent."""
    robust, macro = scores.robust, scores.macro
    return {
        "asking": str(log.folder),
        "model": log.model.id,
        "location": log.model.location,
        "settings": log.settings.as_json(),
        "protocol": log.protocol,
        "set": asdict(log.source),
        "parser": log.parser,
        "own_parser": log.own_parser,
        "cut_off": log.cut_off,
        "tasks": {task: _tally(tally) for task, tally in scores.tasks.items()},
        "categories": {name: _tally(tally) for name, tally in scores.categories.items()},
        "micro": _tally(scores.overall),
        "macro": asdict(macro) if macro else None,
        "robust": None
        if robust is None
        else {
            "as_made": _tally(robust.as_made),
            "complete": _tally(robust.complete),
            "partly_asked": robust.partly_asked,
            "without_variants": robust.without_variants,
            "orphans": robust.orphans,
            "by_variant": {name: _tally(tally) for name, tally in robust.by_variant.items()},
        },
        "reasons": dict(scores.reasons),
        "letters": _calibration(log),
        "released": _released(log),
        "pixels": _pixels(log, pixels),
        "people": _people() if log.is_published else None,
    }


def _calibration(log: EvaluationLog) -> dict[str, Any] | None:
    found = calibration(log.questions, log.probabilities)
    return asdict(found) if found else None


def _tally(tally: Tally) -> dict[str, Any]:
    counts = ("right", "wrong", "unreadable", "truncated", "unanswered", "not_asked")
    shares = ("percent", "interval", "readable_percent", "readable_interval", "chance_percent")
    return {
        **{name: getattr(tally, name) for name in counts},
        "asked": tally.total,
        **{name: getattr(tally, name) for name in (*shares, "at_floor", "at_ceiling")},
    }


def _pixels(log: EvaluationLog, answers: Sequence[Answer] | None) -> dict[str, Any] | None:
    """Its share of all that it has a way to answer, by task."""
    if answers is None:
        return None
    tasks = score(log.questions, answers).tasks
    return {task: tally.percent for task, tally in tasks.items()}


def _released(log: EvaluationLog) -> dict[str, Any] | None:
    """Shares in percent as ColorBench's released code reads the same words."""
    released = as_released(log)
    if released is None:
        return None
    scores = released.scores
    return {
        "reader": str(released.reader),
        "commit": COMMIT,
        "tasks": {task: tally.percent for task, tally in scores.tasks.items()},
        "categories": {name: tally.percent for name, tally in scores.categories.items()},
        "micro": scores.overall.percent,
        "macro": scores.macro.percent if scores.macro else None,
        "robust": scores.robust.as_made.percent if scores.robust else None,
        "robust_complete": scores.robust.complete.percent if scores.robust else None,
    }


def released_message(details: Mapping[str, Any]) -> str:
    """A sentence that describes the second column."""
    return (
        f"as released: accuracy when ColorBench's released code ({details['commit']}) reads the "
        f"same answers: {details['reader']}; answers it cannot read count as incorrect."
    )


def _people() -> dict[str, float | None]:
    row = next(row for row in published_rows("1") if row.name == PEOPLE)
    return dict(row.tasks)


def differences_as_json(
    first: EvaluationLog, second: EvaluationLog, between: Differences
) -> dict[str, Any]:
    """The second less the first in percentage points, by task, over all, and of robust seeds."""
    return {
        "first": str(first.folder),
        "second": str(second.folder),
        "tasks": {task: _difference(difference) for task, difference in between.tasks.items()},
        "micro": _difference(between.overall),
        "robust": _difference(between.robust),
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        **asdict(difference.pairs),
        "points": difference.points,
        "interval": difference.interval,
        "p_value": difference.p_value,
        "change_ratio": difference.change_ratio,
        "change_ratio_interval": difference.change_ratio_interval,
    }


def as_text(details: Mapping[str, Any]) -> str:
    """The table of one report."""
    settings, people = details["settings"], details["people"]
    pixels = details["pixels"] or {}
    released = details["released"]
    of_released = {**(released or {}).get("tasks", {}), **_overall_of(released)}
    head = ["task", "right", "percent", "95% interval"]
    head += ["as released"] if released else []
    head += ["chance", "pixels"]
    head += ["people"] if people else []
    head += ["unreadable", "truncated", "unanswered", "not asked", ""]

    def row(name: str, tally: Mapping[str, Any], task: str = "") -> list[str]:
        cells = [name, f"{tally['right']}/{tally['asked']}", _number(tally["percent"])]
        cells.append(_interval(tally["interval"]))
        cells += [_number(of_released.get(task or name))] if released else []
        cells += [_number(tally["chance_percent"]), _number(pixels.get(task))]
        cells += [_number(people.get(task))] if people else []
        cells += [str(tally[key]) for key in ("unreadable", "truncated", "unanswered", "not_asked")]
        marks = (
            against_chance(tally["interval"], tally["chance_percent"]),
            "at the upper bound" if tally["at_ceiling"] else "",
        )
        return [*cells, ", ".join(filter(None, marks))]

    rows = [head, *(row(task, tally, task) for task, tally in details["tasks"].items())]
    rows += [row(name, tally) for name, tally in details["categories"].items()]
    if details["tasks"]:
        rows.append(row("micro", details["micro"]))
    macro, robust = details["macro"], details["robust"]
    if macro:
        cells = ["macro", NONE, _number(macro["percent"]), _interval(macro["interval"])]
        cells += [_number(of_released.get("macro"))] if released else []
        rows.append([*cells, _number(macro["chance_percent"])])
    if robust:
        rows.append(row("Robust, as made", robust["as_made"]))
        rows.append(row("Robust, complete", robust["complete"]))
    lines = [
        f"{details['asking']}: {details['model']}, {settings['style']}, image {settings['version']}, "
        f"protocol {details['protocol']}",
        f"Set {details['set']['path']}, SHA-256 {details['set']['checksum'][:12]}; "
        f"{parser_message(details['parser'], details['own_parser'])}",
        *aligned(rows),
    ]
    if robust:
        kinds = ("partly_asked", "without_variants", "orphans")
        counts = [f"{robust[kind]} {kind.replace('_', ' ')}" for kind in kinds if robust[kind]]
        lines += [f"Seeds in neither reading: {', '.join(counts)}."] if counts else []
    if released:
        lines.append(released_message(released))
    if details["letters"]:
        lines.append(calibration_text(details["letters"]))
    if details["cut_off"]:
        lines.append(f"{details['cut_off']} answers reached the token limit.")
    lines += [f"{count} × {reason}" for reason, count in details["reasons"].items()]
    return "\n".join(lines)


def calibration_text(letters: Mapping[str, Any]) -> str:
    """A sentence about the probabilities of letters."""
    return (
        f"Letter probabilities of {letters['n']} answers: the correct letter {letters['right']:.3f} "
        f"on average, Brier score {letters['brier']:.3f}, expected calibration error "
        f"{letters['error']:.3f}; {letters['mass']:.3f} of the first token is a letter."
    )


def parser_message(parser: str, own_parser: str) -> str:
    """Which parser read the answers, and whether that is the one that the asking began with."""
    if parser != own_parser:
        return f"read by parser {parser} on request; first read by parser {own_parser}."
    if parser != VERSION:
        return f"read by parser {parser}, as before (--parser {VERSION} re-reads the answers)."
    return f"read by parser {parser}."


def _overall_of(released: Mapping[str, Any] | None) -> dict[str, float | None]:
    """By the name of the table's row."""
    if released is None:
        return {}
    return {
        **released["categories"],
        "micro": released["micro"],
        "macro": released["macro"],
        "Robust, as made": released["robust"],
        "Robust, complete": released["robust_complete"],
    }


def differences_as_text(details: Mapping[str, Any]) -> str:
    """The table of differences."""
    rows = [["task", "pairs", "points", "95% interval", "only first", "only second", "p (McNemar)"]]
    named = [*details["tasks"].items(), ("micro", details["micro"]), ("Robust", details["robust"])]
    for name, item in named:
        pairs = item["both"] + item["only_a"] + item["only_b"] + item["neither"]
        if not pairs:
            continue
        p_value = NONE if item["p_value"] is None else f"{item['p_value']:.3g}"
        points = f"{item['points']:+.1f}" if item["points"] else "0.0"
        only = (str(item["only_a"]), str(item["only_b"]))
        rows.append([name, str(pairs), points, _interval(item["interval"]), *only, p_value])
    head = (
        f"{details['second']} minus {details['first']}, in percentage points, question by question"
    )
    return "\n".join([head, *aligned(rows)])


def aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Rows as lines. Names at the left, numbers at the right; the marks at the end as they are."""
    count = max(map(len, rows))
    full = [[*row, *[""] * (count - len(row))] for row in rows]
    widths = [max(len(row[index]) for row in full) for index in range(count)]
    for row in full:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        if rows[0][-1] == "":
            cells[-1] = row[-1]
        yield "  ".join(cells).rstrip()


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"


def _interval(ends: Sequence[float] | None) -> str:
    return NONE if ends is None else f"{ends[0]:.1f} to {ends[1]:.1f}"


def judge_text(results: Mapping[str, Any]) -> str:
    """Of rules by question only the kinds of questions: all of it is in the JSON."""
    parts = [f"{results['title']}\n{results['note']}"]
    for table in results["tables"]:
        shown = table["rows"]
        if table["columns"][:2] == ["question", "rule"]:
            shown = [row for row in shown if row[0] in (*KINDS, ALL)]
        rows = [table["columns"], *([_judge_cell(cell) for cell in row] for row in shown)]
        parts.append("\n".join([table["title"], *aligned(_with_intervals(rows)), table["note"]]))
    return "\n\n".join(parts)


def _with_intervals(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The two ends of an interval in one cell."""
    head = list(rows[0])
    if "low" not in head:
        return [list(row) for row in rows]
    index = head.index("low")
    out = [[*head[:index], "95% interval", *head[index + 2 :]]]
    for row in rows[1:]:
        ends = NONE if row[index] == NONE else f"{row[index]} to {row[index + 1]}"
        out.append([*row[:index], ends, *row[index + 2 :]])
    return out


def _judge_cell(cell: str | int | float | None) -> str:
    if cell is None:
        return NONE
    if isinstance(cell, float):
        return f"{cell:.3g}" if 0 < abs(cell) < 1 else f"{cell:.1f}"
    return str(cell)
