"""The weights of the salient-object network, for tests that run it: they are no part of the project,
and other tests do without them (``tests/conftest.py``)."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import pytest

from truehue.core.generation.weights.sources import VARIABLE
from truehue.core.masks import salient


def weights() -> Path | None:
    """The file on this machine; None where it is not installed."""
    with mock.patch.dict(os.environ):
        os.environ.pop(salient.VARIABLE, None)
        return salient.find()


needs_weights = pytest.mark.skipif(
    weights() is None,
    reason=f"needs {salient.FILE}: python -m truehue masks download {salient.WEIGHTS}",
)


def link_weights(folder: Path) -> Path:
    """The models folder ``folder``, with the file in it."""
    path = weights()
    assert path is not None
    folder.mkdir(parents=True, exist_ok=True)
    (folder / salient.FILE).symlink_to(path)
    return folder


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models folder with the network, which all finds; skips without it."""
    if weights() is None:
        pytest.skip(f"needs {salient.FILE}")
    monkeypatch.setenv(VARIABLE, str(link_weights(tmp_path / "salient-models")))
    return tmp_path / "salient-models"
