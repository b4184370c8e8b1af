"""Sam and SAM 2 of random weights: looked at once, in the image's own pixels, whole or refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny_models import grounding
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.memory import BadModelFolder
from truehue.core.masks.grounded.embeddings import KEPT
from truehue.core.masks.grounded.records import Segmenter
from truehue.core.masks.grounded.sam import SamSegmenter, build, read_sizes
from truehue.core.masks.grounded.tools import open_detector, open_segmenter

pytestmark = pytest.mark.weights

BOXES = [(5.0, 4.0, 40.0, 30.0), (20.5, 10.0, 79.0, 47.0), (0.0, 0.0, 80.0, 48.0)]


def encoder(segmenter: Any) -> Any:
    if isinstance(segmenter, SamSegmenter):
        return segmenter._model.model.image_encoder
    return segmenter._model.vision_encoder


def prompt_encoder(segmenter: Any) -> Any:
    if isinstance(segmenter, SamSegmenter):
        return segmenter._model.model.prompt_encoder
    return segmenter._model.prompt_encoder


def count_calls(module: Any) -> list[int]:
    calls: list[int] = []
    module.register_forward_hook(lambda *_: calls.append(1))
    return calls


def test_the_image_is_looked_at_once(segmenter: Segmenter, image: np.ndarray) -> None:
    calls = count_calls(encoder(segmenter))
    embedding = segmenter.embed(image, "one")
    segmenter.from_boxes(embedding, BOXES)
    segmenter.from_points(embedding, [(20, 20)], [True])
    segmenter.from_points(segmenter.embed(image, "one"), [(30, 20)], [True])
    assert len(calls) == 1
    # Without a name the content is the name.
    segmenter.embed(image)
    segmenter.embed(image.copy())
    assert len(calls) == 2
    segmenter.embed(255 - image)
    assert len(calls) == 3
    # A name that stands for an image of another size by now is looked at anew.
    segmenter.embed(image[:40], "one")
    assert len(calls) == 4


def test_the_last_few_images_are_kept(segmenter: Segmenter, image: np.ndarray) -> None:
    calls = count_calls(encoder(segmenter))
    empty = segmenter.memory_bytes
    for n in range(KEPT + 1):
        segmenter.embed(image, f"image {n}")
    full = segmenter.memory_bytes
    assert full > empty
    segmenter.embed(image, "image 1")
    assert len(calls) == KEPT + 1
    segmenter.embed(image, "image 0")
    assert len(calls) == KEPT + 2
    assert segmenter.memory_bytes == full


def test_sam_gives_what_its_own_predictor_gives(tiny: dict[str, Path], image: np.ndarray) -> None:
    from segment_anything import SamPredictor

    predictor = SamPredictor(grounding.sam_model())
    predictor.set_image(image)
    ours = open_segmenter(f"folder:{tiny['sam']}")
    embedding = ours.embed(image)
    # Another image, of another shape, in between must not be in the way.
    ours.from_boxes(ours.embed(255 - image[:, :40]), BOXES[:1])
    for box, segment in zip(BOXES, ours.from_boxes(embedding, BOXES), strict=True):
        masks, scores, _ = predictor.predict(box=np.array(box), multimask_output=False)
        assert segment.pixels.mean() not in (0, 1)
        assert np.array_equal(segment.pixels, masks[0])
        assert segment.score == pytest.approx(float(scores[0]), abs=1e-5)
    points, labels = np.array([[20.0, 20.0], [70.0, 9.0]]), np.array([1, 0])
    masks, scores, _ = predictor.predict(points, labels, multimask_output=False)
    segment = ours.from_points(embedding, [(20, 20), (70, 9)], [True, False])
    assert np.array_equal(segment.pixels, masks[0])
    masks, scores, _ = predictor.predict(points, labels, np.array(BOXES[0]), None, False)
    segment = ours.from_points(embedding, [(20, 20), (70, 9)], [True, False], BOXES[0])
    assert np.array_equal(segment.pixels, masks[0])
    # One point is ambiguous: the best of three.
    masks, scores, _ = predictor.predict(points[:1], labels[:1], multimask_output=True)
    segment = ours.from_points(embedding, [(20, 20)], [True])
    assert np.array_equal(segment.pixels, masks[scores.argmax()])
    assert segment.score == pytest.approx(float(scores.max()), abs=1e-5)


def test_sam2_gives_what_transformers_gives(tiny: dict[str, Path], image: np.ndarray) -> None:
    import torch
    from transformers import Sam2Model, Sam2Processor

    model = Sam2Model.from_pretrained(tiny["sam2"]).eval()
    processor = Sam2Processor.from_pretrained(tiny["sam2"])

    def directly(several: bool, **prompts: Any) -> tuple[np.ndarray, np.ndarray]:
        inputs = processor(images=image, return_tensors="pt", **prompts)
        sizes = inputs.pop("original_sizes")
        with torch.no_grad():
            out = model(**inputs, multimask_output=several)
        masks = processor.post_process_masks(out.pred_masks, sizes)[0]
        return masks.numpy(), out.iou_scores[0].numpy()

    ours = open_segmenter(f"folder:{tiny['sam2']}")
    embedding = ours.embed(image)
    masks, scores = directly(False, input_boxes=[[list(box) for box in BOXES]])
    for n, segment in enumerate(ours.from_boxes(embedding, BOXES)):
        assert np.array_equal(segment.pixels, masks[n, 0])
        assert segment.score == pytest.approx(float(scores[n, 0]), abs=1e-5)
    masks, scores = directly(True, input_points=[[[[20.0, 20.0]]]], input_labels=[[[1]]])
    segment = ours.from_points(embedding, [(20, 20)], [True])
    assert np.array_equal(segment.pixels, masks[0, scores[0].argmax()])
    masks, _ = directly(
        False,
        input_points=[[[[20.0, 20.0], [70.0, 9.0]]]],
        input_labels=[[[1, 0]]],
        input_boxes=[[list(BOXES[0])]],
    )
    segment = ours.from_points(embedding, [(20, 20), (70, 9)], [True, False], BOXES[0])
    assert np.array_equal(segment.pixels, masks[0, 0])


def test_the_video_model_gives_its_image_part(tiny: dict[str, Path], image: np.ndarray) -> None:
    from transformers import Sam2VideoModel

    published = Sam2VideoModel.from_pretrained(tiny["sam2_video"]).state_dict()
    ours: Any = open_segmenter(f"folder:{tiny['sam2_video']}")
    for name, weight in ours._model.state_dict().items():
        assert (weight == published[name]).all(), name


def test_boxes_and_points_reach_the_model_in_its_frame(
    segmenter: Segmenter, image: np.ndarray
) -> None:
    seen: list[Any] = []
    prompt_encoder(segmenter).register_forward_pre_hook(
        lambda _, args, kwargs: seen.append(kwargs), with_kwargs=True
    )
    embedding = segmenter.embed(image)
    segments = segmenter.from_boxes(embedding, BOXES)
    assert [segment.pixels.shape for segment in segments] == [(48, 80)] * 3
    assert all(segment.pixels.dtype == bool for segment in segments)
    segmenter.from_points(embedding, [(20, 30)], [True])
    if isinstance(segmenter, SamSegmenter):
        # Sam keeps the proportions (the longer side becomes 64) ...
        boxes, (points, _) = seen[0]["boxes"], seen[1]["points"]
        by_x, by_y = 64 / 80, round(48 * 64 / 80) / 48
    else:
        # ... SAM 2 stretches to a square of 128.
        boxes, points = seen[0]["input_boxes"][0], seen[1]["input_points"]
        by_x, by_y = 128 / 80, 128 / 48
    assert np.allclose(boxes.numpy(), np.array(BOXES) * [by_x, by_y, by_x, by_y], atol=1e-4)
    assert np.allclose(points.numpy().reshape(2), [20 * by_x, 30 * by_y], atol=1e-4)


def test_the_same_is_given_twice_and_in_any_batch(
    segmenter: Segmenter, image: np.ndarray, tiny: dict[str, Path]
) -> None:
    embedding = segmenter.embed(image)
    counted = [(float(x), 5.0, float(x + 20), 40.0) for x in range(20)]
    together, again = (segmenter.from_boxes(embedding, counted) for _ in range(2))
    assert len(together) == 20
    for first, second in zip(together, again, strict=True):
        assert np.array_equal(first.pixels, second.pixels)
    alone = [segmenter.from_boxes(embedding, [box])[0] for box in counted]
    wrong = [np.mean(item.pixels != two.pixels) for item, two in zip(together, alone, strict=True)]
    assert max(wrong) < 0.002
    assert segmenter.from_boxes(embedding, []) == ()


def test_prompts_without_meaning_are_refused(segmenter: Segmenter, image: np.ndarray) -> None:
    embedding = segmenter.embed(image)
    with pytest.raises(BadInput, match="x0 <= x1"):
        segmenter.from_boxes(embedding, [(40, 4, 5, 30)])
    with pytest.raises(BadInput, match="at least one point"):
        segmenter.from_points(embedding, [(5, 5)], [False])
    with pytest.raises(BadInput, match="outside of the image of 80 x 48"):
        segmenter.from_points(embedding, [(5, 60)], [True])
    with pytest.raises(BadInput, match="2 points have 1 marks"):
        segmenter.from_points(embedding, [(5, 6), (7, 8)], [True])
    with pytest.raises(BadInput, match="embed the image again"):
        segmenter.from_boxes(object(), [(5, 4, 40, 30)])
    with pytest.raises(BadInput, match="uint8"):
        segmenter.embed(image[..., 0])
    segmenter.unload()
    segmenter.unload()
    assert segmenter.memory_bytes == 0
    with pytest.raises(TrueHueError, match="was unloaded"):
        segmenter.embed(image)
    with pytest.raises(TrueHueError, match="was unloaded"):
        segmenter.from_boxes(embedding, BOXES)


@pytest.mark.parametrize("size", ["vit_b", "vit_l", "vit_h"])
def test_published_sizes_are_read_off_a_checkpoint(size: str) -> None:
    import torch
    from segment_anything import sam_model_registry

    with torch.device("meta"):
        published = sam_model_registry[size]()
        weights = published.state_dict()
        sizes = read_sizes(weights)
        ours = build(sizes)
    assert (sizes.name, sizes.side_px, sizes.window) == (size, 1024, 14)
    shapes = {name: tuple(weight.shape) for name, weight in weights.items()}
    assert {name: tuple(item.shape) for name, item in ours.state_dict().items()} == shapes
    # What no shape tells: heads and windows, of encoder and decoder.
    said = [
        (
            type(module).__name__,
            getattr(module, "num_heads", None),
            getattr(module, "window_size", None),
        )
        for module in published.modules()
    ]
    assert said == [
        (
            type(module).__name__,
            getattr(module, "num_heads", None),
            getattr(module, "window_size", None),
        )
        for module in ours.modules()
    ]
    assert [module.eps for module in ours.modules() if type(module).__name__ == "LayerNorm"] == [
        module.eps for module in published.modules() if type(module).__name__ == "LayerNorm"
    ]
    assert sizes.is_published


def saved(weights: Any, path: Path) -> str:
    import torch

    torch.save(weights, path)
    return f"folder:{path}"


class RunsCode:
    """A pickle that writes a file when it is read by a reader that trusts it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (self.path,))


