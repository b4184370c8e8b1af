"""The questions of a ring test as a question set that ``truehue vlm run`` evaluates a model on.

Its answers are those of the key, so the set belongs to whoever keeps the key. Probes are a task of
their own: their answer is no, as the color differs, but no scorer has to see 3 ΔE00.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from truehue.core.images.load import image_id, load_image
from truehue.core.ring.folder import RingKey, RingSet
from truehue.core.ring.plan import PROBE
from truehue.core.vlm.question_set import QuestionSet, write_set
from truehue.core.vlm.records import Form, IllustratedQuestion, Question

TASK, PROBE_TASK = "ring", "ring_probes"


def write_vlm_set(folder: Path, ring_set: RingSet, key: RingKey) -> QuestionSet:
    """Writes the question set to a new folder. Raises BadInput as
    :func:`truehue.core.vlm.question_set.write_set`."""
    settings = {"ring_set": ring_set.id, "key_sha256": key.sha256}
    return write_set(folder, _questions(ring_set, key), f"Ring test {ring_set.name}", settings)


def _questions(ring_set: RingSet, key: RingKey) -> Iterator[IllustratedQuestion]:
    entries = sorted(key.questions.values(), key=lambda question: question.image)
    for image, group in groupby(entries, key=lambda question: question.image):
        srgb8 = load_image(ring_set.folder / image).srgb8
        pixels = image_id(srgb8)
        for entry in group:
            question = Question(
                question_id=entry.id,
                task=PROBE_TASK if entry.kind == PROBE else TASK,
                form=Form.BINARY,
                text=entry.text,
                choices=(),
                answer=entry.answer,
                image_id=pixels,
                construction={"object": entry.object, "system": entry.system, "kind": entry.kind},
            )
            yield IllustratedQuestion(question, srgb8)
