"""Groups as in CFD, made from photographs with captions: long work that resumes.

One photograph by one maker is an item. A maker is a model of the registry, which generates the
caption at rising guidance from one noise, or a distortion of the photograph itself, whose order is
known without a model: HSV saturation, or contrast about the mean. The paper's groups become more
vivid by guidance alone, and its limitations suggest other distortions as future work.

On a machine without photographs the reference renderer's images replace them. Their light is
computed and their materials are plain: a metric learns the order of distortions from them, and
nothing about photographs.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from threading import Event
from types import MappingProxyType
from typing import Any

import numpy as np

from truehue.core.batch.folder import BatchFolder
from truehue.core.batch.records import DONE, Row, WorkNames
from truehue.core.batch.results import tables
from truehue.core.batch.shards import schema_with
from truehue.core.batch.work import CannotWork, ItemFailed, Stopped, Work, WorkerContext
from truehue.core.errors import BadInput, DataFolderError, TrueHueError
from truehue.core.fidelity.groups import CATEGORIES, GUIDANCES, Group, category_of
from truehue.core.fidelity.sweep import scaled_saturation
from truehue.core.files import write_once
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.generation.memory import BadModelFolder, ModelMissing, is_out_of_memory
from truehue.core.generation.opening import open_model
from truehue.core.generation.registry import RENDERER, model
from truehue.core.generation.renderer import LIGHTS, OBJECTS
from truehue.core.generation.request import (
    MAX_SEED,
    Cancelled,
    GenerationRequest,
    LoadedModel,
    StepReport,
)
from truehue.core.images.load import encode_png, load_image
from truehue.core.prompts.draws import seeded_order
from truehue.core.prompts.parts import colors
from truehue.core.prompts.prompt import ObjectTarget, format_color

_CAPTIONS = ("caption", "prompt", "text", "txt")
_HEADER = f"A table of captions has the columns file and {', '.join(_CAPTIONS[:-1])} or txt."


@dataclass(frozen=True)
class Photograph:
    """``path`` of the file; ``category`` is one of CFD's, or "" where nobody stated it."""

    path: Path
    caption: str
    category: str = ""


def read_photographs(folder: Path, table: Path) -> list[Photograph]:
    """The photographs of a CSV or Parquet table, in its order.

    Columns: ``file`` (below ``folder``), ``caption`` (or ``prompt``, ``text``, ``txt``: the table
    of an import of images is such a one), and perhaps ``category``. Raises BadInput, with the line,
    for what cannot be used; nothing is left out silently.
    """
    root = folder.resolve()
    if not root.is_dir():
        raise BadInput(f"{folder} is no folder of photographs.")
    out, seen = [], set()
    for line, row in _rows(table):
        name = next((name for name in _CAPTIONS if name in row), "")
        if "file" not in row or not name:
            raise BadInput(f"{table.name} has no such columns. {_HEADER}")
        try:
            photograph = _photograph(root, row, name)
            if (key := (photograph.path, photograph.caption)) in seen:
                raise BadInput("the same photograph and caption are in another line too.")
            seen.add(key)
        except BadInput as error:
            raise BadInput(f"{table.name}, line {line}: {error}") from None
        out.append(photograph)
    if not out:
        raise BadInput(f"{table.name} names no photographs.")
    return out


