"""Tests of assets/js/compare."""
