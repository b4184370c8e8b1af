"""Color fidelity: how closely the colors of an image resemble those of a photograph.

The protocol of Fang et al., "Too Vivid to Be Real? Benchmarking and Calibrating Generative Color
Fidelity". Pipelines apply its refinement (CFR) through truehue.core.refinement.
"""
