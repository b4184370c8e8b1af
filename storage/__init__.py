"""The one folder that knows DuckDB and the file tree."""
