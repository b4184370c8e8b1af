"""``python -m tests.bench.compare``: histograms, earth mover's distances and extraction.

Histograms of 1024 x 1024 pixels over decoding the same PNG; the exact EMD against ``ot.emd2`` on
the dense 71 x 71 problem, on distributions of rendered concepts, of photograph-like ones and on
dense ones; many pairs, the table of colors, and the bootstrap. In processor time of one core, in
one run; histograms are judged on the photographs, the EMD on what was extracted. The exit
status is 1 when two ways to a number disagree.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median

import cv2
import numpy as np
from scipy import ndimage

from tests.bench.__main__ import decode
from tests.bench.scenes import Scene, scenes
from truehue.core.color import uw71
from truehue.core.color.distances import emd
from truehue.core.concepts.distribution import intervals, of_pictures
from truehue.core.concepts.extraction import extract
from truehue.core.concepts.profile import profile_of
from truehue.core.concepts.records import EXTRACTED, PIXELS, ColorProfile
from truehue.core.generation.renderer import RenderRequest, render
from truehue.core.generation.renderer.usual import color_of
from truehue.core.images.load import encode_png
from truehue.core.machine import cpu_name
from truehue.core.prompts.concepts import concepts

GOAL_HISTOGRAM, GOAL_EMD = 0.5, 3.0
ROUNDS, MIN_S = 7, 0.03
CONCEPTS, SIDE = 24, 192
VIEWS = tuple(
    (shape, seed, light)
    for shape in ("mug", "banana", "sphere")
    for seed, light in ((1, "studio"), (2, "overcast"), (3, "even"))
)
PAIRS, MANY = 400, 100_000
DRAWS, PICTURES = 1_000, 35
TOLERANCE = 1e-9


def processor_s(*calls: Callable[[], object]) -> list[float]:
    """The median processor time of each call after one to warm up, taken in turns; a run of a short
    call is as many of it as fill ``MIN_S``."""
    often = []
    for call in calls:
        call()
        began = time.process_time()
        call()
        often.append(max(1, round(MIN_S / max(1e-6, time.process_time() - began))))
    used: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, count, times in zip(calls, often, used, strict=True):
            began = time.process_time()
            for _ in range(count):
                call()
            times.append((time.process_time() - began) / count)
    return [median(times) for times in used]


def met(true: bool) -> str:
    """A goal in a word."""
    return "met" if true else "missed"


# ------------------------------------------------------------------------------------ histograms


def rendered() -> Scene:
    """A rendered car of 1024 x 1024 pixels with its mask."""
    rendering = render(RenderRequest("car", (200, 40, 30), seed=3, size_px=1024))
    return Scene("render", rendering.srgb8, rendering.mask.pixels, encode_png(rendering.srgb8))


def histograms() -> None:
    """Prints the histogram's time over the decoder's."""
    for scene in (*scenes(), rendered()):
        for name, mask in (("mask", scene.mask), ("whole", np.ones_like(scene.mask))):
            decode_s, ours_s = processor_s(
                lambda png=scene.png: decode(png),  # type: ignore[misc]
                lambda srgb8=scene.srgb8, mask=mask: uw71.pixel_counts(srgb8, mask),  # type: ignore[misc]
            )
            ratio = ours_s / decode_s
            print(
                f"histogram  {scene.name:16} {name:6} {100 * mask.mean():3.0f}%"
                f"  decode {1e3 * decode_s:5.1f} ms  histogram {1e3 * ours_s:5.2f} ms"
                f"  ratio {ratio:5.2f} ({met(ratio <= GOAL_HISTOGRAM)})"
            )


def making_the_table() -> None:
    """Prints what the table costs, whole and as far as one picture needs it."""
    scene = scenes()[0]
    uw71._table.cache_clear()
    began = time.process_time()
    uw71.pixel_counts(scene.srgb8, scene.mask)
    first_s = time.process_time() - began
    uw71._table.cache_clear()
    began = time.process_time()
    uw71.table()
    print(
        f"table of 24-bit colors: {time.process_time() - began:.2f} s whole, "
        f"{1e3 * first_s:.0f} ms with the first photograph"
    )


# ----------------------------------------------------------------------------------------- EMD


def profiles(photograph_like: bool) -> list[list[ColorProfile]]:
    """Pictures of concepts in their usual colors, one of each of ``VIEWS``; with texture and noise
    on wish. A view is drawn once and colored for every concept."""
    chosen = [item.concept for item in concepts() if not item.modifier][:: 214 // CONCEPTS][
        :CONCEPTS
    ]
    random = np.random.default_rng(11)
    out: list[list[ColorProfile]] = [[] for _ in chosen]
    for number, (shape, seed, light) in enumerate(VIEWS):
        for concept, color_profile in zip(chosen, out, strict=True):
            albedo = color_of(concept, number)
            assert albedo is not None
            rendering = render(RenderRequest(shape, albedo, light, seed, SIDE))
            srgb8 = textured(rendering.srgb8, random) if photograph_like else rendering.srgb8
            color_profile.append(profile_of(srgb8, rendering.mask.pixels))
    return out


def textured(srgb8: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The picture with soft stains and noise, as surfaces and sensors have them."""
    stains = ndimage.zoom(random.normal(1.0, 0.15, (12, 12, 3)), (SIDE / 12, SIDE / 12, 1), order=1)
    return np.clip(srgb8 * stains + random.normal(0.0, 3.0, srgb8.shape), 0, 255).astype(np.uint8)


