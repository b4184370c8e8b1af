"""ColorBench as published: Parquet files of one row per question, with the image inside.

The fields are idx, id, type, task, filename, image, prompt, question, choices, answer, image_url;
an answer looks like ``(B)``. The file name groups rows of type Robustness: ``12`` is a seed,
``12_...`` one of its variants, as in the published evaluation. Every row is checked before the
first is returned; an invalid row is left out, with its reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import BadInput, ImageError
from truehue.core.generation.memory import DownloadFailed
from truehue.core.images.load import image_id, load_image
from truehue.core.vlm.presentation import rgb_pixels
from truehue.core.vlm.records import (
    LETTERS,
    RELEASED_IMAGE,
    Form,
    IllustratedQuestion,
    Question,
)
from truehue.core.vlm.tasks import Category, Task, task_named

HUB_ID = "umd-zhou-lab/ColorBench"
TEXT_FIELDS = ("type", "task", "filename", "question", "answer")
FIELDS = ("idx", "id", *TEXT_FIELDS, "image", "prompt", "choices", "image_url")
VARIANTS_A_SEED = 9
_ROWS_AT_ONCE = 32


@dataclass(frozen=True)
class SkippedRow:
    """A row that is no question: ``where`` names its file and number."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@dataclass(frozen=True)
class PublishedRow:
    """One row without its pixels: a question whose ``image_id`` is not here yet, and where its
    image lies."""

    where: str
    idx: int
    task: Task
    text: str
    prompt: str
    choices: tuple[str, ...]
    letter: str
    filename: str
    seed_name: str
    variant: str

    @property
    def question_id(self) -> str:
        """Such as ``colorbench-00012``, by idx."""
        return f"colorbench-{self.idx:05d}"


@dataclass(frozen=True)
class PublishedSet:
    """What was read of the files. ``counts`` are by task id; ``seeds`` counts robustness seeds.
    ``notes`` say what is odd and was taken nevertheless, a sentence each. ``skipped`` are the rows
    that were left out. ``revision`` is the hub's, where the download says it, else empty."""

    paths: tuple[Path, ...]
    rows: tuple[PublishedRow, ...]
    counts: Mapping[str, int]
    seeds: int
    notes: tuple[str, ...]
    skipped: tuple[SkippedRow, ...] = ()
    revision: str = ""

    name = "ColorBench"

    def settings(self) -> dict[str, Any]:
        """What a set says of its import. Its list ``skipped`` takes the rows whose image cannot be
        read, which is known only while the set is written."""
        return {
            "source": HUB_ID,
            "files": [path.name for path in self.paths],
            "revision": self.revision,
            "skipped": [str(row) for row in self.skipped],
        }

    def illustrated(
        self, skip: Callable[[SkippedRow], None] | None = None
    ) -> Iterator[IllustratedQuestion]:
        """All questions with their images, in the files' order, one image at a time.

        Where an image cannot be read, ``skip`` gets the row; without ``skip`` ImageError is raised.
        """
        seeds = {row.seed_name: row.question_id for row in self.rows if _is_seed(row)}
        rows = {row.where: row for row in self.rows}
        for raw in _raw_rows(self.paths, ("image", "filename")):
            row = rows.get(raw["where"])
            if row is None:
                continue
            try:
                content = _content(raw)
                srgb8 = load_image(content, row.filename).srgb8
                released = _released_pixels(content, srgb8)
            except ImageError as error:
                if skip is None:
                    raise ImageError(f"{row.where}: {error}") from error
                skip(SkippedRow(row.where, str(error)))
                continue
            question = _question(row, image_id(srgb8), seeds, released)
            yield IllustratedQuestion(question, srgb8, released)


