"""A registered CFM (tiny random weights under the released names) as measures of pictures."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.tiny_models import cfm
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm import registration as of_cfm
from truehue.core.fidelity.cfm.registration import (
    Registration,
    open_registered,
    register,
    registered,
)
from truehue.core.fidelity.cfm.scorer import INSTRUCTION, CfmScorer, open_cfm
from truehue.core.generation.memory import BadModelFolder, ModelMissing
from truehue.core.generation.weights.sources import Sources
from truehue.core.machine import Placement
from truehue.core.scores.cfm import cfm_measures, map_of, map_rows, scored_by_cfm
from truehue.core.scores.measures import add_measures, all_measures, measure_of
from truehue.core.scores.records import UNSCORED

pytestmark = pytest.mark.weights

HERE = Placement("cpu", "float32", "none", "")
CHANCE = np.random.default_rng(0)
WIDE, SQUARE = (CHANCE.integers(0, 256, (*size, 3), np.uint8) for size in ((90, 160), (64, 64)))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cfm.save(tmp_path_factory.mktemp("cfm") / "tiny")


@pytest.fixture(scope="module")
def known(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Registration:
    return register(tmp_path_factory.mktemp("data"), str(tiny))


@pytest.fixture(scope="module")
def scorer(known: Registration) -> CfmScorer:
    return open_registered(known, HERE)


@pytest.fixture
def listed(known: Registration) -> Iterator[None]:
    add_measures("cfm", cfm_measures(known))
    yield
    add_measures("cfm", ())


def test_a_checkpoint_is_registered_with_its_text(tiny: Path, tmp_path: Path) -> None:
    assert registered(tmp_path) is None
    known = register(tmp_path, str(tiny))
    assert registered(tmp_path) == known
    assert (known.instruction, len(known.version)) == (INSTRUCTION, 12)
    text = tmp_path / "theirs.txt"
    text.write_text("Rate {text_prompt}: <|Reward|>", encoding="utf-8")
    other = register(tmp_path, str(tiny), str(tiny), text)
    assert registered(tmp_path) == other
    assert other.version == known.version
    assert cfm_measures(other)[0].parameters != cfm_measures(known)[0].parameters
    assert "theirs.txt" in cfm_measures(other)[0].source
    assert open_registered(other, HERE).reading.instruction == text.read_text()
    # Registered before rotary frequencies were rounded: its scores go on as they were.
    assert known.rotary == "bfloat16"
    assert open_registered(known, HERE).reading.rounded_rotary
    before = replace(known, rotary="")
    assert not open_registered(before, HERE).reading.rounded_rotary
    assert cfm_measures(before)[0].parameters == {"instruction_sha256": known.instruction_sha256}
    assert cfm_measures(known)[0].parameters["rotary"] == "bfloat16"
    assert of_cfm.forget(tmp_path)
    assert not of_cfm.forget(tmp_path)


def test_another_checkpoint_has_another_version(tiny: Path, tmp_path: Path) -> None:
    """Its configuration apart, as the published one has it, too."""
    second = cfm.save(tmp_path / "second", seed=1)
    known = register(tmp_path / "data", str(second), str(tiny))
    assert known.version != register(tmp_path / "data", str(tiny)).version
    cfm.rewritten(second, 1, lambda weights: next(iter(weights.values())).add_(1))
    with pytest.raises(BadModelFolder, match="not those that were registered"):
        open_registered(known, HERE)
    shutil.rmtree(second)
    with pytest.raises(ModelMissing, match="is gone"):
        open_registered(known, HERE)


def test_what_is_no_cfm_is_not_registered(tiny: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(tiny, tmp_path / "copy"))
    cfm.rewritten(copy, 2, lambda weights: weights.pop("rm_head.5.bias", weights.popitem()))
    with pytest.raises(BadModelFolder, match="lacks 1 of CFM's weights"):
        register(tmp_path / "data", str(copy))
    sources = Sources(tmp_path / "models", tmp_path / "cache")
    with pytest.raises(ModelMissing, match=r"17 GB.*truehue score --register"):
        register(tmp_path / "data", "Nineve/CFM_7B", sources=sources)
    with pytest.raises(ModelMissing, match="There is no folder"):
        register(tmp_path / "data", str(tmp_path / "none"))
    assert registered(tmp_path / "data") is None
    shutil.copytree(tiny, tmp_path / "models" / "Nineve--CFM_7B")
    assert register(tmp_path / "data", "Nineve/CFM_7B", sources=sources).name == "Nineve/CFM_7B"
    (tmp_path / "data" / of_cfm.FILE).write_text("{}")
    with pytest.raises(BadInput, match="register CFM again"):
        registered(tmp_path / "data")


def test_scores_are_those_of_cfm_with_their_map(
    tiny: Path, known: Registration, scorer: CfmScorer
) -> None:
    images = [("a", WIDE, "a market"), ("b", SQUARE, " "), ("c", SQUARE, "a red mug")]
    records = scored_by_cfm(scorer, known, images)
    by_item = {
        item: [record for record in records if record.item == item] for item in ("a", "b", "c")
    }
    plain = open_cfm(tiny, None, HERE)
    for item, srgb8, prompt in (images[0], images[2]):
        score, logit = by_item[item]
        (expected,) = plain.scores([srgb8], [prompt])
        assert (score.measure, logit.measure) == ("cfm", "cfm_logit")
        assert score.value == pytest.approx(expected.logit / 3, abs=1e-4)
        assert logit.value == pytest.approx(expected.logit, abs=1e-4)
        assert score.version == known.version
        assert score.provenance["prompt"] == prompt
        saved = map_of(by_item[item], known.version)
        assert saved is not None
        np.testing.assert_allclose(saved, expected.attention, atol=0.01)
        assert json.loads(json.dumps(score.numbers))["map"] == map_rows(by_item[item])
    assert {record.status for record in by_item["b"]} == {UNSCORED}
    assert "no prompt is known" in by_item["b"][0].reason
    assert map_rows(by_item["b"]) is None
    assert map_rows(by_item["a"], "another") is None


def test_a_picture_that_cfm_cannot_read_leaves_the_others_theirs(
    known: Registration, scorer: CfmScorer
) -> None:
    strip = np.zeros((2, 900, 3), np.uint8)
    records = scored_by_cfm(scorer, known, [("a", SQUARE, "x"), ("b", strip, "x")])
    assert [(record.item, record.value is None) for record in records] == [
        ("a", False),
        ("a", False),
        ("b", True),
        ("b", True),
    ]
    long = np.zeros((8, 1200, 3), np.uint8)
    (score, _) = scored_by_cfm(scorer, known, [("c", long, "x")])
    rows = map_rows([score])
    assert rows is not None
    assert max(len(rows), len(rows[0]) // 2) <= 64


def test_the_measures_stand_behind_the_list(known: Registration, listed: None) -> None:
    ids = [measure.id for measure in all_measures()]
    assert ids == ["mean_saturation", "delta_sat", "cfm", "cfm_logit"]
    assert measure_of("cfm").name == "CFM (logits / 3)"
    assert measure_of("cfm").computed


def test_without_one_it_says_what_to_get() -> None:
    with pytest.raises(BadInput, match=r"No CFM is registered here.*17 GB"):
        measure_of("cfm")
