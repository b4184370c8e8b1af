"""The results of a ring test as a table for terminals, and as one page of HTML that needs no other
file: certificates of one scorer, and a comparison of several."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path

from truehue.core.analysis.leaderboard import SYSTEM_NAMES
from truehue.core.files import replace_file
from truehue.core.ring.calibration import RingCalibration
from truehue.core.ring.comparison import RingPair
from truehue.core.ring.report import KIND_NAMES, RingReport, is_beyond, stratum_name
from truehue.core.ring.shares import Estimate, Share

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #5a5a5a; --line: #c9c9c9;
  --page: #fff; --bar: #8a8a8a; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececec; --soft: #b0b0b0; --line: #4a4a4a;
  --page: #1e1e1e; --bar: #9a9a9a; } }
@media print { :root { --ink: #000; --page: #fff; } }
body { background: var(--page); color: var(--ink); font: 14px/1.45 system-ui, sans-serif;
  max-width: 900px; margin: 24px auto; padding: 0 16px; }
h1 { font-size: 20px; margin: 0 0 4px; } h2 { font-size: 15px; margin: 20px 0 6px; }
p { margin: 4px 0; } .soft { color: var(--soft); font-size: 12.5px; }
table { border-collapse: collapse; font-size: 12.5px; width: 100%; }
th, td { text-align: right; padding: 2px 8px; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; font-weight: 400; }
th:first-child, td:first-child { text-align: left; } thead th { color: var(--soft); }
b { font-weight: 600; } li { margin: 2px 0; } code { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } .two { display: flex; flex-wrap: wrap; gap: 0 32px; }
.two > * { flex: 1 1 300px; min-width: 0; } svg { width: 100%; max-width: 420px; height: auto; }
svg text { fill: var(--soft); font-size: 11px; } svg .ink { fill: var(--ink); }
"""
MAX_FINDINGS = 6
"""Sentences about a scorer in a terminal; a certificate has all of them."""
NARROW_PERCENT = 25.0
"""The figure shows false accepts up to here, where no scorer has more."""
_SIDE, _LEFT, _TOP = 300.0, 40.0, 10.0


def certificate_html(report: RingReport) -> str:
    """The certificate of one scorer."""
    title = f"Ring test: {report.scorer}"
    parts = [
        f"<h1>{escape(title)} {escape(report.scorer_version)}</h1>",
        f'<p class="soft">{escape(set_sentence(report))}</p>',
        _findings(report),
        '<div class="two"><div><h2>Hits and false accepts</h2>',
        _rates_table(report),
        f"</div><div><h2>Operating point</h2>{curve_svg([report])}</div></div>",
        "<h2>Bias</h2>",
        '<p class="soft">A shift is the mean distance from the true color, in ΔE00, of the colors '
        "that it accepts: positive is lighter, more colorful, or a larger hue angle. Tolerance is "
        "how far from the true color it accepts on average. In brackets are 95% intervals. Bold "
        "differs from 0 and from the other images (a tolerance only from the other images), after "
        "Holm's correction for all tests of this table.</p>",
        _bias_table(report),
    ]
    if report.calibration is not None:
        parts += ["<h2>Calibration of the stated confidence</h2>", _calibration(report.calibration)]
    parts += ["<h2>Seal</h2>", _seal(report)]
    return _page(title, parts)


