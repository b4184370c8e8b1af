"""Former addresses, which lead to today's."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

TABS = {"ask": "vlm", "judge": "studies"}
"""Former names of tabs in links, with today's."""
ROUTES = {"/api/ask/": "/api/vlm/"}
"""How former routes begin, with how they begin today."""


def current_address(path: str, query: str) -> str | None:
    """Today's path and query of a former address; None for an address of today."""
    for former, current in ROUTES.items():
        if path.startswith(former):
            return f"{current}{path.removeprefix(former)}{'?' if query else ''}{query}"
    values = parse_qsl(query, keep_blank_values=True)
    tab = next((value for name, value in values if name == "tab"), "")
    if path != "/" or tab not in TABS:
        return None
    named = [(name, TABS.get(value, value) if name == "tab" else value) for name, value in values]
    return f"/?{urlencode(named, safe=',:/')}"
