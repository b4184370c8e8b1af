"""The report of a diagnosis: records that survive JSON unchanged, and a table for terminals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

from truehue.core.errors import BadInput

SCHEMA = 1
SETS = ("pooled", "tuned", "held_out", "mixed", "two_material")
BYS = ("all", "light", "object", "hue", "lightness")
MISSED, FALSE_ACCEPT = "missed", "false accept"

_Record = TypeVar("_Record")


@dataclass(frozen=True)
class Figure:
    """Counts and rates of one rule on one part of one system's images.

    ``set`` is one of :data:`SETS`, ``by`` one of :data:`BYS` and ``key`` the light, object, hue
    sector or lightness band (empty for ``all``). ``asked`` counts judgments against the true color,
    of which ``hits`` passed; ``tried`` those against a color that is not the true one, of which
    ``false_accepts`` passed. ``unscored`` counts those of both that could not be judged: they stay
    in ``asked`` and ``tried``. Rates are percent with their Wilson 95% interval, None where nothing
    was asked or tried.
    """

    set: str
    system: str
    by: str
    key: str
    hits: int
    asked: int
    false_accepts: int
    tried: int
    unscored: int
    hit_percent: float | None
    hit_low: float | None
    hit_high: float | None
    false_accept_percent: float | None
    false_accept_low: float | None
    false_accept_high: float | None


@dataclass(frozen=True)
class RocPoint:
    """Both rates, in percent, if every threshold of the rule were ``limit`` times as large."""

    limit: float
    hit_percent: float
    false_accept_percent: float


@dataclass(frozen=True)
class Roc:
    """``auc``, 0 to 1: how often a true color is nearer to its limits than one that is not true,
    over all pairs of scored judgments, ties as a half; None where there is no such pair.
    """

    auc: float | None
    points: tuple[RocPoint, ...]


@dataclass(frozen=True)
class Example:
    """One wrong judgment. ``kind`` is "missed" or "false accept"; ``second`` is the hex of the
    second material, empty where there is none. ``delta_e00`` and ``margin`` are None if unscored.
    """

    object: str
    light: str
    seed: int
    system: str
    color: str
    asked: str
    kind: str
    delta_e00: float | None
    margin: float | None
    second: str = ""


@dataclass(frozen=True)
class RuleReport:
    """All about one rule; ``parameters`` as its verdicts carry them, ``roc`` by system."""

    id: str
    version: str
    name: str
    parameters: dict[str, Any]
    figures: tuple[Figure, ...]
    roc: dict[str, Roc]
    worst: tuple[Example, ...]

    def figure(self, set: str, system: str, by: str = "all", key: str = "") -> Figure | None:
        """The figure of that part; None where nothing was judged there."""
        position = (set, system, by, key)
        return next((f for f in self.figures if (f.set, f.system, f.by, f.key) == position), None)


@dataclass(frozen=True)
class Published:
    """A number that others published, with where it stands."""

    system: str
    hit_percent: float
    source: str


@dataclass(frozen=True)
class DiagnosisReport:
    """One diagnosis.

    ``systems`` are the colors of each; ``images`` the images judged, those of two materials
    among them; ``every`` the n of "every nth color", 1 for all of them; ``split`` the tuned and
    held-out objects and lights. ``seconds`` passed and ``processor_seconds`` were worked in this
    run, which found ``images_reused`` images judged already. ``material`` is that of all objects,
    empty for plain ones; with ``neutral`` images were balanced by their backdrops. For images of others
    (``source`` is then the manifest's name) ``renderer_version`` is empty and ``size_px`` is 0.
    """

    renderer_version: str
    created_at: str
    size_px: int
    seeds: tuple[int, ...]
    objects: tuple[str, ...]
    lights: tuple[str, ...]
    systems: dict[str, int]
    images: int
    every: int
    split: dict[str, dict[str, tuple[str, ...]]]
    seconds: float
    rules: tuple[RuleReport, ...]
    published: tuple[Published, ...]
    schema: int = SCHEMA
    source: str = ""
    workers: int = 1
    processor_seconds: float = 0.0
    images_two_material: int = 0
    images_reused: int = 0
    material: str = ""
    neutral: bool = False
    problems: tuple[str, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """Plain JSON with the same names."""
        return asdict(self)

    def rule(self, rule_id: str) -> RuleReport | None:
        """The report of that rule; None if it was not run."""
        return next((rule for rule in self.rules if rule.id == rule_id), None)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DiagnosisReport:
        """The report that :meth:`as_json` wrote. Raises BadInput for anything else."""
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            schema = data.get("schema") if isinstance(data, Mapping) else type(data).__name__
            raise BadInput(
                f"This is no report of a diagnosis in schema {SCHEMA} (it says {schema!r}). "
                "Make one with: python -m truehue diagnose --out DIR"
            )
        try:
            values = dict(data)
            values["rules"] = tuple(_rule(entry) for entry in values["rules"])
            values["published"] = tuple(_read(Published, entry) for entry in values["published"])
            values["split"] = {
                key: {part: tuple(names) for part, names in parts.items()}
                for key, parts in values["split"].items()
            }
            for name in ("seeds", "objects", "lights", "problems"):
                values[name] = tuple(values.get(name, ()))
            return _read(cls, values)
        except (AttributeError, KeyError, TypeError) as error:
            raise BadInput(f"The report of the diagnosis is damaged: {error!r}.") from error


def _rule(data: Mapping[str, Any]) -> RuleReport:
    values = dict(data)
    values["figures"] = tuple(_read(Figure, entry) for entry in values["figures"])
    values["worst"] = tuple(_read(Example, entry) for entry in values["worst"])
    values["roc"] = {
        system: Roc(roc["auc"], tuple(_read(RocPoint, entry) for entry in roc["points"]))
        for system, roc in values["roc"].items()
    }
    return _read(RuleReport, values)


def _read(kind: type[_Record], values: Mapping[str, Any]) -> _Record:
    """The record of those values; names that it does not know are of a later writer, left out."""
    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in values.items() if name in names})


_SETS = {
    "pooled": "all images of one material",
    "held_out": "held out: objects and lights that are no part of the tuned half",
    "two_material": "two materials in one mask",
}
_NAMES = {"l2": "L2", "css": "CSS", "l1": "L1", "l3": "L3", "people": "People"}


def text(report: DiagnosisReport) -> str:
    """Hits and false accepts of every rule, pooled, held out and of two materials."""
    lines = [_head(report)]
    systems = list(report.systems)
    for name, message in _SETS.items():
        rows = [_row(rule, name, systems) for rule in report.rules]
        if not any(any(cells) for _, cells in rows):
            continue
        lines += ["", message[0].upper() + message[1:] if report.source == "" else "All images", ""]
        heads = [f"{_NAMES.get(key, key)} {label}" for key in systems for label in _COLUMNS]
        lines.append(_line("rule", heads))
        lines += [_line(label, cells) for label, cells in rows]
        if name == "pooled" and not report.source:
            lines.append(_line("paper, as published", _published(report, systems)))
    lines += ["", *_notes(report)]
    return "\n".join(lines) + "\n"


_COLUMNS = ("hits", "false accepts")


def _head(report: DiagnosisReport) -> str:
    two = f", {report.images_two_material:,} of them of two materials"
    label = f"{report.images:,} images{two if report.images_two_material else ''}"
    if report.source:
        return f"{label} of {report.source}"
    part = f", {report.material}" if report.material else ""
    part += ", balanced by the backdrop" if report.neutral else ""
    part += "" if report.every == 1 else f", one color in {report.every} only: a quick look"
    return (
        f"{label}: {_many(len(report.objects), 'object')}, {_many(len(report.lights), 'light')} "
        f"({', '.join(report.lights)}), {report.size_px} px{part}"
    )


def _many(count: int, label: str) -> str:
    return f"{count} {label}" if count == 1 else f"{count} {label}s"


def _row(rule: RuleReport, set_: str, systems: list[str]) -> tuple[str, list[str]]:
    cells: list[str] = []
    for key in systems:
        figure = rule.figure(set_, key)
        cells += ["", ""] if figure is None else [_hits(figure), _accepts(figure)]
    k = rule.parameters.get("k", 0)
    return f"{rule.id} {rule.version}{f', k = {k}' if k else ''}", cells


def _hits(figure: Figure) -> str:
    return _rate(figure.hit_percent, figure.hit_low, figure.hit_high)


def _accepts(figure: Figure) -> str:
    return _rate(figure.false_accept_percent, figure.false_accept_low, figure.false_accept_high)


def _rate(percent: float | None, low: float | None, high: float | None) -> str:
    return "" if percent is None else f"{percent:.2f}% ({low:.2f}-{high:.2f})"


def _published(report: DiagnosisReport, systems: list[str]) -> list[str]:
    percents = {row.system: f"{row.hit_percent:.2f}%" for row in report.published}
    return [cell for key in systems for cell in (percents.get(key, ""), "not published")]


def _line(label: str, cells: list[str]) -> str:
    return f"  {label:<24}" + "".join(f"{cell:>23}" for cell in cells).rstrip()


def _notes(report: DiagnosisReport) -> list[str]:
    lines = [
        "True accepts (hits): scored against the true color and passed. False accepts: scored",
        "against one of the five nearest colors at least 10 ΔE00 from the true one and passed. In",
        "brackets Wilson's 95% intervals. Unscored verdicts by rule (counted as not accepted):",
        *(f"  {rule.id}: {_unscored(rule)} unscored" for rule in report.rules),
    ]
    if not report.source:
        lines.append("The published row is the paper's own method on the paper's own renders.")
    worked = f"{report.seconds:.0f} s with {report.workers} worker(s)"
    reused = f", {report.images_reused:,} images reused" if report.images_reused else ""
    lines.append(f"Took {worked}, {report.processor_seconds:.0f} s of processor time{reused}.")
    if report.problems:
        lines += ["", f"{len(report.problems)} line(s) of the manifest could not be used:"]
        lines += [f"  {problem}" for problem in report.problems[:20]]
    return lines


def _unscored(rule: RuleReport) -> str:
    counts = [f.unscored for f in rule.figures if f.by == "all" and f.set in _WHOLE]
    return f"{sum(counts):,}"


_WHOLE = ("pooled", "two_material")
