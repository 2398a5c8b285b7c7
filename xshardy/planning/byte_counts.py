"""Counts of bytes as text."""

import re

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def in_bytes(count: float) -> str:
    """`1536` -> `1.5 KiB`"""
    unit = 0
    while count >= 1024 and unit < len(UNITS) - 1:
        count, unit = count / 1024, unit + 1
    return f"{count:.0f} {UNITS[unit]}" if unit == 0 or count == int(count) else f"{count:.1f} {UNITS[unit]}"


_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?", re.IGNORECASE)


def bytes_in(text: str) -> int:
    """`1.5KiB`, `64GiB`, `80G` -> bytes; without `i` as well, a unit is a power of 1024. Raises `ValueError`."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"expected a number of bytes, such as 64GiB, got '{text}'")
    number, unit, _ = match.groups()
    return int(float(number) * 1024 ** " KMGT".index(unit.upper() or " "))
