"""A report as one HTML file that needs no network and lets nothing be fetched.

Its policy allows the two scripts that it holds, by their SHA-256, styles, and pictures inside of
it; a text that looked like markup would be text, and could reach nobody.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.export.report_parts import (
    Block,
    Cell,
    Chart,
    Code,
    Facts,
    Report,
    Shot,
    Shots,
    Table,
    Words,
)
from core.files import whole_file

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "report"
_HEX = re.compile(r"#[0-9A-Fa-f]{6}")


def write_report(report: Report, target: Path | str) -> None:
    """The report at ``target``, whole or not at all. Raises DataFolderError."""
    with whole_file(target) as file:
        for piece in report_html(report):
            file.write(piece.encode())


def report_html(report: Report) -> Iterator[str]:
    """The file in pieces."""
    charts = any(
        isinstance(block, Chart) and block.figure is not None
        for section in report.sections
        for block in section.blocks
    )
    scripts = [_plotly(), _asset("report.js")] if charts else []
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in scripts) or "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(report.title)}</title>\n<style>{_asset('report.css')}</style>\n</head>\n"
        f'<body>\n<header><p class="brand">TrueHue</p><h1>{escape(report.title)}</h1>'
        f'<p class="soft">{escape(report.below)}</p></header>\n'
    )
    number = 0
    for section in report.sections:
        yield f"<section><h2>{escape(section.title)}</h2>\n"
        open_charts = False
        for block in section.blocks:
            if isinstance(block, Chart) != open_charts:
                open_charts = not open_charts
                yield '<div class="charts">' if open_charts else "</div>\n"
            if isinstance(block, Chart):
                number += 1
                yield from _chart(block, f"figure-{number}")
            else:
                yield from _block(block)
        yield ("</div>" if open_charts else "") + "</section>\n"
    for script in scripts:
        yield f"<script>{script}</script>\n"
    yield "</body>\n</html>\n"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Words):
        kind = ' class="soft"' if block.soft else ""
        yield f"<p{kind}>{escape(block.text)}</p>\n"
    elif isinstance(block, Facts):
        pairs = (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in block.pairs)
        yield f"<dl>{''.join(pairs)}</dl>\n"
    elif isinstance(block, Table):
        yield from _table(block)
    elif isinstance(block, Shots):
        yield f'<h3>{escape(block.title)}</h3>\n<div class="shots">'
        yield from (_shot(shot) for shot in block.shots)
        yield "</div>\n"
    elif isinstance(block, Code):
        yield f"<pre>{escape(block.text)}</pre>\n"


def _table(table: Table) -> Iterator[str]:
    tag = f' <span class="tag">{escape(table.tag)}</span>' if table.tag else ""
    title = f"<h3>{escape(table.title)}{tag}</h3>\n" if table.title else ""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.head)
    kind = ' class="even"' if table.even else ""
    yield f'{title}<div class="scroll"><table{kind}><thead><tr>{head}</tr></thead><tbody>'
    for first, *rest in table.rows:
        cells = "".join(f"<td{_kind(cell)}>{_cell(cell)}</td>" for cell in rest)
        yield f'<tr><th scope="row"{_kind(first)}>{_cell(first)}</th>{cells}</tr>'
    note = f'<p class="soft">{escape(table.note)}</p>\n' if table.note else ""
    yield f"</tbody></table></div>\n{note}"


def _kind(cell: Cell) -> str:
    return ' class="words"' if cell.words else ""


def _cell(cell: Cell) -> str:
    below = f"<small>{escape(cell.below)}</small>" if cell.below else ""
    return escape(cell.text) + below


def _chart(chart: Chart, name: str) -> Iterator[str]:
    yield f'<div class="chart"><h3>{escape(chart.title)}</h3>'
    yield f'<p class="soft">{escape(chart.words)}</p>' if chart.words else ""
    if chart.figure is None:
        yield f"<p>{escape(chart.empty)}</p>"
    else:
        yield f'<div class="plot" data-figure="{name}"></div>'
        yield f'<script type="application/json" id="{name}">{inert_json(chart.figure)}</script>'
    yield f'<p class="soft">{escape(chart.source)}</p>' if chart.source else ""
    yield "</div>\n"


def _shot(shot: Shot) -> str:
    if shot.picture:
        source = "data:image/png;base64," + base64.b64encode(shot.picture).decode("ascii")
        shown = f'<img src="{source}" alt="{escape(shot.text)}">'
    else:
        shown = f"<span>{escape(shot.missing)}</span>"
    number = f'<span class="number">{escape(shot.number)}</span>'
    names = f"<span>asked {escape(shot.asked_name)}</span>{number}"
    return (
        f'<figure><div class="frame">{shown}</div><div class="pair">'
        f"{_swatch('asked', shot.asked_hex)}{_swatch('found', shot.found_hex)}</div>"
        f'<figcaption><b>{escape(shot.name)}</b><div class="names">{names}</div>'
        f'<p>{escape(shot.told)}</p><p class="soft">{escape(shot.text)}</p></figcaption>'
        "</figure>"
    )


def _swatch(role: str, hexed: str) -> str:
    if not _HEX.fullmatch(hexed):
        return f'<i class="none" title="{role}: nothing">–</i>'
    return f'<i title="{role}: {hexed}" style="background:{hexed}"></i>'


def inert_json(value: Any) -> str:
    """JSON that cannot end the script element that it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def _plotly() -> str:
    from importlib.util import find_spec

    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise BadInput("A report needs plotly: pip install -r requirements.txt")
    path = Path(spec.origin).parent / "package_data" / "plotly.min.js"
    return _inert_script(path.read_text(encoding="utf-8"))


@cache
def _asset(name: str) -> str:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return _inert_script(text) if name.endswith(".js") else text


def _inert_script(text: str) -> str:
    """A script in which the browser finds no end of its element and no comment of HTML's."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"<(?=/script|script|!--)", r"\\x3c", text, flags=re.IGNORECASE)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
