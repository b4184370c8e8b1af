"""A folder of one's own images: imported, scored with its own set and masks, verdicts on cards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from core.prompts.sets import prompt_set
from tabs.generate.drawings import drawings_json
from tabs.page.actor import OWNER
from tabs.page.context import Context
from tabs.page.jobs import job_alone
from tabs.page.requests import read_as
from tabs.runs.form import stored_choices
from tabs.runs.image_import import ImageFolder, look, take
from tabs.runs.imported import ScoreImages, score
from tabs.runs.supervisor import RunSupervisor


def cut_out(file: Path, hexes: str) -> None:
    """A disk of one color on nothing."""
    rows, columns = np.mgrid[:48, :48]
    inside = (rows - 24) ** 2 + (columns - 24) ** 2 < 300
    pixels = np.zeros((48, 48, 4), np.uint8)
    pixels[..., :3] = [int(hexes[at : at + 2], 16) for at in (1, 3, 5)]
    pixels[..., 3] = inside * 255
    Image.fromarray(pixels).save(file)


def folder_of(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    by_color = {
        one.targets[0].color.hex: one
        for one in prompt_set("mini").prompts()
        if one.task == "cna" and one.targets[0].color
    }
    prompts = list(by_color.values())[:2]
    for prompt in prompts:
        color = prompt.targets[0].color
        assert color is not None
        cut_out(folder / f"{prompt.id}_1.png", color.hex)
    (folder / "broken_1.png").write_bytes(b"no image")
    (folder / "holiday.png").write_bytes((folder / f"{prompts[0].id}_1.png").read_bytes())
    return folder


@pytest.mark.usefixtures("workers_here")
def test_imported_images_end_in_verdicts_on_their_cards(tmp_path: Path, context: Context) -> None:
    given = {"path": str(folder_of(tmp_path)), "set": "mini", "model": "mine"}
    wanted = read_as(ImageFolder, given)
    report = look(context, OWNER, wanted)["report"]
    counts = {words: number for number, words in report["counts"]}
    assert counts["file broken, left out"] == 1
    assert counts["files without a prompt"] == 2
    report = dict(take(context, OWNER, wanted, job_alone("images")))
    offered = report["score"]
    assert offered["groups"] == [{"set": "mini", "model": "mine"}]
    assert (offered["masker"], offered["pictures"], len(offered["images"])) == ("exact", 2, 2)
    assert "grounded" not in [one["id"] for one in offered["maskers"]]
    chosen = next(one for one in stored_choices(context) if one["id"] == "mine")
    assert chosen["set"] == "mini"

    scored = score(context, OWNER, read_as(ScoreImages, offered), job_alone("scoring"))
    assert scored["title"] == "Scored"
    for row in context.storage.drawings.recent():
        card = drawings_json(context, [row])[0]
        said = {one["rule"]: one["status"] for one in card["verdicts"]}
        assert said["truehue"] == said["released"] == "pass"
    (folder,) = context.service(RunSupervisor).folders()
    assert folder.state().status == "finished"
