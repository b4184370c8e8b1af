"""The model in training: opened from a base, with LoRA where asked for, and written as released."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.core.checkpoints import whole_weights
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.checkpoint import (
    EMBEDDING,
    HEAD,
    fill,
    head,
    released_name,
    resized_rows,
    todays_name,
    vocabulary_size,
    weight_files,
)
from truehue.core.fidelity.cfm.reading import READING, CfmReading, write_reading
from truehue.core.fidelity.cfm.scorer import CfmScorer, config_and_tokenizer, empty
from truehue.core.fidelity.training.settings import TrainSettings
from truehue.core.machine import Placement

SHARD_BYTES = 5 * 10**9
_WORDS = "lm_head.weight"
# Of every layer of both towers, and the patch embedding. The merger between the towers stays
# frozen; the head is trained whole.
_LORA_PLACES = r".*\.(q_proj|k_proj|v_proj|o_proj|gate_proj|up_proj|down_proj|qkv|proj|fc1|fc2)"


@dataclass
class Trainee:
    """``scorer`` makes inputs and reads scores; ``network`` is the torch module of backbone and
    head, whose forward takes a batch of inputs and gives logits ``(B,)``."""

    scorer: CfmScorer
    network: Any
    base: Path

    def trained(self) -> dict[str, Any]:
        """The parameters that training changes, by name."""
        return {name: p for name, p in self.network.named_parameters() if p.requires_grad}


def open_trainee(
    base: Path, reading: CfmReading, settings: TrainSettings, device: str = "cpu"
) -> Trainee:
    """A CFM at its first step.

    ``base``: a folder with a Qwen2-VL (configuration, tokenizer, weights), whose head is then new,
    or one with a CFM, which is trained further. Raises BadModelFolder and ModelMissing for another
    folder, BadInput for LoRA where ``peft`` is not installed.
    """
    import torch

    # A base that stays as it is can be held in half the memory.
    halved = settings.lora_rank and settings.precision == "bfloat16"
    files = weight_files(base)
    config, tokenizer = config_and_tokenizer(base)
    started = _has_head(files)
    config.text_config.vocab_size = vocabulary_size(files) if started else len(tokenizer)
    placement = Placement(device, "bfloat16" if halved else "float32", "none", "")
    backbone, reward_head = empty(config, placement)
    if not started:
        torch.manual_seed(settings.seed)
        reward_head = head(config.text_config.hidden_size).to(device)
    fill(backbone, reward_head, files, from_base=not started)
    if settings.checkpointing:
        backbone.gradient_checkpointing_enable({"use_reentrant": False})
    if settings.lora_rank:
        backbone = _with_lora(backbone, settings)
    scorer = CfmScorer(backbone, reward_head, tokenizer, reading, device)
    return Trainee(scorer, _network(scorer), base)


def _has_head(files: list[Path]) -> bool:
    from safetensors import safe_open

    for path in files:
        with safe_open(path, framework="pt") as shard:
            if any(name.startswith(HEAD) for name in shard.keys()):  # noqa: SIM118
                return True
    return False


def _with_lora(backbone: Any, settings: TrainSettings) -> Any:
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError:
        raise BadInput(
            "LoRA needs the package peft, which is not installed: pip install peft, or train all "
            "weights."
        ) from None
    import torch

    torch.manual_seed(settings.seed)
    config = LoraConfig(
        r=settings.lora_rank,
        lora_alpha=2 * settings.lora_rank,
        target_modules=_LORA_PLACES,
        bias="none",
    )
    if settings.checkpointing:
        backbone.enable_input_require_grads()
    return get_peft_model(backbone, config)


def _network(scorer: CfmScorer) -> Any:
    import torch

    class Network(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.backbone = scorer.backbone
            self.rm_head = scorer.reward_head

        def forward(self, batch: dict[str, Any]) -> Any:
            return scorer.forward(batch)[0]

    return Network()


def export(trainee: Trainee, folder: Path) -> None:
    """Writes the released layout: shards under transformers 4.45's names with the head and the
    base's word head, and beside them configuration, tokenizer and how the CFM reads.

    Whole or not at all; an export that is there is replaced. LoRA is added to a copy of its layers,
    so that training can go on. Raises BadInput for a folder that holds something else.
    """
    from huggingface_hub import split_torch_state_dict_into_shards
    from safetensors.torch import save_file

    check_place(folder)
    config, tokenizer = config_and_tokenizer(trainee.base)
    weights = {released_name(name): tensor for name, tensor in _weights(trainee).items()}
    rows = len(weights[released_name(EMBEDDING)])
    config.text_config.vocab_size = rows
    text = _word_head(trainee.base)
    if text is not None:
        weights[_WORDS] = resized_rows(text, rows).contiguous()
    shards = split_torch_state_dict_into_shards(
        weights, filename_pattern="model{suffix}.safetensors", max_shard_size=SHARD_BYTES
    )
    with whole_weights(folder) as parts:
        for name, tensors in shards.filename_to_tensors.items():
            save_file({key: weights[key] for key in tensors}, parts / name, {"format": "pt"})
        config.save_pretrained(parts)
        tokenizer.save_pretrained(parts)
        write_reading(parts, trainee.scorer.reading)


def check_place(folder: Path) -> None:
    """Raises BadInput for a folder that holds something else than a CFM of ours."""
    if not folder.exists():
        return
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / READING).is_file()):
        raise BadInput(f"{folder} holds something else than a CFM of ours: choose another folder.")


def _weights(trainee: Trainee) -> dict[str, Any]:
    """All weights by today's names, each a tensor of its own, LoRA added."""
    backbone = trainee.scorer.backbone
    merged: dict[str, Any] = {}
    if hasattr(backbone, "peft_config"):
        backbone = backbone.base_model.model
        for name, layer in backbone.named_modules():
            if hasattr(layer, "get_delta_weight"):
                location = f"{name}.weight"
                weight = layer.base_layer.weight.detach()
                delta = layer.get_delta_weight("default").detach()
                merged[location] = (weight.float() + delta.float()).to(weight.dtype)
    plain = {
        name.replace(".base_layer.", "."): tensor.detach()
        for name, tensor in backbone.state_dict().items()
        if ".lora_" not in name
    }
    reward_head = trainee.scorer.reward_head.state_dict()
    plain |= merged | {f"{HEAD}{name}": tensor.detach() for name, tensor in reward_head.items()}
    return {name: tensor.to("cpu", copy=True).contiguous() for name, tensor in plain.items()}


def _word_head(base: Path) -> Any:
    """The base's weights that choose the next word, which CFM does not use and the published code
    wants; None where they are the embedding's."""
    from safetensors import safe_open

    for path in weight_files(base):
        with safe_open(path, framework="pt") as shard:
            for name in shard.keys():  # noqa: SIM118
                if todays_name(name) == _WORDS:
                    return shard.get_tensor(name)
    return None
