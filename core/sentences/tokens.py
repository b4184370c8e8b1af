"""A sentence as words and signs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from truehue.core.color.systems import ColorTarget
from truehue.core.errors import UnknownColor
from truehue.core.sentences.vocabulary import number_color

MOST_WORDS = 2_000
"""Words that are read; what follows in a very long text is left."""

_TOKEN = re.compile(r"#[0-9A-Za-z]+|rgb\s*\([^()]*\)?|(-?)([^\W_]+)|(['’]s)\b|([,.;:!?()]|\n)")


@dataclass(frozen=True)
class Token:
    """A word in lower case, or a sign; ``glued`` by a hyphen to the one before."""

    text: str
    glued: bool = False
    sign: bool = False
    color: ColorTarget | None = None


def tokens_of(text: str) -> tuple[Token, ...]:
    """The words and signs of a text, the first :data:`MOST_WORDS` of them."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        word, hyphen = match[2], match[1] == "-"
        if word:
            tokens.append(Token(word.lower().replace("grey", "gray"), hyphen))
        elif match[3]:
            tokens.append(Token("is"))
        elif match[4]:
            tokens.append(Token(match[4], sign=True))
        else:
            tokens.append(_number(match[0]))
        if len(tokens) >= MOST_WORDS:
            break
    return tuple(tokens)


def _number(text: str) -> Token:
    try:
        return Token(text, color=number_color(text))
    except UnknownColor:
        return Token(text, sign=True)
