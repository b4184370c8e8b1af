"""Answers that are no letters: yes or no, and words of one's own."""

from __future__ import annotations

import re

from truehue.core.color.systems import parse_target
from truehue.core.errors import UnknownColor
from truehue.core.vlm.choices import NO_CONCLUSION, REFUSAL, REFUSED
from truehue.core.vlm.claims import is_outcome
from truehue.core.vlm.wording import same

BOTH = "It says both yes and no."
SEVERAL_WORDS = "It gives several answers."
LONGEST = 8
"""An open answer of more words is a text that comes to no conclusion."""

_YES = (
    "yes|yeah|yep|yup|y|true|correct|indeed|affirmative|sí|oui|ja|да|是的|是|对|對|正确|はい|예|네"
)
_NO = (
    "no|nope|n|false|incorrect|wrong|negative|nein|non|нет|不是|不对|不對|否|错误|いいえ|"
    "아니요|아니오"
)
_TOKEN = rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?![^\W\d_]|')"
_LEAD = re.compile(
    rf"\W*{_TOKEN}(?=\W*$|\s*[,.;:!()/—–-]|\s+(?:they|it|the|there|because|since|this|that|these|"
    r"those|both|and|or|i)\b)",
    re.IGNORECASE,
)
_SAID = re.compile(
    rf"(?:\banswer\b[^.\n:]{{0,60}}?(?:\b(?:is|be)\b|[:=])|\banswer\b\s*\n|答案(?:是|:)|"
    r"答え(?:は|:)|\b(?:so|therefore|thus|hence|in conclusion|overall|finally|actually|wait)\b"
    rf"[,:]?|\b(?:it|that|this|statement|claim)\b\s+is(?=\s+(?:true|false|correct|incorrect)\b))"
    rf"\W*{_TOKEN}",
    re.IGNORECASE,
)
_TWO = re.compile(r"\W*(?:yes|no)\s*(?:and|or|/)\s*(?:yes|no)\b", re.IGNORECASE)
CONCLUDED = re.compile(
    r"\b(?:answer|conclusion)\b(?!\s+(?:options|choices))(?:[^.\n:]{0,60}?\b(?:is|be)\b|\W*?[:=]|"
    r"\W*?\n)\s*(?:that it is\s+|it is\s+)?|(?:答案|答え|正解)(?:是|は|:)\s*",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(
    r"(?:(?:it|this|that|he|she|they|there)(?:'s|'re| is| are)|(?:it|they) (?:looks?|appears?|"
    r"seems?)(?: to be)?|i (?:see|think it is|think it's)|the [^.,;:]{1,80}? (?:is|are|looks|"
    r"appears|seems|reads|shows|says)(?: to be)?)\s+(?:colored\s+)?",
    re.IGNORECASE,
)
_EXPLAINED = re.compile(
    r"(?:,|;|\s+[-–—])?\s+(?:which|because|since|as it|with the)\b.*$", re.DOTALL
)
_COLOR_AFTER = re.compile(r"\s+(?:in colou?r|colou?red|colou?r)$", re.IGNORECASE)


def read_binary(text: str) -> tuple[str | None, str]:
    """``yes``, ``no``, or None with the reason. ``text`` is undressed (:mod:`.cleaning`)."""
    said = [(match.end(), _token(match)) for match in _SAID.finditer(text)]
    parts = [part for part in re.split(r"(?<=[.!?:])\s+|\n+", text) if part.strip()]
    if len(parts) > 1 and (last := re.fullmatch(rf"\W*{_TOKEN}\W*", parts[-1], re.IGNORECASE)):
        said.append((len(text), _token(last)))
    if not said and _TWO.match(text):
        return None, BOTH
    first = _LEAD.match(text)
    tokens = ([_token(first)] if first else []) + [token for _, token in said]
    if len(set(tokens)) == 1:
        return tokens[0], ""
    if not tokens:
        return None, REFUSED if REFUSAL.search(text) else NO_CONCLUSION
    end, token = said[-1]
    before = max(
        (stop for stop, other in said if other != token), default=first.end() if first else 0
    )
    return (token, "") if is_outcome(text[before:end]) else (None, BOTH)


def read_open(text: str) -> tuple[str | None, str]:
    """The words of the answer without what introduces them, or None with the reason."""
    concluded = list(CONCLUDED.finditer(text))
    if concluded:
        # Of its last conclusion, the first line.
        phrase = text[concluded[-1].end() :].split("\n")[0]
    elif REFUSAL.search(text):
        return None, REFUSED
    else:
        phrase = text.split("\n")[0] if text.count("\n") == 0 else _only_short_line(text)
    sentence = re.split(r"(?<=[.!?;])\s", phrase.strip())
    if len(sentence) > 1 and not concluded and len(sentence[0].split()) > 4:
        return None, NO_CONCLUSION
    plain = _EXPLAINED.sub("", sentence[0]).strip(" .;:!\"'")
    introduced = _INTRODUCED.match(plain)
    if introduced and introduced.end() < len(plain):
        plain = plain[introduced.end() :]
    plain = _COLOR_AFTER.sub("", plain).strip(" .,;:!\"'")
    if not plain or len(plain.split()) > LONGEST or re.match(r"(?:not|no)\b", plain, re.IGNORECASE):
        return None, NO_CONCLUSION
    if re.search(r"\s(?:or|oder)\s|\w\s*/\s*\w", plain, re.IGNORECASE):
        return None, SEVERAL_WORDS
    return plain, ""


def same_answer(reading: str, expected: str) -> bool:
    """Whether two open answers say the same: the same words in any spelling, the same number, or
    the very same sRGB color, be it by name or code (``DodgerBlue``, ``#1E90FF``)."""
    if same(reading, expected):
        return True
    color = _srgb8(expected)
    return color is not None and color == _srgb8(reading)


def _srgb8(text: str) -> tuple[int, int, int] | None:
    try:
        return parse_target(text).srgb8
    except UnknownColor:
        return None


def _only_short_line(text: str) -> str:
    """The last line of several where it is short, else the whole."""
    last = text.split("\n")[-1]
    return last if len(last.split()) <= 4 else text.replace("\n", " ")


def _token(match: re.Match[str]) -> str:
    return "yes" if match["yes"] else "no"
