"""Divide the dimensions of a module by the ratios that its operations allow."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import FixedBitwidthType, FunctionType, IntegerAttr, ModuleOp, TensorType, TupleType, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.dense_elements import dense
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.dialects.stablehlo.windows import dilated
from xshardy.ir import clone_operation
from xshardy.ir.fields import set_type
from xshardy.launch.leaves import Leaf
from xshardy.rewriting.walk import operations_from
from xshardy.tools.shrinking.asynchronous import resized_bundle
from xshardy.tools.shrinking.atoms import Atom, Division, Group, resolved, shrinking
from xshardy.tools.shrinking.constraints import Constraints
from xshardy.tools.shrinking.convolutions import labelled
from xshardy.tools.shrinking.divisions import Padding, paddings
from xshardy.tools.shrinking.loops import shorten_loops
from xshardy.tools.shrinking.sharded import keep_divisible
from xshardy.transforms.hlo.inline_regions import InlineRegionsPass

LEAST = 4
"""The size from which on dimensions do not shrink, by default."""

OF_SHAPES = ("hlo.entry_computation_layout",)
"""Attributes of a module that repeat its shapes."""


class Shrunk:
    """The sizes of dimensions, which shrink to at least `least`."""

    def __init__(self, constraints: Constraints, least: int):
        self.constraints = constraints
        self.least = least
        self._divisions: dict[Group, Division] = {}

    def size(self, atoms: Sequence[Atom]) -> int:
        return prod(self._division(atom).of(atom.size) for atom in resolved(atoms))

    def _division(self, atom: Atom) -> Division:
        group = atom.group.found()
        if group not in self._divisions:
            self._divisions[group] = group.division(self.least)
        return self._divisions[group]

    def type(self, value: SSAValue, old: Attribute | None = None, path: tuple[int, ...] = ()) -> Attribute:
        """The type of `value`, or of the part of it at `path`, whose type was `old`."""
        old = old or value.type
        if isinstance(old, TupleType):
            return tuple_type([self.type(value, element, (*path, i)) for i, element in enumerate(old.types.data)])
        if not isinstance(old, TensorType):
            return old
        sizes = map(self.size, self.constraints.of(Leaf(value, path)))
        return TensorType(cast(TensorType, old).element_type, [*sizes], old.encoding)

    def shape(self, value: SSAValue) -> list[int]:
        return [*map(self.size, self.constraints.of(Leaf(value)))]

    def divisions(self, value: SSAValue) -> list[Division]:
        """How each dimension of `value` is divided that is tied to another one."""
        found = (shrinking(resolved(atoms)) for atoms in self.constraints.of(Leaf(value)))
        return [Division() if atom is None else self._division(atom) for atom in found]


def shrink(module: ModuleOp, least: int = LEAST) -> ModuleOp:
    """
    A copy of an HLO module with smaller shapes: a dimension that is not fixed shrinks to `least`, or little more.

    It is a program of the same operations, not one with the same results: a mean still divides by the old size. Tuples
    must be dissolved, as `parse_hlo` does. A dimension of which a part is taken, or that is padded or concatenated,
    shrinks by the ratio of the result, or keeps its size. A loop that counts to a constant has as many fewer iterations
    as a dimension of that size would have elements. Raises `VerifyException` if an operation rejects its new shapes,
    which is a bug.
    """
    small = clone_operation(module)
    InlineRegionsPass().rewrite_module(small)
    shorten_loops(small, least)
    constraints = Constraints(small)
    keep_divisible(constraints, small)
    shrunk = Shrunk(constraints, least)
    types = {value: shrunk.type(value) for op in operations_from(small) for value in _defined(op)}
    for op in operations_from(small):
        if isinstance(op, hlo.StartOp | hlo.AsyncUpdateOp):
            types[op.bundle] = resized_bundle(op, types)
        if (resize := RESIZE.get(type(op))) is not None:
            resize(op, shrunk)
    for value, new in types.items():
        set_type(value, new)
    for op in small.ops:
        if isinstance(op, FuncOp) and (end := op.get_return_op()) is not None:
            op.function_type = FunctionType.from_lists(
                [argument.type for argument in op.args], [value.type for value in end.operands]
            )
    for name in OF_SHAPES:
        small.attributes.pop(name, None)
    small.verify()
    return small


def _defined(op: Operation) -> list[SSAValue]:
    """The values that `op` defines, as results or in its regions."""
    blocks: list[Block] = [block for region in op.regions for block in region.blocks]
    return [*op.results, *(argument for block in blocks for argument in block.args)]


def _resize_constant(op: stablehlo.ConstantOp, shrunk: Shrunk) -> None:
    """Only constants of equal elements shrink."""
    new = cast(TensorType[FixedBitwidthType], shrunk.type(op.results[0]))
    if new != op.results[0].type:
        op.value = dense(new, op.value.data.data[: new.element_type.compile_time_size])


def _resize_slice(op: stablehlo.SliceOp, shrunk: Shrunk) -> None:
    """A part at the end stays there; any other begins at the same part of the whole, if there is room for it."""
    places = zip(op.start_indices.get_values(), op.strides.get_values(), strict=True)
    before, after = ((shape_of(value), shrunk.shape(value)) for value in (op.operand, op.result))
    starts: list[int] = []
    limits: list[int] = []
    sizes = zip(*before, *after, strict=True)
    for (start, stride), (size, new_size, part, new_part) in zip(places, sizes, strict=True):
        span, last = dilated(new_part, stride), new_size - dilated(new_part, stride)
        is_at_end = start + dilated(part, stride) == size
        starts.append(last if is_at_end else min(start * new_size // max(size, 1), last))
        limits.append(starts[-1] + span)
    op.start_indices, op.limit_indices = integers(starts), integers(limits)


def _resize_pad(op: stablehlo.PadOp, shrunk: Shrunk) -> None:
    sizes = zip(paddings(op), shape_of(op.operand), shrunk.divisions(op.result), strict=True)
    new = [_smaller_padding(*each) for each in sizes]
    op.edge_padding_low = integers(padding.low for padding in new)
    op.edge_padding_high = integers(padding.high for padding in new)


def _smaller_padding(padding: Padding, size: int, division: Division) -> Padding:
    new = None if padding == Padding() else padding.divided(size, division)
    return new or padding


def _resize_convolution(op: stablehlo.ConvolutionOp, shrunk: Shrunk) -> None:
    """A group has the input features of the filter, or the batches of the result."""
    x, w, y = labelled(shrunk.constraints, op)
    op.feature_group_count = IntegerAttr(shrunk.size(x["f"]) // max(shrunk.size(w["i"]), 1), i64)
    op.batch_group_count = IntegerAttr(shrunk.size(x["b"]) // max(shrunk.size(y["b"]), 1), i64)


def _resize_dynamic_slice(op: stablehlo.DynamicSliceOp, shrunk: Shrunk) -> None:
    op.slice_sizes = integers(shrunk.shape(op.results[0]))


def _resize_gather(op: stablehlo.GatherOp, shrunk: Shrunk) -> None:
    """Slices have the sizes of the result, but for the dimensions that it lacks."""
    result, old = shrunk.shape(op.results[0]), op.slice_sizes.get_values()
    offset_of = op.dimension_numbers.dims.offset_of(len(old))
    op.slice_sizes = integers(result[offset_of[dim]] if dim in offset_of else size for dim, size in enumerate(old))


RESIZE: Mapping[type[Operation], Callable[[Any, Shrunk], None]] = {
    stablehlo.ConstantOp: _resize_constant,
    stablehlo.ConvolutionOp: _resize_convolution,
    stablehlo.DynamicSliceOp: _resize_dynamic_slice,
    stablehlo.GatherOp: _resize_gather,
    stablehlo.PadOp: _resize_pad,
    stablehlo.SliceOp: _resize_slice,
}
"""How operations change whose attributes have sizes."""
