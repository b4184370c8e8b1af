"""Tiny vision-language models, built once a run of tests, and a set of twenty questions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.core.vlm.questions_made import save_set
from tests.tiny_models.vlm import SAVED
from tests.tiny_models.written import written

Tiny = Callable[[str], Path]


@pytest.fixture(scope="session")
def one_thread() -> Iterator[None]:
    """One thread for torch: tiny layers lose more to waiting than they gain."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def tiny_vision(one_thread: None) -> Tiny:
    """The folder of a tiny model by its type; built when first asked for. Not to be changed."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    return functools.cache(lambda name: written(f"answers-{name}", SAVED[name]))


@pytest.fixture(scope="session")
def twenty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a set of twenty questions. Not to be changed."""
    return save_set(tmp_path_factory.mktemp("set") / "questions", 20)
