"""``truehue vlm``: a set asked of a model by one command, taken up, and what is said of it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.core.generation.images_server import failure
from tests.core.vlm.chat_server import ChatServer
from tests.core.vlm.questions_made import save_set
from tests.workers_here import workers_here
from truehue.core.cli.vlm import main
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.prompting import Style, prompt_text
from truehue.core.vlm.question_set import open_set

__all__ = ["workers_here"]


def test_a_set_is_asked_of_a_server_within_a_budget_and_goes_on(
    tmp_path: Path, workers_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    target = save_set(tmp_path / "set", 6)
    server = ChatServer()
    server.answers = [failure(400, "Too large")]
    with server.running():
        parts = ["run", str(target), "--out", str(tmp_path / "out"), "--model", server.base_url]
        parts += ["--name", "color-vlm", "--at-once", "1", "--style", "reasoned"]
        assert main([*parts, "--most-requests", "3"]) == 3
        message = capsys.readouterr()
        assert "2 of 6 questions answered" in message.out
        assert "Spent so far: 3 requests, 70 tokens." in message.out
        assert "budget is used up: 3 of 3 requests. Raise it to go on. Run the same" in message.out
        assert main(parts) == 2
        assert "1 without an answer: The server cannot answer" in capsys.readouterr().err
        assert main([*parts, "--retry-failed"]) == 0
        assert "6 of 6 questions answered" in capsys.readouterr().out
        assert main([*parts, "--image", "gray"]) == 2
        assert "started with other settings" in capsys.readouterr().err
    values = list(EvaluationWork(tmp_path / "out").answers())
    assert [item.question_id for item in values] == [f"q{n:03d}" for n in range(6)]
    text = server.got[0][1]["messages"][0]["content"][1]["text"]
    question = next(open_set(target).questions())
    assert text == prompt_text(question, Style.REASONED)


def test_a_set_is_answered_by_the_tasks_of_a_job_array(
    tmp_path: Path, workers_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the script's own line, with the answers of one worker."""
    target, alone, shared = save_set(tmp_path / "set", 6), tmp_path / "alone", tmp_path / "shared"
    asked = ["--model", "chance", "--seed", "3", "--image", "gray"]
    assert main(["run", str(target), *asked, "--out", str(alone)]) == 0
    assert main(["script", str(target), *asked, "--out", str(shared), "--slurm", "--array=4"]) == 0
    text = capsys.readouterr().out
    assert "#SBATCH --array=1-4" in text
    command = shlex.split(text.splitlines()[-1])
    assert command[2:6] == ["-m", "truehue", "vlm", "run"]
    for number in (3, 1, 4):
        values = [part.replace("$SLURM_ARRAY_TASK_ID", str(number)) for part in command[5:]]
        assert main(values) == 0
    capsys.readouterr()
    assert main(["merge", str(shared)]) == 3
    merged = capsys.readouterr().out
    assert "4 of 6 questions answered" in merged
    assert "Start the tasks of the job array again" in merged
    assert "the same command" not in merged  # that would merge again
    assert main([*command[5:-1], "2/4"]) == 0
    assert main(["merge", str(shared)]) == 0
    answers = [
        [(item.position, item.words) for item in EvaluationWork(path).answers()]
        for path in (alone, shared)
    ]
    assert answers[0] == answers[1]
    server = ["--model", "http://127.0.0.1:1/v1", "--name", "m", "--out", str(shared)]
    for refused in (["run", "--shard", "1/2"], ["script", "--slurm"]):
        assert main([refused[0], str(target), *server, *refused[1:]]) == 2


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--model", "nothing at all"], "is no model"),
        (["--model", "qwen2.5-vl-3b", "--models", "."], "hf download Qwen/Qwen2.5-VL-3B-Instruct"),
        (["--model", "http://127.0.0.1:1/v1"], "Name the model"),
        (["--model", "http://127.0.0.1:1/v1", "--name", "m", "--workers", "2"], "--at-once"),
        (["--model", "a/b", "--threads", "0"], "at least 1"),
        (["--model", "http://127.0.0.1:1/v1", "--name", "m", "--with", "{"], "takes a JSON object"),
        (
            ["--model", "http://127.0.0.1:1/v1", "--name", "m", "--with", "[1]"],
            "takes a JSON object",
        ),
        (["--model", "pixels", "--tasks", "sepia"], "no questions of 'sepia'"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_begins(
    arguments: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = save_set(tmp_path / "set", 1)
    assert main(["run", str(target), "--out", str(tmp_path / "out"), *arguments]) == 2
    assert text in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_list_says_how_to_get_what_is_not_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "--models", str(tmp_path)]) == 0
    message = capsys.readouterr().out
    assert "qwen2.5-vl-3b  Qwen/Qwen2.5-VL-3B-Instruct, 3.8 billion weights" in message
    assert "hf download deepseek-community/Janus-Pro-1B" in message
