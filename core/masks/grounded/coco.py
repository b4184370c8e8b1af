"""Find an object by its name without a hub or torch: 80 names by an SSD on OpenCV.

The network is SSD MobileNet v2 (Liu and others 2016, doi:10.1007/978-3-319-46448-0_2), trained on
COCO, whose 80 names it knows and no others. What it finds is cut out as *Box* in Inspect does: by
the network for salient objects, or by GrabCut where nothing stands out.

It looks at the image and at its gray copy, and the better score counts: in color alone it finds a
yellow banana with a score of 1.0 and a blue one with 0.0, and a tool that misses objects for their
color cannot be used to judge color.

The weights are two files, which are not part of the project: ``assets/models/coco-ssd/README.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import cv2
import numpy as np

from truehue.core.cache import LruCache
from truehue.core.errors import MaskError, TrueHueError, UnknownName
from truehue.core.generation.weights.carried import COCO_SSD, OPENCV_BYTES
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grabcut import grabcut
from truehue.core.masks.grounded.embeddings import checked_image
from truehue.core.masks.grounded.records import (
    PAPER_QUESTION,
    Answer,
    Box,
    Detection,
    Presence,
    PresenceQuestion,
    Segment,
)
from truehue.core.masks.grounded.weights import VisionEntry, Weights
from truehue.core.masks.salient import find_salient
from truehue.core.prompts.prompt import article
from truehue.core.prompts.tables import object_called

FILE, GRAPH = COCO_SSD.files

SIDE_PX = 300
SURE, ABSENT = 0.5, 0.01
"""Best scores from which an object is there, and below which it is not; between, it cannot say. Of
objects that were rendered 0 of 40 are below, of names that were not 88%: tests/bench/detector.py."""
SAME_IOU = 0.5
"""Two boxes of one name that overlap by more are one object, seen in color and in gray."""

# In the order of their numbers in COCO's annotations, from 1; "-" is one that COCO dropped.
_CLASSES = """
person, bicycle, car, motorcycle, airplane, bus, train, truck, boat, traffic light, fire hydrant, -,
stop sign, parking meter, bench, bird, cat, dog, horse, sheep, cow, elephant, bear, zebra, giraffe,
-, backpack, umbrella, -, -, handbag, tie, suitcase, frisbee, skis, snowboard, sports ball, kite,
baseball bat, baseball glove, skateboard, surfboard, tennis racket, bottle, -, wine glass, cup,
fork, knife, spoon, bowl, banana, apple, sandwich, orange, broccoli, carrot, hot dog, pizza, donut,
cake, chair, couch, potted plant, bed, -, dining table, -, -, toilet, -, tv, laptop, mouse, remote,
keyboard, cell phone, microwave, oven, toaster, sink, refrigerator, -, book, clock, vase, scissors,
teddy bear, hair drier, toothbrush
"""
CLASSES: Mapping[str, int] = {
    name: number
    for number, name in enumerate(" ".join(_CLASSES.split()).split(", "), start=1)
    if name != "-"
}
"""The 80 names, with their numbers in the network."""
SAME_AS = {
    "bike": "bicycle",
    "computer mouse": "mouse",
    "hair dryer": "hair drier",
    "motorbike": "motorcycle",
    "mug": "cup",
    "phone": "cell phone",
    "plane": "airplane",
    "sofa": "couch",
    "table": "dining table",
    "television": "tv",
}
"""Names that people use for some of them."""


def class_of(name: str) -> int | None:
    """The number of an object's name in the network; None for one that it does not know."""
    plain = " ".join(name.casefold().split())
    return CLASSES.get(SAME_AS.get(plain, plain))


def nearest_name(name: str) -> str:
    """The known name with the same noun (“coffee cup”), or that a name is a slip of (“bananna”); empty
    where there is none."""
    plain = " ".join(name.casefold().split())
    known = sorted((*CLASSES, *SAME_AS), key=len)
    if same_noun := [entry for entry in known if entry.split()[-1:] == plain.split()[-1:]]:
        return same_noun[0]
    # A word that is spelled right means something else: a coat is no cat.
    if object_called(plain):
        return ""
    alike = get_close_matches(plain, [entry for entry in known if entry[0] == plain[:1]], 1, 0.82)
    return next(iter(alike), "")


