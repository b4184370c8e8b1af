"""The index of runs: ingest shards and files as rows."""
