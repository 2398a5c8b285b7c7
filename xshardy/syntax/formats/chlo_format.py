"""CHLO's declared formats, read as those of StableHLO: an error in a type names the value of that type."""

from xshardy.dialects.chlo import CHLO
from xshardy.syntax.formats.stablehlo_format import formats

FORMATS = formats(CHLO)
