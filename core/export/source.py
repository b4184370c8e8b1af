"""The source of an export: a run's plan, read once, the provenance of its results, and the latest
attempt of every image, by position, from any shard or journal; also as the shards of an archive,
without data of this machine.

Equal results give equal bytes, independent of the workers that wrote them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.batch import results
from truehue.core.batch.health import state_of
from truehue.core.batch.results import BATCH, Part
from truehue.core.batch.shards import BadShard
from truehue.core.errors import BadInput
from truehue.core.runs.concepts import measured_of
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import RunPlan
from truehue.core.runs.score import CAUSES
from truehue.core.runs.shards import read_columns, schema
from truehue.core.runs.summary import kept_text
from truehue.core.runs.worker import RunWork
from truehue.core.verdict.rules import UNSCORED

OURS_ALONE = ("seconds", "scoring_seconds", "worker")
"""Columns in which two executions of one plan may differ."""


def parts_of(folder: RunFolder) -> list[Part]:
    """See :func:`truehue.core.batch.results.parts_of`."""
    return results.parts_of(RunWork(folder.path))


def columns_of(part: Part, names: Sequence[str]) -> Any:
    """Some columns of a part as a pyarrow Table. Raises BadShard."""
    return read_columns(part, names) if isinstance(part, Path) else part.select(list(names))


def latest(shards: Sequence[Part]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """See :func:`truehue.core.batch.results.latest`."""
    return results.latest(shards, columns_of)


def item_tables(
    shards: Sequence[Part], size: int = BATCH, columns: Sequence[str] | None = None
) -> Iterator[Any]:
    """Tables of up to ``size`` images in the schema of a shard: see
    :func:`truehue.core.batch.results.item_tables`."""
    return results.item_tables(shards, schema(), columns_of, size, columns)


def parts(shards: Sequence[Part]) -> Iterator[tuple[str, bytes, Any]]:
    """Name, bytes and table of each shard of the archive."""
    for number, table in enumerate(item_tables(shards)):
        table = portable_results(table)
        yield part_name(number), parquet(table), table


def part_name(number: int) -> str:
    """``part-00000.parquet``."""
    return f"part-{number:05d}.parquet"


def portable_results(table: Any) -> Any:
    """The results as they leave a machine: no names of workers, and no ids under which a storage
    keeps the masks, which name nothing elsewhere."""
    import pyarrow as pa

    rows = table.num_rows
    index = table.schema.get_field_index("worker")
    table = table.set_column(index, schema().field("worker"), pa.repeat(pa.scalar(""), rows))
    index = table.schema.get_field_index("masks")
    masks = in_one_piece(table["masks"])
    flat = masks.flatten()
    names = flat.type.names
    fields = [
        pa.repeat(pa.scalar(""), len(flat)) if name == "mask_id" else flat.field(name)
        for name in names
    ]
    lists = pa.ListArray.from_arrays(_offsets(masks), pa.StructArray.from_arrays(fields, names))
    return table.set_column(
        index, schema().field("masks"), lists.cast(schema().field("masks").type)
    )


def in_one_piece(column: Any) -> Any:
    """A column of a pyarrow Table as one array."""
    import pyarrow as pa

    whole = column.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) and whole.num_chunks else whole


def same_results(first: Sequence[Part], other: Sequence[Part]) -> bool:
    """True if two sets of shards have equal results, in any order."""
    left, right = item_tables(first), item_tables(other)
    while True:
        a, b = next(left, None), next(right, None)
        if a is None or b is None:
            return a is b
        drop = list(OURS_ALONE)
        if (
            not portable_results(a)
            .drop_columns(drop)
            .equals(portable_results(b).drop_columns(drop))
        ):
            return False


def parquet(table: Any) -> bytes:
    """The table as a Parquet file."""
    import pyarrow.parquet as pq

    buffer = BytesIO()
    pq.write_table(table.cast(schema()), buffer, compression="zstd")
    return buffer.getvalue()


def _offsets(lists: Any) -> Any:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    return pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))


IMPORTED = "imported.json"
"""In the folder of a run that came from elsewhere: the archive's name and SHA-256, and when."""

_MADE_BY = (
    "model",
    "repo",
    "revision",
    "variant",
    "base_repo",
    "base_revision",
    "quantization",
    "served_model",
    "pipeline",
    "dtype",
    "device",
    "renderer_version",
    "numpy",
    "torch",
    "diffusers",
    "transformers",
    "openai",
    "truehue",
)


