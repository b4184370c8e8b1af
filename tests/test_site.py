"""What docs/conf.py does with a page before the site is built of it."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def conf() -> ModuleType:
    path = Path(__file__).resolve().parents[1] / "docs" / "conf.py"
    spec = spec_from_file_location("conf", path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.process
def test_the_blocks_of_a_tutorial_run_in_one_folder_and_show_their_output(conf: ModuleType) -> None:
    text = (
        "```python\nopen('a.py', 'w').write('print(7 * 6)')\n```\n"
        "```console\n$ .venv/bin/python a.py\n```\nThe end.\n"
    )
    assert conf.executed("tutorial/a", text) == text.replace("a.py\n```\nThe", "a.py\n42\n```\nThe")


@pytest.mark.process
@pytest.mark.parametrize(
    "block", ["```python\nassert 1 == 2\n```\n", "```console\n$ .venv/bin/python none.py\n```\n"]
)
def test_a_block_that_fails_ends_the_build(conf: ModuleType, block: str) -> None:
    with pytest.raises(RuntimeError, match="tutorial/a: a block failed"):
        conf.executed("tutorial/a", block)


def test_a_command_of_another_program_is_refused(conf: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="no command"):
        conf.executed("tutorial/a", "```console\n$ rm -r data\n```\n")


def test_a_link_that_leaves_the_site_becomes_the_name_of_its_file(conf: ModuleType) -> None:
    text = "[Tests](../../tests/house.py), [rules](../science/rules.md#a), ![image](../../a.png)"
    said = "Tests (`tests/house.py`), [rules](../science/rules.md#a), ![image](../../a.png)"
    assert conf.within("guides/a.md", text) == said