def test_a_file_that_is_no_whole_sam_is_refused(tiny: dict[str, Path], tmp_path: Path) -> None:
    weights = dict(grounding.sam_model().state_dict())
    path = tmp_path / "a.pth"
    name = "mask_decoder.iou_token.weight"
    lacking = {key: weight for key, weight in weights.items() if key != name}
    with pytest.raises(BadModelFolder, match=rf"Missing key.*{name}"):
        open_segmenter(saved(lacking, path))
    with pytest.raises(BadModelFolder, match="Unexpected key"):
        open_segmenter(saved({**weights, "more": weights[name]}, path))
    with pytest.raises(BadModelFolder, match="size mismatch"):
        open_segmenter(saved({**weights, name: weights[name][:, :5]}, path))
    with pytest.raises(BadModelFolder, match="no checkpoint of Segment Anything"):
        open_segmenter(saved({"weight": weights[name]}, path))
    with pytest.raises(BadModelFolder, match="holds 'epoch', which is no weight"):
        open_segmenter(saved({**weights, "epoch": 3}, path))
    with pytest.raises(BadModelFolder, match="holds a list"):
        open_segmenter(saved([1, 2], path))
    ran = tmp_path / "ran"
    with pytest.raises(BadModelFolder, match="could run any code"):
        open_segmenter(saved({**weights, "x": RunsCode(ran)}, path))
    assert not ran.exists()
    path.write_bytes(tiny["sam"].read_bytes()[:-5000])
    with pytest.raises(BadModelFolder, match="cannot be read"):
        open_segmenter(f"folder:{path}")
    path.write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(BadModelFolder, match="pointer of Git LFS"):
        open_segmenter(f"folder:{path}")
    path.write_text("no such thing")
    with pytest.raises(BadModelFolder, match="no checkpoint of torch"):
        open_segmenter(f"folder:{path}")


