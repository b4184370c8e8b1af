"""Export and import: tables, archives, reports, references.

``write`` exports runs from their folders. :mod:`truehue.core.export.archive_import` turns an
archive into a run's folder. :mod:`truehue.core.export.report` has the records of a report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from truehue.core.errors import BadInput
from truehue.core.export.bibliography import references
from truehue.core.export.source import runs_of, short_text
from truehue.core.files import ReportProgress, ignore_progress, whole_file
from truehue.core.runs.folder import RunFolder

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "csv": "a table, one row per object, rule and image; colors of concepts in a second one",
        "parquet": "the same tables as Parquet",
        "zip": "an archive that others can import",
        "html": "a report with figures and failures, one file",
        "bib": "what to cite, as BibTeX",
    }
)
"""The formats with what each is. ``html`` needs the database: see truehue.tabs.export.service."""


def write(
    folders: RunFolder | Sequence[RunFolder],
    format: str,
    target: Path | str,
    *,
    with_images: bool = False,
    progress: ReportProgress = ignore_progress,
) -> str:
    """Exports runs to the file ``target``; tables get their codebook beside it, and ``NAME-colors``
    with the colors of concepts, where there are any. Returns what is to be said of it: how many
    images have no result yet, or nothing.

    ``format`` is ``csv``, ``parquet``, ``zip`` (of one run; ``with_images`` packs its images and
    masks) or ``bib``. Raises BadInput for another one, or for a run whose folder is damaged, and
    DataFolderError where the file cannot be written; no half of a file is left then.
    """
    # The storage needs this package for its records of sources: it opens without the tables.
    from truehue.core.export.archive import write_archive
    from truehue.core.export.tables import write_csv, write_parquet

    runs = runs_of(folders)
    if format == "csv":
        write_csv(runs, target, progress)
    elif format == "parquet":
        write_parquet(runs, target, progress)
    elif format == "zip":
        if len(runs) > 1:
            raise BadInput("An archive holds one run. Export the others one by one.")
        write_archive(runs[0], target, with_images, progress)
    elif format == "bib":
        _write_text(target, references(runs))
        return ""
    else:
        names = ", ".join(name for name in FORMATS if name != "html")
        raise BadInput(f"There is no format {format[:40]!r} here. Choose one of: {names}.")
    return " ".join(filter(None, (short_text(run) for run in runs)))


def _write_text(target: Path | str, text: str) -> None:
    with whole_file(target) as file:
        file.write(text.encode())
