"""The types of the scripts say what the routes answer: a renamed key fails a check."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Literal, NotRequired, TypedDict

import pytest
from fastapi import FastAPI

from tests.house import ROOT
from tests.reference.types import types_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.openapi import routes_of
from truehue.tabs.page.requests import PageRequest, Whole
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter


class Swatch(TypedDict):
    hex: str
    lab: tuple[float, float, float] | None
    note: NotRequired[str]


class Palette(TypedDict):
    kind: Literal["warm", "cold"]
    swatches: list[Swatch]


class PaletteRequest(PageRequest):
    name: str
    count: Whole = 5


def palette(context: Context, actor: Actor, request: PaletteRequest) -> Palette:
    """A palette."""
    return {"kind": "warm", "swatches": [{"hex": "#ff0000", "lab": None}] * request.count}


def untyped(context: Context, actor: Actor, request: PaletteRequest) -> dict[str, int]:
    """Says nothing of its keys."""
    return {"count": request.count}


def types(context: Context) -> str:
    router = FeatureRouter(context, "/api")
    router.get_json("/palettes/{name}", PaletteRequest, palette)
    router.post_json("/palettes/{name}/change", PaletteRequest, palette)
    router.get_json("/untyped", PaletteRequest, untyped)
    app = FastAPI()
    app.include_router(router)
    return types_of(routes_of(app.routes))


def test_routes_are_typed_by_their_functions(context: Context) -> None:
    text = types(context)
    assert "    '/api/palettes/{}': Palette;" in text
    assert "    '/api/palettes/{}/change': [Omit<PaletteRequest, 'name'>, Palette];" in text
    assert "untyped" not in text


def test_types_are_those_of_the_fields(context: Context) -> None:
    text = types(context)
    for field in (
        "kind: 'warm' | 'cold';",
        "swatches: Array<Swatch>;",
        "lab: [number, number, number] | null;",
        "note?: string;",
        "count?: number | string;",
    ):
        assert f"    {field}\n" in text


@pytest.mark.process
def test_a_script_that_reads_another_key_fails(context: Context, tmp_path: Path) -> None:
    tsc = ROOT / "node_modules" / ".bin" / "tsc"
    if not tsc.exists() or shutil.which("node") is None:
        pytest.skip("tsc is not here: npm ci")
    (tmp_path / "api.d.ts").write_text(types(context), encoding="utf-8")
    script = tmp_path / "script.js"
    script.write_text(
        f"import {{ ask, send }} from '{ROOT / 'assets/js/shared/http.js'}';\n"
        "export const read = async (id) => (await ask(`/api/palettes/${id}?count=1`)).swatches;\n"
        "export const wrong = async (id) => (await ask(`/api/palettes/${id}`)).colors;\n"
        "export const change = (id) => send(`/api/palettes/${id}/change`, { number: 2 });\n"
        "export const nowhere = async (id) => (await ask(`/api/palette/${id}`)).swatches;\n"
        "export const joined = (id) => send('/api/palettes/' + id, {});\n",
        encoding="utf-8",
    )
    options = "--noEmit --checkJs --target es2023 --module esnext --moduleResolution bundler"
    files = [tmp_path / "api.d.ts", ROOT / "assets/js/types.d.ts", script]
    done = subprocess.run(
        [tsc, *options.split(), "--strict", "false", *files],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert [line.partition("error ")[2][:6] for line in done.stdout.splitlines()] == [
        "TS2339",
        "TS2353",
        "TS2339",
        "TS2345",
    ], done.stdout
