"""From a vision model's id to the model in memory."""

from __future__ import annotations

from dataclasses import replace

from core.errors import BadInput
from core.generation.weights.sources import Sources
from core.machine import GIB, WORKING_GIB, Machine, Placement, machine
from core.masks.grounded.records import Detector, Segmenter
from core.masks.grounded.vision_models import Role, VisionEntry, vision_model
from core.masks.grounded.weights import check, find, weights


def open_detector(model_id: str, sources: Sources | None = None) -> Detector:
    """The detector of that id, or of ``hub:owner/name`` or ``folder:/path``.

    Raises BadInput for an unknown id, ModelMissing with the way to get the files, and
    BadModelFolder for files that cannot be loaded whole.
    """
    from core.masks.grounded import detector

    entry = vision_model(model_id, "detector")
    found = weights(entry, sources or Sources.here())
    return detector.load(entry, found, vision_placement(check(entry, found), machine()))


def open_segmenter(model_id: str, sources: Sources | None = None) -> Segmenter:
    """The same for a segmenter; ``folder:`` may also name a .pth file of segment_anything."""
    from core.masks.grounded import sam, sam2

    entry = vision_model(model_id, "segmenter")
    found = weights(entry, sources or Sources.here())
    at = vision_placement(check(entry, found), machine())
    return sam.load(entry, found, at) if found.is_file else sam2.load(entry, found, at)


def open_vision(
    model_id: str, sources: Sources | None = None, role: Role | None = None
) -> Detector | Segmenter:
    """The detector or segmenter of that id. ``role`` is needed for ``hub:`` and ``folder:`` ids."""
    entry = vision_model(model_id, role)
    if entry.role == "detector":
        return open_detector(model_id, sources)
    if entry.role == "segmenter":
        return open_segmenter(model_id, sources)
    raise BadInput(f"{entry.name} answers questions: core.masks.grounded.tools opens it.")


def vision_placement(weights_gib: float, at: Machine) -> Placement:
    """Where a vision model goes: all of it on the device where it fits, else on the CPU.

    Always float32, so that a mask does not depend on the machine's number formats; the models are
    small. ``weights_gib`` is at four bytes a number.
    """
    wanted = weights_gib + WORKING_GIB
    if at.device == "cpu" or wanted <= at.free_bytes / GIB:
        return Placement(at.device, "float32", "none", f"{weights_gib:.2f} GiB of weights.")
    why = (
        f"{weights_gib:.1f} GiB of weights do not fit: {at.name} has {at.free_bytes / GIB:.1f} GiB "
        "free. On the CPU, slower."
    )
    return Placement("cpu", "float32", "none", why)


def memory_wanted(model_id: str, sources: Sources | None = None, role: Role | None = None) -> int:
    """Bytes that the model is expected to take on its device, work included, were it empty; from
    the files where they are here and whole, else from the list; 0 where neither says."""
    entry: VisionEntry = vision_model(model_id, role)
    held_gib = entry.download_gib
    found = find(entry, sources or Sources.here())
    if found is not None:
        try:
            held_gib = check(entry, found)
        except BadInput:
            # Loading says what is wrong with the files; here only their size is asked.
            held_gib = entry.download_gib
    if not held_gib:
        return 0
    at = machine()
    where = vision_placement(held_gib, replace(at, free_bytes=at.memory_bytes))
    return int((held_gib + WORKING_GIB) * GIB) if where.device == at.device else 0
