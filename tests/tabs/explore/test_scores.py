"""Measures of the pictures of runs: scored by a job, shown beside each other, and the wall's order.

Whatever measures there are: here two of the test's own, one that is computed and one of people.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.core.batch.here import team_here
from tests.empty_data import empty_data
from tests.storage.run_samples import fill_copied, ingest_copied, sample_plan, sample_run
from truehue.core.batch.execute import execute
from truehue.core.batch.records import BatchState
from truehue.core.errors import BadInput, NoPixels, NotStored
from truehue.core.scores import measures as listed
from truehue.core.scores import work
from truehue.core.scores.records import HIGH, IMAGE, Computed, Measure, ScoreRecord
from truehue.storage import Storage
from truehue.tabs.explore import scoring
from truehue.tabs.explore.failures import failures_view
from truehue.tabs.explore.scores import measures_csv, measures_view
from truehue.tabs.explore.scoring import (
    FOLDER,
    ScoreRuns,
    ingest_interrupted_scores,
    score_runs,
    start_scoring,
)
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import Job, job_alone
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow


def redness(srgb8: np.ndarray) -> Computed:
    if srgb8[..., 0].mean() > 160:
        raise NoPixels("Too red.")
    return float(srgb8[..., 0].mean()), {"pixels": int(srgb8[..., 0].size)}


RED = Measure("red", "1", "Redness", HIGH, 0.0, 255.0, 1, "Mean red code", "a test", of=redness)
VIVID = listed.MEASURES[:2]
LIKED = Measure("liked", "1", "Liked", "", 0.0, 10.0, 0, "Mean rating", "people", unit="points")


@pytest.fixture(scope="module", autouse=True)
def two_measures() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listed, "MEASURES", (RED, LIKED))
        patch.setattr(work, "MEASURES", (RED, LIKED))
        patch.setattr("truehue.core.batch.execute.LocalTeam", team_here)
        yield


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Context, list[str]]]:
    folder = tmp_path_factory.mktemp("scores")
    with Storage.open(empty_data(folder / "data")) as storage:
        runs = fill_copied(storage, folder / "runs", prompts=12, images=2)
        context = make_context(storage, "data")
        yield context, runs
        context.close()


def wall(context: Context, **query: str) -> list[dict[str, object]]:
    """All pages of the wall, five pictures each."""
    images: list[dict[str, object]] = []
    after = ""
    while True:
        page = failures_view(context, {"limit": "5", "after": after, **query})
        images += page["items"]
        after = page["next"]
        if not after:
            return images


def test_pictures_are_scored_and_the_next_job_goes_on_where_one_was_cancelled(
    filled: tuple[Context, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    context, (run_id, other) = filled
    scores = context.storage.scores
    before = scores.images_without(RED, run_id)
    job = job_alone("scores")

    def cancelled_after_an_item(self: Job, text: str = "", done: int = 0, total: int = 0) -> None:
        self.set(words=text)
        if done:
            self.stop.set()

    with monkeypatch.context() as patch:
        patch.setattr(Job, "tell", cancelled_after_an_item)
        patch.setattr("truehue.core.batch.execute._STATE_S", 0.0)
        patch.setattr(work, "PICTURES_AT_ONCE", 3)
        score_runs(context, [run_id], [RED], job)
    # An image that was refused is looked at again, one that has a score is not.
    left = scores.images_without(RED, run_id)
    assert 3 <= scores.count() < len(before)
    assert not list((context.storage.data_dir / FOLDER).glob("*"))

    wanted = read_as(ScoreRuns, {"runs": [run_id], "measures": ["red"]})
    ended = context.jobs.wait(start_scoring(context, OWNER, wanted)["job"], 300)
    assert (ended.status, ended.total) == ("done", len(left))
    assert ended.title == "Redness of 1 run"
    of_items = scores.of_items(IMAGE, before)
    assert set(of_items) == set(before)
    assert scores.images_without(RED, other)
    for image_id, records in of_items.items():
        mean = float(context.srgb8(image_id)[..., 0].mean())
        if mean > 160:
            assert {record.reason for record in records} == {"Too red."}
        else:
            assert [record.value for record in records] == [mean]


def test_what_a_killed_app_had_scored_is_taken_in_once(
    filled: tuple[Context, list[str]],
) -> None:
    """Of its folder; what was stored before it was killed is not stored twice."""
    context, (_, other) = filled
    storage = context.storage
    lacking = storage.scores.images_without(RED, other)
    tasks = [
        work.ScoringTask(image_id, str(storage.images.path(image_id)), "", ("red",))
        for image_id in lacking
    ]
    index = storage.data_dir / FOLDER
    killed = work.begin_scoring(index / "killed", tasks, [RED], None)
    execute(killed)
    first = next(killed.records())
    storage.scores.add_many(first)
    count = storage.scores.count()
    ingest_interrupted_scores(context, index)
    assert storage.scores.count() - count == len(lacking) - len(first)
    assert set(storage.scores.of_items(IMAGE, lacking)) == set(lacking)
    assert not list(index.glob("*"))


def test_an_image_of_two_runs_is_scored_once(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        plan = sample_plan(prompts=6, images=1)
        folders = [sample_run(tmp_path, replace(plan, name=name)) for name in ("one", "two")]
        runs = ingest_copied(storage, folders)
        context = make_context(storage, "data")
        images = storage.scores.images_without(RED, runs[0])
        assert set(images) == set(storage.scores.images_without(RED, runs[1]))
        job = job_alone("scores")
        score_runs(context, runs, [RED], job)
        assert job.record.total == storage.scores.count() == len(set(images))
        context.close()


def test_scores_are_stored_while_the_others_are_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.core.batch.execute._STATE_S", 0.0)
    monkeypatch.setattr(work, "PICTURES_AT_ONCE", 1)
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        runs = fill_copied(storage, tmp_path / "runs", ("model-a",), prompts=6, images=1)
        context = make_context(storage, "data")
        total = len(storage.scores.images_without(RED, runs[0]))
        stored: list[int] = []
        execute_it = scoring.execute

        def watched(*values: Any, watch: Callable[[BatchState], None], **more: Any) -> BatchState:
            def told(state: BatchState) -> None:
                watch(state)
                stored.append(storage.scores.count())

            return execute_it(*values, watch=told, **more)

        monkeypatch.setattr(scoring, "execute", watched)
        monkeypatch.setattr(scoring, "STORE_S", 0.0)
        # In a time that stands still it is always time to store.
        monkeypatch.setattr(scoring, "time", SimpleNamespace(monotonic=lambda: 0.0))
        score_runs(context, runs, [RED], job_alone("scores"))
        assert any(0 < count < total for count in stored)
        assert storage.scores.count() == total
        context.close()


def test_many_scores_are_stored_a_part_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "_MAX_AT_ONCE", 4)
    monkeypatch.setattr(work, "PICTURES_AT_ONCE", 1)
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        runs = fill_copied(storage, tmp_path / "runs", ("model-a",), prompts=6, images=1)
        context = make_context(storage, "data")
        images = storage.scores.images_without(RED, runs[0])
        score_runs(context, runs, [RED], job_alone("scores"))
        assert 4 < len(images) == storage.scores.count() <= 8
        assert storage.scores.changes == 2
        assert set(storage.scores.of_items(IMAGE, images)) == set(images)
        context.close()


def test_a_file_that_is_gone_is_unscored(filled: tuple[Context, list[str]]) -> None:
    context, (_, other) = filled
    lacking = context.storage.scores.images_without(RED, other)[-1]
    (path,) = (context.storage.data_dir / "images").rglob(f"{lacking}.png")
    content = path.read_bytes()
    path.unlink()
    try:
        score_runs(context, [other], [RED], job_alone("scores"))
    finally:
        path.write_bytes(content)
    score_mean = context.storage.scores.mean_of_run(RED, other)
    assert any(reason.startswith("The picture cannot be read") for reason in score_mean.unscored)
    score_runs(context, [other], [RED], job_alone("scores"))


def test_the_wall_stands_in_the_order_of_a_measure(filled: tuple[Context, list[str]]) -> None:
    context, (run_id, _) = filled
    score_runs(context, [run_id], [RED], job_alone("scores"))
    ids = [entry["id"] for entry in failures_view(context, {})["sorts"]]
    assert ids == ["red-up", "red", "liked", "liked-up"]
    for sort, sign in (("red", -1.0), ("red-up", 1.0)):
        for query in ({"status": ""}, {"status": "", "task": "coa"}):
            images = wall(context, runs=run_id, sort=sort, **query)
            names = [(item["run_id"], item["position"]) for item in images]
            plain = wall(context, runs=run_id, sort="prompt", **query)
            assert sorted(names) == sorted((item["run_id"], item["position"]) for item in plain)
            values = context.storage.scores.values(
                RED, IMAGE, [str(item["image_id"]) for item in images]
            )
            numbers = [values.get(str(item["image_id"])) for item in images]
            with_score = [number for number in numbers if number is not None]
            assert with_score == sorted(with_score, key=lambda number: sign * number)
            assert numbers[len(with_score) :] == [None] * (len(numbers) - len(with_score))
            assert images[0]["score"] == f"Redness {with_score[0]:.1f}"
    assert "score" not in wall(context, sort="recent")[0]
    # Objects of one picture stand once, with a filter on objects too.
    object_name = str(wall(context, runs=run_id, status="")[0]["object"])
    images = wall(context, runs=run_id, status="", object=object_name, sort="red")
    assert len({item["position"] for item in images}) == len(images)
    with pytest.raises(BadInput, match="There is no order 'beauty'"):
        failures_view(context, {"sort": "beauty"})


def test_runs_stand_beside_each_other_with_what_they_lack(
    filled: tuple[Context, list[str]],
) -> None:
    context, (run_id, other) = filled
    score_runs(context, [run_id, other], [RED], job_alone("scores"))
    view = measures_view(context, {})
    assert [measure["id"] for measure in view["measures"]] == ["red", "liked"]
    assert "higher is better" in view["measures"][0]["title"]
    rows = {row["id"]: row["cells"] for row in view["rows"]}
    assert set(rows) == {run_id, other}
    red, liked = rows[run_id]
    score_mean = context.storage.scores.mean_of_run(RED, run_id)
    assert red["value"] == score_mean.mean
    assert (red["scored"] + red["unscored"][0]["count"], red["missing"]) == (red["items"], 0)
    assert red["unscored"][0]["reason"] == "Too red."
    assert (liked["text"], liked["missing"]) == ("–", liked["items"])
    assert view["lacking"] == sum(item[0]["items"] - item[0]["scored"] for item in rows.values())
    # People's ratings come in: the next look has them.
    image_id = next(iter(context.storage.scores.images_without(LIKED, run_id)))
    context.storage.scores.add_many(
        [ScoreRecord(IMAGE, image_id, "liked", "1", value, scorer=str(value)) for value in (3, 8)]
    )
    row = next(row for row in measures_view(context, {})["rows"] if row["id"] == run_id)
    assert (row["cells"][1]["value"], row["cells"][1]["text"]) == (5.5, "6 points")
    lines = list(csv.DictReader(io.StringIO(measures_csv(context))))
    assert len(lines) == 4
    assert {line["mean"] for line in lines if line["measure"] == "liked"} == {"5.5", ""}


def test_the_two_numbers_called_delta_sat_stand_apart(
    filled: tuple[Context, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    context, (run_id, _) = filled
    monkeypatch.setattr(listed, "MEASURES", VIVID)
    saturation, of_image = VIVID
    images = context.storage.scores.images_without(saturation, run_id)
    values = [0.1 + 0.5 * (index % 2) for index in range(len(images))]
    context.storage.scores.add_many(
        [
            ScoreRecord(IMAGE, image_id, m.id, m.version, value, parameters=m.parameters)
            for image_id, s in zip(images, values, strict=True)
            for m, value in ((saturation, s), (of_image, abs(s - 0.33)))
        ]
    )
    view = measures_view(context, {})
    assert [(m["id"], m["name"], m["sort"]) for m in view["measures"]] == [
        ("mean_saturation", "Mean saturation", "mean_saturation"),
        ("delta_sat", "Mean of the images' ΔSat", "delta_sat"),
        ("delta_sat_of_mean", "ΔSat of the mean", "mean_saturation"),
    ]
    (row,) = (row for row in view["rows"] if row["id"] == run_id)
    mean, of_images, of_mean = (cell["value"] for cell in row["cells"])
    assert of_mean == pytest.approx(abs(mean - 0.33))
    assert of_images > of_mean + 0.1
    lines = csv.DictReader(io.StringIO(measures_csv(context)))
    written = [line["mean"] for line in lines if line["measure"] == "delta_sat_of_mean"]
    assert sorted(written)[0] == ""
    assert float(sorted(written)[1]) == pytest.approx(of_mean, abs=1e-6)


def test_what_cannot_be_scored_is_refused_in_words(filled: tuple[Context, list[str]]) -> None:
    context, _ = filled
    for wish, text in (
        ({"measures": ["beauty"]}, "There is no measure 'beauty'"),
        ({"measures": ["liked"]}, "Liked is not computed by TrueHue"),
    ):
        with pytest.raises(BadInput, match=text):
            start_scoring(context, OWNER, read_as(ScoreRuns, wish))
    with pytest.raises(NotStored):
        start_scoring(context, OWNER, read_as(ScoreRuns, {"runs": ["none"]}))


def test_without_runs_there_is_nothing_to_show(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "empty")) as storage:
        context = make_context(storage, "data")
        view = measures_view(context, {})
        assert (view["rows"], view["lacking"]) == ([], 0)
        context.close()
