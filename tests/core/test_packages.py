"""Packages that may be absent: which extra brings each, and what is said where one is needed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import packages_distributions, version

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.reference.requirements import ROOT, extras
from truehue.core.packages import EXTRAS, absent, how_to_install, missing_package
from truehue.core.scores.learned import BY_ID


@cache
def _brought() -> Mapping[str, list[str]]:
    return packages_distributions()


def distributions(module: str) -> set[str]:
    """The packages that bring a module, as pip calls them."""
    return {canonicalize_name(name) for name in _brought().get(module, [module])}


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_brings_what_is_said_of_it(extra: str) -> None:
    """Or one of its packages needs it, as Gradio needs pydantic."""
    named = {canonicalize_name(Requirement(line).name) for line in extras()[extra]}
    by_others = {
        "pydantic": "gradio",
        "pydantic-core": "gradio",
        "huggingface-hub": "gradio",
        "packaging": "gradio",
        "pyyaml": "gradio",
        "tokenizers": "transformers",
    }
    for module in EXTRAS[extra]:
        names = distributions(module)
        assert names & named or {by_others[name] for name in names} <= named


def test_each_package_of_an_extra_is_known() -> None:
    """But protobuf, uvicorn's like, and setuptools of OpenAI's clip: no module of ours imports them by
    name."""
    known = {
        name for modules in EXTRAS.values() for module in modules for name in distributions(module)
    }
    named = {
        canonicalize_name(Requirement(line).name)
        for extra in EXTRAS
        for line in extras()[extra]
        if not line.startswith("truehue[")
    }
    assert named - known == {"protobuf", "setuptools"}


def test_what_is_absent_is_told_with_its_extra() -> None:
    assert absent(["json", "no_such_package"]) == ("no_such_package",)
    assert how_to_install(["torch", "diffusers"], "generate with diffusers") == (
        "Install truehue[models] to generate with diffusers (missing: torch, diffusers). "
        'Run: pip install "truehue[models]"'
    )
    assert how_to_install(["torch"], "find objects", "masks").startswith("Install truehue[masks] ")


def test_a_failed_import_is_explained_where_an_extra_would_bring_it() -> None:
    lacking = ModuleNotFoundError("No module named 'ray'", name="ray._private")
    assert missing_package(lacking) == (
        'Install truehue[ray] to use this (missing: ray). Run: pip install "truehue[ray]"'
    )
    assert 'pip install "truehue[pyiqa]"' in BY_ID["musiq"].how_to
    assert "pip install hpsv3;" in BY_ID["hpsv3"].how_to
    assert missing_package(ModuleNotFoundError("No module named 'x'", name="x")) == ""
    assert missing_package(ValueError("ray")) == ""


def constraints() -> dict[str, str]:
    """The versions of ``constraints.txt``."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = (Requirement(line) for line in lines if not line.startswith("#"))
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins}


def test_the_tests_run_with_the_versions_that_users_get_and_within_the_bounds() -> None:
    """make constraints writes the file again."""
    pins = constraints()
    # "find" carries files alone, which are known by their hashes; nobody gets "pyiqa" unasked.
    (everything,) = (Requirement(line) for line in extras()["all"])
    assert extras().keys() - everything.extras == {"", "all", "find", "pyiqa"}
    for line in (line for extra in ("", *everything.extras) for line in extras()[extra]):
        requirement = Requirement(line)
        if requirement.name != "truehue":
            pinned = pins[canonicalize_name(requirement.name)]
            assert pinned in requirement.specifier, line
            assert version(requirement.name) == pinned, (
                f"{line}: install again, or make constraints"
            )
