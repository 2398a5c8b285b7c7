"""A builder of StableHLO operations with short methods, so that an expansion reads like its formula."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.builder import Builder
from xdsl.dialects.builtin import AnyFloat, AnyTensorType, IntegerType, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense_values
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.selection import default_compare_type


class Tensors:
    """Inserts operations at one place of a computation."""

    def __init__(self, builder: Builder):
        self.builder = builder
        self.constants: dict[tuple[float, Attribute, Sequence[int]], SSAValue] = {}

    def __call__(self, op: Operation) -> SSAValue:
        """Insert `op` and return its first result."""
        self.builder.insert(op)
        return op.results[0]

    def constant(self, value: float, element_type: IntegerType | AnyFloat, shape: Sequence[int] = ()) -> SSAValue:
        """A tensor of equal elements: a scalar that is broadcast. Equal constants are one value."""
        key = (value, element_type, tuple(shape))
        if (known := self.constants.get(key)) is None:
            if shape:
                known = self.splat(self.constant(value, element_type), shape)
            else:
                attribute = dense_values(TensorType(element_type, []), [value])
                known = self(stablehlo.ConstantOp(attribute))
            self.constants[key] = known
        return known

    def like(self, value: float, x: SSAValue) -> SSAValue:
        """A constant of the type of `x`."""
        return self.constant(value, cast(IntegerType | AnyFloat, element_type(x)), shape_of(x))

    def splat(self, scalar: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A tensor of `shape` whose elements are all `scalar`."""
        return self(stablehlo.BroadcastInDimOp(scalar, [], TensorType(element_type(scalar), shape)))

    def element(self, vector: SSAValue, index: int) -> SSAValue:
        """An element of a tensor of one dimension, as a scalar."""
        return self.reshape(self(stablehlo.SliceOp(vector, [index], [index + 1], [1])), ())

    def vector(self, scalars: Sequence[SSAValue]) -> SSAValue:
        """Scalars as a tensor of one dimension."""
        type = TensorType(element_type(scalars[0]), [len(scalars)])
        return self(stablehlo.ConcatenateOp([self.reshape(scalar, (1,)) for scalar in scalars], 0, type))

    def reshape(self, x: SSAValue, shape: Sequence[int]) -> SSAValue:
        """`x` with another shape; itself if it has that shape."""
        if shape_of(x) == tuple(shape):
            return x
        return self(stablehlo.ReshapeOp(x, TensorType(element_type(x), shape)))

    def transpose(self, x: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """`x` with its dimensions in another order; itself if that is the order."""
        if list(permutation) == sorted(permutation):
            return x
        return self(stablehlo.TransposeOp(x, permutation))

    def iota(self, dimension: int, element_type: IntegerType, shape: Sequence[int]) -> SSAValue:
        return self(stablehlo.IotaOp(dimension, TensorType(element_type, shape)))

    def convert(self, x: SSAValue, element_type: Attribute) -> SSAValue:
        return self(stablehlo.ConvertOp(x, TensorType(element_type, shape_of(x))))

    def add(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self(stablehlo.AddOp(x, y))

    def multiply(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self(stablehlo.MulOp(x, y))

    def xor(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self(stablehlo.XorOp(x, y))

    def either(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self(stablehlo.OrOp(x, y))

    def both(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self(stablehlo.AndOp(x, y))

    def shifted_left(self, x: SSAValue, amount: int) -> SSAValue:
        return self(stablehlo.ShiftLeftOp(x, self.like(amount, x)))

    def shifted_right(self, x: SSAValue, amount: int) -> SSAValue:
        """With zeros from the left."""
        return self(stablehlo.ShiftRightLogicalOp(x, self.like(amount, x)))

    def compare(self, x: SSAValue, direction: stablehlo.ComparisonDirection, y: SSAValue) -> SSAValue:
        return self(stablehlo.CompareOp(x, y, direction, default_compare_type(element_type(x))))

    def select(self, predicate: SSAValue, then: SSAValue, otherwise: SSAValue) -> SSAValue:
        return self(stablehlo.SelectOp(predicate, then, otherwise))


Decomposition = Callable[[Any, Tensors], Sequence[SSAValue]]
"""
Inserts operations that compute the results of an operation, and returns them.

Raises `NotImplementedError` with the reason if there are none for its types.
"""


def reducer(kind: type[Operation], element: Attribute) -> Region:
    """A region that combines two elements by one operation of this kind."""
    scalar = TensorType(element, [])
    block = Block(arg_types=[scalar, scalar])
    combined = kind.create(operands=block.args, result_types=[scalar])
    block.add_ops([combined, stablehlo.ReturnOp(*combined.results)])
    return Region(block)


def element_type(x: SSAValue) -> Attribute:
    """The element type of a tensor."""
    return cast(AnyTensorType, x.type).element_type
