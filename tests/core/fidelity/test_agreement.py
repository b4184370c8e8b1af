"""Correlations with people, by their own formulas; ratings read from tables and exports."""

from __future__ import annotations

import math
import zipfile
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from truehue.core.errors import BadInput
from truehue.core.fidelity.evaluation import agreement, evaluate, joined_groups, read_ratings
from truehue.core.fidelity.groups import Group

SCORES = [0.3, 2.5, 1.1, 4.0, 3.2, 0.1]
RATINGS = [2.0, 7.0, 3.0, 9.0, 6.0, 4.0]


def test_the_three_coefficients_by_their_formulas() -> None:
    result = agreement(SCORES, RATINGS, range(6))
    ranks = [sorted(values).index(v) for values in (SCORES, RATINGS) for v in values]
    squares = sum((a - b) ** 2 for a, b in zip(ranks[:6], ranks[6:], strict=True))
    assert result.spearman.value == pytest.approx(1 - 6 * squares / (6 * 35))
    x, y = np.array(SCORES) - np.mean(SCORES), np.array(RATINGS) - np.mean(RATINGS)
    pearson = (x * y).sum() / math.sqrt((x**2).sum() * (y**2).sum())
    assert result.pearson.value == pytest.approx(pearson)
    signs = [
        np.sign((SCORES[i] - SCORES[j]) * (RATINGS[i] - RATINGS[j]))
        for i, j in combinations(range(6), 2)
    ]
    assert result.kendall.value == pytest.approx(sum(signs) / 15)
    for item in (result.spearman, result.pearson, result.kendall):
        assert item.low <= item.value <= item.high
    less = agreement([-s for s in SCORES], RATINGS, range(6), higher_is_better=False)
    assert less == result


def test_with_ties_the_coefficients_are_scipys() -> None:
    from scipy.stats import kendalltau, pearsonr, spearmanr

    chance = np.random.default_rng(1)
    # More images than are paired at a time.
    ratings = chance.integers(0, 11, 600).astype(float)
    scores = np.round(ratings + chance.normal(0, 4, 600))
    result = agreement(scores, ratings, [0] * 600)
    assert result.spearman.value == pytest.approx(spearmanr(scores, ratings).statistic)
    assert result.pearson.value == pytest.approx(pearsonr(scores, ratings).statistic)
    assert result.kendall.value == pytest.approx(kendalltau(scores, ratings).statistic)


def test_a_resample_is_its_images_written_out() -> None:
    from truehue.core.fidelity.evaluation import _coefficients

    chance = np.random.default_rng(2)
    scores, ratings = chance.normal(size=20), np.round(chance.normal(size=20))
    weights = chance.integers(0, 4, (3, 20)).astype(float)
    for row, coefficient in zip(weights, _coefficients(scores, ratings, weights), strict=True):
        times = row.astype(int)
        long = (np.repeat(scores, times), np.repeat(ratings, times))
        written = _coefficients(*long, np.ones((1, times.sum())))[0]
        assert coefficient == pytest.approx(written)


def test_groups_are_resampled_as_a_whole_and_missing_scores_are_counted() -> None:
    chance = np.random.default_rng(0)
    ratings = chance.normal(size=60)
    scores = ratings + chance.normal(size=60)
    apart = agreement(scores, ratings, range(60))
    # Images written down ten times are no more evidence.
    often = agreement(np.repeat(scores, 10), np.repeat(ratings, 10), np.repeat(range(60), 10))
    wide = apart.pearson.high - apart.pearson.low
    assert often.pearson.high - often.pearson.low == pytest.approx(wide, rel=0.15)
    assert (often.images, often.groups) == (600, 60)
    holes = agreement([*scores, math.nan], [*ratings, 1.0], [*range(60), 60])
    assert (holes.pearson.value, holes.unscored) == (apart.pearson.value, 1)
    constant = agreement([1.0] * 5, RATINGS[:5], range(5))
    assert math.isnan(constant.kendall.value)
    assert math.isnan(agreement(SCORES, RATINGS, [0] * 6).kendall.low)
    with pytest.raises(BadInput, match="as many"):
        agreement(SCORES, RATINGS, [0])
    with pytest.raises(BadInput, match="finite"):
        agreement(SCORES, [math.nan] * 6, range(6))


