"""The door of ``python -m core.generation.small``; core.cli.small.command says what it does."""

from core.cli.small.command import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
