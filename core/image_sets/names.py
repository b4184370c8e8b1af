"""Which prompt a file is of, by its name and its folders.

The published layout (github.com/moatifbutt/gen-color-bench @ 802a3ba) is
``<csv stem>/<id>_<k>.png`` or ``<csv stem>/<id>/image_<k>.png``, with the ids of the CSV file; such
a prompt has the id ``<csv stem>-<id>`` here. Our own ids stand in ``<prompt id>_<k>.png``,
``<prompt id>.png`` or ``<prompt id>/<any name>.png``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.errors import BadInput
from core.prompts.prompt import Prompt

_NUMBERED = re.compile(r"(.+)_([0-9]{1,9})")
_LAST_NUMBER = re.compile(r"([0-9]{1,9})$")

Prompts = Sequence[Prompt] | Mapping[str, Sequence[Prompt]]


@dataclass(frozen=True)
class Link:
    """The prompt of a file. ``k`` is None where the name does not say it."""

    prompt: Prompt
    k: int | None
    layout: str


class Names:
    """The prompts by every name that a file may give them."""

    def __init__(self, prompts: Prompts) -> None:
        """``prompts`` by the stem of their CSV file, or all in one sequence.

        Raises BadInput if two of them would have the same name.
        """
        self._by_id: dict[str, Prompt] = {}
        self._stems: set[str] = set()
        if isinstance(prompts, Mapping):
            for stem, some in prompts.items():
                for prompt in some:
                    self._add(f"{stem}-{prompt.id.removeprefix(f'{stem}-')}", prompt)
        else:
            for prompt in prompts:
                self._add(prompt.id, prompt)

    def _add(self, name: str, prompt: Prompt) -> None:
        name = plain(name)
        if name in self._by_id:
            raise BadInput(
                f"Two of the prompts have the id {name[:80]!r}, so that files cannot be told "
                "apart. Choose one set, or give a table of files and prompts."
            )
        self._by_id[name] = prompt
        self._stems.add(name.rpartition("-")[0])

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """All prompts in their order."""
        return tuple(self._by_id.values())

    def link(self, folder_name: str, name: str) -> Link | str:
        """The prompt of the file ``name`` (below the folder, with slashes), or why there is none.

        A folder that is named like a prompt goes before the name of the file, unless that names
        another prompt: then nobody can tell.
        """
        path = PurePosixPath(plain(name))
        folders = [plain(folder_name), *path.parent.parts]
        numbered = _NUMBERED.fullmatch(path.stem)
        exact = self._by_id.get(path.stem)
        options: list[Link] = [] if exact is None else [Link(exact, 1, "ids")]
        if numbered:
            options += self._named(numbered[1], folders, int(numbered[2]))
        by_folder = self._of_folder(folders, path.stem)
        if by_folder is not None:
            options.insert(0, by_folder)
        elif not options:
            options += self._named(path.stem, folders, 1)
        different = {id(option.prompt): option.prompt.id for option in options}
        if len(different) > 1:
            return f"It may be of {' or of '.join(different.values())}: rename it."
        return options[0] if options else "No prompt has this name."

    def _named(self, given: str, folders: Sequence[str], k: int) -> list[Link]:
        """The prompt called ``given``, alone or after one of the folders, the nearest first."""
        if given in self._by_id:
            return [Link(self._by_id[given], k, "ids")]
        for stem in self._stems_of(folders):
            prompt = self._by_id.get(f"{stem}-{given}")
            if prompt is not None:
                return [Link(prompt, k, "published")]
        return []

    def _of_folder(self, folders: Sequence[str], stem: str) -> Link | None:
        """The prompt that the nearest folder is named by."""
        *above, nearest = folders
        number = _LAST_NUMBER.search(stem)
        k = int(number[1]) if number else None
        if nearest in self._by_id:
            return Link(self._by_id[nearest], k, "ids")
        # The chosen folder itself may be called anything, 12 included.
        for name in self._stems_of(above) if above else ():
            prompt = self._by_id.get(f"{name}-{nearest}")
            if prompt is not None:
                return Link(prompt, k, "published")
        return None

    def _stems_of(self, folders: Sequence[str]) -> Iterator[str]:
        yield from reversed(folders)
        if len(self._stems) == 1:
            yield from self._stems


def plain(name: str) -> str:
    """One spelling for names that look the same: macOS takes accents and letters apart."""
    return unicodedata.normalize("NFC", name)
