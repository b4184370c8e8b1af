"""The view of Compare called modifiers."""

from __future__ import annotations

TEMPLATE = '<div data-compare-view="modifiers" hidden></div>'
BEFORE: tuple[str, ...] = ()
