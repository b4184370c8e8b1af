"""Training with weights spread over processes: two real ones, by gloo on the CPU."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.core.fidelity import spread
from tests.core.fidelity.test_training import HERE, READING, SHORT
from tests.core.fidelity.vivid_groups import vivid_groups
from tests.running import ROOT
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.scorer import open_cfm
from truehue.core.fidelity.groups import write_groups
from truehue.core.fidelity.training.model import open_trainee, write_small_base
from truehue.core.fidelity.training.training import Training
from truehue.core.images.load import load_image


@pytest.mark.nightly
@pytest.mark.process
def test_spread_weights_learn_as_equal_copies_do_and_resume_the_same(tmp_path: Path) -> None:
    write_small_base(tmp_path / "base")
    for seed, (name, count) in enumerate((("train", 6), ("held", 3))):
        (tmp_path / name).mkdir()
        groups = vivid_groups(tmp_path / name, count, seed=seed)
        write_groups(tmp_path / name / f"{name}.json", groups)
    line = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [*line, str(spread.__file__), str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    # The export is whole: it scores as the network did that was spread.
    scorer = open_cfm(tmp_path / "cfm", None, HERE)
    scores = [
        [score.logit for score in scorer.scores(images, [group.caption] * len(images))]
        for group in groups
        for images in [[load_image(path).srgb8 for path in group.files]]
    ]
    wanted = ast.literal_eval((tmp_path / "scores.txt").read_text())
    assert np.allclose(scores, wanted, atol=1e-4)


@pytest.mark.slow
def test_one_process_has_nothing_to_spread(tmp_path: Path) -> None:
    write_small_base(tmp_path / "base")
    groups = vivid_groups(tmp_path, 2)
    with pytest.raises(BadInput, match="start several with accelerate launch"):
        Training(open_trainee(tmp_path / "base", READING, SHORT), SHORT, groups, fsdp=True)
