"""Tiny vision models, built once a session, and one of each in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.masks.grounded.records import Detector, Segmenter
from core.masks.grounded.tools import open_detector, open_segmenter
from tests.tiny_models import grounding

SEGMENTERS = ("sam", "sam2", "sam2_video")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """One thread for torch: tiny layers lose more to waiting than they gain."""
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory, one_thread: None) -> dict[str, Path]:
    """Folder or file of each tiny model. Not to be changed."""
    top = tmp_path_factory.mktemp("vision")
    return {
        "detector": grounding.detector(top / "detector"),
        "sam": grounding.sam_file(top / "sam" / "tiny.pth"),
        "sam2": grounding.sam2(top / "sam2"),
        "sam2_video": grounding.sam2(top / "sam2_video", video=True),
    }


@pytest.fixture(scope="session")
def image() -> np.ndarray:
    """A picture that is not square: a bright ellipse on noise."""
    rng = np.random.default_rng(0)
    srgb8 = rng.integers(0, 90, (48, 80, 3), dtype=np.uint8)
    y, x = np.mgrid[:48, :80]
    srgb8[((x - 30) / 18) ** 2 + ((y - 22) / 12) ** 2 < 1] = (220, 60, 40)
    return srgb8


@pytest.fixture
def detector(tiny: dict[str, Path]) -> Detector:
    """A real GroundingDINO of random weights."""
    return open_detector(f"folder:{tiny['detector']}")


@pytest.fixture(params=SEGMENTERS)
def segmenter(request: pytest.FixtureRequest, tiny: dict[str, Path]) -> Segmenter:
    """Each segmenter in turn: Sam of a .pth file, SAM 2, and SAM 2 of the video model's folder."""
    return open_segmenter(f"folder:{tiny[request.param]}")
