"""Find the statement of the answer in a model's reply to a multiple-choice question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from truehue.core.vlm.wording import fold

Target = frozenset[str]
"""The letters that a claim names: more than one where it hesitates or contradicts itself."""


class Choices(Protocol):
    """What is known of the choices (:class:`truehue.core.vlm.choices.AnswerChoices`)."""

    @property
    def letters(self) -> str: ...
    @property
    def texts(self) -> tuple[str, ...]: ...
    def exact(self, text: str) -> frozenset[str]: ...
    def mentions(self, text: str) -> list[tuple[int, int, str]]: ...


@dataclass(frozen=True)
class Claim:
    """``target`` is what was claimed; ``end`` where in the text its introduction ends."""

    end: int
    target: Target


_OPEN, _CLOSE = r"[(\[{<\"']{0,3}\s{0,3}", r"\s{0,3}[)\]}>\"']{0,3}"
_SKIPPED = re.compile(
    r"(?:[\s:\"]*\b(?:option|choice|letter|answer|either|both|likely|probably|clearly|indeed|most|"
    r"definitely|simply|actually|therefore|thus|number|optie|opción)\b[\s:]*)*[\s:]*",
    re.IGNORECASE,
)
_LETTER = re.compile(
    rf"(?P<open>{_OPEN})(?P<letter>[A-Za-z])(?P<close>{_CLOSE})(?![A-Za-zÀ-ɏ0-9_'&+#])(?!-\w)"
)
_FOLLOWS = re.compile(
    r"$|\s*[.,;:!?)\]}\n/&–—=-]|\s*\(|\s+(?:because|since|and|or|but|which|as)\b|"
    r"\s*(?:です|だ|である|입니다|和|或|と)",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"\s*(?:,\s*(?:and|or)?|/|&|\+|\band\b|\bor\b|\boder\b|\bund\b|和|或|と)\s*"
    r"(?P<open>[(\[\"']*)(?P<letter>[A-Z])(?P<close>[)\]\"']*)(?![\w'])(?P<rest>\s*[a-z]?)"
)
_AND = re.compile(r"[\"')\]]*\s*(?:,|/|&|,?\s*and|,?\s*or)\s*(?:an?\s|the\s)?[\"'(\[]*\s*")
_CORRECT = (
    r"(?:(?:the|most|likely|probably|clearly|therefore|thus)\s+)*"
    r"(?:correct|right|best|closest|accurate|appropriate|answer)\b"
)
_IS = r"(?:is|are|would be|must be|should be|seems(?: to be)?|appears to be)"
_BE = (
    r"(?:\b(?:is|are|be|was|seems|appears)\b(?!\s+(?:not|n't))(?:\s+(?:to\s+be|that|as follows))*"
    r"|[:=]|->|→|⇒|\s[-–—]\s)"
)
_NO_DENIAL = r"(?:(?!\b(?:not|never|cannot)\b|n't|[.\n:()]).)"
_INTRODUCTIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\banswers?\b(?!\s+(?:options|choices|key))\"?{_NO_DENIAL}{{0,60}}?{_BE}\s*",
        r"\banswer\b\s*[:.]?\s*\n+\s*",
        r"\b(?:correct|right|best|final|chosen|selected|closest|suitable|accurate|my)\s+"
        rf"(?:option|choice|response|selection|letter|one)\b{_NO_DENIAL}{{0,60}}?{_BE}\s*",
        r"(?<!not )(?<!n't )(?<!never )\b(?:choose|chose|select|selected|pick|picked|guess|"
        r"(?:go|going|went)\s+with|opt(?:ing)?\s+for|(?:conclude|say)(?:\s+that)?"
        r"(?:\s+(?:it\s+is|it's))?)\s+",
        r"(?<!不)(?:答案|正解|答え|回答|正确选项|正確選項|選擇|选择|应选|應選|我选|故选|选|選|答|정답|답)"
        r"(?:应该|應該|应|應)?(?:是|为|為|は|은|는|:)?\s*(?:选项|選項|選択肢)?\s*",
        r"\b(?:Antwort|respuesta|réponse|risposta|resposta|ответ)\b[^.\n]{0,20}?"
        r"(?:\b(?:ist|es|est|è|é)\b|[:—-])\s*(?:la\s+|die\s+)?",
        r"(?:\bnot\b|n't\b)[^.\n]{1,40}?(?:[,;]?\s+but(?:\s+rather)?(?:\s+it\s+is|\s+it's)?|"
        r"[,;.]\s+(?:it\s+is|it's))\s+",
        r"(?:^|(?<=[.,;!?\n])\s*)(?:but\s+|so\s+)?(?:i\s+(?:think|believe|guess|would\s+say)|"
        r"it's|it\s+is|definitely|probably|maybe|likely|clearly|my\s+guess|must\s+be|should\s+be|"
        r"i'd\s+say|looks\s+like|that's|that\s+would\s+be|sure)\b[:,!]?\s*"
        r"(?:(?:it's|it\s+is|that|is)\b\s*)?",
        r"(?:\bno[,.]|\b(?:wait|actually|perhaps|maybe|possibly)\b[,.]?)\s+"
        r"(?:it's\s+|it\s+is\s+)?",
        r"\b(?:is|has)\s+(?=\(?(?-i:[A-Z])\)?\W*$)",
        r"\b(?:so|therefore|thus|hence|in\s+conclusion|overall|finally|in\s+summary)\b[,:]?\s+"
        rf"(?:{_NO_DENIAL}{{0,80}}?\b(?:is|are|has|have|be)\s+)?",
    )
)
_LETTER_IS_CORRECT = re.compile(
    r"(?<![\w'])([A-Z])(?![\w'])[)\]\"']*[,:]?\s*(?:[^.\n,]{0,40}?)\s+"
    rf"{_IS}\s+{_CORRECT}"
)
_HEDGE = re.compile(r"\b(?:maybe|perhaps|possibly|might|could)\b[^.!?\n]*$", re.IGNORECASE)
_UNSAID = re.compile(
    r"(?:\b(?:not|never|cannot|doubt)\b|n't\b|不)(?:(?!\bbut\b)[^,.;!?\n]){0,40}$|"
    r"\b(?:if|whether|unless|suppose|assuming)\b[^.;!?\n]*$",
    re.IGNORECASE,
)
"""Text before a claim that is not made: a denial or a condition."""
NEGATION = re.compile(
    r"(?:\b(?:not|never|neither|nor|without|no|rather than|instead of|unlike|except|excludes?|"
    r"excluded|excluding|eliminat\w+|rul\w+ out|rejects?)\b|n't\b|不|非)[^,.;:!?\n]{0,30}$",
    re.IGNORECASE,
)
"""Text before a negated statement."""
DENIED_AFTER = re.compile(
    r"(?:(?!\b(?:because|since|and|but|rather)\b)[^.,:;!?\n(]){0,40}?"
    r"(?:\b(?:not|incorrect|wrong|ruled out|eliminated|excluded|false|unlikely)\b|n't\b)|"
    r"\s*ではな|\s*不",
    re.IGNORECASE,
)
"""Text after a negated statement."""
_OUTCOME = re.compile(
    r"\b(?:wait|actually|correction|on second thoughts?|rather|instead|therefore|thus|hence|so|"
    r"final|finally|conclu\w+|overall|sorry|mistake|no(?=[,.]))\b|所以|因此|したがって",
    re.IGNORECASE,
)


def is_outcome(text: str) -> bool:
    """Whether a stretch of text says that what it ends with replaces what was said before."""
    return bool(_OUTCOME.search(text)) and not _HEDGE.search(text)


def read_whole_answer(text: str, choices: Choices) -> Target | None:
    """What a text says that is an answer and nothing more; None where it is more."""
    stripped = text.strip()
    letter = re.fullmatch(
        rf"(?:option|choice|letter|answer)?[\s:#]*({_OPEN})([A-Za-z])({_CLOSE})[\s.,;:!]*",
        stripped,
        re.IGNORECASE,
    )
    if letter:
        bare = not re.search(r"[(\[{<]", letter[1]) and not re.match(r"(?i)[a-z]{2}", stripped)
        return _lettered(letter[2], bare, choices)
    exact = choices.exact(stripped)
    if exact:
        return exact
    run = re.fullmatch(r"([A-Z]{2,})[.]?", stripped)
    if run and set(run[1]) <= set(choices.letters):
        return frozenset(run[1])
    return None


def read_leading_answer(text: str, choices: Choices) -> Target | None:
    """What a text begins with before it explains: a letter with a sign after it, or the words of a
    choice as a sentence of their own. None where it begins otherwise."""
    first = re.split(r"(?<=[.!?;])\s|\n|,\s", text.strip(), maxsplit=1)[0]
    exact = choices.exact(first) if first != text.strip() else frozenset()
    if exact:
        # "Red, blue" goes on with another.
        exact |= target_at(text, choices) or frozenset()
    match = _LETTER.match(_strip_option(text))
    if not match:
        return exact or None
    after = _strip_option(text)[match.end() :]
    if DENIED_AFTER.match(after):
        return None
    bracketed = bool(re.search(r"[(\[{<)\]}>\"]", match["open"] + match["close"]))
    signed = bool(re.match(r"\s*[.,:;–—=-](?!\w)|\s*\n|\s*[/&]", after))
    has_text = bool(re.match(r"\s+(?:because|since|or)\b|\s*\(\s*or\b", after))
    same_choice = choices.exact(after) if not match["letter"].islower() else frozenset()
    if match["letter"].upper() in same_choice and not bracketed and not signed:
        return same_choice
    if not bracketed and not signed and not has_text:
        return exact or None
    return target_at(text, choices)


def claims(text: str, unlisted: str, choices: Choices) -> list[Claim]:
    """Every claim of a text, in order. ``unlisted`` is the same without a list of the choices: what
    stands alone at its end is a claim too."""
    made = {claim.end: claim for claim in _introduced(text, choices)}
    for claim in _confirmed(text, choices):
        made.setdefault(claim.end, claim)
    alone = [part for part in re.split(r"(?<=[.!?:])\s+|\n+", unlisted) if part.strip()]
    if len(alone) > 1:
        last = read_whole_answer(alone[-1], choices)
        if last is not None:
            made.setdefault(len(text), Claim(len(text), last))
    return [made[end] for end in sorted(made)]


def _introduced(text: str, choices: Choices) -> Iterator[Claim]:
    for introduction in _INTRODUCTIONS:
        for match in introduction.finditer(text):
            if _UNSAID.search(text[max(0, match.start() - 200) : match.start()]):
                continue
            rest = text[match.end() : match.end() + 400]
            if re.match(r"[^.!\n]{0,30}\?", rest):
                continue
            target = target_at(rest, choices)
            if target is not None:
                yield Claim(match.end(), target)


def _confirmed(text: str, choices: Choices) -> Iterator[Claim]:
    """``B is correct``, ``(B) is the answer``, ``blue is the right choice``."""
    for match in _LETTER_IS_CORRECT.finditer(text):
        before = text[max(0, match.start() - 25) : match.start()]
        if not re.search(r"\b(?:not|neither|nor|whether|if)\b[^,.;]*$", before) and not re.search(
            r"\bnot\b|n't", match[0]
        ):
            several = re.search(r"([A-Z])[)\]]*\s+(?:and|or)\s+[(\[]*$", before)
            named = {match[1], several[1]} if several else {match[1]}
            yield Claim(match.end(), frozenset(named))
    for start, end, letter in choices.mentions(text):
        if re.match(rf"\s+{_IS}\s+{_CORRECT}", text[end:], re.IGNORECASE) and not re.search(
            r"\b(?:whether|if|not)\b[^,.;]*$", text[max(0, start - 80) : start]
        ):
            yield Claim(end, frozenset({letter}))


def target_at(text: str, choices: Choices) -> Target | None:
    """What a text names at its beginning: a letter or the words of a choice, all of them where it
    goes on with another, and both where letter and words do not belong together."""
    text = _strip_option(text)
    match = _LETTER.match(text)
    if match and _names_a_letter(match, text):
        bare = not re.search(r"[(\[{<)\]}>]", match["open"] + match["close"])
        named = set(_lettered(match["letter"], bare, choices))
        rest = text[match.end() :]
        while (more := _ANOTHER.match(rest)) and _is_another(more, choices):
            named.add(more["letter"])
            rest = rest[more.end("close") :]
        message = re.split(r"(?<=[.!?;])\s|\n|,\s", re.sub(r"^[\s).\]:,–—=-]+", "", rest))[0]
        return frozenset(named | choices.exact(message))
    sentence = re.split(r"(?<=[.!?;])\s|\n", text)[0]
    exact = choices.exact(sentence)
    if exact:
        return exact
    spans = choices.mentions(sentence)
    begin = re.match(r"[\"'(\[]*(?:an?\s+|the\s+)?", sentence, re.IGNORECASE)
    index = begin.end() if begin else 0
    if not spans or spans[0][0] > index:
        return None
    named, end = {spans[0][2]}, spans[0][1]
    if not re.match(
        r"\W*$|\s*[.,;:!?)\]\"'(–—]|\s+(?:because|since|and|or|but|which|as|in|with|is)\b",
        sentence[end:],
    ) and not sentence[end:].lstrip().startswith(("。", "で", "で")):
        return None
    for start, stop, letter in spans[1:]:
        if _AND.fullmatch(sentence[end:start]):
            named.add(letter)
            end = stop
    letter_after = re.match(r"[\s,]*[(\[]([A-Za-z])[)\]]", sentence[end:])
    if letter_after:
        named.add(letter_after[1].upper())
    return frozenset(named)


def _strip_option(text: str) -> str:
    skipped = _SKIPPED.match(text)
    return text[skipped.end() :] if skipped else text


def _names_a_letter(match: re.Match[str], text: str) -> bool:
    """A bare letter is one where a sentence may end or go on after it: ``A`` before a noun is an
    article, and so is a small letter before anything but a sign."""
    if re.search(r"[(\[{<]", match["open"]) or re.search(r"[)\]}>]", match["close"]):
        return True
    after = text[match.end() :]
    if match["letter"].islower():
        return bool(re.match(r"\s*(?:$|[.;:!?\n])", after))
    return bool(_FOLLOWS.match(after))


def _is_another(more: re.Match[str], choices: Choices) -> bool:
    bracketed = bool(more["open"] or more["close"])
    article = more["letter"] in "AI" and more["rest"].strip() and not bracketed
    return more["letter"] in choices.letters and not article


def _lettered(letter: str, bare: bool, choices: Choices) -> Target:
    """The letter itself; where it may as well be the words of a choice, that one's too."""
    named = {letter.upper()}
    if bare:
        spelled = {
            suffix
            for suffix, text in zip(choices.letters, choices.texts, strict=True)
            if fold(text) == letter.casefold()
        }
        if spelled:
            named = spelled | (named & set(choices.letters))
    return frozenset(named)
