"""The plan of an import: which file is of which prompt, what is missing and what is extra."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from truehue.core.errors import BadInput
from truehue.core.files import named_path
from truehue.core.image_sets.listing import ListedFile, Listing, listing
from truehue.core.image_sets.mapping import MappingTable, is_table, read_table
from truehue.core.image_sets.names import Names, Prompts, plain
from truehue.core.image_sets.records import FolderPlan, LinkedImage, Remark
from truehue.core.prompts.prompt import Prompt

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
UNKNOWN_MODEL = "unknown"


def plan(
    folder: Path, prompts: Prompts, mapping_csv: Path | None = None, model: str = UNKNOWN_MODEL
) -> FolderPlan:
    """Looks through ``folder`` without opening an image and links its files to ``prompts``.

    ``prompts`` are those that the images were made of: one sequence, or by the stem of their
    published CSV file. ``mapping_csv`` is a table of files and prompts (:mod:`.mapping`); without
    it, the one CSV file with such a header at the top of the folder is it, and without any the
    names decide (:mod:`.names`). ``model`` is who made the images, where the table does not say.
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
        table = read_table(table_path, root, names.prompts)
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
    """The files without a prompt that are called like images and are none, with why.

    An import opens only what has a prompt; of the others the first ``most`` are opened here, so
    that a broken file is told as one whatever its name.
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
    """Those of the first ``most`` files with a prompt that cannot be read, for a look before an
    import."""
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
        link = names.link(root.name, file.name)
        if isinstance(link, str):
            extra.append(Remark(file.name, link))
            continue
        image = LinkedImage(
            file.path,
            file.name,
            link.prompt,
            0,
            model,
            link.layout,
            file.size_bytes,
            file.mtime_ns,
        )
        linked.append(_ImageLink(image, link.k))
    return linked


def _by_table(
    images: list[ListedFile], table: MappingTable, model: str, extra: list[Remark]
) -> list[_ImageLink]:
    linked = []
    for file in images:
        row = table.rows.get(plain(file.name))
        if row is None:
            extra.append(Remark(file.name, "The table has no usable line for it."))
            continue
        image = LinkedImage(
            file.path,
            file.name,
            row.prompt,
            0,
            row.model or model,
            "mapping",
            file.size_bytes,
            file.mtime_ns,
            row.seed,
            row.guidance,
        )
        linked.append(_ImageLink(image, None))
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
