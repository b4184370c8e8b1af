"""A folder of prompt files is one set."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from truehue.core.errors import BadInput
from truehue.core.prompts.importing.folder import folder_sha256, read_prompt_folder

CNA = "id,color,object,prompt\n1,vivid red,car,a vivid red car\n2,no such color,car,a car\n"
NCU = "id,color_name,hex,r,g,b,object,prompt\n1,red,#FF0000,255,0,0,car,a car in #FF0000\n"


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    (tmp_path / "cna_l3.csv").write_text(CNA)
    (tmp_path / "ncu_hex_css.csv").write_text(NCU)
    (tmp_path / "manifest.json").write_text('{"files": ["cna_l3.csv"]}')
    (tmp_path / "README.md").write_text("The Mini set.\n")
    return tmp_path


def test_all_files_are_one_set_and_problems_name_theirs(mini: Path) -> None:
    reading = read_prompt_folder(mini)
    assert [prompt.id for prompt in reading.prompts] == ["cna_l3-1", "ncu_hex_css-1"]
    assert {prompt.task for prompt in reading.prompts} == {"cna", "ncu"}
    assert [prompt.source for prompt in reading.prompts] == ["cna_l3", "ncu_hex_css"]
    assert len(reading.problems) == 1
    assert reading.problems[0].why.startswith("cna_l3.csv: ")
    assert reading.problems[0].line == 3


def test_the_same_files_are_the_same_set_wherever_they_lie(mini: Path, tmp_path: Path) -> None:
    before = folder_sha256(mini)
    (mini / "README.md").write_text("Other words.")
    assert folder_sha256(mini) == before
    (mini / "cna_l3.csv").write_text(CNA + "3,vivid red,cup,a vivid red cup\n")
    assert folder_sha256(mini) != before


def test_a_prompt_of_two_files_is_taken_once(mini: Path) -> None:
    (mini / "cna_l3 (1).csv").write_text(CNA)
    reading = read_prompt_folder(mini)
    assert len(reading.prompts) == 2
    assert any("have an id of an earlier file" in note for note in reading.notes)


def test_a_folder_without_prompts_and_a_broken_file_are_refused(mini: Path) -> None:
    (mini / "moc_l2.csv").write_text("id,prompt\n1,two things\n")
    with pytest.raises(BadInput, match=r"moc_l2\.csv: .*Repair it, or take it out"):
        read_prompt_folder(mini)
    empty = mini / "empty"
    empty.mkdir()
    with pytest.raises(BadInput, match="holds no files of prompts"):
        read_prompt_folder(empty)


@pytest.mark.skipif("TRUEHUE_SHARED_DATA" not in os.environ, reason="no published files here")
def test_the_published_files_are_one_set() -> None:
    folder = Path(os.environ["TRUEHUE_SHARED_DATA"]) / "gencolorbench_mini"
    reading = read_prompt_folder(folder)
    assert {prompt.task for prompt in reading.prompts} == {"cna", "ncu", "coa", "moc", "ica"}
    assert reading.problems == ()
