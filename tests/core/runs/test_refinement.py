"""CFR in whole runs: plans, rows, and one loading of the model and of CFM."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.batch.here import InProcess
from tests.core.generation.conftest import models_folder, one_thread, tiny
from tests.core.runs.samples import rows, some_prompts
from tests.tiny_models import cfm
from truehue.core.errors import BadInput
from truehue.core.export.archive_import.plan import checked_plan
from truehue.core.export.source import ExportRun, plan_out
from truehue.core.fidelity.cfm.registration import (
    Registration,
    memory_bytes,
    open_registered,
    register,
)
from truehue.core.fidelity.cfm.scorer import reduce_attention
from truehue.core.files import content_path
from truehue.core.images.load import load_image
from truehue.core.machine import Placement
from truehue.core.refinement.settings import rows_of, saturation_map
from truehue.core.runs import refinement as refining
from truehue.core.runs import worker as working
from truehue.core.runs.devices import devices_text
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import make_plan, plan_json, run_id
from truehue.core.runs.records import GenerationPlan, ItemResult, MaskerSpec, RunPlan, ScoringPlan
from truehue.core.runs.summary import cfr_text, checked_summary
from truehue.core.runs.worker import RunWork, execute

pytestmark = pytest.mark.weights

__all__ = ["models_folder", "one_thread", "tiny"]

MAPS: Mapping[str, Any] = {"first pass": "first pass", "cfm": "cfm", "file": ["00ff", "ff80"]}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Registration:
    folder = tmp_path_factory.mktemp("cfm")
    return register(folder, str(cfm.save(folder / "tiny")))


def planned(
    model: str, cfr: Mapping[str, Any] | None, known: Registration | None = None
) -> RunPlan:
    options = {} if cfr is None else {"cfr": {"strength": 0.8, "variant": "full", **cfr}}
    return make_plan(
        some_prompts(2, ("cna",)),
        model,
        drawing=GenerationPlan(
            images=1, guidance=7.5, steps=3, size_px=64, options=options, cfm=known
        ),
        judging=ScoringPlan(MaskerSpec("whole"), ("truehue",)),
        set_name="mini",
    )


def test_each_map_is_made_of_the_image_before_by_models_loaded_once(
    tiny: Callable[[str], Path],
    known: Registration,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []
    reserved: list[int] = []

    def counted(module: Any, name: str) -> None:
        function = getattr(module, name)

        def call(*values: Any, **more: Any) -> Any:
            opened.append(name)
            reserved.append(more.get("reserved_bytes", 0))
            return function(*values, **more)

        monkeypatch.setattr(module, name, call)

    counted(working, "open_model")
    counted(refining, "open_registered")
    model = f"folder:{tiny('stable_diffusion')}"

    def done(plan: RunPlan) -> tuple[RunFolder, list[ItemResult]]:
        folder = RunFolder.create(tmp_path, plan)
        assert folder.plan() == plan
        state = execute(folder, team=InProcess(RunWork(folder.path)))
        assert (state.status, state.failed) == ("finished", 0), state
        return folder, rows(folder)

    plain_folder, plain = done(planned(model, None))
    before = [
        load_image(content_path(plain_folder.images, row.image_id)).srgb8
        for row in plain
        if row.image_id
    ]
    assert len(before) == 2
    by_saturation = done(planned(model, {"map": "first pass"}))[1]
    by_file = done(planned(model, {"map": MAPS["file"], "source": "map of a file"}))[1]
    assert opened == ["open_model"] * 3
    assert reserved == [0] * 3
    opened.clear()
    folder, by_cfm = done(planned(model, {"map": "cfm"}, known))
    assert opened == ["open_model", "open_registered"]
    assert reserved[3:] == [memory_bytes(known), 0]
    assert f"cfm: {known.label} on the CPU, float32" in devices_text(folder.path)
    scorer = open_registered(known, Placement("cpu", "float32", "none", ""))
    texts = [prompt.text for prompt in planned(model, None).prompts]
    for index, image in enumerate(before):
        cfr = [run[index].origin["cfr"] for run in (by_saturation, by_cfm, by_file)]
        assert cfr[0]["map"] == rows_of(saturation_map(image))
        (score,) = scorer.scores([image], [texts[index]])
        assert cfr[1]["map"] == rows_of(reduce_attention(score.attention))
        assert cfr[1]["source"] == f"map of CFM, checkpoint {known.version}, of the first pass"
        assert cfr[2]["map"] == MAPS["file"]
        ids = {run[index].image_id for run in (plain, by_saturation, by_cfm, by_file)}
        assert len(ids) == 4
    assert np.ptp([row.seed for row in by_cfm]) == 0


def test_plans_name_cfr_and_plans_without_stay_what_they_were(
    known: Registration, tmp_path: Path
) -> None:
    without = planned("sd3.5-medium", None)
    fields = plan_json(without)
    assert not {"cfm", "cfm_files"} & set(fields)
    assert fields["options"] == {}
    cfm_plan = planned("sd3.5-medium", {"map": "cfm"}, known)
    others = [planned("sd3.5-medium", {"map": "first pass"}), cfm_plan]
    others += [planned("sd3.5-medium", {"map": "cfm"}, replace(known, checkpoint="0" * 64))]
    others += [planned("sd3.5-medium", {"variant": "temporal"})]
    assert len({run_id(plan) for plan in (without, *others)}) == 5
    # The same run, wherever the files of CFM lie.
    assert run_id(replace(cfm_plan, cfm=replace(known, folder="/else", base="/b"))) == run_id(
        cfm_plan
    )
    folder = RunFolder.create(tmp_path, cfm_plan)
    assert folder.plan() == cfm_plan
    summary = folder.summary()
    assert summary["cfm"]["checkpoint"] == known.checkpoint
    assert cfr_text(summary) == "CFR full, λ 0.8, map of CFM"
    # An archive names no folder of this machine, and is the same run elsewhere.
    out = plan_out(ExportRun(folder))
    assert out["cfm_files"] == {"folder": "tiny", "base": Path(known.base).name}
    archived = tmp_path / "archived"
    archived.mkdir()
    (archived / "plan.json").write_text(json.dumps(out))
    shutil.copy(folder.path / "prompts.jsonl.gz", archived)
    assert checked_plan(archived, "a.zip", folder.run_id).summary["cfm"] == summary["cfm"]
    (archived / "plan.json").write_text(json.dumps(summary))
    with pytest.raises(BadInput, match="a file of another machine"):
        checked_plan(archived, "a.zip", folder.run_id)
    with pytest.raises(BadInput, match="its CFM is not whole"):
        checked_summary({**summary, "cfm": {"name": "x"}})
    with pytest.raises(BadInput, match="its CFM is not whole"):
        checked_summary({name: item for name, item in summary.items() if name != "cfm_files"})


@pytest.mark.parametrize(
    ("model", "cfr", "text"),
    [
        ("sd3.5-medium", {"map": "cfm"}, "named together"),
        ("sd3.5-medium", {"map": "beauty"}, "CFR's map is"),
        ("sd3.5-medium", {"strength": 2.0}, "from 0 to 1"),
        ("flux.1-dev", {"map": "first pass"}, "one prediction only"),
        ("reference-renderer", {"map": "first pass"}, "Leave CFR out"),
    ],
)
def test_a_cfr_that_cannot_be_is_refused_with_the_plan(
    model: str, cfr: dict[str, Any], text: str
) -> None:
    with pytest.raises(BadInput, match=text):
        planned(model, cfr)
