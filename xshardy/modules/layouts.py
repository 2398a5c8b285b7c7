"""The layouts in which fusions take their operands and give their results, beside those of their parameters."""

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from xshardy.dialects import hlo
from xshardy.modules.leaves import Leaf, leaves_of
from xshardy.modules.program import ModuleError, name_of, scheduled


def require_layouts(entry: FuncOp) -> None:
    """
    Raise `ModuleError` if a fusion of the prepared program `entry` reads or writes a tensor in another layout than the
    program has it in: text without layouts has the default ones, also where the author meant another.
    """
    for op in scheduled(entry.body.block):
        if not isinstance(op, hlo.FusionOp):
            continue
        for what, outside, inside in _boundary(op):
            for one, other in zip(leaves_of(outside), leaves_of(inside), strict=True):
                if _order_in_memory(one) != _order_in_memory(other):
                    raise ModuleError(
                        f"{name_of(op)}: {what}, {one.name}, is {one.shape_text}, and {other.name} in "
                        f"@{op.callee.string_value()} is {other.shape_text}: give both one layout, or copy it first"
                    )


def _order_in_memory(leaf: Leaf) -> list[int]:
    """The dimensions from minor to major without those of size 1, which may be anywhere."""
    shape = leaf.type.get_shape()
    return [dimension for dimension in leaf.layout if shape[dimension] != 1]


def _boundary(fusion: hlo.FusionOp) -> Iterator[tuple[str, SSAValue, SSAValue]]:
    """The values of `fusion`, each with that of its computation."""
    computation = fusion.callee_function()
    returned = computation.get_return_op()
    assert returned is not None
    for number, (operand, parameter) in enumerate(zip(fusion.operands, computation.args, strict=True)):
        yield f"operand {number}", operand, parameter
    for number, (result, value) in enumerate(zip(fusion.results, returned.operands, strict=True)):
        yield f"result {number}", result, value
