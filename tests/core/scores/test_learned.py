"""Learned measures: tiny weights of the real classes, and what is said where something is missing."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar
from weakref import WeakSet

import numpy as np
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError
from PIL import Image

from tests.tiny_models import vocabularies
from truehue.core.cli import fidelity_scoring
from truehue.core.cli.fidelity_scoring import Item, ScoreFile, ready_metrics
from truehue.core.errors import BadInput
from truehue.core.generation.memory import ModelMissing
from truehue.core.generation.weights.sources import Sources
from truehue.core.packages import absent
from truehue.core.scores.learned import (
    BY_ID,
    CLIP_B32,
    CLIP_H14,
    LEARNED,
    PICKSCORE,
    Opened,
    digest_of,
    open_learned,
)
from truehue.core.scores.measures import measure_of

pytestmark = pytest.mark.weights


def save_clip(folder: Path, seed: int = 0) -> Path:
    """A tiny CLIP with its tokenizer and image processor, as the hub lays it out."""
    import torch
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPProcessor

    torch.manual_seed(seed)
    tokenizer = vocabularies.clip()
    text = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1}
    text |= {"num_attention_heads": 2, "vocab_size": len(tokenizer), "projection_dim": 8}
    text |= {"eos_token_id": tokenizer.eos_token_id, "bos_token_id": tokenizer.bos_token_id}
    vision = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1}
    vision |= {"num_attention_heads": 2, "image_size": 32, "patch_size": 16, "projection_dim": 8}
    config = CLIPConfig(text_config=text, vision_config=vision, projection_dim=8)
    CLIPModel(config).save_pretrained(folder)
    images = CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    CLIPProcessor(images, tokenizer).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    folder = tmp_path_factory.mktemp("weights")
    for seed, repo in enumerate((CLIP_B32, PICKSCORE, CLIP_H14)):
        save_clip(folder / repo.replace("/", "--"), seed)
    return Sources(folder, None)


def test_clip_measures_are_the_cosine_of_image_and_prompt(sources: Sources) -> None:
    import torch
    from transformers import CLIPModel, CLIPProcessor

    image = np.random.default_rng(0).integers(0, 256, (40, 60, 3), np.uint8)
    for measure_id, repo, text in (
        ("clip_score", CLIP_B32, "A photo depicts a red mug"),
        ("pick_score", PICKSCORE, "a red mug"),
    ):
        assert sources.models_folder is not None
        folder = sources.models_folder / repo.replace("/", "--")
        measure, opened = open_learned(measure_id, sources, "cpu")
        model = CLIPModel.from_pretrained(folder).eval()
        prepared = CLIPProcessor.from_pretrained(folder)(
            text=[text], images=Image.fromarray(image), return_tensors="pt"
        )
        with torch.no_grad():
            output = model(**prepared)
        cosine = torch.nn.functional.cosine_similarity(output.image_embeds, output.text_embeds)
        wanted = 100 * max(float(cosine), 0)
        if measure_id == "pick_score":
            wanted = float(cosine * model.logit_scale.detach().exp())
        assert opened.score(image, "a red mug") == pytest.approx(wanted, abs=1e-4)
        assert measure.version == opened.fingerprint[:12]
        assert len(measure.version) == 12
        assert opened.score(image, "a red mug") == opened.score(image, "a red mug")


def test_what_is_missing_says_how_to_get_it_and_its_license(tmp_path: Path) -> None:
    nowhere = Sources(tmp_path, tmp_path)
    with pytest.raises(ModelMissing, match=r"hf download openai/clip.*License: MIT"):
        open_learned("clip_score", nowhere, "cpu")
    for learned in LEARNED:
        module = {"image-reward": "ImageReward"}.get(learned.package, learned.package)
        if learned.package and absent([module]):
            with pytest.raises(BadInput, match=rf"pip install .*{learned.package}"):
                open_learned(learned.id, nowhere, "cpu")
            not_run = learned.id in {"image_reward", "hpsv3", "maniqa"}
            tested = "by reading its package; not run" if not_run else "once by hand with random"
            assert f"Tested {tested}" in learned.measure().source
        assert measure_of(learned.id).name == learned.name
    (tmp_path / CLIP_B32.replace("/", "--")).mkdir()
    with pytest.raises(BadInput, match="holds no CLIP"):
        open_learned("clip_score", nowhere, "cpu")


def test_weights_are_named_by_their_numbers() -> None:
    import torch

    layer = torch.nn.Linear(2, 2)
    before = digest_of(layer)
    assert before == digest_of(layer)
    with torch.no_grad():
        layer.weight[0, 0] += 1
    assert digest_of(layer) != before


def test_pyiqa_downloads_nothing_and_is_named_by_the_clip_that_it_hides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stand-ins of pyiqa's modules: CLIP-IQA gets OpenAI's file by a loader of its own, and holds
    that CLIP in a list, beside its weights."""
    import torch

    content = b"a CLIP"
    url = f"https://example.org/clip/{sha256(content).hexdigest()}/RN50.pt"

    class Metric(torch.nn.Module):
        def __init__(self, seed: int) -> None:
            super().__init__()
            torch.manual_seed(seed)
            self.clip_model = [torch.nn.Linear(2, 2)]

    def create_metric(name: str, device: torch.device) -> SimpleNamespace:
        assert modules["pyiqa.archs.clip_model"]._download(url, str(tmp_path))
        return SimpleNamespace(net=Metric(len(list(tmp_path.iterdir()))))

    def download(*values: object) -> None:
        raise AssertionError("it downloads")

    modules = {
        "pyiqa": SimpleNamespace(create_metric=create_metric),
        "pyiqa.utils.download_util": SimpleNamespace(download_url_to_file=download),
        "pyiqa.archs.clip_model": SimpleNamespace(_download=download),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)  # type: ignore[arg-type]
    nowhere = Sources(tmp_path, tmp_path)
    with pytest.raises(ModelMissing, match=rf"{url} of CLIP-IQA are not on this machine"):
        open_learned("clip_iqa", nowhere, "cpu")
    (tmp_path / "RN50.pt").write_bytes(b"half of")
    with pytest.raises(ModelMissing, match="not on this machine"):
        open_learned("clip_iqa", nowhere, "cpu")
    (tmp_path / "RN50.pt").write_bytes(content)
    first = open_learned("clip_iqa", nowhere, "cpu")[1].fingerprint
    assert first == open_learned("clip_iqa", nowhere, "cpu")[1].fingerprint
    (tmp_path / "other").touch()  # another CLIP
    assert open_learned("clip_iqa", nowhere, "cpu")[1].fingerprint != first
    assert modules["pyiqa.archs.clip_model"]._download is download

    def offline(name: str, device: torch.device) -> SimpleNamespace:
        raise LocalEntryNotFoundError("no such file")

    modules["pyiqa"].create_metric = offline
    with pytest.raises(ModelMissing, match=r"pyiqa.create_metric\('maniqa'\)"):
        open_learned("maniqa", nowhere, "cpu")


