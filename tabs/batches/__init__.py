"""Long work of any kind that waits in a queue and resumes from its folder: runs, evaluations."""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(id="batches", services=("supervisor:RunSupervisor.of",))
