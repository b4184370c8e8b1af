"""The report of a diagnosis: plain records that go to JSON and come back the same."""

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

    ``systems`` are the colors of each; ``images`` the pictures judged, those of two materials
    among them; ``every`` the n of "every nth color", 1 for all of them; ``split`` the tuned and
    held-out objects and lights. ``seconds`` passed and ``processor_seconds`` were worked in this
    run, which found ``images_reused`` pictures judged already. For images of others
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
