"""Tests of assets/js/picker."""
