"""The report as a table for a terminal."""

from __future__ import annotations

from truehue.core.diagnosis.records import DiagnosisReport, Figure, RuleReport

_SETS = {
    "pooled": "all images of one material",
    "held_out": "held out: objects and lights that are no part of the tuned half",
    "two_material": "two materials in one mask",
}
_NAMES = {"l2": "L2", "css": "CSS", "l1": "L1", "l3": "L3"}


def text(report: DiagnosisReport) -> str:
    """Hits and false accepts of every rule, pooled, held out and of two materials."""
    lines = [_head(report)]
    systems = list(report.systems)
    for name, message in _SETS.items():
        rows = [_row(rule, name, systems) for rule in report.rules]
        if not any(any(cells) for _, cells in rows):
            continue
        lines += ["", message[0].upper() + message[1:] if report.source == "" else "All images", ""]
        heads = [f"{_NAMES.get(key, key)} {label}" for key in systems for label in _COLUMNS]
        lines.append(_line("rule", heads))
        lines += [_line(label, cells) for label, cells in rows]
        if name == "pooled" and not report.source:
            lines.append(_line("paper, as published", _published(report, systems)))
    lines += ["", *_notes(report)]
    return "\n".join(lines) + "\n"


_COLUMNS = ("hits", "false accepts")


def _head(report: DiagnosisReport) -> str:
    two = f", {report.images_two_material:,} of them of two materials"
    label = f"{report.images:,} images{two if report.images_two_material else ''}"
    if report.source:
        return f"{label} of {report.source}"
    part = "" if report.every == 1 else f", one color in {report.every} only: a quick look"
    return (
        f"{label}: {_many(len(report.objects), 'object')}, {_many(len(report.lights), 'light')} "
        f"({', '.join(report.lights)}), {report.size_px} px{part}"
    )


def _many(count: int, label: str) -> str:
    return f"{count} {label}" if count == 1 else f"{count} {label}s"


def _row(rule: RuleReport, set_: str, systems: list[str]) -> tuple[str, list[str]]:
    cells: list[str] = []
    for key in systems:
        figure = rule.figure(set_, key)
        cells += ["", ""] if figure is None else [_hits(figure), _accepts(figure)]
    k = rule.parameters.get("k", 0)
    return f"{rule.id} {rule.version}{f', k = {k}' if k else ''}", cells


def _hits(figure: Figure) -> str:
    return _rate(figure.hit_percent, figure.hit_low, figure.hit_high)


def _accepts(figure: Figure) -> str:
    return _rate(figure.false_accept_percent, figure.false_accept_low, figure.false_accept_high)


def _rate(percent: float | None, low: float | None, high: float | None) -> str:
    return "" if percent is None else f"{percent:.2f}% ({low:.2f}-{high:.2f})"


def _published(report: DiagnosisReport, systems: list[str]) -> list[str]:
    percents = {row.system: f"{row.hit_percent:.2f}%" for row in report.published}
    return [cell for key in systems for cell in (percents.get(key, ""), "not published")]


def _line(label: str, cells: list[str]) -> str:
    return f"  {label:<24}" + "".join(f"{cell:>23}" for cell in cells).rstrip()


def _notes(report: DiagnosisReport) -> list[str]:
    lines = [
        "True accepts (hits): scored against the true color and passed. False accepts: scored",
        "against one of the five nearest colors at least 10 ΔE00 from the true one and passed. In",
        "brackets Wilson's 95% intervals. Unscored verdicts by rule (counted as not accepted):",
        *(f"  {rule.id}: {_unscored(rule)} unscored" for rule in report.rules),
    ]
    if not report.source:
        lines.append("The published row is the paper's own method on the paper's own renders.")
    worked = f"{report.seconds:.0f} s with {report.workers} worker(s)"
    reused = f", {report.images_reused:,} images reused" if report.images_reused else ""
    lines.append(f"Took {worked}, {report.processor_seconds:.0f} s of processor time{reused}.")
    if report.problems:
        lines += ["", f"{len(report.problems)} line(s) of the manifest could not be used:"]
        lines += [f"  {problem}" for problem in report.problems[:20]]
    return lines


def _unscored(rule: RuleReport) -> str:
    counts = [f.unscored for f in rule.figures if f.by == "all" and f.set in _WHOLE]
    return f"{sum(counts):,}"


_WHOLE = ("pooled", "two_material")
