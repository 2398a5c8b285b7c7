"""HLO text, as XLA prints and dumps it."""

from xshardy.hlo_text.entry import fuse_entry
from xshardy.hlo_text.errors import HLOError, HLOPrintError
from xshardy.hlo_text.parser import parse_hlo, read_hlo
from xshardy.hlo_text.printer import print_hlo

__all__ = ["HLOError", "HLOPrintError", "fuse_entry", "parse_hlo", "print_hlo", "read_hlo"]
