"""One line of a JSONL file becomes a prompt: flat keys, or the form of ``Prompt.as_json``."""

from __future__ import annotations

import json
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.prompts.importing.flat import COLUMNS, Lookup, prompt_of
from truehue.core.prompts.prompt import Prompt, prompt_from_json

NESTED = frozenset({"targets", "level"})
MOST_UNUSED = 1_000


def prompt_of_line(text: str, own_id: str, source: str, lookup: Lookup, unused: set[str]) -> Prompt:
    """The prompt of one line; keys that are not known are added to ``unused``.

    ``own_id`` and ``source`` stand where the line gives none. Raises BadInput or UnknownColor.
    """
    fields = _object(text)
    if len(unused) < MOST_UNUSED:
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
    values = {key: _text(key, value) for key, value in fields.items() if key in COLUMNS}
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


def _text(key: str, value: Any) -> str:
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
