"""The view of Compare called tables."""

from __future__ import annotations

TEMPLATE = '<div data-compare-view="tables" hidden></div>'
BEFORE: tuple[str, ...] = ()