def comparison_html(reports: Sequence[RingReport], pairs: Sequence[RingPair]) -> str:
    """Several scorers on one set: table, figure and paired tests."""
    title = f"Ring test: {len(reports)} scorers"
    body = _html_table(
        ("Scorer", "Hits, %", "False accepts, %", "Hits minus false accepts", "Unscored"),
        [
            (
                f"{escape(report.scorer)} {escape(report.scorer_version)}",
                _share(report.hits),
                _share(report.false_accepts),
                _estimate(report.youden, 1),
                f"{report.unscored + report.missing:,}",
            )
            for report in reports
        ],
    )
    tests = _html_table(
        (
            "Pair",
            "On",
            "Images only the first has right",
            "Only the second",
            "p, adjusted",
            "Better",
        ),
        [
            (
                f"{escape(pair.a)} – {escape(pair.b)}",
                pair.on,
                f"{pair.only_a:,}",
                f"{pair.only_b:,}",
                _p(pair.p_adjusted),
                escape(pair.better) or "–",
            )
            for pair in pairs
        ],
    )
    return _page(
        title,
        [
            f"<h1>{escape(title)}</h1>",
            f'<p class="soft">{escape(set_sentence(reports[0]))}</p>',
            body,
            curve_svg(reports),
            "<h2>Paired tests</h2>",
            '<p class="soft">McNemar’s exact test over images, adjusted by Holm’s method.</p>',
            f'<div class="scroll">{tests}</div>',
            "<h2>Seal</h2>",
            _seal(reports[0], with_scorer=False),
        ],
    )


def set_sentence(report: RingReport) -> str:
    """Which set it was, in a sentence."""
    return (
        f"Set {report.set_id[:12]}: {report.questions:,} questions about "
        f"{report.images:,} images of the reference renderer {report.renderer_version}. Scored "
        f"{report.created_at[:10]} by TrueHue {report.version}."
    )


def summary_text(reports: Sequence[RingReport], pairs: Sequence[RingPair] = ()) -> str:
    """The results as text for a terminal."""
    lines = [set_sentence(reports[0]), ""]
    width = max(8, *(len(_title(report)) for report in reports))
    lines.append(f"{'scorer':<{width}}  {'hits, %':>21}  {'false accepts, %':>21}  {'unscored':>8}")
    for report in reports:
        lines.append(
            f"{_title(report):<{width}}  {_share(report.hits):>21}  "
            f"{_share(report.false_accepts):>21}  {report.unscored + report.missing:>8,}"
        )
    for report in reports:
        kinds = ", ".join(
            f"{KIND_NAMES[kind]} {rate.percent:.1f}%" for kind, rate in report.kinds.items()
        )
        lines += ["", f"{_title(report)}: false accepts of {kinds}."]
        if report.missing:
            lines.append(f"  {report.missing:,} questions have no answer. They count as rejected.")
        if report.calibration is not None:
            error, brier = report.calibration.error, report.calibration.brier
            lines.append(
                f"  Confidence: calibration error {_estimate(error, 3)}, Brier "
                f"{_estimate(brier, 3)}."
            )
        lines += [f"  {finding}" for finding in report.findings[:MAX_FINDINGS]]
        if len(report.findings) > MAX_FINDINGS:
            more = len(report.findings) - MAX_FINDINGS
            lines.append(f"  … and {more} more: see the certificate.")
    if pairs:
        lines += ["", "Paired tests (McNemar over images, Holm):"]
    for pair in pairs:
        better = f"{pair.better} is better" if pair.better else "no difference shown"
        lines.append(f"  {pair.a} – {pair.b}, {pair.on}: p {_p(pair.p_adjusted)}, {better}")
    return "\n".join(lines) + "\n"


def write_results(
    folder: Path, reports: Sequence[RingReport], pairs: Sequence[RingPair]
) -> list[Path]:
    """A certificate of each scorer as HTML and JSON, and the comparison of several; the files."""
    folder.mkdir(parents=True, exist_ok=True)
    content: dict[str, str] = {}
    for report in reports:
        name = f"{file_name(report.scorer)}-certificate"
        content[f"{name}.html"] = certificate_html(report)
        text = json.dumps(report.as_json(), ensure_ascii=False, indent=1)
        content[f"{name}.json"] = text + "\n"
    if len(reports) > 1:
        content["comparison.html"] = comparison_html(reports, pairs)
        text = json.dumps([asdict(pair) for pair in pairs], ensure_ascii=False, indent=1)
        content["comparison.json"] = text + "\n"
    for file, text in content.items():
        replace_file(folder / file, text.encode())
    return [folder / file for file in content]


def file_name(scorer: str) -> str:
    """A scorer's name as that of a file."""
    return re.sub(r"[^\w.-]+", "-", scorer).strip("-.") or "scorer"


