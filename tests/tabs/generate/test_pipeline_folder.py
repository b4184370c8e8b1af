"""A real diffusers pipeline of random weights, opened from a folder as published weights are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tabs.generate.forms import planned, started
from tests.tabs.inspect.test_tab import opened
from tests.tiny_models.pipelines import build
from truehue.tabs.generate.gallery import generations_json
from truehue.tabs.generate.plan import OwnPrompt
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER

pytestmark = pytest.mark.weights


def test_a_pipeline_of_a_folder_draws_in_steps_and_is_not_judged_without_a_mask(
    tmp_path: Path, context: Context
) -> None:
    folder = build("stable_diffusion", tmp_path / "tiny pipeline")
    own = OwnPrompt("", "mug", "css:teal")
    controls = ([f"folder:{folder}"], 0, 1, "", "12", 64, "studio", "none")
    shown_plan = planned(context, OWNER, {"mode": "own"}, own, *controls)
    assert "problem" not in shown_plan["button"]
    (model,) = shown_plan["models"]["models"]
    assert (model["name"], model["lacking"]) == ("tiny pipeline", [])
    job = started(context, OWNER, {"mode": "own"}, own, *controls)
    state = context.engine.wait(job, 300)
    assert (state.status, state.problems, state.steps) == ("done", (), 12)
    (row,) = context.storage.drawings.recent()
    (shown,) = generations_json(context, [row])
    assert shown["about"].startswith("tiny pipeline · seed 0")
    assert "12 steps" in shown["about"]
    # Nobody knows yet which pixels are the mug: there is no verdict, and Inspect asks for a mark.
    assert shown["verdicts"] == shown["targets"][0]["verdicts"] == []
    shown = opened(context, row.image_id or "", object="mug", target="css:teal")
    assert "Select the object" in shown["verdict"]["view"]["reason"]
