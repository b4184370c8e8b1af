"""The prompt files of the published GenColorBench Mini set, unchanged.

Layouts, file names and locations of a released run's images: github.com/moatifbutt/gen-color-bench
@ 802a3ba, ``gencolorbench/mini_bench_prompt/``. A file is ``<task>_<system>.csv``, for example
``ncu_hex_css.csv``, and the images of a run are ``<folder>/<csv stem>/<id>_<k>.png``. Earlier names
such as ``cna_iscc_l2.csv`` and ``numeric_hex_css.csv`` are read as their current equivalents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from truehue.core.color.notation import read_hex
from truehue.core.color.systems import SYSTEMS, ColorTarget
from truehue.core.color.systems import system as color_system
from truehue.core.errors import BadInput, UnknownColor
from truehue.core.prompts.importing.fields import COLUMNS, Lookup
from truehue.core.prompts.prompt import ObjectTarget, Prompt

LAYOUTS: Mapping[str, tuple[str, ...]] = {
    "cna": ("id", "color", "object", "prompt"),
    "ncu_hex": ("id", "color_name", "hex", "r", "g", "b", "object", "prompt"),
    "ncu_rgb": ("id", "color_name", "r", "g", "b", "object", "prompt"),
    "coa": ("id", "color", "main_obj", "sec_obj", "prompt"),
    "moc": (
        "id",
        "color_count",
        "object1",
        "color1",
        "object2",
        "color2",
        "object3",
        "color3",
        "prompt",
    ),
    "ica": ("id", "color", "object", "ref_object", "prompt"),
}
"""The columns of each kind of file, in any order. The hex file also has ``css_name``."""
OPTIONAL = frozenset({"css_name"})
_FORMER = {"numeric_hex": "ncu_hex", "numeric_rgb": "ncu_rgb"}
_NAME = re.compile(
    rf"({'|'.join((*LAYOUTS, *_FORMER))})_(?:iscc_)?({'|'.join(SYSTEMS)})(?![A-Za-z0-9])",
    re.IGNORECASE,
)
# Small systems first: where several have all the names, the smallest is the likeliest.
_BY_SIZE = ("l1", "l2", "css", "l3")


@dataclass(frozen=True)
class Published:
    """Which published file it is. ``stem`` is the name that its images lie under."""

    layout: str
    system: str

    @property
    def stem(self) -> str:
        return f"{self.layout}_{self.system}"

    @property
    def task(self) -> str:
        return self.layout.partition("_")[0]


def named(name: str) -> Published | None:
    """The published file that a name stands for, also in the forms ``cna_l2 (1).csv`` and
    ``mini-cna_l2.csv``."""
    match = _NAME.search(name)
    if not match:
        return None
    layout = match[1].lower()
    return Published(_FORMER.get(layout, layout), match[2].lower())


def layout_of(columns: Iterable[str]) -> str | None:
    """The kind of file whose columns these are, or None. Columns that nobody knows make no other
    kind of it where its own are unmistakable: those of all but ``cna``, as any table has them."""
    names = set(columns) - OPTIONAL
    own = names & (COLUMNS | set(chain.from_iterable(LAYOUTS.values())))
    for kind, layout_columns in LAYOUTS.items():
        if names == set(layout_columns) or (own == set(layout_columns) and not own <= COLUMNS):
            return kind
    return None


def check_columns(published: Published, columns: Sequence[str], name: str) -> list[str]:
    """Notes about columns that are not used. Raises BadInput, naming the columns that are missing
    and those that were found."""
    layout_columns = LAYOUTS[published.layout]
    missing = [column for column in layout_columns if column not in columns]
    if missing:
        raise BadInput(
            f"{name} should be the published file {published.stem}.csv, but it has no column "
            f"{', '.join(missing)}. Found: {', '.join(columns)}. Such a file has: "
            f"{','.join(layout_columns)}."
        )
    return unused_columns(published.layout, columns)


def unused_columns(layout: str, columns: Sequence[str]) -> list[str]:
    """A note about the columns that a published file has beside its own, or none."""
    names = {*LAYOUTS[layout], *OPTIONAL}
    unused = [column or "(no name)" for column in columns if column not in names]
    return [f"Columns that were not used: {', '.join(unused)}."] if unused else []


def system_by_colors(rows: Iterable[Mapping[str, str]], layout: str) -> tuple[str, list[str]]:
    """The color system that has all the color names of a file, and a note where others have them
    too; an empty id where none has."""
    names: set[str] = set()
    for row in rows:
        for column in ("css_name", "color_name", "color", "color1", "color2", "color3"):
            if row.get(column, "").strip():
                names.add(row[column].strip())
        if len(names) > 1_000:
            return "", []
    lookup = Lookup()
    fitting = [key for key in _BY_SIZE if names and _has_all(key, names, lookup)]
    if not fitting:
        return "", []
    note = f"Read as a published {layout} file of {SYSTEMS[fitting[0]]}, because of its colors."
    if fitting[1:]:
        others = ", ".join(SYSTEMS[key] for key in fitting[1:])
        note += f" {others} would match too: choose the system if it is another one."
    return fitting[0], [note]


def _has_all(key: str, names: Iterable[str], lookup: Lookup) -> bool:
    color_names = {color.name.casefold() for color in color_system(key).colors}
    for name in names:
        # Only what is spelled differently is looked up: an unknown name costs milliseconds.
        if name.casefold() in color_names:
            continue
        try:
            if lookup.color(name, key).system != key:
                return False
        except UnknownColor:
            return False
    return True


def prompt_of_row(row: Mapping[str, str], published: Published, lookup: Lookup) -> Prompt:
    """The prompt of one row; its id is ``<stem>-<id of the row>``.

    Raises BadInput for a row without an id, with numbers that contradict each other or a wrong
    number of colors, and UnknownColor with the nearest names.
    """
    cells = {column: text.strip() for column, text in row.items()}
    if not cells["id"]:
        raise BadInput("The id is empty.")
    layout, task = published.layout, published.task
    notation = layout.partition("_")[2] or "name"
    return Prompt(
        id=f"{published.stem}-{cells['id']}",
        text=row["prompt"],
        task=task,
        targets=_TARGETS[task](cells, published.system, lookup),
        system=published.system,
        source=published.stem,
        notation=notation,
    )


def _object(cells: Mapping[str, str], column: str) -> str:
    if not cells[column]:
        raise BadInput(f"{column} is empty.")
    return cells[column]


def _named_color(cells: Mapping[str, str], column: str, system: str, lookup: Lookup) -> ColorTarget:
    if not cells[column]:
        raise BadInput(f"{column} is empty.")
    named_color = lookup.color(cells[column], system)
    # The value form is what an export writes: a target read back is then the very same.
    return lookup.color(named_color.value, None)


def _cna(cells: Mapping[str, str], system: str, lookup: Lookup) -> tuple[ObjectTarget, ...]:
    color = _named_color(cells, "color", system, lookup)
    return (lookup.target(_object(cells, "object"), color),)


def _ncu(cells: Mapping[str, str], system: str, lookup: Lookup) -> tuple[ObjectTarget, ...]:
    srgb8 = _numbers(cells)
    if cells.get("hex"):
        digits = cells["hex"] if cells["hex"].startswith("#") else f"#{cells['hex']}"
        if read_hex(digits) != srgb8:
            raise BadInput(f"{cells['hex']} is not the color of r, g, b = {srgb8}.")
    color = lookup.color("#{:02X}{:02X}{:02X}".format(*srgb8), None)
    for column in ("css_name", "color_name"):
        if not cells.get(column):
            continue
        try:
            named_color = _named_color(cells, column, system, lookup)
        except UnknownColor:
            continue  # The numbers are what is asked; a name is kept only where both agree.
        if named_color.srgb8 == srgb8:
            color = named_color
            break
    else:
        lookup.unnamed += 1
    return (lookup.target(_object(cells, "object"), color),)


def _numbers(cells: Mapping[str, str]) -> tuple[int, int, int]:
    codes = []
    for column in "rgb":
        if not re.fullmatch("[0-9]{1,3}", cells[column]) or int(cells[column]) > 255:
            raise BadInput(
                f'{column} is "{cells[column][:40]}"; it must be a whole number from 0 to 255.'
            )
        codes.append(int(cells[column]))
    return codes[0], codes[1], codes[2]


def _coa(cells: Mapping[str, str], system: str, lookup: Lookup) -> tuple[ObjectTarget, ...]:
    color = _named_color(cells, "color", system, lookup)
    return (
        lookup.target(_object(cells, "main_obj"), color),
        lookup.target(_object(cells, "sec_obj"), None, "bystander"),
    )


def _moc(cells: Mapping[str, str], system: str, lookup: Lookup) -> tuple[ObjectTarget, ...]:
    filled = [number for number in "123" if cells[f"object{number}"] or cells[f"color{number}"]]
    if cells["color_count"] != str(len(filled)) or len(filled) < 2:
        raise BadInput(
            f'color_count is "{cells["color_count"][:40]}", but the row has {len(filled)} objects.'
        )
    return tuple(
        lookup.target(
            _object(cells, f"object{number}"),
            _named_color(cells, f"color{number}", system, lookup),
        )
        for number in filled
    )


def _ica(cells: Mapping[str, str], system: str, lookup: Lookup) -> tuple[ObjectTarget, ...]:
    color = _named_color(cells, "color", system, lookup)
    return (
        lookup.target(_object(cells, "object"), color),
        lookup.target(_object(cells, "ref_object"), color, "reference"),
    )


_TARGETS = {"cna": _cna, "ncu": _ncu, "coa": _coa, "moc": _moc, "ica": _ica}
