"""Files that a browser sends: what counts is what lies there, and what nobody uses goes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from truehue.core.errors import BadInput
from truehue.tabs.page.staging import IDLE_S, Staging

ANN, BEN = "a" * 32, "b" * 32
FULL = "wait here"


@pytest.fixture
def staging(tmp_path: Path) -> Staging:
    return Staging(tmp_path / "incoming", max_bytes=100)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sent"
    path.write_bytes(b"x" * 60)
    return path


def age(staging: Staging, session: str) -> None:
    """Nobody has used it for a little more than an hour."""
    staging._sessions[session].used_at -= IDLE_S + 1


def test_a_file_that_is_sent_again_counts_once(
    staging: Staging, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.tabs.page.staging.MAX_STAGED_FILES", 1)
    for path in ("a/b.png", "./a//b.png"):
        staging.take(ANN, path, file)
    with pytest.raises(BadInput, match=FULL):
        staging.take(BEN, "b.png", file)
    file.write_bytes(b"x" * 30)
    staging.take(ANN, "a/b.png", file)
    staging.take(BEN, "b.png", file)
    with pytest.raises(BadInput, match=FULL):
        staging.take(BEN, "c.png", file)


def test_a_copy_that_fails_counts_for_nothing(
    staging: Staging, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(source: Path, target: Path) -> None:
        target.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", half)
        with pytest.raises(OSError, match="No space"):
            staging.take(ANN, "a.png", file)
    assert not list(staging.folder(ANN).iterdir())
    staging.take(ANN, "b", file)
    file.write_bytes(b"x" * 40)
    for _ in range(2):
        with pytest.raises(BadInput, match="a folder at once"):
            staging.take(ANN, "b/c.png", file)
    staging.take(ANN, "d.png", file)


def test_what_nobody_uses_makes_room(staging: Staging, file: Path) -> None:
    staging.take(ANN, "a.png", file)
    with pytest.raises(BadInput, match=FULL):
        staging.take(BEN, "b.png", file)
    age(staging, ANN)
    with staging.in_use(ANN), pytest.raises(BadInput, match=FULL):
        staging.take(BEN, "b.png", file)
    age(staging, ANN)
    staging.folder(ANN)  # somebody looks at it
    with pytest.raises(BadInput, match=FULL):
        staging.take(BEN, "b.png", file)
    age(staging, ANN)
    staging.take(BEN, "b.png", file)
    assert not staging.folder(ANN).exists()
    assert staging.folder(BEN).is_dir()


def test_what_is_cleared_makes_room(staging: Staging, file: Path) -> None:
    staging.take(ANN, "a.png", file)
    staging.clear(ANN)
    staging.take(BEN, "b.png", file)
    assert not staging.folder(ANN).exists()
