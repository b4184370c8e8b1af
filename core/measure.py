"""Entry point of ``python -m core.measure``; see truehue.core.cli.measure."""

from truehue.core.cli.measure import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
