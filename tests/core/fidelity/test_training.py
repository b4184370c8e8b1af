"""CFM in training: a small Qwen2-VL learns an order, is taken up exactly, and is written as
released."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from tests.core.fidelity.vivid_groups import vivid_groups
from tests.tiny_models import cfm
from truehue.core.checkpoints import run_folder
from truehue.core.cli.fidelity import main
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.checkpoint import current_weight_name, released_name
from truehue.core.fidelity.cfm.scorer import CfmReading, open_cfm
from truehue.core.fidelity.evaluation import adjacent_accuracy
from truehue.core.fidelity.groups import Group, write_groups
from truehue.core.fidelity.training.model import (
    TrainSettings,
    export,
    open_trainee,
    write_small_base,
)
from truehue.core.fidelity.training.training import METRICS, Training, Watch, train
from truehue.core.generation.memory import BadModelFolder
from truehue.core.images.load import load_image
from truehue.core.machine import Placement
from truehue.core.packages import absent

pytestmark = pytest.mark.slow

HERE = Placement("cpu", "float32", "none", "")
READING = CfmReading("{text_prompt}: <|Reward|>", area_px=16 * 28 * 28)
LEARNED = TrainSettings(steps=12, batch=4, at_once=4, rate=4e-3)
SHORT = replace(LEARNED, steps=3, batch=2, at_once=1)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base") / "tiny"
    write_small_base(folder)
    return folder


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> list[Group]:
    return vivid_groups(tmp_path_factory.mktemp("groups"), 20)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> list[Group]:
    return vivid_groups(tmp_path_factory.mktemp("held"), 5, seed=1)


def trained(
    base: Path,
    groups: list[Group],
    folder: Path,
    settings: TrainSettings = SHORT,
    reading: CfmReading = READING,
    until: int | None = None,
) -> Training:
    """A training that went on from what is in the folder, perhaps up to a step only."""
    training = Training(open_trainee(base, reading, settings), settings, groups)
    end = Event()
    if (folder / "checkpoint.safetensors").exists():
        training.load(folder)
    if until is not None:
        step = training.one_step

        def step_and_look() -> float:
            loss = step()
            if training.step == until:
                end.set()
            return loss

        training.one_step = step_and_look  # type: ignore[method-assign]
    done = train(training, folder, Watch(report=1, save=2), end)
    training.close()
    assert done == (until is None)
    return training


def test_the_order_is_learned_and_held_out_groups_are_told_apart(
    base: Path, groups: list[Group], held: list[Group], tmp_path: Path
) -> None:
    training = Training(open_trainee(base, READING, LEARNED), LEARNED, groups, held)
    assert train(training, tmp_path / "run", Watch(report=6, held=12), Event())
    lines = [json.loads(line) for line in (tmp_path / "run" / METRICS).read_text().splitlines()]
    assert [line["step"] for line in lines] == [0, 6, 12]
    assert lines[0]["adjacent"] < 80
    assert lines[-1]["adjacent"] > 90
    assert lines[-1]["loss"] < lines[1]["loss"]
    # What is written loads as the published CFM does, and scores as the one in training.
    export(training.trainee, tmp_path / "cfm")
    scorer = open_cfm(tmp_path / "cfm", None, HERE)
    assert scorer.reading == READING
    scores = []
    for group in held:
        images = [load_image(path).srgb8 for path in group.files]
        scores.append([s.logit for s in scorer.scores(images, [group.caption] * 7, 7)])
    assert adjacent_accuracy(scores).percent == lines[-1]["adjacent"]
    assert np.allclose(scores, training.held_scores(), atol=1e-4)
    training.close()


def test_a_training_taken_up_gives_the_weights_of_one_that_was_not_ended(
    base: Path, groups: list[Group], tmp_path: Path
) -> None:
    whole = trained(base, groups, tmp_path / "whole")
    half = trained(base, groups, tmp_path / "parts", until=1)
    assert half.step == 1
    # A report of a step that was lost with its process is told once.
    with (tmp_path / "parts" / METRICS).open("a") as log:
        log.write('{"step": 2, "steps": 3, "loss": 9.0, "rate": 0.1}\n{"step": 3, "lo')
    parts = trained(base, groups, tmp_path / "parts")
    for name, weight in whole.trainee.network.state_dict().items():
        assert (weight == parts.trainee.network.state_dict()[name]).all(), name
    texts = [(tmp_path / name / METRICS).read_text() for name in ("whole", "parts")]
    assert texts[0] == texts[1]
    with pytest.raises(BadInput, match="other settings"):
        trained(base, groups, tmp_path / "parts", replace(SHORT, seed=1))
    with pytest.raises(BadInput, match="other groups"):
        trained(base, groups[1:], tmp_path / "parts")
    torn = tmp_path / "torn" / "checkpoint.safetensors"
    torn.parent.mkdir()
    torn.write_bytes((tmp_path / "parts" / torn.name).read_bytes()[:-100])
    with pytest.raises(BadInput, match="is no whole checkpoint"):
        trained(base, groups, torn.parent)
    write_small_base(tmp_path / "other", seed=1)
    with pytest.raises(BadInput, match="other base weights"):
        trained(tmp_path / "other", groups, tmp_path / "parts")


def test_parts_of_a_batch_give_the_gradient_of_the_whole(base: Path, groups: list[Group]) -> None:
    grads = []
    for at_once in (1, 2):
        settings = replace(SHORT, at_once=at_once)
        trainee = open_trainee(base, READING, settings)
        trainee.scorer.reward_head[2].p = 0.0  # each part would draw its own dropout
        training = Training(trainee, settings, groups)
        training.one_step()
        training.close()
        weight = trainee.scorer.backbone.visual.patch_embed.proj.weight
        grads.append(weight.grad.numpy().copy())
    assert np.allclose(grads[0], grads[1], rtol=1e-3, atol=1e-6)
    assert np.abs(grads[0]).max() > 1e-4


def test_the_rate_rises_over_the_warm_up_and_falls_to_nothing() -> None:
    settings = TrainSettings(steps=100, warmup=0.05, rate=1.0 - 1e-9)
    rates = [settings.rate_at(step) for step in range(100)]
    assert rates[:6] == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1])
    assert rates[52] == pytest.approx(48 / 95)
    assert rates[99] == pytest.approx(1 / 95)
    constant = replace(settings, schedule="constant")
    assert constant.rate_at(2) == settings.rate_at(2)
    assert {constant.rate_at(step) for step in range(5, 100)} == {settings.rate}


def test_frozen_embeddings_train_the_reward_row_alone_and_resume_the_same(
    base: Path, groups: list[Group], tmp_path: Path
) -> None:
    settings = replace(SHORT, frozen_embeddings=True, schedule="constant", checkpointing=True)
    whole = trained(base, groups, tmp_path / "whole", settings)
    trained(base, groups, tmp_path / "parts", settings, until=1)
    parts = trained(base, groups, tmp_path / "parts", settings)
    names = set(whole.trainee.trained())
    assert "reward_row" in names
    assert not [name for name in names if "embed_tokens" in name]
    for name, weight in whole.trainee.network.state_dict().items():
        assert (weight == parts.trainee.network.state_dict()[name]).all(), name
    export(whole.trainee, tmp_path / "cfm")
    before = open_trainee(base, READING, settings)
    reward_id = before.scorer.reward_id
    first = before.scorer.backbone.get_input_embeddings().weight
    scorer = open_cfm(tmp_path / "cfm", None, HERE)
    last = scorer.backbone.get_input_embeddings().weight
    changed = (first != last).any(dim=1).nonzero().flatten().tolist()
    assert changed == [reward_id]
    # The export scores as the network in training does.
    photograph = load_image(groups[0].photograph).srgb8
    (score,) = scorer.scores([photograph], [groups[0].caption])
    whole.trainee.network.eval()  # without dropout
    (trained_score,) = whole.trainee.scorer.scores([photograph], [groups[0].caption])
    assert score.logit == pytest.approx(trained_score.logit, abs=1e-5)


def test_settings_that_have_come_since_are_those_of_a_checkpoint_of_before(
    base: Path, groups: list[Group], tmp_path: Path
) -> None:
    import safetensors
    from safetensors.torch import load_file, save_file

    trained(base, groups, tmp_path, until=1)
    path = tmp_path / "checkpoint.safetensors"
    with safetensors.safe_open(path, framework="pt") as file:
        stored = dict(file.metadata())
    about = json.loads(stored["about"])
    for name in ("schedule", "frozen_embeddings", "optimizer"):
        del about["settings"][name]
    save_file(load_file(path), path, {**stored, "about": json.dumps(about)})
    assert trained(base, groups, tmp_path).step == SHORT.steps


def test_an_optimizer_without_its_package_is_refused(base: Path, groups: list[Group]) -> None:
    settings = replace(SHORT, optimizer="adamw8bit")
    if absent(["bitsandbytes"]):
        with pytest.raises(BadInput, match="pip install bitsandbytes"):
            Training(open_trainee(base, READING, settings), settings, groups)
    with pytest.raises(BadInput, match="The optimizer is adamw or adamw8bit"):
        replace(SHORT, optimizer="sgd")
    with pytest.raises(BadInput, match="The schedule is linear or constant"):
        replace(SHORT, schedule="cosine")


def test_every_epoch_has_every_group_in_an_order_of_its_own(
    base: Path, groups: list[Group]
) -> None:
    settings = replace(SHORT, batch=5)
    training = Training(open_trainee(base, READING, settings), settings, groups)
    training.close()
    epochs = []
    for epoch in range(2):
        batches = (training.batch_of(4 * epoch + step) for step in range(4))
        epochs.append([group.caption for batch in batches for group in batch])
    assert set(epochs[0]) == set(epochs[1]) == {group.caption for group in groups}
    assert epochs[0] != epochs[1]


def test_the_variants_of_the_ablation_learn_by_their_own_loss_and_text(
    base: Path, groups: list[Group], tmp_path: Path
) -> None:
    from truehue.core.fidelity.training.model import pairwise_loss

    settings = replace(SHORT, loss="pairwise", steps=1, at_once=2)
    reading = replace(READING, visual_only=True)
    trainee = open_trainee(base, reading, settings)
    inputs = trainee.scorer.inputs([np.zeros((50, 50, 3), np.uint8)] * 2, ["a cat", "a dog"])
    # Start, 16 tokens of the image, end, reward token: the prompts are not in there.
    assert inputs["input_ids"].shape == (2, 19)
    assert (inputs["input_ids"][0] == inputs["input_ids"][1]).all()
    trainee.scorer.reward_head[2].p = 0.0
    training = Training(trainee, settings, groups)
    import torch

    with torch.no_grad():
        batch = training.batch_of(0)
        logits = torch.stack([training.logits([group])[0] for group in batch])
    assert training.one_step() == pytest.approx(float(pairwise_loss(logits)), rel=1e-4)
    training.close()
    export(trainee, tmp_path / "cfm")
    assert open_cfm(tmp_path / "cfm", None, HERE).reading.visual_only


def test_lora_changes_few_weights_and_is_written_into_them(
    base: Path, groups: list[Group], tmp_path: Path
) -> None:
    pytest.importorskip("peft")
    settings = replace(SHORT, lora_rank=2, steps=2)
    training = trained(base, groups, tmp_path / "run", settings)
    assert all(".lora_" in n or n.startswith("rm_head.") for n in training.trainee.trained())
    export(training.trainee, tmp_path / "cfm")
    scorer = open_cfm(tmp_path / "cfm", None, HERE)
    stored = load_image(groups[0].photograph).srgb8
    training.trainee.network.eval()
    ours = training.trainee.scorer.scores([stored], ["a"])[0].logit
    assert scorer.scores([stored], ["a"])[0].logit == pytest.approx(ours, abs=1e-4)
    before = open_trainee(base, READING, SHORT).scorer.backbone.state_dict()
    after = scorer.backbone.state_dict()
    attention = "language_model.layers.0.self_attn.q_proj.weight"
    assert (before[attention] != after[attention]).any()
    assert (before["language_model.norm.weight"] == after["language_model.norm.weight"]).all()


def test_lora_without_its_package_is_refused(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(BadInput, match="pip install peft"):
        open_trainee(base, READING, replace(SHORT, lora_rank=2))


@pytest.mark.weights
def test_a_base_of_either_naming_is_taken_with_its_word_head_and_a_cfm_goes_on(
    tmp_path: Path,
) -> None:
    from safetensors.torch import load_file

    published = cfm.save(tmp_path / "published")
    trainee = open_trainee(published, READING, SHORT)
    stored = load_file(published / "model-00001-of-00002.safetensors")
    stored |= load_file(published / "model-00002-of-00002.safetensors")
    head = trainee.scorer.reward_head.state_dict()
    assert (stored["rm_head.0.weight"] == head["0.weight"]).all()
    for shard in (1, 2):
        cfm.rewritten(published, shard, without_head)
    trainee = open_trainee(published, READING, SHORT)
    rows = trainee.scorer.backbone.state_dict()["language_model.embed_tokens.weight"]
    assert (rows[-1] == rows[:-1].mean(dim=0)).all()
    export(trainee, tmp_path / "cfm")
    written = load_file(tmp_path / "cfm" / "model.safetensors")
    assert written["lm_head.weight"].shape == rows.shape
    assert {name.split(".")[0] for name in written} == {"lm_head", "model", "rm_head", "visual"}
    assert "model.layers.0.mlp.up_proj.weight" in written
    cfm.rewritten(published, 1, dropped)
    with pytest.raises(BadModelFolder, match="lacks 1 of CFM's weights"):
        open_trainee(published, READING, SHORT)


def without_head(weights: dict) -> None:
    for name in [name for name in weights if name.startswith("rm_head.")]:
        del weights[name]
    for name in ("model.embed_tokens.weight", "lm_head.weight"):
        if name in weights:
            weights[name] = weights[name][:-1].clone()


def dropped(weights: dict) -> None:
    del weights[next(name for name in sorted(weights) if name.startswith("model.layers."))]


def test_names_go_to_the_released_ones_and_back() -> None:
    for name in ("language_model.layers.0.mlp.up_proj.weight", "visual.merger.ln_q.bias"):
        assert current_weight_name(released_name(name)) == name
    assert released_name("rm_head.3.bias") == "rm_head.3.bias"


def test_the_command_trains_and_refuses_what_cannot_be(
    base: Path, groups: list[Group], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = groups[0].photograph.parent
    write_groups(folder / "few.json", groups[:4])
    line = ["train", "--groups", str(folder / "few.json"), "--base", str(base), "--area", "12544"]
    line += ["--run", str(tmp_path / "run"), "--out", str(tmp_path / "cfm"), "--batch", "1"]
    line += ["--steps", "1", "--held-share", "0.4"]
    assert main(line) == 0
    out = capsys.readouterr().out
    assert "step 1 of 1  loss" in out
    assert "held out, right order: adjacent" in out
    assert open_cfm(tmp_path / "cfm", None, HERE).reading.area_px == 12544
    with run_folder(tmp_path / "run"):
        assert main(line) == 2
    assert "Another process trains in" in capsys.readouterr().err
    for more, text in (
        (["--held", str(folder / "few.json")], "are held out too"),
        (["--rate", "2"], "between 0 and 1"),
        (["--area", "10"], "784 to"),
        (["--out", str(folder)], "something else than a CFM"),
        (["--base", str(folder)], "no safetensors"),
        (["--threads", "0"], "at least 1"),
        (["--out", str(folder / "few.json")], "something else than a CFM"),
    ):
        values = [
            part for part in line if "--held" not in more or part not in ("--held-share", "0.4")
        ]
        assert main([*values, *more]) == 2, more
        assert text in capsys.readouterr().err
