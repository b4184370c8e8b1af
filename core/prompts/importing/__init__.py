"""The parts of :mod:`core.prompts.importers`: reading text, tables, published files, writing."""
