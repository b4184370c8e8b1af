"""Text in CSV files that a spreadsheet would take for a formula."""

from __future__ import annotations

from typing import Any

STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What a formula may begin with. Source: OWASP, CSV Injection."""


def guarded(text: str) -> str:
    """The text with ``'`` before it where a spreadsheet would run it as a formula."""
    return f"'{text}" if text.startswith(STARTS) else text


def unguarded(text: str) -> str:
    """What :func:`guarded` was given."""
    return text[1:] if text[:1] == "'" and text[1:].startswith(STARTS) else text


def cell(value: Any) -> Any:
    """A value for a CSV: floats with six significant digits, nothing for None, text guarded."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return guarded(value)
    return "" if value is None else value
