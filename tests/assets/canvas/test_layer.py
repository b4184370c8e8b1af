"""The layer against the contract's words, pixel by pixel."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.node import run_module
from truehue.annotation.colorings import rows_of

pytestmark = pytest.mark.process

PAINT = """
const { Layer } = await load('canvas/layer');
const { isAction } = await load('canvas/actions');
const maps = value.maps.map((labels) => Uint16Array.from(labels));
const layer = new Layer(value.width, value.height, maps);
const out = value.logs.map((log) => {
  const layer = new Layer(value.width, value.height, maps);
  log.forEach((action) => {
    if (!isAction(action)) throw new Error(JSON.stringify(action));
    layer.apply(action);
  });
  const values = new Uint32Array(layer.bytes.buffer);
  const share = values.filter((one) => one).length / values.length;
  if (Math.abs(share - layer.coloredShare) > 1e-9) throw new Error('share');
  return [layer.checksum(), [...layer.bytes]];
});
return out;
"""


def rgba(color: str | None) -> tuple[int, ...]:
    return (0, 0, 0, 0) if color is None else (*bytes.fromhex(color[1:]), 255)


def stroked(action: Mapping[str, Any], maps: np.ndarray) -> np.ndarray:
    """The pixels of a stroke, tested one by one as the definition says."""
    height, width = maps.shape[1:]
    y, x = np.mgrid[:height, :width].astype(np.int64)
    points = np.asarray(action["points"], dtype=np.int64).reshape(-1, 2)
    d2 = action["diameter"] ** 2
    painted = np.zeros((height, width), dtype=bool)
    for px, py in points:
        painted |= 4 * ((x - px) ** 2 + (y - py) ** 2) <= d2
    for (px, py), (qx, qy) in pairwise(points):
        dx, dy = qx - px, qy - py
        length2 = dx**2 + dy**2
        t = (x - px) * dx + (y - py) * dy
        cross = dx * (y - py) - dy * (x - px)
        painted |= (t > 0) & (t < length2) & (4 * cross**2 <= d2 * length2)
    if action["within"] is not None:
        labels = maps[action["within"]]
        px, py = points[0]
        inside = 0 <= px < width and 0 <= py < height
        label = labels[py, px] if inside else 0
        painted &= (labels == label) & (label > 0)
    return painted


def painted(log: list[dict[str, Any]], maps: np.ndarray) -> np.ndarray:
    """The layer that a log gives, uint8 ``(H, W, 4)``."""
    done: list[dict[str, Any]] = []
    undone: list[dict[str, Any]] = []
    for action in log:
        if action["do"] == "undo":
            undone += [done.pop()] if done else []
        elif action["do"] == "redo":
            done += [undone.pop()] if undone else []
        else:
            done.append(action)
            undone = []
    layer = np.zeros((*maps.shape[1:], 4), dtype=np.uint8)
    for action in done:
        if action["do"] == "clear":
            layer[:] = 0
        elif action["do"] == "fill":
            x, y = action["x"], action["y"]
            labels = maps[action["closing"]]
            if 0 <= x < labels.shape[1] and 0 <= y < labels.shape[0] and labels[y, x]:
                layer[labels == labels[y, x]] = rgba(action["color"])
        else:
            layer[stroked(action, maps)] = rgba(action["color"])
    return layer


def random_log(rng: np.random.Generator, width: int, height: int) -> list[dict[str, Any]]:
    def place(side: int) -> int:
        return int(rng.integers(-side // 4, side * 5 // 4))

    def color() -> str | None:
        return None if rng.random() < 0.2 else "#" + rng.bytes(3).hex()

    def action() -> dict[str, Any]:
        kind = rng.choice(
            ["fill", "stroke", "clear", "undo", "redo"], p=[0.3, 0.4, 0.05, 0.15, 0.1]
        )
        if kind == "fill":
            return {
                "do": "fill",
                "x": place(width),
                "y": place(height),
                "closing": int(rng.integers(4)),
                "color": color(),
            }
        if kind == "stroke":
            points = [place((width, height)[n % 2]) for n in range(2 * rng.integers(1, 6))]
            return {
                "do": "stroke",
                "points": points,
                "diameter": int(rng.integers(1, 30)),
                "color": color(),
                "within": None if rng.random() < 0.4 else int(rng.integers(4)),
            }
        return {"do": str(kind)}

    return [action() for _ in range(int(rng.integers(3, 25)))]


def test_random_logs_give_every_pixel_and_its_checksum() -> None:
    rng = np.random.default_rng(15)
    width, height = 61, 43
    maps = np.kron(rng.integers(0, 6, (4, 6, 8)), np.ones((8, 8), dtype=int))[:, :height, :width]
    logs = [random_log(rng, width, height) for _ in range(60)]
    provided = {
        "width": width,
        "height": height,
        "maps": [labels.ravel().tolist() for labels in maps],
        "logs": logs,
    }
    for log, (checksum, values) in zip(logs, run_module(PAINT, provided), strict=True):
        wanted = painted(log, maps)
        assert np.array_equal(np.reshape(values, wanted.shape), wanted), log
        assert checksum == f"{zlib.crc32(wanted.tobytes()):08x}"


@pytest.mark.parametrize(
    ("points", "diameter"),
    [
        ([-2048, -2048, 4096, 4095], 256),
        ([-2048, 4096, 4096, -2047], 1),
        ([3, 3, 3, 90, 90, 90, 3, 3], 2),
        ([5, 7, 6, 7], 1),
        ([-2000, 31, 4000, 33], 3),
    ],
)
def test_the_longest_strokes_are_exact(points: list[int], diameter: int) -> None:
    maps = np.ones((4, 64, 96), dtype=int)
    action = {
        "do": "stroke",
        "points": points,
        "diameter": diameter,
        "color": "#0a0b0c",
        "within": None,
    }
    provided = {
        "width": 96,
        "height": 64,
        "maps": [labels.ravel().tolist() for labels in maps],
        "logs": [[action]],
    }
    ((_, values),) = run_module(PAINT, provided)
    assert np.array_equal(np.reshape(values, (64, 96, 4))[..., 3] > 0, stroked(action, maps))


def test_a_stroke_drawn_point_by_point_is_the_stroke_and_can_be_taken_back() -> None:
    message = run_module(
        """
        const { Layer } = await load('canvas/layer');
        const labels = new Uint16Array(64 * 64).fill(1).fill(2, 0, 2048);
        const layer = new Layer(64, 64, [labels, labels, labels, labels]);
        const stroke = { do: 'stroke', points: [5, 40], diameter: 9, color: '#112233', within: 0 };
        const boxes = [layer.apply({ do: 'fill', x: 9, y: 50, closing: 0, color: '#ffffff' })];
        layer.begin(stroke);
        boxes.push(layer.extend([5, 40]), layer.extend([30, 30]));
        boxes.push(layer.cancel());
        const after = [layer.colorAt(5, 40), layer.canRedo];
        layer.begin(stroke);
        layer.extend([5, 40]);
        layer.extend([30, 30]);
        layer.end();
        const drawn = layer.checksum();
        boxes.push(layer.apply({ do: 'undo' }));
        layer.apply({ do: 'stroke', ...stroke, points: [5, 40, 30, 30] });
        return [boxes, after, drawn === layer.checksum(), layer.colorAt(5, 40),
          layer.colorAt(9, 1)];
        """
    )
    fill = {"x": 0, "y": 32, "width": 64, "height": 32}
    first = {"x": 1, "y": 36, "width": 9, "height": 9}
    assert message[0][:2] == [fill, first]
    assert message[0][3] == message[0][4]
    assert message[1:] == [["#ffffff", False], True, "#112233", None]


def test_a_long_stroke_is_several_actions_that_give_what_was_drawn() -> None:
    """Each begins in the region that the stroke is kept inside of, though the hand leaves it."""
    message = run_module(
        """
        const { Layer } = await load('canvas/layer');
        const { Strokes } = await load('canvas/strokes');
        const { isAction } = await load('canvas/actions');
        const labels = new Uint16Array(128 * 128).map((_, i) => (i % 128 < 40 ? 1 : 2));
        const layer = () => new Layer(128, 128, [labels, labels, labels, labels]);
        const log = [];
        const canvas = {
          layer: layer(), closing: 2, diameter: 3, within: true, enabled: true, color: '#445566',
          endStroke: () => {}, colored: () => true, hasRoom: () => true, tell: () => {},
          view: { paint: () => {} }, log: (action) => log.push(action),
        };
        const strokes = new Strokes(canvas);
        strokes.begin(20, 20, false);
        for (let i = 1; i < 9000; i++) {
          const away = i > 1000 && i < 3500 ? 70 : 20;
          strokes.extend(Math.round(away + 20 * Math.sin(i)), 4 + Math.floor(i / 75));
        }
        strokes.end();
        const again = layer();
        log.forEach((action) => again.apply(action));
        return [log.every(isAction), log.length, again.checksum() === canvas.layer.checksum(),
          log.every(({ points }) => labels[points[1] * 128 + points[0]] === 1), strokes.drawing];
        """
    )
    assert message[0] is True
    assert message[1] > 4
    assert message[2:] == [True, True, False]


def test_nothing_is_done_on_a_layer_while_a_stroke_is_open() -> None:
    message = run_module(
        """
        const { Layer } = await load('canvas/layer');
        const labels = new Uint16Array(64).fill(1);
        const layer = new Layer(8, 8, [labels, labels, labels, labels]);
        const stroke = { do: 'stroke', points: [3, 3], diameter: 3, color: null, within: null };
        const fails = (act) => {
          try {
            act();
            return false;
          } catch {
            return true;
          }
        };
        layer.begin(stroke);
        const open = [() => layer.begin(stroke), () => layer.apply({ do: 'undo' })].map(fails);
        layer.end();
        return [...open, fails(() => layer.apply(stroke))];
        """
    )
    assert message == [True, True, False]


CANVAS = """
const { Layer } = await load('canvas/layer');
const { Sweeps } = await load('canvas/sweeps');
const { Strokes } = await load('canvas/strokes');
const { MAX_ROWS, rowsOf } = await load('canvas/actions');
const { ColoringCanvas } = await load('canvas/canvas');
const labels = new Uint16Array(512 * 512).fill(1);
const log = [];
const told = [];
const nothing = () => {};
const canvas = {
  layer: new Layer(512, 512, [labels, labels, labels, labels]), closing: 0, diameter: 64,
  within: false, enabled: true, color: '#445566', tool: 'brush', rows: 0, colored: () => true,
  tell: (name) => told.push(name), log: (action) => log.push(action),
  endStroke: ColoringCanvas.prototype.endStroke,
  hasRoom: (rows = 0) => canvas.rows + rows <= MAX_ROWS,
};
const stage = new EventTarget();
Object.assign(stage, { focus: nothing, setPointerCapture: nothing, dataset: {} });
canvas.view = { stage, paint: nothing, mark: nothing, pixel: (at) => [at.clientX, at.clientY] };
const strokes = (canvas.strokes = new Strokes(canvas));
const sweeps = (canvas.sweeps = new Sweeps(canvas));
"""


def test_points_that_nobody_sees_are_left_out_but_not_the_last_one() -> None:
    log = run_module(
        CANVAS
        + """
        strokes.begin(100, 100, false);
        for (let x = 101; x < 203; x++) strokes.extend(x, 100);
        strokes.end();
        strokes.begin(50, 50, false);
        strokes.extend(51, 50);
        strokes.extend(50, 50);
        strokes.end();
        return log.map(({ points }) => points);
        """
    )
    assert log[0][::2] == [*range(100, 201, 4), 202]
    assert log[1] == [50, 50]


def test_a_stroke_ends_where_no_more_rows_can_be_kept() -> None:
    """The page counts as the server does, to the row."""
    log = run_module(
        CANVAS
        + """
        canvas.rows = MAX_ROWS - 5 * 66 - 40;
        strokes.begin(0, 0, false);
        for (let y = 10; y < 500; y += 10) strokes.extend(9, y);
        const open = strokes.drawing;
        return [log.map((one) => [one.points, rowsOf(one)]), open, strokes.begin(500, 500, false)];
        """
    )
    ((points, rows),) = log[0]
    assert points[1::2] == [0, 10, 20, 30, 40]
    assert rows == rows_of(points, 64) == 5 * 66 + 40
    assert log[1] is False


def test_a_pen_ends_what_a_finger_draws() -> None:
    """The finger's stroke is kept where it went on for a while; a palm's, just now, is not."""
    log = run_module(
        CANVAS
        + """
        const { Hands } = await load('canvas/hands');
        canvas.hands = new Hands(canvas);
        const send = (type, pointerType, timeStamp, x) => {
          const event = new Event('pointer' + type, { cancelable: true });
          const values = { pointerType, timeStamp, clientX: x, clientY: 60, button: 0, buttons: 1,
            pointerId: pointerType === 'pen' ? 9 : 2 };
          for (const [name, value] of Object.entries(values))
            Object.defineProperty(event, name, { value });
          stage.dispatchEvent(event);
        };
        send('down', 'touch', 0, 60);
        send('move', 'touch', 200, 120);
        send('down', 'pen', value, 300);
        send('move', 'touch', 800, 160);
        send('move', 'pen', 900, 360);
        send('up', 'pen', 950, 360);
        const again = new Layer(512, 512, [labels, labels, labels, labels]);
        log.forEach((action) => again.apply(action));
        return [log.map(({ points }) => points), again.checksum() === canvas.layer.checksum()];
        """,
        700,
    )
    assert log == [[[60, 60, 120, 60], [300, 60, 360, 60]], True]


def varints(*numbers: int) -> list[int]:
    out = []
    for number in numbers:
        while number > 127:
            out.append(number & 127 | 128)
            number >>= 7
        out.append(number)
    return out


def test_regions_are_read_from_runs() -> None:
    item = (2, 1, 7, 0, 1, 2, 7)
    counted = (70_000, 70_000, 15)
    message = run_module(
        """
        const { decode } = await load('canvas/regions');
        const regions = decode(Uint8Array.from(value).buffer);
        const kind = (map) => map.constructor.name;
        return [regions.width, regions.height, regions.maps.map((map) => [...map]),
          regions.maps.map(kind), [...regions.spans(0, 2)], regions.middle(0, 1),
          regions.share(0, 2)];
        """,
        varints(1, 5, 3, 4, *item, *item, *item, *counted),
    )
    labels = [1] * 7 + [0] + [2] * 7
    assert message[:3] == [5, 3, [labels, labels, labels, [70_000] * 15]]
    assert message[3] == ["Uint16Array"] * 3 + ["Int32Array"]
    assert message[4:] == [[1, 3, 5, 2, 0, 5], [2, 0], 7 / 15]
