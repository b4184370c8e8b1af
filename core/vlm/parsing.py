"""Parse a model's answer as a letter, yes or no, or words, without guessing.

An unreadable answer is None with the reason. The parser does not use the expected answer.
"""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, UnknownColor
from truehue.core.vlm.choices import NO_CONCLUSION, REFUSAL, REFUSED, read_choice
from truehue.core.vlm.claims import is_outcome
from truehue.core.vlm.conclusions import concludes, read_conclusion
from truehue.core.vlm.records import Answer, Form, Outcome, Question
from truehue.core.vlm.released_reader import ReleasedReader, released_answer
from truehue.core.vlm.wording import same

NOTHING_SAID = "Nothing was written."
CUT_OFF = "It ends within its reasoning."
NO_ANSWER_GIVEN = "Nothing follows its reasoning."

# The quotes and brackets that NFKC leaves as they are.
_SIGNS = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "「": '"',
        "」": '"',
        "『": '"',
        "』": '"',
        "【": "(",
        "】": ")",
        "〔": "(",
        "〕": ")",
        "。": ". ",
        "、": ", ",
        "−": "-",
        "\u200b": "",
        "\u200d": "",
        "\ufeff": "",
        "\ufe0f": "",
    }
)
_THINKING = r"(?:think|thinking|thought|reasoning|analysis|scratchpad)"
_BLOCK = re.compile(rf"[<◁](/?)({_THINKING})[>▷]", re.IGNORECASE)
_TAGGED = re.compile(
    r"<(?:answer|final_answer|output)>(.*?)(?:</(?:answer|final_answer|output)>|$)",
    re.IGNORECASE | re.DOTALL,
)
_BOX = re.compile(r"<\|begin_of_box\|>(.*?)(?:<\|end_of_box\|>|$)", re.DOTALL)
_SPECIAL = re.compile(r"<\|[^|<>]{1,40}\|>|</?s>|<(?:end|start)_of_turn>|<eos>|<pad>|</?answer>")
_HTML = re.compile(r"</?(?:b|strong|i|em|u|p|br|span|div|code|mark|center)(?:\s[^<>]{0,60})?/?>")
_COMMAND = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|mathsf|texttt|operatorname)\b")
_MAX_BOXES = 20
_FENCE = re.compile(r"```[a-zA-Z]*\n?(.*?)(?:```|$)", re.DOTALL)
# What models call the field of a JSON answer, without case, blanks and underscores.
_FIELDS = (
    "finalanswer",
    "answer",
    "correctanswer",
    "choice",
    "option",
    "letter",
    "selectedoption",
    "correctoption",
    "selection",
    "prediction",
    "response",
    "result",
    "label",
    "value",
    "text",
)
BOTH = "It says both yes and no."
SEVERAL_WORDS = "It gives several answers."
MAX_WORDS = 8
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
    """``yes``, ``no``, or None with the reason. ``text`` is what :func:`extract_answer` returns."""
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
    if (
        not plain
        or len(plain.split()) > MAX_WORDS
        or re.match(r"(?:not|no)\b", plain, re.IGNORECASE)
    ):
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


def extract_answer(answer_text: str) -> tuple[str, str]:
    """The text that holds the answer, and why there is none: one of the two is empty.

    Full-width letters and signs become plain ones; a thinking block is left out, and what stands
    in an answer's tags, in LaTeX's boxed or in the answer field of a JSON object is all that is
    left where there is one.
    """
    text = unicodedata.normalize("NFKC", answer_text).translate(_SIGNS).strip()
    if not text:
        return "", NOTHING_SAID
    text, reason = _without_thinking(text)
    if reason:
        return "", reason
    # The channels of a chat format: the last one is said to the reader.
    text = text.rpartition("<|message|>")[2]
    for marked in (_TAGGED, _BOX):
        if inside := [result.strip() for result in marked.findall(text) if result.strip()]:
            text = inside[-1]
    text = _SPECIAL.sub(" ", text)
    if boxed := _boxed(text):
        # Two different ones are a list, which is no answer.
        text = ", ".join(dict.fromkeys(boxed))
    text = _json_answer(_FENCE.sub(r"\1", text).strip())
    text = _plain_latex(_plain_markup(text))
    text = "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
    return (text, "") if text.strip() else ("", NOTHING_SAID)


def _without_thinking(text: str) -> tuple[str, str]:
    """What follows the last thinking block, or what stands before one that never ends."""
    marks = list(_BLOCK.finditer(text))
    if not marks:
        return text, ""
    closing = [mark for mark in marks if mark[1]]
    if closing:
        rest = text[closing[-1].end() :].strip()
        last_open = [mark for mark in marks if not mark[1] and mark.start() > closing[-1].end()]
        if last_open:
            rest = text[closing[-1].end() : last_open[0].start()].strip()
        before = text[: marks[0].start()].strip() if not marks[0][1] else ""
        return (rest or before, "") if rest or before else ("", NO_ANSWER_GIVEN)
    before = text[: marks[0].start()].strip()
    return (before, "") if before else ("", CUT_OFF)


def _boxed(text: str) -> list[str]:
    r"""The contents of every ``\boxed{...}``, whose braces may be nested."""
    contents = []
    for match in list(re.finditer(r"\\f?boxed\s*\{", text))[-_MAX_BOXES:]:
        depth, start = 1, match.end()
        for index in range(start, min(len(text), start + 1_000)):
            depth += {"{": 1, "}": -1}.get(text[index], 0)
            if depth == 0:
                contents.append(_plain_latex(text[start:index]).strip())
                break
    return [content for content in contents if content]


