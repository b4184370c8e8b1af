"""Groups as WebDataset archives and back."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from truehue.core.cli.fidelity import main
from truehue.core.errors import BadInput
from truehue.core.fidelity.archives import read_archives, write_archives
from truehue.core.fidelity.groups import Group, read_groups, write_groups


@pytest.fixture
def groups(tmp_path: Path) -> list[Group]:
    made = []
    for number in range(3):
        files = [tmp_path / f"{number}-{rank}.jpg" for rank in range(3)]
        for file in files:
            file.write_bytes(file.name.encode())
        made.append(Group(files[0], tuple(files[1:]), f"caption ä {number}", "Food", "small"))
    return made


def test_groups_come_back_with_their_bytes(groups: list[Group], tmp_path: Path) -> None:
    paths = write_archives(tmp_path / "tars", groups, samples=2)
    assert [path.name for path in paths] == ["000000.tar", "000001.tar"]
    with tarfile.open(paths[0]) as archive:
        names = archive.getnames()[:5]
    assert names == [
        f"00000000.{part}" for part in ("real.jpg", "rank0.jpg", "rank1.jpg", "txt", "json")
    ]
    again = read_archives(paths, tmp_path / "back")
    assert again == read_groups(tmp_path / "back" / "groups.json")
    for first, second in zip(groups, again, strict=True):
        assert [file.read_bytes() for file in first.files] == [
            file.read_bytes() for file in second.files
        ]
        assert (second.caption, second.category, second.model) == (
            first.caption,
            first.category,
            first.model,
        )
    other = write_archives(tmp_path / "same", groups, samples=2)
    assert [path.read_bytes() for path in other] == [path.read_bytes() for path in paths]


def test_the_command_goes_both_ways(groups: list[Group], tmp_path: Path) -> None:
    write_groups(tmp_path / "groups.json", groups)
    assert main(["archive", str(tmp_path / "groups.json"), "--out", str(tmp_path / "tars")]) == 0
    tar = str(tmp_path / "tars" / "000000.tar")
    assert main(["archive", tar, "--out", str(tmp_path / "back")]) == 0
    assert len(read_groups(tmp_path / "back" / "groups.json")) == 3
    assert main(["archive", tar, "--out", str(tmp_path / "back")]) == 2


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"a.real.jpg": b"x", "a.txt": b"c"}, "a group has real.jpg, and rank0.jpg"),
        ({"a.real.jpg": b"x", "a.rank0.jpg": b"y", "a.txt": b" "}, "caption .* is empty"),
        ({"a.real.jpg": b"x", "a.rank0.jpg": b"y", "a.txt": b"c", "a.json": b"["}, "JSON cannot"),
        ({"../b/readme.md": b"x"}, "hold no groups"),
    ],
)
def test_what_is_no_group_is_refused(members: dict[str, bytes], text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    with pytest.raises(BadInput, match=text):
        read_archives([path], tmp_path / "out")
    path.write_bytes(b"no tar")
    with pytest.raises(BadInput, match="cannot be read as a tar"):
        read_archives([path], tmp_path / "other")
