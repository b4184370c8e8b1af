"""Archives that someone bent: each is refused in words, and nothing of it stays."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.core.export.made import make_run
from tests.shards import read_shard
from truehue.core.errors import BadInput
from truehue.core.export.archive import MANIFEST, write_archive
from truehue.core.export.archive_import import open_archive
from truehue.core.export.archive_import.zip_file import Limits
from truehue.core.export.source import ExportRun
from truehue.core.export.tables import csv_pieces
from truehue.core.files import content_path, read_png
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import ItemResult
from truehue.core.runs.shards import write_shard

pytestmark = pytest.mark.slow

SHARD = "shards/part-00000.parquet"
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return make_run(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def files(folder: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> Files:
    path = tmp_path_factory.mktemp("out") / "good.zip"
    write_archive(ExportRun(folder), path, with_images=True)
    with zipfile.ZipFile(path) as result:
        return {name: result.read(name) for name in result.namelist()}


def packed(path: Path, files: Files, listed: bool = True) -> Path:
    """The files as an archive whose list fits them, unless it shall not."""
    files = dict(files)
    manifest = json.loads(files.pop(MANIFEST))
    if listed:
        manifest["files"] = {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in files.items()
            if not name.endswith(".png")
        }
    with zipfile.ZipFile(path, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
        made.writestr(MANIFEST, json.dumps(manifest))
    return path


def refused(path: Path, root: Path, text: str, **options: Any) -> None:
    with pytest.raises(BadInput, match=text):
        open_archive(path, root, **options)
    left = [entry for entry in root.rglob("*") if entry.is_file()] if root.exists() else []
    assert left == []


def test_it_is_taken_as_it_is(files: Files, tmp_path: Path) -> None:
    """Or the refusals below would prove nothing."""
    assert open_archive(packed(tmp_path / "a.zip", files), tmp_path / "runs").shards()


@pytest.mark.parametrize(
    "name",
    [
        "../evil.json",
        "/etc/evil",
        "shards/../../evil.parquet",
        "C:\\evil.png",
        "images/ab/" + "g" * 64 + ".png",
        "images/ab/cd" + "0" * 62 + ".png",
        "run.py",
        "images/../plan.json",
        "wish.json",
        "journal/w0-1.jsonl",
        "masks/" + "a" * 64 + ".png",
    ],
)
def test_files_that_no_run_has_are_refused(files: Files, tmp_path: Path, name: str) -> None:
    path = packed(tmp_path / "a.zip", {**files, name: b"x"})
    refused(path, tmp_path / "runs", "which no run has")
    assert not list(tmp_path.rglob("evil*"))


def test_names_that_hide_their_end_or_stand_twice_are_refused(files: Files, tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {**files, "plan.json_.png": b"x"})
    path.write_bytes(path.read_bytes().replace(b"plan.json_.png", b"plan.json\x00.png"))
    refused(path, tmp_path / "runs", "which no run has")
    path = packed(tmp_path / "b.zip", {**files, "plan.jsox": b"x"})
    path.write_bytes(path.read_bytes().replace(b"plan.jsox", b"plan.json"))
    refused(path, tmp_path / "runs", "holds plan.json twice")


def test_what_is_no_zip_or_cut_off_is_refused(files: Files, tmp_path: Path) -> None:
    good = packed(tmp_path / "a.zip", files).read_bytes()
    for content, text in (
        (b"hello", "no archive that can be read"),
        (b"", "no archive"),
        (good[: len(good) // 2], "no archive that can be read"),
    ):
        (tmp_path / "b.zip").write_bytes(content)
        refused(tmp_path / "b.zip", tmp_path / "runs", text)


def test_a_table_without_its_plan_is_refused(
    folder: RunFolder, files: Files, tmp_path: Path
) -> None:
    (tmp_path / "a.parquet").write_bytes(files["results.parquet"])
    refused(tmp_path / "a.parquet", tmp_path / "runs", "a table of results. It has no plan")
    (tmp_path / "a.csv").write_bytes(next(csv_pieces([ExportRun(folder)])))
    refused(tmp_path / "a.csv", tmp_path / "runs", "a table of results. It has no plan")


def test_another_zip_is_no_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("holiday.txt", "x")
    refused(tmp_path / "a.zip", tmp_path / "runs", "has no manifest.json")


def test_other_versions_are_refused(files: Files, tmp_path: Path) -> None:
    manifest = json.loads(files[MANIFEST])
    newer = json.dumps({**manifest, "format_version": 2}).encode()
    refused(
        packed(tmp_path / "a.zip", {**files, MANIFEST: newer}),
        tmp_path / "runs",
        "version 2 of the archive",
    )
    other = json.dumps({**manifest, "format": "holidays"}).encode()
    refused(
        packed(tmp_path / "b.zip", {**files, MANIFEST: other}),
        tmp_path / "runs",
        "no archive of a TrueHue run",
    )


def test_a_changed_byte_is_noticed(files: Files, tmp_path: Path) -> None:
    for name in ("plan.json", "prompts.jsonl.gz", SHARD):
        bent = bytearray(files[name])
        bent[len(bent) // 2] ^= 1
        path = packed(tmp_path / "a.zip", {**files, name: bytes(bent)}, listed=False)
        refused(path, tmp_path / "runs", "is damaged")


def test_files_missing_from_the_list_or_the_zip_are_noticed(files: Files, tmp_path: Path) -> None:
    less = {name: content for name, content in files.items() if name != SHARD}
    refused(packed(tmp_path / "a.zip", less, listed=False), tmp_path / "runs", "is not whole")
    more = {**files, "shards/part-00001.parquet": files[SHARD]}
    refused(packed(tmp_path / "b.zip", more, listed=False), tmp_path / "runs", "is not whole")
    refused(packed(tmp_path / "c.zip", more), tmp_path / "runs", "appears twice")


def test_bombs_are_refused_before_and_while_they_unpack(files: Files, tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", files)
    refused(path, tmp_path / "runs", "files; 5 are the limit", limits=Limits(files=5))
    refused(path, tmp_path / "runs", "too large", limits=Limits(table_bytes=100))
    refused(
        path,
        tmp_path / "runs",
        "more results than its plan has images",
        limits=Limits(described_bytes=6000, part_bytes=1),
    )
    zeros = gzip.compress(b"0" * 2**26)
    refused(
        packed(tmp_path / "b.zip", {**files, "prompts.jsonl.gz": zeros}),
        tmp_path / "runs",
        "too large, or cut off",
    )
    # A header that says less than there is.
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content if name != "plan.json" else b" " * 2**22)
    bent = (
        (tmp_path / "c.zip")
        .read_bytes()
        .replace((2**22).to_bytes(4, "little"), (900).to_bytes(4, "little"))
    )
    (tmp_path / "c.zip").write_bytes(bent)
    refused(tmp_path / "c.zip", tmp_path / "runs", "no archive that can be read|is damaged")


def plan_with(files: Files, **changes: Any) -> bytes:
    return json.dumps({**json.loads(files["plan.json"]), **changes}).encode()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"name": "another"}, "not the plan of the run"),
        ({"run_id": "0" * 16}, "not the plan of the run"),
        ({"format": 99}, "has format 99"),
        ({"total": 10**7}, "how many images"),
        ({"total": 10**9}, "no images, or too many"),
        ({"total": -1}, "total is no number"),
        ({"guidance": 10**400}, "guidance is no number"),
        ({"guidance": -1.0}, "guidance is no number"),
        ({"guidances": [3.0, 10**400]}, "guidance scales are no numbers"),
        ({"guidances": [3.0, -1.0]}, "guidance scales are no numbers"),
        ({"images": 0}, "no images, or too many"),
        ({"kind": "evil"}, "its kind is"),
        ({"munsell": "/etc/passwd"}, "file of another machine"),
        ({"created_at": "yesterday"}, "cannot be used"),
        ({"rules": []}, "names no rules"),
        ({"masker": {"kind": "exact", "evil": 1}}, "cannot be used"),
        ({"prompts": "many"}, "prompts is no number"),
    ],
)
def test_plans_that_do_not_hold_are_refused(
    files: Files, tmp_path: Path, changes: dict[str, Any], text: str
) -> None:
    path = packed(tmp_path / "a.zip", {**files, "plan.json": plan_with(files, **changes)})
    refused(path, tmp_path / "runs", text)


def test_other_prompts_than_were_run_are_refused(files: Files, tmp_path: Path) -> None:
    text = gzip.decompress(files["prompts.jsonl.gz"]).replace(b"vivid", b"dull")
    path = packed(tmp_path / "a.zip", {**files, "prompts.jsonl.gz": gzip.compress(text)})
    refused(path, tmp_path / "runs", "not those that were run")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b'{"images": [{}], "absent": []}', "an image of them has other fields"),
        (b"[" * 100_000, "controls.json is no JSON"),
        (b"\xff", "controls.json is no JSON"),
        (b" " * 2**21, "too large"),
    ],
)
def test_control_images_that_no_run_wrote_are_refused(
    files: Files, tmp_path: Path, content: bytes, text: str
) -> None:
    path = packed(tmp_path / "a.zip", {**files, "controls.json": content})
    refused(path, tmp_path / "runs", text)


def verdict(**changes: Any) -> Callable[[ItemResult], ItemResult]:
    def bend(item: ItemResult) -> ItemResult:
        first, *rest = item.verdicts
        return replace(item, verdicts=(replace(first, **changes), *rest))

    return bend


def mask(**changes: Any) -> Callable[[ItemResult], ItemResult]:
    return lambda item: replace(item, masks=(replace(item.masks[0], **changes), *item.masks[1:]))


def item(**changes: Any) -> Callable[[ItemResult], ItemResult]:
    return lambda values: replace(values, **changes)


@pytest.mark.parametrize(
    ("bend", "text"),
    [
        (item(position=800), "no image 800"),
        (item(position=1), "prompt or image are others|appears twice"),
        (item(prompt=3), "prompt or image are others"),
        (item(attempt=0), "attempt"),
        (item(status="perfect"), "no status"),
        (item(image_id="../../../../etc/passwd"), "no id"),
        (item(width=0), "no size"),
        (item(seconds=float("nan")), "time is no number"),
        (item(worker="their-host"), "text is missing"),
        (item(reason="x" * 30_000), "too long"),
        (mask(content_sha256="../evil"), "mask has no id"),
        (mask(mask_id="someone's"), "mask has no id"),
        (mask(target=9), "belongs to no object"),
        (verdict(rule="mine"), "a rule that the plan does not have"),
        (verdict(status="great"), "status is none"),
        (verdict(picture_status="unscored"), ""),
        (verdict(cause="magic"), "knows no cause"),
        (verdict(target=7), "belongs to no object"),
        (verdict(leads=False), "not one object decided"),
        (verdict(asked_hex="javascript:1"), "target color is none"),
        (verdict(lab=(1.0, 2.0)), "measured color is none"),
        (verdict(delta_e00=-4.0), "number is none"),
        (verdict(misfit=float("inf")), "number is none"),
    ],
)
def test_results_that_do_not_fit_their_plan_are_refused(
    files: Files, tmp_path: Path, bend: Callable[[ItemResult], ItemResult], text: str
) -> None:
    (tmp_path / "in.parquet").write_bytes(files[SHARD])
    first, *rest = read_shard(tmp_path / "in.parquet")
    bent = [bend(first), *rest]
    if text == "":  # only one of the rows of a picture and rule: where there are two
        bent = [first, *rest[:-1], bend(rest[-1])]
        text = "two verdicts"
    write_shard(tmp_path / "out.parquet", bent)
    content = (tmp_path / "out.parquet").read_bytes()
    path = packed(tmp_path / "a.zip", {**files, SHARD: content})
    refused(path, tmp_path / "runs", f"part-00000.parquet in a.zip cannot be used.*({text})")


def test_a_shard_with_other_columns_is_refused(files: Files, tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {**files, SHARD: files["results.parquet"]})
    refused(path, tmp_path / "runs", "other columns")
    path = packed(tmp_path / "b.zip", {**files, SHARD: b"PAR1 not really PAR1"})
    refused(path, tmp_path / "runs", "part-00000.parquet")


def png(pixels: np.ndarray, **options: Any) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG", **options)
    return out.getvalue()


def test_pictures_are_what_their_names_say(files: Files, tmp_path: Path) -> None:
    file = next(name for name in files if name.startswith("images/"))
    covered = next(name for name in files if name.startswith("masks/"))
    other = png(np.zeros((64, 64, 3), dtype=np.uint8))
    for name, content, text in (
        (file, other, "other pixels"),
        (file, b"no picture", "no image of ours"),
        (covered, other, "no image of ours"),
        (file, files[covered], "no image of ours"),
        (covered, png(np.zeros((64, 64), dtype=bool)), "other pixels"),
        (f"images/ab/ab{'0' * 62}.png", other, "belongs to no result"),
    ):
        refused(packed(tmp_path / "a.zip", {**files, name: content}), tmp_path / "runs", text)


def test_a_profile_that_would_show_other_colors_goes(files: Files, tmp_path: Path) -> None:
    name = next(name for name in files if name.startswith("images/"))
    shown = np.array(Image.open(io.BytesIO(files[name])))
    info = PngInfo()
    info.add(b"gAMA", (22_000).to_bytes(4, "big"))
    marked = png(shown, pnginfo=info)
    assert b"gAMA" in marked
    back = open_archive(packed(tmp_path / "a.zip", {**files, name: marked}), tmp_path / "runs")
    path = content_path(back.images, Path(name).stem)
    assert b"gAMA" not in path.read_bytes()
    assert np.array_equal(read_png(path, "RGB"), shown)
