"""A run as one file that others can read and import: ``NAME.truehue.zip``.

Equal results make equal bytes: files have a fixed order and a fixed time, and data of this machine
(names of workers, paths, ids of the database) is left out.
"""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from truehue.core.batch.folder import json_bytes
from truehue.core.export.bibliography import references
from truehue.core.export.codebook import codebook_json, codebook_text
from truehue.core.export.source import ExportRun, parts, plan_out
from truehue.core.export.tables import COLORS, RESULTS, write_parquet_to
from truehue.core.files import ReportProgress, content_path, ignore_progress, whole_file
from truehue.core.runs.adaptive import FILE as ADAPTIVE
from truehue.core.runs.adaptive import portable_order
from truehue.core.runs.controls import FILE as CONTROLS
from truehue.core.runs.controls import portable_report
from truehue.core.runs.folder import gzip_lines
from truehue.core.runs.records import STORED, StoredItem
from truehue.core.runs.summary import kept_text
from truehue.core.version import VERSION

FORMAT, FORMAT_VERSION = "truehue run", 1
MANIFEST = "manifest.json"
_TIME = (1980, 1, 1, 0, 0, 0)
_PACKED = (".json", ".md", ".txt", ".bib")

COLORS_FILE = "colors.parquet"
"""Of a run with concepts: its table of colors."""

README = """TrueHue run {run_id}: {name}

results.parquet   one row per object, rule and image; codebook.md says what its columns mean
{colors}shards/           all of it with masks and origins, a row per image; this TrueHue imports
plan.json         what was run; prompts.jsonl.gz holds its prompts, a line each
{adaptive}{controls}images/, masks/   {pictures}
references.bib    what to cite

Python:
  import pandas
{python}
R:
  library(arrow); library(dplyr)
{r}
TrueHue: python -m truehue runs import FILE, or Explore, Runs, Import.
{said}"""
_ADAPTIVE = (
    "adaptive.json     the adaptive order of models that chose its images: every round's draws with\n"
    "                  their weights, and the models' ranks\n"
)
_CONTROLS = (
    "controls.json     what masks and rules said of 20 images of known color, before the run\n"
)
_COLORS = "colors.parquet    one row per image of a concept: its colors as shares of UW-71's bins\n"
_JUDGED = (
    """  results = pandas.read_parquet("results.parquet")
  results[results.leads].groupby(["rule", "task"]).picture_status.value_counts()
""",
    """  results <- read_parquet("results.parquet")
  results |> filter(leads) |> count(rule, task, picture_status)
""",
    "unscored is neither a pass nor a fail: say how many there are beside every rate.\n",
)
_MEASURED = (
    """  colors = pandas.read_parquet("colors.parquet")
  by = colors.groupby(["concept", "modifier", "style"], dropna=False)
  by.status.value_counts()
  by[[name for name in colors if name.startswith("#")]].mean()
""",
    """  colors <- read_parquet("colors.parquet")
  by <- colors |> group_by(concept, modifier, style)
  by |> count(status)
  by |> summarise(across(starts_with("#"), \\(x) mean(x, na.rm = TRUE)))
""",
    "Prompts of concepts name no color: no rule scores their images, and in results.parquet they\n"
    "are measured or unmeasured. Say how many are unmeasured beside every mean.\n",
)


def write_archive(
    run: ExportRun,
    target: Path | str,
    with_images: bool = False,
    progress: ReportProgress = ignore_progress,
) -> None:
    """The archive at ``target``, whole or not at all.

    ``with_images`` packs the images and masks too. Raises DataFolderError where the file cannot
    be written, BadShard and BadInput for a run whose folder is damaged.
    """
    with whole_file(target) as file:
        _write(run, file, with_images, progress)


def _write(run: ExportRun, file: IO[bytes], with_images: bool, progress: ReportProgress) -> None:
    listed: dict[str, dict[str, Any]] = {}
    sheets = {"results.parquet": RESULTS, **({COLORS_FILE: COLORS} if run.measures else {})}
    # A row for the shards, one for each table, and one for its image and masks.
    done, total = 0, run.done * (1 + len(sheets) + with_images)
    with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for name, content in _texts(run, with_images):
            _add(archive, listed, name, content)
        for name, sheet in sheets.items():
            with tempfile.TemporaryFile() as flat:
                # A Parquet file is written in one go and read in another: not into the zip.
                write_parquet_to(flat, [run], _after(progress, done, total), sheet)
                _add_stream(archive, listed, name, flat)
            done += run.done
        images: dict[str, Path] = {}
        for name, content, table in parts(run.shards):
            _add(archive, listed, f"shards/{name}", content)
            if with_images:
                images |= _image_paths(run, table)
            done += table.num_rows
            progress(done, total)
        packed = {name: images[name] for name in sorted(images) if images[name].is_file()}
        for number, (name, path) in enumerate(packed.items()):
            progress(done + run.done * number // len(packed), total)
            # Their names say what is in them, so the manifest need not.
            archive.writestr(_entry(name), path.read_bytes())
        progress(total, total)
        about = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "run_id": run.run_id,
            "name": run.plan.name,
            "truehue": VERSION,
            "pictures": asdict(run.counts),
            "images": sum(name.startswith("images/") for name in packed),
            "masks": sum(name.startswith("masks/") for name in packed),
            "files": listed,
        }
        archive.writestr(_entry(MANIFEST), json_bytes(about))


