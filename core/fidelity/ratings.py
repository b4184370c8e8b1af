"""People's ratings of images, from a study's export or a table of one's own."""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean

from truehue.core.errors import BadInput
from truehue.core.spreadsheets import unguarded

_HEADER = "A table of ratings has the columns rating and file or image_id."
_TABLES = ("answers", "stimuli", "candidates")


def read_ratings(path: Path) -> dict[str, float]:
    """The mean rating of each image.

    ``path``: a CSV file with ``rating`` and ``image_id`` (SHA-256 of the pixels) or ``file`` (its
    path is looked for beside the table; the key is then the whole path), one line a rating; or the
    export of a study, a zip file or its folder, of which the main answers of the participants
    who were not excluded count. Raises BadInput for what is neither, with the line.
    """
    study = path.is_dir() or path.suffix.lower() == ".zip"
    provided = _of_study(path) if study else _of_table(path)
    if not provided:
        raise BadInput(f"{path} holds no ratings of images.")
    return {image: fmean(values) for image, values in provided.items()}


def _of_table(path: Path) -> Mapping[str, list[float]]:
    partial_type = defaultdict(list)
    for line, row in enumerate(_rows(_text(path), path.name), start=2):
        if "rating" not in row or not {"file", "image_id"} & set(row):
            raise BadInput(f"{path.name} has no such columns. {_HEADER}")
        image = (row.get("image_id") or "").strip()
        if not image:
            name = (row.get("file") or "").strip()
            image = str((path.parent / name).resolve()) if name else ""
        if not image:
            raise BadInput(f"{path.name}, line {line}: it names no image. {_HEADER}")
        partial_type[image].append(_number(row["rating"], f"{path.name}, line {line}"))
    return partial_type


def _of_study(path: Path) -> Mapping[str, list[float]]:
    tables = {name: list(_rows(_table_text(path, name), name)) for name in _TABLES}
    try:
        images = {
            (row["case"], unguarded(row["model"])): row["images"].split()
            for row in tables["candidates"]
        }
        shown = {row["stimulus"]: (row["case"], row["models"]) for row in tables["stimuli"]}
        partial_type = defaultdict(list)
        for line, row in enumerate(tables["answers"], start=2):
            if (row["kind"], row["purpose"]) != ("rating", "main") or row["excluded"] != "false":
                continue
            case, models = shown[row["stimulus"]]
            listed = json.loads(models)
            if len(listed) != 1:
                continue
            image = images[case, listed[0]]
            # A rating of several images at once is none of one of them.
            if len(image) == 1:
                partial_type[image[0]].append(_number(row["value"], f"answers, line {line}"))
    except (KeyError, ValueError, TypeError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{path} is no whole export of a study: {error!r:.120}") from None
    return partial_type


def _table_text(path: Path, name: str) -> str:
    location = f"tables/{name}.csv"
    try:
        if path.is_dir():
            return (path / location).read_text(encoding="utf-8")
        with zipfile.ZipFile(path) as archive:
            (member,) = [m for m in archive.namelist() if f"/{m}".endswith(f"/{location}")]
            return archive.read(member).decode("utf-8")
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise BadInput(
            f"{path} is no export of a study: its {location} cannot be read: {error}"
        ) from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read as UTF-8 text: {error}") from None


def _rows(text: str, name: str) -> Iterator[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text))
    try:
        for row in reader:
            if None in row or None in row.values():
                raise BadInput(f"{name}, line {reader.line_num}: it has another number of cells.")
            yield row
    except csv.Error as error:
        raise BadInput(f"{name}, line {reader.line_num}: {error}.") from None


def _number(text: str, location: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadInput(f"{location}: the rating is a number, not {text!r:.40}.")
    return value
