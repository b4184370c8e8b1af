"""The Mini set: small, and asking of everything."""

from __future__ import annotations

import hashlib
from collections import Counter

from truehue.core.color.systems import STANDARDS
from truehue.core.prompts.gencolorbench import build
from truehue.core.prompts.sets import build_mini, features, quota, stratum

# SHA-256 over "id<tab>text<newline>": our own, frozen.
MINI_SILVER = "fdf726d984401ec4d02479cd6134516d3d0e3cce9c3c9aa7ffe043913b34a473"


def test_size_and_order() -> None:
    mini = build_mini()
    assert len(mini) == 9_854
    assert {prompt.source for prompt in mini} == {"mini"}
    positions = {prompt.id: index for index, prompt in enumerate(build())}
    result = [positions[prompt.id] for prompt in mini]
    assert result == sorted(set(result))
    lines = "".join(f"{prompt.id}\t{prompt.text}\n" for prompt in mini)
    assert hashlib.sha256(lines.encode()).hexdigest() == MINI_SILVER


def test_a_prompt_of_mini_is_the_full_sets() -> None:
    full = {prompt.id: prompt for prompt in build()}
    for prompt in build_mini():
        same = full[prompt.id]
        assert (prompt.text, prompt.targets, prompt.template) == (
            same.text,
            same.targets,
            same.template,
        )


def test_every_task_system_and_category_gives_its_part() -> None:
    full, mini = (Counter(stratum(p) for p in prompts) for prompts in (build(), build_mini()))
    assert len(full) == 5 * 4 * 7
    assert mini == {key: quota(size) for key, size in full.items()}
    assert min(mini.values()) >= 12
    assert (quota(5), quota(12), quota(50), quota(1000)) == (5, 12, 12, 220)


def test_every_template_object_and_color_of_every_task_is_kept() -> None:
    full, mini = (
        {feature for prompt in prompts for feature in features(prompt)}
        for prompts in (build(), build_mini())
    )
    lost = full - mini
    # 86 places cannot hold all 100 implicit sentences in level 1; other systems have them.
    assert {(task, kind, value[0]) for task, kind, value in lost} <= {("ica", "template", "l1")}
    assert len(lost) < 20
    assert {p.template for p in build()} == {p.template for p in build_mini()}
    for task in ("cna", "ncu", "coa", "moc", "ica"):
        colors = {value for source, kind, value in mini if (source, kind) == (task, "color")}
        assert len(colors) == 450
        assert {str(value).partition(":")[0] for value in colors} == set(STANDARDS)


def test_no_object_or_color_is_asked_much_more_than_in_the_full_set() -> None:
    for task in ("cna", "ncu"):
        for kind in ("object", "color"):
            full, mini = (
                Counter(f for p in prompts for f in features(p) if f[:2] == (task, kind))
                for prompts in (build(), build_mini())
            )
            shares = [mini[feature] / full[feature] for feature in full]
            assert min(shares) > 0.15
            assert max(shares) < 0.30
