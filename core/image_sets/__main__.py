"""Entry point of ``python -m core.image_sets``; see truehue.core.cli.images."""

from truehue.core.cli.images import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
