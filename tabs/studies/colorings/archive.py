"""What all.zip has of colorings beside tables: sketches, which an import needs, and pictures."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO

import numpy as np
from PIL import Image

from truehue.core.errors import BadInput, NotStored, StorageError
from truehue.core.files import png_of
from truehue.core.records import SketchRecord
from truehue.core.sketches.records import LONGEST_SIDE, Sketch, SketchWarning, sketch_id
from truehue.core.study_copy import StudyCopy
from truehue.tabs.page.context import Context
from truehue.tabs.studies.colorings.facts import ColoringSnapshot, known_of
from truehue.tabs.studies.colorings.layers import layer_of
from truehue.tabs.studies.colorings.tables_rows import ColoringExport, file_of
from truehue.tabs.studies.copies import SketchDocument

WAIT_S = 600.0
MOST_SKETCH_BYTES = 16 * 2**20
_OURS = re.compile(r"sketches/[0-9a-f]{32}\.png|colorings/participant-\d{1,9}-\d{1,6}\.png")


def sketches_named(copy: StudyCopy) -> list[str]:
    """The ids of all sketches that a study's plans name, each once."""
    named = [
        case.get("sketch", "")
        for plan in copy.plans
        for case in plan.plan.get("cases", ())
        if isinstance(case, Mapping)
    ]
    return sorted({str(name) for name in named if name})


def sketch_records(context: Context, copy: StudyCopy) -> list[SketchRecord]:
    """The stored sketches of a study."""
    records = context.storage.sketches.by_ids(sketches_named(copy))
    return [records[name] for name in sorted(records)]


def coloring_export(context: Context, moment: ColoringSnapshot) -> ColoringExport:
    """What the tables of a study of colorings are made of. Raises NotStored while it is still
    computed."""
    facts, computed = known_of(context, moment, WAIT_S)
    if facts is None or computed.progress:
        raise NotStored("The colorings are still being measured. Try again in a moment.")
    return ColoringExport(
        facts,
        context.storage.coloring_layers.of_study(moment.source.study.id),
        context.storage.study_events.actions,
    )


def write_images(
    context: Context,
    archive: zipfile.ZipFile,
    sketches: Sequence[SketchRecord],
    export: ColoringExport,
) -> None:
    """Adds the ink of every sketch and the colors of every coloring that stands; what cannot be
    drawn is left out, and the table says why."""
    for record in sketches:
        content = png_of(context.storage.sketches.ink(record.id))
        archive.writestr(f"sketches/{record.id}.png", content, zipfile.ZIP_STORED)
    for coloring in export.facts.given:
        path = context.storage.coloring_layers.path(coloring.answer.id)
        try:
            if not path.is_file():
                layer_of(context, coloring)
            archive.write(path, file_of(coloring), zipfile.ZIP_STORED)
        except (OSError, StorageError):
            continue


def is_ours(name: str) -> bool:
    """Whether a file of an archive is a sketch or a coloring as an export names them."""
    return _OURS.fullmatch(name) is not None


def read_sketches(
    archive: zipfile.ZipFile, named: Sequence[SketchDocument], shown: str
) -> Iterator[tuple[Sketch, SketchDocument]]:
    """The sketches of an archive, one by one. Pictures of colorings are not read: they are drawn
    again of the log. Raises BadInput for a sketch that is missing, or another one than it says."""
    files = set(archive.namelist())
    for sketch_document in named:
        name = f"sketches/{sketch_document.id}.png"
        if name not in files:
            raise BadInput(
                f"{shown} lacks the sketch {sketch_document.id}. Import all.zip as it was exported."
            )
        ink = _ink(archive, name, shown)
        if sketch_id(ink) != sketch_document.id:
            raise BadInput(f"{name} in {shown} is not the sketch that it is named after.")
        warnings = tuple(SketchWarning(each.code, each.words) for each in sketch_document.warnings)
        yield Sketch(sketch_document.id, ink, warnings, sketch_document.closing), sketch_document


def _ink(archive: zipfile.ZipFile, name: str, shown: str) -> np.ndarray:
    with archive.open(name) as file:
        content = file.read(MOST_SKETCH_BYTES + 1)
    if len(content) > MOST_SKETCH_BYTES:
        raise BadInput(f"{name} in {shown} is too large for a sketch.")
    try:
        with Image.open(BytesIO(content), formats=["PNG"]) as stored:
            if stored.mode != "L" or max(stored.size) > LONGEST_SIDE:
                raise BadInput(f"{name} in {shown} is no sketch: it has other pixels.")
            ink = np.array(stored, dtype=np.uint8)
    except BadInput:
        raise
    except Exception as error:  # whatever a damaged picture raises
        raise BadInput(f"{name} in {shown} is not a readable image.") from error
    ink.flags.writeable = False
    return ink
