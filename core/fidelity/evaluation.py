"""Agreement of a fidelity metric with people and with the order of groups.

It counts how often a metric puts the more faithful of two images first: CFD-SynPairs and
CFD-Real&Syn. A group holds the scores of one caption: the photograph, then its images by rising
guidance (7.5, 10, 15, 20, 25, 30). SynPairs compares images of neighboring guidance, Real&Syn the
photograph with the image of the lowest guidance (appendix A; section 6.3 says "a randomly sampled
synthetic counterpart" instead, which is not what is counted here). The paper samples 5,000 pairs of
each; here every pair counts.
"""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from truehue.core.analysis.intervals import CONFIDENCE, RESAMPLES, SEED
from truehue.core.errors import BadInput
from truehue.core.fidelity.groups import Group
from truehue.core.spreadsheets import unescape_formula

_BLOCK = 512
"""Images whose pairs are counted at a time."""


@dataclass(frozen=True)
class Coefficient:
    """−1 to 1; ``low`` and ``high`` enclose 95% (percentile bootstrap over groups). NaN where all
    values are equal or there are fewer than three images; the bounds also with one group."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Agreement:
    """Of ``images`` in ``groups``; ``unscored`` rated images had no score and count nowhere.
    ``kendall`` is tau-b, which takes ties out of both sides."""

    spearman: Coefficient
    pearson: Coefficient
    kendall: Coefficient
    images: int
    groups: int
    unscored: int


def agreement(
    scores: Sequence[float],
    ratings: Sequence[float],
    groups: Sequence[Hashable],
    higher_is_better: bool = True,
) -> Agreement:
    """Correlations of scores with ratings, one of each an image; higher ratings are better.

    ``scores`` may be NaN. A score of which less is better is turned around, so that a positive
    coefficient is agreement. ``groups`` names what images belong together: those are resampled as
    a whole. Raises BadInput for lists of different lengths and ratings that are no numbers.
    """
    if not len(scores) == len(ratings) == len(groups):
        raise BadInput("Scores, ratings and groups are as many as there are images.")
    values = np.asarray(scores, dtype=np.float64) * (1 if higher_is_better else -1)
    rated = np.asarray(ratings, dtype=np.float64)
    if not np.isfinite(rated).all():
        raise BadInput("Every rating is a finite number.")
    scored = np.isfinite(values)
    values, rated = values[scored], rated[scored]
    hashables = [group for group, has in zip(groups, scored, strict=True) if has]
    names = {group: number for number, group in enumerate(dict.fromkeys(hashables))}
    of_group = np.array([names[group] for group in hashables], dtype=np.int64)
    count = len(names)
    point = _coefficients(values, rated, np.ones((1, len(values))))[0]
    bounds = np.full((3, 2), np.nan)
    if count > 1:
        # How often each group is drawn; an image as often as its group.
        chance = np.random.default_rng(SEED)
        multinomial = chance.multinomial(count, np.full(count, 1 / count), RESAMPLES)
        table = _coefficients(values, rated, multinomial[:, of_group].astype(np.float64))
        tails = 100 * (1 - CONFIDENCE) / 2
        for row, column in enumerate(table.T):
            # A resample of one group again and again may be constant: it says nothing.
            defined = column[np.isfinite(column)]
            if len(defined):
                bounds[row] = np.percentile(defined, (tails, 100 - tails))
    coefficients = [
        Coefficient(float(value), float(low), float(high))
        for value, (low, high) in zip(point, bounds, strict=True)
    ]
    unscored = int((~scored).sum())
    return Agreement(
        coefficients[0], coefficients[1], coefficients[2], len(values), count, unscored
    )


def _coefficients(values: np.ndarray, rated: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Spearman's, Pearson's and Kendall's as columns float64 ``(R, 3)`` of R resamples, where each
    image counts as often as ``weights`` ``(R, N)`` says; NaN where there is none."""
    out = np.full((len(weights), 3), np.nan)
    if len(values) >= 3 and np.ptp(values) and np.ptp(rated):
        out[:, 0] = _pearson(_ranks(values, weights), _ranks(rated, weights), weights)
        out[:, 1] = _pearson(values, rated, weights)
        out[:, 2] = _kendall(values, rated, weights)
    return out


