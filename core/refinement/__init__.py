"""Color Fidelity Refinement (CFR): guidance that is turned down where a map says so.

Fang et al., "Too Vivid to Be Real? Benchmarking and Calibrating Generative Color Fidelity",
section 5, has no public code; this room is written from its equations 10 to 12. What the paper
leaves open is decided in ``docs/science/color_fidelity.md``.

``settings`` what is asked, as plain JSON and back; ``field`` equation 10; ``maps`` maps from an
image's saturation; ``clean`` the image that a step predicts; ``denoiser`` the hook that applies the
field to a diffusers pipeline's own predictions and leaves the pipeline's code alone.
"""