@dataclass(frozen=True)
class Counts:
    """Images of a run: ``total`` of the plan, ``done`` with a result, ``failed`` among them."""

    total: int
    done: int
    failed: int


@dataclass
class ExportRun:
    """One run on its way out; what it holds is read once. ``sealed``: of its shards alone, which
    is what a database has of it."""

    folder: RunFolder
    sealed: bool = False

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.folder.run_id

    @cached_property
    def plan(self) -> RunPlan:
        """The whole plan."""
        return self.folder.plan()

    @cached_property
    def measures(self) -> bool:
        """Whether there are concepts among its prompts, whose colors are measured."""
        return any(measured_of(prompt.task, prompt.targets) for prompt in self.plan.prompts)

    @cached_property
    def judges(self) -> bool:
        """Whether rules judge any of its images."""
        return bool(self.plan.rules)

    @cached_property
    def shards(self) -> list[Part]:
        """What there was when it was first asked for, whole lines of journals included: one export
        has one set."""
        return list(self.folder.shards()) if self.sealed else parts_of(self.folder)

    @cached_property
    def imported(self) -> dict[str, Any]:
        """Where the run came from; empty for a run of this machine."""
        return imported_from(self.folder.path)

    @cached_property
    def done(self) -> int:
        """Images with a result."""
        return len(latest(self.shards)[0])

    @property
    def counts(self) -> Counts:
        """How many images there are."""
        return self._looked[0]

    @property
    def made_by(self) -> tuple[dict[str, Any], ...]:
        """The different versions, weights and number types that drew, as the images' origins
        name them; usually one."""
        return self._looked[1]

    @property
    def reasons(self) -> Counter[str]:
        """Why images could not be drawn, and how many each."""
        return self._looked[2]

    @cached_property
    def _looked(self) -> tuple[Counts, tuple[dict[str, Any], ...], Counter[str]]:
        ways: dict[str, dict[str, Any]] = {}
        reasons: Counter[str] = Counter()
        for items in item_tables(self.shards, columns=("status", "reason", "origin")):
            for status, reason, text in zip(
                *(items[name].to_pylist() for name in ("status", "reason", "origin")), strict=True
            ):
                if status == "failed":
                    reasons[reason] += 1
                origin = json.loads(text or "{}")
                way = {name: origin[name] for name in _MADE_BY if origin.get(name)}
                if way:
                    ways[json.dumps(way, sort_keys=True)] = way
        counts = Counts(int(self.folder.summary()["total"]), self.done, reasons.total())
        return counts, tuple(ways[key] for key in sorted(ways)), reasons


def short_text(run: ExportRun) -> str:
    """``28 of 60 images have a result: resume draws the rest.``; empty where all have one."""
    total = int(run.folder.summary()["total"])
    if run.done >= total:
        return ""
    text = f"{run.done:,} of {total:,} {'image' if total == 1 else 'images'} have a result"
    if run.imported:
        return f"{text}."
    running = state_of(run.folder).status == "running"
    return f"{text}; the run goes on." if running else f"{text}: resume generates the rest."


def plan_out(run: ExportRun) -> dict[str, Any]:
    """plan.json as it leaves this machine: without the folders that the Munsell samples and a CFM lie
    in, and without how the run came here."""
    summary = run.folder.summary()
    summary.pop("imported", None)
    summary["munsell"] = Path(str(summary.get("munsell") or "")).name
    if files := summary.get("cfm_files"):
        summary["cfm_files"] = {name: Path(str(path)).name for name, path in files.items()}
    return summary


def imported_from(folder: Path) -> dict[str, Any]:
    """What ``imported.json`` of a run's folder says: ``name``, ``sha256``, ``at``, ``images``;
    empty where there is none."""
    try:
        content = json.loads((folder / IMPORTED).read_bytes())
    except (OSError, ValueError):
        return {}
    return dict(content) if isinstance(content, Mapping) else {}


def imported_text(about: Mapping[str, Any]) -> str:
    """``imported from a.truehue.zip on 2026-11-21, without its pictures``; empty where ``about``,
    the ``imported`` of a plan's summary, is nothing."""
    if not about:
        return ""
    text = f"imported from {about.get('name', '')} on {str(about.get('at', ''))[:10]}"
    return text if about.get("images", True) else f"{text}, without its images"