def curve_svg(reports: Sequence[RingReport]) -> str:
    """Hits against false accepts in percent: a box is both 95% intervals, a line the curve of a
    scorer that states a confidence. Points bear numbers, which the legend names."""
    widest = max(report.false_accepts.high for report in reports)
    wide = 100.0 if widest > NARROW_PERCENT else NARROW_PERCENT
    parts = [_axes(wide)]
    for number, report in enumerate(reports, 1):
        x, y = _x(report.false_accepts.percent, wide), _y(report.hits.percent)
        left, right = _x(report.false_accepts.low, wide), _x(report.false_accepts.high, wide)
        top, bottom = _y(report.hits.high), _y(report.hits.low)
        parts.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(right - left, 1):.1f}" '
            f'height="{max(bottom - top, 1):.1f}" fill="var(--bar)" fill-opacity="0.35" '
            'stroke="var(--bar)"/>'
        )
        points = [
            f"{_x(point.false_accept_percent, wide):.1f},{_y(point.hit_percent):.1f}"
            for point in report.curve
            if point.false_accept_percent <= wide
        ]
        if points:
            parts.append(
                f'<polyline points="{" ".join(points)}" fill="none" stroke="var(--ink)" '
                'stroke-width="1.5"/>'
            )
        row = _TOP + _SIDE - 12 - 15 * (len(reports) - number)
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="var(--ink)"/>'
            f'<text class="ink" x="{x + 6:.1f}" y="{y + 12:.1f}">{number}</text>'
            f'<text class="ink" x="{_LEFT + _SIDE - 8}" y="{row}" text-anchor="end">'
            f"{number} {escape(report.scorer[:30])}</text>"
        )
    names = "; ".join(
        f"{report.scorer}: hits {report.hits.percent:.1f}%, false accepts "
        f"{report.false_accepts.percent:.1f}%"
        for report in reports
    )
    return (
        f'<svg viewBox="0 0 {_LEFT + _SIDE + 10:.0f} {_TOP + _SIDE + 36:.0f}" role="img" '
        f'aria-label="{escape(names, quote=True)}">{"".join(parts)}</svg>'
    )


def _x(percent: float, wide: float) -> float:
    return _LEFT + _SIDE * percent / wide


def _y(percent: float) -> float:
    return _TOP + _SIDE * (1.0 - percent / 100.0)


def _axes(wide: float) -> str:
    parts = [
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="none" '
        'stroke="var(--line)"/>',
        f'<line x1="{_LEFT}" y1="{_y(0)}" x2="{_LEFT + _SIDE}" y2="{_y(wide)}" '
        'stroke="var(--line)" stroke-dasharray="4 4"/>',
    ]
    for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        x, y = _x(share * wide, wide), _y(100.0 * share)
        parts.append(
            f'<text x="{x}" y="{_TOP + _SIDE + 14}" text-anchor="middle">{share * wide:.0f}</text>'
            f'<text x="{_LEFT - 5}" y="{y + 4}" text-anchor="end">{100.0 * share:.0f}</text>'
        )
    middle = _TOP + _SIDE / 2
    parts.append(
        f'<text x="{_LEFT + _SIDE / 2}" y="{_TOP + _SIDE + 30}" text-anchor="middle">'
        "False accepts, %</text>"
        f'<text x="10" y="{middle}" text-anchor="middle" transform="rotate(-90 10 {middle})">'
        "Hits, %</text>"
    )
    return "".join(parts)


def _page(title: str, parts: Sequence[str]) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>"
        f"{''.join(parts)}</main></body></html>\n"
    )


def _title(report: RingReport) -> str:
    return f"{report.scorer} {report.scorer_version}".strip()


def _findings(report: RingReport) -> str:
    if not report.findings:
        return "<p>No bias was found, and the stated confidence, if any, fits.</p>"
    items = "".join(f"<li>{escape(finding)}</li>" for finding in report.findings)
    return f"<ul>{items}</ul>"


