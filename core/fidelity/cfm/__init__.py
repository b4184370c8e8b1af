"""CFM, the Color Fidelity Metric: a Qwen2-VL that reads an image and its prompt, and a head whose
value at one added token is the score.

The published weights are ``Nineve/CFM_7B`` (Apache-2.0), trained with transformers 4.45.2; what
today's transformers names and numbers otherwise is set right here: ``checkpoint`` maps the keys and
loads strictly, ``scorer`` gives the one-dimensional positions of training and the text around the
prompt, which belongs to the weights and is read from a file where they have one.
"""
