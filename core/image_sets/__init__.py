"""Images made elsewhere: a folder or a zip file of them, linked to the prompts they were made of.

``plan`` looks at names only, ``read`` decodes one image after the other, ``report`` says what
became of every file, ``drawing`` turns a step into what storage keeps. Nothing is stored here.
"""

from __future__ import annotations

from truehue.core.image_sets.archive import unpacked
from truehue.core.image_sets.planning import UNKNOWN_MODEL, plan, unreadable, unreadable_measured
from truehue.core.image_sets.reading import read
from truehue.core.image_sets.records import FolderPlan, ImportStep, LinkedImage, Remark, drawing
from truehue.core.image_sets.reporting import FolderReport, RemarkList, Tally, report

__all__ = [
    "UNKNOWN_MODEL",
    "FolderPlan",
    "FolderReport",
    "ImportStep",
    "LinkedImage",
    "Remark",
    "RemarkList",
    "Tally",
    "drawing",
    "plan",
    "read",
    "report",
    "unpacked",
    "unreadable",
    "unreadable_measured",
]
