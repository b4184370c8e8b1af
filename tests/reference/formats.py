"""docs/reference/formats.md, from the schemas and codebooks of the files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from tests.reference.markdown import cell, code, page_of, table
from truehue.annotation.studies.cases import Kind
from truehue.core.diagnosis.run import MEANING
from truehue.core.export.columns import COLOR_COLUMNS, COLUMNS, Column
from truehue.core.generation.registry import RENDERER
from truehue.core.prompts.importing.published import LAYOUTS
from truehue.core.prompts.sets import prompt_set
from truehue.core.ring.answers import COLUMNS as ANSWER_COLUMNS
from truehue.core.ring.comparison import RingPair
from truehue.core.ring.folder import COLUMNS as RING_COLUMNS
from truehue.core.ring.plan import RingQuestion, RingScene
from truehue.core.ring.report import RingReport
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import RunPlan
from truehue.core.runs.score import CAUSES
from truehue.core.runs.shards import schema
from truehue.core.verdict.rules import DEFAULT_RULE
from truehue.core.vlm.evaluation.plan import EvaluationSettings
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.records import Question
from truehue.storage.backup.contents import TEMPORARY
from truehue.tabs.studies.tables import tables_of

READER = """\
**For:** everybody who reads or writes TrueHue's files with a program of their own. **Answers:**
which files there are, and which columns and fields they have.

[Sketches and colorings](coloring_formats.md) have a page of their own.

