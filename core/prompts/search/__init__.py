"""The parts of :mod:`core.prompts.search.index`: words, facets, orders, marks."""
