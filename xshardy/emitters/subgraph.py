"""
Emission of one function of a partition: every operation once, for the element that the function is asked for.

Indices are computed from the roots to the parameters, then values from the parameters to the roots.
Source: rows XGPU-14 to XGPU-16, XGPU-19, XGPU-20.
"""

from collections import ChainMap
from collections.abc import Callable, Hashable, Mapping, Sequence
from math import prod
from typing import cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IndexType,
    IntegerType,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from xshardy.dialects.stablehlo.nullary import ConstantOp, IotaOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp, ConcatenateOp, PadOp
from xshardy.dialects.xla_gpu.discardable import RANGE, range_attr
from xshardy.emitters.elemental import emit_element
from xshardy.emitters.elemental.conversions import index_to_element
from xshardy.emitters.elemental.kinds import element_type_of, emitted_type, real_part
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, apply_map, in_domain
from xshardy.emitters.partition import Partition, Read, Scope, Subgraph, is_repeatable
from xshardy.emitters.signatures import emitted_tensor_type
from xshardy.indexing.interval import Interval
from xshardy.indexing.operations import operand_maps, shape_of


def emit_subgraph(partition: Partition, subgraph: Subgraph) -> FuncOp:
    """
    The private function of a subgraph: the parameters of the computation and an index for each dimension of the first
    root, to one element of each root.
    """
    tensors = [emitted_tensor_type(parameter) for parameter in partition.computation.body.block.args]
    indices = [IndexType()] * len(subgraph.shape)
    elements = [emitted_type(element_type_of(root.type)) for root in subgraph.roots]
    attributes: list[Mapping[str, Attribute]] = [{}] * len(tensors)
    attributes += [{RANGE: range_attr(Interval.of_size(max(size, 1)))} for size in subgraph.shape]
    function = FuncOp(
        subgraph.name,
        ([*tensors, *indices], elements),
        visibility="private",
        arg_attrs=ArrayAttr(DictionaryAttr(entry) for entry in attributes),
    )
    SubgraphEmitter(partition, subgraph, function).emit()
    return function


class SubgraphEmitter:
    """Fills the function of a subgraph."""

    def __init__(self, partition: Partition, subgraph: Subgraph, function: FuncOp):
        self.partition = partition
        self.subgraph = subgraph
        self.block = function.body.block
        parameters = partition.computation.body.block.args
        self.parameters = dict(zip(parameters, self.block.args[: len(parameters)], strict=True))
        self.constants: dict[ConstantOp, SSAValue] = {}

    def emit(self) -> None:
        s = Scalars.at_end(self.block)
        self.emit_constants(s)
        own = tuple(self.block.args[len(self.parameters) :])
        indices = [apply_map(s, map, own) for map in self.subgraph.root_maps]
        values = ScopeEmitter(self, s, None, ChainMap()).emit(list(zip(self.subgraph.roots, indices, strict=True)))
        s.builder.insert(ReturnOp(*values))

    def emit_constants(self, s: Scalars) -> None:
        """All constants first, in the order of the program, so that every branch can use them."""
        used = [*self.subgraph.roots, *(operand for op in self.subgraph.ops for operand in op.operands)]
        constants = {constant for value in used if (constant := _constant_behind(value)) is not None}
        for constant in sorted(constants, key=self.partition.position.__getitem__):
            self.constants[constant] = _emit_constant(s, constant)


Wanted = Sequence[tuple[SSAValue, Indices]]
"""Values of the computation, each with the indices of the element that is wanted."""

Cache = ChainMap[Hashable, tuple[SSAValue, ...]]
"""Values that can be used at a place of the code, by what they are: indices, elements of tensors, results of calls."""


