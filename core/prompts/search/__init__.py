"""The parts of :mod:`truehue.core.prompts.search.index`: words, facets, orders, marks."""
