"""The scenes that the small model learns from, rendered once into a file that is mapped to memory.

A scene is kept without its colors: linear light is ``shade × albedo`` of every object plus what is
added, so one scene gives a picture in any color, and that picture is the reference renderer's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from truehue.core.color.spaces import srgb8_to_linear1
from truehue.core.errors import BadInput, DataFolderError
from truehue.core.files import replace_file, why_of
from truehue.core.generation.backends.reference import shapes_for
from truehue.core.generation.renderer import LIGHTS, RENDERER_VERSION
from truehue.core.generation.renderer.encode import linear1_to_srgb8
from truehue.core.generation.renderer.layout import scene_view
from truehue.core.generation.renderer.trace import trace
from truehue.core.generation.small.settings import SceneSettings, scene_settings_from_json
from truehue.core.prompts.gencolorbench import build

PLANES = 3
"""Of a scene: the shade of the first object, of the second, and what is added."""

_FULL = 65535
_CHUNK = 16
Told = Callable[[int, int], None]


@dataclass(frozen=True)
class Scene:
    """One scene: its shapes, one or two, its light and its seed."""

    shapes: tuple[str, ...]
    light: str
    seed: int


def scenes_of(settings: SceneSettings) -> tuple[Scene, ...]:
    """The scenes in their order: seed by seed, so that a part of them is as varied as all."""
    shapes, lights = settings.shapes, settings.lights
    pairs = [pair for pair in pairs_of_prompts() if set(pair) <= set(shapes)]
    scenes = []
    for seed in range(max(settings.single_seeds, settings.pair_seeds)):
        if seed < settings.single_seeds:
            scenes += [Scene((shape,), light, seed) for shape in shapes for light in lights]
        if seed < settings.pair_seeds:
            scenes += [
                Scene(pair, lights[(number + seed) % len(lights)], seed)
                for number, pair in enumerate(pairs)
            ]
    return tuple(scenes)


@cache
def pairs_of_prompts() -> tuple[tuple[str, ...], ...]:
    """The pairs of shapes, in order, that GenColorBench's prompts with several objects ask for."""
    pairs = {
        tuple(
            str(placed_target.shape)
            for placed_target in shapes_for(prompt.targets)
            if placed_target.shape
        )
        for prompt in build()
        if len(prompt.targets) > 1
    }
    return tuple(sorted(pair for pair in pairs if len(pair) == 2))


class SceneBank:
    """The rendered scenes of a folder; made by :func:`render_scenes`.

    ``planes`` uint16 ``(N, 3, H, W)``, linear light 0 to 1 in steps of 1/65535; ``scenes`` in the
    same order. Raises BadInput for a folder that holds none, or not all of them.
    """

    def __init__(self, folder: Path) -> None:
        try:
            about = json.loads((folder / "scenes.json").read_text(encoding="utf-8"))
            self.settings = scene_settings_from_json(about["settings"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadInput(
                f"{folder} holds no scenes of the small model. Render them with: "
                f"python -m truehue.core.generation.small data --data {folder}"
            ) from error
        if about.get("renderer_version") != RENDERER_VERSION:
            raise BadInput(f"The scenes in {folder} are of another renderer: render them again.")
        self.scenes = scenes_of(self.settings)
        planes, done = _arrays(folder, self.settings, len(self.scenes))
        if not done.all():
            raise BadInput(
                f"{int(done.sum()):,} of {len(done):,} scenes in {folder} are rendered. Go on "
                f"with: python -m truehue.core.generation.small data --data {folder}"
            )
        self.planes = planes
        self._by_shapes: dict[tuple[str, ...], list[int]] = {}
        for number, scene in enumerate(self.scenes):
            self._by_shapes.setdefault(scene.shapes, []).append(number)

    def of(self, shapes: tuple[str, ...]) -> Sequence[int]:
        """The numbers of the scenes with these shapes, in this order; empty without one."""
        return self._by_shapes.get(shapes, ())

    def picture(self, number: int, colors: Sequence[tuple[int, int, int]]) -> np.ndarray:
        """The scene in these sRGB colors, one an object: uint8 ``(H, W, 3)``."""
        linear1 = self.planes[number].astype(np.float32) / np.float32(_FULL)
        light = np.repeat(linear1[-1][:, :, None], 3, axis=2)
        for shade, color in zip(linear1, colors, strict=False):
            light += shade[:, :, None] * srgb8_to_linear1(np.array(color)).astype(np.float32)
        return linear1_to_srgb8(light)


def render_scenes(
    folder: Path,
    settings: SceneSettings,
    workers: int = 1,
    report_progress: Told = lambda done, source: None,
) -> SceneBank:
    """Renders what is missing in ``folder`` by several processes; a run that was ended goes on.

    ``told`` hears how many scenes of how many are done. All are rendered again where their file is
    gone or cut. Raises BadInput where the folder holds scenes of other settings, and for fewer than
    one worker; DataFolderError where it cannot be written.
    """
    if workers < 1:
        raise BadInput("Workers must be at least 1.")
    scenes = scenes_of(settings)
    _prepare(folder, settings, len(scenes))
    _, done = _arrays(folder, settings, len(scenes))
    missing = np.flatnonzero(done == 0).tolist()
    chunks = [missing[start : start + _CHUNK] for start in range(0, len(missing), _CHUNK)]
    count = len(scenes) - len(missing)
    report_progress(count, len(scenes))
    work = partial(_render, folder, settings)
    if workers == 1:
        for chunk in chunks:
            count += work(chunk)
            report_progress(count, len(scenes))
        return SceneBank(folder)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(work, chunk) for chunk in chunks]):
            count += future.result()
            report_progress(count, len(scenes))
    return SceneBank(folder)


