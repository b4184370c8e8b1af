"""Browsing of prompts: search while typing, facets with counts, sorting and pages, all in memory.

The search accepts words or their beginnings (``viv gre``), ``"exact phrases"``, ``-word`` to
exclude, hex values of target colors (``#dc143c``) and prompt ids. It ignores case and accents. A
prompt must match one of the chosen values in every facet. The counts of a facet ignore its own
choice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.color.difference import HUE_GATE_CHROMA, delta_e00
from truehue.core.color.systems import SYSTEMS, ColorTarget
from truehue.core.color.systems import system as color_system
from truehue.core.errors import BadInput
from truehue.core.prompts.prompt import LEVELS, TASKS, Prompt
from truehue.core.prompts.search.columns import (
    Column,
    Facet,
    Pairs,
    PromptStatus,
    StatusColumn,
    marks_of,
    several,
    single,
)
from truehue.core.prompts.search.query import (
    MAX_SUGGESTIONS,
    Suggestion,
    Term,
    WordIndex,
    fold_text,
    suggest_spellings,
    terms_of,
    values_named,
)

OBJECT_COUNTS = ("no object", "one object", "several objects")
_SHORT_SYSTEM = {"css": "CSS", "l1": "L1", "l2": "L2", "l3": "L3", "people": "people"}


@dataclass(frozen=True, eq=False)
class Targets:
    """The objects, categories and colors of all prompts, each once; ``colors`` are the records of
    ``color_values``."""

    objects: Pairs
    categories: Pairs
    color_values: Pairs
    colors: list[ColorTarget]


def targets_of(prompts: Sequence[Prompt]) -> Targets:
    """Collects what all prompts ask for, in one pass."""
    objects, categories, color_values = (Pairs(len(prompts)) for _ in range(3))
    colors: list[ColorTarget] = []
    # A set shares its color records, so that most are known by identity before they are compared.
    seen: dict[int, str] = {}
    for row, prompt in enumerate(prompts):
        if prompt.category:
            categories.add(row, prompt.category)
        for target in prompt.targets:
            objects.add(row, target.name)
            if target.category and target.category != prompt.category:
                categories.add(row, target.category)
            color = target.color
            if color is None:
                continue
            value = seen.get(id(color)) or seen.setdefault(id(color), color.value)
            if color_values.add(row, value) == len(colors):
                colors.append(color)
    return Targets(objects, categories, color_values, colors)


def columns_of(prompts: Sequence[Prompt], targets: Targets) -> dict[str, Column]:
    """The columns of all facets that do not change, by their name."""

    def of(
        name: str, title: str, fixed: Sequence[str] = (), titles: Mapping[str, str] | None = None
    ) -> Column:
        return single(name, title, [getattr(prompt, name) for prompt in prompts], fixed, titles)

    counts = [OBJECT_COUNTS[min(len(prompt.targets), 2)] for prompt in prompts]
    color, hue = _color_columns(targets)
    columns = [
        single("set", "Set", [prompt.source for prompt in prompts]),
        of("task", "Task", list(TASKS), TASKS),
        single("objects", "Number of objects", counts, OBJECT_COUNTS),
        of("system", "Color system", list(SYSTEMS), SYSTEMS),
        color,
        hue,
        several("category", "Category", targets.categories),
        several("object", "Object", targets.objects),
        of("level", "Level of difficulty", sorted(set(LEVELS.values()))),
        of("notation", "Notation"),
        of("template", "Template", sorted({prompt.template for prompt in prompts}, key=_natural)),
        of("concept", "Concept"),
        of("modifier_kind", "Kind of modifier"),
        of("modifier", "Modifier"),
        of("style", "Style"),
    ]
    return {column.name: column for column in columns}


def hue_ranks(colors: Sequence[ColorTarget]) -> np.ndarray:
    """int32 ``(len(colors),)``: dense ranks around the color circle by CIELAB hue, the darker
    first; after them the grays (C*ab below 5, whose hue says nothing) by L*."""
    lab = _lab(colors)
    gray = np.hypot(lab[:, 1], lab[:, 2]) < HUE_GATE_CHROMA
    hue_deg = np.degrees(np.arctan2(lab[:, 2], lab[:, 1])) % 360.0
    keys = np.stack([gray, np.where(gray, 0.0, hue_deg), lab[:, 0]], axis=1)
    return dense_ranks(keys)


def lightness_ranks(colors: Sequence[ColorTarget]) -> np.ndarray:
    """int32 ``(len(colors),)``: dense ranks by L*, the darkest first."""
    return dense_ranks(_lab(colors)[:, :1])


def dense_ranks(keys: np.ndarray) -> np.ndarray:
    """int32 ``(N,)`` ranks of the rows of ``(N, K)`` keys, equal rows alike."""
    if len(keys) == 0:
        return np.zeros(0, dtype=np.int32)
    _, ranks = np.unique(keys, axis=0, return_inverse=True)
    return ranks.reshape(-1).astype(np.int32)


def _lab(colors: Sequence[ColorTarget]) -> np.ndarray:
    return np.array([color.lab for color in colors], dtype=np.float64).reshape(-1, 3)


def _color_columns(targets: Targets) -> tuple[Column, Column]:
    """The colors themselves, and the nearest of the 13 names of ISCC-NBS level 1 of each."""
    colors = targets.colors
    labels = [color.label for color in colors]
    shared = {label for label, times in Counter(labels).items() if times > 1}
    labels = [
        f"{label} ({_SHORT_SYSTEM[color.system]})" if label in shared and color.system else label
        for label, color in zip(labels, colors, strict=True)
    ]
    column = several(
        "color", "Color", targets.color_values, labels, [color.hex for color in colors]
    )
    families = color_system("l1")
    nearest = np.zeros(len(colors), dtype=np.int64)
    lab = _lab(colors)
    for start in range(0, len(colors), 4096):
        part = slice(start, start + 4096)
        nearest[part] = delta_e00(families.lab, lab[part, None, :]).argmin(axis=1)
    names = {family.name: code for code, family in enumerate(families.colors)}
    codes = nearest[np.asarray(targets.color_values.codes, dtype=np.int64)].tolist()
    hues = replace(targets.color_values, codes=codes, values=names)
    hue = several("hue", "Hue", hues, hexes=[family.hex for family in families.colors])
    ranks = hue_ranks(colors)
    # Colors of equal coordinates have one rank: the order of listing then tells them apart.
    column.hue_order = np.argsort(np.lexsort((column.label_ranks, ranks)))
    hue.order = np.arange(len(families.colors), dtype=np.int32)
    return column, hue


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """``D.1.10`` after ``D.1.9``."""
    return tuple(
        (0, int(part), "")
        if part.isdecimal() and part.isascii() and len(part) < 10
        else (1, 0, part)
        for part in re.split(r"([0-9]+)", text)
        if part
    )


SORTS: Mapping[str, str] = MappingProxyType(
    {
        "set": "Order of the set",
        "relevance": "Exact phrase first",
        "text": "Text",
        "object": "Object",
        "hue": "Hue",
        "lightness": "Lightness",
        "task": "Task",
        "random": "Random",
    }
)
"""The orders by id, with a title. Prompts without a color or object stand last either way round."""

FACETS = (
    "set",
    "task",
    "objects",
    "system",
    "color",
    "hue",
    "category",
    "object",
    "level",
    "notation",
    "template",
    "concept",
    "modifier_kind",
    "modifier",
    "style",
    "drawn",
    "verdict",
)
VALUE_ORDERS = ("count", "hue")
_KEPT_RESULTS = 64
_KEPT_ORDERS = 8  # of one result; each seed of the random order is one


@dataclass(frozen=True)
class Query:
    """A search. ``chosen`` is facet to values; ``sort`` one of :data:`SORTS`; ``seed``
    decides the random order; ``values_by`` orders the color facet by ``count`` or ``hue``."""

    text: str = ""
    chosen: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sort: str = "set"
    descending: bool = False
    offset: int = 0
    limit: int = 50
    seed: int = 0
    values_by: str = "count"


@dataclass(frozen=True)
class Page:
    """``total`` prompts match; ``rows`` are the positions of those on this page."""

    total: int
    rows: tuple[int, ...]
    facets: tuple[Facet, ...]


@dataclass(eq=False)
class _Matches:
    """What a text and a choice select, and what was already made of it."""

    mask: np.ndarray
    total: int
    counts: dict[str, np.ndarray]
    terms: tuple[Term, ...]
    facets: dict[str, tuple[Facet, ...]] = field(default_factory=dict)
    orders: LruCache[np.ndarray] = field(default_factory=lambda: LruCache(_KEPT_ORDERS))


class PromptIndex:
    """Prompts that can be searched. Positions are places in ``prompts``. Any thread may call."""

    def __init__(self, prompts: Sequence[Prompt]) -> None:
        self.prompts = tuple(prompts)
        targets = targets_of(self.prompts)
        self._columns = columns_of(self.prompts, targets)
        self._text = WordIndex(
            [prompt.text for prompt in self.prompts],
            [prompt.id for prompt in self.prompts],
            _hexes(targets, len(self.prompts)),
        )
        self._positions: dict[str, list[int]] = {}
        for row, prompt in enumerate(self.prompts):
            self._positions.setdefault(prompt.id, []).append(row)
        self._ranks = self._sort_ranks(targets)
        self._unmarked = self.marks({})
        self._results: LruCache[_Matches] = LruCache(_KEPT_RESULTS)
        self._permutations: LruCache[np.ndarray] = LruCache(_KEPT_RESULTS)

    def __len__(self) -> int:
        return len(self.prompts)

    def positions(self, prompt_id: str) -> tuple[int, ...]:
        """Where the prompts of an id stand: one, or none, or several where sets were mixed."""
        return tuple(self._positions.get(prompt_id, ()))

    def marks(self, statuses: Mapping[str, PromptStatus]) -> StatusColumn:
        """The storage's marks of prompts, by id, in the form that a search takes.

        Ids that are not in the index are left out. Raises BadInput for an unknown verdict.
        """
        return marks_of(self._positions, len(self.prompts), statuses)

    def search(self, query: Query, marks: StatusColumn | None = None) -> Page:
        """One page of what matches, with all facets in the order of :data:`FACETS`.

        Without ``marks`` no prompt counts as drawn. Raises BadInput for an unknown facet, sort or
        order of values, a negative offset or limit, and a text that is too long. A value that no
        prompt has selects nothing and stays listed while it is chosen.
        """
        if query.offset < 0 or query.limit < 0:
            raise BadInput("A page begins at 0 or later and has 0 or more rows.")
        if query.values_by not in VALUE_ORDERS:
            raise BadInput(f"Values are listed by count or by hue, not by {query.values_by!r:.40}.")
        if query.sort not in SORTS:
            raise BadInput(
                f"There is no order {query.sort!r:.40}. It is one of {', '.join(SORTS)}."
            )
        matches = self._find(query, marks)
        facets = matches.facets.get(query.values_by)
        if facets is None:
            facets = matches.facets[query.values_by] = self._facets(query, matches, marks)
        rows = self._ordered(query, matches)[query.offset : query.offset + query.limit]
        return Page(matches.total, tuple(rows.tolist()), facets)

    def suggestions(
        self, query: Query, marks: StatusColumn | None = None
    ) -> tuple[str, tuple[Suggestion, ...]]:
        """What the words of a query may mean: a spelling that finds something, or an empty text,
        and values of facets that they name, at most
        :data:`truehue.core.prompts.search.query.MAX_SUGGESTIONS`.

        A value that is chosen already, or would leave no prompt, is not among them.
        """
        terms = terms_of(query.text)
        if not terms:
            return "", ()
        instead = self._instead(query, terms, marks)
        offered: list[Suggestion] = []
        for suggestion in values_named(self._columns, terms):
            chosen = query.chosen.get(suggestion.facet, frozenset())
            if len(offered) == MAX_SUGGESTIONS or suggestion.value in chosen:
                continue
            narrowed = {**query.chosen, suggestion.facet: chosen | {suggestion.value}}
            count = self._find(replace(query, text=suggestion.rest, chosen=narrowed), marks).total
            if count:
                offered.append(replace(suggestion, count=count))
        return instead, tuple(offered)

    def _instead(self, query: Query, terms: Sequence[Term], marks: StatusColumn | None) -> str:
        unknown = self._text.unknown(terms)
        if not unknown:
            return ""
        like = suggest_spellings(unknown, self._text.known)
        text = (
            " ".join(like.get(fold_text(part).strip(), part) for part in query.text.split())
            if like
            else ""
        )
        return text if text and self._find(replace(query, text=text), marks).total else ""

    def matching(self, query: Query, marks: StatusColumn | None = None) -> np.ndarray:
        """int32 positions of all prompts that match, in the query's order, whatever its page."""
        if query.sort not in SORTS:
            raise BadInput(
                f"There is no order {query.sort!r:.40}. It is one of {', '.join(SORTS)}."
            )
        return self._ordered(query, self._find(query, marks)).copy()

    def _find(self, query: Query, marks: StatusColumn | None) -> _Matches:
        marks = marks or self._unmarked
        chosen = {name: frozenset(values) for name, values in query.chosen.items() if values}
        unknown = sorted(set(chosen) - set(FACETS))
        if unknown:
            raise BadInput(
                f"There is no facet {unknown[0]!r:.40}. It is one of {', '.join(FACETS)}."
            )
        key = (query.text, frozenset(chosen.items()), marks)
        return self._results.get(key, lambda: self._select(query.text, chosen, marks))

    def _select(
        self, text: str, chosen: Mapping[str, frozenset[str]], marks: StatusColumn
    ) -> _Matches:
        terms = terms_of(text)
        by_text = self._text.mask(terms) if terms else None
        columns = self._all_columns(marks)
        choices = {name: columns[name].having(values) for name, values in chosen.items()}
        mask = _all_of(by_text, list(choices.values()))
        counts = {}
        for name, column in columns.items():
            others = mask
            if name in choices:
                rest = [choice for other, choice in choices.items() if other != name]
                others = _all_of(by_text, rest)
            counts[name] = column.counts(others)
        if mask is None:
            mask = np.ones(len(self.prompts), dtype=bool)
        return _Matches(mask, int(np.count_nonzero(mask)), counts, terms)

    def _all_columns(self, marks: StatusColumn) -> dict[str, Column]:
        return {**self._columns, **{column.name: column for column in marks.columns}}

    def _facets(
        self, query: Query, matches: _Matches, marks: StatusColumn | None
    ) -> tuple[Facet, ...]:
        columns = self._all_columns(marks or self._unmarked)
        by_hue = query.values_by == "hue"
        return tuple(
            columns[name].facet(matches.counts[name], frozenset(query.chosen.get(name, ())), by_hue)
            for name in FACETS
        )

    def _ordered(self, query: Query, matches: _Matches) -> np.ndarray:
        """The matching positions in the query's order."""
        key = (query.sort, query.descending, query.seed if query.sort == "random" else 0)

        def order() -> np.ndarray:
            if query.sort == "relevance":
                rows = np.flatnonzero(matches.mask).astype(np.int32)
                ranks = self._text.closeness(matches.terms, rows)
                return rows[np.argsort(-ranks if query.descending else ranks, kind="stable")]
            whole = self._permutations.get(key, lambda: self._permutation(*key))
            return whole[matches.mask[whole]]

        return matches.orders.get(key, order)

    def _permutation(self, sort: str, descending: bool, seed: int) -> np.ndarray:
        """All positions in an order; prompts that have nothing to sort by stand last, and equal
        ones in the order of the set, either way round."""
        if sort == "random":
            ranks = np.random.default_rng(abs(seed)).permutation(len(self.prompts))
        elif sort == "set":
            ranks = np.arange(len(self.prompts))
        else:
            ranks = self._ranks[sort]
        signed = np.where(ranks < 0, len(ranks) + 1, -ranks if descending else ranks)
        return np.argsort(signed, kind="stable").astype(np.int32)

    def _sort_ranks(self, targets: Targets) -> dict[str, np.ndarray]:
        """int ``(N,)`` rank of each prompt by the id of an order; -1 where it has none."""
        names = np.array([name.casefold() for name in targets.objects.values] or [""], dtype=object)
        tasks = {task: index for index, task in enumerate(TASKS)}
        lines = self._text.lines
        position = {line: rank for rank, line in enumerate(sorted(set(lines)))}
        return {
            "text": np.fromiter((position[line] for line in lines), np.int32, len(lines)),
            "object": _by_code(np.unique(names, return_inverse=True)[1], targets.objects.first),
            "hue": _by_code(hue_ranks(targets.colors), targets.color_values.first),
            "lightness": _by_code(lightness_ranks(targets.colors), targets.color_values.first),
            "task": np.array([tasks.get(prompt.task, len(tasks)) for prompt in self.prompts]),
        }


def _all_of(first: np.ndarray | None, rest: Sequence[np.ndarray]) -> np.ndarray | None:
    """Where all masks hold; None stands for everywhere."""
    for mask in rest:
        first = mask if first is None else first & mask
    return first


def _by_code(ranks: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The rank of each code, -1 for the code -1."""
    return np.append(ranks, -1)[codes]


def _hexes(targets: Targets, size: int) -> list[list[str]]:
    """The hex values in lower case that each prompt asks for."""
    row_hexes: list[list[str]] = [[] for _ in range(size)]
    hexes = [color.hex.lower() for color in targets.colors]
    for row, code in zip(targets.color_values.rows, targets.color_values.codes, strict=True):
        row_hexes[row].append(hexes[code])
    return row_hexes
