"""What leaves TrueHue, and what comes back: tables, archives, reports, references.

``write`` exports runs from their folders; :mod:`core.export.archive_import.archive` makes a run's
folder of an archive; :mod:`core.export.report` writes a report that was put together elsewhere.
"""

from __future__ import annotations

from core.export.writing import FORMATS, write

__all__ = ["FORMATS", "write"]
