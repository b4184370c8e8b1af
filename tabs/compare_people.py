"""The view of Compare called people."""

from __future__ import annotations

TEMPLATE = '<div data-compare-view="people" hidden></div>'
BEFORE: tuple[str, ...] = ()
