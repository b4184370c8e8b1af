"""The measures of a registered CFM: its scores of an image and its prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from truehue.core.errors import TrueHueError
from truehue.core.fidelity.cfm.registration import Registration
from truehue.core.fidelity.cfm.scorer import CfmScore, CfmScorer, reduce_attention
from truehue.core.refinement.settings import discrepancy_of, rows_of
from truehue.core.scores.records import HIGH, IMAGE, Measure, ScoreRecord
from truehue.core.scores.scoring import unscored
from truehue.core.version import VERSION

CFM, CFM_LOGIT = "cfm", "cfm_logit"
"""Ids of the measures: the head's value divided by 3, and as it is."""
MAP = "map"
"""Among the numbers of a score by :data:`CFM`: the map as rows of two hexadecimal digits a cell."""
NO_PROMPT = "CFM reads a picture and its prompt, and of this picture no prompt is known."
MAP_WORDS = (
    "CFM’s attention map: how alike the last hidden states of text and image tokens are, the mean "
    "over the text (equations 8 and 9), stretched from 0 to 1 within this picture, one cell a "
    "token of 28 pixels a side as CFM reads it. By the paper, high values lie where colors depart "
    "from a photograph’s. Heights of two pictures cannot be compared."
)
"""The legend of the map."""

_SOURCE = "“Too Vivid to Be Real?”, CFM"


def cfm_measures(registration: Registration) -> tuple[Measure, ...]:
    """The measures of a registered CFM: version is its checkpoint, and the instruction is among
    the parameters, so that scores of another one stay apart; so are rounded rotary frequencies."""
    parameters = {"instruction_sha256": registration.instruction_sha256}
    if registration.rotary:
        parameters["rotary"] = registration.rotary
    about = f"checkpoint {registration.name}, read with {registration.instruction_text}"
    formulas = (
        (CFM, "CFM (logits / 3)", "Color fidelity: the value of CFM’s head divided by 3, as the "),
        (CFM_LOGIT, "CFM, raw logit", "Color fidelity: the value of CFM’s head, which the "),
    )
    return tuple(
        Measure(
            measure_id,
            registration.version,
            name,
            HIGH,
            None,
            None,
            3,
            f"{text}published code {'reports it' if measure_id == CFM else 'divides by 3'}; "
            "with the prompt",
            f"{_SOURCE}; {about}",
            parameters=parameters,
            scorer=CFM,
        )
        for measure_id, name, text in formulas
    )


def cfm_records(
    registration: Registration, image_id: str, prompt: str, score: CfmScore
) -> list[ScoreRecord]:
    """CFM's scores of an image, by each of its measures; the first has the map."""
    provenance = {"truehue": VERSION, "prompt": prompt, "checkpoint": registration.name}
    numbers: dict[str, tuple[float, dict[str, Any]]] = {
        CFM: (score.score, {"logit": score.logit, MAP: rows_of(reduce_attention(score.attention))}),
        CFM_LOGIT: (score.logit, {"score": score.score}),
    }
    return [
        ScoreRecord(
            IMAGE,
            image_id,
            measure.id,
            measure.version,
            numbers[measure.id][0],
            parameters=measure.parameters,
            numbers=numbers[measure.id][1],
            provenance=provenance,
        )
        for measure in cfm_measures(registration)
    ]


def scored_by_cfm(
    scorer: CfmScorer,
    registration: Registration,
    images: Sequence[tuple[str, np.ndarray, str]],
    batch_size: int = 4,
) -> list[ScoreRecord]:
    """Scores of images (image id, uint8 sRGB ``(H, W, 3)``, prompt), each by every measure of
    CFM.

    ``unscored`` where an image has no prompt or cannot be read by CFM; one that breaks a batch
    leaves the others theirs.
    """
    records: list[ScoreRecord] = []
    with_prompt = []
    for image_id, srgb8, prompt in images:
        if prompt.strip():
            with_prompt.append((image_id, srgb8, prompt))
        else:
            records += _without(registration, image_id, NO_PROMPT)
    for start in range(0, len(with_prompt), batch_size):
        records += _batch(scorer, registration, with_prompt[start : start + batch_size])
    return records


def _batch(
    scorer: CfmScorer, registration: Registration, batch: Sequence[tuple[str, np.ndarray, str]]
) -> list[ScoreRecord]:
    ids, images, prompts = (list(column) for column in zip(*batch, strict=True))
    try:
        scores = scorer.scores(images, prompts, len(batch))
    except TrueHueError as error:
        if len(batch) > 1:
            return [record for entry in batch for record in _batch(scorer, registration, [entry])]
        return _without(registration, ids[0], str(error))
    records = []
    for image_id, prompt, score in zip(ids, prompts, scores, strict=True):
        if np.isfinite(score.logit):
            records += cfm_records(registration, image_id, prompt, score)
        else:
            records += _without(registration, image_id, f"CFM gave {score.logit}, no number.")
    return records


def _without(registration: Registration, image_id: str, reason: str) -> list[ScoreRecord]:
    return [unscored(measure, image_id, reason) for measure in cfm_measures(registration)]


def map_rows(records: Sequence[ScoreRecord], version: str = "") -> list[str] | None:
    """CFM's map of an image as a refinement takes it, rows of two hexadecimal digits a cell, from
    its stored scores: the latest (of one ``version`` where it is given); None without one."""
    for record in reversed(records):
        rows = record.numbers.get(MAP)
        if record.measure == CFM and rows and version in ("", record.version):
            return [str(row) for row in rows]
    return None


def map_of(records: Sequence[ScoreRecord], version: str = "") -> np.ndarray | None:
    """The map that :func:`map_rows` finds, as float32 ``(h, w)`` in [0, 1]; None without one."""
    rows = map_rows(records, version)
    return None if rows is None else discrepancy_of(rows)
