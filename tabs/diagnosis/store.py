"""The reports of diagnoses that are at hand: the one that is shipped, and those of this machine."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from truehue.core.diagnosis.records import DiagnosisReport
from truehue.core.errors import BadInput
from truehue.tabs.page.context import ROOT

log = logging.getLogger("truehue")

SHIPPED = "shipped"
SHIPPED_FILE = ROOT / "assets" / "diagnosis" / "report.json"
TRACED_FILE = SHIPPED_FILE.with_name("path_traced.json")


@dataclass(frozen=True)
class StoredReport:
    """A report at hand; ``name`` says whose it is."""

    id: str
    name: str
    path: Path


def stored_reports(folder: Path) -> list[StoredReport]:
    """The shipped report, if there is one, and those made on this machine, newest first.

    ``folder`` holds a folder for each run. A file of it that is no report goes to the log.
    """
    reports = (
        [StoredReport(SHIPPED, "Shipped with TrueHue", SHIPPED_FILE)]
        if SHIPPED_FILE.is_file()
        else []
    )
    runs = []
    for path in folder.glob("*/report.json"):
        try:
            report = read_report(path)
        except BadInput as error:
            log.warning("%s: %s", path, error)
            continue
        runs.append((report.created_at, path, f"This machine, {_about_run(report)}"))
    return reports + [
        StoredReport(path.parent.name, name, path) for _, path, name in sorted(runs)[::-1]
    ]


def read_report(path: Path) -> DiagnosisReport:
    """The report in a file. Raises BadInput where it is damaged, of another schema, or gone."""
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise BadInput(f"The report {path.name} cannot be read: {error.strerror}.") from error


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> DiagnosisReport:
    try:
        return DiagnosisReport.from_json(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise BadInput(f"The report {path.name} is no JSON: {error}. Make it again.") from error


def _about_run(report: DiagnosisReport) -> str:
    created_at = datetime.fromisoformat(report.created_at)
    size = f"every {_nth(report.every)} color" if report.every > 1 else "all colors"
    return f"{created_at:%d %b %Y %H:%M}, {size}"


def _nth(number: int) -> str:
    last = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if 10 < number % 100 < 14 else last.get(number % 10, 'th')}"
