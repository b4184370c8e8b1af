"""The door of ``python -m core.image_sets``; truehue.core.cli.images says what it does."""

from truehue.core.cli.images import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
