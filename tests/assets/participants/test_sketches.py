"""Which sketch comes next, and what was done on it, whatever is stored and whatever still waits."""

from __future__ import annotations

from typing import Any

import pytest

from tests.node import run_module

pytestmark = pytest.mark.process

FILL = {"do": "fill", "x": 1, "y": 2, "closing": 0, "color": "#aabbcc"}
UNDO = {"do": "undo"}


def sketch(position: int, part: str = "trial", **values: Any) -> dict[str, Any]:
    message = {"position": position, "practice": part == "training", "words": f"thing {position}"}
    return {**message, "original": 0 if part == "second" else None, **values}


def waits(kind: str, position: int, body: Any = None, index: int | None = None) -> dict[str, Any]:
    event: dict[str, Any] = {"id": f"{kind} {position} {index}", "kind": kind, "position": position}
    event["body"] = body or {}
    return event if index is None else {**event, "place": index}


def told(
    code: str,
    trials: list[dict[str, Any]],
    answered: list[int] | None = None,
    waiting: list[dict[str, Any]] | None = None,
    saved: list[dict[str, Any]] | None = None,
    **participant: Any,
) -> Any:
    """What the code says of ``it``: sketches of a study with two for practice and three more."""
    state = {
        "study": {"practice": {"count": 2, "review": "researcher"}},
        "participant": {
            "number_of_trials": 5,
            "positions_answered": answered or [],
            "practice": {"stage": "open", "reason": ""},
            **participant,
        },
        "trials": trials,
        "kept": saved or [],
    }
    return run_module(
        "const { Sketches } = await load('participants/sketches');"
        "const it = new Sketches(value.state, () => value.waiting);" + code,
        {"state": state, "waiting": waiting or []},
    )


@pytest.mark.parametrize("stored", range(4))
def test_a_log_is_what_is_stored_and_what_waits_each_once(stored: int) -> None:
    """Also where the study stored actions and the page never heard of it."""
    log = [FILL, UNDO, FILL]
    waiting = [waits("action", 2, action, index) for index, action in enumerate(log)]
    waiting.append(waits("action", 3, {"do": "clear"}, 0))
    trials = [sketch(2, actions=log[:stored]), sketch(3)]
    code = "return [[...it.log(2)], it.did(2, { do: 'redo' }), it.log(2).length];"
    assert told(code, trials, waiting=waiting) == [log, 3, 4]


def test_what_was_confirmed_since_the_study_was_asked_is_not_lost() -> None:
    log = [FILL, UNDO, FILL]
    saved = [waits("action", 2, action, index) for index, action in enumerate(log)]
    trials = [sketch(2, actions=log[:1])]
    for waiting in ([], saved[2:], saved):
        assert told("return it.log(2)", trials, waiting=waiting, saved=saved) == log
    renewed = "it.log(2); it.renew({ ...value.state }, value.state.kept); return it.log(2);"
    assert told(renewed, trials, saved=saved) == log


@pytest.mark.parametrize(
    ("trials", "answered", "waiting", "started"),
    [
        ([sketch(0, actions=[])], [], [], False),
        ([sketch(0, actions=[FILL])], [], [], True),
        ([sketch(0)], [], [waits("action", 0, FILL, 0)], True),
        ([sketch(1)], [0], [], True),
    ],
)
def test_who_has_done_something_has_begun(
    trials: list[dict[str, Any]], answered: list[int], waiting: list[dict[str, Any]], started: bool
) -> None:
    assert told("return it.begun", trials, answered, waiting) is started


def test_what_is_answered_on_its_way_is_not_asked_again() -> None:
    trials = [sketch(2), sketch(3), sketch(4)]
    code = "return [it.open.map((one) => one.position), it.answered];"
    assert told(code, trials, [0, 1], [waits("answer", 2)]) == [[3, 4], 3]
    waiting = [waits("answer", 2), waits("undo", 2)]
    assert told(code, trials, [0, 1], waiting) == [[2, 3, 4], 2]


def test_the_sketch_before_is_opened_again_until_the_next_is_done() -> None:
    trials = [sketch(2, actions=[FILL]), sketch(3, actions=[]), sketch(4)]
    code = """
      const seen = [];
      const note = () => seen.push([it.undoable?.position ?? null, it.open[0]?.position ?? null]);
      note();
      it.reopen(2);
      note();
      it.answer(2);
      note();
      it.answer(3);
      note();
      it.answer(4);
      note();
      return [seen, it.log(2).length];
    """
    seen, _ = told(code, trials, [0, 1, 2])
    assert seen == [[2, 3], [None, 2], [2, 3], [3, 4], [4, None]]


def test_practice_that_is_over_stays_as_it_was_seen() -> None:
    trials = [sketch(0, "training"), sketch(1, "training"), sketch(2)]
    code = "return it.undoable?.position ?? null"
    assert told(code, trials[:2], [0]) == 0
    assert told(code, trials, [0, 1]) is None
    assert told(code, trials, [0, 1, 2]) == 2


def test_what_was_looked_at_or_is_colored_once_more_stays() -> None:
    rounds = [sketch(1, "training"), sketch(2, "training"), sketch(3, "training")]
    code = "return it.undoable?.position ?? null"
    assert told(code, rounds, [0, 1]) is None
    assert told(code, rounds, [0, 1, 2]) == 2
    twice = [sketch(4), sketch(5, "second", original=4)]
    assert told(code, twice, [0, 1, 2, 3, 4]) is None
    assert told(code, [sketch(4), sketch(5, "second", original=3)], [0, 1, 2, 3, 4]) == 4


def test_progress_counts_practice_sketches_and_second_colorings_each_by_itself() -> None:
    trials = [sketch(1, "training"), sketch(2), sketch(4), sketch(5, "second")]
    code = "return [1, 2, 4, 5].map((at) => it.progress(it.open.find((o) => o.position === at)))"
    named = told(code, trials, [0], number_of_trials=6)
    assert [(item["name"].split("_")[0], item["n"], item["of"]) for item in named] == [
        ("practice", 2, 2),
        ("sketch", 1, 3),
        ("sketch", 3, 3),
        ("second", 1, 1),
    ]


@pytest.mark.parametrize(
    ("trials", "answered", "practice", "text"),
    [
        ([sketch(0, "training"), sketch(1, "training")], [], "open", ""),
        ([sketch(2, "training"), sketch(3, "training")], [0, 1], "again", "again"),
        ([sketch(3, "training")], [0, 1, 2], "again", ""),
        ([sketch(2), sketch(3)], [0, 1], "accepted", "accepted"),
        ([sketch(2, actions=[FILL]), sketch(3)], [0, 1], "accepted", ""),
        ([sketch(3)], [0, 1, 2], "accepted", ""),
        ([sketch(4), sketch(5, "second")], [0, 1, 2, 3, 4], "accepted", "second"),
    ],
    ids=["first", "again", "in it", "accepted", "begun", "later", "second"],
)
def test_what_is_said_before_a_sketch(
    trials: list[dict[str, Any]], answered: list[int], practice: str, text: str
) -> None:
    code = "return it.before(it.open[0])"
    said = told(code, trials, answered, practice={"stage": practice, "reason": ""})
    assert said == text
