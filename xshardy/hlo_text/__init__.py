"""HLO text, as XLA prints and dumps it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xshardy.hlo_text.entry import fuse_entry
    from xshardy.hlo_text.errors import HLOError, HLOPrintError
    from xshardy.hlo_text.parser import parse_hlo, read_hlo
    from xshardy.hlo_text.printer import print_hlo

__all__ = ["HLOError", "HLOPrintError", "fuse_entry", "parse_hlo", "print_hlo", "read_hlo"]

_HOMES = {
    "HLOError": "errors",
    "HLOPrintError": "errors",
    "fuse_entry": "entry",
    "parse_hlo": "parser",
    "print_hlo": "printer",
    "read_hlo": "parser",
}
"""The module that each name is defined in."""


def __getattr__(name: str) -> Any:
    # Imported on first use: programs of StableHLO need `shardings` only.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