def test_a_folder_that_is_no_whole_sam2_is_refused(tiny: dict[str, Path], tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    for kind in ("sam2", "sam2_video"):
        folder = Path(shutil.copytree(tiny[kind], tmp_path / kind))
        path = folder / "model.safetensors"
        weights = load_file(path)
        name = next(name for name in weights if "vision_encoder" in name)
        del weights[name]
        save_file(weights, path, metadata={"format": "pt"})
        with pytest.raises(BadModelFolder, match=rf"lacks 1 of the weights of Sam2Model \({name}"):
            open_segmenter(f"folder:{folder}")
    with pytest.raises(BadModelFolder, match="type 'grounding-dino', and a segmenter is"):
        open_segmenter(f"folder:{tiny['detector']}")
    for kind, opened in (("sam2", open_segmenter), ("detector", open_detector)):
        folder = Path(shutil.copytree(tiny[kind], tmp_path / f"{kind}-without-processor"))
        for path in folder.glob("*processor*"):
            path.unlink()
        with pytest.raises(BadModelFolder, match="has no processor of"):
            opened(f"folder:{folder}")
    config = tmp_path / "sam2" / "config.json"
    config.write_text(json.dumps({"no": "type"}))
    with pytest.raises(BadModelFolder, match="does not say what model"):
        open_segmenter(f"folder:{config.parent}")
