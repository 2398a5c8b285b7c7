"""CHLO's declared formats, read as those of StableHLO: what is wrong with a type is said of the value that has it."""

from xshardy.dialects.chlo import CHLO
from xshardy.syntax.formats.stablehlo_format import formats

FORMATS = formats(CHLO)
