"""Why not the paper's number, beside ColorBench's printed rows: planted differences come back."""

from __future__ import annotations

import pytest

from tests.core.reproduce.test_colorbench_gap import COUNT, JPEG, RIGHT, VERBOSE, PlantedModel
from tests.tabs.vlm.test_vlm import ANN, Ask, answered, ask
from tests.workers_here import workers_here
from truehue.annotation.judgments.questions import RightShare
from truehue.annotation.judgments.resampling import Share
from truehue.core.cli.vlm import main as vlm
from truehue.core.published import table
from truehue.core.vlm.generators import Difficulty, GeneratedSettings, generated
from truehue.core.vlm.published import HUB_ID
from truehue.tabs.page.context import Context
from truehue.tabs.vlm.gap import GapRequest, gap_view
from truehue.tabs.vlm.people import PeopleScores, share_json

pytestmark = pytest.mark.slow

__all__ = ["ask", "workers_here"]

OVERALL = "Overall"


def test_the_gap_of_a_shown_evaluation(ask: Ask, context: Context, workers_here: None) -> None:
    settings = GeneratedSettings({"color_extraction": COUNT}, Difficulty.EASY)
    sets = context.storage.question_sets
    set_id = sets.add(generated(settings), "As published", {"source": HUB_ID})[0]
    row = {"set": set_id, "table": "1", "group": "Proprietary", "row": "GPT-4o"}
    (empty,) = ask("/gap", **row)["gaps"]
    assert empty["columns"] == []
    assert empty["command"] == "truehue reproduce colorbench --table 1"
    server = PlantedModel(list(sets.open(set_id).questions()))
    with server.running():
        evaluation = answered(ask, set_id, server.base_url, name="gpt-4o")
        (gap,) = ask("/gap", **row, askings=evaluation)["gaps"]
        assert gap["name"].startswith("gpt-4o · plain · in color")
        assert [column["id"] for column in gap["columns"]] == ["C'Extract", OVERALL]
        printed = table("colorbench-table1").row(model="GPT-4o").values[OVERALL]
        assert printed is not None
        missing = printed - 100 * RIGHT / COUNT
        assert gap["missing"][OVERALL] == f"{missing:+.1f}"
        shares = {entry["name"]: entry["cells"][OVERALL] for entry in gap["rows"]}
        assert shares == {"parser": f"{-100 * VERBOSE / COUNT:+.1f}"}
        commands = {entry["name"]: entry["command"] for entry in gap["runs"]}
        assert commands["token limit"].endswith("-tokens")
        # Who may not name folders of this machine is told none.
        (view,) = gap_view(context, ANN, GapRequest(**row, askings=(evaluation,)))["gaps"]
        assert not any(entry["command"] for entry in view["runs"])
        assert vlm(commands["image codec"].split()[2:]) == 0
        both = [
            answered(ask, set_id, server.base_url, name=name)
            for name in ("qwen2.5-vl-7b", "llava-v1.6-vicuna-7b")
        ]
    (gap,) = ask("/gap", **row, askings=evaluation)["gaps"]
    shares = {entry["name"]: entry["cells"][OVERALL] for entry in gap["rows"]}
    assert shares["image codec"] == f"{100 * JPEG / COUNT:+.1f}"
    # Another model's row, another way to answer and a mean of other models are not about it.
    for other in (
        {**row, "group": "< 7B", "row": "Qwen2.5-VL-3B"},
        {**row, "table": "8", "row": "GPT-4o (CoT)"},
        {**row, "table": "9", "group": "7B-8B", "row": "RGB+Text"},
    ):
        (empty,) = ask("/gap", **other, askings=evaluation)["gaps"]
        assert empty["columns"] == []
    # A row of a size is about the mean of the shown models of that size.
    (gap,) = ask("/gap", **other, askings=",".join(both))["gaps"]
    printed = table("colorbench-table9").row(group="7B-8B", input="RGB+Text").values[OVERALL]
    assert printed is not None
    assert gap["missing"][OVERALL] == f"{printed - 100 * RIGHT / COUNT:+.1f}"
    (models,) = (entry for entry in gap["runs"] if entry["name"] == "models")
    assert (models["ours"], models["theirs"]) == ("qwen2.5-vl-7b, llava-v1.6-vicuna-7b", "9 models")
    refused = ask("/gap", **{**row, "row": "SDXL"}, status=400)
    assert "no row with" in refused["error"]


def test_the_row_of_people_stands_beside_a_study(
    ask: Ask, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = GeneratedSettings({"color_counting": 2}, Difficulty.EASY)
    set_id = context.storage.question_sets.add(generated(settings), "Counting", {})[0]
    row = {"set": set_id, "table": "1", "group": "Human", "row": "Human Evaluation"}
    (empty,) = ask("/gap", **row)["gaps"]
    assert "Ask people the same questions" in empty["sentence"]
    tally = share_json(
        RightShare("color_counting", 6, 3, 1, 10, 12, Share(0.6), Share(6 / 9), "people", 0.25)
    )
    study: PeopleScores = {
        "id": "s",
        "title": "Ours",
        "state": "open",
        "participants": 12,
        "few": False,
        "excluded": 0,
        "answers": 10,
        "over": "people",
        "tasks": {"color_counting": tally},
        "micro": tally,
        "macro": None,
    }
    monkeypatch.setattr("truehue.tabs.vlm.gap.people_json", lambda *_: [study])
    (gap,) = ask("/gap", **row)["gaps"]
    assert (gap["name"], gap["missing"]) == ("Ours", {"C'Count": "+2.0"})
    (skipped,) = gap["rows"]
    assert (skipped["name"], skipped["cells"]) == ("Skipped answers", {"C'Count": "+6.7"})
    assert [entry["name"] for entry in gap["runs"]] == ["Questions", "People"]
