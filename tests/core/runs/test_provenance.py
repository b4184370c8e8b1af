"""A run goes on with the weights that it began with, and with no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from truehue.core.errors import BadInput
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.generation.weights.sources import Sources
from truehue.core.runs.provenance import FILE, OtherWeights, of_generator, pin

NOWHERE = Sources(None, Path("/nowhere"))


def weights(folder: Path, text: str = "first") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model_index.json").write_text("{}")
    (folder / "weights.safetensors").write_text(text)
    return folder


def of(folder: Path) -> dict[str, object]:
    return of_generator(f"folder:{folder}", NOWHERE, {})


def test_the_same_files_are_the_same_wherever_they_lie(tmp_path: Path) -> None:
    run, first = tmp_path / "run", weights(tmp_path / "first")
    run.mkdir()
    pin(run, "model", of(first))
    noted = (run / FILE).read_bytes()
    pin(run, "model", of(Path(shutil.copytree(first, tmp_path / "moved"))))
    assert (run / FILE).read_bytes() == noted
    # Another role is noted beside it.
    pin(run, "detector", of(weights(tmp_path / "detector", "other")))
    pin(run, "model", of(first))


def test_other_files_are_refused_and_both_are_named(tmp_path: Path) -> None:
    run, folder = tmp_path / "run", weights(tmp_path / "folder")
    run.mkdir()
    pin(run, "model", of(folder))
    weights(folder, "trained further")
    with pytest.raises(
        OtherWeights, match=r"another model: a folder, sha256:.*Here it is a folder"
    ):
        pin(run, "model", of(folder))
    weights(folder)
    pin(run, "model", of(folder))


def test_a_commit_of_the_hub_is_enough(tmp_path: Path) -> None:
    local = {"repo": "a/b", "revision": "1" * 40, "fingerprint": "sha256:x"}
    pin(tmp_path, "model", local)
    pin(tmp_path, "model", {**local, "fingerprint": "sha256:y"})
    pin(tmp_path, "model", {**local, "revision": ""})
    with pytest.raises(OtherWeights, match=r"1111, sha256:x\. Here it is a/b, 2222"):
        pin(tmp_path, "model", {**local, "revision": "2" * 40, "fingerprint": "sha256:y"})
    with pytest.raises(OtherWeights, match="on a/c"):
        pin(tmp_path, "model", {**local, "base": {"repo": "a/c", "revision": "3"}})


def test_a_server_is_known_by_what_it_is_asked_for(tmp_path: Path) -> None:
    def served(**changed: object) -> dict[str, object]:
        values = {"base_url": "http://127.0.0.1:1/v1", "model": "m", **changed}
        end = Endpoint("one", **values)  # type: ignore[arg-type]
        return of_generator("served:one", NOWHERE, {"one": end})

    pin(tmp_path, "model", served())
    pin(tmp_path, "model", served(base_url="http://127.0.0.1:2/v1"))
    for changed in ({"model": "n"}, {"width": 512}, {"fields": {"seed": "seed"}}):
        with pytest.raises(OtherWeights, match=r"another model: http://127\.0\.0\.1:1/v1"):
            pin(tmp_path, "model", served(**changed))


def test_the_renderer_has_no_weights_and_a_damaged_note_is_named(tmp_path: Path) -> None:
    pin(tmp_path, "model", of_generator("reference-renderer", NOWHERE, {}))
    assert not (tmp_path / FILE).exists()
    (tmp_path / FILE).write_text("{")
    with pytest.raises(BadInput, match=r"weights\.json cannot be read"):
        pin(tmp_path, "model", {"revision": "1"})
