"""Kept rows: one compressed file a task, whole or not there at all."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.diagnosis.judging import COLUMNS, JudgmentRow
from core.diagnosis.plan import Task
from core.errors import BadInput

MEANING: dict[str, str] = {
    "object": "Object of the renderer, or of the manifest.",
    "light": "Light of the renderer, or of the manifest.",
    "seed": "Seed of viewpoint, turn, light direction and backdrop; 0 for pictures of a manifest.",
    "system": "Color system: l1, l2, l3 (ISCC-NBS) or css.",
    "color": "True color of the asked material: name in the system, or hex.",
    "second": "Hex of the second material inside the mask; empty where there is one material.",
    "asked": "Color that the picture was judged against.",
    "relation": "true: asked is the true color. near: it is one of the five nearest distinct "
    "colors of the system that lie at least 10 ΔE00 from the true one.",
    "rule": "Id of the rule; report.json has its version and parameters.",
    "status": "pass, fail or unscored. near with pass is a false accept.",
    "delta_e00": "CIEDE2000 between the found color and the asked one.",
    "delta_chroma": "Distance in the a*b* plane (CIELAB, D65, 2 degrees).",
    "hue_deg": "Difference of h_ab in degrees, 0 to 180; 0 where a color is near neutral.",
    "margin": "Largest value over threshold of the judged metrics: a pass is below 1.",
    "confidence_percent": "How sure the rule is of its verdict, 50 to 100, where it says.",
}
assert tuple(MEANING) == COLUMNS

FOLDER = "shards"
VERDICTS = "verdicts.csv.gz"
_HALF = ".half"


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that at its name stands all of it or what stood there before.

    Raises BadInput when the folder takes no file.
    """
    half = path.with_name(f"{path.name}.{os.getpid()}{_HALF}")
    try:
        half.write_bytes(content)
        os.replace(half, path)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise BadInput(f"Cannot write {path}: {error.strerror}.") from error


def prepare(report_folder: Path) -> Path:
    """The folder of the shards, made if need be, without half-written files of a run that died.

    Raises BadInput when it cannot be made.
    """
    folder = report_folder / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for half in folder.glob(f"*{_HALF}"):
            half.unlink(missing_ok=True)
    except OSError as error:
        raise BadInput(f"Cannot use the folder {report_folder}: {error.strerror}.") from error
    return folder


def save(folder: Path, task: Task, rows: Iterable[JudgmentRow], problems: Iterable[str]) -> None:
    """Keeps the rows of a task, and takes away what older fingerprints left of it.

    The first line is JSON, a list of what was wrong with files; the rest is CSV without a header.
    """
    text = io.StringIO()
    text.write(f"{json.dumps([*problems])}\n")
    csv.writer(text, lineterminator="\n").writerows(row.as_fields() for row in rows)
    write_whole(folder / task.file_name, gzip.compress(text.getvalue().encode(), 6, mtime=0))
    for other in folder.glob(f"{task.key}--*.csv.gz"):
        if other.name != task.file_name:
            other.unlink(missing_ok=True)


def load(folder: Path, task: Task) -> tuple[list[JudgmentRow], list[str]] | None:
    """The kept rows and problems of a task; None where there is no whole file of them."""
    try:
        text = gzip.decompress((folder / task.file_name).read_bytes()).decode()
        first, _, rest = text.partition("\n")
        problems = [str(problem) for problem in json.loads(first)]
        return [
            JudgmentRow.from_fields(values) for values in csv.reader(io.StringIO(rest, ""))
        ], problems
    except (OSError, EOFError, ValueError, TypeError, csv.Error, zlib.error):
        # Missing, cut off or damaged: in each case it is judged again.
        return None


def verdicts_csv(rows: Iterable[JudgmentRow]) -> Iterator[bytes]:
    """``verdicts.csv.gz`` in pieces, header first."""
    pieces = zlib.compressobj(6, zlib.DEFLATED, 31)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, row in enumerate(rows, 1):
        writer.writerow(row.as_fields())
        if number % 5000 == 0:
            yield pieces.compress(text.getvalue().encode())
            text.seek(0)
            text.truncate()
    yield pieces.compress(text.getvalue().encode()) + pieces.flush()


def codebook() -> str:
    """The text of ``codebook.md``."""
    lines = "\n".join(f"| {name} | {meaning} |" for name, meaning in MEANING.items())
    return (
        "# verdicts.csv.gz\n\n"
        "One line a picture, rule and color that it was judged against. UTF-8, comma separated, "
        "one header line; an empty field is no value. Numbers have six significant digits.\n\n"
        f"| column | meaning |\n|---|---|\n{lines}\n\n"
        "Rates in report.json count unscored judgments as asked, so they are no hits. "
        "Their intervals are Wilson's, 95%.\n"
    )