def unknown_name(name: str) -> str:
    """Why a name cannot be looked for; empty for one that can."""
    if class_of(name):
        return ""
    near = nearest_name(name)
    meant = f" Did you mean “{near}”?" if near else ""
    return (
        f"COCO SSD does not know the name {name!r:.60}, but {len(CLASSES)} others.{meant} Draw a box, "
        "or choose GroundingDINO."
    )


@dataclass
class _Network:
    """The network in memory, and what it is made of."""

    entry: VisionEntry
    source: Weights
    about: dict[str, Any] = field(init=False)
    _open: Any = None

    def __post_init__(self) -> None:
        self._open = _opened(self.source.path)
        self.about = {
            "id": self.entry.id,
            "class": f"OpenCV {cv2.__version__}",
            "device": "cpu",
            **self.source.about(),
        }

    @property
    def id(self) -> str:
        """Its id in the list of vision models."""
        return self.entry.id

    @property
    def memory_bytes(self) -> int:
        """What the process grew by."""
        return OPENCV_BYTES if self._open is not None else 0

    def unload(self) -> None:
        """Drops the network; safe to call twice."""
        self._open = None

    def boxes(self, srgb8: np.ndarray, name: str) -> list[Detection]:
        """Those of a known name in an image, uint8 ``(H, W, 3)``, and in its gray copy, best first;
        at most 100 of all names come out of either."""
        height, width = srgb8.shape[:2]
        rows = np.vstack([self.rows(srgb8, gray) for gray in (False, True)])
        found = list[Detection]()
        for row in rows[np.argsort(-rows[:, 2], kind="stable")]:
            if int(row[1]) != class_of(name):
                continue
            box = _pixels(row[3:7], width, height)
            if all(_box_iou(box, earlier.box) <= SAME_IOU for earlier in found):
                found.append(Detection(name, box, float(row[2])))
        return found

    def rows(self, srgb8: np.ndarray, gray: bool) -> np.ndarray:
        """What the network says of the image, or of its gray copy: rows of 0, class, score 0 to 1,
        and x0, y0, x1, y1 as shares of the sides."""
        if self._open is None:
            raise TrueHueError(f"{self.entry.name} was unloaded; load it again to look.")
        image = checked_image(srgb8)
        small = cv2.resize(image, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA)
        if gray:
            small = np.dstack([cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)] * 3)
        return _rows.get(small.tobytes(), lambda: _forward(self._open, small))


class CocoDetector(_Network):
    """A detector in memory; see :class:`truehue.core.masks.grounded.records.Detector`."""

    def detect(
        self,
        srgb8: np.ndarray,
        labels: Sequence[str],
        box_threshold: float,
        text_threshold: float,
        autocast: bool = False,
    ) -> tuple[Detection, ...]:
        """Boxes with a score above the threshold, label by label, best first within one; none for a
        label that it does not know. The other two arguments change nothing here. Raises UnknownName
        where it knows none of the labels."""
        if labels and not any(map(class_of, labels)):
            raise UnknownName(unknown_name(labels[0]), tuple(sorted(CLASSES)))
        return tuple(
            detection
            for label in labels
            if class_of(label)
            for detection in self.boxes(srgb8, label)
            if detection.score > box_threshold
        )


class CocoPresence(_Network):
    """Whether an object is in an image, by the detector's best score. It answers no question in
    words, so it stands for no presence model of the paper or of its released code."""

    def ask(
        self,
        srgb8: np.ndarray,
        object_names: Sequence[str],
        form: PresenceQuestion = PAPER_QUESTION,
    ) -> tuple[Presence, ...]:
        """One answer an object: yes from a score of 0.5, no below 0.01, unknown between and for a name
        that the network does not know. The percent of its yes is the score's."""
        return tuple(self._answer(srgb8, name) for name in object_names)

    def _answer(self, srgb8: np.ndarray, name: str) -> Presence:
        question = f"Does the detector find {article(name)} {name}?"
        if problem := unknown_name(name):
            return Presence(name, "unknown", question, f"cannot say: {problem}", None, self.id)
        score = max((found.score for found in self.boxes(srgb8, name)), default=0.0)
        answer: Answer = "yes" if score >= SURE else "no" if score < ABSENT else "unknown"
        text = f"{'cannot say' if answer == 'unknown' else answer}: its best score is {score:.2f}"
        return Presence(name, answer, question, text, 100.0 * score, self.id)


