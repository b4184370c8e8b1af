"""The door of ``python -m core.image_sets``; core.cli.images says what it does."""

from core.cli.images import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
