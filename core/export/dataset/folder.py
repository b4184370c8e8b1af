"""A dataset folder: tables in Parquet, ``README.md`` as a dataset card, and ``croissant.json``.

The card's header is of https://huggingface.co/docs/hub/datasets-cards, the metadata of Croissant 1.1
(https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html) with the fields of its
vocabulary for responsible AI (https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.version import VERSION

CARD, CROISSANT = "README.md", "croissant.json"
HUB_DATASETS = "https://huggingface.co/datasets/"
SPLIT = "test"
CONFORMS_TO = (
    "http://mlcommons.org/croissant/1.1",
    "http://mlcommons.org/croissant/RAI/1.0",
)
IMAGE, TEXTS = "image", "list of text"
_REPO = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_LICENSE = re.compile(r"[a-z0-9][a-z0-9.-]{1,60}")
_DATA_TYPES = {
    "text": "sc:Text",
    TEXTS: "sc:Text",
    "integer": "sc:Integer",
    "number": "sc:Float",
    "boolean": "sc:Boolean",
    IMAGE: "sc:ImageObject",
}
_FEATURES = {"text": "string", "integer": "int64", "number": "float64", "boolean": "bool"}
_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


@dataclass(frozen=True)
class DatasetColumn:
    """A column of a table. ``kind`` is text, integer, number, boolean, :data:`IMAGE` or
    :data:`TEXTS`."""

    name: str
    kind: str
    meaning: str


@dataclass(frozen=True)
class DatasetTable:
    """A table, which is a configuration of the dataset. ``write`` writes its Parquet file and
    returns the number of its rows."""

    config: str
    columns: tuple[DatasetColumn, ...]
    write: Callable[[Path], int]

    @property
    def file(self) -> str:
        """Where its file lies in the folder."""
        return f"{self.config}/{SPLIT}-00000-of-00001.parquet"


@dataclass(frozen=True)
class DatasetAbout:
    """What a dataset is. ``dataset_id`` is its OWNER/NAME on the hub, ``license`` the hub's
    identifier of one, such as cc-by-4.0. ``responsible`` are values of Croissant's fields for
    responsible AI, by the name without ``rai:``. Raises BadInput for an id or a license that is
    none."""

    dataset_id: str
    license: str
    title: str
    description: str
    text: str
    tags: tuple[str, ...]
    task_categories: tuple[str, ...]
    citation: str
    responsible: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _REPO.fullmatch(self.dataset_id):
            raise BadInput(f"Name the dataset as OWNER/NAME, not {self.dataset_id[:80]!r}.")
        if not _LICENSE.fullmatch(self.license):
            raise BadInput(
                f"A license is an identifier of the hub, such as cc-by-4.0, not {self.license[:60]!r}."
            )

    @property
    def url(self) -> str:
        """Its page on the hub."""
        return HUB_DATASETS + self.dataset_id


def write_dataset(folder: Path, about: DatasetAbout, tables: Sequence[DatasetTable]) -> None:
    """Fill an empty folder with the tables, the card and ``croissant.json``."""
    rows = {}
    for table in tables:
        path = folder / table.file
        path.parent.mkdir()
        rows[table.config] = table.write(path)
    (folder / CARD).write_text(_card(about, tables, rows), encoding="utf-8")
    text = json.dumps(_croissant(folder, about, tables), indent=1, ensure_ascii=False)
    (folder / CROISSANT).write_text(text + "\n", encoding="utf-8")


def _card(about: DatasetAbout, tables: Sequence[DatasetTable], rows: Mapping[str, int]) -> str:
    """README.md: the header that the hub reads, and what people read."""
    header = {
        "pretty_name": about.title,
        "license": about.license,
        "language": ["en"],
        "task_categories": list(about.task_categories),
        "tags": ["truehue", "color", "croissant", *about.tags],
        "size_categories": [_size_category(sum(rows.values()))],
        "configs": [
            {
                "config_name": table.config,
                "data_files": [{"split": SPLIT, "path": table.file}],
                **({"default": True} if table is tables[0] else {}),
            }
            for table in tables
        ],
        "dataset_info": [
            {
                "config_name": table.config,
                "features": [_feature(column) for column in table.columns],
            }
            for table in tables
        ],
    }
    parts = [f"# {about.title}", about.description, about.text]
    for table in tables:
        parts.append(f"## `{table.config}`: {rows[table.config]:,} rows")
        lines = ["| column | type | meaning |", "|---|---|---|"]
        lines += [
            f"| `{column.name}` | {column.kind} | {' '.join(column.meaning.replace('|', '/').split())} |"
            for column in table.columns
        ]
        parts.append("\n".join(lines))
    parts += [
        "## Citation",
        f"```bibtex\n{about.citation.strip()}\n```",
        f"Written by TrueHue {VERSION}.",
    ]
    return f"---\n{yaml_text(header)}---\n\n" + "\n\n".join(part.strip() for part in parts) + "\n"


def yaml_text(value: Any) -> str:
    """YAML with its keys in their order."""
    import yaml

    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=1000)
    return text


def _size_category(rows: int) -> str:
    """As the hub writes it: ``n<1K``, ``1K<n<10K``."""
    names = ("1K", "10K", "100K", "1M", "10M", "100M")
    index = next((i for i, _ in enumerate(names) if rows < 10 ** (3 + i)), len(names) - 1)
    return f"n<{names[0]}" if index == 0 else f"{names[index - 1]}<n<{names[index]}"


def _feature(column: DatasetColumn) -> dict[str, Any]:
    if column.kind == IMAGE:
        return {"name": column.name, "dtype": "image"}
    if column.kind == TEXTS:
        return {"name": column.name, "list": "string"}
    return {"name": column.name, "dtype": _FEATURES[column.kind]}


def _croissant(folder: Path, about: DatasetAbout, tables: Sequence[DatasetTable]) -> dict[str, Any]:
    """``croissant.json`` of the folder's files."""
    return {
        "@context": dict(_CONTEXT),
        "@type": "sc:Dataset",
        "name": about.title,
        "conformsTo": list(CONFORMS_TO),
        "description": about.description,
        "license": about.license,
        "url": about.url,
        "version": "1.0.0",
        "datePublished": datetime.now(UTC).date().isoformat(),
        "creator": {"@type": "Organization", "name": about.dataset_id.partition("/")[0]},
        "citeAs": about.citation,
        "keywords": ["color", *about.tags],
        **{f"rai:{name}": text for name, text in about.responsible.items()},
        "distribution": [_file_object(folder, table) for table in tables],
        "recordSet": [_record_set(table) for table in tables],
    }


def _file_object(folder: Path, table: DatasetTable) -> dict[str, Any]:
    path = folder / table.file
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": f"{table.config}-parquet",
        "name": f"{table.config}-parquet",
        "description": f"The table {table.config}.",
        "contentUrl": table.file,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": digest,
    }


def _record_set(table: DatasetTable) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.config,
        "name": table.config,
        "description": f"The rows of the table {table.config}.",
        "field": [_field(table, column) for column in table.columns],
    }


def _field(table: DatasetTable, column: DatasetColumn) -> dict[str, Any]:
    source: dict[str, Any] = {
        "fileObject": {"@id": f"{table.config}-parquet"},
        "extract": {"column": column.name},
    }
    if column.kind == IMAGE:
        source["transform"] = {"jsonPath": "bytes"}
    described: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{table.config}/{column.name}",
        "name": column.name,
        "description": column.meaning,
        "dataType": _DATA_TYPES[column.kind],
        "source": source,
    }
    if column.kind == TEXTS:
        described |= {"isArray": True, "arrayShape": "-1"}
    return described
