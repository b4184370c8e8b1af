"""The view of Compare called guidance."""

from __future__ import annotations

TEMPLATE = '<div data-compare-view="guidance" hidden></div>'
BEFORE: tuple[str, ...] = ()
