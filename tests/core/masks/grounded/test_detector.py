"""A real GroundingDINO of random weights, through the code that loads published ones."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.memory import BadModelFolder
from truehue.core.masks.grounded.detector import CHUNK, query_text
from truehue.core.masks.grounded.records import Detection, Detector
from truehue.core.masks.grounded.tools import open_detector

pytestmark = pytest.mark.weights

LABELS = ("apple", "Red tea cup", "tea towel of linen")


def test_labels_become_queries() -> None:
    assert query_text("  Traffic   Light. ") == "traffic light."
    assert query_text("St. Bernard?") == "st bernard."
    for nothing in ("", " . ", "?!"):
        with pytest.raises(BadInput, match="names nothing"):
            query_text(nothing)


def test_boxes_are_those_of_the_library(tiny: dict[str, Path], image: np.ndarray) -> None:
    import torch
    from transformers import GroundingDinoForObjectDetection, GroundingDinoProcessor

    model = GroundingDinoForObjectDetection.from_pretrained(tiny["detector"]).eval()
    processor = GroundingDinoProcessor.from_pretrained(tiny["detector"])
    inputs = processor(images=image, text="red tea cup.", return_tensors="pt")
    with torch.no_grad():
        raw = model(**inputs)
    scores = raw.logits.sigmoid().max(-1)[0][0]
    order = [int(n) for n in scores.argsort(descending=True) if scores[n] > 0.5]
    # Center and size, 0 to 1, to corners in pixels: x by the width, y by the height.
    x, y, across, down = raw.pred_boxes[0, order].T.double().numpy()
    corners = np.stack([x - across / 2, y - down / 2, x + across / 2, y + down / 2], axis=1)
    detector = open_detector(f"folder:{tiny['detector']}")
    detections = detector.detect(image, ["Red tea cup"], 0.5, 0.25)
    assert 0 < len(detections) < 20
    assert [detection.label for detection in detections] == ["Red tea cup"] * len(detections)
    expected = corners * [80, 48, 80, 48]
    assert np.allclose([detection.box for detection in detections], expected, atol=1e-3)
    assert np.allclose(
        [detection.score for detection in detections], scores[order].numpy(), atol=1e-5
    )


def same(first: tuple[Detection, ...], second: tuple[Detection, ...]) -> None:
    assert [detection.label for detection in first] == [detection.label for detection in second]
    assert np.allclose(
        [detection.score for detection in first],
        [detection.score for detection in second],
        atol=1e-5,
    )
    assert np.allclose(
        [detection.box for detection in first], [detection.box for detection in second], atol=1e-2
    )


def test_a_batch_of_labels_equals_one_by_one(
    detector: Detector, image: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHUNK, "cpu", 3)
    looked: list[int] = []
    of_detector: Any = detector
    swin = of_detector._model.model.backbone.conv_encoder.model
    swin.register_forward_hook(lambda _, args, result: looked.append(len(result.feature_maps[0])))
    together = detector.detect(image, LABELS, 0.0, 0.0)
    assert len(together) == 3 * 20
    # The backbone knows no words: it looks once for three labels.
    assert looked == [1]
    one_by_one = [
        detection for label in LABELS for detection in detector.detect(image, [label], 0.0, 0.0)
    ]
    same(together, tuple(one_by_one))
    assert together == detector.detect(image, LABELS, 0.0, 0.0)
    # Words matter: another label gives other boxes.
    boxes = [detection.box for detection in together]
    assert not np.allclose(boxes[:20], boxes[20:40], atol=0.5)


def test_fewer_labels_at_once_where_memory_does_not_suffice(
    detector: Detector, image: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHUNK, "cpu", 3)
    wanted = detector.detect(image, LABELS, 0.0, 0.0)
    of_detector: Any = detector
    forward, sizes = of_detector._model.forward, list[int]()

    def short(**inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 1:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB.")
        return forward(**inputs)

    monkeypatch.setattr(of_detector._model, "forward", short)
    monkeypatch.setattr(of_detector, "_chunks", {})
    same(wanted, detector.detect(image, LABELS, 0.0, 0.0))
    assert sizes == [3, 1, 1, 1]
    detector.detect(image, LABELS, 0.0, 0.0)
    assert sizes[4:] == [1, 1, 1]  # it remembers
    detector.detect(image[:-8], LABELS, 0.0, 0.0)
    assert sizes[7:] == [3, 1, 1, 1]  # images of another size may fit
    monkeypatch.setattr(of_detector._model, "forward", lambda **_: forward(bad=1))
    with pytest.raises(TypeError):
        detector.detect(image, LABELS, 0.0, 0.0)


def test_thresholds_cut_off_and_the_best_comes_first(detector: Detector, image: np.ndarray) -> None:
    every = detector.detect(image, ["apple"], 0.0, 0.25)
    scores = [detection.score for detection in every]
    assert scores == sorted(scores, reverse=True)
    limit = scores[len(scores) // 2]
    detections = detector.detect(image, ["apple"], limit, 0.25)
    assert [detection.score for detection in detections] == [
        score for score in scores if score > limit
    ]
    assert detector.detect(image, ["apple"], 1.0, 0.25) == ()
    assert detector.detect(image, [], 0.0, 0.25) == ()
    # One query a label: the words' threshold changes no box.
    assert detector.detect(image, ["apple"], 0.0, 0.9) == every


def test_what_it_cannot_look_at_is_refused(detector: Detector, image: np.ndarray) -> None:
    with pytest.raises(BadInput, match="uint8"):
        detector.detect(image.astype(float), ["apple"], 0.3, 0.25)
    with pytest.raises(BadInput, match="longer than the 64 tokens"):
        detector.detect(image, ["a" * 40 + " " + "b" * 40], 0.3, 0.25)
    assert detector.memory_bytes > 100_000
    detector.unload()
    detector.unload()
    assert detector.memory_bytes == 0
    with pytest.raises(TrueHueError, match="was unloaded"):
        detector.detect(image, ["apple"], 0.3, 0.25)


def changed(folder: Path, to: Path, change: Any) -> Path:
    from safetensors.torch import load_file, save_file

    shutil.copytree(folder, to)
    path = to / "model.safetensors"
    save_file(change(load_file(path)), path, metadata={"format": "pt"})
    return to


def test_weights_that_are_missing_or_renamed_are_refused(
    tiny: dict[str, Path], tmp_path: Path
) -> None:
    def one_missing(weights: dict[str, Any]) -> dict[str, Any]:
        name = next(name for name in weights if "encoder.layers.1" in name)
        return {key: weight for key, weight in weights.items() if key != name}

    folder = changed(tiny["detector"], tmp_path / "missing", one_missing)
    with pytest.raises(BadModelFolder, match="lacks 1 of the weights of GroundingDino"):
        open_detector(f"folder:{folder}")

    def other_shape(weights: dict[str, Any]) -> dict[str, Any]:
        name = next(name for name in weights if "text_backbone" in name)
        return {**weights, name: weights[name][:1].clone()}

    folder = changed(tiny["detector"], tmp_path / "shape", other_shape)
    with pytest.raises(BadModelFolder, match="could not be read as GroundingDino"):
        open_detector(f"folder:{folder}")
    folder = changed(tiny["detector"], tmp_path / "cut", lambda weights: weights)
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(BadModelFolder, match="download is not complete"):
        open_detector(f"folder:{folder}")


def test_the_folder_of_another_model_is_refused(tiny: dict[str, Path]) -> None:
    with pytest.raises(BadModelFolder, match="type 'sam2', and a detector is 'grounding-dino'"):
        open_detector(f"folder:{tiny['sam2']}")
    with pytest.raises(BadModelFolder, match=r"no config\.json or no safetensors"):
        open_detector(f"folder:{tiny['detector'].parent}")
