"""Divide the dimensions of a module by the ratios that its operations allow."""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.dense_elements import dense
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.modules.leaves import Leaf
from xshardy.modules.shrinking.asynchronous import resized_bundle
from xshardy.modules.shrinking.atoms import Atom, resolved
from xshardy.modules.shrinking.constraints import Constraints
from xshardy.rewriting.walk import operations_from

LEAST = 4
"""The size from which on dimensions do not shrink, by default."""

OF_SHAPES = ("hlo.entry_computation_layout",)
"""Attributes of a module that repeat its shapes."""


def shrink(module: ModuleOp, least: int = LEAST) -> ModuleOp:
    """
    A copy of an HLO module with smaller shapes: a dimension that is not fixed shrinks to `least` if that divides it.

    It is a program of the same operations, not one with the same results: a mean still divides by the old size. Tuples
    must be dissolved, as `parse_hlo` does. Dimensions of slices, paddings and concatenations keep their sizes. Raises
    `VerifyException` if an operation rejects its new shapes, which is a bug.
    """
    smaller = module.clone()
    constraints = Constraints(smaller)
    ratios: dict[int, int] = {}

    def size_of(atom: Atom) -> int:
        group = atom.group.found()
        if id(group) not in ratios:
            ratios[id(group)] = group.ratio(least)
        return atom.size // ratios[id(group)]

    def shrunk(value: SSAValue, type: Attribute, path: tuple[int, ...] = ()) -> Attribute:
        if isinstance(type, TupleType):
            return tuple_type([shrunk(value, element, (*path, i)) for i, element in enumerate(type.types.data)])
        if not isinstance(type, TensorType):
            return type
        dims = constraints.of(Leaf(value, path))
        sizes = [prod(map(size_of, resolved(atoms))) for atoms in dims]
        return TensorType(cast(TensorType[Any], type).element_type, sizes, type.encoding)

    types = {value: shrunk(value, value.type) for op in operations_from(smaller) for value in _defined(op)}
    for op in operations_from(smaller):
        if isinstance(op, hlo.StartOp | hlo.AsyncUpdateOp):
            types[op.bundle] = resized_bundle(op, types)
        if (resize := RESIZE.get(type(op))) is not None:
            resize(op, types)
    for value, new in types.items():
        value._type = new  # pyright: ignore[reportPrivateUsage]
    for op in smaller.ops:
        if isinstance(op, FuncOp) and (end := op.get_return_op()) is not None:
            op.function_type = FunctionType.from_lists(
                [argument.type for argument in op.args], [value.type for value in end.operands]
            )
    for name in OF_SHAPES:
        smaller.attributes.pop(name, None)
    smaller.verify()
    return smaller


def _defined(op: Operation) -> list[SSAValue]:
    """The values that `op` defines, as results or in its regions."""
    blocks: list[Block] = [block for region in op.regions for block in region.blocks]
    return [*op.results, *(argument for block in blocks for argument in block.args)]


Types = Mapping[SSAValue, Attribute]


def _resize_constant(op: stablehlo.ConstantOp, types: Types) -> None:
    """Only constants of equal elements shrink."""
    new = cast(TensorType[Any], types[op.results[0]])
    if new != op.results[0].type:
        op.value = dense(new, op.value.data.data[: new.element_type.compile_time_size])


def _resize_slice(op: stablehlo.SliceOp, types: Types) -> None:
    """What is taken whole is still taken whole."""
    before, after = shape_of(op.operand), _shape(types[op.operand])
    limits = op.limit_indices.get_values()
    starts = op.start_indices.get_values()
    op.limit_indices = integers(
        new if (start, limit) == (0, old) else limit
        for start, limit, old, new in zip(starts, limits, before, after, strict=True)
    )


def _resize_dynamic_slice(op: stablehlo.DynamicSliceOp, types: Types) -> None:
    op.slice_sizes = integers(_shape(types[op.results[0]]))


def _resize_gather(op: stablehlo.GatherOp, types: Types) -> None:
    before, after = shape_of(op.operands[0]), _shape(types[op.operands[0]])
    sizes = op.slice_sizes.get_values()
    op.slice_sizes = integers(new if size == old else size for size, old, new in zip(sizes, before, after, strict=True))


def _shape(type: Attribute) -> tuple[int, ...]:
    return cast(TensorType[Any], type).get_shape()


RESIZE: Mapping[type[Operation], Callable[[Any, Types], None]] = {
    stablehlo.ConstantOp: _resize_constant,
    stablehlo.DynamicSliceOp: _resize_dynamic_slice,
    stablehlo.GatherOp: _resize_gather,
    stablehlo.SliceOp: _resize_slice,
}
"""How operations change whose attributes have sizes."""
