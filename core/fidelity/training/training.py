"""The steps of training: resumable with identical results on one machine.

All randomness of a step follows from the seed, the step and the process. So an interrupted and
resumed training gives the same weights as an uninterrupted one.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.checkpoints import add_line, opened_checkpoint, save_steps, write_checkpoint
from truehue.core.errors import BadInput, ImageError
from truehue.core.fidelity.cfm.scorer import resize_for_cfm
from truehue.core.fidelity.evaluation import adjacent_accuracy, neighbor_accuracy, real_accuracy
from truehue.core.fidelity.groups import Group
from truehue.core.fidelity.training.model import (
    TrainableScorer,
    TrainSettings,
    pairwise_loss,
    settings_from_json,
    softrank_loss,
    spread,
    spread_like,
    whole,
)
from truehue.core.generation.weights.sources import Source
from truehue.core.images.load import load_image

KEPT_BYTES = 512 * 2**20
"""Of images that are held: a small set is read from its files once."""
_READERS = 4


class ImageReader:
    """Reads images in threads, ahead of who needs them; close it at the end."""

    def __init__(self, area_px: int) -> None:
        self._area_px = area_px
        self._readers = ThreadPoolExecutor(_READERS, "pictures")
        self._saved: LruCache[np.ndarray] = LruCache(
            KEPT_BYTES, lambda pixels: pixels.nbytes, at_least=1
        )
        self._ahead: dict[Path, Future[np.ndarray]] = {}

    def prepare(self, groups: Sequence[Group]) -> None:
        """Begins to read what will be needed next."""
        for path in dict.fromkeys(path for group in groups for path in group.files):
            if path not in self._saved and path not in self._ahead:
                self._ahead[path] = self._readers.submit(self._read, path)

    def of(self, group: Group) -> list[np.ndarray]:
        """The photograph, then the images: uint8 ``(H, W, 3)`` of the area that CFM reads. Raises
        ImageError for a file that is no image."""
        return [self._of(path) for path in group.files]

    def _of(self, path: Path) -> np.ndarray:
        ahead = self._ahead.pop(path, None)
        return self._saved.get(path, ahead.result if ahead else lambda: self._read(path))

    def _read(self, path: Path) -> np.ndarray:
        try:
            return resize_for_cfm(load_image(path).srgb8, self._area_px)
        except ImageError as error:
            raise ImageError(f"{path}: {error}") from None

    def close(self) -> None:
        """Ends the threads."""
        self._readers.shutdown(wait=True, cancel_futures=True)


CHECKPOINT = "checkpoint.safetensors"
METRICS = "metrics.jsonl"
_CLIP = 1.0
_MOMENTS = {
    "adamw": ("step", "exp_avg", "exp_avg_sq"),
    "adamw8bit": ("step", "state1", "state2", "qmap1", "qmap2", "absmax1", "absmax2"),
}
"""What each optimizer keeps for a weight. Small weights have no absmax with 8 bits."""


def _optimizer(settings: TrainSettings) -> Any:
    """The class of the optimizer. Raises BadInput where its package is missing."""
    import torch

    if settings.optimizer == "adamw":
        return torch.optim.AdamW
    try:
        return importlib.import_module("bitsandbytes.optim").AdamW8bit
    except ImportError:
        raise BadInput(
            "The optimizer adamw8bit needs the package bitsandbytes, which is not installed: pip "
            "install bitsandbytes, or train with adamw."
        ) from None


@dataclass(frozen=True)
class Progress:
    """``step`` of ``steps``; ``loss`` is the mean since the last report, None before the first.

    The three accuracies are percent of pairs in the right order in the held-out groups, None where
    they were not looked at: ``adjacent`` of all neighbors from the photograph on, ``syn_pairs``
    without the photograph, ``real_syn`` of the photograph and the first image.
    """

    step: int
    steps: int
    loss: float | None
    rate: float
    adjacent: float | None = None
    syn_pairs: float | None = None
    real_syn: float | None = None

    def as_json(self) -> dict[str, Any]:
        """A line of ``metrics.jsonl``; what was not looked at is left out."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class Watch:
    """How often it tells (``report``), looks at held-out groups (``held``, 0: at the end only) and
    writes a checkpoint (``save``), in steps; ``on_progress`` is told."""

    on_progress: Callable[[Progress], None] = lambda progress: None
    report: int = 10
    held: int = 200
    save: int = 200


