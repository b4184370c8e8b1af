"""Checkpoints and lines of trainings where the disk takes no more."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from truehue.core.checkpoints import add_line, run_folder, whole_weights, write_checkpoint
from truehue.core.errors import DataFolderError

pytestmark = pytest.mark.slow


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """What a full disk does, by the limit of this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_what_a_full_disk_takes_no_more_is_said_and_what_stood_there_stays(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import save_file

    large = {"a": torch.zeros(100_000)}
    path = tmp_path / "checkpoint.safetensors"
    write_checkpoint(path, {"a": torch.ones(2)}, {"step": "1"})
    before = path.read_bytes()
    log = tmp_path / "losses.jsonl"
    add_line(log, {"step": 1})
    with files_of_at_most(10_000):
        with pytest.raises(DataFolderError, match=r"checkpoint\.safetensors cannot be written"):
            write_checkpoint(path, large, {"step": "2"})
        with (
            pytest.raises(DataFolderError, match="model cannot be written"),
            whole_weights(tmp_path / "model") as half,
        ):
            save_file(large, half / "model.safetensors")
    with files_of_at_most(5), pytest.raises(DataFolderError, match="too large"):
        add_line(log, {"step": 2})
    assert path.read_bytes() == before
    assert {item.name for item in tmp_path.iterdir()} == {path.name, log.name}


def test_a_folder_below_a_file_is_none_for_a_training(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(DataFolderError, match="cannot be made"),
        run_folder(tmp_path / "file" / "x"),
    ):
        pass
