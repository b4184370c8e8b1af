"""Tiny vision models, built once a run of tests, and one of each in memory."""

from __future__ import annotations

import copy
import functools
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny_models.written import vision
from truehue.core.masks.grounded.records import Detector, Segmenter
from truehue.core.masks.grounded.tools import open_detector, open_segmenter

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
def tiny(one_thread: None) -> dict[str, Path]:
    """Folder or file of each tiny model. Not to be changed."""
    return {name: vision(name) for name in ("detector", *SEGMENTERS)}


@pytest.fixture(scope="session")
def image() -> np.ndarray:
    """A picture that is not square: a bright ellipse on noise."""
    rng = np.random.default_rng(0)
    srgb8 = rng.integers(0, 90, (48, 80, 3), dtype=np.uint8)
    y, x = np.mgrid[:48, :80]
    srgb8[((x - 30) / 18) ** 2 + ((y - 22) / 12) ** 2 < 1] = (220, 60, 40)
    return srgb8


@pytest.fixture(scope="session")
def loaded(tiny: dict[str, Path]) -> Callable[[str], Any]:
    """One of ``tiny``, read from its files once. Not to be changed."""

    @functools.cache
    def by_name(name: str) -> Any:
        opened = (open_detector if name == "detector" else open_segmenter)(f"folder:{tiny[name]}")
        # Whoever unloads a model looks for garbage, and need not look among the libraries.
        gc.freeze()
        return opened

    return by_name


@pytest.fixture
def opened(loaded: Callable[[str], Any]) -> Callable[[str], Any]:
    """A model of one's own, to be watched and unloaded, without reading its files again."""
    return lambda name: copy.deepcopy(loaded(name))


@pytest.fixture
def detector(opened: Callable[[str], Any]) -> Detector:
    """A real GroundingDINO of random weights."""
    made: Detector = opened("detector")
    return made


@pytest.fixture(params=SEGMENTERS)
def segmenter(request: pytest.FixtureRequest, opened: Callable[[str], Any]) -> Segmenter:
    """Each segmenter in turn: Sam of a .pth file, SAM 2, and SAM 2 of the video model's folder."""
    made: Segmenter = opened(request.param)
    return made
