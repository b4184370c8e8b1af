"""Long work that waits in a queue and resumes from its folder, of any kind: runs, evaluations."""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(id="batches", services=("supervisor:RunSupervisor.of",))
