"""
Emission of one function of a partition: each operation is emitted once, for one element.

Indices are computed from the roots to the parameters, then values from the parameters to the roots. Source: rows
XGPU-14 to XGPU-16, XGPU-19, XGPU-20.
"""

from collections import ChainMap
from collections.abc import Hashable, Mapping, Sequence
from math import prod
from typing import cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IndexType,
    IntegerType,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from xshardy.affine.interval import Interval
from xshardy.dialects.attribute_names import NO_COMPUTE
from xshardy.dialects.dense_elements import is_splat
from xshardy.dialects.hlo import BitcastOp
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.nullary import ConstantOp, IotaOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp
from xshardy.dialects.xla_gpu.discardable import RANGE, range_attr
from xshardy.emitters.elemental import emit_element
from xshardy.emitters.elemental.conversions import index_to_element
from xshardy.emitters.elemental.kinds import element_type_of, emitted_type, real_part
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, apply_map
from xshardy.emitters.operations import OPERATIONS
from xshardy.emitters.partition import Partition, Scope, Subgraph, is_repeatable
from xshardy.emitters.reads import Read
from xshardy.emitters.signatures import emitted_tensor_type
from xshardy.facts.movement import is_rearrangement
from xshardy.indexing.operations import operand_maps


def emit_subgraphs(partition: Partition) -> list[FuncOp]:
    """
    The private functions of all subgraphs of a partition, including computations applied to elements.

    Subgraphs of empty tensors get no function.
    """
    return [
        emit_subgraph(part, subgraph)
        for part in partition.with_applied
        for subgraph in part.subgraphs
        if prod(subgraph.shape)
    ]


def emit_subgraph(partition: Partition, subgraph: Subgraph) -> FuncOp:
    """
    The private function of a subgraph.

    Its arguments are the parameters of the computation, an index for each dimension of the first root, and the given
    elements. It returns one element of each root.
    """
    parameters = [
        emitted_type(element_type_of(parameter.type)) if partition.takes_scalars else emitted_tensor_type(parameter)
        for parameter in partition.computation.body.block.args
    ]
    indices = [IndexType()] * len(subgraph.shape)
    given, elements = (
        [emitted_type(element_type_of(value.type)) for value in values] for values in (subgraph.given, subgraph.roots)
    )
    attributes: list[Mapping[str, Attribute]] = [{}] * len(parameters)
    attributes += [{RANGE: range_attr(Interval.of_size(max(size, 1)))} for size in subgraph.shape]
    attributes += [{}] * len(given)
    function = FuncOp(
        subgraph.name,
        ([*parameters, *indices, *given], elements),
        visibility="private",
        arg_attrs=ArrayAttr(DictionaryAttr(entry) for entry in attributes),
    )
    if all(is_rearrangement(op) or isinstance(op, BitcastOp) for op in subgraph.ops):
        function.attributes[NO_COMPUTE] = BoolAttr.from_bool(True)
    SubgraphEmitter(partition, subgraph, function).emit()
    return function


class SubgraphEmitter:
    """Emits the function of a subgraph."""

    def __init__(self, partition: Partition, subgraph: Subgraph, function: FuncOp):
        self.partition = partition
        self.subgraph = subgraph
        self.block = function.body.block
        parameters = partition.computation.body.block.args
        first_given = len(parameters) + len(subgraph.shape)
        self.parameters = dict(zip(parameters, self.block.args[: len(parameters)], strict=True))
        self.indices = self.block.args[len(parameters) : first_given]
        self.given = dict(zip(subgraph.given, self.block.args[first_given:], strict=True))
        self.constants: dict[ConstantOp, SSAValue] = {}

    def emit(self) -> None:
        s = Scalars.at_end(self.block)
        self.emit_constants(s)
        indices = [apply_map(s, map, self.indices) for map in self.subgraph.root_maps]
        values = ScopeEmitter(self, s, None, ChainMap()).emit(list(zip(self.subgraph.roots, indices, strict=True)))
        s.builder.insert(ReturnOp(*values))

    def emit_constants(self, s: Scalars) -> None:
        """Emit all constants first, in program order, so that every branch can use them."""
        used = [*self.subgraph.roots, *(operand for op in self.subgraph.ops for operand in op.operands)]
        constants = {constant for value in used if (constant := _constant_behind(value)) is not None}
        for constant in sorted(constants, key=self.partition.position.__getitem__):
            with s.located(constant.location):
                self.constants[constant] = _emit_constant(s, constant)


Wanted = Sequence[tuple[SSAValue, Indices]]
"""Requested elements: values of the computation, each with the indices of the element."""

Cache = ChainMap[Hashable, tuple[SSAValue, ...]]
"""Emitted values that are available at an insertion point, by key: indices, elements of tensors, results of calls."""


