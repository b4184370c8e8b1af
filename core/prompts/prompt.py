"""The prompt record: a text, and the objects and colors that its image is scored by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from truehue.core.color.systems import SYSTEMS, ColorTarget, parse_target
from truehue.core.errors import BadInput
from truehue.core.prompts.tables import css_spellings

_ARTICLE = re.compile(r"\b([Aa])n?(?= ([A-Za-z]+))")
_VOWEL_LETTER = re.compile(r"[aeiou]", re.IGNORECASE)
# Spelled with a vowel and spoken with a consonant, and the other way round.
_SPOKEN_CONSONANT = re.compile(r"uni(?![mn])|us[aeu]|eu|ewe|one\b|once\b", re.IGNORECASE)
_SILENT_H = re.compile(r"hour|honest|hono|heir", re.IGNORECASE)

MAX_PROMPT_CHARACTERS = 20_000
MAX_FIELD_CHARACTERS = 1_000
"""Of every text of a prompt but its sentence."""

_PLAIN_CONTROLS = frozenset("\t\n\r")

TASKS: Mapping[str, str] = MappingProxyType(
    {
        "cna": "Color name accuracy",
        "ncu": "Numerical color understanding",
        "coa": "Color-object association",
        "moc": "Multi-object color composition",
        "ica": "Implicit color association",
        "concept": "Color concept",
        "free": "Free text",
    }
)
"""The five tasks of GenColorBench (arXiv:2510.20586, section 3.2), concepts, and free text."""

LEVELS: Mapping[str, str] = MappingProxyType(
    {
        "cna": "1 object-focused",
        "ncu": "1 object-focused",
        "coa": "2 contextual",
        "moc": "3 scene",
        "ica": "4 implicit",
    }
)
"""The level of difficulty of a task (the paper's Table 3 and Appendix D)."""

MAX_OBJECTS = 100
"""Of one prompt. Results name an object by its place, in one byte."""

ROLES = ("main", "reference", "bystander")


@dataclass(frozen=True, slots=True)
class ObjectTarget:
    """One object that a prompt speaks of.

    ``color`` is what it has to have, or None where nothing is asked. ``role`` is ``main``;
    ``reference`` for an object that has to share the main object's color (ICA); ``bystander`` for
    one that must not take it (COA). ``negative_labels`` are parts that are not measured.
    """

    name: str
    color: ColorTarget | None = None
    negative_labels: tuple[str, ...] = ()
    role: str = "main"
    category: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt and all that is known of it. Empty strings stand for what does not apply.

    ``id`` is unique in its set and never changes. ``task`` is a key of :data:`TASKS`, ``system`` a
    color system's id, ``source`` the id of the set, ``template`` names the sentence's pattern
    (``D.1.3``), ``notation`` is ``name``, ``hex`` or ``rgb``. A color concept has ``concept``
    (``beach``), ``modifier`` (``lonely``), ``modifier_kind`` (``base``, ``visual state`` or
    ``emotional``), ``category`` and ``style``.
    """

    id: str
    text: str
    task: str
    targets: tuple[ObjectTarget, ...] = ()
    system: str = ""
    source: str = ""
    template: str = ""
    notation: str = ""
    category: str = ""
    concept: str = ""
    modifier: str = ""
    modifier_kind: str = ""
    style: str = ""

    @property
    def level(self) -> str:
        """The level of difficulty, or an empty string outside of GenColorBench's tasks."""
        return LEVELS.get(self.task, "")

    def as_json(self) -> dict[str, Any]:
        """Plain JSON that :func:`prompt_from_json` reads back; what is empty is left out."""
        fields: dict[str, Any] = {"id": self.id, "text": self.text, "task": self.task}
        fields["targets"] = [_target_json(target) for target in self.targets]
        for name in _TEXTS:
            if getattr(self, name):
                fields[name] = getattr(self, name)
        if self.level:
            fields["level"] = self.level
        return fields


_TEXTS = (
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


def _target_json(target: ObjectTarget) -> dict[str, Any]:
    fields: dict[str, Any] = {"object": target.name, "role": target.role}
    if target.color is not None:
        fields["color"] = target.color.value
        fields["hex"] = target.color.hex
    if target.negative_labels:
        fields["negative_labels"] = list(target.negative_labels)
    if target.category:
        fields["category"] = target.category
    return fields


def prompt_from_json(fields: Mapping[str, Any]) -> Prompt:
    """The prompt of :meth:`Prompt.as_json`.

    Raises BadInput for a missing or empty id, text or task, an unknown task or role, more than
    100 objects, or text where something else stands; UnknownColor for a color that cannot be read.
    """
    texts = {name: _text(fields, name) for name in ("id", "text", "task")}
    missing = [name for name, text in texts.items() if not text.strip()]
    if missing:
        raise BadInput(f"A prompt needs {' and '.join(missing)}.")
    if texts["task"] not in TASKS:
        raise BadInput(f"There is no task {texts['task'][:60]!r}. It is one of {', '.join(TASKS)}.")
    targets = fields.get("targets") or []
    if not isinstance(targets, list) or not all(isinstance(item, Mapping) for item in targets):
        raise BadInput("The targets of a prompt are a list of objects.")
    if len(targets) > MAX_OBJECTS:
        raise BadInput(f"A prompt has at most {MAX_OBJECTS} objects, not {len(targets):,}.")
    rest = {name: _text(fields, name) for name in _TEXTS}
    return Prompt(**texts, targets=tuple(_target(item) for item in targets), **rest)


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name) or ""
    if not isinstance(value, str):
        raise BadInput(f"The {name} of a prompt is text, not {value!r:.60}.")
    return value


def _target(fields: Mapping[str, Any]) -> ObjectTarget:
    role = _text(fields, "role") or "main"
    if role not in ROLES:
        raise BadInput(f"There is no role {role[:60]!r}. It is one of {', '.join(ROLES)}.")
    labels = fields.get("negative_labels") or []
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise BadInput("The negative_labels of an object are a list of words.")
    color = _text(fields, "color")
    return ObjectTarget(
        name=_text(fields, "object"),
        color=_color(color) if color else None,
        negative_labels=tuple(labels),
        role=role,
        category=_text(fields, "category"),
    )


# A set asks for a few hundred colors tens of thousands of times.
_color = lru_cache(maxsize=4096)(parse_target)


def describe_unfit(prompt: Prompt) -> str:
    """Why a prompt cannot be kept as it is (empty, too long, characters that no text has), or an
    empty string."""
    if not prompt.text.strip():
        return "The prompt is empty."
    if len(prompt.text) > MAX_PROMPT_CHARACTERS:
        return (
            f"The prompt has {len(prompt.text):,} characters; it may have at most "
            f"{MAX_PROMPT_CHARACTERS:,}."
        )
    if why := _character_fault(prompt.text, "prompt"):
        return why
    if not prompt.id.strip():
        return "The id is empty."
    if prompt.task not in TASKS:
        return f"There is no task {prompt.task[:60]!r}. It is one of {', '.join(TASKS)}."
    if prompt.system and prompt.system not in SYSTEMS:
        return (
            f"There is no color system {prompt.system[:60]!r}. It is one of {', '.join(SYSTEMS)}."
        )
    for name in ("id", *_TEXTS):
        if why := _field_fault(getattr(prompt, name), name):
            return why
    for number, target in enumerate(prompt.targets, 1):
        if not target.name.strip():
            return f"Object {number} has no name."
        if target.role not in ROLES:
            return f"There is no role {target.role[:60]!r}. It is one of {', '.join(ROLES)}."
        for name, value in (("object", target.name), ("category", target.category)):
            if why := _field_fault(value, name):
                return why
        for label in target.negative_labels:
            if why := _field_fault(label, "negative label"):
                return why
    return ""


def _field_fault(text: str, name: str) -> str:
    if not text or (len(text) <= MAX_FIELD_CHARACTERS and text.isprintable()):
        return ""
    if len(text) > MAX_FIELD_CHARACTERS:
        return (
            f"The {name} has {len(text):,} characters; it may have at most "
            f"{MAX_FIELD_CHARACTERS:,}."
        )
    if any(sign in text for sign in _PLAIN_CONTROLS):
        return f"The {name} has a line break or a tab in it."
    return _character_fault(text, name)


def _character_fault(text: str, name: str) -> str:
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


@lru_cache(maxsize=4096)
def article(word: str) -> str:
    """``"an"`` before ``word`` where English wants it, else ``"a"``: an hour, a unicorn."""
    if _SILENT_H.match(word):
        return "an"
    return "an" if _VOWEL_LETTER.match(word) and not _SPOKEN_CONSONANT.match(word) else "a"


def with_articles(sentence: str) -> str:
    """The sentence with every ``a`` and ``an`` made to fit the word after it.

    Only whole words are touched, and their capital is kept. Before a sign that is no letter
    (``A #FF0000``) the article stays as it is.
    """
    return _ARTICLE.sub(lambda match: match[1] + article(match[2])[1:], sentence)


def format_color(color: ColorTarget) -> str:
    """A named color inside a sentence: ``"vivid red"``, ``"light goldenrod yellow"``; else hex."""
    if color.name is None:
        return color.hex
    return css_spellings()[color.name] if color.system == "css" else color.name.lower()
