"""The trained parts of CFM, their settings and losses, and a small base model for trials.

A metric is trained by the order within groups of images: the real photograph first, then its images
by rising guidance, so that fidelity falls with the position (section 3.2). Scores are tensors
``(groups, images)``; each loss returns the mean over the groups as a tensor of one number, with
gradient.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from truehue.core.checkpoints import whole_weights
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.checkpoint import (
    EMBEDDING,
    HEAD,
    current_weight_name,
    fill,
    head,
    released_name,
    resized_rows,
    vocabulary_size,
    weight_files,
)
from truehue.core.fidelity.cfm.rotary import round_rotary
from truehue.core.fidelity.cfm.scorer import (
    READING,
    REWARD_TOKEN,
    CfmReading,
    CfmScorer,
    config_and_tokenizer,
    empty,
    write_reading,
)
from truehue.core.machine import Placement

TAU = 0.1
"""Temperature of the soft ranks (the paper's appendix D)."""


def soft_ranks(scores: Any, tau: float = TAU, own_term: bool = True) -> Any:
    """Differentiable ranks, 1 for the highest score: equations 5 and 6.

    ``scores`` ``(groups, images)``; returns the same shape. As printed, the sum of equation 6 runs
    over all j, so that j = i adds σ(0) = 0.5 to every rank and a perfect order has the ranks 1.5,
    2.5, ...; ``own_term=False`` leaves that out. Raises BadInput for another shape or ``tau`` not
    above 0.
    """
    import torch

    if scores.ndim != 2 or scores.shape[1] < 2:
        raise BadInput(f"Scores are (groups, images of a group), not {tuple(scores.shape)}.")
    if not tau > 0:
        raise BadInput(f"The temperature τ lies above 0, not at {tau:g}.")
    above = torch.sigmoid((scores[:, None, :] - scores[:, :, None]) / tau)
    ranks = 1 + above.sum(dim=2)
    return ranks if own_term else ranks - 0.5


def softrank_loss(scores: Any, tau: float = TAU, own_term: bool = True) -> Any:
    """Equation 7: mean squared difference of the soft ranks from 1, 2, ..., K."""
    import torch

    ranks = soft_ranks(scores, tau, own_term)
    positions = torch.arange(1, scores.shape[1] + 1, device=scores.device, dtype=ranks.dtype)
    return ((ranks - positions) ** 2).mean()


def pairwise_loss(scores: Any) -> Any:
    """The ablation's loss: log(1 + exp(-(r_i - r_j))), the mean over all pairs i before j of each
    group (section 6.5)."""
    import torch

    if scores.ndim != 2 or scores.shape[1] < 2:
        raise BadInput(f"Scores are (groups, images of a group), not {tuple(scores.shape)}.")
    first, second = torch.triu_indices(scores.shape[1], scores.shape[1], offset=1)
    return torch.nn.functional.softplus(-(scores[:, first] - scores[:, second])).mean()


LOSSES = ("softrank", "pairwise")
PRECISIONS = ("float32", "bfloat16")
SCHEDULES = ("linear", "constant")
OPTIMIZERS = ("adamw", "adamw8bit")


@dataclass(frozen=True)
class TrainSettings:
    """``steps`` of ``batch`` groups each; ``at_once`` of them in one forward pass, the gradients
    added up. ``rate`` rises over the first ``warmup`` share of the steps and falls to 0 at the
    last; the paper states 2e-6, 0.05, a batch of 32 (groups or images, it does not say) and one
    epoch, and no schedule after the warm-up: the line to 0 is ours. ``tau`` and ``own_term`` are
    of the softrank loss. ``lora_rank`` 0 trains all weights; above, low-rank additions to the
    linear layers, and the head as a whole. ``precision`` is that of the arithmetic.
    ``checkpointing`` computes activations twice to save memory.

    The released configuration has the ``schedule`` ``constant`` after the warm-up, and
    ``frozen_embeddings``: of the word embeddings only the reward token's row is trained. The
    ``optimizer`` ``adamw8bit`` of bitsandbytes keeps its moments in one byte a number.
    """

    steps: int
    loss: str = "softrank"
    tau: float = TAU
    own_term: bool = True
    batch: int = 32
    at_once: int = 4
    rate: float = 2e-6
    warmup: float = 0.05
    weight_decay: float = 0.0
    lora_rank: int = 0
    precision: str = "float32"
    checkpointing: bool = False
    seed: int = 0
    schedule: str = "linear"
    frozen_embeddings: bool = False
    optimizer: str = "adamw"

    def __post_init__(self) -> None:
        for right, text in (
            (self.loss in LOSSES, f"The loss is {' or '.join(LOSSES)}, not {self.loss!r:.40}."),
            (
                self.precision in PRECISIONS,
                f"The precision is {' or '.join(PRECISIONS)}, not {self.precision!r:.40}.",
            ),
            (
                self.schedule in SCHEDULES,
                f"The schedule is {' or '.join(SCHEDULES)}, not {self.schedule!r:.40}.",
            ),
            (
                self.optimizer in OPTIMIZERS,
                f"The optimizer is {' or '.join(OPTIMIZERS)}, not {self.optimizer!r:.40}.",
            ),
            (self.tau > 0, "The temperature τ lies above 0."),
            (
                min(self.steps, self.batch, self.at_once) >= 1,
                "Steps, batch and groups at once are at least 1.",
            ),
            (0 < self.rate < 1, "The learning rate lies between 0 and 1."),
            (0 <= self.warmup < 1, "The warm-up is a share of the steps, from 0 to below 1."),
            (self.weight_decay >= 0, "The weight decay is 0 or more."),
            (self.lora_rank >= 0, "The rank of LoRA is 0 (all weights) or more."),
        ):
            if not right:
                raise BadInput(text)

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, from 0 on."""
        rising = self.warmup * self.steps
        if step < rising:
            return self.rate * (step + 1) / (rising + 1)
        if self.schedule == "constant":
            return self.rate
        return self.rate * (self.steps - step) / (self.steps - rising)

    def as_json(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        return asdict(self)


def settings_from_json(fields: Mapping[str, Any]) -> TrainSettings:
    """Raises BadInput for fields that are unknown or of a wrong kind."""
    try:
        return TrainSettings(**fields)
    except TypeError as error:
        raise BadInput(f"These settings cannot be read: {error}") from None


SHARD_BYTES = 5 * 10**9
_WORDS = "lm_head.weight"
# Of every layer of both towers, and the patch embedding. The merger between the towers stays
# frozen; the head is trained whole.
_LORA_PLACES = r".*\.(q_proj|k_proj|v_proj|o_proj|gate_proj|up_proj|down_proj|qkv|proj|fc1|fc2)"


@dataclass
class TrainableScorer:
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
) -> TrainableScorer:
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
    if reading.rounded_rotary:
        round_rotary(backbone)
    if settings.checkpointing:
        backbone.gradient_checkpointing_enable({"use_reentrant": False})
    if settings.lora_rank:
        backbone = _with_lora(backbone, settings)
    scorer = CfmScorer(backbone, reward_head, tokenizer, reading, device)
    network = _network(scorer)
    if settings.frozen_embeddings:
        _freeze_embeddings(network, int(tokenizer.convert_tokens_to_ids(REWARD_TOKEN)))
    return TrainableScorer(scorer, network, base)


REWARD_ROW = "reward_row"
"""The parameter of a network whose other word embeddings are frozen."""


def _freeze_embeddings(network: Any, reward_id: int) -> None:
    """Trains the reward token's row alone, as a parameter of its own that takes the row's place:
    the rest of the embedding needs neither gradients nor moments."""
    import torch

    embedding = network.backbone.get_input_embeddings()
    embedding.weight.requires_grad_(False)
    row = torch.nn.Parameter(embedding.weight[reward_id].detach().float().clone())
    network.register_parameter(REWARD_ROW, row)

    def replaced(module: Any, arguments: tuple[Any, ...], output: Any) -> Any:
        at_token = (arguments[0] == reward_id)[..., None]
        # Asked of the network each time: FSDP puts another parameter in its place.
        return torch.where(at_token, getattr(network, REWARD_ROW).to(output.dtype), output)

    embedding.register_forward_hook(replaced)


def spread(trainee: TrainableScorer, device: Any, processes: int) -> None:
    """Spreads the weights over the processes (FSDP2), layer by layer: each holds its part of them,
    of their gradients and of their moments, and the others' of one layer at a time. The network's
    passes are then made by all processes together. The weights may come from main memory."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh(device.type, (processes,))
    layers = set(trainee.scorer.backbone._no_split_modules)
    for module in trainee.network.modules():
        if type(module).__name__ in layers:
            fully_shard(module, mesh=mesh)
    fully_shard(trainee.network, mesh=mesh)


def whole(tensor: Any) -> Any:
    """A tensor that may be spread over processes as one; all processes ask for it together."""
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def spread_like(value: Any, tensor: Any) -> Any:
    """A whole tensor as ``tensor`` is: on its device, and spread where that is."""
    value = value.to(tensor.device)
    if not hasattr(tensor, "full_tensor"):
        return value
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(value, tensor.device_mesh, tensor.placements)


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


def export(trainee: TrainableScorer, folder: Path, writes: bool = True) -> None:
    """Writes the released layout: shards under transformers 4.45's names with the head and the
    base's word head, and beside them configuration, tokenizer and how the CFM reads.

    Whole or not at all; an export that is there is replaced. LoRA is added to a copy of its layers,
    so that training can go on. Where weights are spread over processes all of them call it, and one
    ``writes``. Raises BadInput for a folder that holds something else.
    """
    from huggingface_hub import split_torch_state_dict_into_shards
    from safetensors.torch import save_file

    # In all processes: what one of them alone raises would leave the others waiting.
    check_folder(folder)
    config, tokenizer = config_and_tokenizer(trainee.base)
    if not writes:
        _weights(trainee, writes=False)
        return
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


def check_folder(folder: Path) -> None:
    """Raises BadInput for a folder that holds something else than a CFM of ours."""
    if not folder.exists():
        return
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / READING).is_file()):
        raise BadInput(f"{folder} holds something else than a CFM of ours: choose another folder.")


