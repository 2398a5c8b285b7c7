"""What upstream's `tensor` dialect has and xDSL's lacks."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IndexType, TensorType, i64
from xdsl.dialects.utils.dynamic_index_list import DynamicIndexList
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import HasParent, Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.extensions import extended


@irdl_op_definition
class BitcastOp(IRDLOperation):
    """The same bits, elementwise, as another element type of the same width."""

    name = "tensor.bitcast"
    source = operand_def(TensorType)
    dest = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def __init__(self, source: SSAValue, result_type: TensorType):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source, dest = cast(TensorType, self.source.type), self.dest.type
        if source.get_shape() != dest.get_shape():
            raise VerifyException(f"{source} and {dest} must have the same shape")


@irdl_op_definition
class ParallelInsertSliceOp(IRDLOperation):
    """In `scf.forall.in_parallel`: write `source` to the thread's slice of the shared `dest`."""

    name = "tensor.parallel_insert_slice"
    source = operand_def(base(TensorType))
    dest = operand_def(base(TensorType))
    offsets = var_operand_def(IndexType)
    sizes = var_operand_def(IndexType)
    strides = var_operand_def(IndexType)
    static_offsets = prop_def(DenseArrayBase.constr(i64))
    static_sizes = prop_def(DenseArrayBase.constr(i64))
    static_strides = prop_def(DenseArrayBase.constr(i64))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$source `into` $dest ``"
        "custom<DynamicIndexList>($offsets, $static_offsets)"
        "custom<DynamicIndexList>($sizes, $static_sizes)"
        "custom<DynamicIndexList>($strides, $static_strides)"
        "attr-dict `:` type($source) `into` type($dest)"
    )
    custom_directives = (DynamicIndexList,)
    traits = lazy_traits_def(lambda: (HasParent(_in_parallel()),))

    def __init__(
        self, source: SSAValue, dest: SSAValue, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
    ):
        super().__init__(
            operands=[source, dest, [], [], []],
            properties={
                "static_offsets": DenseArrayBase.from_list(i64, offsets),
                "static_sizes": DenseArrayBase.from_list(i64, sizes),
                "static_strides": DenseArrayBase.from_list(i64, strides),
            },
        )


def _in_parallel() -> type[Operation]:
    from xshardy.dialects.extensions.scf import InParallelOp

    return InParallelOp


def extend(dialect: Dialect) -> Dialect:
    """`dialect` with the operations of this module."""
    return extended(dialect, (BitcastOp, ParallelInsertSliceOp))
