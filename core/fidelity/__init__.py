"""Color fidelity: how much the colors of an image are those of a photograph.

The protocol of Fang et al., "Too Vivid to Be Real? Benchmarking and Calibrating Generative Color
Fidelity". Its refinement of drawings stands in truehue.core.refinement, which pipelines call.
"""
