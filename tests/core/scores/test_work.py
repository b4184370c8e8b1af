"""Pictures scored as long work, with the tiny CFM."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.core.batch.here import InProcess
from tests.tiny_models import cfm
from truehue.core.batch.execute import execute
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.registration import Registration, register
from truehue.core.fidelity.vividness import delta_sat_score
from truehue.core.images.load import image_id
from truehue.core.scores.cfm import cfm_measures, map_of
from truehue.core.scores.measures import measure_of
from truehue.core.scores.records import IMAGE
from truehue.core.scores.work import PICTURES_AT_ONCE, ScoringTask, ScoringWork, begin_scoring

pytestmark = pytest.mark.weights


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Registration:
    tiny = cfm.save(tmp_path_factory.mktemp("cfm") / "tiny")
    return register(tmp_path_factory.mktemp("data"), str(tiny))


def tasks(folder: Path, count: int, measures: tuple[str, ...]) -> list[ScoringTask]:
    chance = np.random.default_rng(1)
    folder.mkdir()
    made = []
    for number in range(count):
        srgb8 = chance.integers(0, 256, (32, 32, 3), np.uint8)
        path = folder / f"{number}.png"
        Image.fromarray(srgb8).save(path)
        made.append(ScoringTask(image_id(srgb8), str(path), "a mug", measures))
    return made


def done(work: ScoringWork) -> str:
    return execute(work, team=InProcess(work)).status


def test_work_that_was_stopped_goes_on_with_the_same_scores(
    known: Registration, tmp_path: Path
) -> None:
    measures = [measure_of("delta_sat"), *cfm_measures(known)]
    wanted = tasks(
        tmp_path / "pictures", PICTURES_AT_ONCE + 2, tuple(measure.id for measure in measures)
    )
    work = begin_scoring(tmp_path / "work", wanted, measures, known)
    assert (work.total, work.images, work.pictures_of(2)) == (2, len(wanted), len(wanted))

    def stopped_after_one(state: object) -> None:
        if getattr(state, "done", 0) == 1:
            work.folder.set_desired_state("pause")

    stopped = execute(work, watch=stopped_after_one, team=InProcess(work))
    used: set[int] = set()
    first = [record for item in work.records(used) for record in item]
    assert stopped.status in ("paused", "finished")
    work.folder.set_desired_state("run")
    again = ScoringWork(tmp_path / "work")
    assert done(again) == "finished"
    rest = [record for item in again.records(used) for record in item]
    records = [*first, *rest]
    assert len(records) == 3 * len(wanted)
    assert not list(again.records(used))
    for task in wanted:
        own = [record for record in records if record.item == task.image_id]
        values = {record.measure: record.value for record in own}
        with Image.open(task.path) as image:
            assert values["delta_sat"] == pytest.approx(delta_sat_score(np.asarray(image))[0])
        assert values["cfm_logit"] == pytest.approx(3 * (values["cfm"] or 0))
        assert map_of(own, known.version) is not None
        assert {record.item_kind for record in own} == {IMAGE}


def test_a_picture_that_changed_is_unscored_and_others_are_not(tmp_path: Path) -> None:
    measure = measure_of("delta_sat")
    wanted = tasks(tmp_path / "pictures", 3, (measure.id,))
    Image.new("RGB", (4, 4)).save(wanted[0].path)
    Path(wanted[1].path).unlink()
    work = begin_scoring(tmp_path / "work", wanted, [measure], None)
    assert done(work) == "finished"
    (records,) = work.records()
    assert [record.value is None for record in records] == [True, True, False]
    assert "other pixels" in records[0].reason


def test_a_plan_of_other_measures_is_refused(known: Registration, tmp_path: Path) -> None:
    measure = measure_of("delta_sat")
    wanted = tasks(tmp_path / "pictures", 1, (measure.id,))
    with pytest.raises(BadInput, match="is not computed here"):
        begin_scoring(tmp_path / "a", wanted, cfm_measures(known), None)
    work = begin_scoring(tmp_path / "b", wanted, [measure], None)
    plan = tmp_path / "b" / "plan.json"
    plan.write_text(plan.read_text().replace('"version": "1.0"', '"version": "0.1"'))
    with pytest.raises(BadInput, match=r"begun with delta_sat 0\.1"):
        execute(ScoringWork(work.folder.path), team=InProcess(work))
