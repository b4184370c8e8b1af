"""Entry point of ``python -m core.diagnose``; core.diagnose.command says what it does."""

from __future__ import annotations

from core.command import run_command
from core.diagnose.command import main

if __name__ == "__main__":
    run_command(main)
