"""The log of a study's colorings as it is now, read again only when something of it changed."""

from __future__ import annotations

from dataclasses import dataclass, field

from truehue.annotation.studies.plan import StudyPlan
from truehue.core.cache import LruCache
from truehue.core.studies import ColoringMark, EventKind
from truehue.tabs.page.context import Context
from truehue.tabs.studies.colorings.rule import ColoringRule, coloring_rule
from truehue.tabs.studies.colorings.submitted import (
    SubmittedColoring,
    marks_of,
    require_colorings,
    submitted_of,
)
from truehue.tabs.studies.results_source import StudySource, read_source

_MOST_KEPT = 16


@dataclass(frozen=True)
class CurrentColorings:
    """The colorings of a study that stand, and all marks on them."""

    source: StudySource
    given: tuple[SubmittedColoring, ...]
    marks: tuple[ColoringMark, ...]
    rule: ColoringRule

    @property
    def study_id(self) -> str:
        """The whole id of the study."""
        return self.source.study.id

    @property
    def plan(self) -> StudyPlan:
        """The plan that was served."""
        return self.source.plan


@dataclass
class ColoringCache:
    """The colorings that stand of the studies that were asked for last; a service of the app."""

    _saved: LruCache[tuple[object, StudySource, tuple[SubmittedColoring, ...]]] = field(
        default_factory=lambda: LruCache(_MOST_KEPT), repr=False
    )

    def read(
        self, context: Context, study_id: str
    ) -> tuple[StudySource, tuple[SubmittedColoring, ...]]:
        """A study with its colorings that stand."""
        storage = context.storage
        key = (
            storage.studies.get(study_id).version,
            storage.study_events.count(study_id, without=EventKind.ACTION),
            storage.participants.count(study_id),
            storage.participants.changes,
        )

        def make() -> tuple[object, StudySource, tuple[SubmittedColoring, ...]]:
            source = read_source(context, study_id)
            return key, source, submitted_of(source)

        _, source, colorings = self._saved.get(study_id, make, lambda entry: entry[0] == key)
        return source, colorings


def current_colorings_of(context: Context, study_id: str) -> CurrentColorings:
    """The colorings of a study. Raises NotStored, and BadInput where nothing is colored."""
    study = context.storage.studies.get(study_id)
    source, values = context.service(ColoringCache).read(context, study.id)
    require_colorings(source.plan)
    rule = coloring_rule(context.storage.studies.rule(study.id))
    return CurrentColorings(source, values, tuple(marks_of(context, study.id)), rule)
