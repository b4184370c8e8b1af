"""Models by size, family, reasoning and gray; the sizes against the printed Table 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.vlm.answered import answers, questions, seed
from truehue.core.analysis.intervals import wilson
from truehue.core.cli.vlm_models import comparison_text
from truehue.core.errors import BadInput
from truehue.core.published import table
from truehue.core.vlm.evaluation.log import EvaluationLog
from truehue.core.vlm.evaluation.plan import (
    EvaluationSettings,
    PromptedQuestion,
    QuestionSource,
    Version,
)
from truehue.core.vlm.model_comparison import (
    Correlation,
    best_of_sizes,
    compare_models,
    correlations,
    difficulties,
    gray_effects,
    mean_interval,
    reasoning_effects,
    spearman,
)
from truehue.core.vlm.model_sizes import ModelSize, published_sizes, read_sizes, size_of
from truehue.core.vlm.model_tables import comparison_csv, comparison_json
from truehue.core.vlm.models.records import VisionModel
from truehue.core.vlm.records import Question

ITEMS = [*questions("color_counting", 4), *questions("color_recognition", 2)]


def log(
    name: str,
    marks: str,
    style: str = "plain",
    version: Version = Version.COLORED,
    protocol: str = "truehue",
    items: list[Question] | None = None,
) -> EvaluationLog:
    items = items or ITEMS
    return EvaluationLog(
        Path(f"{name}-{style}-{version}"),
        [PromptedQuestion(item, Path(), "") for item in items],
        answers(items, marks),
        VisionModel(name, "local", f"hub/{name}"),
        EvaluationSettings(style, version),
        QuestionSource("set", "0" * 64),
        0,
        "2",
        "2",
        protocol,
    )


def test_published_sizes_give_the_printed_correlations() -> None:
    """The paper prints no sizes; ranks by ours give its Table 2 within 0.09, 0.03 on average."""
    sizes = {size.model: size for size in published_sizes()}
    printed = table("colorbench-table1")
    rows = [row for row in printed.rows if row.keys["model"] in sizes]
    assert len(rows) == 30  # all open models of the table
    percents = {
        row.keys["model"]: {column: row.values[column] for column in row.values} for row in rows
    }
    ours = {(row.size_of, row.task): row for row in correlations(percents, dict(sizes))}
    apart, starred = [], 0
    for row in table("colorbench-table2").rows:
        rho = ours[row.keys["size_of"], row.keys["task"]]
        assert rho.n == 30
        assert rho.rho is not None
        assert rho.p is not None
        apart.append(abs(rho.rho - float(row.values["Spearman"] or 0)))
        starred += (rho.p <= 0.05) == bool(row.values["p ≤ 0.05"])
    assert max(apart) < 0.09
    assert sum(apart) / len(apart) < 0.03
    assert starred >= 34  # of 36
    groups = {row.keys["model"]: row.keys["group"] for row in rows}
    assert {name: sizes[name].group for name in groups} == groups


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("OpenGVLab/InternVL2_5-1B", "InternVL2.5-1B"),
        ("OpenGVLab/InternVL2-1B", "InternVL2-1B"),
        ("qwen2.5-vl-7b", "Qwen2.5-VL-7B"),
        ("Qwen/Qwen2.5-VL-72B-Instruct", "Qwen2.5-VL-72B"),
        ("llava-hf/llava-onevision-qwen2-0.5b-ov-hf", "LLaVA-OV-0.5B"),
        ("gpt-4o", None),
    ],
)
def test_a_name_has_its_size(name: str, model: str | None) -> None:
    size = size_of([name])
    assert (size.model if size else None) == model
    assert size_of([name], [ModelSize(name, "mine", 1.0, None)]).family == "mine"  # type: ignore[union-attr]


def test_own_sizes_are_read_or_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "sizes.csv"
    path.write_text("model,family,language_b,vision_b,names\nMine,Own,3,,my-vlm; other\n")
    (size,) = read_sizes(path)
    assert (size.language_b, size.vision_b, size.total_b) == (3, None, None)
    assert size_of(["hub/my-vlm-2"], [size]) == size
    for content, text in (
        ("model,language_b\n", "no column vision_b"),
        ("model,language_b,vision_b\nx,many,1\n", "line 2: 'many' is no size"),
        ("model,language_b,vision_b\n,1,1\n", "line 2 names no model"),
    ):
        path.write_text(content)
        with pytest.raises(BadInput, match=text):
            read_sizes(path)


def test_models_stand_beside_each_other_with_what_changes_them() -> None:
    logs = [
        log("qwen2.5-vl-7b", "+++-++"),
        log("qwen2.5-vl-7b", "++++++", style="reasoned"),
        log("qwen2.5-vl-7b", "+--- -".replace(" ", "-"), version=Version.GRAY),
        log("qwen2.5-vl-3b", "++--+-"),
        log("qwen2.5-vl-3b", "+---+-", style="reasoned"),
        log("my-own", "+-----"),
        log("other", "++++++", protocol="colorbench-released"),
        log("third", "++", items=questions("color_illusion", 2)),
    ]
    comparison = compare_models(logs, [ModelSize("my-own", "Mine", 1.0, 0.1)])
    assert [model.name for model in comparison.models] == [
        "my-own",
        "qwen2.5-vl-3b",
        "qwen2.5-vl-7b",
    ]
    assert len(comparison.left_out) == 2
    assert "colorbench-released" in comparison.left_out[0]
    effects = {effect.task: effect for effect in reasoning_effects(comparison)}
    assert effects["color_counting"].by_model == {"qwen2.5-vl-3b": -25.0, "qwen2.5-vl-7b": 25.0}
    assert effects["micro"].mean == pytest.approx((100 / 6 - 100 / 6) / 2)
    low, high = effects["micro"].intervals["qwen2.5-vl-3b"] or (0, 0)
    assert low < -100 / 6 < high
    low, high = effects["micro"].mean_interval or (0, 0)
    assert low < 0 < high
    gray = {effect.task: effect.by_model for effect in gray_effects(comparison)}
    assert gray["color_counting"]["qwen2.5-vl-7b"] == pytest.approx((3 - 1) / 3)
    hard = difficulties(comparison)
    assert [row.wrong for row in hard] == [3, 2, 2, 1, 1, 0]
    assert [row.most_wrong for row in hard] == [True, True, True, False, False, False]
    details = comparison_json(comparison)
    assert details["columns"] == [
        *("color_counting", "color_recognition", "Perception", "Reasoning", "micro"),
    ]
    assert details["right_by_all"] == 1
    seven = details["models"][2]["scores"]
    assert seven["Perception"]["percent"] == 100.0
    assert (seven["micro"]["right"], seven["micro"]["asked"]) == (5, 6)
    text = comparison_text(details)
    assert "Most models are wrong on 3 of 6 questions; all are right on 1." in text
    assert "Best model of each size" in text
    assert "other-plain-colored follows the protocol colorbench-released, and is left out." in text
    assert "truehue,qwen2.5-vl-7b,Qwen2.5-VL,7.6,0.67,micro,5,6" in comparison_csv(details)


def test_a_mean_of_models_varies_with_the_questions_and_a_correlation_with_the_models() -> None:
    rights = [{str(n): n % 2 == 0 for n in range(400)}] * 3
    low, high = mean_interval(rights) or (0, 0)
    # Three models that answer alike tell no more than one.
    assert (low, high) == pytest.approx(wilson(0.5, 400), abs=0.6)
    apart = mean_interval([{str(n): n % 2 == k for n in range(400)} for k in (0, 1)])
    assert apart == wilson(0.5, 400)  # of each question one of two is right: nothing varies
    # Each model has the same weight, however few of its questions it answered.
    few, many = {str(n): True for n in range(20)}, {str(n): n % 4 == 0 for n in range(900)}
    low, high = mean_interval([few, many]) or (0, 0)
    assert low < 62.5 < high < low + 4
    assert mean_interval([few, dict.fromkeys(many, True)]) == wilson(1, 20)
    assert mean_interval([{}]) is None
    assert mean_interval(rights, rights) is None  # no question tells of a change
    assert Correlation("L", "micro", 30, 0.5, 0.01).interval == pytest.approx(
        (0.148, 0.739), abs=0.01
    )
    assert Correlation("L", "micro", 4, 1.0, 0.0).interval is None


def test_robust_seeds_count_and_few_models_have_no_correlation() -> None:
    items = [*ITEMS, *seed("s")]
    logs = [log(f"internvl2-{size}b", "+" * 16, items=items) for size in (1, 2, 8)]
    details = comparison_json(compare_models(logs))
    assert details["models"][0]["scores"]["robust"]["percent"] == 100.0
    assert {row["rho"] for row in details["correlations"]} == {None}
    assert spearman([(1, 2), (2, 3), (3, 5), (4, 4)])[0] == pytest.approx(0.8)
    assert spearman([(1, 2), (1, 3), (1, 5), (1, 4)]) == (None, None)
    best = best_of_sizes({"a": 1.0, "b": 3.0, "c": None}, {"a": size_of(["internvl2-1b"])})
    assert best == {"< 7B": ("a", 1.0), "": ("b", 3.0)}
    with pytest.raises(BadInput, match="no evaluation of a model"):
        compare_models([])


def test_who_answered_a_part_of_the_set_is_left_out_and_named() -> None:
    part = log("internvl2-2b", "++", items=ITEMS[:2])
    compared = compare_models([part, log("qwen2.5-vl-7b", "++++--"), log("my-own", "----++")])
    assert [model.name for model in compared.models] == ["qwen2.5-vl-7b", "my-own"]
    assert "has 2 of the 6 questions, and is left out." in compared.left_out[0]
