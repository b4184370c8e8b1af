"""Which part of a long prompt the text encoders do not read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_QUOTED = 40
_SPECIAL = 8


def notes_on_cut(text: str, tokenizers: Mapping[str, Any], limits: Mapping[str, int]) -> list[str]:
    """A sentence for each length at which encoders stop reading ``text``; empty when all is read.

    ``tokenizers`` and ``limits`` (tokens, special ones included) are keyed by the part's name.
    """
    names: dict[tuple[int, int], list[str]] = {}
    whole = []
    for name, limit in limits.items():
        tokenizer = tokenizers.get(name)
        if tokenizer is None:
            continue
        read = _characters_read(text, tokenizer, limit)
        if read < len(text.rstrip()):
            names.setdefault((read, limit), []).append(name)
        else:
            whole.append(name)
    out = []
    for (read, limit), cut in sorted(names.items()):
        rest = f" (Read as a whole by {' and '.join(whole)}.)" if whole else ""
        out.append(
            f"The prompt was cut at {limit} tokens for {' and '.join(cut)}: the last "
            f"{len(text) - read:,} of {len(text):,} characters were not read, from "
            f"“{_shortened(text[read:])}” on.{rest}"
        )
    return out


def _characters_read(text: str, tokenizer: Any, limit: int) -> int:
    # No tokenizer makes more tokens of plain text than characters, plus a few special ones.
    if text.isascii() and len(text) + _SPECIAL <= limit:
        return len(text)
    if getattr(tokenizer, "is_fast", False):
        found = tokenizer(text, truncation=True, max_length=limit, return_offsets_mapping=True)
        ends = [int(end) for _, end in found["offset_mapping"]]
        # An unknown character at the very end has no token; what follows the last token is read.
        cut = len(tokenizer(text, truncation=False, verbose=False)["input_ids"]) > limit
        return max(ends, default=0) if cut else len(text)
    ids = tokenizer(text, add_special_tokens=False, truncation=False)["input_ids"]
    room = limit - len(tokenizer("")["input_ids"])
    if len(ids) <= room:
        return len(text)
    return min(len(tokenizer.decode(ids[:room])), len(text))


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _QUOTED else text[:_QUOTED].rstrip() + "…"
