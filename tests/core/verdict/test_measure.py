"""Image, mask and asked color to a verdict, over the whole way and for every rule."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from truehue.core.color.difference import delta_e00
from truehue.core.color.dominant import paper
from truehue.core.color.munsell import load_munsell, reconstructed
from truehue.core.color.spaces import linear1_to_srgb1, srgb8_to_lab, srgb8_to_linear1
from truehue.core.color.systems import SYSTEMS, find, parse_target, system
from truehue.core.errors import BadInput, MaskError, NoPixels
from truehue.core.images.pixels import distinct_colors, masked_lab, select_pixels
from truehue.core.verdict.candidates import MAX_NEIGHBORS, Acceptance, accepted
from truehue.core.verdict.measure import (
    TargetObject,
    measure,
    measure_by_rules,
    unscored_measurement,
)
from truehue.core.verdict.rules import RULES, rule

IDS = [known.id for known in RULES]
every_rule = pytest.mark.parametrize("rule_id", IDS)
KEYS = (
    "status",
    "reason",
    "rule",
    "version",
    "lab",
    "target_lab",
    "delta_e00",
    "delta_chroma",
    "hue_deg",
)
ORANGE = "l3:vivid reddish orange"


def ball(target_name: str = ORANGE, side: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """A matte ball of a named color before a gray wall, evenly lit but for its lower edge.

    Returns uint8 ``(side, side, 3)`` and the exact mask. Light scales linear RGB, so the albedo
    is the color of the brightest pixels, and those are more than half of the ball.
    """
    albedo = srgb8_to_linear1(np.array(parse_target(target_name).srgb8, dtype=np.uint8))
    line = (np.arange(side) + 0.5) / side * 2.0 - 1.0
    down, across = line[:, None], line[None, :]
    mask = down**2 + across**2 <= 0.5
    shade = np.clip(1.25 - 0.9 * np.clip(down, 0.0, 1.0), 0.0, 1.0) * np.ones_like(across)
    linear = np.where(mask[..., None], shade[..., None] * albedo, 0.3)
    return np.rint(linear1_to_srgb1(linear) * 255.0).astype(np.uint8), mask


# ---------------------------------------------------------------------------------- verdicts


@every_rule
def test_a_shaded_object_of_the_asked_color_passes(rule_id: str) -> None:
    srgb8, mask = ball()
    result = measure(srgb8, mask, parse_target(ORANGE), rule_id, target_object=TargetObject("ball"))
    assert result.verdict.status == "pass"
    assert (result.verdict.rule, result.verdict.version) == (rule_id, rule(rule_id).version)
    text = (
        "mismatch score 0.0, below 2.5."
        if rule(rule_id).lit
        else "every metric is below its limit."
    )
    assert result.verdict.reason.endswith(text)
    assert result.mask_px == mask.sum()
    assert result.colors is not None
    assert result.colors.pixel_count == result.measured.sum()


@every_rule
@pytest.mark.parametrize("other", ["l3:vivid blue", "l2:green", "css:white", "#101010"])
def test_another_color_fails(rule_id: str, other: str) -> None:
    srgb8, mask = ball()
    verdict = measure(srgb8, mask, parse_target(other), rule_id).verdict
    assert verdict.status == "fail"
    assert "ΔE00 from the target color" in verdict.reason


@pytest.mark.parametrize("target", ["css:white", "css:gray", "l1:black", "css:navy", "l2:pink"])
@every_rule
def test_an_object_of_one_color_is_measured_exactly(rule_id: str, target: str) -> None:
    """White, gray and black too: the clean-up would drop them, and is undone."""
    color_target = parse_target(target)
    srgb8 = np.full((20, 20, 3), 128, dtype=np.uint8)
    srgb8[5:15, 5:15] = color_target.srgb8
    mask = np.zeros((20, 20), dtype=bool)
    mask[5:15, 5:15] = True
    result = measure(srgb8, mask, color_target, rule_id)
    assert result.verdict.status == "pass"
    assert result.verdict.lab == pytest.approx(color_target.lab, abs=1e-9)
    for metric in result.verdict.metrics:
        assert metric.value == pytest.approx(0.0, abs=1e-6)


def test_paper_centred_is_the_plain_mean() -> None:
    srgb8, mask = ball()
    result = measure(srgb8, mask, parse_target(ORANGE), "paper-centred")
    assert result.verdict.lab == pytest.approx(
        tuple(masked_lab(srgb8, mask).mean(axis=0)), abs=1e-9
    )


def test_paper_over_counts_is_paper_over_pixels() -> None:
    srgb8, mask = ball()
    result = measure(srgb8, mask, parse_target(ORANGE), "paper")
    assert result.verdict.lab == pytest.approx(paper(masked_lab(srgb8, mask)).lab, abs=1e-9)


def test_released_cleans_up_first_and_says_so() -> None:
    srgb8, mask = ball()
    srgb8[24:40, 24:40] = 128
    result = measure(srgb8, mask, parse_target(ORANGE), "released")
    assert not result.measured[32, 32]
    assert mask[32, 32]
    assert result.measured.sum() < result.mask_px == mask.sum()
    share = 100.0 * np.count_nonzero(mask & ~result.measured) / mask.sum()
    assert result.notes == (
        f"The clean-up excluded {share:.1f}% of the mask: shadows, grays, small fragments.",
    )
    untouched = measure(srgb8, mask, parse_target(ORANGE), "paper")
    assert untouched.measured is mask
    assert untouched.notes == ()


def test_released_says_that_a_clean_up_was_undone() -> None:
    srgb8 = np.full((20, 20, 3), 200, dtype=np.uint8)
    mask = np.ones((20, 20), dtype=bool)
    result = measure(srgb8, mask, parse_target("css:white"), "released")
    assert "undone" in result.notes[0]
    assert result.measured.all()


def test_the_pixels_behind_the_number_can_be_shown() -> None:
    """``used`` of the dominant color names, color by color, what the mean is made of."""
    srgb8, mask = ball()
    result = measure(srgb8, mask, parse_target(ORANGE), "released")
    chosen = result.colors.srgb24[result.dominant.used > 0]
    shown = select_pixels(srgb8, result.measured, chosen)
    assert shown.sum() >= result.dominant.used_count
    assert not (shown & ~result.measured).any()


@every_rule
def test_what_is_given_is_not_changed(rule_id: str) -> None:
    srgb8, mask = ball()
    srgb8.flags.writeable = mask.flags.writeable = False
    measure(srgb8, mask, parse_target(ORANGE), rule_id)


@every_rule
def test_what_cannot_be_judged_raises(rule_id: str) -> None:
    srgb8, mask = ball()
    target = parse_target(ORANGE)
    with pytest.raises(NoPixels, match="empty"):
        measure(srgb8, np.zeros_like(mask), target, rule_id)
    item = np.zeros_like(mask)
    item[0, 0] = True
    with pytest.raises(NoPixels, match="one pixel"):
        measure(srgb8, item, target, rule_id)
    with pytest.raises(MaskError):
        measure(srgb8, mask[:-1], target, rule_id)


def test_an_unknown_rule_is_refused() -> None:
    srgb8, mask = ball()
    with pytest.raises(BadInput, match="paper"):
        measure(srgb8, mask, parse_target(ORANGE), "papers")


def test_a_rule_without_a_measurement_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    srgb8, mask = ball()
    new = replace(rule("paper"), id="new", dominant="new")
    monkeypatch.setattr("truehue.core.verdict.rules.RULES", (*RULES, new))
    with pytest.raises(ValueError, match="no measurement of its dominant color 'new'"):
        measure(srgb8, mask, parse_target(ORANGE), "new")


# ---------------------------------------------------------------------------------- as JSON


@every_rule
@pytest.mark.parametrize("requested", [ORANGE, "css:gray", "#123456"])
def test_as_json_is_plain_json(rule_id: str, requested: str) -> None:
    srgb8, mask = ball()
    result = measure(
        srgb8, mask, parse_target(requested), rule_id, target_object=TargetObject("ball")
    )
    again = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert again == result.as_json()
    assert set(KEYS) <= set(again)
    assert again["status"] in ("pass", "fail")
    assert again["rule"] == rule_id
    assert again["lab"] == list(result.verdict.lab)
    assert again["target_lab"] == list(parse_target(requested).lab)
    for name in ("delta_e00", "delta_chroma", "hue_deg"):
        assert again[name] == result.verdict.metric(name).value
        metric = result.verdict.metric(name)
        judged = metric.threshold is not None
        assert again["metrics"][name]["passed"] is (metric.passed if judged else None)
    assert again["object"] == "ball"
    assert again["mask_px"] == mask.sum()


def test_as_json_of_a_black_object() -> None:
    """Exactly neutral: no axis, no hue, and still no NaN."""
    black = np.zeros((8, 8, 3), dtype=np.uint8)
    result = measure(black, np.ones((8, 8), dtype=bool), parse_target("css:black"))
    out = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert out["dominant"]["axis_hue_deg"] is None
    assert out["offset"]["hue_deg"] is None


def test_as_json_of_an_unscored_one_has_the_same_keys_and_no_numbers() -> None:
    target = parse_target(ORANGE)
    out = unscored_measurement("No mask was drawn.", target, "paper", "ball").as_json()
    assert json.loads(json.dumps(out, allow_nan=False)) == out
    assert set(KEYS) <= set(out)
    assert out["status"] == "unscored"
    assert out["reason"] == "No mask was drawn."
    assert out["target_lab"] == list(target.lab)
    for name in ("lab", "delta_e00", "delta_chroma", "hue_deg"):
        assert out[name] is None


# -------------------------------------------------------------------------------- candidates


def test_k_adds_the_nearest_of_the_same_system() -> None:
    target = parse_target("l2:reddish orange")
    allowed, how = accepted(target, rule("paper"), Acceptance(3))
    assert len(allowed) == 4
    assert allowed[0].name == target.name
    assert allowed[0].lab == target.lab
    assert len({candidate.name for candidate in allowed}) == 4
    assert all(find(candidate.name, "l2") for candidate in allowed)
    assert how == "the target color and its 3 nearest in l2"
    none, how = accepted(target, rule("paper"))
    assert none == allowed[:1]
    assert "k = 0" in how


def test_k_can_only_bring_metrics_down() -> None:
    srgb8, mask = ball("l3:strong reddish orange")
    target = parse_target(ORANGE)
    before: dict[str, float] = {}
    for k in (0, 1, 5, MAX_NEIGHBORS):
        result = measure(srgb8, mask, target, "paper", acceptance=Acceptance(k))
        assert len(result.candidates) == k + 1
        assert result.verdict.parameters["k"] == k
        now = {metric.name: metric.value for metric in result.verdict.metrics}
        assert all(now[name] <= before.get(name, np.inf) for name in now)
        before = now


def test_k_lets_a_neighbor_pass() -> None:
    srgb8, mask = ball("l3:strong orange")
    srgb8[mask] = parse_target("l3:strong orange").srgb8
    target = parse_target("l3:vivid orange")
    assert measure(srgb8, mask, target, "paper").verdict.status == "fail"
    assert measure(srgb8, mask, target, "paper", acceptance=Acceptance(10)).verdict.status == "pass"


def test_k_without_a_system_to_take_neighbors_from() -> None:
    srgb8, mask = ball()
    bare = parse_target("#E83B1B")
    with pytest.raises(BadInput, match="no color system"):
        measure(srgb8, mask, bare, "paper", acceptance=Acceptance(2))
    result = measure(srgb8, mask, bare, "paper", acceptance=Acceptance(2, system="l3"))
    assert result.candidates[0].hex == "#E83B1B"
    assert len(result.candidates) == 3
    assert len(measure(srgb8, mask, bare, "paper").candidates) == 1


@pytest.mark.parametrize("k", [-1, MAX_NEIGHBORS + 1])
def test_k_out_of_range(k: int) -> None:
    with pytest.raises(BadInput, match=f"0 and {MAX_NEIGHBORS}"):
        accepted(parse_target(ORANGE), rule("paper"), Acceptance(k))


def test_k_is_not_the_released_rules_business() -> None:
    srgb8, mask = ball()
    result = measure(srgb8, mask, parse_target(ORANGE), "released", acceptance=Acceptance(3))
    assert len(result.candidates) == 1
    assert result.verdict.parameters["k"] == 0
    assert "no Munsell samples" in result.accepted_text


# ----------------------------------------------------------------------------- several rules


def test_several_rules_at_once_say_what_each_says_alone() -> None:
    srgb8, mask = ball()
    target = parse_target(ORANGE)
    ids = [by.id for by in RULES]
    together = list(
        measure_by_rules(
            srgb8, mask, target, ids, acceptance=Acceptance(2), target_object=TargetObject("ball")
        )
    )
    alone = [
        measure(
            srgb8, mask, target, by, acceptance=Acceptance(2), target_object=TargetObject("ball")
        )
        for by in ids
    ]
    assert [item.as_json() for item in together] == [item.as_json() for item in alone]


def test_several_rules_look_at_the_pixels_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []

    def counted(*arguments):
        looked.append(1)
        return distinct_colors(*arguments)

    monkeypatch.setattr("truehue.core.verdict.measure.distinct_colors", counted)
    list(measure_by_rules(*ball(), parse_target(ORANGE), [by.id for by in RULES]))
    assert len(looked) == 1  # after the clean-up only what it changed is looked at


def test_a_rule_that_cannot_judge_is_unscored_beside_those_that_can() -> None:
    srgb8, mask = ball()
    result = list(
        measure_by_rules(
            srgb8, mask, parse_target("#E83B1B"), ["paper", "released"], acceptance=Acceptance(2)
        )
    )
    assert [item.verdict.status for item in result] == ["unscored", "pass"]
    assert "belongs to no color system" in result[0].verdict.reason
    assert result[0].dominant is None
    assert result[0].verdict.rule == "paper"


def test_no_rule_can_judge_an_empty_mask() -> None:
    srgb8, mask = ball()
    with pytest.raises(NoPixels, match="The mask is empty"):
        list(measure_by_rules(srgb8, np.zeros_like(mask), parse_target(ORANGE), ["paper"]))


def test_words_and_file_names_do_not_name_the_evidence(tmp_path) -> None:
    """The same samples under another file name are the same measurement."""
    results = []
    for name in ("a.csv", "b.csv"):
        write(tmp_path / name, HEADER, "1,2,3,3,4,34")
        samples = load_munsell(tmp_path / name)
        item = measure(
            *ball(), parse_target(ORANGE), "released", acceptance=Acceptance(munsell=samples)
        )
        results.append(item.verdict.parameters)
    assert results[0] == results[1]
    assert set(results[0]) == {"k", "thresholds", "munsell_sha256"}


# ------------------------------------------------------------------------------------ Munsell


def write(path, *lines: str):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


HEADER = "R,G,B,Level1,Level2,Level3"


def test_munsell_samples_join_the_released_candidates(tmp_path) -> None:
    orange = find("vivid reddish orange", "l3")
    other = orange.id + 1
    samples = load_munsell(
        write(
            tmp_path / "munsell.csv",
            HEADER,
            f"220,60,30,3,4,{orange.id}",
            f"10,20,30,3,4,{other}",
            f"200,50.0,20,3,4,{orange.id}",
        )
    )
    assert samples.source == "munsell.csv"
    assert samples.lab.shape == (3, 3)
    result = measure(
        *ball(), parse_target(ORANGE), "released", acceptance=Acceptance(munsell=samples)
    )
    assert [candidate.hex for candidate in result.candidates] == [
        parse_target(ORANGE).hex,
        "#DC3C1E",
        "#C83214",
    ]
    assert result.accepted_text == (f"the target color and 2 Munsell samples of {orange.name}")
    expected = srgb8_to_lab(np.array([200, 50, 20], dtype=np.uint8))
    assert result.candidates[2].lab == pytest.approx(tuple(expected), abs=1e-12)


def test_munsell_samples_can_turn_a_fail_into_a_pass(tmp_path) -> None:
    srgb8, mask = ball()
    srgb8[mask] = 200, 50, 20
    orange = find("vivid reddish orange", "l3")
    target = parse_target(ORANGE)
    samples = load_munsell(write(tmp_path / "m.csv", HEADER, f"200,50,20,3,4,{orange.id}"))
    assert measure(srgb8, mask, target, "released").verdict.status == "fail"
    result = measure(srgb8, mask, target, "released", acceptance=Acceptance(munsell=samples))
    assert result.verdict.status == "pass"
    assert result.as_json()["metrics"]["delta_e00"]["candidate"] == "Munsell sample 1"
    # The paper's rule knows nothing of them.
    assert (
        measure(srgb8, mask, target, "paper", acceptance=Acceptance(munsell=samples)).verdict.status
        == "fail"
    )


@pytest.mark.parametrize(("system", "column"), [("l1", 0), ("l2", 1), ("l3", 2)])
def test_munsell_samples_go_by_the_level_of_the_target(tmp_path, system: str, column: int) -> None:
    name = {"l1": "orange", "l2": "reddish orange", "l3": "vivid reddish orange"}[system]
    color = find(name, system)
    levels = ["999", "999", "999"]
    levels[column] = str(color.id)
    other = ["999", "999", "999"]
    other[(column + 1) % 3] = str(color.id)
    samples = load_munsell(
        write(
            tmp_path / "m.csv",
            HEADER,
            f"1,2,3,{','.join(levels)}",
            f"4,5,6,{','.join(other)}",
        )
    )
    allowed, _ = accepted(
        parse_target(f"{system}:{name}"), rule("released"), Acceptance(munsell=samples)
    )
    assert [candidate.hex for candidate in allowed[1:]] == ["#010203"]


def test_a_css_name_takes_the_samples_of_its_nearest_level_3_color(tmp_path) -> None:
    target = parse_target("css:orangered")
    samples_of = [f"{number},0,0,1,1,{number}" for number in range(1, 256)]
    samples = load_munsell(write(tmp_path / "m.csv", HEADER, *samples_of))
    allowed, how = accepted(target, rule("released"), Acceptance(munsell=samples))
    assert len(allowed) == 2
    nearest = find(how.rpartition(" of ")[2], "l3")
    assert allowed[1].hex == f"#{nearest.id:02X}0000"


def test_a_bare_color_has_no_munsell_category(tmp_path) -> None:
    samples = load_munsell(write(tmp_path / "m.csv", HEADER, "1,2,3,1,1,1"))
    allowed, how = accepted(parse_target("#E83B1B"), rule("released"), Acceptance(munsell=samples))
    assert len(allowed) == 1
    assert "no category" in how


def test_a_category_without_samples_leaves_the_nominal_color(tmp_path) -> None:
    samples = load_munsell(write(tmp_path / "m.csv", HEADER, "1,2,3,999,999,999"))
    allowed, how = accepted(parse_target(ORANGE), rule("released"), Acceptance(munsell=samples))
    assert len(allowed) == 1
    assert "0 Munsell samples" in how


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["R,G,B,Level1,Level2", "1,2,3,1,1"], "lacks the columns Level3"),
        ([HEADER, "1,2,3,1,1,1", "1,2,blue,1,1,1"], "line 3"),
        ([HEADER, "1,2,300,1,1,1"], "line 2.*between 0 and 255"),
        ([HEADER, "1,2,-1,1,1,1"], "line 2.*between 0 and 255"),
        ([HEADER, "1,2,3,1,1"], "line 2"),
        ([HEADER, "1,2,3,1,1,nan"], "line 2"),
        ([HEADER], "no samples"),
        ([""], "lacks the columns"),
    ],
    ids=["column", "word", "300", "negative", "short", "nan", "no rows", "empty"],
)
def test_a_munsell_file_that_cannot_be_used(tmp_path, lines: list[str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        load_munsell(write(tmp_path / "m.csv", *lines))


def test_a_munsell_file_that_is_not_there(tmp_path) -> None:
    with pytest.raises(BadInput, match="Cannot read"):
        load_munsell(tmp_path / "none.csv")


def test_a_munsell_file_with_a_byte_order_mark(tmp_path) -> None:
    path = tmp_path / "m.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{HEADER}\r\n1,2,3,1,1,1\r\n".encode())
    assert load_munsell(path).lab.shape == (1, 3)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["1,2,3,1,1,inf"], "line 2"),
        (["1,2,1e400,1,1,1"], "line 2"),
        (["1,2,3,1,1," + "1" * 200_000], "m.csv"),
        (["", "1,2,3,1,1,1", "", "1,2,blue,1,1,1"], "line 5"),
        (["1,2,3.7,1,1,1"], "line 2"),
    ],
    ids=["inf", "1e400", "long field", "blank lines", "fraction"],
)
def test_a_munsell_file_that_is_odder_still(tmp_path, lines: list[str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        load_munsell(write(tmp_path / "m.csv", HEADER, *lines))


# ---------------------------------------------------------------- the reconstructed samples


def test_the_reconstruction_has_neighbors_without_any_file() -> None:
    allowed, how = accepted(parse_target("l2:reddish orange"), rule("released-munsell"))
    assert allowed[0].name == "Reddish orange"
    assert (
        how
        == f"the target color and {len(allowed) - 1} Munsell samples of Reddish orange of our reconstruction"
    )
    samples = reconstructed().of("l2", find("reddish orange", "l2").id)
    np.testing.assert_array_equal([item.lab for item in allowed[1:]], samples)
    assert allowed[1].name == "Munsell 7.5R 4/8"
    # The rule released goes on to know nothing of them.
    alone, how = accepted(parse_target("l2:reddish orange"), rule("released"))
    assert len(alone) == 1
    assert "no Munsell samples imported" in how


def test_a_sample_far_from_the_asked_color_passes_by_the_reconstruction_alone(tmp_path) -> None:
    """A ball of a Munsell sample that is no match of its category's color, but is one of it."""
    target = parse_target("l2:reddish orange")
    allowed, _ = accepted(target, rule("released-munsell"))
    apart = delta_e00(np.array([item.lab for item in allowed[1:]]), np.array(target.lab))
    far = allowed[1 + int(apart.argmax())]
    assert apart.max() > 15.0
    stored = ball(far.hex)
    by = {
        measurement.verdict.rule: measurement
        for measurement in measure_by_rules(*stored, target, IDS)
    }
    assert by["released"].verdict.status == "fail"
    result = by["released-munsell"]
    assert result.verdict.status == "pass"
    assert result.candidates[result.verdict.nearest].name.startswith("Munsell ")
    assert result.verdict.parameters["munsell_sha256"] == reconstructed().sha256
    assert "munsell_sha256" not in by["released"].verdict.parameters
    # A file of the user's goes with released, and changes nothing of the reconstruction.
    samples = load_munsell(write(tmp_path / "m.csv", HEADER, "1,2,3,3,4,34"))
    again = measure(*stored, target, "released-munsell", acceptance=Acceptance(munsell=samples))
    assert again.verdict == result.verdict


