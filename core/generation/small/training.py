"""Training of the small model, resumable with identical bits on one machine, and its export.

All randomness of a step follows from the seed and the step's number. So an interrupted and resumed
training gives the same weights as an uninterrupted one.
"""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.checkpoints import (
    add_line,
    opened_checkpoint,
    save_steps,
    whole_weights,
    write_checkpoint,
)
from truehue.core.command import ended_by_signal
from truehue.core.errors import BadInput
from truehue.core.generation.small import parts
from truehue.core.generation.small.parts import reader, reading_loss
from truehue.core.generation.small.scenes import Caption, SceneBank, captions, held_out_pairs
from truehue.core.generation.small.settings import Settings, settings_from_json

CHECKPOINT = "checkpoint.safetensors"
LOG = "losses.jsonl"
ABOUT = "training.json"
READER = "reader.safetensors"

# A pixel's error counts by how much of the noise it explains, but no more than this many times:
# nearly clean images would else drown the first steps, which decide the color.
_MAX_WEIGHT = 4.0
_SIZES = ("text_width", "text_layers", "width", "heads", "layers", "patch_px")
_READING_WEIGHT = 0.1
_CLIP = 1.0


@dataclass(frozen=True)
class Progress:
    """Where the training stands: ``step`` of ``steps``; losses as means since the last report."""

    step: int
    steps: int
    reading: float
    picture: float
    seconds: float


OnProgress = Callable[[Progress], None]


