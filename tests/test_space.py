"""What a Space of Hugging Face reads of this repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
# https://huggingface.co/docs/hub/spaces-config-reference, August 2026
COLORS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
KEYS = {
    *("title", "emoji", "colorFrom", "colorTo", "sdk", "sdk_version", "python_version", "app_file"),
    *("app_build_command", "app_port", "base_path", "fullWidth", "header", "short_description"),
    *("models", "datasets", "tags", "thumbnail", "pinned", "hf_oauth", "hf_oauth_scopes"),
    *("hf_oauth_expiration_minutes", "hf_oauth_authorized_org", "disable_embedding"),
    *("startup_duration_timeout", "custom_headers", "preload_from_hub", "suggested_hardware"),
    "license",
}
SHORT = 60


@pytest.fixture(scope="module")
def front() -> dict[str, Any]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.match(r"---\n(.*?)\n---\n\n# TrueHue\n", text, flags=re.DOTALL)
    assert match, "README begins with what a Space reads, and goes on with its title"
    read: dict[str, Any] = yaml.safe_load(match[1])
    return read


def requirements() -> dict[str, Requirement]:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    read = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {item.name: item for item in read}


def test_every_key_and_value_is_one_that_is_accepted(front: dict[str, Any]) -> None:
    assert set(front) <= KEYS
    assert {front["colorFrom"], front["colorTo"]} <= COLORS
    assert front["sdk"] == "gradio"
    assert front["header"] in ("mini", "default")
    assert front["fullWidth"] is True
    assert len(front["short_description"]) <= SHORT
    assert not re.search(r"[\w\s]", front["emoji"])
    assert all(re.fullmatch("[a-z0-9-]+", tag) for tag in front["tags"])
    assert front["license"] == "apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert (ROOT / front["app_file"]).is_file()


def test_the_versions_are_those_that_the_app_takes(front: dict[str, Any]) -> None:
    # Read as text, not as the number 6.31 or 3.1.
    assert isinstance(front["sdk_version"], str)
    assert isinstance(front["python_version"], str)
    assert Version(front["sdk_version"]) in requirements()["gradio"].specifier
    said = re.search(r'requires-python = "(.*)"', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert said
    oldest = said[1].removeprefix(">=")
    assert Version(front["python_version"]) >= Version(oldest)


def test_a_space_can_be_built_with_what_it_adds() -> None:
    """It installs gradio with its extras ``oauth`` and ``mcp`` beside ours: of the package ``mcp``
    one below 2, with pydantic below 2.13."""
    wanted = requirements()
    assert "1.23.0" in wanted["mcp"].specifier
    assert "pydantic" not in wanted or "2.12.5" in wanted["pydantic"].specifier
    for item in wanted.values():
        assert item.url is None, "a Space takes packages from the index"
