"""``truehue``, and ``python -m truehue``: the command as a program of its own."""

from truehue.tabs.command.main import truehue


def main() -> None:
    """Runs the command. Then the program ends without taking itself apart, which would cost a
    short one a fifth of its time, and which a thread in native code could keep from ending."""
    truehue(teardown=False)


if __name__ == "__main__":
    main()
