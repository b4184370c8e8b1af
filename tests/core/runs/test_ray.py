"""A run by Ray's actors: what the team asks of Ray, and what it makes of the answers. Actors here
are objects of this process; those of a real cluster are in ``test_ray_cluster.py``."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.core.batch.ray_here import Dies, RayHere, ray_here
from tests.core.runs.samples import apples, done, rows, small_plan, workers_of
from tests.core.runs.test_execute import made
from tests.shards import read_shard
from truehue.core.batch.ray_team import (
    ADDRESS,
    TOKEN,
    RayTeam,
    _Actor,
    _ended,
    check_shared,
    cluster,
)
from truehue.core.batch.team import BROKEN, DIED, TeamEvent
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import ItemResult, MaskerSpec
from truehue.core.runs.worker import ExecutionSettings, RunWork, execute

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever cluster the machine belongs to, these tests start their own."""
    monkeypatch.delenv(ADDRESS, raising=False)


@pytest.fixture
def ray() -> Iterator[RayHere]:
    with ray_here() as local:
        yield local


@pytest.fixture(scope="module")
def few() -> list[Prompt]:
    """In few scenes, which are what drawing takes its time for."""
    both = (
        ObjectTarget("apple", parse_target("css:red")),
        ObjectTarget("cube", parse_target("css:blue")),
    )
    return [*apples(12), Prompt("both", "a red apple and a blue cube", "moc", both)]


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory, few: list[Prompt]) -> list[ItemResult]:
    """The rows that an undisturbed worker writes."""
    folder = made(tmp_path_factory.mktemp("quiet"), small_plan(few))
    assert done(folder).status == "finished"
    return rows(folder)


# ── the cluster ──────────────────────────────────────────────────────────────────────────────────


def test_an_address_where_nobody_answers_is_said() -> None:
    text = r"No Ray cluster can be joined at 127\.0\.0\.1:1: .*RAY_ADDRESS"
    with pytest.raises(BadInput, match=text), cluster("127.0.0.1:1"):
        pass


