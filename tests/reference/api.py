"""docs/reference/api.md, from the OpenAPI description of the app and the endpoints for programs."""

from __future__ import annotations

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from tests.empty_data import empty_data
from tests.reference.markdown import cell, code, page_of, table
from truehue.storage.store import Storage
from truehue.tabs.api.endpoints import ENDPOINTS
from truehue.tabs.page.openapi import calls, routes_of
from truehue.tabs.shell.compose import make_context
from truehue.tabs.shell.shell import mount

READER = """\
**For:** everybody who writes a program that uses TrueHue. **Answers:** which addresses there are,
and which fields each of them reads.

The guide [Serving](../guides/serving.md#for-programs) has examples.

- Answers are JSON, unless the address ends in `.csv`, `.png` or the like.
- Everything but `GET` needs the header `X-TrueHue: 1`.
- Where there are accounts, a program sends the cookie of a sign-in.
- An error has the status 400 or more and the body `{"error": text, "field": name}`.
- A field in bold is required. `{name}` in an address is replaced by an id.

The running app describes the same addresses for machines at `/api/openapi.json`, with the JSON
schema of every answer under `components.schemas`, and the feature of each address as its tag.
Generated clients get their types and groups from there."""
TITLES = {
    "backups": "Backups",
    "cfm": "Color fidelity",
    "color": "Color",
    "color-vision": "Color",
    "colorize": "Colorize",
    "compare": "Compare",
    "differences": "Color",
    "drawings": "Generated images",
    "examples": "Examples",
    "explore": "Explore",
    "exports": "Exports",
    "fidelity": "Color fidelity",
    "generations": "Generate",
    "image-sets": "Imported images",
    "images": "Images",
    "inspect": "Inspect",
    "jobs": "Jobs",
    "judgments": "Answers to verdicts",
    "judgments.csv": "Answers to verdicts",
    "measure": "Measure",
    "notices": "The page",
    "page": "The page",
    "prompts": "Prompts",
    "ready": "Service",
    "reviews": "Reviews of colorings",
    "runs": "Runs",
    "selections": "Selections",
    "studies": "Studies",
    "trash": "Deleted items",
    "verdicts": "Verdicts",
    "vlm": "VLMs",
}
"""What the section of a group of addresses is called, by the part after ``/api``."""


HELPERS = frozenset({"file_name", "query_of", "runs_of", "scene_of", "score_codebook", "scores_of"})
"""Functions that a route calls first, before the one that it is for."""
SUMMARIES = {
    "GET /api/backups/{name}": "The file of a backup.",
    "GET /api/colorize/kept/{coloring}/{name}": "A saved coloring as PNG or SVG.",
    "GET /api/colorize/prepared/{image}.png": "A sketch before it is stored, as PNG.",
    "GET /api/colorize/sketches/{sketch}.png": "The ink of a sketch as PNG.",
    "GET /api/colorize/sketches/{sketch}.regions": "The regions of a sketch, as bytes.",
    "GET /api/colorize/sketches/{sketch}/regions.png": "The regions of a sketch as PNG.",
    "GET /api/colorize/starter/{drawing}.svg": "A drawing of the starter set as SVG.",
    "GET /api/compare/sets": "The imported sets of distributions and of images.",
    "GET /api/compare/sets/cutouts/{image_id}/{mask_id}.png": "An image cut out by its mask.",
    "GET /api/compare/sets/examples/{file_name}": "An example of a file that can be imported.",
    "GET /api/compare/sets/{set_id}": "A page of the distributions or images of a set.",
    "GET /api/compare/sweep": "The saturation sweep of `images`: each metric by saturation.",
    "GET /api/compare/sweep.csv": "The same as CSV.",
    "GET /api/color/{srgb}": "The numbers and names of a color `RRGGBB`.",
    "GET /api/explore/example": "An object of known color with the verdict of every rule.",
    "GET /api/explore/picture.png": "An image of known color of a rule report.",
    "GET /api/images": "Stored images, newest first.",
    "GET /api/jobs": "All jobs; with `seen`, waits until something has changed.",
    "GET /api/jobs/{job_id}": "A job: its progress, and its result or problem.",
    "GET /api/prompts/sets": "The prompt sets and the saved selections.",
    "GET /api/ready": "Whether the app is ready, and which data folder it has.",
    "GET /api/runs/{run_id}/colors.csv": "The colors of a run's concepts as CSV.",
    "GET /api/runs/{run_id}/export.csv": "The results of a run as CSV.",
    "GET /api/runs/{run_id}/{book}": "The codebook or the references of a run.",
    "GET /api/studies/{study}/all.zip": "Everything of a study as one archive.",
    "GET /api/studies/{study}/participants/{participant}/export": "All data of one participant.",
    "GET /api/studies/{study}/colorings/{participant}/{position}.png": "A coloring as PNG.",
    "GET /api/studies/{study}/review/{item}.png": "A coloring for review as PNG.",
}
"""Of addresses whose function says nothing itself."""


