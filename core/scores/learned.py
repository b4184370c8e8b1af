"""Learned measures of other authors, each with weights of its own license, none of them shipped.

Weights are read from this machine alone. A score's version is the fingerprint of its weights. Where
a package or weights are missing, the error says how to get them.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.backends.decoding import free_memory
from truehue.core.generation.memory import ModelMissing, is_out_of_memory
from truehue.core.generation.weights.sources import Source, Sources
from truehue.core.packages import absent, extra_of
from truehue.core.scores.records import HIGH, Measure

Score = Callable[[np.ndarray, str], float]
"""An image, uint8 sRGB ``(H, W, 3)``, and its prompt to a number."""

_VERSION_DIGITS = 12
CLIP_B32, PICKSCORE, CLIP_H14 = (
    "openai/clip-vit-base-patch32",
    "yuvalkirstain/PickScore_v1",
    "laion/CLIP-ViT-H-14-laion2B-s32B-b79K",
)


@dataclass(frozen=True)
class Opened:
    """A learned measure in memory: its ``fingerprint`` names its weights."""

    fingerprint: str
    score: Score


@dataclass(frozen=True)
class Learned:
    """A learned measure. ``package`` is the Python package that it needs beside transformers
    ("" where none), ``repos`` the hub ids of its weights, ``license`` that of the weights or of the
    package; ``tested`` says what has been run here."""

    id: str
    name: str
    low: float | None
    high: float | None
    decimals: int
    formula: str
    source: str
    license: str
    reads_prompt: bool
    open: Callable[[Sources, str], Opened]
    package: str = ""
    repos: tuple[str, ...] = ()
    tested: str = "with tiny random weights of the real class"

    def measure(self, fingerprint: str = "") -> Measure:
        """As the list of measures has it, of weights with that fingerprint."""
        return Measure(
            self.id,
            fingerprint[:_VERSION_DIGITS] or "not loaded",
            self.name,
            HIGH,
            self.low,
            self.high,
            self.decimals,
            self.formula,
            f"{self.source}. License: {self.license}. Tested {self.tested}",
        )

    @property
    def module(self) -> str:
        """The name that code imports its package by."""
        return {"image-reward": "ImageReward"}.get(self.package, self.package)

    def is_local(self, sources: Sources) -> bool:
        """Whether its package and the weights of the hub are here; of pyiqa's own weights only loading
        tells."""
        if self.package and absent([self.module]):
            return False
        try:
            return all(hub_folder(repo, sources) for repo in self.repos)
        except ModelMissing:
            return False

    @property
    def how_to(self) -> str:
        """How its package and weights are got."""
        extra = extra_of(self.package)
        package = f'"truehue[{extra}]"' if extra else self.package
        steps = [f"pip install {package}"] if package else []
        steps += [f"hf download {repo}" for repo in self.repos]
        return f"To compute {self.name}: {'; '.join(steps)}. License: {self.license}."


def hub_folder(repo: str, sources: Sources) -> Path:
    """The folder of a hub id, in the models' folder or the hub's cache. Raises ModelMissing."""
    if sources.models_folder is not None:
        own = sources.models_folder / repo.replace("/", "--")
        if own.is_dir():
            return own.resolve()
    from huggingface_hub import try_to_load_from_cache

    cached = try_to_load_from_cache(repo, "config.json", cache_dir=sources.hub_cache)
    if isinstance(cached, str):
        return Path(cached).parent
    raise ModelMissing(f"The weights of {repo} are not on this machine. hf download {repo}")


def _clip(folder: Path, processor: Path, device: str) -> Callable[[np.ndarray, str], Any]:
    """The output of a CLIP of one image and one text."""
    import torch
    from PIL import Image
    from transformers import CLIPModel, CLIPProcessor

    try:
        model = CLIPModel.from_pretrained(folder, local_files_only=True, use_safetensors=None)
        prepare = CLIPProcessor.from_pretrained(processor, local_files_only=True)
    except (OSError, ValueError) as error:
        raise BadInput(f"{folder} holds no CLIP that can be read: {error!s:.200}") from None
    model = model.eval().to(device)

    def output(srgb8: np.ndarray, text: str) -> Any:
        inputs = prepare(
            text=[text], images=Image.fromarray(srgb8), return_tensors="pt", truncation=True
        )
        with torch.inference_mode():
            return model(**inputs.to(device))

    return output


def _clip_score(sources: Sources, device: str) -> Opened:
    folder = hub_folder(CLIP_B32, sources)
    output = _clip(folder, folder, device)

    def score(srgb8: np.ndarray, prompt: str) -> float:
        found = output(srgb8, f"A photo depicts {prompt}")
        image, text = found.image_embeds[0], found.text_embeds[0]
        cosine = float((image / image.norm()) @ (text / text.norm()))
        return 100 * max(cosine, 0.0)

    return Opened(Source(folder, CLIP_B32, "").fingerprint(), score)


def _pick_score(sources: Sources, device: str) -> Opened:
    folder = hub_folder(PICKSCORE, sources)
    output = _clip(folder, hub_folder(CLIP_H14, sources), device)

    def score(srgb8: np.ndarray, prompt: str) -> float:
        return float(output(srgb8, prompt).logits_per_image[0, 0])

    return Opened(Source(folder, PICKSCORE, "").fingerprint(), score)


def _package(name: str, entry: str) -> Any:
    """An optional package. Raises BadInput that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        learned = BY_ID[entry]
        raise BadInput(
            f"{learned.name} needs the package {name} ({error}). {learned.how_to}"
        ) from None