def _plain_latex(text: str) -> str:
    if "\\" not in text and "$" not in text:
        return text
    text = _COMMAND.sub("", text)
    text = re.sub(r"\\([#%&_{}$])", r"\1", text)
    text = re.sub(r"\\[()\[\]]|\\[,;:! ]|\\(?:quad|qquad)\b|\$", " ", text)
    return re.sub(r"\{([^{}]*)\}", r"\1", text)


def _plain_markup(text: str) -> str:
    text = re.sub(r"~~.*?~~", " ", text, flags=re.DOTALL)
    text = _HTML.sub(" ", text)
    text = re.sub(r"`|\*|(?<!\w)__|__(?!\w)", "", text)
    return re.sub(r"(?m)^\s*(?:#{1,6}\s+|>\s+|[-•]\s+)", "", text)


def _json_answer(text: str) -> str:
    """The answer's field of a text that is JSON, or that ends with an object that has one."""
    value = _parsed(text)
    if value is None:
        objects = re.findall(r"\{[^{}]*\}", text)
        value = _parsed(objects[-1]) if objects else None
        if not isinstance(value, dict) or _field(value) is None:
            return text
    said = _answer_text(value)
    return text if said is None else said


def _parsed(text: str) -> Any:
    if not text or text[0] not in '{["' or len(text) > 20_000:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if text[0] != "{":
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _field(value: dict[Any, Any]) -> Any:
    by_name = {re.sub(r"[\s_-]", "", str(key)).casefold(): saved for key, saved in value.items()}
    return next((by_name[name] for name in _FIELDS if name in by_name), None)


def _answer_text(value: Any) -> str | None:
    """The words of a JSON value; None where it does not say which part is the answer."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list):
        parts = [_answer_text(part) for part in value]
        return ", ".join(part for part in parts if part is not None) if all(parts) else None
    if isinstance(value, dict):
        field = _field(value)
        if field is not None:
            return _answer_text(field)
        if len(value) == 1:
            key, only = next(iter(value.items()))
            said = _answer_text(only)
            # {"B": "blue"} says both.
            return f"{key}: {said}" if said and len(str(key)) == 1 else said
    return None


FIRST = "1"
"""Reads with the choices alone in view, and does not look at whether an answer was cut off."""
VERSION = "2"
"""Changes with every change of what is read: scores name it."""
RELEASED = "released"
"""Reads letters as ColorBench's released code does; other forms as :data:`VERSION`."""
VERSIONS = (FIRST, VERSION, RELEASED)

UNANSWERED = "There is no answer."
TRUNCATED = "It was cut off at the token limit before its conclusion."
LONGEST = 20_000
"""Characters: of a longer text only the end is read, where conclusions stand."""


@dataclass(frozen=True)
class Reader:
    """How answers are read: by which version of the parser, and whether the model was told to
    reason first and to end with its letter in parentheses. ``released`` is which of the released
    code's readers reads in the version :data:`RELEASED`. Raises BadInput for no version."""

    version: str = VERSION
    reasoned: bool = False
    released: ReleasedReader = ReleasedReader.OPEN

    def __post_init__(self) -> None:
        if self.version not in VERSIONS:
            raise BadInput(f"The parser is {' or '.join(VERSIONS)}, not {self.version!r:.40}.")


def read_answer(
    answer_text: str, question: Question, reader: Reader = Reader()
) -> tuple[str | None, str]:
    """What was answered, and why nothing could be read; one of the two is empty.

    A letter for ``Form.CHOICE``, ``yes`` or ``no`` for ``Form.BINARY``, the words without what
    introduces them for ``Form.OPEN``. ``answer_text`` is as the model wrote it. Several letters,
    letter and words that do not belong together, a refusal, reasoning without a conclusion and
    words that fit two choices are not read.
    """
    text, reason = extract_answer(answer_text[-LONGEST:])
    if not text:
        return None, reason
    if question.form is Form.CHOICE:
        if reader.version == FIRST:
            return read_choice(text, question.choices)
        return read_conclusion(text, question, reader.reasoned)
    return read_binary(text) if question.form is Form.BINARY else read_open(text)


def parse_answer(
    question: Question,
    text: str | None,
    reason: str = "",
    *,
    truncated: bool = False,
    reader: Reader = Reader(),
) -> Answer:
    """The answer to a question. ``text`` is None where there is none, such as when the model
    failed; ``reason`` then says why. ``truncated``: it ended because its tokens were used up."""
    if text is None:
        return Answer(question.question_id, "", None, Outcome.UNANSWERED, reason or UNANSWERED)
    if reader.version == RELEASED and question.form is Form.CHOICE:
        return released_answer(question, text, reader.released)
    reading, unreadable = read_answer(text, question, reader)
    if truncated and reader.version != FIRST and not _ended(text, question, reading, reader):
        return Answer(question.question_id, text, None, Outcome.TRUNCATED, TRUNCATED)
    if reading is None:
        return Answer(question.question_id, text, None, Outcome.UNREADABLE, unreadable)
    if question.form is Form.OPEN:
        right = same_answer(reading, question.answer)
    else:
        right = reading == question.answer
    return Answer(question.question_id, text, reading, Outcome.RIGHT if right else Outcome.WRONG)


def _ended(text: str, question: Question, reading: str | None, reader: Reader) -> bool:
    """Whether an answer that was cut off had said its conclusion before. Of yes and no, and of
    open answers, that is what could be read, unless the model was still reasoning."""
    if reading is None:
        return False
    if question.form is Form.CHOICE:
        return concludes(extract_answer(text[-LONGEST:])[0], question, reader.reasoned)
    return not reader.reasoned or bool(CONCLUDED.search(text.strip().rpartition("\n")[2]))
