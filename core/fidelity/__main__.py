"""Entry point of ``python -m core.fidelity``; see truehue.core.cli.fidelity."""

from truehue.core.cli.fidelity import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
