"""What an import took, what it refused and why; the limits that a file has to keep."""

from __future__ import annotations

from dataclasses import dataclass, field

from truehue.core.color.systems import SYSTEMS
from truehue.core.errors import BadInput
from truehue.core.prompts.prompt import MAX_PROMPT_CHARACTERS, ROLES, TASKS, Prompt

MAX_FILE_BYTES = 256 * 2**20
MAX_RECORDS = 500_000
MAX_LINES = 5_000_000
MAX_LINE_CHARACTERS = 250_000
"""A prompt of the longest kind, every character of it written as a JSON escape, fits twice."""
MAX_FIELD_CHARACTERS = 1_000
"""Of every column but the text, which may have ``MAX_PROMPT_CHARACTERS``."""
EXCERPT_CHARACTERS = 120

_PLAIN_CONTROLS = frozenset("\t\n\r")


@dataclass(frozen=True, slots=True)
class LineProblem:
    """One record that was not taken: the line that it begins on (from 1), how it begins, and why.

    ``text_excerpt`` is one line of at most 120 characters, control characters made visible.
    """

    line: int
    text_excerpt: str
    why: str


@dataclass(frozen=True)
class ImportedPrompts:
    """What a file held. ``kind`` is ``published``, ``csv``, ``jsonl`` or ``text``.

    ``notes`` are sentences about the file as a whole: another encoding, columns that were not
    used, objects without negative labels. Blank lines are no records; they are only counted.
    """

    prompts: tuple[Prompt, ...]
    problems: tuple[LineProblem, ...]
    kind: str
    notes: tuple[str, ...] = ()
    blank_lines: int = 0

    @property
    def records(self) -> int:
        """How many records the file has: each was taken or is among the problems."""
        return len(self.prompts) + len(self.problems)


@dataclass
class PromptCollector:
    """Where the prompts of one file gather. A second prompt of an id is refused."""

    prompts: list[Prompt] = field(default_factory=list)
    problems: list[LineProblem] = field(default_factory=list)
    blank_lines: int = 0
    _lines: dict[str, int] = field(default_factory=dict)

    @property
    def records(self) -> int:
        return len(self.prompts) + len(self.problems)

    def take(self, line: int, raw: str, prompt: Prompt) -> None:
        """Keeps a prompt, or reports it where its id was there before or it is not fit."""
        why = unfit(prompt)
        first = self._lines.get(prompt.id)
        if not why and first is not None:
            why = f"The id {excerpt(prompt.id)} was given before, on line {first}."
        if why:
            self.refuse(line, raw, why)
            return
        self._lines[prompt.id] = line
        self.prompts.append(prompt)
        self._count()

    def refuse(self, line: int, raw: str, why: str) -> None:
        """Reports a record that cannot be taken."""
        self.problems.append(LineProblem(line, excerpt(raw), why))
        self._count()

    def _count(self) -> None:
        if self.records > MAX_RECORDS:
            raise BadInput(
                f"The file has more than {MAX_RECORDS:,} prompts. Split it into several files."
            )


def excerpt(text: str) -> str:
    """The beginning of a text on one line of at most 120 characters, fit to be shown."""
    start = "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape", "replace").decode("ascii")
        for sign in text.rstrip()[: EXCERPT_CHARACTERS + 1]
    )
    return start if len(start) <= EXCERPT_CHARACTERS else start[: EXCERPT_CHARACTERS - 1] + "…"


def unfit(prompt: Prompt) -> str:
    """Why a prompt cannot be kept as it is (empty, too long, characters that no text has), or an
    empty string."""
    if not prompt.text.strip():
        return "The prompt is empty."
    if len(prompt.text) > MAX_PROMPT_CHARACTERS:
        return (
            f"The prompt has {len(prompt.text):,} characters; it may have at most "
            f"{MAX_PROMPT_CHARACTERS:,}."
        )
    if why := _signs(prompt.text, "prompt"):
        return why
    if not prompt.id.strip():
        return "The id is empty."
    if prompt.task not in TASKS:
        return f"There is no task {prompt.task[:60]!r}. It is one of {', '.join(TASKS)}."
    if prompt.system and prompt.system not in SYSTEMS:
        return (
            f"There is no color system {prompt.system[:60]!r}. It is one of {', '.join(SYSTEMS)}."
        )
    for name in _TEXTS:
        if why := _short(getattr(prompt, name), name):
            return why
    for number, target in enumerate(prompt.targets, 1):
        if not target.name.strip():
            return f"Object {number} has no name."
        if target.role not in ROLES:
            return f"There is no role {target.role[:60]!r}. It is one of {', '.join(ROLES)}."
        for name, value in (("object", target.name), ("category", target.category)):
            if why := _short(value, name):
                return why
        for label in target.negative_labels:
            if why := _short(label, "negative label"):
                return why
    return ""


_TEXTS = (
    "id",
    "system",
    "source",
    "template",
    "notation",
    "category",
    "concept",
    "modifier",
    "modifier_kind",
    "style",
)


def _short(text: str, name: str) -> str:
    if not text or (len(text) <= MAX_FIELD_CHARACTERS and text.isprintable()):
        return ""
    if len(text) > MAX_FIELD_CHARACTERS:
        return (
            f"The {name} has {len(text):,} characters; it may have at most "
            f"{MAX_FIELD_CHARACTERS:,}."
        )
    if any(sign in text for sign in _PLAIN_CONTROLS):
        return f"The {name} has a line break or a tab in it."
    return _signs(text, name)


def _signs(text: str, name: str) -> str:
    """The fault of a text that holds a control character or half a character."""
    if text.isprintable():
        return ""
    for index, sign in enumerate(text, 1):
        code = ord(sign)
        if sign in _PLAIN_CONTROLS:
            continue
        if code < 0x20 or 0x7F <= code < 0xA0:
            return f"The {name} has the control character U+{code:04X} at place {index:,}."
        if 0xD800 <= code < 0xE000:
            return f"The {name} has half a character (U+{code:04X}) at place {index:,}."
    return ""
