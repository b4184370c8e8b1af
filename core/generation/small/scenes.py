"""Training data of the small model: scenes rendered once into a memory-mapped file, and captions.

A scene is stored without its colors: linear light is ``shade × albedo`` of every object plus added
light, so one scene gives an image in any color, identical to the reference renderer's image.

The captions use the benchmark's own templates. Some pairs of a color and an object are held out: no
caption of the training names them together, so the benchmark's prompts with such a pair are new to
the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from truehue.core.color.spaces import srgb8_to_linear1
from truehue.core.color.systems import ColorTarget
from truehue.core.errors import BadInput, DataFolderError
from truehue.core.files import ReportProgress, file_problem, ignore_progress, replace_file
from truehue.core.generation.backends.reference import shapes_for
from truehue.core.generation.renderer import LIGHTS, RENDERER_VERSION
from truehue.core.generation.renderer.checks import linear1_to_srgb8
from truehue.core.generation.renderer.scenes import scene_view
from truehue.core.generation.renderer.stand_ins import stand_in
from truehue.core.generation.renderer.trace import trace
from truehue.core.generation.renderer.usual import Rgb8, neutral
from truehue.core.generation.small.settings import SceneSettings, Settings, scene_settings_from_json
from truehue.core.prompts.draws import rank
from truehue.core.prompts.gencolorbench import build
from truehue.core.prompts.parts import BUILD_ORDER, colors
from truehue.core.prompts.prompt import Prompt, format_color, with_articles
from truehue.core.prompts.tables import ObjectRow, focused_templates, objects

PLANES = 3
"""Of a scene: the shade of the first object, of the second, and what is added."""

_FULL = 65535
_CHUNK = 16


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

    def image(self, number: int, colors: Sequence[tuple[int, int, int]]) -> np.ndarray:
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
    report_progress: ReportProgress = ignore_progress,
) -> SceneBank:
    """Renders what is missing in ``folder`` by several processes; a run that was ended goes on.

    ``report_progress`` hears how many scenes of how many are done. All are rendered again where
    their file is gone or cut. Raises BadInput where the folder holds scenes of other settings, and
    for fewer than one worker; DataFolderError where it cannot be written.
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
        viewpoint = scene_view(scene.shapes, scene.seed)
        traced = trace(viewpoint, LIGHTS[scene.light], scene.seed, settings.size_px)
        planes[number] = 0
        for index, plane in (*enumerate(traced.shades), (PLANES - 1, traced.added)):
            # A pixel that gets more than full light is clipped at full light in the image too.
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
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(
            f"{path} is torn ({error!s:.80}). Put a copy back, or take the folder away: then the "
            "scenes are rendered again."
        ) from error
    except OSError as error:
        raise DataFolderError(f"{folder} cannot be written: {file_problem(error)}.") from error


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


MAX_OBJECTS = 2
"""In one image of the training; prompts of three objects are left to fail."""

_HELD_OUT_KEY = "small/held-out"
_RANDOM_NUMBERS = 0.5
_SYSTEMS = ("l1", "l2", "l3", "css")


@dataclass(frozen=True)
class Caption:
    """A sentence, the shapes that its image shows, their colors, and which of these the sentence
    asks for (a second object of no color is a gray)."""

    text: str
    shapes: tuple[str, ...]
    colors: tuple[Rgb8, ...]
    asked: tuple[bool, ...]


def is_held_out(color: ColorTarget, object_name: str, share: float) -> bool:
    """Whether this color of this object is kept out of the training; ``share`` 0 to 1.

    By the color's words, which may be of several systems, and a hash: the same everywhere.
    """
    number = int.from_bytes(rank(f"{_HELD_OUT_KEY}/{format_color(color)}/{object_name}")[:8], "big")
    return number < share * 2**64


def has_held_out_pair(prompt: Prompt, share: float) -> bool:
    """Whether a prompt of the benchmark asks for a color of an object that was never shown."""
    return any(
        target.color is not None and is_held_out(target.color, target.name, share)
        for target in prompt.targets
    )


def held_out_pairs(share: float) -> list[tuple[str, str]]:
    """The held-out pairs of a color and an object, each color by its value (``l1:Blue``)."""
    names = sorted({row.name for row in objects()})
    return [
        (color.value, name)
        for system in BUILD_ORDER
        for color in colors(system)
        for name in names
        if is_held_out(color, name, share)
    ]


@cache
def colors_by_name() -> dict[str, ColorTarget]:
    """The color that every name stands for in the training.

    "blue" is a color of three systems and three colors; a sentence does not say which. It is that
    of the first system in the order level 1, level 2, level 3, CSS.
    """
    meaning: dict[str, ColorTarget] = {}
    for system in BUILD_ORDER:
        for color in colors(system):
            meaning.setdefault(format_color(color), color)
    return meaning


