"""Which operations apply a region to elements: a reducer, a comparator, what combines updates."""

from xdsl.ir import Operation

from xshardy.dialects import stablehlo

APPLYING: tuple[type[Operation], ...] = (
    stablehlo.AllReduceOp,
    stablehlo.MapOp,
    stablehlo.ReduceOp,
    stablehlo.ReduceScatterOp,
    stablehlo.ReduceWindowOp,
    stablehlo.ScatterOp,
    stablehlo.SelectAndScatterOp,
    stablehlo.SortOp,
)
