"""The door of ``python -m core.fidelity``; truehue.core.cli.fidelity says what it does."""

from truehue.core.cli.fidelity import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
