"""What the numbers in the rows of results stand for, and which numbers a filter means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truehue.core.analysis.groups import bands_of
from truehue.core.analysis.names import l2_names
from truehue.core.analysis.records import CHROMA_BANDS, SEARCHING, SECTORS
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, NotStored, UnknownColor
from truehue.core.verdict.rules import rule
from truehue.storage.database.connection import Database
from truehue.storage.runs.dictionaries import STATUSES, TRAITS

KINDS = ("task", "system", "category", "object", "cause", "step", "rule")


@dataclass(frozen=True)
class Color:
    """One asked color as :class:`truehue.core.color.systems.ColorTarget` spells it."""

    value: str
    name: str
    hex: str
    lab: tuple[float, float, float]
    sector: int
    asked_l2: int
    traits: int

    @property
    def label(self) -> str:
        """Its name, or the hex of a color without one."""
        return self.name or self.hex


@dataclass(frozen=True)
class StringDictionary:
    """All dictionaries as of one moment. ``names`` are lists by number of each kind; ``searching``
    are the runs whose masker looks for objects."""

    names: Mapping[str, Sequence[str]]
    colors: Sequence[Color]
    run_ids: Sequence[str]
    run_names: Sequence[str]
    hidden: frozenset[int]
    searching: frozenset[int] = frozenset()

    @classmethod
    def read(cls, database: Database) -> StringDictionary:
        """Read them: some hundreds of rows."""
        names: dict[str, list[str]] = {kind: [] for kind in KINDS}
        for kind, name in database.rows("SELECT kind, name FROM known_names ORDER BY kind, no"):
            names[kind].append(name)
        colors = [
            Color(value, name, hex_, (lab[0], lab[1], lab[2]), *numbers)
            for value, name, hex_, lab, numbers in database.rows(
                "SELECT value, name, hex, [l, a, b], [sector, asked_l2, traits] FROM known_colors "
                "ORDER BY color_no"
            )
        ]
        runs = database.rows("""
            SELECT run_id, arg_max(name, version), arg_max(hidden, version),
                any_value(json_extract_string(summary, '$.masker.kind'))
            FROM run_numbers JOIN run_views USING (run_no) GROUP BY run_no, run_id ORDER BY run_no
        """)
        return cls(
            names,
            colors,
            [row[0] for row in runs],
            [row[1] for row in runs],
            frozenset(index for index, row in enumerate(runs) if row[2]),
            frozenset(index for index, row in enumerate(runs) if row[3] == SEARCHING),
        )

    @cached_property
    def _positions(self) -> Mapping[str, Mapping[str, int]]:
        positions = {
            kind: {name: index for index, name in enumerate(ones)}
            for kind, ones in self.names.items()
        }
        positions["run"] = {run_id: index for index, run_id in enumerate(self.run_ids)}
        positions["color"] = {color.value: index for index, color in enumerate(self.colors)}
        for field, names in (
            ("sector", SECTORS),
            ("status", STATUSES),
            ("trait", TRAITS),
            ("l2", l2_names()),
        ):
            positions[field] = {name: index for index, name in enumerate(names)}
        return positions

    def number(self, kind: str, name: str) -> int:
        """The number of a word. Raises :class:`BadInput` for one that no result has, and
        :class:`NotStored` for a run that is not here."""
        number = self._positions[kind].get(name)
        if number is None and kind == "color":
            number = self._positions["color"].get(_color_value(name))
        if number is not None:
            return number
        if kind == "run":
            raise NotStored(f"No run is stored under {name[:80]!r}.")
        raise BadInput(
            f"No result has the {_SAID.get(kind, kind)} {name[:80]!r}{self._instead(kind)}."
        )

    def in_band(self, low: str) -> list[int]:
        """The numbers of the colors whose band of C*ab begins there. Raises BadInput."""
        if low not in self._bands:
            raise BadInput(
                f"There is no band of C*ab from {low[:40]!r}. Bands begin at "
                f"{', '.join(self._bands)}."
            )
        return self._bands[low]

    @cached_property
    def _bands(self) -> Mapping[str, list[int]]:
        bands: dict[str, list[int]] = {f"{low:.0f}": [] for low in (0.0, *CHROMA_BANDS)}
        if self.colors:
            sectors = [SECTORS[color.sector] for color in self.colors]
            starts = bands_of(np.array([color.lab for color in self.colors]), sectors)
            for index, low in enumerate(starts.tolist()):
                bands[f"{low:.0f}"].append(index)
        return bands

    def runs(self, ids: Sequence[str]) -> list[int] | None:
        """The numbers of runs; without ids those that are shown, None where all are."""
        if ids:
            return sorted({self.number("run", run_id) for run_id in ids})
        if not self.hidden:
            return None
        return [index for index in range(len(self.run_ids)) if index not in self.hidden]

    def rule(self, name: str) -> int:
        """The number of a rule, -1 for a rule that no run was judged by. Raises BadInput for a
        rule that there is not."""
        return self._positions["rule"].get(rule(name).id, -1)

    def _instead(self, kind: str) -> str:
        names = list(self._positions[kind])
        shown = [name for name in names if name][:12]
        return f": there are {', '.join(shown)}{'' if len(names) <= 12 else ', …'}" if shown else ""


_SAID = {"l2": "level 2 name", "trait": "kind of name", "color": "target color"}


def _color_value(text: str) -> str:
    try:
        return parse_target(text).value
    except UnknownColor:
        return text
