"""Two processes train a small CFM with spread weights, and the same with equal copies: each process
runs this file, in a folder with a base and groups, and asserts; see ``test_fsdp.py``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from tests.core.fidelity.test_training import READING, SHORT
from truehue.core.fidelity.groups import read_groups
from truehue.core.fidelity.training.model import export, open_trainee, whole
from truehue.core.fidelity.training.training import Training

SETTINGS = replace(SHORT, batch=4, frozen_embeddings=True, checkpointing=True)


def made(root: Path, fsdp: bool) -> Training:
    groups, held = (read_groups(root / name / f"{name}.json") for name in ("train", "held"))
    trainee = open_trainee(root / "base", READING, SETTINGS)
    return Training(trainee, SETTINGS, groups, held, fsdp=fsdp)


def gradients(training: Training) -> dict[str, Any]:
    """After one step: what AdamW kept of them, 0.1 of each."""
    state = training.optimizer.state
    return {
        name.removeprefix("module."): whole(state[tensor]["exp_avg"])
        for name, tensor in training._trained.items()
    }


def main(root: Path) -> None:
    torch.set_num_threads(1)
    copies, spread = made(root, fsdp=False), made(root, fsdp=True)
    first = spread.accelerator.is_main_process
    parts = [tensor for tensor in spread._trained.values() if tensor.shape[0] > 1]
    assert parts
    assert all(tensor.to_local().shape[0] < tensor.shape[0] for tensor in parts)
    # Three groups on two processes: one makes a pass for the other.
    before = spread.held_scores()
    torch.testing.assert_close(before, copies.held_scores(), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(spread.one_step(), copies.one_step(), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(gradients(spread), gradients(copies), rtol=1e-3, atol=1e-6)
    spread.save(root / "run")
    spread.accelerator.wait_for_everyone()
    resumed = made(root, fsdp=True)
    resumed.load(root / "run")
    while spread.step < SETTINGS.steps:
        assert spread.one_step() == resumed.one_step()
    for name, tensor in spread._trained.items():
        assert torch.equal(whole(tensor), whole(resumed._trained[name])), name
    assert spread.held_scores() == resumed.held_scores() != before
    export(resumed.trainee, root / "cfm", first)
    scores = resumed.held_scores()
    if first:
        (root / "scores.txt").write_text(repr(scores))
    for training in (copies, spread, resumed):
        training.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
