"""Served models against a real server on this machine, in its good and its bad hours."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.core.generation.images_server import ImagesServer, answer_json, failure, picture
from truehue.core.engine import Delivery, Engine
from truehue.core.errors import BadInput
from truehue.core.generation.backends.endpoints import Endpoint, EndpointFailed, ServedModel
from truehue.core.generation.request import Cancelled, GeneratedImage, GenerationRequest, StepReport
from truehue.core.images.load import encode_png

pytestmark = pytest.mark.slow

RED = GenerationRequest("served:ours", "a photo of a red mug", seed=5)
KEY = "sk-a-very-secret-key"
WAIT_S = 300.0


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ImagesServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody-else")
    with ImagesServer().running() as running:
        yield running


def served(server: ImagesServer, **fields: Any) -> ServedModel:
    return ServedModel(
        Endpoint(
            **{"name": "ours", "base_url": server.base_url, "width": 96, "height": 64, **fields}
        )
    )


def drawn(model: ServedModel, request: GenerationRequest = RED) -> GeneratedImage:
    (image,) = model.draw([request], lambda report: None, threading.Event())
    return image


def test_draws(server: ImagesServer) -> None:
    model, steps = served(server, model="OmniGen2", fields={"seed": "seed"}), list[StepReport]()
    requests = [RED, replace(RED, text="a blue mug", width=128, height=128)]
    first, second = model.draw(requests, steps.append, threading.Event())
    assert np.array_equal(first.srgb8, picture(RED.text, "96x64"))
    assert np.array_equal(second.srgb8, picture("a blue mug", "128x128"))
    assert [(step.step, step.steps) for step in steps] == [(1, 1), (1, 1)]
    headers, target = server.got[0]
    assert target == {
        "prompt": RED.text,
        "n": 1,
        "size": "96x64",
        "model": "OmniGen2",
        "response_format": "b64_json",
        "seed": 5,
    }
    assert first.notes == ()
    origin = dict(first.origin)
    assert json.loads(json.dumps(origin)) == origin
    assert origin["reproducible"] == "not reproducible: served"
    assert origin["sent"] == {"seed": 5}
    assert (origin["model"], origin["served_model"]) == ("served:ours", "OmniGen2")
    assert (origin["width"], origin["height"]) == (96, 64)
    # Nobody else's key or organization goes to this server.
    assert "somebody" not in json.dumps(headers)
    assert headers["authorization"] == "Bearer none"
    assert (model.memory_bytes, model.batch_size) == (0, 1)
    model.unload()


def test_only_what_the_server_takes_is_sent(server: ImagesServer) -> None:
    plain = served(server, response_format="")
    drawn(plain)
    assert server.got[0][1] == {"prompt": RED.text, "n": 1, "size": "96x64"}
    full = {**RED.__dict__, "steps": 20, "guidance": 4.5, "negative_text": "blurry"}
    names = {"steps": "num_inference_steps", "guidance": "cfg", "negative_text": "negative_prompt"}
    drawn(served(server, fields=names), GenerationRequest(**full))
    target = server.got[1][1]
    assert (target["num_inference_steps"], target["cfg"]) == (20, 4.5)
    assert target["negative_prompt"] == "blurry"
    assert "seed" not in target
    for name in names:
        with pytest.raises(BadInput, match=f"not set up to take {name}"):
            drawn(plain, replace(RED, **{name: full[name]}))
    with pytest.raises(BadInput, match="prompt is empty"):
        drawn(plain, replace(RED, text=" "))
    with pytest.raises(BadInput, match="CFR works on diffusion"):
        drawn(plain, replace(RED, options={"cfr": {"strength": 1}}))
    assert len(server.got) == 2


def test_what_the_server_changed_is_said(server: ImagesServer) -> None:
    transparent = np.full((64, 64, 4), 255, np.uint8)
    transparent[:32, :, 3] = 0
    out = BytesIO()
    Image.fromarray(transparent).save(out, "PNG")
    data_url = "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()
    server.item = {"b64_json": data_url, "revised_prompt": "A cozy crimson mug at dawn"}
    image = drawn(served(server))
    assert image.srgb8.shape == (64, 64, 3)
    assert image.notes[0].startswith("Transparency was laid over white; 50")
    assert image.notes[1:] == (
        "Asked for 96x64 pixels, the server returned 64x64.",
        "The server used another prompt: A cozy crimson mug at dawn",
    )
    assert image.origin["revised_text"] == "A cozy crimson mug at dawn"


def test_the_key_goes_to_the_server_and_nowhere_else(
    server: ImagesServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    model = served(server, key_env="OUR_KEY")
    monkeypatch.delenv("OUR_KEY", raising=False)
    with pytest.raises(EndpointFailed, match="set the environment variable OUR_KEY"):
        drawn(model)
    assert server.got == []
    monkeypatch.setenv("OUR_KEY", KEY)
    server.answers = [failure(401, f"Incorrect API key provided: {KEY}", "invalid_api_key")]
    with caplog.at_level(logging.DEBUG), pytest.raises(EndpointFailed, match="OUR_KEY") as caught:
        drawn(model)
    assert "(the key)" in str(caught.value)
    with caplog.at_level(logging.DEBUG):
        image = drawn(model)
    assert server.got[-1][0]["authorization"] == f"Bearer {KEY}"
    for message in (str(caught.value), repr(image.origin), repr(model), caplog.text):
        assert KEY not in message


@pytest.mark.parametrize("retry_after", ["0.05", "0", "", "soon", "date"])
def test_a_busy_server_is_asked_again(
    server: ImagesServer, retry_after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.core.generation.backends.endpoints._FIRST_PAUSE_S", 0.02)
    if retry_after == "date":
        retry_after = format_datetime(datetime.now(UTC) + timedelta(seconds=1))
    busy = failure(429, "Slow down.", "rate_limit_exceeded", Retry_After=retry_after)
    server.answers = [busy, failure(503, "Overloaded.", Retry_After="0.01")]
    assert np.array_equal(drawn(served(server)).srgb8, picture(RED.text, "96x64"))
    assert len(server.got) == 3


def test_a_server_that_stays_busy_is_given_up(server: ImagesServer) -> None:
    server.answers = [failure(429, "Slow down.", Retry_After="0.01")] * 9
    with pytest.raises(EndpointFailed, match=r"no more requests for now \(429\).* Slow down"):
        drawn(served(server))
    assert len(server.got) == 4


@pytest.mark.parametrize(
    "answer",
    [
        failure(429, "Come tomorrow.", Retry_After="86400"),
        failure(429, "You have no credit left.", "insufficient_quota", Retry_After="0.01"),
    ],
)
def test_waiting_that_is_of_no_use(server: ImagesServer, answer: Any) -> None:
    server.answers = [answer] * 9
    with pytest.raises(EndpointFailed, match="Try again later"):
        drawn(served(server))
    assert len(server.got) == 1


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (
            failure(400, "Your request was rejected.", "content_policy_violation"),
            BadInput,
            "ours declines to generate this prompt: Your request was rejected",
        ),
        (failure(400, "Rejected by the safety system."), BadInput, "declines to generate"),
        (
            failure(400, "size must be square"),
            BadInput,
            r"cannot generate this \(400\): size must be",
        ),
        (failure(422, "prompt too long"), BadInput, "prompt too long"),
        (failure(403, "Not yours."), EndpointFailed, r"did not accept the key \(403\)"),
        (failure(404, "No model OmniGen9"), EndpointFailed, "Check base_url http.* OmniGen9"),
        (failure(500, "CUDA error"), EndpointFailed, r"ours failed \(500\). CUDA error"),
        (
            (500, {"Content-Type": "text/html"}, b"<h1>Bad\n gateway</h1>"),
            EndpointFailed,
            "<h1>Bad gateway</h1>",
        ),
        ((200, {"Content-Type": "text/html"}, b"<h1>Hi</h1>"), EndpointFailed, "without an image"),
        ((200, {"Content-Type": "application/json"}, b"{"), EndpointFailed, "no images answer"),
        (answer_json(200, {"created": 1, "data": []}), EndpointFailed, "without an image"),
        (answer_json(200, []), EndpointFailed, "without an image"),
        (
            answer_json(200, {"created": 1, "data": [{"url": "http://127.0.0.1/a.png"}]}),
            EndpointFailed,
            "without an image in base64",
        ),
        (
            answer_json(200, {"created": 1, "data": [{"b64_json": "no base64!"}]}),
            EndpointFailed,
            "broken image",
        ),
        (
            answer_json(
                200,
                {
                    "created": 1,
                    "data": [
                        {
                            "b64_json": base64.b64encode(
                                encode_png(picture("cut", "96x64"))[:60]
                            ).decode()
                        }
                    ],
                },
            ),
            EndpointFailed,
            "broken image",
        ),
    ],
)
def test_what_a_server_answers(
    server: ImagesServer, answer: Any, kind: type[Exception], text: str
) -> None:
    server.answers = [answer]
    with pytest.raises(kind, match=text) as caught:
        drawn(served(server))
    assert type(caught.value) is kind
    assert len(server.got) == 1


def test_a_wrong_address(server: ImagesServer) -> None:
    with pytest.raises(EndpointFailed, match="knows no such address"):
        drawn(served(server, base_url=server.base_url.replace("/v1", "/v2")))
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        with pytest.raises(EndpointFailed, match=r"cannot be reached .* Is ours running"):
            drawn(served(server, base_url=url))


def test_a_slow_answer(server: ImagesServer) -> None:
    server.hold.set()
    with pytest.raises(EndpointFailed, match=r"did not answer within 0.2 seconds\. Raise timeout"):
        drawn(served(server, timeout_s=0.2))
    assert len(server.got) == 1


def test_cancel_does_not_wait_for_the_answer(server: ImagesServer) -> None:
    server.hold.set()
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        drawing = pool.submit(served(server).draw, [RED], lambda report: None, stop)
        assert server.asked.wait(WAIT_S)
        stop.set()
        with pytest.raises(Cancelled):
            drawing.result(WAIT_S)
    # The server has not answered yet: the drawing did not wait for it.
    assert server.hold.is_set()


def test_cancel_while_waiting_for_a_busy_server(
    server: ImagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, sleep = threading.Event(), asyncio.sleep

    async def sleep_and_say(seconds: float) -> None:
        if seconds == 50:
            waiting.set()
        await sleep(seconds)

    monkeypatch.setattr("truehue.core.generation.backends.endpoints.asyncio.sleep", sleep_and_say)
    server.answers = [failure(429, "Slow down.", Retry_After="50")]
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        drawing = pool.submit(served(server).draw, [RED], lambda report: None, stop)
        assert waiting.wait(WAIT_S)
        stop.set()
        with pytest.raises(Cancelled):
            drawing.result(WAIT_S)


def test_through_the_engine(server: ImagesServer) -> None:
    """A refused prompt is one problem; a server that is gone ends its part of the job."""
    server.answers = [failure(400, "No.", "content_policy_violation")]
    engine = Engine(lambda model_id: served(server), lambda model_id: 0)
    got: list[Delivery] = []
    try:
        requests = [replace(RED, seed=n) for n in range(3)]
        state = engine.wait(engine.submit(requests, got.append), WAIT_S)
        assert (state.done, state.failed) == (2, 1)
        server.answers = [failure(500, "CUDA error")] * 20
        state = engine.wait(engine.submit(requests * 4, got.append), WAIT_S)
        assert [problem.count for problem in state.problems] == [3, 9]
        assert len(got) == 15
    finally:
        assert engine.close(WAIT_S)