def missing_image_reason(summary: Mapping[str, Any]) -> str:
    """Why the file of an image of a run is not here; ``summary`` is the run's."""
    imported = summary.get("imported") or {}
    if (retention := kept_text(summary)) and imported.get("images", True):
        return f"Pixels not kept: the run {retention}. Masks, colors and verdicts are stored."
    if imported:
        return "This image is not part of the export that its run came from."
    return "The file of this image is gone."


def left_out_text(about: Mapping[str, Any]) -> str:
    """``20 of 39 images are in the archive.``: where the list in the archive that a run came in
    promised more, or less, than was found; empty where both agree. ``about`` is of
    :func:`imported_from`."""
    sentences = []
    for name, counts in (about.get("counts") or {}).items():
        held, listed = counts
        noun = "images" if name == "pictures" else name
        if held < listed:
            sentences.append(f"{held:,} of {listed:,} {noun} are in the archive.")
        elif held > listed:
            sentences.append(f"{held:,} {noun} are in the archive; its list says {listed:,}.")
    return " ".join(sentences)


def runs_of(folders: Any, sealed: bool = False) -> list[ExportRun]:
    """One run or several, each once; ``sealed`` as of an ExportRun. Raises BadInput where there is
    none."""
    folder_list = [folders] if isinstance(folders, RunFolder) else list(folders)
    runs = list({folder.run_id: ExportRun(folder, sealed) for folder in folder_list}.values())
    if not runs:
        raise BadInput("Choose a run to export.")
    return runs


SHOWN = 3
"""Reasons that are named; the rest is counted."""

_NEEDED = ("rule", "cause", "leads", "picture_status")
_NOT_DRAWN = "no-image"


@dataclass
class RunSummary:
    """``done`` images have a result. ``unscored`` counts by rule why those that were drawn have
    no score, as keys of truehue.core.runs.score.CAUSES; ``unmeasured`` why the colors of concepts
    that were drawn could not be measured, in sentences, of ``concepts`` images."""

    done: int = 0
    unscored: dict[str, Counter[str]] = field(default_factory=dict)
    concepts: int = 0
    unmeasured: Counter[str] = field(default_factory=Counter)


def look(folder: RunFolder) -> RunSummary:
    """Reads a few columns of the run's results: a second for 200,000 images. Raises BadShard."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = parts_of(folder)
    _, positions, rows = latest(parts)
    cause_counts: Counter[tuple[str, str]] = Counter()
    summary = RunSummary(len(rows))
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
            _count_profiles(summary, parts[index], rows[positions == index])
    rules = [str(rule[0]) for rule in folder.summary()["rules"]]
    unscored: dict[str, Counter[str]] = {name: Counter() for name in rules}
    for (rule, cause), count in cause_counts.items():
        if cause != _NOT_DRAWN:
            unscored.setdefault(rule, Counter())[cause] += count
    summary.unscored = {rule: causes for rule, causes in unscored.items() if causes}
    return summary


def unscored_text(summary: RunSummary, rules: int) -> list[str]:
    """``8 images unscored by every rule: 8 × no mask of the object``, a line a rule where rules
    differ; nothing where every image that was drawn has a score. The same of concepts whose
    colors could not be measured."""
    each = list(summary.unscored.items())
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
    if lost := summary.unmeasured.total():
        named = summary.unmeasured.most_common(SHOWN)
        reasons = [f"{count:,} × {text.removesuffix('.')}" for text, count in named]
        rest = lost - sum(count for _, count in named)
        reasons += [f"{rest:,} for other reasons"] if rest else []
        images = "image" if summary.concepts == 1 else "images"
        sentences.append(
            f"{lost:,} of {summary.concepts:,} {images} of concepts not measured: {', '.join(reasons)}"
        )
    return sentences


def _count_profiles(summary: RunSummary, part: Part, rows: np.ndarray) -> None:
    """Counts the profiles of the images that count, and the reasons where there is none."""
    column = in_one_piece(columns_of(part, ("profiles",))["profiles"])
    flat, parents = column.flatten(), np.asarray(column.value_parent_indices())
    reasons = flat.field("reason").to_pylist()
    for index in np.flatnonzero(np.isin(parents, rows)).tolist():
        summary.concepts += 1
        if reasons[index]:
            summary.unmeasured[reasons[index]] += 1


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
    return in_one_piece(column)
