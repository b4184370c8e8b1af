"""Compare's views without a browser: one concept, people's files, and tables of many concepts."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from PIL import Image

from tests.assets.live import run_live, sent
from tests.browser.still_life import still_life
from tests.house import ROOT
from truehue.core.color.uw71 import uw71
from truehue.tabs.compare.people.examples import EXAMPLES
from truehue.tabs.compare.people.routes import compare_people_routes
from truehue.tabs.compare.routes import compare_routes
from truehue.tabs.compare.tab import people_html
from truehue.tabs.inspect.routes import inspect_routes
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.routes import routes

pytestmark = [pytest.mark.process, pytest.mark.slow]

HERE = ROOT / "tests/assets/compare"
YELLOW, BROWN, GREEN = 69, 37, 40


def png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG")
    return out.getvalue()


def cut_out(name: str, index: int, seed: int) -> list[str]:
    """A thing in the colors around a bin, cut out: what is around it is transparent."""
    rows, columns = np.mgrid[:96, :128]
    inside = ((rows - 48) / 30.0) ** 2 + ((columns - 64) / 46.0) ** 2 < 1.0
    rng = np.random.default_rng(seed)
    color = np.array(uw71()[index].srgb8) + rng.normal(0.0, 3.0, (96, 128, 3))
    pixels = np.dstack([np.clip(color, 0, 255), np.where(inside, 255, 0)]).astype(np.uint8)
    return sent(name, png(pixels))


def ratings() -> bytes:
    """A file of ratings as it is published: 71 columns by index, 0 to 1, a concept a row."""
    rng = np.random.default_rng(3)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["", *range(71)])
    for text, fullest in (("banana", YELLOW), ("mango", GREEN), ("justice", BROWN)):
        row = rng.uniform(0.05, 0.3, 71)
        row[fullest] = 0.95
        writer.writerow([text, *(f"{value:.6f}" for value in row)])
    return out.getvalue().encode()


def test_one_concept(context: Context) -> None:
    bins = uw71()
    value = {
        "bins": [{"name": bin.name, "hex": bin.hex} for bin in bins],
        "YELLOW": YELLOW,
        "BROWN": BROWN,
        "distance": float(np.linalg.norm(np.subtract(bins[YELLOW].lab, bins[BROWN].lab))),
        "ratings": sent("ratings.csv", ratings()),
        "yellow": [cut_out(f"yellow-{n}.png", YELLOW, n) for n in range(4)],
        "brown": [cut_out(f"brown-{n}.png", BROWN, n) for n in range(3)],
        "plums": [cut_out(f"plum-{n}.png", BROWN, 10 + n) for n in range(2)],
        "jars": [
            sent("red jar.png", png(still_life((200, 70, 40), 1)[0])),
            sent("blue jar.png", png(still_life((40, 80, 190), 2)[0])),
        ],
        "box": {"Left": 165, "Top": 80, "Right": 375, "Bottom": 345},
    }
    run_live(
        HERE / "concept.live.js",
        context,
        (compare_people_routes, compare_routes, inspect_routes, job_routes, routes),
        value,
    )


def sheet(name: str, color: tuple[int, int, int]) -> list[str]:
    """A colored ellipse with an outline on white paper."""
    rows, columns = np.mgrid[:120, :160]
    inside = ((rows - 60) / 36.0) ** 2 + ((columns - 80) / 52.0) ** 2
    pixels = np.full((120, 160, 3), 255, dtype=np.uint8)
    pixels[inside < 1.1] = 0
    pixels[inside < 1.0] = color
    return sent(name, png(pixels))


def test_people_and_files(context: Context) -> None:
    bad = {
        "empty.csv": b"",
        "picture.csv": b"\x89PNG\r\n\x1a\n\0\0\0",
        "columns.csv": b"concept,c1,c2\nbanana,0.5,0.5\n",
        "broken.json": b'{"banana": [1,',
    }
    value = {
        "examples": {
            item.file_name: sent(item.file_name, item.make().encode()) for item in EXAMPLES
        },
        "bad": [sent(name, content) for name, content in bad.items()],
        "sheets": [
            sheet("p1_banana.png", (240, 210, 60)),
            sheet("p2_banana.png", (150, 170, 60)),
            sent("p3_banana.png", b"\x89PNG\r\n\x1a\nno"),
        ],
        "plain": sheet("plain.png", (30, 90, 200)),
        "any": sheet("any.png", (200, 40, 40)),
    }
    run_live(
        HERE / "people.live.js",
        context,
        (compare_people_routes, inspect_routes, job_routes, routes),
        value,
        {"compare/people": people_html()},
    )
