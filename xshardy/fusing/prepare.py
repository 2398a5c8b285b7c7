"""Bring a program into operations that the emitters know, before it is fused."""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.dense_elements import Dense, all_bytes
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.hlo import LAYOUT
from xshardy.dialects.sdy.ops import ReshardOp, ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.dialects.shapes import is_static, shape_of
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.emitters.elemental.support import has_row
from xshardy.facts.decompositions.chlo import DECOMPOSITIONS
from xshardy.facts.movement import is_elementwise
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.decompose import Decompose, check_decompositions
from xshardy.transforms.stablehlo.legalize_composite_to_call import CallDecomposition
from xshardy.transforms.xla_sdy.export_ops import ExportConstant


def is_computed_directly(op: Operation) -> bool:
    """Whether kernels compute `op` as it is."""
    return op.has_trait(Elementwise) and has_row(op)


def has_no_kernel(op: Operation) -> bool:
    """Whether `op` is written in operations of StableHLO, as `chlo.zeta` and `topk`, whose rows may be long."""
    return isinstance(op, hlo.TopKOp) or (type(op) in DECOMPOSITIONS and not is_computed_directly(op))


class DropShardingOnOneDevice(RewritePattern):
    """
    `sdy.sharding_constraint %x <@mesh, ...>` -> `%x`, for a mesh of one device without a number; so `sdy.reshard`.

    JAX writes such constraints, on a mesh without axes, for the keys of some random numbers.
    """

    @match_op_type
    def match_and_rewrite(self, op: ShardingConstraintOp | ReshardOp, rewriter: PatternRewriter, /) -> None:
        mesh = lookup_mesh(op.sharding, op)
        if mesh is not None and mesh.device_count == 1 and not mesh.is_maximal:
            rewriter.replace(op, (), (op.operands[0],))


class ConvertOperandsOfScatter(RewritePattern):
    """
    `scatter(%x, %i, %u)` that computes in a wider type -> `scatter(convert %x, %i, convert %u)`.

    A kernel writes the results in the place of the inputs.
    """

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.ScatterOp, rewriter: PatternRewriter, /):
        t, changed, count = Tensors(rewriter), False, len(op.inputs)
        arguments = op.update_computation.block.args
        for index, argument in zip((*range(count), *range(count + 1, 2 * count + 1)), arguments, strict=True):
            if element_type(op.operands[index]) != element_type(argument):
                op.operands[index] = t.convert(op.operands[index], element_type(argument))
                changed = True
        if changed:
            rewriter.notify_op_modified(op)


class ReduceUnitDimensions(RewritePattern):
    """
    `reduce(%x init: %c) applies f across dimensions of size 1` -> `f(broadcast_in_dim %c, reshape %x)`

    JAX sums what it has broadcast along such dimensions. Only for an `f` of one operation. A sum from zero that is
    summed again is itself: it is no negative zero.
    """

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.ReduceOp, rewriter: PatternRewriter, /):
        shape = shape_of(op.results[0])
        if (combiner := combiner_of(op)) is None or LAYOUT in op.attributes or 0 in shape:
            return
        (value,), (init,) = op.inputs, op.init_values
        sizes = shape_of(value)
        if not is_static(tensor_type(value)) or any(sizes[d] != 1 for d in op.dimensions.get_values()):
            return
        t = Tensors(rewriter)
        if _is_sum_from_zero(op) and _is_sum_from_zero(_behind_reshapes(value).owner):
            rewriter.replace(op, (), [t.reshape(value, shape)])
            return
        accumulated, element = op.body.block.args
        tensors: dict[SSAValue, SSAValue] = {accumulated: t.splat(init, shape), element: t.reshape(value, shape)}
        operands = [tensors[operand] for operand in combiner.operands]
        made = type(combiner).create(operands=operands, result_types=op.result_types, properties=combiner.properties)
        rewriter.replace(op, made)


def combiner_of(op: stablehlo.ReduceOp) -> Operation | None:
    """The only operation of a computation that a reduction of one tensor applies, if it is one of two elements."""
    block = op.body.block
    if len(op.inputs) != 1 or len(block.ops) != 2:
        return None
    combiner, returned = block.ops
    is_applied = is_elementwise(combiner) and {*combiner.operands} <= {*block.args}
    is_applied &= [*returned.operands] == [*combiner.results]
    return combiner if is_applied and combiner.result_types == op.init_values.types else None


def _is_sum_from_zero(op: object) -> bool:
    """Whether `op` adds the elements of one tensor to a zero that is not negative."""
    if not isinstance(op, stablehlo.ReduceOp) or not isinstance(combiner_of(op), stablehlo.AddOp):
        return False
    zero = op.init_values[0].owner
    return isinstance(zero, stablehlo.ConstantOp) and _is_zero(zero.value)


def _is_zero(literal: Attribute) -> bool:
    """Whether the bits of all elements are 0, so that none is a negative zero."""
    return isinstance(literal, DenseIntOrFPElementsAttr) and not any(all_bytes(cast(Dense, literal)))


def _behind_reshapes(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, stablehlo.ReshapeOp):
        value = value.owner.operand
    return value


class PrepareFusionPass(PatternPass):
    """
    Replace composites by calls of their decompositions, operations of CHLO that no kernel computes directly, and
    reductions of single elements. Convert what a scatter computes with in a wider type. Drop shardings on a mesh of
    one device. Constants of sdy become those of StableHLO.

    An operation of CHLO without such a decomposition is refused; its module is left as it was.
    """

    name = "hlo-prepare-fusion"
    source: ClassVar[str] = "StableHLO: composite; CHLO"

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        check_decompositions(module, has_no_kernel)
        return (
            CallDecomposition(),
            ConvertOperandsOfScatter(),
            Decompose(has_no_kernel),
            DropShardingOnOneDevice(),
            ExportConstant(),
            ReduceUnitDimensions(),
        )
