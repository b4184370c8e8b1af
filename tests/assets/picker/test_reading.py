"""What a person types in the color picker is read as ``truehue.core.color`` reads it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.node import run_module
from truehue.core.color.systems import FORMS, SYSTEMS, parse_target, system
from truehue.core.errors import UnknownColor
from truehue.tabs.page.asset_files import catalog

pytestmark = pytest.mark.process

READ = """
const [catalog, texts] = value;
const { colorReading, valueOf } = await load('picker/reading');
const { read } = colorReading(catalog);
return texts.map((text) => {
  const { color } = read(text);
  return color ? [valueOf(color), color.hex, ...color.lab] : null;
});
"""


def test_browser_and_core_read_alike() -> None:
    texts = [f"{key}:{color.name}" for key in SYSTEMS for color in system(key).colors]
    texts += [color.name.upper() for key in SYSTEMS for color in system(key).colors]
    texts += [color.hex.lower() for color in system("l3").colors]
    texts += [
        "dark grey",
        "darkgrey",
        "Dark-Slate_Grey",
        "yellow green",
        "yellowgreen",
        "vi vid re d",
        "light greyish red",
        "css : GREY",
        "L1: pink",
        "#f80",
        "E83B1B",
        "000000",
        "rgb(1, 2, 3)",
        "1,2,3",
        "(1 2 3)",
        "1;2;3",
        "l3:#E83B1B",
        "１，２，３",
        " teal ",
        "'teal'",
        "",
        " ",
        "'",
        "#",
        "#12345",
        "#12345678",
        "#E83G1B",
        "E83B1G",
        "E83BZG",
        "facade",
        "123",
        "1,2",
        "1,2,256",
        "rgb(-1,2,3)",
        "1, 2.5, 3",
        "50% 20% 10%",
        "rgb(1,2,3,4)",
        "rgb(",
        "lab(52 40 30)",
        "LAB(52%, 32%, 24%)",
        "lab(52 40 30",
        "lch(52.5 40 30deg)",
        "lch(50 40 0.1turn)",
        "oklch(70% 0.1 120)",
        "oklab(0.6 0.1 -0.05)",
        "oklch(0.7 0.1 2rad)",
        "hsl(12, 82%, 51%)",
        "hsla(-240 100% 50%)",
        "lab(50 none −12.5)",
        "lab(46.4 65.94 32.92)",
        "lab(50 100 0)",
        "lch(80 140 30)",
        "lab(52 40)",
        "lab(120 0 0)",
        "lch(50 -3 0)",
        "lab(52 40deg 30)",
        "lab(1 2 3 / 1)",
        "lab(32.3 79.19 -107.86)",
        "hwb(1 2 3)",
        "lab()",
        "l3:lab(52 40 30)",
        "l4:red",
        "l3:",
        "css:Vivid red",
        "vivd red",
        "gray50",
        "rgb",
        "-",
        "+1,2,3",
    ]
    assert catalog()["forms"] == FORMS  # what the picker says too
    answers = run_module(READ, [catalog(), texts])
    for text, answer in zip(texts, answers, strict=True):
        try:
            target = parse_target(text)
        except UnknownColor:
            assert answer is None, text
        else:
            assert answer is not None, text
            assert answer[:2] == [target.value, target.hex], text
            assert answer[2:] == pytest.approx(target.lab, abs=1e-4), text


REFUSE = """
const { readFunction } = await load('picker/functions');
return value.map((text) => readFunction(text)?.wrong || '');
"""


def test_browser_and_core_offer_the_same_color_for_one_outside_of_srgb() -> None:
    random = np.random.default_rng(11)
    texts = ["oklch(0.6 0.2 40)", "oklch(0.6 0.9 40)", "lab(50 100 0)", "lab(50.55 0 -120)"]
    for light, chroma, hue in random.uniform((0.05, 0.33, -400), (0.99, 0.9, 400), (60, 3)).round(
        3
    ):
        a, b = np.cos(hue), np.sin(hue)
        texts += [
            f"oklch({light} {chroma} {hue})",
            f"oklab({light} {chroma * a:.4f} {chroma * b:.4f})",
            f"lch({100 * light:.1f} {400 * chroma:.1f} {hue})",
            f"lab({100 * light:.1f} {400 * chroma * a:.3f} {400 * chroma * b:.3f})",
        ]
    for text, said in zip(texts, run_module(REFUSE, texts), strict=True):
        with pytest.raises(UnknownColor) as refused:
            parse_target(text)
        function = r"(\w+\([^()]*\))"
        by_core = re.search(f"inside is {function}", str(refused.value))
        by_browser = re.search(f"lightness and hue: {function}", said)
        assert by_core, text
        assert by_browser, text
        assert by_browser[1] == by_core[1], text
