"""Generators: diffusers, Janus, servers, and the reference renderer."""
