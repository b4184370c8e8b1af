"""The rows of one file as they are read: accepted, or refused with their position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from truehue.core.color.distances import SUM_TOLERANCE, checked
from truehue.core.color.notation import shorten
from truehue.core.color.uw71 import assign
from truehue.core.concepts.matching import concept_of, normal, similar
from truehue.core.concepts.reading.bins import RATINGS as OFFER_RATINGS
from truehue.core.concepts.reading.bins import SHARES, FileRefused, Order, SourceColor
from truehue.core.concepts.records import (
    HISTOGRAMS,
    KINDS,
    PALETTES,
    RATINGS,
    DistributionFile,
    DistributionRow,
)
from truehue.core.errors import BadInput

MAX_ROWS = 50_000
MAX_CHARACTERS = 200
MAX_LABELS = 50
PICTURES = "pictures"
"""The kind of a row that was measured on images: it comes in as a histogram."""
NORMALIZED = (OFFER_RATINGS, SHARES)
"""Meanings of numbers that do not sum to 1."""
MAX_PROBLEMS = 1_000
_SHOWN = 8


@dataclass(frozen=True)
class Label:
    """What stands beside the numbers of a row. ``where`` is its place, ``Line 5``; ``nobody`` is
    that it says to be of 0 people. ``kind`` is :data:`PICTURES` or a key of KINDS, or empty."""

    where: str
    concept: str
    modifier: str = ""
    contributor: str = ""
    people: int = 0
    nobody: bool = False
    label: str = ""
    kind: str = ""
    method: str = ""

    @property
    def person(self) -> str:
        """The person that it is by; empty if there is none."""
        return "" if self.nobody else _plain(self.contributor)

    @property
    def called(self) -> str:
        """The key that separates distributions of a concept that must not be averaged."""
        return _plain(self.label or (self.contributor if self.nobody else ""))

    @property
    def said(self) -> dict[str, object]:
        """Its description, as stored."""
        fields: dict[str, object] = {
            name: text
            for name, text in (("label", self.called), ("kind", self.kind), ("method", self.method))
            if text
        }
        return {**fields, "people": 0} if self.nobody else fields

    @property
    def words(self) -> str:
        """Those of the concept where it is one of ColorConceptBench's, else their normal form."""
        written = f"{self.modifier} {self.concept}"
        concept = concept_of(written)
        return concept.words if concept else normal(written)

    @property
    def name(self) -> str:
        """``Line 5 ("rotten mango")``."""
        return f'{self.where} ("{shorten(f"{self.modifier} {self.concept}")}")'