def test_a_cluster_of_its_own_is_told_to_listen_here_alone_and_ends_with_its_last_user(
    ray: RayHere,
) -> None:
    answer, environment = signal.getsignal(signal.SIGTERM), dict(os.environ)
    with cluster(cpus=2) as first, cluster("local") as second:
        assert first is second
        assert (first.own, first.address, first.gpus) == (True, "", 0)
        assert signal.getsignal(signal.SIGTERM) is answer
        text = "uses a cluster of its own already"
        with pytest.raises(BadInput, match=text), cluster("10.0.0.1:6379"):
            pass
        assert ray.ended == 0
    assert ray.ended == 1
    (started,) = ray.begun
    assert (started["address"], started["num_cpus"], started["include_dashboard"]) == (
        "local",
        2,
        False,
    )
    # Only with this does Ray listen at 127.0.0.1, and only with a token does it answer others.
    assert started["environment"]["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] == "0"
    assert started["environment"]["RAY_AUTH_MODE"] == "token"
    assert started["environment"]["RAY_USAGE_STATS_ENABLED"] == "0"
    assert dict(os.environ) == environment


def test_a_cluster_is_joined_as_it_is(ray: RayHere, monkeypatch: pytest.MonkeyPatch) -> None:
    ray.gpus = 3
    with socket.create_server(("127.0.0.1", 0)) as head:
        address = f"127.0.0.1:{head.getsockname()[1]}"
        monkeypatch.setenv(ADDRESS, address)
        with cluster() as joined:
            assert (joined.own, joined.address, joined.gpus) == (False, address, 3)
    (started,) = ray.begun
    assert started["address"] == address
    assert "num_cpus" not in started
    assert started["environment"]["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] == "0"
    # The cluster's own way of asking who may come in is left alone.
    assert not {"RAY_AUTH_MODE", "RAY_USAGE_STATS_ENABLED"} & started["environment"].keys()


def test_what_ray_cannot_do_is_said(ray: RayHere, monkeypatch: pytest.MonkeyPatch) -> None:
    ray.refuses = "no room.\n  For nothing."
    with pytest.raises(TrueHueError, match=r"Ray could not start .*: no room\. For nothing\.$"):
        cluster().__enter__()
    with pytest.raises(BadInput, match=r"joined at auto: no room.*RAY_AUTH_MODE"):
        cluster("auto").__enter__()
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r"Install truehue\[ray\] to run on several machines"):
        cluster().__enter__()


# ── the team ─────────────────────────────────────────────────────────────────────────────────────


def test_actors_give_the_rows_of_a_process(
    ray: RayHere, tmp_path: Path, few: list[Prompt], quiet: list[ItemResult]
) -> None:
    two = made(tmp_path, small_plan(few))
    state = execute(two, ExecutionSettings(workers=2, team="ray", threads=3))
    assert (state.status, state.done, state.failed) == ("finished", 13, 0)
    assert rows(two) == quiet
    assert len(workers_of(two)) == 2
    assert not list(two.journal.iterdir())
    assert not (two.path / TOKEN).exists()
    assert ray.ended == 1
    for actor in ray.actors:
        assert actor.dead
        variables = actor.options.pop("runtime_env")["env_vars"]
        assert actor.options == {"num_cpus": 0, "max_restarts": 0}
        assert variables["OMP_NUM_THREADS"] == "3"
        assert variables["PYTHONPATH"].split(os.pathsep)[0] == str(Path(__file__).parents[3])


class OneDies(RayTeam):
    """Its first worker dies when it has a few results in its journal and is at a batch."""

    def start(self, worker: str) -> None:
        super().start(worker)
        member = self._members[worker]
        if len(self._members) == 1 and worker.endswith("w1"):
            opened = member.actor.of.open

            def open_to_die(*values: Any) -> Any:
                answer = opened(*values)
                journal = member.actor.of._worker._journal
                add = journal.add

                def add_three(row: Any) -> None:
                    if len(journal._rows) == 3:
                        raise Dies
                    add(row)

                journal.add = add_three
                return answer

            member.actor.of.open = open_to_die
            member.task.call = lambda: open_to_die(self._work, worker, self._token, self._threads)


def test_an_actor_that_dies_loses_and_repeats_nothing(
    ray: RayHere, tmp_path: Path, few: list[Prompt], quiet: list[ItemResult]
) -> None:
    shot = made(tmp_path, small_plan(few))
    team = OneDies(RunWork(shot.path), 1, 2)
    state = execute(shot, ExecutionSettings(workers=2), team=team)
    assert (state.status, state.done, state.failed) == ("finished", 13, 0)
    assert rows(shot) == quiet
    # What the dead one wrote down counts, and another one took its place.
    assert len(ray.actors) == 3
    written = [item.worker for path in shot.shards() for item in read_shard(path)]
    assert written.count("s001w1") == 3


def test_a_worker_of_a_joined_cluster_takes_a_gpu_where_it_needs_a_device(
    ray: RayHere, tmp_path: Path, few: list[Prompt]
) -> None:
    grounded = MaskerSpec("grounded", "grounding-dino-tiny", "sam-vit-b")
    ray.gpus = 1
    used = []
    with socket.create_server(("127.0.0.1", 0)) as head:
        address = f"127.0.0.1:{head.getsockname()[1]}"
        for plan in (small_plan(few), small_plan(few, masker=grounded)):
            work = RunWork(made(tmp_path, plan).path)
            team = RayTeam(work, 4, 1, address)
            assert team.pid("w1") is None
            assert team.events(0.0) == []
            team.start("w1")
            team.close()
            options = ray.actors[-1].options
            # Threads are the node's own affair.
            assert options["runtime_env"]["env_vars"]["OMP_NUM_THREADS"] == "1"
            used.append((work.needs_device(), options["num_cpus"], options.get("num_gpus")))
    assert used == [(False, 1, None), (True, 1, 1)]


def test_how_an_actor_ended_is_said() -> None:
    from ray import exceptions

    broken = exceptions.RayTaskError("open", "Traceback\nModuleNotFoundError: core.", OSError("x"))
    no_node = exceptions.ActorDiedError(broken)
    cases: list[tuple[Exception, str, str, str]] = [
        (no_node, "", BROKEN, "A node cannot run this project: "),
        (broken, "7 on a", DIED, "it broke (OSError: x)"),
        (
            exceptions.OutOfMemoryError("full"),
            "7 on a",
            DIED,
            "Ray ended its process 7 on a for want of memory",
        ),
        (
            exceptions.RaySystemError(OSError("its node has died")),
            "7 on a",
            DIED,
            "the node of its process 7 on a is gone",
        ),
        (
            exceptions.RaySystemError(OSError("why.")),
            "",
            DIED,
            "Ray could not start it: System error: why",
        ),
        (
            exceptions.ActorDiedError(),
            "7 on a",
            DIED,
            "its process 7 on a was ended, perhaps for want of memory",
        ),
    ]
    for error, location, kind, text in cases:
        event = _ended(error, "w1", location)
        assert (event.kind, event.worker, event.reason[: len(text)]) == (kind, "w1", text)


# ── the worker ───────────────────────────────────────────────────────────────────────────────────


def test_a_folder_that_a_worker_cannot_use_ends_the_run_with_the_reason(
    ray: RayHere, tmp_path: Path, few: list[Prompt]
) -> None:
    folder = made(tmp_path, small_plan(few))
    (folder.path / TOKEN).write_text("a")
    (folder.path / "prompts.jsonl.gz").write_bytes(b"cut off")
    event, pid, _ = _Actor().open(RunWork(folder.path), "w1", "a", 1)
    assert (event.kind, event.worker, pid) == (BROKEN, "w1", os.getpid())
    assert "prompts.jsonl.gz cannot be read" in event.reason


def test_a_worker_that_sees_another_folder_says_so(tmp_path: Path, few: list[Prompt]) -> None:
    folder = made(tmp_path, small_plan(few))
    (folder.path / TOKEN).write_text("a")
    check_shared(folder, "a")
    for path, token, seen in (
        (folder.path, "b", f"there is the run {folder.run_id}, but not the folder"),
        (tmp_path / "elsewhere", "a", "there is no run at"),
    ):
        with pytest.raises(BadInput, match=seen) as caught:
            check_shared(RunFolder(path), token, wait_s=0.0)
        assert str(caught.value).endswith("a folder that all nodes share under the same path.")


def test_a_folder_that_cannot_be_written_any_more_is_no_death(
    ray: RayHere, tmp_path: Path, few: list[Prompt]
) -> None:
    folder = made(tmp_path, small_plan(few))
    team = RayTeam(RunWork(folder.path), 1, 1)
    team.start("w1")
    (ready,) = team.events(1.0)
    folder.journal.rmdir()
    from truehue.core.batch.team import Batch

    team.give("w1", Batch(0, ((0, 1),)))
    (event,) = team.events(1.0)
    assert ready == TeamEvent("ready", "w1")
    assert (event.kind, "cannot be written" in event.reason) == (BROKEN, True)
    assert team.pid("w1") == os.getpid()
    folder.journal.mkdir()
    team.close()