def _after(progress: ReportProgress, done: int, total: int) -> ReportProgress:
    """The progress of a part of the work, when ``done`` of ``total`` were done before."""
    return lambda index, _: progress(done + index, total)


def _texts(run: ExportRun, with_images: bool) -> Iterator[tuple[str, bytes]]:
    images = "the images, named by their pixels" if with_images else "not part of this export"
    if with_images and (retention := kept_text(run.folder.summary())):
        images = f"the images whose pixels were kept (the run {retention}), and all masks"
    rules = [rule_id for rule_id, _ in run.plan.rules]
    controls = portable_report(run.folder.path, rules)
    order = portable_order(run.folder)
    yield "README.txt", _readme(run, images, controls is not None, order is not None).encode()
    yield "plan.json", json_bytes(plan_out(run))
    yield "prompts.jsonl.gz", gzip_lines(prompt.as_json() for prompt in run.plan.prompts)
    if run.plan.kind == STORED:
        yield "items.jsonl.gz", gzip_lines(item_out(item) for item in run.plan.items)
    if controls is not None:
        yield CONTROLS, controls
    if order is not None:
        yield ADAPTIVE, order
    yield "codebook.json", codebook_json([run]).encode()
    yield "codebook.md", codebook_text([run]).encode()
    yield "references.bib", references([run]).encode()


def _readme(run: ExportRun, images: str, controls: bool, adaptive: bool) -> str:
    """The contents of the archive; advice for each of its tables that has something to count."""
    advice = [
        *([_MEASURED] if run.measures else []),
        *([_JUDGED] if run.judges or not run.measures else []),
    ]
    python, r, sentences = ("".join(part) for part in zip(*advice, strict=True))
    return README.format(
        run_id=run.run_id,
        name=run.plan.name,
        pictures=images,
        controls=_CONTROLS if controls else "",
        adaptive=_ADAPTIVE if adaptive else "",
        python=python,
        r=r,
        said=sentences,
        colors=_COLORS if run.measures else "",
    )


def item_out(item: StoredItem) -> dict[str, Any]:
    """A stored image without the paths of this machine; a mask's file keeps its name, which says
    what is in it."""
    row = asdict(item)
    row["file"] = ""
    for mask in row["masks"].values():
        mask["file"] = Path(mask["file"]).name
    return row


def _image_paths(run: ExportRun, table: Any) -> dict[str, Path]:
    """Where the images and masks of some results lie, by their names in the archive."""
    images: dict[str, Path] = {}
    stored: Mapping[int, StoredItem] = dict(enumerate(run.plan.items))
    columns = [table[name].to_pylist() for name in ("position", "image_id", "masks")]
    for position, image_id, masks in zip(*columns, strict=True):
        item = stored.get(position)
        if image_id:
            path = Path(item.file) if item else content_path(run.folder.images, image_id)
            images[content_path(Path("images"), image_id).as_posix()] = path
        for mask in masks or ():
            name = mask["content_sha256"]
            path = content_path(run.folder.masks, name)
            if not path.is_file() and item and mask["target"] in item.masks:
                path = Path(item.masks[mask["target"]].file)
            images[content_path(Path("masks"), name).as_posix()] = path
    return images


def _add(archive: zipfile.ZipFile, listed: dict[str, Any], name: str, content: bytes) -> None:
    archive.writestr(_entry(name), content)
    listed[name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _add_stream(
    archive: zipfile.ZipFile, listed: dict[str, Any], name: str, source: IO[bytes]
) -> None:
    digest, size = hashlib.sha256(), source.tell()
    source.seek(0)
    entry = _entry(name)
    entry.file_size = size
    with archive.open(entry, "w", force_zip64=size > 2**31) as target:
        while piece := source.read(2**20):
            digest.update(piece)
            target.write(piece)
    listed[name] = {"bytes": size, "sha256": digest.hexdigest()}


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _TIME)
    entry.create_system = 3  # so that the bytes are the same on every system
    entry.external_attr = 0o644 << 16
    # Parquet, PNG and gzip are small already.
    packed = name.endswith(_PACKED)
    entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    return entry