def _photograph(root: Path, row: Mapping[str, Any], name: str) -> Photograph:
    caption, category = _text(row[name]), _text(row.get("category"))
    if not caption:
        raise BadInput("the caption is empty.")
    if category and not category_of(category):
        raise BadInput(f"{category!r:.60} is none of the categories: {', '.join(CATEGORIES)}.")
    file = _text(row["file"])
    path = (root / file).resolve()
    if not file or not path.is_relative_to(root):
        raise BadInput(f"{file!r:.80} is no file below {root}.")
    if not path.is_file():
        raise BadInput(f"{file!r:.80} is not there.")
    return Photograph(path, caption, category_of(category))


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _rows(table: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        if table.suffix.lower() == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            try:
                rows = pq.read_table(table).to_pylist()
            except pa.ArrowException as error:
                raise BadInput(f"{table} cannot be read as Parquet: {error!s:.200}") from None
            yield from enumerate(rows, start=1)
            return
        with table.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            for row in reader:
                if None in row or None in row.values():
                    raise BadInput(
                        f"{table.name}, line {reader.line_num}: it has another number of cells."
                    )
                yield reader.line_num, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{table} cannot be read as a table: {error}") from None


SCALES = (1.15, 1.3, 1.5, 1.75, 2.0, 2.4)
"""Of rank0 to rank5; ours, as many as the guidance scales of the paper."""


def scaled_contrast(srgb8: np.ndarray, scale: float) -> np.ndarray:
    """The image with every sRGB code moved away from the mean code of all pixels and channels by
    ``scale``, and cut at 0 and 255. uint8 ``(H, W, 3)`` in and out; raises BadInput for a scale
    below 0 and for what is no image."""
    if not scale >= 0 or not np.isfinite(scale):
        raise BadInput(f"A scale of contrast is 0 or more, not {scale}.")
    if srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.dtype != np.uint8:
        raise BadInput(f"An image is uint8 (H, W, 3), not {srgb8.dtype} {srgb8.shape}.")
    mean = float(srgb8.mean())
    codes = mean + scale * (np.arange(256) - mean)
    table = np.clip(np.rint(codes), 0, 255).astype(np.uint8)
    out: np.ndarray = table[srgb8]
    return out


DISTORTIONS: Mapping[str, Callable[[np.ndarray, float], np.ndarray]] = MappingProxyType(
    {"saturation": scaled_saturation, "contrast": scaled_contrast}
)
"""By name; each takes an image and a scale, 1 for the image itself."""


VERSION = 2
"""Rises where the same plan would give other images."""
PHOTOGRAPHS = "photographs.jsonl"
PICTURES = "pictures"
FORMATS = ("jpg", "png")
_JPEG_QUALITY = 95
_NO_GUIDANCE = {
    "renderer": "computes its images, without guidance",
    "served": "generates on a server, whose guidance cannot be reached from here",
    "folder": "does not generate here",
}


@dataclass(frozen=True)
class BuildSettings:
    """``makers``: ids of models and names of distortions. ``steps`` and the sides of what models
    draw are theirs where None. ``size_px``: photographs are scaled down to this squared where a
    distortion makes the images, and to the drawn area where a model does. All files of a group are
    written in one ``format``, so that no codec tells photographs from the rest. ``one_each``: a
    photograph is drawn by one of the makers, as in the paper, and not by all; its name and caption
    decide by which.
    """

    makers: tuple[str, ...]
    guidances: tuple[float, ...] = GUIDANCES
    scales: tuple[float, ...] = SCALES
    steps: int | None = None
    width: int | None = None
    height: int | None = None
    size_px: int = 1024
    seed: int = 0
    format: str = "jpg"
    one_each: bool = False

    def __post_init__(self) -> None:
        if not self.makers or len(set(self.makers)) < len(self.makers):
            raise BadInput("Name at least one model or distortion, each once.")
        for name, rising, least in (
            ("Guidance", self.guidances, 0.0),
            ("The scales of a distortion", self.scales, 1.0),
        ):
            ordered = all(a < b for a, b in pairwise(rising))
            if len(rising) < 2 or not ordered or not least < rising[0] or not rising[-1] < 1000:
                raise BadInput(f"{name} rises from above {least:g}, in at least two steps.")
        if self.format not in FORMATS:
            raise BadInput(f"The format is {' or '.join(FORMATS)}, not {self.format!r:.20}.")
        if not 16 <= self.size_px <= 8192:
            raise BadInput("The side of photographs is 16 to 8,192 pixels.")
        for maker in self.makers:
            if maker not in DISTORTIONS:
                _check_guidance(maker)


def _check_guidance(maker: str) -> None:
    entry = model(maker)
    why = _NO_GUIDANCE.get(entry.kind, "")
    if not why and entry.defaults is not None and entry.defaults.guidance is None:
        why = "has no guidance"
    if why:
        raise BadInput(
            f"{entry.name} {why}: its images cannot be ordered by it. Distortions "
            f"({', '.join(DISTORTIONS)}) need none."
        )


class BuildFolder(BatchFolder):
    """Its plan holds the settings; ``photographs.jsonl`` lies beside it."""

    words = WorkNames("data set", "group", "groups")

    def plan_files(self) -> tuple[Path, ...]:
        """The photographs, too."""
        return (*super().plan_files(), self.path / PHOTOGRAPHS)

    def written_folders(self) -> tuple[Path, ...]:
        """Images are written below the folder."""
        return (*super().written_folders(), self.path / PICTURES)

    def settings(self) -> BuildSettings:
        """Of the plan. Raises BadInput for those of another version."""
        fields = dict(self.summary()["settings"])
        for name in ("makers", "guidances", "scales"):
            fields[name] = tuple(fields[name])
        return BuildSettings(**fields)

    def photographs(self) -> list[Photograph]:
        """In the order of the plan."""
        text = (self.path / PHOTOGRAPHS).read_text(encoding="utf-8")
        rows = (json.loads(line) for line in text.splitlines())
        return [Photograph(Path(r["path"]), r["caption"], r["category"]) for r in rows]


def begin(path: Path, photographs: Sequence[Photograph], settings: BuildSettings) -> BuildWork:
    """The work of a folder, new or to go on with. Raises BadInput where the folder was begun with
    other photographs or settings."""
    lines = "".join(
        json.dumps({**asdict(photograph), "path": str(photograph.path)}, ensure_ascii=False) + "\n"
        for photograph in photographs
    ).encode()
    plan = {
        "total": len(shares(photographs, settings)),
        "version": VERSION,
        "settings": _settings_json(settings),
        "photographs": hashlib.sha256(lines).hexdigest(),
    }
    folder = BuildFolder(path)
    folder.begin(plan, {PHOTOGRAPHS: lines})
    started = folder.summary()
    if any(started.get(name) != value for name, value in plan.items()):
        raise BadInput(
            f"{path} was started with other photographs or settings: choose another folder."
        )
    return BuildWork(path)


def _settings_json(settings: BuildSettings) -> dict[str, Any]:
    """As plans have it: those of before do not know ``one_each``."""
    fields: dict[str, Any] = json.loads(json.dumps(asdict(settings)))
    if not fields["one_each"]:
        del fields["one_each"]
    return fields


def shares(photographs: Sequence[Photograph], settings: BuildSettings) -> list[tuple[int, int]]:
    """(maker, photograph) of each position: all photographs of the first maker, then those of the
    next."""
    count = len(settings.makers)
    out = []
    for maker in range(count):
        for number, photograph in enumerate(photographs):
            if not settings.one_each or seed_of(settings.seed, photograph) % count == maker:
                out.append((maker, number))
    return out


class BuildWork(Work):
    """All photographs by the first maker, then by the next, so that one model is loaded at a
    time."""

    def __init__(self, path: Path) -> None:
        super().__init__(BuildFolder(path))

    def schema(self) -> Any:
        """Paths are below the folder; the first of ``files`` is the photograph's."""
        import pyarrow as pa

        return schema_with(
            [
                ("photograph", pa.int64()),
                ("maker", pa.string()),
                ("files", pa.list_(pa.string())),
                ("seed", pa.int64()),
            ]
        )

    def check(self) -> None:
        """Raises BadInput for a folder that another version began."""
        if self.folder.summary().get("version") != VERSION:
            raise BadInput(f"{self.folder.path} was started by another version: start again.")

    def open(self, context: WorkerContext) -> Builder:
        """The doer that makes groups."""
        assert isinstance(self.folder, BuildFolder)
        return Builder(self.folder, context)

    def needs_device(self) -> bool:
        """True where a model draws."""
        assert isinstance(self.folder, BuildFolder)
        return any(maker not in DISTORTIONS for maker in self.folder.settings().makers)

    def groups(self) -> Iterator[Group]:
        """The groups that are made, in the order of their positions."""
        assert isinstance(self.folder, BuildFolder)
        photographs, root = self.folder.photographs(), self.folder.path
        for table in tables(self, ("position", "status", "photograph", "maker", "files")):
            for row in table.to_pylist():
                if row["status"] == DONE:
                    photograph = photographs[row["photograph"]]
                    files = [root / name for name in row["files"]]
                    yield Group(
                        files[0],
                        tuple(files[1:]),
                        photograph.caption,
                        photograph.category,
                        row["maker"],
                    )


class Builder:
    """Makes one group at a time."""

    def __init__(self, folder: BuildFolder, context: WorkerContext) -> None:
        self._folder, self._context = folder, context
        self._settings, self._photographs = folder.settings(), folder.photographs()
        self._shares = shares(self._photographs, self._settings)
        self._loaded: tuple[str, LoadedModel] | None = None

    def do(self, position: int, attempt: int) -> Row:
        """The files of a group. Same position, same pixels."""
        index, number = self._shares[position]
        maker, item = self._settings.makers[index], self._photographs[number]
        seed = seed_of(self._settings.seed, item)
        try:
            photograph = load_image(item.path).srgb8
            images = self._images(maker, photograph, item.caption, seed)
        except Cancelled as error:
            raise Stopped from error
        except (Stopped, CannotWork, DataFolderError):
            raise
        except (ModelMissing, BadModelFolder) as error:
            raise CannotWork(str(error)) from error
        except Exception as error:
            if is_out_of_memory(error):
                raise CannotWork(f"Memory ran out while {maker} drew: {error}") from error
            if not isinstance(error, TrueHueError):
                raise
            raise ItemFailed(str(error), {"photograph": number, "maker": maker}) from error
        images = [_align_photograph(photograph, images[0], maker in DISTORTIONS), *images]
        folder = Path(PICTURES) / f"{_plain(maker)}-{number:06d}"
        ending = self._settings.format
        names = ["real", *(f"rank{rank}" for rank in range(len(images) - 1))]
        files = [folder / f"{name}.{ending}" for name in names]
        for file, image in zip(files, images, strict=True):
            write_once(self._folder.path / file, encoded(image, ending))
        return {
            "position": position,
            "attempt": attempt,
            "status": DONE,
            "reason": "",
            "photograph": number,
            "maker": maker,
            "files": [file.as_posix() for file in files],
            "seed": seed,
        }

    def _images(
        self, maker: str, photograph: np.ndarray, caption: str, seed: int
    ) -> list[np.ndarray]:
        settings = self._settings
        if maker in DISTORTIONS:
            base = scaled_down(photograph, settings.size_px**2)
            return [DISTORTIONS[maker](base, scale) for scale in settings.scales]
        loaded = self._model(maker)
        images = []
        for guidance in settings.guidances:
            request = GenerationRequest(
                maker,
                caption,
                seed=seed,
                steps=settings.steps,
                guidance=guidance,
                width=settings.width,
                height=settings.height,
            )
            images.append(loaded.draw([request], self._on_step, self._context.stop)[0].srgb8)
        return images

    def _on_step(self, report: StepReport) -> None:
        self._context.step()

    def _model(self, maker: str) -> LoadedModel:
        if self._loaded is None or self._loaded[0] != maker:
            self.close()
            self._loaded = (maker, open_model(maker))
        return self._loaded[1]

    def close(self) -> None:
        """Gives the model's memory back."""
        if self._loaded is not None:
            self._loaded[1].unload()
            self._loaded = None


def seed_of(seed: int, photograph: Photograph) -> int:
    """The noise of all images of a photograph, by every model: from its name and caption."""
    text = f"{seed}\0{photograph.path.name}\0{photograph.caption}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % MAX_SEED


def scaled_down(srgb8: np.ndarray, area_px: int) -> np.ndarray:
    """An image of about ``area_px`` pixels, its sides in proportion and rounded (Lanczos); never
    enlarged. uint8 sRGB ``(H, W, 3)`` in and out."""
    height, width, _ = srgb8.shape
    scale = (area_px / (height * width)) ** 0.5
    if scale >= 1:
        return srgb8
    return _resized(srgb8, max(1, round(height * scale)), max(1, round(width * scale)))


def _align_photograph(photograph: np.ndarray, image: np.ndarray, is_distorted: bool) -> np.ndarray:
    """The photograph as it stands beside an image of its group: of a distortion at its very size,
    as rounding the sides twice could miss it by a pixel, of a model's drawing at its area."""
    height, width, _ = image.shape
    if is_distorted:
        return _resized(photograph, height, width)
    return scaled_down(photograph, height * width)


def _resized(srgb8: np.ndarray, height: int, width: int) -> np.ndarray:
    from PIL import Image

    if srgb8.shape[:2] == (height, width):
        return srgb8
    return np.array(Image.fromarray(srgb8).resize((width, height), Image.Resampling.LANCZOS))


def encoded(srgb8: np.ndarray, format: str) -> bytes:
    """The bytes of a file of uint8 sRGB ``(H, W, 3)``: ``png``, or with any other ``format`` a JPEG
    of quality 95 whose color is not subsampled."""
    from PIL import Image

    buffer = io.BytesIO()
    if format == "png":
        Image.fromarray(srgb8).save(buffer, "PNG", compress_level=4)
    else:
        Image.fromarray(srgb8).save(buffer, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
    return buffer.getvalue()


def _plain(maker: str) -> str:
    """A maker's id as a folder's name: ids of the hub and of folders have slashes and colons."""
    plain = "".join(c if c.isalnum() or c in "-._" else "-" for c in maker).strip(".-")[:40]
    if plain == maker:
        return maker
    return f"{plain}-{hashlib.sha256(maker.encode()).hexdigest()[:8]}"


MAX_PHOTOGRAPHS = 5_000


def rendered_photographs(
    folder: Path, count: int, size_px: int = 128, seed: int = 0
) -> list[Photograph]:
    """Renders ``count`` single objects into ``folder``, or those that are missing: in the names of
    colors of ISCC-NBS level 1, in a seeded order, under all lights in turn.

    Raises BadInput for a count that is not 1 to 5,000.
    """
    if not 1 <= count <= MAX_PHOTOGRAPHS:
        raise BadInput(
            f"The renderer stands in for 1 to {MAX_PHOTOGRAPHS:,} photographs, not {count:,}."
        )
    pairs = [(name, color) for name in OBJECTS for color in colors("l1")]
    order = seeded_order(len(pairs), f"fidelity/{seed}")
    renderer, lights = ReferenceRenderer(), list(LIGHTS)
    out = []
    for number in range(count):
        # Beyond the number of pairs they come again, seen from elsewhere.
        name, color = pairs[order[number % len(order)]]
        text = f"A photo of a {format_color(color)} {name}"
        path = folder / f"{seed}-{size_px}-{number:04d}.png"
        if not path.is_file():
            request = GenerationRequest(
                RENDERER,
                text,
                seed=seed + number,
                width=size_px,
                height=size_px,
                targets=(ObjectTarget(name, color),),
                options={"light": lights[number % len(lights)]},
            )
            image = renderer.draw([request], lambda report: None, Event())[0]
            write_once(path, encode_png(image.srgb8))
        out.append(Photograph(path.resolve(), text, "Others"))
    return out
