"""What commands say of long work, and their exit status."""

from __future__ import annotations

import pytest

from truehue.core import command
from truehue.core.batch.records import BatchState
from truehue.core.command import batch_progress, exit_status, print_problems, status_of
from truehue.core.errors import BadInput


def test_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = batch_progress("groups")
    state = BatchState("x", "running", 2000, 1812, seconds_left=150.0)
    line(state)
    assert capsys.readouterr().err == "", "nothing in the first ten seconds"
    monkeypatch.setattr(command, "LINE_S", 0.0)
    batch_progress("groups")(state)
    assert capsys.readouterr().err == "1,812 of 2,000 groups, about 2 min left\n"
    batch_progress("questions", lambda: "The server is busy.")(state)
    message = "1,812 of 2,000 questions, about 2 min left · The server is busy.\n"
    assert capsys.readouterr().err == message


def test_how_work_ended(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_status(BatchState("x", "finished", 2, 2)) == 0
    failed = BatchState("x", "finished", 2, 2, 1, problems=(("Too large.", 1),))
    print_problems(failed, "a result")
    assert exit_status(failed) == 2
    assert exit_status(BatchState("x", "paused", 2, 1, message="No budget.")) == 3
    said = capsys.readouterr()
    assert said.err == "1 without a result: Too large.\n"
    assert said.out == "No budget. Run the same command again to resume.\n"


def test_errors_and_interrupts_have_their_status(capsys: pytest.CaptureFixture[str]) -> None:
    def raising(error: BaseException) -> int:
        raise error

    assert status_of(lambda: 3) == 3
    assert status_of(lambda: raising(BadInput("No."))) == 2
    assert status_of(lambda: raising(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == "No.\nStopped.\n"
    with pytest.raises(ZeroDivisionError):
        status_of(lambda: raising(ZeroDivisionError()))
