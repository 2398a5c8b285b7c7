"""
Operations of HLO that StableHLO lacks, one module per kind of operation.

Attributes of HLO text without a counterpart in the operation (layout, metadata, sharding, backend_config) become
discardable attributes; `layout.py` has the names of those about memory layout.

To add an operation, write it in the module of its kind and name it in `__all__` there: this package exports, and the
dialect has, what the modules export.
"""

from xshardy.dialects.hlo.arrays import *
from xshardy.dialects.hlo.async_operation import *
from xshardy.dialects.hlo.async_ops import *
from xshardy.dialects.hlo.async_types import *
from xshardy.dialects.hlo.collectives import *
from xshardy.dialects.hlo.data_movement import *
from xshardy.dialects.hlo.elementwise import *
from xshardy.dialects.hlo.fusion import *
from xshardy.dialects.hlo.instruction import *
from xshardy.dialects.hlo.layout import *
from xshardy.dialects.hlo.opaque import *
from xshardy.dialects.hlo.ordering import *
from xshardy.dialects.hlo.own_async_ops import *
from xshardy.dialects.hlo.scaled_dot import *
from xshardy.dialects.listing import dialect_of

HLO = dialect_of("hlo", globals())
