"""Groups of CFD: a photograph, its caption, and images of that caption by rising guidance.

The published code reads a JSON list with, for each group, ``real.jpg``, ``rank0.jpg`` ...
``rank5.jpg`` (paths) and ``txt`` (the caption); ``category`` and ``model`` are our additions, which
it passes over. The file may also have one object a line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.files import replace_file

GUIDANCES = (7.5, 10.0, 15.0, 20.0, 25.0, 30.0)
"""Of rank0 to rank5 (appendix A)."""
CATEGORIES = (
    "Human",
    "Animals",
    "Plants",
    "Food",
    "Vehicles",
    "Sports",
    "Architecture",
    "Natural Scene",
    "Street Scene",
    "Indoor Scene",
    "Night Scene",
    "Others",
)
"""Table 7."""
# People and models write "Animal" and "animals." for Animals; a sentence names no category.
_CATEGORY = re.compile(r"(?:category\s*:)?\s*([a-z ]+?)s?", re.IGNORECASE)
_AROUND = " \t\n\r\"'`*_.“”"
_RANK = re.compile(r"rank(\d+)\.jpg")


def category_of(text: str) -> str:
    """The category that a text names and nothing besides; "" for any other text."""
    match = _CATEGORY.fullmatch(text.strip(_AROUND))
    if match is None:
        return ""
    named = " ".join(match[1].casefold().split())
    known = {name.casefold().removesuffix("s"): name for name in CATEGORIES}
    return known.get(named, "")


@dataclass(frozen=True)
class Group:
    """``images`` by falling fidelity, lowest guidance first; at least one. ``category`` is "" where
    nobody stated it, and so is ``model``, that drew the images."""

    photograph: Path
    images: tuple[Path, ...]
    caption: str
    category: str = ""
    model: str = ""

    @property
    def files(self) -> tuple[Path, ...]:
        """The photograph, then the images: the order that metrics are tested by."""
        return (self.photograph, *self.images)


def read_groups(path: Path, folder: Path | None = None) -> list[Group]:
    """The groups of a file, in its order.

    Paths in it are looked for beside the file, or in ``folder``. Raises BadInput, with the number
    of the group (from 1), for what is no group and for a file that is not there.
    """
    root = folder or path.parent
    groups = []
    for number, item in enumerate(_items(path), start=1):
        try:
            groups.append(_group(item, root))
        except BadInput as error:
            raise BadInput(f"{path.name}, group {number:,}: {error}") from None
    if not groups:
        raise BadInput(f"{path.name} holds no groups.")
    return groups


def write_groups(path: Path, groups: Iterable[Group]) -> None:
    """Writes the published form, as one JSON list, whole or not at all; paths below the file's
    folder are written relative to it."""
    items = [
        {
            "real.jpg": _written(group.photograph, path.parent),
            **{
                f"rank{rank}.jpg": _written(image, path.parent)
                for rank, image in enumerate(group.images)
            },
            "txt": group.caption,
            **({"category": group.category} if group.category else {}),
            **({"model": group.model} if group.model else {}),
        }
        for group in groups
    ]
    replace_file(path, (json.dumps(items, ensure_ascii=False, indent=1) + "\n").encode())


def split(
    groups: Sequence[Group], test_share: float, seed: int = 0
) -> tuple[list[Group], list[Group]]:
    """Training and test groups, each photograph wholly in one: all groups of one photograph and of
    one caption go the same way, whatever drew them, and the same way in every run.

    ``test_share`` 0 to 1, met on average. Raises BadInput for another.
    """
    if not 0 <= test_share <= 1:
        raise BadInput(f"The share of test groups is a number from 0 to 1, not {test_share:g}.")
    sides: dict[str, str] = {}
    for group in groups:  # photographs that share a caption are joined to the first of them
        photograph, caption = f"photograph {group.photograph}", f"caption {group.caption}"
        first, second = _root(sides, photograph), _root(sides, caption)
        sides[max(first, second)] = min(first, second)
    out: tuple[list[Group], list[Group]] = ([], [])
    for group in groups:
        # The least of all names that are joined: a caption's, wherever the files lie.
        root = _root(sides, f"photograph {group.photograph}")
        digest = hashlib.sha256(f"{seed}\0{root}".encode()).digest()
        out[int.from_bytes(digest[:8]) < test_share * 2**64].append(group)
    return out


def _root(sides: dict[str, str], name: str) -> str:
    while sides.setdefault(name, name) != name:
        name = sides[name]
    return name


def _items(path: Path) -> list[Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read as UTF-8 text: {error}") from None
    try:
        # The published lists are one array, whatever the file is called.
        if text.lstrip().startswith("["):
            items = json.loads(text)
        else:
            items = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path.name} is no JSON list, nor one object a line: {error}") from None
    return list(items)


def _group(item: Any, root: Path) -> Group:
    if not isinstance(item, dict):
        raise BadInput('it is no object with "real.jpg", "rank0.jpg" and "txt".')
    caption = item.get("txt")
    if not isinstance(caption, str) or not caption.strip():
        raise BadInput('its caption ("txt") is empty.')
    ranks = sorted(int(match[1]) for name in item if (match := _RANK.fullmatch(name)))
    if not ranks or ranks != list(range(len(ranks))):
        raise BadInput(f"its images are rank0.jpg, rank1.jpg and so on, not {ranks or 'none'}.")
    files = [_file(item, name, root) for name in ("real.jpg", *(f"rank{n}.jpg" for n in ranks))]
    category, model = item.get("category", ""), item.get("model", "")
    if category and category not in CATEGORIES:
        raise BadInput(f"{category!r:.60} is none of the categories: {', '.join(CATEGORIES)}.")
    return Group(files[0], tuple(files[1:]), caption.strip(), str(category), str(model))


def _file(item: dict[str, Any], name: str, root: Path) -> Path:
    value = item.get(name)
    if not isinstance(value, str) or not value:
        raise BadInput(f"its {name} is no path.")
    path = root / value
    if not path.is_file():
        raise BadInput(f"its {name} is not there: {value}.")
    return path


def _written(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
