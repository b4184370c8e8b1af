"""What a question itself denies, and an answer that repeats it: "What color does not exist …?".

Of such a question a choice that is said to be absent is an answer, and one that is said to be
present is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from truehue.core.vlm.claims import Choices

_NOT = r"(?:not|never|no longer|n't|cannot)"
_ASKED = re.compile(
    r"\b(?:what|which|who|whose|where|select|choose|name|identify|find)\b[^.?!\n]*?"
    r"(?:(?<!\bor )(?<!whether )\b(?:not|never|no|cannot|without|lacks?|missing|absent)\b|n't\b)"
    r"(?P<rest>[^.?!\n]*)",
    re.IGNORECASE,
)
_EXISTS = re.compile(
    r"\b(?:exist|exists|present|appear|appears|visible|seen|found|shown|contain|contains|"
    r"contained|include|includes|included|used|there|have|has|occur|occurs|missing|absent|lacks?|"
    r"part|displayed|depicted|in|on|among)\b",
    re.IGNORECASE,
)
_PRESENT = (
    r"present|visible|seen|found|shown|displayed|depicted|included|contained|used|featured|there|"
    r"part of|exist(?:s|ing)?|appear(?:s|ing)?|occurs?|observed|represented|among|in (?:the|this|"
    r"that|any|it)|on (?:the|this|that|any|it)|anywhere"
)
_COMMON = re.compile(
    r"the|this|that|these|those|and|with|from|image|picture|photo|scene|colou?rs?|there|shown|"
    r"following|does|exist|which|what|have|has|been|are|was|were|any"
)
_BE = r"(?:is|are|was|were|be|been|being|does|do|did|has|have|can be|could be|seems|appears|to be)"
_ADVERB = (
    r"(?:(?:all|both|each|clearly|indeed|also|definitely|actually|really|to|be|being|seem)\s+)"
)
_JOINED = re.compile(
    r"[\s,;/&()\"']*(?:\b(?:and|or|as well as|plus)\b[\s(\"']*)?(?:\b(?:the|both|a|an|some)\b\s+)?"
)
_EXCEPT = re.compile(
    r"(?:\b(?:no|not|without|except(?: for)?|excluding|but|besides|apart from|other than|neither|"
    r"nor|lacks?|lacking|missing|any)\b|n't\b)(?:\s+(?:the|any|a|an|for|colou?rs?))*[\s(\"']*$",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(
    r"(?<!no )(?<!not )\b(?:there (?:is|are)|there's|contains?|shows?|includes?|features?|has|have|"
    r"i (?:can )?see|with|consists? of|we see|exist|visible are|present are|seen are)\s+"
    r"(?:(?:the|both|some|all|only|colou?rs?|a lot of|shades of|following|like|such as|parts?)"
    r"[\s:,(]+)*[\s(\"']*$",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\W*(?:is|are) the (?:most|main|dominant|primary|predominant|largest|brightest)\b",
    re.IGNORECASE,
)
"""What has most of an image is in it."""
_TOO = re.compile(r"\b(?:so|as) (?:is|are|does|do)\s+(?:the\s+)?$", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|never|cannot|no)\b|n't\b", re.IGNORECASE)
_OTHERS = "others"
"""Stands for what an answer to such a question says to be there."""


@dataclass(frozen=True)
class Denial:
    """What a question denies. ``said`` matches it without its denial, such as ``visible``."""

    said: str
    presence: bool

    def without(self, text: str, choices: Choices) -> str:
        """An answer's text without the denial that repeats the question's, and without the choices
        that it affirms, which are those that were not asked for."""
        text = self._affirmed_removed(text, choices)
        verb = rf"\s+(?:is|are|does|do)\s*{_NOT}(?:\s*(?:[.,;!)]|$)|\s+(?:{self.said})\b)"
        # "C is not." names C.
        lone = rf"(?<![\w'(])([{choices.letters}])(?={verb})"
        text = re.sub(lone, r"(\1)", text, flags=re.MULTILINE)
        return self._echoes_removed(text)

    def _affirmed_removed(self, text: str, choices: Choices) -> str:
        for start, end in reversed(_lists(text, choices)):
            before, after = text[max(0, start - 60) : start], text[end : end + 80]
            if _EXCEPT.search(before):
                continue
            said_after = re.match(
                rf"\W*(?:{_BE}\s+)?{_ADVERB}*(?:{self.said})\b|\s*[-–:,]?\s*yes\b",
                after,
                re.IGNORECASE,
            )
            too = _TOO.search(before)
            introduced = self.presence and _INTRODUCED.search(before)
            denied = introduced and _DENIED.search(before[max(0, introduced.start() - 12) :])
            if (
                said_after
                or too
                or (self.presence and _MOST.match(after))
                or self._described(before)
                or (introduced and not denied)
            ):
                text = f"{text[:start]}{_OTHERS}{text[end:]}"
        return text

    def _described(self, before: str) -> bool:
        """Whether it goes on with what "the color that exists in the image is"."""
        match = re.search(
            rf"\b(?:that|which)\s+(?:{_BE}\s+)?{_ADVERB}*(?:{self.said})\b[^.;:,]*\b(?:is|are):?"
            r"[\s(\"']*$",
            before,
            re.IGNORECASE,
        )
        return match is not None and not _DENIED.search(match[0])

    def _echoes_removed(self, text: str) -> str:
        said = rf"(?=\s+(?:\w+\s+){{0,2}}?(?:{self.said})\b)"
        verb = rf"\b(?:{_BE}|could|can|ca)\s*(?:{_NOT})"
        text = re.sub(rf"{verb}{said}", "is", text, flags=re.IGNORECASE)
        text = re.sub(rf"\b(?:not|never){said}|\bcannot(?= be\b)", "", text, flags=re.IGNORECASE)
        # "blue is not."
        ended = rf"\b(?:is|are|does|do)\s*(?:{_NOT})(?=\s*(?:[.,;!)]|$))"
        text = re.sub(ended, "is", text, flags=re.IGNORECASE | re.MULTILINE)
        if not self.presence:
            return text
        text = re.sub(
            r"\b(?:do|does|did|can|could)\s*(?:not|n't)\s+(?=(?:see|find|spot|contain|include|have|"
            r"show|feature|detect)\b(?!\s+(?:the\s+)?(?:image|answer|picture|photo)\b))",
            "",
            text,
            flags=re.IGNORECASE,
        )
        return re.sub(
            r"\b(?:no|except(?: for)?|without|lacks?|lacking|but not|apart from|other than)\b"
            r"(?=\s+(?:any\s+|the\s+|an?\s+)?[\w(⟦])(?!\s+(?:image|answer|idea|way|one|the above))",
            "",
            text,
            flags=re.IGNORECASE,
        )


@lru_cache(maxsize=4_096)
def denial_of(question: str) -> Denial | None:
    """What a question denies; None for one that denies nothing, as "… the same or not?"."""
    match = _ASKED.search(question)
    if not match:
        return None
    if re.search(r"\bor\s+(?:not|no)\b", match[0], re.IGNORECASE):
        return None
    parts = re.findall(r"[a-z]+", match["rest"].casefold())
    own = [re.escape(word) for word in parts if len(word) > 2 and not _COMMON.fullmatch(word)]
    before = re.findall(r"[a-z]+", question[match.start() : match.start("rest")].casefold())
    # What stands beside the denial: "the sky in the picture with no clouds" denies no color.
    near = [*before[-2:], *parts[:3]]
    presence = not parts or bool(_EXISTS.search(" ".join(near)))
    return Denial("|".join([*own, *([_PRESENT] if presence else [])]) or _PRESENT, presence)


def _lists(text: str, choices: Choices) -> list[tuple[int, int]]:
    """Where a text names choices, by words or by letters; those that are joined by commas and "and"
    are one."""
    spans = [(start, end) for start, end, _ in choices.mentions(text)]
    spans += [
        match.span() for match in re.finditer(rf"(?<![\w'])\(?[{choices.letters}]\b\)?(?!')", text)
    ]
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and (start <= joined[-1][1] or _JOINED.fullmatch(text, joined[-1][1], start)):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
