from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path
from threading import Event

import pytest

from tests.core.image_sets.folders import image, prompt
from truehue.core.errors import BadInput, DataFolderError
from truehue.core.generation.request import Cancelled
from truehue.core.image_sets import plan
from truehue.core.image_sets.files import unpacked
from truehue.core.image_sets.records import read


def _zip(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes], **options: object) -> Path:
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return path


def _refused(
    path: Path, match: str | None, kind: type[Exception] = BadInput, **options: object
) -> None:
    before = sorted(path.parent.rglob("*"))
    with pytest.raises(kind, match=match):
        unpacked(path, path.parent / "into", **options)
    assert sorted(path.parent.rglob("*")) == before


def test_a_folder_comes_out_as_it_went_in(tmp_path: Path) -> None:
    content = image(tmp_path / "b_1.png").read_bytes()
    path = _zip(
        tmp_path / "run.zip",
        ("run/", b""),
        ("run/b_1.png", content),
        ("run\\käse\\b_2.png", content),
        ("__MACOSX/run/._b_1.png", b"x"),
        ("run/.DS_Store", b"x"),
        ("run/Thumbs.db", b"x"),
    )
    into = unpacked(path, tmp_path / "new" / "into")
    files = {file.relative_to(into).as_posix() for file in into.rglob("*") if file.is_file()}
    assert files == {"run/b_1.png", "run/käse/b_2.png"}
    planned = plan(into, [prompt("b")])
    assert [step.problem for step in read(planned)] == [None, None]


@pytest.mark.parametrize(
    "name", ["../b.png", "a/../../b.png", "/etc/b.png", "C:\\b.png", "..\\b.png", "a\nb.png"]
)
def test_paths_that_leave_are_refused(tmp_path: Path, name: str) -> None:
    _refused(_zip(tmp_path / "a.zip", ("ok.png", b"x"), (name, b"x")), "may leave the folder")


def test_names_that_python_would_cut_are_refused(tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", ("aXb.png", b"x"))
    path.write_bytes(path.read_bytes().replace(b"aXb.png", b"a\0b.png"))
    _refused(path, "may leave the folder")


def test_links_passwords_and_double_names_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("b.png")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    _refused(_zip(tmp_path / "a.zip", (link, b"/etc/passwd")), "holds a link")
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = _zip(tmp_path / "a.zip", ("b.png", b"1"), ("b.png", b"2"))
    _refused(path, "occurs twice")
    path = _zip(tmp_path / "a.zip", ("b.png", b"1"))
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    _refused(path, "encrypted")


def test_limits_hold(tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", *((f"{n}.png", b"x" * 100) for n in range(5)))
    _refused(path, "5 entries; 4 are the limit", max_files=4)
    _refused(path, "larger than 99 bytes", max_file_bytes=99)
    _refused(path, "more than 499 bytes", max_total_bytes=499)
    assert len(list(unpacked(path, tmp_path / "into", max_total_bytes=500).iterdir())) == 5
    _refused(_zip(tmp_path / "b.zip", ("a/", b"")), "holds no files")


def test_a_bomb_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(3):
            with archive.open(f"{number}.bmp", "w") as file:
                for _ in range(100):
                    file.write(bytes(2**20))
    _refused(path, r"-fold to 300 MiB, more than images ever do")


def test_a_header_that_lies_about_the_size_does_not_help(tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", ("b.png", bytes(100_000)), compression=zipfile.ZIP_DEFLATED)
    content = path.read_bytes().replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(content)
    _refused(path, "larger than|cannot be read|not a readable zip file|Bad CRC", max_file_bytes=50)


def test_damaged_files_leave_nothing_behind(tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", ("a.png", b"x" * 1000), ("b.png", b"y" * 1000))
    whole = path.read_bytes()
    for content in (b"", b"no zip", whole[:-30], whole.replace(b"yyyy", b"yzyy", 1)):
        path.write_bytes(content)
        _refused(path, "not a readable zip file")
    path.unlink()
    _refused(path, "cannot be read")
    _refused(tmp_path, "cannot be read")


def test_the_folder_has_to_be_new(tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", ("a.png", b"x"))
    (tmp_path / "into").mkdir()
    (tmp_path / "into" / "mine.txt").write_text("mine")
    _refused(path, "Choose a new folder", DataFolderError)
    assert (tmp_path / "into" / "mine.txt").read_text() == "mine"


def test_names_that_the_disk_refuses_leave_nothing(tmp_path: Path) -> None:
    _refused(_zip(tmp_path / "a.zip", ("a" * 300 + ".png", b"x")), "unpacked", DataFolderError)
    _refused(_zip(tmp_path / "a.zip", ("a", b"x"), ("a/b.png", b"x")), "unpacked", DataFolderError)


def test_stop_leaves_nothing(tmp_path: Path) -> None:
    stop = Event()
    stop.set()
    path = _zip(tmp_path / "a.zip", ("a.png", b"x"))
    _refused(path, None, Cancelled, stop=stop)


def test_a_zip_in_a_zip_stays_one(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("b_1.png", b"x")
    into = unpacked(_zip(tmp_path / "a.zip", ("in.zip", inner.getvalue())), tmp_path / "into")
    assert [file.name for file in into.iterdir()] == ["in.zip"]
    assert len(plan(into, []).extra) == 1
