"""Gradio's API, by the real ``gradio_client`` over HTTP."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from io import BytesIO
from threading import Event
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from PIL import Image

from tests.core.batch.here import team_here
from tests.empty_data import empty_data
from tests.running import serving
from truehue.core.color.systems import parse_target
from truehue.core.generation.renderer import RenderRequest, render
from truehue.core.images.load import encode_png
from truehue.core.verdict.measure import TargetObject, measure
from truehue.storage import Storage
from truehue.tabs.api.endpoints import ENDPOINTS
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.page.context import Context
from truehue.tabs.shell.compose import make_context
from truehue.tabs.shell.shell import mount

pytestmark = pytest.mark.process

# Far more than it takes: that a run which hangs is told apart from one that is slow.
MAX_S = 600.0


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    with (
        pytest.MonkeyPatch.context() as patch,
        Storage.open(empty_data(tmp_path_factory.mktemp("api") / "data")) as storage,
    ):
        patch.setattr("truehue.core.batch.execute.LocalTeam", team_here)
        patch.setattr("truehue.core.generation.backends.reference.DEFAULT_PX", 128)
        context = make_context(storage, "data")
        yield context
        context.close()


@pytest.fixture(scope="module")
def client(context: Context) -> Iterator[Client]:
    with serving(mount(context)) as address:
        yield Client(address, verbose=False)


def encoded(png: bytes) -> str:
    return base64.b64encode(png).decode()


def test_a_picture_is_scored(client: Client) -> None:
    rendering = render(RenderRequest("mug", (232, 59, 27), light="studio", seed=3, size_px=96))
    out = BytesIO()
    Image.fromarray(rendering.mask.pixels).convert("L").save(out, format="PNG")
    answer = client.predict(
        encoded(encode_png(rendering.srgb8)),
        "l3:vivid reddish orange",
        encoded(out.getvalue()),
        "mug",
        api_name="/measure_image",
    )
    local = measure(
        rendering.srgb8,
        rendering.mask.pixels,
        parse_target("l3:vivid reddish orange"),
        answer["rule"],
        target_object=TargetObject("mug"),
    )
    assert answer["status"] == local.verdict.status
    assert answer["delta_e00"] == local.as_json()["delta_e00"]
    assert answer["version"] == local.verdict.version


def test_every_endpoint_is_described(client: Client) -> None:
    named = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    assert set(named) == {f"/{item.name}" for item in ENDPOINTS}
    parameters = {
        name: {parameter["parameter_name"] for parameter in about["parameters"]}
        for name, about in named.items()
    }
    assert parameters == {f"/{item.name}": set(item.request.model_fields) for item in ENDPOINTS}
    for item in ENDPOINTS:
        about = named[f"/{item.name}"]
        assert about["description"]
        assert all(parameter["python_type"]["type"] for parameter in about["parameters"])
        for parameter in about["parameters"]:
            field = item.request.model_fields[parameter["parameter_name"]]
            assert parameter["python_type"]["description"].startswith(field.description)


@pytest.mark.parametrize(
    ("arguments", "endpoint", "text"),
    [
        (("not base64!", "css:teal"), "/measure_image", "neither base64 of a file"),
        (("mini", "reference-renderer", 20, 0), "/start_run", "from 1 to 1,000, not 0"),
    ],
)
def test_what_cannot_be_done_is_said(
    client: Client, arguments: tuple[Any, ...], endpoint: str, text: str
) -> None:
    with pytest.raises(AppError) as caught:
        client.predict(*arguments, api_name=endpoint)
    assert text in str(caught.value)


def test_an_image_is_drawn(context: Context, client: Client) -> None:
    job = client.predict("a red mug", api_name="/generate")["job"]
    assert context.engine.wait(job, MAX_S).status == "done"
    state = client.predict(job, api_name="/job_state")
    assert state["status"] == "done"
    (drawing,) = state["result"]["drawings"]
    assert drawing["status"] == "drawn"
    assert len(drawing["image_id"]) == 64
    assert {verdict["rule"] for verdict in drawing["verdicts"]} >= {"truehue", "paper"}


def test_a_run_is_begun_and_is_on_the_leaderboard(
    context: Context, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor, ended = context.service(RunSupervisor), Event()
    monkeypatch.setattr(supervisor.queue, "_executed", ended.set)
    (run_id,) = client.predict("mini", "reference-renderer", 2, api_name="/start_run")["runs"]
    assert client.predict(run_id, api_name="/run_state")["stored"] in (0, 2)
    assert ended.wait(MAX_S)
    supervisor.ingest()
    state = client.predict(run_id, api_name="/run_state")
    assert (state["status"], state["stored"]) == ("finished", 2), state
    groups = client.predict(api_name="/leaderboard")["groups"]
    assert groups[0]["rows"]