def of_all(
    name: str, color_profiles: list[list[ColorProfile]], method: str
) -> tuple[str, list[np.ndarray]]:
    """The distributions of all concepts."""
    return name, [of_pictures("", some, method).weights for some in color_profiles]


def drawn_pairs(
    distributions: Sequence[np.ndarray], count: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs of different ones among them."""
    random = np.random.default_rng(5)
    first = random.integers(len(distributions), size=count)
    second = (first + random.integers(1, len(distributions), size=count)) % len(distributions)
    for item, other in zip(first.tolist(), second.tolist(), strict=True):
        yield distributions[item], distributions[other]


def distances(
    name: str, distributions: Sequence[np.ndarray], others: Sequence[np.ndarray] = ()
) -> bool:
    """Prints the time of an EMD against POT's, between distributions or to ``others``; False when
    the numbers differ."""
    pairs = list(drawn_pairs(distributions, PAIRS))
    if others:
        pairs = [(p, others[index % len(others)]) for index, (p, _) in enumerate(pairs)]
    emd(*pairs[0])  # imports POT without torch
    import ot

    ground = uw71.distances71().copy()
    apart = max(abs(emd(p, q) - float(ot.emd2(p, q, ground))) for p, q in pairs)
    ours_s, theirs_s = processor_s(
        lambda: [emd(p, q) for p, q in pairs], lambda: [ot.emd2(p, q, ground) for p, q in pairs]
    )
    bins = [int(median((item > 0).sum() for item in side)) for side in zip(*pairs, strict=True)]
    ratio = theirs_s / ours_s
    print(
        f"EMD  {name:32} {bins[0]:2} and {bins[1]:2} bins  {1e6 * ours_s / PAIRS:5.0f} µs"
        f"  ot.emd2 {1e6 * theirs_s / PAIRS:5.0f} µs  {ratio:5.1f} times as fast"
        f" ({met(ratio >= GOAL_EMD)}), at most {apart:.0e} apart"
    )
    return apart <= TOLERANCE


def counted(distributions: Sequence[np.ndarray]) -> None:
    """Prints how long 100,000 pairs take."""
    began = time.process_time()
    for p, q in drawn_pairs(distributions, MANY):
        emd(p, q)
    print(f"{MANY:,} pairs in {time.process_time() - began:.1f} s")


# ----------------------------------------------------------------------------------- extraction


def extraction(color_profiles: list[list[ColorProfile]]) -> None:
    """Prints what an extraction, and its bootstrap, take."""
    some = [item for of_concept in color_profiles for item in of_concept[:3]][:PICTURES]
    one_s, five_s = processor_s(lambda: extract(some), lambda: extract(some[:5]))
    a, b = (of_pictures(name, part, EXTRACTED) for name, part in (("a", some), ("b", some[::-1])))
    began = time.process_time()
    result = intervals(a, b, DRAWS)
    print(
        f"extraction of {len(some)} pictures {1e3 * one_s:.1f} ms, of 5 {1e3 * five_s:.1f} ms;"
        f" intervals of two sides of {len(some)}, {result.draws:,} draws:"
        f" {time.process_time() - began:.1f} s"
    )


def main() -> int:
    """Prints every figure; returns 1 when numbers disagree."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    cv2.setNumThreads(1)
    print(
        f"{platform.platform()}, {cpu_name()}; goals: histogram over decode at most "
        f"{GOAL_HISTOGRAM}, EMD at least {GOAL_EMD:.0f} times as fast as ot.emd2"
    )
    making_the_table()
    histograms()
    renders, photographs = profiles(photograph_like=False), profiles(photograph_like=True)
    random = np.random.default_rng(2)
    dense = [random.dirichlet(np.full(71, 3.0)) for _ in range(40)]
    kinds = (
        of_all("renders, extracted", renders, EXTRACTED),
        of_all("photograph-like, extracted", photographs, EXTRACTED),
        of_all("renders, every pixel", renders, PIXELS),
        of_all("photograph-like, every pixel", photographs, PIXELS),
        ("dense, as ratings are", dense),
    )
    agree = [distances(name, distributions) for name, distributions in kinds]
    agree.append(distances("extracted against dense", kinds[1][1], dense))
    counted(kinds[1][1])
    extraction(photographs)
    if not all(agree):
        print("The two ways disagree.")
    return 0 if all(agree) else 1


if __name__ == "__main__":
    raise SystemExit(main())
