"""The words of the participants' page that a study may replace."""

from __future__ import annotations

import re
from collections.abc import Mapping

from truehue.core.errors import BadInput
from truehue.tabs.participants.wording import words_of

_PLACE = re.compile(r"\{(\w+)\}")


def check_wording(wording: Mapping[str, str], language: str) -> None:
    """Raises BadInput for a name that the page has no word of, and for a text with a place to fill
    in that the page fills nothing into."""
    texts = words_of(language)
    for name, text in wording.items():
        if name not in texts:
            raise BadInput(f"The page has no text called {name[:60]!r}.", "wording")
        unknown = set(_PLACE.findall(text)) - set(_PLACE.findall(texts[name]))
        if unknown:
            raise BadInput(
                f"{{{min(unknown)[:40]}}} is not available in this text. The default is: "
                f"{texts[name]}",
                "wording",
            )
