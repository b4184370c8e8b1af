"""What a run's folder really holds, whatever its state says: results, and what has no score."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.batch.results import Part
from truehue.core.batch.shards import BadShard
from truehue.core.export.result_tables import columns_of, latest, parts_of
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.score import CAUSES
from truehue.core.verdict.rules import UNSCORED

SHOWN = 3
"""Reasons that are named; the rest is counted."""

_NEEDED = ("rule", "cause", "leads", "picture_status")
_NOT_DRAWN = "no-image"


@dataclass
class RunSummary:
    """``done`` pictures have a result. ``unscored`` counts by rule why those that were drawn have
    no score, as keys of truehue.core.runs.score.CAUSES; ``unmeasured`` why the colors of concepts
    that were drawn could not be measured, in sentences, of ``concepts`` pictures."""

    done: int = 0
    unscored: dict[str, Counter[str]] = field(default_factory=dict)
    concepts: int = 0
    unmeasured: Counter[str] = field(default_factory=Counter)


def look(folder: RunFolder) -> RunSummary:
    """Reads a few columns of the run's results: a second for 200,000 pictures. Raises BadShard."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = parts_of(folder)
    _, positions, rows = latest(parts)
    cause_counts: Counter[tuple[str, str]] = Counter()
    seen = RunSummary(len(rows))
    measures = bool((folder.summary().get("made_with") or {}).get("profile"))
    for index in np.unique(positions).tolist():
        verdicts = _verdicts(parts[index])
        flat, parents = verdicts.flatten(), verdicts.value_parent_indices()
        counts = pc.is_in(parents, pa.array(rows[positions == index]).cast(parents.type))
        lost = pc.equal(flat.field("picture_status"), UNSCORED)
        chosen = pc.and_(counts, pc.and_(lost, flat.field("leads")))
        pairs = zip(
            *(pc.filter(flat.field(name), chosen).to_pylist() for name in _NEEDED[:2]), strict=True
        )
        cause_counts.update(pairs)
        if measures:
            _count_profiles(seen, parts[index], rows[positions == index])
    rules = [str(rule[0]) for rule in folder.summary()["rules"]]
    unscored: dict[str, Counter[str]] = {name: Counter() for name in rules}
    for (rule, cause), count in cause_counts.items():
        if cause != _NOT_DRAWN:
            unscored.setdefault(rule, Counter())[cause] += count
    seen.unscored = {rule: causes for rule, causes in unscored.items() if causes}
    return seen


def unscored_text(seen: RunSummary, rules: int) -> list[str]:
    """``8 pictures unscored by every rule: 8 × no mask of the object``, a line a rule where rules
    differ; nothing where every picture that was drawn has a score. The same of concepts whose
    colors could not be measured."""
    each = list(seen.unscored.items())
    if len(each) == rules > 1 and all(causes == each[0][1] for _, causes in each):
        each = [("every rule", each[0][1])]
    sentences = []
    for rule, causes in each:
        reasons = [
            f"{count:,} × {CAUSES.get(cause, cause)}" for cause, count in causes.most_common(SHOWN)
        ]
        rest = causes.total() - sum(count for _, count in causes.most_common(SHOWN))
        reasons += [f"{rest:,} for other reasons"] if rest else []
        images = "image" if causes.total() == 1 else "images"
        sentences.append(f"{causes.total():,} {images} unscored by {rule}: {', '.join(reasons)}")
    if lost := seen.unmeasured.total():
        named = seen.unmeasured.most_common(SHOWN)
        reasons = [f"{count:,} × {text.removesuffix('.')}" for text, count in named]
        rest = lost - sum(count for _, count in named)
        reasons += [f"{rest:,} for other reasons"] if rest else []
        images = "image" if seen.concepts == 1 else "images"
        sentences.append(
            f"{lost:,} of {seen.concepts:,} {images} of concepts not measured: {', '.join(reasons)}"
        )
    return sentences


def _count_profiles(seen: RunSummary, part: Part, rows: np.ndarray) -> None:
    """Counts the profiles of the pictures that count, and the reasons where there is none."""
    column = columns_of(part, ("profiles",))["profiles"].combine_chunks()
    column = column.chunk(0) if hasattr(column, "chunk") and column.num_chunks else column
    flat, parents = column.flatten(), np.asarray(column.value_parent_indices())
    reasons = flat.field("reason").to_pylist()
    for index in np.flatnonzero(np.isin(parents, rows)).tolist():
        seen.concepts += 1
        if reasons[index]:
            seen.unmeasured[reasons[index]] += 1


def _verdicts(part: Part) -> Any:
    """The verdicts of a part with the few fields that are needed, in one chunk."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not isinstance(part, Path):
        column = part["verdicts"]
    else:
        names = [f"verdicts.list.element.{name}" for name in _NEEDED]
        try:
            column = pq.ParquetFile(part).read(columns=names)["verdicts"]
        except (OSError, pa.ArrowException, KeyError) as error:
            raise BadShard(f"The shard {part} cannot be read ({error}).") from error
    whole = column.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
