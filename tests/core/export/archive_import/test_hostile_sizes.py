"""Archives of a few kilobytes that would take gigabytes: each is refused before it does."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.core.export.made import make_run
from truehue.core.errors import BadInput
from truehue.core.export.archive import MANIFEST, write_archive
from truehue.core.export.archive_import import open_archive
from truehue.core.export.archive_import.plan import _id
from truehue.core.export.source import ExportRun
from truehue.core.runs.plan import items_digest, rows_sha256
from truehue.core.runs.records import STORED, StoredItem
from truehue.core.runs.shards import read_columns, schema

pytestmark = pytest.mark.slow

SHARD = "shards/part-00000.parquet"
MAX_MB = 150
Files = dict[str, bytes]

CHILD = """
import json, resource, sys
from pathlib import Path
from truehue.core.errors import BadInput
from truehue.core.export.archive_import import open_archive

def peak_mb():
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit

folder = Path(sys.argv[1])
open_archive(folder / "good.zip", folder / "runs")
before, out = peak_mb(), {}
for path in sorted(folder.glob("bad-*.zip")):
    try:
        open_archive(path, folder / "others")
        words = ""
    except BadInput as error:
        words = str(error)
    out[path.stem] = words, peak_mb() - before
left = [str(one) for one in (folder / "others").rglob("*") if one.is_file()]
print(json.dumps({"found": out, "left": left}))
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    root = tmp_path_factory.mktemp("runs")
    write_archive(ExportRun(make_run(root)), root / "good.zip", with_images=True)
    with zipfile.ZipFile(root / "good.zip") as result:
        return {name: result.read(name) for name in result.namelist()}


def packed(path: Path, files: Files, more: str = "", **plan: Any) -> None:
    """The files as an archive that fits itself: another plan gets its own id, and the manifest its
    digests. ``more`` are further members of the manifest."""
    files, made = dict(files), {**json.loads(files["plan.json"]), **plan}
    made["run_id"] = _id(made)
    about = {**json.loads(files.pop(MANIFEST)), "run_id": made["run_id"]}
    if plan:
        files["plan.json"] = json.dumps(made).encode()
    about["files"] = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in files.items()
        if not name.endswith(".png")
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        for name, content in files.items():
            out.writestr(name, content)
        out.writestr(MANIFEST, f"{json.dumps(about)[:-1]}{more}}}")


def long_texts(files: Files, folder: Path) -> bytes:
    """The shard with reasons of 40 MB each."""
    (folder / "shard.parquet").write_bytes(files[SHARD])
    rows = read_columns(folder / "shard.parquet", None).to_pylist()
    for number, row in enumerate(rows[:4]):
        row["reason"] = f"{number}" * (40 * 2**20)
    table, out = schema().empty_table().from_pylist(rows, schema=schema()), io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue()


