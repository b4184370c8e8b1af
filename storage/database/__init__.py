"""The DuckDB file: opened, checked, migrated; and what was confirmed to be in it."""
