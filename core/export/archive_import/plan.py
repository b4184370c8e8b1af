"""The plan of an archive: check its contents, and compute the id that it claims."""

from __future__ import annotations

import gzip
import itertools
import json
import zlib
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.prompts.prompt import Prompt, describe_unfit, prompt_from_json
from truehue.core.runs.concepts import has_only_concepts
from truehue.core.runs.folder import item_from_json
from truehue.core.runs.plan import check_masker, id_of, items_digest, rows_sha256
from truehue.core.runs.records import STORED, MaskerSpec, StoredItem
from truehue.core.runs.summary import MADE, checked_summary
from truehue.core.verdict.rules import rule as known_rule

MAX_PROMPTS_BYTES = 256 * 2**20
MAX_ITEMS_BYTES = 2**30
"""Bytes of prompts and of images' lines, unpacked; the latter are never held at once."""

MAX_LINE = 2**20
MAX_PROMPTS = 2_000_000
ITEM_LINES = "items.checked.jsonl.gz"
_ADDED = ("run_id", "total", "munsell", "created_at", "cfm_files")
_HEX = frozenset("0123456789abcdef")


@dataclass
class ImagePositions:
    """Prompt, number and id of each image of a stored run, 40 bytes an image."""

    prompts: array[int] = field(default_factory=lambda: array("i"))
    images: array[int] = field(default_factory=lambda: array("i"))
    ids: bytearray = field(default_factory=bytearray)

    def add(self, prompt: int, image: int, image_id: str) -> None:
        """One more image, at the end."""
        self.prompts.append(prompt)
        self.images.append(image)
        self.ids += bytes.fromhex(image_id)

    def image_id(self, position: int) -> str:
        """The SHA-256 of an image's pixels."""
        return self.ids[32 * position : 32 * position + 32].hex()

    def twice(self) -> bool:
        """Whether two images have the same prompt and number."""
        positions = np.array([self.prompts, self.images], dtype=np.int32)
        return np.unique(positions, axis=1).shape[1] < positions.shape[1]


@dataclass(frozen=True)
class CheckedPlan:
    """``summary`` as plan.json, ``prompts`` read, ``places`` of each image of a stored run,
    ``item_lines`` the file of these without any path."""

    summary: dict[str, Any]
    prompts: tuple[Prompt, ...]
    places: ImagePositions | None = None
    item_lines: Path | None = None

    @property
    def total(self) -> int:
        """How many images the plan has."""
        return int(self.summary["total"])

    def position_of(self, position: int) -> tuple[int, int]:
        """Prompt and image of a position."""
        if self.places:
            return self.places.prompts[position], self.places.images[position]
        return divmod(position, int(self.summary["images"]))


def checked_plan(folder: Path, shown: str, run_id: str) -> CheckedPlan:
    """The plan in an unpacked archive. Raises BadInput, naming the file, for what is wrong."""
    try:
        summary = _check(json.loads((folder / "plan.json").read_bytes()))
        if _id(summary) != run_id or summary.get("run_id") != run_id:
            raise BadInput("it is not the plan of the run that it names")
        prompts = _prompts(folder / "prompts.jsonl.gz", summary)
        if not summary["rules"] and not has_only_concepts(prompts):
            raise BadInput("it names no rules")
        if summary["kind"] == STORED:
            return _of_items(summary, prompts, folder)
        if summary["total"] != len(prompts) * summary["images"]:
            raise BadInput("it does not say how many images it has")
        return CheckedPlan(summary, prompts)
    except (
        BadInput,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        AttributeError,
        RecursionError,
        OSError,
        EOFError,
        zlib.error,
    ) as error:
        text = str(error) if isinstance(error, BadInput) else f"{type(error).__name__}: {error}"
        raise BadInput(f"The plan in {shown} cannot be used: {text.rstrip('.')}.") from error


def _check(fields: Any) -> dict[str, Any]:
    """The summary as it was checked, and nothing else that stood there."""
    summary = checked_summary(fields)
    if unknown := sorted(set(fields) - MADE):
        raise BadInput(f"it says {unknown[0][:40]!r}, which this TrueHue does not know. Update it")
    check_masker(MaskerSpec(**summary["masker"]))
    for name, _ in summary["rules"]:
        known_rule(name)
    named = (fields["munsell"], *dict(fields.get("cfm_files") or {}).values())
    if any("/" in str(name) or "\\" in str(name) for name in named):
        raise BadInput("it names a file of another machine")
    return summary


