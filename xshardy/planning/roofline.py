"""
An estimate of the time that a device computes: for each operation, the larger of the times of its products and of its
memory traffic.

Fused operations read and write nothing but the buffers around them. Source: Williams, Waterman, Patterson, "Roofline"
(2009).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.facts.movement import VIEWS
from xshardy.planning.collective_bytes import kind_of
from xshardy.planning.executions import executed_operations
from xshardy.planning.fusion import Fusion, Fusions
from xshardy.planning.memory import bytes_of
from xshardy.planning.topology import Topology


@dataclass(frozen=True, slots=True)
class Compute:
    """What a device computes."""

    flops: int
    """The floating-point operations of matrix products and convolutions."""
    bytes: int
    """The bytes that it reads and writes in its memory."""
    seconds: float
    """By the peaks of a topology; 0 if it has none."""


CONTROL = frozenset[type[Operation]](
    {
        stablehlo.WhileOp,
        stablehlo.IfOp,
        stablehlo.CaseOp,
        stablehlo.ReturnOp,
        stablehlo.ConstantOp,
        hlo.ElidedConstantOp,
        ReturnOp,
    }
)
"""Operations that move nothing themselves."""


@dataclass(frozen=True, slots=True)
class Work:
    """What an operation computes and moves in one execution, and how often a device executes it."""

    element: str
    """The element type of the products, such as `bf16`; empty without products."""
    products: int
    """The floating-point operations of products."""
    traffic: int
    """The bytes that it reads and writes."""
    count: int

    def seconds(self, topology: Topology) -> float:
        """The time of one execution."""
        peak = topology.peak(self.element) if self.products else 0
        return max(
            self.products / peak if peak else 0,
            self.traffic / topology.memory_bandwidth if topology.memory_bandwidth else 0,
        )


def work_of(module: ModuleOp, fusions: Fusions) -> Iterator[tuple[Operation, Work]]:
    """
    The operations of the main function of `module` that are no collectives, and what each one computes.

    Precondition: calls are inlined.
    """
    for op, executions in executed_operations(module):
        block = op.parent
        if block is None or kind_of(op) is not None:
            continue
        products, traffic = product_flops(op), bytes_of(values_moved(op, fusions[block]))
        if products or traffic:
            yield op, Work(element_of_products(op) if products else "", products, traffic, executions.count)


def compute_of(work: Sequence[Work], topology: Topology) -> Compute:
    """All of `work` in one execution of the program, on `topology`."""
    return Compute(
        sum(each.products * each.count for each in work),
        sum(each.traffic * each.count for each in work),
        sum(each.count * each.seconds(topology) for each in work),
    )


def element_of_products(op: Operation) -> str:
    """The element type of the products of `op`, as topologies name it: `bf16`."""
    name = str(tensor_type(op.operands[0]).element_type)
    return "f8" if name.startswith("f8") else name


def _contracted(op: stablehlo.DotGeneralOp) -> int:
    shape = shape_of(op.lhs.type)
    return prod(shape[dim] for dim in op.dot_dimension_numbers.lhs_contracting_dimensions.get_values())


def _taps(op: stablehlo.ConvolutionOp) -> int:
    kernel = shape_of(op.rhs.type)
    return prod(kernel) // max(1, kernel[op.dimension_numbers.kernel_output_feature_dimension.data])


TERMS: Mapping[type[Operation], Callable[[Any], int]] = {
    stablehlo.ConvolutionOp: _taps,
    stablehlo.DotGeneralOp: _contracted,
    stablehlo.DotOp: lambda op: prod(shape_of(op.lhs.type)[-1:]),
}
"""How many products an element of the result is a sum of."""


def product_flops(op: Operation) -> int:
    """Two operations for each product of two elements that `op` adds up."""
    terms = TERMS.get(type(op))
    return 0 if terms is None else 2 * prod(shape_of(op.results[0].type)) * terms(op)


SELECTING = frozenset[type[Operation]]({stablehlo.DynamicSliceOp, stablehlo.GatherOp, stablehlo.SliceOp})
"""Operations that read as much of their operand as they have results."""

UPDATED: Mapping[type[Operation], Callable[[Any], Sequence[SSAValue]]] = {
    stablehlo.DynamicUpdateSliceOp: lambda op: (op.operands[1],) * 2,
    stablehlo.ScatterOp: lambda op: (*op.updates,) * 3,
}
"""What operations that write into an operand move."""


def values_moved(op: Operation, fusion: Fusion) -> Sequence[SSAValue]:
    """
    The tensors that `op` reads and writes, as often as it does: operands and results that have a buffer.

    Of a tensor of which it selects or updates a part, the part; one that has no buffer before the update is written.
    What is fused into selecting readers is computed, from its own operands, as far as they select.
    """
    if type(op) in CONTROL or type(op) in VIEWS:
        return ()
    if (updated := UPDATED.get(type(op))) is not None:
        return (*_computed_by_updates(op, fusion), *updated(op))
    if op in fusion.fused and all(type(use.operation) in SELECTING for result in op.results for use in result.uses):
        return ()
    written = () if op in fusion.fused else op.results
    if type(op) not in SELECTING:
        return (*written, *_buffers_read(op, fusion))
    source = op.operands[0].owner
    if isinstance(source, Operation) and source in fusion.fused:
        return (*written, *[*op.results] * len(_buffers_read(source, fusion)))
    return (*written, *op.results)


def _buffers_read(op: Operation, fusion: Fusion) -> Sequence[SSAValue]:
    """The operands of `op` that have a buffer."""
    return [operand for operand in op.operands if operand.owner not in fusion.fused]


def _computed_by_updates(op: Operation, fusion: Fusion) -> Sequence[SSAValue]:
    """The results of an operation that writes into operands, of operands that are fused into it, such as zeros."""
    return [result for target, result in zip(op.operands, op.results, strict=False) if target.owner in fusion.fused]
