"""The maskers that find the objects of a run's images, inside one worker's process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import numpy as np

from truehue.core.errors import BadInput, MaskError, ObjectNotFound, ObjectsOverlap
from truehue.core.generation.backends.reference import PlacedTarget
from truehue.core.generation.weights.carried import U2NETP
from truehue.core.generation.weights.sources import Sources
from truehue.core.images.pixels import Mask
from truehue.core.machine import Placement
from truehue.core.masks.from_marks import mask_from_marks
from truehue.core.masks.grounded.compose import with_steps
from truehue.core.masks.grounded.ground import GroundingMethod, ground
from truehue.core.masks.grounded.records import (
    Detector,
    Presence,
    PresenceModel,
    PresenceQuestion,
    Segmenter,
    Tool,
)
from truehue.core.masks.grounded.tools import open_tool, tool_bytes, tool_id
from truehue.core.masks.grounded.variants import MaskVariant, mask_variant
from truehue.core.masks.grounded.weights import ROLES, Role, vision_model
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.runs.concepts import mask_positions, measured_of
from truehue.core.runs.provenance import of_tool
from truehue.core.runs.records import MASKERS, SALIENT, MaskerSpec
from truehue.core.verdict.expectations import Localization, answer_reason, findings_of, label_of
from truehue.core.verdict.tasks import PRESENCE_TASKS

ON_CPU = Placement("cpu", "float32", "none", "It computes on the CPU alone.")
"""Where networks are that OpenCV runs."""
ONE_OBJECT = "The salient-object network finds one object, whatever its name"


@dataclass(frozen=True)
class KnownMasks:
    """The findings about an image's objects.

    ``findings`` by the position of the target, for :func:`truehue.core.verdict.tasks.judge_task`;
    ``masks`` are those to be kept, each with the position of its target.
    """

    findings: dict[int, Localization]
    masks: tuple[tuple[int, Mask], ...] = ()


class Masker(Protocol):
    """Finds the objects of one image after the other; only one thread calls it."""

    def find(
        self,
        srgb8: np.ndarray,
        task: str,
        targets: Sequence[ObjectTarget],
        exact: Mapping[int, Mask],
        rendered: Sequence[PlacedTarget] | None = None,
        image_id: str = "",
        prompt_text: str = "",
    ) -> KnownMasks:
        """Where the objects are that a color is asked of, or whose colors are to be measured.

        ``srgb8`` uint8 ``(H, W, 3)``; ``task`` a key of :data:`truehue.core.prompts.prompt.TASKS`;
        ``exact`` the masks that came with the image, by position of the target; ``rendered`` how
        the reference renderer drew each target, None for an image of another model;
        ``prompt_text`` what the image was generated from, which a presence question may quote. An
        object that cannot be found has a finding that says why, or none where nothing is known of
        it. Raises what loading and running a model raise.
        """
        ...

    def reserved_bytes(self) -> int:
        """Bytes of a GPU that its models need beside the one that draws."""
        ...

    def placements(self) -> dict[str, tuple[str, Placement]]:
        """For each model that is loaded its role, its id, and where it is."""
        ...

    def close(self) -> None:
        """Gives the memory of models back; safe to call twice."""
        ...


Opened = Callable[[str, Mapping[str, Any]], None]


def open_masker(
    spec: MaskerSpec, sources: Sources | None = None, opened: Opened = lambda role, about: None
) -> Masker:
    """The masker of a plan; its models are loaded for the first image.

    ``sources`` tell where weights are. ``opened`` is told the role of each model that was loaded,
    and what tells its weights from others (truehue.core.runs.provenance); what it raises comes out
    of ``find``. Raises BadInput for an unknown kind, model or variant, naming the known ones.
    """
    if spec.kind == "exact":
        return Exact()
    if spec.kind == "whole":
        return WholeImage()
    if spec.kind == SALIENT:
        return Salient(sources or Sources.local())
    if spec.kind == "grounded":
        return Grounding(
            vision_model(spec.detector, "detector").id,
            vision_model(spec.segmenter, "segmenter").id,
            mask_variant(spec.variant),
            vision_model(spec.presence, "presence").id if spec.presence else "",
            sources or Sources.local(),
            opened,
        )
    raise BadInput(f"There is no masker {spec.kind!r:.60}. Choose one of: {', '.join(MASKERS)}.")


class Exact:
    """The masks that came with the image; what the renderer did not draw is absent."""

    def find(
        self,
        srgb8: np.ndarray,
        task: str,
        targets: Sequence[ObjectTarget],
        exact: Mapping[int, Mask],
        rendered: Sequence[PlacedTarget] | None = None,
        image_id: str = "",
        prompt_text: str = "",
    ) -> KnownMasks:
        """See :class:`Masker`."""
        also = measured_of(task, targets)
        findings = findings_of(targets, exact, rendered or (), also)
        return KnownMasks(findings, tuple(sorted(exact.items())))

    def reserved_bytes(self) -> int:
        """See :class:`Masker`."""
        return 0

    def placements(self) -> dict[str, tuple[str, Placement]]:
        """See :class:`Masker`."""
        return {}

    def close(self) -> None:
        """Holds nothing."""


class WholeImage:
    """The object is the whole image, where there is one."""

    def find(
        self,
        srgb8: np.ndarray,
        task: str,
        targets: Sequence[ObjectTarget],
        exact: Mapping[int, Mask],
        rendered: Sequence[PlacedTarget] | None = None,
        image_id: str = "",
        prompt_text: str = "",
    ) -> KnownMasks:
        """See :class:`Masker`."""
        positions = mask_positions(task, targets)
        if len(positions) > 1:
            reason = f"the whole image is no single object; this prompt has {len(positions)}"
            return KnownMasks({n: Localization(None, "", "mask", reason) for n in positions}, ())
        pixels = np.ones(srgb8.shape[:2], bool)
        masks = {n: Mask(pixels, "whole").of_target(n, targets[n].name) for n in positions}
        return KnownMasks(findings_of(targets, masks, also=masks), tuple(masks.items()))

    def reserved_bytes(self) -> int:
        """See :class:`Masker`."""
        return 0

    def placements(self) -> dict[str, tuple[str, Placement]]:
        """See :class:`Masker`."""
        return {}

    def close(self) -> None:
        """Holds nothing."""


@dataclass(frozen=True)
class Salient:
    """What stands out, where an image has one object and came without its mask."""

    sources: Sources

    def find(
        self,
        srgb8: np.ndarray,
        task: str,
        targets: Sequence[ObjectTarget],
        exact: Mapping[int, Mask],
        rendered: Sequence[PlacedTarget] | None = None,
        image_id: str = "",
        prompt_text: str = "",
    ) -> KnownMasks:
        """See :class:`Masker`. The renderer's own masks are left alone, so that runs of its images
        can measure this masker."""
        positions = mask_positions(task, targets)
        masks = {} if rendered is not None else {n: exact[n] for n in positions if n in exact}
        findings = dict[int, Localization]()
        left = [position for position in positions if position not in masks]
        if len(positions) > 1:
            reason = f"{ONE_OBJECT}; this prompt has {len(positions)}"
            findings = {position: Localization(None, "", "mask", reason) for position in left}
        elif left:
            (position,) = left
            try:
                mask = mask_from_marks(srgb8, [{"type": SALIENT}], sources=self.sources)
            except ObjectNotFound as error:
                findings[position] = _missed(error, targets, [], None)
            else:
                masks[position] = mask.of_target(position, targets[position].name)
        found = findings_of(targets, masks, also=masks)
        return KnownMasks({**findings, **found}, tuple(masks.items()))

    def reserved_bytes(self) -> int:
        """None of a GPU: OpenCV runs the network on the CPU."""
        return 0

    def placements(self) -> dict[str, tuple[str, Placement]]:
        """See :class:`Masker`."""
        from truehue.core.masks.salient import memory_bytes  # it imports OpenCV

        return {SALIENT: (U2NETP.id, ON_CPU)} if memory_bytes() else {}

    def close(self) -> None:
        """The network is small, and stays for the next run of this process."""


@dataclass
class Grounding:
    """Masks from the objects' names: boxes by a detector, cut out by a segmenter.

    ``detector``, ``segmenter`` and ``presence`` are ids of models; ``presence`` is empty where
    nobody asks whether an object is in the image.
    """

    detector: str
    segmenter: str
    variant: MaskVariant
    presence: str
    sources: Sources
    opened: Opened = lambda role, about: None
    _tools: dict[Role, Tool] = field(default_factory=dict)

    def find(
        self,
        srgb8: np.ndarray,
        task: str,
        targets: Sequence[ObjectTarget],
        exact: Mapping[int, Mask],
        rendered: Sequence[PlacedTarget] | None = None,
        image_id: str = "",
        prompt_text: str = "",
    ) -> KnownMasks:
        """See :class:`Masker`.

        Objects are looked for in the order of the targets, each apart from those before it. One
        that the presence model says is not there is not looked for in the tasks that ask so
        first, for then no rule measures it. ``released`` asks in those tasks alone, and looks only
        for what it was told is there.
        """
        positions = mask_positions(task, targets)
        names = [targets[index].name for index in positions]
        released = self.variant.presence_wording == "released"
        prompts = task in PRESENCE_TASKS or not released
        answers = self._answers(srgb8, names, prompt_text) if prompts else {}
        absent = ("no", "unknown") if released else ("no",)
        findings, masks = dict[int, Localization](), dict[int, Mask]()
        for position in positions:
            answer = answers.get(targets[position].name)
            if answer is not None and answer.answer in absent and task in PRESENCE_TASKS:
                reason = answer_reason(answer.text)
                findings[position] = Localization(None, answer.answer, "presence", reason)
                continue
            try:
                mask = self._mask(srgb8, targets[position], masks, image_id, answer)
            except MaskError as error:
                findings[position] = _missed(error, targets, list(masks), answer)
            else:
                masks[position] = mask.of_target(position, targets[position].name)
        mask_findings = findings_of(targets, masks, also=masks)
        return KnownMasks({**findings, **mask_findings}, tuple(masks.items()))

    def reserved_bytes(self) -> int:
        """See :class:`Masker`."""
        return sum(tool_bytes(tool, self.sources) for tool in self._tool_ids())

    def placements(self) -> dict[str, tuple[str, Placement]]:
        """See :class:`Masker`."""
        return {
            role: (str(getattr(self, role)), getattr(tool, "placement", ON_CPU))
            for role, tool in self._tools.items()
        }

    def _tool_ids(self) -> list[str]:
        return [tool_id(name, role) for role in ROLES if (name := getattr(self, role))]

    def close(self) -> None:
        """Unloads the models; the next image loads them again."""
        while self._tools:
            self._tools.popitem()[1].unload()

    def _answers(
        self, srgb8: np.ndarray, names: Sequence[str], prompt_text: str
    ) -> dict[str, Presence]:
        """What the presence model says, by name; a name is asked after once."""
        if not self.presence or not names:
            return {}
        model = cast(PresenceModel, self._tool(self.presence, "presence"))
        each = tuple(dict.fromkeys(names))
        wording, autocast = self.variant.presence_wording, self.variant.autocast
        form = PresenceQuestion(wording, prompt_text, autocast)
        return dict(zip(each, model.ask(srgb8, each, form), strict=True))

    def _mask(
        self,
        srgb8: np.ndarray,
        target: ObjectTarget,
        earlier: Mapping[int, Mask],
        image_id: str,
        answer: Presence | None,
    ) -> Mask:
        method = GroundingMethod(
            cast(Detector, self._tool(self.detector, "detector")),
            cast(Segmenter, self._tool(self.segmenter, "segmenter")),
            self.variant,
        )
        earlier_pixels = [record.pixels for record in earlier.values()]
        grounded = ground(srgb8, target, method, earlier_pixels, image_id)
        return with_steps(grounded, () if answer is None else (answer,))

    def _tool(self, model_id: str, role: Role) -> Any:
        if role not in self._tools:
            self._tools[role] = open_tool(tool_id(model_id, role), self.sources)
            try:
                self.opened(role, of_tool(model_id, role, self.sources))
            except BaseException:
                self._tools.pop(role).unload()
                raise
        return self._tools[role]


def _missed(
    error: MaskError,
    targets: Sequence[ObjectTarget],
    earlier: Sequence[int],
    answer: Presence | None,
) -> Localization:
    """The finding of an object that has no mask, with what the presence model said of it."""
    presence = answer.answer if answer is not None else ""
    step = "detection" if isinstance(error, ObjectNotFound) and error.step == "detector" else "mask"
    reason = str(error)
    if answer is not None and presence != "yes":
        reason = answer_reason(answer.text)
    elif isinstance(error, ObjectsOverlap):
        # The error counts the masks before it, and not every object has one.
        other = label_of(targets, earlier[error.earlier])
        reason = reason.replace(f"object {error.earlier + 1}", other)
    return Localization(None, presence, step, reason)
