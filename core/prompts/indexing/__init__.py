"""The parts of :mod:`core.prompts.index`: words, facets, orders, marks."""
