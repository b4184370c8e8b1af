"""What people color a concept with, straight into Compare: a set of distributions of people."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from truehue.annotation.quality.control import LEVELS, Level
from truehue.core.concepts.records import (
    EXTRACTED,
    HISTOGRAMS,
    METHODS,
    DistributionFile,
    DistributionRow,
)
from truehue.core.errors import BadInput, NotStored
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import counted
from truehue.tabs.page.links import ID_LENGTH, link
from truehue.tabs.page.requests import single_of
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.colorings.facts import Facts, known
from truehue.tabs.studies.results import StudyReference

TOGETHER, DESIGNERS = "together", "designers"
FORMS = {
    TOGETHER: "one distribution per concept, from all its colorings, as for models",
    DESIGNERS: "one distribution per designer; Compare shows intervals and compares the mean",
}
_WAIT_S = 20.0


class MakeDistribution(StudyReference):
    """``level`` says which colorings it is of, that of the study's rule where it is empty."""

    level: Annotated[str, single_of("level", Level)] = ""
    form: Annotated[str, single_of("form", FORMS)] = TOGETHER
    name: Annotated[str, Field(max_length=200, title="The name")] = ""


@requires("study")
def make_distribution(context: Context, actor: Actor, request: MakeDistribution) -> dict[str, Any]:
    """Stores P_H of every concept as a set of people's distributions, ready to be compared. The
    same colorings give the same set."""
    facts, computed = known(context, request.study, _WAIT_S)
    if facts is None or computed.progress:
        raise NotStored("The colorings are still being measured. Try again in a moment.")
    level = Level(request.level or facts.rule.level)
    rows = rows_of(facts, level, request.form)
    if not rows:
        raise BadInput("No coloring is included at this level, so there is nothing to compare.")
    study = facts.source.study
    colorings = [coloring for group in facts.saved_colorings(level).values() for coloring in group]
    people = len({coloring.participant for coloring in colorings})
    concepts = len({row.words for row in rows})
    notes = (
        f"{counted(len(colorings), 'coloring')} of {counted(concepts, 'concept')} by "
        f"{counted(people, 'participant')}: {LEVELS[level]}.",
        f"{FORMS[request.form][0].upper()}{FORMS[request.form][1:]}. {METHODS[EXTRACTED]}.",
    )
    set_id = context.storage.distributions.add(
        DistributionFile(HISTOGRAMS, rows, notes),
        request.name or f"People of “{study.title[:150]}”",
        "",
        f"The study {study.title!r} ({study.id}), version {study.version} of its plan, as of "
        f"{facts.computed_at:%Y-%m-%d %H:%M} UTC.",
        True,
        actor.id,
    )
    context.storage.distributions.of_study(
        set_id, study.id, {int(coloring.participant) for coloring in colorings}
    )
    record = context.storage.distributions.get(set_id)
    source = f"set:{set_id[:ID_LENGTH]}"
    first = rows[0].words
    return {
        "set": {
            "id": set_id,
            "name": record.name,
            "concepts": record.concepts,
            "rows": record.rows,
            "notes": list(record.notes),
        },
        "source": source,
        "link": link("compare", {"words": first, "d": source}),
        "links": {row.words: link("compare", {"words": row.words, "d": source}) for row in rows},
    }


def rows_of(facts: Facts, level: Level, form: str = TOGETHER) -> tuple[DistributionRow, ...]:
    """The distributions of all concepts that have a kept coloring, in the order of the plan."""
    rows: list[DistributionRow] = []
    groups = facts.saved_colorings(level)
    for case_id, weights in facts.distributions(level).items():
        text = facts.source.plan.case_by_id[case_id].words
        group = groups[case_id]
        if form == TOGETHER:
            values = {"colorings": len(group), "method": EXTRACTED}
            rows.append(DistributionRow(text, "", _read_only(weights), len(group), values))
            continue
        rows += (
            DistributionRow(
                text,
                f"participant {int(coloring.participant) + 1}",
                _read_only(coloring.weights),
                1,
                {"colorings": 1, "method": EXTRACTED},
            )
            for coloring in group
        )
    return tuple(rows)


def _read_only(weights: np.ndarray) -> np.ndarray:
    array = np.array(weights, dtype=np.float64)
    array.flags.writeable = False
    return array
