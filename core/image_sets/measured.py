"""A table of images: of each object its verdict, or its color where no target color is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from truehue.core.color.people import naming, same_name
from truehue.core.color.spaces import CONDITIONS_TEXT, hex_of, lab_to_srgb8
from truehue.core.color.systems import Lab
from truehue.core.concepts.palette import describe_colors
from truehue.core.errors import MaskError, ObjectNotFound, TrueHueError
from truehue.core.image_sets.records import ImportStep
from truehue.core.images.pixels import masked_colors
from truehue.core.masks.marks import SALIENT
from truehue.core.masks.selection import SALIENT_OR_WHOLE, WHOLE, select_pixels_by
from truehue.core.sentences import no_target_reason
from truehue.core.verdict.expectations import Expectation, expectations_of
from truehue.core.verdict.measure import TargetObject, measure
from truehue.core.verdict.rules import DIFFERS, NO_TARGET, UNSCORED

EMPTY: Mapping[str, Any] = MappingProxyType({})


def image_row(
    file: str,
    prompt: str,
    expectation: Expectation | None,
    status: str,
    reason: str,
    *,
    rule: str = "",
    lab: Lab | None = None,
    numbers: Mapping[str, Any] = EMPTY,
    masker: str = "",
) -> dict[str, Any]:
    """A row of the table: the columns are its keys. ``lab`` is the measured color, CIELAB, for the
    illuminant and observer of ``lab_for``; ``numbers`` are those of a verdict
    (:meth:`truehue.core.verdict.measure.Measurement.numbers`), and ``delta_e00_to`` is the color to
    which its ``delta_e00`` was taken. ``people_name`` is the name that people use most for the color,
    ``people_percent`` their share of ``people_answers`` answers, and ``people_target_percent`` the
    share that uses the target's name, where that is one of the survey's; ``masker`` says how the pixels
    were selected (:func:`truehue.core.masks.registry.describe`). What is not known is None."""
    lab, delta_e00 = lab or numbers.get("lab"), numbers.get("delta_e00")
    people = naming(lab) if lab is not None else None
    name = people.names[0] if people else None
    target_name = (expectation.color.name or "") if expectation else ""
    target_share = people.share_of(target_name) if people and target_name else None
    return {
        "file": file,
        "prompt": prompt,
        "object": expectation.target.name if expectation else "",
        "target": expectation.color.hex if expectation else "",
        "target_name": target_name,
        "system": (expectation.color.system or "") if expectation else "",
        "relation": expectation.relation if expectation else "",
        "status": status,
        "rule": rule,
        "delta_e00": None if delta_e00 is None else round(delta_e00, 2),
        "delta_e00_to": "" if delta_e00 is None else _compared_color(numbers),
        "measured": None if lab is None else hex_of(lab_to_srgb8(np.array(lab))),
        **dict(zip(("L*", "a*", "b*"), _rounded(lab), strict=True)),
        "lab_for": CONDITIONS_TEXT if lab is not None else None,
        "people_name": name.name if name else None,
        "people_percent": round(100.0 * name.share, 1) if name else None,
        "people_answers": people.answers if people else None,
        "people_target_percent": None if target_share is None else round(100.0 * target_share, 1),
        "masker": masker if lab is not None else "",
        "reason": reason,
    }


def named_so_note(fails: Sequence[Mapping[str, Any]]) -> str:
    """A sentence on how many of the objects that fail have a color that people call by the target's name
    most; empty for none."""
    named = sum(
        row["relation"] != DIFFERS and same_name(row["people_name"] or "", row["target_name"])
        for row in fails
        if row["target_name"]
    )
    if not named:
        return ""
    which = (
        "The object that fails has"
        if len(fails) == 1
        else f"{named:,} of the {len(fails):,} objects that fail {'has' if named == 1 else 'have'}"
    )
    return (
        f"{which} a color that people call by the target's name more than by any other. A rule compares "
        "with one color, the name's in its system; people use the name for many."
    )


def _compared_color(numbers: Mapping[str, Any]) -> str:
    """The color to which a verdict's ΔE00 was taken, beside the target the accepted one by its name."""
    if numbers.get("light"):
        return "target under the estimated light"
    candidates: Sequence[Mapping[str, Any]] = numbers.get("candidates") or (EMPTY,)
    of_target = candidates[0].get("name") or candidates[0].get("hex")
    compared = numbers.get("metrics", {}).get("delta_e00", {}).get("candidate", of_target)
    return "target" if compared == of_target else str(compared)


def _rounded(lab: Lab | None) -> tuple[float | None, ...]:
    return (None,) * 3 if lab is None else tuple(round(value, 2) for value in lab)


def measured_rows(
    step: ImportStep, rule_id: str, masker: str = SALIENT
) -> Iterator[dict[str, Any]]:
    """The rows of an image of a folder, one an object that a color is asked of, by a rule; or the one
    row with the color of the image's object.

    The object is what the ``masker`` selects (:func:`truehue.core.masks.selection.select_pixels_by`).
    Where that cannot tell, and of a file that cannot be read, the row is ``unscored`` with the
    reason. Raises BadInput for an unknown rule.
    """
    file, prompt = step.found.name, step.found.prompt.text
    expectations = expectations_of(step.found.prompt.targets)
    try:
        if step.loaded is None:
            raise TrueHueError(step.problem or f"It is a copy of {step.same_as}.")
        srgb8 = step.loaded.srgb8
        mask, selected_by = _mask(step, len(expectations), masker)
        if not expectations:
            lab = describe_colors(masked_colors(srgb8, mask)).lit_lab
            reason = no_target_reason(prompt)
            yield image_row(file, prompt, None, NO_TARGET, reason, lab=lab, masker=selected_by)
    except TrueHueError as error:
        for expectation in expectations or (None,):
            yield image_row(file, prompt, expectation, UNSCORED, str(error))
        return
    for expectation in expectations:
        target_object = TargetObject(
            expectation.target.name, expectation.relation, expectation.guided
        )
        measurement = measure(srgb8, mask, expectation.color, rule_id, target_object=target_object)
        verdict = measurement.verdict
        yield image_row(
            file,
            prompt,
            expectation,
            verdict.status,
            verdict.reason,
            rule=verdict.rule,
            numbers=measurement.numbers(),
            masker=selected_by,
        )


def _mask(step: ImportStep, objects: int, masker: str) -> tuple[np.ndarray, str]:
    """The pixels of the object, bool ``(H, W)``, and how they were selected; raises TrueHueError where
    nothing can tell."""
    assert step.loaded is not None
    if objects > 1:
        selected = "The whole image is no single" if masker == WHOLE else "What stands out is one"
        raise MaskError(f"{selected} object; this prompt has {objects}.")
    try:
        selection = select_pixels_by(masker, step.loaded, f"give --masker {WHOLE}")
    except ObjectNotFound as error:
        raise MaskError(
            f"Nothing stands out: --masker {SALIENT_OR_WHOLE} measures such images as a whole."
        ) from error
    return selection.pixels, selection.name
