"""Counts of bytes as text."""

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def in_bytes(count: float) -> str:
    """`1536` -> `1.5 KiB`"""
    unit = 0
    while count >= 1024 and unit < len(UNITS) - 1:
        count, unit = count / 1024, unit + 1
    return f"{count:.0f} {UNITS[unit]}" if unit == 0 or count == int(count) else f"{count:.1f} {UNITS[unit]}"
