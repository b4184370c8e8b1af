"""The page and the server paint the same pixels: random logs through the page's own scripts."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.sketches.drawings import box, cat, paper
from truehue.annotation.colorings import checksum, paint, read_action
from truehue.core.errors import BadInput
from truehue.core.sketches.regions import coded_regions, regions

pytestmark = pytest.mark.process

LOGS = 500
HANDS = 120
REPLAY = Path(__file__).with_name("replay.js")
NODE = shutil.which("node")
COLORS = ("#000000", "#ffffff", "#ff0000", "#00ff7f", "#0102fe", "#804020", None)
REFUSED: tuple[Any, ...] = (
    None,
    7,
    {},
    {"do": "paint"},
    {"do": "fill", "x": 1.5, "y": 0, "closing": 0, "color": None},
    {"do": "fill", "x": 1, "y": 4097, "closing": 0, "color": None},
    {"do": "fill", "x": 1, "y": 0, "closing": 4, "color": None},
    {"do": "fill", "x": 1, "y": 0, "closing": 0, "color": "red"},
    {"do": "stroke", "points": [], "diameter": 3, "color": None, "within": None},
    {"do": "stroke", "points": [1, 2, 3], "diameter": 3, "color": None, "within": None},
    {"do": "stroke", "points": [0, 0] * 2049, "diameter": 3, "color": None, "within": None},
    {"do": "stroke", "points": [0, 0], "diameter": 257, "color": None, "within": None},
    {"do": "stroke", "points": [0, 0], "diameter": 3, "color": "#12345", "within": None},
    {"do": "stroke", "points": [0, 0], "diameter": 3, "color": None, "within": 4},
    {"do": "pick", "color": None},
    {"do": "pick", "color": "red"},
    {"do": "fill_regions", "points": [], "closing": 0, "color": None},
    {"do": "fill_regions", "points": [1, 2, 3], "closing": 0, "color": None},
    {"do": "fill_regions", "points": [0, 0] * 2049, "closing": 0, "color": None},
    {"do": "fill_regions", "points": [0, 0], "closing": 4, "color": None},
    {"do": "fill_regions", "points": [0, 0], "closing": 0, "color": "red"},
)


def sketches() -> list[np.ndarray]:
    """Drawings of several sizes: a cat, boxes with gaps, grain with many labels, no line at all."""
    gaps = paper(256, 130)
    for top in (10, 90, 170):
        box(gaps, 12, top, 110, top + 64, 2)
        gaps[top + 30 : top + 31 + top // 60, 109:111] = 255
    grain = np.random.default_rng(8).choice(np.array([0, 255], np.uint8), (40, 57), p=(0.5, 0.5))
    return [cat(96), gaps, grain, paper(9, 31)]


def random_action(rng: np.random.Generator, shape: tuple[int, ...]) -> dict[str, Any]:
    """Anything that a hand or a key does; strokes leave the sketch and stand still, too."""
    names = ["fill", "fill_regions", "stroke", "pick", "clear", "undo", "redo"]
    do = rng.choice(names, p=(0.2, 0.15, 0.37, 0.03, 0.02, 0.15, 0.08))
    if do == "pick":
        return {"do": "pick", "color": "#ffffff"}
    if do in ("clear", "undo", "redo"):
        return {"do": str(do)}
    color = COLORS[int(rng.integers(len(COLORS)))]
    height, width = shape
    if do == "fill":
        x, y = int(rng.integers(-3, width + 3)), int(rng.integers(-3, height + 3))
        return {"do": "fill", "x": x, "y": y, "closing": int(rng.integers(4)), "color": color}
    if do == "fill_regions":
        number = int(rng.integers(1, 9))
        points = rng.integers(-3, [width + 3, height + 3], (number, 2)).reshape(-1).tolist()
        return {
            "do": "fill_regions",
            "points": points,
            "closing": int(rng.integers(4)),
            "color": color,
        }
    reach = int(rng.choice([2, 10, max(shape), 3 * max(shape), 4000]))
    begin = rng.integers(0, [width, height], 2) if rng.random() < 0.8 else rng.integers(-40, 140, 2)
    steps = rng.integers(-reach, reach + 1, (int(rng.integers(0, 12)), 2))
    steps[rng.random(len(steps)) < 0.1] = 0
    walk = np.cumsum(np.vstack([begin, steps]), axis=0).clip(-2048, 4096)
    wide = int(rng.choice([1, 2, 3, int(rng.integers(1, 40)), int(rng.integers(1, 257))]))
    within = None if rng.random() < 0.6 else int(rng.integers(4))
    points = walk.reshape(-1).tolist()
    return {"do": "stroke", "points": points, "diameter": wide, "color": color, "within": within}


def random_log(rng: np.random.Generator, shape: tuple[int, ...]) -> list[dict[str, Any]]:
    """Actions, and in every third log a storm of undo and redo among them."""
    actions = [random_action(rng, shape) for _ in range(int(rng.integers(1, 25)))]
    if rng.random() < 0.33:
        index = int(rng.integers(len(actions) + 1))
        storm = [
            {"do": str(item)} for item in rng.choice(["undo", "redo"], int(rng.integers(1, 40)))
        ]
        actions[index:index] = storm
    return actions


def random_moves(rng: np.random.Generator, shape: tuple[int, ...]) -> list[tuple[str, Any]]:
    """What a mouse, a finger and keys do at once: strokes begin and go on among everything else."""
    height, width = shape

    def place() -> dict[str, Any]:
        x, y = int(rng.integers(-2, width + 2)), int(rng.integers(-2, height + 2))
        return {"x": x, "y": y, "erases": bool(rng.random() < 0.3)}

    def tools() -> dict[str, Any]:
        return {
            "color": COLORS[int(rng.integers(len(COLORS) - 1))],
            "closing": int(rng.integers(4)),
            "diameter": int(rng.choice([1, 3, 9, 40, 160])),
            "within": bool(rng.random() < 0.4),
        }

    moves: list[tuple[str, Any]] = [("set", tools())]
    names = ["set", "begin", "sweep", "extend", "end", "cancel", "fill", "simply", "look"]
    for name in rng.choice(names, 60, p=(0.08, 0.11, 0.09, 0.32, 0.1, 0.03, 0.1, 0.1, 0.07)):
        label = {"what": str(rng.choice(["undo", "redo", "clear"], p=(0.6, 0.35, 0.05)))}
        values = {"set": tools, "simply": lambda description=label: description}.get(
            str(name), place
        )
        moves.append((str(name), values()))
    return moves


@pytest.mark.process
@pytest.mark.skipif(NODE is None, reason="node is not here; the page itself needs none")
def test_the_page_paints_what_the_server_paints(tmp_path: Path) -> None:
    rng = np.random.default_rng(20_261)
    inks = sketches()
    logs = [
        {"sketch": number % len(inks), "actions": random_log(rng, inks[number % len(inks)].shape)}
        for number in range(LOGS)
    ]
    values = {
        "sketches": [base64.b64encode(coded_regions(ink)).decode() for ink in inks],
        "logs": logs,
        "hands": [
            {
                "sketch": number % len(inks),
                "moves": random_moves(rng, inks[number % len(inks)].shape),
            }
            for number in range(HANDS)
        ],
        "refused": REFUSED,
    }
    (tmp_path / "logs.json").write_text(json.dumps(values))
    message = subprocess.run(
        [str(NODE), str(REPLAY), str(tmp_path / "logs.json"), str(tmp_path / "pixels")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert message.returncode == 0, message.stderr
    answer = json.loads(message.stdout)
    pixels = (tmp_path / "pixels").read_bytes()
    index = colored = 0
    for number, (log, page) in enumerate(zip(logs, answer["results"], strict=True)):
        maps = regions(inks[log["sketch"]])
        layer = paint([read_action(body) for body in log["actions"]], maps)
        assert layer.tobytes() == pixels[index : index + layer.size], f"log {number}: {log}"
        index += layer.size
        assert page["taken"]
        assert page["checksum"] == checksum(layer)
        assert page["coloredShare"] == pytest.approx((layer[..., 3] > 0).mean())
        colored += bool(layer.any())
    assert index == len(pixels)
    assert colored > 0.7 * LOGS
    for number, item in enumerate(answer["drawn"]):
        done = [read_action(body) for body in item["log"]]
        for length, page in item["looks"]:
            layer = paint(done[:length], regions(inks[number % len(inks)]))
            assert page == checksum(layer), f"hands {number}: {item['log'][:length]}"
    assert all(answer["refused"])
    for body in REFUSED:
        with pytest.raises(BadInput):
            read_action(body)
