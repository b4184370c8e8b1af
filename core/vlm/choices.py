"""The letter in an answer to a multiple-choice question, or the reason why there is none."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from truehue.core.vlm import claims
from truehue.core.vlm.claims import DENIED_AFTER, NEGATION, Target
from truehue.core.vlm.records import LETTERS
from truehue.core.vlm.wording import fold, mention, same, with_digits

SEVERAL = "It names several choices"
NOT_OFFERED = "is none of the letters offered"
TWICE = "Two choices have these words."
REFUSED = "It declines to answer."
NO_CONCLUSION = "It comes to no conclusion."
_MODIFIERS = (
    "dark|darker|light|lighter|bright|pale|deep|vivid|medium|dull|strong|soft|hot|royal|navy|sky|"
    "baby|forest|olive|lime|neon|off|almost|nearly|half|bluish|reddish|greenish|yellowish|"
    "purplish|brownish|grayish|greyish|pinkish|orangish"
)
REFUSAL = re.compile(
    r"\b(?:sorry|cannot|can ?not|can't|unable|not able|do(?:es)?(?: not|n't) (?:know|see|have)|"
    r"not (?:possible|sure|certain)|no (?:image|idea|way|answer)|as an ai|insufficient|unclear|"
    r"impossible|hard to (?:say|tell)|decline|none of (?:the|these)|neither)\b|"
    r"无法|無法|不能|抱歉|对不起|わかりません|分かりません|できません|不知道|不清楚",
    re.IGNORECASE,
)
# Choices that a sentence also says without meaning them.
_COMMON = frozenset({"yes", "no", "none", "neither", "both", "not"})
LETTER_FIRST = re.compile(r"\W*(?:(?:option|choice)\s+)?[A-Z]\b", re.IGNORECASE)
_PARENTHESISED = re.compile(r"[(\[]\s*([A-Za-z])\s*[)\]]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True)
class AnswerChoices:
    """The choices of a question, ready to be looked for. ``letters`` are theirs, in order."""

    texts: tuple[str, ...]
    letters: str = field(init=False)
    patterns: tuple[re.Pattern[str], ...] = field(init=False)
    masked: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "letters", LETTERS[: len(self.texts)])
        lone = re.compile(r"(?<![A-Za-z])(?!^An? )[A-Z](?![A-Za-z])")
        # "Photo B" is no letter B: such texts are hidden before letters are looked for.
        masked = [
            index
            for index, text in enumerate(self.texts)
            if lone.search(text) and len(fold(text)) > 1
        ]
        masked.sort(key=lambda index: -len(self.texts[index]))
        object.__setattr__(self, "masked", tuple(masked))
        patterns = [
            re.compile(
                rf"⟦{index}⟧" if index in masked else mention(with_digits(text)) or r"(?!)",
                re.IGNORECASE,
            )
            for index, text in enumerate(self.texts)
        ]
        object.__setattr__(self, "patterns", tuple(patterns))

    def prepared(self, text: str) -> str:
        """The text with its number words as digits and with the choices hidden that would be taken
        for letters."""
        text = with_digits(text) if any(re.search(r"\d", choice) for choice in self.texts) else text
        for index in self.masked:
            text = re.sub(mention(self.texts[index]), f"⟦{index}⟧", text, flags=re.IGNORECASE)
        return text

    def exact(self, text: str) -> frozenset[str]:
        """The letters of the choices that have these very words."""
        hidden = re.fullmatch(r"\W*⟦(\d+)⟧\W*", text)
        if hidden:
            text = self.texts[int(hidden[1])]
        plain = fold(text)
        if not plain:
            return frozenset()
        pairs = list(zip(self.letters, self.texts, strict=True))
        same_fold = frozenset(letter for letter, choice in pairs if fold(choice) == plain)
        return same_fold or frozenset(
            letter
            for letter, choice in pairs
            if same(choice, text) or fold(choice).removesuffix("%") == plain
        )

    def mentions(self, text: str) -> list[tuple[int, int, str]]:
        """Start, end and letter of each choice's words in a text, without those that are part of a
        longer choice's (``red`` in ``dark red``)."""
        results = [
            (match.start(), match.end(), letter)
            for letter, pattern in zip(self.letters, self.patterns, strict=True)
            for match in pattern.finditer(text)
            if match.end() > match.start()
        ]
        retained: list[tuple[int, int, str]] = []
        for entry in sorted(results, key=lambda span: (span[0], -span[1], span[2])):
            if not retained or entry[1] > retained[-1][1] or entry[:2] == retained[-1][:2]:
                retained.append(entry)
        return retained