def _render(folder: Path, settings: SceneSettings, numbers: Sequence[int]) -> int:
    """Renders these scenes into the mapped files; returns how many."""
    scenes = scenes_of(settings)
    planes, done = _arrays(folder, settings, len(scenes))
    square = settings.size_px, settings.size_px
    for number in numbers:
        scene = scenes[number]
        seen = scene_view(scene.shapes, scene.seed)
        traced = trace(seen, LIGHTS[scene.light], scene.seed, settings.size_px)
        planes[number] = 0
        for index, plane in (*enumerate(traced.shades), (PLANES - 1, traced.added)):
            # A pixel that gets more than full light is clipped at full light in the picture too.
            full = np.rint(np.clip(plane, 0.0, 1.0) * _FULL)
            planes[number, index] = full.astype(np.uint16).reshape(square)
        planes.flush()
        done[number] = 1
    done.flush()
    return len(numbers)


def _prepare(folder: Path, settings: SceneSettings, count: int) -> None:
    """Makes the files that are not there. Where the planes are gone or cut, no scene is done."""
    about = {"renderer_version": RENDERER_VERSION, "settings": settings.as_json()}
    path, (planes, done) = folder / "scenes.json", _sizes(folder, settings, count)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            replace_file(path, (json.dumps(about, indent=1) + "\n").encode())
        elif json.loads(path.read_text(encoding="utf-8")) != about:
            raise BadInput(f"{folder} holds scenes of other settings: take another folder.")
        if not _is_whole(*planes):
            done[0].unlink(missing_ok=True)
        for file, size in (planes, done):
            if not _is_whole(file, size):
                with file.open("ab") as grown:
                    grown.truncate(size)
    except ValueError as error:
        raise BadInput(
            f"{path} is torn ({error!s:.80}). Put a copy back, or take the folder away: then the "
            "scenes are rendered again."
        ) from error
    except OSError as error:
        raise DataFolderError(f"{folder} cannot be written: {why_of(error)}.") from error


def _sizes(
    folder: Path, settings: SceneSettings, count: int
) -> tuple[tuple[Path, int], tuple[Path, int]]:
    """The file of the planes and that of what is done, each with its bytes."""
    bytes_of_scene = PLANES * settings.size_px**2 * np.dtype(np.uint16).itemsize
    return (folder / "planes.uint16", count * bytes_of_scene), (folder / "done.uint8", count)


def _is_whole(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def _arrays(folder: Path, settings: SceneSettings, count: int) -> tuple[np.memmap, np.memmap]:
    """The planes of all scenes, and which of them are done. Raises BadInput for a file that is gone
    or cut, which would be read as black scenes."""
    for path, size in _sizes(folder, settings, count):
        if not _is_whole(path, size):
            raise BadInput(
                f"{path} is gone or cut. Put a copy back, or render again with: "
                f"python -m truehue.core.generation.small data --data {folder}"
            )
    shape = (count, PLANES, settings.size_px, settings.size_px)
    (planes, _), (done, _) = _sizes(folder, settings, count)
    return (
        np.memmap(planes, dtype=np.uint16, mode="r+", shape=shape),
        np.memmap(done, dtype=np.uint8, mode="r+", shape=(count,)),
    )
