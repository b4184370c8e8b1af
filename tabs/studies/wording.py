"""The words of the participants' page, which a study may replace: read from the page's own files,
so that there is one list of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from core.errors import BadInput
from tabs.page.context import ROOT

FOLDER = ROOT / "assets" / "js" / "participants"
FILES = ("words", "vote_words", "coloring_words", "question_words")
_ENTRY = re.compile(r"^  (\w+):\s*'((?:[^'\\\n]|\\.)*)',$", re.MULTILINE)
_ENTRY_IN_QUOTES = re.compile(r'^  (\w+):\s*"((?:[^"\\\n]|\\.)*)",$', re.MULTILINE)
_PLACE = re.compile(r"\{(\w+)\}")


@cache
def words_of(language: str) -> Mapping[str, str]:
    """The words of the page in a language, by name."""
    words: dict[str, str] = {}
    for name in FILES:
        # English is in a module that is always loaded: it is there when another cannot be.
        file = f"{name}.js" if language == "en" else f"{name}_{language}.js"
        text = (FOLDER / file).read_text(encoding="utf-8")
        by_place = {
            entry.start(): (entry[1], re.sub(r"\\(.)", r"\1", entry[2]))
            for pattern in (_ENTRY, _ENTRY_IN_QUOTES)
            for entry in pattern.finditer(text)
        }
        words |= dict(by_place[place] for place in sorted(by_place))
    return words


def check_wording(wording: Mapping[str, str], language: str) -> None:
    """Raises BadInput for a name that the page has no word of, and for a text with a place to fill
    in that the page fills nothing into."""
    words = words_of(language)
    for name, text in wording.items():
        if name not in words:
            raise BadInput(f"The page has no word called {name[:60]!r}.", "wording")
        unknown = set(_PLACE.findall(text)) - set(_PLACE.findall(words[name]))
        if unknown:
            raise BadInput(
                f"{{{min(unknown)[:40]}}} is not filled in there. The page says: {words[name]}",
                "wording",
            )
