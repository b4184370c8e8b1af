"""Plans: what is refused, what names a run, and which request draws which picture."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.core.runs.samples import planned
from truehue.core.batch.health import state_of
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput
from truehue.core.generation.request import MAX_SEED
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.folder import RunFolder, run_folders
from truehue.core.runs.plan import (
    batch_at,
    made_with,
    make_plan,
    order_of,
    plan_json,
    prompt_and_image_at,
    request_of,
    run_id,
)
from truehue.core.runs.records import MaskerSpec, ScoringPlan, StoredItem, StoredMask

APPLE = ObjectTarget("apple", parse_target("css:crimson"), ("stem",))
PROMPTS = tuple(Prompt(f"p{index}", f"apple {index}", "cna", (APPLE,), "css") for index in range(3))
ITEMS = (
    StoredItem(0, 0, "a" * 64, "/a.png", {0: StoredMask("b" * 64, "/b.png", "file", {"x": 1})}),
    StoredItem(2, 1, "c" * 64, "/c.png", {}, "reference-renderer"),
)


def plan(**changed: Any) -> Any:
    return planned(PROMPTS, **changed)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"images": 0}, "Images per prompt: 1 to 1,000"),
        ({"seed": -1}, "seeds must lie"),
        ({"size_px": 10}, "size is"),
        ({"k": 21}, "between 0 and 20"),
        ({"rules": ()}, "at least one rule"),
        ({"rules": ("papper",)}, "No rule is called"),
        ({"options": {"light": "moon"}}, "no light 'moon'"),
        ({"options": {"failure": "all"}}, "no failure 'all'"),
        ({"options": {"lamp": 1}}, "no option 'lamp'"),
        ({"masker": MaskerSpec("magic")}, "no masker 'magic'"),
        ({"masker": MaskerSpec("grounded", "grounding-dino-tiny")}, "a detector and a segmenter"),
        ({"items": ()}, "no image to score"),
        ({"munsell": "/no/such.csv"}, "no file of Munsell"),
        ({"steps": 0}, "Steps must be"),
        ({"seed_mode": "random"}, "shared or per-prompt"),
        ({"keep_images": "few"}, "all, sample, none"),
        ({"options": {"batch": 0}}, "A batch has 1 to 64"),
        ({"options": {"batch": 2}}, "Only pipelines of diffusers"),
        ({"guidance": float("nan")}, "Guidance is a number"),
    ],
)
def test_what_cannot_be_run_is_said(changed: dict[str, Any], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        plan(**changed)


@pytest.mark.parametrize(
    ("model", "changed", "text"),
    [
        ("hunyuan-image-2.1", {"guidance": 3.0}, "HunyuanImage 2.1 has no guidance to set"),
        ("hunyuan-image-2.1", {"guidances": (3.0, 5.0)}, "has no guidance to set"),
        ("folder:hunyuan", {"guidance": 3.0}, "hunyuan has no guidance to set"),
        ("flux.1-dev", {"negative_text": "gray"}, "takes no negative prompt"),
        ("sd3-medium", {"size_px": 520}, "multiples of 16 pixels; 520 is none"),
        ("janus-pro-1b", {"negative_text": "gray"}, "takes no negative prompt"),
        ("janus-pro-1b", {"size_px": 1024}, "384 × 384 pixels only"),
    ],
)
def test_a_setting_that_the_pipeline_does_not_take_is_refused_with_the_plan(
    model: str,
    changed: dict[str, Any],
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hunyuan").mkdir()
    index = '{"_class_name": "HunyuanImagePipeline"}'
    (tmp_path / "hunyuan" / "model_index.json").write_text(index)
    with pytest.raises(BadInput, match=text):
        planned(PROMPTS, model, masker=MaskerSpec("whole"), **changed)
    assert planned(PROMPTS, model, masker=MaskerSpec("whole"), steps=9).steps == 9


def test_a_model_that_is_not_known_and_no_prompts_are_refused() -> None:
    with pytest.raises(BadInput):
        make_plan(PROMPTS, "sdxl-base-9")
    with pytest.raises(BadInput, match="no prompt to run"):
        make_plan((), "reference-renderer")


def test_two_pictures_of_one_place_are_refused() -> None:
    with pytest.raises(BadInput, match="same prompt and number"):
        plan(items=(ITEMS[0], replace(ITEMS[0], image_id="d" * 64)))
    with pytest.raises(BadInput, match="no prompt of the plan"):
        plan(items=(replace(ITEMS[0], prompt=3),))


def test_the_latest_digest_is_that_of_the_very_prompts() -> None:
    prompts = [(Prompt("1", text, "cna"),) for text in ("a mug", "a cup")]
    ids = [run_id(planned(some)) for some in (*prompts, prompts[0])]
    assert ids[0] == ids[2] != ids[1]


def test_a_run_of_stored_images_keeps_its_id_under_its_new_name(tmp_path: Path) -> None:
    """The id is the one that the former name gave (a39f54f)."""
    former, name = ("pictures of mine · A set", "images of mine · A set")
    runs = [make_plan(PROMPTS, "mine", items=ITEMS, name=text) for text in (former, name)]
    assert {run_id(run) for run in runs} == {"3c71b3d6d49a1944"}
    assert plan_json(runs[1])["name"] == name
    long = "A set " * 30
    names = (f"pictures of mine · {long}", f"images of mine · {long}")
    assert len({run_id(make_plan(PROMPTS, "mine", items=ITEMS, name=text)) for text in names}) == 1
    folder = RunFolder.create(tmp_path, runs[0])
    assert folder.summary()["name"] == folder.plan().name == name
    assert run_id(folder.plan()) == folder.run_id
    # A name of one's own, and that of a run that generates, stay.
    own = make_plan(PROMPTS, "mine", items=ITEMS, name="pictures of a trip")
    assert RunFolder.create(tmp_path, own).summary()["name"] == "pictures of a trip"
    generates = plan(name="pictures of Reference renderer (no weights)")
    assert RunFolder.create(tmp_path, generates).summary()["name"].startswith("pictures of")


def test_equal_plans_are_one_run_and_any_change_another(tmp_path: Path) -> None:
    first = run_id(plan())
    assert first == run_id(plan())
    assert len(first) == 16
    others = [
        plan(name="again"),
        plan(images=2),
        plan(seed=1),
        plan(size_px=128),
        plan(k=1),
        plan(rules=("paper",)),
        plan(options={"light": "hard"}),
        plan(seed_mode="per-prompt"),
        plan(keep_images="none"),
        plan(masker=MaskerSpec("whole")),
        make_plan(PROMPTS[:2], "reference-renderer"),
        make_plan(PROMPTS, "sdxl-base-1.0"),
        make_plan(PROMPTS, "x", items=ITEMS),
        make_plan(PROMPTS, "x", items=ITEMS[:1]),
    ]
    names = {run_id(other) for other in others}
    assert len(names) == len(others)
    assert first not in names
    by_run = replace(ITEMS[0], masks={0: StoredMask("", "/x/b.png", "whole", {"x": 1})})
    otherwise = (
        {"file": "/x/d.png"},
        {"maker": "renderer"},
        {"parameters": {"presence": [{}]}},
    )
    masked = [replace(by_run, masks={0: replace(by_run.masks[0], **item)}) for item in otherwise]
    scored = [*masked, by_run, replace(by_run, drawn_by="reference-renderer")]
    ids = {run_id(make_plan(PROMPTS, "x", items=(item,))) for item in scored}
    assert len(ids) == len(scored)
    moved = tuple(replace(item, file="/elsewhere" + item.file) for item in ITEMS)
    assert run_id(make_plan(PROMPTS, "x", items=moved)) == run_id(others[-2])
    samples = tmp_path / "munsell.csv"
    samples.write_text("a")
    with_samples = run_id(plan(munsell=str(samples)))
    samples.write_text("b")
    assert run_id(plan(munsell=str(samples))) != with_samples


@pytest.mark.parametrize("kind", ["drawn", "stored"])
def test_a_folder_gives_back_its_plan(tmp_path: Path, kind: str) -> None:
    more = {"seed_mode": "per-prompt", "keep_images": "sample"}
    made = plan(images=2, seed=5, options={"light": "hard"}, guidance=3.5, **more)
    if kind == "stored":
        made = make_plan(
            PROMPTS, "someone's", items=ITEMS, judging=ScoringPlan(MaskerSpec("whole"))
        )
    folder = RunFolder.create(tmp_path, made)
    assert folder.path == tmp_path / run_id(made)
    assert RunFolder(folder.path).plan() == made
    assert folder.summary()["total"] == made.total
    assert {key: folder.summary()[key] for key in plan_json(made)} == plan_json(made)
    assert state_of(folder).status == "planned"
    before = (folder.path / "plan.json").read_bytes()
    assert RunFolder.create(tmp_path, made).path == folder.path
    assert (folder.path / "plan.json").read_bytes() == before
    assert [run_folder.run_id for run_folder in run_folders(tmp_path)] == [folder.run_id]


def test_a_run_notes_the_version_of_its_mask_variant() -> None:
    def noted(variant: str) -> dict[str, str]:
        masker = MaskerSpec("grounded", "grounding-dino-tiny", "sam-vit-b", variant=variant)
        return made_with(plan(masker=masker))

    assert noted("released") == {**noted("paper"), "mask variant released": "2"}
    assert noted("paper") == made_with(plan())  # as runs of before noted it


def test_a_folder_that_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Cannot read"):
        RunFolder(tmp_path).summary()
    folder = RunFolder.create(tmp_path, plan())
    (folder.path / "prompts.jsonl.gz").write_bytes(b"not gzip")
    with pytest.raises(BadInput, match=r"prompts\.jsonl\.gz cannot be read"):
        RunFolder(folder.path).plan()
    (folder.path / "plan.json").write_text('{"format": 99}')
    with pytest.raises(BadInput, match="format 99"):
        RunFolder(folder.path).summary()
    with pytest.raises(BadInput, match="A wish is"):
        folder.set_desired_state("stop")


def test_positions_name_prompt_and_seed() -> None:
    made = plan(images=2, seed=40, options={"light": "hard"}, size_px=128)
    assert [prompt_and_image_at(made, index) for index in range(6)] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 1),
    ]
    generation_request = request_of(made, 3)
    assert (generation_request.text, generation_request.prompt_id, generation_request.seed) == (
        "apple 1",
        "p1",
        41,
    )
    assert (generation_request.targets, generation_request.options, generation_request.width) == (
        (APPLE,),
        {"light": "hard"},
        128,
    )


def test_seeds_per_prompt_follow_from_seed_and_prompt_alone() -> None:
    def seeds(of: Any) -> list[int]:
        return [request_of(of, position).seed for position in range(of.total)]

    scales = {"guidances": (3.0, 5.0), "seed_mode": "per-prompt"}
    made = planned(PROMPTS, "sdxl-base-1.0", images=2, seed=42, **scales)
    per_prompt = [seeds(made)[4 * number : 4 * number + 4] for number in range(3)]
    assert len({tuple(row) for row in per_prompt}) == 3
    for first, second, *again in per_prompt:  # one after the other, the same for each scale
        assert (second, again) == (first + 1, [first, second])
        assert 0 <= first <= MAX_SEED
    # As worked out by hand: the first 8 bytes of SHA-256("42:p0"), modulo 2^31.
    assert per_prompt[0][0] == int(sha256(b"42:p0").hexdigest()[:16], 16) % 2**31
    fewer = planned(PROMPTS[2:], "sdxl-base-1.0", images=1, seed=42, seed_mode="per-prompt")
    assert seeds(fewer) == per_prompt[2][:1]
    other = planned(PROMPTS[2:], "sdxl-base-1.0", images=1, seed=43, seed_mode="per-prompt")
    assert seeds(other) != seeds(fewer)


def test_a_plan_of_the_defaults_is_written_as_before_there_were_these_settings() -> None:
    assert not {"seed_mode", "keep_images"} & plan_json(plan()).keys()
    named = plan_json(plan(seed_mode="per-prompt", keep_images="sample"))
    assert (named["seed_mode"], named["keep_images"]) == ("per-prompt", "sample")


def test_the_renderer_draws_scene_by_scene_and_others_go_by_the_plan() -> None:
    pear = replace(PROMPTS[0], id="pear", targets=(replace(APPLE, name="pear"),))
    mixed = (PROMPTS[0], pear, PROMPTS[1])
    rendered = planned(mixed, images=2)
    assert order_of(rendered).tolist() == [0, 4, 1, 5, 2, 3]
    assert order_of(planned(mixed, "sdxl-base-1.0", images=2)).tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("masker", "kept"),
    [
        ("exact", {"file", "proposal", "corrected", "whole"}),
        ("salient", {"file", "corrected", "whole"}),
        ("whole", {"file"}),
    ],
)
def test_what_the_masker_makes_itself_is_no_part_of_the_plan(masker: str, kept: set[str]) -> None:
    made = {
        "file": StoredMask("", "/1.png", "file"),
        "proposal": StoredMask("", "/2.png", "salient", {"marks": [{"type": "salient"}]}),
        "corrected": StoredMask(
            "", "/3.png", "salient", {"marks": [{"type": "salient"}, {"type": "keep"}]}
        ),
        "whole": StoredMask("", "/4.png", "whole", {"marks": [{"type": "whole"}]}),
    }
    judging = ScoringPlan(MaskerSpec(masker))
    for name, mask in made.items():
        item = replace(ITEMS[0], masks={0: mask})
        (planned_item,) = make_plan(PROMPTS, "x", items=(item,), judging=judging).items
        assert bool(planned_item.masks) == (name in kept), name


def test_a_batch_is_of_the_seeds_of_one_prompt_and_scale() -> None:
    made = planned(
        PROMPTS,
        "sdxl-base-1.0",
        images=5,
        guidances=(3.0, 5.0),
        options={"batch": 3},
        masker=MaskerSpec("whole"),
    )
    assert made.total == 30
    assert [list(batch_at(made, position)) for position in (0, 2, 3, 4, 5, 29)] == [
        [0, 1, 2],
        [0, 1, 2],
        [3, 4],
        [3, 4],
        [5, 6, 7],
        [28, 29],
    ]
    one = planned(PROMPTS, "sdxl-base-1.0", images=5, masker=MaskerSpec("whole"))
    assert list(batch_at(one, 7)) == [7]
    assert "batch" not in plan_json(one)["options"]
    assert run_id(one) != run_id(replace(one, options={"batch": 3}))