@contextmanager
def app() -> Iterator[FastAPI]:
    """The app of one's own machine, with nothing stored."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Storage.open(empty_data(Path(folder) / "data")) as storage,
    ):
        context = make_context(storage, "data")
        try:
            yield mount(context)
        finally:
            context.close()


def api_page() -> str:
    """The text of the page."""
    groups: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    with app() as served:
        paths = served.openapi()["paths"]
        functions = {
            f"{method} {route.path}": route.endpoint
            for route in routes_of(served.routes)
            for method in route.methods
        }
    for path, methods in paths.items():
        parts = path.split("/")
        for method, route in methods.items() if parts[1] == "api" else ():
            name = f"{method.upper()} {path}"
            text = _summary(name, route, functions[name])
            groups[TITLES[parts[2]]].append((code(name), text, _sent(route)))
    sections = ["## Endpoints for programs", *_endpoints()]
    for title, rows in sorted(groups.items()):
        sections += [f"## {title}", table(("address", "for", "fields"), rows)]
    return page_of("API", READER, sections)


def _summary(name: str, route: Mapping[str, Any], function: Callable[..., Any]) -> str:
    """What an address is for: as it is described, else by the function that the route calls."""
    if name in SUMMARIES:
        return cell(SUMMARIES[name])
    text = route.get("description") or route["summary"]
    # Without a docstring the framework makes a title of the function's name, which says nothing.
    if text == route["operationId"].split("_api_")[0].replace("_", " ").title():
        said = [done.__doc__ for done in _called(function) if done.__doc__]
        assert said, f"Say in SUMMARIES what {name} is for."
        text = said[0]
    return cell(_first_paragraph(text))


def _first_paragraph(text: str) -> str:
    """The first paragraph of a docstring without what it raises and the roles of its names."""
    text = " ".join(text.partition("\n\n")[0].split())
    text = re.sub(r"(^|[.;] )[Rr]aises [^.]*\.", r"\1", text).strip(" ;")
    return re.sub(r":\w+:`~?([^`]*)`", r"`\1`", text)


def _called(function: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """The functions of ours that a route is for, in their order."""
    for done in calls(function):
        if done.__name__.startswith("_") or done.__name__ in HELPERS:
            continue
        if done.__module__.startswith("truehue.") and ".tabs.page." not in done.__module__:
            yield done


def _endpoints() -> list[str]:
    rows = []
    for endpoint in ENDPOINTS:
        schema = endpoint.request.model_json_schema()
        rows.append(
            (
                code(f"/{endpoint.name}"),
                cell(_first_paragraph(endpoint.words)),
                _fields(schema, described=True),
            )
        )
    return [
        "Gradio's client calls them by `api_name`, MCP clients as tools at `/mcp`.",
        table(("endpoint", "for", "fields"), rows),
    ]


def _sent(route: Mapping[str, Any]) -> str:
    """The fields of a route, in its address after ``?`` or in its body."""
    content = route.get("requestBody", {}).get("content", {})
    named = [item for item in route.get("parameters", ()) if item["in"] == "query"]
    fields = [_field(item["name"], item["schema"], item.get("required", False)) for item in named]
    if "application/octet-stream" in content:
        fields.append("the bytes of a file")
    elif "application/json" in content:
        fields.append(_fields(content["application/json"]["schema"]))
    return ", ".join(filter(None, fields))


def _fields(schema: Mapping[str, Any], described: bool = False) -> str:
    required = schema.get("required", ())
    parts = []
    for name, field in schema.get("properties", {}).items():
        part = _field(name, field, name in required)
        if described and field.get("description"):
            part += f": {cell(field['description'].rstrip('.'))}"
        parts.append(part)
    return ("<br>" if described else ", ").join(parts)


def _field(name: str, schema: Mapping[str, Any], required: bool) -> str:
    shown = f"**{code(name)}**" if required else code(name)
    return f"{shown} {_kind(schema)}".strip()


def _kind(schema: Mapping[str, Any]) -> str:
    """The type of a field in a few words."""
    if "enum" in schema:
        return "/".join(code(str(value)) for value in schema["enum"] if value != "")
    if "const" in schema:
        return code(str(schema["const"]))
    if "anyOf" in schema:
        kinds = [_kind(item) for item in schema["anyOf"] if item.get("type") != "null"]
        return " or ".join(dict.fromkeys(filter(None, kinds)))
    kind = schema.get("type", "")
    if kind == "array":
        inner = _kind(schema.get("items", {}))
        return f"list of {inner}" if inner else "list"
    bounds = ""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        bounds = f" {json.dumps(low)} to {json.dumps(high)}"
    elif low is not None:
        bounds = f" from {json.dumps(low)}"
    elif high is not None:
        bounds = f" to {json.dumps(high)}"
    names = {"string": "text", "boolean": "true or false"}
    return f"{names.get(kind, kind)}{bounds}"
