"""Reshapes: which dimensions go together, and how a size in use changes."""

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.transforms.hlo.dynamic_dimensions.pad_pattern import PadPattern
from xshardy.transforms.hlo.dynamic_dimensions.padded_code import PaddedCode
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, dynamic_dims, largest_shape

Group = tuple[list[int], list[int]]


def groups(before: Sequence[int], after: Sequence[int]) -> Iterator[Group]:
    """The smallest runs of dimensions of two shapes, without zeros, of the same elements: `[8, 3]` and `[24]`."""
    i = j = 0
    while i < len(before) or j < len(after):
        left, right = [i] if i < len(before) else [], [j] if j < len(after) else []
        i, j = i + len(left), j + len(right)
        while (sizes := (prod(before[d] for d in left), prod(after[d] for d in right)))[0] != sizes[1]:
            if sizes[0] < sizes[1]:
                left.append(i)
                i += 1
            else:
                right.append(j)
                j += 1
        yield left, right


def majors(shape: Sequence[int], dims: Sequence[int], dynamic: Sequence[int]) -> list[int]:
    """Those of `dims` with several elements, and those that are dynamic."""
    return [d for d in dims if shape[d] != 1 or d in dynamic]


def scaled_sizes(op: stablehlo.ReshapeOp) -> dict[int, tuple[int, int, int]] | None:
    """
    For each dynamic dimension of the result that of the operand, and by what its size is multiplied and divided.

    None if the elements in use would not stay at the beginning: a dynamic dimension must be the outermost of its group.
    """
    before, after = largest_shape(op.operand.type), largest_shape(op.result.type)
    dynamic, wanted = dynamic_dims(op.operand.type), dynamic_dims(op.result.type)
    if 0 in before:
        return None
    scaled: dict[int, tuple[int, int, int]] = {}
    for left, right in groups(before, after):
        sources, targets = majors(before, left, dynamic), majors(after, right, wanted)
        moved, made = [d for d in left if d in dynamic], [d for d in right if d in wanted]
        if not moved and not made:
            continue
        if moved != sources[:1] or made != targets[:1]:
            return None
        inner, outer = prod(before[d] for d in sources[1:]), prod(after[d] for d in targets[1:])
        if inner % outer and outer % inner:
            return None
        scaled[made[0]] = moved[0], inner, outer
    return scaled


class PadReshape(PadPattern[stablehlo.ReshapeOp]):
    """`reshape (set_dimension_size %a, %n) : [<=8, 3] -> [<=24]` -> `set_dimension_size (reshape %a), %n * 3`"""

    op_types = (stablehlo.ReshapeOp,)

    @staticmethod
    def refusal(op: stablehlo.ReshapeOp) -> str | None:
        if scaled_sizes(op) is None:
            return "a dynamic dimension is not the outermost of those that it is merged with or split into"
        return None

    def padded(self, op: stablehlo.ReshapeOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        sizes: dict[int, SSAValue] = {}
        for d, (source, inner, outer) in (scaled_sizes(op) or {}).items():
            size = operands[0].sizes[source]
            size = code.multiply(size, code.number(inner)) if inner != 1 else size
            sizes[d] = code.divide(size, code.number(outer)) if outer != 1 else size
        return [Padded(code.remade(op, [operands[0].value])[0], sizes)]
