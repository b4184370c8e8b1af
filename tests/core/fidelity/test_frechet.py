"""FID: the distance against closed forms and scipy's matrix root, the resize against clean-fid's."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy import linalg

from truehue.core.errors import BadInput
from truehue.core.fidelity.frechet import (
    Gaussian,
    Inception,
    frechet_distance,
    gaussian_of,
    resize_for_fid,
)


def test_gaussians_of_one_variable_have_the_closed_form() -> None:
    """(μ₁ − μ₂)² + (σ₁ − σ₂)²."""
    first = Gaussian(np.array([1.0]), np.array([[4.0]]), 9)
    second = Gaussian(np.array([3.0]), np.array([[0.25]]), 9)
    assert frechet_distance(first, second) == pytest.approx(4 + 1.5**2)
    assert frechet_distance(first, first) == pytest.approx(0, abs=1e-12)


def test_the_root_is_scipys_also_with_fewer_images_than_features() -> None:
    rng = np.random.default_rng(0)
    mix = rng.normal(size=(6, 6))
    for images in (40, 4):
        first = gaussian_of(rng.normal(size=(images, 6)) @ mix)
        second = gaussian_of(rng.normal(0.3, 2, size=(images, 6)))
        root = linalg.sqrtm(first.covariance @ second.covariance)
        wanted = ((first.mean - second.mean) ** 2).sum() + np.trace(
            first.covariance + second.covariance - 2 * np.real(root)
        )
        assert frechet_distance(first, second) == pytest.approx(wanted, rel=1e-4)
        assert frechet_distance(second, first) == pytest.approx(frechet_distance(first, second))
    with pytest.raises(BadInput, match="two images at least"):
        gaussian_of([np.zeros(3)])


def test_images_are_resized_as_floats_with_antialiasing() -> None:
    """Gold: what clean-fid 0.1.35 gives (PIL, bicubic) for these pixels, and no rounding."""
    image = (np.arange(40 * 50 * 3).reshape(40, 50, 3) * 7 % 256).astype(np.uint8)
    small = resize_for_fid(image)
    assert small.shape == (299, 299, 3)
    assert small.dtype == np.float32
    assert small.min() >= 0
    assert small.max() <= 255
    for channel in range(3):
        pillow = Image.fromarray(image[..., channel].astype(np.float32), mode="F")
        wanted = np.asarray(pillow.resize((299, 299), Image.Resampling.BICUBIC)).clip(0, 255)
        np.testing.assert_array_equal(small[..., channel], wanted)
    assert (small % 1 != 0).any()
    np.testing.assert_array_equal(resize_for_fid(np.full((9, 9, 3), 77, np.uint8)), 77)


def inception(path: Path) -> Path:
    """A network of the same interface: means of the three channels, as TorchScript."""
    import torch

    class Layers(torch.nn.Module):
        def forward(self, pixels: torch.Tensor) -> torch.Tensor:
            return pixels.mean(dim=(2, 3))

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = Layers()

        def forward(self, pixels: torch.Tensor) -> torch.Tensor:
            return self.layers(pixels)

    torch.jit.script(Network()).save(str(path))
    return path


@pytest.mark.weights
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_network_is_named_by_its_file(tmp_path: Path) -> None:
    path = inception(tmp_path / "inception.pt")
    network = Inception(path)
    assert network.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    gray = network.features(np.full((30, 20, 3), 192, np.uint8))
    assert gray.tolist() == pytest.approx([0.5] * 3)
    with pytest.raises(BadInput, match="curl"):
        Inception(tmp_path / "none.pt")
    (tmp_path / "text.pt").write_text("no network")
    with pytest.raises(BadInput, match="is no Inception"):
        Inception(tmp_path / "text.pt")