def test_of_hundreds_of_samples_only_those_that_metrics_speak_of_are_written_out() -> None:
    result = measure(*ball("l1:red"), parse_target("l1:red"), "released-munsell")
    assert len(result.candidates) > 100
    numbers = result.numbers()
    assert [candidate["name"] for candidate in numbers["candidates"]] == ["Red"]
    assert numbers["accepted_count"] == len(result.candidates)


@pytest.mark.parametrize(
    ("color", "by_number", "neighbors"),
    [
        ("l3:vivid reddish orange", False, True),
        ("l3:vivid reddish orange", True, False),
        ("l2:reddish orange", True, False),
        ("l1:orange", True, False),
        ("css:orangered", True, True),
        ("#E83B1B", False, False),
        ("#E83B1B", True, False),
    ],
)
def test_a_color_asked_for_by_numbers_has_no_category(
    color: str, by_number: bool, neighbors: bool
) -> None:
    """NCU looks up an empty name; the category of CSS comes from the numbers themselves."""
    target = parse_target(color)
    allowed, how = accepted(target, rule("released-munsell"), Acceptance(by_number=by_number))
    assert (len(allowed) > 1) is neighbors
    assert neighbors or "no category" in how
    result = measure(
        *ball(), target, "released-munsell", acceptance=Acceptance(by_number=by_number)
    )
    assert ("munsell_sha256" in result.verdict.parameters) is neighbors


@every_rule
def test_every_rule_judges_a_name_of_every_system(rule_id: str) -> None:
    for key in SYSTEMS:
        target = parse_target(f"{key}:{system(key).colors[-1].name}")
        patch = np.full((12, 12, 3), target.srgb8, np.uint8)
        found = measure(patch, np.ones((12, 12), bool), target, rule_id)
        assert found.verdict.status == "pass", key
        assert found.accepted_text.startswith("the target color")