class ScopeEmitter:
    """
    Emits the operations of one scope of a subgraph: the code outside of all loops and branches, or that of one part.
    """

    def __init__(self, function: SubgraphEmitter, s: Scalars, scope: Scope | None, cache: Cache):
        self.function = function
        self.s = s
        self.scope = scope
        self.ops = function.subgraph.ops_by_scope.get(scope, ())
        self.cache = cache
        self.values: dict[Operation | Block, Sequence[SSAValue]] = {}

    def emit(self, wanted: Wanted) -> list[SSAValue]:
        """The requested elements."""
        own = set[Operation | Block](self.ops)
        at = {value.owner: indices for value, indices in wanted if has_elements(value)}
        for op in reversed(self.ops):
            if op not in at:  # its reader has no elements
                continue
            for operand, read in zip(op.operands, self.reads(op), strict=True):
                if operand.owner in own and read.part is None and has_elements(operand):
                    at[operand.owner] = self.apply(read, at[op])  # the same for all users
        for op in filter(at.__contains__, self.ops):
            rule = OPERATIONS.get(type(op))
            with self.s.located(op.location):
                self.values[op] = (self.plain(op, at[op]),) if rule is None else rule(self, op, at[op])
        return [self.element(value, indices) for value, indices in wanted]

    def plain(self, op: Operation, indices: Indices) -> SSAValue:
        """The element of an elementwise operation."""
        return emit_element(self.s, op, [self.operand(op, i, indices) for i in range(len(op.operands))])

    def operand(self, op: Operation, i: int, indices: Indices, symbols: Indices = ()) -> SSAValue:
        """The element of operand `i` that `op` reads for its element at `indices`, emitted at this point."""
        return self.element(op.operands[i], self.apply(self.reads(op)[i], indices, symbols))

    def part(self, op: Operation, part: int, s: Scalars, indices: Indices, symbols: Indices = ()) -> Sequence[SSAValue]:
        """
        The operand elements that part `part` of the code of `op` reads, in the order of operands.

        They are emitted at `s`, for the element of `op` at `indices` and for these symbols of the reads.
        """
        scope = Scope.within(self.scope, op, part)
        inner = ScopeEmitter(self.function, s, scope, self.cache.new_child())
        reads = zip(op.operands, self.reads(op), strict=True)
        return inner.emit(
            [(operand, inner.apply(read, indices, symbols)) for operand, read in reads if read.part == part]
        )

    def apply_body(
        self, op: Operation, s: Scalars, elements: Sequence[SSAValue], indices: Indices = ()
    ) -> Sequence[SSAValue]:
        """Apply the computation of `op` to these elements; one of tensors also gets the indices of its results."""
        call = self.function.partition.applied[op].root.call(elements, indices)
        s.builder.insert(call)
        return call.results

    def reads(self, op: Operation) -> Sequence[Read]:
        """The reads of the operands of `op`."""
        return self.function.partition.reads[op]

    def apply(self, read: Read, indices: Indices, symbols: Indices = ()) -> Indices:
        """The indices of an operand, computed once per distinct read."""
        if read.is_identity:
            return indices
        key = (read.map, indices, symbols)
        if (known := self.cache.get(key)) is None:
            known = self.cache[key] = apply_map(self.s, read.map, indices, symbols)
        return known

    def element(self, value: SSAValue, indices: Indices) -> SSAValue:
        """
        One element of a value: a given element, an element emitted in this scope, an extraction from a parameter, or a
        call.

        For a tensor without elements, any value of the type: this code never runs.
        """
        if not has_elements(value):
            return self.s.constant(0, emitted_type(element_type_of(value.type)))
        if (given := self.function.given.get(value)) is not None:
            return given
        if (own := self.values.get(value.owner)) is not None:
            return own[cast(OpResult, value).index]
        match value.owner:
            case ConstantOp() as constant:
                return self.extract(self.function.constants[constant], indices)
            case IotaOp() as iota:
                return index_to_element(self.s, indices[iota.iota_dimension.value.data], element_type_of(value.type))
            case BroadcastInDimOp() as op if is_repeatable(value):
                ((map,),) = operand_maps(op)
                return self.element(op.operand, apply_map(self.s, map, indices))
            case Block():
                return self.extract(self.function.parameters[cast(BlockArgument, value)], indices)
            case op:
                return self.call(self.function.partition.subgraph_of[op], value, indices)

    def extract(self, source: SSAValue, indices: Indices) -> SSAValue:
        """An element of a tensor; a scalar unchanged."""
        element_type = element_type_of(source.type)
        if element_type == source.type:
            return source
        key = (source, indices)
        if (known := self.cache.get(key)) is None:
            known = self.cache[key] = (self.s(tensor.ExtractOp(source, indices, element_type)),)
        return known[0]

    def call(self, callee: Subgraph, value: SSAValue, indices: Indices) -> SSAValue:
        """An element of a root of another function."""
        key = (callee, indices)
        if (known := self.cache.get(key)) is None:
            given = [self.function.given[value] for value in callee.given]
            call = callee.call([*self.function.parameters.values()], indices, given)
            self.s(call)
            known = self.cache[key] = tuple(call.results)
        return known[callee.roots.index(value)]


def has_elements(value: SSAValue) -> bool:
    """Whether a tensor has no dimension of size 0."""
    return 0 not in shape_of(value)


def _constant_behind(value: SSAValue) -> ConstantOp | None:
    """The constant that `value` is, or is a broadcast of; None otherwise."""
    match value.owner:
        case ConstantOp() as constant:
            return constant
        case BroadcastInDimOp() as broadcast if is_repeatable(value):
            return _constant_behind(broadcast.operand)
        case _:
            return None


def _emit_constant(s: Scalars, op: ConstantOp) -> SSAValue:
    """A scalar for a splat or an empty constant, otherwise a tensor."""
    value = op.value
    if not prod(shape_of(op.output)):
        return s.constant(0, emitted_type(element_type_of(value.type)))
    if not is_splat(value):
        type = cast(TensorType[IntegerType], emitted_type(value.type))
        return s(arith.ConstantOp(DenseIntOrFPElementsAttr(type, value.data)))
    element_type = emitted_type(element_type_of(value.type))
    element = value.get_values()[0]
    if isinstance(element, tuple):
        return s.complex(*(s.constant(part, real_part(element_type)) for part in element))
    return s.constant(element, element_type)
