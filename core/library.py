"""TrueHue as a library: the names that ``import truehue`` offers.

Images and masks are given as a path, the bytes of a file, a PIL image or an array. An array is
uint8 sRGB ``(H, W, 3)``, or ``(H, W)`` of grays; a mask is bool ``(H, W)``, an image in which the
object is light (128 or more), or what :func:`salient_mask` and :func:`render` give, whose bool array
is ``pixels``. Without mask and box all opaque pixels count, background included; only :func:`compare`
selects what stands out, as ``truehue measure`` and ``truehue compare`` do. Results print as one line,
stand as swatches in a notebook, and turn into a dict of plain values with ``to_dict()``. Every error
is a :class:`truehue.core.errors.TrueHueError` whose message says the problem and its remedy.

A function imports what it alone needs, so that the first call to measure an image is fast.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from truehue.core.color.people import SHOWN_NAMES, Naming, naming, percent_text, surveys
from truehue.core.color.spaces import CONDITIONS, CONDITIONS_TEXT, hex_of, lab_to_srgb8
from truehue.core.color.systems import SYSTEMS, ColorTarget, all_nearest, parse_target
from truehue.core.errors import BadInput, DataFolderError, MaskError, NoPixels
from truehue.core.images.load import LoadedImage, load_image, object_pixels
from truehue.core.images.pixels import Mask, masked_colors
from truehue.core.masks.selection import SALIENT_OR_WHOLE, WHOLE, select_pixels_by
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import MaskCache, Measurement, TargetObject
from truehue.core.verdict.measure import measure as judge
from truehue.core.verdict.nearest import note_of
from truehue.core.verdict.rules import DEFAULT_RULE, MATCHES, PASS, RULES, Rule

if TYPE_CHECKING:
    from truehue.core.color.distances import Comparison
    from truehue.core.generation.renderer import Light, Rendering
    from truehue.core.masks.salient import SalientMask
    from truehue.core.prompts.prompt import Prompt

ImageLike = str | Path | bytes | Image.Image | NDArray[Any]
MaskLike = Union[ImageLike, Mask, "SalientMask"]
Box = tuple[float, float, float, float]
Lab = tuple[float, float, float]


_LABELS = {
    "misfit": "mismatch score",
    "delta_e00": "ΔE00",
    "delta_chroma": "Δa*b*",
    "hue_deg": "Δh, degrees",
}
_OTHER_SELECTION = f'give masker="{WHOLE}", or histograms within masks of your own'
_IN_PNG = ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")
_SWATCH = "display:inline-block;width:3em;height:1.4em;border:1px solid #8886;vertical-align:middle"


@dataclass(frozen=True, eq=False)
class VerdictResult:
    """What :func:`measure` found. ``measurement`` has every step; ``pixels`` bool ``(H, W)`` are the
    object as it was given or selected; ``notes`` say what was converted or assumed. ``names_note``
    says why ``truehue`` accepts a name that is not the nearest, or refuses the nearest; else it is
    empty."""

    measurement: Measurement = field(repr=False)
    pixels: NDArray[np.bool_] = field(repr=False)
    notes: tuple[str, ...] = ()
    names_note: str = ""

    @property
    def status(self) -> str:
        """The verdict in one word."""
        return self.measurement.verdict.status

    @property
    def passed(self) -> bool:
        """Whether the object has the color, by the rule."""
        return self.status == PASS

    @property
    def reason(self) -> str:
        """The sentence that explains the verdict."""
        return self.measurement.verdict.reason

    @property
    def lab(self) -> Lab | None:
        """The measured color: CIELAB, D65 and 2 degrees."""
        return self.measurement.verdict.lab

    @property
    def delta_e00(self) -> float | None:
        """CIEDE2000 to the nearest accepted color."""
        value = self.to_dict()["delta_e00"]
        return None if value is None else float(value)

    def differences(self, **viewing: Any) -> dict[str, Any]:
        """The measured color's distance from the target by CIE 1976, CIE 1994, CMC, CAM16-UCS,
        ΔE ITP and HyAB beside CIEDE2000, as ``truehue measure --differences`` prints it. They change
        no verdict. ``viewing`` has fields of
        :class:`truehue.core.color.formulas.ViewingConditions`. Raises BadInput, also where
        colour-science is not installed."""
        from truehue.core.color.formulas import ViewingConditions
        from truehue.core.verdict.differences import verdict_differences

        return verdict_differences(self.measurement, ViewingConditions(**viewing))

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, as ``truehue measure --json`` prints it."""
        return {
            **self.measurement.as_json(),
            **CONDITIONS,
            "names_note": self.names_note,
            "image_notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return "\n".join((self.measurement.line(), *self._sentences()))

    def _sentences(self) -> tuple[str, ...]:
        return (*([self.names_note] if self.names_note else []), *self.notes)

    def _repr_html_(self) -> str:
        verdict, target = self.measurement.verdict, self.measurement.target
        swatches = {f"target {target.label}": target.hex}
        if verdict.lab is not None:
            swatches[f"measured {_lab_text(verdict.lab)}"] = _hex(verdict.lab)
        rows = {_LABELS[metric.name]: f"{metric.value:.2f}" for metric in verdict.metrics}
        title = f"{verdict.status.capitalize()} by {verdict.rule} {verdict.version}"
        return _html(
            title, swatches, rows, (verdict.reason, *self._sentences(), *self.measurement.notes)
        )


@dataclass(frozen=True, eq=False)
class ColorResult:
    """What :func:`color_of` found.

    ``lab`` is the color of the best-lit part of the largest material, ``mean_lab`` the mean of all
    pixels: CIELAB, D65 and 2 degrees. ``names`` has the nearest name of each color system with its
    CIEDE2000; ``people`` the names that people use most for ``lab``, with their shares of the
    ``people_answers`` answers, 0 to 1 (XKCD survey, :mod:`truehue.core.color.people`), and
    ``other_people`` the same by the title of each survey that TRUEHUE_NAMES names. ``palette`` has
    the largest colors as ``#RRGGBB`` with their shares, 0 to 1.
    """

    lab: Lab
    mean_lab: Lab
    names: Mapping[str, tuple[str, float]]
    people: tuple[tuple[str, float], ...]
    palette: tuple[tuple[str, float], ...]
    pixel_count: int
    notes: tuple[str, ...] = ()
    people_answers: int = 0
    other_people: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)

    @property
    def hex(self) -> str:
        """``lab`` as ``#RRGGBB``, outside of sRGB the nearest by channel."""
        return _hex(self.lab)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            **CONDITIONS,
            "hex": self.hex,
            "lab": list(self.lab),
            "mean_lab": list(self.mean_lab),
            "names": {
                system: {"name": name, "delta_e00": apart}
                for system, (name, apart) in self.names.items()
            },
            "people": [{"name": name, "share": share} for name, share in self.people],
            "people_answers": self.people_answers,
            "other_people": {
                title: [{"name": name, "share": share} for name, share in names]
                for title, names in self.other_people.items()
            },
            "palette": [{"hex": color, "share": share} for color, share in self.palette],
            "pixel_count": self.pixel_count,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        names = ", ".join(f"{name} ({system})" for system, (name, _) in self.names.items())
        line = f"{self.hex}  {_lab_text(self.lab)}  people say {_said(self.people)}; nearest names {names}"
        line += "".join(f"; {title}: {_said(said)}" for title, said in self.other_people.items())
        line += f"  {self.pixel_count:,} pixels"
        return "\n".join((line, *self.notes))

    def _repr_html_(self) -> str:
        swatches = {f"best lit {_lab_text(self.lab)}": self.hex}
        swatches[f"mean {_lab_text(self.mean_lab)}"] = _hex(self.mean_lab)
        swatches |= {f"{share:.0%} of the pixels": color for color, share in self.palette}
        rows = {"People say": _said(self.people)}
        rows |= {f"People say, {title}": _said(said) for title, said in self.other_people.items()}
        rows |= {
            SYSTEMS[system]: f"{name}, ΔE00 {apart:.1f}"
            for system, (name, apart) in self.names.items()
        }
        return _html(f"Color of {self.pixel_count:,} pixels", swatches, rows, self.notes)


