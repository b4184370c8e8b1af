"""The servers of docs/guides/servers: their API in front of a plain function, asked by our client."""

from __future__ import annotations

import ast
import importlib.util
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from truehue.core.errors import TrueHueError
from truehue.core.generation.backends.endpoints import configured_endpoints
from truehue.core.generation.opening import open_model
from truehue.core.generation.request import GenerationRequest

FOLDER = Path(__file__).resolve().parents[4] / "docs" / "guides" / "servers"
SCRIPTS = ("omnigen2.py", "blip3o.py")


def images_api() -> Any:
    spec = importlib.util.spec_from_file_location("images_api", FOLDER / "images_api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_our_client_gets_its_images_and_the_servers_errors(tmp_path: Path) -> None:
    requests: list[dict[str, Any]] = []

    def generate(request: dict[str, Any], width: int, height: int) -> Image.Image:
        requests.append(request)
        if request["prompt"] == "too much":
            raise MemoryError("no room")
        return Image.new("RGB", (width, height), (10, 200, 30))

    server = images_api().server(generate, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        text = (FOLDER / "servers.json").read_text().replace(":8001/", f":{server.server_port}/")
        (tmp_path / "servers.json").write_text(text)
        endpoints = {end.name: end for end in configured_endpoints(tmp_path / "servers.json")}
        assert sorted(endpoints) == ["blip3o-8b", "omnigen2"]
        model = open_model("served:omnigen2", None, endpoints)
        request = GenerationRequest(
            "", "a red mug", 7, steps=3, guidance=2.5, width=32, height=16, negative_text="blue"
        )
        (image,) = model.draw([request], lambda report: None, threading.Event())
        assert image.srgb8.shape == (16, 32, 3)
        assert (image.srgb8 == (10, 200, 30)).all()
        sent = {"seed": 7, "num_inference_steps": 3, "guidance_scale": 2.5}
        assert {**sent, "negative_prompt": "blue"}.items() <= requests[0].items()
        wrong = GenerationRequest("", "too much", 1, width=32, height=16)
        with pytest.raises(TrueHueError, match="MemoryError: no room"):
            model.draw([wrong], lambda report: None, threading.Event())
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'{"prompt": " "}', b'{"prompt": "a", "n": 2}', b'{"prompt": "a", "size": "big"}'],
)
def test_a_wrong_request_is_an_error_of_the_api(body: bytes) -> None:
    status, content = images_api().answer(body, lambda *_: pytest.fail("nothing is generated"))
    assert status == 400
    assert content["error"]["message"]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_names_one_commit_and_says_that_it_was_not_run(name: str) -> None:
    text = (FOLDER / name).read_text()
    docstring = ast.get_docstring(ast.parse(text)) or ""
    assert len(set(re.findall(r"\b[0-9a-f]{40}\b", docstring))) == 1
    assert "Not run here with weights" in docstring
