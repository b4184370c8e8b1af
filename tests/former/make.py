"""Makes a data folder and a run with the code of an earlier commit, which its tests open today.

In a checkout of that commit, with its own environment::

    git worktree add ../former 6606366
    cd ../former && PYTHONPATH=. python PATH/OF/tests/former/make.py OUT.zip

The zip holds the folder as that commit left it, and ``rows.json``: every row of every table as it
read them itself.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path

import duckdb
import numpy as np


def fill(data: Path) -> None:
    """A data folder with something of everything: images, masks, verdicts, attempts to draw,
    prompts, distributions, and a run that is done."""
    from core.pipeline import measure
    from core.runs.execute import Crew, execute
    from tabs.context import Context
    from tabs.inspect_judge import evidence_record

    from core.color.systems import parse_target
    from core.concepts.reading import read_distributions
    from core.generation.renderer import RenderRequest, render
    from core.runs.folder import RunFolder
    from storage import Storage
    from tests.core.runs.samples import small_plan, some_prompts
    from tests.storage.samples import drawing, prompts

    rendering = render(RenderRequest("mug", (232, 59, 27), light="studio", seed=3, size_px=64))
    with Storage.open(data) as storage:
        image = storage.images.add(
            rendering.srgb8, "mug.png", "render", ("drawn",), {"object_name": "mug", "seed": 3}
        )
        mask = storage.masks.add(image.image_id, rendering.mask)
        for rule in ("paper", "released", "truehue"):
            measured = measure(
                rendering.srgb8,
                rendering.mask.pixels,
                parse_target("l3:vivid reddish orange"),
                rule,
                object_name="mug",
            )
            storage.evidence.add(evidence_record(measured, image.image_id, mask.mask_id))
        storage.drawings.add(drawing(image.image_id))
        storage.drawings.add(drawing())
        storage.prompt_sets.add("mine.csv", prompts(3), "csv", "mine.csv", "ab" * 32)
        storage.selections.save("Reds", [("mine", "cna_l3-1"), ("mine", "cna_l3-2")])
        shares = ",".join(["0.5", "0.5", *["0"] * 69])
        header = ",".join(["concept", *(str(n) for n in range(71))])
        read = read_distributions("people.csv", f"{header}\nmango,{shares}\n".encode())
        storage.distributions.add(read, "People", "people.csv", "made up", True)
        storage.picture_sets.add("Mangos", "mango", [(image.image_id, mask.mask_id, "me")], True)
        storage.image_profiles.of(image.image_id, mask.mask_id)
        folder = RunFolder.create(data / "runs", small_plan(some_prompts(4), name="Four"))
        execute(folder, Crew(workers=1))
        context = Context(storage, "data")
        context.keeper.take_in()
        context.close()


def rows_of(database: Path) -> dict[str, list[list[str]]]:
    """Every row of every table as text, by table: its columns first, the rows sorted."""
    out = {}
    with duckdb.connect(str(database), read_only=True) as connection:
        names = connection.execute(
            "SELECT table_name FROM information_schema.tables ORDER BY ALL"
        ).fetchall()
        for (name,) in names:
            batch_state = connection.execute(f"SELECT * FROM {name}")
            columns = [column[0] for column in batch_state.description]
            out[name] = [
                columns,
                *sorted([str(value) for value in row] for row in batch_state.fetchall()),
            ]
    return out


def main(out: Path) -> None:
    np.random.default_rng(0)
    with tempfile.TemporaryDirectory(dir="/", prefix="truehue-") as folder:
        data = Path(folder) / "data"
        fill(data)
        (data / "rows.json").write_text(json.dumps(rows_of(data / "truehue.duckdb")))
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for file in sorted(data.rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(data))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