def _rates_table(report: RingReport) -> str:
    rows = [("<b>Hits</b>, of the true color", report.hits)]
    rows.append(("<b>False accepts</b>, of all other colors", report.false_accepts))
    rows += [(f"of {KIND_NAMES[kind]}", rate) for kind, rate in report.kinds.items()]
    for system, rates in report.systems.items():
        rows.append((f"hits, {SYSTEM_NAMES[system]}", rates.hits))
        rows.append((f"false accepts, {SYSTEM_NAMES[system]}", rates.false_accepts))
    cells = [(name, _share(rate), f"{rate.count:,} of {rate.total:,}") for name, rate in rows]
    note = (
        f'<p class="soft">{report.unscored:,} answers are unscored and {report.missing:,} are '
        "missing. They count as rejected.</p>"
    )
    return _html_table(("Accepted", "%", "questions"), cells) + note


def _bias_table(report: RingReport) -> str:
    rows = []
    for stratum in report.strata:
        shifts = {shift.axis: shift for shift in stratum.shifts}
        cells = [escape(stratum_name(stratum)), f"{stratum.images:,}"]
        cells += [
            "–" if rate is None else _share(rate) for rate in (stratum.hits, stratum.false_accepts)
        ]
        for axis in ("lightness", "chroma", "hue"):
            shift = shifts.get(axis)
            if shift is None:
                cells.append("–")
                continue
            turn = "" if shift.degrees is None else f", {shift.degrees:+.1f}°"
            cells.append(_bold(_estimate(shift.delta_e00, 1, True) + turn, shift.p_adjusted))
        tolerance = "–"
        if stratum.tolerance is not None:
            least = "≥ " if is_beyond(stratum.tolerance) else ""
            tolerance = _bold(least + _estimate(stratum.tolerance, 1), stratum.p_adjusted)
        rows.append((*cells, tolerance))
    head = (
        *("Images", "n", "Hits, %", "False accepts, %", "Shift in lightness", "in chroma"),
        *("in hue", "Tolerance"),
    )
    return f'<div class="scroll">{_html_table(head, rows)}</div>'


def _calibration(calibrated: RingCalibration) -> str:
    rows = [
        (
            f"{entry.low_percent} to {entry.low_percent + 10}%",
            f"{entry.right.total:,}",
            f"{entry.stated_percent:.1f}",
            _share(entry.right),
        )
        for entry in calibrated.bins
    ]
    note = (
        f"Expected calibration error {_estimate(calibrated.error, 3)}; a calibrated scorer stays "
        f"below {calibrated.chance_error:.3f} in 97.5 of 100 sets. Brier score "
        f"{_estimate(calibrated.brier, 3)}. {calibrated.answers:,} answers state a confidence."
    )
    table = _html_table(("Confidence", "answers", "stated, %", "right, %"), rows)
    return f"<p>{escape(note)}</p>{table}"


def _seal(report: RingReport, with_scorer: bool = True) -> str:
    rows = [("Set (SHA-256)", report.set_id), ("Key (SHA-256)", report.key_sha256)]
    if with_scorer:
        rows.append(("Answers (SHA-256)", report.answers_sha256 or "made by TrueHue"))
    items = "".join(f"<p><b>{name}</b> <code>{escape(value)}</code></p>" for name, value in rows)
    note = (
        "The set names the key by its checksum, and the key names the set: neither was changed. "
        "The questions do not tell which color of a rated image is true. The probes of an image tell "
        "its color: a scorer that reads them can hide a bias, and gains no hit. "
        f"The set was made by TrueHue {report.set_version}."
    )
    return f'{items}<p class="soft">{escape(note)}</p>'


def _html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _share(rate: Share) -> str:
    return f"{rate.percent:.1f} ({rate.low:.1f} to {rate.high:.1f})"


def _estimate(estimate: Estimate, digits: int, sign: bool = False) -> str:
    form = f"{'+' if sign else ''}.{digits}f"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:{form}}"
    return f"{estimate.value:{form}} ({estimate.low:{form}} to {estimate.high:{form}})"


def _bold(text: str, p_adjusted: float | None) -> str:
    return f"<b>{text}</b>" if p_adjusted is not None and p_adjusted < 0.05 else text


def _p(p: float | None) -> str:
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
