"""Detectors, segmenters and presence models: open the model in memory for the engine's id of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from truehue.core.errors import BadInput
from truehue.core.generation.memory import check_space
from truehue.core.generation.registry import MODELS
from truehue.core.generation.weights.carried import OPENCV_BYTES
from truehue.core.generation.weights.sources import Sources
from truehue.core.machine import GIB, WORKING_GIB, Machine, Placement, machine, placement
from truehue.core.masks.grounded.records import Detector, PresenceModel, Segmenter
from truehue.core.masks.grounded.weights import (
    ROLES,
    Role,
    VisionEntry,
    check,
    find,
    vision_model,
    weights,
)


def tool_id(model_id: str, role: Role) -> str:
    """The id under which the engine holds a vision model.

    That of the list; ``hub:`` and ``folder:`` ids do not say what they do, so their role stands
    before them. Raises BadInput for an unknown id.
    """
    entry = vision_model(model_id, role)
    return f"{role} {entry.id}" if ":" in entry.id else entry.id


def entry_of(tool: str) -> VisionEntry:
    """The entry of an id that :func:`tool_id` made; raises BadInput for another."""
    role, _, rest = tool.partition(" ")
    return vision_model(rest, role) if role in ROLES and rest else vision_model(tool)


def open_tool(tool: str, sources: Sources | None = None) -> Detector | Segmenter | PresenceModel:
    """Loads the model of that tool id, laid out by what is free on this machine now.

    Raises BadInput for an unknown id, ModelMissing with the way to get the files, and
    BadModelFolder for files that cannot be loaded whole.
    """
    entry = entry_of(tool)
    if entry.role == "presence":
        return open_presence(entry.id, sources)
    return open_vision(entry.id, sources, entry.role)


def open_presence(model_id: str, sources: Sources | None = None) -> PresenceModel:
    """The presence model of that id, or of ``hub:owner/name`` or ``folder:/path``."""
    from truehue.core.masks.grounded.presence import load_presence

    entry = vision_model(model_id, "presence")
    source = weights(entry, sources or Sources.local())
    if entry.library == "opencv":
        from truehue.core.masks.grounded.coco import CocoPresence

        return CocoPresence(entry, source)
    local_machine, held_gib = machine(), check(entry, source)
    device_placement = _presence_placement(entry, held_gib, local_machine)
    check_space(entry.name, held_gib * device_placement.bytes_a_number / 2, local_machine)
    return load_presence(source.path, device_placement, source.revision, entry.id)


def tool_memory(tool: str, sources: Sources | None = None) -> int:
    """Bytes that the tool is expected to take on its device, work included, were it empty; 0 where
    nobody knows."""
    entry = entry_of(tool)
    if entry.role != "presence" or entry.library == "opencv":
        return memory_wanted(entry.id, sources, entry.role)
    held_gib = entry.download_gib
    source = find(entry, sources or Sources.local())
    if source is not None:
        # Where the files are broken, loading says so; here only their size is asked.
        with suppress(BadInput):
            held_gib = check(entry, source)
    if not held_gib:
        return 0
    local_machine = machine()
    device_placement = _presence_placement(
        entry, held_gib, replace(local_machine, free_bytes=local_machine.memory_bytes)
    )
    largest_gib = _largest_gib(entry, held_gib)
    kept_gib = {"none": held_gib, "model": largest_gib, "sequential": 0.0}[device_placement.offload]
    return int((kept_gib * device_placement.bytes_a_number / 2 + WORKING_GIB) * GIB)


def tool_bytes(tool: str, sources: Sources | None = None) -> int:
    """Bytes of the tool's weights on its device, were it empty, without its work: tools and the
    model that draws work one after the other."""
    return max(tool_memory(tool, sources) - int(WORKING_GIB * GIB), 0)


def expected_tool(
    tool: str, local_machine: Machine, sources: Sources | None = None
) -> tuple[Placement, int] | None:
    """Where a tool would be laid out on ``local_machine``, and the bytes that its weights take on
    its device; None for one of OpenCV, whose place is the CPU, and where nobody knows its size."""
    entry = entry_of(tool)
    held_gib = entry.download_gib
    source = find(entry, sources or Sources.local())
    if source is not None:
        # Where the files are broken, loading says so; here only their size is asked.
        with suppress(BadInput):
            held_gib = check(entry, source)
    if entry.library == "opencv" or not held_gib:
        return None
    if entry.role != "presence":
        at = vision_placement(held_gib, local_machine)
        return at, int(held_gib * GIB) if at.device == local_machine.device else 0
    at = _presence_placement(entry, held_gib, local_machine)
    kept_gib = {"none": held_gib, "model": _largest_gib(entry, held_gib), "sequential": 0.0}
    return at, int(kept_gib[at.offload] * at.bytes_a_number / 2 * GIB)


def _presence_placement(entry: VisionEntry, held_gib: float, local_machine: Machine) -> Placement:
    """Published files have two bytes a number, which is how ``placement`` counts."""
    fp16 = all(entry.id != model_entry.id or model_entry.fp16 for model_entry in MODELS)
    return placement(held_gib, local_machine, largest_gib=_largest_gib(entry, held_gib), fp16=fp16)


def _largest_gib(entry: VisionEntry, held_gib: float) -> float:
    """The part that has to be on the device at once, as the list of models that draw knows it."""
    largest_gib = next((model.largest_gib for model in MODELS if model.id == entry.id), None)
    return min(largest_gib, held_gib) if largest_gib else held_gib


def open_detector(model_id: str, sources: Sources | None = None) -> Detector:
    """The detector of that id, or of ``hub:owner/name`` or ``folder:/path``.

    Raises BadInput for an unknown id, ModelMissing with the way to get the files, and
    BadModelFolder for files that cannot be loaded whole.
    """
    from truehue.core.masks.grounded import detector

    entry = vision_model(model_id, "detector")
    source = weights(entry, sources or Sources.local())
    if entry.library == "opencv":
        from truehue.core.masks.grounded.coco import CocoDetector

        return CocoDetector(entry, source)
    return detector.load(entry, source, vision_placement(check(entry, source), machine()))


def open_segmenter(model_id: str, sources: Sources | None = None) -> Segmenter:
    """The same for a segmenter; ``folder:`` may also name a .pth file of segment_anything."""
    from truehue.core.masks.grounded import sam, sam2

    entry = vision_model(model_id, "segmenter")
    sources = sources or Sources.local()
    source = weights(entry, sources)
    if entry.library == "opencv":
        from truehue.core.masks.grounded.coco import SalientSegmenter

        return SalientSegmenter(entry, source, sources)
    device_placement = vision_placement(check(entry, source), machine())
    return (
        sam.load(entry, source, device_placement)
        if source.is_file
        else sam2.load(entry, source, device_placement)
    )


def open_vision(
    model_id: str, sources: Sources | None = None, role: Role | None = None
) -> Detector | Segmenter:
    """The detector or segmenter of that id. ``role`` is needed for ``hub:`` and ``folder:`` ids."""
    entry = vision_model(model_id, role)
    if entry.role == "detector":
        return open_detector(model_id, sources)
    if entry.role == "segmenter":
        return open_segmenter(model_id, sources)
    raise BadInput(f"{entry.name} answers questions: truehue.core.masks.grounded.tools opens it.")


def vision_placement(weights_gib: float, local_machine: Machine) -> Placement:
    """Where a vision model goes: all of it on the device where it fits, else on the CPU.

    Always float32, so that a mask does not depend on the machine's number formats; the models are
    small. ``weights_gib`` is at four bytes a number.
    """
    needed_gib = weights_gib + WORKING_GIB
    if local_machine.device == "cpu" or needed_gib <= local_machine.free_bytes / GIB:
        return Placement(
            local_machine.device, "float32", "none", f"{weights_gib:.2f} GiB of weights."
        )
    why = (
        f"{weights_gib:.1f} GiB of weights do not fit: {local_machine.name} has "
        f"{local_machine.free_bytes / GIB:.1f} GiB free. On the CPU, slower."
    )
    return Placement("cpu", "float32", "none", why)


def memory_wanted(model_id: str, sources: Sources | None = None, role: Role | None = None) -> int:
    """Bytes that the model is expected to take on its device, work included, were it empty; from
    the files where they are here and whole, else from the list; 0 where neither says."""
    entry: VisionEntry = vision_model(model_id, role)
    if entry.library == "opencv":
        return OPENCV_BYTES if machine().device == "cpu" else 0
    held_gib = entry.download_gib
    source = find(entry, sources or Sources.local())
    if source is not None:
        try:
            held_gib = check(entry, source)
        except BadInput:
            # Loading says what is wrong with the files; here only their size is asked.
            held_gib = entry.download_gib
    if not held_gib:
        return 0
    local_machine = machine()
    device_placement = vision_placement(
        held_gib, replace(local_machine, free_bytes=local_machine.memory_bytes)
    )
    return (
        int((held_gib + WORKING_GIB) * GIB)
        if device_placement.device == local_machine.device
        else 0
    )
