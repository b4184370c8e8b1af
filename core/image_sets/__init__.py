"""Import of images made elsewhere: a folder or a zip file, linked to the prompts of the images.

``plan`` uses names only: it finds each file's prompt, missing files and extra files. ``records``
reads the images and reports the outcome for every file. This package stores nothing.

The published layout (github.com/moatifbutt/gen-color-bench @ 802a3ba) is
``<csv stem>/<id>_<k>.png`` or ``<csv stem>/<id>/image_<k>.png``, with the ids of the CSV file; such
a prompt has the id ``<csv stem>-<id>`` in TrueHue. Our own names are ``<prompt id>_<k>.png``,
``<prompt id>.png`` or ``<prompt id>/<any name>.png``. Without a set of
prompts, and beside a table, an image that nothing links to a prompt is imported without one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from truehue.core.errors import BadInput
from truehue.core.files import named_path
from truehue.core.image_sets.files import ListedFile, Listing, listing, plain
from truehue.core.image_sets.mapping import MappingRow, MappingTable, is_table, read_table
from truehue.core.image_sets.records import NO_PROMPT, FolderPlan, LinkedImage, Remark
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


SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
UNKNOWN_MODEL = "unknown"


def plan(
    folder: Path,
    prompts: Prompts,
    mapping_csv: Path | None = None,
    model: str = UNKNOWN_MODEL,
    system: str | None = None,
) -> FolderPlan:
    """Looks through ``folder`` without opening an image and links its files to ``prompts``.

    ``prompts`` are those that the images were made of: one sequence, or by the stem of their
    published CSV file. ``mapping_csv`` is a table of files and prompts, as
    :mod:`truehue.core.image_sets.mapping` reads it; without it, the one CSV file with such a header
    at the top of the folder is it, and without any the names decide. ``model`` is who made the
    images, where the table does not say, and ``system`` the color system whose names it uses.
    Raises BadInput for what is no folder, has too many files, a table that cannot be read, and
    prompts that share an id.
    """
    root = named_path(folder).resolve()
    if not model.strip():
        raise BadInput("The model is empty. Enter the model that generated the images.")
    names = Names(prompts)
    listed = listing(root)
    table_path = _table_of(root, listed, mapping_csv)
    images = [file for file in listed.files if PurePosixPath(file.name).suffix.lower() in SUFFIXES]
    used = {file.path for file in images}
    extra = list(listed.refused)
    for file in listed.files:
        if table_path is not None and file.path == table_path:
            listed.ignored += 1
        elif file.path not in used:
            extra.append(Remark(file.name, "It is not an image file."))
    problems = list(listed.unread)
    if table_path is None:
        linked = _by_names(root, images, names, model, extra)
        new_prompts: tuple[Prompt, ...] = ()
    else:
        table = read_table(table_path, root, names.prompts, system)
        linked = _by_table(images, table, model, extra)
        problems += table.problems + _absent(images, table)
        new_prompts = tuple(table.new_prompts.values())
    numbered = _numbered(linked)
    problems += _shared_numbers(numbered)
    with_images = {id(image.prompt) for image in numbered}
    return FolderPlan(
        folder=root,
        found=numbered,
        extra=tuple(extra),
        ignored=listed.ignored,
        missing=tuple(p for p in (*names.prompts, *new_prompts) if id(p) not in with_images),
        problems=tuple(problems),
        layout=_layout(numbered),
        prompts=names.prompts,
        new_prompts=new_prompts,
    )


def unreadable(plan: FolderPlan, limit: int = 500) -> tuple[Remark, ...]:
    """The files that are not imported, called like images, and are none, with why.

    The first ``limit`` are opened here, so that a broken file is told as one whatever its name.
    """
    named = [
        remark.where
        for remark in plan.extra
        if PurePosixPath(remark.where).suffix.lower() in SUFFIXES
    ]
    return _unreadable(
        plan.folder, named[:limit], "It cannot be read as an image, and has no prompt."
    )


def unreadable_measured(plan: FolderPlan, limit: int = 500) -> tuple[Remark, ...]:
    """Those of the first ``limit`` images that cannot be read, for a look before an import."""
    names = [image.name for image in plan.found[:limit]]
    return _unreadable(plan.folder, names, "It cannot be read as an image.")


def _unreadable(folder: Path, names: Sequence[str], why: str) -> tuple[Remark, ...]:
    from PIL import Image

    remarks = []
    for name in names:
        path = folder / name
        if not path.is_file() or path.is_symlink():
            continue
        try:
            with Image.open(path) as image:
                # Whole, for a file may be cut; a JPEG at an eighth of its size.
                image.draft("RGB", (max(1, image.width // 8), max(1, image.height // 8)))
                image.load()
        except Exception:  # Pillow's plugins raise what they like
            remarks.append(Remark(name, why))
    return tuple(remarks)


@dataclass(frozen=True)
class _ImageLink:
    """An image whose number may not be known yet (``k`` None)."""

    image: LinkedImage
    k: int | None


def _table_of(root: Path, listed: Listing, table_path: Path | None) -> Path | None:
    if table_path is not None:
        return Path(table_path).expanduser().resolve()
    tables = [
        file.path
        for file in listed.files
        if "/" not in file.name and file.name.lower().endswith(".csv") and is_table(file.path)
    ]
    if len(tables) > 1:
        shown = ", ".join(path.name for path in tables[:5])
        raise BadInput(f"{root.name} has several tables of files and prompts ({shown}): name one.")
    return tables[0] if tables else None


def _by_names(
    root: Path, images: list[ListedFile], names: Names, model: str, extra: list[Remark]
) -> list[_ImageLink]:
    linked = []
    for file in images:
        link = names.link(root.name, file.name) if names.prompts else Link(NO_PROMPT, 1, "none")
        if isinstance(link, str):
            extra.append(Remark(file.name, link))
            continue
        image = LinkedImage(**vars(file), prompt=link.prompt, k=0, model=model, layout=link.layout)
        linked.append(_ImageLink(image, link.k))
    return linked


def _by_table(
    images: list[ListedFile], table: MappingTable, model: str, extra: list[Remark]
) -> list[_ImageLink]:
    linked = []
    for file in images:
        name = plain(file.name)
        row = table.rows.get(name)
        if row is None:
            if why := table.unusable.get(name, table.unreadable):
                extra.append(Remark(file.name, why))
                continue
            row = MappingRow(0, name, NO_PROMPT, "", None, None)
        image = LinkedImage(
            **vars(file),
            prompt=row.prompt,
            k=0,
            model=row.model or model,
            layout="mapping" if row.line else "none",
            seed=row.seed,
            guidance=row.guidance,
        )
        linked.append(_ImageLink(image, 1 if row.prompt is NO_PROMPT else None))
    return linked


def _absent(images: list[ListedFile], table: MappingTable) -> list[Remark]:
    names = {plain(file.name) for file in images}
    return [
        Remark(f"line {row.line}", f"There is no image file {row.name} in the folder.")
        for row in table.rows.values()
        if row.name not in names
    ]


def _numbered(linked: list[_ImageLink]) -> tuple[LinkedImage, ...]:
    """Gives the images without a number the lowest ones of their prompt that are free."""
    used: dict[int, set[int]] = defaultdict(set)
    for item in linked:
        if item.k is not None:
            used[id(item.image.prompt)].add(item.k)
    lowest: Counter[int] = Counter()
    images = []
    for item in linked:
        k, prompt = item.k, id(item.image.prompt)
        if k is None:
            k = lowest[prompt] + 1
            while k in used[prompt]:
                k += 1
            lowest[prompt] = k
        images.append(replace(item.image, k=k))
    return tuple(images)


def _shared_numbers(images: tuple[LinkedImage, ...]) -> list[Remark]:
    first: dict[tuple[int, int], str] = {}
    remarks = []
    for image in images:
        if image.prompt is NO_PROMPT:
            continue
        before = first.setdefault((id(image.prompt), image.k), image.name)
        if before != image.name:
            why = f"{before} is also image {image.k} of {image.prompt.id}; both are imported."
            remarks.append(Remark(image.name, why))
    return remarks


def _layout(images: tuple[LinkedImage, ...]) -> str:
    layouts = {image.layout for image in images}
    if not layouts:
        return "none"
    return layouts.pop() if len(layouts) == 1 else "mixed"
