"""
Operations of StableHLO that others have replaced, in terms of those.

Source: StableHLO's specification of each operation, and its pass `stablehlo-legalize-deprecated-ops`.
"""

import string
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntAttr, TensorType
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import DotDimensionNumbersAttr, GatherDimensionNumbersAttr, integers
from xshardy.dialects.stablehlo.building import Decomposition, Tensors, element_type, reducer


def broadcast(op: stablehlo.BroadcastOp, t: Tensors) -> Sequence[SSAValue]:
    """`broadcast x, sizes = [2]` -> `broadcast_in_dim x, dims = [1]`"""
    rank = len(shape_of(op.result))
    return [t(stablehlo.BroadcastInDimOp(op.operand, range(rank - len(shape_of(op.operand)), rank), op.result.type))]


def create_token(op: stablehlo.CreateTokenOp, t: Tensors) -> Sequence[SSAValue]:
    """`create_token` -> `after_all`"""
    return [t(stablehlo.AfterAllOp([]))]


def cross_replica_sum(op: stablehlo.CrossReplicaSumOp, t: Tensors) -> Sequence[SSAValue]:
    """`cross-replica-sum x` -> `all_reduce x` by an addition"""
    addition = reducer(stablehlo.AddOp, element_type(op.operand))
    return [t(stablehlo.AllReduceOp([op.operand], op.replica_groups, addition))]


def dot(op: stablehlo.DotOp, t: Tensors) -> Sequence[SSAValue]:
    """`dot x, y` -> `dot_general x, y` over the last dimension of `x` and the first of `y`"""
    contracted = integers([len(shape_of(op.lhs)) - 1]), integers([0])
    general = stablehlo.DotGeneralOp(
        op.lhs, op.rhs, DotDimensionNumbersAttr(integers([]), integers([]), *contracted), op.result.type
    )
    if op.precision_config is not None:
        general.precision_config = op.precision_config
    return [t(general)]


def summed(t: Tensors, x: SSAValue, dimensions: Sequence[int]) -> SSAValue:
    """The sum of `x` over `dimensions`."""
    if not dimensions:
        return x
    element = element_type(x)
    shape = [size for i, size in enumerate(shape_of(x)) if i not in dimensions]
    zero = t.constant(0, element)  # pyright: ignore[reportArgumentType]
    return t(
        stablehlo.ReduceOp([x], [zero], dimensions, reducer(stablehlo.AddOp, element), [TensorType(element, shape)])
    )


def labels_of(op: Operation, config: str) -> tuple[list[str], str]:
    """
    A letter for each dimension of each operand, and of the result; `...` becomes digits.

    Raises `NotImplementedError` if an operand has one letter twice: it denotes a diagonal.
    """
    inputs, _, output = config.replace(" ", "").partition("->")
    texts: list[str] = []
    widest = ""
    for text, operand in zip(inputs.split(","), op.operands, strict=True):
        count = len(shape_of(operand)) - len(text.replace("...", ""))
        dots = string.digits[10 - count :]
        widest = max(widest, dots, key=len)
        texts.append(text.replace("...", dots))
        if len(set(texts[-1])) < len(texts[-1]):
            raise NotImplementedError(f"'{text}' takes a diagonal")
    return texts, output.replace("...", widest)


def arranged(t: Tensors, x: SSAValue, labels: str, wanted: str) -> SSAValue:
    """`x` with its dimensions in the order of `wanted`, summed over all others."""
    kept = [label for label in labels if label in wanted]
    x = summed(t, x, [i for i, label in enumerate(labels) if label not in wanted])
    return t.transpose(x, [kept.index(label) for label in wanted])


def einsum(op: stablehlo.EinsumOp, t: Tensors) -> Sequence[SSAValue]:
    """
    `einsum x, y, config = "ij,jk->ki"` -> `transpose(dot_general x, y)`.

    Dimensions of one operand that are not in the result are summed first.
    """
    (lhs, rhs), out = labels_of(op, op.einsum_config.data)
    left = "".join(label for label in lhs if label in rhs or label in out)
    right = "".join(label for label in rhs if label in lhs or label in out)
    batch = [label for label in left if label in right and label in out]
    contracted = [label for label in left if label in right and label not in out]
    numbers = DotDimensionNumbersAttr(
        *(
            integers([labels.index(label) for label in group])
            for group in (batch, contracted)
            for labels in (left, right)
        )
    )
    x, y = arranged(t, op.lhs, lhs, left), arranged(t, op.rhs, rhs, right)
    sizes = dict(zip(left + right, (*shape_of(x), *shape_of(y)), strict=True))
    free = [label for label in left + right if label not in batch and label not in contracted]
    labels = "".join([*batch, *free])
    product = TensorType(element_type(op.result), [sizes[label] for label in labels])
    return [arranged(t, t(stablehlo.DotGeneralOp(x, y, numbers, product)), labels, out)]


def unary_einsum(op: stablehlo.UnaryEinsumOp, t: Tensors) -> Sequence[SSAValue]:
    """`unary_einsum x, config = "ij->j"` -> `reduce x` by additions, and a transpose"""
    (labels,), out = labels_of(op, op.einsum_config.data)
    return [arranged(t, op.operand, labels, out)]


def torch_index_select(op: stablehlo.TorchIndexSelectOp, t: Tensors) -> Sequence[SSAValue]:
    """`torch_index_select x, index, dim = 1` -> `gather x, index` of slices with one element along dimension 1"""
    sizes, index_rank = shape_of(op.operand), len(shape_of(op.index))
    dim, batches = op.dim.value.data, op.batch_dims.value.data
    after = range(dim + index_rank - batches, len(sizes) - 1 + index_rank - batches)
    numbers = GatherDimensionNumbersAttr.new(
        [
            *map(integers, ((*range(batches, dim), *after), (dim,), range(batches), range(batches), (dim,))),
            IntAttr(index_rank),
        ]
    )
    slices = [1 if i < batches or i == dim else size for i, size in enumerate(sizes)]
    return [t(stablehlo.GatherOp(op.operand, op.index, numbers, slices, op.result.type))]


DEPRECATED: Mapping[type[Operation], Decomposition] = {
    stablehlo.BroadcastOp: broadcast,
    stablehlo.CreateTokenOp: create_token,
    stablehlo.CrossReplicaSumOp: cross_replica_sum,
    stablehlo.DotOp: dot,
    stablehlo.EinsumOp: einsum,
    stablehlo.TorchIndexSelectOp: torch_index_select,
    stablehlo.UnaryEinsumOp: unary_einsum,
}
"""The decomposition of each deprecated operation."""
