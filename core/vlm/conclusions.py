"""The letter in an answer, as parser 2 reads it: with the question's text as context.

Parser 1 (:mod:`.choices`) knows the choices alone. Parser 2 also knows the negation in a question,
whether the model was instructed to reason first, and whether its answer was truncated.

In a negated question ("What color does not exist …?"), an answer that calls a choice absent selects
it, and one that calls it present does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from truehue.core.vlm import claims
from truehue.core.vlm.choices import (
    LETTER_FIRST,
    NO_CONCLUSION,
    REFUSAL,
    REFUSED,
    AnswerChoices,
    agreed,
    find_mention,
    last_parenthesised,
    offered_of,
    settle_choice,
    without_listing,
)
from truehue.core.vlm.claims import DENIED_AFTER, Choices, Claim, Target
from truehue.core.vlm.records import Question
from truehue.core.vlm.wording import fold, with_digits

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
    # What stands beside the denial: "the sky in the image with no clouds" denies no color.
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


CONTRADICTION = "Its letter and its words name different choices"
_MAX_PLACES, _WORDS_LONGEST = 20, 200
_QUESTION = re.compile(r"[^.!?\n]{0,200}\?")
_ITEM = re.compile(r"(?:^|(?<=[.!?;\n]))\s*[(\[]?([A-Z])[)\].:]\s+(?=\S)")
_FINAL_LETTER = re.compile(r"[(\[]\s*([A-Za-z])\s*[)\]]")
_OR = re.compile(
    r"(?:,|/|&|-|–|(?:,\s*)?\b(?:and|or|to|through|vs|versus)\b\.?)"
    r"(?:\s*\b(?:option|also|even|maybe|perhaps|possibly|probably)\b)*",
    re.IGNORECASE,
)
_CUT_BEFORE_ANOTHER = re.compile(r"(?<![\w'])\(?[A-Z]\)?,?\s*(?:\b(?:or|and|but)|/)\s*$")
_ALSO = re.compile(r",?\s*(?:\b(?:and|or|nor|to|through)\b|/|&)\s*(?:option)?", re.IGNORECASE)
"""Between two letters of which one denial speaks: "not (A) or (B)"."""
_EXPLAINED = re.compile(r"\b(?:because|since|whereas|while|although|as)\b", re.IGNORECASE)
_TOTAL = re.compile(
    r"\btotal(?:\s+number)?(?:\s+of|\s+is|\s*:|\s+are)*\s+(\d+)\b|"
    r"\b(\d+)\b(?:\s+[a-z]+){0,3},?\s+(?:in total|in all|altogether|overall|total)\b",
    re.IGNORECASE,
)
_NONE_THERE = re.compile(
    r"\b(?:there\s+(?:is|are)|there's|i\s+(?:can\s+)?see|shows?|contains?|has|have)\s+"
    r"(?:no|not\s+any|zero|0)\s+(?P<after>[a-z][a-z -]*)|"
    r"(?:^|[.,;]\s+)(?:so\s+)?no\s+(?P<lead>[a-z][a-z -]*)",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"\W*(?:none|zero|there\s+(?:is|are)\s+none(?:\s+(?:in|on)\s+(?:the|this)\s+\w+)?)\W*",
    re.IGNORECASE,
)
_NOUN_ENDS = re.compile(
    r"\b(?:in|on|at|of|to|that|which|visible|present|shown|seen|are|is|can|here|depicted|with|"
    r"anywhere)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_TURN = re.compile(
    r"\b(?:but|yet|however|although|though)\b[^.!?\n]{0,80}?"
    r"\b(?:actually|in fact|in reality|really)\b",
    re.IGNORECASE,
)
_SEEN = re.compile(r"image|picture|photo(?:graph)?|scene|answer|way|idea|doubt|question")
_PARTS = re.compile(
    r"\b(\d+)\b(?:\s+[a-z]+){0,3}(?:\s*,\s*(?:and\s+)?|\s+(?:and|plus)\s+)\b(?!\1\b)\d+\b",
    re.IGNORECASE,
)
_MORE = frozenset(("more", "other", "further", "additional"))
_ONLY = re.compile(r"\b(?:only|just|but|except)\b", re.IGNORECASE)
# "left" and "right" that mean neither side.
_IDIOM = re.compile(
    r"\b(?:all|that(?:'s| is)|you(?:'re| are)) right\b|\bleft (?:to|out|over)\b|"
    r"\b(?:nothing|none|information)(?: is| are)? left\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"\b(?:colou?r|answer|choice|option|not|never|no|none|cannot|without|missing|absent|lack\w*|"
    r"except|but)\b|n't\b",
    re.IGNORECASE,
)
"""Of a sentence that says what is absent, or calls it the answer."""
_FILLER = re.compile(
    r"the|an?|one|image|picture|photo|photograph|side|of|on|in|at|is|are|it|they|this|that|option|"
    r"both"
)


def read_conclusion(
    text: str, question: Question, reasoned: bool = False
) -> tuple[str | None, str]:
    """The letter, or None with the reason. ``text`` is what
    :func:`truehue.core.vlm.parsing.extract_answer` returns; ``reasoned``: the model was told to end
    with its letter in parentheses."""
    offered = offered_of(question.choices)
    denial = denial_of(question.text)
    answers = denial is None or not denial.presence or bool(_ANSWERS.search(text))
    text = _seen(text, question, offered)
    reading, reason = _read(text, question, offered, reasoned, answers)
    if reading is not None:
        other = find_contradiction(text, reading, offered)
        if other:
            return None, f"{CONTRADICTION}: {reading}, {other}."
    return reading, reason


def concludes(text: str, question: Question, reasoned: bool) -> bool:
    """Whether an answer that was cut off had said its answer before: it says so in words or in a
    box, or, where it was not told to reason, begins with it and lists nothing."""
    offered = offered_of(question.choices)
    text = _seen(text, question, offered)
    if _CUT_BEFORE_ANOTHER.search(text):
        return False
    if claims.read_whole_answer(text, offered) is not None and not reasoned:
        return True
    last = text.strip().rpartition("\n")[2]
    if re.search(r"\banswer\b", last, re.IGNORECASE) and claims.claims(last, last, offered):
        return True
    return (
        not reasoned
        and claims.read_leading_answer(text, offered) is not None
        and not _lists_items(text)
    )


def _seen(text: str, question: Question, offered: AnswerChoices) -> str:
    text = offered.prepared(text)
    denial = denial_of(question.text)
    return text if denial is None else denial.without(text, offered)


def _read(
    text: str, question: Question, offered: AnswerChoices, reasoned: bool, answers: bool
) -> tuple[str | None, str]:
    """``answers``: what the text mentions may be its answer; of what is absent, "The sky is blue."
    names no color."""
    whole = claims.read_whole_answer(text, offered)
    if whole is not None:
        return settle_choice(whole, offered)
    final = _final_line(text, offered) if reasoned else None
    if final is not None:
        return settle_choice(final, offered)
    unlisted = without_listing(text, offered)
    made = [*claims.claims(text, unlisted, offered), *_turned(text, offered)]
    lead = None if _lists_items(text) else claims.read_leading_answer(unlisted, offered)
    if made and lead is not None and len(lead) > 1 and not LETTER_FIRST.match(text):
        lead = None
    if made or lead is not None:
        return settle_choice(agreed(text, lead, made), offered)
    counted = _counted(text, question, offered)
    if counted is not None:
        return settle_choice(counted, offered)
    # Where the last line has letters, and none of them is its conclusion, no other line has it.
    undecided = reasoned and _FINAL_LETTER.search(text.strip().rpartition("\n")[2])
    target = last_parenthesised(_denials_written_out(_QUESTION.sub(" ", unlisted)), offered)
    if target is not None and not undecided:
        return settle_choice(target, offered)
    if REFUSAL.search(text):
        return None, REFUSED
    if _numbers(question.choices) and _PARTS.search(text):
        return None, NO_CONCLUSION  # "3 cars and 2 trucks", and no total
    if not answers:
        return None, NO_CONCLUSION
    reading, reason = find_mention(unlisted, offered)
    if reading is None and reason == NO_CONCLUSION:
        return _by_telling_word(unlisted, question.choices)
    return reading, reason


def _final_line(text: str, offered: AnswerChoices) -> Target | None:
    """The last letter in parentheses of the last line, which the instruction asks for; with all
    that are joined to it, as by "or". One that is denied, or that explains, is passed over where
    another stands before it; a line that lists all choices and says nothing of them has none."""
    before, _, line = text.strip().rpartition("\n")
    line = _denials_written_out(line)
    results = [
        match for match in _FINAL_LETTER.finditer(line) if match[1].upper() in offered.letters
    ]
    if not results or _goes_on_listing(before, line) or _lists_all(line, results, offered):
        return None
    matches: list[re.Match[str]] = []
    for index, item in enumerate(results):
        between = line[results[index - 1].end() : item.start()].strip() if index else ""
        with_denied = results[index - 1] not in matches and _ALSO.fullmatch(between)
        if not with_denied and not _is_denied(line, item):
            matches.append(item)
    plain = [
        match
        for position, match in enumerate(matches)
        if position == 0 or not _EXPLAINED.search(line[matches[position - 1].end() : match.start()])
    ]
    if not plain:
        return None
    target = {plain[-1][1].upper()}
    for item, next_one in reversed(list(pairwise(plain))):
        if not _OR.fullmatch(_without_text(line[item.end() : next_one.start()], offered)):
            break
        target.add(item[1].upper())
    return frozenset(target)


def _denials_written_out(text: str) -> str:
    """As :data:`truehue.core.vlm.claims.NEGATION`, which parser 1 shares, knows
    them."""
    return re.sub(r"\bcannot\b", "can not", re.sub(r"\bunlikely\b", "not likely", text))


def _lists_all(line: str, matches: list[re.Match[str]], offered: AnswerChoices) -> bool:
    """Whether a line names every choice and says nothing of any: "(A) Red (B) Blue"."""
    ends = [*(match.start() for match in matches[1:]), len(line)]
    between = (line[match.end() : end] for match, end in zip(matches, ends, strict=True))
    every = {match[1].upper() for match in matches} == set(offered.letters)
    return every and not any(re.search(r"\w", _without_text(text, offered)) for text in between)


def _is_denied(line: str, letter: re.Match[str]) -> bool:
    """Or asked: "(C)?"."""
    before = line[max(0, letter.start() - 60) : letter.start()]
    return bool(re.match(r"[^.!?(]{0,40}\?", line[letter.end() :])) or bool(
        claims.NEGATION.search(before) or DENIED_AFTER.match(line, letter.end())
    )


def _without_text(text: str, offered: AnswerChoices) -> str:
    for start, end, _ in reversed(offered.mentions(text)):
        text = text[:start] + text[end:]
    return " ".join(text.split())


def _goes_on_listing(before: str, line: str) -> bool:
    """Whether a line is the next item of a list of choices that the lines before it began, or the
    whole list; a letter that was listed before, or stands alone, is no item."""
    items = [match[1] for match in _ITEM.finditer(line)]
    if len(set(items)) > 1:
        return True
    earlier = {match[1] for match in _ITEM.finditer(before)}
    return bool(items and earlier) and items[0] not in earlier


def _lists_items(text: str) -> bool:
    """Whether sentences of a text begin with different letters, as those of a list do."""
    return len({match[1] for match in _ITEM.finditer(text)}) > 1


def _turned(text: str, offered: AnswerChoices) -> list[Claim]:
    """``X looks darker, but they are actually the same``: what follows replaces what was said."""
    match = _TURN.search(text)
    if not match:
        return []
    clause = re.split(r"[.!?\n]", text[match.start() :])[0]
    clause = re.sub(r"\s*\b(?:actually|in fact|in reality|really)\b,?", "", clause)
    named = {letter for _, _, letter in offered.mentions(clause)}
    if len(named) != 1 or claims.NEGATION.search(clause):
        return []
    return [Claim(len(text), frozenset(named))]


def _counted(text: str, question: Question, offered: AnswerChoices) -> Target | None:
    """The choice that is a total, or 0 where it says that there is none of what was asked for."""
    if not _numbers(question.choices):
        return None
    totals = {item or other for item, other in _TOTAL.findall(with_digits(text))}
    if len(totals) == 1:
        return offered.exact(totals.pop()) or None
    zero = offered.exact("0")
    if not zero or totals:
        return None
    if _NOTHING.fullmatch(text):
        return zero
    others = {letter for _, _, letter in offered.mentions(text)}
    wanted = set(re.findall(r"[a-z]+", question.text.casefold()))
    for match in _NONE_THERE.finditer(text):
        noun = _NOUN_ENDS.sub("", match["after"] or match["lead"]).casefold().split()
        if _MORE.intersection(noun) or (not others and _ONLY.search(text, match.end())):
            return None
        if noun and noun[-1] in wanted and not _SEEN.fullmatch(noun[-1]):
            return zero | others
    return None


def _numbers(choices: tuple[str, ...]) -> bool:
    return all(re.fullmatch(r"\d+", fold(choice)) for choice in choices)


def _by_telling_word(text: str, choices: tuple[str, ...]) -> tuple[str | None, str]:
    """By the one word that tells a choice from the others, such as ``left`` of "The left one"."""
    telling = _telling(choices)
    if telling is None or _IDIOM.search(text):
        return None, NO_CONCLUSION
    offered = offered_of(telling)
    exact = offered.exact(text)
    return settle_choice(exact, offered) if exact else find_mention(text, offered)


@lru_cache(maxsize=4_096)
def _telling(choices: tuple[str, ...]) -> tuple[str, ...] | None:
    """The choices, those with one telling word as that word; None where none has one."""
    parts = [re.findall(r"[^\W\d_]+", fold(choice)) for choice in choices]
    common = {
        word for index, item in enumerate(parts) for word in item if _elsewhere(word, index, parts)
    }
    shortened = []
    for choice, group in zip(choices, parts, strict=True):
        own = {word for word in group if word not in common and not _FILLER.fullmatch(word)}
        lone = len(own) == 1 and len(group) > 1 and len(next(iter(own))) > 2
        shortened.append(own.pop() if lone and not re.search(r"\d", choice) else choice)
    result = tuple(shortened)
    return result if result != choices and len(set(result)) == len(result) else None


def _elsewhere(word: str, position: int, terms: list[list[str]]) -> bool:
    return any(word in other for index, other in enumerate(terms) if index != position)


def find_contradiction(text: str, letter: str, offered: AnswerChoices) -> str:
    """The letter of another choice whose very words follow a letter that was read; else ""."""
    matches = list(re.finditer(rf"(?<![\w'])[(\[]?{letter}[)\].:]+\s*", text))
    for match in matches[-_MAX_PLACES:]:
        rest = text[match.end() : match.end() + _WORDS_LONGEST].split("\n")[0]
        begin = re.match(r"(?:[\s\"'(:–—-]|an?\s|the\s)*", rest, re.IGNORECASE)
        spans = offered.mentions(rest)
        if not spans or spans[0][0] > (begin.end() if begin else 0):
            continue
        same_place = {other for start, end, other in spans if (start, end) == spans[0][:2]}
        ends = re.match(r"[\s)\]\"']*(?:$|[.;,!?])", rest[spans[0][1] :])
        if ends and letter not in same_place:
            return sorted(same_place)[0]
    return ""
