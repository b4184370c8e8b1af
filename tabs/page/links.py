"""Links that open a view again: plain query strings, short enough to paste into a paper."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from truehue.core.prompts.prompt import MAX_PROMPT_CHARACTERS

MAX_CHARACTERS = 1000
ID_LENGTH = 16
"""Characters of an id that a link carries; storage takes any unique prefix of at least 8."""


def link(tab: str, values: Mapping[str, str | int | None]) -> str:
    """``?tab=inspect&image=…`` with the values that are not empty, in the order given."""
    pairs = [("tab", tab)]
    pairs += [(key, str(value)) for key, value in values.items() if value not in (None, "")]
    return "?" + urlencode(pairs, quote_via=quote, safe=":,")


def read(query: Mapping[str, str]) -> dict[str, str]:
    """The known parameters of a query, without blanks, each up to its length.

    What is empty is left out, but for object, color and text of Generate: there an empty field is
    what was on screen.
    """
    fields = (
        "tab",
        "image",
        "mask",
        "target",
        "relation",
        "object",
        "rule",
        "k",
        "system",
        "light",
        "seed",
        "size",
        "model",
        "text",
        "seeds",
        "guidance",
        "steps",
        "failure",
        "cfr",
        "cfr_map",
        "cfr_variant",
        "cfr_at",
        "limits",
    )
    values = {
        key: query[key].strip()[: MAX_PROMPT_CHARACTERS if key == "text" else MAX_CHARACTERS]
        for key in fields
        if key in query
    }
    blank_fields = ("object", "target", "text") if values.get("tab") == "generate" else ()
    return {key: value for key, value in values.items() if value or key in blank_fields}


def whole(text: str, limit: int) -> int | None:
    """A whole number from 0 to ``limit`` in plain digits, None for anything else."""
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        return None
    return int(text) if int(text) <= limit else None