def _weights(trainee: TrainableScorer, writes: bool = True) -> dict[str, Any]:
    """All weights by today's names, each a tensor of its own in main memory, LoRA added; none in a
    process that does not write, of which another one needs the parts."""
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
    row = getattr(trainee.network, REWARD_ROW, None)
    if row is not None:
        weight = whole(plain[EMBEDDING]).clone()
        weight[trainee.scorer.reward_id] = whole(row.detach()).to(weight.dtype)
        plain[EMBEDDING] = weight
    reward_head = trainee.scorer.reward_head.state_dict()
    plain |= merged | {f"{HEAD}{name}": tensor.detach() for name, tensor in reward_head.items()}
    out = {}
    for name, tensor in plain.items():
        value = whole(tensor)
        if writes:
            out[name] = value.to("cpu", copy=True).contiguous()
    return out


def _word_head(base: Path) -> Any:
    """The base's weights that choose the next word, which CFM does not use and the published code
    wants; None where they are the embedding's."""
    from safetensors import safe_open

    for path in weight_files(base):
        with safe_open(path, framework="pt") as shard:
            for name in shard.keys():  # noqa: SIM118
                if current_weight_name(name) == _WORDS:
                    return shard.get_tensor(name)
    return None


_MARKS = ("<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>")
_PLACES = ("<|image_pad|>", "<|video_pad|>")


