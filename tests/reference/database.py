"""docs/reference/database.md, from the tables of a new database."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

import duckdb

from tests.empty_data import empty_data
from tests.reference.markdown import code, page_of, table
from truehue.storage.database.connection import DATABASE_NAME
from truehue.storage.database.migrations import MIGRATIONS

READER = """\
**For:** everybody who reads the database with a program of their own. **Answers:** which tables
there are, what a row of each is, and which columns it has.

[Storage](../guides/storage.md) explains the data folder and its backups.

The database is `truehue.duckdb` in the data folder. One process owns it at a time, so end TrueHue
or take a backup before you open it elsewhere. Times are UTC without a zone. There are no foreign
keys and no secondary indexes, because DuckDB refuses to change a table that has them."""
TABLES = {
    "account_sessions": "A sign-in that has not ended, by the SHA-256 of the cookie's token.",
    "accounts": "A person who signs in, with their role and the argon2id hash of the password.",
    "coloring_layers": "A coloring of a study as the server rendered it, by the event of the "
    "answer. The PNG lies below `data/colorings`; a missing one is rendered again from the events.",
    "coloring_marks": "A statement of a reviewer or researcher about a coloring of a study. Rows "
    "are added, never changed.",
    "colorings": "A coloring that somebody saved: the sketch and the log of actions.",
    "concept_cells": "The colors that were extracted for a concept, by run, prompt, guidance scale "
    "and method.",
    "distribution_rows": "One distribution of an imported file, as it was given.",
    "distribution_sets": "An imported file of distributions, by the SHA-256 of its content.",
    "drawings": "An attempt to generate an image for a prompt, or an imported image. It has the "
    "prompt, model, seed, guidance, steps, size and options, and the image or the reason why there "
    "is none. `asked` has the keys of the verdicts that answer each expectation of the prompt.",
    "evaluation_answers": "The latest answer of a model to a question of a set, word for word.",
    "evaluation_readings": "An answer as one version of the parser reads it, with the outcome, and "
    "the reason where nothing was read.",
    "evaluations": "An evaluation of a model on a question set, as a number, with the version of "
    "the parser that it started with.",
    "evidence": "A question and its verdict. Rows are added, never overwritten. The id is the "
    "SHA-256 of the image, mask, object, target color, rule, version and parameters.",
    "hugging_face_accounts": "Who signs in with which account of Hugging Face.",
    "images": "An image as measured, by the SHA-256 of its pixels. It has its name, its source, "
    "notes on conversions, and the request that it was generated from.",
    "jobs": "Long work, such as an import or an export: who began it, its progress, and its result "
    "or problem. A start of TrueHue leaves the latest 500.",
    "known_colors": "A color as a number, for the `run_` tables.",
    "known_concepts": "The concept of a prompt, as a number.",
    "known_names": "A text as a number, for the `run_` tables.",
    "known_prompts": "A prompt as a number, for the `run_` tables.",
    "known_targets": "An object of a prompt as a number, for the `run_` tables.",
    "losses": "Confirmed writes that were missing at a start.",
    "losses_read": "A loss that somebody has read.",
    "makers": "Who brought a resource, such as an image, a set or a selection. The person who "
    "brought it alone may change it; a resource without a row belongs to the owner.",
    "masks": "A mask of one image, with its maker and the input that makes it again. The id is the "
    "SHA-256 of image, pixels, maker and parameters.",
    "object_colors": "The color of an object without a target color, as measured inside a mask: CIELAB, "
    "D65 and 2 degrees.",
    "picture_profiles": "The colors of an image inside a mask, measured once.",
    "picture_set_images": "An image of an image set.",
    "picture_sets": "Images of one concept that belong together, by the SHA-256 of the content.",
    "prompt_set_views": "A version of whether a prompt set is shown.",
    "prompt_sets": "An imported file of prompts, by its name and content.",
    "prompts": "A line of an imported file of prompts.",
    "run_attempts": "An earlier attempt at an image of a run.",
    "run_items": "An image of a run by its latest attempt.",
    "run_masks": "A mask of an image of a run.",
    "run_numbers": "A run, as a number.",
    "run_profiles": "The colors of an object in an image of a run.",
    "run_prompts": "A prompt of a run.",
    "run_shards": "A shard of a run that was imported.",
    "run_unmeasured": "Why the colors of an object in an image of a run could not be measured.",
    "run_verdicts": "The verdict of one rule on one object of one image of a run. The row names "
    "prompt and target by number.",
    "run_views": "Whether a run is shown.",
    "schema_migrations": "A step of the database's history.",
    "scores": "The value of one measure, in one version and with its parameters, for an image. "
    "Rows are added. The latest row of each scorer counts, and the mean of several scorers.",
    "selected_masks": "The mask that is selected on an image, by its last selection in Inspect or Compare; "
    "none where the selection was cleared.",
    "selections": "A version of a saved selection of prompts. Removing it adds a version too.",
    "set_views": "A version of the name of a set, and of whether it is shown.",
    "sketch_uses": "That a sketch is used for a concept; the latest row of the concept counts.",
    "sketches": "A line drawing that was prepared for coloring. The ink is a PNG below "
    "`data/sketches`, beside its regions. The id is the SHA-256 of the ink, its size and the "
    "version that made its regions.",
    "studies": "A study with participants.",
    "study_decisions": "A researcher's decision to exclude or include a participant, with the "
    "reason.",
    "study_erasures": "That a participant of that number was erased.",
    "study_events": "An action of a participant, such as consent, an answer, an undo or a pause. "
    "Rows are added, never changed; the id was made by the participant's page.",
    "study_invitations": "A link into a study, with the SHA-256 of its token only.",
    "study_participants": "One person in one study.",
    "study_plans": "A version of the plan of a study.",
    "study_publications": "The public page of a study's results, with the token of its link; "
    "a row that is not revoked is the page. The link opens nothing else.",
    "study_rules": "A version of the exclusion rule of a study.",
    "study_sets": "That a set of distributions was made from the answers of a participant. The set "
    "is deleted when the participant is erased.",
    "study_states": "A change of the state of a study, with the reason.",
    "study_trials": "A trial as a participant saw it: stimulus, order of the models, purpose, and "
    "the probability of the choice.",
    "verdict_judgments": "A person's answer to a verdict, with the reason and what every rule said "
    "then. Rows are added; the latest answer of each person to a question counts.",
    "write_count": "How many writes were confirmed, in one row.",
}
"""What a row of each table is. A migration that adds a table adds its line here."""
NOTES = """\
## Fields that hold JSON