@pytest.mark.process
def test_small_archives_take_no_gigabytes(files: Files, tmp_path: Path) -> None:
    """Measured in a process of its own: its peak, over that of reading a good archive."""
    objects = "[" + "{}," * 8_000_000 + "{}]"
    line = json.dumps({"id": "p", "text": "A red apple", "task": "cna"}).encode() + b"\n"
    stored_item = StoredItem(0, 0, "ab" * 32, "")
    item = {"prompt": 0, "image": 0, "image_id": stored_item.image_id, "masks": {}, "drawn_by": ""}
    items = gzip.compress((json.dumps(item).encode() + b"\n") * 2_000_000, 1)
    stored = {"kind": STORED, "items": 1, "items_sha256": items_digest([stored_item]), "total": 1}
    file = next(name for name in files if name.startswith("images/"))
    texts = {**files, SHARD: long_texts(files, tmp_path)}
    numbers = {"prompts": 10**6}
    packed(tmp_path / "good.zip", files)
    bad = {
        "manifest": (files, f', "beside": {objects}', {}, "too large"),
        "plan": (
            {**files, "plan.json": f'{{"options": {objects}}}'.encode()},
            "",
            None,
            "too large",
        ),
        "prompts": (
            {**files, "prompts.jsonl.gz": gzip.compress(line * 2_000_000, 1)},
            "",
            {},
            "more lines than the plan says",
        ),
        "empty-prompts": (
            {**files, "prompts.jsonl.gz": gzip.compress(b'{"a":1}\n' * 10**6, 1)},
            "",
            numbers,
            "A prompt needs id",
        ),
        "claim": (files, "", {"total": 2**31 - 1}, "no images, or too many"),
        "items": ({**files, "items.jsonl.gz": items}, "", stored, "more lines than the plan says"),
        "texts": (texts, "", {}, "unpacks to more than any shard"),
        "no-picture": ({**files, file: bytes(2**27)}, "", {}, "no image of ours"),
        "long-picture": ({**files, file: files[file] + bytes(2**27)}, "", {}, "too large"),
    }
    for name, (content, more, plan, _) in bad.items():
        if plan is None:
            with_plan(tmp_path / f"bad-{name}.zip", content)
        else:
            packed(tmp_path / f"bad-{name}.zip", content, more, **plan)
        assert (tmp_path / f"bad-{name}.zip").stat().st_size < 2 * 2**20
    line_of = [sys.executable, "-c", CHILD, str(tmp_path)]
    done = subprocess.run(line_of, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["left"] == []
    assert set(said["found"]) == {f"bad-{name}" for name in bad}
    for name, (*_, text) in bad.items():
        message, more_mb = said["found"][f"bad-{name}"]
        assert text in message, name
        assert more_mb < MAX_MB, (name, more_mb)


def with_plan(path: Path, files: Files) -> None:
    """With a plan that is no plan at all: its digest alone is renewed."""
    files = dict(files)
    about = json.loads(files.pop(MANIFEST))
    about["files"]["plan.json"]["sha256"] = hashlib.sha256(files["plan.json"]).hexdigest()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        for name, content in files.items():
            out.writestr(name, content)
        out.writestr(MANIFEST, json.dumps(about))


EXACT = {"kind": "exact", "detector": "", "segmenter": "", "presence": "", "variant": "paper"}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"masker": {}}, "masker is not whole"),
        ({"masker": {**EXACT, "kind": "magic"}}, "no masker 'magic'"),
        ({"masker": {**EXACT, "kind": ["exact"]}}, "masker is no text"),
        ({"masker": {**EXACT, "kind": "grounded"}}, "needs a detector"),
        ({"size_px": "64"}, "size_px is no number"),
        ({"options": {"light": {"a": 1}}}, "light is no text"),
        ({"options": {"light": "x" * 20_000}}, "options are too long"),
        ({"rules": [["mine", "1.0"]]}, 'No rule is called "mine"'),
        ({"rules": [["paper", "1.0"], ["paper", "1.0"]]}, "names a rule twice"),
        ({"made_with": []}, "made_with are no JSON object"),
        ({"imported": {"name": "me"}}, "says 'imported', which this TrueHue does not know"),
        ({"created_at": "noon"}, "created_at is no time"),
        ({"name": "x" * 300}, "name is no text"),
    ],
)
def test_plans_that_would_break_a_page_are_refused(
    files: Files, tmp_path: Path, changes: dict[str, Any], text: str
) -> None:
    packed(tmp_path / "a.zip", files, **changes)
    with pytest.raises(BadInput, match=text):
        open_archive(tmp_path / "a.zip", tmp_path / "runs")
    assert not [item for item in (tmp_path / "runs").rglob("*") if item.is_file()]


@pytest.mark.parametrize(
    ("change", "message"),
    [({"id": "x" * 3_000}, "The id has"), ({"text": "A red\0apple"}, "a prompt of it cannot")],
)
def test_prompts_that_no_import_takes_are_refused(
    files: Files, tmp_path: Path, change: dict[str, str], message: str
) -> None:
    rows = [json.loads(line) for line in gzip.decompress(files["prompts.jsonl.gz"]).splitlines()]
    rows[0] |= change
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    bent = {**files, "prompts.jsonl.gz": gzip.compress(text)}
    packed(tmp_path / "a.zip", bent, prompts_sha256=rows_sha256(rows))
    with pytest.raises(BadInput, match=message):
        open_archive(tmp_path / "a.zip", tmp_path / "runs")


@pytest.mark.parametrize("name", ["size_px", "guidance", "k", "made_with", "masker", "set_name"])
def test_no_part_of_a_plan_may_be_missing(files: Files, tmp_path: Path, name: str) -> None:
    made = json.loads(files["plan.json"])
    del made[name]
    packed(tmp_path / "a.zip", {**files, "plan.json": json.dumps(made).encode()}, name="Another")
    with pytest.raises(BadInput, match=f"it has no {name}"):
        open_archive(tmp_path / "a.zip", tmp_path / "runs")
