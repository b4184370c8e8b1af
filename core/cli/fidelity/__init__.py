"""``truehue fidelity``: groups of images, and metrics of color fidelity trained by them."""
