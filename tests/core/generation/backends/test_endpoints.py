"""The file that names servers, and what it may not hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from truehue.core.errors import BadInput
from truehue.core.generation.backends.endpoints import (
    Endpoint,
    configured_endpoints,
    read_endpoints,
)

FULL = {
    "name": "omnigen2",
    "base_url": "http://10.0.0.5:8000/v1",
    "model": "OmniGen2/OmniGen2",
    "key_env": "OMNIGEN_KEY",
    "width": 512,
    "height": 768,
    "timeout_s": 60,
    "fields": {"seed": "seed", "steps": "num_inference_steps"},
    "response_format": "",
}


@pytest.fixture(autouse=True)
def no_endpoint_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TRUEHUE_ENDPOINT", "TRUEHUE_ENDPOINT_MODEL", "TRUEHUE_ENDPOINT_KEY"):
        monkeypatch.delenv(name, raising=False)


def written(folder: Path, content: Any) -> Path:
    path = folder / "endpoints.json"
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    path.write_bytes(text)
    return path


def test_reads_what_is_written(tmp_path: Path) -> None:
    short = {"name": "b", "base_url": "https://images.example/v1"}
    first, second = read_endpoints(written(tmp_path, {"endpoints": [FULL, short]}))
    assert first == Endpoint(**FULL)  # type: ignore[arg-type]
    assert first.id == "served:omnigen2"
    assert (second.model, second.key_env, second.width, second.timeout_s) == ("", "", 1024, 300.0)
    assert second.response_format == "b64_json"


def test_the_example_of_the_module_can_be_read(tmp_path: Path) -> None:
    import truehue.core.generation.backends.endpoints as module

    assert module.__doc__ is not None
    example = module.__doc__.split("::\n", 1)[1].split("\n\nOnly", 1)[0]
    (endpoint,) = read_endpoints(written(tmp_path, example.encode()))
    assert endpoint.fields["guidance"] == "guidance_scale"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"{", r"not JSON: .* at line 1, column 2"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, r"nested too deeply|not JSON"),
        (b" " * 1_000_001, "over 1,000,000 bytes"),
        ([], r'must be \{"endpoints"'),
        ({"endpoints": {}}, r'must be \{"endpoints"'),
        ({"endpoints": [], "more": 1}, "nothing else"),
        ({"endpoints": [FULL, 3]}, "server 2: it is an object"),
        ({"endpoints": [FULL, FULL]}, "server 2: the name 'omnigen2' is there twice"),
        ({"endpoints": [{"name": "a"}]}, "server 1: base_url must be there"),
        ({"endpoints": [{**FULL, "api_key": "x"}]}, "'api_key' is not known. Known are: name"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, content: Any, text: str) -> None:
    with pytest.raises(BadInput, match=text) as caught:
        read_endpoints(written(tmp_path, content))
    assert "endpoints.json" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"name": "two words"}, "name 'two words' must be"),
        ({"name": ""}, "name '' must be"),
        ({"name": None}, "name is text"),
        ({"base_url": "ftp://images.example"}, "must begin with http:// or https://"),
        ({"base_url": "file:///etc/passwd"}, "must begin with http"),
        ({"base_url": "images.example/v1"}, "must begin with http"),
        ({"base_url": "http:///v1"}, "must begin with http"),
        ({"base_url": "http://a:99999/v1"}, "no address"),
        ({"base_url": "http://[::1/v1"}, "no address"),
        ({"base_url": "https://a/v1?key=1"}, "nothing after"),
        ({"base_url": "https://a/v 1"}, "no blanks"),
        ({"width": 32}, "width is a whole number"),
        ({"height": 1024.0}, "height is a whole number"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"timeout_s": float("inf")}, "timeout_s"),
        ({"fields": {"sampler": "x"}}, "seed, steps, guidance, negative_text, not 'sampler'"),
        ({"fields": ["seed"]}, "fields maps"),
        ({"fields": {"seed": ""}}, "fields maps"),
        ({"response_format": "url"}, "response_format"),
    ],
)
def test_values_that_are_refused(change: dict[str, Any], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        Endpoint(**{**FULL, **change})


@pytest.mark.parametrize(
    "change",
    [{"key_env": "sk-proj-12345secret"}, {"base_url": "https://me:12345secret@images.example/v1"}],
)
def test_a_key_in_the_file_is_refused_and_not_repeated(change: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="variable") as caught:
        Endpoint(**{**FULL, **change})  # type: ignore[arg-type]
    assert "secret" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        configured_endpoints(tmp_path / "none.json")
    assert configured_endpoints() == ()


def test_one_server_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEHUE_ENDPOINT", " http://127.0.0.1:8000/v1 ")
    monkeypatch.setenv("TRUEHUE_ENDPOINT_MODEL", "BLIP3o")
    (only,) = configured_endpoints()
    assert only == Endpoint("endpoint", "http://127.0.0.1:8000/v1", "BLIP3o")
    monkeypatch.setenv("TRUEHUE_ENDPOINT_KEY", "secret")
    path = written(tmp_path, {"endpoints": [FULL]})
    assert [end.id for end in configured_endpoints(path)] == ["served:omnigen2", "served:endpoint"]
    assert configured_endpoints(path)[1].key_env == "TRUEHUE_ENDPOINT_KEY"
    monkeypatch.setenv("TRUEHUE_ENDPOINT", "localhost:8000")
    with pytest.raises(BadInput, match="TRUEHUE_ENDPOINT: base_url"):
        configured_endpoints()
    monkeypatch.setenv("TRUEHUE_ENDPOINT", "http://localhost:8000/v1")
    twice = written(tmp_path, {"endpoints": [{**FULL, "name": "endpoint"}]})
    with pytest.raises(BadInput, match="Rename it"):
        configured_endpoints(twice)
