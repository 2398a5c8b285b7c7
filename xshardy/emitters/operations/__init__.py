"""
Emission of operations that need more than one element per operand: they branch, loop, or compute indices.

Functions of one element per operand are in `emitters.elemental`. Source: rows XGPU-14 to XGPU-18.
"""

from collections.abc import Mapping

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.emitters.operations.bits import bitcast_convert
from xshardy.emitters.operations.branches import concatenate, pad
from xshardy.emitters.operations.calls import call
from xshardy.emitters.operations.contractions import contraction
from xshardy.emitters.operations.lookups import dynamic_slice, dynamic_update_slice, gather
from xshardy.emitters.operations.operands import Rule
from xshardy.emitters.operations.reductions import map_, reduce
from xshardy.emitters.operations.scatters import scatter

OPERATIONS: Mapping[type[Operation], Rule] = {
    CallOp: call,
    stablehlo.BitcastConvertOp: bitcast_convert,
    stablehlo.ConcatenateOp: concatenate,
    stablehlo.ConvolutionOp: contraction,
    stablehlo.DotGeneralOp: contraction,
    stablehlo.DynamicSliceOp: dynamic_slice,
    stablehlo.DynamicUpdateSliceOp: dynamic_update_slice,
    stablehlo.GatherOp: gather,
    stablehlo.MapOp: map_,
    stablehlo.PadOp: pad,
    stablehlo.ReduceOp: reduce,
    stablehlo.ReduceWindowOp: reduce,
    stablehlo.ScatterOp: scatter,
}
"""One row per operation; `READS` of `emitters.reads` describes the reads of its operands."""