**`evidence.expectation`** is the object's name in lower case, a line feed, and the hex code of the
expected color. Where the object must not have that color, a line feed and `differs` follow.
`core/verdict/expectations.py` alone makes these keys.

**`evidence.numbers`** holds the numbers of the verdict, as `truehue measure --json` prints them.

| field | meaning |
|---|---|
| `lab`, `target_lab` | measured and target color in CIELAB (D65, 2°) |
| `delta_e00`, `delta_chroma`, `hue_deg` | the differences, the last one in degrees |
| `metrics` | each metric's value, threshold, outcome, and the color it was compared with |
| `candidates` | the accepted colors, the target first; of over 32 only those of the metrics |
| `accepted_count`, `accepted` | how many colors were accepted, and how they were chosen |
| `offset` | measured minus accepted color in lightness, chroma and hue |
| `dominant` | axis, explained variation, pixels given and used, and steps |
| `found_hex`, `found_hue_deg`, `mask_px` | the measured color, its hue, and the area of the mask |
| `light` | by `truehue`: the light, as factor of full light, haze and cost, and the target in it |
| `rival` | by `truehue`: the named color that explains the image better, if there is one |
| `confidence_percent` | by `truehue`: 50 to 100 |
| `step` | the step that decided: presence, detection, mask or color |
| `notes` | remarks of the rule |

**`evidence.target`** has the `relation` `differs` where the object must not have the color.

**`evidence.parameters`** has `presence`, `ended` or `broke` where nothing was measured.

**`drawings.asked`** has, for each expectation of the prompt, the keys of the verdicts that answer
it: the key of the expectation itself, and the key without an object's name. A verdict that names no
object is about all of its color.

**`scores.numbers`** holds the numbers that the value was computed from. A score belongs to the
pixels: it stays when the image is deleted, and counts again where the same pixels come back.

## Evidence and runs

Verdicts from Generate and Inspect are in `evidence`. Results of runs are in the `run_` tables: an
index of the shards in `data/runs`, which can be built again from them. The two are not counted
together, because a ranking of whatever somebody happened to try would mean nothing.

## Evaluations

Answers of models to questions are in the `evaluation` tables: an index of the folders in
`data/askings`, which can be built again from them. One query compares any number of models:

```sql
SELECT model, evaluation_id, task, avg((outcome = 'right')::INTEGER) AS accuracy
FROM evaluations JOIN evaluation_readings USING (evaluation_no, parser)
    JOIN evaluation_answers USING (evaluation_no, position)
GROUP BY ALL ORDER BY task, accuracy DESC
```"""


def database_page() -> str:
    """The text of the page."""
    with tempfile.TemporaryDirectory() as folder:
        data = empty_data(Path(folder) / "data")
        with duckdb.connect(str(data / DATABASE_NAME), read_only=True) as connection:
            rows = connection.execute(
                "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() "
                "WHERE NOT internal ORDER BY table_name, column_index"
            ).fetchall()
            keys = connection.execute(
                "SELECT table_name, constraint_column_names FROM duckdb_constraints() "
                "WHERE constraint_type = 'PRIMARY KEY'"
            ).fetchall()
    columns = defaultdict(list)
    for name, column, kind, nullable in rows:
        columns[name].append((code(column), code(kind), "yes" if nullable else "no"))
    key_of = {name: ", ".join(map(code, names)) for name, names in keys}
    assert set(columns) == set(TABLES), sorted(set(columns) ^ set(TABLES))
    parts = [NOTES, f"## Tables\n\nThe database is at step {MIGRATIONS[-1].number}."]
    for name, cells in columns.items():
        key = f" Primary key: {key_of[name]}." if name in key_of else ""
        parts += [
            f"### {name}",
            TABLES[name] + key,
            table(("column", "type", "may be empty"), cells),
        ]
    return page_of("Database", READER, parts)
