"""The parts of :mod:`core.prompts.importing.files`: reading text, tables, published files, writing.
The parts of :mod:`core.prompts.importing.files`: reading text, tables, published files, writing."""
