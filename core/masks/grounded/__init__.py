"""Masks from words: a detector finds boxes, a segmenter cuts them out, unwanted parts are taken."""
