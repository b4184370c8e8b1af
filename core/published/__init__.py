"""What the four papers published, as data with its source: shown beside ours, never mixed with it.

The files lie in ``assets/published``, with a README that names what does not reconcile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from truehue.core.errors import BadInput
from truehue.core.published.reading import entries, read_counterparts, read_papers, read_tables
from truehue.core.published.records import (
    Column,
    Counterpart,
    Doubt,
    Paper,
    PublishedRow,
    PublishedTable,
)

__all__ = [
    "USES",
    "Column",
    "Counterpart",
    "Doubt",
    "Paper",
    "PublishedRow",
    "PublishedTable",
    "beside",
    "bibtex",
    "counterpart",
    "paper",
    "papers",
    "published_names",
    "table",
    "tables",
    "value",
]

USES: Mapping[str, str] = MappingProxyType(
    {
        "board": "the leaderboard of runs: five tasks and their average",
        "categories": "accuracy by category of object and color system",
        "names": "basic and intermediate names, modifiers",
        "trust": "the measure on images of known color",
        "questions": "vision-language models asked for an object's color",
        "concepts": "color distributions of concepts against people's",
        "colorize": "colorings by people and their quality control",
        "studies": "how a study was run",
        "judge": "how metrics agree with people's judgments",
        "vision_language": "multiple-choice questions about color",
        "fidelity": "color fidelity of photograph-like images",
    }
)
"""What of ours a published table stands beside."""


def papers() -> tuple[Paper, ...]:
    """The four papers."""
    return read_papers()


def paper(paper_id: str) -> Paper:
    """The paper of that id. Raises BadInput, naming the known ids."""
    for entry in read_papers():
        if entry.id == paper_id:
            return entry
    ids = ", ".join(entry.id for entry in read_papers())
    raise BadInput(f"There is no paper {paper_id!r}. Known are: {ids}.")


def tables() -> tuple[PublishedTable, ...]:
    """Every published table."""
    return read_tables()


def table(table_id: str) -> PublishedTable:
    """The table of that id, such as ``gencolorbench-table4``. Raises BadInput, naming the known
    ids."""
    for entry in read_tables():
        if entry.id == table_id:
            return entry
    ids = ", ".join(entry.id for entry in read_tables())
    raise BadInput(f"There is no published table {table_id!r}. Known are: {ids}.")


def value(table_id: str, column: str, **keys: str) -> float | None:
    """One number: ``value("gencolorbench-table4", model="SD 3.5", column="Avg.")``.

    None where the paper has no number there. Raises BadInput when table, column or row is unknown,
    and when more than one row is meant.
    """
    published_table = table(table_id)
    return published_table.row(**keys).values[published_table.column(column).name]


def beside(use: str) -> tuple[PublishedTable, ...]:
    """The tables that stand beside something of ours, a key of :data:`USES`. Raises BadInput for
    any other."""
    if use not in USES:
        raise BadInput(f"Nothing of ours is called {use!r}. Choose one of: {', '.join(USES)}.")
    return tuple(entry for entry in read_tables() if use in entry.comparable_with)


def counterpart(paper_id: str, published: str) -> Counterpart:
    """Which of our generators a paper's name of a model stands for; no id where we have none.
    Raises BadInput for a name that stands in no table of the paper."""
    source_paper = paper(paper_id)
    names = {
        row.keys["model"]
        for entry in read_tables()
        if entry.paper == source_paper and "model" in entry.keys
        for row in entry.rows
    }
    if published not in names:
        raise BadInput(
            f"No table of {paper_id} names a model {published!r}. "
            f"Choose one of: {', '.join(sorted(names))}."
        )
    nothing = Counterpart((), False, "It is none of our generators.")
    return read_counterparts().get((paper_id, published), nothing)


def published_names(paper_id: str, model_id: str) -> tuple[str, ...]:
    """The names under which a paper's tables may hold one of our generators, none for most.
    Raises BadInput for an unknown paper."""
    source_paper = paper(paper_id)
    return tuple(
        name
        for (suffix, name), partner in read_counterparts().items()
        if suffix == source_paper.id and model_id in partner.ids
    )


def bibtex(ids: Iterable[str]) -> str:
    """BibTeX entries of papers, by their ids or the ids of their tables, each paper once. Raises
    BadInput for an id of neither."""
    by_table = {entry.id: entry.paper for entry in read_tables()}
    return entries(
        [by_table[entry_id] if entry_id in by_table else paper(entry_id) for entry_id in ids]
    )
