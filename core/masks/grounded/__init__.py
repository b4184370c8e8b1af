"""Masks from text: a detector finds boxes, a segmenter masks them, negative labels are removed."""
