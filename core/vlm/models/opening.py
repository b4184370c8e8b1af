"""From a model's record to one that answers, whatever its kind."""

from __future__ import annotations

from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.models.busy import ReportWait
from truehue.core.vlm.models.records import Answerer, VisionModel
from truehue.core.vlm.models.served import Budget, ServedAnswerer


def open_model(
    model: VisionModel,
    sources: Sources | None = None,
    budget: Budget | None = None,
    report_wait: ReportWait | None = None,
) -> Answerer:
    """Loads a local model, or makes ready to ask a served one, within its budget; ``report_wait``
    hears when that asks for patience. Raises ModelMissing and BadModelFolder for files,
    CannotAnswer for a key that is not there."""
    if model.kind == "served":
        return ServedAnswerer(model, budget, report_wait)
    if model.kind == "baseline":
        from truehue.core.vlm.models.baseline import BaselineAnswerer

        return BaselineAnswerer(model)
    from truehue.core.vlm.models.local import open_local

    return open_local(model, sources)
