"""How far rules agree with people: whether they accept the names that people use for a color.

The colors are the bins of the XKCD survey (:mod:`truehue.core.color.people`), each as a patch of one
color; the names are the 13 of ISCC-NBS level 1, all of which people use. People call one color by
several names: a rule that accepts one name for each color can agree with 82% of their answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truehue.core.color.difference import delta_e00
from truehue.core.color.people import MIN_ANSWERS, colors_named
from truehue.core.color.spaces import lab_to_srgb8
from truehue.core.color.systems import parse_target, system
from truehue.core.errors import BadInput
from truehue.core.files import whole_file
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import measure_by_rules
from truehue.core.verdict.rules import PASS, Rule

SIDE_PX = 16
RARE = 0.05
"""A name with at most this share of a color's answers is wrong for it, as people see it."""
EVERY = 8


@dataclass(frozen=True)
class PeopleFigures:
    """A rule against people. ``answers`` people gave with one of the names, ``accepted`` of them with
    one that the rule accepts for that color. ``rare`` pairs of a color and a name that hardly anybody
    uses for it were asked, ``rare_accepted`` of them pass. ``names`` is how many the rule accepts for
    a color, on average."""

    id: str
    version: str
    answers: int
    accepted: int
    rare: int
    rare_accepted: int
    names: float


@dataclass(frozen=True)
class PeopleReport:
    """All rules against people, on every ``every``-th color and with ``k`` neighbors. ``best`` of
    ``answers`` agree with the name that most people use, which no rule of one name for a color can
    exceed; ``nearest`` with the name whose color is nearest by CIEDE2000."""

    every: int
    k: int
    colors: int
    answers: int
    best: int
    nearest: int
    rules: tuple[PeopleFigures, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain JSON of all fields."""
        return asdict(self)

    @classmethod
    def read(cls, path: Path) -> PeopleReport:
        """The report that :func:`save` wrote; raises BadInput for another file."""
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            rules = tuple(PeopleFigures(**rule) for rule in fields.pop("rules"))
            return cls(**fields, rules=rules)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise BadInput(f"{path.name} is no report of names by people: {error}.") from error


def save(report: PeopleReport, path: Path) -> None:
    """Writes a report, whole or not at all."""
    text = json.dumps(report.as_json(), indent=1) + "\n"
    with whole_file(path) as file:
        file.write(text.encode())


def compare_with_people(
    rules: Sequence[Rule],
    every: int = EVERY,
    k: int = 0,
    report_progress: Callable[[int, int], None] = lambda done, total: None,
) -> PeopleReport:
    """Asks every rule for every name of every ``every``-th color; the ``k`` nearest names count too,
    where a rule has neighbors. ``report_progress`` gets the number of colors that are done, and of
    all. Raises BadInput for an ``every`` below 1."""
    if every < 1:
        raise BadInput(f"--every is a number from 1, not {every}.", "every")
    names = system("l1").colors
    lab, counts = colors_named([color.name for color in names], MIN_ANSWERS)
    lab, counts = lab[::every], counts[::every]
    targets = [parse_target(f"l1:{color.name}") for color in names]
    accepts = np.zeros((len(rules), *counts.shape), dtype=bool)
    for index, srgb8 in enumerate(_patches(lab)):
        mask = np.ones(srgb8.shape[:2], dtype=bool)
        for name, target in enumerate(targets):
            each = measure_by_rules(
                srgb8, mask, target, [rule.id for rule in rules], acceptance=Acceptance(k)
            )
            accepts[:, index, name] = [found.verdict.status == PASS for found in each]
        report_progress(index + 1, len(lab))
    nearest = np.argmin([delta_e00(lab, np.array(color.lab)) for color in names], axis=0)
    rare = counts <= RARE * counts.sum(axis=1, keepdims=True)
    return PeopleReport(
        every,
        k,
        len(lab),
        int(counts.sum()),
        int(counts.max(axis=1).sum()),
        int(counts[np.arange(len(lab)), nearest].sum()),
        tuple(
            PeopleFigures(
                rule.id,
                rule.version,
                int(counts.sum()),
                int(counts[accepted].sum()),
                int(np.count_nonzero(rare)),
                int(np.count_nonzero(rare & accepted)),
                round(float(accepted.sum(axis=1).mean()), 3),
            )
            for rule, accepted in zip(rules, accepts, strict=True)
        ),
    )


def text(report: PeopleReport) -> str:
    """The report as a table for a terminal."""
    lines = [
        f"{report.colors:,} colors, {report.answers:,} answers of people with one of 13 names.",
        f"The name of most people: {_percent(report.best, report.answers)}; the nearest name by "
        f"CIEDE2000: {_percent(report.nearest, report.answers)}.",
        f"{'rule':<18} {'people agreed with':>18} {'rare names accepted':>20} {'names a color':>14}",
    ]
    for rule in report.rules:
        agreed = _percent(rule.accepted, rule.answers)
        false = _percent(rule.rare_accepted, rule.rare)
        lines.append(f"{rule.id:<18} {agreed:>18} {false:>20} {rule.names:>14.2f}")
    return "\n".join(lines) + "\n"


def _percent(part: int, whole: int) -> str:
    return f"{100.0 * part / whole:.1f}%"


def _patches(lab: NDArray[np.float64]) -> Iterator[NDArray[np.uint8]]:
    """A patch of each color, uint8 ``(16, 16, 3)``."""
    for color in lab_to_srgb8(lab):
        yield np.broadcast_to(color, (SIDE_PX, SIDE_PX, 3)).copy()
