"""The plan of an archive: what it says is checked, and gives the id that it claims."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.prompts.prompt import Prompt, prompt_from_json
from core.runs.concepts import only_measured
from core.runs.folder import item_from_json
from core.runs.plan import FORMAT, canonical_json, items_digest, rows_sha256
from core.runs.records import DRAWN, STORED, MaskerSpec

MOST_TEXT = 2**30
"""Bytes of prompts or pictures' lines, unpacked."""

MOST_PROMPTS = 5_000_000
_ADDED = ("run_id", "total", "munsell", "created_at")
_TEXTS = ("name", "set_name", "model", "kind", "negative_text", "munsell", "created_at")
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class CheckedPlan:
    """``summary`` as plan.json, ``prompts`` read, ``places`` prompt and image of each picture of a
    stored run, ``item_lines`` the file of these without any path."""

    summary: dict[str, Any]
    prompts: tuple[Prompt, ...]
    places: tuple[tuple[int, int, str], ...] = ()
    item_lines: bytes | None = None

    @property
    def total(self) -> int:
        """How many pictures the plan has."""
        return int(self.summary["total"])

    def place(self, position: int) -> tuple[int, int]:
        """Prompt and image of a position."""
        if self.places:
            return self.places[position][:2]
        return divmod(position, int(self.summary["images"]))


def checked_plan(folder: Path, shown: str, run_id: str) -> CheckedPlan:
    """The plan in an unpacked archive. Raises BadInput, naming the file, for what is wrong."""
    try:
        summary = json.loads((folder / "plan.json").read_bytes())
        _check(summary)
        if _id(summary) != run_id or summary.get("run_id") != run_id:
            raise BadInput("it is not the plan of the run that it names")
        rows = list(_rows(folder / "prompts.jsonl.gz"))
        if len(rows) != summary["prompts"] or rows_sha256(rows) != summary["prompts_sha256"]:
            raise BadInput("its prompts are not those that were run")
        prompts = tuple(prompt_from_json(row) for row in rows)
        if not summary["rules"] and not only_measured(prompts):
            raise BadInput("it names no rules")
        if summary["kind"] == STORED:
            items = [_item(row, len(prompts)) for row in _rows(folder / "items.jsonl.gz")]
            return _of_items(summary, prompts, items)
        if summary["total"] != len(prompts) * summary["images"]:
            raise BadInput("it does not say how many pictures it has")
        return CheckedPlan(summary, prompts)
    except (BadInput, ValueError, TypeError, KeyError, IndexError, AttributeError,
            RecursionError, OSError, EOFError, zlib.error) as error:  # fmt: skip
        words = str(error) if isinstance(error, BadInput) else f"{type(error).__name__}: {error}"
        raise BadInput(f"The plan in {shown} cannot be used: {words.rstrip('.')}.") from error


def _check(made: Any) -> None:
    if not isinstance(made, dict):
        raise BadInput("it is no JSON object")
    if made.get("format") != FORMAT:
        raise BadInput(f"it has format {made.get('format')!r:.20}, this TrueHue reads {FORMAT}")
    for name in _TEXTS:
        if not isinstance(made.get(name), str) or len(made[name]) > 10_000:
            raise BadInput(f"its {name} is no text")
    if made["kind"] not in (DRAWN, STORED):
        raise BadInput(f"its kind is {made['kind'][:40]!r}")
    for name in ("images", "seed", "k", "prompts", "total"):
        if type(made.get(name)) is not int or not 0 <= made[name] <= 2**63 - 1:
            raise BadInput(f"its {name} is no number")
    if not 1 <= made["images"] <= 10**6 or not 1 <= made["total"] <= 2**31 - 1:
        raise BadInput("it has no pictures, or too many")
    for name in ("guidance", "steps", "size_px"):
        if made.get(name) is not None and not _is_number(made[name]):
            raise BadInput(f"its {name} is no number")
    if not isinstance(made.get("options"), dict):
        raise BadInput("its options are no JSON object")
    rules = made.get("rules")
    # Only a run that measures concepts can do without.
    measures = bool((made.get("made_with") or {}).get("profile"))
    if not isinstance(rules, list) or not (rules or measures) or not all(
        isinstance(one, list) and len(one) == 2 and all(isinstance(part, str) for part in one)
        for one in rules
    ):  # fmt: skip
        raise BadInput("it names no rules")
    _check_scales(made)
    MaskerSpec(**made["masker"])
    if "/" in made["munsell"] or "\\" in made["munsell"]:
        raise BadInput("it names a file of another machine")
    if made["created_at"]:
        datetime.fromisoformat(made["created_at"])


