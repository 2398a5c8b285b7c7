"""The layouts in which fusions, loops and branches take and give tensors, beside those inside of them."""

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects import hlo, stablehlo
from xshardy.launch.leaves import Leaf, leaves_of
from xshardy.launch.prepared_program import ModuleError, name_of, scheduled


def require_layouts(entry: FuncOp) -> None:
    """
    Raise `ModuleError` if a fusion of the prepared program `entry` reads or writes a tensor in another layout than the
    program has it in: text without layouts has the default ones, also where the author meant another. The same for
    what a loop carries, and what a branch gives.
    """
    for op in scheduled(entry.body.block):
        for what, outside, inside, place in _boundary(op):
            for one, other in zip(leaves_of(outside), leaves_of(inside), strict=True):
                if _order_in_memory(one) != _order_in_memory(other):
                    raise ModuleError(
                        f"{name_of(op)}: {what}, {one.name}, is {one.shape_text}, and {other.name} in "
                        f"{place} is {other.shape_text}: give both one layout, or copy it first"
                    )


def _order_in_memory(leaf: Leaf) -> list[int]:
    """The dimensions from minor to major without those of size 1, which may be anywhere."""
    shape = leaf.type.get_shape()
    return [dimension for dimension in leaf.layout if shape[dimension] != 1]


def _boundary(op: Operation) -> Iterator[tuple[str, SSAValue, SSAValue, str]]:
    """What `op` takes and gives: what it is, the value outside of `op`, that inside of it, and where that is."""
    match op:
        case hlo.FusionOp():
            computation = op.callee_function()
            place = f"@{op.callee.string_value()}"
            for number, (operand, parameter) in enumerate(zip(op.operands, computation.args, strict=True)):
                yield f"operand {number}", operand, parameter, place
            yield from _results(op, computation.body.block, place)
        case stablehlo.WhileOp():
            for number, (operand, result) in enumerate(zip(op.operands, op.results, strict=True)):
                yield f"operand {number}", operand, result, "its results"
            yield from _results(op, op.body.block, "its body")
        case stablehlo.CaseOp() | stablehlo.IfOp():
            for number, region in enumerate(op.regions):
                yield from _results(op, region.block, f"branch {number}")
        case _:
            pass


def _results(op: Operation, block: Block, place: str) -> Iterator[tuple[str, SSAValue, SSAValue, str]]:
    """The results of `op`, each with the value that `block` ends with."""
    returned = block.last_op
    assert returned is not None
    for number, (result, value) in enumerate(zip(op.results, returned.operands, strict=True)):
        yield f"result {number}", result, value, place