def _said(names: Sequence[tuple[str, float]]) -> str:
    return ", ".join(f"{name} {percent_text(share)}" for name, share in names[:2])


@dataclass(frozen=True, eq=False)
class ComparisonResult:
    """What :func:`compare` found: ``comparison`` of the distributions ``first`` and ``second``,
    float64 ``(71,)`` over the UW-71 bins. ``notes`` say which pixels of the images counted, and what
    was converted."""

    comparison: Comparison
    first: NDArray[np.float64] = field(repr=False)
    second: NDArray[np.float64] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def emd_lab(self) -> float:
        """The earth mover's distance in CIELAB units."""
        return self.comparison.emd_lab

    def to_dict(self) -> dict[str, Any]:
        """All distances as plain values; ``docs/science/concepts.md`` describes them."""
        comparison = self.comparison
        return {
            "pcc": comparison.pcc,
            "emd_lab": comparison.emd_lab,
            "entropy_difference_nats": comparison.entropy_difference,
            "dominant_equal": comparison.dominant_equal,
            "delta_hue_deg": comparison.delta_hue_deg,
            "total_variation": comparison.total_variation,
            "jensen_shannon_nats": comparison.jensen_shannon,
            "first": self.first.tolist(),
            "second": self.second.tolist(),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        line = "  ".join(f"{name} {value}" for name, value in self._texts().items())
        return "\n".join((line, *self.notes))

    def _repr_html_(self) -> str:
        from truehue.core.color import uw71

        bins = uw71.uw71()
        swatches = {
            f"{side}: {bins[index].name}, {weights[index]:.0%}": bins[index].hex
            for side, weights, index in zip(
                ("first", "second"),
                (self.first, self.second),
                self.comparison.dominant,
                strict=True,
            )
        }
        return _html("Two distributions over UW-71", swatches, self._texts(), self.notes)

    def _texts(self) -> dict[str, str]:
        left_out = ("first", "second", "notes")
        values = {k: v for k, v in self.to_dict().items() if k not in left_out}
        return {
            name: f"{value:.4f}"
            if isinstance(value, float)
            else "–"
            if value is None
            else str(value)
            for name, value in values.items()
        }


def load(image: ImageLike) -> NDArray[np.uint8]:
    """The image as TrueHue measures it: uint8 sRGB ``(H, W, 3)``, its color profile applied,
    transparency over white, upright. Raises ImageError for what is no image."""
    return _loaded(image).srgb8


def measure(
    image: ImageLike,
    target: str | ColorTarget,
    *,
    mask: MaskLike | None = None,
    box: Box | None = None,
    rule: str = DEFAULT_RULE,
    system: str | None = None,
    k: int = 0,
    object_name: str = "",
    relation: str = MATCHES,
) -> VerdictResult:
    """Whether the object in an image has the target color, by one of :func:`rules`.

    ``target`` is a name, ``#RRGGBB``, ``lab(52 40 30)`` or ``oklch(0.6 0.15 40)``; ``system``
    (``css``, ``l1``, ``l2``, ``l3``, ``people``) says where a name is looked up. The object is inside ``mask``,
    which may be a result of :func:`salient_mask`, or found inside ``box`` ``(x0, y0, x1, y1)`` in
    pixels. Without either it is the whole image, its opaque pixels: of a photograph give
    ``mask=salient_mask(image)``, as ``truehue measure`` does by itself. ``k``: the rules of the paper and
    truehue accept the k nearest names too. Raises ImageError, MaskError, NoPixels, UnknownColor and
    BadInput.
    """
    loaded = _loaded(image)
    inside, notes = _inside(loaded, mask, box)
    if not isinstance(target, str | ColorTarget):
        raise BadInput(
            f"A target is a name or a color as text, such as 'navy' or '#DC143C', not "
            f"{type(target).__name__}. Of three codes: 'rgb(220 20 60)'."
        )
    color = parse_target(target, system) if isinstance(target, str) else target
    acceptance, cache = Acceptance(k, None, system), MaskCache()
    measurement = judge(
        loaded.srgb8,
        inside,
        color,
        rule,
        acceptance=acceptance,
        target_object=TargetObject(object_name, relation),
        cache=cache,
    )
    names_note = note_of(loaded.srgb8, inside, measurement, acceptance, cache)
    return VerdictResult(measurement, inside, (*loaded.notes, *notes), names_note)


def salient_mask(image: ImageLike) -> SalientMask:
    """The mask of the object that stands out in an image, and how sure the network is of it (U²-Net
    small). Raises ImageError, and ModelMissing, which says how to get the weights."""
    from truehue.core.masks import salient

    loaded = _loaded(image)
    found = salient.find_salient(loaded.srgb8)
    return salient.SalientMask(**vars(found), srgb8=loaded.srgb8, conversions=loaded.notes)


def color_of(
    image: ImageLike, *, mask: MaskLike | None = None, box: Box | None = None
) -> ColorResult:
    """The color of an object, with its nearest names and its palette; ``mask`` and ``box`` as for
    :func:`measure`: without either, of the whole image. Raises ImageError, MaskError and NoPixels."""
    from truehue.core.concepts.palette import describe_colors

    loaded = _loaded(image)
    inside, notes = _inside(loaded, mask, box)
    description = describe_colors(masked_colors(loaded.srgb8, inside))
    xkcd, *others = surveys()
    people = naming(description.lit_lab, xkcd)
    return ColorResult(
        description.lit_lab,
        description.mean_lab,
        {
            key: (near[0][0].name, near[0][1])
            for key, near in all_nearest(description.lit_lab, 1).items()
        },
        _first_names(people),
        tuple(zip(description.palette.hexes, description.palette.weights.tolist(), strict=True)),
        description.pixel_count,
        (*loaded.notes, *notes),
        people.answers,
        {
            survey.title: names
            for survey in others
            if (names := _first_names(naming(description.lit_lab, survey)))
        },
    )


def _first_names(people: Naming) -> tuple[tuple[str, float], ...]:
    return tuple((item.name, item.share) for item in people.names[:SHOWN_NAMES])


def histogram(
    image: ImageLike, *, mask: MaskLike | None = None, box: Box | None = None
) -> NDArray[np.float64]:
    """The shares of the pixels in the 71 bins of UW-71, float64 ``(71,)`` with sum 1: each pixel
    counts in its nearest bin (ColorConceptBench). ``mask`` and ``box`` as for :func:`measure`:
    without either, of the whole image."""
    from truehue.core.color import uw71

    loaded = _loaded(image)
    counts = uw71.pixel_counts(loaded.srgb8, _inside(loaded, mask, box)[0])
    return np.asarray(counts / counts.sum())


def compare(
    first: ImageLike | ArrayLike | Sequence[ImageLike],
    second: ImageLike | ArrayLike | Sequence[ImageLike],
    *,
    masker: str = SALIENT_OR_WHOLE,
) -> ComparisonResult:
    """The distances of ColorConceptBench between the colors of two sides.

    A side is an image, a list of images (each counts the same), or a distribution of 71 numbers
    with sum 1, as :func:`histogram` returns it within a mask of your own. ``masker`` selects the
    pixels of an image as in ``truehue compare``: "salient-or-whole" what stands out, else the whole
    image; "salient" no image in which nothing stands out; "whole" the whole image. Of a cut-out each
    takes what is not transparent. Raises ImageError, BadInput where the network is not on this machine,
    ObjectNotFound, NoPixels and NotADistribution.
    """
    from truehue.core.color import distances

    p, notes = _distribution(first, "The first side", masker)
    q, more = _distribution(second, "The second side", masker)
    return ComparisonResult(distances.compare(p, q), p, q, (*notes, *more))


def rules() -> tuple[Rule, ...]:
    """The rules that :func:`measure` knows, each with version, thresholds and description."""
    return RULES


def prompts(name: str = "mini") -> tuple[Prompt, ...]:
    """The prompts of a built-in set: ``gencolorbench``, ``mini`` or ``concepts``. Raises BadInput
    for another name."""
    from truehue.core.prompts.sets import prompt_set

    return tuple(prompt_set(name).prompts())


def render(
    object_name: str,
    color: str | ColorTarget,
    *,
    light: str | Light = "studio",
    seed: int = 0,
    size_px: int = 1024,
) -> Rendering:
    """An object of known color, light and mask, as the reference renderer draws it: the same call
    gives the same bytes. ``color`` is what :func:`measure` takes as a target. Raises BadInput for
    an object or a light that it does not know."""
    from truehue.core.generation.renderer import RenderRequest
    from truehue.core.generation.renderer import render as render_request

    albedo = (parse_target(color) if isinstance(color, str) else color).srgb8
    return render_request(RenderRequest(object_name, albedo, light, seed, size_px))


@dataclass(frozen=True)
class Results:
    """The runs and evaluations of a data folder, by their ids; read from their files, so also
    while the app runs. Tables are pyarrow Tables: ``table.to_pandas()``,
    ``polars.from_arrow(table)``, or ``duckdb.sql("FROM table")``."""

    folder: Path
    runs: tuple[str, ...]
    evaluations: tuple[str, ...]

    def verdicts(self, *run_ids: str) -> Any:
        """The verdicts of some runs, or of all: one row per object, rule and image, with the
        columns of the export (docs/reference/formats.md). Raises BadInput for an unknown id."""
        from truehue.core.export.columns import arrow_schema
        from truehue.core.export.source import ExportRun
        from truehue.core.export.tables import tables
        from truehue.core.runs.folder import RunFolder

        pa = _pyarrow()
        chosen = self._chosen(run_ids, self.runs, "run")
        runs = [ExportRun(RunFolder(self.folder / _RUNS / run_id)) for run_id in chosen]
        empty = arrow_schema().empty_table()
        return pa.concat_tables([empty, *tables(runs)], promote_options="permissive")

    def answers(self, *evaluation_ids: str) -> Any:
        """The answers of some evaluations, or of all: one row per question, with its reading and
        outcome. Raises BadInput for an unknown id."""
        from truehue.core.vlm.evaluation.log import COLUMNS, answer_rows, read_log

        pa = _pyarrow()
        chosen = self._chosen(evaluation_ids, self.evaluations, "evaluation")
        logs = [(name, read_log(self.folder / _EVALUATIONS / name)) for name in chosen]
        rows = answer_rows(logs)
        names = ["evaluation", *COLUMNS[1:]]
        return pa.table(
            {
                name: pa.array([row[index] for row in rows], pa.string())
                for index, name in enumerate(names)
            }
        )

    def _chosen(self, ids: Sequence[str], known: Sequence[str], kind: str) -> Sequence[str]:
        for wanted in ids:
            if wanted not in known:
                names = ", ".join(known) or "none"
                raise BadInput(f"There is no {kind} {wanted!r:.80} in {self.folder}: {names}.")
        return ids or known


def open_results(folder: str | Path | None = None) -> Results:
    """The results in a data folder; None is the one that the app takes by default. Raises
    DataFolderError where there is none."""
    from truehue.core.command import default_data_folder

    path = Path(default_data_folder() if folder is None else folder)
    if not path.is_dir():
        raise DataFolderError(f"There is no data folder {path}. Give the one that the app uses.")
    return Results(path, *(_planned(path / name) for name in (_RUNS, _EVALUATIONS)))


_RUNS, _EVALUATIONS = "runs", "askings"


def _pyarrow() -> Any:
    try:
        return import_module("pyarrow")
    except ImportError as error:
        from truehue.core.packages import how_to_install

        raise BadInput(how_to_install(["pyarrow"], "read results as tables")) from error


def _planned(folder: Path) -> tuple[str, ...]:
    from truehue.core.batch.folder import PLAN

    return tuple(sorted(path.parent.name for path in folder.glob(f"*/{PLAN}")))


def _loaded(image: ImageLike) -> LoadedImage:
    if isinstance(image, np.ndarray):
        return _of_array(image)
    if isinstance(image, Image.Image):
        return load_image(_file_of(image), "The image")
    if not isinstance(image, str | Path | bytes):
        raise BadInput(
            f"An image is a path, bytes, a PIL image or a numpy array, not {type(image).__name__}."
        )
    return load_image(image)


def _of_array(array: NDArray[Any]) -> LoadedImage:
    if array.dtype != np.uint8 or array.ndim not in (2, 3) or array.shape[2:] not in ((), (3,)):
        raise BadInput(
            f"An array of an image is uint8 sRGB (H, W, 3), or (H, W) of grays, not {array.dtype} "
            f"{array.shape}. Of floats from 0 to 1: (255 * array).round().astype('uint8'). An array "
            "with alpha: PIL.Image.fromarray(array)."
        )
    srgb8 = np.repeat(array[:, :, None], 3, axis=2) if array.ndim == 2 else array
    srgb8 = np.ascontiguousarray(srgb8).copy()
    srgb8.flags.writeable = False
    return LoadedImage(srgb8, "The array", ())


def _file_of(image: Image.Image) -> bytes:
    """A file with the pixels of the image and what says their meaning: its profile."""
    buffer = io.BytesIO()
    kind = {"format": "PNG", "compress_level": 0} if image.mode in _IN_PNG else {"format": "TIFF"}
    image.save(buffer, icc_profile=image.info.get("icc_profile"), exif=image.getexif(), **kind)
    return buffer.getvalue()


def _inside(
    image: LoadedImage, mask: MaskLike | None, box: Box | None
) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """The pixels to measure, bool ``(H, W)``, and what was assumed about them."""
    shape = image.srgb8.shape[:2]
    if mask is not None and box is not None:
        raise BadInput("Give a mask or a box, not both.")
    if box is not None:
        from truehue.core.masks.from_marks import select_in_box

        return select_in_box(image.srgb8, box, image.opaque)
    if not getattr(mask, "stands_out", True):
        raise NoPixels("Nothing stands out: give box=(x0, y0, x1, y1) or another mask.")
    given: Any = getattr(mask, "pixels", mask)
    if isinstance(given, np.ndarray):
        if given.dtype == bool and given.shape == shape:
            return given, ()
        if given.dtype.kind == "f" or (given.dtype != bool and given.max(initial=0) == 1):
            raise MaskError(
                f"A mask that is an array is bool, not {given.dtype}: mask > 0.5 of probabilities, "
                "mask > 0 of zeros and ones."
            )
        given = Image.fromarray(
            np.where(given, 255, 0).astype(np.uint8) if given.dtype == bool else given
        )
    return object_pixels(image, _file_of(given) if isinstance(given, Image.Image) else given)


def _distribution(side: Any, name: str, masker: str) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """A side of :func:`compare`, float64 ``(71,)``, and what to know of its images."""
    several = isinstance(side, list | tuple) and side and not isinstance(side[0], int | float)
    if (
        not several
        and not isinstance(side, str | Path | bytes | Image.Image)
        and not (isinstance(side, np.ndarray) and side.ndim > 1)
    ):
        from truehue.core.color import distances

        return distances.checked(side, name), ()
    from truehue.core.color import uw71

    images = side if several else [side]
    shares, notes = [], Counter[str]()
    for image in map(_loaded, images):
        selection = select_pixels_by(masker, image, _OTHER_SELECTION)
        counts = uw71.pixel_counts(image.srgb8, selection.pixels)
        shares.append(counts / counts.sum())
        notes.update((selection.name, *image.notes, *selection.notes))
    of = f" ({{}} of {len(images)} images)" if several else ""
    said = tuple(f"{name}: {note}{of.format(count)}" for note, count in notes.items())
    return np.asarray(np.mean(shares, axis=0)), said


def _hex(lab: Lab) -> str:
    return hex_of(lab_to_srgb8(np.array(lab)))


def _lab_text(lab: Lab | None) -> str:
    if lab is None:
        return "no color"
    return f"Lab ({lab[0]:.2f}, {lab[1]:.2f}, {lab[2]:.2f}; {CONDITIONS_TEXT})"


def _html(
    title: str, swatches: Mapping[str, str], rows: Mapping[str, str], notes: Sequence[str]
) -> str:
    """A result as a notebook shows it: colors, numbers and sentences."""
    lines = [f"<b>{escape(title)}</b>"]
    for text, color in swatches.items():
        lines.append(
            f'<div><span style="{_SWATCH};background:{color}"></span> {escape(text)}</div>'
        )
    cells = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in rows.items()
    )
    lines.append(f"<table>{cells}</table>")
    lines += [f"<div>{escape(note)}</div>" for note in notes]
    return f'<div class="truehue">{"".join(lines)}</div>'