class Training:
    """A model in training: text encoder, its reader, and denoiser, with their moving averages.

    The reader tells from the text encoder's states which shapes and colors a caption asks for. It
    teaches the text encoder, and is no part of the model.
    """

    def __init__(self, settings: Settings) -> None:
        import torch

        torch.manual_seed(settings.seed)
        self.settings = settings
        self.tokenizer = parts.tokenizer()
        self.models = torch.nn.ModuleDict(
            {
                "text": parts.text_encoder(settings, len(self.tokenizer)),
                "reader": reader(settings.text_width),
                "denoiser": parts.denoiser(settings),
            }
        )
        self.average = {name: tensor.clone() for name, tensor in self._tensors().items()}
        self.optimizer = torch.optim.AdamW(
            self.models.parameters(),
            lr=settings.rate,
            betas=(0.9, 0.99),
            weight_decay=settings.weight_decay,
        )
        self.scheduler = parts.noise_schedule()
        self.step = 0
        self.step_of_optimizer = 0

    def _tensors(self) -> dict[str, Any]:
        return {name: tensor.detach() for name, tensor in self.models.named_parameters()}

    def one_step(self, bank: SceneBank) -> tuple[float, float]:
        """One step of the optimizer; the loss of reading and that of images, 0 for a step of
        captions alone."""
        import torch

        settings, step = self.settings, self.step
        chance = np.random.default_rng([settings.seed, step])
        reading_alone = step < settings.text_steps
        count = settings.text_batch if reading_alone else settings.batch
        batch = captions(settings, chance, count)
        states, mask = self._read(batch)
        reading = reading_loss(self.models["reader"](states, mask), batch)
        image_loss = torch.zeros(())
        if reading_alone:
            loss = reading
        else:
            image_loss = self._image_loss(batch, states, mask, bank, chance)
            loss = image_loss + _READING_WEIGHT * reading
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.models.parameters(), _CLIP)
        self._set_rate()
        self.optimizer.step()
        self.step += 1
        self.step_of_optimizer += 1
        self._average()
        return float(reading.detach()), float(image_loss.detach())

    def _set_rate(self) -> None:
        settings = self.settings
        reading_alone = self.step < settings.text_steps
        base = settings.text_rate if reading_alone else settings.rate
        started = self.step_of_optimizer if reading_alone else self.step - settings.text_steps
        started = min(started, self.step_of_optimizer)
        if self.step > settings.cooldown_step:
            falling = settings.steps - settings.cooldown_step
            base *= max(0.0, settings.steps - self.step) / falling
        for group in self.optimizer.param_groups:
            group["lr"] = base * min(1.0, (started + 1) / settings.warmup)

    def _average(self) -> None:
        """Moves the averages; their memory grows with the steps, up to that of the settings."""
        import torch

        settings = self.settings
        started = self.step if self.step <= settings.text_steps else self.step - settings.text_steps
        decay = min(settings.ema, (1 + started) / (10 + started))
        now = self._tensors()
        torch._foreach_lerp_(list(self.average.values()), list(now.values()), 1.0 - decay)

    def _read(self, batch: list[Caption], texts: list[str] | None = None) -> tuple[Any, Any]:
        """The text encoder's states ``(N, T, width)`` and the mask of tokens ``(N, T)``."""
        tokens = self.tokenizer(
            texts or [caption.text for caption in batch], padding="longest", return_tensors="pt"
        )
        states = self.models["text"](tokens.input_ids, attention_mask=tokens.attention_mask)
        return states.last_hidden_state, tokens.attention_mask

    def _image_loss(
        self,
        batch: list[Caption],
        states: Any,
        mask: Any,
        bank: SceneBank,
        chance: np.random.Generator,
    ) -> Any:
        import torch

        count, settings = len(batch), self.settings
        partial_type = []
        for caption in batch:
            choices = bank.of(caption.shapes)
            number = choices[int(chance.integers(len(choices)))]
            partial_type.append(bank.image(number, caption.colors))
        clean = torch.from_numpy(np.stack(partial_type)).permute(0, 3, 1, 2).float() / 127.5 - 1.0
        dropped = torch.from_numpy(chance.random(count) < settings.caption_dropout)
        if dropped.any():
            empty, empty_mask = self._read(batch, [""])
            pad = (0, 0, 0, states.shape[1] - empty.shape[1])
            empty = torch.nn.functional.pad(empty, pad)
            empty_mask = torch.nn.functional.pad(empty_mask, pad[2:])
            states = torch.where(dropped[:, None, None], empty, states)
            mask = torch.where(dropped[:, None], empty_mask, mask)
        # Every part of the schedule in every step; a share begins in pure noise, as a drawing does.
        schedule = self.scheduler.config.num_train_timesteps
        spread = (chance.permutation(count) + chance.random(count)) / count
        spread[chance.random(count) < 0.08] = 1.0
        times = torch.from_numpy(np.minimum(spread * schedule, schedule - 1).astype(np.int64))
        noise = torch.from_numpy(chance.standard_normal(clean.shape, dtype=np.float32))
        noisy = self.scheduler.add_noise(clean, noise, times)
        sample = self.models["denoiser"](
            noisy,
            encoder_hidden_states=states,
            encoder_attention_mask=mask,
            timestep=times,
            added_cond_kwargs={"resolution": None, "aspect_ratio": None},
            return_dict=False,
        )[0]
        share = self.scheduler.alphas_cumprod[times]
        weight = torch.clamp(1.0 / (1.0 - share), max=_MAX_WEIGHT)
        return (weight * (sample - clean).square().mean(dim=(1, 2, 3))).mean()

    def pipeline(self) -> Any:
        """The standard pipeline with the averaged weights, in new tensors."""
        import torch

        settings = self.settings
        text = parts.text_encoder(settings, len(self.tokenizer))
        denoiser = parts.denoiser(settings)
        with torch.no_grad():
            for part, model in (("text", text), ("denoiser", denoiser)):
                for name, tensor in model.named_parameters():
                    tensor.copy_(self.average[f"{part}.{name}"])
        return parts.pipeline(self.tokenizer, text, denoiser)

    def save(self, folder: Path) -> None:
        """Writes the checkpoint: weights, averages, the optimizer's moments and the step. It
        appears whole or not at all."""
        tensors = {}
        for name, tensor in self.models.named_parameters():
            tensors[f"weights.{name}"] = tensor.detach()
            tensors[f"average.{name}"] = self.average[name]
            for moment, value in self.optimizer.state.get(tensor, {}).items():
                tensors[f"{moment}.{name}"] = value
        about = {
            "settings": json.dumps(self.settings.as_json()),
            "step": str(self.step),
            "step_of_optimizer": str(self.step_of_optimizer),
        }
        folder.mkdir(parents=True, exist_ok=True)
        write_checkpoint(folder / CHECKPOINT, tensors, about)

    def load(self, folder: Path) -> None:
        """Takes up a checkpoint exactly where it was written.

        Raises BadInput where it is torn, or of other settings.
        """
        import torch

        with opened_checkpoint(folder / CHECKPOINT) as (file, about):
            before = settings_from_json(json.loads(about["settings"]))
            # How long it lasts is open until the rate begins to fall.
            longer = replace(before, steps=self.settings.steps) == self.settings
            step, step_of_optimizer = int(about["step"]), int(about["step_of_optimizer"])
            started = step > min(before.cooldown_step, self.settings.cooldown_step)
            if before != self.settings and (started or not longer):
                raise BadInput(_differing(folder / CHECKPOINT, before, self.settings))
            names = set(file.keys())
            with torch.no_grad():
                for name, tensor in self.models.named_parameters():
                    tensor.copy_(file.get_tensor(f"weights.{name}"))
                    self.average[name].copy_(file.get_tensor(f"average.{name}"))
                    state = {
                        moment: file.get_tensor(f"{moment}.{name}")
                        for moment in ("step", "exp_avg", "exp_avg_sq")
                        if f"{moment}.{name}" in names
                    }
                    if state:
                        self.optimizer.state[tensor] = state
        self.step, self.step_of_optimizer = step, step_of_optimizer

    def start_from(self, folder: Path) -> None:
        """Goes on from exported weights: the averages become the weights, the optimizer is new.

        Raises BadInput for a folder that holds no exported model, or one of other widths.
        """
        import torch

        step = _step_of(folder)
        self._check_size(folder)
        files = {
            "text": folder / "text_encoder" / "model.safetensors",
            "denoiser": folder / "transformer" / "diffusion_pytorch_model.safetensors",
            "reader": folder / READER,
        }
        with torch.no_grad():
            for part, path in files.items():
                with opened_checkpoint(path) as (stored, _):
                    for name, tensor in self.models[part].named_parameters():
                        tensor.copy_(stored.get_tensor(name).float())
                        self.average[f"{part}.{name}"].copy_(tensor)
        self.step = step

    def _check_size(self, folder: Path) -> None:
        stored, own = about_of(folder).get("settings"), self.settings.as_json()
        if not isinstance(stored, dict):
            return
        for name in _SIZES:
            if stored.get(name, own[name]) != own[name]:
                raise BadInput(
                    f"{folder} has the {name} {stored[name]!r:.20}, the settings {own[name]}: give "
                    "settings of the same size, or leave --from out."
                )

    def export(self, folder: Path, about: Mapping[str, Any] | None = None) -> None:
        """Writes the pipeline in diffusers' layout, in float16, with what is needed to train it
        further: the reader, the settings and the step."""
        import torch
        from safetensors.torch import save_file
        from transformers.utils import logging

        pipeline = self.pipeline()
        for part in (pipeline.text_encoder, pipeline.transformer, pipeline.vae):
            # Not part.to: diffusers' own warns of parts to be kept in float32 where there are none.
            torch.nn.Module.to(part, torch.float16)
        # Padding to the longest is of the training's own batches.
        pipeline.tokenizer.backend_tokenizer.no_padding()
        with_bars = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()
        try:
            pipeline.save_pretrained(folder, safe_serialization=True)
        finally:
            if with_bars:
                logging.enable_progress_bar()
        # What the class adds to its own settings it would warn of when it reads them again.
        path = folder / "vae" / "config.json"
        config = json.loads(path.read_text(encoding="utf-8"))
        del config["block_out_channels"]
        path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        reader = {
            name.removeprefix("reader."): tensor.clone()
            for name, tensor in self.average.items()
            if name.startswith("reader.")
        }
        save_file(reader, folder / READER)
        fields = {"step": self.step, "settings": self.settings.as_json(), **(about or {})}
        (folder / ABOUT).write_text(json.dumps(fields, indent=1) + "\n", encoding="utf-8")


