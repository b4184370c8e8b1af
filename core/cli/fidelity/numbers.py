"""Lists of numbers as they are typed."""

from __future__ import annotations

from truehue.core.errors import BadInput


def numbers(text: str, option: str) -> tuple[float, ...]:
    """Of "0.5, 1, 2". Raises BadInput, with the option's name, for what is no list of numbers."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"{option} takes numbers with commas, not {text!r:.80}.") from None