@dataclass(frozen=True)
class SmallSize:
    """``width`` of the text model and of the image tower, ``layers`` of each; ``spread`` is the
    standard deviation of the random weights (transformers' own 0.02 hardly passes an image on in
    a model this narrow)."""

    width: int = 32
    layers: int = 2
    spread: float = 0.1


def write_small_base(folder: Path, size: SmallSize | None = None, seed: int = 0) -> None:
    """Writes configuration, tokenizer and weights into ``folder``, which must not be there.

    The tokenizer is Qwen2's, byte by byte, without merges. Raises BadInput for a folder that is
    there and for a width that is no multiple of 16, DataFolderError where it cannot be written.
    """
    import torch
    from transformers import Qwen2VLConfig
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel
    from transformers.utils import logging

    size = size or SmallSize()
    if size.width < 16 or size.width % 16 or size.layers < 1 or not size.spread > 0:
        raise BadInput("A small base has a width of 16, 32, 48 and so on, and at least one layer.")
    if folder.exists():
        raise BadInput(f"{folder} is there already: choose another folder.")
    tokenizer = _tokenizer()
    ids = [int(tokenizer.convert_tokens_to_ids(name)) for name in (*_MARKS[2:], *_PLACES)]
    width = size.width
    config = Qwen2VLConfig(
        text_config={
            "hidden_size": width,
            "intermediate_size": 2 * width,
            "num_hidden_layers": size.layers,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "vocab_size": len(tokenizer),
            "rope_parameters": {
                "rope_type": "default",
                # Turned pairs of numbers of a head: for time, height and width.
                "mrope_section": [width // 16, width // 16, width // 8],
                "rope_theta": 1_000_000.0,
            },
            "initializer_range": size.spread,
            "bos_token_id": None,
            "eos_token_id": None,
        },
        vision_config={
            "depth": size.layers,
            "embed_dim": width,
            "num_heads": 2,
            "hidden_size": width,
            "mlp_ratio": 2,
            "initializer_range": size.spread,
        },
        vision_start_token_id=ids[0],
        vision_end_token_id=ids[1],
        image_token_id=ids[2],
        video_token_id=ids[3],
    )
    torch.manual_seed(seed)
    with_bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        with whole_weights(folder) as half:
            Qwen2VLModel(config).save_pretrained(half)
            tokenizer.save_pretrained(half)
    finally:
        if with_bars:
            logging.enable_progress_bar()


def _tokenizer() -> Any:
    from tokenizers import pre_tokenizers
    from transformers import Qwen2Tokenizer

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {name: number for number, name in enumerate([*alphabet, "<|endoftext|>"])}
    tokenizer = Qwen2Tokenizer(vocab=vocab, merges=[], model_max_length=100_000)
    tokenizer.add_special_tokens({"additional_special_tokens": [*_MARKS, *_PLACES]})
    return tokenizer
