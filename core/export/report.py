"""The records of a report. All text is plain text: the writer escapes it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from truehue.core.errors import BadInput
from truehue.core.files import whole_file
from truehue.core.packages import how_to_install


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; ``soft`` for what explains."""

    text: str
    soft: bool = False


@dataclass(frozen=True)
class Facts:
    """Names and values, one below the other."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Cell:
    """A cell of a table; ``below`` is smaller, such as an interval."""

    text: str
    below: str = ""
    words: bool = False


@dataclass(frozen=True)
class Table:
    """A table. The first cell of a row names it; ``tag`` stands beside the title. ``even`` tables
    have equally wide columns, so that two of them can be compared."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    tag: str = ""
    even: bool = False


@dataclass(frozen=True)
class Chart:
    """A figure as ``assets/js/shared/chart.js`` draws it, or ``empty``, why there is none."""

    title: str
    words: str
    figure: Mapping[str, Any] | None = None
    empty: str = ""
    source: str = ""


@dataclass(frozen=True)
class FailureExample:
    """An image that failed: ``picture`` is a PNG, or empty where it is not at hand.

    ``asked_hex`` and ``found_hex`` stand side by side; the latter is empty where nothing was found.
    """

    picture: bytes
    missing: str
    text: str
    name: str
    asked_name: str
    asked_hex: str
    found_hex: str
    number: str
    told: str


@dataclass(frozen=True)
class FailureExamples:
    """Images under one title."""

    title: str
    examples: tuple[FailureExample, ...]


@dataclass(frozen=True)
class Code:
    """Text as it is, such as BibTeX."""

    text: str


Block = Paragraph | Facts | Table | Chart | FailureExamples | Code


@dataclass(frozen=True)
class Section:
    """Blocks under one heading."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """A whole report."""

    title: str
    below: str
    sections: tuple[Section, ...]


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
    scripts = [_plotly(), _drawing()] if charts else []
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
    files.filters |= {"base64": _base64, "inert_json": escape_json_for_script}
    files.tests["hex_color"] = lambda text: _HEX.fullmatch(text) is not None
    for kind in get_args(Block):
        files.tests[kind.__name__.lower()] = lambda block, kind=kind: isinstance(block, kind)
    return files.get_template("report.html")


def _base64(stored: bytes) -> str:
    return base64.b64encode(stored).decode("ascii")


def escape_json_for_script(value: Any) -> str:
    """JSON that cannot end the script element that it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def _plotly() -> str:
    return _inert_script(_plotly_file().read_text(encoding="utf-8"))


@cache
def _drawing() -> str:
    """The page's own module of charts, and what draws them in a report."""
    module = (FOLDER.parent / "js" / "shared" / "chart.js").read_text(encoding="utf-8")
    return _inert_script(module) + _asset("report.js")


def plotly_bytes() -> int:
    """How large the plotting library is, which is most of a report."""
    return _plotly_file().stat().st_size


def _plotly_file() -> Path:
    from importlib.util import find_spec

    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise BadInput(how_to_install(["plotly"], "write a report"))
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
