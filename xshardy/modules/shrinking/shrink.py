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
from xshardy.modules.shrinking.ratios import paddings
from xshardy.modules.shrinking.sharded import keep_divisible
from xshardy.rewriting.walk import operations_from

LEAST = 4
"""The size from which on dimensions do not shrink, by default."""

OF_SHAPES = ("hlo.entry_computation_layout",)
"""Attributes of a module that repeat its shapes."""


def shrink(module: ModuleOp, least: int = LEAST) -> ModuleOp:
    """
    A copy of an HLO module with smaller shapes: a dimension that is not fixed shrinks to `least` if that divides it.

    It is a program of the same operations, not one with the same results: a mean still divides by the old size. Tuples
    must be dissolved, as `parse_hlo` does. A dimension of which a part is taken, or that is padded or concatenated,
    shrinks by the ratio of the result, or keeps its size. Raises `VerifyException` if an operation rejects its new
    shapes, which is a bug.
    """
    smaller = module.clone()
    constraints = Constraints(smaller)
    keep_divisible(constraints, smaller)
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
    """Where a part begins and ends shrinks with the whole."""
    ratios = _ratios(op.operand, types)
    op.start_indices, op.limit_indices = (
        integers(place // ratio for place, ratio in zip(places.get_values(), ratios, strict=True))
        for places in (op.start_indices, op.limit_indices)
    )


def _resize_pad(op: stablehlo.PadOp, types: Types) -> None:
    sizes = zip(paddings(op), shape_of(op.operand), _ratios(op.operand, types), strict=True)
    smaller = [padding.divided(size, ratio) or padding for padding, size, ratio in sizes]
    op.edge_padding_low = integers(padding.low for padding in smaller)
    op.edge_padding_high = integers(padding.high for padding in smaller)


def _resize_dynamic_slice(op: stablehlo.DynamicSliceOp, types: Types) -> None:
    op.slice_sizes = integers(_shape(types[op.results[0]]))


def _resize_gather(op: stablehlo.GatherOp, types: Types) -> None:
    before, after = shape_of(op.operands[0]), _shape(types[op.operands[0]])
    sizes = op.slice_sizes.get_values()
    op.slice_sizes = integers(new if size == old else size for size, old, new in zip(sizes, before, after, strict=True))


def _ratios(value: SSAValue, types: Types) -> list[int]:
    """By which ratio each dimension of `value` shrinks."""
    before, after = shape_of(value), _shape(types[value])
    return [old // new if new else 1 for old, new in zip(before, after, strict=True)]


def _shape(type: Attribute) -> tuple[int, ...]:
    return cast(TensorType[Any], type).get_shape()


RESIZE: Mapping[type[Operation], Callable[[Any, Types], None]] = {
    stablehlo.ConstantOp: _resize_constant,
    stablehlo.DynamicSliceOp: _resize_dynamic_slice,
    stablehlo.GatherOp: _resize_gather,
    stablehlo.PadOp: _resize_pad,
    stablehlo.SliceOp: _resize_slice,
}
"""How operations change whose attributes have sizes."""
