"""StableHLO in upstream's syntax, one module per chapter of its specification.

To add an operation, write it in the module of its chapter and name it in `__all__` there: this package exports, and the
dialect has, what the modules export.
"""

from xshardy.dialects.listing import dialect_of
from xshardy.dialects.stablehlo.async_ops import *
from xshardy.dialects.stablehlo.attributes import *
from xshardy.dialects.stablehlo.calls import *
from xshardy.dialects.stablehlo.collectives import *
from xshardy.dialects.stablehlo.contraction import *
from xshardy.dialects.stablehlo.control_flow import *
from xshardy.dialects.stablehlo.convolution import *
from xshardy.dialects.stablehlo.convolution_numbers import *
from xshardy.dialects.stablehlo.dot_algorithm import *
from xshardy.dialects.stablehlo.dynamic_shapes import *
from xshardy.dialects.stablehlo.einsum import *
from xshardy.dialects.stablehlo.elementwise_binary import *
from xshardy.dialects.stablehlo.elementwise_unary import *
from xshardy.dialects.stablehlo.fourier import *
from xshardy.dialects.stablehlo.gather import *
from xshardy.dialects.stablehlo.host_communication import *
from xshardy.dialects.stablehlo.linear_algebra import *
from xshardy.dialects.stablehlo.normalization import *
from xshardy.dialects.stablehlo.nullary import *
from xshardy.dialects.stablehlo.quantization import *
from xshardy.dialects.stablehlo.random_numbers import *
from xshardy.dialects.stablehlo.reduction import *
from xshardy.dialects.stablehlo.replica_groups import *
from xshardy.dialects.stablehlo.scatter import *
from xshardy.dialects.stablehlo.select_and_scatter import *
from xshardy.dialects.stablehlo.selection import *
from xshardy.dialects.stablehlo.shape import *
from xshardy.dialects.stablehlo.slicing import *
from xshardy.dialects.stablehlo.sorting import *
from xshardy.dialects.stablehlo.structs import *
from xshardy.dialects.stablehlo.tuples import *
from xshardy.dialects.stablehlo.types import *
from xshardy.dialects.stablehlo.windows import *

STABLEHLO = dialect_of("stablehlo", globals())