Text is UTF-8. CSV has a header, a point as decimal mark, and an empty field where there is no
value. A text that a spreadsheet would run as a formula has an apostrophe before it."""

PROMPTS = """\
| column | meaning |
|---|---|
| `text` or `prompt` | the prompt; the only required column |
| `id` | unique in the file; without it `<file name>-<number of the record>` |
| `task` | `cna`, `ncu`, `coa`, `moc`, `ica`, `concept` or `free`; without it `free` |
| `system` | `l1`, `l2`, `l3`, `css` or `people`: the color system of the names |
| `object` | the object that the image has to show |
| `color` | its target color: a name, `l3:vivid red`, `#DC143C` or `rgb(220, 20, 60)` |
| `role` | `main`, `reference` (shares the first object's color) or `bystander` (must not take it) |
| `negative_labels` | parts that are not measured, separated by semicolons: `stem;leaf` |
| `object_category` | the category of the object |
| `object2`, `color2`, … | a second to ninth object, with the same columns |
| `category`, `concept`, `modifier`, `modifier_kind` | the prompt's category and concept |
| `style`, `template`, `notation`, `source` | how the prompt was made, and where it is from |

Without a `role` the object is `main`. The second object is a `bystander` in `coa` and a `reference`
in `ica`. JSONL has one object per line with the same keys; plain text has one prompt per line. The
limits are 256 MB and 500,000 prompts per file, 250,000 characters per line, 20,000 per prompt, and
1,000 in any other field. The published files of GenColorBench are read as they are:"""

FOLDER = """\
Runs, evaluations and diagnoses share one layout. A row is written once, and the latest attempt of
a position counts.

| file | content |
|---|---|
| `plan.json` | all that decides the results, with `format` and `total` |
| `journal/*.jsonl` | rows in the order in which they were done |
| `shards/*.parquet` | sealed journals, after 500 rows or 30 seconds; never changed |
| `state.json` | the progress; counted again where it is lost |
| `wish.json` | `run`, `pause` or `cancel` |
| `damaged/`, `left-out.jsonl` | shards that could not be read, and rows of another plan |"""

RING = """\
| file | content |
|---|---|
| `set.json` | `set` and `key_sha256` (SHA-256), the counts, the size and the versions |
| `questions.csv` | a question per line, in a random order |
| `images/0001.png`, `masks/0001.png` | an image, and the mask of the object that is asked about |
| `NAME-key.json` | the key: seed and answers; outside of the set |
| `SCORER-certificate.html`, `.json` | the results of a scorer |
| `comparison.html`, `.json` | several scorers, and the tests of all pairs |

On the page a set has the folder `ring/SET` of the data folder, with `set/`, `key.json`, `answers/`,
`results/` and `pairs.json`."""

DISTRIBUTIONS = """\
Compare imports distributions over the 71 bins of UW-71 from CSV or JSON. Cells are separated by
commas, semicolons or tabs.

| form | columns |
|---|---|
| wide CSV | `concept`, optional `modifier`, `contributor` and `people`, and one column per bin |
| transposed CSV | one row per bin with `index`, `hex`, `L,a,b` or `r,g,b`; one column per concept |
| palettes | `concept`, `contributor`, a color as `hex`, `r,g,b` or `L,a,b`, and `weight` |
| JSON | `{"concept": [71 numbers]}`, or objects with `concept` and `weights` or `palette` |
| numbers | 71 bare numbers, for a concept that you name |

A column of a bin is named by its index (`0` to `70`, `bin0`), hex code or `L,a,b`. Without weights
all colors of a palette weigh the same. An index that contradicts its color is refused. The import
takes up to 64 MB."""


def formats_page() -> str:
    """The text of the page."""
    return page_of("File formats", READER, _parts())


def _codes(names: Iterable[str]) -> str:
    """Names as code, in one line."""
    return ", ".join(map(code, names))


def _parts() -> list[str]:
    published = [(code(name), ", ".join(map(code, names))) for name, names in LAYOUTS.items()]
    question = [(code(field.name), code(str(field.type))) for field in fields(Question)]
    settings = [
        (code(field.name), code(str(field.type)), code(str(field.default)))
        for field in fields(EvaluationSettings)
    ]
    temporary = ", ".join(code(name) for name in sorted(TEMPORARY))
    parts = [
        "## Files that you bring",
        "### Prompts",
        PROMPTS,
        table(("file", "columns"), published),
        "### Images with masks",
        "`truehue measure --manifest` reads a CSV with the columns `file`, `mask`, `target` and "
        "`system`; paths are relative to the file. `truehue images` links a folder of images to "
        "prompts by a CSV with the columns `file` and `prompt_id` or `prompt`, else by file names.",
        "### Distributions",
        DISTRIBUTIONS,
        "## Folders of long work",
        FOLDER,
        "### A run",
        f"`plan.json` has the fields {_run_plan()}. A run of existing images also has `items` and "
        "`items_sha256`, and its images are in `items.jsonl.gz`. `guidances` is there for several "
        "scales. The prompts are in `prompts.jsonl.gz`, a line each. `controls.json` has the control "
        "images, where the run has some. In an archive, `adaptive.json` has the adaptive order that "
        "chose its images, and every round: draws, weights, and what was expected.",
        "A row of a run is an image. Lists hold a mask, a verdict or a color profile per object.",
        _schema(schema()),
        "### A question set",
        "`questions.jsonl` has a question per line, `images/ab/abcd….png` has the images, named by "
        "the SHA-256 of their pixels, and `set.json` has the counts, the settings and the SHA-256 "
        "of the questions.",
        table(("field", "type"), question),
        "### An evaluation",
        "`plan.json` has `version`, `set`, `questions` (the checksum of the prompted questions), "
        "`parser`, `model` with its `fingerprint`, and `settings`:",
        table(("setting", "type", "default"), settings),
        "A row is the answer to a question.",
        _schema(EvaluationWork.schema(None)),  # type: ignore[arg-type]
        "`questions.jsonl` has the questions with their prompts, `places.json` where the set and "
        "its images lie, and `spent.jsonl` a line per request to a server before it is sent.",
        "`reason` says why there is no answer. `ending` is `stop`, or `length` where the tokens "
        "were used up. `seconds` is the share of the batch. `seen` is what the processor of a "
        "local model made of the image, and `answered_by` a server's own name of the model.",
        "### A diagnosis",
        "`verdicts.csv.gz` has a row per image, rule and color.",
        table(("column", "meaning"), [(code(name), cell(text)) for name, text in MEANING.items()]),
        "### A ring test",
        RING,
        f"`questions.csv` has the columns {_codes(RING_COLUMNS)}. Of `color` and `hex` one is empty. "
        f"Answers have {_codes(ANSWER_COLUMNS)}. The key has `set`, `seed`, `scenes` with "
        f"{_codes(entry.name for entry in fields(RingScene))}, and `questions` with "
        f"{_codes(entry.name for entry in fields(RingQuestion))}.",
        f"A certificate has {_codes(entry.name for entry in fields(RingReport))}. A pair has "
        f"{_codes(entry.name for entry in fields(RingPair))}, and on the page `better`.",
        "## Exported results of runs",
        "CSV and Parquet have the same columns. `NAME.codebook.json` and `NAME.codebook.md` beside "
        "the table describe them, with the rules and the plan of the run.",
        _columns(COLUMNS),
        "### Colors of concepts",
        "A run of concepts has a second table, `NAME-colors.csv` or `NAME-colors.parquet`.",
        _columns(COLOR_COLUMNS),
        "### Causes",
        table(("cause", "meaning"), [(code(name), cell(text)) for name, text in CAUSES.items()]),
        "## Exported studies",
        "`all.zip` has every table as CSV, the codebook, and the study itself.",
    ]
    for studied, kinds in _study_tables():
        which = "" if len(kinds) == len(Kind) else f" Only of: {', '.join(map(code, kinds))}."
        parts += [
            f"### Table {code(studied.name)}",
            f"{cell(studied.title)}. One row is {cell(studied.row)}.{which}",
        ]
        parts.append(_columns(studied.columns))
    return [
        *parts,
        "## Backups",
        "A backup is a ZIP of stored files. Its last entry, `manifest.jsonl`, has the name, size, "
        "SHA-256 and time of every file; the SHA-256 of all bytes follows. Not in it are "
        f"{temporary}, locks, and names that begin with a dot.",
    ]


def _run_plan() -> str:
    """The fields of the plan of a run of the renderer."""
    plan = RunPlan(
        "a run",
        "mini",
        (prompt_set("mini").prompts()[0],),
        RENDERER,
        rules=((DEFAULT_RULE, "1.0"),),
    )
    with tempfile.TemporaryDirectory() as folder:
        return ", ".join(map(code, RunFolder.create(Path(folder), plan).summary()))


def _study_tables() -> Iterable[tuple[Any, list[str]]]:
    """Every table of an export, and the kinds of studies that have it."""
    kinds: dict[str, list[str]] = {}
    result: dict[str, Any] = {}
    for kind in Kind:
        for study_table in tables_of(kind):
            result[study_table.name] = study_table
            kinds.setdefault(study_table.name, []).append(kind.value)
    return [(item, kinds[name]) for name, item in result.items()]


def _columns(columns: Sequence[Column]) -> str:
    rows = []
    bins = [column.name for column in columns if column.name.startswith("#")]
    for column in columns:
        if column.name in bins:
            continue
        about = ", ".join(filter(None, (column.unit, *map(code, column.allowed))))
        kind = column.kind if column.always else f"{column.kind}, may be empty"
        rows.append(
            (
                code(column.name),
                kind,
                about if column.allowed else cell(about),
                cell(column.meaning),
            )
        )
    if bins:
        about = f"{code(bins[0])} to {code(bins[-1])}"
        message = f"Share of each of the {len(bins)} bins of UW-71, by the hex code of the bin."
        rows.append((about, "number, may be empty", "0 to 1", message))
    return table(("column", "type", "unit, range or values", "meaning"), rows)


def _schema(arrow: Any) -> str:
    return table(("column", "type"), [(code(name), kind) for name, kind in _arrow_rows("", arrow)])


def _arrow_rows(above: str, entries: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Every column, and below a list of records its fields."""
    import pyarrow as pa

    for entry in entries:
        name, kind = f"{above}{entry.name}", entry.type
        if pa.types.is_list(kind) and not pa.types.is_struct(kind.value_type):
            yield name, f"list of {code(str(kind.value_type))}"
        elif pa.types.is_list(kind):
            yield name, "list of records"
            yield from _arrow_rows(f"{name}.", _fields_of(kind.value_type))
        elif pa.types.is_struct(kind):
            yield name, "record"
            yield from _arrow_rows(f"{name}.", _fields_of(kind))
        else:
            yield name, code(str(kind))


def _fields_of(struct: Any) -> Iterator[Any]:
    return (struct.field(index) for index in range(struct.num_fields))
