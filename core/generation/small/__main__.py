"""The door of ``python -m core.generation.small``; core.cli.small says what it does."""

from core.cli.small import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
