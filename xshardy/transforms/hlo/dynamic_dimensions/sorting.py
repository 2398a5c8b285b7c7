"""Sorts: elements behind the size in use go to the end."""

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.transforms.hlo.dynamic_dimensions.pad_pattern import PadPattern
from xshardy.transforms.hlo.dynamic_dimensions.padded_code import PaddedCode
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, largest_shape


class PadSort(PadPattern[stablehlo.SortOp]):
    """`sort (set_dimension_size %a, %n)` -> `sort %a, (iota < %n)`, by the second first, true before false"""

    op_types = (stablehlo.SortOp,)

    @staticmethod
    def refusal(op: stablehlo.SortOp) -> str | None:
        shapes = {largest_shape(each.type) for each in op.inputs}
        return None if len(shapes) == 1 else "its inputs have different bounds"

    def padded(self, op: stablehlo.SortOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        shape = operands[0].shape
        sizes = {d: size for each in reversed(operands) for d, size in each.sizes.items()}
        along = -1 if op.dimension is None else op.dimension.value.data
        inputs = [operand.value for operand in operands]
        types = [value.type for value in inputs]
        if (size := sizes.get(along % len(shape))) is not None:
            in_use = code.in_use(shape, {along % len(shape): size})
            self.compare_use_first(op, code)
            inputs, types = [*inputs, in_use], [*types, in_use.type]
        made = code.remade(op, inputs, types)[: len(operands)]
        return [Padded(value, sizes) for value in made]

    @staticmethod
    def compare_use_first(op: stablehlo.SortOp, code: PaddedCode) -> None:
        """`^bb(%a, %b): return %less` -> `^bb(%a, %b, %p, %q): return %p & (%less | !%q)`"""
        block, flag, rewriter = op.comparator.block, TensorType(i1, []), code.rewriter
        first, second = (rewriter.insert_block_argument(block, len(block.args), flag) for _ in range(2))
        end = block.last_op
        assert end is not None
        made: list[SSAValue] = []
        inner = PaddedCode(rewriter, InsertPoint.before(end))
        made.append(inner(stablehlo.NotOp(second)))
        made.append(inner.either(end.operands[0], made[0]))
        end.operands[0] = inner.both(first, made[1])
        rewriter.insertion_point = InsertPoint.before(op)
