"""What leaves TrueHue, and what comes back: tables, archives, reports, references.

``write`` exports runs from their folders; :mod:`truehue.core.export.archive_import.archive` makes a
run's folder of an archive; :mod:`truehue.core.export.report` writes a report that was put together
elsewhere.
"""

from __future__ import annotations

from truehue.core.export.writing import FORMATS, write

__all__ = ["FORMATS", "write"]
