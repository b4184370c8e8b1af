"""The view of Compare called concept."""

from __future__ import annotations

TEMPLATE = '<div data-compare-view="concept" hidden></div>'
BEFORE: tuple[str, ...] = ()