def test_liqe_reads_and_writes_no_text_features_of_pyiqa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    (tmp_path / "liqe_text_feat.pt").write_bytes(b"of another CLIP")
    liqe = SimpleNamespace(DEFAULT_CACHE_DIR=str(tmp_path))

    def create_metric(name: str, device: torch.device) -> SimpleNamespace:
        path = Path(liqe.DEFAULT_CACHE_DIR, "liqe_text_feat.pt")
        assert not path.exists()
        path.touch()
        return SimpleNamespace(net=torch.nn.Linear(2, 2))

    modules = {
        "pyiqa": SimpleNamespace(create_metric=create_metric),
        "pyiqa.utils.download_util": SimpleNamespace(download_url_to_file=None),
        "pyiqa.archs.clip_model": SimpleNamespace(_download=None),
        "pyiqa.archs.liqe_arch": liqe,
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)  # type: ignore[arg-type]
    open_learned("liqe", Sources(tmp_path, tmp_path), "cpu")
    assert (tmp_path / "liqe_text_feat.pt").read_bytes() == b"of another CLIP"
    assert str(tmp_path) == liqe.DEFAULT_CACHE_DIR


class Network:
    """Stands for weights in memory: counts who is there at the same time."""

    alive: ClassVar[WeakSet[Network]] = WeakSet()
    most = loads = 0

    def __init__(self, value: float | None) -> None:
        self.value = value
        Network.alive.add(self)
        Network.most = max(Network.most, len(Network.alive))
        Network.loads += 1

    def score(self, srgb8: np.ndarray, prompt: str) -> float:
        if self.value is None:
            raise IndexError("no such layer")
        return self.value + len(prompt)


def test_learned_measures_are_loaded_one_after_the_other_and_failures_have_reasons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = {"musiq": 1}  # loads of it that still work

    def opener(name: str, value: float | None) -> Callable[[Sources, str], Opened]:
        def opened(sources: Sources, device: str) -> Opened:
            left[name] = left.get(name, 9) - 1
            if left[name] < 0:
                raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB.")
            return Opened("0" * 64, Network(value).score)

        return opened

    def broken(sources: Sources, device: str) -> Opened:
        raise KeyError("backbone.weight")

    opens = {
        "clip_score": opener("clip_score", 1.0),
        "pick_score": opener("pick_score", 2.0),
        "hpsv3": broken,
        "clip_iqa": opener("clip_iqa", None),
        "musiq": opener("musiq", 3.0),
    }
    entries = {name: replace(BY_ID[name], open=function) for name, function in opens.items()}
    monkeypatch.setattr("truehue.core.scores.learned.BY_ID", entries)
    monkeypatch.setattr(fidelity_scoring, "BY_ID", entries)
    items = []
    for index in range(2):
        path = tmp_path / f"{index}.png"
        Image.fromarray(np.full((8, 8, 3), 90 + index, np.uint8)).save(path)
        items.append(Item(path, "mug"))
    metrics, missing = ready_metrics(cpu=True, sources=Sources(tmp_path, tmp_path))
    assert missing == {"hpsv3": "HPSv3 could not be loaded: KeyError: 'backbone.weight'."}
    assert not Network.alive
    scores = ScoreFile(tmp_path / "scores.jsonl").scores(metrics, items, lambda done, count: None)
    assert (Network.most, Network.loads) == (1, 4 + 3)
    found = {metric.name: scores[items[1]][metric.key] for metric in metrics if metric.learned}
    reasons = {name: reason for name, (value, reason) in found.items() if math.isnan(value)}
    assert {name: value for name, (value, _) in found.items() if name not in reasons} == {
        "CLIPScore": 4.0,
        "PickScore": 5.0,
    }
    assert reasons == {
        "CLIP-IQA": "CLIP-IQA failed: IndexError: no such layer.",
        "MUSIQ": "MUSIQ could not be loaded: out of memory.",
    }
