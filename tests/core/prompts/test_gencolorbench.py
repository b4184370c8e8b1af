"""The 44,464 prompts: how many, of what, in which words, with which targets."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import STANDARDS, system
from truehue.core.prompts import tables
from truehue.core.prompts.gencolorbench import PAPER_COUNTS, PAPER_TOTAL, build
from truehue.core.prompts.parts import APART_DELTA_E00, LEAK_DELTA_E00
from truehue.core.prompts.prompt import Prompt, format_color, prompt_from_json

ROOT = Path(__file__).resolve().parents[3]
# SHA-256 over "id<tab>text<newline>" of all prompts: our own, frozen. It changes with any rule,
# and then the ids mean other sentences: a new seed, and a line in the change log.
GENCOLORBENCH_SILVER = "ac0c140495ab23541fe16f1bd26ddab06e070acc19ddf8ed9449950ccaf2a83f"
COUNTS = {"cna": 17_580, "ncu": 11_500, "coa": 8_694, "moc": 2_190, "ica": 4_500}

# All words of these prompts that want "an"; written down by hand, to check the rule by.
AN_WORDS = {
    "airplane",
    "alice",
    "ambulance",
    "antique",
    "apple",
    "aqua",
    "aquamarine",
    "azure",
    "elephant",
    "image",
    "indian",
    "indigo",
    "iron",
    "ivory",
    "old",
    "olive",
    "open",
    "orange",
    "orchid",
    "oven",
    "owl",
    "umbrella",
}


def of(task: str, system_id: str = "") -> list[Prompt]:
    return [p for p in build() if p.task == task and system_id in ("", p.system)]


def main_color(prompt: Prompt) -> str:
    color = prompt.targets[0].color
    assert color is not None
    return color.value


def test_the_five_counts_and_their_sum() -> None:
    assert Counter(prompt.task for prompt in build()) == COUNTS
    assert len(build()) == PAPER_TOTAL == sum(COUNTS.values())
    for task, count in COUNTS.items():
        printed = PAPER_COUNTS[task].removesuffix("K")
        digits = len(printed.partition(".")[2])
        assert f"{count / 1000:.{digits}f}" == printed, task


def test_the_very_prompts_and_no_others() -> None:
    lines = "".join(f"{prompt.id}\t{prompt.text}\n" for prompt in build())
    assert hashlib.sha256(lines.encode()).hexdigest() == GENCOLORBENCH_SILVER


@pytest.mark.process
def test_a_new_process_with_other_hashes_builds_the_same() -> None:
    code = (
        "import hashlib; from truehue.core.prompts.gencolorbench import build\n"
        "print(hashlib.sha256("
        "''.join(f'{p.id}\\t{p.text}\\n' for p in build()).encode()).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "12345", "LC_ALL": "C"},
    )
    assert done.stdout.strip() == GENCOLORBENCH_SILVER


def test_ids_are_unique_and_number_their_part() -> None:
    prompts = build()
    assert len({prompt.id for prompt in prompts}) == len(prompts)
    parts: dict[str, list[int]] = defaultdict(list)
    for prompt in prompts:
        prefix, _, number = prompt.id.rpartition("-")
        kind = prompt.task if prompt.notation == "name" else f"{prompt.task}-{prompt.notation}"
        assert prefix == f"{kind}-{prompt.system}"
        assert len(number) == (4 if prompt.task in ("moc", "ica") else 5)
        parts[prefix].append(int(number))
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in parts.values())
    assert len(parts) == 5 * 4 + 4
    ids = {prompt.id for prompt in prompts}
    assert {"cna-l2-00017", "ncu-hex-css-00004", "coa-l3-00120", "moc-l2-0005"} <= ids


def test_fields() -> None:
    for prompt in build():
        assert prompt.source == "gencolorbench"
        assert prompt.level
        assert prompt.category == prompt.targets[0].category
        assert prompt.category in {row.category for row in tables.objects()}
        assert {target.color.system for target in prompt.targets if target.color} == {prompt.system}
        assert (prompt.concept, prompt.modifier, prompt.style) == ("", "", "")
    assert {prompt.system for prompt in build()} == set(STANDARDS)
    assert len({prompt.category for prompt in build()}) == 7


def test_no_two_prompts_of_a_task_and_system_say_the_same() -> None:
    texts = Counter((prompt.task, prompt.system, prompt.text) for prompt in build())
    assert [text for text, count in texts.items() if count > 1] == []
    # Of one object they do not say the same in any two systems either.
    texts_alone = Counter((p.task, p.text) for p in build() if p.task in ("cna", "ncu"))
    assert set(texts_alone.values()) == {1}


def test_articles_are_right_in_every_sentence() -> None:
    after_a, after_an = Counter[str](), Counter[str]()
    for prompt in build():
        after_a.update(re.findall(r"\b[Aa] (\S+?)\b", prompt.text))
        after_an.update(re.findall(r"\b[Aa]n (\S+?)\b", prompt.text))
    assert set(after_an) == AN_WORDS
    assert [word for word in after_a if word[0] in "aeiouAEIOU"] == []
    assert after_an["orange"] > 500
    assert after_a["green"] > 100


def test_texts_are_clean() -> None:
    for prompt in build():
        text = prompt.text
        assert text.isascii()
        assert not re.search(r"[{}]|  |^\s|\s$", text), text
        assert re.match(r"A |An |The ", text), text
        if prompt.targets[0].name in ("skis", "jeans", "pants", "shorts"):
            assert f"pair of {prompt.targets[0].name}" in text


def test_every_template_is_used() -> None:
    used: dict[str, set[str]] = defaultdict(set)
    for prompt in build():
        used[prompt.task].add(prompt.template)
    assert used["cna"] == {f"D.1.{number}" for number in range(1, 13)}
    assert used["ncu"] == {f"D.1.{number}" for number in range(13, 28)}
    assert used["coa"] == {template.id for template in tables.context_templates()}
    assert used["moc"] == {template.id for template in tables.scene_templates()}
    assert used["ica"] == {template.id for template in tables.implicit_templates()}


@pytest.mark.parametrize(("task", "system_id"), [(t, s) for t in COUNTS for s in STANDARDS])
def test_every_color_is_used_and_about_equally(task: str, system_id: str) -> None:
    counts = Counter(main_color(prompt) for prompt in of(task, system_id))
    assert set(counts) == {f"{system_id}:{color.name}" for color in system(system_id).colors}
    expected = {
        ("cna", "l1"): {108},
        ("cna", "l2"): {108},
        ("coa", "l1"): {63},
        ("coa", "l2"): {63},
    }.get((task, system_id))
    assert max(counts.values()) - min(counts.values()) <= 1
    if expected:
        assert set(counts.values()) == expected


@pytest.mark.parametrize("task", ["cna", "ncu"])
def test_every_object_row_is_asked_and_about_equally(task: str) -> None:
    rows = {(row.name, row.category, row.negative_labels) for row in tables.objects()}
    assert len(rows) == 108
    counts = Counter(
        (target.name, target.category, target.negative_labels)
        for prompt in of(task)
        for target in prompt.targets
    )
    assert set(counts) == rows
    assert max(counts.values()) - min(counts.values()) <= 2
    templates = Counter(prompt.template for prompt in of(task))
    assert max(templates.values()) - min(templates.values()) <= 1


def test_levels_1_and_2_meet_every_object_once() -> None:
    pairs = Counter(
        (main_color(prompt), prompt.targets[0].name, prompt.category)
        for prompt in of("cna", "l1") + of("cna", "l2")
    )
    assert len(pairs) == 42 * 108
    assert set(pairs.values()) == {1}


def test_extra_prompts_are_as_many_as_the_rule_says() -> None:
    cna = Counter(main_color(prompt) for prompt in of("cna", "l3") + of("cna", "css"))
    assert Counter(cna.values()) == {32: 396, 31: 12}
    assert Counter(Counter(main_color(p) for p in of("ncu")).values()) == {26: 250, 25: 200}


def test_numbers_are_those_of_the_color() -> None:
    for prompt in of("ncu"):
        color = prompt.targets[0].color
        assert color is not None
        if prompt.notation == "hex":
            assert re.findall(r"#[0-9A-F]{6}", prompt.text) == [color.hex]
        else:
            assert prompt.notation == "rgb"
            (result,) = re.findall(r"rgb\((\d+), (\d+), (\d+)\)", prompt.text)
            assert tuple(map(int, result)) == color.srgb8
        assert color.name is not None


def test_names_are_in_the_text_in_order() -> None:
    for prompt in build():
        if prompt.notation != "name":
            continue
        colors = [t.color for t in prompt.targets if t.color and t.role == "main"]
        start = 0
        for color in colors:
            start = prompt.text.index(format_color(color), start) + 1
        names = [target.name for target in prompt.targets]
        start = 0
        for name in names:
            start = prompt.text.index(name, start) + 1


def test_contextual_targets() -> None:
    templates = {template.id: template for template in tables.context_templates()}
    alone = 0
    for prompt in of("coa"):
        template = templates[prompt.template]
        main, *second = prompt.targets
        assert (main.name, main.role) == (template.object, "main")
        assert main.color is not None
        near = any(
            delta_e00(np.array(main.color.lab), np.array(own.lab)) < LEAK_DELTA_E00
            for own in template.second_colors
        )
        if near:
            alone += 1
            assert second == []
        else:
            (item,) = second
            assert (item.name, item.color, item.role) == (template.second_object, None, "bystander")
    assert alone == 95
    # A second object that the object tables have is measured without its parts.
    (orange, *_) = (p.targets[1] for p in of("coa") if p.template == "D.2.2" and p.targets[1:])
    assert "pith" in orange.negative_labels


def test_scene_targets_could_be_told_apart() -> None:
    templates = {template.id: template for template in tables.scene_templates()}
    closest = 100.0
    for prompt in of("moc"):
        assert tuple(t.name for t in prompt.targets) == templates[prompt.template].objects
        assert {target.role for target in prompt.targets} == {"main"}
        for first, second in combinations(prompt.targets, 2):
            assert first.color is not None
            assert second.color is not None
            distance = delta_e00(np.array(first.color.lab), np.array(second.color.lab))
            closest = min(closest, float(distance))
    assert closest >= APART_DELTA_E00
    per = Counter((prompt.template, prompt.system) for prompt in of("moc"))
    assert {key: {n for (_, s), n in per.items() if s == key} for key in STANDARDS} == {
        "l1": {7},
        "l2": {22},
        "l3": {22},
        "css": {22},
    }


@pytest.mark.parametrize(("key", "limit"), [(k, n) for k in STANDARDS for n in (20.0,)])
def test_no_distance_is_so_near_the_limit_that_rounding_decides(key: str, limit: float) -> None:
    lab = system(key).lab
    assert np.abs(delta_e00(lab[:, None], lab[None]) - limit).min() > 1e-6
    for template in tables.context_templates():
        for own in template.second_colors:
            distance = delta_e00(lab, np.array(own.lab))
            assert np.abs(distance - LEAK_DELTA_E00).min() > 1e-6


def test_implicit_targets_share_the_color() -> None:
    templates = {template.id: template for template in tables.implicit_templates()}
    for prompt in of("ica"):
        template = templates[prompt.template]
        main, reference = prompt.targets
        assert (main.name, main.role) == (template.object, "main")
        assert (reference.name, reference.role) == (template.reference_object, "reference")
        assert main.color == reference.color
        assert main.color is not None
        assert reference.negative_labels
    per = Counter((prompt.template, prompt.system) for prompt in of("ica"))
    assert set(per.values()) == {3, 14}
    per_context = Counter((prompt.template, prompt.system) for prompt in of("coa"))
    assert {n for (_, s), n in per_context.items() if s == "l3"} == {61}
    assert {n for (_, s), n in per_context.items() if s == "css"} == {35}


def test_colors_and_targets_are_shared_instances() -> None:
    targets = [target for prompt in build() for target in prompt.targets]
    colors = {id(target.color): target.color for target in targets if target.color}
    assert len(set(colors.values())) == 450
    # A test before this one may have asked for a target with an equal color of its own.
    assert len(colors) < 460
    assert len({id(target) for target in targets}) == len(set(targets)) < len(targets)


def test_json_and_back_keeps_every_hundredth_prompt() -> None:
    for prompt in build()[::100]:
        assert prompt_from_json(prompt.as_json()).as_json() == prompt.as_json()
