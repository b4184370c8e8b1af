"""Convert one record, a row of a CSV or a line of a JSONL file, to a prompt."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from truehue.core.color.systems import SYSTEMS, ColorTarget, parse_target
from truehue.core.errors import BadInput, UnknownColor
from truehue.core.prompts.prompt import ROLES, TASKS, ObjectTarget, Prompt, prompt_from_json

MAX_OBJECTS = 9
MAX_UNKNOWN_COLORS = 1_000
TEXTS = (
    "source",
    "template",
    "notation",
    "category",
    "concept",
    "modifier",
    "modifier_kind",
    "style",
)
_PER_OBJECT = ("object", "color", "role", "negative_labels", "object_category")
COLUMNS = frozenset(
    {"text", "prompt", "id", "task", "system", *TEXTS, *_PER_OBJECT}
    | {f"{name}{number}" for name in _PER_OBJECT for number in range(2, MAX_OBJECTS + 1)}
)
"""The columns of a CSV with our header, and the keys of a flat JSONL line."""

SECOND_ROLE = {"coa": "bystander", "ica": "reference"}
"""The default role of a task's second object (arXiv:2510.20586, section 3.2)."""


@dataclass
class Lookup:
    """What all records of one file are read with: colors once each, and the table of objects.

    ``negative_labels`` and ``categories`` are by an object's name and may be None. ``unlisted``
    counts the objects that stand in no table of negative labels, ``unnamed`` the records whose
    color name does not have the coordinates beside it.
    """

    negative_labels: Mapping[str, tuple[str, ...]] | None = None
    categories: Mapping[str, str] | None = None
    unlisted: Counter[str] = field(default_factory=Counter)
    unnamed: int = 0
    _colors: dict[tuple[str, str | None], ColorTarget | UnknownColor] = field(default_factory=dict)
    _unknown: int = 0

    def color(self, text: str, system: str | None) -> ColorTarget:
        """The color, looked up once. Raises UnknownColor with the nearest names, and BadInput
        where a file has more unknown colors than any column of colors would."""
        key = (text, system)
        color = self._colors.get(key)
        if color is None:
            if len(self._colors) > 100_000:
                self._colors.clear()
            try:
                color = parse_target(text, system)
            except UnknownColor as error:
                color = error
                self._unknown += 1
                if self._unknown > MAX_UNKNOWN_COLORS:
                    raise TooManyUnknown(
                        f"More than {MAX_UNKNOWN_COLORS:,} different colors of the file are "
                        f"unknown, the last one as follows. Is it the right column? {error}"
                    ) from error
            self._colors[key] = color
        if isinstance(color, UnknownColor):
            raise color
        return color

    def target(self, name: str, color: ColorTarget | None, role: str = "main") -> ObjectTarget:
        """An object with the negative labels and the category that the tables have for it."""
        labels: tuple[str, ...] = ()
        if self.negative_labels is not None:
            if name in self.negative_labels:
                labels = tuple(self.negative_labels[name])
            else:
                self.unlisted[name] += 1
        category = (self.categories or {}).get(name, "")
        return ObjectTarget(name, color, labels, role, category)

    def notes(self) -> list[str]:
        """Sentences about objects that no table lists and about names that were not kept."""
        notes = []
        if self.unlisted:
            limit_text = ", ".join(name for name, _ in self.unlisted.most_common(8))
            rest = len(self.unlisted) - 8
            notes.append(
                "Not in the table of objects, so without negative labels: "
                f"{limit_text}{f' and {rest:,} more' if rest > 0 else ''}."
            )
        if self.unnamed:
            notes.append(
                f"{self.unnamed:,} rows have r, g, b values without a name in their color "
                "system: the numbers are imported without a name."
            )
        return notes


class TooManyUnknown(BadInput):
    """So many colors are unknown that the file as a whole is not what it was taken for."""


def prompt_of(values: Mapping[str, str], own_id: str, source: str, lookup: Lookup) -> Prompt:
    """The prompt of one record's fields, by the names in :data:`COLUMNS`.

    ``own_id`` and ``source`` stand where the record gives none; ``source`` is only for a record
    without that column. Raises BadInput or UnknownColor that says which field is wrong and how.
    """
    text = values.get("text") or values.get("prompt") or ""
    task = _task(values.get("task", ""))
    system = _system(values.get("system", ""))
    return Prompt(
        id=values.get("id") or own_id,
        text=text,
        task=task,
        targets=_targets(values, task, system, lookup),
        system=system,
        **{name: values.get(name, "") for name in TEXTS if name != "source"},
        source=values.get("source", source),
    )


