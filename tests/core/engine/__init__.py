"""The engine: order, progress, cancel, memory, and everything that can go wrong."""