def about_of(folder: Path) -> dict[str, Any]:
    """What an exported model says of its training; raises BadInput where it says nothing."""
    try:
        fields = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        return dict(fields)
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(f"{folder} holds no exported small model.") from error


def _differing(path: Path, before: Settings, now: Settings) -> str:
    """Which settings keep a checkpoint from being taken up, in words."""
    own = now.as_json()
    names = [name for name, value in before.as_json().items() if own[name] != value]
    text = f"{path} was trained with other settings ({', '.join(names)})"
    if names == ["steps"]:
        text = (
            f"{path} was trained with other settings: for {before.steps:,} steps, not for "
            f"{now.steps:,}, and is too far on to move where its rate begins to fall. Leave "
            "--steps as it was"
        )
    return f"{text}, or take another folder."


def _step_of(folder: Path) -> int:
    about = about_of(folder)
    try:
        return int(about["step"])
    except (LookupError, TypeError, ValueError) as error:
        raise BadInput(f"{folder / ABOUT} does not say its step.") from error


def train(
    training: Training,
    bank: SceneBank,
    folder: Path,
    steps: int,
    on_progress: OnProgress,
    *,
    save_every: int = 200,
    report_every: int = 20,
) -> bool:
    """Trains up to ``steps`` in all; writes a checkpoint every ``save_every`` and at the end.

    A line of losses goes to ``losses.jsonl`` with every report; those of steps that are done again
    are taken away. SIGTERM and SIGINT end it after the
    running step, with a checkpoint. Returns whether all steps are done.
    """
    import torch

    torch.use_deterministic_algorithms(True)
    folder.mkdir(parents=True, exist_ok=True)
    save_steps(folder / LOG, training.step)
    began, sums = time.monotonic(), []
    with ended_by_signal() as end:
        while training.step < steps and not end.is_set():
            sums.append(training.one_step(bank))
            if training.step % report_every == 0 or training.step == steps:
                reading_loss, image_loss = np.mean(sums, axis=0).tolist()
                seconds = time.monotonic() - began
                on_progress(Progress(training.step, steps, reading_loss, image_loss, seconds))
                line = {"step": training.step, "reading": reading_loss, "picture": image_loss}
                add_line(folder / LOG, {**line, "seconds": round(seconds, 1)})
                sums = []
            if training.step % save_every == 0:
                training.save(folder)
        training.save(folder)
    return training.step >= steps


CHECKSUMS, HELD_OUT = "SHA256SUMS", "held_out.csv"
_README = "README.md"
"""Written by people: it stays, and is in no checksum."""


def check_folder(folder: Path) -> None:
    """Raises BadInput for a folder that holds something else than an exported small model."""
    if not folder.exists():
        return
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / ABOUT).is_file()):
        raise BadInput(f"{folder} holds something else than a small model: choose another folder.")


def write_model(training: Training, folder: Path) -> None:
    """The model as it is to a folder that others load; one that is there is replaced, but for its
    README. Raises BadInput for a folder that holds something else, DataFolderError."""
    check_folder(folder)
    with whole_weights(folder) as half:
        training.export(half)
        _write_held_out(half / HELD_OUT, training.settings.held_out)
        _write_checksums(half)
        if (folder / _README).is_file():
            shutil.copy2(folder / _README, half)


def _write_held_out(path: Path, share: float) -> None:
    """The held-out pairs of a color and an object."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("color", "object"))
        writer.writerows(held_out_pairs(share))


def _write_checksums(folder: Path) -> None:
    """The SHA-256 of every file of the model, which sha256sum reads."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