def read_choice(text: str, choices: tuple[str, ...]) -> tuple[str | None, str]:
    """The letter, or None with the reason. ``text`` is what
    :func:`truehue.core.vlm.parsing.extract_answer` returns."""
    offered = offered_of(choices)
    text = offered.prepared(text)
    whole = claims.read_whole_answer(text, offered)
    if whole is not None:
        return settle_choice(whole, offered)
    unlisted = without_listing(text, offered)
    made = claims.claims(text, unlisted, offered)
    lead = claims.read_leading_answer(unlisted, offered)
    if made and lead is not None and len(lead) > 1 and not LETTER_FIRST.match(text):
        # It begins with words of several choices, and comes to a conclusion later.
        lead = None
    if made or lead is not None:
        return settle_choice(agreed(text, lead, made), offered)
    target = last_parenthesised(unlisted, offered)
    if target is not None:
        return settle_choice(target, offered)
    if REFUSAL.search(text):
        return None, REFUSED
    return find_mention(unlisted, offered)


@lru_cache(maxsize=4_096)
def offered_of(choices: tuple[str, ...]) -> AnswerChoices:
    """The choices of a question, ready to be looked for."""
    return AnswerChoices(choices)


def settle_choice(target: Target, offered: AnswerChoices) -> tuple[str | None, str]:
    """The letter of what was claimed, or why it is none."""
    named = sorted(target)
    if len(named) > 1:
        texts = {
            fold(offered.texts[offered.letters.index(name)])
            for name in named
            if name in offered.letters
        }
        if len(texts) == 1 and all(name in offered.letters for name in named):
            return None, TWICE
        return None, f"{SEVERAL}: {', '.join(named)}."
    if not named or named[0] not in offered.letters:
        return None, f"{named[0] if named else 'It'} {NOT_OFFERED}."
    return named[0], ""


def agreed(text: str, lead: Target | None, made: list[claims.Claim]) -> Target:
    """One target of all that was claimed. The last one counts where it is said to be the outcome
    or a correction; else claims that differ are several choices."""
    targets = ([lead] if lead is not None else []) + [claim.target for claim in made]
    if len(set(targets)) == 1 or not made:
        return targets[-1]
    last = made[-1]
    before = next(
        (claim.end for claim in reversed(made) if claim.target != last.target),
        0,
    )
    if claims.is_outcome(text[before : last.end]):
        return last.target
    return frozenset().union(*targets)


def without_listing(text: str, offered: AnswerChoices) -> str:
    """The text without its first naming of each choice by letter and words, where it repeats at
    least two of them: a list of choices is no answer."""
    spans = []
    for letter, pattern in zip(offered.letters, offered.patterns, strict=True):
        item = re.search(
            rf"(?<![\w(\[])[(\[]?{letter}[)\].:]\s*(?:{pattern.pattern})", text, flags=re.IGNORECASE
        )
        if item:
            spans.append(item.span())
    if len(spans) < 2:
        return text
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + " " + text[end:]
    return text.strip()


def last_parenthesised(text: str, offered: AnswerChoices) -> Target | None:
    """The last letter in parentheses that is not denied, with all others of its sentence."""
    retained = [
        (match.start(), match[1].upper())
        for match in _PARENTHESISED.finditer(text)
        if match[1].upper() in offered.letters
        and not NEGATION.search(text[max(0, match.start() - 60) : match.start()])
        and not DENIED_AFTER.match(text, match.end())
    ]
    if not retained:
        return None
    starts = [0, *(match.end() for match in _SENTENCE_END.finditer(text))]
    begin = max(start for start in starts if start <= retained[-1][0])
    target = {letter for index, letter in retained if index >= begin}
    # "red (B)" where red is A.
    for start, end, letter in offered.mentions(text[: retained[-1][0]]):
        if end > retained[-1][0] - 2 and start >= begin:
            target.add(letter)
    return frozenset(target)


def find_mention(text: str, offered: AnswerChoices) -> tuple[str | None, str]:
    """The one choice whose words a short text says and does not deny."""
    sentences = [part for part in _SENTENCE_END.split(text) if part.strip() and part[-1] != "?"]
    if not sentences or len(sentences) > 2:
        return None, NO_CONCLUSION
    said: set[str] = set()
    for sentence in sentences:
        for start, end, letter in offered.mentions(sentence):
            if sentence[start:end].casefold() in _COMMON:
                continue
            before = sentence[max(0, start - 80) : start]
            if re.search(rf"\b(?:{_MODIFIERS})[\s-]+$", before, flags=re.IGNORECASE):
                return None, NO_CONCLUSION
            if NEGATION.search(before) or DENIED_AFTER.match(sentence, end):
                continue
            said.add(letter)
    return settle_choice(frozenset(said), offered) if said else (None, NO_CONCLUSION)