@contextmanager
def _offline() -> Iterator[None]:
    """While it lasts, nothing is downloaded from the hub."""
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


@contextmanager
def _own_text_features() -> Iterator[None]:
    """While it lasts, LIQE computes its text features with its own CLIP. pyiqa prefers a file of
    earlier ones, which no fingerprint covers."""
    import tempfile

    liqe: Any = importlib.import_module("pyiqa.archs.liqe_arch")
    before = liqe.DEFAULT_CACHE_DIR
    with tempfile.TemporaryDirectory(prefix="truehue-liqe-") as folder:
        liqe.DEFAULT_CACHE_DIR = folder
        try:
            yield
        finally:
            liqe.DEFAULT_CACHE_DIR = before


def digest_of(*modules: Any) -> str:
    """SHA-256 of the names and numbers of the weights of torch modules."""
    import torch

    digest = hashlib.sha256()
    for module in modules:
        for name, tensor in sorted(module.state_dict().items()):
            digest.update(name.encode())
            raw = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
            digest.update(raw.numpy().tobytes())
    return digest.hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pyiqa(metric: str, entry: str) -> Callable[[Sources, str], Opened]:
    def opened(sources: Sources, device: str) -> Opened:
        pyiqa = _package("pyiqa", entry)
        import torch
        from huggingface_hub.errors import LocalEntryNotFoundError

        files: Any = importlib.import_module("pyiqa.utils.download_util")
        clip: Any = importlib.import_module("pyiqa.archs.clip_model")

        def refuse(url: str, *values: Any, **more: Any) -> NoReturn:
            raise ModelMissing(
                f"The weights {url} of {BY_ID[entry].name} are not on this machine. Get them with: "
                f"python -c \"import pyiqa; pyiqa.create_metric('{metric}')\""
            )

        def local_clip(url: str, root: str) -> str:
            """OpenAI's file of a CLIP, whose address holds its checksum."""
            path = Path(root) / url.rpartition("/")[2]
            if not path.is_file() or _sha256(path) != url.split("/")[-2]:
                refuse(url)
            return str(path)

        # It would download what is missing without a question.
        before = files.download_url_to_file, clip._download
        files.download_url_to_file, clip._download = refuse, local_clip
        try:
            with _offline(), _own_text_features() if entry == "liqe" else nullcontext():
                network = pyiqa.create_metric(metric, device=torch.device(device))
        except LocalEntryNotFoundError:  # timm asks the hub for MANIQA's backbone
            refuse("of the backbone")
        finally:
            files.download_url_to_file, clip._download = before

        def score(srgb8: np.ndarray, prompt: str) -> float:
            pixels = torch.from_numpy(srgb8.copy()).permute(2, 0, 1)[None].float() / 255
            with torch.inference_mode():
                return float(network(pixels.to(device)))

        # CLIP-IQA holds its CLIP in a list, of which its own weights know nothing.
        inner = getattr(network.net, "clip_model", None)
        parts = inner if isinstance(inner, list) else []
        return Opened(digest_of(network.net, *parts), score)

    return opened


