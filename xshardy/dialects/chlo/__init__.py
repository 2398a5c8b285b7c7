"""CHLO: functions of client libraries that StableHLO lacks, and ops that broadcast implicitly."""

from xshardy.dialects.chlo.attributes import *
from xshardy.dialects.chlo.broadcasting import *
from xshardy.dialects.chlo.constants import *
from xshardy.dialects.chlo.elementwise import *
from xshardy.dialects.chlo.ragged_dot import *
from xshardy.dialects.chlo.scan import *
from xshardy.dialects.chlo.top_k import *
from xshardy.dialects.listing import dialect_of

CHLO = dialect_of("chlo", globals())
