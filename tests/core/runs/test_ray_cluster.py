"""A run by Ray's actors, on a real cluster of this machine that the tests here share: at night, but
for who can reach it. ``test_ray.py`` says the same of actors in one process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.core.runs.samples import ROOT, done, rows, small_plan, some_prompts, workers_of
from tests.core.runs.test_execute import made
from truehue.core.batch.ray_team import ADDRESS, TOKEN, Cluster, RayTeam, cluster
from truehue.core.batch.team import TeamEvent
from truehue.core.errors import BadInput
from truehue.core.prompts.prompt import Prompt
from truehue.core.prompts.sets import prompt_set
from truehue.core.runs.records import ItemResult
from truehue.core.runs.worker import ExecutionSettings, RunWork, execute

# Ray's processes, which a test here starts or finds started.
pytestmark = pytest.mark.process


@pytest.fixture(scope="module", autouse=True)
def no_address() -> Iterator[None]:
    """Whatever cluster the machine belongs to, these tests start their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(ADDRESS, raising=False)
        yield


@pytest.fixture(scope="module")
def shared() -> Iterator[Cluster]:
    # As where the process joined another cluster before: Ray reads its settings when imported.
    import ray  # noqa: F401

    answer = signal.getsignal(signal.SIGTERM)
    # Ray starts a process for each of them; actors of this cluster are started beside those.
    with cluster(cpus=2) as result:
        assert signal.getsignal(signal.SIGTERM) is answer
        yield result


@pytest.fixture(scope="module")
def few() -> list[Prompt]:
    """In few scenes, which are what drawing takes its time for."""
    names = {"apple", "car"}
    single = [
        prompt
        for prompt in prompt_set("mini").prompts()
        if prompt.task in ("cna", "ncu") and prompt.targets[0].name in names
    ]
    return [*single[:30], *some_prompts(2, ("moc",))]


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory, few: list[Prompt]) -> list[ItemResult]:
    """The rows that an undisturbed worker writes."""
    folder = made(tmp_path_factory.mktemp("quiet"), small_plan(few))
    assert done(folder).status == "finished"
    return rows(folder)


def test_it_listens_on_this_machine_alone(shared: Cluster) -> None:
    import ray

    assert shared.own
    assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
    text = "uses a cluster of its own already"
    with pytest.raises(BadInput, match=text), cluster("10.0.0.1:6379"):
        pass


@pytest.mark.nightly
def test_actors_give_the_rows_of_a_process(
    shared: Cluster, tmp_path: Path, few: list[Prompt], quiet: list[ItemResult]
) -> None:
    two = made(tmp_path, small_plan(few))
    state = execute(two, ExecutionSettings(workers=2, team="ray"))
    assert (state.status, state.done, state.failed) == ("finished", 32, 0)
    assert rows(two) == quiet
    assert len(workers_of(two)) > 1
    assert not list(two.journal.iterdir())
    assert not (two.path / TOKEN).exists()


class OneDies(RayTeam):
    """Kills the first worker that has a few results in its journal and is at a batch."""

    killed: str = ""

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self.starts: list[str] = []

    def start(self, worker: str) -> None:
        self.starts.append(worker)
        super().start(worker)

    def events(self, timeout_s: float) -> list[TeamEvent]:
        events = super().events(timeout_s)
        for name, member in self._members.items():
            busy = member.task is not None and member.pid is not None
            if busy and not self.killed and self.written(name) >= 3:
                self.killed = name
                os.kill(member.pid or 0, signal.SIGKILL)
        return events

    def written(self, name: str) -> int:
        journals = (self._folder / "journal").glob(f"{name}-*.jsonl")
        return sum(path.read_bytes().count(b"\n") for path in journals)


@pytest.mark.nightly
def test_an_actor_that_is_killed_loses_and_repeats_nothing(
    shared: Cluster, tmp_path: Path, few: list[Prompt], quiet: list[ItemResult]
) -> None:
    plan = small_plan(few)
    shot = made(tmp_path, plan)
    team = OneDies(RunWork(shot.path), 1, 2)
    state = execute(shot, ExecutionSettings(workers=2), team=team)
    assert team.killed
    assert (state.status, state.done, state.failed) == ("finished", 32, 0)
    assert rows(shot) == quiet
    # What the killed one wrote down counts, and another one took its place.
    assert team.killed in workers_of(shot)
    # (Where processes start slowly, the other one may have done the rest before it begins.)
    assert len(team.starts) == 3
    assert len(workers_of(shot)) in (2, 3)


@pytest.mark.nightly
def test_a_cluster_that_was_joined_lives_on(
    shared: Cluster, tmp_path: Path, few: list[Prompt]
) -> None:
    import ray

    folder = made(tmp_path, small_plan(few[:6]))
    text = (
        "import sys; from truehue.core.runs.worker import ExecutionSettings, execute;"
        "from truehue.core.runs.folder import RunFolder;"
        "print(execute(RunFolder(sys.argv[1]), ExecutionSettings(workers=1, team='ray')).status)"
    )
    address = ray.get_runtime_context().gcs_address
    joined = subprocess.run(
        [sys.executable, "-c", text, str(folder.path)],
        cwd=ROOT,
        text=True,
        check=True,
        env={**os.environ, ADDRESS: address, "RAY_AUTH_MODE": "token"},
        capture_output=True,
    )
    assert joined.stdout.split() == ["finished"]
    assert len(rows(folder)) == 6
    assert ray.get(ray.remote(lambda: 7).remote()) == 7