def _image_reward(sources: Sources, device: str) -> Opened:
    package = _package("ImageReward", "image_reward")
    from PIL import Image

    folder = hub_folder("zai-org/ImageReward", sources)
    with _offline():
        model = package.load(
            str(folder / "ImageReward.pt"), device, med_config=str(folder / "med_config.json")
        )

    def score(srgb8: np.ndarray, prompt: str) -> float:
        return float(model.score(prompt, Image.fromarray(srgb8)))

    return Opened(Source(folder, "zai-org/ImageReward", "").fingerprint(), score)


def _hpsv3(sources: Sources, device: str) -> Opened:
    package = _package("hpsv3", "hpsv3")
    import tempfile

    from PIL import Image

    folder = hub_folder("MizzenAI/HPSv3", sources)
    with _offline():
        model = package.HPSv3RewardInferencer(
            checkpoint_path=str(folder / "HPSv3.safetensors"), device=device
        )

    def score(srgb8: np.ndarray, prompt: str) -> float:
        with tempfile.TemporaryDirectory(prefix="truehue-hpsv3-") as location:
            path = Path(location) / "image.png"
            Image.fromarray(srgb8).save(path)
            # Mean and spread; the mean is the score.
            return float(model.reward([str(path)], [prompt])[0][0])

    return Opened(Source(folder, "MizzenAI/HPSv3", "").fingerprint(), score)


_NOT_RUN = "by reading its package; not run"
_RANDOM = "once by hand with random weights of the real class"
_POLYFORM = "PolyForm Noncommercial 1.0.0 (pyiqa), weights by their authors"
LEARNED: tuple[Learned, ...] = (
    Learned(
        "clip_score",
        "CLIPScore",
        0.0,
        100.0,
        1,
        "100 times the cosine of CLIP's image and “A photo depicts ” with the prompt, at least 0 "
        "(ViT-B/32; the paper does not state its CLIP)",
        "Hessel et al. 2021",
        "MIT",
        True,
        _clip_score,
        repos=(CLIP_B32,),
    ),
    Learned(
        "pick_score",
        "PickScore",
        None,
        None,
        2,
        "Scaled cosine of an image and its prompt by a CLIP-H that learned people's choices",
        "Kirstain et al. 2023",
        "MIT",
        True,
        _pick_score,
        repos=(PICKSCORE, CLIP_H14),
    ),
    Learned(
        "image_reward",
        "ImageReward",
        None,
        None,
        3,
        "Reward of a BLIP that learned people's rankings, with the prompt",
        "Xu et al. 2023",
        "Apache-2.0",
        True,
        _image_reward,
        "image-reward",
        ("zai-org/ImageReward",),
        _NOT_RUN,
    ),
    Learned(
        "hpsv3",
        "HPSv3",
        None,
        None,
        3,
        "Mean reward of a Qwen2-VL that learned people's preferences, with the prompt",
        "Ma et al. 2025",
        "MIT",
        True,
        _hpsv3,
        "hpsv3",
        ("MizzenAI/HPSv3",),
        _NOT_RUN,
    ),
    Learned(
        "clip_iqa",
        "CLIP-IQA",
        0.0,
        1.0,
        3,
        "How much nearer an image is to “Good photo.” than to “Bad photo.” by CLIP (pyiqa clipiqa)",
        "Wang et al. 2023",
        _POLYFORM,
        False,
        _pyiqa("clipiqa", "clip_iqa"),
        "pyiqa",
        (),
        _RANDOM,
    ),
    Learned(
        "musiq",
        "MUSIQ",
        0.0,
        100.0,
        1,
        "Quality of an image at several sizes by a transformer, KonIQ-10k (pyiqa musiq)",
        "Ke et al. 2021",
        _POLYFORM,
        False,
        _pyiqa("musiq", "musiq"),
        "pyiqa",
        (),
        _RANDOM,
    ),
    Learned(
        "maniqa",
        "MANIQA",
        0.0,
        1.0,
        3,
        "Quality by attention over 20 crops, KonIQ-10k (pyiqa maniqa)",
        "Yang et al. 2022",
        _POLYFORM,
        False,
        _pyiqa("maniqa", "maniqa"),
        "pyiqa",
        (),
        _NOT_RUN,
    ),
    Learned(
        "liqe",
        "LIQE",
        1.0,
        5.0,
        2,
        "Mean of five quality levels, 1 to 5, weighted by CLIP's probability of each, KonIQ-10k "
        "(pyiqa liqe); at least 224 pixels",
        "Zhang et al. 2023",
        _POLYFORM,
        False,
        _pyiqa("liqe", "liqe"),
        "pyiqa",
        (),
        _RANDOM,
    ),
)
"""In the order in which they are shown."""
BY_ID: Mapping[str, Learned] = {learned.id: learned for learned in LEARNED}


