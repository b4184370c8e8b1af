"""The words of a prompt: articles that fit, and color names as people write them."""

from __future__ import annotations

import re

from core.color.systems import ColorTarget
from core.prompts.tables import css_words

_ARTICLE = re.compile(r"\b([Aa])n?(?= ([A-Za-z]+))")
_VOWEL_LETTER = re.compile(r"[aeiou]", re.IGNORECASE)
# Spelled with a vowel and spoken with a consonant, and the other way round.
_SPOKEN_CONSONANT = re.compile(r"uni(?![mn])|us[aeu]|eu|ewe|one\b|once\b", re.IGNORECASE)
_SILENT_H = re.compile(r"hour|honest|hono|heir", re.IGNORECASE)


def article(word: str) -> str:
    """``"an"`` before ``word`` where English wants it, else ``"a"``: an hour, a unicorn."""
    if _SILENT_H.match(word):
        return "an"
    return "an" if _VOWEL_LETTER.match(word) and not _SPOKEN_CONSONANT.match(word) else "a"


def with_articles(sentence: str) -> str:
    """The sentence with every ``a`` and ``an`` made to fit the word after it.

    Only whole words are touched, and their capital is kept. Before a sign that is no letter
    (``A #FF0000``) the article stays as it is.
    """
    return _ARTICLE.sub(lambda found: found[1] + article(found[2])[1:], sentence)


def color_words(color: ColorTarget) -> str:
    """A named color inside a sentence: ``"vivid red"``, ``"light goldenrod yellow"``; else hex."""
    if color.name is None:
        return color.hex
    return css_words()[color.name] if color.system == "css" else color.name.lower()