def read_published(source: Path | str, strict: bool = False) -> PublishedSet:
    """The set in a Parquet file, or in all of a folder and its ``data``. Rows that cannot be
    questions are left out and named.

    Raises BadInput where there is no file, a field is missing, no row is a question, or, where it
    is ``strict``, one row is none.
    """
    paths = _files(Path(source))
    rows: list[PublishedRow] = []
    skipped: list[SkippedRow] = []
    positions: dict[int, str] = {}
    for raw in _raw_rows(paths, tuple(name for name in FIELDS if name != "image")):
        try:
            row = _row(raw)
            if row.idx in positions:
                raise BadInput(f"idx {row.idx} is that of {positions[row.idx]} too.")
        except BadInput as error:
            skipped.append(SkippedRow(raw["where"], str(error)))
            continue
        positions[row.idx] = row.where
        rows.append(row)
    rows, without = _with_seeds(rows)
    skipped += without
    if skipped and (strict or not rows):
        more = f" {len(skipped) - 1:,} more rows are no questions." if len(skipped) > 1 else ""
        raise BadInput(f"{skipped[0]}{more}")
    if not rows:
        raise BadInput(f"{source} has no rows.")
    variants, notes = _variants(rows)
    short = {name: count for name, count in variants.items() if count != VARIANTS_A_SEED}
    if short:
        listed = ", ".join(f"{name} has {count}" for name, count in short.items())
        notes.insert(
            0, f"{len(short)} of {len(variants)} robustness seeds have not nine variants: {listed}."
        )
    return PublishedSet(
        paths=paths,
        rows=tuple(rows),
        counts=dict(Counter(row.task.id for row in rows)),
        seeds=len(variants),
        notes=tuple(notes),
        skipped=tuple(skipped),
        revision=hub_revision(paths),
    )


def download_published(to: Path, hub_id: str = HUB_ID) -> Path:
    """Fetches the set's Parquet files (3.5 GB) from the hub into a folder, and returns it.

    Only to be called when somebody asked for it. Raises DownloadFailed with what the hub said.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

    try:
        folder = snapshot_download(
            hub_id, repo_type="dataset", allow_patterns=["data/*.parquet"], local_dir=to
        )
    except HFValidationError as error:
        raise BadInput(f"{hub_id!r} is no id of the hub: write owner/name.") from error
    except OfflineModeIsEnabled as error:
        raise DownloadFailed("HF_HUB_OFFLINE is set: unset it to download.") from error
    except (HfHubHTTPError, OSError) as error:
        raise DownloadFailed(f"{hub_id} could not be fetched from the hub: {error}") from error
    return Path(folder)


def _files(source: Path) -> tuple[Path, ...]:
    if source.is_file():
        return (source,)
    paths = sorted([*source.glob("*.parquet"), *source.glob("data/*.parquet")])
    if not paths:
        raise BadInput(
            f"{source} is no Parquet file and no folder of some. ColorBench's lie in the folder "
            f"data of the data set {HUB_ID}."
        )
    return tuple(paths)


def hub_revision(paths: tuple[Path, ...]) -> str:
    """The hub's commit of all files: by what ``hf download --local-dir`` writes beside them, or by
    the hub cache's folder. Empty where that is not there, or they are of several."""
    partial_type = set()
    for path in paths:
        top = path.parent.parent if path.parent.name == "data" else path.parent
        name = path.relative_to(top).as_posix()
        noted = top / ".cache" / "huggingface" / "download" / f"{name}.metadata"
        try:
            first = noted.read_text(encoding="utf-8").split("\n")[0].strip()
        except (OSError, UnicodeDecodeError):
            first = top.name if top.parent.name == "snapshots" else ""
        partial_type.add(first if re.fullmatch(r"[0-9a-f]{40}", first) else "")
    return partial_type.pop() if len(partial_type) == 1 else ""


