"""Colors written in numbers: hex and rgb, read with the fault named when there is one."""

from __future__ import annotations

import re

from truehue.core.errors import UnknownColor

HEX_DIGITS = "0123456789abcdefABCDEF"
CHANNELS = ("red", "green", "blue")


def shortened(text: str, limit: int = 40) -> str:
    """What was typed, on one line and at most ``limit`` characters long, for a message."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def read_hex(text: str) -> tuple[int, int, int] | None:
    """sRGB codes 0 to 255 of ``#RRGGBB``, ``#RGB`` or ``RRGGBB`` with a digit in it.

    None when the text is no hex value; UnknownColor, naming the fault, when it is a wrong one.
    """
    digits = text.removeprefix("#").strip()
    wrong = [(position, sign) for position, sign in enumerate(digits, 1) if sign not in HEX_DIGITS]
    if not text.startswith("#"):
        # No color name has a digit: six signs with one, and at most one of them wrong, are meant
        # as hex. "facade" may be a name, and "123" could be the start of a triple: both stay.
        numbered = any(sign in "0123456789" for sign in digits)
        if len(digits) != 6 or not numbered or len(wrong) > 1 or not digits.isalnum():
            return None
    if wrong:
        index, sign = wrong[0]
        raise UnknownColor(
            f'In the hex color "{shortened(text)}" digit {index} is "{sign}"; hex digits are 0–9 '
            "and A–F."
        )
    if len(digits) not in (3, 6):
        hint = " Leave the transparency at its end out." if len(digits) in (4, 8) else ""
        raise UnknownColor(
            f'The hex color "{shortened(text)}" has {len(digits)} digits; it needs 6 (#D51C3C) '
            f"or 3 (#F80).{hint}"
        )
    if len(digits) == 3:
        digits = "".join(sign * 2 for sign in digits)
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def read_rgb(text: str) -> tuple[int, int, int] | None:
    """sRGB codes 0 to 255 of ``rgb(1, 2, 3)``, ``1,2,3``, ``1 2 3`` or ``(1, 2, 3)``.

    None when the text is no rgb value; UnknownColor, naming the channel, when it is a wrong one.
    """
    called = re.fullmatch(r"rgb\s*\(([^()]*)\)?", text, flags=re.IGNORECASE)
    bare = re.fullmatch(r"(?=.*[0-9])[(\[]?([-+0-9.%]+(?:[\s,;]+[-+0-9.%]+)*)[\s,;]*[)\]]?", text)
    match = called or bare
    if match is None:
        return None
    parts = [part for part in re.split(r"[\s,;]+", match[1]) if part]
    if len(parts) != 3:
        raise UnknownColor(
            f'"{shortened(text)}" has {len(parts)} number{"" if len(parts) == 1 else "s"}; an rgb '
            "color has three: red, green and blue."
        )
    codes = []
    for channel, part in zip(CHANNELS, parts, strict=True):
        if not re.fullmatch(r"[0-9]{1,3}", part) or int(part) > 255:
            raise UnknownColor(
                f'The {channel} of "{shortened(text)}" is {shortened(part)}; it must be a whole '
                "number from 0 to 255."
            )
        codes.append(int(part))
    return codes[0], codes[1], codes[2]
