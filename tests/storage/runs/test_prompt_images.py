"""The pictures of a run by their prompts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage.run_samples import sample_plan, sample_result, sample_run
from truehue.core.errors import NotStored
from truehue.core.runs.folder import RunFolder
from truehue.storage import Storage

pytestmark = pytest.mark.slow


def test_prompts_come_in_the_order_of_the_run_with_what_was_drawn(
    storage: Storage, tmp_path: Path
) -> None:
    plan = sample_plan("model-a", prompts=12, images=3)
    folder = sample_run(tmp_path / "runs", plan)
    storage.runs.ingest(folder)
    prompts = storage.run_pictures.of(folder.run_id)
    assert [prompt.text for prompt in prompts] == [prompt.text for prompt in plan.prompts]
    sample_results = [sample_result(folder, plan, position) for position in range(plan.total)]
    for number, prompt in enumerate(prompts):
        ours = [
            item.image_id
            for item in sample_results
            if item.prompt == number and item.status == "drawn"
        ]
        assert [image for image, _ in prompt.pictures] == list(dict.fromkeys(ours))
    # Of 36 pictures, those that could not be drawn are not here.
    assert sum(len(prompt.pictures) for prompt in prompts) < plan.total
    assert storage.run_pictures.of(folder.run_id) is prompts
    with pytest.raises(NotStored):
        storage.run_pictures.of("0" * 16)


def test_a_run_without_pictures_has_its_prompts(storage: Storage, tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "runs", sample_plan(prompts=3))
    storage.runs.register(folder)
    assert [prompt.pictures for prompt in storage.run_pictures.of(folder.run_id)] == [()] * 3
