"""Color Fidelity Refinement (CFR): guidance that is turned down where a map says so.

Fang et al., "Too Vivid to Be Real? Benchmarking and Calibrating Generative Color Fidelity",
section 5, has no public code; this package is written from its equations 10 to 12. What the paper
leaves open is decided in ``docs/science/color_fidelity.md``.
"""
