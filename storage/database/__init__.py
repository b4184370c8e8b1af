"""The DuckDB file: connection, check, migrations, and the record of confirmed transactions."""
