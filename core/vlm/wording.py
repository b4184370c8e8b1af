"""Equality of two texts: names in any spelling, numbers, color codes."""

from __future__ import annotations

import re
import unicodedata

_ONES = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    "fifteen|sixteen|seventeen|eighteen|nineteen"
)
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
NUMBER_WORDS = {word: str(number) for number, word in enumerate(_ONES.split("|"))} | {
    word: str(10 * number) for number, word in enumerate(_TENS.split("|"), 2)
}
NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE)
_HEX = re.compile(r"(?:hex[ :]*)?(#?[0-9a-f]{6}|#[0-9a-f]{3})")
_TRIPLE = re.compile(
    r"(rgb|hsv|hsl|hsb|lab)?a?(?: values?| codes?)?[ :=]*[(\[]?"
    r"(-?\d+(?:\.\d+)?)[°%]?[, ]\s*(-?\d+(?:\.\d+)?)[°%]?[, ]\s*(-?\d+(?:\.\d+)?)[°%]?[)\]]?"
)
_PAIRS = {"(": ")", "[": "]", '"': '"', "'": "'", "{": "}"}


def with_digits(text: str) -> str:
    """Number words as digits: ``three cars`` is ``3 cars``."""
    return NUMBER_WORD.sub(lambda match: NUMBER_WORDS[match[0].lower()], text)


def fold(text: str) -> str:
    """A text without what makes no difference: case, hyphens and underscores, articles, quotes and
    brackets around it, the full stop after it, the u of British English and the e of grey."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("grey", "gray")
    plain = plain.replace("colour", "color").replace("’", "'").replace("−", "-")
    plain = re.sub(r"(?<=\w)[-_‐-―](?=\w)", " ", plain)
    plain = re.sub(r"\s*([,()%:#°])\s*", r"\1", " ".join(plain.split()))
    while True:
        shorter = plain.strip(" .,;:!?`*")
        if len(shorter) > 2 and _PAIRS.get(shorter[0]) == shorter[-1]:
            inside = shorter[1:-1]
            shorter = inside if "(" not in inside and ")" not in inside else shorter
        if shorter == plain:
            break
        plain = shorter
    plain = re.sub(r"^(?:an?|the) (?=.)", "", plain)
    return NUMBER_WORDS.get(plain, plain)


def _triple(text: str) -> tuple[str, tuple[float, ...]] | None:
    match = _TRIPLE.fullmatch(text)
    return (match[1] or "", tuple(float(match[part]) for part in (2, 3, 4))) if match else None


def _hex(text: str) -> str | None:
    match = _HEX.fullmatch(text)
    digits = match[1].removeprefix("#") if match else ""
    return "".join(sign * 2 for sign in digits) if len(digits) == 3 else digits or None


def same(text: str, other: str) -> bool:
    """Whether two texts say the same: alike when folded, also without the blanks between words, or
    the same hex code, or the same three numbers where not both name different spaces."""
    name, two = fold(text), fold(other)
    if name == two:
        return True
    squeezed = re.compile(r"(?<=[a-z]) (?=[a-z])")
    if name and squeezed.sub("", name) == squeezed.sub("", two):
        return True
    if (code := _hex(name)) and code == _hex(two):
        return True
    first, second = _triple(name), _triple(two)
    if first is None or second is None:
        return False
    return first[1] == second[1] and (first[0] == second[0] or not first[0] or not second[0])


def mention(text: str) -> str:
    """A pattern, to be searched without case, of ``text`` within a sentence: whole words only, so
    that ``red`` is not in ``blue-red``, ``3`` not in ``3.5`` and ``#FF0000`` not in longer codes.

    A choice such as ``rgb(1, 2, 3)`` is also found without its ``rgb``.
    """
    plain = fold(text)
    triple = _triple(plain)
    if triple is not None:
        numbers = [f"{number:g}" for number in triple[1]]
        label = rf"(?:(?:{triple[0]})?a?\s*[(\[]?)" if triple[0] else r"[(\[]?"
        body = r"[°%]?\s*,?\s*".join(re.escape(number) for number in numbers)
        return rf"(?<![\w.]){label}(?<![\d.]){body}(?![\d])(?!\.\d)[°%]?\s*[)\]]?"
    if code := _hex(plain):
        return rf"(?<![\w#])#?{code}(?!\w)"
    pieces = []
    for piece in re.findall(r"\w+|[^\w\s]|\s+", plain):
        if piece.isspace():
            pieces.append(r"[\s_-]*")
        elif re.fullmatch(r"\w+", piece):
            pieces.append(piece.replace("gray", "gr[ae]y").replace("color", "colou?r"))
        else:
            pieces.append(rf"\s*{re.escape(piece)}\s*")
    body = "".join(pieces)
    before = r"(?<![\w#])(?<!\w-)(?<!\d[.,])" if plain[:1].isalnum() else ""
    after = r"(?!\w|-\w|[.,]\d|\s?%)" if plain[-1:].isalnum() else ""
    return f"{before}{body}{after}"