class Training:
    """A training over its groups; with several processes of ``accelerate`` each has its share, and
    an equal copy of the network or, with ``fsdp``, a part of it. ``cpu`` says where it computes,
    None where the trainee is."""

    def __init__(
        self,
        trainee: TrainableScorer,
        settings: TrainSettings,
        groups: Sequence[Group],
        held: Sequence[Group] = (),
        fsdp: bool = False,
        cpu: bool | None = None,
    ) -> None:
        from accelerate import Accelerator
        from accelerate.utils import DistributedType

        mixed = "bf16" if settings.precision == "bfloat16" else "no"
        on_cpu = trainee.scorer.device == "cpu" if cpu is None else cpu
        self.accelerator = Accelerator(mixed_precision=mixed, cpu=on_cpu)
        simple = (DistributedType.NO, DistributedType.MULTI_GPU, DistributedType.MULTI_CPU)
        if self.accelerator.distributed_type not in simple:
            raise BadInput(
                "Training goes in one process, with equal copies (DDP) or with --fsdp, no other way."
            )
        if settings.batch % self.accelerator.num_processes:
            raise BadInput(
                f"A batch of {settings.batch} groups cannot be shared by "
                f"{self.accelerator.num_processes} processes."
            )
        if not groups:
            raise BadInput("There are no groups to train on.")
        for group in (*groups, *held):
            if len(group.images) < 2:
                raise BadInput(f"{group.photograph} has one image only; a group needs two.")
        if fsdp:
            self._check_fsdp(settings)
        self.trainee, self.settings, self.fsdp = trainee, settings, fsdp
        self.groups, self.held = list(groups), list(held)
        self.step = 0
        self._base = Source(trainee.base, "", "").fingerprint()
        trainee.scorer.device = str(self.accelerator.device)
        if fsdp:
            spread(trainee, self.accelerator.device, self.accelerator.num_processes)
        self._trained = trainee.trained()
        optimizer = _optimizer(settings)(
            self._trained.values(), lr=settings.rate, weight_decay=settings.weight_decay
        )
        if fsdp:
            self.network, self.optimizer = trainee.network, self.accelerator.prepare(optimizer)
        else:
            self.network, self.optimizer = self.accelerator.prepare(trainee.network, optimizer)
        self.pictures = ImageReader(trainee.scorer.reading.area_px)

    def _check_fsdp(self, settings: TrainSettings) -> None:
        if self.accelerator.num_processes == 1:
            raise BadInput(
                "FSDP spreads weights over processes, and here is one: start several with accelerate "
                "launch, or leave out --fsdp."
            )
        if settings.lora_rank or settings.optimizer != "adamw":
            raise BadInput(
                "With FSDP all weights are trained by adamw: leave out --lora and adamw8bit."
            )

    def batch_of(self, step: int) -> list[Group]:
        """The groups of a step, of all processes: every epoch in an order of its own."""
        out = []
        count = len(self.groups)
        for index in range(step * self.settings.batch, (step + 1) * self.settings.batch):
            epoch, within = divmod(index, count)
            order = np.random.default_rng([self.settings.seed, epoch]).permutation(count)
            out.append(self.groups[int(order[within])])
        return out

    def one_step(self) -> float:
        """One step of the optimizer; the loss, the mean over the groups of this process."""
        import torch
        from accelerate.utils import gather_object

        settings, process = self.settings, self.accelerator.process_index
        share = self._share(self.batch_of(self.step))
        self.pictures.prepare(share)
        self.pictures.prepare(self._share(self.batch_of(self.step + 1)))
        chance = np.random.SeedSequence([settings.seed, self.step, process])
        torch.manual_seed(int(chance.generate_state(1)[0]))
        self.network.train()
        for group in self.optimizer.param_groups:
            group["lr"] = settings.rate_at(self.step)
        self.optimizer.zero_grad(set_to_none=True)
        total = 0.0
        parts = [
            share[start : start + settings.at_once]
            for start in range(0, len(share), settings.at_once)
        ]
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            # Equal copies exchange gradients once a step, with the last part. Spread ones do it each
            # time: until then each process would hold them whole.
            alone = not last and not self.fsdp
            with self.accelerator.no_sync(self.network) if alone else nullcontext():
                loss = self._loss(part) * (len(part) / len(share))
                self.accelerator.backward(loss)
            total += float(loss.detach())
        totals = [total]
        if self.accelerator.num_processes > 1:  # one alone would leave the others waiting
            totals = gather_object([total])
        if not np.isfinite(totals).all():
            raise BadInput(
                f"The loss is no finite number at step {self.step + 1:,}: take a lower learning "
                "rate. The last checkpoint stays."
            )
        self.accelerator.clip_grad_norm_(self._trained.values(), _CLIP)
        self.optimizer.step()
        self.step += 1
        return total

    def _share(self, groups: list[Group]) -> list[Group]:
        return groups[self.accelerator.process_index :: self.accelerator.num_processes]

    def _loss(self, groups: Sequence[Group]) -> Any:
        """The mean over the groups, which may have different numbers of images."""
        import torch

        logits = self.logits(groups)
        sums = []
        for size in sorted({len(scores) for scores in logits}):
            table = torch.stack([scores for scores in logits if len(scores) == size])
            if self.settings.loss == "pairwise":
                loss = pairwise_loss(table)
            else:
                loss = softrank_loss(table, self.settings.tau, self.settings.own_term)
            sums.append(loss * len(table))
        return sum(sums) / len(groups)

    def logits(self, groups: Sequence[Group]) -> list[Any]:
        """Of each group a tensor ``(images,)`` float32, the photograph first."""
        sets = [self.pictures.of(group) for group in groups]
        captions = [g.caption for g, s in zip(groups, sets, strict=True) for _ in s]
        batch = self.trainee.scorer.read_inputs([p for s in sets for p in s], captions)
        with self.accelerator.autocast():
            logits = self.network(batch)
        return list(logits.split([len(images) for images in sets]))

    def held_scores(self) -> list[list[float]]:
        """Logits of the held-out groups, in their order."""
        import torch
        from accelerate.utils import gather_object

        self.network.eval()
        numbered = list(enumerate(self.held))
        mine = numbered[self.accelerator.process_index :: self.accelerator.num_processes]
        out = []
        longest = -(-len(numbered) // self.accelerator.num_processes)
        with torch.no_grad():
            for start in range(0, longest, self.settings.at_once):
                part = mine[start : start + self.settings.at_once]
                self.pictures.prepare([group for _, group in mine[start:][: 2 * len(part)]])
                # As many passes in every process: spread weights come from all of them.
                scores = self.logits([group for _, group in part] or self.held[:1])
                out += [(n, s.tolist()) for (n, _), s in zip(part, scores, strict=False)]
        return [scores for _, scores in sorted(gather_object(out))]

    def report(self, loss: float | None, with_held: bool) -> Progress:
        """Where it stands; ``with_held`` scores the held-out groups."""
        settings = self.settings
        rate = settings.rate_at(max(self.step - 1, 0))
        if not with_held or not self.held:
            return Progress(self.step, settings.steps, loss, rate)
        scores = self.held_scores()
        numbers = (accuracy(scores).percent for accuracy in _ACCURACIES)
        return Progress(self.step, settings.steps, loss, rate, *numbers)

    def save(self, folder: Path) -> None:
        """Writes the checkpoint: what is trained, the optimizer's moments and the step. It appears
        whole or not at all."""
        import torch

        writes = self.accelerator.is_main_process
        if not writes and not self.fsdp:
            return
        tensors = {}
        for name, tensor in self._trained.items():
            state = self.optimizer.state.get(tensor, {})
            for part, value in {"weights": tensor.detach(), **state}.items():
                gathered = whole(torch.as_tensor(value))
                if writes:
                    tensors[f"{part}.{name}"] = gathered.cpu() if self.fsdp else gathered
        if not writes:
            return
        about = {"about": json.dumps(self._about()), "step": str(self.step)}
        folder.mkdir(parents=True, exist_ok=True)
        write_checkpoint(folder / CHECKPOINT, tensors, about)

    def load(self, folder: Path) -> None:
        """Takes up a checkpoint exactly where it was written. Raises BadInput where it is torn, of
        other settings, another base or other groups."""
        import torch

        with opened_checkpoint(folder / CHECKPOINT) as (file, stored):
            step = int(stored["step"])
            about = json.loads(stored["about"])
            # Checkpoints of before lack the settings that have come since.
            about["settings"] = settings_from_json(about["settings"]).as_json()
            # Checkpoints of before say nothing of their base.
            about.setdefault("base weights", self._base)
            differing = [name for name, value in self._about().items() if about.get(name) != value]
            if differing:
                raise BadInput(
                    f"{folder / CHECKPOINT} was trained with other {' and '.join(differing)}: "
                    "take another folder."
                )
            names = set(file.keys())
            with torch.no_grad():
                for name, tensor in self._trained.items():
                    tensor.copy_(spread_like(file.get_tensor(f"weights.{name}"), tensor))
                    state = {
                        moment: file.get_tensor(f"{moment}.{name}")
                        for moment in _MOMENTS[self.settings.optimizer]
                        if f"{moment}.{name}" in names
                    }
                    if state:
                        # The count of steps stays on the CPU, as AdamW keeps it.
                        self.optimizer.state[tensor] = {
                            moment: self._placed(moment, value, tensor)
                            for moment, value in state.items()
                        }
        self.step = step

    def _placed(self, moment: str, value: Any, tensor: Any) -> Any:
        """A moment where the optimizer keeps it: AdamW's count of steps is a tensor on the CPU, that
        of bitsandbytes a number."""
        if moment != "step":
            return spread_like(value, tensor)
        return int(value) if self.settings.optimizer == "adamw8bit" else value

    def _about(self) -> dict[str, Any]:
        """The identity of the training that a checkpoint belongs to."""
        reading = self.trainee.scorer.reading
        read = [reading.instruction, reading.area_px, reading.visual_only]
        return {
            "settings": self.settings.as_json(),
            "base weights": self._base,
            "reading": [*read, "rounded rotary"] if reading.rounded_rotary else read,
            "groups": [[str(path) for path in group.files] for group in self.groups],
            "processes": self.accelerator.num_processes,
        }

    def close(self) -> None:
        """Ends the threads that read images."""
        self.pictures.close()


_ACCURACIES = (adjacent_accuracy, neighbor_accuracy, real_accuracy)


def train(training: Training, folder: Path, watch: Watch, end: Event) -> bool:
    """Trains up to the last step; whether it got there.

    A line goes to ``metrics.jsonl`` with every report. ``end`` ends it after the running step, of
    any process, with a checkpoint.
    """
    accelerator = training.accelerator
    folder.mkdir(parents=True, exist_ok=True)
    if accelerator.is_main_process:
        save_steps(folder / METRICS, training.step)
    steps, losses = training.settings.steps, []

    def report_progress(loss: float | None, with_held: bool) -> None:
        progress = training.report(loss, with_held)
        if accelerator.is_main_process:
            add_line(folder / METRICS, progress.as_json())
            watch.on_progress(progress)

    if training.step == 0 and watch.held > 0 and training.held:
        report_progress(None, True)
    while training.step < steps:
        if end.is_set():
            accelerator.set_trigger()
        if accelerator.check_trigger():
            break
        losses.append(training.one_step())
        step = training.step
        with_held = step == steps or (watch.held > 0 and step % watch.held == 0)
        if with_held or step % watch.report == 0:
            report_progress(float(np.mean(losses)), with_held)
            losses = []
        if step % watch.save == 0 and step < steps:
            training.save(folder)
    training.save(folder)
    accelerator.wait_for_everyone()
    return training.step >= steps
