"""The stage of Inspect without a browser."""
