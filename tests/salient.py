"""The weights of networks that OpenCV runs, for tests that run them: they are no part of the project,
and other tests do without them (``tests/conftest.py``)."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import pytest

from truehue.core.generation.weights.carried import COCO_SSD, U2NETP
from truehue.core.generation.weights.sources import VARIABLE, Sources


def weights() -> Path | None:
    """The file on this machine; None where it is not installed."""
    with mock.patch.dict(os.environ):
        os.environ.pop(U2NETP.variable, None)
        return U2NETP.find(Sources.local())


needs_weights = pytest.mark.skipif(
    weights() is None,
    reason=f"needs {U2NETP.file}: python -m truehue masks download {U2NETP.id}",
)


def link_weights(folder: Path) -> Path:
    """The models folder ``folder``, with the file in it."""
    path = weights()
    assert path is not None
    folder.mkdir(parents=True, exist_ok=True)
    (folder / U2NETP.file).symlink_to(path)
    return folder


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models folder with the network, which all finds; skips without it."""
    if weights() is None:
        pytest.skip(f"needs {U2NETP.file}")
    monkeypatch.setenv(VARIABLE, str(link_weights(tmp_path / "salient-models")))
    return tmp_path / "salient-models"


def detector() -> Path | None:
    """The folder of COCO SSD on this machine; None where it is not installed."""
    with mock.patch.dict(os.environ):
        os.environ.pop(COCO_SSD.variable, None)
        path = COCO_SSD.find(Sources())
    return path and path.parent


needs_detector = pytest.mark.skipif(
    detector() is None, reason="needs COCO SSD: python -m truehue masks download coco-ssd"
)
