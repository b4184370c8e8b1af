"""Tests of the small model in the box."""
