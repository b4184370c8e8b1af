"""Why a run's numbers over concepts are not ColorConceptBench's printed ones.

What a number is computed from is switched alone on the stored distributions: the people, the
concepts that are averaged, the guidance scales and the extraction. What was generated otherwise
needs a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from truehue.core.concepts.metrics import METRICS, of_table
from truehue.core.concepts.records import METHODS, ConceptCell
from truehue.core.concepts.sensitivity import mean_of_models, shifts, summary_of
from truehue.core.concepts.tables import TableChoice, alignment
from truehue.core.prompts.concepts import build_concepts
from truehue.core.reproduce.attribution import Numbers, RowSwitch
from truehue.core.runs.protocols import changes
from truehue.core.runs.protocols import protocol as preset

if TYPE_CHECKING:
    import numpy as np

    from truehue.core.concepts.tables import Alignment
    from truehue.core.published import Column, PublishedRow

PROTOCOL = "colorconceptbench"
STYLES = {"natural": "photo", "clipart": "cartoon"}
"""The paper's styles and ours."""
EXTRACTION = "Extraction"


@dataclass(frozen=True)
class ConceptChoice:
    """What numbers over concepts are computed from.

    ``cells`` are the distributions of all shown runs by one method, ``people`` those ``(71,)`` by
    concept id that they are compared with. ``guidance`` None is all scales together; ``common`` are
    the concepts that every run has.
    """

    cells: Sequence[ConceptCell] = field(repr=False)
    people: Mapping[str, np.ndarray] = field(repr=False)
    guidance: float | None = None
    common: bool = False


NumbersOf = Callable[[ConceptChoice], Numbers]
"""The numbers of a printed row by the columns' names."""


def alignment_numbers(run_id: str, columns: Sequence[Column], metrics: str) -> NumbersOf:
    """A run's row of Table 1 or 2, by the id of ours with the same ``metrics``."""

    def numbers(choice: ConceptChoice) -> Numbers:
        table = TableChoice(
            metrics=of_table(metrics), guidance=choice.guidance, common=choice.common
        )
        # Rows are on the same concepts only where all are there.
        own = [cell for cell in choice.cells if choice.common or cell.run_id == run_id]
        made = alignment(own, choice.people, table)
        return {column.name: _number(made, run_id, column) for column in columns}

    return numbers


def _number(made: Alignment | None, run_id: str, column: Column) -> float | None:
    parts = column.parts
    metric = next(by for by in METRICS.values() if by.name == parts["metric"])
    if made is None:
        return None
    return made.number(run_id, parts["concept"], STYLES[parts["style"]], metric.id).value


def ratio_numbers(
    run_ids: Sequence[str], row: PublishedRow, columns: Sequence[Column]
) -> NumbersOf:
    """The row of Table 6, 7 or 8: the ratio of shifts of a run, or the mean over ``run_ids`` of a
    kind of modifier. *Average* is the mean of both styles, as there."""
    kind = row.keys.get("modifier", "").lower()

    def numbers(choice: ConceptChoice) -> Numbers:
        made = shifts(choice.cells, choice.people, guidance=choice.guidance) or ()
        own = [shift for shift in made if shift.run_id in run_ids]
        values: dict[str, float | None] = {}
        for column in columns:
            style = STYLES.get(column.parts.get("style", column.name.lower()), "")
            of_kind = column.parts.get("kind", kind)
            some = [
                shift for shift in own if of_kind in ("", shift.kind) and style in ("", shift.style)
            ]
            ratio = mean_of_models(some).value if kind else summary_of(some).sensitivity.value
            values[column.name] = ratio
        if "Average" in values:
            both = (values.get("Clipart"), values.get("Natural"))
            known = [value for value in both if value is not None]
            values["Average"] = sum(known) / 2 if len(known) == 2 else None
        return values

    return numbers


def choice_switches(
    numbers: NumbersOf,
    choice: ConceptChoice,
    people: str,
    others: Mapping[str, Callable[[], Mapping[str, np.ndarray]]],
) -> list[RowSwitch]:
    """What is computed otherwise: each other crowd that is here by its name, and the paper's own,
    which nobody has; one guidance scale; and the concepts that all runs have."""

    def switched(**fields: Any) -> Callable[[], Numbers]:
        return cache(lambda: numbers(replace(choice, **fields)))

    sentence = "Numbers follow the people that a model is compared with."
    switches = [
        RowSwitch(
            f"People ({name})",
            sentence,
            people,
            name,
            cache(lambda weights=weights: numbers(replace(choice, people=weights()))),
        )
        for name, weights in others.items()
    ]
    theirs = "The paper's 6,369 colorings by 168 designers are not public."
    switches.append(RowSwitch("People", theirs, people, "the paper's designers"))
    if choice.guidance is not None:
        sentence = "The paper takes all guidance scales of a concept together."
        ours = f"guidance {choice.guidance:g}"
        switches.append(
            RowSwitch("Guidance", sentence, ours, "all scales", switched(guidance=None))
        )
    if choice.common:
        sentence = "The paper averages each model over all of its concepts."
        switches.append(
            RowSwitch(
                "Concepts averaged", sentence, "those of all rows", "all", switched(common=False)
            )
        )
    return switches


def extraction_switch(
    numbers: NumbersOf, choice: ConceptChoice, method: str, cells: Sequence[ConceptCell]
) -> RowSwitch:
    """Another method than the paper's; ``cells`` are the distributions by theirs, none where they
    are not extracted yet."""
    sentence = "The colors of the paper are extracted by adaptive grouping, C.3."
    if not cells:
        sentence += " Choose that method above, and extract them."
    evaluate = cache(lambda: numbers(replace(choice, cells=cells))) if cells else None
    return RowSwitch(EXTRACTION, sentence, METHODS[method], "as published", evaluate)


def run_switches(summary: Mapping[str, Any], model: str, set_name: str) -> list[RowSwitch]:
    """What a run has otherwise than the protocol: it needs a run. ``summary`` is its plan's."""
    command = f"truehue runs start --protocol {PROTOCOL} --model {model}"
    protocol, switches = preset(PROTOCOL), []
    # Verdicts count in no table of concepts.
    plain = {**summary, "protocol": PROTOCOL, "rules": (), "k": protocol.k}
    if others := changes(plain):
        sentence = "The protocol has another setting."
        switches.append(RowSwitch("Settings", sentence, ", ".join(others), PROTOCOL, None, command))
    prompts = int(summary["prompts"])
    if set_name != protocol.set or prompts < len(build_concepts()):
        sentence = "Other concepts are easier or harder."
        ours = f"{prompts:,} prompts of {set_name}"
        theirs = f"the {len(build_concepts()):,} prompts of {protocol.set}"
        switches.append(RowSwitch("Concepts", sentence, ours, theirs, None, command))
    return switches
