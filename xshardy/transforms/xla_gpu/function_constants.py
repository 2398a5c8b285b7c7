"""The constants of a function, each once, at its start."""

from typing import cast

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

Constant = arith.ConstantOp | llvm.ConstantOp


class FunctionConstants:
    """
    Moves the constants of `function` to its start, merges equal ones, and makes new ones there.

    Constants of tensors stay where they are: they are memory, not values.
    """

    def __init__(self, function: FuncOp):
        self._block = function.body.block
        self._last: Operation | None = None
        self._known: dict[tuple[type[Operation], Attribute, Attribute], Constant] = {}
        for op in [op for op in function.body.walk() if isinstance(op, Constant)]:
            if not isinstance(op.result.type, TensorType):
                self._hoist(op)

    def arith(self, value: int, type: Attribute) -> SSAValue:
        """`arith.constant value : type`, for an integer, or a vector of which every element is `value`."""
        if isa(type, VectorType[IntegerType]):
            return self._get(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, [value])))
        assert isa(type, IntegerType)
        return self._get(arith.ConstantOp(IntegerAttr(value, type, truncate_bits=True)))

    def llvm(self, value: int, type: IntegerType) -> SSAValue:
        """`llvm.mlir.constant(value : type) : type`."""
        return self._get(llvm.ConstantOp(IntegerAttr(value, type, truncate_bits=True), type))

    def llvm_float(self, value: float, type: Attribute) -> SSAValue:
        """`llvm.mlir.constant(value : type) : type`, for a float of LLVM."""
        return self._get(llvm.ConstantOp(FloatAttr(value, cast(AnyFloat, type)), type))

    def erase_unused(self) -> None:
        """Erase the constants that nothing uses."""
        for key, op in list(self._known.items()):
            if not op.result.first_use:
                Rewriter.erase_op(op)
                del self._known[key]

    def _hoist(self, op: Constant) -> None:
        known = self._known.get(key := _key(op))
        if known is not None:
            Rewriter.replace_op(op, (), (known.result,))
            return
        self._known[key] = op
        op.detach()
        self._insert(op)

    def _get(self, op: Constant) -> SSAValue:
        known = self._known.get(key := _key(op))
        if known is None:
            self._known[key] = known = op
            self._insert(op)
        return known.result

    def _insert(self, op: Operation) -> None:
        point = InsertPoint.at_start(self._block) if self._last is None else InsertPoint.after(self._last)
        Rewriter.insert_op(op, point)
        self._last = op


def _key(op: Constant) -> tuple[type[Operation], Attribute, Attribute]:
    return type(op), op.value, op.result.type
