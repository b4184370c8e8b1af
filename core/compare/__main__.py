"""Entry point of ``python -m core.compare``; core.compare.command says what it does."""

from __future__ import annotations

from core.command import run_command
from core.compare.command import main

if __name__ == "__main__":
    run_command(main)
