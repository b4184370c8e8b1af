"""The door of ``python -m core.generation``; core.cli.models says what it does."""

from core.cli.models import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