def _check_scales(made: Mapping[str, Any]) -> None:
    scales = made.get("guidances", [])
    known = isinstance(scales, list) and all(map(_is_number, scales))
    if not known or len(set(scales)) != len(scales):
        raise BadInput("its guidance scales are no numbers")
    if scales and (
        len(scales) < 2 or made["kind"] != DRAWN or made.get("guidance") is not None
        or made["images"] % len(scales)
    ):  # fmt: skip
        raise BadInput("its guidance scales do not fit its pictures")


def _is_number(value: Any) -> bool:
    """From 0 on, and one that a float can hold: JSON has whole numbers of any length."""
    return type(value) in (int, float) and 0 <= value < 1e9


def _id(made: Mapping[str, Any]) -> str:
    """As :func:`core.runs.plan.run_id` makes it, from the file and not from this version's plan:
    another version may have had another renderer."""
    rest = {name: value for name, value in made.items() if name not in _ADDED}
    return hashlib.sha256(canonical_json(rest).encode()).hexdigest()[:16]


def _item(row: dict[str, Any], prompts: int) -> dict[str, Any]:
    number, image, image_id = row["prompt"], row["image"], row["image_id"]
    if type(number) is not int or not 0 <= number < prompts:
        raise BadInput("a picture of it belongs to no prompt")
    if type(image) is not int or not 0 <= image < 2**31 or not is_sha256(image_id):
        raise BadInput("a picture of it has no number or id")
    masks = {
        str(int(target)): {
            "mask_id": str(one["mask_id"])[:128], "file": str(one.get("file") or "")[:200],
            "maker": str(one["maker"])[:200], "parameters": dict(one.get("parameters") or {}),
        }
        for target, one in dict(row.get("masks") or {}).items()
    }  # fmt: skip
    drawn_by = str(row.get("drawn_by") or "")[:200]
    # No path of another machine may name a file of this one. What masks are called is part of what
    # is checked, and taken away then.
    return {"prompt": number, "image": image, "image_id": image_id, "file": "", "masks": masks,
            "drawn_by": drawn_by}  # fmt: skip


def _of_items(
    made: dict[str, Any], prompts: tuple[Prompt, ...], items: list[dict[str, Any]]
) -> CheckedPlan:
    known = items_digest(item_from_json(one) for one in items)
    if len(items) != made.get("items") or known != made.get("items_sha256"):
        raise BadInput("its pictures are not those that were scored")
    if made["total"] != len(items):
        raise BadInput("it does not say how many pictures it has")
    for one in items:
        for mask in one["masks"].values():
            mask["file"] = ""
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in items)
    places = tuple((one["prompt"], one["image"], one["image_id"]) for one in items)
    return CheckedPlan(made, prompts, places, gzip.compress(text.encode(), 6, mtime=0))


def is_sha256(value: Any) -> bool:
    """True for 64 hex digits: only such a name becomes a file's."""
    return isinstance(value, str) and len(value) == 64 and not set(value) - _HEX


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """The JSON objects of a packed file, a line each; their bytes are counted."""
    left = MOST_TEXT
    with gzip.open(path, "rb") as lines:
        for number in range(MOST_PROMPTS * 10 + 1):
            line = lines.readline(min(left, 2**24) + 1)
            left -= len(line)
            if not line:
                return
            if left < 0 or not line.endswith(b"\n") or number >= MOST_PROMPTS * 10:
                raise BadInput(f"{path.name} is too large, or cut off")
            row = json.loads(line)
            if not isinstance(row, dict):
                raise BadInput(f"{path.name} holds a line that is no JSON object")
            yield row