def open_learned(measure_id: str, sources: Sources, device: str) -> tuple[Measure, Opened]:
    """A learned measure in memory. Raises BadInput and ModelMissing with what to get, and
    TrueHueError for whatever else its package raises."""
    learned = BY_ID[measure_id]
    try:
        opened = learned.open(sources, device)
    except ModelMissing as error:
        raise ModelMissing(f"{error} {learned.how_to}") from None
    except TrueHueError:
        raise
    except Exception as error:
        raise TrueHueError(f"{learned.name} could not be loaded: {_problem(error)}.") from error
    return learned.measure(opened.fingerprint), opened


def _problem(error: Exception) -> str:
    """What a package raised, in a few words."""
    if is_out_of_memory(error):
        return "out of memory"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}".rstrip(": .")


class LearnedMeasures:
    """Learned measures of which one at a time is in memory: another one sends it away."""

    def __init__(self, sources: Sources, device: str) -> None:
        self._sources, self._device = sources, device
        self._loaded: tuple[str, Measure, Opened] | None = None
        self._problems: dict[str, str] = {}

    def measure(self, measure_id: str) -> Measure:
        """Of the weights that are here, loaded. Raises as :func:`open_learned`."""
        return self._open(measure_id)[0]

    def score(self, measure: Measure, srgb8: np.ndarray, prompt: str) -> float:
        """Of an image, uint8 sRGB ``(H, W, 3)``, by a measure of :meth:`measure`. Raises
        TrueHueError, with the reason, whatever goes wrong; what could not be loaded again is not
        tried for every image."""
        if problem := self._problems.get(measure.id):
            raise TrueHueError(problem)
        try:
            current, opened = self._open(measure.id)
        except TrueHueError as error:
            self._problems[measure.id] = str(error)
            raise
        if current.version != measure.version:
            self._problems[measure.id] = f"The weights of {measure.name} were changed meanwhile."
            raise TrueHueError(self._problems[measure.id])
        try:
            return opened.score(srgb8, prompt)
        except TrueHueError:
            raise
        except Exception as error:
            raise TrueHueError(f"{measure.name} failed: {_problem(error)}.") from None

    def release(self) -> None:
        """Gives back the memory of the one that is loaded."""
        if self._loaded is not None:
            self._loaded = None
            free_memory(self._device)

    def _open(self, measure_id: str) -> tuple[Measure, Opened]:
        if self._loaded is None or self._loaded[0] != measure_id:
            self.release()
            self._loaded = measure_id, *open_learned(measure_id, self._sources, self._device)
        return self._loaded[1:]
