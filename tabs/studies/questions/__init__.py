"""Questions that people are asked: which sets there are, what is drawn, what people got right."""
