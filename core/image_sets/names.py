"""Which prompt a file is of, by its name and its folders.

The published layout (github.com/moatifbutt/gen-color-bench @ 802a3ba) is
``<csv stem>/<id>_<k>.png`` or ``<csv stem>/<id>/image_<k>.png``, with the ids of the CSV file; such
a prompt has the id ``<csv stem>-<id>`` here. Our own ids stand in ``<prompt id>_<k>.png``,
``<prompt id>.png`` or ``<prompt id>/<any name>.png``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from truehue.core.errors import BadInput
from truehue.core.prompts.prompt import Prompt

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
        self._shared: set[str] = set()
        if isinstance(prompts, Mapping):
            own: dict[str, Prompt] = {}
            for stem, some in prompts.items():
                for prompt in some:
                    self._add(f"{stem}-{prompt.id.removeprefix(f'{stem}-')}", prompt)
                    if own.setdefault(plain(prompt.id), prompt) is not prompt:
                        self._shared.add(plain(prompt.id))
            self._prompts = tuple(self._by_id.values())
            # An id alone is enough where one prompt has it.
            own = {name: prompt for name, prompt in own.items() if name not in self._shared}
            self._by_id = own | self._by_id
        else:
            for prompt in prompts:
                self._add(prompt.id, prompt)
            self._prompts = tuple(self._by_id.values())

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
        return self._prompts

    def link(self, folder_name: str, name: str) -> Link | str:
        """The prompt of the file ``name`` (below the folder, with slashes), or why there is none.

        A folder that is named like a prompt goes before the name of the file, unless that names
        another prompt: then nobody can tell.
        """
        path = PurePosixPath(plain(name))
        folders = [plain(folder_name), *path.parent.parts]
        numbered = _NUMBERED.fullmatch(path.stem)
        options = [self._of_folder(folders, path.stem)]
        if numbered:
            options.append(self._named(numbered[1], folders, int(numbered[2])))
        whole = self._named(path.stem, folders, 1)
        # In the folder of a prompt, a bare number is the image's, and not another prompt's.
        if options[0] is None or (whole and whole.layout == "ids" and not path.stem.isdecimal()):
            options.append(whole)
        links = [link for link in options if link is not None]
        different = {id(link.prompt): link.prompt.id for link in links}
        if len(different) > 1:
            return f"It may be of {' or of '.join(different.values())}: rename it."
        if links:
            return links[0]
        names = {path.stem, folders[-1], numbered[1] if numbered else path.stem}
        if names & self._shared:
            return "Prompts of several sets have this id: choose one set."
        return "No prompt has this name."

    def _named(self, prompt_name: str, folders: Sequence[str], k: int | None) -> Link | None:
        """The prompt called ``prompt_name`` after one of the folders, the nearest first, or alone,
        or after the only name that all prompts begin with."""
        for stem in reversed(folders):
            if f"{stem}-{prompt_name}" in self._by_id:
                return Link(self._by_id[f"{stem}-{prompt_name}"], k, "published")
        if prompt_name in self._by_id:
            return Link(self._by_id[prompt_name], k, "ids")
        if len(self._stems) == 1:
            only = f"{next(iter(self._stems))}-{prompt_name}"
            return Link(self._by_id[only], k, "published") if only in self._by_id else None
        return None

    def _of_folder(self, folders: Sequence[str], stem: str) -> Link | None:
        """The prompt that the nearest folder is named by."""
        *above, nearest = folders
        number = _LAST_NUMBER.search(stem)
        k = int(number[1]) if number else None
        if not above:
            # The chosen folder itself may be called anything, 12 included.
            return Link(self._by_id[nearest], k, "ids") if nearest in self._by_id else None
        return self._named(nearest, above, k)


def plain(name: str) -> str:
    """One spelling for names that look the same: macOS takes accents and letters apart."""
    return unicodedata.normalize("NFC", name)