def test_an_evaluation_has_parts_and_counts_a_photograph_once() -> None:
    def group(model: str) -> Group:
        files = [Path(f"{model}{n}") for n in range(3)]
        return Group(Path("photograph"), tuple(files), "a market", "Food", model)

    groups = [group("a"), group("b")]
    scores = [[4.0, 3.0, 2.0, 1.0], [4.0, 3.0, 1.0, 2.0]]
    ratings = [[9.0, math.nan, 5.0, 1.0], [9.0, 6.0, 3.0, math.nan]]
    evaluation = evaluate("m", groups, scores, ratings=ratings)
    assert evaluation.agreement is not None
    assert evaluation.agreement.images == 5
    # The photograph ties them together: one group, and so no interval.
    assert evaluation.agreement.groups == 1
    assert math.isnan(evaluation.agreement.spearman.low)
    assert evaluation.syn_pairs.percent == 75
    assert evaluation.adjacent.pairs == 6
    assert {name: pair[0].percent for name, pair in evaluation.parts.items()} == {"a": 100, "b": 50}
    assert evaluation.as_json()["parts"]["b"][1]["percent"] == 100
    groups = [groups[0], replace(groups[1], category="", model="")]
    both = evaluate("m", groups, scores).parts
    # What lacks a category is not what lacks a model.
    assert {name: pair[0].percent for name, pair in both.items()} == {
        "Food": 100,
        "category not stated": 50,
        "a": 100,
        "model not stated": 50,
    }
    assert evaluate("m", groups, scores, higher_is_better=False).real_syn.percent == 0


def test_groups_are_joined_by_files_of_both_through_others_too() -> None:
    def group(photograph: str, image: str) -> Group:
        return Group(Path(photograph), (Path(image),), "")

    groups = [group("p", "1"), group("q", "2"), group("r", "3"), group("r", "2"), group("s", "4")]
    assert joined_groups(groups) == [0, 1, 1, 1, 4]
    assert joined_groups([*groups, group("p", "4")]) == [0, 1, 1, 1, 0, 0]


def test_ratings_of_a_table_are_means_of_each_image(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("file,image_id,rating\na.png,,4\na.png,,6\n,abc,1.5\n")
    assert read_ratings(path) == {str((tmp_path / "a.png").resolve()): 5.0, "abc": 1.5}
    for text, message in (
        ("rating\n3\n", "no such columns"),
        ("file,rating\na,high\n", "line 2: the rating is a number"),
        ("file,rating\na,nan\n", "is a number, not 'nan'"),
        ("file,rating\n,3\n", "names no image"),
        ("file,rating\na\n", "another number of cells"),
        ("file,rating\n", "holds no ratings"),
    ):
        path.write_text(text)
        with pytest.raises(BadInput, match=message):
            read_ratings(path)


def test_main_ratings_of_a_study_count_without_those_excluded(tmp_path: Path) -> None:
    answers = [
        "participant,position,stimulus,case,group,purpose,kind,value,excluded",
        "1,0,s1,c1,,main,rating,8,false",
        "2,0,s1,c1,,main,rating,6,false",
        "3,0,s1,c1,,main,rating,0,true",
        "1,1,s1,c1,,repeat,rating,1,false",
        "1,2,s2,c1,,main,skip,,false",
        "1,3,s2,c1,,main,rating,3,false",
    ]
    files = {
        "answers": "\n".join(answers),
        "stimuli": 'stimulus,case,models\ns1,c1,"[""sd""]"\ns2,c1,"[""=x""]"\n',
        "candidates": "case,model,images\nc1,sd,aaa\nc1,'=x,bbb ccc\n",
    }
    path = tmp_path / "study.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"tables/{name}.csv", text)
    assert read_ratings(path) == {"aaa": 7.0}
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "folder")
    assert read_ratings(tmp_path / "folder") == {"aaa": 7.0}
    (tmp_path / "folder" / "tables" / "stimuli.csv").unlink()
    with pytest.raises(BadInput, match=r"stimuli\.csv cannot be read"):
        read_ratings(tmp_path / "folder")
