"""The listings of the documents, which stand in files of MLIR behind lines such as `// ----- SDY-OP-01`."""

import re
from pathlib import Path


def listings_in(name: str) -> dict[str, str]:
    """Each listing of a file of this folder, by the rest of the line before it, which begins with the ids of rows."""
    _, *parts = re.split(r"^// ----- (.*)\n", (Path(__file__).parent / name).read_text(), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def squeezed(text: str) -> str:
    """`text` without comments, blanks and names of values: what must be the same when a listing is printed."""
    return re.sub(r"\s|//.*", "", re.sub(r"%\w+", "%", text))