@dataclass
class RowCollector:
    """Rows of the file ``name``. ``normalize`` is empty, or what rows that do not sum to 1 are:
    RATINGS or SHARES."""

    name: str
    normalize: str = ""
    notes: list[str] = field(default_factory=list)
    _rows: list[DistributionRow] = field(default_factory=list)
    _missed: list[tuple[int, str, float]] = field(default_factory=list)
    _problems: list[str] = field(default_factory=list)
    _more_problems: int = 0
    _positions: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def take_numbers(self, label: Label, numbers: Sequence[float], order: Order) -> None:
        """A row of numbers, in the file's order; what is no distribution is refused or kept until
        :meth:`finish` knows what to do with it."""
        if not self._fits(label):
            return
        placed = order.placed(numbers)
        with np.errstate(over="ignore"):
            total = float(placed.sum())
        original: dict[str, object] = {}
        if np.isfinite(placed).all() and (placed >= 0).all() and total == np.inf:
            self.refuse(label.name, "Its numbers are too large to be added up; make them smaller")
            return
        if np.isfinite(placed).all() and (placed >= 0).all() and total > 0:
            missed = abs(total - 1.0) > SUM_TOLERANCE
            if missed or not order.canonical:
                original["numbers"] = [float(value) for value in numbers]
            if not order.canonical:
                original["bins"] = list(order.bins)
            if missed:
                self._missed.append((len(self._rows), label.name, total))
            self._keep(label, placed / total, original)
            return
        try:
            checked(placed, label.name)
        except BadInput as error:
            self.problem(str(error))

    def take_palette(
        self, label: Label, colors: Sequence[SourceColor], weights: Sequence[float] | None
    ) -> None:
        """A palette: every color to its nearest bin. Without ``weights`` colors weigh the same."""
        if not self._fits(label):
            return
        lab = np.array([color.lab for color in colors])
        try:
            shares = assign(lab, np.ones(len(colors)) if weights is None else np.array(weights))
        except BadInput as error:
            self.refuse(label.name, str(error))
            return
        original: list[dict[str, object]] = [dict(color.as_json) for color in colors]
        if weights is not None:
            original = [
                {**color, "weight": float(weight)}
                for color, weight in zip(original, weights, strict=True)
            ]
        self._keep(label, shares, {"colors": original})

    def refuse(self, location: str, why: str) -> None:
        """Reports what cannot be taken."""
        self.problem(f"{location}: {why.rstrip('.')}.")

    def finish(self, palettes: bool = False) -> DistributionFile:
        """The file. Raises FileRefused where no row could be taken: with the offer to take ratings
        where every row that has 71 numbers from 0 on misses the sum of 1."""
        kind, problems = PALETTES if palettes else self._settle(), self._message()
        if not self._rows:
            first = problems[0] if problems else "It has no row below its header."
            raise FileRefused(f"Nothing in {self.name} could be read. {first}", "", problems)
        parts = list(dict.fromkeys(row.words for row in self._rows))
        unknown = tuple(word for word in parts if concept_of(word) is None)
        if unknown:
            self.notes.append(_unknown_note(unknown, len(parts)))
        kinds = {row.kind or kind for row in self._rows}
        file = DistributionFile(
            kinds.pop() if len(kinds) == 1 else kind,
            tuple(self._rows),
            (),
            unknown,
            problems,
            NORMALIZED if self._missed and not self.normalize else (),
        )
        return replace(file, notes=(*self.notes, *_labels_notes(file, self.name)))

    def _settle(self) -> str:
        """What the numbers are: histograms, or ratings where that was said and is so."""
        if self.normalize:
            if not self._missed:
                self.notes.append("Every row sums to 1 already, so nothing was normalized.")
                return HISTOGRAMS
            ratings = self.normalize == OFFER_RATINGS
            these = KINDS[RATINGS] if ratings else "histograms: counts, percent or rounded shares"
            self.notes.append(
                f"These are {these}. {len(self._missed):,} of {len(self._rows):,} rows "
                "did not sum to 1 and were divided by their sum."
            )
            return RATINGS if ratings else HISTOGRAMS
        if self._missed and len(self._missed) == len(self._rows):
            _, name, total = self._missed[0]
            raise FileRefused(
                f"No row of {self.name} sums to 1: {name} sums to {total:.9g}. If these are "
                "association ratings, import them as ratings: each row is then divided by its "
                "sum and labeled as ratings. If they are counts, percent or rounded shares, "
                "choose that: each row is then divided by its sum and stays a histogram.",
                OFFER_RATINGS,
                self._message(),
            )
        if self._missed:
            missed = {index for index, _, _ in self._missed}
            self._rows = [row for index, row in enumerate(self._rows) if index not in missed]
            for _, name, total in self._missed:
                self.problem(
                    f"{name} sums to {total:.9g} instead of 1. If the file holds ratings, import "
                    "it as ratings; if counts or percent, as such."
                )
        return HISTOGRAMS

    def _fits(self, label: Label) -> bool:
        """Whether a row has words that can be kept and was not there before."""
        why = _unfit(label)
        before = self._positions.get((label.words, label.person, label.called))
        if not why and before is not None and label.called:
            why = f"{before} has the same concept and label. Give each its own label"
        elif not why and before is not None:
            why = (
                f"{before} has the same concept and contributor. Rows of several people need a "
                "column contributor"
            )
        if why:
            self.refuse(label.name, why)
        return not why

    def _keep(self, label: Label, weights: np.ndarray, original: dict[str, object]) -> None:
        if len(self._rows) >= MAX_ROWS:
            raise FileRefused(f"{self.name} has more than {MAX_ROWS:,} rows. Split it.")
        weights.flags.writeable = False
        self._positions[label.words, label.person, label.called] = label.where
        self._rows.append(
            DistributionRow(
                label.words,
                label.person,
                weights,
                label.people,
                {**original, **label.said},
                label.called,
                HISTOGRAMS if label.kind == PICTURES else label.kind,
            )
        )

    def problem(self, sentence: str) -> None:
        """Reports what cannot be taken, in a sentence that says where it stood."""
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(sentence)
        else:
            self._more_problems += 1

    def _message(self) -> tuple[str, ...]:
        more = self._more_problems
        return (*self._problems, *([f"{more:,} more rows could not be read."] if more else []))


def _unfit(label: Label) -> str:
    if not normal(label.concept):
        return "It has no concept"
    if label.kind not in ("", PICTURES, *KINDS):
        kinds = ", ".join((PICTURES, *KINDS))
        return f'Its kind is "{shorten(label.kind)}"; the kinds are {kinds}'
    texts = {
        "concept": label.words,
        "contributor": label.contributor,
        "label": label.label,
        "method": label.method,
    }
    for subject, text in texts.items():
        if len(text) > MAX_CHARACTERS:
            return f"Its {subject} has {len(text):,} characters; give at most {MAX_CHARACTERS}"
        if any(0xD800 <= ord(sign) <= 0xDFFF or sign == "\0" for sign in text):
            return f"Its {subject} holds a character that is not valid Unicode"
    return ""


def _plain(text: str) -> str:
    return " ".join(text.split())


def _labels_notes(file: DistributionFile, name: str) -> list[str]:
    """A note on a file with several distributions of a concept. Raises FileRefused for more
    than :data:`MAX_LABELS`."""
    parts = file.parts()
    if len(parts) > MAX_LABELS:
        raise FileRefused(
            f"{name} has {len(parts):,} distributions that are of 0 people, or labeled apart; at "
            f"most {MAX_LABELS} are read. If each is one person, leave the column people out."
        )
    notes = []
    if len(parts) > 1:
        shown = [
            f"“{label}” ({part.kind})" if (label := part.rows[0].label) else part.kind
            for part in parts[:_SHOWN]
        ]
        rest = f" and {len(parts) - _SHOWN:,} more" if len(parts) > _SHOWN else ""
        notes.append(
            f"These are {len(parts):,} distributions, kept apart from each other: "
            f"{', '.join(shown)}{rest}."
        )
    nobody = sum("people" in row.given for row in file.rows)
    if nobody:
        notes.append(
            f"{nobody:,} of {len(file.rows):,} rows give 0 people: they have no interval over "
            "people."
        )
    return notes


def _unknown_note(unknown: Sequence[str], count: int) -> str:
    shown = []
    for text in unknown[:_SHOWN]:
        near = similar(text, 2)
        shown.append(f"{text} (similar: {', '.join(near)})" if near else text)
    rest = f" and {len(unknown) - _SHOWN:,} more" if len(unknown) > _SHOWN else ""
    return (
        f"{len(unknown):,} of {count:,} concepts are not in ColorConceptBench and were "
        f"imported under their own names: {', '.join(shown)}{rest}."
    )