def _raw_rows(paths: tuple[Path, ...], fields: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The rows of all files as they are, with ``where``; never more than a few in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for path in paths:
        try:
            with pq.ParquetFile(path) as file:
                missing = [name for name in fields if name not in file.schema_arrow.names]
                if missing:
                    raise BadInput(f"{path.name} has no field {', '.join(missing)}.")
                number = 0
                for batch in file.iter_batches(_ROWS_AT_ONCE, columns=list(fields)):
                    for raw in batch.to_pylist():
                        number += 1
                        yield {**raw, "where": f"{path.name}, row {number}"}
        except (pa.ArrowException, OSError) as error:
            raise BadInput(f"{path.name} cannot be read as Parquet: {error}") from error


def _row(raw: Mapping[str, Any]) -> PublishedRow:
    """Raises BadInput for what cannot be a question."""
    for name in TEXT_FIELDS:
        if not isinstance(raw[name], str) or not raw[name].strip():
            raise BadInput(f"{name} is {raw[name]!r}, which is no text.")
    idx = raw["idx"]
    if isinstance(idx, bool) or not isinstance(idx, int) or idx < 0:
        raise BadInput(f"idx is {idx!r}, which is no number of 0 or more.")
    robust = raw["type"].strip().lower() == Category.ROBUSTNESS.value.lower()
    task = task_named("Color Robustness" if robust else raw["task"])
    if task is None:
        raise BadInput(f"{raw['task']!r} is none of ColorBench's tasks.")
    choices = _choices(raw["choices"])
    seed_name, variant = _seed_of(raw["filename"]) if robust else ("", "")
    return PublishedRow(
        where=raw["where"],
        idx=idx,
        task=task,
        text=raw["question"].strip(),
        prompt=raw["prompt"] or "",
        choices=choices,
        letter=_letter(raw["answer"], choices),
        filename=raw["filename"],
        seed_name=seed_name,
        variant=variant,
    )


def _choices(raw: Any) -> tuple[str, ...]:
    """Without empty ones at the end, with which some rows are filled up."""
    if not isinstance(raw, list) or not all(isinstance(choice, str) for choice in raw):
        raise BadInput(f"choices are {raw!r}, which is no list of texts.")
    choices = [choice.strip() for choice in raw]
    while choices and not choices[-1]:
        choices.pop()
    if not 2 <= len(choices) <= len(LETTERS) or not all(choices):
        raise BadInput(f"choices are {raw!r}; two or more are needed, none empty.")
    return tuple(choices)


def _letter(raw: str, choices: tuple[str, ...]) -> str:
    match = re.fullmatch(r"\(?\s*([A-Za-z])\s*\)?", raw.strip())
    letters = LETTERS[: len(choices)]
    if match is None or match[1].upper() not in letters:
        raise BadInput(f"the answer is {raw!r}, which is none of its choices {', '.join(letters)}.")
    return match[1].upper()


def _seed_of(filename: str) -> tuple[str, str]:
    """The seed's name, and which variant of it this is: empty for the seed itself."""
    path = PurePosixPath(filename.replace("\\", "/"))
    name, _, variant = path.stem.partition("_")
    return name, variant


def _is_seed(row: PublishedRow) -> bool:
    return bool(row.seed_name) and not row.variant


def _with_seeds(rows: list[PublishedRow]) -> tuple[list[PublishedRow], list[SkippedRow]]:
    """The rows without variants whose seed is not there and without second seeds of one name."""
    seeds: dict[str, PublishedRow] = {}
    for row in filter(_is_seed, rows):
        seeds.setdefault(row.seed_name, row)
    partial_type, skipped = [], []
    for row in rows:
        if row.variant and row.seed_name not in seeds:
            reason = f"{row.filename} is a variant whose seed is not there."
        elif _is_seed(row) and seeds[row.seed_name] is not row:
            first = seeds[row.seed_name].where
            reason = f"{row.filename} is the seed {row.seed_name}, as is {first}."
        else:
            partial_type.append(row)
            continue
        skipped.append(SkippedRow(row.where, reason))
    return partial_type, skipped


def _variants(rows: list[PublishedRow]) -> tuple[dict[str, int], list[str]]:
    """How many variants each robustness seed has, and what is odd about some, with their rows."""
    seeds = {row.seed_name: row for row in rows if _is_seed(row)}
    known: set[tuple[str, str]] = set()
    counts, notes = dict.fromkeys(seeds, 0), []
    for row in rows:
        if not row.variant:
            continue
        if (row.seed_name, row.variant) in known:
            notes.append(f"{row.where}: {row.filename} is a variant that is there already.")
        seed = seeds[row.seed_name]
        if seed.choices[LETTERS.index(seed.letter)] != row.choices[LETTERS.index(row.letter)]:
            notes.append(f"{row.where}: it is answered otherwise than its seed, {seed.where}.")
        known.add((row.seed_name, row.variant))
        counts[row.seed_name] += 1
    return counts, notes


def _content(raw: Mapping[str, Any]) -> bytes:
    """The file of its image. Raises ImageError."""
    image = raw["image"]
    content = image.get("bytes") if isinstance(image, dict) else image
    if not isinstance(content, bytes) or not content:
        raise ImageError("it has no image.")
    return content


def _released_pixels(content: bytes, srgb8: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """The image as the released code converts it; None where those are the same pixels."""
    released = rgb_pixels(content)
    return None if np.array_equal(released, srgb8) else released


def _question(
    row: PublishedRow,
    of_image: str,
    seeds: Mapping[str, str],
    released: NDArray[np.uint8] | None,
) -> Question:
    other = {} if released is None else {RELEASED_IMAGE: image_id(released)}
    return Question(
        question_id=row.question_id,
        task=row.task.id,
        form=Form.CHOICE,
        text=row.text,
        choices=row.choices,
        answer=row.letter,
        image_id=of_image,
        seed_id=seeds[row.seed_name] if row.variant else "",
        variant=row.variant,
        construction={
            "source": HUB_ID,
            "filename": row.filename,
            "prompt": row.prompt,
            **other,
        },
    )
