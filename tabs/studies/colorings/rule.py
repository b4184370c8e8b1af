"""The review rule of a study's colorings: flags, number of experts, and the colorings that count.

It is stored in the study's rule of exclusion, with all its versions, and applied at analysis.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Annotated, Any, TypedDict

from pydantic import Field

from truehue.annotation.quality.consensus import FLAGGED_SHARE
from truehue.annotation.quality.control import LEVELS, MIN_LAB, QUANTILE, REVIEWERS, Level
from truehue.core.errors import BadInput
from truehue.tabs.page.requests import single_of
from truehue.tabs.studies.results import StudyReference
from truehue.tabs.studies.rights import EXPERTS

FIELD = "colorings"
"""Where it stands in the stored rule."""
FLAGGED, ALL = "flagged", "all"
SCOPES: Mapping[str, str] = {
    FLAGGED: "Concepts with the least consensus",
    ALL: "All concepts",
}
MAX_REVIEWERS = 20


@dataclass(frozen=True)
class ColoringRule:
    """``share`` of the concepts is flagged, 0 to 1; ``reviewers`` experts look at each coloring of
    ``scope``, a key of :data:`SCOPES`; ``level`` is what results are of."""

    share: float = FLAGGED_SHARE
    reviewers: int = REVIEWERS
    scope: str = FLAGGED
    level: str = Level.MARKS.value


class SetColoringRule(StudyReference):
    """The rule for colorings; what is not given is as published."""

    share: Annotated[float, Field(ge=0, le=1, title="The share to flag")] = FLAGGED_SHARE
    reviewers: Annotated[int, Field(ge=1, le=MAX_REVIEWERS)] = REVIEWERS
    scope: Annotated[str, single_of("scope", SCOPES)] = FLAGGED
    level: Annotated[str, single_of("level", Level)] = Level.MARKS.value


def coloring_rule(stored: Mapping[str, Any] | None) -> ColoringRule:
    """The rule as it is stored with a study, the published one where none is."""
    values = (stored or {}).get(FIELD)
    if not isinstance(values, Mapping):
        return ColoringRule()
    names = {field.name for field in fields(ColoringRule)}
    return ColoringRule(**{name: value for name, value in values.items() if name in names})


def with_coloring_rule(stored: Mapping[str, Any] | None, rule: ColoringRule) -> dict[str, Any]:
    """The stored rule with another one for colorings."""
    return {**(stored or {}), FIELD: asdict(rule)}


def named_experts(stored: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The ids of the accounts that a researcher named to review; none where any expert may."""
    return tuple((stored or {}).get(EXPERTS, ()))


def require_enough(experts: Collection[str], reviewers: int) -> None:
    """Raises BadInput where experts are named, and fewer than review each coloring."""
    if experts and len(experts) < reviewers:
        raise BadInput(
            f"Each coloring is reviewed by {reviewers} different experts, but {len(experts)} "
            f"{'is' if len(experts) == 1 else 'are'} named. Name more, or lower the number.",
            "reviewers",
        )


def with_named_experts(
    stored: Mapping[str, Any] | None, experts: Iterable[str], reviewers: int
) -> dict[str, Any]:
    """The stored rule with other experts, and so many of them for each coloring."""
    rule = replace(coloring_rule(stored), reviewers=reviewers)
    return {**with_coloring_rule(stored, rule), EXPERTS: list(experts)}


def check_coloring_rule(values: Any) -> None:
    """Raises BadInput for what is no rule for colorings, as an import brings it."""
    if not isinstance(values, Mapping):
        raise BadInput("The rule for colorings is an object.")
    names = {field.name for field in fields(ColoringRule)}
    if unknown := [name for name in values if name not in names]:
        raise BadInput(f"A rule for colorings has no {str(unknown[0])[:40]!r}.")
    share, reviewers = values.get("share", 0), values.get("reviewers", 1)
    right = (
        isinstance(share, int | float)
        and not isinstance(share, bool)
        and 0 <= share <= 1
        and type(reviewers) is int
        and 1 <= reviewers <= MAX_REVIEWERS
        and values.get("scope", FLAGGED) in SCOPES
        and values.get("level", Level.ALL) in set(Level)
    )
    if not right:
        raise BadInput("The rule for colorings has a value that cannot be.")


class ScopeJson(TypedDict):
    """A scope or a level by its id, in words."""

    id: str
    words: str


class ColoringRuleJson(TypedDict):
    """The rule with its choices; ``default`` has its fields as published."""

    share: float
    reviewers: int
    scope: str
    level: str
    scopes: list[ScopeJson]
    levels: list[ScopeJson]
    default: dict[str, Any]
    threshold: dict[str, float]


def rule_json(rule: ColoringRule) -> ColoringRuleJson:
    """The rule with what its words mean, for the page."""
    return {
        "share": rule.share,
        "reviewers": rule.reviewers,
        "scope": rule.scope,
        "level": rule.level,
        "scopes": [{"id": name, "words": text} for name, text in SCOPES.items()],
        "levels": [{"id": level.value, "words": text} for level, text in LEVELS.items()],
        "default": asdict(ColoringRule()),
        "threshold": {"quantile": QUANTILE, "least_lab": MIN_LAB},
    }
