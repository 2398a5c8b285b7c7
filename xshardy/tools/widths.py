"""The accesses of memory in PTX, by their width."""

import re
from collections import Counter

_ACCESS = re.compile(r"\b(ld|st)\.(global|shared)\b[\w.]*?(?:\.v(\d))?\.[a-z]+(\d+)\b")


def widths(ptx: str, access: str, memory: str) -> str:
    """The loads (`ld`) or stores (`st`) of a memory in the PTX, by their width: `8 x 64 bit`."""
    found = Counter(
        int(match[4]) * int(match[3] or 1)
        for match in _ACCESS.finditer(ptx)
        if (match[1], match[2]) == (access, memory)
    )
    return ", ".join(f"{count} x {width} bit" for width, count in sorted(found.items(), reverse=True)) or "-"
