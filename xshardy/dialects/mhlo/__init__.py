"""MHLO, as far as programs between Shardy and HLO have it: operations of HLO that neither StableHLO nor CHLO has."""

from xshardy.dialects.listing import dialect_of
from xshardy.dialects.mhlo.attributes import *
from xshardy.dialects.mhlo.ops import *

MHLO = dialect_of("mhlo", globals())