@cache
def named_colors(system: str) -> tuple[ColorTarget, ...]:
    """The colors of a system whose name means that very color (:func:`colors_by_name`)."""
    meaning = colors_by_name()
    return tuple(
        color for color in colors(system) if meaning[format_color(color)].srgb8 == color.srgb8
    )


def captions(settings: Settings, chance: np.random.Generator, count: int) -> list[Caption]:
    """So many captions, drawn by ``chance`` in the shares of ``settings.mix``."""
    kinds = list(settings.mix)
    shares = np.array([settings.mix[kind] for kind in kinds])
    picks = chance.choice(len(kinds), size=count, p=shares / shares.sum())
    return [_caption(kinds[pick], settings.held_out, chance) for pick in picks]


def _caption(kind: str, share: float, chance: np.random.Generator) -> Caption:
    if kind == "several":
        choices = several_objects(share)
        return choices[int(chance.integers(len(choices)))]
    while True:
        row = objects()[int(chance.integers(len(objects())))]
        color = _color(kind, chance)
        if color is None:
            red, green, blue = (int(v) for v in chance.integers(0, 256, 3))
            return _single(kind, row, (red, green, blue), "", chance)
        if not is_held_out(color, row.name, share):
            return _single(kind, row, color.srgb8, format_color(color), chance)


def _color(kind: str, chance: np.random.Generator) -> ColorTarget | None:
    """A color of a kind of caption; None for any color at all."""
    if kind in _SYSTEMS:
        choices = named_colors(kind)
    elif chance.random() < _RANDOM_NUMBERS:
        return None
    else:
        choices = colors(BUILD_ORDER[int(chance.integers(len(BUILD_ORDER)))])
    return choices[int(chance.integers(len(choices)))]


def _single(
    kind: str, row: ObjectRow, srgb8: Rgb8, message: str, chance: np.random.Generator
) -> Caption:
    templates = focused_templates(kind if kind in ("hex", "rgb") else "name")
    template = templates[int(chance.integers(len(templates)))]
    red, green, blue = srgb8
    text = with_articles(
        template.text.format(
            object=row.phrase,
            color=message,
            hex=f"#{red:02X}{green:02X}{blue:02X}",
            r=red,
            g=green,
            b=blue,
        )
    )
    return Caption(text, (stand_in(row.name, row.category).shape,), (srgb8,), (True,))


@cache
def several_objects(share: float) -> tuple[Caption, ...]:
    """The captions of the benchmark's prompts with several objects, of which one or two are drawn,
    without held-out ones and those whose color's name means another color."""
    meaning = colors_by_name()
    result = []
    for prompt in build():
        if len(prompt.targets) < 2 or has_held_out_pair(prompt, share):
            continue
        color_targets = [target.color for target in prompt.targets if target.color is not None]
        if any(meaning[format_color(color)].srgb8 != color.srgb8 for color in color_targets):
            continue
        caption = caption_of(prompt)
        if len(caption.shapes) <= MAX_OBJECTS:
            result.append(caption)
    return tuple(result)


def caption_of(prompt: Prompt) -> Caption:
    """A prompt as the reference renderer would draw it: places are left out, a reference shares
    the main object's color, and what has no color is a gray."""
    main = next(target.color for target in prompt.targets if target.color is not None)
    gray = neutral([target.color.srgb8 for target in prompt.targets if target.color is not None])
    shapes, rgb8, partial_type = [], [], []
    for placed_target in shapes_for(prompt.targets):
        if placed_target.shape is None:
            continue
        target = prompt.targets[placed_target.target]
        color = target.color or (main if target.role == "reference" else None)
        shapes.append(placed_target.shape)
        rgb8.append(color.srgb8 if color else gray)
        partial_type.append(color is not None)
    return Caption(prompt.text, tuple(shapes), tuple(rgb8), tuple(partial_type))


_WORD = re.compile(r"[^\W\d_]+")


@cache
def vocabulary() -> tuple[str, ...]:
    """Every word of the benchmark's prompts, as written and in small letters, sorted."""
    terms: set[str] = set()
    for text in _texts():
        terms.update(_WORD.findall(text))
    terms |= {word.lower() for word in terms} | {word.capitalize() for word in terms}
    return tuple(sorted(terms))


def _texts() -> Iterable[str]:
    """Sentences that have all words of the benchmark: numbers, and so hex digits, are spelled."""
    for prompt in build():
        if prompt.notation != "hex":
            yield prompt.text
    for template in focused_templates("hex"):
        yield template.text.format(object="", hex="")
