"""Entry point of ``python -m core.vision_language``, the former name of ``truehue vlm``."""

from truehue.core.cli.vlm import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
