"""Colorings of sketches: what was done on the canvas, the layer it makes, the colors that count."""
