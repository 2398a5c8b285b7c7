"""PTX of several kernels as one module."""

import re
from collections.abc import Sequence

from xshardy.lowering.code_generators import CompilationError

_HEADER = re.compile(r"\A(?://[^\n]*\n|\s)*(?P<directives>\.version[^\n]*\n\.target[^\n]*\n\.address_size[^\n]*\n)")


def join_ptx(texts: Sequence[str]) -> str:
    """
    One module with the contents of PTX modules for one target; empty without any.

    Precondition: no two define the same symbol. Raises `CompilationError` if their headers differ.
    """
    if len(texts) == 1:
        return texts[0]
    headers: dict[str, None] = {}
    bodies: list[str] = []
    for text in texts:
        header = _HEADER.match(text)
        if header is None:
            raise CompilationError("the PTX of a kernel does not begin with .version, .target and .address_size")
        headers[header["directives"]] = None
        bodies.append(text[header.end() :].strip("\n"))
    if len(headers) > 1:
        raise CompilationError(f"kernels for several targets cannot be one module of PTX:\n{''.join(headers)}")
    return "\n\n".join([*headers, *bodies, ""])
