"""What pages say that a command prints, compared with what it prints."""

import re
from collections.abc import Sequence


def check_listing(listed: Sequence[str], printed: str) -> None:
    """Check lines against an output; `...` is any text, as a line or at the end of one. Spaces are those of tables."""
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(" ".join(line.split())).replace(r"\.\.\.", ".*") + r"\n"
        for line in listed
    )
    assert re.match(pattern, "".join(f"{line}\n" for line in lines)), printed
