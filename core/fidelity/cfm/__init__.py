"""CFM, the Color Fidelity Metric: a Qwen2-VL that reads an image and its prompt, and a head whose
value at one added token is the score.

The published weights are ``Nineve/CFM_7B`` (Apache-2.0), trained with transformers 4.45.2. Today's
transformers uses other names and positions: ``checkpoint`` maps the keys and loads strictly;
``scorer`` restores the one-dimensional positions of training. The text around the prompt belongs to
the weights and is read from their file, if they have one.
"""