@dataclass
class SalientSegmenter:
    """Cuts out what a box shows as *Box* in Inspect does; see
    :class:`truehue.core.masks.grounded.records.Segmenter`."""

    entry: VisionEntry
    source: Weights
    sources: Sources

    @cached_property
    def about(self) -> dict[str, Any]:
        """Plain JSON that names the network."""
        return {"id": self.id, "class": f"OpenCV {cv2.__version__}", **self.source.about()}

    @property
    def id(self) -> str:
        """Its id in the list of vision models."""
        return self.entry.id

    @property
    def memory_bytes(self) -> int:
        """None of its own: the network for salient objects stays in the process for all
        (:func:`truehue.core.masks.salient.memory_bytes`)."""
        return 0

    def unload(self) -> None:
        """Holds nothing."""

    def embed(self, srgb8: np.ndarray, name: str = "", autocast: bool = False) -> np.ndarray:
        """The image itself, uint8 ``(H, W, 3)``: the network sees each box by itself."""
        return checked_image(srgb8)

    def from_boxes(self, embedding: np.ndarray, boxes: Sequence[Box]) -> tuple[Segment, ...]:
        """One segment a box; its score is the network's largest probability, 0 where GrabCut found
        the object because nothing stood out."""
        return tuple(self._segment(embedding, box) for box in boxes)

    def from_points(
        self,
        embedding: np.ndarray,
        points: Sequence[tuple[float, float]],
        inside: Sequence[bool],
        box: Box | None = None,
    ) -> Segment:
        """Raises MaskError: the network has no notion of points."""
        raise MaskError(
            f"{self.entry.name} selects an object in a box, not by points. Draw a box and correct it "
            "with Keep and Cut, or choose a SAM."
        )

    def _segment(self, srgb8: np.ndarray, box: Box) -> Segment:
        height, width = srgb8.shape[:2]
        x0, y0, x1, y1 = (int(np.floor(edge + 0.5)) for edge in box)
        inside = max(x0, 0), max(y0, 0), min(x1, width), min(y1, height)
        nothing = np.zeros((height, width), dtype=bool)
        if inside[0] >= inside[2] or inside[1] >= inside[3]:
            return Segment(nothing, 0.0)
        salient = find_salient(srgb8, inside, self.sources)
        if salient.stands_out:
            return Segment(salient.pixels, salient.max_probability)
        return Segment(grabcut(srgb8, inside, nothing, nothing).pixels, 0.0)


_rows = LruCache[np.ndarray](8)
"""Those of the last images: a search looks at one for object, negative labels and presence."""
_lock = Lock()


def _opened(path: Path) -> Any:
    try:
        return cv2.dnn.readNetFromTensorflow(str(path), str(path.with_name(GRAPH)))
    except cv2.error as error:
        raise TrueHueError(f"OpenCV {cv2.__version__} cannot open {path}: {error}") from error


def _forward(network: Any, small: np.ndarray) -> np.ndarray:
    with _lock:
        network.setInput(np.ascontiguousarray(small.transpose(2, 0, 1)[None], dtype=np.float32))
        rows: np.ndarray = network.forward()[0, 0].copy()
    return rows


def _pixels(shares: np.ndarray, width: int, height: int) -> Box:
    """A box in pixels, inside of the image."""
    x0, y0, x1, y1 = (float(share) for share in np.clip(shares, 0.0, 1.0))
    return x0 * width, y0 * height, x1 * width, y1 * height


def _box_iou(first: Box, second: Box) -> float:
    """Intersection over union of two boxes, 0 to 1."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    areas = ((box[2] - box[0]) * (box[3] - box[1]) for box in (first, second))
    return width * height / (sum(areas) - width * height)
