"""Open a model of any kind by its record, including the baselines: the pixel baseline and chance."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from truehue.core.errors import TrueHueError
from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.models.busy import ReportWait
from truehue.core.vlm.models.records import (
    CHANCE,
    Answerer,
    EvaluationStopped,
    ImagePrompt,
    NoReply,
    Reply,
    Sampling,
    Stop,
    VisionModel,
)
from truehue.core.vlm.models.served import Budget, ServedAnswerer
from truehue.core.vlm.records import IllustratedQuestion


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
        return BaselineAnswerer(model)
    from truehue.core.vlm.models.local import open_local

    return open_local(model, sources)


class BaselineAnswerer:
    """Answers by the letter, yes, no or the name alone. It knows the question and the pixels, never
    the construction; where it has no way to an answer it says so, and leaves the question without
    one."""

    def __init__(self, model: VisionModel) -> None:
        self._model = model

    def answers(
        self, image_prompts: Iterable[ImagePrompt], sampling: Sampling, stop: Stop
    ) -> Iterator[Reply | NoReply]:
        """The reply to each ask, which names its question. Raises Halted once ``stop`` says so."""
        for ask in image_prompts:
            if stop():
                raise EvaluationStopped
            yield self._answer(ask)

    def close(self) -> None:
        """It holds nothing."""

    def _answer(self, ask: ImagePrompt) -> Reply | NoReply:
        # It brings OpenCV, which nobody needs who only opens the data.
        from truehue.core.vlm.baselines import can_read, guess, read_pixels

        began, question = time.perf_counter(), ask.question
        if question is None:
            return NoReply("A baseline needs the question, not only its prompt.", counts=False)
        height, width = 0, 0
        try:
            if self._model.location == CHANCE:
                answer = guess(question, ask.seed)
            elif can_read(question):
                srgb8 = ask.pixels()
                height, width = srgb8.shape[:2]
                answer = read_pixels(IllustratedQuestion(question, srgb8))
            else:
                return NoReply("The reader of pixels cannot answer this.", counts=False)
        except TrueHueError as error:
            return NoReply(str(error), counts=False)
        if answer.reading is None:
            return NoReply(answer.reason, counts=False)
        seconds = time.perf_counter() - began
        return Reply(answer.words, "stop", seconds, width, height)
