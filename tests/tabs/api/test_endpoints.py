"""What programs call, as plain functions."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from truehue.core.color.uw71 import COUNT
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.images.load import encode_png
from truehue.tabs.api.endpoints import ENDPOINTS
from truehue.tabs.page.context import Context
from truehue.tabs.page.images import store_upload
from truehue.tabs.page.roles import OWNER

pytestmark = pytest.mark.slow

BY_NAME = {endpoint.name: endpoint for endpoint in ENDPOINTS}
GRAY = base64.b64encode(encode_png(np.full((8, 8, 3), 128, np.uint8))).decode()


def test_everything_is_described() -> None:
    assert len(BY_NAME) == 8
    for endpoint in ENDPOINTS:
        schema = endpoint.request.model_json_schema()
        assert endpoint.words
        assert all(field["description"] for field in schema["properties"].values())
        assert all("type" in field for field in schema["properties"].values())


def test_two_distributions_are_compared(context: Context) -> None:
    even = [1.0 / COUNT] * COUNT
    item = [1.0, *[0.0] * (COUNT - 1)]
    compare = BY_NAME["compare_distributions"].answer
    same = compare(context, OWNER, {"a": item, "b": item})
    assert same["emd_lab"] == 0.0
    assert same["pcc"] == pytest.approx(1.0)
    assert compare(context, OWNER, {"a": item, "b": even})["emd_lab"] > 10.0


@pytest.mark.parametrize(("relation", "status"), [("matches", "pass"), ("differs", "fail")])
def test_a_forbidden_color_fails(context: Context, relation: str, status: str) -> None:
    fields = {"image": GRAY, "target": "#808080", "rule": "released", "relation": relation}
    answer = BY_NAME["measure_image"].answer(context, OWNER, fields)
    assert (answer["status"], answer.get("relation", "matches")) == (status, relation)


@pytest.mark.parametrize("is_stored", [False, True])
def test_of_a_cut_out_its_opaque_pixels_are_measured(
    context: Context, tmp_path: Path, is_stored: bool
) -> None:
    cut_out = Image.new("RGBA", (20, 10), (0, 0, 0, 0))
    cut_out.paste((200, 30, 40, 255), (4, 2, 12, 8))
    file = io.BytesIO()
    cut_out.save(file, "PNG")
    image = base64.b64encode(file.getvalue()).decode()
    if is_stored:
        path = tmp_path / "cut-out.png"
        path.write_bytes(file.getvalue())
        image = store_upload(context, path, path.name, OWNER.id).image_id
    fields = {"image": image, "target": "#C81E28"}
    for box, note in (
        ([], "No mask: opaque pixels are measured."),
        ([0.0, 0.0, 20.0, 10.0], "The opaque pixels inside the box are measured."),
    ):
        answer = BY_NAME["measure_image"].answer(context, OWNER, {**fields, "box": box})
        assert (answer["status"], answer["mask_px"]) == ("pass", 48)
        assert answer["image_notes"][-1] == note


@pytest.mark.parametrize(
    ("name", "fields", "text"),
    [
        ("measure_image", {"image": "not base64!", "target": "css:teal"}, "neither base64 of a"),
        ("measure_image", {"image": "", "target": "css:teal"}, "image"),
        ("measure_image", {"image": "f" * 64, "target": "css:teal"}, "Nothing is stored under"),
        ("measure_image", {"image": GRAY, "target": "css:teal", "k": 21}, "k"),
        ("measure_image", {"image": GRAY, "target": "css:teal", "k": "x"}, "a whole number"),
        ("measure_image", {"image": GRAY, "target": "#808080", "relation": "is"}, "relation"),
        ("measure_image", {"image": GRAY}, "“target” is missing."),
        ("measure_image", {"image": GRAY, "color": "css:teal"}, "“color” is not known here"),
        ("find_mask", {"image_id": "f" * 64, "object_name": "mug"}, "Nothing is stored under"),
        ("find_mask", {"image_id": "f" * 64, "object_name": "m" * 81}, "at most 80 characters"),
        ("generate", {"prompt": "a red mug", "seeds": 0}, "Images per prompt"),
        ("generate", {"prompt": "a red mug", "model": "nothing"}, "nothing"),
        ("compare_distributions", {"a": [1.0], "b": [1.0]}, "71"),
        ("compare_distributions", {"a": "even", "b": [1.0]}, "a list, each a number"),
        ("start_run", {"prompt_set": "no-such-set"}, "set"),
        ("start_run", {"prompt_set": "mini", "images": 0}, "Images per prompt is a whole number"),
        ("start_run", {"prompt_set": "mini", "limit": -1}, "The number of prompts"),
        ("run_state", {"run_id": "nothing"}, "run"),
        ("job_state", {"job_id": "nothing"}, "no longer known"),
        ("leaderboard", {"rule": "no-rule"}, "rule"),
    ],
)
def test_what_cannot_be_done_is_said(
    context: Context, name: str, fields: dict[str, Any], text: str
) -> None:
    with pytest.raises(TrueHueError) as caught:
        BY_NAME[name].answer(context, OWNER, fields)
    assert text in str(caught.value)


def test_no_path_of_the_machine_is_read(context: Context, tmp_path: Path) -> None:
    file = tmp_path / "image.png"
    file.write_bytes(base64.b64decode(GRAY))
    with pytest.raises(BadInput, match="neither base64"):
        BY_NAME["measure_image"].answer(context, OWNER, {"image": str(file), "target": "css:teal"})
