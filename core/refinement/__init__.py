"""Color Fidelity Refinement (CFR): reduce guidance where a map demands it.

Fang et al., "Too Vivid to Be Real? Benchmarking and Calibrating Generative Color Fidelity",
section 5, has no public code; this package is written from its equations 10 to 12.
``docs/science/color_fidelity.md`` lists our decisions where the paper is silent.
"""
