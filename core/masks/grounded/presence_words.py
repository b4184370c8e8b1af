"""The words of presence: a question an object, and what an answer means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from core.errors import BadInput
from core.masks.grounded.records import Answer
from core.prompts.words import article

Protocol = Literal["paper", "released", "truehue"]
_UNKNOWN: Mapping[str, bool | None] = MappingProxyType(
    {"paper": None, "released": False, "truehue": None}
)

MAX_NAME_CHARACTERS = 200
_LEADING_ARTICLE = re.compile(r"^(?:an?|the)\s+(?=\S)", re.IGNORECASE)
_SINGULAR_S = frozenset(("atlas", "canvas", "gas", "iris", "lens", "oasis", "tennis", "thermos"))
_PLURAL_OTHERWISE = frozenset(
    ("children", "feet", "geese", "men", "mice", "people", "teeth", "women")
)
# Among them those of the bundled prompts that take neither article nor plural.
_NOT_COUNTED = (
    "arugula asparagus bamboo basil beer bread broccoli butter celery cereal cheese chocolate choy "
    "clothing coffee corn furniture garlic grass honey ivy jasmine jelly jewelry juice kale "
    "lavender lettuce luggage milk mint moss oatmeal okra parsley pasta rice salt sand seaweed "
    "snow spinach straw sugar sushi tea toast water wheat wood yogurt"
)
_NO_ARTICLE = frozenset(_NOT_COUNTED.split())
_FIRST_WORD = re.compile(r"\W*(yes|no)\b(?!\s*(?:/|,?\s*or\b)\s*(?:yes|no)\b)", re.IGNORECASE)


def question(object_name: str) -> str:
    """``"Is there a car in the image? Answer yes or no."``

    The paper's words (section 3.4, "Is there a car in the image") and what makes the answer one
    word. ``"Are there skis ..."`` for plurals, no article for what is not counted. Raises BadInput
    for an empty name or one of more than 200 characters.
    """
    name = _LEADING_ARTICLE.sub("", " ".join(object_name.split()))
    if not name:
        raise BadInput("The object has no name. Write what to look for, as in: car.")
    if len(name) > MAX_NAME_CHARACTERS:
        raise BadInput(
            f"The object's name has {len(name):,} characters, {MAX_NAME_CHARACTERS} at most."
        )
    last = name.rpartition(" ")[2].casefold()
    if _is_plural(last):
        asked = f"Are there {name}"
    elif last in _NO_ARTICLE:
        asked = f"Is there {name}"
    else:
        asked = f"Is there {article(name)} {name}"
    return f"{asked} in the image? Answer yes or no."


def parsed(text: str) -> Answer:
    """What a model said: its first word decides. What begins with neither yes nor no, or repeats
    the choice ("yes or no"), is ``unknown``, never guessed."""
    found = _FIRST_WORD.match(text)
    if found is None:
        return "unknown"
    return "yes" if found[1].lower() == "yes" else "no"


def present(answer: Answer, protocol: str) -> bool | None:
    """Whether an answer counts as present; None leaves the image unscored.

    An unknown answer is absence in the ``released`` code (PROTOCOLS 1.3); the ``paper`` says
    nothing of it, and ``truehue`` judges nothing that was not answered. Raises BadInput for another
    protocol.
    """
    if protocol not in _UNKNOWN:
        raise BadInput(f"There is no protocol {protocol!r:.60}: {', '.join(_UNKNOWN)}.")
    return _UNKNOWN[protocol] if answer == "unknown" else answer == "yes"


def _is_plural(word: str) -> bool:
    if word in _PLURAL_OTHERWISE:
        return True
    return word.endswith("s") and not word.endswith(("ss", "us")) and word not in (
        _SINGULAR_S | _NO_ARTICLE
    )  # fmt: skip