def _task(text: str) -> str:
    task_name = text.strip().casefold()
    if not task_name:
        return "free"
    for task, title in TASKS.items():
        if task_name in (task, title.casefold()):
            return task
    raise BadInput(f'There is no task "{text.strip()[:60]}". It is one of {", ".join(TASKS)}.')


def _system(text: str) -> str:
    system_id = text.strip().casefold()
    if system_id and system_id not in SYSTEMS:
        raise BadInput(
            f'There is no color system "{text.strip()[:60]}". It is one of {", ".join(SYSTEMS)}.'
        )
    return system_id


def _targets(
    values: Mapping[str, str], task: str, system: str, lookup: Lookup
) -> tuple[ObjectTarget, ...]:
    targets: list[ObjectTarget] = []
    for number in range(1, MAX_OBJECTS + 1):
        ending = "" if number == 1 else str(number)
        cells = {name: values.get(name + ending, "") for name in _PER_OBJECT}
        if not any(text.strip() for text in cells.values()):
            continue
        if not cells["object"].strip():
            filled = next(name for name, text in cells.items() if text.strip())
            raise BadInput(f"{filled}{ending} is given, but object{ending} is empty.")
        role = cells["role"].strip().casefold()
        if role and role not in ROLES:
            raise BadInput(
                f'There is no role "{role[:60]}" (role{ending}). It is one of {", ".join(ROLES)}.'
            )
        color_text = cells["color"].strip()
        color = lookup.color(color_text, system or None) if color_text else None
        if not role:
            role = SECOND_ROLE.get(task, "main") if targets else "main"
            if role == "reference" and color is None:
                color = targets[0].color
        targets.append(_with_own(lookup.target(cells["object"], color, role), cells))
    return tuple(targets)


def _with_own(target: ObjectTarget, cells: Mapping[str, str]) -> ObjectTarget:
    """The target with what the record itself says of it, which goes before the tables."""
    given = cells["negative_labels"].strip()
    labels = tuple(part for part in re.split(r"\s*;\s*", given) if part)
    return ObjectTarget(
        target.name,
        target.color,
        labels if given else target.negative_labels,
        target.role,
        cells["object_category"] or target.category,
    )


NESTED = frozenset({"targets", "level"})
MAX_UNUSED = 1_000


def prompt_of_line(text: str, own_id: str, source: str, lookup: Lookup, unused: set[str]) -> Prompt:
    """The prompt of one line; keys that are not known are added to ``unused``.

    ``own_id`` and ``source`` stand where the line gives none. Raises BadInput or UnknownColor.
    """
    fields = _object(text)
    if len(unused) < MAX_UNUSED:
        unused.update(key for key in fields if key not in COLUMNS and key not in NESTED)
    if "targets" in fields:
        whole = {**fields, "id": fields.get("id") or own_id, "task": fields.get("task") or "free"}
        whole["text"] = fields.get("text") or fields.get("prompt") or ""
        whole.setdefault("source", source)
        if not isinstance(whole["text"], str) or not whole["text"].strip():
            raise BadInput("The prompt is empty.")
        if isinstance(whole["id"], int):
            whole["id"] = str(whole["id"])
        _look_up(fields["targets"], lookup)
        return prompt_from_json(whole)
    values = {key: _text_of(key, value) for key, value in fields.items() if key in COLUMNS}
    return prompt_of(values, own_id, source, lookup)


def _look_up(targets: Any, lookup: Lookup) -> None:
    """Refuses an unknown color from memory: finding the nearest names takes milliseconds."""
    for target in targets if isinstance(targets, list) else []:
        color = target.get("color") if isinstance(target, dict) else None
        if color and isinstance(color, str):
            lookup.color(color, None)


def _object(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except RecursionError:
        raise BadInput("The line is not a prompt: its brackets are nested too deep.") from None
    except ValueError as error:
        raise BadInput(f"The line is not JSON: {error}.") from error
    if not isinstance(fields, dict):
        raise BadInput('The line is not a JSON object such as {"text": "A red apple"}.')
    return fields


def _text_of(key: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list) and key.startswith("negative_labels"):
        if all(isinstance(label, str) and ";" not in label for label in value):
            return ";".join(value)
        raise BadInput(f"{key} is a list of words without semicolons.")
    raise BadInput(f"{key} is text, not {json.dumps(value)[:60]}.")
