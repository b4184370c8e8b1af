"""What was acknowledged survives a process that is killed, and is there whole or not at all."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from truehue.storage import Storage

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]
ROUNDS = 8
"""Acknowledged before each of two kills."""
# A round acknowledges single rows first, then rows that belong together.
ADD_FOREVER = """
import itertools, sys
from truehue.storage import Storage
from tests.storage.samples import brushed, drawing, picture, prompts, verdict
storage = Storage.open(sys.argv[1])
for n in itertools.count(int(sys.argv[2])):
    image = storage.images.add(picture(n), str(n), "upload")
    mask = storage.masks.add(image.image_id, brushed())
    evidence = storage.evidence.add(verdict(image.image_id, mask.mask_id))
    print("row", image.image_id, mask.mask_id, evidence.evidence_id, flush=True)
    one = storage.drawings.add(drawing(image.image_id))
    many = storage.drawings.add_many([drawing(job_id=str(n)) for _ in range(40)])
    added = storage.prompt_sets.add(str(n), prompts(100, str(n)), "csv")
    saved = storage.selections.save("basket", [(added.set_id, "cna_l3-1")])
    print("set", one.drawing_id, added.set_id, saved.version, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_every_acknowledged_row_and_set_is_there_after_a_kill(data_dir: Path) -> None:
    acknowledged: list[list[str]] = []
    for turn in range(2):
        child = subprocess.Popen(
            [sys.executable, "-c", ADD_FOREVER, str(data_dir), str(1000 * turn)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        with child:
            assert child.stdout is not None
            # The first kill is after a set, the second after a row, while a set is stored.
            lines = 2 * ROUNDS + turn
            acknowledged += [child.stdout.readline().split() for _ in range(lines)]
            child.kill()
            # Lines that were on their way when the child died count too, if they are whole.
            rest = child.stdout.read()
            acknowledged += [line.split() for line in rest.split("\n")[:-1]]
        assert child.returncode == -signal.SIGKILL

    with Storage.open(data_dir) as storage:
        for kind, *ids in acknowledged:
            if kind == "row":
                image_id, mask_id, evidence_id = ids
                evidence = storage.evidence.get(evidence_id)
                assert (evidence.image_id, evidence.mask_id) == (image_id, mask_id)
                assert storage.masks.pixels(mask_id).shape == (5, 7)
                assert storage.images.srgb8(image_id).dtype == np.uint8
            else:
                drawing_id, set_id, version = ids
                assert storage.drawings.get(drawing_id).image_id is not None
                assert len(storage.prompt_sets.prompts(set_id)) == 100
                assert storage.selections.get("basket").version >= int(version)
        # Of rows that are stored together, all are there or none.
        batches = storage._database.rows(
            "SELECT DISTINCT count(*) FROM drawings WHERE image_id IS NULL GROUP BY job_id"
        )
        assert batches == [(40,)]
        assert storage.check() == []
        assert [kind for kind, *_ in acknowledged].count("row") >= 2 * ROUNDS
        assert [kind for kind, *_ in acknowledged].count("set") >= 2 * ROUNDS
