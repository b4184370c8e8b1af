"""The door of ``python -m core.fidelity``; core.cli.fidelity.command says what it does."""

from core.cli.fidelity.command import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
