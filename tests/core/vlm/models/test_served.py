"""Served models against a real server on this machine, in its good and its bad hours."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import re
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from math import exp
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.core.generation.images_server import answer_json, failure
from tests.core.vlm.chat_server import ChatServer, completion
from tests.core.vlm.questions_made import flat
from truehue.core.errors import BadInput, ImageError
from truehue.core.images.load import load_image
from truehue.core.vlm.models.busy import BusyRetry
from truehue.core.vlm.models.records import (
    CannotAnswer,
    EvaluationStopped,
    ImagePrompt,
    NoReply,
    Reply,
    Sampling,
)
from truehue.core.vlm.models.registry import fingerprint, model_of
from truehue.core.vlm.models.served import Budget, ServedAnswerer

pytestmark = pytest.mark.slow

KEY = "sk-a-very-secret-key"
SHORT = Sampling(max_tokens=9)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody-else")
    monkeypatch.setattr("truehue.core.vlm.models.served.FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr("truehue.core.generation.backends.endpoints._FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr("truehue.core.vlm.models.busy.FIRST_WAIT_S", 0.01)
    server = ChatServer()
    with server.running():
        yield server


def ask(number: int = 0) -> ImagePrompt:
    return ImagePrompt(f"Which color is picture {number}?", lambda: flat(number), seed=number)


def answered(
    url: str,
    image_prompts: list[ImagePrompt],
    sampling: Sampling = SHORT,
    budget: Budget | None = None,
    **fields: Any,
) -> list[Reply | NoReply]:
    model = ServedAnswerer(model_of(url, {"model": "color-vlm", **fields}), budget)
    try:
        return list(model.answers(image_prompts, sampling, lambda: False))
    finally:
        model.close()


def test_a_redirect_to_another_host_gets_no_picture(server: ChatServer) -> None:
    class Redirects(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(307)
            self.send_header("Location", f"{server.base_url}/chat/completions")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Redirects) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(CannotAnswer, match="redirects to another host"):
            answered(f"http://127.0.0.1:{other.server_port}/v1", [ask()])
        other.shutdown()
    assert server.got == []


@pytest.mark.parametrize(
    ("named", "requested", "location"),
    [
        ("https://vlm.example:443/v1", "https://vlm.example/v1/chat/completions", ""),
        ("http://VLM.example:80/v1", "http://vlm.example/v1/chat/completions", ""),
        ("https://bücher.example/v1", "https://xn--bcher-kva.example/v1/chat/completions", ""),
        ("http://vlm.example/v1", "https://vlm.example/v1/chat/completions", ""),
        ("https://vlm.example/v1", "http://vlm.example/v1/chat/completions", "without encryption"),
        ("https://vlm.example/v1", "https://vlm.example:8443/v1", "to another host"),
        ("https://vlm.example/v1", "https://vlm.example.org/v1", "to another host"),
    ],
)
def test_an_address_is_another_host_by_what_it_means(
    named: str, requested: str, location: str
) -> None:
    from openai import DefaultAsyncHttpxClient

    model = ServedAnswerer(model_of(named, {"model": "m"}))
    check = model._check_host(DefaultAsyncHttpxClient().build_request("POST", requested))
    try:
        if location:
            with pytest.raises(CannotAnswer, match=f"redirects {location}"):
                asyncio.run(check)
        else:
            asyncio.run(check)
    finally:
        model.close()


def test_a_server_that_is_busy_and_names_no_time_is_not_asked_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("truehue.core.vlm.models.busy.FIRST_WAIT_S", 20.0)
    said: list[str] = []
    patience = BusyRetry(said.append)
    response = SimpleNamespace(headers={"retry-after": "0"})
    for _ in range(3):
        error = SimpleNamespace(status_code=429, code=None, response=response)
        assert patience.is_refused(error, time.monotonic())
    assert [text.partition("again in ")[2].partition(",")[0] for text in said] == [
        "20 s",
        "40 s",
        "60 s",
    ]


def one(server: ChatServer, **fields: Any) -> Reply | NoReply:
    (reply,) = answered(server.base_url, [ask()], **fields)
    return reply


def test_images_go_without_loss_and_answers_come_in_order(server: ChatServer) -> None:
    replies = answered(server.base_url, [ask(n) for n in range(9)], at_once=3)
    for number, reply in enumerate(replies):
        assert isinstance(reply, Reply)
        red, green, blue = flat(number)[0, 0]
        height, width, _ = flat(number).shape
        assert reply.words == f"({red}, {green}, {blue}) of {width}x{height}"
        assert (reply.width, reply.height, reply.ending) == (width, height, "stop")
        assert (reply.tokens_in, reply.tokens_out, reply.requests) == (30, 5, 1)
        assert reply.answered_by == "color-vlm-2026"
    headers, target = server.got[0]
    assert {name: target[name] for name in ("model", "max_tokens", "temperature")} == {
        "model": "color-vlm",
        "max_tokens": 9,
        "temperature": 0.0,
    }
    assert "seed" not in target
    # Nobody else's key or organization goes to this server.
    assert "somebody" not in json.dumps(headers)


def test_only_what_a_server_takes_is_sent(server: ChatServer) -> None:
    one(server, length="max_completion_tokens", temperature=False)
    target = server.got[0][1]
    assert target["max_completion_tokens"] == 9
    assert not {"max_tokens", "temperature", "seed"} & set(target)
    answered(server.base_url, [ask(7)], Sampling(9, 0.7))
    assert (server.got[1][1]["temperature"], server.got[1][1]["seed"]) == (0.7, 7)


def test_the_key_goes_to_the_server_and_nowhere_else(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("OUR_KEY", raising=False)
    with pytest.raises(CannotAnswer, match="set the environment variable OUR_KEY"):
        one(server, key_env="OUR_KEY")
    monkeypatch.setenv("OUR_KEY", KEY)
    server.answers = [failure(401, f"Incorrect API key provided: {KEY}", "invalid_api_key")]
    with caplog.at_level(logging.DEBUG), pytest.raises(CannotAnswer, match="OUR_KEY") as caught:
        one(server, key_env="OUR_KEY")
    assert "(the key)" in str(caught.value)
    with caplog.at_level(logging.DEBUG):
        one(server, key_env="OUR_KEY")
    assert server.got[-1][0]["authorization"] == f"Bearer {KEY}"
    model = model_of(server.base_url, {"model": "m", "key_env": "OUR_KEY"})
    for message in (str(caught.value), json.dumps(model.as_json()), repr(model), caplog.text):
        assert KEY not in message
    assert fingerprint(model) == fingerprint(model_of(f"{server.base_url}/", {"model": "m"}))


def test_a_busy_server_is_asked_again_and_one_that_is_gone_ends_it(server: ChatServer) -> None:
    server.answers = [failure(429, "Slow down", retry_after="0.01"), failure(503, "Overloaded")]
    reply = one(server)
    assert isinstance(reply, Reply)
    assert reply.requests == 3
    server.answers = [failure(429, "No money", "insufficient_quota")]
    with pytest.raises(CannotAnswer, match=r"no more requests for now \(429\). No money"):
        one(server)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    with pytest.raises(CannotAnswer, match=r"cannot be reached .* Is it running"):
        answered(url, [ask()])


def test_a_server_that_refuses_all_questions_alike_ends_it(server: ChatServer) -> None:
    def refused(number: int) -> Any:
        return failure(400, f"Unsupported parameter: max_tokens (request req-0a1b2c3d4e5f{number})")

    server.answers = [refused(number) for number in range(60)]
    with pytest.raises(CannotAnswer, match=r"5 questions in a row.*max_tokens.*--length-by"):
        answered(server.base_url, [ask(n) for n in range(60)], at_once=2)
    assert len(server.got) <= 7
    # Refusals of their own kind, or after an answer, are of their questions.
    server.answers = [failure(400, f"Image {'x' * number} is too large") for number in range(6)]
    assert len(answered(server.base_url, [ask(n) for n in range(6)], at_once=1)) == 6
    server.answers = [completion("B"), *(failure(400, "Too large") for _ in range(6))]
    assert len(answered(server.base_url, [ask(n) for n in range(7)], at_once=1)) == 7
    server.answers = [failure(400, "Too large") for _ in range(6)]
    before = Budget(spent_tokens=70)
    replies = answered(server.base_url, [ask(n) for n in range(6)], budget=before, at_once=1)
    assert len(replies) == 6


def test_a_busy_server_is_waited_for_and_that_is_said(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.core.vlm.models.busy.FIRST_WAIT_S", 0.01)
    monkeypatch.setattr("truehue.core.vlm.models.busy.LONGEST_STEP_S", 0.02)
    said: list[str] = []
    server.answers = [failure(429, "Slow down") for _ in range(8)]
    model = ServedAnswerer(
        model_of(server.base_url, {"model": "m", "at_once": 1}), None, said.append
    )
    (reply,) = model.answers([ask()], SHORT, lambda: False)
    assert isinstance(reply, Reply)
    assert (reply.requests, len(said), said[-1]) == (9, 9, "")
    assert re.fullmatch(r"The server is busy \(429\): asking again in 0 s, at .* UTC\.", said[0])
    # Whoever wants an end does not wait for it.
    server.answers = [failure(429, "Slow down", retry_after="3000")]
    with pytest.raises(EvaluationStopped):
        list(model.answers([ask()], SHORT, lambda: "asking again in 50 min" in said[-1]))
    model.close()
    # Too much patience is not asked of anybody.
    server.answers = [failure(429, "Come back tomorrow", retry_after="86400")]
    with pytest.raises(CannotAnswer, match=r"no more requests for now \(429\). Come back"):
        one(server)


@pytest.mark.parametrize(
    ("answer", "text", "counts"),
    [
        (failure(400, "Image too large"), r"cannot answer this \(400\): Image too large", False),
        (failure(500, "Out of memory"), r"failed \(500\). Out of memory", True),
        ((200, {"Content-Type": "application/json"}, b"{no"), "cannot be read", True),
        (completion(None, "content_filter"), "declines to answer", False),
    ],
)
def test_a_question_without_an_answer_has_its_reason(
    server: ChatServer, answer: Any, text: str, counts: bool
) -> None:
    server.answers = [answer]
    replies = answered(server.base_url, [ask(), ask(1)], at_once=1)
    assert isinstance(replies[0], NoReply)
    assert isinstance(replies[1], Reply)
    with pytest.raises(NoReply, match=text):
        raise replies[0]
    assert (replies[0].counts, replies[0].requests) == (counts, 1)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (failure(404, "No model color-vlm"), "knows no such address or model"),
        (answer_json(200, {"data": []}), "no chat completion"),
    ],
)
def test_a_server_that_can_answer_nothing_ends_it(
    server: ChatServer, answer: Any, text: str
) -> None:
    server.answers = [answer]
    with pytest.raises(CannotAnswer, match=text):
        one(server)


def test_odd_answers_are_answers(server: ChatServer) -> None:
    server.answers = [
        completion(None, refusal="I cannot see."),
        completion(""),
        completion("(A", "length"),
        completion("B", None),  # type: ignore[arg-type]
    ]
    replies = answered(server.base_url, [ask(n) for n in range(4)], at_once=1)
    message = [(reply.words, reply.ending) for reply in replies if isinstance(reply, Reply)]
    assert message == [("I cannot see.", "stop"), ("", "stop"), ("(A", "length"), ("B", "")]


def test_a_late_answer_and_a_broken_image_cost_their_question(server: ChatServer) -> None:
    def broken() -> np.ndarray:
        raise ImageError("The image is cut short.")

    server.hold.set()
    reply = one(server, timeout_s=0.1)
    assert isinstance(reply, NoReply)
    assert "within 0.1 seconds" in str(reply)
    server.hold.clear()
    target = len(server.got)
    (reply,) = answered(server.base_url, [ImagePrompt("?", broken)])
    assert isinstance(reply, NoReply)
    assert not reply.counts
    assert len(server.got) == target


def test_a_budget_ends_it_before_the_next_request(server: ChatServer) -> None:
    for limit, count in (
        (Budget(requests=3), 3),
        (Budget(tokens=70), 2),
        (Budget(tokens=70, spent_tokens=69), 1),
    ):
        server.got.clear()
        model = ServedAnswerer(model_of(server.base_url, {"model": "m", "at_once": 1}), limit)
        answers = model.answers([ask(n) for n in range(9)], SHORT, lambda: False)
        assert all(isinstance(next(answers), Reply) for _ in range(count))
        with pytest.raises(CannotAnswer, match=r"budget is used up: .* Raise it to go on"):
            next(answers)
        assert len(server.got) == count
        model.close()
    with pytest.raises(BadInput, match="at least 1"):
        Budget(requests=0)


def test_a_stop_gives_up_what_is_under_way(server: ChatServer) -> None:
    server.hold.set()
    model = ServedAnswerer(model_of(server.base_url, {"model": "m", "at_once": 3}))
    answers = model.answers([ask(n) for n in range(9)], SHORT, server.asked.is_set)
    with pytest.raises(EvaluationStopped):
        next(answers)
    model.close()
    # The server has not answered yet.
    assert server.hold.is_set()
    assert 1 <= len(server.got) <= 3
    server.hold.clear()


def test_extra_fields_and_smaller_images_are_sent_and_letters_come_back(
    server: ChatServer,
) -> None:
    top = [
        {"token": "B", "logprob": -0.5, "bytes": None},
        {"token": " B", "logprob": -3.0, "bytes": None},
        {"token": "(A", "logprob": -2.0, "bytes": None},
        {"token": "The", "logprob": -2.5, "bytes": None},
    ]
    token = {**top[0], "top_logprobs": top}
    server.answers = [completion("B", logprobs_content=[token])]
    settings = {
        "model": "m",
        "extra": {"reasoning_effort": "low"},
        "max_side_px": 30,
        "logprobs": True,
    }
    model = ServedAnswerer(model_of(server.base_url, settings))
    pixels = np.zeros((40, 60, 3), np.uint8)
    pixels[:, 30:] = 255
    question = ImagePrompt("Which?", lambda: pixels, letters="ABC")
    (reply,) = model.answers([question], SHORT, lambda: False)
    model.close()
    assert isinstance(reply, Reply)
    sent = server.got[0][1]
    assert sent["reasoning_effort"] == "low"
    assert (sent["logprobs"], sent["top_logprobs"]) == (True, 20)
    data = sent["messages"][0]["content"][0]["image_url"]["url"].partition(",")[2]
    srgb8 = load_image(base64.b64decode(data)).srgb8
    assert (srgb8.shape, (reply.width, reply.height)) == ((20, 30, 3), (30, 20))
    # Means of what they cover: nothing beyond the two colors but where they meet.
    assert np.unique(srgb8).tolist() == [0, 255]
    assert reply.letters == pytest.approx({"A": exp(-2), "B": exp(-0.5) + exp(-3), "C": 0})


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"extra": {"messages": []}}, "messages has a setting of its own"),
        ({"extra": [1]}, "a JSON object"),
        ({"max_side_px": 0}, "max_side_px is a number from 1"),
    ],
)
def test_fields_that_are_settings_are_refused(settings: dict, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        model_of("http://127.0.0.1:1/v1", {"model": "m", **settings})
