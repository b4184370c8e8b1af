"""Files that import back to the same prompts: the reader is tested against this writer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from truehue.core.color.systems import ColorTarget
from truehue.core.errors import BadInput
from truehue.core.prompts.importing.fields import MAX_OBJECTS, TEXTS
from truehue.core.prompts.prompt import ObjectTarget, Prompt, describe_unfit
from truehue.core.text_tables import MAX_LINE_CHARACTERS

KINDS = ("csv", "jsonl")


def write_prompts(prompts: Iterable[Prompt], kind: str = "csv") -> str:
    """The text of a file, lines ending in a line feed; write it as UTF-8.

    ``read_prompts`` reads it back to the same prompts in the same order, colors by their value
    (``l3:Vivid red``). Raises BadInput, naming the prompt, for an unknown kind, a second prompt of
    an id, a prompt that no import would take, and for CSV one that flat columns cannot hold.
    """
    if kind not in KINDS:
        raise BadInput(f"Prompts are written as {' or '.join(KINDS)}, not as {kind!r:.40}.")
    prompt_list = list(prompts)
    seen: set[str] = set()
    for prompt in prompt_list:
        why = describe_unfit(prompt) or ("Its id is there twice." if prompt.id in seen else "")
        if why:
            raise BadInput(f"The prompt {prompt.id[:80]!r} cannot be written. {why}")
        seen.add(prompt.id)
    if kind == "jsonl":
        # The source is written even where it is empty: on import no source means the file's name.
        lines = [
            json.dumps({"source": "", **prompt.as_json()}, ensure_ascii=False)
            for prompt in prompt_list
        ]
    else:
        lines = _table(prompt_list)
    for prompt, line in zip(
        prompt_list, lines[-len(prompt_list) :] if prompt_list else [], strict=True
    ):
        if len(line) > MAX_LINE_CHARACTERS:
            raise BadInput(f"The prompt {prompt.id[:80]!r} is too long to be read back.")
    return "".join(f"{line}\n" for line in lines)


def _table(prompts: Sequence[Prompt]) -> list[str]:
    limit = max((len(prompt.targets) for prompt in prompts), default=1)
    columns = ["id", "text", "task", "system", *TEXTS]
    for number in range(1, max(limit, 1) + 1):
        ending = "" if number == 1 else str(number)
        columns += [
            f"{name}{ending}"
            for name in ("object", "color", "role", "negative_labels", "object_category")
        ]
    return [",".join(columns)] + [_row(prompt, len(columns)) for prompt in prompts]


def _row(prompt: Prompt, columns: int) -> str:
    if len(prompt.targets) > MAX_OBJECTS:
        raise BadInput(
            f"The prompt {prompt.id[:80]!r} has {len(prompt.targets)} objects; a CSV holds "
            f"{MAX_OBJECTS}. Write JSONL."
        )
    cells = [prompt.id, prompt.text, prompt.task, prompt.system]
    cells += [getattr(prompt, name) for name in TEXTS]
    for target in prompt.targets:
        cells += _cells(target, prompt.id)
    cells += [""] * (columns - len(cells))
    return ",".join(_quoted(cell) for cell in cells)


def _cells(target: ObjectTarget, prompt_id: str) -> list[str]:
    for label in target.negative_labels:
        if ";" in label or label != label.strip() or not label:
            raise BadInput(
                f"The prompt {prompt_id[:80]!r} has the negative label {label!r:.60}, which a CSV "
                "cannot hold. Write JSONL."
            )
    return [
        target.name,
        _color(target.color),
        target.role,
        ";".join(target.negative_labels),
        target.category,
    ]


def _color(color: ColorTarget | None) -> str:
    return color.value if color else ""


def _quoted(cell: str) -> str:
    # A blank at an end is quoted too: the import drops blanks that are not.
    if cell != cell.strip() or any(sign in cell for sign in ',;\t"\r\n'):
        return '"' + cell.replace('"', '""') + '"'
    return cell
