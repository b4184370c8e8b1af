"""Many concepts: tables, modifiers, guidance."""
