"""FID: the Fréchet distance of two sets of images by features of Inception (Heusel et al. 2017).

Images are resized as clean-fid does (Parmar et al. 2022): each channel as floats, bicubic, with
antialiasing. The network is the TorchScript file ``inception-2015-12-05.pt`` that clean-fid uses. It
has a license of its own and is not shipped; a result names it by its SHA-256.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.errors import BadInput

SIDE_PX = 299
WEIGHTS = "inception-2015-12-05.pt"
WEIGHTS_URL = f"https://nvlabs-fi-cdn.nvidia.com/stylegan2-ada-pytorch/pretrained/metrics/{WEIGHTS}"
HOW_TO = (
    f"FID needs {WEIGHTS}, the Inception of clean-fid (Nvidia's license): curl -O {WEIGHTS_URL}"
)
FEW = 10_000
"""Below so many images FID is biased upward by a noticeable amount, so that only sets of equal size
can be compared."""

Features = Callable[[np.ndarray], np.ndarray]
"""An image, uint8 sRGB ``(H, W, 3)``, to float64 ``(d,)``."""


@dataclass(frozen=True)
class Gaussian:
    """Mean ``(d,)`` and covariance ``(d, d)`` of the features of ``images`` images."""

    mean: np.ndarray
    covariance: np.ndarray
    images: int


def resize_for_fid(srgb8: np.ndarray) -> np.ndarray:
    """uint8 ``(H, W, 3)`` to float32 ``(299, 299, 3)``, 0 to 255, as clean-fid resizes."""
    from PIL import Image

    channels = [
        np.asarray(
            Image.fromarray(srgb8[..., index].astype(np.float32)).resize(
                (SIDE_PX, SIDE_PX), Image.Resampling.BICUBIC
            )
        )
        for index in range(3)
    ]
    out: np.ndarray = np.stack(channels, axis=2).clip(0, 255).astype(np.float32)
    return out


class Inception:
    """The network in memory, and ``sha256`` of its file."""

    def __init__(self, path: Path, device: str = "cpu") -> None:
        """Raises BadInput where the file is missing or is no such network."""
        import torch

        if not path.is_file():
            raise BadInput(f"{path} is not there. {HOW_TO}")
        self.sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        self._device = device
        try:
            self._layers: Any = torch.jit.load(str(path), map_location=device).eval().layers
        except (RuntimeError, AttributeError) as error:
            raise BadInput(f"{path} is no Inception as TorchScript: {error!s:.200}") from None

    def features(self, srgb8: np.ndarray) -> np.ndarray:
        """float64 ``(2048,)`` of an image, uint8 sRGB ``(H, W, 3)``."""
        import torch

        pixels = torch.from_numpy(resize_for_fid(srgb8)).permute(2, 0, 1)[None].to(self._device)
        with torch.inference_mode():
            out = self._layers.forward((pixels - 128) / 128)
        numbers: np.ndarray = out.reshape(-1).double().cpu().numpy()
        return numbers


def gaussian_of(features: Iterable[np.ndarray]) -> Gaussian:
    """Of features ``(d,)``, one an image. Raises BadInput for fewer than two images."""
    table = np.asarray(list(features), dtype=np.float64)
    if len(table) < 2:
        raise BadInput("FID compares sets of two images at least.")
    return Gaussian(table.mean(axis=0), np.cov(table, rowvar=False), len(table))


def frechet_distance(first: Gaussian, second: Gaussian) -> float:
    """|μ₁ − μ₂|² + tr(Σ₁ + Σ₂ − 2 (Σ₁ Σ₂)^½), at least 0.

    The trace of the root is the sum of the roots of the eigenvalues of Σ₁^½ Σ₂ Σ₁^½, which is
    symmetric: it also exists for fewer images than features, where a general matrix root is not
    stable.
    """
    values, vectors = np.linalg.eigh(np.atleast_2d(first.covariance))
    root = (vectors * np.sqrt(values.clip(min=0))) @ vectors.T
    inner = np.linalg.eigvalsh(root @ np.atleast_2d(second.covariance) @ root)
    trace = float(np.trace(np.atleast_2d(first.covariance)))
    trace += float(np.trace(np.atleast_2d(second.covariance)))
    between = float(((first.mean - second.mean) ** 2).sum())
    return max(0.0, between + trace - 2 * float(np.sqrt(inner.clip(min=0)).sum()))
