"""``python -m truehue``: the command ``truehue`` of a checkout."""

from truehue.tabs.command.main import truehue

if __name__ == "__main__":
    truehue()