def _ranks(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean ranks ``(R, N)`` among the images of each resample."""
    _, positions = np.unique(values, return_inverse=True)
    of_value = np.zeros((len(weights), int(positions.max()) + 1))
    for image, index in enumerate(positions):
        of_value[:, index] += weights[:, image]
    below = np.cumsum(of_value, axis=1) - of_value
    ranks: np.ndarray = (below + (of_value + 1) / 2)[:, positions]
    return ranks


def _pearson(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    total = weights.sum(axis=1, keepdims=True)
    x = x - (weights * x).sum(axis=1, keepdims=True) / total
    y = y - (weights * y).sum(axis=1, keepdims=True) / total
    squares = (weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1)
    return _ratio((weights * x * y).sum(axis=1), squares)


def _kendall(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Tau-b: pairs in the same order less those in the other, over the pairs that are no tie."""
    sums = np.zeros((3, len(weights)))
    for start in range(0, len(x), _BLOCK):
        rows = slice(start, start + _BLOCK)
        first = np.sign(x[rows, None] - x[None])
        second = np.sign(y[rows, None] - y[None])
        for kind, signs in enumerate((first * second, np.abs(first), np.abs(second))):
            sums[kind] += ((weights @ signs.T) * weights[:, rows]).sum(axis=1)
    return _ratio(sums[0], sums[1] * sums[2])


def _ratio(product: np.ndarray, squares: np.ndarray) -> np.ndarray:
    out = np.full(len(product), np.nan)
    # Rounding leaves a little of what is constant.
    sound = squares > 1e-12 * max(float(squares.max()), 1e-300)
    out[sound] = product[sound] / np.sqrt(squares[sound])
    return np.clip(out, -1, 1)


@dataclass(frozen=True)
class Accuracy:
    """Percent of pairs in the right order, with its interval over resampled groups.

    ``low`` and ``high`` enclose 95% (percentile bootstrap, groups resampled with all their pairs);
    all three are NaN without pairs, and these two where one group only has any. ``ties`` count as
    half right, as a coin would decide them. ``unscored`` pairs had an image without a score, and
    count nowhere.
    """

    percent: float
    low: float
    high: float
    pairs: int
    ties: int
    unscored: int


def neighbor_accuracy(groups: Sequence[Sequence[float]], higher_is_better: bool = True) -> Accuracy:
    """SynPairs. ``groups``: scores of each group, the photograph first; NaN where unscored.

    Raises BadInput for a group without two images beside its photograph.
    """
    return _accuracy([_group(group, 3)[1:] for group in groups], higher_is_better)


def real_accuracy(groups: Sequence[Sequence[float]], higher_is_better: bool = True) -> Accuracy:
    """Real&Syn, of the same groups; raises BadInput for a group without an image beside its
    photograph."""
    return _accuracy([_group(group, 2)[:2] for group in groups], higher_is_better)


def adjacent_accuracy(groups: Sequence[Sequence[float]], higher_is_better: bool = True) -> Accuracy:
    """All neighbors from the photograph on: the pairs of SynPairs and Real&Syn together."""
    return _accuracy([_group(group, 2) for group in groups], higher_is_better)


def _group(scores: Sequence[float], least: int) -> np.ndarray:
    group = np.asarray(scores, dtype=np.float64)
    if group.ndim != 1 or len(group) < least:
        raise BadInput(
            f"A group has a photograph and at least {least - 1} images by rising guidance; this "
            f"one has {group.size} scores."
        )
    return group


def _accuracy(groups: Sequence[np.ndarray], higher_is_better: bool) -> Accuracy:
    counts = np.zeros((len(groups), 2))
    ties = unscored = 0
    for row, group in enumerate(groups):
        falls = (group[:-1] - group[1:]) * (1 if higher_is_better else -1)
        scored = falls[~np.isnan(falls)]
        unscored += len(falls) - len(scored)
        ties += int((scored == 0).sum())
        counts[row] = (scored > 0).sum() + 0.5 * (scored == 0).sum(), len(scored)
    pairs = int(counts[:, 1].sum())
    if not pairs:
        return Accuracy(np.nan, np.nan, np.nan, 0, 0, unscored)
    percent = float(100 * counts[:, 0].sum() / pairs)
    if (counts[:, 1] > 0).sum() < 2:
        # One group again and again would be an interval of no width.
        return Accuracy(percent, np.nan, np.nan, pairs, ties, unscored)
    chance = np.random.default_rng(SEED)
    multinomial = chance.multinomial(len(groups), np.full(len(groups), 1 / len(groups)), RESAMPLES)
    sums = multinomial @ counts
    sums = sums[sums[:, 1] > 0]
    tails = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(100 * sums[:, 0] / sums[:, 1], (tails, 100 - tails))
    return Accuracy(percent, float(low), float(high), pairs, ties, unscored)


Rows = Sequence[Sequence[float]]
"""A number for each file of each group, the photograph first; NaN where there is none."""


@dataclass(frozen=True)
class Evaluation:
    """Results of one metric; ``agreement`` is None without ratings. ``parts`` are SynPairs and
    Real&Syn by category and by the model that drew, where the groups name several."""

    metric: str
    higher_is_better: bool
    syn_pairs: Accuracy
    real_syn: Accuracy
    adjacent: Accuracy
    agreement: Agreement | None
    parts: Mapping[str, tuple[Accuracy, Accuracy]]

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, None where a number is none."""
        return dict(_finite(asdict(self)))


def evaluate(
    metric: str,
    groups: Sequence[Group],
    scores: Rows,
    higher_is_better: bool = True,
    ratings: Rows | None = None,
) -> Evaluation:
    """``ratings`` (higher is better) are NaN where nobody rated; an image that stands in several
    groups is counted once, by its file, and those groups are resampled as one. Raises BadInput for
    a group of fewer than two images."""
    rated = None
    if ratings is not None:
        joined = joined_groups(groups)
        seen: dict[Any, tuple[float, float, int]] = {}
        for number, group in enumerate(groups):
            for path, score, rating in zip(
                group.files, scores[number], ratings[number], strict=True
            ):
                if not math.isnan(rating):
                    seen.setdefault(path, (score, rating, joined[number]))
        columns = list(zip(*seen.values(), strict=True)) or [(), (), ()]
        rated = agreement(columns[0], columns[1], columns[2], higher_is_better)
    parts = {}
    for kind, names in (
        ("category", [group.category for group in groups]),
        ("model", [group.model for group in groups]),
    ):
        if len(set(names)) > 1:
            for name in sorted(set(names)):
                entries = [row for row, other in zip(scores, names, strict=True) if other == name]
                pair = (
                    neighbor_accuracy(entries, higher_is_better),
                    real_accuracy(entries, higher_is_better),
                )
                parts[name or f"{kind} not stated"] = pair
    return Evaluation(
        metric,
        higher_is_better,
        neighbor_accuracy(scores, higher_is_better),
        real_accuracy(scores, higher_is_better),
        adjacent_accuracy(scores, higher_is_better),
        rated,
        parts,
    )


def joined_groups(groups: Sequence[Group]) -> list[int]:
    """Of each group the position of the first that it is joined to by files that both have, through
    others too: a photograph that several models drew of ties their groups together."""
    first_with: dict[Path, int] = {}
    root = list(range(len(groups)))

    def first(number: int) -> int:
        while root[number] != number:
            number = root[number]
        return number

    for number, group in enumerate(groups):
        for path in group.files:
            index, other = first(number), first(first_with.setdefault(path, number))
            root[max(index, other)] = min(index, other)
    return [first(number) for number in range(len(groups))]


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


_HEADER = "A table of ratings has the columns rating and file or image_id."
_TABLES = ("answers", "stimuli", "candidates")


def read_ratings(path: Path) -> dict[str, float]:
    """The mean rating of each image.

    ``path``: a CSV file with ``rating`` and ``image_id`` (SHA-256 of the pixels) or ``file`` (its
    path is looked for beside the table; the key is then the whole path), one line a rating; or the
    export of a study, a zip file or its folder, of which the main answers of the participants
    who were not excluded count. Raises BadInput for what is neither, with the line.
    """
    study = path.is_dir() or path.suffix.lower() == ".zip"
    provided = _of_study(path) if study else _of_table(path)
    if not provided:
        raise BadInput(f"{path} holds no ratings of images.")
    return {image: fmean(values) for image, values in provided.items()}


def _of_table(path: Path) -> Mapping[str, list[float]]:
    partial_type = defaultdict(list)
    for line, row in enumerate(_rows(_text(path), path.name), start=2):
        if "rating" not in row or not {"file", "image_id"} & set(row):
            raise BadInput(f"{path.name} has no such columns. {_HEADER}")
        image = (row.get("image_id") or "").strip()
        if not image:
            name = (row.get("file") or "").strip()
            image = str((path.parent / name).resolve()) if name else ""
        if not image:
            raise BadInput(f"{path.name}, line {line}: it names no image. {_HEADER}")
        partial_type[image].append(_number(row["rating"], f"{path.name}, line {line}"))
    return partial_type


def _of_study(path: Path) -> Mapping[str, list[float]]:
    tables = {name: list(_rows(_table_text(path, name), name)) for name in _TABLES}
    try:
        images = {
            (row["case"], unescape_formula(row["model"])): row["images"].split()
            for row in tables["candidates"]
        }
        shown = {row["stimulus"]: (row["case"], row["models"]) for row in tables["stimuli"]}
        partial_type = defaultdict(list)
        for line, row in enumerate(tables["answers"], start=2):
            if (row["kind"], row["purpose"]) != ("rating", "main") or row["excluded"] != "false":
                continue
            case, models = shown[row["stimulus"]]
            listed = json.loads(models)
            if len(listed) != 1:
                continue
            image = images[case, listed[0]]
            # A rating of several images at once is none of one of them.
            if len(image) == 1:
                partial_type[image[0]].append(_number(row["value"], f"answers, line {line}"))
    except (KeyError, ValueError, TypeError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{path} is no whole export of a study: {error!r:.120}") from None
    return partial_type


def _table_text(path: Path, name: str) -> str:
    location = f"tables/{name}.csv"
    try:
        if path.is_dir():
            return (path / location).read_text(encoding="utf-8")
        with zipfile.ZipFile(path) as archive:
            (member,) = [m for m in archive.namelist() if f"/{m}".endswith(f"/{location}")]
            return archive.read(member).decode("utf-8")
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise BadInput(
            f"{path} is no export of a study: its {location} cannot be read: {error}"
        ) from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read as UTF-8 text: {error}") from None


def _rows(text: str, name: str) -> Iterator[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text))
    try:
        for row in reader:
            if None in row or None in row.values():
                raise BadInput(f"{name}, line {reader.line_num}: it has another number of cells.")
            yield row
    except csv.Error as error:
        raise BadInput(f"{name}, line {reader.line_num}: {error}.") from None


def _number(text: str, location: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadInput(f"{location}: the rating is a number, not {text!r:.40}.")
    return value