class ScopeEmitter:
    """Emits the operations of one part of the code of a subgraph: all that is outside of branches, or one branch."""

    def __init__(self, function: SubgraphEmitter, s: Scalars, scope: Scope | None, cache: Cache):
        self.function = function
        self.s = s
        self.scope = scope
        self.ops = function.subgraph.ops_by_scope.get(scope, ())
        self.cache = cache
        self.values: dict[Operation | Block, SSAValue] = {}

    def emit(self, wanted: Wanted) -> list[SSAValue]:
        """The wanted elements."""
        own = set[Operation | Block](self.ops)
        at = {value.owner: indices for value, indices in wanted}
        for op in reversed(self.ops):
            for operand, read in zip(op.operands, self.reads(op), strict=True):
                if operand.owner in own and not read.is_conditional:
                    at[operand.owner] = self.apply(read, at[op])  # the same for every user, or it were not here
        for op in self.ops:
            choice = CHOICES.get(type(op))
            self.values[op] = self.plain(op, at[op]) if choice is None else choice(self, op, at[op])
        return [self.element(value, indices) for value, indices in wanted]

    def plain(self, op: Operation, indices: Indices) -> SSAValue:
        """The element of an operation that always reads all its operands."""
        operands = [
            self.element(operand, self.apply(read, indices))
            for operand, read in zip(op.operands, self.reads(op), strict=True)
        ]
        return emit_element(self.s, op, operands)

    def branch(self, op: Operation, operand: int, indices: Indices) -> Callable[[Scalars], SSAValue]:
        """The code that makes the element of one operand that `op` reads for some of its elements only."""

        def emit(inner: Scalars) -> SSAValue:
            depth = 1 if self.scope is None else self.scope.depth + 1
            scope = ScopeEmitter(self.function, inner, Scope(op, operand, depth), self.cache.new_child())
            (value,) = scope.emit([(op.operands[operand], scope.apply(self.reads(op)[operand], indices))])
            return value

        return emit

    def reads(self, op: Operation) -> Sequence[Read]:
        return self.function.partition.reads[op]

    def apply(self, read: Read, indices: Indices) -> Indices:
        """The indices of an operand, computed once for equal reads."""
        if read.is_identity:
            return indices
        key = (read.map, indices)
        if (known := self.cache.get(key)) is None:
            known = self.cache[key] = apply_map(self.s, read.map, indices)
        return known

    def element(self, value: SSAValue, indices: Indices) -> SSAValue:
        """One element of a value: of this part of the code, another function or a parameter, or made on the spot."""
        if (own := self.values.get(value.owner)) is not None:
            return own
        match value.owner:
            case ConstantOp() as constant:
                scalar = self.function.constants[constant]
                return self.extract(scalar, indices) if isinstance(scalar.type, TensorType) else scalar
            case IotaOp() as iota:
                return index_to_element(self.s, indices[iota.iota_dimension.value.data], element_type_of(value.type))
            case BroadcastInDimOp() as op if is_repeatable(value):
                ((map,),) = operand_maps(op)
                return self.element(op.operand, apply_map(self.s, map, indices))
            case Block():
                return self.extract(self.function.parameters[cast(BlockArgument, value)], indices)
            case op:
                return self.call(self.function.partition.subgraph_of[op], value, indices)

    def extract(self, tensor_value: SSAValue, indices: Indices) -> SSAValue:
        key = (tensor_value, indices)
        if (known := self.cache.get(key)) is None:
            element_type = element_type_of(tensor_value.type)
            known = self.cache[key] = (self.s(tensor.ExtractOp(tensor_value, indices, element_type)),)
        return known[0]

    def call(self, callee: Subgraph, value: SSAValue, indices: Indices) -> SSAValue:
        """An element of a root of another function."""
        key = (callee, indices)
        if (known := self.cache.get(key)) is None:
            call = callee.call([*self.function.parameters.values()], indices)
            self.s(call)
            known = self.cache[key] = tuple(call.results)
        return known[callee.roots.index(value)]


def _pad(scope: ScopeEmitter, op: PadOp, indices: Indices) -> SSAValue:
    """The operand where the indices are in the domain of its map, else the padding value."""
    read, shape = scope.reads(op)[0], shape_of(op.result)
    padding = scope.element(op.padding_value, ())
    if not read.is_conditional:
        return scope.element(op.operand, scope.apply(read, indices))
    return scope.s.branch(
        in_domain(scope.s, read.map, shape, indices), padding.type, scope.branch(op, 0, indices), lambda _: padding
    )


def _concatenate(scope: ScopeEmitter, op: ConcatenateOp, indices: Indices) -> SSAValue:
    """The first operand that ends behind the index along the dimension. Empty operands are left out."""
    axis = op.dimension.value.data
    operands = [i for i, operand in enumerate(op.inputs) if shape_of(operand)[axis]]

    def emit(s: Scalars, remaining: Sequence[int]) -> SSAValue:
        i, *others = remaining
        if not scope.reads(op)[i].is_conditional:
            return scope.element(op.inputs[i], scope.apply(scope.reads(op)[i], indices))
        if not others:
            return scope.branch(op, i, indices)(s)
        last = scope.reads(op)[i].map.dimension_intervals[axis].upper
        element_type = emitted_type(element_type_of(op.result.type))
        is_here = s.compare("sle", indices[axis], last)
        return s.branch(is_here, element_type, scope.branch(op, i, indices), lambda inner: emit(inner, others))

    return emit(scope.s, operands)


CHOICES: Mapping[type[Operation], Callable[..., SSAValue]] = {
    ConcatenateOp: _concatenate,
    PadOp: _pad,
}
"""The operations that read an operand for some of their elements only: they branch."""


def _constant_behind(value: SSAValue) -> ConstantOp | None:
    """The constant that a value is, or is a broadcast of."""
    match value.owner:
        case ConstantOp() as constant:
            return constant
        case BroadcastInDimOp() as broadcast if is_repeatable(value):
            return _constant_behind(broadcast.operand)
        case _:
            return None


def _emit_constant(s: Scalars, op: ConstantOp) -> SSAValue:
    """A scalar where all elements are equal, else a tensor. Where there are none, nobody will ask for one."""
    value = op.value
    if not prod(shape_of(op.output)):
        return s.constant(0, emitted_type(element_type_of(value.type)))
    if not value.is_splat():
        type = cast(TensorType[IntegerType], emitted_type(value.type))
        return s(arith.ConstantOp(DenseIntOrFPElementsAttr(type, value.data)))
    element_type = emitted_type(element_type_of(value.type))
    element = value.get_values()[0]
    if isinstance(element, tuple):
        return s.complex(*(s.constant(part, real_part(element_type)) for part in element))
    return s.constant(element, element_type)
