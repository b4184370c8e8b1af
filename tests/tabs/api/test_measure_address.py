"""``POST /api/measure``: the numbers of ``truehue measure --json`` for an image that is sent."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from PIL import Image

from tests.commands import ROOT, called
from truehue.core.cli.measure import main
from truehue.core.images.load import encode_png
from truehue.tabs.api.routes import MAX_BYTES, api_routes
from truehue.tabs.page.context import Context
from truehue.tabs.page.openapi import DescribedApp

GUIDE = ROOT / "docs" / "guides" / "serving.md"


@pytest.fixture(scope="module")
def client(shared_context: Context) -> Iterator[TestClient]:
    app = DescribedApp(openapi_url="/api/openapi.json")
    app.include_router(api_routes(shared_context))
    with TestClient(app, headers={"X-TrueHue": "1"}, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def files(tmp_path: Path, photograph: tuple[np.ndarray, list[int]]) -> tuple[Path, Path]:
    """An image and its mask."""
    srgb8, (x0, y0, x1, y1) = photograph
    image, mask = tmp_path / "image.png", tmp_path / "mask.png"
    image.write_bytes(encode_png(srgb8))
    inside = np.zeros(srgb8.shape[:2], bool)
    inside[y0 + 20 : y1 - 20, x0 + 20 : x1 - 20] = True
    Image.fromarray(inside).save(mask)
    return image, mask


def base64_of(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({"target": "css:orange"}, ["--target", "css:orange"]),
        (
            {
                "target": "vivid orange",
                "system": "l3",
                "rule": "paper",
                "k": 3,
                "object_name": "mug",
            },
            [
                *["--system", "l3", "--rule", "paper", "--k", "3", "--object", "mug", "--target"],
                "vivid orange",
            ],
        ),
        (
            {"target": "#e8701b", "system": "l2", "k": 2, "relation": "differs"},
            [*["--system", "l2", "--k", "2", "--relation", "differs", "--target"], "#e8701b"],
        ),
    ],
    ids=["name", "neighbors", "differs"],
)
@pytest.mark.parametrize("by_box", [False, True], ids=["mask", "box"])
def test_the_numbers_are_those_of_the_command(
    client: TestClient,
    files: tuple[Path, Path],
    photograph: tuple[np.ndarray, list[int]],
    fields: dict[str, Any],
    options: list[str],
    by_box: bool,
) -> None:
    image, mask = files
    box = photograph[1]
    location = {"box": box} if by_box else {"mask": base64_of(mask)}
    answer = client.post("/api/measure", json={"image": base64_of(image), **location, **fields})
    assert answer.status_code == 200, answer.text
    where = ["--box", *map(str, box)] if by_box else ["--mask", str(mask)]
    done = called(main, str(image), *where, *options, "--json")
    expected = json.loads(done.stdout)
    named = {name: expected.pop(name, None) for name in ("file", "mask", "box")}
    assert named["file"]
    assert answer.json() == expected


def test_the_answer_is_as_it_is_described(client: TestClient, files: tuple[Path, Path]) -> None:
    image, mask = map(base64_of, files)
    answer = client.post("/api/measure", json={"image": image, "mask": mask, "target": "orange"})
    document = client.get("/api/openapi.json").json()
    described = document["paths"]["/api/measure"]["post"]["responses"]["200"]["content"]
    schema = described["application/json"]["schema"]
    assert schema["$ref"].endswith("/MeasuredImage")
    Draft202012Validator({**schema, "components": document["components"]}).validate(answer.json())
    closed = document["components"]["schemas"]["MeasuredImage"]["properties"]
    assert set(answer.json()) <= set(closed)


def test_nothing_is_stored(
    client: TestClient, shared_context: Context, files: tuple[Path, Path]
) -> None:
    image, mask = map(base64_of, files)
    answer = client.post("/api/measure", json={"image": image, "mask": mask, "target": "orange"})
    assert answer.status_code == 200
    assert shared_context.storage.images.count() == 0
    assert not [*shared_context.storage.data_dir.rglob("*.png")]


@pytest.mark.parametrize(
    ("fields", "field", "text"),
    [
        ({}, "image", "“image” is missing."),
        ({"image": "AAAA", "target": "red"}, "", "The image is not an image that can be read."),
        ({"target": "reddd"}, "", 'No color is called "reddd"'),
        ({"colour": "red"}, "colour", "“colour” is not known here."),
        ({"mask": "f" * 64, "box": [0, 0, 9, 9]}, "box", "Give a mask or a box, not both."),
        ({"box": [0, 0, 9]}, "", "A box has four numbers"),
        ({"box": [900, 0, 909, 9]}, "", "holds no part of the image"),
        ({"box": "0 0 9 9"}, "box", "“box” is a list, each a number"),
        ({"system": "ncs"}, "system", "“system” is"),
        ({"rule": "none"}, "", "none"),
    ],
)
def test_what_cannot_be_measured_is_said(
    client: TestClient, files: tuple[Path, Path], fields: dict[str, Any], field: str, text: str
) -> None:
    whole = {"image": base64_of(files[0]), "target": "red", **fields} if fields else {}
    answer = client.post("/api/measure", json=whole)
    assert answer.status_code == 400
    assert text in answer.json()["error"]
    assert answer.json().get("field", "") == field


def test_too_much_and_what_a_page_elsewhere_sends_is_refused(client: TestClient) -> None:
    assert client.post("/api/measure", headers={"X-TrueHue": ""}).status_code == 403
    answer = client.post("/api/measure", content=b" " * (MAX_BYTES + 1))
    assert (answer.status_code, "48 MB are the limit" in answer.text) == (413, True)


@pytest.mark.process
def test_the_line_of_the_guide_works(
    client: TestClient, files: tuple[Path, Path], tmp_path: Path
) -> None:
    """A shell runs it, with a curl that prints what it would send and to whom."""
    (line,) = re.findall(r"```\n(printf [^`]*/api/measure)\n```", GUIDE.read_text())
    folder = tmp_path / "data" / "example"
    folder.mkdir(parents=True)
    for path, name in zip(files, ("mug.png", "mask.png"), strict=True):
        path.rename(folder / name)
    curl = 'curl() { printf "%s\\n" "$@"; cat; }\n'
    done = subprocess.run(
        ["bash", "-ec", curl + line], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    option, header, data, source, address, body = done.stdout.splitlines()
    assert (option, data, source) == ("-H", "-d", "@-")
    name, value = header.split(": ")
    path = address.removeprefix("http://127.0.0.1:7860")
    answer = client.post(path, content=body, headers={name: value})
    assert answer.json()["target"] == "teal"
