"""A report as one HTML file that needs no network and lets nothing be fetched.

What it looks like is in ``assets/report``: a template, a style and a script.

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
from pathlib import Path
from typing import Any, get_args

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from truehue.core.errors import BadInput
from truehue.core.export.report_parts import Block, Chart, Report
from truehue.core.files import whole_file

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
    return _template().generate(
        report=report, policy=policy, style=_asset("report.css"), scripts=scripts
    )


@cache
def _template() -> Template:
    """``assets/report/report.html``; every value that it does not call safe is escaped in it.

    A block is tested by the name of its class: ``block is chart``.
    """
    files = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    files.filters |= {"base64": _base64, "inert_json": inert_json}
    files.tests["hex_color"] = lambda text: _HEX.fullmatch(text) is not None
    for kind in get_args(Block):
        files.tests[kind.__name__.lower()] = lambda block, kind=kind: isinstance(block, kind)
    return files.get_template("report.html")


def _base64(stored: bytes) -> str:
    return base64.b64encode(stored).decode("ascii")


def inert_json(value: Any) -> str:
    """JSON that cannot end the script element that it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def _plotly() -> str:
    return _inert_script(_plotly_file().read_text(encoding="utf-8"))


def plotly_bytes() -> int:
    """How large the plotting library is, which is most of a report."""
    return _plotly_file().stat().st_size


def _plotly_file() -> Path:
    from importlib.util import find_spec

    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise BadInput("A report needs plotly: pip install -r requirements.txt")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


@cache
def _asset(name: str) -> str:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return _inert_script(text) if name.endswith(".js") else text


def _inert_script(text: str) -> str:
    """A script in which the browser finds no end of its element and no comment of HTML's."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"<(?=/script|script|!--)", r"\\x3c", text, flags=re.IGNORECASE)


def _digest(script: str) -> str:
    return _base64(hashlib.sha256(script.encode()).digest())