def _id(fields: Mapping[str, Any]) -> str:
    """From the file and not from this version's plan: another version may have had another
    renderer."""
    return id_of({name: value for name, value in fields.items() if name not in _ADDED})


def _prompts(path: Path, summary: Mapping[str, Any]) -> tuple[Prompt, ...]:
    if summary["prompts"] > MAX_PROMPTS:
        raise BadInput(f"it has {summary['prompts']:,} prompts; {MAX_PROMPTS:,} are the limit")
    prompts: list[Prompt] = []

    def read() -> Iterator[dict[str, Any]]:
        for row in _rows(path, summary["prompts"], MAX_PROMPTS_BYTES):
            prompt = prompt_from_json(row)
            if why := describe_unfit(prompt):
                raise BadInput(f"a prompt of it cannot be imported: {why}")
            prompts.append(prompt)
            yield row

    digest = rows_sha256(read())
    if len(prompts) != summary["prompts"] or digest != summary["prompts_sha256"]:
        raise BadInput("its prompts are not those that were run")
    return tuple(prompts)


def _item(row: dict[str, Any], prompts: int) -> dict[str, Any]:
    number, image, image_id = row["prompt"], row["image"], row["image_id"]
    if type(number) is not int or not 0 <= number < prompts:
        raise BadInput("an image of it belongs to no prompt")
    if type(image) is not int or not 0 <= image < 2**31 or not is_sha256(image_id):
        raise BadInput("an image of it has no number or id")
    masks = {
        str(int(target)): {
            "mask_id": str(mask["mask_id"])[:128],
            "file": str(mask.get("file") or "")[:200],
            "maker": str(mask["maker"])[:200],
            "parameters": dict(mask.get("parameters") or {}),
        }
        for target, mask in dict(row.get("masks") or {}).items()
    }
    drawn_by = str(row.get("drawn_by") or "")[:200]
    # No path of another machine may name a file of this one. What masks are called is part of what
    # is checked, and taken away then.
    return {
        "prompt": number,
        "image": image,
        "image_id": image_id,
        "file": "",
        "masks": masks,
        "drawn_by": drawn_by,
    }


def _of_items(summary: dict[str, Any], prompts: tuple[Prompt, ...], folder: Path) -> CheckedPlan:
    """The images of a stored run, one after the other: only their places are kept."""
    image_positions, path = ImagePositions(), folder / ITEM_LINES
    with path.open("xb") as raw, gzip.GzipFile("", "wb", 6, raw, 0) as lines:

        def read() -> Iterator[StoredItem]:
            for row in _rows(folder / "items.jsonl.gz", summary["items"], MAX_ITEMS_BYTES):
                item = _item(row, len(prompts))
                image_positions.add(item["prompt"], item["image"], item["image_id"])
                yield item_from_json(item)
                for mask in item["masks"].values():
                    mask["file"] = ""
                lines.write((json.dumps(item, ensure_ascii=False) + "\n").encode())

        digest = items_digest(read())
    if len(image_positions.prompts) != summary["items"] or digest != summary["items_sha256"]:
        raise BadInput("its images are not those that were scored")
    if summary["total"] != summary["items"]:
        raise BadInput("it does not say how many images it has")
    if image_positions.twice():
        raise BadInput("two images of it have the same prompt and number")
    return CheckedPlan(summary, prompts, image_positions, path)


def is_sha256(value: Any) -> bool:
    """True for 64 hex digits: only such a name becomes a file's."""
    return isinstance(value, str) and len(value) == 64 and not set(value) - _HEX


def _rows(path: Path, count: int, max_bytes: int) -> Iterator[dict[str, Any]]:
    """The JSON objects of a packed file, a line each, ``count`` at most; bytes are counted."""
    remaining_bytes = max_bytes
    with gzip.open(path, "rb") as lines:
        for number in itertools.count():
            line = lines.readline(min(remaining_bytes, MAX_LINE) + 1)
            remaining_bytes -= len(line)
            if not line:
                return
            if number >= count:
                raise BadInput(f"{path.name} has more lines than the plan says")
            if remaining_bytes < 0 or len(line) > MAX_LINE or not line.endswith(b"\n"):
                raise BadInput(f"{path.name} is too large, or cut off")
            row = json.loads(line)
            if not isinstance(row, dict):
                raise BadInput(f"{path.name} holds a line that is no JSON object")
            yield row
