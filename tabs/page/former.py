"""Addresses of before that still lead where they did."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

TABS = {"ask": "vlm", "judge": "studies"}
"""The names that tabs had in links, with today's."""
ROUTES = {"/api/ask/": "/api/vlm/"}
"""How routes began, with how they begin today."""


def current_address(path: str, query: str) -> str | None:
    """Where what was at an address is today: path and query; None where the address is of today."""
    for former, current in ROUTES.items():
        if path.startswith(former):
            return f"{current}{path.removeprefix(former)}{'?' if query else ''}{query}"
    values = parse_qsl(query, keep_blank_values=True)
    if path != "/" or dict(values).get("tab") not in TABS:
        return None
    named = [(name, TABS.get(value, value) if name == "tab" else value) for name, value in values]
    return f"/?{urlencode(named, safe=',:/')}"
